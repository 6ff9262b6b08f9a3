// THE SELECTED CALL: one at a time, with the focus, in step with the trait `selected`.

import { all } from "./dom.ts";
import type { Cell } from "./cell.ts";
import { listen, text } from "./model.ts";

interface Parts {
  /** What the keyboard moves over. */
  items: string;
  /** Look for an id that is not in the page. */
  reveal: (id: string) => void;
  /** After a call was selected here. */
  picked?: (item: HTMLElement) => void;
}

export class Selection {
  current: HTMLElement | null = null;
  readonly #cell: Cell;
  readonly #parts: Parts;

  constructor(cell: Cell, parts: Parts) {
    this.#cell = cell;
    this.#parts = parts;
    listen(cell.model, "change:selected", () => this.follow(), cell.signal);
  }

  get id(): string {
    return text(this.#cell.model, "selected");
  }

  /** Go where the trait points, after Python, another view or a new page changed something. */
  follow(): void {
    if (this.id === "") this.#mark(null);
    else if (this.current === null || idOf(this.current) !== this.id || !this.current.isConnected) this.#parts.reveal(this.id);
  }

  /** Select an item: mark it, unfold what hides it, and tell the model. */
  pick(item: HTMLElement, how: { focus?: boolean; scroll?: boolean } = {}): void {
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
  forget(focus: boolean): void {
    this.current = null;
    this.rove();
    if (focus) this.focus();
  }

  /** Move over what is shown: 1 to the next, -1 to the one before, Infinity to the last. */
  move(by: number): void {
    const items = this.items();
    if (items.length === 0) return;
    const here = this.#here();
    const from = here === undefined ? (by > 0 ? -1 : 0) : place(items, here, by);
    const next = items[Math.min(Math.max(from + by, 0), items.length - 1)];
    if (next !== undefined) this.pick(next, { focus: true });
  }

  /** Give the focus back to the selected item. */
  focus(): void {
    const item = this.#here() ?? this.items()[0];
    (item === undefined ? this.#cell.root : handleOf(item)).focus({ preventScroll: true });
  }

  /** What is shown and can be selected, in order. */
  items(): HTMLElement[] {
    return all(this.#cell.view, this.#parts.items).filter((item) => item.parentElement?.closest("details:not([open])") === null);
  }

  /** One stop for the Tab key: the current item, else the first. Called after new HTML came in. */
  rove(): void {
    const items = all(this.#cell.view, this.#parts.items);
    const stop = this.current !== null && items.includes(this.current) ? this.current : items[0];
    for (const item of items) handleOf(item).tabIndex = item === stop ? 0 : -1;
  }

  /** The selected item, else the one that has the focus. */
  #here(): HTMLElement | undefined {
    if (this.current !== null && this.current.isConnected) return this.current;
    return document.activeElement?.closest<HTMLElement>(this.#parts.items) ?? undefined;
  }

  #mark(item: HTMLElement | null): void {
    for (const marked of all(this.#cell.view, "[aria-selected=true]")) {
      marked.setAttribute("aria-selected", "false");
      marked.classList.remove("sel");
    }
    item?.setAttribute("aria-selected", "true");
    this.current = item;
    this.rove();
    if (item !== null) handleOf(item).tabIndex = 0;
  }
}

export function idOf(item: HTMLElement): string {
  return item.dataset["call"] ?? item.dataset["turn"] ?? "";
}

/** What takes the focus: the summary of what folds, else the item itself. */
export function handleOf(item: HTMLElement): HTMLElement {
  return item.querySelector<HTMLElement>(":scope > summary") ?? item;
}

function unfoldAround(item: HTMLElement): void {
  for (let around = item.parentElement?.closest("details"); around; around = around.parentElement?.closest("details")) around.open = true;
}

function place(items: HTMLElement[], current: HTMLElement, by: number): number {
  const at = items.indexOf(current);
  if (at >= 0) return at;
  const after = items.findIndex((item) => current.compareDocumentPosition(item) & Node.DOCUMENT_POSITION_FOLLOWING);
  const next = after < 0 ? items.length : after;
  return by > 0 ? next - 1 : next;
}
