"""A reply that holds whole runs -> its pieces in order: services run tools themselves, and give their results in the reply that asked for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agentnb.readers.builders.message_list import Asked, Piece, Said


def cut_reply(first: Said, items: Iterable[Piece | Asked | Said]) -> Iterator[Said]:
    """Cut a reply at each result, and where something is said after a call, so that what it holds stays in order.

    Args:
        first: the reply without what it says; what is known of the model call stands with its first piece.
        items: what it says and asks for, and the results of tools that the service ran itself, in order.

    Yields:
        The pieces, all of one model call; the first one stands for the record.
    """
    further = Said("assistant", first.place, at=first.at, zone_assumed=first.zone_assumed, same_step=True, records=0)
    begun, pieces, asked = first, list[Piece](), list[Asked]()
    for item in items:
        is_over = isinstance(item, Said) or (asked and isinstance(item, Piece))
        if is_over and (pieces or asked or begun is first):
            yield begun._replace(pieces=tuple(pieces), asked=tuple(asked))
            begun, pieces, asked = further, [], []
        if isinstance(item, Said):
            yield item._replace(at=first.at, zone_assumed=first.zone_assumed, same_step=True, records=0)
        elif isinstance(item, Asked):
            asked.append(item)
        else:
            pieces.append(item)
    if pieces or asked or begun is first:
        yield begun._replace(pieces=tuple(pieces), asked=tuple(asked))
