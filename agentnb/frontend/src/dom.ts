// ELEMENTS: how they are made, found, and filled with the kernel's HTML.

type Attributes = Record<string, string | number | boolean>;

/** Make an element; text goes in as text. */
export function make(tag: string, attributes: Attributes, ...children: (Node | string)[]): HTMLElement {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children);
  return made;
}

/** Make a button that asks for an action. */
export function button(action: string, label: string, data: Attributes = {}): HTMLElement {
  return make("button", { type: "button", "data-action": action, ...data }, label);
}

/**
 * Fill a node with HTML that the kernel rendered. The only place where HTML is parsed: agentnb/render escaped what was recorded, and everything
 * that is made here goes through `make`.
 */
export function setHtml(target: Element | DocumentFragment, html: string): void {
  const template = document.createElement("template");
  template.innerHTML = html;
  target.replaceChildren(template.content);
}

/** The kernel's HTML as a fragment that is not in the page yet. */
export function parsed(html: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  setHtml(fragment, html);
  return fragment;
}

/** What the children of a box were when they came: what a person has unfolded since makes no difference. */
const came = new WeakMap<Element, (Node | null)[]>();

/**
 * Show newer HTML in a box that somebody reads: children that are the same stay as they are, with what is unfolded, marked and typed in them; in those that
 * changed, what was unfolded or folded is so again.
 */
export function grow(box: HTMLElement, html: string): void {
  const fresh = [...parsed(html).children];
  const written: (Node | null)[] = fresh.map((child) => child.cloneNode(true));
  const before = came.get(box) ?? [];
  const known = new Map(all<HTMLDetailsElement>(box, "details[data-call]").map((each) => [each.dataset["call"] ?? "", each.open]));
  const old = [...box.children];
  came.set(box, written);
  for (const [at, child] of fresh.entries()) {
    const here = old[at];
    if (here !== undefined && before[at]?.isEqualNode(written[at] ?? null) === true) continue;
    for (const each of [child as HTMLElement, ...all(child, "details[data-call]")]) {
      const open = known.get(each.dataset["call"] ?? "");
      if (each instanceof HTMLDetailsElement && open !== undefined) each.open = open;
    }
    if (here !== undefined && here.querySelector("form") !== null) {
      written[at] = null; // what is typed in it stays, and the next news put it right
      continue;
    }
    if (here === undefined) box.append(child);
    else here.replaceWith(child);
  }
  for (const gone of old.slice(fresh.length)) gone.remove();
}

export function all<E extends HTMLElement>(within: ParentNode, selector: string): E[] {
  return [...within.querySelectorAll<E>(selector)];
}

/** Elements that carry this id; ids are opaque, so they are compared and never put into a selector. */
export function withData(within: ParentNode, key: "call" | "turn", id: string, selector: string): HTMLElement[] {
  return all(within, selector).filter((found) => found.dataset[key] === id);
}

export function numberOf(value: string | undefined, otherwise: number): number {
  const number = Number(value);
  return value === undefined || value === "" || Number.isNaN(number) ? otherwise : number;
}

export function plural(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}
