"""Mirrored: the outcome of `Client.mirror` for one URL."""

from __future__ import annotations

from typing import Literal, TypeAlias

from anyurl.errors import AnyURLError
from anyurl.url import URL
from anyurl.values import Value

Outcome: TypeAlias = Literal["saved", "kept", "folder", "skipped", "failed", "planned"]


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
