// THE TURNS IN THE PAGE: pages of lines, the steps of unfolded ones, and how a call is found among them.

import { type Cell, keepFocus } from "./cell.ts";
import { all, grow, make, numberOf, parsed, setHtml, withData } from "./dom.ts";
import type { Result } from "./kernel.ts";
import { Strip } from "./strip.ts";

const STEPS = 20;
const STEPS_KEPT = 160;
const PAGES_KEPT = 4;
const LOADED_KEPT = 20;

export interface Question {
  find: string;
  filter: "all" | "errors";
}

/** How many turns match, of how many. */
export interface Counts {
  matching: number;
  all: number;
}

/** Steps of one agent, from one place on: how the kernel shows where a call stands. */
interface Level {
  agent: string;
  first: number;
  html: string;
}

export class Turns {
  /** What the turns in the page answer, and what was asked last: a quick second key goes by what was asked. */
  question: Question = { find: "", filter: "all" };
  asked = this.question;
  readonly #cell: Cell;
  readonly #changed: () => void;
  readonly #page: number;
  /** What runs when the steps of a turn have come, by the turn's id. */
  readonly #loading = new Map<string, (() => void)[]>();

  constructor(cell: Cell, changed: () => void) {
    this.#cell = cell;
    this.#changed = changed;
    this.#page = Number(cell.model.get("_page")) || 50;
    // `toggle` does not bubble, so it is heard on its way down.
    cell.root.addEventListener("toggle", (event) => this.#toggled(event.target as HTMLElement), { capture: true, signal: cell.signal });
  }

  /** Show the first page of the turns that match. */
  ask(question: Question, then: (counts: Counts) => void): void {
    this.#busy(true);
    this.asked = question;
    const details = { first: 0, count: this.#page, ...question };
    const answered = (result: Result): void => {
      this.question = question;
      this.#replace(String(result["html"]), 0);
      then({ matching: Number(result["matching"]), all: Number(result["all"]) });
    };
    const refused = (): void => {
      this.asked = this.question;
      this.#busy(false);
    };
    this.#cell.kernel.ask("page", "page", details, answered, refused);
  }

  /** Fetch the turns before or after those in the page, for a button that was pressed. */
  more(control: HTMLElement, then: (first: HTMLElement | null) => void = () => undefined): void {
    const first = numberOf(control.dataset["first"], 0);
    const count = numberOf(control.dataset["count"], this.#page);
    this.#busy(true);
    const answered = (result: Result): void => {
      const fragment = parsed(String(result["html"]));
      // The page comes as a whole view; only its lines and its row "N more" are put in.
      const lines = fragment.querySelector(".turns");
      const wanted = document.createDocumentFragment();
      wanted.append(...(lines?.children ?? []), ...[...fragment.children].filter((child) => child.matches(".more")));
      const strip = this.#lines();
      keepFocus(this.#cell.root, () => {
        if (control.dataset["edge"] === "before") strip?.precede(wanted, first);
        else then(strip?.extend(wanted) ?? null);
      });
      this.#busy(false);
      this.#changed();
    };
    this.#cell.kernel.ask("page", "page", { first, count, ...this.question }, answered, () => this.#busy(false));
  }

  /** Fetch the steps before or after those in the page, for a button that was pressed. */
  moreSteps(control: HTMLElement): void {
    const { turn = "", agent = "", edge } = control.dataset;
    const box = control.closest<HTMLElement>(".steps");
    if (box === null) return;
    const first = numberOf(control.dataset["first"], 0);
    const count = numberOf(control.dataset["count"], STEPS);
    this.#cell.kernel.ask(`steps:${turn}:${agent}`, "turn", { turn_id: turn, agent, first, count }, (result) => {
      const strip = stepsOf(box, turn, agent);
      const fragment = parsed(String(result["html"]));
      keepFocus(this.#cell.root, () => {
        if (edge === "before") strip.precede(fragment, first);
        else strip.extend(fragment);
      });
      this.#changed();
    });
  }

  /** Unfold a turn, with its steps from the kernel when they are not here. */
  load(turn: HTMLElement, then: () => void = () => undefined): void {
    const id = turn.dataset["turn"] ?? "";
    if (turn.querySelector(":scope > .steps") !== null || id === "") {
      then();
      return;
    }
    const waiting = this.#loading.get(id);
    if (waiting !== undefined) {
      waiting.push(then);
      return;
    }
    const wanted = [then];
    this.#loading.set(id, wanted);
    turn.setAttribute("aria-busy", "true");
    const over = (): void => {
      this.#loading.delete(id);
      turn.removeAttribute("aria-busy");
    };
    const answered = (result: Result): void => {
      over();
      const steps = make("div", { class: "steps", "data-turn": id });
      setHtml(steps, String(result["html"]));
      turn.querySelector(":scope > .steps")?.remove();
      turn.append(steps);
      this.#forget(turn);
      this.#changed();
      for (const each of wanted) each();
    };
    this.#cell.kernel.ask(`turn:${id}`, "turn", { turn_id: id, agent: "", first: 0, count: STEPS }, answered, over);
  }

  /** Bring a call into the page that is not there; all turns are shown again when the present ones leave its turn out. */
  reveal(id: string, then: (found: HTMLElement) => void, showAll: (counts: Counts) => void): void {
    const here = this.find(id);
    if (here !== null) {
      then(here);
      return;
    }
    this.#cell.kernel.ask("reveal", "reveal", { call_id: id, count: this.#page, steps: STEPS }, (result) => {
      const turnId = String(result["turn_id"]);
      if (withData(this.#cell.view, "turn", turnId, "details.turn").length === 0) {
        this.question = this.asked = { find: "", filter: "all" };
        this.#replace(String(result["html"]), Number(result["first"]));
        showAll({ matching: Number(result["all"]), all: Number(result["all"]) });
      }
      const turn = withData(this.#cell.view, "turn", turnId, "details.turn")[0];
      if (turn === undefined) return;
      if (id !== turnId) this.#showLevels(turn, turnId, result["levels"] as Level[]);
      this.#changed();
      then(this.find(id) ?? turn);
    });
  }

  /** The element of a turn or call that is in the page. */
  find(id: string): HTMLElement | null {
    const { view } = this.#cell;
    const items = [...withData(view, "turn", id, "details.turn"), ...withData(view, "call", id, "details.call, details.agent")];
    return items[0] ?? withData(view, "call", id, ".repeat, .step")[0] ?? null;
  }

  /** Show a turn's line anew, with what people said since. */
  renew(html: string): void {
    const fresh = parsed(html).querySelector<HTMLElement>("details.turn");
    const shown = fresh === null ? [] : withData(this.#cell.view, "turn", fresh.dataset["turn"] ?? "", "details.turn");
    const line = fresh?.querySelector(":scope > summary > .line");
    if (line && shown[0] !== undefined) shown[0].querySelector(":scope > summary > .line")?.replaceWith(line);
  }

  /** Show anew what has come to turns that run: their lines, the steps of those that are unfolded, and turns that were sent since. */
  grow(html: string, ids: string[]): void {
    const fresh = all(parsed(html), "details.turn");
    for (const [at, id] of ids.entries()) {
      const shown = withData(this.#cell.view, "turn", id, "details.turn")[0];
      const line = fresh[at];
      if (shown === undefined && line !== undefined) this.#append(line);
      else if (shown !== undefined) this.#refresh(shown, id, line?.querySelector(":scope > summary > .line"));
    }
    this.#changed();
  }

  /** Unfold every turn of the page, or fold them all when they are unfolded. */
  unfoldAll(): void {
    const turns = all<HTMLDetailsElement>(this.#cell.view, "details.turn");
    const open = turns.some((turn) => !turn.open);
    for (const turn of turns) turn.open = open;
  }

  /** A turn that was sent since stands at the end, where the end is in the page and nothing was asked. */
  #append(turn: HTMLElement): void {
    const { find, filter } = this.asked;
    const lines = this.#cell.view.querySelector(":scope > .turns");
    const more = this.#cell.view.querySelector(":scope > .more:not([data-edge=before]) [data-action=more-turns]");
    if (lines !== null && find === "" && filter === "all" && more === null) lines.append(turn);
  }

  #refresh(turn: HTMLElement, id: string, line: Element | null | undefined): void {
    if (line) turn.querySelector(":scope > summary > .line")?.replaceWith(line);
    const steps = turn.querySelector<HTMLElement>(":scope > .steps");
    // Who has paged on reads elsewhere.
    if (steps === null || steps.querySelector(":scope > [data-edge=before]") !== null) return;
    this.#cell.kernel.ask(`grow:${id}`, "turn", { turn_id: id, agent: "", first: 0, count: STEPS }, (result) => {
      grow(steps, String(result["html"]));
      this.#changed();
    });
  }

  #toggled(target: HTMLElement): void {
    if (target.matches("details.turn") && (target as HTMLDetailsElement).open) this.load(target);
  }

  /** Put the steps that lead to a call into its turn, and into the sub-agents on the way. */
  #showLevels(turn: HTMLElement, turnId: string, levels: Level[]): void {
    for (const { agent, first, html } of levels) {
      const owner = agent === "" ? turn : withData(turn, "call", agent, "details.agent")[0];
      if (owner === undefined) return;
      owner.querySelector(":scope > .steps")?.remove();
      const steps = make("div", { class: "steps", "data-turn": turnId });
      setHtml(steps, html);
      owner.append(steps);
      stepsOf(steps, turnId, agent).begin(first);
    }
  }

  #replace(html: string, first: number): void {
    const fragment = parsed(html);
    keepFocus(this.#cell.root, () => {
      for (const gone of all(this.#cell.view, ":scope > .turns, :scope > .more")) gone.remove();
      this.#cell.view.append(...[...fragment.children].filter((child) => child.matches(".turns, .more")));
    });
    this.#lines()?.begin(first);
    this.#busy(false);
    this.#changed();
  }

  /** Keep what is unfolded and what was unfolded last; the steps of other turns are fetched again when they are wanted. */
  #forget(latest: HTMLElement): void {
    const folded = all<HTMLDetailsElement>(this.#cell.view, "details.turn:not([open]) > .steps");
    const loaded = all(this.#cell.view, "details.turn > .steps").length;
    for (const steps of folded.slice(0, Math.max(0, loaded - LOADED_KEPT))) if (steps.parentElement !== latest) steps.remove();
  }

  #lines(): Strip | null {
    const box = this.#cell.view.querySelector<HTMLElement>(":scope > .turns");
    const shape = { item: "details.turn", action: "more-turns", data: {}, page: this.#page, most: PAGES_KEPT * this.#page };
    return box === null ? null : new Strip({ ...shape, box, beside: box });
  }

  #busy(busy: boolean): void {
    this.#cell.view.querySelector(":scope > .turns")?.setAttribute("aria-busy", String(busy));
  }
}

function stepsOf(box: HTMLElement, turn: string, agent: string): Strip {
  const data = { "data-turn": turn, ...(agent === "" ? {} : { "data-agent": agent }) };
  return new Strip({ box, item: ".step", beside: null, action: "more-steps", data, page: STEPS, most: STEPS_KEPT });
}
