"""The captured conversations of `tests/data/wais`, for the tests of the codec, the scheme and the world's server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from anyurl.schemes.wais.wire import fields as tags
from anyurl.schemes.wais.wire.messages import INIT, Apdu, MessageReader, WaisMessage, read_message

DATA = Path(__file__).parent / "data" / "wais"

IDENTITY = frozenset(
    {tags.AUTHENTICATION, tags.IMPLEMENTATION_ID, tags.IMPLEMENTATION_NAME, tags.IMPLEMENTATION_VERSION}
)
"""Fields of an Init in which a client names itself; ours names nobody."""


@cache
def names() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in DATA.glob("[0-9]*.json")))


@cache
def transcript(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    return loaded


def streams(name: str) -> Iterator[tuple[str, bytes]]:
    """What each side of each connection said, in one piece: direction and octets."""
    frames = transcript(name)["frames"]
    for connection in sorted({frame["conn"] for frame in frames}):
        for direction in ("c2s", "s2c"):
            said = [frame for frame in frames if (frame["conn"], frame["dir"]) == (connection, direction)]
            yield direction, b"".join(bytes.fromhex(frame.get("hex", "")) for frame in said)


def messages(data: bytes) -> list[WaisMessage]:
    return MessageReader(lenient=True).feed(data)


def frames() -> Iterator[tuple[str, int, str, bytes, Any]]:
    """Every frame with octets: name, number, direction, octets, and what another program made of it."""
    for name in names():
        for number, frame in enumerate(transcript(name)["frames"]):
            if frame.get("hex"):
                yield name, number, frame["dir"], bytes.fromhex(frame["hex"]), frame.get("decoded")


def exchanges() -> Iterator[tuple[str, WaisMessage, WaisMessage | None]]:
    """Every whole request, and the reply that the real server gave to it; None where it closed instead."""
    for name in names():
        for connection in sorted({frame["conn"] for frame in transcript(name)["frames"]}):
            request: WaisMessage | None = None
            reader = MessageReader(lenient=True)
            for frame in transcript(name)["frames"]:
                octets = bytes.fromhex(frame.get("hex", ""))
                if frame["conn"] != connection:
                    continue
                if frame["dir"] == "c2s":
                    read = reader.feed(octets)
                    request = read[0] if len(read) == 1 else request
                elif request is not None:
                    replies = messages(octets)
                    yield name, request, replies[0] if replies else None
                    request = None


def anonymous(apdu: Apdu) -> Apdu:
    """A request without what names the client."""
    if apdu.pdu != INIT:
        return apdu
    return Apdu(INIT, apdu.head, tuple(field for field in apdu.fields if field[0] not in IDENTITY), apdu.blocks)


@cache
def answers() -> dict[bytes, bytes]:
    """What the real server answered to each request, by the octets of its APDU without the client's identity.

    Where it answered the same request differently (after a smaller buffer was agreed upon), the first answer stands.
    """
    found: dict[bytes, bytes] = {}
    for _, request, reply in exchanges():
        apdu = None
        if request.header.encoding == b" " and request.header.version == b"2" and reply is not None:
            apdu = read_message(request)
        if apdu is not None and reply is not None:
            found.setdefault(anonymous(apdu).octets(), reply.octets())
    return found
