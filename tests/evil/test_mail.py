"""A hostile mail server: the faults of sections A, B and G of the matrix, as a delivery meets them.

The matrix has no column for it, since a mailto URL names no server. All that holds after a cell holds here, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from anyurl.dialogue import Secret
from anyurl.guard.limits import Limits
from anyurl.net.wire.tls import TLSConfig
from tests.clocks import anew
from tests.evil.cells_mailto import COLUMN, MAIL, PORT
from tests.evil.certificates import CERTIFICATES, certificates
from tests.evil.common import PRIVATE_ADDRESSES, deaf
from tests.evil.outcomes import AUTH, DENY, LIMIT, LOST, OK, PROTO, REPLY, TIMEOUT, TLS
from tests.evil.player import (
    Step,
    close,
    expect,
    half_close,
    hold,
    reset,
    send,
    send_forever,
    send_slow,
    tls,
)
from tests.evil.rig import EVIL, PATIENT, QUICK, SECRET, Got, Rig

HELLO = [send(b"220 evil.test ESMTP\r\n"), expect(rb"EHLO .*\r\n$")]
READY = [*HELLO, send(b"250 evil.test\r\n")]
ENVELOPE = [
    *READY, expect(rb"MAIL FROM:<me@good\.test>\r\n$"), send(b"250 Ok\r\n"), expect(rb"RCPT TO:<you@there\.test>\r\n$"),
    send(b"250 Ok\r\n"),
]  # fmt: skip
DATA = [*ENVELOPE, expect(rb"DATA\r\n$"), send(b"354 Go\r\n")]
TAKEN = [*DATA, expect(until=b"\r\n.\r\n")]
GOOD: list[Step] = [*TAKEN, send(b"250 Ok\r\n"), expect(rb"QUIT\r\n$"), send(b"221 Bye\r\n")]
URL = "mailto:you@there.test"


def deliver(rig: Rig, size: int = 100) -> Got:
    return rig.fetch(URL, "append", source=b"x\n" * (size // 2))


def check(rig: Rig, got: Got, words: str, *, busy: bool = False) -> None:
    assert got.word in words.split(), got
    rig.check(busy=busy)
    if rig.servers:
        rig.servers[0].become(GOOD)
        assert deliver(rig).word == OK
        rig.check(busy=busy)


@anew
def run(
    words: str,
    script: Sequence[Step],
    *,
    size: int = 100,
    busy: bool = False,
    limits: Limits | None = None,
    **settings: Any,
) -> Got:
    limits = limits or (QUICK if words == TIMEOUT else PATIENT)
    with Rig(COLUMN, limits, **{**MAIL, **settings}) as rig:
        rig.serve(list(script), port=PORT)
        got = deliver(rig, size)
        check(rig, got, words, busy=busy)
    return got


CELLS: list[tuple[str, str, list[Step]]] = [
    ("A3", TIMEOUT, [hold()]),
    ("A3 after EHLO", TIMEOUT, [*HELLO, hold()]),
    ("A3 after the message", TIMEOUT, [*TAKEN, hold()]),
    ("A4", LOST, [reset()]),
    ("A5 in a reply", LOST, [*HELLO, send(b"250-evil"), reset()]),
    ("A5 after the message", LOST, [*TAKEN, reset()]),
    ("A6", LOST, [close()]),
    ("A6 after EHLO", LOST, [*HELLO, close()]),
    ("A7", LOST, [*HELLO, half_close(), hold()]),
    ("A8 greeting", TIMEOUT, [send_slow(b"220 " + b"x" * 500, 0.05), hold()]),
    ("A8 verdict", TIMEOUT, [*TAKEN, send_slow(b"250 " + b"x" * 500, 0.05), hold()]),
    ("A12 http", PROTO, [send(b"HTTP/1.1 400 Bad Request\r\n\r\n")]),
    ("A12 pop", PROTO, [send(b"+OK ready\r\n")]),
    ("A12 imap", PROTO, [send(b"* OK ready\r\n")]),
    ("A12 ssh", PROTO, [send(b"SSH-2.0-x\r\n")]),
    ("A12 ftp", REPLY, [send(b"220 ftp\r\n"), *[expect(), send(b"500 not understood\r\n")] * 2]),
    ("B2", LIMIT, [send(b"220 " + b"x" * 5000 + b"\r\n")]),
    ("B4", PROTO, [send(b"220 a\0b\r\n")]),
    ("B5", OK, [send(b"220 caf\xe9\r\n"), *GOOD[1:]]),
    ("B6", OK, [send(b"220 evil.test\n"), *GOOD[1:]]),
    ("B7", PROTO, [send(b"220 a\rb\r\n")]),
    ("B8", PROTO, [send(bytes(range(1, 256)) * 4 + b"\r\n")]),
    ("B9 99", PROTO, [send(b"99 x\r\n")]),
    ("B9 1yz", PROTO, [send(b"120 wait\r\n")]),
    ("B9 354 to MAIL", PROTO, [*READY, expect(rb"MAIL"), send(b"354 Go\r\n")]),
    ("B9 250 to DATA", PROTO, [*ENVELOPE, expect(rb"DATA"), send(b"250 Ok\r\n")]),
    ("B9 a code that changes", PROTO, [*HELLO, send(b"250-a\r\n550 b\r\n")]),
    ("B10 too many", PROTO, [*HELLO, send(b"250 a\r\n250 b\r\n250 c\r\n250 d\r\n")]),
    ("B10 before the message", PROTO, [*ENVELOPE, expect(rb"DATA"), send(b"354 Go\r\n250 Ok\r\n")]),
    ("B11 greeting", REPLY, [send(b"421 Busy\r\n")]),
    ("B11 verdict", LOST, [*TAKEN, send(b"421 Bye\r\n")]),
    ("B12", AUTH, [*READY, expect(rb"MAIL"), send(b"530 Log in\r\n")]),
    ("D7", REPLY, [*READY, expect(rb"MAIL"), send(b"550 5.7.1 \x1b]52;c;YQ==\x07\x9b1m \xe2\x80\xaegpj\r\n")]),
    ("a refusal in the middle of the message", "REPLY LOST", [*DATA, send(b"552 Too much\r\n"), hold(0.2)]),
    ("STARTTLS that is none", f"{TLS} {PROTO}", [
        *HELLO, send(b"250-evil\r\n250 STARTTLS\r\n"), expect(rb"STARTTLS"),
        send(b"220 Go\r\n"), send(b"250 plain\r\n"),
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("words", "script"), [cell[1:] for cell in CELLS], ids=[cell[0] for cell in CELLS])
def test_a_fault(words: str, script: list[Step]) -> None:
    run(words, script)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param([send_forever(b"220-x\r\n" * 100)], id="B1 greeting"),
        pytest.param([*HELLO, send_forever(b"250-X\r\n" * 100)], id="B1 features"),
        pytest.param([send_forever(b"2" * 65536)], id="B2"),
        pytest.param([*TAKEN, send_forever(b"250-x\r\n" * 100)], id="B1 verdict"),
    ],
)
def test_a_flood(script: list[Step]) -> None:
    run(f"{LIMIT} {PROTO}", script, busy=True)


def test_a_server_that_stops_reading() -> None:
    limits = QUICK.replace(total=5.0)  # to make so large a message takes a while
    run(TIMEOUT, [*DATA, hold()], size=16_000_000, busy=True, limits=limits)


@anew
def test_a_port_that_refuses() -> None:
    with Rig(COLUMN, PATIENT, **MAIL) as rig:
        check(rig, deliver(rig), LOST)


@anew
def test_a_port_that_swallows() -> None:
    with Rig(COLUMN, QUICK, **MAIL) as rig:
        rig.place(rig.enter(deaf()), EVIL, PORT)
        check(rig, deliver(rig), TIMEOUT)


@pytest.mark.parametrize("kind", CERTIFICATES)
@anew
def test_a_certificate_that_is_not_good_enough(kind: str) -> None:
    context, authority = certificates()[kind]
    offer = [
        *HELLO,
        send(b"250-evil.test\r\n250 STARTTLS\r\n"),
        expect(rb"STARTTLS"),
        send(b"220 Go\r\n"),
        tls(context),
    ]
    for port, script in ((587, [*offer, hold(1.0)]), (465, [tls(context), hold(1.0)])):
        with Rig(COLUMN, PATIENT, **{**MAIL, "mail_server": f"me@{EVIL}:{port}"}) as rig:
            rig.client._tls_config = TLSConfig(authority)
            rig.serve(script, port=port)
            assert deliver(rig).word == TLS
            rig.check()


@pytest.mark.parametrize("address", PRIVATE_ADDRESSES.values(), ids=PRIVATE_ADDRESSES.keys())
@anew
def test_a_name_that_leads_inside(address: str) -> None:
    """Under a policy without private addresses even the configured server is a public one, or none."""
    with Rig(COLUMN, PATIENT, **MAIL) as rig:
        rig.network.names[EVIL] = [address]
        assert deliver(rig).word == DENY
        assert rig.network.connected == []
        rig.check()


LOGGED_IN = [expect(rb"AUTH PLAIN"), send(b"235 Welcome s3cr3t-pw\r\n"), expect(rb"MAIL")]
SAID = b"AG1lAHMzY3IzdC1wdw== is me and s3cr3t-pw, or czNjcjN0LXB3\r\n"


@pytest.mark.parametrize(
    ("word", "script", "shown"),
    [
        pytest.param(AUTH, [expect(rb"AUTH PLAIN"), send(b"535 5.7.8 No: " + SAID)],
                     "“535 5.7.8 No: *** is me and ***, or ***”.", id="in clear, and as it was sent"),
        pytest.param(REPLY, [expect(rb"AUTH PLAIN"), send(b"421 " + SAID)],
                     "refuses the connection: “421 *** is me and ***, or ***”. Later it may succeed.", id="at the end"),
        pytest.param(PROTO, [expect(rb"AUTH PLAIN"), send(SAID)],
                     "sent no SMTP reply; it may hold the password, and is not shown.",
                     id="in what is no reply"),
        pytest.param(PROTO, [expect(rb"AUTH PLAIN"), send(b"235-Hi\r\n550 " + SAID)],
                     "sent no SMTP reply; it may hold the password, and is not shown.",
                     id="in a code that changes"),
        pytest.param(PROTO, [expect(rb"AUTH PLAIN"), send(b"235 Hi\r\n250 " + SAID)],
                     "sent an unexpected reply: “250 *** is me and ***, or ***”", id="unasked"),
        pytest.param(REPLY, [*LOGGED_IN, send(b"550 " + SAID)],
                     "“550 *** is me and ***, or ***”.", id="after the login"),
    ],
)  # fmt: skip
@anew
def test_a_password_that_is_said_again(word: str, script: list[Step], shown: str) -> None:
    """Whenever and however the server says it: no message shows it."""
    context, authority = certificates()["good"]
    script = [tls(context), *HELLO, send(b"250-evil.test\r\n250 AUTH PLAIN\r\n"), *script]
    settings = {**MAIL, "mail_server": f"me@{EVIL}:465", "ask_secret": lambda *_: Secret(SECRET)}
    with Rig(COLUMN, PATIENT, **settings) as rig:
        rig.client._tls_config = TLSConfig(authority)
        rig.serve(script, port=465)
        got = deliver(rig)
        assert got.word == word, got
        assert str(got.error).endswith(shown)
        rig.check()


def test_a_password_that_is_said_again_to_a_message() -> None:
    """What the server said is an attribute of what was delivered."""
    context, authority = certificates()["good"]
    script = [
        tls(context), *HELLO, send(b"250-evil.test\r\n250 AUTH PLAIN\r\n"), *LOGGED_IN, send(b"250 Ok\r\n"),
        expect(rb"RCPT"), send(b"250 Ok\r\n"), expect(rb"DATA"), send(b"354 Go\r\n"), expect(until=b"\r\n.\r\n"),
        send(b"250 " + SAID), expect(rb"QUIT"),
    ]  # fmt: skip
    settings = {**MAIL, "mail_server": f"me@{EVIL}:465", "ask_secret": lambda *_: Secret(SECRET)}
    with Rig(COLUMN, PATIENT, **settings) as rig:
        rig.client._tls_config = TLSConfig(authority)
        rig.serve(script, port=465)
        resource = rig.client.append(URL, b"x\n")
        assert resource.attributes["reply"] == "250 *** is me and ***, or ***"


@anew
def test_commands_are_what_they_are() -> None:
    """Whatever the message holds, the server hears five commands and one message."""
    text = b"a\n.\nMAIL FROM:<x@y>\n\r.\rRSET\r\n.\r\n"
    with Rig(COLUMN, PATIENT, **MAIL) as rig:
        server = rig.serve(GOOD, port=PORT)
        assert rig.fetch(URL, "append", source=text).word == OK
        rig.check()
    received = bytes(server.received[0])  # the connection has ended: QUIT has come, too
    assert received.count(b"\r\n.\r\n") == 1
    assert received.endswith(b"\r\na\r\n..\r\nMAIL FROM:<x@y>\r\n\r\n..\r\nRSET\r\n..\r\n.\r\nQUIT\r\n")
