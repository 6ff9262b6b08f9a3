// A LONG LIST, A PIECE AT A TIME: what was read far behind leaves the page, and a button brings it back.

import { button, make, numberOf } from "./dom.ts";

export interface Shape {
  /** The element whose children the items are; it remembers the place of the first one in `data-from`. */
  box: HTMLElement;
  /** The items among its children. */
  item: string;
  /** What the rows "before" and "more" stand beside; null: inside the box, around the items. */
  beside: HTMLElement | null;
  /** The action of the buttons in these rows, and what else they carry. */
  action: string;
  data: Record<string, string>;
  /** How many items are fetched at once, and how many stay in the page. */
  page: number;
  most: number;
}

export class Strip {
  readonly #shape: Shape;

  constructor(shape: Shape) {
    this.#shape = shape;
  }

  /** The place of the first item that is in the page. */
  get first(): number {
    return numberOf(this.#shape.box.dataset["from"], 0);
  }

  /** Say where the items in the page begin, with a button for what is before. */
  begin(first: number): void {
    this.#shape.box.dataset["from"] = String(first);
    this.#row("before")?.remove();
    if (first <= 0) return;
    const from = Math.max(0, first - this.#shape.page);
    const row = this.#newRow("before", from, first - from);
    (this.#shape.beside ?? this.#items()[0])?.before(row);
  }

  /** Add what comes next, with its row "N more" if there is one; the far end gives way. Returns the first new item. */
  extend(fragment: DocumentFragment): HTMLElement | null {
    const fresh = [...fragment.children].find((child) => child.matches(this.#shape.item)) ?? null;
    const row = fragment.querySelector(":scope > .more") ?? [...fragment.children].find((child) => child.matches(".more")) ?? null;
    row?.remove();
    this.#row("after")?.remove();
    const last = this.#items().at(-1);
    if (last === undefined) this.#shape.box.append(fragment);
    else last.after(fragment);
    this.#putAfter(row);
    const extra = this.#items().length - this.#shape.most;
    if (extra > 0) this.#drop(this.#items()[0], this.#items()[extra]);
    this.begin(this.first + Math.max(0, extra));
    return fresh as HTMLElement | null;
  }

  /** Add what comes before, from place `first` on; the far end gives way. */
  precede(fragment: DocumentFragment, first: number): void {
    for (const row of [...fragment.children].filter((child) => child.matches(".more"))) row.remove();
    this.#row("before")?.remove();
    const next = this.#items()[0];
    if (next === undefined) this.#shape.box.append(fragment);
    else next.before(fragment);
    this.begin(first);
    const items = this.#items();
    if (items.length <= this.#shape.most) return;
    this.#row("after")?.remove();
    this.#drop(items[this.#shape.most], items.at(-1)?.nextElementSibling ?? undefined);
    this.#putAfter(this.#newRow("after", first + this.#shape.most, this.#shape.page));
  }

  #items(): Element[] {
    return [...this.#shape.box.children].filter((child) => child.matches(this.#shape.item));
  }

  #row(edge: "before" | "after"): Element | undefined {
    const { beside, box } = this.#shape;
    const rows = [...((beside === null ? box : beside.parentElement)?.children ?? [])].filter((child) => child.matches(".more"));
    return rows.find((row) => (row as HTMLElement).dataset["edge"] === "before" ? edge === "before" : edge === "after");
  }

  #putAfter(row: Element | null): void {
    if (row !== null) (this.#shape.beside ?? this.#items().at(-1))?.after(row);
  }

  /** Remove `from` and what follows it, up to `until`, which stays. */
  #drop(from: Element | undefined, until: Element | undefined): void {
    for (let gone = from; gone !== undefined && gone !== until; ) {
      const next = gone.nextElementSibling ?? undefined;
      gone.remove();
      gone = next;
    }
  }

  #newRow(edge: "before" | "after", first: number, count: number): HTMLElement {
    const { action, data } = this.#shape;
    const label = edge === "before" ? `the ${count} before` : `next ${count}`;
    return make("div", { class: "more", "data-edge": edge }, button(action, label, { ...data, "data-first": first, "data-count": count, "data-edge": edge }));
  }
}
