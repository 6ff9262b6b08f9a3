// WHAT A WIDGET IS GIVEN: the part of anywidget's interface that is used here.

export interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  send(content: unknown, callbacks?: undefined, buffers?: ArrayBuffer[]): void;
  on(event: string, heard: (...args: never[]) => void): void;
  off(event: string, heard: (...args: never[]) => void): void;
  /** Finds the models of other widgets by their ids. */
  widget_manager?: { get_model(id: string): Promise<Model> };
}

export interface RenderProps {
  model: Model;
  el: HTMLElement;
  signal?: AbortSignal;
}

export function text(model: Model, name: string): string {
  const value = model.get(name);
  return typeof value === "string" ? value : "";
}

/** Listen to the model until the view ends. */
export function listen(model: Model, event: string, heard: (...args: never[]) => void, signal: AbortSignal): void {
  model.on(event, heard);
  signal.addEventListener("abort", () => model.off(event, heard), { once: true });
}
