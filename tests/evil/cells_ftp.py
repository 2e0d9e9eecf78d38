"""Column F: ftp and ftps (RFC 959, RFC 1738 3.2, RFC 2428, RFC 3659, RFC 4217)."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import Any

from tests.evil.cell import Cell, Column
from tests.evil.common import add_connection, add_tls
from tests.evil.ftp_session import Session, answer, play_on
from tests.evil.local import Folder, save
from tests.evil.naming import add_names
from tests.evil.outcomes import AUTH, DENY, LIMIT, LOST, OK, PROTO, REPLY, TIMEOUT, TRUNC
from tests.evil.player import Link, Player, close, expect, hold, mark, reset, send, send_forever, send_slow
from tests.evil.rig import EVIL, SECRET, Got, Rig
from tests.evil.saving import add_saving, check_trace
from tests.evil.terminal import add_terminal

CONTENT = b"something good\n"
LONG = b"x" * 65536


def listed(style: str) -> Callable[[Sequence[bytes]], Session]:
    """A server whose listing, in one of the three forms, has these names."""

    def script(names: Sequence[bytes]) -> Session:
        if style == "mlsd":
            lines = [b"type=file;size=4; %s\r\n" % name for name in names]
        elif style == "list":
            lines = [b"-rw-r--r-- 1 ftp ftp 4 Jan 01 2020 %s\r\n" % name for name in names]
        else:
            lines = [b"%s\r\n" % name for name in names]
        return Session(send(b"".join(lines)), features=[b"MLST type*;size*;"] if style == "mlsd" else [])

    return script


def text(octets: bytes) -> Session:
    """A server that sends a text."""
    return Session(send(octets))


COLUMN = Column(
    "F",
    "ftp",
    good=Session(send(CONTENT), size=len(CONTENT), time=b"20200101000000", lasting=True),
    path="/good",
    content=CONTENT,
    half=[Session([send(b"something"), mark("body"), hold()], size=len(CONTENT), time=b"20200101000000")],
    stream=Session(send_forever(LONG)),
    login=True,
)

add_connection(COLUMN, greeting=b"220 ready, and slow\r\n")
add_tls(COLUMN, "ftps", "/good")
add_tls(COLUMN, "ftps", "/good", before=[send(b"220 ready\r\n"), expect(b"^AUTH TLS\r\n$"), send(b"234 go on\r\n")],
        port=21, what="after AUTH")  # fmt: skip
add_saving(COLUMN, resumes=True)
for _style in ("mlsd", "list", "nlst"):
    add_names(
        COLUMN, listed(_style), "/;type=d" if _style == "nlst" else "/", what=_style.upper(),
        words={
            # In LIST a line without a name is no line, and a bare CR or NUL ends nothing.
            "E4 empty": None,
            "E4 dot": None,
            "E4 dots": None,
        },
    )  # fmt: skip
add_terminal(COLUMN, text, "/x.txt", listed("list"), "/")


# --- what is played --------------------------------------------------------------------------------------------------


def says(**answers: bytes) -> Session:
    """A server as it should be, but for these answers."""
    replies = {verb.encode(): answer(octets) for verb, octets in answers.items()}
    return Session(send(CONTENT), size=len(CONTENT), replies=replies)


def at(verb: bytes, *steps: Any) -> Session:
    """A server as it should be, but for these steps at a command."""
    return Session(send(CONTENT), size=len(CONTENT), replies={verb: steps})


def _greets(*steps: Any) -> Session:
    return Session(send(CONTENT), greeting=steps)


def _after_data(*steps: Any, data: Any = None, size: int | None = None) -> Session:
    """A server that sends its data, and then does these steps instead of saying that it was all."""

    def transfer(link: Link) -> None:
        link.send(b"150 here it comes\r\n")
        play_on(link, data or send(CONTENT))
        link.run(steps)

    return Session(replies={b"RETR": transfer}, size=size)


def _stale(rig: Rig) -> Got:
    """A reply that nobody asked for ends the session: it is not taken for the answer to the next command."""
    rig.serve(at(b"TYPE", answer(b"200 so be it\r\n200 and this is stale")))
    got = rig.fetch()
    assert rig.servers[0].hits == 1
    return got


def _bounced(rig: Rig) -> Got:
    """227 names another host: nothing goes there, and the data come from the control connection's own."""
    other = rig.enter(Player([], host="127.0.0.2"))
    port: list[int] = []

    def offer(link: Link) -> None:
        from tests.evil.ftp_session import listen

        port.append(listen(link))
        link.send(b"227 there (127,0,0,2,%d,%d)\r\n" % divmod(port[0], 256))

    rig.serve(Session(send(CONTENT), replies={b"EPSV": answer(b"500 what?"), b"PASV": offer}))
    got = rig.fetch()
    assert got.data == CONTENT, got
    assert other.hits == 0
    return got


