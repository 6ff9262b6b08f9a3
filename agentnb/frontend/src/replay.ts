// A MODEL'S ANSWER, PART BY PART: a slider; the kernel renders what had come by the part it stands at.

import { type Cell, openCell, takeClicks } from "./cell.ts";
import { button, make, setHtml } from "./dom.ts";
import { type Key, takeKeys, toggleHelp } from "./keys.ts";
import { listen, type RenderProps } from "./model.ts";

const PAGE = 10;

class Replay {
  readonly #cell: Cell;
  readonly #keys: Key[];
  readonly #last: number;
  readonly #broke: number;
  readonly #slider: HTMLInputElement;
  readonly #place = make("output", { class: "dim" });
  readonly #frame = make("div", { class: "detail", "data-part": "frame" });

  constructor(cell: Cell) {
    this.#cell = cell;
    this.#last = Number(cell.model.get("_total")) - 1;
    this.#broke = Number(cell.model.get("_broke_at"));
    this.#slider = make("input", { type: "range", min: 0, max: Math.max(this.#last, 0), step: 1, "aria-label": "Part" }) as HTMLInputElement;
    this.#slider.disabled = this.#last < 1;
    this.#keys = this.#table();
    cell.root.prepend(this.#bar(), this.#frame);
    const { signal } = cell;
    this.#slider.addEventListener("input", () => this.#go(Number(this.#slider.value)), { signal });
    listen(cell.model, "change:at", () => this.#show(Number(cell.model.get("at"))), signal);
    // Also the slider's own keys are handled here: what `takeKeys` leaves to a field is the letters of a text, and this is none.
    const steered = (event: KeyboardEvent): void => this.#steer(event);
    this.#slider.addEventListener("keydown", steered, { signal });
    takeKeys(cell.root, this.#keys, () => this.#escape(), signal);
    takeClicks(cell, this.#actions(), () => undefined);
    this.#show(Number(cell.model.get("at")));
  }

  #bar(): HTMLElement {
    const broken = this.#broke < 0 ? [] : [button("to-break", "✕ where it broke")];
    const steps = [button("before", "‹", { "aria-label": "one part back" }), this.#slider, button("after", "›", { "aria-label": "one part on" })];
    return make("div", { class: "slide" }, ...steps, this.#place, ...broken, button("help", "?", { "aria-label": "Keys" }));
  }

  #table(): Key[] {
    return [
      { keys: ["ArrowRight", "ArrowUp", "j"], label: "→ j", does: "one part on", run: () => this.#move(1) },
      { keys: ["ArrowLeft", "ArrowDown", "k"], label: "← k", does: "one part back", run: () => this.#move(-1) },
      { keys: ["PageUp"], label: "PgUp", does: "ten parts on", run: () => this.#move(PAGE) },
      { keys: ["PageDown"], label: "PgDn", does: "ten parts back", run: () => this.#move(-PAGE) },
      { keys: ["Home", "g"], label: "g", does: "the first part", run: () => this.#go(0) },
      { keys: ["End", "G"], label: "G", does: "the last part", run: () => this.#go(this.#last) },
      { keys: ["b"], label: "b", does: "where it broke", run: () => this.#toBreak() },
      { keys: ["?"], label: "?", does: "these keys", run: () => this.#help() },
    ];
  }

  #actions(): Record<string, (control: HTMLElement) => void> {
    return {
      before: () => this.#move(-1),
      after: () => this.#move(1),
      "to-break": () => this.#toBreak(),
      help: () => this.#help(),
      dismiss: (control) => this.#cell.notices.drop(control.dataset["notice"] ?? ""),
    };
  }

  #steer(event: KeyboardEvent): void {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const entry = this.#keys.find((each) => each.keys.includes(event.key));
    if (entry === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    entry.run(event);
  }

  #move(by: number): void {
    this.#go(Number(this.#slider.value) + by);
  }

  /** Stand at a part, and tell Python. */
  #go(wanted: number): void {
    const at = Math.max(0, Math.min(wanted, this.#last));
    const { model } = this.#cell;
    if (this.#last < 0) return;
    if (Number(model.get("at")) === at) {
      this.#show(at);
      return;
    }
    model.set("at", at);
    model.save_changes();
  }

  /** Ask for what is shown; while the slider is drawn along, only the last answer counts. */
  #show(at: number): void {
    this.#slider.value = String(at);
    this.#place.textContent = this.#last < 0 ? "no parts" : `part ${at.toLocaleString("en-US")} of ${(this.#last + 1).toLocaleString("en-US")}`;
    if (this.#last < 0) return;
    this.#frame.setAttribute("aria-busy", "true");
    const refused = (): void => this.#frame.removeAttribute("aria-busy");
    this.#cell.kernel.ask("frame", "frame", { at }, (result) => {
      refused();
      this.#slider.setAttribute("aria-valuetext", `${this.#place.textContent}, ${String(result["said"])}`);
      setHtml(this.#frame, String(result["html"]));
    }, refused);
  }

  #toBreak(): void {
    if (this.#broke >= 0) this.#go(this.#broke);
  }

  #help(): void {
    toggleHelp(this.#cell.notices.box, this.#keys);
  }

  #escape(): void {
    if (this.#cell.notices.box.querySelector(".help") !== null) this.#help();
    this.#slider.focus();
  }
}

function render(props: RenderProps): () => void {
  const cell = openCell(props, "replay");
  new Replay(cell);
  return cell.close;
}

export default { render };
