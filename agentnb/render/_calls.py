"""One call: a line that folds, with input, output, approval, sub-agents and ratings inside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from agentnb.render._code import code, parsed, pretty_json, terminal
from agentnb.render._images import image_element
from agentnb.render._index import TurnIndex
from agentnb.render._marks import VERDICT_MARKS, mark_of, marked
from agentnb.render._markup import Child, Html, flag, join, tag
from agentnb.render._numbers import amount, facts, lasted
from agentnb.render._programs import Ran
from agentnb.render._room import Detail
from agentnb.render._secrets import DOTS, names_secret
from agentnb.render._text import one_line
from agentnb.render.script_row import script_change, script_facts
from agentnb.values import Approval, Call, Rating

PROGRAMS: Final = {"command": "bash", "cmd": "bash", "code": "python", "script": "python", "program": "python", "sql": "sql", "query": None}
"""Arguments that carry a program, with the language as a rule; the tool's name or a file's ending may say otherwise."""
BESIDE: Final = frozenset({"description", "timeout", "timeout_ms", "run_in_background", "workdir", "language", "restart"})
"""Arguments beside a program that the line leaves out."""
LONGEST_LINE: Final = 110
SHORT_INPUT: Final = 400
"""Where less than this is shown of an input, it is not shown again when the line above shows all of it."""
IMAGES: Final = 8
"""Images of one result that are shown."""
SHORT_ERROR: Final = 400
"""Characters up to which an output in the colour of errors can still be read well."""


@dataclass(frozen=True)
class Scene:
    """What a renderer needs to know about the view around it."""

    index: TurnIndex
    """Who belongs to whom."""
    detail: Detail
    """How much of each text is shown."""
    live: bool = False
    """Whether a kernel answers: only then there are controls."""
    selected: str | None = None
    """Id of the selected call."""


def call_element(scene: Scene, call: Call, *, nested: Sequence[Html] = (), unfold: bool | None = None) -> Html:
    """Show one tool call.

    Args:
        scene: the view around it.
        call: the call.
        nested: what its sub-agents did, already rendered.
        unfold: whether it starts unfolded; without it a call that failed does where the detail allows.
    """
    mark = mark_of(call)
    opened = scene.detail.unfold and mark.level == "bad" if unfold is None else unfold
    return call_frame(scene, call, marked(mark), arguments_line(call), facts(_exit(call), lasted(call.seconds)), body=_body(scene, call, nested), unfold=opened)


def call_frame(scene: Scene, call: Call, mark: Html, line: str, known: str, *, body: Child, unfold: bool = False, repeats: bool = False) -> Html:
    """Put a call's line and body into the element that folds."""
    roles: dict[str, Any] = {"role": "treeitem", "aria_level": 2, "aria_selected": flag(call.call_id == scene.selected)} if scene.live else {}
    state = "failed" if call.failed else call.state or "untold"
    summary = tag(
        "summary",
        tag(
            "span",
            join(mark, tag("b", one_line(call.name, 80) or "unnamed", class_="name"), tag("code", line, class_="args"), by=" "),
            join(" ", tag("span", known, class_="facts")) if known else None,
            class_="line",
        ),
    )
    return tag(
        "details",
        summary,
        tag("div", body, class_="body"),
        class_=f"call {state}{' repeats' if repeats else ''}",
        data_call=call.call_id,
        open=unfold or call.call_id == scene.selected,
        **roles,
    )


def rating_line(call_id: str, ratings: Iterable[Rating], *, live: bool = False) -> Html | None:
    """Show who rated a call how, and where a kernel answers the buttons to do it.

    Args:
        call_id: the call or turn.
        ratings: its ratings, oldest first; those that no longer count are left out.
        live: whether there are buttons.

    Returns:
        The line; None when there is nothing to show.
    """
    counted = [rating for rating in ratings if rating.counts and rating.verdict][-6:]
    said = [tag("span", marked(VERDICT_MARKS[rating.verdict or ""]), " ", _rated(rating), class_="rating dim") for rating in counted]
    if not live:
        return tag("div", tag("span", "Rated", class_="dim"), " ", join(said, by=" "), class_="rate", data_call=call_id) if said else None
    verdict = counted[-1].verdict if counted else None
    buttons = [
        tag("button", f"{mark.mark} {word}", type="button", class_=mark.level, data_action="rate", data_verdict=word, aria_pressed=flag(word == verdict))
        for word, mark in VERDICT_MARKS.items()
    ]
    others = [("answer", "right answer…"), ("note", "note…"), *([("rate", "withdraw")] if verdict else [])]
    buttons += [tag("button", word, type="button", data_action=action, data_verdict=word if action == "rate" else None) for action, word in others]
    return tag("div", join(tag("span", "Is this right?", class_="dim"), buttons, said, by=" "), class_="rate", data_call=call_id)


