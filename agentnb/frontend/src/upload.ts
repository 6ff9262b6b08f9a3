// RECORDINGS FROM THE PERSON'S COMPUTER: dropped or chosen, sent to the kernel piece by piece, and what was read beneath.

import { type Cell, openCell } from "./cell.ts";
import { make, plural, setHtml } from "./dom.ts";
import { takeKeys } from "./keys.ts";
import { listen, type RenderProps, text } from "./model.ts";

/** Bytes of one message: far below what servers between browser and kernel let through. */
const PIECE = 2 << 20;

class Upload {
  readonly #cell: Cell;
  readonly #field = make("input", { type: "file", multiple: true, "aria-label": "Recordings" }) as HTMLInputElement;
  readonly #zone = make("label", { class: "drop" }, "Drop recordings here, or choose them: ", this.#field);
  readonly #list = make("ul", { class: "files", "aria-live": "polite" });
  readonly #waiting: { file: File; line: HTMLElement }[] = [];
  #busy = false;
  #count = 0;

  constructor(cell: Cell) {
    this.#cell = cell;
    const { signal } = cell;
    cell.root.prepend(this.#zone, this.#list);
    this.#field.addEventListener("change", () => this.#chosen(), { signal });
    for (const name of ["dragenter", "dragover"]) cell.root.addEventListener(name, (event) => this.#over(event as DragEvent), { signal });
    cell.root.addEventListener("dragleave", () => this.#zone.removeAttribute("data-over"), { signal });
    cell.root.addEventListener("drop", (event) => this.#dropped(event), { signal });
    cell.root.addEventListener("click", (event) => this.#clicked(event.target as HTMLElement), { signal });
    listen(cell.model, "change:_html", () => setHtml(cell.view, text(cell.model, "_html")), signal);
    takeKeys(cell.root, [], () => undefined, signal);
  }

  #chosen(): void {
    this.#take(this.#field.files);
    this.#field.value = ""; // the same file may be chosen again once it has grown
  }

  #over(event: DragEvent): void {
    if (event.dataTransfer?.types.includes("Files") !== true) return;
    event.preventDefault();
    event.stopPropagation();
    this.#zone.setAttribute("data-over", "");
  }

  #dropped(event: DragEvent): void {
    this.#zone.removeAttribute("data-over");
    if (event.dataTransfer?.types.includes("Files") !== true) return;
    event.preventDefault();
    event.stopPropagation();
    this.#take(event.dataTransfer.files);
  }

  #clicked(target: HTMLElement): void {
    if (target.dataset["action"] === "dismiss") this.#cell.notices.drop(target.dataset["notice"] ?? "");
  }

  #take(files: FileList | null): void {
    for (const file of files ?? []) {
      const line = make("li", {}, make("span", {}, file.name), make("span", { class: "dim" }, "waiting"));
      this.#list.append(line);
      this.#waiting.push({ file, line });
    }
    void this.#next();
  }

  /** Send the files one after another: each may need what was read before it. */
  async #next(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    for (let next = this.#waiting.shift(); next !== undefined && !this.#cell.signal.aborted; next = this.#waiting.shift()) {
      await this.#send(next.file, next.line);
    }
    this.#busy = false;
  }

  async #send(file: File, line: HTMLElement): Promise<void> {
    const key = `${Date.now()}-${(this.#count += 1)}`;
    try {
      for (let begin = 0; begin === 0 || begin < file.size; begin += PIECE) {
        const piece = await file.slice(begin, begin + PIECE).arrayBuffer();
        const last = begin + PIECE >= file.size;
        say(line, last ? "reading" : `${Math.round((100 * begin) / file.size)} %`);
        const result = await this.#ask("piece", { file: key, name: file.name, last }, [piece]);
        if (last) say(line, `✓ ${plural(Number(result["records"]), "record")} read`, "good");
      }
    } catch (error) {
      say(line, `✕ not read: ${error instanceof Error ? error.message : String(error)}`, "bad");
      this.#cell.notices.drop("error"); // the line of the file says it
      this.#cell.kernel.ask("stop", "stop", { file: key }, () => undefined);
    }
  }

  #ask(kind: string, details: Record<string, unknown>, buffers: ArrayBuffer[]): Promise<Record<string, unknown>> {
    return new Promise((resolve, reject) => this.#cell.kernel.ask("piece", kind, details, resolve, (message) => reject(new Error(message)), buffers));
  }
}

function say(line: HTMLElement, words: string, level = "dim"): void {
  line.lastElementChild?.replaceWith(make("span", { class: level }, words));
}

function render(props: RenderProps): () => void {
  const cell = openCell(props, "upload");
  new Upload(cell);
  return cell.close;
}

export default { render };
