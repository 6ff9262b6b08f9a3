// KEYS: one table per widget; no key that is pressed inside the widget leaves it.

import { button, make } from "./dom.ts";

export interface Key {
  keys: string[];
  label: string;
  does: string;
  run: (event: KeyboardEvent) => void;
}

const FIELDS = "input, textarea, select";
/** What Enter and Space press by themselves. */
const PRESSED_BY_THE_BROWSER = "button, a[href], .aside > summary, .detail summary";

/**
 * Run what a key stands for, and stop every keydown at the root.
 *
 * JupyterLab listens on the document: in its command mode `d d` deletes the user's cell, `b` and `a` add one, `x` cuts it, and undo undoes in it.
 * So the keys that mean nothing here stop as well. What the browser does by itself (Tab, copy, typing) is not prevented. Saving the notebook
 * is the one thing that people expect from everywhere and that changes no cell.
 */
export function takeKeys(root: HTMLElement, table: Key[], escape: () => void, signal: AbortSignal): void {
  const byKey = new Map(table.flatMap((entry) => entry.keys.map((key) => [key, entry] as const)));
  // Shells that listen in the capture phase (older JupyterLab, Notebook 7) look for this attribute instead.
  root.setAttribute("data-lm-suppress-shortcuts", "true");
  const pressed = (event: KeyboardEvent): void => {
    if (isSave(event)) return;
    event.stopPropagation();
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    if (event.key === "Escape") escape();
    if (event.key === "Escape" || target.matches(FIELDS)) return;
    if ((event.key === "Enter" || event.key === " ") && target.matches(PRESSED_BY_THE_BROWSER)) return;
    const entry = byKey.get(event.key);
    if (entry === undefined) return;
    event.preventDefault();
    entry.run(event);
  };
  root.addEventListener("keydown", pressed, { signal });
}

/** The keys that move over what is shown. */
export function moving(selection: { move: (by: number) => void }): Key[] {
  return [
    { keys: ["j", "ArrowDown"], label: "j ↓", does: "next", run: () => selection.move(1) },
    { keys: ["k", "ArrowUp"], label: "k ↑", does: "previous", run: () => selection.move(-1) },
    { keys: ["g", "Home"], label: "g", does: "first", run: () => selection.move(-Infinity) },
    { keys: ["G", "End"], label: "G", does: "last", run: () => selection.move(Infinity) },
  ];
}

/** The keys that say right or wrong of what is selected. */
export function judging(rate: (verdict: "right" | "wrong" | "withdraw") => void, write: (what: "answer" | "note") => void): Key[] {
  return [
    { keys: ["1"], label: "1", does: "right", run: () => rate("right") },
    { keys: ["2"], label: "2", does: "wrong", run: () => rate("wrong") },
    { keys: ["0", "Backspace"], label: "0 ⌫", does: "withdraw", run: () => rate("withdraw") },
    { keys: ["o"], label: "o", does: "right answer", run: () => write("answer") },
    { keys: ["n"], label: "n", does: "note", run: () => write("note") },
  ];
}

/** Show what the keys do, in the box that stays in sight, or take it away again. */
export function toggleHelp(box: HTMLElement, table: Key[]): void {
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

function isSave(event: KeyboardEvent): boolean {
  return (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "s";
}
