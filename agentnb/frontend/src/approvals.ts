// QUESTIONS THAT WAIT FOR A PERSON: each approved or denied by a click or a key, by name; what others answer disappears.

import { type Cell, openCell, takeClicks } from "./cell.ts";
import { all, button, make, numberOf, parsed, plural } from "./dom.ts";
import { type Key, takeKeys, toggleHelp } from "./keys.ts";
import type { RenderProps } from "./model.ts";
import { stayInSight } from "./sight.ts";

const SECOND = 1_000;

type Verdict = "yes" | "no";

interface News {
  head: string;
  questions: { key: string; html: string }[];
  more: number;
  said: string[];
}

interface Form {
  name: string;
  label: string;
  save: string;
  /** Whether it may be sent without words. */
  empty: boolean;
  send: (words: string) => void;
}

class Approvals {
  readonly #cell: Cell;
  readonly #list = make("div", { class: "questions", role: "list" });
  readonly #more = make("div", { class: "more" });
  readonly #said = make("div", { class: "said-so dim", role: "status" });
  readonly #shown = new Map<string, HTMLElement>();
  readonly #keys: Key[];
  #current = "";

  constructor(cell: Cell) {
    this.#cell = cell;
    cell.view.append(this.#list, this.#more, this.#said);
    cell.kernel.on("questions", (news) => this.#show(news as unknown as News));
    cell.kernel.on("notice", ({ message }) => cell.notices.show("store", "info", String(message)));
    this.#keys = this.#table();
    takeKeys(cell.root, this.#keys, () => this.#escape(), cell.signal);
    takeClicks(cell, this.#actions(), (clicked) => this.#pick(clicked.closest<HTMLElement>(".question")));
    cell.root.addEventListener("submit", (event) => event.preventDefault(), { signal: cell.signal });
    this.#list.addEventListener("focusin", (event) => this.#pick((event.target as HTMLElement).closest<HTMLElement>(".question")), { signal: cell.signal });
    stayInSight(cell, (news) => this.#show(news as unknown as News));
    const tick = window.setInterval(() => this.#tick(), SECOND);
    cell.signal.addEventListener("abort", () => window.clearInterval(tick), { once: true });
  }

  #table(): Key[] {
    return [
      { keys: ["j", "ArrowDown"], label: "j ↓", does: "next", run: () => this.#move(1) },
      { keys: ["k", "ArrowUp"], label: "k ↑", does: "previous", run: () => this.#move(-1) },
      { keys: ["a"], label: "a", does: "approve", run: (event) => event.repeat || this.#approve() },
      { keys: ["d"], label: "d", does: "deny, with a reason", run: (event) => event.repeat || this.#deny() },
      { keys: ["w"], label: "w", does: "approve, with words", run: () => this.#say() },
      { keys: ["Enter", " "], label: "enter", does: "unfold or fold", run: () => this.#fold() },
      { keys: ["n"], label: "n", does: "answer as somebody else", run: () => this.#askName() },
      { keys: ["?"], label: "?", does: "these keys", run: () => toggleHelp(this.#cell.notices.box, this.#keys) },
    ];
  }

  #actions(): Record<string, (control: HTMLElement) => void> {
    const here = (then: () => void) => (control: HTMLElement): void => {
      this.#pick(control.closest<HTMLElement>(".question"));
      then();
    };
    return {
      approve: here(() => this.#approve()),
      say: here(() => this.#say()),
      deny: here(() => this.#deny()),
      whole: here(() => this.#whole()),
      more: () => this.#cell.kernel.ask("more", "more", {}, (news) => this.#show(news as unknown as News)),
      cancel: () => this.#escape(),
      help: () => toggleHelp(this.#cell.notices.box, this.#keys),
      dismiss: (control) => {
        this.#cell.notices.drop(control.dataset["notice"] ?? "");
        this.#focus();
      },
    };
  }

  /** Bring the list up to date: what stays is not touched, so that nothing that is being read or typed moves. */
  #show(news: News): void {
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
      const item = parsed(html).firstElementChild as HTMLElement;
      this.#shown.set(key, item);
      this.#list.append(item);
    }
    if (this.#current !== "" && !this.#shown.has(this.#current)) this.#current = [...this.#shown.keys()][Math.min(Math.max(place, 0), this.#shown.size - 1)] ?? "";
    this.#mark();
    if (focused && !this.#list.contains(document.activeElement)) this.#focus();
    const rest = news.more > 0 ? [plural(news.more, "more question"), " ", button("more", "show more"), " "] : [];
    this.#more.replaceChildren(...(this.#shown.size > 0 ? [...rest, ...hints()] : ["Questions appear here by themselves."]));
    this.#said.replaceChildren(...news.said.map((line) => make("div", {}, line)));
    this.#tick();
  }

  #tick(): void {
    for (const each of all(this.#list, "[data-since]")) {
      const since = Date.parse(each.dataset["since"] ?? "");
      const text = Number.isNaN(since) ? "waiting" : `waiting ${duration((Date.now() - since) / SECOND)}`;
      if (each.textContent !== text) each.textContent = text;
    }
  }

  get #item(): HTMLElement | null {
    return this.#shown.get(this.#current) ?? null;
  }

  #pick(item: HTMLElement | null): void {
    const key = item?.dataset["question"];
    if (key === undefined || key === this.#current) return;
    this.#current = key;
    this.#mark();
  }

  #mark(): void {
    const stop = this.#item ?? this.#list.firstElementChild;
    for (const item of all(this.#list, ".question")) {
      item.tabIndex = item === stop ? 0 : -1;
      if (item === this.#item) item.setAttribute("aria-current", "true");
      else item.removeAttribute("aria-current");
    }
  }

  #focus(): void {
    (this.#item ?? this.#list.querySelector<HTMLElement>(".question") ?? this.#cell.root).focus({ preventScroll: true });
  }

  #move(by: number): void {
    const items = all(this.#list, ".question");
    const at = this.#item === null ? (by > 0 ? -1 : 0) : items.indexOf(this.#item);
    const next = items[Math.min(Math.max(at + by, 0), items.length - 1)];
    if (next === undefined) return;
    this.#pick(next);
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  }

  #fold(): void {
    const folded = this.#item?.querySelector("details");
    if (folded) folded.open = !folded.open;
  }

  #approve(): void {
    if (this.#item?.querySelector("[data-action=say]") !== null) this.#say();
    else this.#answer(this.#current, "yes", "");
  }

  #say(): void {
    const key = this.#current;
    this.#open({ name: "say", label: "What the tool is told", save: "approve", empty: true, send: (words) => this.#answer(key, "yes", words) });
  }

  #deny(): void {
    const key = this.#current;
    this.#open({ name: "deny", label: "Why not? The model is told so", save: "deny", empty: true, send: (words) => this.#answer(key, "no", words) });
  }

  #askName(then: (name: string) => void = () => undefined): void {
    const label = "Your name: it is recorded with each answer";
    this.#open({ name: "name", label, save: "go on", empty: false, send: (name) => (then(name), this.#close()) });
  }

  #whole(): void {
    const item = this.#item;
    this.#cell.kernel.ask("whole", "whole", { question: this.#current }, ({ html }) => {
      const shown = item?.querySelector(".arguments") ?? item?.querySelector(".asked");
      for (const old of all(shown ?? this.#list, ":scope > pre, :scope > [data-action=whole]")) old.remove();
      shown?.querySelector(":scope > summary, :scope > .line")?.after(parsed(String(html)));
    });
  }

  #answer(key: string, verdict: Verdict, reason: string, by: string | null = null): void {
    const item = this.#shown.get(key);
    if (item === undefined || item.getAttribute("aria-busy") === "true") return;
    item.setAttribute("aria-busy", "true");
    const free = (): void => item.removeAttribute("aria-busy");
    const kept = (result: Record<string, unknown>): void => {
      free();
      if (result["need"] === "name") this.#askName((name) => this.#answer(key, verdict, reason, name));
      else this.#close();
    };
    this.#cell.kernel.ask(`answer:${key}`, "answer", { question: key, verdict, reason, by }, kept, free);
  }

  #open({ name, label, save, empty, send }: Form): void {
    this.#close();
    const item = this.#item ?? this.#list.querySelector<HTMLElement>(".question");
    if (item === null) return;
    const field = make("input", { type: "text", name, autocomplete: "off", required: !empty }) as HTMLInputElement;
    const form = make(
      "form",
      { class: "form", "data-form": name },
      make("label", {}, make("span", { class: "dim" }, label), field),
      make("button", { type: "submit" }, save),
      button("cancel", "cancel"),
    );
    form.addEventListener("submit", () => (empty || field.value.trim() !== "") && send(field.value.trim()), { signal: this.#cell.signal });
    item.append(form);
    field.focus();
  }

  #close(): boolean {
    const forms = all(this.#cell.root, "form.form");
    const focused = forms.some((form) => form.contains(document.activeElement));
    for (const form of forms) form.remove();
    if (focused) this.#focus();
    return forms.length > 0;
  }

  #escape(): void {
    if (!this.#close() && this.#cell.notices.box.querySelector(".help") !== null) toggleHelp(this.#cell.notices.box, this.#keys);
    this.#focus();
  }
}

/** Which keys there are, in the words of the table. */
function hints(): (Node | string)[] {
  const named = [["j k", "move"], ["a", "approve"], ["d", "deny"], ["?", "all keys"]] as const;
  const words = named.flatMap(([keys, does]) => [...keys.split(" ").map((key) => make("kbd", {}, key)), ` ${does} `]);
  return [make("span", { class: "keys" }, ...words)];
}

/** How long: seconds, then minutes, hours, days. */
function duration(seconds: number): string {
  const whole = Math.max(0, Math.floor(numberOf(String(seconds), 0)));
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} min`;
  return whole < 172_800 ? `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min` : `${Math.floor(whole / 86_400)} days`;
}

function render(props: RenderProps): () => void {
  const cell = openCell(props, "approvals");
  new Approvals(cell);
  return cell.close;
}

export default { render };
