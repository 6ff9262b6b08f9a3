"""A widget on a bench: its view in a page, its kernel side in this process, and a stand-in for the model between them."""

from __future__ import annotations

from typing import Any, Final

from playwright.sync_api import Page

from agentnb.widgets._cell import Cell

# A model as anywidget gives it. What is sent goes to Python, whose replies come back; `hold` keeps replies until `release`, `dead` drops what is sent.
MODEL: Final = """
window.makeModel = (name, state) => {
  const heard = new Map();
  const model = {
    sent: [], held: [], hold: false, dead: false,
    get: (key) => state[key],
    set(key, value) { if (state[key] !== value) { state[key] = value; model.emit(`change:${key}`); } },
    save_changes: () => { const trait = 'selected' in state ? 'selected' : 'at'; window.toKernel(name, {trait, value: state[trait]}); },
    on: (event, callback) => { heard.set(event, [...(heard.get(event) ?? []), callback]); },
    off: (event, callback) => { heard.set(event, (heard.get(event) ?? []).filter((each) => each !== callback)); },
    emit: (event, ...args) => { for (const each of heard.get(event) ?? []) each(...args); },
    listeners: () => [...heard.values()].flat().length,
    async send(content) {
      model.sent.push(content);
      if (model.dead) return;
      const replies = await window.toKernel(name, content);
      if (model.hold) model.held.push(replies);
      else for (const reply of replies) model.emit('msg:custom', reply);
    },
    release(order) { for (const at of order) for (const reply of model.held[at]) model.emit('msg:custom', reply); model.held = []; },
  };
  (window.models ??= {})[name] = model;
  return model;
};
window.mount = async (code, name, id) => {
  const url = URL.createObjectURL(new Blob([code], {type: 'text/javascript'}));
  const el = document.createElement('div');
  el.id = id;
  document.body.append(el);
  const ending = new AbortController();
  (window.endings ??= {})[id] = ending;
  (await import(url)).default.render({model: window.models[name], el, signal: ending.signal});
};
window.outside = [];
document.addEventListener('keydown', (event) => window.outside.push(event.key));
"""


class Bench:
    """One page with widgets."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.views: dict[str, Cell] = {}
        page.on("request", lambda request: None if request.url.startswith(("blob:", "about:")) else self.requests.append(request.url))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        page.set_content("<!doctype html><html><head><title>bench</title></head><body></body></html>")
        page.expose_function("toKernel", self._to_kernel)
        page.evaluate(f"() => {{ {MODEL} }}")

    def put(self, view: Cell, name: str = "a") -> None:
        """Put a widget into the page, with one view."""
        state = {key: getattr(view, key) for key in ("_html", "_height", "_page", "_rates", "selected", "_total", "_broke_at", "at") if hasattr(view, key)}
        self.views[name] = view
        self.page.evaluate("([name, state]) => { window.makeModel(name, state); }", [name, state])
        view.observe(lambda change: self._tell(name, change["name"], change["new"]), ["selected", "_html"])
        if len(self.views) == 1:
            self.page.add_style_tag(content=str(view._css))
        self.show(name)

    def show(self, name: str = "a", place: str | None = None) -> None:
        """Show one more view of a widget."""
        view = self.views[name]
        self.page.evaluate("([code, name, id]) => window.mount(code, name, id)", [str(view._esm), name, place or name])

    def select(self, call_id: str, name: str = "a") -> None:
        """Set `selected` from Python."""
        self.views[name].selected = call_id
        self.page.evaluate("([name, id]) => window.models[name].set('selected', id)", [name, call_id])

    def model(self, script: str, name: str = "a") -> Any:
        """Do something with the stand-in for the model, `model`."""
        return self.page.evaluate(f"(name) => {{ const model = window.models[name]; return {script}; }}", name)

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def focused(self) -> str:
        """The id of the turn or call that has the focus."""
        script = "() => { const at = document.activeElement?.closest('[data-call],[data-turn]'); return at?.dataset.call ?? at?.dataset.turn ?? ''; }"
        return str(self.page.evaluate(script))

    def _to_kernel(self, name: str, content: dict[str, Any]) -> list[Any]:
        view, replies = self.views[name], list[Any]()
        if "trait" in content:
            setattr(view, content["trait"], content["value"])
            return []
        send = view.send
        view.send = lambda message, buffers=None: replies.append(message)
        try:
            view._heard(view, content, [])
        finally:
            view.send = send
        return replies

    def _tell(self, name: str, trait: str, value: str) -> None:
        """What changes in Python is told by the test itself, since a call into the page is not possible while the page calls."""
