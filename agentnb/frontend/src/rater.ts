// CALL AFTER CALL: the call that waits for a verdict, the keys that give one, and what stands in the form below it.

import { type Cell, openCell, whenShown } from "./cell.ts";
import { all, make, setHtml } from "./dom.ts";
import { type Key, takeKeys, toggleHelp } from "./keys.ts";
import { listen, type RenderProps, text } from "./model.ts";

/** Controls of the form say by their class what they do. */
const ACTION = "anb-do-";
/** Folds and their keys; which of them are open stays so from call to call. */
const FOLDS: [string, string][] = [["e", "earlier turns"], ["s", "steps"], ["c", "calls"], ["d", "decision"], ["l", "rules"]];
const WRITTEN_IN = "input:not([type=checkbox], [type=radio]), textarea";

class Rater {
  readonly #cell: Cell;
  /** The call, its buttons and its form; the view alone until it is in the page. */
  #box: HTMLElement;
  readonly #status = make("span", { class: "dim", role: "status" });
  readonly #open = new Set<string>();
  readonly #keys: Key[];
  #busy = false;

  constructor(cell: Cell) {
    this.#cell = cell;
    this.#box = cell.root;
    this.#keys = this.#table();
    const help = make("button", { type: "button", "data-action": "help" }, "keys ", make("kbd", {}, "?"));
    cell.root.append(make("div", { class: "status" }, this.#status, help));
    cell.root.setAttribute("aria-label", "Rater");
    listen(cell.model, "change:_html", () => this.#show(), cell.signal);
    cell.view.addEventListener("toggle", (event) => this.#folded(event.target as HTMLDetailsElement), { capture: true, signal: cell.signal });
    whenShown(cell.root, cell.signal, () => this.#settle());
    this.#show();
  }

  /** Hear the keys and clicks of everything that belongs to the rater: its controls are widgets beside this view. */
  #settle(): void {
    const { root, signal } = this.#cell;
    this.#box = root.closest<HTMLElement>(".anb-rater") ?? root;
    takeKeys(this.#box, this.#keys, () => root.focus({ preventScroll: true }), signal);
    // On the way down: fields of ipywidgets keep their keys to themselves.
    this.#box.addEventListener("keydown", (event) => this.#entered(event), { capture: true, signal });
    this.#box.addEventListener("click", (event) => this.#clicked(event.target as HTMLElement), { signal });
  }

  #table(): Key[] {
    const act = (kind: string) => (event: KeyboardEvent) => {
      // A key that is held down would judge calls that nobody has read.
      if (!event.repeat) void this.#act(kind);
    };
    const fold = ([key, name]: [string, string]): Key => ({ keys: [key], label: key, does: name, run: () => this.#fold(name) });
    const scroll = (by: number) => (): void => this.#cell.view.scrollBy({ top: by * this.#cell.view.clientHeight * 0.8 });
    return [
      { keys: ["1"], label: "1", does: "right, next", run: act("right") },
      { keys: ["2"], label: "2", does: "wrong, next", run: act("wrong") },
      { keys: [" "], label: "space", does: "skip", run: act("skip") },
      { keys: ["Backspace"], label: "⌫", does: "the call before", run: act("back") },
      { keys: ["u"], label: "u", does: "take back", run: act("undo") },
      { keys: ["a"], label: "a", does: "right answer; enter keeps it as wrong", run: () => this.#enter(".anb-answer") },
      { keys: ["r"], label: "r", does: "reasons", run: () => this.#enter(".anb-reasons") },
      { keys: ["n"], label: "n", does: "note; enter leaves it", run: () => this.#enter(".anb-note") },
      ...FOLDS.map(fold),
      { keys: ["j", "PageDown"], label: "j", does: "down", run: scroll(1) },
      { keys: ["k", "PageUp"], label: "k", does: "up", run: scroll(-1) },
      { keys: ["?"], label: "?", does: "keys", run: () => this.#help() },
    ];
  }

  /** Tell the kernel what the person does, with what stands in the form: typed words may be on their way still when a key follows them. */
  async #act(kind: string): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    this.#box.setAttribute("aria-busy", "true");
    const call = text(this.#cell.model, "_call");
    const fields = await this.#written();
    const done = (words: string): void => {
      this.#free();
      this.#status.textContent = words;
    };
    const answered = (result: Record<string, unknown>): void => {
      done(String(result["said"] ?? ""));
      this.#cell.notices.drop("error");
      if (kind !== "name" || text(this.#cell.model, "_call") !== "") this.#cell.root.focus({ preventScroll: true });
    };
    this.#cell.kernel.ask("act", kind, { call_id: call, fields }, answered, () => done(""));
  }

  async #written(): Promise<Record<string, unknown>> {
    const listed = (this.#cell.model.get("_fields") ?? []) as [string, string, string][];
    const manager = this.#cell.model.widget_manager;
    if (manager === undefined) return {};
    const read = listed.map(async ([name, id, trait]) => [name, (await manager.get_model(id)).get(trait)] as const);
    return Object.fromEntries(await Promise.all(read));
  }

  /** Enter in a field of the answer keeps it, and the call is wrong; in other fields it leaves them. Ctrl+Enter does so in a field of several lines. */
  #entered(event: KeyboardEvent): void {
    const field = event.target as HTMLElement;
    if (event.isComposing || !field.matches(WRITTEN_IN)) return;
    if (event.key === "Escape") this.#cell.root.focus({ preventScroll: true });
    if (event.key !== "Enter") return;
    if (field.matches("textarea") && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    if (field.closest(".anb-name") !== null) void this.#act("name");
    else if (field.closest(".anb-answer") !== null) void this.#act("wrong");
    else this.#cell.root.focus({ preventScroll: true });
  }

  #clicked(target: HTMLElement): void {
    const control = target.closest<HTMLElement>("button");
    const action = [...(control?.classList ?? [])].find((name) => name.startsWith(ACTION));
    if (action !== undefined) void this.#act(action.slice(ACTION.length));
    else if (control?.dataset["action"] === "help") this.#help();
    else if (control?.dataset["action"] === "dismiss") this.#cell.notices.drop(control.dataset["notice"] ?? "");
    else if (target.closest("button, input, textarea, select, summary, a, label") === null) this.#rest();
  }

  /** A click on the call brings the keys here, unless it selected a text. */
  #rest(): void {
    if (document.getSelection()?.isCollapsed !== false) this.#cell.root.focus({ preventScroll: true });
  }

  #enter(place: string): void {
    const field = this.#box.querySelector<HTMLElement>(`${place} :is(input, textarea, button)`);
    field?.focus();
    if (field instanceof HTMLInputElement) field.select();
  }

  #fold(name: string): void {
    const fold = all<HTMLDetailsElement>(this.#cell.view, "details[data-fold]").find((each) => each.dataset["fold"] === name);
    if (fold === undefined) return;
    fold.open = !fold.open;
    if (fold.open) fold.scrollIntoView({ block: "nearest" });
  }

  #folded(fold: HTMLDetailsElement): void {
    const name = fold.dataset["fold"];
    if (name === undefined || !fold.isConnected) return;
    if (fold.open) this.#open.add(name);
    else this.#open.delete(name);
  }

  #free(): void {
    this.#busy = false;
    this.#box.removeAttribute("aria-busy");
  }

  #show(): void {
    const { view, model } = this.#cell;
    // From here on the call is in sight, and may be judged: the answer to the key that brought it may come later.
    if (this.#busy) this.#cell.root.focus({ preventScroll: true });
    this.#free();
    setHtml(view, text(model, "_html"));
    for (const fold of all<HTMLDetailsElement>(view, "details[data-fold]")) fold.open = this.#open.has(fold.dataset["fold"] ?? "");
    view.scrollTop = 0;
  }

  #help(): void {
    toggleHelp(this.#cell.root.querySelector<HTMLElement>(".notices") ?? this.#cell.root, this.#keys);
  }
}

function render(props: RenderProps): () => void {
  const cell = openCell(props, "rater");
  new Rater(cell);
  return cell.close;
}

export default { render };
