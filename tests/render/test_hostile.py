"""Everything recorded is hostile: whatever it says, only our own tags, attributes and addresses come out, and the output is UTF-8."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import agentnb.render
from agentnb import render
from agentnb.rules import explain_rules
from agentnb.values import Call, Message, Part, ScriptRow, Turn, WaitingApproval
from agentnb.values.scripts import program_size
from tests.render.pages import Page
from tests.render.samples import ATTACKS, REFUND, TurnMaker, conversation, hostile_turn

BUDGET = 25_000


def every_view(turn: Turn, attack: str) -> dict[str, str]:
    line, whole = render.turn_line(turn), conversation(turn).model_copy(update={"title": attack, "agent_name": attack, "model": attack, "format": attack})
    page = render.TranscriptPage(conversation=whole.model_copy(update={"turns": ()}), lines=(line,), total=99, turns={turn.turn_id: turn})
    table = render.ResultTable(columns=(attack, "n"), types=("VARCHAR", "BIGINT"), rows=((attack, 1), ({attack: [attack]}, None)), total=3, title=attack)
    card = render.WorkspaceCard(
        turns=1,
        kept_in=attack,
        findings=(render.Finding(mark="✕", word=attack, count=1, query=attack),),
        skipped={attack: 1},
        not_read=((attack, attack),),
        example=attack,
    )
    size = program_size(attack)
    script = ScriptRow(conversation_id="c", turn_id="t", call_id="x", dispatch=1, tool=attack, argument=attack, bytes=size.bytes, lines=size.lines, text=attack,
                       outcome="failed", language=attack, turn=1, iteration=1)  # fmt: skip
    call, rated = turn.calls[2], turn.ratings[0]
    texts: dict[str, Any] = dict.fromkeys(("conversation_id", "turn_id", "name", "path", "effects", "question", "prompt", "program"), attack)
    asked = WaitingApproval(**texts, input=json.dumps({attack: attack}))
    live = render.LiveTurnCard(asked=attack, state=attack, answer=attack, error=attack, waiting=(asked,), tree=f"a\n{attack}", advice=attack, code=(attack,))
    chat = render.LiveConversationCard(conversation_id=attack, program=attack, turns=(live,), total=2)
    earlier = (render.EarlierTurn(turn_index=0, prompt=attack, answer=attack),)
    to_rate: dict[str, Any] = {"title": attack, "format": attack, "earlier": earlier, "earlier_total": 1, "told": explain_rules(turn), "rated_by": attack}
    progress = render.RatingProgress(total=9, done=3, place=4, rated_by=attack)
    return {
        "questions": render.render_questions([asked], by=attack),
        "live question": render.render_question(asked),
        "turn that lives": render.render_live_turn(live),
        "conversation that lives": render.render_live_conversation(chat),
        "turn": render.render_turn(turn),
        "live turn": render.render_turn(turn, live=True, standalone=False),
        "body": render.render_turn_body(turn, live=True, selected=call.call_id),
        "steps": render.render_steps(turn, first_step=1, live=True),
        "sub-agent": render.render_steps(turn, agent=f"a{attack}"),
        "call": render.render_call(call, turn=turn),
        "tree": render.render_call_tree(turn),
        "live tree": render.render_call_tree(turn, live=True, selected=call.call_id, collapsed={call.call_id}),
        "conversation": render.render_conversation(whole),
        "transcript": render.render_transcript(page, live=True, open_turns=(turn.turn_id,)),
        "table": render.render_table(table),
        "card": render.render_card(card),
        "step": render.render_step(turn.steps[0]),
        "message": render.render_message(turn.messages[0]),
        "rating": render.render_rating(rated),
        "rating line": render.render_rating_line(call.call_id, turn.ratings, live=True),
        "approval": render.render_approval(turn.approvals[0]),
        "script": render.render_script(script),
        **{
            f"{each.kind} to rate": render.render_call_to_rate(render.CallToRate(call=each, turn=turn, ratings=turn.ratings, **to_rate), progress, blind=False)
            for each in {one.kind: one for one in turn.calls}.values()
        },
    }


@pytest.mark.parametrize("attack", ATTACKS, ids=range(len(ATTACKS)))
def test_a_text_in_every_place_stays_text(attack: str) -> None:
    for view, html in every_view(hostile_turn(attack), attack).items():
        page = Page(html)
        assert page.elements, view
        assert len(html.encode("utf-8")) <= BUDGET, view
        assert not re.search(
            "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]", re.sub('data-[a-z]+="[^"]*"', "", html)
        ), view


@pytest.mark.parametrize("attack", ATTACKS, ids=range(len(ATTACKS)))
def test_plain_text_holds_no_control_characters(attack: str) -> None:
    turn = hostile_turn(attack)
    texts = [
        render.plain_turn(turn),
        render.plain_call(turn.calls[2]),
        render.plain_step(turn.steps[0]),
        render.plain_conversation(conversation(turn)),
        render.plain_message(turn.messages[0]),
        render.plain_rating(turn.ratings[0]),
        render.plain_approval(turn.approvals[0]),
        render.plain_progress(render.RatingProgress(total=1, rated_by=attack)),
        render.plain_table(render.ResultTable(columns=(attack,), rows=((attack,),), title=attack)),
    ]
    for text in texts:
        text.encode("utf-8")
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)


@pytest.mark.parametrize(
    "unit",
    ["a", "<", "&", '"', "é", "😀", "\x00", "\ud800", "\u202e", "`", "*", "[", "- \n", "> ", "|", "# ", "\n", "\x1b[31m", "sk-", "```\n", "[a](", "{", '{"a":'],
)
def test_a_megabyte_in_every_place_fits_the_budget(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    turn = hostile_turn(text)
    for view, html in every_view(turn, text).items():
        assert len(html.encode("utf-8")) <= BUDGET, view
        Page(html)


def test_deep_json_is_shown_or_said_to_be_too_deep() -> None:
    deep = "[" * 10_000 + "]" * 10_000
    nested: dict[str, object] = {}
    for _ in range(400):
        nested = {"a": nested}
    for written in (deep, '{"a": ' + deep + "}", json.dumps(nested), '{"a": 1e999, "b": NaN}', '"just text"', "not json at all"):
        call = Call(call_id="c", conversation_id="v", turn_id="t", call_index=0, kind="tool", name="x", input=written, output=deep, source_id="s")
        Page(render.render_call(call))


def test_ids_come_back_exactly_as_they_are() -> None:
    ids = ['a"b', "a'b", "<b>", "a&amp;b", "a b  c", "line\nbreak\ttab", "😀", "é\u202e", "x\r\ny", "&#60;", "]]>", "a" * 512]
    maker = TurnMaker("t")
    for identity in ids:
        maker.call("tool", "x", call_id=identity, parent="t")
    page = Page(render.render_call_tree(maker.turn()))
    assert [element.attributes["data-call"] for element in page.elements if element.tag == "tr" and "data-call" in element.attributes] == ["t", *ids]


def test_an_id_that_is_too_long_cannot_be_addressed_but_its_call_is_shown() -> None:
    maker = TurnMaker("t")
    maker.call("tool", "shown", call_id="x" * 100_000, parent="t")
    html = render.render_call_tree(maker.turn())
    assert "shown" in Page(html).text
    assert "xxx" not in html


def test_calls_that_are_their_own_parents_end() -> None:
    maker = TurnMaker("t")
    model = maker.call("model", "m", parent="t")
    tool = maker.call("tool", "tool", parent="t", step_id=model.call_id, call_id="tool")
    maker.call("agent", "agent", parent=tool.call_id, call_id="agent")
    again = maker.call("model", "m2", parent="agent")
    maker.call("tool", "tool", parent="agent", step_id=again.call_id, call_id="tool")
    maker.call("tool", "alone", parent="alone", call_id="alone")
    maker.call("tool", "left", parent="right", call_id="left")
    maker.call("tool", "right", parent="left", call_id="right")
    for view in (render.render_turn, render.render_call_tree):
        assert len(view(maker.turn()).encode()) <= BUDGET


def test_sub_agents_a_hundred_deep_end() -> None:
    maker, agent = TurnMaker("t"), "t"
    for level in range(100):
        tool = maker.step("deeper", {"name": "Task", "arguments": {"level": level}}, agent=agent)[0]
        agent = maker.call("agent", f"agent {level}", parent=tool.call_id).call_id
    for view in (render.render_turn, render.render_call_tree):
        html = view(maker.turn())
        Page(html)
        assert len(html.encode()) <= BUDGET


def test_hidden_instructions_become_visible() -> None:
    secret = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    message = Message(
        message_index=0,
        role="user",
        parts=(
            Part(
                conversation_id="c", turn_id="t", message_index=0, part_index=0, role="user", type="text", text=f"hi{secret}", agent_call_id="t", source_id="s"
            ),
        ),
    )
    assert "hi[U+E006F][U+E0062][U+E0065][U+E0079]" in Page(render.render_message(message)).text


def test_no_event_handler_and_no_address_that_runs_code_can_be_made() -> None:
    from agentnb.render import _markup as markup

    attempts: list[Callable[[], object]] = [
        lambda: markup.tag("script", "x"),
        lambda: markup.tag("style", "x"),
        lambda: markup.tag("iframe"),
        lambda: markup.tag("img"),
        lambda: markup.tag("div", onclick="x"),
        lambda: markup.tag("div", srcdoc="x"),
        lambda: markup.tag("div", id="x"),
        lambda: markup.tag("a", href="javascript:alert(1)"),
        lambda: markup.tag("a", href=" https://example.com"),
        lambda: markup.tag("i", style="background:url(https://example.com)"),
        lambda: markup.style_sheet("</style>"),
    ]
    for attempt in attempts:
        with pytest.raises(ValueError, match=r"made here|no '<'"):
            attempt()
    assert markup.link("javascript:alert(1)", "text") == "text"


def test_only_one_file_makes_tags() -> None:
    folder = Path(agentnb.render.__file__).parent
    for path in [*folder.glob("*.py"), folder.parent / "display.py"]:
        source = path.read_text("utf-8")
        if path.name != "_markup.py":
            assert not re.search(r"""["'][^"'\n]*</?[a-z][a-z0-9]*[ >]""", re.sub(r'""".*?"""', "", source, flags=re.DOTALL)), path.name
            assert "Html(" not in source, path.name


def test_a_refund_shows_its_arguments_as_they_are() -> None:
    maker = TurnMaker("t")
    maker.step("I refund.", {"name": "refund", "arguments": REFUND, "output": "ok"})
    assert '{ "order_id": "W2378156", "amount": 1290.0, "method": "gift_card" }' in Page(render.render_turn(maker.turn())).text