def _never_active(rig: Rig) -> Got:
    """Whatever is refused: the client never lets the server connect to it."""
    server = rig.serve(says(EPSV=b"500 what?", PASV=b"500 what?"))
    got = rig.fetch()
    assert not {b"PORT", b"EPRT", b"LPRT"} & {line[:4] for line in bytes(server.received[0]).split(b"\r\n")}
    assert got.word == "REPLY", got
    got.word = OK
    return got


def _sends(url: str, line: bytes) -> Callable[[Rig], Got]:
    def run(rig: Rig) -> Got:
        server = rig.serve(Session(send(CONTENT)))
        got = rig.fetch(url)
        assert line in bytes(server.received[0]), bytes(server.received[0])
        return got

    return run


def _refuses_before(url: str) -> Callable[[Rig], Got]:
    """The octets of a URL that would end a command: refused before anything is connected to."""

    def run(rig: Rig) -> Got:
        rig.serve(Session(send(CONTENT)))
        got = rig.fetch(url)
        assert rig.network.connected == []
        return got

    return run


def _netrc(rig: Rig) -> Got:
    """A password in .netrc is not for strangers' URLs."""
    server = rig.serve(Session(send(CONTENT)))
    with Folder(".netrc") as home:
        with open(home.file, "w", encoding="ascii") as file:
            file.write(f"machine {EVIL} login joe password {SECRET}\n")
        os.chmod(home.file, 0o600)
        old = {name: os.environ.get(name) for name in ("HOME", "NETRC")}
        os.environ.update(HOME=home.path, NETRC=home.file)
        try:
            got = rig.fetch(f"ftp://joe@{EVIL}/x")
        finally:
            for name, value in old.items():
                os.environ.pop(name)
                if value is not None:
                    os.environ[name] = value
    assert got.word == AUTH, got
    assert SECRET.encode() not in bytes(server.received[0])
    got.word = OK
    return got


def _other_login(rig: Rig) -> Got:
    """A control connection serves one login; the same login goes on with it (RFC 1738 3.2.5)."""
    server = rig.serve(Session(send(CONTENT), lasting=True))
    for login, connections in (("joe:a1", 1), ("joe:a1", 1), ("joe:b2", 2), ("ann:a1", 3), ("", 4)):
        got = rig.fetch(f"ftp://{login}{'@' if login else ''}{EVIL}/x")
        assert got.data == CONTENT, got
        assert server.hits == connections, login
    rig.renew()
    return got


def _dripping_reply(rig: Rig) -> Got:
    """The wall clock jumps while a reply comes in pieces: no clock of ours notices."""
    rig.serve(_greets(send_slow(b"220 ready\r\n", 0.002)))
    real, count = time.time, [0]

    def jumping() -> float:
        count[0] += 1
        return real() + 86_400.0 * count[0]

    time.time = jumping
    try:
        return rig.fetch()
    finally:
        time.time = real


# --- going on --------------------------------------------------------------------------------------------------------


def _goes_on(second: Session, content: bytes | None, restarted: bool) -> Callable[[Rig], Got]:
    """A download breaks off, and is gone on with only where size and time say that it is the same."""

    def run(rig: Rig) -> Got:
        first = Session([send(b"something"), reset()], size=len(CONTENT), time=b"20200101000000", ending=b"426 sorry")
        server = rig.serve(first)
        with Folder() as folder:
            assert save(rig, folder, go_on=True).word == TRUNC
            server.become(second)
            got = save(rig, folder, go_on=True)
            assert folder.read() == content, (got, folder.read())
        assert (b"REST 9\r\n" in bytes(server.received[1])) == restarted
        return got

    return run


