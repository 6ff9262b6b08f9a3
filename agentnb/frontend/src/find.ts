// FOUND TEXT: marked where it stands, without touching the elements that hold it.

const NAME = "anb-find";
const MOST = 2_000;

/** Mark the text inside these elements; the ranges of an earlier call are given back. A browser without highlights shows none. */
export class Marks {
  #ranges: Range[] = [];

  show(within: Element[], wanted: string): void {
    this.clear();
    if (wanted === "" || !("highlights" in CSS)) return;
    const highlight = CSS.highlights.get(NAME) ?? new Highlight();
    CSS.highlights.set(NAME, highlight);
    this.#ranges = within.flatMap((each) => rangesOf(each, wanted));
    for (const range of this.#ranges) highlight.add(range);
  }

  clear(): void {
    if (!("highlights" in CSS)) return;
    const highlight = CSS.highlights.get(NAME);
    for (const range of this.#ranges) highlight?.delete(range);
    this.#ranges = [];
  }
}

function rangesOf(within: Element, wanted: string): Range[] {
  const ranges: Range[] = [];
  const needle = wanted.toLowerCase();
  const walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && ranges.length < MOST; node = walker.nextNode()) {
    const shown = node.textContent ?? "";
    const lowered = shown.toLowerCase();
    if (lowered.length !== shown.length) continue; // a letter that lower case makes longer: places would not fit
    for (let at = lowered.indexOf(needle); at >= 0; at = lowered.indexOf(needle, at + needle.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + needle.length);
      ranges.push(range);
    }
  }
  return ranges;
}
