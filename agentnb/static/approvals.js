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
function parsed(html) {
  const fragment = document.createDocumentFragment();
  setHtml(fragment, html);
  return fragment;
}
function all(within, selector) {
  return [...within.querySelectorAll(selector)];
}
function numberOf(value, otherwise) {
  const number = Number(value);
  return value === void 0 || value === "" || Number.isNaN(number) ? otherwise : number;
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

// src/sight.ts
var HERE = 2e4;
function stayInSight(cell, answered = () => void 0) {
  const view = Math.random().toString(36).slice(2);
  const here = () => cell.kernel.ask("here", "here", { view }, answered);
  const timer = window.setInterval(here, HERE);
  const leave = () => {
    window.clearInterval(timer);
    try {
      cell.model.send({ kind: "gone", view });
    } catch {
    }
  };
  cell.signal.addEventListener("abort", leave, { once: true });
  here();
}

// src/approvals.ts
var SECOND = 1e3;
var Approvals = class {
  #cell;
  #list = make("div", { class: "questions", role: "list" });
  #more = make("div", { class: "more" });
  #said = make("div", { class: "said-so dim", role: "status" });
  #shown = /* @__PURE__ */ new Map();
  #keys;
  #current = "";
  constructor(cell) {
    this.#cell = cell;
    cell.view.append(this.#list, this.#more, this.#said);
    cell.kernel.on("questions", (news) => this.#show(news));
    cell.kernel.on("notice", ({ message }) => cell.notices.show("store", "info", String(message)));
    this.#keys = this.#table();
    takeKeys(cell.root, this.#keys, () => this.#escape(), cell.signal);
    takeClicks(cell, this.#actions(), (clicked) => this.#pick(clicked.closest(".question")));
    cell.root.addEventListener("submit", (event) => event.preventDefault(), { signal: cell.signal });
    this.#list.addEventListener("focusin", (event) => this.#pick(event.target.closest(".question")), { signal: cell.signal });
    stayInSight(cell, (news) => this.#show(news));
    const tick = window.setInterval(() => this.#tick(), SECOND);
    cell.signal.addEventListener("abort", () => window.clearInterval(tick), { once: true });
  }
  #table() {
    return [
      { keys: ["j", "ArrowDown"], label: "j ↓", does: "next", run: () => this.#move(1) },
      { keys: ["k", "ArrowUp"], label: "k ↑", does: "previous", run: () => this.#move(-1) },
      { keys: ["a"], label: "a", does: "approve", run: (event) => event.repeat || this.#approve() },
      { keys: ["d"], label: "d", does: "deny, with a reason", run: (event) => event.repeat || this.#deny() },
      { keys: ["w"], label: "w", does: "approve, with words", run: () => this.#say() },
      { keys: ["Enter", " "], label: "enter", does: "unfold or fold", run: () => this.#fold() },
      { keys: ["n"], label: "n", does: "answer as somebody else", run: () => this.#askName() },
      { keys: ["?"], label: "?", does: "these keys", run: () => toggleHelp(this.#cell.notices.box, this.#keys) }
    ];
  }
  #actions() {
    const here = (then) => (control) => {
      this.#pick(control.closest(".question"));
      then();
    };
    return {
      approve: here(() => this.#approve()),
      say: here(() => this.#say()),
      deny: here(() => this.#deny()),
      whole: here(() => this.#whole()),
      more: () => this.#cell.kernel.ask("more", "more", {}, (news) => this.#show(news)),
      cancel: () => this.#escape(),
      help: () => toggleHelp(this.#cell.notices.box, this.#keys),
      dismiss: (control) => {
        this.#cell.notices.drop(control.dataset["notice"] ?? "");
        this.#focus();
      }
    };
  }
  /** Bring the list up to date: what stays is not touched, so that nothing that is being read or typed moves. */
  #show(news) {
    this.#cell.view.querySelector(".head")?.replaceWith(parsed(news.head));
    const keys = new Set(news.questions.map(({ key }) => key));
    const focused = this.#list.contains(document.activeElement);
    const place = [...this.#shown.keys()].indexOf(this.#current);
    for (const [key, item] of this.#shown) {
      if (keys.has(key)) continue;
      item.remove();
      this.#shown.delete(key);
    }
    for (const { key, html } of news.questions) {
      if (this.#shown.has(key)) continue;
      const item = parsed(html).firstElementChild;
      this.#shown.set(key, item);
      this.#list.append(item);
    }
    if (this.#current !== "" && !this.#shown.has(this.#current)) this.#current = [...this.#shown.keys()][Math.min(Math.max(place, 0), this.#shown.size - 1)] ?? "";
    this.#mark();
    if (focused && !this.#list.contains(document.activeElement)) this.#focus();
    const rest = news.more > 0 ? [plural(news.more, "more question"), " ", button("more", "show more"), " "] : [];
    this.#more.replaceChildren(...this.#shown.size > 0 ? [...rest, ...hints()] : ["Questions appear here by themselves."]);
    this.#said.replaceChildren(...news.said.map((line) => make("div", {}, line)));
    this.#tick();
  }
  #tick() {
    for (const each of all(this.#list, "[data-since]")) {
      const since = Date.parse(each.dataset["since"] ?? "");
      const text2 = Number.isNaN(since) ? "waiting" : `waiting ${duration((Date.now() - since) / SECOND)}`;
      if (each.textContent !== text2) each.textContent = text2;
    }
  }
  get #item() {
    return this.#shown.get(this.#current) ?? null;
  }
  #pick(item) {
    const key = item?.dataset["question"];
    if (key === void 0 || key === this.#current) return;
    this.#current = key;
    this.#mark();
  }
  #mark() {
    const stop = this.#item ?? this.#list.firstElementChild;
    for (const item of all(this.#list, ".question")) {
      item.tabIndex = item === stop ? 0 : -1;
      if (item === this.#item) item.setAttribute("aria-current", "true");
      else item.removeAttribute("aria-current");
    }
  }
  #focus() {
    (this.#item ?? this.#list.querySelector(".question") ?? this.#cell.root).focus({ preventScroll: true });
  }
  #move(by) {
    const items = all(this.#list, ".question");
    const at = this.#item === null ? by > 0 ? -1 : 0 : items.indexOf(this.#item);
    const next = items[Math.min(Math.max(at + by, 0), items.length - 1)];
    if (next === void 0) return;
    this.#pick(next);
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  }
  #fold() {
    const folded = this.#item?.querySelector("details");
    if (folded) folded.open = !folded.open;
  }
  #approve() {
    if (this.#item?.querySelector("[data-action=say]") !== null) this.#say();
    else this.#answer(this.#current, "yes", "");
  }
  #say() {
    const key = this.#current;
    this.#open({ name: "say", label: "What the tool is told", save: "approve", empty: true, send: (words) => this.#answer(key, "yes", words) });
  }
  #deny() {
    const key = this.#current;
    this.#open({ name: "deny", label: "Why not? The model is told so", save: "deny", empty: true, send: (words) => this.#answer(key, "no", words) });
  }
  #askName(then = () => void 0) {
    const label = "Your name: it is recorded with each answer";
    this.#open({ name: "name", label, save: "go on", empty: false, send: (name) => (then(name), this.#close()) });
  }
  #whole() {
    const item = this.#item;
    this.#cell.kernel.ask("whole", "whole", { question: this.#current }, ({ html }) => {
      const shown = item?.querySelector(".arguments") ?? item?.querySelector(".asked");
      for (const old of all(shown ?? this.#list, ":scope > pre, :scope > [data-action=whole]")) old.remove();
      shown?.querySelector(":scope > summary, :scope > .line")?.after(parsed(String(html)));
    });
  }
  #answer(key, verdict, reason, by = null) {
    const item = this.#shown.get(key);
    if (item === void 0 || item.getAttribute("aria-busy") === "true") return;
    item.setAttribute("aria-busy", "true");
    const free = () => item.removeAttribute("aria-busy");
    const kept = (result) => {
      free();
      if (result["need"] === "name") this.#askName((name) => this.#answer(key, verdict, reason, name));
      else this.#close();
    };
    this.#cell.kernel.ask(`answer:${key}`, "answer", { question: key, verdict, reason, by }, kept, free);
  }
  #open({ name, label, save, empty, send }) {
    this.#close();
    const item = this.#item ?? this.#list.querySelector(".question");
    if (item === null) return;
    const field = make("input", { type: "text", name, autocomplete: "off", required: !empty });
    const form = make(
      "form",
      { class: "form", "data-form": name },
      make("label", {}, make("span", { class: "dim" }, label), field),
      make("button", { type: "submit" }, save),
      button("cancel", "cancel")
    );
    form.addEventListener("submit", () => (empty || field.value.trim() !== "") && send(field.value.trim()), { signal: this.#cell.signal });
    item.append(form);
    field.focus();
  }
  #close() {
    const forms = all(this.#cell.root, "form.form");
    const focused = forms.some((form) => form.contains(document.activeElement));
    for (const form of forms) form.remove();
    if (focused) this.#focus();
    return forms.length > 0;
  }
  #escape() {
    if (!this.#close() && this.#cell.notices.box.querySelector(".help") !== null) toggleHelp(this.#cell.notices.box, this.#keys);
    this.#focus();
  }
};
function hints() {
  const named = [["j k", "move"], ["a", "approve"], ["d", "deny"], ["?", "all keys"]];
  const words = named.flatMap(([keys, does]) => [...keys.split(" ").map((key) => make("kbd", {}, key)), ` ${does} `]);
  return [make("span", { class: "keys" }, ...words)];
}
function duration(seconds) {
  const whole = Math.max(0, Math.floor(numberOf(String(seconds), 0)));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min`;
  return whole < 172800 ? `${Math.floor(whole / 3600)} h ${Math.floor(whole % 3600 / 60)} min` : `${Math.floor(whole / 86400)} days`;
}
function render(props) {
  const cell = openCell(props, "approvals");
  new Approvals(cell);
  return cell.close;
}
var approvals_default = { render };
export {
  approvals_default as default
};
