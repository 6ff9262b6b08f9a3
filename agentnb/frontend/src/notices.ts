// LINES ACROSS THE WIDGET: what went wrong, and what one should know once.

import { button, make } from "./dom.ts";

export type Level = "error" | "info";

export class Notices {
  readonly #shown = new Map<string, HTMLElement>();
  /** Stays in sight at the lower edge, however far one has scrolled. */
  readonly box: HTMLElement;

  constructor(box: HTMLElement) {
    this.box = box;
  }

  /** Show a line; one with the same name gives way to it. */
  show(name: string, level: Level, message: string): void {
    this.drop(name);
    const mark = level === "error" ? "✕" : "ℹ";
    const line = make(
      "div",
      { class: "notice", "data-level": level, "data-notice": name, role: level === "error" ? "alert" : "status" },
      make("span", { class: level === "error" ? "mark bad" : "mark", "aria-hidden": "true" }, mark),
      make("span", { class: "words" }, message),
      button("dismiss", "dismiss", { "data-notice": name }),
    );
    this.#shown.set(name, line);
    this.box.append(line);
  }

  drop(name: string): void {
    this.#shown.get(name)?.remove();
    this.#shown.delete(name);
  }
}
