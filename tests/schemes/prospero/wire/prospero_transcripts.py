"""The transcripts of real Prospero clients and servers: `tests/data/prospero`, one JSON file each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[3] / "data" / "prospero"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))


class Datagram:
    """One datagram of a transcript.

    Attributes:
        to_server: Which way it went.
        at: Seconds since the first.
        data: Its octets.
        dropped: It did not arrive.
        port: The client's, where it was noted.
    """

    def __init__(self, row: dict[str, Any]) -> None:
        self.to_server = row["dir"] == "c2s"
        self.at = float(row["t"])
        self.data = bytes.fromhex(row["hex"])
        self.dropped = bool(row.get("dropped"))
        self.port = row.get("client_port", 0)

    @property
    def cid(self) -> int:
        return int.from_bytes(self.data[1:3]) if len(self.data) >= 3 and self.data[0] >= 3 else 0


@cache
def transcript(name: str) -> dict[str, Any]:
    """A transcript as its file has it."""
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
    return found


def datagrams(name: str) -> list[Datagram]:
    """The datagrams of a transcript, in order."""
    return [Datagram(row) for row in transcript(name)["packets"]]


def conversations(name: str) -> Iterator[tuple[int, list[Datagram]]]:
    """The datagrams of each connection of a transcript, by its number and the client's port."""
    found: dict[tuple[int, int], list[Datagram]] = {}
    for each in datagrams(name):
        if each.data and each.data[0] < 32:
            found.setdefault((each.cid, each.port), []).append(each)
    for (cid, _port), its in found.items():
        yield cid, its


def message(pieces: Iterator[Datagram]) -> bytes:
    """The message that packets of one direction carry."""
    parts: dict[int, bytes] = {}
    for each in pieces:
        length = each.data[0]
        number = int.from_bytes(each.data[3:5]) if length >= 5 else 1
        if number:
            parts.setdefault(number, each.data[length:])
    return b"".join(parts[number] for number in sorted(parts))
