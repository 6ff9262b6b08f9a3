"""What people said about calls: right or wrong."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from agentnb.values._base import Value

Verdict = Literal["right", "wrong"]
Origin = Literal["review", "edit", "import"]
RatingKind = Literal["verdict", "tags"]


class Rating(Value):
    """One judgement of one call by one person; a row of the `ratings` table.

    Never edited: a changed mind is a later rating, a withdrawn one a later rating with a null verdict. Per named person the latest counts. Tags alone
    (open coding) are of a kind of their own: they neither count nor take a verdict back.
    """

    rating_id: str
    """Id of the rating, a UUID version 7."""
    call_id: str
    """The call or turn that was judged."""
    kind: RatingKind = "verdict"
    """What was said: verdict, or tags alone, which neither count nor take anything back."""
    verdict: Verdict | None = None
    """right or wrong; null withdraws what the same person said before."""
    rated_by: str | None = None
    """The person's name; null when only the account is known."""
    account: str | None = None
    """The account of the operating system, when no person was named."""
    rated_at: datetime
    """When, in UTC."""
    answer: str | None = None
    """The right answer as JSON; only with wrong."""
    outputs: str | None = None
    """JSON object of further right outputs by name; only with wrong."""
    reasons: tuple[str, ...] = ()
    """Short reasons for the verdict."""
    tags: tuple[str, ...] | None = None
    """Open codes; the latest of a person that are not null replace those before, an empty list takes them back."""
    note: str | None = None
    """Free text."""
    origin: str | None = None
    """How it came about: review, edit or import; null in records that do not say."""
    sample: str | None = None
    """Name of the random draw that the call came from."""
    call_name: str | None = None
    """Name of the call when it was rated."""
    call_digest: str | None = None
    """Digest of the call's input when it was rated; a different one now means that the call changed."""
    counts: bool = True
    """Whether it counts: the latest of its person, and not withdrawn."""