def approval_line(approval: Approval) -> Html:
    """Show one question to a person and what became of it."""
    asked = one_line(approval.question, 200) if approval.question else "Was it allowed?"
    if approval.answer is None:
        told, level = "◔ waits for a person", "warn"
    else:
        told = f"{'✓ approved' if approval.answer == 'yes' else '⊘ denied'} by {one_line(approval.answered_by, 80) if approval.answered_by else 'a person'}"
        level = "good" if approval.answer == "yes" else "warn"
    reason = join(" — ", tag("span", one_line(approval.reason, 300))) if approval.reason else None
    return tag("div", tag("span", asked, class_="dim"), " ", tag("span", told, class_=f"mark {level}"), reason, class_="approval")


def _body(scene: Scene, call: Call, nested: Sequence[Html]) -> list[Child]:
    failed, detail = mark_of(call).level == "bad", scene.detail
    limit = detail.failed if failed else detail.got
    shape = "out" if not failed else "out bad" if len(call.output or "") <= SHORT_ERROR else "out failed"
    images = scene.index.images[call.call_id]
    error = call.error if call.error and call.error != call.output and call.error not in (call.output or "") else None
    ran = scene.index.programs.of(call)
    return [
        script_facts(ran.row) if ran is not None and ran.row is not None and detail.colour else None,
        arguments_element(call, detail, ran),
        script_change(ran.change, detail) if ran is not None else None,
        [approval_line(approval) for approval in scene.index.approvals[call.call_id][:5]],
        nested,
        _output(call.output, detail, limit, shape, failed=failed) if call.output else None,
        terminal(error, limit=limit, class_="out bad") if error else None,
        [image_element(part, most=detail.picture, live=scene.live) for part in images[:IMAGES]],
        tag("div", amount(len(images) - IMAGES, "more image"), class_="dim") if len(images) > IMAGES else None,
        tag("div", "no output", class_="dim") if call.output == "" and not error and not images else None,
        rating_line(call.call_id, scene.index.ratings[call.call_id], live=scene.live),
    ]


