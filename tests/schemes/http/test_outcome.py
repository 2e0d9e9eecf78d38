"""What an answer to a request of the caller's own making amounts to."""

from __future__ import annotations

from typing import Any

import pytest

from anyurl.dialogue import Channel, Describe, Follow, Note, Relay, Response
from anyurl.dialogue.http import HttpOptions, check_fields
from anyurl.errors import AnyURLError, NotFoundError, RemoteProtocolError, ReplyError, Truncated
from anyurl.schemes.http.outcome import settle
from anyurl.url import URL
from tests.rows import each_row

HERE = URL("http://h.dom/x")


def play(
    status: int, *headers: tuple[str, str], http: HttpOptions | None = None, octets: int = 0
) -> tuple[list[Any], Follow | None]:
    steps = settle(HERE, Response(status, "1.1", list(headers), Channel()), http or HttpOptions())
    asks: list[Any] = []
    answer: Any = None
    try:
        while True:
            asks.append(steps.send(answer))
            answer = octets if isinstance(asks[-1], Relay) else None
    except StopIteration as end:
        return asks, end.value


def wanting(fields: dict[str, str], method: str = "GET") -> HttpOptions:
    return HttpOptions(method, check_fields(fields))


@each_row("method", ["POST", "PATCH", "DELETE", "PUT"])
@each_row("status", [301, 302, 307, 308])
def test_what_changes_something_is_sent_to_no_other_origin(method: str, status: int) -> None:
    away = ("location", "http://other.dom/y")
    if method == "POST" and status in (301, 302):  # becomes a GET
        assert play(status, away, http=HttpOptions(method, content=True))[1] is not None
        return
    with pytest.raises(ReplyError, match="nothing is sent there unless you name it"):
        play(status, away, http=HttpOptions(method, content=True))
    asks, follow = play(status, ("location", "/y"), http=HttpOptions(method, content=True))
    assert (asks, str(follow.url) if follow else None) == ([], "http://h.dom/y")


def test_who_wants_no_error_gets_the_redirection() -> None:
    asks, follow = play(307, ("location", "http://o.dom/"), http=HttpOptions("POST", content=True, check=False))
    assert follow is None
    assert asks[0].attributes["status"] == 307


def test_a_no_is_an_error_unless_the_caller_wants_the_answer() -> None:
    with pytest.raises(NotFoundError):
        play(404)
    asks, _ = play(404, ("content-length", "3"), http=HttpOptions(check=False), octets=3)
    assert (asks[0].attributes["status"], asks[0].size, type(asks[1])) == (404, 3, Relay)


@pytest.mark.parametrize("field", ["If-None-Match", "If-Modified-Since"])
def test_not_modified_is_an_answer_to_who_asked(field: str) -> None:
    date = "Sun, 06 Nov 1994 08:49:37 GMT"
    asks, _ = play(304, ("etag", '"a"'), ("last-modified", date), http=wanting({field: "x"}))
    assert [(ask.size, ask.etag, ask.modified) for ask in asks] == [(0, '"a"', 784111777.0)]
    with pytest.raises(ReplyError):
        play(304, ("etag", '"a"'))


def test_a_part_is_an_answer_to_who_asked() -> None:
    part = (("content-range", "bytes 2-4/10"), ("content-length", "3"))
    asks, _ = play(206, *part, http=wanting({"Range": "bytes=2-4"}), octets=3)
    assert [(ask.start, ask.size) for ask in asks if isinstance(ask, Describe)] == [(2, 10)]
    with pytest.raises(RemoteProtocolError, match="part"):
        play(206, *part)
    with pytest.raises(RemoteProtocolError, match="does not say which part it sent"):
        play(206, http=wanting({"Range": "bytes=2-4"}))
    several = ("content-type", "multipart/byteranges; boundary=x")
    assert play(206, several, http=wanting({"Range": "bytes=0-1,4-5"}))[0][0].type == "multipart/byteranges"
    with pytest.raises(Truncated):
        play(206, *part, http=wanting({"Range": "bytes=2-4"}), octets=2)


@pytest.mark.parametrize(("status", "method"), [(204, "POST"), (205, "POST"), (200, "HEAD")])
def test_an_answer_without_a_body_is_not_waited_for(status: int, method: str) -> None:
    asks, _ = play(status, ("content-length", "7"), http=HttpOptions(method))
    assert [type(ask) for ask in asks] == [Describe]


def test_the_headers_come_along() -> None:
    asks, _ = play(200, ("x-own", "a"), ("set-cookie", "b=c"))
    assert list(asks[0].headers) == [("x-own", "a"), ("set-cookie", "b=c")]
    assert "set-cookie" not in asks[0].attributes


def test_every_error_is_of_the_tree() -> None:
    for status in range(100, 600):
        for http in (HttpOptions(), HttpOptions("POST", content=True), HttpOptions(check=False)):
            try:
                play(status, http=http)
            except AnyURLError:
                pass


@pytest.mark.parametrize(("place", "noted"), [("http://u:p@h.dom/y", 1), ("http://u:p@other.dom/y", 1), ("/y", 0)])
def test_what_a_redirection_loses_is_noted(place: str, noted: int) -> None:
    asks, follow = play(302, ("location", place))
    assert follow is not None
    assert [type(ask) for ask in asks] == [Note] * noted
