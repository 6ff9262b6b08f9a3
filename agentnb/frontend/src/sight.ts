// IN SIGHT: the kernel looks for news only as long as a view says that somebody can see it.

import type { Cell } from "./cell.ts";
import type { Result } from "./kernel.ts";

/** How often a view says that it is still there. */
const HERE = 20_000;

export function stayInSight(cell: Cell, answered: (result: Result) => void = () => undefined): void {
  const view = Math.random().toString(36).slice(2);
  const here = (): void => cell.kernel.ask("here", "here", { view }, answered);
  const timer = window.setInterval(here, HERE);
  const leave = (): void => {
    window.clearInterval(timer);
    try {
      cell.model.send({ kind: "gone", view });
    } catch {
      // The kernel is gone, and with it everybody who could be told.
    }
  };
  cell.signal.addEventListener("abort", leave, { once: true });
  here();
}
