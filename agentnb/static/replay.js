// src/dom.ts
function make(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children);
  return made;
}
function button(action, label, data = {}) {
  return make("button", { type: "button", "data-action": action, ...data }, label);
}
function setHtml(target, html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  target.replaceChildren(template.content);
}
function all(within, selector) {
  return [...within.querySelectorAll(selector)];
}

// src/model.ts
function text(model, name) {
  const value = model.get(name);
  return typeof value === "string" ? value : "";
}
function listen(model, event, heard, signal) {
  model.on(event, heard);
  signal.addEventListener("abort", () => model.off(event, heard), { once: true });
}

// src/kernel.ts
var PATIENCE = 8e3;
var READABLE = "What is shown stays readable; run the cell again for a live view.";
var LATE = `The kernel has not answered for 8 seconds: it is busy with a cell, or it is gone. ${READABLE}`;
var Kernel = class {
  /** The one request of each slot that still counts: a later one of the same slot makes it stale. */
  #pending = /* @__PURE__ */ new Map();
  #heard = /* @__PURE__ */ new Map();
  #prefix = Math.random().toString(36).slice(2, 10);
  #model;
  #notices;
  #count = 0;
  constructor(model, notices, signal) {
    this.#model = model;
    this.#notices = notices;
    listen(model, "msg:custom", (message) => this.#receive(message), signal);
    signal.addEventListener("abort", () => this.#forget(), { once: true });
  }
  /** Ask; `then` gets the result, unless the kernel refuses or the same slot asked again meanwhile. */
  ask(slot, kind, details, then, failed = () => void 0, buffers = []) {
    this.#done(slot);
    const id = `${this.#prefix}-${this.#count += 1}`;
    const timer = window.setTimeout(() => this.#notices.show("late", "error", LATE), PATIENCE);
    this.#pending.set(slot, { id, then, failed, timer });
    try {
      this.#model.send({ id, kind, ...details }, void 0, buffers);
    } catch (error) {
      this.#done(slot);
      const message = `The kernel is gone (${String(error)}). ${READABLE}`;
      this.#notices.show("late", "error", message);
      failed(message);
    }
  }
  /** Hear what the kernel tells every view of the model. */
  on(event, heard) {
    this.#heard.set(event, heard);
  }
  #receive(message) {
    if (typeof message !== "object" || message === null) return;
    const { id, event, result, error } = message;
    this.#notices.drop("late");
    if (event !== void 0) {
      this.#heard.get(event)?.(result ?? {});
      return;
    }
    const slot = [...this.#pending].find(([, pending]) => pending.id === id)?.[0];
    if (slot === void 0) return;
    const { then, failed } = this.#pending.get(slot);
    this.#done(slot);
    if (error === void 0) {
      then(result ?? {});
      return;
    }
    const words = error.message ?? "The kernel refused and did not say why.";
    this.#notices.show("error", "error", words);
    failed(words);
  }
  #done(slot) {
    window.clearTimeout(this.#pending.get(slot)?.timer);
    this.#pending.delete(slot);
  }
  #forget() {
    for (const slot of [...this.#pending.keys()]) this.#done(slot);
  }
};

// src/notices.ts
var Notices = class {
  #shown = /* @__PURE__ */ new Map();
  /** Stays in sight at the lower edge, however far one has scrolled. */
  box;
  constructor(box) {
    this.box = box;
  }
  /** Show a line; one with the same name gives way to it. */
  show(name, level, message) {
    this.drop(name);
    const mark = level === "error" ? "✕" : "ℹ";
    const line = make(
      "div",
      { class: "notice", "data-level": level, "data-notice": name, role: level === "error" ? "alert" : "status" },
      make("span", { class: level === "error" ? "mark bad" : "mark", "aria-hidden": "true" }, mark),
      make("span", { class: "words" }, message),
      button("dismiss", "dismiss", { "data-notice": name })
    );
    this.#shown.set(name, line);
    this.box.append(line);
  }
  drop(name) {
    this.#shown.get(name)?.remove();
    this.#shown.delete(name);
  }
};

// src/cell.ts
function openCell({ model, el, signal }, name) {
  const ending = new AbortController();
  signal?.addEventListener("abort", () => ending.abort(), { once: true });
  const box = make("div", { class: "notices" });
  const view = make("div", { class: "view" });
  const root = make("section", { class: "agentnb", "data-view": name, "data-live": "", tabindex: -1 }, view, box);
  const height = text(model, "_height");
  if (height !== "") root.style.setProperty("--anb-height", height);
  setHtml(view, text(model, "_html"));
  el.replaceChildren(root);
  hideFallback(root, ending.signal);
  const notices = new Notices(box);
  const kernel = new Kernel(model, notices, ending.signal);
  return { model, root, view, kernel, notices, signal: ending.signal, close: () => ending.abort() };
}
function whenShown(root, signal, then) {
  const arrived = new ResizeObserver(() => {
    if (!root.isConnected) return;
    arrived.disconnect();
    then();
  });
  arrived.observe(root);
  signal.addEventListener("abort", () => arrived.disconnect(), { once: true });
}
function hideFallback(root, signal) {
  whenShown(root, signal, () => {
    const shown = all(document, ".agentnb[data-fallback], .agentnb[data-live]");
    const before = shown[shown.indexOf(root) - 1];
    if (before === void 0 || before.dataset["fallback"] === void 0 || before.dataset["view"] !== root.dataset["view"]) return;
    before.hidden = true;
    signal.addEventListener("abort", () => before.hidden = false, { once: true });
  });
}
function takeClicks(cell, actions, otherwise) {
  const clicked = (event) => {
    const target = event.target;
    const control = target.closest("[data-action]");
    const action = control?.dataset["action"];
    if (control !== null && action !== void 0 && action in actions) actions[action]?.(control);
    else if (target.closest("form, input") === null) otherwise(target);
  };
  cell.root.addEventListener("click", clicked, { signal: cell.signal });
}

// src/keys.ts
var FIELDS = "input, textarea, select";
var PRESSED_BY_THE_BROWSER = "button, a[href], .aside > summary, .detail summary";
function takeKeys(root, table, escape, signal) {
  const byKey = new Map(table.flatMap((entry) => entry.keys.map((key) => [key, entry])));
  root.setAttribute("data-lm-suppress-shortcuts", "true");
  const pressed = (event) => {
    if (isSave(event)) return;
    event.stopPropagation();
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target;
    if (event.key === "Escape") escape();
    if (event.key === "Escape" || target.matches(FIELDS)) return;
    if ((event.key === "Enter" || event.key === " ") && target.matches(PRESSED_BY_THE_BROWSER)) return;
    const entry = byKey.get(event.key);
    if (entry === void 0) return;
    event.preventDefault();
    entry.run(event);
  };
  root.addEventListener("keydown", pressed, { signal });
}
function toggleHelp(box, table) {
  const shown = box.querySelector(".help");
  if (shown !== null) {
    shown.remove();
    return;
  }
  const lines = table.flatMap((entry) => {
    const names = entry.label.split(" ").map((name) => make("kbd", {}, name));
    return [make("dt", {}, ...names.flatMap((name) => [name, " "])), make("dd", {}, entry.does)];
  });
  box.prepend(make("div", { class: "help", role: "note", "aria-label": "Keys" }, make("dl", {}, ...lines), button("help", "close")));
}
function isSave(event) {
  return (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "s";
}

// src/replay.ts
var PAGE = 10;
var Replay = class {
  #cell;
  #keys;
  #last;
  #broke;
  #slider;
  #place = make("output", { class: "dim" });
  #frame = make("div", { class: "detail", "data-part": "frame" });
  constructor(cell) {
    this.#cell = cell;
    this.#last = Number(cell.model.get("_total")) - 1;
    this.#broke = Number(cell.model.get("_broke_at"));
    this.#slider = make("input", { type: "range", min: 0, max: Math.max(this.#last, 0), step: 1, "aria-label": "Part" });
    this.#slider.disabled = this.#last < 1;
    this.#keys = this.#table();
    cell.root.prepend(this.#bar(), this.#frame);
    const { signal } = cell;
    this.#slider.addEventListener("input", () => this.#go(Number(this.#slider.value)), { signal });
    listen(cell.model, "change:at", () => this.#show(Number(cell.model.get("at"))), signal);
    const steered = (event) => this.#steer(event);
    this.#slider.addEventListener("keydown", steered, { signal });
    takeKeys(cell.root, this.#keys, () => this.#escape(), signal);
    takeClicks(cell, this.#actions(), () => void 0);
    this.#show(Number(cell.model.get("at")));
  }
  #bar() {
    const broken = this.#broke < 0 ? [] : [button("to-break", "✕ where it broke")];
    const steps = [button("before", "‹", { "aria-label": "one part back" }), this.#slider, button("after", "›", { "aria-label": "one part on" })];
    return make("div", { class: "slide" }, ...steps, this.#place, ...broken, button("help", "?", { "aria-label": "Keys" }));
  }
  #table() {
    return [
      { keys: ["ArrowRight", "ArrowUp", "j"], label: "→ j", does: "one part on", run: () => this.#move(1) },
      { keys: ["ArrowLeft", "ArrowDown", "k"], label: "← k", does: "one part back", run: () => this.#move(-1) },
      { keys: ["PageUp"], label: "PgUp", does: "ten parts on", run: () => this.#move(PAGE) },
      { keys: ["PageDown"], label: "PgDn", does: "ten parts back", run: () => this.#move(-PAGE) },
      { keys: ["Home", "g"], label: "g", does: "the first part", run: () => this.#go(0) },
      { keys: ["End", "G"], label: "G", does: "the last part", run: () => this.#go(this.#last) },
      { keys: ["b"], label: "b", does: "where it broke", run: () => this.#toBreak() },
      { keys: ["?"], label: "?", does: "these keys", run: () => this.#help() }
    ];
  }
  #actions() {
    return {
      before: () => this.#move(-1),
      after: () => this.#move(1),
      "to-break": () => this.#toBreak(),
      help: () => this.#help(),
      dismiss: (control) => this.#cell.notices.drop(control.dataset["notice"] ?? "")
    };
  }
  #steer(event) {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const entry = this.#keys.find((each) => each.keys.includes(event.key));
    if (entry === void 0) return;
    event.preventDefault();
    event.stopPropagation();
    entry.run(event);
  }
  #move(by) {
    this.#go(Number(this.#slider.value) + by);
  }
  /** Stand at a part, and tell Python. */
  #go(wanted) {
    const at = Math.max(0, Math.min(wanted, this.#last));
    const { model } = this.#cell;
    if (this.#last < 0) return;
    if (Number(model.get("at")) === at) {
      this.#show(at);
      return;
    }
    model.set("at", at);
    model.save_changes();
  }
  /** Ask for what is shown; while the slider is drawn along, only the last answer counts. */
  #show(at) {
    this.#slider.value = String(at);
    this.#place.textContent = this.#last < 0 ? "no parts" : `part ${at.toLocaleString("en-US")} of ${(this.#last + 1).toLocaleString("en-US")}`;
    if (this.#last < 0) return;
    this.#frame.setAttribute("aria-busy", "true");
    const refused = () => this.#frame.removeAttribute("aria-busy");
    this.#cell.kernel.ask("frame", "frame", { at }, (result) => {
      refused();
      this.#slider.setAttribute("aria-valuetext", `${this.#place.textContent}, ${String(result["said"])}`);
      setHtml(this.#frame, String(result["html"]));
    }, refused);
  }
  #toBreak() {
    if (this.#broke >= 0) this.#go(this.#broke);
  }
  #help() {
    toggleHelp(this.#cell.notices.box, this.#keys);
  }
  #escape() {
    if (this.#cell.notices.box.querySelector(".help") !== null) this.#help();
    this.#slider.focus();
  }
};
function render(props) {
  const cell = openCell(props, "replay");
  new Replay(cell);
  return cell.close;
}
var replay_default = { render };
export {
  replay_default as default
};
