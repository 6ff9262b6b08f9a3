// ONE VIEW OF ONE WIDGET: its root, the kernel behind it, and what ends with it.

import { all, make, setHtml } from "./dom.ts";
import { Kernel } from "./kernel.ts";
import { type Model, type RenderProps, text } from "./model.ts";
import { Notices } from "./notices.ts";

export interface Cell {
  model: Model;
  /** Everything of this view; listeners hang here. It takes the focus where nothing in it does, so that keys stay inside. */
  root: HTMLElement;
  /** What the kernel rendered. */
  view: HTMLElement;
  kernel: Kernel;
  notices: Notices;
  signal: AbortSignal;
  /** Ends the view where the host gives no signal. */
  close: () => void;
}

export function openCell({ model, el, signal }: RenderProps, name: string): Cell {
  const ending = new AbortController();
  signal?.addEventListener("abort", () => ending.abort(), { once: true });
  const box = make("div", { class: "notices" });
  const view = make("div", { class: "view" });
  const root = make("section", { class: "agentnb", "data-view": name, "data-live": "", tabindex: -1 }, view, box);
  const height = text(model, "_height");
  if (height !== "") root.style.setProperty("--anb-height", height);
  setHtml(view, text(model, "_html"));
  el.replaceChildren(root);
  hideFallback(root, ending.signal);
  const notices = new Notices(box);
  const kernel = new Kernel(model, notices, ending.signal);
  return { model, root, view, kernel, notices, signal: ending.signal, close: () => ending.abort() };
}

/** Do something once a view is in the page: before, what is around it is not known. */
export function whenShown(root: HTMLElement, signal: AbortSignal, then: () => void): void {
  const arrived = new ResizeObserver(() => {
    if (!root.isConnected) return;
    arrived.disconnect();
    then();
  });
  arrived.observe(root);
  signal.addEventListener("abort", () => arrived.disconnect(), { once: true });
}

/** Hide the plain copy that stands before this view, once the view is in the page; JupyterLab's whole output goes by the style sheet. */
function hideFallback(root: HTMLElement, signal: AbortSignal): void {
  whenShown(root, signal, () => {
    const shown = all(document, ".agentnb[data-fallback], .agentnb[data-live]");
    const before = shown[shown.indexOf(root) - 1];
    if (before === undefined || before.dataset["fallback"] === undefined || before.dataset["view"] !== root.dataset["view"]) return;
    before.hidden = true;
    signal.addEventListener("abort", () => (before.hidden = false), { once: true });
  });
}

/** Change what is shown; when that removes what has the focus, its successor gets it, else the widget: it never falls out to the notebook. */
export function keepFocus(root: HTMLElement, change: () => void): void {
  const active = document.activeElement;
  const inside = active instanceof HTMLElement && root.contains(active);
  const { action, verdict, edge } = inside ? active.dataset : {};
  change();
  if (!inside || (active.isConnected && root.contains(document.activeElement))) return;
  const same = all(root, "[data-action]").filter((each) => each.dataset["action"] === action && each.dataset["edge"] === edge);
  (same.find((each) => each.dataset["verdict"] === verdict) ?? same[0] ?? root).focus({ preventScroll: true });
}

type Actions = Record<string, (control: HTMLElement) => void>;

/** Hear clicks on controls by their `data-action`, and on everything else by `otherwise`. */
export function takeClicks(cell: Cell, actions: Actions, otherwise: (target: HTMLElement) => void): void {
  const clicked = (event: MouseEvent): void => {
    const target = event.target as HTMLElement;
    const control = target.closest<HTMLElement>("[data-action]");
    const action = control?.dataset["action"];
    if (control !== null && action !== undefined && action in actions) actions[action]?.(control);
    else if (target.closest("form, input") === null) otherwise(target);
  };
  cell.root.addEventListener("click", clicked, { signal: cell.signal });
}
