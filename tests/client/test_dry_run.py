"""Dry runs: each ask has an ideal answer, and a line where something would be sent; no secret is in one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from anyurl.client import dry_run as module
from anyurl.client.dry_run import IDEAL_ADDRESS, IDEAL_NOW, DryRun, FakeConnection, dry_run
from anyurl.dialogue import (
    Ask,
    AskSecret,
    Channel,
    Close,
    Commit,
    Connect,
    ConnectData,
    Consent,
    Describe,
    Dialogue,
    Emit,
    Follow,
    GiveWay,
    Keep,
    ListFolder,
    LocalName,
    Monotonic,
    Note,
    Now,
    OpenFile,
    OpenFolder,
    Options,
    Random,
    Receive,
    Relay,
    Rewind,
    Secret,
    Secure,
    Send,
    StatFile,
    Take,
    Wait,
)
from anyurl.errors import AnyURLError, LocalProtocolError, UnknownSchemeError, UnsupportedError
from anyurl.url import URL


class Peer:
    """A server that greets, and answers each line with the same line."""

    def connected(self, link: int) -> bytes:
        return b"hello %d\n" % link

    def received(self, link: int, data: bytes) -> bytes:
        return data.upper()


class Telling(Peer):
    """One whose protocol has no lines."""

    def tell(self, data: bytes) -> list[str]:
        return [f"a message of {len(data)} octets"]


def nothing() -> Dialogue:
    yield from ()
    return None


def answered(*asks: Ask[Any] | Callable[..., Ask[Any]], peer: Any = None, secret: Secret | None = None) -> Any:
    """The answers to asks, each made of the answers before where it is a function; and the run."""
    run = DryRun(nothing(), Peer() if peer is None else peer, secret=secret)
    answers: list[Any] = []
    for ask in asks:
        answers.append(run.answer(ask(*answers) if callable(ask) else ask))
    return answers, run


CONNECT = Connect("h\x1b", 21)


@pytest.mark.parametrize(
    ("ask", "line"),
    [
        (CONNECT, "connect to h\\x1b port 21"), (Connect("h", 1, tls=True), "connect to h port 1 over TLS"),
        (Connect("h", 1, transport="udp"), "connect to h port 1 by UDP"),
    ],
)  # fmt: skip
def test_connections(ask: Connect, line: str) -> None:
    (first, second), run = answered(ask, ask)
    assert run.lines == [line, line]
    assert (first.number, second.number) == (1, 2)
    assert (first.peer, first.inbox) == (("192.0.2.1", ask.port), b"hello 1\n")
    assert IDEAL_ADDRESS == "192.0.2.1"  # documentation space (RFC 5737)


def test_what_is_sent_is_shown_and_answered() -> None:
    (_, _, one, two, three, _, closed, *_), run = answered(
        CONNECT,
        lambda link: Send(link, b"a\r\nb\x1b\xff"),
        lambda link, *_: Receive(link, 5),
        lambda link, *_: Receive(link, 1000),
        lambda link, *_: Receive(link, 1000, within=2.5),
        lambda link, *_: Send(link, b"c"),
        lambda link, *_: Close(link),
        Monotonic(),
    )
    assert run.lines[1:] == ["> a", "> b\\x1b\\xff", "> c"]
    assert (one, two, three) == (b"hello", b" 1\nA\r\nB\x1b\xff", b"")
    assert run.sent == {1: b"a\r\nb\x1b\xffc"}
    assert closed is None


def test_a_clock_goes_on_where_nothing_would_come() -> None:
    run = DryRun(nothing(), Peer())
    link = run.answer(CONNECT)
    times = []
    for within in (5.0, 5.0, None, 2.0):
        run.answer(Receive(link, 100, within=within))
        times.append(run.answer(Monotonic()))
    assert times == [0.0, 5.0, 5.0, 7.0]
    assert run.answer(Now()) == IDEAL_NOW == 786240000.0  # 1 December 1994


def test_messages_without_lines_are_told_by_the_server_and_none_without_one() -> None:
    _, run = answered(CONNECT, lambda link: Send(link, b"12345"), peer=Telling())
    assert run.lines[1:] == ["> a message of 5 octets"]
    run = DryRun(nothing(), None)
    link = run.answer(CONNECT)
    run.answer(Send(link, b"x"))
    assert (link.inbox, run.answer(Receive(link, 9)), run.lines[1:]) == (b"", b"", ["> x"])


@pytest.mark.parametrize(
    ("line", "shown"),
    [(b"PASS s3cret", "> PASS ***"), (b"PASS s3cret ", "> PASS s3cret "), (b"GET ftp://u:pw@h/", "> GET ftp://u:***@h/"),
     (b"s3cret", "> ***"), (b"USER me", "> USER me")],
)  # fmt: skip
def test_passwords_are_not_shown(line: bytes, shown: str) -> None:
    _, run = answered(CONNECT, lambda link: Send(link, line), secret=Secret("s3cret"))
    assert run.lines[1:] == [shown]
    _, run = answered(Connect("h", 1, secret=Secret("s3cret")), lambda link: Send(link, line))
    assert run.lines[1:] == [shown]


def test_other_connections_and_what_they_hand_out() -> None:
    (control, data, _, size, some, ready, _, _), run = answered(
        CONNECT,
        lambda control: ConnectData(control, 2000),
        lambda control, *_: Secure(control, "h\x1b"),
        lambda control, *_: Relay(control),
        lambda _, data, *__: Relay(data, limit=4),
        lambda _, data, *__: Wait(data, 100),
        lambda control, *_: Keep(control, "key", None),
        GiveWay(),
    )
    assert run.lines[1:] == [
        "connect to the same address at the port that the server names", "begin TLS, for the name h\\x1b",
        "deliver everything received, to its end", "deliver everything received, to its end",
    ]  # fmt: skip
    assert (data.number, data.peer) == (2, ("192.0.2.1", 2000))
    assert (size, some, run.emitted) == (8, 4, [b"hello 1\n", b"hell"])
    assert ready.data == b"o 2\n"
    assert control.closed is False
    assert run.answer(Close(control)) is None
    assert control.closed is True


def test_files() -> None:
    (read, _, _, _, document, folder, listing, none, _, name), run = answered(
        OpenFile("/a\x1b"), OpenFile("/a", "replace"), OpenFile("/a", "append"), lambda _, new, *__: Send(new, b"x"),
        StatFile("/a/b"), StatFile("/a/b/"), OpenFolder("/a"), lambda *answers: ListFolder(answers[6]),
        lambda _, new, *__: Commit(new), LocalName(),
    )  # fmt: skip
    assert run.lines == [
        "read file /a\\x1b", "write a new file /a", "append to the file /a", "write the caller's octets",
        "look at /a/b", "look at /a/b/", "list the directory /a", "give the new file its name",
    ]  # fmt: skip
    assert (read.size, read.modified, run.answer(Receive(read, 9))) == (0, IDEAL_NOW, b"")
    assert [(each.name, each.kind, each.size, each.modified) for each in (document, folder)] == [
        ("b", "document", 0, IDEAL_NOW), ("b", "listing", 0, IDEAL_NOW),
    ]  # fmt: skip
    assert (none, name) == ([], ("localhost",))
    assert isinstance(listing, Channel)
    assert run.answer(Close(listing)) is None


def test_the_caller() -> None:
    (taken, again, secret, octets, *_), run = answered(
        Take(), Rewind(), AskSecret("h\x1b", "me", "password"), Random(3), Consent("form"), Consent("delivery"),
        Consent("delivery", "Shall I?"), Note("by the way"), Emit(b"x"), Describe("listing"), Describe("document"),
    )  # fmt: skip
    assert (taken, again, secret.reveal(), octets) == (b"", True, "<the password>", b"\0\0\0")
    assert run.lines == [
        "take the caller's octets (here: none)", "ask for the password of me at h\\x1b, if the server wants one",
        "ask the policy whether a form may be answered", "ask the policy whether a message may be sent in your name",
        "ask you and the policy whether a message may be sent in your name", "(by the way)",
    ]  # fmt: skip
    assert run.emitted == [b"x"]
    assert run.described.kind == "document"


def test_a_run_ends_as_its_dialogue_does() -> None:
    def follows() -> Dialogue:
        yield Note("x")
        return Follow(URL("ftp://u:pw@h/"), "301")

    run = DryRun(follows(), None).run()
    assert run.lines == ["(x)", "go on at ftp://u:***@h/ (301)"]
    assert run.follow is not None
    assert DryRun(nothing(), None).run().follow is None

    def endless() -> Dialogue:
        while True:
            yield Now()

    with pytest.raises(LocalProtocolError) as caught:
        DryRun(endless(), None).run()
    assert str(caught.value) == "The dialogue did not end within 100,000 steps."
    assert module.MAX_STEPS == 100_000
    assert FakeConnection(3, None).number == 3


# --- of URLs ---------------------------------------------------------------------------------------------------------


def test_a_request_of_http() -> None:
    lines = list(dry_run("http://u:pw@h/a?b=c"))
    assert lines[:3] == ["connect to h port 80", "> GET /a?b=c HTTP/1.1", "> Host: h"]
    assert next(iter(dry_run("https://h:444/"))) == "connect to h port 444 over TLS"
    assert not any("pw" in line for line in dry_run("http://u:pw@h/a?b=c"))
    assert list(dry_run("http://h/", "put"))[1:2] == ["> PUT / HTTP/1.1"]
    assert "> (the caller's octets)" in list(dry_run("http://h/", "put"))


@pytest.mark.parametrize(
    ("url", "verb", "lines"),
    [
        ("file:///a", "get", ["look at /a", "read file /a", "deliver everything received, to its end"]),
        ("gopher://h/0a#x", "get", ["connect to h port 70", "> a"]),
        ("gopher://h/0a%09b", "get", ["connect to h port 70", "> a\\x09b"]),
        (URL("data:,x"), "get", []),
    ],
)
def test_others(url: URL | str, verb: Any, lines: list[str]) -> None:
    assert list(dry_run(url, verb)) == lines


def test_options_reach_the_dialogue_and_faults_are_raised() -> None:
    assert list(dry_run("gopher://h/7a", "search", Options(words="two words")))[1] == "> a\\x09two words"
    for url, verb, kind in (("x-nothing:a", "get", UnknownSchemeError), ("telnet://h/", "list", UnsupportedError)):
        with pytest.raises(kind):
            list(dry_run(url, verb))  # type: ignore[arg-type]
    with pytest.raises(AnyURLError):
        list(dry_run("http://h:x/"))
    with pytest.raises(TypeError, match="expected a URL or a str, not bytes"):
        list(dry_run(b"http://h/"))  # type: ignore[arg-type]
