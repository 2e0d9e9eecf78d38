"""Tasks and streams that no scheduler runs."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from anyurl import URL
from anyurl.dialogue import Dialogue
from anyurl.net.loop.judged import Place
from anyurl.net.loop.provenance import Parties
from anyurl.net.loop.stream import Stream
from anyurl.net.loop.task import Task


@dataclass
class Still:
    """An owner of streams whose dialogues wait for ever."""

    max_bytes: int | None = None
    max_entries: int = 10_000
    loop: Any = None
    process: int = field(default_factory=os.getpid)
    reader: Any = "arguments"


def nothing() -> Dialogue:
    yield from ()
    return None


def stream(url: str = "gopher://h/", octets: int | None = None, entries: int = 10_000) -> Stream:
    owner: Any = Still(octets, entries)
    return Stream(owner, Parties(URL(url)))


def task(url: str = "gopher://h/", **settings: Any) -> Task:
    return Task(nothing(), stream(url), Place(URL(url)), **settings)
