// THE TRANSCRIPT: turns that unfold, text that is found, calls that are rated.

import { type Cell, openCell, takeClicks } from "./cell.ts";
import { all, make } from "./dom.ts";
import { Marks } from "./find.ts";
import { judging, type Key, moving, takeKeys, toggleHelp } from "./keys.ts";
import type { RenderProps } from "./model.ts";
import { takePictures } from "./pictures.ts";
import { idAt, Ratings, withoutControls } from "./rating.ts";
import { idOf, Selection } from "./selection.ts";
import { stayInSight } from "./sight.ts";
import { type Counts, type Question, Turns } from "./turns.ts";

const ITEMS = "details.turn, details.call, details.agent";
const RATED = `${ITEMS}, .step, .repeat`;
/** A pause in typing after which the kernel is asked. */
const PAUSE = 250;

class Transcript {
  readonly #cell: Cell;
  readonly #marks = new Marks();
  readonly #turns: Turns;
  readonly #selection: Selection;
  readonly #ratings: Ratings;
  readonly #keys: Key[];
  #typing = 0;

  constructor(cell: Cell) {
    this.#cell = cell;
    this.#turns = new Turns(cell, () => this.#changed());
    this.#selection = new Selection(cell, { items: ITEMS, reveal: (id) => this.#reveal(id) });
    this.#ratings = new Ratings(cell, (id) => placeFor(this.#turns.find(id)), () => this.#selection.focus());
    cell.kernel.on("line", ({ html }) => this.#turns.renew(String(html)));
    this.#keys = [...this.#readingKeys(), ...(this.#ratings.allowed ? this.#judgingKeys() : [])];
    takeKeys(cell.root, this.#keys, () => this.#escape(), cell.signal);
    takePictures(cell);
    takeClicks(cell, this.#actions(), (clicked) => this.#clicked(clicked));
    cell.root.addEventListener("input", (event) => this.#typed(event.target as HTMLElement), { signal: cell.signal });
    cell.root.addEventListener("keydown", (event) => event.key === "Enter" && event.target === this.#field && this.#toFirst(), { signal: cell.signal });
    cell.signal.addEventListener("abort", () => this.#marks.clear(), { once: true });
    if (cell.model.get("_follows") === true) {
      cell.kernel.on("grew", ({ html, turns }) => this.#turns.grow(String(html), turns as string[]));
      stayInSight(cell);
    }
    this.#changed();
    this.#selection.follow();
  }

  #actions(): Record<string, (control: HTMLElement) => void> {
    return {
      find: () => undefined,
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
      help: () => this.#help(),
    };
  }

  #readingKeys(): Key[] {
    return [
      ...moving(this.#selection),
      { keys: ["ArrowRight"], label: "→", does: "unfold, then go in", run: () => this.#into() },
      { keys: ["ArrowLeft"], label: "←", does: "fold, then go out", run: () => this.#outOf() },
      { keys: ["Enter", " "], label: "enter", does: "unfold or fold", run: () => this.#fold() },
      { keys: ["m", ">"], label: "m >", does: "next page", run: () => this.#nextPage() },
      { keys: ["/"], label: "/", does: "find", run: () => this.#field?.focus() },
      { keys: ["e"], label: "e", does: "only turns with errors", run: () => this.#errorsOnly() },
      { keys: ["?"], label: "?", does: "these keys", run: () => this.#help() },
    ];
  }

  #judgingKeys(): Key[] {
    const rate = (verdict: "right" | "wrong" | "withdraw"): void => this.#opened((id) => this.#ratings.rate(id, verdict));
    return judging(rate, (what) => this.#opened((id) => this.#ratings.write(id, what)));
  }

  get #field(): HTMLInputElement | null {
    return this.#cell.view.querySelector<HTMLInputElement>("input[data-action=find]");
  }

  /** After HTML came in. */
  #changed(): void {
    if (!this.#ratings.allowed) withoutControls(this.#cell.view);
    this.#marks.show(all(this.#cell.view, ".turns"), this.#turns.question.find);
    this.#selection.rove();
  }

  #reveal(id: string): void {
    const found = (item: HTMLElement): void => {
      if (item instanceof HTMLDetailsElement) item.open = true;
      this.#selection.pick(item, { scroll: true });
    };
    this.#turns.reveal(id, found, (counts) => this.#showCounts(counts));
  }

  #typed(target: HTMLElement): void {
    if (!target.matches("input[data-action=find]")) return;
    window.clearTimeout(this.#typing);
    this.#typing = window.setTimeout(() => this.#ask({}), PAUSE);
  }

  #clicked(target: HTMLElement): void {
    const item = target.closest<HTMLElement>(RATED);
    if (item !== null && target.closest(".aside") === null) this.#selection.pick(item);
  }

  /** From the find box to the first turn that was found. */
  #toFirst(): void {
    window.clearTimeout(this.#typing);
    this.#ask({}, () => this.#selection.move(-Infinity));
  }

  #ask(change: Partial<Question>, then: () => void = () => undefined): void {
    const question = { find: this.#field?.value.trim() ?? "", filter: this.#turns.asked.filter, ...change };
    this.#turns.ask(question, (counts) => {
      this.#showCounts(counts);
      then();
    });
  }

  #showCounts({ matching, all: every }: Counts): void {
    const { find, filter } = this.#turns.question;
    const field = this.#field;
    if (field !== null && document.activeElement !== field) field.value = find;
    const errors = this.#cell.view.querySelector("button[data-action=filter]");
    errors?.setAttribute("aria-pressed", String(filter === "errors"));
    let count = this.#cell.view.querySelector<HTMLElement>("[data-part=count]");
    if (count === null) {
      count = make("span", { class: "dim num", "data-part": "count", role: "status" });
      (field ?? errors)?.before(count);
    }
    count.textContent = find === "" && filter === "all" ? "" : `${matching.toLocaleString("en-US")} of ${every.toLocaleString("en-US")} turns`;
  }

  /** Open the selected item and run something with its id once its content is here. */
  #opened(then: (id: string) => void): void {
    const item = this.#selection.current;
    if (item === null) return;
    if (item.matches("details.turn")) this.#turns.load(item, () => then(idOf(item)));
    if (item instanceof HTMLDetailsElement) item.open = true;
    if (!item.matches("details.turn")) then(idOf(item));
  }

  #into(): void {
    const item = this.#selection.current;
    if (item instanceof HTMLDetailsElement && !item.open) item.open = true;
    else this.#selection.move(1);
  }

  #outOf(): void {
    const item = this.#selection.current;
    const around = item?.parentElement?.closest<HTMLElement>(ITEMS);
    if (item instanceof HTMLDetailsElement && item.open) item.open = false;
    else if (around) this.#selection.pick(around, { focus: true });
  }

  #fold(): void {
    const item = this.#selection.current;
    if (item instanceof HTMLDetailsElement) item.open = !item.open;
  }

  #nextPage(): void {
    const next = this.#cell.view.querySelector<HTMLElement>(":scope > .more:not([data-edge=before]) [data-action=more-turns]");
    if (next !== null) this.#turns.more(next, (first) => first && this.#selection.pick(first, { focus: true }));
  }

  #errorsOnly(): void {
    this.#ask({ filter: this.#turns.asked.filter === "errors" ? "all" : "errors" });
  }

  #help(): void {
    toggleHelp(this.#cell.notices.box, this.#keys);
  }

  /** Leave the find box, else close the form, else the keys; the focus goes back to the selected item. */
  #escape(): void {
    const field = this.#field;
    if (field !== null && document.activeElement === field && field.value !== "") {
      field.value = "";
      this.#ask({});
    } else if (!this.#ratings.close() && this.#cell.notices.box.querySelector(".help") !== null) this.#help();
    this.#selection.focus();
  }
}

/** Where a rating goes that has no line yet: into what was unfolded; what was never unfolded gets it from the kernel. */
function placeFor(item: HTMLElement | null): HTMLElement | null {
  return item instanceof HTMLDetailsElement ? item.querySelector<HTMLElement>(":scope > .body, :scope > .steps") : item;
}

function render(props: RenderProps): () => void {
  const cell = openCell(props, "transcript");
  new Transcript(cell);
  return cell.close;
}

export default { render };
