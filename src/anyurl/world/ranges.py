"""Ranges of a document, for the servers of the world that speak http (RFC 9110 14)."""

from __future__ import annotations


def requested_range(field: str, size: int) -> tuple[int, int] | None:
    """The range that a request asks for, as the octets from and to; None for the whole document (RFC 9110 14.2).

    Args:
        field: The value of ``Range``; a field with several ranges is ignored.
        size: Octets of the document. A range that begins after them is returned, and can't be satisfied.
    """
    unit, _, spec = field.partition("=")
    first, dash, last = spec.strip().partition("-")
    if unit.strip().lower() != "bytes" or not dash or len(first + last) > 40:
        return None
    if not ((first + last).isascii() and (first + last).isdecimal()):
        return None
    if not first:
        return max(0, size - int(last)), size
    if last and int(last) < int(first):
        return None
    return int(first), min(size, int(last) + 1) if last else size
