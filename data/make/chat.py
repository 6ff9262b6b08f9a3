"""How are chats with tools written in the format of OpenAI Chat Completions, and how does tau-bench keep runs of them?"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from data.make.ids import Ids

Record = dict[str, Any]


class Chat:
    """A list of messages that grows."""

    def __init__(self, ids: Ids, system: str, *, tool: Callable[[str, Record], str]) -> None:
        """Start with the system message.

        Args:
            ids: where ids of tool calls come from.
            system: the system message.
            tool: answers a tool call, given its name and arguments.
        """
        self.messages: list[Record] = [{"role": "system", "content": system}]
        self._ids = ids
        self._tool = tool

    def user(self, content: str | list[Record]) -> None:
        """Add what the customer said."""
        self.messages.append({"role": "user", "content": content})

    def agent(self, content: str) -> None:
        """Add what the agent said."""
        self.messages.append({"content": content, "role": "assistant"})

    def call(self, name: str, *, again: str | None = None, **arguments: Any) -> str:
        """Add a tool call and its result.

        Args:
            name: the tool.
            again: id of an earlier call, which this one uses once more.
            arguments: what the tool is given.

        Returns:
            The id of the call.
        """
        call_id = self.ask(name, again=again, **arguments)
        self.answer(call_id, name, arguments)
        return call_id

    def ask(self, name: str, *, again: str | None = None, **arguments: Any) -> str:
        """Add a tool call without a result, and return its id."""
        call = tool_call(again or self._ids.call(), name, arguments)
        self.messages.append({"content": None, "role": "assistant", "tool_calls": [call]})
        return str(call["id"])

    def answer(self, call_id: str, name: str, arguments: Record) -> None:
        """Add the result of a tool call."""
        self.messages.append({"role": "tool", "tool_call_id": call_id, "name": name, "content": self._tool(name, arguments)})


def tool_call(call_id: str, name: str, arguments: Record) -> Record:
    """Return a tool call as a message holds it."""
    return {"function": {"arguments": json.dumps(arguments, separators=(",", ":"), ensure_ascii=False), "name": name}, "id": call_id, "type": "function"}


def tau_run(chat: Chat, *, task_id: int, trial: int, reward: float, task: Record, digest: str) -> Record:
    """Return one run as tau-bench keeps it."""
    reward_info = {"reward": reward, "info": {"r_actions": reward, "gt_data_hash": digest}, "actions": task["actions"]}
    info = {"task": task, "source": "user", "user_cost": round(0.00021 * len(chat.messages), 6), "reward_info": reward_info}
    return {"task_id": task_id, "reward": reward, "info": info, "traj": chat.messages, "trial": trial}


def completion(message: Record, *, ids: Ids, created: int, tokens: tuple[int, int]) -> Record:
    """Return a response of the provider around a message, which cost so many tokens of prompt and of completion."""
    prompt_tokens, completion_tokens = tokens
    usage = {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "total_tokens": prompt_tokens + completion_tokens,
        "prompt_tokens_details": {"cached_tokens": prompt_tokens // 128 // 2 * 128, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0},
    }
    finish = "tool_calls" if message.get("tool_calls") else "stop"
    choice = {"index": 0, "message": {**message, "refusal": None, "annotations": []}, "logprobs": None, "finish_reason": finish}
    head = {"id": f"chatcmpl-{ids.hex(28)}", "object": "chat.completion", "created": created, "model": "gpt-4o-2024-11-20"}
    return {**head, "choices": [choice], "usage": usage, "service_tier": "default", "system_fingerprint": f"fp_{ids.hex(10)}"}


def write_json(path: Path, value: Any) -> None:
    """Write a value as tau-bench does: indented, ASCII only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8", newline="\n")


def write_lines(path: Path, values: list[Record]) -> None:
    """Write values one a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values), encoding="utf-8", newline="\n")
