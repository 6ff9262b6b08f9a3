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
function plural(count, noun) {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
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
function isSave(event) {
  return (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "s";
}

// src/upload.ts
var PIECE = 2 << 20;
var Upload = class {
  #cell;
  #field = make("input", { type: "file", multiple: true, "aria-label": "Recordings" });
  #zone = make("label", { class: "drop" }, "Drop recordings here, or choose them: ", this.#field);
  #list = make("ul", { class: "files", "aria-live": "polite" });
  #waiting = [];
  #busy = false;
  #count = 0;
  constructor(cell) {
    this.#cell = cell;
    const { signal } = cell;
    cell.root.prepend(this.#zone, this.#list);
    this.#field.addEventListener("change", () => this.#chosen(), { signal });
    for (const name of ["dragenter", "dragover"]) cell.root.addEventListener(name, (event) => this.#over(event), { signal });
    cell.root.addEventListener("dragleave", () => this.#zone.removeAttribute("data-over"), { signal });
    cell.root.addEventListener("drop", (event) => this.#dropped(event), { signal });
    cell.root.addEventListener("click", (event) => this.#clicked(event.target), { signal });
    listen(cell.model, "change:_html", () => setHtml(cell.view, text(cell.model, "_html")), signal);
    takeKeys(cell.root, [], () => void 0, signal);
  }
  #chosen() {
    this.#take(this.#field.files);
    this.#field.value = "";
  }
  #over(event) {
    if (event.dataTransfer?.types.includes("Files") !== true) return;
    event.preventDefault();
    event.stopPropagation();
    this.#zone.setAttribute("data-over", "");
  }
  #dropped(event) {
    this.#zone.removeAttribute("data-over");
    if (event.dataTransfer?.types.includes("Files") !== true) return;
    event.preventDefault();
    event.stopPropagation();
    this.#take(event.dataTransfer.files);
  }
  #clicked(target) {
    if (target.dataset["action"] === "dismiss") this.#cell.notices.drop(target.dataset["notice"] ?? "");
  }
  #take(files) {
    for (const file of files ?? []) {
      const line = make("li", {}, make("span", {}, file.name), make("span", { class: "dim" }, "waiting"));
      this.#list.append(line);
      this.#waiting.push({ file, line });
    }
    void this.#next();
  }
  /** Send the files one after another: each may need what was read before it. */
  async #next() {
    if (this.#busy) return;
    this.#busy = true;
    for (let next = this.#waiting.shift(); next !== void 0 && !this.#cell.signal.aborted; next = this.#waiting.shift()) {
      await this.#send(next.file, next.line);
    }
    this.#busy = false;
  }
  async #send(file, line) {
    const key = `${Date.now()}-${this.#count += 1}`;
    try {
      for (let begin = 0; begin === 0 || begin < file.size; begin += PIECE) {
        const piece = await file.slice(begin, begin + PIECE).arrayBuffer();
        const last = begin + PIECE >= file.size;
        say(line, last ? "reading" : `${Math.round(100 * begin / file.size)} %`);
        const result = await this.#ask("piece", { file: key, name: file.name, last }, [piece]);
        if (last) say(line, `✓ ${plural(Number(result["records"]), "record")} read`, "good");
      }
    } catch (error) {
      say(line, `✕ not read: ${error instanceof Error ? error.message : String(error)}`, "bad");
      this.#cell.notices.drop("error");
      this.#cell.kernel.ask("stop", "stop", { file: key }, () => void 0);
    }
  }
  #ask(kind, details, buffers) {
    return new Promise((resolve, reject) => this.#cell.kernel.ask("piece", kind, details, resolve, (message) => reject(new Error(message)), buffers));
  }
};
function say(line, words, level = "dim") {
  line.lastElementChild?.replaceWith(make("span", { class: level }, words));
}
function render(props) {
  const cell = openCell(props, "upload");
  new Upload(cell);
  return cell.close;
}
var upload_default = { render };
export {
  upload_default as default
};
