"""What a findings ledger concludes from its own rows: facts that disagree, and used values whose every source the model had set aside.

After agentfootprint's later versions. A script row takes no part in it: that a program ran supports nothing.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

LONGEST_VALUE: Final = 120
"""Characters of a value on a contingent row."""

Finding = dict[str, Any]


def current_standings(rows: Iterable[Any]) -> dict[str, Finding]:
    """Return the standing that holds for each judged result: the last that was declared.

    Args:
        rows: a ledger; rows of other kinds, and members that are not known, are skipped.
    """
    return {
        row["toolCallId"]: dict(row) for row in rows if isinstance(row, Mapping) and row.get("kind") == "standing" and isinstance(row.get("toolCallId"), str)
    }


def new_conflicts(rows: Sequence[Any], *, iteration: int) -> list[Finding]:
    """Return a conflict row for each key on which facts disagree and that has none yet.

    Args:
        rows: a ledger.
        iteration: number of the model call at which it is looked at.

    Returns:
        Rows of kind conflict. Only what stands as fact is compared; a key is the kind and id of the subject, the predicate and the epoch; assertions without
        a known value, and those declared to hold several values, take no part.
    """
    known = {row.get("key") for row in rows if isinstance(row, Mapping) and row.get("kind") == "conflict"}
    values: defaultdict[str, dict[str, list[Finding]]] = defaultdict(dict)
    for call_id, standing in current_standings(rows).items():
        for assertion in standing.get("assertions") or () if standing.get("standing") == "fact" else ():
            if isinstance(assertion, Mapping) and _is_comparable(assertion):
                witness = {"toolCallId": call_id, "subject": assertion.get("subject"), "predicate": assertion.get("predicate")}
                values[_key(assertion)].setdefault(_written(assertion["value"]), []).append(witness)
    return [
        {"kind": "conflict", "key": key, "witnesses": [witness for same in by_value.values() for witness in same], "iteration": iteration}
        for key, by_value in values.items()
        if len(by_value) > 1 and key not in known
    ]


def contingent_values(
    carriers: Mapping[str, Sequence[str]], rows: Sequence[Any], *, declared_on: str, iteration: int, truncated: bool = False, cut: Iterable[str] = ()
) -> list[Finding]:
    """Return a contingent row for each used value whose every carrier the model had declared to be other than fact.

    Args:
        carriers: ids of the calls of this turn whose results carried each used value, by its canonical form.
        rows: a ledger with the model's standings.
        declared_on: `answer`, or the id of the call whose arguments use the value.
        iteration: number of the model call.
        truncated: whether the evidence was cut; nothing is concluded from a part of it.
        cut: values that more results carried than were remembered.

    Returns:
        Rows of kind contingent, one per value; none for a value that a fact or a result without a standing carried.
    """
    standings, incomplete = current_standings(rows), set(cut)
    found: list[Finding] = []
    for value, calls in carriers.items() if not truncated else ():
        judged = [(call, standings.get(call, {}).get("standing")) for call in calls]
        if not judged or value in incomplete or len(judged) > 8 or any(standing in (None, "fact") for _, standing in judged):
            continue
        told = [{"toolCallId": call, "standing": standing} for call, standing in judged]
        found.append({"kind": "contingent", "declaredOn": declared_on, "value": value[:LONGEST_VALUE], "carriers": told, "iteration": iteration})
    return found


def _is_comparable(assertion: Mapping[str, Any]) -> bool:
    return assertion.get("value") is not None and not assertion.get("quoted") and not assertion.get("multiValued")


def _key(assertion: Mapping[str, Any]) -> str:
    subject = assertion.get("subject")
    kind, own = (subject.get("kind"), subject.get("id")) if isinstance(subject, Mapping) else (None, subject)
    return _written([kind, own, assertion.get("predicate"), assertion.get("epoch")])


def _written(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)
