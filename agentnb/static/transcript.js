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
var came = /* @__PURE__ */ new WeakMap();
function grow(box, html) {
  const fresh = [...parsed(html).children];
  const written = fresh.map((child) => child.cloneNode(true));
  const before = came.get(box) ?? [];
  const known = new Map(all(box, "details[data-call]").map((each) => [each.dataset["call"] ?? "", each.open]));
  const old = [...box.children];
  came.set(box, written);
  for (const [at, child] of fresh.entries()) {
    const here = old[at];
    if (here !== void 0 && before[at]?.isEqualNode(written[at] ?? null) === true) continue;
    for (const each of [child, ...all(child, "details[data-call]")]) {
      const open = known.get(each.dataset["call"] ?? "");
      if (each instanceof HTMLDetailsElement && open !== void 0) each.open = open;
    }
    if (here !== void 0 && here.querySelector("form") !== null) {
      written[at] = null;
      continue;
    }
    if (here === void 0) box.append(child);
    else here.replaceWith(child);
  }
  for (const gone of old.slice(fresh.length)) gone.remove();
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

// src/find.ts
var NAME = "anb-find";
var MOST = 2e3;
var Marks = class {
  #ranges = [];
  show(within, wanted) {
    this.clear();
    if (wanted === "" || !("highlights" in CSS)) return;
    const highlight = CSS.highlights.get(NAME) ?? new Highlight();
    CSS.highlights.set(NAME, highlight);
    this.#ranges = within.flatMap((each) => rangesOf(each, wanted));
    for (const range of this.#ranges) highlight.add(range);
  }
  clear() {
    if (!("highlights" in CSS)) return;
    const highlight = CSS.highlights.get(NAME);
    for (const range of this.#ranges) highlight?.delete(range);
    this.#ranges = [];
  }
};
function rangesOf(within, wanted) {
  const ranges = [];
  const needle = wanted.toLowerCase();
  const walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && ranges.length < MOST; node = walker.nextNode()) {
    const shown = node.textContent ?? "";
    const lowered = shown.toLowerCase();
    if (lowered.length !== shown.length) continue;
    for (let at = lowered.indexOf(needle); at >= 0; at = lowered.indexOf(needle, at + needle.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + needle.length);
      ranges.push(range);
    }
  }
  return ranges;
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

// src/turns.ts
var STEPS = 20;
var STEPS_KEPT = 160;
var PAGES_KEPT = 4;
var LOADED_KEPT = 20;
var Turns = class {
  /** What the turns in the page answer, and what was asked last: a quick second key goes by what was asked. */
  question = { find: "", filter: "all" };
  asked = this.question;
  #cell;
  #changed;
  #page;
  /** What runs when the steps of a turn have come, by the turn's id. */
  #loading = /* @__PURE__ */ new Map();
  constructor(cell, changed) {
    this.#cell = cell;
    this.#changed = changed;
    this.#page = Number(cell.model.get("_page")) || 50;
    cell.root.addEventListener("toggle", (event) => this.#toggled(event.target), { capture: true, signal: cell.signal });
  }
  /** Show the first page of the turns that match. */
  ask(question, then) {
    this.#busy(true);
    this.asked = question;
    const details = { first: 0, count: this.#page, ...question };
    const answered = (result) => {
      this.question = question;
      this.#replace(String(result["html"]), 0);
      then({ matching: Number(result["matching"]), all: Number(result["all"]) });
    };
    const refused = () => {
      this.asked = this.question;
      this.#busy(false);
    };
    this.#cell.kernel.ask("page", "page", details, answered, refused);
  }
  /** Fetch the turns before or after those in the page, for a button that was pressed. */
  more(control, then = () => void 0) {
    const first = numberOf(control.dataset["first"], 0);
    const count = numberOf(control.dataset["count"], this.#page);
    this.#busy(true);
    const answered = (result) => {
      const fragment = parsed(String(result["html"]));
      const lines = fragment.querySelector(".turns");
      const wanted = document.createDocumentFragment();
      wanted.append(...lines?.children ?? [], ...[...fragment.children].filter((child) => child.matches(".more")));
      const strip = this.#lines();
      keepFocus(this.#cell.root, () => {
        if (control.dataset["edge"] === "before") strip?.precede(wanted, first);
        else then(strip?.extend(wanted) ?? null);
      });
      this.#busy(false);
      this.#changed();
    };
    this.#cell.kernel.ask("page", "page", { first, count, ...this.question }, answered, () => this.#busy(false));
  }
  /** Fetch the steps before or after those in the page, for a button that was pressed. */
  moreSteps(control) {
    const { turn = "", agent = "", edge } = control.dataset;
    const box = control.closest(".steps");
    if (box === null) return;
    const first = numberOf(control.dataset["first"], 0);
    const count = numberOf(control.dataset["count"], STEPS);
    this.#cell.kernel.ask(`steps:${turn}:${agent}`, "turn", { turn_id: turn, agent, first, count }, (result) => {
      const strip = stepsOf(box, turn, agent);
      const fragment = parsed(String(result["html"]));
      keepFocus(this.#cell.root, () => {
        if (edge === "before") strip.precede(fragment, first);
        else strip.extend(fragment);
      });
      this.#changed();
    });
  }
  /** Unfold a turn, with its steps from the kernel when they are not here. */
  load(turn, then = () => void 0) {
    const id = turn.dataset["turn"] ?? "";
    if (turn.querySelector(":scope > .steps") !== null || id === "") {
      then();
      return;
    }
    const waiting = this.#loading.get(id);
    if (waiting !== void 0) {
      waiting.push(then);
      return;
    }
    const wanted = [then];
    this.#loading.set(id, wanted);
    turn.setAttribute("aria-busy", "true");
    const over = () => {
      this.#loading.delete(id);
      turn.removeAttribute("aria-busy");
    };
    const answered = (result) => {
      over();
      const steps = make("div", { class: "steps", "data-turn": id });
      setHtml(steps, String(result["html"]));
      turn.querySelector(":scope > .steps")?.remove();
      turn.append(steps);
      this.#forget(turn);
      this.#changed();
      for (const each of wanted) each();
    };
    this.#cell.kernel.ask(`turn:${id}`, "turn", { turn_id: id, agent: "", first: 0, count: STEPS }, answered, over);
  }
  /** Bring a call into the page that is not there; all turns are shown again when the present ones leave its turn out. */
  reveal(id, then, showAll) {
    const here = this.find(id);
    if (here !== null) {
      then(here);
      return;
    }
    this.#cell.kernel.ask("reveal", "reveal", { call_id: id, count: this.#page, steps: STEPS }, (result) => {
      const turnId = String(result["turn_id"]);
      if (withData(this.#cell.view, "turn", turnId, "details.turn").length === 0) {
        this.question = this.asked = { find: "", filter: "all" };
        this.#replace(String(result["html"]), Number(result["first"]));
        showAll({ matching: Number(result["all"]), all: Number(result["all"]) });
      }
      const turn = withData(this.#cell.view, "turn", turnId, "details.turn")[0];
      if (turn === void 0) return;
      if (id !== turnId) this.#showLevels(turn, turnId, result["levels"]);
      this.#changed();
      then(this.find(id) ?? turn);
    });
  }
  /** The element of a turn or call that is in the page. */
  find(id) {
    const { view } = this.#cell;
    const items = [...withData(view, "turn", id, "details.turn"), ...withData(view, "call", id, "details.call, details.agent")];
    return items[0] ?? withData(view, "call", id, ".repeat, .step")[0] ?? null;
  }
  /** Show a turn's line anew, with what people said since. */
  renew(html) {
    const fresh = parsed(html).querySelector("details.turn");
    const shown = fresh === null ? [] : withData(this.#cell.view, "turn", fresh.dataset["turn"] ?? "", "details.turn");
    const line = fresh?.querySelector(":scope > summary > .line");
    if (line && shown[0] !== void 0) shown[0].querySelector(":scope > summary > .line")?.replaceWith(line);
  }
  /** Show anew what has come to turns that run: their lines, the steps of those that are unfolded, and turns that were sent since. */
  grow(html, ids) {
    const fresh = all(parsed(html), "details.turn");
    for (const [at, id] of ids.entries()) {
      const shown = withData(this.#cell.view, "turn", id, "details.turn")[0];
      const line = fresh[at];
      if (shown === void 0 && line !== void 0) this.#append(line);
      else if (shown !== void 0) this.#refresh(shown, id, line?.querySelector(":scope > summary > .line"));
    }
    this.#changed();
  }
  /** Unfold every turn of the page, or fold them all when they are unfolded. */
  unfoldAll() {
    const turns = all(this.#cell.view, "details.turn");
    const open = turns.some((turn) => !turn.open);
    for (const turn of turns) turn.open = open;
  }
  /** A turn that was sent since stands at the end, where the end is in the page and nothing was asked. */
  #append(turn) {
    const { find, filter } = this.asked;
    const lines = this.#cell.view.querySelector(":scope > .turns");
    const more = this.#cell.view.querySelector(":scope > .more:not([data-edge=before]) [data-action=more-turns]");
    if (lines !== null && find === "" && filter === "all" && more === null) lines.append(turn);
  }
  #refresh(turn, id, line) {
    if (line) turn.querySelector(":scope > summary > .line")?.replaceWith(line);
    const steps = turn.querySelector(":scope > .steps");
    if (steps === null || steps.querySelector(":scope > [data-edge=before]") !== null) return;
    this.#cell.kernel.ask(`grow:${id}`, "turn", { turn_id: id, agent: "", first: 0, count: STEPS }, (result) => {
      grow(steps, String(result["html"]));
      this.#changed();
    });
  }
  #toggled(target) {
    if (target.matches("details.turn") && target.open) this.load(target);
  }
  /** Put the steps that lead to a call into its turn, and into the sub-agents on the way. */
  #showLevels(turn, turnId, levels) {
    for (const { agent, first, html } of levels) {
      const owner = agent === "" ? turn : withData(turn, "call", agent, "details.agent")[0];
      if (owner === void 0) return;
      owner.querySelector(":scope > .steps")?.remove();
      const steps = make("div", { class: "steps", "data-turn": turnId });
      setHtml(steps, html);
      owner.append(steps);
      stepsOf(steps, turnId, agent).begin(first);
    }
  }
  #replace(html, first) {
    const fragment = parsed(html);
    keepFocus(this.#cell.root, () => {
      for (const gone of all(this.#cell.view, ":scope > .turns, :scope > .more")) gone.remove();
      this.#cell.view.append(...[...fragment.children].filter((child) => child.matches(".turns, .more")));
    });
    this.#lines()?.begin(first);
    this.#busy(false);
    this.#changed();
  }
  /** Keep what is unfolded and what was unfolded last; the steps of other turns are fetched again when they are wanted. */
  #forget(latest) {
    const folded = all(this.#cell.view, "details.turn:not([open]) > .steps");
    const loaded = all(this.#cell.view, "details.turn > .steps").length;
    for (const steps of folded.slice(0, Math.max(0, loaded - LOADED_KEPT))) if (steps.parentElement !== latest) steps.remove();
  }
  #lines() {
    const box = this.#cell.view.querySelector(":scope > .turns");
    const shape = { item: "details.turn", action: "more-turns", data: {}, page: this.#page, most: PAGES_KEPT * this.#page };
    return box === null ? null : new Strip({ ...shape, box, beside: box });
  }
  #busy(busy) {
    this.#cell.view.querySelector(":scope > .turns")?.setAttribute("aria-busy", String(busy));
  }
};
function stepsOf(box, turn, agent) {
  const data = { "data-turn": turn, ...agent === "" ? {} : { "data-agent": agent } };
  return new Strip({ box, item: ".step", beside: null, action: "more-steps", data, page: STEPS, most: STEPS_KEPT });
}

