"""A news server as a script: a session that answers as it should, but for what a cell puts in its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.evil.player import Link, Step, Steps, send

HEAD = b"From: Me <me@evil.test>\r\nSubject: good\r\nMessage-ID: <1@evil.test>\r\n"
CAPABILITIES = b"VERSION 2\r\nREADER\r\nOVER\r\nHDR\r\nNEWNEWS\r\n"


def block(first: bytes, data: bytes) -> Step:
    """A reply and its block, whose dots stand as they are given."""
    return send(first + b"\r\n" + data + b".\r\n")


class Session:
    """What one connection plays.

    Args:
        article: What ARTICLE is answered with, the reply included.
        overview: The lines of OVER.
        replies: Steps in the place of an answer, by command.
        greeting: What it greets with.
        capabilities: Lines of CAPABILITIES.
        group: What GROUP is answered with.
        lasting: The session goes on after an article or a listing.
    """

    def __init__(
        self,
        article: Steps | None = None,
        *,
        overview: bytes = b"",
        replies: Mapping[bytes, Steps] | None = None,
        greeting: Steps | None = None,
        capabilities: bytes = CAPABILITIES,
        group: bytes = b"211 9 1 9 a.b",
        lasting: bool = False,
    ) -> None:
        self._lasting = lasting
        self._greeting = greeting if greeting is not None else send(b"200 ready\r\n")
        self._answers: dict[bytes, Steps] = {
            b"CAPABILITIES": block(b"101 this", capabilities),
            b"MODE": send(b"200 ready\r\n"),
            b"GROUP": send(group + b"\r\n"),
            b"OVER": block(b"224 lines", overview),
            b"ARTICLE": article if article is not None else send(b"430 no\r\n"),
            b"LIST": block(b"215 groups", b""),
            b"HDR": block(b"225 fields", b"1 5\r\n"),
            b"HEAD": block(b"221 1 <1@evil.test>", HEAD),
            b"QUIT": send(b"205 good-bye\r\n"),
            **(replies or {}),
        }

    def __call__(self, link: Link) -> None:
        """Play it: this is a step."""
        link.run(self._greeting)
        while line := link.line():
            verb = line.partition(b" ")[0].upper()
            link.run(self._answers.get(verb, send(b"500 what?\r\n")))
            if verb in (b"ARTICLE", b"OVER") and not self._lasting:
                return


def overview(subjects: Sequence[bytes]) -> bytes:
    """Overview lines of articles with these subjects."""
    rest = b"Me <me@evil.test>\tTue, 20 Dec 1994 00:00:00 GMT"
    lines = (
        b"%d\t%s\t%s\t<%d@evil.test>\t\t9\t1\r\n" % (number, name, rest, number)
        for number, name in enumerate(subjects, 1)
    )
    return b"".join(lines)
