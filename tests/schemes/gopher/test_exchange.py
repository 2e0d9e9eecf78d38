"""One exchange: which requests go out, what is a Gopher+ reply, lengths that lie, and what a refusal means."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl import Client, Policy
from anyurl.dialogue import Close, Connect, Dialogue, Follow, Relay, Steps
from anyurl.errors import (
    AnyURLError,
    ConnectionLost,
    DeniedError,
    LimitError,
    Meaning,
    NotFoundError,
    RemoteProtocolError,
    ReplyError,
    Truncated,
    UnavailableError,
)
from anyurl.schemes.gopher.exchange import (
    TABLE,
    ReplyBody,
    ask,
    ask_plus,
    ask_surely,
    begin,
    check_begin,
    read_reply,
    reply_error,
)
from anyurl.schemes.gopher.parts import GopherParts
from anyurl.schemes.gopher.wire.plus import DOTTED, MAX_HEADER_BYTES, UNTIL_CLOSE
from anyurl.schemes.kit.meanings import row_of
from anyurl.testing import three_ways
from anyurl.url import URL
from tests.rows import each_row
from tests.schemes.steps import Link, Played, Said
from tests.servers import WAIT_SECONDS, Connection, Server

URL_ = URL("gopher://h/0x")
PARTS = GopherParts("0", "x")

SAID: list[tuple[str, Meaning]] = [
    # Without a number, pygopherd and others; Gopher+ 2.3.
    ("000 'x' does not exist (no handler found)", "not-found"),
    ("000 Sorry, too many users", "connections"),
    ("000 Access denied", "denied"),
    ("000 Server busy, try again", "busy"),
    ("001 Item is not available.", "not-found"),
    ("002 Try again later", "busy"),
    ("003 moved", "not-found"),
    ("009 odd", "other"),
]


@each_row(("said", "meaning"), SAID, ids=[row[0][:40] for row in SAID])
def test_what_it_means(said: str, meaning: Meaning) -> None:
    assert row_of(TABLE, int(said[:3]), said[4:]).meaning == meaning


def test_a_refusal_is_one_sentence() -> None:
    error = reply_error(URL("gopher://h/0x"), 2, b"Too busy")
    assert (type(error), str(error)) == (UnavailableError, "h asks to try again later: “Too busy”.")
    error = reply_error(URL_, 0, b"too many users")
    assert str(error) == "h does not give gopher://h/0x: “too many users”. Later it may succeed."
    error = reply_error(URL_, 1, b" gone.\r\n", b"Jo <jo@h>")
    assert str(error) == "h does not give gopher://h/0x: “gone.” (its keeper is “Jo <jo@h>”)."
    assert (type(error), error.code, error.text, error.meaning) == (NotFoundError, 1, "gone.", "not-found")
    assert str(reply_error(URL_, 1, b"")) == "h does not give gopher://h/0x and does not say why."
    assert str(reply_error(URL_, 7, b"\x1b[2J")) == r"h does not give gopher://h/0x: “\x1b[2J”."
    long = reply_error(URL_, 7, b"w" * 501, b"a" * 501)
    assert (long.text, str(long).count("w"), str(long).count("a")) == ("w" * 500, 200, 200)


# --- bodies ----------------------------------------------------------------------------------------------------------


def body_of(said: Sequence[Said], first: bytes = b"", length: int = UNTIL_CLOSE) -> ReplyBody:
    return ReplyBody(Link(said, ("h", 70), None), first, length)


def whole(body: ReplyBody) -> Steps[bytes]:
    data = b""
    while piece := (yield from body.receive()):
        data += piece
    return data


@given(st.lists(st.binary(min_size=1, max_size=5), max_size=5), st.binary(max_size=5))
def test_what_came_with_the_head_comes_first(pieces: list[bytes], first: bytes) -> None:
    data = first + b"".join(pieces)
    for length in (UNTIL_CLOSE, DOTTED, len(data)):
        assert Played(whole(body_of(pieces, first, length))).value == data
        assert Played(body_of(pieces, first, length).relay()).content == data


@each_row("first", [b"", b"a", b"abc", b"abcd"])
@each_row("how", ["receive", "relay"])
def test_a_length_that_lies(first: bytes, how: str) -> None:
    def run(rest: bytes, length: int) -> Played:
        body = body_of([rest] if rest else [], first, length)
        return Played(whole(body) if how == "receive" else body.relay())

    rest = b"abcdef"[len(first) :]
    assert run(rest, 6).error is None
    long = run(rest, 5).error
    assert (type(long), str(long)) == (
        RemoteProtocolError, "The server sends more than the 5 octets that it announced.",
    )  # fmt: skip
    short = run(rest, 1_007).error
    assert isinstance(short, Truncated)
    assert str(short) == "The server announced 1,007 octets, but sent only 6."
    assert (short.received, short.expected) == (6, 1_007)


def test_no_more_than_announced_is_handed_on() -> None:
    played = Played(body_of([b"x" * 1000], b"ab", 5).relay())
    assert [ask.limit for ask in played.of(Relay)] == [3]
    assert isinstance(played.error, RemoteProtocolError)
    assert [ask.limit for ask in Played(body_of([b"x"], b"ab").relay()).of(Relay)] == [None]


def test_an_empty_body_is_no_error() -> None:
    assert Played(whole(body_of([], b"", 0))).value == b""
    assert Played(body_of([], b"", 0).relay()).error is None


@pytest.mark.parametrize(
    ("said", "enough", "peeked"),
    [
        ([b"a\nb", b"c"], 10, b"a\nb"),  # the first line is there
        ([b"a", b"b\n", b"c"], 10, b"ab\n"),
        ([b"abc", b"def", b"g"], 4, b"abcdef"),  # enough without a line end
        ([b"abcd", b"e"], 4, b"abcd"),
        ([b"ab"], 10, b"ab"),  # all of a short body
        ([], 10, b""),
    ],
)
def test_a_look_ahead_takes_nothing(said: list[bytes], enough: int, peeked: bytes) -> None:
    body = body_of(said)
    for _ in range(2):
        assert Played(body.peek(enough)).value == peeked
    assert Played(whole(body)).value == b"".join(said)


@pytest.mark.parametrize(("type", "first"), [("9", b"\x89PNG" * 25), ("9", b"3" * 100), ("0", b"Loading ...")])
def test_what_came_is_handed_on_while_the_server_pauses(type: str, first: bytes) -> None:
    """The rest comes when the reader has seen the first octets, and not before."""
    seen = threading.Event()

    def serve(connection: Connection) -> None:
        connection.line()
        connection.send(first)
        assert seen.wait(WAIT_SECONDS)
        connection.send(b" and the rest\r\n")

    with Server(serve) as server, Client(Policy.open()) as client:
        with client.get(f"gopher://{server.authority}/{type}x") as resource:
            pieces = resource.iter_bytes()
            begun = next(pieces)
            seen.set()
            assert first.startswith(begun)
            assert (begun + b"".join(pieces)).replace(b"\r", b"") == first + b" and the rest\n"


@pytest.mark.parametrize("limit", [0, 1, 3, 4, 9])
def test_a_short_body(limit: int) -> None:
    for pieces in three_ways(b"abcd"):
        assert Played(body_of(pieces).read_all(limit)).value == b"abcd"[:limit]


# --- requests --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "port", "tls"),
    [("gopher://h/", 70, False), ("gopher://h:7070/", 7070, False), ("gophers://h:70/", 70, True)],
)
def test_where_it_goes(url: str, port: int, tls: bool) -> None:
    played = Played(begin(URL(url), b"x\r\n"), [])
    [connect] = played.of(Connect)
    assert (connect.host, connect.port, bool(connect.tls), played.sent) == ("h", port, tls, [b"x\r\n"])
    assert played.value is played.links[0]


@pytest.mark.parametrize(
    ("parts", "request_"),
    [
        (GopherParts("1", ""), b"\r\n"),
        (GopherParts("0", "a b"), b"a b\r\n"),
        (GopherParts("7", "s", "two words"), b"s\ttwo words\r\n"),
        (GopherParts("7", "s", ""), b"s\t\r\n"),
        (GopherParts("0", "s", "", ""), b"s\t\t\r\n"),
        (GopherParts("0", "\udcff"), b"\xff\r\n"),
    ],
)
def test_a_plain_request(parts: GopherParts, request_: bytes) -> None:
    played = Played(ask(URL_, parts), [b"+5\r\nhello"])
    assert played.sent == [request_]
    assert (played.value.length, played.value.plus) == (UNTIL_CLOSE, False)  # what looks like a head is content


BOTH = [b"x\t\t+\r\n", b"x\t+\r\n"]
"""As RFC 1738 3.4.3 has it, and as the draft has it."""

REFUSED = b"--1\r\n1 Jo\r\nno\r\n.\r\n"
MOVED = b"--1\r\n3 Jo\r\n0New\t/new\th\t7070\r\n.\r\n"


@each_row(
    ("replies", "sent", "outcome"),
    [
        ([b"+-1\r\nhi"], BOTH[:1], DOTTED),
        ([b"plain", b"+2\r\nhi"], BOTH, 2),
        ([b"plain", b"plain"], BOTH, None),
        ([REFUSED, b"+2\r\nhi"], BOTH, 2),
        ([REFUSED, b"plain"], BOTH, NotFoundError),
        ([REFUSED, b""], BOTH, NotFoundError),  # what a server says counts more than that it hangs up
        ([b"", REFUSED], BOTH, NotFoundError),
        ([b"", b""], BOTH, ConnectionLost),
        ([b"+5", b""], BOTH, ConnectionLost),
        ([b"", b"+5"], BOTH, RemoteProtocolError),
        ([MOVED], BOTH[:1], "gopher://h:7070/0/new"),
    ],
)
def test_both_forms_of_a_request(replies: list[bytes], sent: list[bytes], outcome: object) -> None:
    played = Played(ask_plus(URL_, PARTS, "+"), *[[reply] for reply in replies])
    assert played.sent == sent
    if isinstance(outcome, type):
        assert type(played.error) is outcome
        return
    assert played.error is None
    if isinstance(outcome, str):
        assert isinstance(played.value, Follow)
        assert (str(played.value.url), played.value.permanent) == (outcome, True)
    else:
        assert (played.value and (played.value.length, played.value.plus)) == (outcome and (outcome, True))
    assert len(played.of(Close)) == replies.count(b"plain")


def test_words_leave_one_form_only() -> None:
    played = Played(ask_plus(URL_, GopherParts("7", "s", "w"), "+"), [b"plain"])
    assert (played.sent, played.value) == ([b"s\tw\t+\r\n"], None)


def test_who_must_know_gopher_plus() -> None:
    played = Played(ask_surely(URL_, PARTS, "$"), [b"plain"], [b"plain"])
    assert str(played.error) == "h answers '$' as a server without Gopher+ does."
    assert Played(ask_surely(URL_, PARTS, "$"), [b"+2\r\nhi"]).value.length == 2


# --- heads of replies ------------------------------------------------------------------------------------------------


def read(*said: Said) -> Played:
    def steps() -> Steps[object]:
        return (yield from read_reply(URL_, (yield Connect("h", 70))))

    return Played(steps(), said)


@pytest.mark.parametrize(
    ("head", "length"),
    [(b"+5\r\n", 5), (b"+5\n", 5), (b"+-1\r\n", DOTTED), (b"+-2\r\n", UNTIL_CLOSE), (b"+0\r\n", 0)],
)
def test_a_head_however_it_comes(head: bytes, length: int) -> None:
    for pieces in three_ways(head, b"he"):
        played = read(*pieces)
        assert (played.value.length, played.value.plus) == (length, True)
        assert Played(played.value.peek(2)).value == b"".join(pieces)[len(head) :]


@pytest.mark.parametrize("said", [b"plain", b"\n", b"3no\t\terror.host\t1\r\n", b"+plus\r\n", b"-----\r\n", b"+\r\n"])
def test_what_is_no_head(said: bytes) -> None:
    played = read(said)
    assert (played.value, played.error) == (None, None)


@pytest.mark.parametrize(
    ("said", "error", "words"),
    [
        ([], ConnectionLost, "h closed the connection without an answer."),
        ([b"+5"], RemoteProtocolError, "The first line of the Gopher+ reply of h does not end: "),
        ([b"+" * (MAX_HEADER_BYTES + 1)], LimitError, "is longer than"),
        ([b"+" * (MAX_HEADER_BYTES + 1) + b"\n"], LimitError, "is longer than"),
        ([b"+" * MAX_HEADER_BYTES], RemoteProtocolError, "does not end"),
        ([ConnectionLost("broken")], ConnectionLost, "broken"),
    ],
)
def test_a_head_that_is_none(said: list[Said], error: type[AnyURLError], words: str) -> None:
    played = read(*said)
    assert type(played.error) is error
    assert words in str(played.error)


@pytest.mark.parametrize(
    ("said", "error", "words"),
    [
        (REFUSED, NotFoundError, "h does not give gopher://h/0x: “no” (its keeper is “Jo”)."),
        (b"-14\r\n1 Jo\r\ndenied\r\n", DeniedError, "denied” (its keeper is “Jo”)"),
        (b"-3\r\n2 Jo\r\nlater", UnavailableError, "h asks to try again later"),
        (b"--2\r\n3 Jo\r\nnowhere", NotFoundError, "nowhere"),  # moved, and where to is no URL
        (b"--2\r\n", NotFoundError, "does not say why"),
    ],
)
def test_a_refusal(said: bytes, error: type[ReplyError], words: str) -> None:
    for pieces in three_ways(said):
        played = read(*pieces)
        assert type(played.error) is error
        assert words in str(played.error)


# --- plain servers ---------------------------------------------------------------------------------------------------


@each_row(
    ("type", "said", "outcome"),
    [
        ("0", [b"text"], True),
        ("0", [], False),  # a text may be empty
        ("4", [], False),
        ("6", [], False),
        ("1", [], ConnectionLost),
        ("9", [], ConnectionLost),
        ("0", [b"3no such\t\terror.host\t1\r\n"], NotFoundError),
        ("9", [b"3acc", b"ess denied\t\terror.host\t1\r\n."], DeniedError),
        ("0", [b"3 is a number\r\n"], True),
    ],
)
def test_how_a_plain_reply_begins(type: str, said: list[bytes], outcome: object) -> None:
    def dialogue() -> Dialogue:
        parts = GopherParts(type, "x")
        body = yield from ask(URL_, parts)
        began = yield from check_begin(URL_, parts, body)
        assert began == outcome
        return None

    played = Played(dialogue(), said)
    assert played.error.__class__ is (outcome if not isinstance(outcome, bool) else None.__class__)
