// THE CALL TREE: who called what, how long, what failed; and the selected call below it.

import { type Cell, keepFocus, openCell, takeClicks } from "./cell.ts";
import { all, make, numberOf, parsed, setHtml, withData } from "./dom.ts";
import { judging, type Key, moving, takeKeys, toggleHelp } from "./keys.ts";
import type { Result } from "./kernel.ts";
import type { RenderProps } from "./model.ts";
import { takePictures } from "./pictures.ts";
import { idAt, Ratings, withoutControls } from "./rating.ts";
import { idOf, Selection } from "./selection.ts";
import { stayInSight } from "./sight.ts";
import { Strip } from "./strip.ts";

const ROWS = "tr[data-call]";
const PAGES_KEPT = 4;

class CallTree {
  readonly #cell: Cell;
  readonly #selection: Selection;
  readonly #ratings: Ratings;
  readonly #keys: Key[];
  readonly #page: number;
  readonly #folded = new Set<string>();
  readonly #order = { only_failed: false, by_time: false };
  #detailHtml = "";
  readonly #detail = make("div", { class: "detail", "data-part": "detail" });

  constructor(cell: Cell) {
    this.#cell = cell;
    this.#page = Number(cell.model.get("_page")) || 50;
    cell.view.after(this.#detail);
    this.#selection = new Selection(cell, { items: ROWS, reveal: (id) => this.#reveal(id), picked: () => this.#showDetail() });
    this.#ratings = new Ratings(cell, () => this.#detail.querySelector<HTMLElement>(".body") ?? this.#detail, () => this.#selection.focus());
    this.#keys = [...this.#readingKeys(), ...(this.#ratings.allowed ? this.#judgingKeys() : [])];
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

  #actions(): Record<string, (control: HTMLElement) => void> {
    return {
      toggle: (control) => this.#toggle(control.closest<HTMLElement>(ROWS)),
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
      help: () => this.#help(),
    };
  }

  #readingKeys(): Key[] {
    return [
      ...moving(this.#selection),
      { keys: ["ArrowRight"], label: "→", does: "unfold, then go in", run: () => this.#into() },
      { keys: ["ArrowLeft"], label: "←", does: "fold, then go out", run: () => this.#outOf() },
      { keys: ["Enter", " "], label: "enter", does: "unfold or fold", run: () => this.#toggle(this.#selection.current) },
      { keys: ["m", ">"], label: "m >", does: "next page", run: () => this.#nextPage() },
      { keys: ["e"], label: "e", does: "only failed", run: () => this.#flip("only_failed") },
      { keys: ["t"], label: "t", does: "by time", run: () => this.#flip("by_time") },
      { keys: ["?"], label: "?", does: "these keys", run: () => this.#help() },
    ];
  }

  #judgingKeys(): Key[] {
    return judging(
      (verdict) => this.#ratings.rate(this.#target, verdict),
      (what) => this.#ratings.write(this.#target, what),
    );
  }

  get #target(): string {
    return this.#selection.current === null ? "" : idOf(this.#selection.current);
  }

  get #question(): Result {
    return { ...this.#order, collapsed: [...this.#folded] };
  }

  get #strip(): Strip | null {
    const box = this.#cell.view.querySelector<HTMLElement>("tbody");
    const beside = this.#cell.view.querySelector<HTMLElement>("table.tree");
    const shape = { item: ROWS, action: "more-rows", data: {}, page: this.#page, most: PAGES_KEPT * this.#page };
    return box === null || beside === null ? null : new Strip({ ...shape, box, beside });
  }

  /** Show the rows again, and the selected call where it has changed, without moving what is being read. */
  #grow(): void {
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
  #ask(first: number, focus: boolean): void {
    const { view, kernel } = this.#cell;
    view.setAttribute("aria-busy", "true");
    const request = { first, count: this.#page, ...this.#question };
    const refused = (): void => view.removeAttribute("aria-busy");
    kernel.ask("rows", "rows", request, (result) => this.#replace(result, focus), refused);
  }

  #replace(result: Result, focus: boolean): void {
    const { root, view } = this.#cell;
    view.removeAttribute("aria-busy");
    keepFocus(root, () => setHtml(view, String(result["html"])));
    this.#strip?.begin(Number(result["first"]));
    const row = this.#row(this.#selection.id);
    if (row !== undefined) this.#selection.pick(row, { focus });
    else this.#selection.forget(focus);
  }

  #more(control: HTMLElement, then: (first: HTMLElement | null) => void = () => undefined): void {
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

  #reveal(id: string): void {
    const here = this.#row(id);
    if (here !== undefined) {
      this.#selection.pick(here, { scroll: true });
      return;
    }
    this.#cell.kernel.ask("rows", "reveal", { call_id: id, count: this.#page, ...this.#question }, (result) => {
      this.#order.only_failed = result["only_failed"] === true;
      this.#folded.clear();
      for (const each of result["collapsed"] as string[]) this.#folded.add(each);
      this.#replace(result, false);
      const row = this.#row(id);
      if (row !== undefined) this.#selection.pick(row, { scroll: true });
    });
  }

  /** Show the selected call below the tree. */
  #showDetail(): void {
    const id = this.#target;
    if (this.#detail.dataset["call"] === id) return;
    this.#detail.dataset["call"] = id;
    const refused = (): void => this.#detail.removeAttribute("data-call");
    this.#cell.kernel.ask("detail", "call", { call_id: id }, (result) => this.#fillDetail(String(result["html"])), refused);
  }

  #fillDetail(html: string): void {
    this.#detailHtml = html;
    setHtml(this.#detail, html);
    for (const call of all<HTMLDetailsElement>(this.#detail, ":scope > details")) call.open = true;
    if (!this.#ratings.allowed) withoutControls(this.#detail);
    // What comes below takes room from the rows.
    this.#selection.current?.scrollIntoView({ block: "nearest" });
  }

  #clicked(target: HTMLElement): void {
    const row = target.closest<HTMLElement>(ROWS);
    if (row !== null) this.#selection.pick(row, { focus: true });
  }

  /** Fold or unfold a row that holds calls; `fold` leaves one alone that is folded already. */
  #toggle(row: HTMLElement | null): void {
    if (row === null || !row.hasAttribute("aria-expanded")) return;
    this.#selection.pick(row, { focus: true });
    if (row.getAttribute("aria-expanded") === "true") this.#folded.add(idOf(row));
    else this.#folded.delete(idOf(row));
    this.#ask(this.#strip?.first ?? 0, true);
  }

  #into(): void {
    const row = this.#selection.current;
    if (row?.getAttribute("aria-expanded") === "false") this.#toggle(row);
    else this.#selection.move(1);
  }

  #outOf(): void {
    const row = this.#selection.current;
    if (row?.getAttribute("aria-expanded") === "true") this.#toggle(row);
    else if (row !== null) this.#toCaller(row);
  }

  #toCaller(row: HTMLElement): void {
    const rows = all(this.#cell.view, ROWS);
    const before = rows.slice(0, rows.indexOf(row)).reverse();
    const caller = before.find((each) => levelOf(each) < levelOf(row));
    if (caller !== undefined) this.#selection.pick(caller, { focus: true });
  }

  #nextPage(): void {
    const next = this.#cell.view.querySelector<HTMLElement>(".more:not([data-edge=before]) [data-action=more-rows]");
    if (next !== null) this.#more(next, (first) => first && this.#selection.pick(first, { focus: true }));
  }

  #flip(name: "only_failed" | "by_time"): void {
    this.#order[name] = !this.#order[name];
    this.#ask(0, document.activeElement?.matches(ROWS) === true);
  }

  #help(): void {
    toggleHelp(this.#cell.notices.box, this.#keys);
  }

  #escape(): void {
    if (!this.#ratings.close() && this.#cell.notices.box.querySelector(".help") !== null) this.#help();
    this.#selection.focus();
  }

  #row(id: string): HTMLElement | undefined {
    return withData(this.#cell.view, "call", id, ROWS)[0];
  }
}

function levelOf(row: HTMLElement): number {
  return numberOf(row.getAttribute("aria-level") ?? undefined, 1);
}

function render(props: RenderProps): () => void {
  const cell = openCell(props, "tree");
  new CallTree(cell);
  return cell.close;
}

export default { render };
