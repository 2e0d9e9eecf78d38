"""Mirrored: the outcome of `Client.mirror` for one URL."""

from __future__ import annotations

from typing import Literal, TypeAlias

from anyurl.errors import AnyURLError
from anyurl.url import URL
from anyurl.values import Value

Outcome: TypeAlias = Literal["saved", "kept", "folder", "skipped", "failed", "planned"]

SECRET = "A server wrote a password into this URL: neither the work list nor the name of a file may contain it."

A_LINK = "It is a directory that was not listed as one, such as a link: with '/' at its end it is listed."

IN_THE_WAY = "It is empty, and it is not made here: a file or a link has its name. Without that, it is made."

NOT_ARCHIVED = "It is unchanged and was not requested: nothing of it was added to the archive."

EARLIER = (
    "Documents saved so far: {count:,}. A run before this one recorded in another archive or in none, and they are not "
    "requested again: some are not in this one."
)


class Mirrored(Value):
    """The outcome for one URL of a mirror.

    Attributes:
        url: The URL.
        path: Its path below the folder, components joined with ``/``; empty without one.
        outcome: ``saved``; ``kept`` (unchanged); ``folder``; ``skipped``; ``failed``; ``planned`` (dry run).
        size: Octets, or None.
        error: Why it failed, or None.
        note: A remark for the user, or empty.
    """

    url: URL
    path: str
    outcome: Outcome
    size: int | None = None
    error: AnyURLError | None = None
    note: str = ""