_SAME = {"size": len(CONTENT), "time": b"20200101000000"}
_OTHER = b"another thing\n"
_GOING_ON: dict[str, tuple[Session, bytes, bool]] = {
    "the rest": (Session(send(b" good\n"), **_SAME), CONTENT, True),  # type: ignore[arg-type]
    "REST is refused": (Session(send(CONTENT), **_SAME, replies={b"REST": answer(b"502 what?")}), CONTENT, True),  # type: ignore[arg-type]
    "another time": (Session(send(CONTENT), size=len(CONTENT), time=b"20210101000000"), CONTENT, False),
    "another size": (Session(send(_OTHER), size=len(_OTHER), time=b"20200101000000"), _OTHER, False),
    "it became smaller": (Session(send(b"tiny\n"), size=5, time=b"20200101000000"), b"tiny\n", False),
    "nothing is told": (Session(send(CONTENT)), CONTENT, False),
}


def _asked_name(rig: Rig) -> Got:
    """What a server says that a thing is called is not what it is saved as: the name is the one that was asked for."""
    rig.serve(Session(features=[b"MLST type*;size*;"], replies={
        b"MLST": [answer(b"250-facts\r\n type=file;size=4; /../.bashrc\r\n250 end")]}))  # fmt: skip
    got = rig.fetch("/asked", "stat")
    assert got.resource.name == "asked"
    return got


def _links(rig: Rig) -> Got:
    """A link in a listing is an entry like others: nothing is made of it here, and nothing is followed."""
    lines = b"lrwxrwxrwx 1 ftp ftp 4 Jan 01 2020 d -> /tmp\r\n-rw-r--r-- 1 ftp ftp 4 Jan 01 2020 d/x\r\n"
    rig.serve(Session(send(lines)))
    with Folder() as folder:
        got = rig.fetch("/", "list")
        assert got.names == ["d", "d/x"]
        assert folder.snapshot() == {}
    return got


STORM = b"".join(b"\xff\xfd%c\xff\xfb%c" % (option, option) for option in range(64, 128))


def _answered_once(rig: Rig) -> Got:
    """64 options are offered twice each, and again: each is refused once."""
    server = rig.serve(_greets(send(STORM + STORM[:300] + b"220 ready\r\n")))
    got = rig.fetch()
    heard = bytes(server.received[0])
    assert heard.count(b"\xff\xfc") == heard.count(b"\xff\xfe") == 64
    return got


LAST_WORDS = {"426": b"426 it broke", "451": b"451 the disk is bad", "550": b"550 it has gone"}
COMMANDS = (b"USER", b"PASS", b"CWD", b"TYPE", b"SIZE", b"EPSV", b"RETR")

