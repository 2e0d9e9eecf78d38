"""A Prospero server for rehearsals that answers from a table: requests and replies as texts.

Rule: a request is known by its commands, decoded; its VERSION and AUTHENTICATE lines are left out, as nobody's answer
depends on them. What is asked that stands in no table is a failure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from anyurl.client.dry_run import DryRun
from anyurl.dialogue import Entry, Options, Verb
from anyurl.schemes import registry
from anyurl.schemes.prospero.wire.ardp_packet import PLEASE_ACKNOWLEDGE, Packet, decode, encode
from anyurl.schemes.prospero.wire.messages import Line, read_request
from anyurl.url import URL
from tests.schemes.prospero.wire.prospero_transcripts import NAMES, conversations, message

Key = tuple[Line, ...]

PIECE = 1250
"""Octets of a message in each packet."""

IDENTITY = (b"VERSION", b"AUTHENTICATE")


def key_of(request: bytes) -> Key:
    """What is asked, without who asks."""
    return tuple(line for line in read_request(request) if line.word not in IDENTITY)


class Table:
    """The fake server of a rehearsal.

    Args:
        replies: What is answered to which commands.

    Attributes:
        asked: The requests that came, in order: where to (the number of the connection) and what.
    """

    def __init__(self, replies: Mapping[Key, bytes]) -> None:
        self._replies = replies
        self.asked: list[tuple[int, Key]] = []
        self._pieces: list[bytes] = []

    def connected(self, link: int) -> bytes:
        return b""

    def received(self, link: int, data: bytes) -> bytes:
        packet = decode(data)
        if packet.number == 0:  # an acknowledgement: the next packet, if there is one
            return self._packet(packet.cid, packet.received_through or 0)
        assert packet.total in (None, 1), "the rehearsed requests are short"
        asked = key_of(packet.payload)
        self.asked.append((link, asked))
        assert asked in self._replies, f"nobody answers {asked}"
        reply = self._replies[asked]
        self._pieces = [reply[at : at + PIECE] for at in range(0, len(reply), PIECE)] or [b""]
        return self._packet(packet.cid, 0)

    def _packet(self, cid: int | None, have: int) -> bytes:
        """One packet at a time, as a window of one has it: a rehearsed connection has no datagrams side by side."""
        if have >= len(self._pieces):
            return b""
        total = len(self._pieces)
        more = PLEASE_ACKNOWLEDGE if have + 1 < total else 0
        return encode(Packet(cid, have + 1, total, 1, 0, more, payload=self._pieces[have]))


def table(replies: Mapping[str, str]) -> Table:
    """A peer from texts, one command a line."""
    return Table({key_of(asked.encode("latin-1")): reply.encode("latin-1") for asked, reply in replies.items()})


def recorded(*names: str) -> dict[Key, bytes]:
    """What the real server answered to which commands, in the transcripts of those names."""
    out: dict[Key, bytes] = {}
    for name in names or NAMES:
        for _cid, its in conversations(name):
            asked = message(each for each in its if each.to_server)
            reply = message(each for each in its if not each.to_server)
            if asked and reply:
                out.setdefault(key_of(asked), b"".join(line + b"\n" for line in _without_version(reply)))
    return out


def _without_version(reply: bytes) -> Iterable[bytes]:
    lines = reply.removesuffix(b"\n").split(b"\n")
    return lines[1:] if lines[0].startswith(b"VERSION 5 ") else lines


def play(peer: Table, url: str, verb: Verb = "get", **options: Any) -> DryRun:
    """Run a verb against a peer."""
    parsed = URL(url)
    return DryRun(registry.verb(parsed, verb)(parsed, Options(**options)), peer).run()


def entries(rehearsal: DryRun) -> list[Entry]:
    """All entries that were emitted."""
    return [entry for batch in rehearsal.emitted for entry in batch]


def urls(rehearsal: DryRun) -> Sequence[str | None]:
    """The URLs of all entries."""
    return [None if entry.url is None else str(entry.url) for entry in entries(rehearsal)]
