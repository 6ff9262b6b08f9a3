// ASKING THE KERNEL: numbered requests, their answers, and what is said when none comes.

import { listen, type Model } from "./model.ts";
import type { Notices } from "./notices.ts";

export type Result = Record<string, unknown>;

interface Pending {
  id: string;
  then: (result: Result) => void;
  failed: (message: string) => void;
  timer: number;
}

/** How long a request may take before the widget says that it waits. */
const PATIENCE = 8_000;

const READABLE = "What is shown stays readable; run the cell again for a live view.";
const LATE = `The kernel has not answered for 8 seconds: it is busy with a cell, or it is gone. ${READABLE}`;

export class Kernel {
  /** The one request of each slot that still counts: a later one of the same slot makes it stale. */
  readonly #pending = new Map<string, Pending>();
  readonly #heard = new Map<string, (result: Result) => void>();
  readonly #prefix = Math.random().toString(36).slice(2, 10);
  readonly #model: Model;
  readonly #notices: Notices;
  #count = 0;

  constructor(model: Model, notices: Notices, signal: AbortSignal) {
    this.#model = model;
    this.#notices = notices;
    listen(model, "msg:custom", (message: unknown) => this.#receive(message), signal);
    signal.addEventListener("abort", () => this.#forget(), { once: true });
  }

  /** Ask; `then` gets the result, unless the kernel refuses or the same slot asked again meanwhile. */
  ask(
    slot: string,
    kind: string,
    details: Result,
    then: (result: Result) => void,
    failed: (message: string) => void = () => undefined,
    buffers: ArrayBuffer[] = [],
  ): void {
    this.#done(slot);
    const id = `${this.#prefix}-${(this.#count += 1)}`;
    const timer = window.setTimeout(() => this.#notices.show("late", "error", LATE), PATIENCE);
    this.#pending.set(slot, { id, then, failed, timer });
    try {
      this.#model.send({ id, kind, ...details }, undefined, buffers);
    } catch (error) {
      this.#done(slot);
      const message = `The kernel is gone (${String(error)}). ${READABLE}`;
      this.#notices.show("late", "error", message);
      failed(message);
    }
  }

  /** Hear what the kernel tells every view of the model. */
  on(event: string, heard: (result: Result) => void): void {
    this.#heard.set(event, heard);
  }

  #receive(message: unknown): void {
    if (typeof message !== "object" || message === null) return;
    const { id, event, result, error } = message as { id?: string; event?: string; result?: Result; error?: { message?: string } };
    this.#notices.drop("late");
    if (event !== undefined) {
      this.#heard.get(event)?.(result ?? {});
      return;
    }
    const slot = [...this.#pending].find(([, pending]) => pending.id === id)?.[0];
    if (slot === undefined) return; // an old request, or another view's
    const { then, failed } = this.#pending.get(slot) as Pending;
    this.#done(slot);
    if (error === undefined) {
      then(result ?? {});
      return;
    }
    const words = error.message ?? "The kernel refused and did not say why.";
    this.#notices.show("error", "error", words);
    failed(words);
  }

  #done(slot: string): void {
    window.clearTimeout(this.#pending.get(slot)?.timer);
    this.#pending.delete(slot);
  }

  #forget(): void {
    for (const slot of [...this.#pending.keys()]) this.#done(slot);
  }
}