COLUMN.add(
    Cell("A5", TRUNC, Session([send(b"half"), reset()], ending=b"426 it broke")),
    Cell("A5 the control connection", TRUNC, _after_data(reset(), data=[send(b"half")])),
    Cell("A9", TIMEOUT, Session(send_slow(LONG[:200], 0.02)), limits={"total": 0.5}),
    Cell("A9 next to nothing", TIMEOUT, Session(send_slow(LONG[:100], 0.03)),
         limits={"lowest_rate": 200, "total": 6}, holds=lambda got: got.error.clock == "idle"),
    Cell("A9 idle", TIMEOUT, Session([send(b"half"), hold()]), limits={"total": 0.6}),
    Cell("A12 http", PROTO, _greets(send(b"HTTP/1.1 400 Bad Request\r\n\r\n"))),
    Cell("A12 ssh", PROTO, _greets(send(b"SSH-2.0-OpenSSH_9.2\r\n"))),
    Cell("B1", LIMIT, _greets(send(b"220-hello\r\n"), send_forever(b"220-and\r\n" * 1000)), stream=True),
    Cell("A8 slow lines", TIMEOUT, _greets(send_slow(b"220-hello\r\n" * 100, 0.02)), limits={"total": 0.5}),
    Cell("B2", LIMIT, _greets(send(b"220 "), send_forever(LONG)), stream=True),
    Cell("B2 in a listing", LIMIT, Session(send_forever(LONG)), url="/", verb="list", stream=True),
    Cell("B3 150", LIMIT, _after_data(send_forever(b"150 wait\r\n" * 100)), stream=True),
    Cell("B3 120", LIMIT, _greets(send_forever(b"120 wait\r\n" * 100)), stream=True),
    Cell("B4", PROTO, _greets(send(b"220 a\0b\r\n"))),
    Cell("B5", OK, _greets(send(b"220 caf\xe9 \xff\r\n"))),
    Cell("B5 in a name", OK, listed("list")([b"caf\xe9"]), url="/", verb="list",
         holds=lambda got: got.names == ["caf\udce9"]),
    Cell("B6", OK, _greets(send(b"220-hello\n220 ready\n"))),
    Cell("B7", PROTO, _greets(send(b"220 a\rUSER x\r\n"))),
    Cell("B8", PROTO, _greets(send(bytes(range(1, 256)) * 10))),
    *(Cell(f"B9 {line.decode()}", PROTO, _greets(answer(line))) for line in (b"99 x", b"777 x", b"abc x", b"2200 x")),
    *(Cell(f"B9 at {verb.decode()}", PROTO, at(verb, answer(b"777 x")), url="/in/it") for verb in COMMANDS),
    Cell("B10", PROTO, run=_stale),
    Cell("B10 after the greeting", PROTO, _greets(answer(b"220 ready\r\n331 stale"))),
    Cell("B11 at once", REPLY, _greets(answer(b"421 too many users"))),
    *(
        # Before anybody is logged in it says that the server lets nobody in now.
        Cell(
            f"B11 at {verb.decode()}",
            REPLY if verb in (b"USER", b"PASS") else LOST,
            at(verb, answer(b"421 closing")),
            url="/in/it",
        )
        for verb in COMMANDS
    ),
    Cell("B12", AUTH, says(PASS=b"530 wrong")),
    Cell("B12 anonymous", AUTH, says(PASS=b"530 no anonymous logins"), url=f"ftp://{EVIL}/x"),
    Cell("B12 nobody has it", AUTH, says(), url=f"ftp://joe@{EVIL}/x"),
    Cell("B14", OK, run=_answered_once),
    Cell("B14 endless", LIMIT, _greets(send_forever(STORM)), stream=True),
    Cell("C1", TRUNC, Session(send(b"short"), size=100)),
    Cell("C1 said in passing", TRUNC, Session(send(b"short"), opening=b"150 here (100 bytes)")),
    Cell("C2", OK, Session(send(b"longer than that"), size=4)),
    *(Cell(f"C4 {code}", TRUNC, Session(send(CONTENT), ending=line)) for code, line in LAST_WORDS.items()),
    Cell("C4 of the right size", TRUNC, Session(send(CONTENT), size=len(CONTENT), ending=b"451 the disk is bad")),
    Cell("C5 of the right size", OK, _after_data(hold(), size=len(CONTENT)), limits={"idle": 0.3},
         holds=lambda got: got.data == CONTENT and "unverified" in got.notes),
    Cell("C5 of no size", TRUNC, _after_data(hold()), limits={"idle": 0.3}),
    Cell("C5 closed", TRUNC, _after_data(close())),
    *(Cell(f"C6 {size.decode()}", OK, Session(send(CONTENT), size=size), holds=lambda got: got.resource.size is None)
      for size in (b"-5", b"9223372036854775808", b"99999999999999999999", b"abc", b"")),
    Cell("C9", LIMIT, COLUMN.stream, limits={"max_bytes": 50_000_000}, stream=True),
    Cell("C9 a listing", LIMIT, Session(send_forever(b"-rw-r--r-- 1 ftp ftp 4 Jan 01 2020 x\r\n" * 100)), url="/",
         verb="list", limits={"listing_entries": 5_000}, stream=True),
    *(Cell(f"C10 {size}", OK, run=lambda rig, s=size: _huge(rig, s)) for size in (2**31, 2**32, 2**32 + 1)),
    Cell("C11", OK, Session(send_slow(LONG[:200], 0.0005)), holds=lambda got: got.size == 200),
    Cell("C11 slow and steady", OK, Session(send_slow(LONG[:8], 0.15)), limits={"idle": 0.5},
         holds=lambda got: got.size == 8),
    Cell("C12", OK, run=_goes_on(*_GOING_ON["REST is refused"])),
    Cell("D1", OK, Session(send(b"\x1f\x8b" + LONG[:100])), url="/x.gz", holds=lambda got: got.size == 102),
    Cell("D9", OK, Session(send(b"a\r\nb\rc\r\r\n\0d\r"), size=14), url="/x;type=a",
         holds=lambda got: got.data == b"a\nb\rc\r\n\0d\r"),
    Cell("E4 dot MLSD", "NAME", listed("mlsd")([b"harmless.txt", b"."]), url="/", verb="list"),
    Cell("E4 dots MLSD", "NAME", listed("mlsd")([b"harmless.txt", b".."]), url="/", verb="list"),
    Cell("E11", OK, run=_links),
    Cell("E13", OK, run=_asked_name),
    *(Cell(f"F5 {name}", OK, run=_goes_on(*row)) for name, row in _GOING_ON.items()),
    Cell("F13 a reply in pieces", OK, run=_dripping_reply),
    *(Cell(f"F14 at {verb.decode()}", OK, run=lambda rig, v=verb: _tells_nothing(rig, v)) for
      verb in (b"PASS", b"TYPE")),
    Cell("G7", OK, run=_bounced),
    *(Cell(f"G8 {name}", word, says(EPSV=b"500 what?", PASV=line)) for name, word, line in (
        ("ssh", DENY, b"227 (127,0,0,1,0,22)"), ("mail", DENY, b"227 (127,0,0,1,0,25)"),
        ("redis", DENY, b"227 (127,0,0,1,24,235)"), ("port 0", PROTO, b"227 (127,0,0,1,0,0)"),
        ("too large", PROTO, b"227 (127,0,0,1,256,1)"), ("too few", PROTO, b"227 (127,0,0,1,4)"),
        ("no numbers", PROTO, b"227 in passive mode"))),
    *(Cell(f"G8 {name}", word, says(EPSV=line)) for name, word, line in (
        ("extended ssh", DENY, b"229 (|||22|)"), ("extended port 0", PROTO, b"229 (|||0|)"),
        ("extended too large", PROTO, b"229 (|||65536|)"), ("with a host", PROTO, b"229 (|1|127.0.0.2|4000|)"),
        ("extended malformed", PROTO, b"229 |||4000|"))),
    Cell("G9", OK, run=_never_active),
    *(Cell(f"G10 {octets} in {where}", DENY, run=_refuses_before(url.format(octets))) for
      octets in ("%0D%0A", "%0A", "%00") for where, url in (
          ("a name", f"ftp://{EVIL}/x{{}}DELE%20y"), ("a directory", f"ftp://{EVIL}/x{{}}y/z"),
          ("the user", f"ftp://joe{{}}@{EVIL}/x"), ("the password", f"ftp://joe:a{{}}b@{EVIL}/x"))),
    Cell("G11", OK, run=_sends("/x%FFy", b"RETR x\xff\xffy\r\n")),
    Cell("G14", OK, run=_netrc),
    Cell("G17", OK, run=_other_login),
)  # fmt: skip


def _tells_nothing(rig: Rig, verb: bytes) -> Got:
    """Where the login is under way the password is at hand: neither a trace nor its local variables show it."""
    said = SECRET.encode()
    rig.serve(
        *(at(verb, step) for step in (reset(), answer(b"530 you said " + said), answer(said), answer(b"421 " + said)))
    )
    for _ in range(4):
        got = rig.fetch()
        assert got.error is not None
        check_trace(got.error)
    got.word = OK
    return got


def _huge(rig: Rig, size: int) -> Got:
    """A size at the edge of 31 and 32 bits is told exactly, and what falls short of it is cut."""
    rig.serve(Session(send(b"short"), size=size))
    got = rig.fetch()
    assert (got.word, got.resource.size, getattr(got.error, "expected", None)) == (TRUNC, size, size), got
    got.word = OK
    return got
