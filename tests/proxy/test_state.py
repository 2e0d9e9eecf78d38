"""What all connections share: the proxy's own listeners, and its name in Via."""

from __future__ import annotations

from typing import Any

import pytest

from anyurl.guard import Policy
from anyurl.net.wire.open_connection import AsyncDialler
from anyurl.proxy.journal import Journal
from anyurl.proxy.roles import Roles
from anyurl.proxy.state import ProxyState
from tests.proxy.running import role, running
from tests.rows import each_row
from tests.servers import Server, answers, reply


def test_it_does_not_lead_to_itself() -> None:
    with running() as proxy:
        for port in (proxy.port, proxy.figures):
            near = role(connect_ports=(port,))
            proxy.loop.call_soon_threadsafe(proxy.proxy.reload, Roles((near,)))
            assert proxy.get(f"http://127.0.0.1:{port}/")[0] == 403
            assert proxy.get(f"gopher://127.0.0.1:{port}/0x")[0] == 403
            assert proxy.get(f"http://127.0.0.2:{port}/healthz")[0] in (403, 502)
            assert b"403" in proxy.say(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n".encode())[:20]
        assert {line["code"] for line in proxy.wait(8)} <= {"own-port", "failed"}


def test_what_dials_for_roles_ends_with_them() -> None:
    with Server(answers(reply(b"x"), reply(b"x"))) as server, running() as proxy:
        assert proxy.get(f"http://{server.authority}/")[0] == 200
        diallers = [dialler for _, dialler in proxy.proxy.state._diallers.values()]
        assert [dialler._retired for dialler in diallers] == [False]
        proxy.loop.call_soon_threadsafe(proxy.proxy.reload, Roles((role(),)))
        assert proxy.get(f"http://{server.authority}/")[0] == 200
        assert [dialler._retired for dialler in diallers] == [True]
        diallers += [dialler for _, dialler in proxy.proxy.state._diallers.values()]
    assert [dialler._retired for dialler in diallers] == [True, True]


def test_what_dials_once_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """For a policy of one request: that of a role whose refusals are only reported."""
    made: list[AsyncDialler] = []

    def dialler(policy: Policy) -> AsyncDialler:
        made.append(AsyncDialler(policy))
        return made[-1]

    monkeypatch.setattr("anyurl.proxy.state.AsyncDialler", dialler)
    near = role(policy=Policy.untrusted(), report_only=True)
    with Server(answers(reply(b"x"))) as server, running(near) as proxy:
        assert proxy.get(f"http://{server.authority}/")[0] == 200
        kept = {id(dialler) for _, dialler in proxy.proxy.state._diallers.values()}
        assert made
        assert [id(one) not in kept for one in made] == [one._retired for one in made]
        assert True in [one._retired for one in made]


@each_row(
    ("there", "here", "own"),
    [
        (("127.0.0.1", 3128), ("127.0.0.1", 4000), True),
        (("127.0.0.2", 3128), ("127.0.0.1", 4000), True),  # it may listen at all addresses of the machine
        (("::1", 3128, 0, 0), ("::1", 4000, 0, 0), True),
        (("::1", 3128, 0, 0), ("fd00::1", 4000, 0, 0), True),
        (("192.0.2.1", 3128), ("192.0.2.1", 4000), True),
        (("192.0.2.1", 3128), ("192.0.2.2", 4000), False),
        (("127.0.0.1", 3129), ("127.0.0.1", 4000), False),
        (("2001:db8::1", 3128, 0, 0), ("2001:db8::2", 4000, 0, 0), False),
    ],
)
def test_what_leads_to_a_port_of_its_own_on_this_machine(
    there: tuple[Any, ...], here: tuple[Any, ...], own: bool
) -> None:
    state = ProxyState(Roles((role(),)), Journal(print))
    state.ports.add(3128)
    assert state.is_own(there, here) == own


def test_a_circle_is_seen() -> None:
    with running() as one, Server(answers(reply(b"x"))) as server:
        name = one.proxy.state.name
        assert one.get(f"http://127.0.0.1:{server.port}/", f"Via: 1.1 {name}")[0] == 508
        (line,) = one.wait(1)
        assert (line["decision"], line["code"]) == ("refused", "loop")
        assert server.received == []
