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
function withData(within, key, id, selector) {
  return all(within, selector).filter((found) => found.dataset[key] === id);
}
function numberOf(value, otherwise) {
  const number = Number(value);
  return value === void 0 || value === "" || Number.isNaN(number) ? otherwise : number;
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
function keepFocus(root, change) {
  const active = document.activeElement;
  const inside = active instanceof HTMLElement && root.contains(active);
  const { action, verdict, edge } = inside ? active.dataset : {};
  change();
  if (!inside || active.isConnected && root.contains(document.activeElement)) return;
  const same = all(root, "[data-action]").filter((each) => each.dataset["action"] === action && each.dataset["edge"] === edge);
  (same.find((each) => each.dataset["verdict"] === verdict) ?? same[0] ?? root).focus({ preventScroll: true });
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
function moving(selection) {
  return [
    { keys: ["j", "ArrowDown"], label: "j ↓", does: "next", run: () => selection.move(1) },
    { keys: ["k", "ArrowUp"], label: "k ↑", does: "previous", run: () => selection.move(-1) },
    { keys: ["g", "Home"], label: "g", does: "first", run: () => selection.move(-Infinity) },
    { keys: ["G", "End"], label: "G", does: "last", run: () => selection.move(Infinity) }
  ];
}
function judging(rate, write) {
  return [
    { keys: ["1"], label: "1", does: "right", run: () => rate("right") },
    { keys: ["2"], label: "2", does: "wrong", run: () => rate("wrong") },
    { keys: ["0", "Backspace"], label: "0 ⌫", does: "withdraw", run: () => rate("withdraw") },
    { keys: ["o"], label: "o", does: "right answer", run: () => write("answer") },
    { keys: ["n"], label: "n", does: "note", run: () => write("note") }
  ];
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

// src/pictures.ts
var LINE = "details.image[data-message]";
function takePictures(cell) {
  const toggled = (event) => {
    const line = event.target;
    if (line.matches(LINE) && line.open && line.querySelector(":scope > .picture") === null) load(cell, line);
  };
  cell.root.addEventListener("toggle", toggled, { capture: true, signal: cell.signal });
}
function load(cell, line) {
  const { turn = "", message = "", part = "" } = line.dataset;
  const box = make("div", { class: "picture", role: "status" }, "loading the picture …");
  const fail = (words) => {
    box.className = "failure";
    box.replaceChildren(make("span", { class: "mark bad", "aria-hidden": "true" }, "✕ "), words);
  };
  line.querySelector(":scope > .failure")?.remove();
  line.append(box);
  const details = { turn_id: turn, message_index: Number(message), part_index: Number(part) };
  const answered = ({ html }) => {
    setHtml(box, String(html));
    box.removeAttribute("role");
    box.querySelector("img")?.addEventListener("error", () => fail("This browser cannot draw it: its data is broken."), { once: true, signal: cell.signal });
  };
  const refused = (words) => {
    cell.notices.drop("error");
    fail(words);
  };
  cell.kernel.ask(`image:${turn}:${message}:${part}`, "image", details, answered, refused);
}

// src/rating.ts
var Ratings = class {
  #cell;
  /** Where a rating line or a form goes when the call has no line yet. */
  #place;
  /** After a form: the focus goes back to what was selected. */
  #leave;
  constructor(cell, place2, leave) {
    this.#cell = cell;
    this.#place = place2;
    this.#leave = leave;
    cell.kernel.on("rated", ({ call_id, html }) => this.#show(String(call_id), String(html)));
    cell.kernel.on("notice", ({ message }) => cell.notices.show("ratings", "info", String(message)));
    cell.root.addEventListener("submit", (event) => event.preventDefault(), { signal: cell.signal });
  }
  get allowed() {
    return this.#cell.model.get("_rates") === true;
  }
  /** A click on a verdict; the same person's second click on it withdraws it. */
  click(control) {
    const { verdict } = control.dataset;
    this.rate(idAt(control), verdict, { toggle: true });
  }
  /** Keep a verdict, an answer or a note; the kernel asks for a name when nobody was named. */
  rate(id, verdict, words = {}, by = null, kept = () => void 0) {
    if (id === "" || !this.allowed) return;
    this.#cell.kernel.ask(`rate:${id}`, "rate", { call_id: id, verdict, ...words, by }, (result) => {
      if (result["need"] === "name") this.#askName(id, verdict, words, kept);
      else kept();
    });
  }
  /** Open the form for the right answer or a note. */
  write(id, what) {
    if (id === "" || !this.allowed) return;
    const field = what === "answer" ? make("textarea", { rows: 3, name: what }) : make("input", { type: "text", name: what });
    const label = what === "answer" ? "Right answer, as JSON or text" : "Note";
    this.#openForm(id, what, label, field, (value, close) => this.rate(id, null, { [what]: value }, null, close));
  }
  /** Close the open form, if there is one. */
  close() {
    const forms = all(this.#cell.root, "form.form");
    for (const form of forms) form.remove();
    return forms.length > 0;
  }
  #askName(id, verdict, words, kept) {
    const field = make("input", { type: "text", name: "name", required: true, autocomplete: "off" });
    const label = "Your name, once, so that you can change or withdraw what you say";
    const send = (name, close) => this.rate(id, verdict, words, name, () => {
      close();
      kept();
    });
    this.#openForm(id, "name", label, field, send);
  }
  #openForm(id, name, label, field, send) {
    for (const open of all(this.#cell.root, `form.form[data-form="${name}"]`)) open.remove();
    const save = make("button", { type: "submit" }, "save");
    const words = make("label", {}, make("span", { class: "dim" }, label), field);
    const form = make("form", { class: "form", "data-form": name, "data-call": id }, words, save, button("cancel", "cancel"));
    const close = () => {
      form.remove();
      this.#leave();
    };
    const submitted = () => {
      const value = field.value.trim();
      if (value !== "") send(value, close);
    };
    form.addEventListener("submit", submitted, { signal: this.#cell.signal });
    form.addEventListener("keydown", (event) => (event.ctrlKey || event.metaKey) && event.key === "Enter" && submitted(), { signal: this.#cell.signal });
    const line = withData(this.#cell.root, "call", id, ".rate")[0];
    if (line === void 0) this.#place(id)?.append(form);
    else line.after(form);
    field.focus();
  }
  #show(id, html) {
    const lines = withData(this.#cell.root, "call", id, ".rate");
    if (lines.length === 0) this.#place(id)?.append(parsed(html));
    keepFocus(this.#cell.root, () => {
      for (const line of lines) line.replaceWith(parsed(html));
    });
  }
};
function idAt(control) {
  return control.closest("[data-call]")?.dataset["call"] ?? control.closest("[data-turn]")?.dataset["turn"] ?? "";
}
function withoutControls(within) {
  for (const line of all(within, ".rate")) {
    const said = line.querySelector(".rating");
    if (said === null) line.remove();
    else line.replaceChildren(said);
  }
}

// src/selection.ts
var Selection = class {
  current = null;
  #cell;
  #parts;
  constructor(cell, parts) {
    this.#cell = cell;
    this.#parts = parts;
    listen(cell.model, "change:selected", () => this.follow(), cell.signal);
  }
  get id() {
    return text(this.#cell.model, "selected");
  }
  /** Go where the trait points, after Python, another view or a new page changed something. */
  follow() {
    if (this.id === "") this.#mark(null);
    else if (this.current === null || idOf(this.current) !== this.id || !this.current.isConnected) this.#parts.reveal(this.id);
  }
  /** Select an item: mark it, unfold what hides it, and tell the model. */
  pick(item, how = {}) {
    this.#mark(item);
    unfoldAround(item);
    const handle = handleOf(item);
    if (how.focus === true) handle.focus({ preventScroll: true });
    if (how.scroll === true || how.focus === true) handle.scrollIntoView({ block: "nearest" });
    const id = idOf(item);
    if (id !== "" && id !== this.id) {
      this.#cell.model.set("selected", id);
      this.#cell.model.save_changes();
    }
    this.#parts.picked?.(item);
  }
  /** What was selected is not among what is shown now; its id stays selected. */
  forget(focus) {
    this.current = null;
    this.rove();
    if (focus) this.focus();
  }
  /** Move over what is shown: 1 to the next, -1 to the one before, Infinity to the last. */
  move(by) {
    const items = this.items();
    if (items.length === 0) return;
    const here = this.#here();
    const from = here === void 0 ? by > 0 ? -1 : 0 : place(items, here, by);
    const next = items[Math.min(Math.max(from + by, 0), items.length - 1)];
    if (next !== void 0) this.pick(next, { focus: true });
  }
  /** Give the focus back to the selected item. */
  focus() {
    const item = this.#here() ?? this.items()[0];
    (item === void 0 ? this.#cell.root : handleOf(item)).focus({ preventScroll: true });
  }
  /** What is shown and can be selected, in order. */
  items() {
    return all(this.#cell.view, this.#parts.items).filter((item) => item.parentElement?.closest("details:not([open])") === null);
  }
  /** One stop for the Tab key: the current item, else the first. Called after new HTML came in. */
  rove() {
    const items = all(this.#cell.view, this.#parts.items);
    const stop = this.current !== null && items.includes(this.current) ? this.current : items[0];
    for (const item of items) handleOf(item).tabIndex = item === stop ? 0 : -1;
  }
  /** The selected item, else the one that has the focus. */
  #here() {
    if (this.current !== null && this.current.isConnected) return this.current;
    return document.activeElement?.closest(this.#parts.items) ?? void 0;
  }
  #mark(item) {
    for (const marked of all(this.#cell.view, "[aria-selected=true]")) {
      marked.setAttribute("aria-selected", "false");
      marked.classList.remove("sel");
    }
    item?.setAttribute("aria-selected", "true");
    this.current = item;
    this.rove();
    if (item !== null) handleOf(item).tabIndex = 0;
  }
};
function idOf(item) {
  return item.dataset["call"] ?? item.dataset["turn"] ?? "";
}
function handleOf(item) {
  return item.querySelector(":scope > summary") ?? item;
}
function unfoldAround(item) {
  for (let around = item.parentElement?.closest("details"); around; around = around.parentElement?.closest("details")) around.open = true;
}
function place(items, current, by) {
  const at = items.indexOf(current);
  if (at >= 0) return at;
  const after = items.findIndex((item) => current.compareDocumentPosition(item) & Node.DOCUMENT_POSITION_FOLLOWING);
  const next = after < 0 ? items.length : after;
  return by > 0 ? next - 1 : next;
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

// src/strip.ts
var Strip = class {
  #shape;
  constructor(shape) {
    this.#shape = shape;
  }
  /** The place of the first item that is in the page. */
  get first() {
    return numberOf(this.#shape.box.dataset["from"], 0);
  }
  /** Say where the items in the page begin, with a button for what is before. */
  begin(first) {
    this.#shape.box.dataset["from"] = String(first);
    this.#row("before")?.remove();
    if (first <= 0) return;
    const from = Math.max(0, first - this.#shape.page);
    const row = this.#newRow("before", from, first - from);
    (this.#shape.beside ?? this.#items()[0])?.before(row);
  }
  /** Add what comes next, with its row "N more" if there is one; the far end gives way. Returns the first new item. */
  extend(fragment) {
    const fresh = [...fragment.children].find((child) => child.matches(this.#shape.item)) ?? null;
    const row = fragment.querySelector(":scope > .more") ?? [...fragment.children].find((child) => child.matches(".more")) ?? null;
    row?.remove();
    this.#row("after")?.remove();
    const last = this.#items().at(-1);
    if (last === void 0) this.#shape.box.append(fragment);
    else last.after(fragment);
    this.#putAfter(row);
    const extra = this.#items().length - this.#shape.most;
    if (extra > 0) this.#drop(this.#items()[0], this.#items()[extra]);
    this.begin(this.first + Math.max(0, extra));
    return fresh;
  }
  /** Add what comes before, from place `first` on; the far end gives way. */
  precede(fragment, first) {
    for (const row of [...fragment.children].filter((child) => child.matches(".more"))) row.remove();
    this.#row("before")?.remove();
    const next = this.#items()[0];
    if (next === void 0) this.#shape.box.append(fragment);
    else next.before(fragment);
    this.begin(first);
    const items = this.#items();
    if (items.length <= this.#shape.most) return;
    this.#row("after")?.remove();
    this.#drop(items[this.#shape.most], items.at(-1)?.nextElementSibling ?? void 0);
    this.#putAfter(this.#newRow("after", first + this.#shape.most, this.#shape.page));
  }
  #items() {
    return [...this.#shape.box.children].filter((child) => child.matches(this.#shape.item));
  }
  #row(edge) {
    const { beside, box } = this.#shape;
    const rows = [...(beside === null ? box : beside.parentElement)?.children ?? []].filter((child) => child.matches(".more"));
    return rows.find((row) => row.dataset["edge"] === "before" ? edge === "before" : edge === "after");
  }
  #putAfter(row) {
    if (row !== null) (this.#shape.beside ?? this.#items().at(-1))?.after(row);
  }
  /** Remove `from` and what follows it, up to `until`, which stays. */
  #drop(from, until) {
    for (let gone = from; gone !== void 0 && gone !== until; ) {
      const next = gone.nextElementSibling ?? void 0;
      gone.remove();
      gone = next;
    }
  }
  #newRow(edge, first, count) {
    const { action, data } = this.#shape;
    const label = edge === "before" ? `the ${count} before` : `next ${count}`;
    return make("div", { class: "more", "data-edge": edge }, button(action, label, { ...data, "data-first": first, "data-count": count, "data-edge": edge }));
  }
};

// src/calltree.ts
var ROWS = "tr[data-call]";
var PAGES_KEPT = 4;
var CallTree = class {
  #cell;
  #selection;
  #ratings;
  #keys;
  #page;
  #folded = /* @__PURE__ */ new Set();
  #order = { only_failed: false, by_time: false };
  #detailHtml = "";
  #detail = make("div", { class: "detail", "data-part": "detail" });
  constructor(cell) {
    this.#cell = cell;
    this.#page = Number(cell.model.get("_page")) || 50;
    cell.view.after(this.#detail);
    this.#selection = new Selection(cell, { items: ROWS, reveal: (id) => this.#reveal(id), picked: () => this.#showDetail() });
    this.#ratings = new Ratings(cell, () => this.#detail.querySelector(".body") ?? this.#detail, () => this.#selection.focus());
    this.#keys = [...this.#readingKeys(), ...this.#ratings.allowed ? this.#judgingKeys() : []];
    takeKeys(cell.root, this.#keys, () => this.#escape(), cell.signal);
    takePictures(cell);
    takeClicks(cell, this.#actions(), (clicked) => this.#clicked(clicked));
    if (cell.model.get("_follows") === true) {
      cell.kernel.on("grew", () => this.#grow());
      stayInSight(cell);
    }
    this.#selection.rove();
    this.#selection.follow();
  }
  #actions() {
    return {
      toggle: (control) => this.#toggle(control.closest(ROWS)),
      "only-failed": () => this.#flip("only_failed"),
      "by-time": () => this.#flip("by_time"),
      "more-rows": (control) => this.#more(control),
      rate: (control) => this.#ratings.click(control),
      answer: (control) => this.#ratings.write(idAt(control), "answer"),
      note: (control) => this.#ratings.write(idAt(control), "note"),
      cancel: () => this.#escape(),
      dismiss: (control) => {
        this.#cell.notices.drop(control.dataset["notice"] ?? "");
        this.#selection.focus();
      },
      help: () => this.#help()
    };
  }
  #readingKeys() {
    return [
      ...moving(this.#selection),
      { keys: ["ArrowRight"], label: "→", does: "unfold, then go in", run: () => this.#into() },
      { keys: ["ArrowLeft"], label: "←", does: "fold, then go out", run: () => this.#outOf() },
      { keys: ["Enter", " "], label: "enter", does: "unfold or fold", run: () => this.#toggle(this.#selection.current) },
      { keys: ["m", ">"], label: "m >", does: "next page", run: () => this.#nextPage() },
      { keys: ["e"], label: "e", does: "only failed", run: () => this.#flip("only_failed") },
      { keys: ["t"], label: "t", does: "by time", run: () => this.#flip("by_time") },
      { keys: ["?"], label: "?", does: "these keys", run: () => this.#help() }
    ];
  }
  #judgingKeys() {
    return judging(
      (verdict) => this.#ratings.rate(this.#target, verdict),
      (what) => this.#ratings.write(this.#target, what)
    );
  }
  get #target() {
    return this.#selection.current === null ? "" : idOf(this.#selection.current);
  }
  get #question() {
    return { ...this.#order, collapsed: [...this.#folded] };
  }
  get #strip() {
    const box = this.#cell.view.querySelector("tbody");
    const beside = this.#cell.view.querySelector("table.tree");
    const shape = { item: ROWS, action: "more-rows", data: {}, page: this.#page, most: PAGES_KEPT * this.#page };
    return box === null || beside === null ? null : new Strip({ ...shape, box, beside });
  }
  /** Show the rows again, and the selected call where it has changed, without moving what is being read. */
  #grow() {
    const { view, kernel } = this.#cell;
    const first = this.#strip?.first ?? 0;
    const count = Math.max(this.#page, all(view, ROWS).length);
    kernel.ask("rows", "rows", { first, count, ...this.#question }, (result) => {
      const { scrollTop } = view;
      this.#replace(result, document.activeElement?.matches(ROWS) === true);
      view.scrollTop = scrollTop;
    });
    const id = this.#detail.dataset["call"] ?? "";
    if (id === "") return;
    kernel.ask("detail", "call", { call_id: id }, ({ html }) => {
      if (this.#detailHtml !== String(html) && this.#detail.querySelector("form") === null) this.#fillDetail(String(html));
    });
  }
  /** Ask for rows from a place on and show them instead of the present ones. */
  #ask(first, focus) {
    const { view, kernel } = this.#cell;
    view.setAttribute("aria-busy", "true");
    const request = { first, count: this.#page, ...this.#question };
    const refused = () => view.removeAttribute("aria-busy");
    kernel.ask("rows", "rows", request, (result) => this.#replace(result, focus), refused);
  }
  #replace(result, focus) {
    const { root, view } = this.#cell;
    view.removeAttribute("aria-busy");
    keepFocus(root, () => setHtml(view, String(result["html"])));
    this.#strip?.begin(Number(result["first"]));
    const row = this.#row(this.#selection.id);
    if (row !== void 0) this.#selection.pick(row, { focus });
    else this.#selection.forget(focus);
  }
  #more(control, then = () => void 0) {
    const first = numberOf(control.dataset["first"], 0);
    const count = numberOf(control.dataset["count"], this.#page);
    this.#cell.kernel.ask("rows", "rows", { first, count, ...this.#question }, (result) => {
      const wanted = document.createDocumentFragment();
      const fragment = parsed(String(result["html"]));
      wanted.append(...all(fragment, ROWS), ...all(fragment, ".more"));
      keepFocus(this.#cell.root, () => {
        if (control.dataset["edge"] === "before") this.#strip?.precede(wanted, first);
        else then(this.#strip?.extend(wanted) ?? null);
      });
      this.#selection.rove();
    });
  }
  #reveal(id) {
    const here = this.#row(id);
    if (here !== void 0) {
      this.#selection.pick(here, { scroll: true });
      return;
    }
    this.#cell.kernel.ask("rows", "reveal", { call_id: id, count: this.#page, ...this.#question }, (result) => {
      this.#order.only_failed = result["only_failed"] === true;
      this.#folded.clear();
      for (const each of result["collapsed"]) this.#folded.add(each);
      this.#replace(result, false);
      const row = this.#row(id);
      if (row !== void 0) this.#selection.pick(row, { scroll: true });
    });
  }
  /** Show the selected call below the tree. */
  #showDetail() {
    const id = this.#target;
    if (this.#detail.dataset["call"] === id) return;
    this.#detail.dataset["call"] = id;
    const refused = () => this.#detail.removeAttribute("data-call");
    this.#cell.kernel.ask("detail", "call", { call_id: id }, (result) => this.#fillDetail(String(result["html"])), refused);
  }
  #fillDetail(html) {
    this.#detailHtml = html;
    setHtml(this.#detail, html);
    for (const call of all(this.#detail, ":scope > details")) call.open = true;
    if (!this.#ratings.allowed) withoutControls(this.#detail);
    this.#selection.current?.scrollIntoView({ block: "nearest" });
  }
  #clicked(target) {
    const row = target.closest(ROWS);
    if (row !== null) this.#selection.pick(row, { focus: true });
  }
  /** Fold or unfold a row that holds calls; `fold` leaves one alone that is folded already. */
  #toggle(row) {
    if (row === null || !row.hasAttribute("aria-expanded")) return;
    this.#selection.pick(row, { focus: true });
    if (row.getAttribute("aria-expanded") === "true") this.#folded.add(idOf(row));
    else this.#folded.delete(idOf(row));
    this.#ask(this.#strip?.first ?? 0, true);
  }
  #into() {
    const row = this.#selection.current;
    if (row?.getAttribute("aria-expanded") === "false") this.#toggle(row);
    else this.#selection.move(1);
  }
  #outOf() {
    const row = this.#selection.current;
    if (row?.getAttribute("aria-expanded") === "true") this.#toggle(row);
    else if (row !== null) this.#toCaller(row);
  }
  #toCaller(row) {
    const rows = all(this.#cell.view, ROWS);
    const before = rows.slice(0, rows.indexOf(row)).reverse();
    const caller = before.find((each) => levelOf(each) < levelOf(row));
    if (caller !== void 0) this.#selection.pick(caller, { focus: true });
  }
  #nextPage() {
    const next = this.#cell.view.querySelector(".more:not([data-edge=before]) [data-action=more-rows]");
    if (next !== null) this.#more(next, (first) => first && this.#selection.pick(first, { focus: true }));
  }
  #flip(name) {
    this.#order[name] = !this.#order[name];
    this.#ask(0, document.activeElement?.matches(ROWS) === true);
  }
  #help() {
    toggleHelp(this.#cell.notices.box, this.#keys);
  }
  #escape() {
    if (!this.#ratings.close() && this.#cell.notices.box.querySelector(".help") !== null) this.#help();
    this.#selection.focus();
  }
  #row(id) {
    return withData(this.#cell.view, "call", id, ROWS)[0];
  }
};
function levelOf(row) {
  return numberOf(row.getAttribute("aria-level") ?? void 0, 1);
}
function render(props) {
  const cell = openCell(props, "tree");
  new CallTree(cell);
  return cell.close;
}
var calltree_default = { render };
export {
  calltree_default as default
};
