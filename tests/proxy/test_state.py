"""What all connections share: the proxy's own listeners, and its name in Via."""

from __future__ import annotations

from anyurl.proxy.roles import Roles
from tests.proxy.running import role, running
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


def test_a_circle_is_seen() -> None:
    with running() as one, Server(answers(reply(b"x"))) as server:
        name = one.proxy.state.name
        assert one.get(f"http://127.0.0.1:{server.port}/", f"Via: 1.1 {name}")[0] == 508
