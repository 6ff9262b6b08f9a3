"""Logs of HTTP traffic: which of the calls are of a model, which of them belong together, and what the log of which tool looks like."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers import Rows, find_files, survey_files
from tests.readers.made import Record, chat, write_json, write_lines
from tests.readers.reading import account_of, calls_of, codes, read, texts_of

CHAT = "https://api.example.com/v1/chat/completions"
RESPONSES = "https://api.example.com/v1/responses"
MESSAGES = "https://api.example.com/v1/messages?beta=true"
GEMINI = "https://api.example.com/v1beta/models/g-1:generateContent"


def call(url: str, request: Any, response: Any, status: int = 200) -> Record:
    return {"method": "POST", "uri": url, "request": request, "status": status, "response": response}


def completion(text: str, **fields: Any) -> Record:
    message = {"role": "assistant", "content": text} | fields
    return {"id": f"c-{text}", "object": "chat.completion", "model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


def tool(own_id: str, name: str = "find", arguments: str = '{"id": 7}') -> Record:
    return {"tool_calls": [{"id": own_id, "type": "function", "function": {"name": name, "arguments": arguments}}]}


def ask(*messages: tuple[str, str | None] | Record) -> Record:
    return {"model": "m", "messages": chat(messages)}


def format_of(path: Path) -> str | None:
    groups = survey_files(find_files(path.parent)).groups
    return groups[0].reader.format if groups else None


def read_log(tmp_path: Path, *records: Record) -> Rows:
    return read(write_lines(tmp_path / "log.http.jsonl", records))


@pytest.mark.parametrize(
    ("url", "request_body", "response", "format"),
    [
        (CHAT, ask(("user", "Hello")), completion("Hello!"), "openai_chat"),
        (RESPONSES, {"model": "m", "input": "Hello"}, {"object": "response", "output": []}, "openai_responses"),
        (
            MESSAGES,
            {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hello"}]},
            {"type": "message", "content": []},
            "anthropic_messages",
        ),
        (GEMINI, {"contents": [{"role": "user", "parts": [{"text": "Hello"}]}]}, {"candidates": []}, "gemini"),
        ("https://proxy.example.com/llm", ask(("user", "Hello")), completion("Hello!"), "openai_chat"),
    ],
)
def test_a_log_has_the_format_of_most_of_its_calls_or_of_two_with_as_many_of_the_later(
    url: str, request_body: Record, response: Record, format: str, tmp_path: Path
) -> None:
    upload = call("https://traces.example.com/v1/batches", {"spans": []}, {"id": 1}, 201)
    own = call(url, request_body, response)
    other = call(CHAT if format != "openai_chat" else RESPONSES, ask(("user", "Other")), completion("Else"))
    assert format_of(write_lines(tmp_path / "most.jsonl", [upload, own, own, other])) == format
    assert format_of(write_lines(tmp_path / "later.jsonl", [upload, other, own])) == format


def test_calls_of_anything_else_are_left_out_with_their_reason(tmp_path: Path) -> None:
    rows = read_log(
        tmp_path,
        call("https://search.example.com/search", {"query": "lamps"}, {"results": []}),
        call(CHAT, ask(("user", "Hello")), completion("Hello!")),
        call("https://api.example.com/v1/embeddings", {"model": "e", "input": "Hello"}, {"data": []}),
        {"method": "GET", "uri": "https://api.example.com/v1/models", "request": None, "status": 200, "response": {"data": []}},
        {"note": "no exchange"},
    )
    assert codes(rows) == {"not_a_model_call": 3, "not_chat_completions": 1}
    assert {row.severity for row in rows.diagnostics if row.code == "not_a_model_call"} == {"info"}
    assert account_of(rows) == (6, 2, 0, 4)


def test_a_log_without_a_call_of_a_model_is_no_format(tmp_path: Path) -> None:
    assert format_of(write_lines(tmp_path / "log.jsonl", [call("https://search.example.com/search", {"query": "lamps"}, {"results": []})] * 2)) is None


def test_one_log_may_hold_several_conversations_that_alternate(tmp_path: Path) -> None:
    rows = read_log(
        tmp_path,
        call(CHAT, ask(("user", "A")), completion("a")),
        call(CHAT, ask(("user", "B")), completion("b")),
        call(CHAT, ask(("user", "A"), ("assistant", "a"), ("user", "AA")), completion("aa")),
        call(CHAT, ask(("user", "B"), ("assistant", "b"), ("user", "BB")), completion("bb")),
    )
    assert [[turn.prompt for turn in rows.turns if turn.conversation_id == row.conversation_id] for row in rows.conversations] == [["A", "AA"], ["B", "BB"]]
    assert account_of(rows) == (12, 8, 4, 0)


def test_a_branch_is_a_conversation_of_its_own(tmp_path: Path) -> None:
    rows = read_log(
        tmp_path,
        call(CHAT, ask(("user", "A")), completion("a")),
        call(CHAT, ask(("user", "A"), ("assistant", "a"), ("user", "left")), completion("l")),
        call(CHAT, ask(("user", "A"), ("assistant", "a"), ("user", "right")), completion("r")),
    )
    assert [len([turn for turn in rows.turns if turn.conversation_id == row.conversation_id]) for row in rows.conversations] == [2, 2]
    assert codes(rows) == {"equal_conversations": 1}


def test_a_request_that_is_sent_again_after_an_error_continues_the_conversation(tmp_path: Path) -> None:
    refused = call(CHAT, ask(("user", "A")), {"error": {"message": "Slow down."}}, 429)
    rows = read_log(tmp_path, refused, refused, call(CHAT, ask(("user", "A")), completion("a")))
    assert [(model.state, model.error) for model in calls_of(rows, "model")] == [("failed", "Slow down."), ("failed", "Slow down."), ("done", None)]
    assert (len(rows.turns), rows.turns[0].state) == (1, "done")
    assert '"status":429' in str(calls_of(rows, "model")[0].extra)


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ("<html>Bad gateway</html>", 502, "<html>Bad gateway</html>"),
        (None, 503, "HTTP status 503."),
        ({"detail": "No."}, 400, "No."),
        ({"odd": 1}, 200, "There is no reply."),
        ([{"error": {"message": "Overloaded."}}], 529, "Overloaded."),
        ('event: error\ndata: {"type": "error", "error": {"message": "Overloaded."}}\n\n', 200, "Overloaded."),
    ],
)
def test_a_call_that_failed_says_what_came_back(body: Any, status: int, words: str, tmp_path: Path) -> None:
    rows = read_log(tmp_path, call(CHAT, ask(("user", "A")), body, status), call(CHAT, ask(("user", "B")), completion("b")))
    assert calls_of(rows, "model")[0].error == words


def test_a_conversation_goes_on_with_another_service(tmp_path: Path) -> None:
    said = {"content": [{"type": "tool_use", "id": "x", "name": "find", "input": {"id": 7}}], "role": "assistant"}
    returned = {"content": [{"type": "tool_result", "tool_use_id": "x", "content": "found"}], "role": "user"}
    anthropic = {"model": "k", "max_tokens": 9, "system": "Be kind.", "messages": [*chat([("user", "A")]), said, returned]}
    rows = read_log(
        tmp_path,
        call(CHAT, {"model": "m", "messages": chat([("system", "Be brief."), ("user", "A")])}, completion("", **tool("x"))),
        call(
            MESSAGES,
            anthropic,
            {"id": "msg", "type": "message", "role": "assistant", "model": "k", "content": [{"type": "text", "text": "Found."}], "stop_reason": "end_turn"},
        ),
    )
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [("A", "Found.")]
    assert [(tool_call.name, tool_call.output) for tool_call in calls_of(rows)] == [("find", "found")]
    assert [model.name for model in calls_of(rows, "model")] == ["m", "k"]
    assert texts_of(rows, "system") == ["Be brief.", "Be kind."]


def test_a_service_without_ids_and_one_that_gives_ids_of_its_own_agree(tmp_path: Path) -> None:
    asked = {"candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"name": "find", "args": {"id": 7}}}]}, "finishReason": "STOP"}]}
    rows = read_log(
        tmp_path,
        call(GEMINI, {"contents": [{"role": "user", "parts": [{"text": "A"}]}]}, asked),
        call(
            CHAT,
            ask(("user", "A"), {"role": "assistant", "content": None, **tool("made-up")}, {"role": "tool", "tool_call_id": "made-up", "content": "found"}),
            completion("Found."),
        ),
    )
    assert [(row.output, row.state) for row in calls_of(rows)] == [("found", "done")]
    assert (len(rows.conversations), codes(rows)) == (1, {})


def test_results_that_a_client_shortened_still_continue_the_conversation(tmp_path: Path) -> None:
    first: list[Any] = [("user", "A"), {"role": "assistant", "content": None, **tool("x")}, {"role": "tool", "tool_call_id": "x", "content": "a long result"}]
    short: list[Any] = [*first[:2], {"role": "tool", "tool_call_id": "x", "content": "[cleared]"}, ("assistant", "a"), ("user", "B")]
    rows = read_log(tmp_path, call(CHAT, ask(*first), completion("a")), call(CHAT, ask(*short), completion("b")))
    assert len(rows.conversations) == 1
    assert [row.output for row in calls_of(rows)] == ["a long result"]


def test_an_answer_may_be_a_stream_of_events(tmp_path: Path) -> None:
    chunks = [{"id": "c", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": end}]} for text, end in (("Hel", None), ("lo!", "stop"))]
    text = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    rows = read_log(tmp_path, call(CHAT, ask(("user", "A")), text), call(CHAT, ask(("user", "B")), text[: len(text) // 2]))
    assert texts_of(rows, "assistant") == ["Hello!", "Hel"]
    assert [turn.state for turn in rows.turns] == ["done", None]


REQUEST, REPLY = ask(("user", "Hello")), completion("Hello!")
PACKED = base64.b64encode(gzip.compress(json.dumps(REPLY).encode())).decode()


SENT, RECEIVED = json.dumps(REQUEST), json.dumps(REPLY)


def entry(request: Record, response: Record, **fields: Any) -> Record:
    return {"request": {"method": "POST", **request}, "response": response, **fields}


@pytest.mark.parametrize(
    "document",
    [
        {
            "log": {
                "entries": [entry({"url": CHAT, "postData": {"text": SENT}}, {"status": 200, "content": {"mimeType": "application/json", "text": RECEIVED}})]
            }
        },
        {"log": {"entries": [entry({"url": CHAT, "postData": {"text": SENT}}, {"headers": [], "content": {"text": PACKED, "encoding": "base64"}})]}},
        {"interactions": [entry({"uri": CHAT, "body": SENT}, {"status": {"code": 200, "message": "OK"}, "body": {"string": RECEIVED}})], "version": 1},
        {"interactions": [entry({"uri": CHAT, "body": {"string": SENT}}, {"status": {"code": 200}, "body": {"base64_string": PACKED}})]},
        {"interactions": [entry({"uri": CHAT, "parsed_body": REQUEST}, {"status": {"code": 200}, "parsed_body": REPLY})]},
        [entry({"url": CHAT, "headers": {"authorization": "secret"}, "body": SENT}, {"status_code": 200, "headers": {}, "body": REPLY})],
        {"interactions": [entry({"uri": CHAT, "body": SENT}, {"status": {"code": 200}, "body": {"string": PACKED}})]},
        [entry({"url": CHAT, "content": SENT}, {"status": 200, "headers": {}, "body": RECEIVED})],
    ],
    ids=["HAR", "packed HAR", "VCR", "packed VCR", "parsed VCR", "list", "binary VCR", "list of texts"],
)
def test_logs_of_other_tools_are_read_too(document: Any, tmp_path: Path) -> None:
    path = write_json(tmp_path / "log", document)
    assert format_of(path) == "openai_chat"
    rows = read(path)
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [("Hello", "Hello!")]
    assert account_of(rows) == (2, 2, 0, 0)
    assert "secret" not in str(rows.conversations[0].extra)


def test_a_cassette_may_be_yaml(tmp_path: Path) -> None:
    path = tmp_path / "cassette.yaml"
    request, reply = json.dumps(json.dumps(REQUEST)), json.dumps(json.dumps(REPLY))
    lines = [
        "interactions:",
        "- request:",
        f"    body: {request}",
        "    method: POST",
        f"    uri: {CHAT}",
        "  response:",
        "    body:",
        f"      string: {reply}",
    ]
    path.write_text("\n".join([*lines, "    status:", "      code: 200", "      message: OK", "version: 1", ""]), encoding="utf-8")
    rows = read(path)
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [("Hello", "Hello!")]


def test_the_answer_tells_the_service_when_the_address_is_struck_out_and_the_request_looks_like_another_ones(tmp_path: Path) -> None:
    request = {"model": "m", "max_tokens": 9, "stream": True, "messages": [{"role": "user", "content": "Hello"}]}
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello!"}}
    begin = {"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []}}
    events: list[Record] = [begin, {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}, delta, {"type": "message_stop"}]
    stream = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    rows = read_log(tmp_path, call("**REDACTED**", request, stream))
    assert [(row.format, turn.prompt, turn.answer) for row, turn in zip(rows.conversations, rows.turns, strict=True)] == [
        ("anthropic_messages", "Hello", "Hello!")
    ]


@pytest.mark.parametrize("responses", [1, 2, 3])
def test_a_cassette_may_list_requests_and_responses_apart(responses: int, tmp_path: Path) -> None:
    asked = [ask(("user", "Hello")), ask(("user", "Hello"), ("assistant", "Hello!"), ("user", "Bye"))]
    requests = [{"method": "POST", "uri": CHAT, "body": json.dumps(body)} for body in asked]
    replies = [{"body": {"string": json.dumps(completion(text))}, "status": {"code": 200}} for text in ("Hello!", "Bye!", "Nobody asked.")]
    path = write_json(tmp_path / "test_agent.yaml", {"requests": requests, "responses": replies[:responses]})
    assert format_of(path) == "openai_chat"
    rows = read(path)
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [("Hello", "Hello!"), ("Bye", "Bye!" if responses > 1 else None)]
    assert codes(rows) == ({"not_chat_completions": 1} if responses > 2 else {})


def test_what_a_client_without_tool_calls_shows_the_model_stands_after_its_words(tmp_path: Path) -> None:
    acts = [f'Thought: look.\nAction: find\nAction Input: {{"id": {number}}}' for number in (7, 8)]
    shown = [f"{acts[0]}\nObservation: no lamp", f"{acts[1]}\nObservation: a lamp\nIt is blue."]
    made_up = f"{acts[1]}\nObservation: a chair\nFinal Answer: chair"
    records = [
        call(CHAT, ask(("user", "Which?")), completion(acts[0])),
        call(CHAT, ask(("user", "Which?"), ("assistant", shown[0])), completion(made_up)),
        call(CHAT, ask(("user", "Which?"), *(("assistant", text) for text in shown)), completion("Final Answer: lamp")),
    ]
    rows = read_log(tmp_path, *records)
    assert [turn.prompt for turn in rows.turns] == ["Which?"]
    said = [(part.role, part.text) for part in rows.parts]
    observed = [("tool", "Observation: no lamp"), ("tool", "Observation: a lamp\nIt is blue.")]
    assert said == [("user", "Which?"), ("assistant", acts[0]), observed[0], ("assistant", made_up), observed[1], ("assistant", "Final Answer: lamp")]
    assert (len(calls_of(rows, "model")), calls_of(rows), account_of(rows)) == (3, [], (9, 4, 5, 0))


def test_words_about_an_observation_are_no_observation(tmp_path: Path) -> None:
    words = "I saw two things.\nObservation: it is blue.\nObservation: it is new."
    rows = read_log(tmp_path, call(CHAT, ask(("user", "Look"), ("assistant", words), ("user", "And?")), completion("That is all.")))
    assert texts_of(rows, "assistant") == [words, "That is all."]


def test_a_client_may_send_back_only_the_first_of_the_calls_that_it_was_asked_for(tmp_path: Path) -> None:
    both = {"tool_calls": [*tool("call_1")["tool_calls"], *tool("call_2", "find", '{"id": 8}')["tool_calls"]]}
    first, second = ({"role": "assistant", "content": None, **tool(own_id)} for own_id in ("call_1", "call_3"))
    shown: list[Any] = [("user", "Find 7 and 8"), first, {"role": "tool", "tool_call_id": "call_1", "content": "A lamp."}, ("user", "Go on.")]
    records = [
        call(CHAT, ask(("user", "Find 7 and 8")), completion("", **both)),
        call(CHAT, ask(*shown), completion("", **tool("call_3"))),
        call(CHAT, ask(*shown, second, {"role": "tool", "tool_call_id": "call_3", "content": "A chair."}), completion("A lamp and a chair.")),
    ]
    rows = read_log(tmp_path, *records)
    assert [turn.prompt for turn in rows.turns] == ["Find 7 and 8", "Go on."]
    assert [(item.tool_call_id, item.output) for item in calls_of(rows)] == [("call_1", "A lamp."), ("call_2", None), ("call_3", "A chair.")]


def test_a_reply_that_said_nothing_is_not_sent_back(tmp_path: Path) -> None:
    asked = [("user", "Hello"), ("user", "Are you there?")]
    rows = read_log(tmp_path, call(CHAT, ask(asked[0]), completion("")), call(CHAT, ask(*asked), completion("Yes.")))
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [("Hello", None), ("Are you there?", "Yes.")]


def test_thoughts_that_a_client_writes_into_the_text_are_no_other_reply(tmp_path: Path) -> None:
    sent_back = "It is blue.\n\n<think>\nLamps are blue.\n</think>"
    first, again = ("user", "Which colour?"), ("user", "And the chair?")
    rows = read_log(tmp_path, call(CHAT, ask(first), completion("It is blue.")), call(CHAT, ask(first, ("assistant", sent_back), again), completion("Red.")))
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [("Which colour?", "It is blue."), ("And the chair?", "Red.")]


def test_two_of_the_same_questions_without_an_answer_are_two_conversations(tmp_path: Path) -> None:
    rows = read_log(tmp_path, *[call(CHAT, ask(("user", "Hello")), completion(""))] * 2)
    assert len(rows.conversations) == 2


def test_results_of_tools_that_the_service_ran_need_not_be_sent_back(tmp_path: Path) -> None:
    drawn = {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": "iVBORw0KGgo=", "revised_prompt": "a lamp"}
    shorter = {"type": "compaction", "id": "cmp_1", "encrypted_content": "abc"}
    words = {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "Here it is."}]}
    first = {"role": "user", "content": "Draw a lamp"}
    again = {"role": "user", "content": "Now in blue"}
    reply = {"object": "response", "id": "resp_1", "model": "m", "output": [drawn, words, shorter]}
    other = {"object": "response", "id": "resp_2", "model": "m", "output": [words | {"content": [{"type": "output_text", "text": "Blue."}]}]}
    sent_back = [first, {"type": "image_generation_call", "id": "ig_1"}, words, shorter, again]
    rows = read_log(tmp_path, call(RESPONSES, {"model": "m", "input": [first]}, reply), call(RESPONSES, {"model": "m", "input": sent_back}, other))
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [("Draw a lamp", "Here it is."), ("Now in blue", "Blue.")]
    assert [(item.name, item.state) for item in calls_of(rows)] == [("image_generation", "done")]


def test_a_request_that_was_broken_while_something_was_struck_out_is_kept_beside_its_reply(tmp_path: Path) -> None:
    rows = read_log(tmp_path, call(CHAT, '{"messages": [XXX"}]}', completion("Hello!")))
    assert (texts_of(rows), json.loads(rows.conversations[0].extra or "")["request"]) == (["Hello!"], '{"messages": [XXX"}]}')


def frame(kind: str, **fields: Any) -> bytes:
    named = {":event-type": kind, ":content-type": "application/json", ":message-type": "event"}
    headers = b"".join(bytes([len(name)]) + name.encode() + b"\x07" + len(text).to_bytes(2, "big") + text.encode() for name, text in named.items())
    body = json.dumps(fields | {"p": "abc"}).encode()
    sizes = (16 + len(headers) + len(body)).to_bytes(4, "big") + len(headers).to_bytes(4, "big")
    return sizes + b"\0" * 4 + headers + body + b"\0" * 4


CONVERSE = "https://bedrock.example.com/model/lamp-1%3A0/converse"


def test_a_log_of_bedrock_is_read_with_its_calls_results_and_tokens(tmp_path: Path) -> None:
    asked = {"role": "user", "content": [{"text": "Which lamp?"}, {"image": {"format": "png", "source": {"bytes": "iVBORw0KGgo="}}}]}
    use = {"toolUse": {"toolUseId": "u-1", "name": "find", "input": {"id": 7}}}
    result = {"toolResult": {"toolUseId": "u-1", "content": [{"text": "No lamp 7."}], "status": "error"}}
    usage = {"inputTokens": 5, "outputTokens": 3, "cacheReadInputTokens": 10, "cacheWriteInputTokens": 1}
    thought = {"reasoningContent": {"reasoningText": {"text": "Look it up.", "signature": "abc"}}}
    first = {"output": {"message": {"role": "assistant", "content": [thought, use]}}, "stopReason": "tool_use", "usage": usage, "metrics": {"latencyMs": 250}}
    stream = [
        frame("messageStart", role="assistant"),
        frame("contentBlockDelta", contentBlockIndex=0, delta={"text": "There is "}),
        frame("contentBlockDelta", contentBlockIndex=0, delta={"text": "none."}),
        frame("messageStop", stopReason="end_turn"),
        frame("metadata", usage={"inputTokens": 9, "outputTokens": 4}),
    ]
    body = {"string": base64.b64encode(b"".join(stream)).decode()}
    system = [{"text": "You sell lamps."}]
    again = {"messages": [asked, {"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}], "system": system}
    records = [call(CONVERSE, {"messages": [asked], "system": system}, first), call(f"{CONVERSE}-stream", again, body)]
    rows = read_log(tmp_path, *records)
    assert [(model.name, model.input_tokens, model.output_tokens, model.cached_tokens) for model in calls_of(rows, "model")] == [
        ("lamp-1:0", 16, 3, 10),
        ("lamp-1:0", 9, 4, None),
    ]
    assert [(item.name, item.input, item.output, item.state) for item in calls_of(rows)] == [("find", '{"id":7}', "No lamp 7.", "failed")]
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [("Which lamp?", "There is none.")]
    assert [part.text for part in rows.parts if part.type == "reasoning"] == ["Look it up."]
    assert [(part.text, part.mime_type) for part in rows.parts if part.type == "image"] == [("iVBORw0KGgo=", "image/png")]
    assert account_of(rows) == (6, 4, 2, 0)


def test_a_stream_of_bedrock_that_is_cut_inside_a_frame_keeps_what_came(tmp_path: Path) -> None:
    data = b"".join([frame("messageStart", role="assistant"), frame("contentBlockDelta", contentBlockIndex=0, delta={"text": "There "}), frame("x")[:20]])
    request = {"messages": [{"role": "user", "content": [{"text": "Hello"}]}]}
    rows = read_log(tmp_path, call(f"{CONVERSE}-stream", request, {"string": base64.b64encode(data).decode()}))
    assert (texts_of(rows, "assistant"), codes(rows)) == (["There "], {"cut_stream": 1})


def respond(own_id: str, *output: Record, **fields: Any) -> Record:
    return {"object": "response", "id": own_id, "model": "m", "output": list(output), **fields}


def say(text: str, role: str = "assistant") -> Record:
    return {"type": "message", "role": role, "content": [{"type": "output_text" if role == "assistant" else "input_text", "text": text}]}


def test_a_reply_that_was_asked_for_until_it_was_there_is_one_model_call(tmp_path: Path) -> None:
    asked = {"role": "user", "content": "Which lamp?"}
    use = {"type": "function_call", "call_id": "c1", "name": "find", "arguments": "{}"}
    done = respond("r1", use, status="completed", usage={"input_tokens": 5, "output_tokens": 2})
    poll = {"method": "GET", "uri": f"{RESPONSES}/r1?stream=false", "status": 200}
    found = {"type": "function_call_output", "call_id": "c1", "output": "Lamp 7."}
    records = [
        call(RESPONSES, {"model": "m", "background": True, "input": [asked]}, respond("r1", status="queued")),
        poll | {"request": None, "response": respond("r1", status="in_progress")},
        poll | {"request": None, "response": done},
        call(RESPONSES, {"model": "m", "input": [asked, use, found]}, respond("r2", say("Lamp 7."), status="completed")),
    ]
    rows = read_log(tmp_path, *records)
    assert [(model.state, model.input_tokens) for model in calls_of(rows, "model")] == [("done", 5), ("done", None)]
    assert [(item.name, item.output) for item in calls_of(rows)] == [("find", "Lamp 7.")]
    assert [(turn.prompt, turn.answer, turn.state) for turn in rows.turns] == [("Which lamp?", "Lamp 7.", "done")]
    assert (codes(rows), account_of(rows)) == ({}, (8, 4, 4, 0))


def test_a_reply_that_never_came_is_still_being_made(tmp_path: Path) -> None:
    rows = read_log(tmp_path, call(RESPONSES, {"model": "m", "input": "Hello"}, respond("r1", status="queued")))
    assert (codes(rows), rows.turns[0].state) == ({"cut_stream": 1}, None)


def test_a_history_that_was_made_shorter_goes_on_as_the_same_conversation(tmp_path: Path) -> None:
    summary = {"type": "compaction", "id": "cmp_1", "encrypted_content": "abc"}
    history = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hello!"}]
    compacted = {"object": "response.compaction", "id": "r2", "output": [say("Hello", "user"), summary], "usage": {"input_tokens": 9, "output_tokens": 4}}
    records = [
        call(RESPONSES, {"model": "m", "input": history[:1]}, respond("r1", say("Hello!"))),
        call(f"{RESPONSES}/compact", {"model": "m", "input": history}, compacted),
        call(RESPONSES, {"model": "m", "input": [summary, {"role": "user", "content": "Bye"}]}, respond("r3", say("Bye!"))),
    ]
    rows = read_log(tmp_path, *records)
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [("Hello", "Hello!"), ("Bye", "Bye!")]
    assert [model.input_tokens for model in calls_of(rows, "model")] == [None, 9, None]
    assert account_of(rows) == (8, 5, 3, 0)


def test_a_log_that_tells_when_it_happened_dates_the_call(tmp_path: Path) -> None:
    entry = {"startedDateTime": "2026-03-02T09:00:00Z", "time": 1500, "request": {"method": "POST", "url": CHAT, "postData": {"text": json.dumps(REQUEST)}}}
    rows = read(
        write_json(tmp_path / "log.har", {"log": {"entries": [{**entry, "response": {"status": 200, "headers": [], "content": {"text": json.dumps(REPLY)}}}]}})
    )
    (model,) = calls_of(rows, "model")
    assert (model.started_at, model.seconds) == (1772442000000000, 1.5)


@pytest.mark.parametrize("response", [None, 7, "", [], [7], {}, {"choices": 7}, {"choices": [7]}, {"error": 7}, {"error": {}}, "data: 7\n\n", "data: {\n\n"])
@pytest.mark.parametrize("request_body", [None, 7, "", [], {}, {"messages": 7}, {"messages": [7]}, ask(("user", "A"))])
def test_bodies_may_be_anything(request_body: Any, response: Any, tmp_path: Path) -> None:
    rows = read_log(tmp_path, call(CHAT, ask(("user", "A")), completion("a")), call(CHAT, request_body, response))
    read_, kept, merged, skipped = account_of(rows)
    assert read_ == kept + merged + skipped
    assert texts_of(rows, "assistant")[0] == "a"
