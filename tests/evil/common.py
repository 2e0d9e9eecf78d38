"""Cells that are the same for every scheme that connects: refused, swallowed, reset; names; addresses; ports; proxies.

`add_connection` gives them to a column. What a protocol says first differs: that is its own column's business.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from anyurl import Policy
from anyurl.errors import ConnectError
from anyurl.net.wire.tls import TLSConfig
from anyurl.url import syntax
from tests.evil.cell import Cell, Column
from tests.evil.certificates import CERTIFICATES, certificates
from tests.evil.outcomes import DENY, LOST, OK, TIMEOUT, TLS
from tests.evil.player import Player, Steps, expect_no_more, half_close, hold, reset, send_slow, tls
from tests.evil.rig import ADDRESSES, EVIL, GOOD, OTHER, PRIVATE, Got, Rig

SERVICES = (22, 25, 6379)
"""Ports that belong to other services: a login, mail, a database that obeys lines."""

PRIVATE_ADDRESSES = {
    "private": "10.0.0.7",
    "this-machine": "127.0.0.1",
    "this-machine-in-six": "::1",
    "metadata": "169.254.169.254",
    "mapped": "::ffff:10.0.0.7",
    "translated": "64:ff9b::a00:7",
    "nowhere": "0.0.0.0",
}


@contextlib.contextmanager
def deaf(host: str = "127.0.0.1", port: int = 0) -> Iterator[Any]:
    """A port that swallows SYNs: its backlog is full and nobody accepts."""
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind((host, port))
        listener.listen(0)
        address = listener.getsockname()
        for _ in range(4):
            sock = stack.enter_context(socket.socket())
            sock.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                sock.connect(address)

        class Place:
            """Where it is."""

        Place.host, Place.port = address  # type: ignore[attr-defined]

        yield Place


def add_connection(
    column: Column,
    *,
    silent: str = TIMEOUT,
    lost: str = LOST,
    greeting: bytes,
    before: Steps = (),
    slow: float = 0.05,
    direct: bool = False,
) -> None:
    """Give a column the cells A1 to A4, A6 to A8, A10, A11, G1, G2, G12 and G13.

    Args:
        silent: What becomes of a server that accepts and says nothing.
        lost: What becomes of one that closes before it has said anything.
        greeting: What a server says first (whole, and longer than ten octets): it drips.
        before: What it reads before that.
        direct: Addresses that swallow are those of loopback itself (libcurl's sockets can't be led elsewhere while
            they connect).
    """
    own: dict[str, Any] = (
        {"direct": True, "policy": Policy.open(), "allowed": ["127.0.0.1", "127.0.0.2"]} if direct else {}
    )
    first = list(before) if isinstance(before, Sequence) else [before]
    column.add(
        Cell("A1", LOST),
        Cell("A2", TIMEOUT, run=_swallowed, good=not direct, rig=own),
        Cell("A3", silent, [hold()]),
        Cell("A4", LOST, [reset()]),
        Cell("A6", lost, first),
        Cell("A7", lost, [*first, half_close(), hold()]),
        Cell("A8", TIMEOUT, [*first, send_slow(greeting * 20, slow), hold()], limits={"total": 0.5}),
        Cell("A10 refused", OK, run=first_dead),
        Cell("A10 swallowed", OK, run=_first_deaf if direct else lambda rig: first_dead(rig, rig.enter(deaf())),
             good=not direct, rig=own),
        Cell("G2 another answers", DENY, run=_astray),
    )  # fmt: skip
    add_addresses(column)


def add_addresses(column: Column) -> None:
    """Give a column the cells A11, G1, G2, G12 and G13: names, addresses, ports and proxies."""
    column.add(
        Cell("A11 silence", TIMEOUT, run=_no_answer, holds=lambda got: got.error.stage == "look-up"),  # type: ignore[union-attr]
        Cell("A11 no such name", LOST, run=lambda rig: _bad_name(rig, ConnectError("no such name", stage="look-up"))),
        Cell("A11 server failure", LOST, run=lambda rig: _bad_name(rig, socket.gaierror(socket.EAI_FAIL, "failed"))),
        *(Cell(f"G1 {name}", DENY, run=lambda rig, a=address: _leads_to(rig, [a])) for name, address in
          PRIVATE_ADDRESSES.items()),
        *(Cell(f"G1 literal {name}", DENY, url=column.url(f"[{address}]" if ":" in address else address)) for
          name, address in PRIVATE_ADDRESSES.items()),
        Cell("G1 one of two", DENY, run=lambda rig: _leads_to(rig, [ADDRESSES[EVIL], PRIVATE])),
        Cell("G2 it changes", OK, run=_rebinds),
        Cell("G2 it was private", DENY, run=lambda rig: _leads_to(rig, [[PRIVATE], [ADDRESSES[EVIL]]])),
        *(Cell(f"G12 {port}", DENY, url=column.url(EVIL, port=port), run=lambda rig, p=port: _port(rig, p)) for
          port in SERVICES),
        Cell("G13", OK, run=_proxies),
    )  # fmt: skip


def add_tls(
    column: Column, scheme: str, path: str, before: Steps = (), *, port: int | None = None, what: str = ""
) -> None:
    """Give a column A13: certificates that are not good enough, of the TLS form of its scheme.

    Args:
        before: What is said before TLS begins (AUTH TLS).
        port: Where that is another one than the scheme's own.
        what: Where there are several ways: which.
    """
    row = syntax.row(scheme)
    for kind in CERTIFICATES:

        def run(rig: Rig, kind: str = kind) -> Got:
            context, authority = certificates()[kind]
            rig.client._tls_config = TLSConfig(authority)
            script: list[Any] = [*(before if isinstance(before, Sequence) else [before]), tls(context)]
            server = rig.enter(rig.column.player([*script, hold(1.0)]))
            rig.place(server, EVIL, port or row.port)
            return rig.fetch(f"{scheme}://{EVIL}{'' if port is None else f':{port}'}{path}")

        column.add(Cell(f"A13 {kind}{' ' if what else ''}{what}", TLS, run=run))


def _swallowed(rig: Rig) -> Got:
    place = rig.enter(deaf())
    if rig.network.translate is None:
        return rig.fetch(rig.column.url("127.0.0.1", port=place.port))
    rig.place(place)
    return rig.fetch()


def _first_deaf(rig: Rig) -> Got:
    """Two addresses of loopback, the first of which swallows what it is sent."""
    server = rig.enter(rig.column.player(rig.column.good))
    rig.enter(deaf("127.0.0.2", server.port))
    rig.network.names[EVIL] = ["127.0.0.2", "127.0.0.1"]
    got = rig.fetch(rig.column.url(EVIL, port=server.port))
    assert got.data == rig.column.content, got
    return got


def first_dead(rig: Rig, place: Any = None) -> Got:
    """A name whose first address leads to a place that swallows, or to none, and the second one to the good server."""
    rig.network.names[EVIL] = [ADDRESSES[OTHER], ADDRESSES[GOOD]]
    if place is not None:
        rig.place(place, OTHER)
    rig.good_server()
    got = rig.fetch()
    assert got.data == rig.column.content, got
    rig.network.names[EVIL] = [ADDRESSES[EVIL]]
    return got


def _no_answer(rig: Rig) -> Got:
    over = threading.Event()

    def hang() -> list[str]:
        over.wait(10)
        return []

    rig.network.names[EVIL] = hang
    got = rig.fetch()
    over.set()
    return got


def _bad_name(rig: Rig, answer: Exception) -> Got:
    rig.network.names[EVIL] = lambda: answer
    return rig.fetch()


def _leads_to(rig: Rig, answer: list[Any]) -> Got:
    rig.network.names[EVIL] = answer
    got = rig.fetch()
    assert rig.network.connected == [], "a socket was opened"
    return got


def _rebinds(rig: Rig) -> Got:
    """The name leads to this machine from the second look-up on: what was checked is what is connected to."""
    rig.network.names[EVIL] = [[ADDRESSES[EVIL]], ["127.0.0.1"]]
    rig.serve(rig.column.good)
    got = rig.fetch()
    assert got.data == rig.column.content, got
    assert rig.network.looked_up == [EVIL]
    return got


def _astray(rig: Rig) -> Got:
    """The connection that was made leads to another address than the one that was approved: nothing is said on it."""
    other = rig.enter(Player([expect_no_more()], host="127.0.0.2"))
    rig.network.astray = (other.host, other.port)
    got = rig.fetch()
    rig.network.astray = None
    assert b"".join(other.received) == b""
    return got


def _port(rig: Rig, port: int) -> Got:
    server = rig.serve([], port=port)
    got = rig.fetch(rig.column.url(EVIL, port=port))
    assert server.hits == 0
    return got


def _proxies(rig: Rig) -> Got:
    """Proxies of the environment are not ours to use."""
    proxy = rig.enter(Player([]))
    names = [f"{name}_proxy" for name in ("all", "http", "https", "ftp", "gopher", "socks")]
    place = f"http://127.0.0.1:{proxy.port}/"
    rig.serve(rig.column.good)
    old = {key: os.environ.get(key) for name in names for key in (name, name.upper())}
    os.environ.update(dict.fromkeys(old, place))
    try:
        got = rig.fetch()
    finally:
        for key, value in old.items():
            os.environ.pop(key)
            if value is not None:
                os.environ[key] = value
    assert got.data == rig.column.content, got
    assert proxy.hits == 0
    return got