// src/transcript.ts
var ITEMS = "details.turn, details.call, details.agent";
var RATED = `${ITEMS}, .step, .repeat`;
var PAUSE = 250;
var Transcript = class {
  #cell;
  #marks = new Marks();
  #turns;
  #selection;
  #ratings;
  #keys;
  #typing = 0;
  constructor(cell) {
    this.#cell = cell;
    this.#turns = new Turns(cell, () => this.#changed());
    this.#selection = new Selection(cell, { items: ITEMS, reveal: (id) => this.#reveal(id) });
    this.#ratings = new Ratings(cell, (id) => placeFor(this.#turns.find(id)), () => this.#selection.focus());
    cell.kernel.on("line", ({ html }) => this.#turns.renew(String(html)));
    this.#keys = [...this.#readingKeys(), ...this.#ratings.allowed ? this.#judgingKeys() : []];
    takeKeys(cell.root, this.#keys, () => this.#escape(), cell.signal);
    takePictures(cell);
    takeClicks(cell, this.#actions(), (clicked) => this.#clicked(clicked));
    cell.root.addEventListener("input", (event) => this.#typed(event.target), { signal: cell.signal });
    cell.root.addEventListener("keydown", (event) => event.key === "Enter" && event.target === this.#field && this.#toFirst(), { signal: cell.signal });
    cell.signal.addEventListener("abort", () => this.#marks.clear(), { once: true });
    if (cell.model.get("_follows") === true) {
      cell.kernel.on("grew", ({ html, turns }) => this.#turns.grow(String(html), turns));
      stayInSight(cell);
    }
    this.#changed();
    this.#selection.follow();
  }
  #actions() {
    return {
      find: () => void 0,
      filter: () => this.#errorsOnly(),
      unfold: () => this.#turns.unfoldAll(),
      "more-turns": (control) => this.#turns.more(control),
      "more-steps": (control) => this.#turns.moreSteps(control),
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
      { keys: ["Enter", " "], label: "enter", does: "unfold or fold", run: () => this.#fold() },
      { keys: ["m", ">"], label: "m >", does: "next page", run: () => this.#nextPage() },
      { keys: ["/"], label: "/", does: "find", run: () => this.#field?.focus() },
      { keys: ["e"], label: "e", does: "only turns with errors", run: () => this.#errorsOnly() },
      { keys: ["?"], label: "?", does: "these keys", run: () => this.#help() }
    ];
  }
  #judgingKeys() {
    const rate = (verdict) => this.#opened((id) => this.#ratings.rate(id, verdict));
    return judging(rate, (what) => this.#opened((id) => this.#ratings.write(id, what)));
  }
  get #field() {
    return this.#cell.view.querySelector("input[data-action=find]");
  }
  /** After HTML came in. */
  #changed() {
    if (!this.#ratings.allowed) withoutControls(this.#cell.view);
    this.#marks.show(all(this.#cell.view, ".turns"), this.#turns.question.find);
    this.#selection.rove();
  }
  #reveal(id) {
    const found = (item) => {
      if (item instanceof HTMLDetailsElement) item.open = true;
      this.#selection.pick(item, { scroll: true });
    };
    this.#turns.reveal(id, found, (counts) => this.#showCounts(counts));
  }
  #typed(target) {
    if (!target.matches("input[data-action=find]")) return;
    window.clearTimeout(this.#typing);
    this.#typing = window.setTimeout(() => this.#ask({}), PAUSE);
  }
  #clicked(target) {
    const item = target.closest(RATED);
    if (item !== null && target.closest(".aside") === null) this.#selection.pick(item);
  }
  /** From the find box to the first turn that was found. */
  #toFirst() {
    window.clearTimeout(this.#typing);
    this.#ask({}, () => this.#selection.move(-Infinity));
  }
  #ask(change, then = () => void 0) {
    const question = { find: this.#field?.value.trim() ?? "", filter: this.#turns.asked.filter, ...change };
    this.#turns.ask(question, (counts) => {
      this.#showCounts(counts);
      then();
    });
  }
  #showCounts({ matching, all: every }) {
    const { find, filter } = this.#turns.question;
    const field = this.#field;
    if (field !== null && document.activeElement !== field) field.value = find;
    const errors = this.#cell.view.querySelector("button[data-action=filter]");
    errors?.setAttribute("aria-pressed", String(filter === "errors"));
    let count = this.#cell.view.querySelector("[data-part=count]");
    if (count === null) {
      count = make("span", { class: "dim num", "data-part": "count", role: "status" });
      (field ?? errors)?.before(count);
    }
    count.textContent = find === "" && filter === "all" ? "" : `${matching.toLocaleString("en-US")} of ${every.toLocaleString("en-US")} turns`;
  }
  /** Open the selected item and run something with its id once its content is here. */
  #opened(then) {
    const item = this.#selection.current;
    if (item === null) return;
    if (item.matches("details.turn")) this.#turns.load(item, () => then(idOf(item)));
    if (item instanceof HTMLDetailsElement) item.open = true;
    if (!item.matches("details.turn")) then(idOf(item));
  }
  #into() {
    const item = this.#selection.current;
    if (item instanceof HTMLDetailsElement && !item.open) item.open = true;
    else this.#selection.move(1);
  }
  #outOf() {
    const item = this.#selection.current;
    const around = item?.parentElement?.closest(ITEMS);
    if (item instanceof HTMLDetailsElement && item.open) item.open = false;
    else if (around) this.#selection.pick(around, { focus: true });
  }
  #fold() {
    const item = this.#selection.current;
    if (item instanceof HTMLDetailsElement) item.open = !item.open;
  }
  #nextPage() {
    const next = this.#cell.view.querySelector(":scope > .more:not([data-edge=before]) [data-action=more-turns]");
    if (next !== null) this.#turns.more(next, (first) => first && this.#selection.pick(first, { focus: true }));
  }
  #errorsOnly() {
    this.#ask({ filter: this.#turns.asked.filter === "errors" ? "all" : "errors" });
  }
  #help() {
    toggleHelp(this.#cell.notices.box, this.#keys);
  }
  /** Leave the find box, else close the form, else the keys; the focus goes back to the selected item. */
  #escape() {
    const field = this.#field;
    if (field !== null && document.activeElement === field && field.value !== "") {
      field.value = "";
      this.#ask({});
    } else if (!this.#ratings.close() && this.#cell.notices.box.querySelector(".help") !== null) this.#help();
    this.#selection.focus();
  }
};
function placeFor(item) {
  return item instanceof HTMLDetailsElement ? item.querySelector(":scope > .body, :scope > .steps") : item;
}
function render(props) {
  const cell = openCell(props, "transcript");
  new Transcript(cell);
  return cell.close;
}
var transcript_default = { render };
export {
  transcript_default as default
};
