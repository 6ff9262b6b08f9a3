// RIGHT OR WRONG: the verdict buttons, the forms for an answer and a note, and the line that says what was kept.

import { type Cell, keepFocus } from "./cell.ts";
import { all, button, make, parsed, withData } from "./dom.ts";

type Verdict = "right" | "wrong" | "withdraw";
type Words = { answer?: string; note?: string; toggle?: boolean };

export class Ratings {
  readonly #cell: Cell;
  /** Where a rating line or a form goes when the call has no line yet. */
  readonly #place: (id: string) => HTMLElement | null;
  /** After a form: the focus goes back to what was selected. */
  readonly #leave: () => void;

  constructor(cell: Cell, place: (id: string) => HTMLElement | null, leave: () => void) {
    this.#cell = cell;
    this.#place = place;
    this.#leave = leave;
    cell.kernel.on("rated", ({ call_id, html }) => this.#show(String(call_id), String(html)));
    cell.kernel.on("notice", ({ message }) => cell.notices.show("ratings", "info", String(message)));
    cell.root.addEventListener("submit", (event) => event.preventDefault(), { signal: cell.signal });
  }

  get allowed(): boolean {
    return this.#cell.model.get("_rates") === true;
  }

  /** A click on a verdict; the same person's second click on it withdraws it. */
  click(control: HTMLElement): void {
    const { verdict } = control.dataset;
    this.rate(idAt(control), verdict as Verdict, { toggle: true });
  }

  /** Keep a verdict, an answer or a note; the kernel asks for a name when nobody was named. */
  rate(id: string, verdict: Verdict | null, words: Words = {}, by: string | null = null, kept: () => void = () => undefined): void {
    if (id === "" || !this.allowed) return;
    this.#cell.kernel.ask(`rate:${id}`, "rate", { call_id: id, verdict, ...words, by }, (result) => {
      if (result["need"] === "name") this.#askName(id, verdict, words, kept);
      else kept();
    });
  }

  /** Open the form for the right answer or a note. */
  write(id: string, what: "answer" | "note"): void {
    if (id === "" || !this.allowed) return;
    const field = what === "answer" ? make("textarea", { rows: 3, name: what }) : make("input", { type: "text", name: what });
    const label = what === "answer" ? "Right answer, as JSON or text" : "Note";
    this.#openForm(id, what, label, field, (value, close) => this.rate(id, null, { [what]: value }, null, close));
  }

  /** Close the open form, if there is one. */
  close(): boolean {
    const forms = all(this.#cell.root, "form.form");
    for (const form of forms) form.remove();
    return forms.length > 0;
  }

  #askName(id: string, verdict: Verdict | null, words: Words, kept: () => void): void {
    const field = make("input", { type: "text", name: "name", required: true, autocomplete: "off" });
    const label = "Your name, once, so that you can change or withdraw what you say";
    const send = (name: string, close: () => void): void =>
      this.rate(id, verdict, words, name, () => {
        close();
        kept();
      });
    this.#openForm(id, "name", label, field, send);
  }

  #openForm(id: string, name: string, label: string, field: HTMLElement, send: (value: string, close: () => void) => void): void {
    for (const open of all(this.#cell.root, `form.form[data-form="${name}"]`)) open.remove();
    const save = make("button", { type: "submit" }, "save");
    const words = make("label", {}, make("span", { class: "dim" }, label), field);
    const form = make("form", { class: "form", "data-form": name, "data-call": id }, words, save, button("cancel", "cancel"));
    const close = (): void => {
      form.remove();
      this.#leave();
    };
    const submitted = (): void => {
      const value = (field as HTMLInputElement).value.trim();
      if (value !== "") send(value, close);
    };
    form.addEventListener("submit", submitted, { signal: this.#cell.signal });
    form.addEventListener("keydown", (event) => (event.ctrlKey || event.metaKey) && event.key === "Enter" && submitted(), { signal: this.#cell.signal });
    const line = withData(this.#cell.root, "call", id, ".rate")[0];
    if (line === undefined) this.#place(id)?.append(form);
    else line.after(form);
    field.focus();
  }

  #show(id: string, html: string): void {
    const lines = withData(this.#cell.root, "call", id, ".rate");
    if (lines.length === 0) this.#place(id)?.append(parsed(html));
    keepFocus(this.#cell.root, () => {
      for (const line of lines) line.replaceWith(parsed(html));
    });
  }
}

/** The call that a control of a rating line is about. */
export function idAt(control: HTMLElement): string {
  return control.closest<HTMLElement>("[data-call]")?.dataset["call"] ?? control.closest<HTMLElement>("[data-turn]")?.dataset["turn"] ?? "";
}

/** Without a workspace nothing can be kept: what was said is shown, the controls are not. */
export function withoutControls(within: Element): void {
  for (const line of all(within, ".rate")) {
    const said = line.querySelector(".rating");
    if (said === null) line.remove();
    else line.replaceChildren(said);
  }
}
