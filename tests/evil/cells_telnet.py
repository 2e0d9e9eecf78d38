"""Column T: telnet (RFC 854). What is read is what a program reads; D7 and D8 are what a person sees."""

from __future__ import annotations

import re
from typing import Any

from anyurl import Policy
from anyurl.schemes.telnet.wire.stream import MAX_NEGOTIATIONS
from tests.evil.cell import Cell, Column
from tests.evil.common import add_connection
from tests.evil.outcomes import DENY, LIMIT, LOST, OK
from tests.evil.player import Step, expect, half_close, hold, mark, read_all, reset, send, send_forever, send_slow
from tests.evil.rig import SECRET, USER, Got, Rig
from tests.evil.terminal import BIDI_NAME, EVIL_TEXT, on_terminal

BEGUN = expect(until=b"\xff\xfb\x1f")
"""What a client says first at port 23; it ends with WILL NAWS."""

IAC, SB, DO, WILL = b"\xff", b"\xff\xfa", b"\xff\xfd", b"\xff\xfb"

COLUMN = Column(
    "T",
    "telnet",
    good=[BEGUN, send(b"something good\r\n")],
    path="/",
    content=b"something good\r\n",
    half=[BEGUN, send(b"something"), mark("body"), hold()],
    stream=[BEGUN, send_forever(b"x" * 65536)],
    login=True,
    policy=Policy.untrusted().replace(services=True),
)

add_connection(COLUMN, lost=OK, greeting=b"something good\r\n", before=[BEGUN])


def says(octets: bytes) -> list[Step]:
    """The script of a service that says this and ends."""
    return [BEGUN, send(octets)]


def comes(octets: bytes) -> Any:
    """Looks whether exactly this came."""
    return lambda got: got.data == octets


def _answered_once(rig: Rig) -> Got:
    """Each option is offered and asked for five times: each is answered once."""
    storm = b"".join(verb + bytes((option,)) for _ in range(5) for verb in (DO, WILL) for option in range(40, 60))
    server = rig.serve([BEGUN, send(storm + b"all said\r\n"), expect(until=b"\xff\xfe" + bytes((59,)))])
    got = rig.fetch()
    heard = bytes(server.received[0])
    for verb in (b"\xff\xfc", b"\xff\xfe"):
        assert [heard.count(verb + bytes((option,))) for option in range(40, 60)] == [1] * 20
    return got


def _login_is_never_sent(rig: Rig) -> Got:
    server = rig.serve([BEGUN, send(b"login: "), hold(0.1)])
    got = rig.fetch()
    heard = bytes(server.received[0])
    assert USER.encode() not in heard
    assert SECRET.encode() not in heard
    return got


def _user_with_iac(rig: Rig) -> Got:
    server = rig.serve([BEGUN, send(b"login: "), hold(0.1)])
    got = rig.fetch("telnet://joe%FF%F6@evil.test/")
    assert b"joe" not in bytes(server.received[0])
    return got


def _streams(rig: Rig) -> Got:
    rig.serve([BEGUN, send_forever(b"x" * 65536, cap=64 * 1024 * 1024)])
    return rig.fetch(keep=False)


def _on_screen(octets: bytes, shows: bytes) -> Any:
    """A person's session with a service that says this: what reaches the terminal is text, colours and cursor."""

    def run(rig: Rig) -> Got:
        server = rig.enter(rig.column.player([send(octets)]))
        written, code = on_terminal(
            "get", rig.column.url("127.0.0.1", port=server.port), "--allow-port", str(server.port)
        )
        shown = re.sub(rb"\x1b(?:\[[0-9;?]*[A-Za-z]|[()][0AB]|[78>])|\x0f", b"", written)
        assert shows in shown, written
        assert re.search(rb"[\x00-\x06\x0b-\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]", shown) is None, shown
        assert SECRET.encode() not in written
        got = Got()
        got.word = OK if code == 0 else f"exit code {code}: {written!r}"
        return got

    return run


COLUMN.add(
    Cell("A5", LOST, [BEGUN, send(b"half of it"), reset()]),
    Cell("A12", OK, says(b"220 mail.test ESMTP\r\n"), holds=comes(b"220 mail.test ESMTP\r\n")),
    Cell("B2", OK, [BEGUN, send_forever(b"x" * 65536, cap=16 * 1024 * 1024)], stream=True,
         holds=lambda got: got.size == 16 * 1024 * 1024),
    Cell("B4", OK, says(b"a\0b\r\n"), holds=comes(b"a\0b\r\n")),
    Cell("B5", OK, says(b"\xfe\xc3(\r\n"), holds=comes(b"\xfe\xc3(\r\n")),
    Cell("B6", OK, says(b"one\ntwo\n"), holds=comes(b"one\ntwo\n")),
    Cell("B7", OK, says(b"one\rtwo"), holds=comes(b"one\rtwo")),
    Cell("B8", OK, says(bytes(range(240)) * 40), holds=lambda got: got.data.startswith(b"\0\1\2")),
    Cell("B12", OK, run=_login_is_never_sent),
    Cell("B14 once each", OK, run=_answered_once),
    Cell("B14 without end", LIMIT, [BEGUN, send_forever(b"".join(DO + bytes((n,)) for n in range(250)))], busy=True),
    Cell("B14 back and forth", LIMIT, [BEGUN, send_forever(b"\xff\xfb\x01\xff\xfc\x01" * 100)], busy=True),
    Cell("B14 the terminal", LIMIT, [BEGUN, send(DO + b"\x18"), send_forever(SB + b"\x18\x01\xff\xf0")], busy=True),
    # It reads the answers before it closes: a close over unread octets is a reset.
    Cell("B14 many but not too many", OK, [*says(b"".join(DO + bytes((n % 250,)) for n in range(MAX_NEGOTIATIONS))),
                                           half_close(), read_all()]),
    Cell("B15", LIMIT, [BEGUN, send(SB + b"\x18"), send_forever(b"x" * 65536)], busy=True),
    Cell("C9", OK, run=_streams, busy=True),
    Cell("C11", OK, [BEGUN, send_slow(b"x" * 200, 0.0005)], holds=lambda got: got.size == 200),
    Cell("D7", OK, run=_on_screen(EVIL_TEXT, b"red")),
    Cell("D8", OK, run=_on_screen(BIDI_NAME, b"\\u202egpj.exe\\u2066x")),
    Cell("D9", OK, says(b"one\r\ntwo\r\0three\xff\xff\r\n"), holds=comes(b"one\r\ntwo\rthree\xff\r\n")),
    *(Cell(f"G10 {octets}", DENY, url=f"telnet://joe{octets}x@evil.test/") for octets in ("%0D%0A", "%0A", "%00")),
    Cell("G11", OK, run=_user_with_iac),
)  # fmt: skip
