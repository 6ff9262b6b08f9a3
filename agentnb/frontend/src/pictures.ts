// PICTURES: the kernel is asked for one when the line that hides it is unfolded.

import type { Cell } from "./cell.ts";
import { make, setHtml } from "./dom.ts";

const LINE = "details.image[data-message]";

/** Fill the lines of images as they are unfolded, once each. */
export function takePictures(cell: Cell): void {
  const toggled = (event: Event): void => {
    const line = event.target as HTMLDetailsElement;
    if (line.matches(LINE) && line.open && line.querySelector(":scope > .picture") === null) load(cell, line);
  };
  // `toggle` does not bubble, so it is heard on its way down.
  cell.root.addEventListener("toggle", toggled, { capture: true, signal: cell.signal });
}

function load(cell: Cell, line: HTMLElement): void {
  const { turn = "", message = "", part = "" } = line.dataset;
  const box = make("div", { class: "picture", role: "status" }, "loading the picture …");
  const fail = (words: string): void => {
    // Folded and unfolded again, it is asked for again.
    box.className = "failure";
    box.replaceChildren(make("span", { class: "mark bad", "aria-hidden": "true" }, "✕ "), words);
  };
  line.querySelector(":scope > .failure")?.remove();
  line.append(box);
  const details = { turn_id: turn, message_index: Number(message), part_index: Number(part) };
  const answered = ({ html }: Record<string, unknown>): void => {
    setHtml(box, String(html));
    box.removeAttribute("role");
    box.querySelector("img")?.addEventListener("error", () => fail("This browser cannot draw it: its data is broken."), { once: true, signal: cell.signal });
  };
  const refused = (words: string): void => {
    // Said here, where one looks, and not across the widget as well.
    cell.notices.drop("error");
    fail(words);
  };
  cell.kernel.ask(`image:${turn}:${message}:${part}`, "image", details, answered, refused);
}
