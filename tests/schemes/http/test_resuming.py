"""Every answer that a server may give to the request for the rest of a document, and what is kept of it."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from anyurl.dialogue import Channel, Describe, Options, Receive, Relay, Request, Response, Resume
from anyurl.errors import AnyURLError, RemoteProtocolError, Truncated
from anyurl.saving.save import Destination
from anyurl.schemes.http.fields import format_date
from anyurl.schemes.http.verbs import get
from anyurl.url import URL

URL_OF_IT = URL("http://example.org/x")
OLD = bytes(range(100))
NEW = bytes(reversed(range(90)))
PORTAL = b"<title>Log in</title>"
HAD = 40
DATE = 800_000_000.0
DATES = {"": "", "same": format_date(DATE), "newer": format_date(DATE + 900), "older": format_date(DATE - 900)}
RANGES = {
    "": "", "rest": f"bytes {HAD}-99/100", "all": "bytes 0-99/100", "none": "bytes */100", "odd": f"bytes={HAD}-99/100",
    "later": "bytes 60-99/100", "junk": "lines 1-2/3",
}  # fmt: skip


class Body(Channel):
    """What is left of a body."""

    __slots__ = ("octets",)

    def __init__(self, octets: bytes) -> None:
        super().__init__()
        self.octets: bytes = octets

    def take(self, at_most: int | None) -> bytes:
        taken = self.octets[:at_most]
        self.octets = self.octets[len(taken) :]
        return taken


class Reply(NamedTuple):
    """What a server sends: which octets, and what it says of them."""

    status: int
    content: str
    range: str
    etag: str
    dated: str
    length: str
    type: str

    @property
    def octets(self) -> bytes:
        return {"old": OLD, "new": NEW, "portal": PORTAL, "tail": OLD[HAD:], "": b""}[self.content]

    def response(self) -> Response:
        fields = {
            "content-range": RANGES[self.range],
            "etag": {"": "", "same": '"1"', "weak": 'W/"1"', "other": '"2"'}[self.etag],
            "last-modified": DATES[self.dated],
            "content-length": str(len(self.octets)) if self.length else "",
            "content-type": self.type,
        }
        told = [(name, value) for name, value in fields.items() if value]
        return Response(self.status, "1.1", told, Body(self.octets))


def replies() -> Iterator[Reply]:
    for status in (200, 206, 304, 403, 404, 416, 503):
        ranges = ("", "rest", "all", "none", "odd", "later", "junk") if status in (200, 206, 416) else ("",)
        for content, span in itertools.product(("old", "new", "portal", "tail"), ranges):
            for etag, dated in itertools.product(("", "same", "weak", "other"), ("", "same", "newer", "older")):
                for length, kind in itertools.product(("", "true"), ("text/plain", "text/html")):
                    yield Reply(status, content, span, etag, dated, length, kind)


def is_honest(reply: Reply) -> bool:
    """Whether its fields belong to its octets: no client can see through a lie in all of them."""
    old = reply.content in ("old", "tail")
    if not old and (reply.etag in ("same", "weak") or reply.dated == "same" or reply.range):
        return False
    if old and (reply.etag == "other" or reply.dated == "newer"):
        return False
    if reply.content == "portal" and (reply.etag or (reply.dated == "newer" and reply.type == "text/plain")):
        return False
    if reply.content == "tail":
        silent = reply.range not in ("rest", "odd") and reply.status in (200, 206)
        # A tail that nothing marks as one is seen by its length, or by comparing it.
        return not silent or bool(reply.etag) or bool(reply.dated)
    return not (reply.content == "old" and reply.range in ("rest", "odd", "later") and not reply.length)


class Arrived:
    """A resource, for `Destination`."""

    def __init__(self, told: Describe) -> None:
        self.url, self.start, self.size = URL_OF_IT, told.start, told.size
        self.modified, self.etag, self.content_type = told.modified, told.etag, told.type
        self.attributes = told.attributes


def run_get(folder: Path, first: Reply | None, *, force: bool = False, cut: int | None = None) -> AnyURLError | None:
    """One ``get --continue``: the first request is answered so, others by a server that does as HTTP says."""
    waiting = [first] if first is not None else []
    with Destination(folder / "x", go_on=True, force=force) as destination:
        dialogue = get(URL_OF_IT, Options(resume=destination.resume(URL_OF_IT) or Resume(0)))
        answer: Any = None
        try:
            while True:
                ask = dialogue.send(answer)
                answer = None
                if isinstance(ask, Request):
                    ranged = any(name == "Range" for name, _ in ask.headers)
                    honest = (206, "tail", "rest") if ranged else (200, "old", "")
                    reply = waiting.pop() if waiting else Reply(*honest, "same", "same", "true", "text/plain")
                    answer = reply.response()
                elif isinstance(ask, Describe):
                    destination.prepare(Arrived(ask))
                elif isinstance(ask, Receive):
                    assert isinstance(ask.channel, Body)
                    answer = ask.channel.take(ask.at_most)
                elif isinstance(ask, Relay):
                    assert isinstance(ask.channel, Body)
                    octets = ask.channel.take(ask.limit)
                    destination.write(octets[:cut])
                    if cut is not None and cut < len(octets):
                        raise Truncated("cut", received=cut)
                    answer = len(octets)
        except StopIteration:
            destination.finish()
            return None
        except AnyURLError as error:
            return error


def part_of(folder: Path) -> bytes:
    part = folder / "x.anyurl-part"
    return part.read_bytes() if part.exists() else b""


def begin(folder: Path) -> None:
    for name in os.listdir(folder):
        (folder / name).unlink()
    first = Reply(200, "old", "", "same", "same", "true", "text/plain")
    assert isinstance(run_get(folder, first, cut=HAD), Truncated)
    assert part_of(folder) == OLD[:HAD]


def test_no_answer_loses_octets_mixes_documents_or_never_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _fd: None)  # no power failure is tried here, and thousands of files are
    tried = 0
    for reply in filter(is_honest, replies()):
        begin(tmp_path)
        error = run_get(tmp_path, reply)
        tried += 1
        if error is None:
            proven_new = reply.content == "new" and (reply.etag == "other" or reply.dated == "newer")
            assert (tmp_path / "x").read_bytes() in ((OLD, NEW) if proven_new else (OLD,)), reply
            continue
        assert part_of(tmp_path)[:HAD] == OLD[:HAD], (reply, error)
        assert OLD.startswith(part_of(tmp_path)), (reply, error)
        assert run_get(tmp_path, None) is None, reply  # the same command, when the server is itself again
        assert (tmp_path / "x").read_bytes() == OLD, reply
    assert tried > 1_000


def test_force_always_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _fd: None)
    for reply in filter(is_honest, replies()):
        if reply.status != 200 or reply.content == "tail" or (reply.content == "new" and reply.length == ""):
            continue
        begin(tmp_path)
        assert run_get(tmp_path, reply, force=True) is None, reply


@pytest.mark.parametrize("cut", [0, 10, HAD, HAD + 20])
def test_a_whole_that_breaks_off_takes_nothing_of_what_was_there(tmp_path: Path, cut: int) -> None:
    begin(tmp_path)
    reply = Reply(200, "old", "", "same", "", "", "")
    assert isinstance(run_get(tmp_path, reply, cut=cut), Truncated)
    assert part_of(tmp_path) == OLD[: max(cut, HAD)]


def test_the_sentence_says_what_came(tmp_path: Path) -> None:
    begin(tmp_path)
    error = run_get(tmp_path, Reply(200, "portal", "", "", "", "true", "text/html"))
    assert isinstance(error, RemoteProtocolError)
    assert "a document of 21 octets of type “text/html” with the title “Log in”" in str(error)