def _output(output: str, detail: Detail, limit: int, shape: str, *, failed: bool) -> Html:
    """Show a result: a JSON object that fits is laid out, anything else is what a terminal would show."""
    if not failed and output.lstrip()[:1] in ("{", "[") and len(output) <= limit:
        value = parsed(output)
        if isinstance(value, dict | list):
            return pretty_json(value, limit=limit, colour=detail.colour)
    return terminal(output, limit=limit, tail=limit * 3 // 5 if failed else limit // 3, class_=shape)


def arguments_element(call: Call, detail: Detail, ran: Ran | None = None) -> list[Html]:
    """Show what a tool was given: programs as code, a replaced text as a difference, all else as JSON; nothing where the line above says it all."""
    if not call.input or call.input in ("{}", "null"):
        return []
    arguments = parsed(call.input)
    if isinstance(arguments, str):
        return [code(arguments, _spoken(ran, "input"), limit=detail.put, colour=detail.colour)]
    if not isinstance(arguments, dict):
        return [pretty_json(arguments, limit=detail.put, colour=detail.colour)]
    line = arguments_line(call)
    if detail.put < SHORT_INPUT and "…" not in line and not set(arguments) & BESIDE:
        return []
    if change := _change(arguments):
        rest = {key: value for key, value in arguments.items() if key not in change}
        return [_rest(rest, detail, brief=True), code(_difference(*(arguments[key] for key in change)), "diff", limit=detail.put, colour=detail.colour)]
    texts = {key: value for key, value in arguments.items() if isinstance(value, str) and _is_program(key, value)}
    if ran is not None and ran.argument in arguments:
        texts[ran.argument] = ran.text
    rest = {key: value for key, value in arguments.items() if key not in texts}
    labelled = len(arguments) > 1
    shown = [_rest(rest, detail, brief=bool(texts))] if rest else []
    for key, value in list(texts.items())[:8]:
        label = tag("div", one_line(key, 60), class_="label") if labelled else None
        shown.append(join(label, code(value, _spoken(ran, key) or _language(call.name, key, arguments), limit=detail.put, colour=detail.colour)))
    return shown


def _spoken(ran: Ran | None, argument: str) -> str | None:
    return ran.language if ran is not None and ran.argument == argument else None


def _change(arguments: dict[str, Any]) -> tuple[str, str] | None:
    pairs = (("old_string", "new_string"), ("old_str", "new_str"))
    return next((pair for pair in pairs if all(isinstance(arguments.get(key), str) for key in pair)), None)


def _difference(old: str, new: str) -> str:
    """Write a replaced text as a difference: lines that both have at the beginning and the end are left out."""
    before, after = old.rstrip("\n").split("\n"), new.rstrip("\n").split("\n")
    same = 0
    while same < min(len(before), len(after)) and before[same] == after[same]:
        same += 1
    tail = 0
    while tail < min(len(before), len(after)) - same and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    gone, come = before[same : len(before) - tail], after[same : len(after) - tail]
    return "\n".join([*(f"-{line}" for line in gone), *(f"+{line}" for line in come)])


def _rest(arguments: dict[str, Any], detail: Detail, *, brief: bool) -> Html:
    """Show the arguments that carry no program: beside one that does, on one line where they are short."""
    line = ", ".join(_named(key, value) for key, value in arguments.items()) if brief and len(arguments) <= 6 else ""
    plain = line and len(line) <= 160 and not any(isinstance(value, (dict, list)) or len(str(value)) > 60 for value in arguments.values())
    return tag("div", line, class_="label") if plain else pretty_json(arguments, limit=detail.put, colour=detail.colour)


def _is_program(key: str, value: str) -> bool:
    return "\n" in value.strip() or key in PROGRAMS


def _language(name: str, key: str, arguments: dict[str, Any]) -> str | None:
    lowered = name.lower()
    if "python" in lowered or "ipython" in lowered:
        return "python"
    if key == "query" and "sql" in lowered:
        return "sql"
    path = next((str(arguments[place]) for place in ("file_path", "path", "filename", "notebook_path") if isinstance(arguments.get(place), str)), "")
    ending = path.rsplit(".", 1)[-1].lower() if "." in path else None
    return PROGRAMS.get(key, ending)


def arguments_line(call: Call) -> str:
    """Say in one line what a tool was given."""
    if not call.input:
        return ""
    arguments = parsed(call.input)
    if not isinstance(arguments, dict):
        return one_line(arguments if isinstance(arguments, str) else call.input, LONGEST_LINE)
    program = next((key for key in PROGRAMS if isinstance(arguments.get(key), str)), None)
    if program is not None and not set(arguments) - {program} - BESIDE:
        return one_line(arguments[program], LONGEST_LINE)
    return one_line(", ".join(_named(key, value) for key, value in list(arguments.items())[:12]), LONGEST_LINE)


def _named(key: str, value: Any) -> str:
    return f'{key}="{DOTS}"' if names_secret(key) else f"{key}={_brief(value)}"


def _brief(value: Any) -> str:
    if isinstance(value, str):
        return f'"{one_line(value, 60)}"'
    if isinstance(value, dict):
        return "{…}" if value else "{}"
    if isinstance(value, list):
        return f"[{amount(len(value), 'item')}]" if value else "[]"
    return {True: "true", False: "false", None: "null"}.get(value, str(value)[:40]) if value is None or isinstance(value, bool) else str(value)[:40]


def _exit(call: Call) -> str | None:
    return None if call.exit_code is None else f"exit {call.exit_code}"


def _rated(rating: Rating) -> str:
    answer = f"right: {one_line(rating.answer, 120)}" if rating.answer else None
    return facts(
        "by " + one_line(rating.rated_by or rating.account or "someone", 60), ", ".join(one_line(reason, 40) for reason in rating.reasons[:5]) or None, answer,
        one_line(rating.note, 240) if rating.note else None,
    )  # fmt: skip
