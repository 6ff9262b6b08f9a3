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

// src/rater.ts
var ACTION = "anb-do-";
var FOLDS = [["e", "earlier turns"], ["s", "steps"], ["c", "calls"], ["d", "decision"], ["l", "rules"]];
var WRITTEN_IN = "input:not([type=checkbox], [type=radio]), textarea";
var Rater = class {
  #cell;
  /** The call, its buttons and its form; the view alone until it is in the page. */
  #box;
  #status = make("span", { class: "dim", role: "status" });
  #open = /* @__PURE__ */ new Set();
  #keys;
  #busy = false;
  constructor(cell) {
    this.#cell = cell;
    this.#box = cell.root;
    this.#keys = this.#table();
    const help = make("button", { type: "button", "data-action": "help" }, "keys ", make("kbd", {}, "?"));
    cell.root.append(make("div", { class: "status" }, this.#status, help));
    cell.root.setAttribute("aria-label", "Rater");
    listen(cell.model, "change:_html", () => this.#show(), cell.signal);
    cell.view.addEventListener("toggle", (event) => this.#folded(event.target), { capture: true, signal: cell.signal });
    whenShown(cell.root, cell.signal, () => this.#settle());
    this.#show();
  }
  /** Hear the keys and clicks of everything that belongs to the rater: its controls are widgets beside this view. */
  #settle() {
    const { root, signal } = this.#cell;
    this.#box = root.closest(".anb-rater") ?? root;
    takeKeys(this.#box, this.#keys, () => root.focus({ preventScroll: true }), signal);
    this.#box.addEventListener("keydown", (event) => this.#entered(event), { capture: true, signal });
    this.#box.addEventListener("click", (event) => this.#clicked(event.target), { signal });
  }
  #table() {
    const act = (kind) => (event) => {
      if (!event.repeat) void this.#act(kind);
    };
    const fold = ([key, name]) => ({ keys: [key], label: key, does: name, run: () => this.#fold(name) });
    const scroll = (by) => () => this.#cell.view.scrollBy({ top: by * this.#cell.view.clientHeight * 0.8 });
    return [
      { keys: ["1"], label: "1", does: "right, next", run: act("right") },
      { keys: ["2"], label: "2", does: "wrong, next", run: act("wrong") },
      { keys: [" "], label: "space", does: "skip", run: act("skip") },
      { keys: ["Backspace"], label: "⌫", does: "the call before", run: act("back") },
      { keys: ["u"], label: "u", does: "take back", run: act("undo") },
      { keys: ["a"], label: "a", does: "right answer; enter keeps it as wrong", run: () => this.#enter(".anb-answer") },
      { keys: ["r"], label: "r", does: "reasons", run: () => this.#enter(".anb-reasons") },
      { keys: ["n"], label: "n", does: "note; enter leaves it", run: () => this.#enter(".anb-note") },
      ...FOLDS.map(fold),
      { keys: ["j", "PageDown"], label: "j", does: "down", run: scroll(1) },
      { keys: ["k", "PageUp"], label: "k", does: "up", run: scroll(-1) },
      { keys: ["?"], label: "?", does: "keys", run: () => this.#help() }
    ];
  }
  /** Tell the kernel what the person does, with what stands in the form: typed words may be on their way still when a key follows them. */
  async #act(kind) {
    if (this.#busy) return;
    this.#busy = true;
    this.#box.setAttribute("aria-busy", "true");
    const call = text(this.#cell.model, "_call");
    const fields = await this.#written();
    const done = (words) => {
      this.#free();
      this.#status.textContent = words;
    };
    const answered = (result) => {
      done(String(result["said"] ?? ""));
      this.#cell.notices.drop("error");
      if (kind !== "name" || text(this.#cell.model, "_call") !== "") this.#cell.root.focus({ preventScroll: true });
    };
    this.#cell.kernel.ask("act", kind, { call_id: call, fields }, answered, () => done(""));
  }
  async #written() {
    const listed = this.#cell.model.get("_fields") ?? [];
    const manager = this.#cell.model.widget_manager;
    if (manager === void 0) return {};
    const read = listed.map(async ([name, id, trait]) => [name, (await manager.get_model(id)).get(trait)]);
    return Object.fromEntries(await Promise.all(read));
  }
  /** Enter in a field of the answer keeps it, and the call is wrong; in other fields it leaves them. Ctrl+Enter does so in a field of several lines. */
  #entered(event) {
    const field = event.target;
    if (event.isComposing || !field.matches(WRITTEN_IN)) return;
    if (event.key === "Escape") this.#cell.root.focus({ preventScroll: true });
    if (event.key !== "Enter") return;
    if (field.matches("textarea") && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    if (field.closest(".anb-name") !== null) void this.#act("name");
    else if (field.closest(".anb-answer") !== null) void this.#act("wrong");
    else this.#cell.root.focus({ preventScroll: true });
  }
  #clicked(target) {
    const control = target.closest("button");
    const action = [...control?.classList ?? []].find((name) => name.startsWith(ACTION));
    if (action !== void 0) void this.#act(action.slice(ACTION.length));
    else if (control?.dataset["action"] === "help") this.#help();
    else if (control?.dataset["action"] === "dismiss") this.#cell.notices.drop(control.dataset["notice"] ?? "");
    else if (target.closest("button, input, textarea, select, summary, a, label") === null) this.#rest();
  }
  /** A click on the call brings the keys here, unless it selected a text. */
  #rest() {
    if (document.getSelection()?.isCollapsed !== false) this.#cell.root.focus({ preventScroll: true });
  }
  #enter(place) {
    const field = this.#box.querySelector(`${place} :is(input, textarea, button)`);
    field?.focus();
    if (field instanceof HTMLInputElement) field.select();
  }
  #fold(name) {
    const fold = all(this.#cell.view, "details[data-fold]").find((each) => each.dataset["fold"] === name);
    if (fold === void 0) return;
    fold.open = !fold.open;
    if (fold.open) fold.scrollIntoView({ block: "nearest" });
  }
  #folded(fold) {
    const name = fold.dataset["fold"];
    if (name === void 0 || !fold.isConnected) return;
    if (fold.open) this.#open.add(name);
    else this.#open.delete(name);
  }
  #free() {
    this.#busy = false;
    this.#box.removeAttribute("aria-busy");
  }
  #show() {
    const { view, model } = this.#cell;
    if (this.#busy) this.#cell.root.focus({ preventScroll: true });
    this.#free();
    setHtml(view, text(model, "_html"));
    for (const fold of all(view, "details[data-fold]")) fold.open = this.#open.has(fold.dataset["fold"] ?? "");
    view.scrollTop = 0;
  }
  #help() {
    toggleHelp(this.#cell.root.querySelector(".notices") ?? this.#cell.root, this.#keys);
  }
};
function render(props) {
  const cell = openCell(props, "rater");
  new Rater(cell);
  return cell.close;
}
var rater_default = { render };
export {
  rater_default as default
};
