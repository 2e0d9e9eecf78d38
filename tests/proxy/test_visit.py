"""A request from outside: who gets where, what is said of it, and that nothing else does."""

from __future__ import annotations

import asyncio
import base64
import gc
import json
import socket
import subprocess
import time
from contextlib import suppress
from hashlib import sha256
from typing import Any

import pytest

from anyurl.errors import ConnectError
from anyurl.guard import Policy
from anyurl.proxy.gateway import HttpGateway
from anyurl.proxy.journal import Journal
from anyurl.proxy.roles import Roles, everybody
from anyurl.proxy.sockets import StreamSocket
from anyurl.proxy.state import ProxyState
from anyurl.proxy.visit import PAGES, Visit
from tests.proxy.running import role, running
from tests.servers import Connection, Server, answers, reply, unheard

TOKEN = "0123456789abcdef"


def echo(connection: object) -> None:
    """Say what comes, until it ends."""
    sock = connection.sock  # type: ignore[attr-defined]
    while data := sock.recv(65536):
        sock.sendall(data)


def test_a_tunnel() -> None:
    with Server(echo) as server, running(role(connect_ports=(server.port,))) as proxy:
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=10) as sock:
            sock.sendall(f"CONNECT 127.0.0.1:{server.port} HTTP/1.1\r\nHost: x\r\n\r\nfirst".encode())
            answer = b""
            while not answer.endswith(b"first"):
                answer += sock.recv(65536)
            assert answer == b"HTTP/1.1 200 OK\r\n\r\nfirst"
            sock.sendall(b"second")
            assert sock.recv(65536) == b"second"
            sock.shutdown(socket.SHUT_WR)
            assert sock.recv(65536) == b""
        (line,) = proxy.wait(1)
    assert (line["method"], line["url"]) == ("CONNECT", f"127.0.0.1:{server.port}")
    assert (line["role"], line["decision"], line["code"], line["octets"]) == ("near", "allowed", "allowed", 22)


@pytest.mark.parametrize(
    ("target", "status", "code"),
    [
        ("127.0.0.1:22", 403, "connect-port"),
        ("127.0.0.1:0", 403, "connect-port"),
        ("127.0.0.1", 400, "no-url"),
        ("u:p@127.0.0.1:443", 400, "no-url"),
        ("127.0.0.1:443/x", 400, "no-url"),
        ("127.0.0.1:443?x", 400, "no-url"),
        ("2130706433:443", 400, "no-url"),
        ("0x7f.1:443", 400, "no-url"),
        ("127.0.0.1:65979", 400, "no-url"),
        ("[::g]:443", 400, "no-url"),
    ],
)
def test_a_tunnel_leads_to_a_host_and_a_port_that_may_be(target: str, status: int, code: str) -> None:
    with running() as proxy:
        answer = proxy.say(f"CONNECT {target} HTTP/1.1\r\n\r\n".encode())
        (line,) = proxy.wait(1)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert int(head.split(b" ")[1]) == status
    assert json.loads(body)["code"] == line["code"] == code
    assert ":p@" not in str(line)


@pytest.mark.parametrize(
    ("ports", "detail"),
    [
        ((443, 8443), "A tunnel leads to port 443, 8443 only, not to 22; its connect_ports would allow it."),
        ((), "This role opens no tunnels; its connect_ports would allow it."),
    ],
)
def test_a_tunnel_that_is_refused_is_told_what_would_allow_it(ports: tuple[int, ...], detail: str) -> None:
    with running(role(connect_ports=ports)) as proxy:
        _, _, body = proxy.say(b"CONNECT 127.0.0.1:22 HTTP/1.1\r\n\r\n").partition(b"\r\n\r\n")
    assert json.loads(body)["detail"] == detail


@pytest.mark.parametrize("url", ["http://127.0.0.1:PORT/", "http://localhost:PORT/", "http://[::ffff:127.0.0.1]:PORT/"])
def test_without_roles_nothing_private_is_reached(url: str) -> None:
    with Server(answers(reply(b"secret"))) as server, running(*everybody().roles) as proxy:
        status, _, body = proxy.get(url.replace("PORT", str(server.port)))
        (line,) = proxy.wait(1)
        assert server.received == []
    assert status == 403
    told = json.loads(body)
    assert told["code"] == line["code"]
    assert told["detail"].startswith("Refused: ")
    assert line["decision"] == "refused"


def test_one_internal_host_can_be_allowed() -> None:
    near = role(policy=Policy.untrusted().replace(allow_nets=["127.0.0.1"]))
    with Server(answers(reply(b"inside"))) as server, running(near) as proxy:
        assert proxy.get(f"http://127.0.0.1:{server.port}/")[::2] == (200, b"inside")
        assert proxy.get(f"http://127.0.0.2:{server.port}/")[0] == 403


def test_what_is_only_reported_is_done_and_logged() -> None:
    report = role(policy=Policy.untrusted(), report_only=True)
    with Server(answers(reply(b"inside"))) as server, running(report) as proxy:
        assert proxy.get(f"http://127.0.0.1:{server.port}/")[::2] == (200, b"inside")
        (line,) = proxy.wait(1)
    assert (line["decision"], line["code"]) == ("reported", "address-private")


def test_a_tunnel_to_another_port_is_only_reported_where_the_role_says_so() -> None:
    with Server(echo) as server, running(role(report_only=True, connect_ports=())) as proxy:
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=10) as sock:
            sock.sendall(f"CONNECT 127.0.0.1:{server.port} HTTP/1.1\r\n\r\n".encode())
            assert sock.recv(65536).startswith(b"HTTP/1.1 200")
        (line,) = proxy.wait(1)
    assert (line["decision"], line["code"]) == ("reported", "connect-port")


@pytest.mark.parametrize(
    ("changes", "request_of", "code"),
    [
        ({"deny_schemes": ["http"]}, "GET http://127.0.0.1:{}/ HTTP/1.1\r\n\r\n", "scheme-denied"),
        ({"allow_schemes": ["ftp"]}, "GET http://127.0.0.1:{}/ HTTP/1.1\r\n\r\n", "scheme-not-allowed"),
        ({"deny_schemes": ["https"]}, "CONNECT 127.0.0.1:{} HTTP/1.1\r\n\r\n", "scheme-denied"),
        ({"deny_schemes": ["gopher"]}, "GET gopher://127.0.0.1:{}/ HTTP/1.1\r\n\r\n", "scheme-denied"),
        ({"deny_nets": ["127.0.0.1"]}, "CONNECT 127.0.0.1:{} HTTP/1.1\r\n\r\n", "address-denied"),
    ],
)
def test_what_the_policy_of_a_role_says_of_urls_holds(changes: dict[str, Any], request_of: str, code: str) -> None:
    policy = Policy.default().replace(files=False, services=False, **changes)
    with Server(echo) as server, running(role(policy=policy, connect_ports=(server.port,))) as proxy:
        head, _, body = proxy.say(request_of.format(server.port).encode()).partition(b"\r\n\r\n")
        (line,) = proxy.wait(1)
        assert server.received == []
    assert head.startswith(b"HTTP/1.1 403 ")
    assert json.loads(body)["code"] == line["code"] == code


def authorization(scheme: str, value: str) -> str:
    return f"Proxy-Authorization: {scheme} {value}"


@pytest.mark.parametrize(
    ("field", "status"),
    [
        (authorization("Bearer", TOKEN), 200),
        (authorization("Basic", base64.b64encode(f"any:{TOKEN}".encode()).decode()), 200),
        (authorization("Bearer", TOKEN + "x"), 407),
        (authorization("Basic", "%%%"), 407),
        (authorization("Digest", TOKEN), 407),
        ("X: y", 407),
    ],
)
def test_a_token_tells_the_role_and_goes_no_further(field: str, status: int) -> None:
    known = role(sources=(), tokens=(sha256(TOKEN.encode()).digest(),))
    with Server(answers(reply(b"in"))) as server, running(known) as proxy:
        got, head, _ = proxy.get(f"http://127.0.0.1:{server.port}/", field)
        (line,) = proxy.wait(1)
        assert got == status
        assert line["decision"] == ("refused" if status == 407 else "allowed")
        assert (b"Proxy-Authenticate: Basic" in head) == (status == 407)
        assert b"proxy-authorization" not in b"".join(server.received).lower()
        assert TOKEN not in "".join(proxy.raw)


def test_connections_through_socks_are_counted_too() -> None:
    with Server(echo) as server, running(role(connections=1, connect_ports=(server.port,))) as proxy:
        ask = b"\x05\x01\x00\x05\x01\x00\x01\x7f\x00\x00\x01" + server.port.to_bytes(2, "big")
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=10) as sock:
            sock.sendall(ask + b"x")
            got = b""
            while not got.endswith(b"x"):
                got += sock.recv(65536)
            assert proxy.say(ask)[2:4] == b"\x05\x01"
            assert proxy.get(f"http://127.0.0.1:{server.port}/")[0] == 503
        assert {line["code"] for line in proxy.wait(3)} == {"allowed", "busy"}


def test_a_role_has_so_many_connections() -> None:
    with Server(echo) as server, running(role(connections=1, connect_ports=(server.port,))) as proxy:
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=10) as sock:
            sock.sendall(f"CONNECT 127.0.0.1:{server.port} HTTP/1.1\r\n\r\n".encode())
            assert sock.recv(65536).startswith(b"HTTP/1.1 200")
            assert proxy.get(f"http://127.0.0.1:{server.port}/")[0] == 503
        proxy.wait(2)
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=10) as sock:
            sock.sendall(f"CONNECT 127.0.0.1:{server.port} HTTP/1.1\r\n\r\n".encode())
            assert sock.recv(65536).startswith(b"HTTP/1.1 200")


def test_an_idle_tunnel_ends() -> None:
    with Server(echo) as server, running(role(idle=0.2, connect_ports=(server.port,))) as proxy:
        answer = proxy.say(f"CONNECT 127.0.0.1:{server.port} HTTP/1.1\r\n\r\n".encode())
        (line,) = proxy.wait(1)
    assert answer == b"HTTP/1.1 200 OK\r\n\r\n"
    assert (line["decision"], line["code"]) == ("failed", "timeout")


def test_a_role_has_so_many_octets() -> None:
    with Server(echo) as server, running(role(max_bytes=1_000, connect_ports=(server.port,))) as proxy:
        answer = proxy.say(f"CONNECT 127.0.0.1:{server.port} HTTP/1.1\r\n\r\n".encode() + bytes(2_000))
        (line,) = proxy.wait(1)
    assert len(answer) < 1_100
    assert line["code"] == "limit"


@pytest.mark.parametrize("size", [5_000, 500_000])
@pytest.mark.parametrize("pause", [False, True])
def test_an_answer_that_is_announced_too_large_is_a_problem(size: int, pause: bool) -> None:
    """As docs/service.md says: whether its octets come with the head or later."""
    head, body = reply(bytes(size))[:-size], bytes(size)

    def serve(connection: Connection) -> None:
        connection.head()
        connection.send(head)
        if pause:
            time.sleep(0.1)
        with suppress(OSError):
            connection.send(body)

    with Server(serve) as server, running(role(max_bytes=4_000)) as proxy:
        status, _, said = proxy.get(f"http://{server.authority}/")
        (line,) = proxy.wait(1)
    assert status == 502
    assert b"its role allows 4,000" in said
    assert (line["decision"], line["code"]) == ("failed", "limit")


@pytest.mark.parametrize(
    ("minor", "field"), [(1, "Transfer-Encoding: chunked"), (1, "Connection: close"), (0, "Connection: close")]
)
def test_an_answer_that_becomes_too_large_is_broken_off_after_its_head(minor: int, field: str) -> None:
    body = bytes(5_000)
    body = b"1388\r\n" + body + b"\r\n0\r\n\r\n" if "chunked" in field else body
    with (
        Server(answers(reply(body, field, length=False))) as server,
        running(role(max_bytes=4_000)) as proxy,
    ):
        answer = proxy.say(f"GET http://{server.authority}/ HTTP/1.{minor}\r\nHost: h\r\n\r\n".encode())
        (line,) = proxy.wait(1)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"\r\n\r\n" in answer
    assert len(answer) < 4_500
    assert (line["decision"], line["code"]) == ("failed", "limit")


@pytest.mark.parametrize(
    ("octets", "status", "code"),
    [
        (b"GET / HTTP/1.1\r\nHost: h\r\n\r\n", 400, "origin-form"),
        (b"OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", 400, "origin-form"),
        (b"GET /metrics HTTP/1.1\r\nHost: h\r\n\r\n", 400, "origin-form"),
        (b"GET http://127.0.0.1/ HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400, "request"),
        (b"CONNECT 127.0.0.1:443 HTTP/1.1\r\nContent-Length: 1\r\n\r\na", 400, "request"),
        (b"CONNECT 127.0.0.1:443 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "request"),
        (b"CONNECT 127.0.0.1:443 HTTP/1.1\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n", 400, "request"),
        (b"GET https://h/ HTTP/1.1\r\n\r\n", 400, "tls"),
        (b"GET http://u:p@h/ HTTP/1.1\r\n\r\n", 400, "login"),
        (b"GET http://127.0.0.1:0/ HTTP/1.1\r\n\r\n", 403, "port-invalid"),
        (b"GET http://h\\@x/ HTTP/1.1\r\n\r\n", 400, "no-url"),
        (b"GET file:///etc/passwd HTTP/1.1\r\n\r\n", 403, "scheme"),
        (b"GET telnet://127.0.0.1/ HTTP/1.1\r\n\r\n", 403, "scheme"),
        (b"GET mailto:a@b.dom HTTP/1.1\r\n\r\n", 403, "scheme"),
        (b"GET data:text/html,x HTTP/1.1\r\n\r\n", 403, "scheme"),
        (b"GET zork://127.0.0.1/ HTTP/1.1\r\n\r\n", 501, "scheme"),
        (b"POST gopher://127.0.0.1/ HTTP/1.1\r\nContent-Length: 0\r\n\r\n", 405, "method"),
        (b"nonsense\r\n\r\n", 400, "request"),
        (b"GET http://h/ HTTP/1.1\r\nA: " + b"b" * 70_000 + b"\r\n\r\n", 431, "request"),
        (b"POST http://127.0.0.1/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400, "request"),
        (b"POST http://127.0.0.1/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "request"),
    ],
)
def test_what_is_no_request_for_a_proxy(octets: bytes, status: int, code: str) -> None:
    with running() as proxy:
        head, _, body = proxy.say(octets).partition(b"\r\n\r\n")
        (line,) = proxy.wait(1)
    assert int(head.split(b" ")[1]) == status
    assert b"application/problem+json" in head
    assert json.loads(body)["code"] == line["code"] == code
    assert (line["decision"], line["octets"]) == ("refused" if status == 403 else "failed", 0)
    assert (line["method"] is None) == (line["url"] is None)
    assert (line["url"] is None) == (octets == b"nonsense\r\n\r\n" or status == 431)
    assert 0 <= line["seconds"] == round(line["seconds"], 3) < 60


def test_a_head_that_does_not_come_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anyurl.proxy.visit.HEAD_SECONDS", 0.2)
    with running() as proxy:
        assert proxy.say(b"GET http://h/ HT").startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize(
    "octets",
    [
        b"GET http://h/ HTTP/1.1\nHost: h\n\n",
        b"GET http://h/ HTTP/1.1\r\nHost: h\n\n",
        b"GET http://h/ HTTP/1.1\rHost: h\r\r",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # TLS
        b"\x04\x01\x01\xbb\x7f\x00\x00\x01me\x00",  # SOCKS 4
    ],
)
def test_what_will_be_no_head_is_not_waited_for(octets: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anyurl.proxy.visit.HEAD_SECONDS", 0.5)
    with running() as proxy:
        assert proxy.say(octets).startswith(b"HTTP/1.1 400 ")


def test_nobody_who_says_nothing_is_logged() -> None:
    with running() as proxy:
        socket.create_connection(("127.0.0.1", proxy.port)).close()
        proxy.say(b"nonsense\r\n\r\n")
        assert len(proxy.wait(1)) == 1


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost", "::1"])
def test_socks(address: str) -> None:
    host = "::1" if address == "::1" else "127.0.0.1"
    with Server(echo, host=host) as server, running(role(connect_ports=(server.port,))) as proxy:
        if address == "localhost":
            place = b"\x03\x09localhost"
        else:
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            place = (b"\x04" if ":" in address else b"\x01") + socket.inet_pton(family, address)
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=10) as sock:
            sock.sendall(b"\x05\x01\x00")
            assert sock.recv(2) == b"\x05\x00"
            sock.sendall(b"\x05\x01\x00" + place + server.port.to_bytes(2, "big"))
            assert sock.recv(10) == b"\x05\x00\x00\x01" + bytes(6)
            sock.sendall(b"hello")
            assert sock.recv(5) == b"hello"
        (line,) = proxy.wait(1)
    assert (line["method"], line["decision"]) == ("SOCKS", "allowed")


def test_socks_with_a_token() -> None:
    known = role(sources=(), tokens=(sha256(TOKEN.encode()).digest(),))
    for password, last in ((TOKEN, 0), (TOKEN + "x", 1)):
        with running(known) as proxy:
            login = b"\x01\x01u" + bytes((len(password),)) + password.encode()
            answer = proxy.say(b"\x05\x01\x02" + login + b"\x05\x01\x00\x01\x7f\x00\x00\x01\x00\x16")
            (line,) = proxy.wait(1)
        assert answer[:4] == b"\x05\x02\x01" + bytes((last,))
        assert answer[4:6] == (b"" if last else b"\x05\x02")
        assert line["code"] == ("no-role" if last else "connect-port")


@pytest.mark.parametrize(
    ("password", "told"),
    [
        (TOKEN, "known"),  # as HTTP has it: a token first
        (TOKEN + "x", None),  # and a wrong one never falls through to the role of the address
    ],
)
def test_socks_with_a_token_where_the_address_has_a_role(password: str, told: str | None) -> None:
    known = role(name="known", sources=(), tokens=(sha256(TOKEN.encode()).digest(),))
    login = b"\x01\x01u" + bytes((len(password),)) + password.encode()
    with running(role(), known) as proxy:
        proxy.say(b"\x05\x02\x00\x02" + login + b"\x05\x01\x00\x01\x7f\x00\x00\x01\x00\x16")
        assert [line["role"] for line in proxy.wait(1)] == [told]


@pytest.mark.parametrize(
    ("octets", "answer", "decision", "code"),
    [
        (b"\x05\x01\x01", b"\x05\xff", "refused", "no-role"),
        (b"\x05\x01\x02", b"\x05\xff", "refused", "no-role"),  # where no role has a token none is asked for
        (
            b"\x05\x01\x00\x05\x02\x00\x01\x7f\x00\x00\x01\x00\x50",
            b"\x05\x00\x05\x07\x00\x01" + bytes(6),
            "failed",
            "command",
        ),
        (b"\x05\x01\x00\x05\x01\x00\x09", b"\x05\x00", "failed", "request"),
        (
            b"\x05\x01\x00\x05\x01\x00\x01\x7f\x00\x00\x01\x00\x16",
            b"\x05\x00\x05\x02\x00\x01" + bytes(6),
            "refused",
            "connect-port",
        ),
        (
            b"\x05\x01\x00\x05\x01\x00\x03\x02h:\x01\xbb",
            b"\x05\x00\x05\x01\x00\x01" + bytes(6),
            "failed",
            "no-url",
        ),
    ],
)
def test_what_socks_does_not_do(octets: bytes, answer: bytes, decision: str, code: str) -> None:
    with running() as proxy:
        assert proxy.say(octets + bytes(20))[: len(answer)] == answer
        (line,) = proxy.wait(1)
    assert (line["method"], line["decision"], line["code"]) == ("SOCKS", decision, code)


@pytest.mark.parametrize(
    ("octets", "port"),
    [
        (b"GET http://127.0.0.1/ HTTP/1.1\r\n\r\n", 80),
        (b"CONNECT 127.0.0.1:443 HTTP/1.1\r\n\r\n", 443),
        (b"\x05\x01\x00\x05\x01\x00\x01\x7f\x00\x00\x01\x01\xbb", 443),
    ],
)
def test_the_port_of_its_own_scheme_is_no_other_service(octets: bytes, port: int) -> None:
    """What the policy says of it: where nobody listens, it is tried and fails."""
    asked = []

    async def dial(host: str, port: int, scheme: str, policy: Policy) -> StreamSocket:
        policy.judge_endpoint(scheme, host, port).check()
        asked.append(port)
        raise ConnectError("Nobody listens.", stage="connect")

    with running() as proxy:
        proxy.proxy.state.dial = dial  # type: ignore[method-assign]
        proxy.say(octets)
        (line,) = proxy.wait(1)
    assert (asked, line["decision"], line["code"]) == ([port], "failed", "failed")


@pytest.mark.needs("curl")
@pytest.mark.parametrize("way", ["-x http://", "-p -x http://", "--socks5 ", "--socks5-hostname "])
def test_curl(way: str) -> None:
    with Server(answers(reply(b"hello", "X-A: b"))) as server, running(role(connect_ports=(server.port,))) as proxy:
        words = f"curl -sS -m 10 {way}127.0.0.1:{proxy.port} http://127.0.0.1:{server.port}/x?y"
        done = subprocess.run(words.split(), capture_output=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"hello", b"")
        assert bytes(server.received[0]).startswith(b"GET /x?y HTTP/1.1\r\nHost: 127.0.0.1:")


def test_a_fault_of_the_proxy_is_never_logged_as_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody has foreseen: the client is told, the log says so, and the next client is served."""

    def broken(*_given: object) -> None:
        raise ZeroDivisionError

    told: list[object] = []
    with Server(answers(reply(b"x"))) as server, running() as proxy:
        proxy.loop.set_exception_handler(lambda _loop, context: told.append(context["exception"]))
        url = f"http://127.0.0.1:{server.port}/"
        with monkeypatch.context() as patch:
            patch.setattr("anyurl.proxy.visit.forward", broken)
            status, _, body = proxy.get(url)
            (line,) = proxy.wait(1)
        assert (status, json.loads(body)["code"]) == (500, "fault")
        assert (line["decision"], line["code"]) == ("failed", "fault")
        assert proxy.get(url)[0] == 200
        gc.collect()  # asyncio tells of what a task raised when nothing refers to it any more
    assert [type(one) for one in told] == [ZeroDivisionError]


def test_who_is_cancelled_stays_so() -> None:
    """The stop of the proxy waits for what it has cancelled, and must not take it for served."""
    lines: list[str] = []

    async def main() -> None:
        near, far = socket.socketpair()
        visit = Visit(
            ProxyState(Roles((role(),)), Journal(lines.append)), HttpGateway(), StreamSocket(far), "127.0.0.1"
        )
        with near:
            serving = asyncio.create_task(visit.serve())
            await asyncio.sleep(0)
            serving.cancel()
            with pytest.raises(asyncio.CancelledError):
                await serving
        assert far.fileno() == -1

    asyncio.run(main())
    (line,) = map(json.loads, lines)
    assert (line["decision"], line["code"]) == ("failed", "stopped")


def test_the_line_names_the_address_that_was_connected_to() -> None:
    with Server(answers(reply(b"x"))) as server, running(role(connect_ports=(server.port,))) as proxy:
        proxy.get(f"http://localhost:{server.port}/")
        assert proxy.wait(1)[0]["address"] == "127.0.0.1"
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=10) as sock:
            sock.sendall(f"CONNECT localhost:{server.port} HTTP/1.1\r\n\r\n".encode())
            assert sock.recv(65_536).startswith(b"HTTP/1.1 200")
        assert proxy.wait(2)[1]["address"] == "127.0.0.1"
        proxy.get("http://127.0.0.1:0/")
        assert proxy.wait(3)[2]["address"] is None


def test_what_would_be_refused_is_marked_even_where_the_request_then_fails() -> None:
    """The report of what would break must have it, whatever became of it."""
    report = role(policy=Policy.untrusted(), report_only=True)
    with unheard() as port, running(report) as proxy:
        assert proxy.get(f"http://127.0.0.1:{port}/")[0] == 502
        (line,) = proxy.wait(1)
        figures = proxy.say(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", port=proxy.figures)
    assert (line["decision"], line["code"], line["reported"]) == ("failed", "failed", "address-private")
    assert b'anyurl_proxy_reported_total{role="near",code="address-private"} 1' in figures


@pytest.mark.parametrize(
    "fields",
    [
        (authorization("Bearer", TOKEN + "x"),),
        (authorization("Basic", base64.b64encode(b"u:" + TOKEN.encode() + b"x").decode()),),
        (authorization("Basic", "no base64"),),
        (authorization("Bearer", ""),),
        (authorization("Negotiate", TOKEN),),
        (authorization("Bearer", TOKEN), authorization("Bearer", TOKEN)),
    ],
    ids=["bearer", "basic", "malformed", "empty", "another scheme", "two of them"],
)
def test_a_wrong_token_never_falls_through_to_the_role_of_the_address(fields: tuple[str, ...]) -> None:
    """A token that was changed must be noticed: its client is refused, and logged."""
    known = role(name="known", sources=(), tokens=(sha256(TOKEN.encode()).digest(),))
    with running(role(), known) as proxy:
        status, head, _ = proxy.get("http://127.0.0.1:0/", *fields)
        (line,) = proxy.wait(1)
    assert (status, line["role"], line["decision"], line["code"]) == (407, None, "refused", "no-role")
    assert b"\r\nProxy-Authenticate: " in head
    assert "has the token that you sent" in line["message"]


@pytest.mark.parametrize(
    ("url", "status", "phrase", "kind"),
    [
        ("http://127.0.0.1/", 403, "Forbidden: address-private", "destination_ip_prohibited"),
        ("http://h.example:22/", 403, "Forbidden: port-service", "http_request_denied"),
        ("http://h\\@x/", 400, "Bad Request: no-url", "http_request_error"),
    ],
)
def test_the_code_is_in_the_reason_phrase_and_in_a_field(url: str, status: int, phrase: str, kind: str) -> None:
    with running(*everybody().roles) as proxy:
        _, head, _ = proxy.get(url)
    first, *lines = head.decode().split("\r\n")
    assert first == f"HTTP/1.1 {status} {phrase}"
    assert f'Proxy-Status: anyurl; error={kind}; details="{phrase.partition(": ")[2]}"' in lines


# ------------------------------------------------------------------------------------------- several on a connection


class Asking:
    """A client that sends several requests on one connection."""

    def __init__(self, port: int) -> None:
        self.sock = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.rest = b""

    def ask(self, octets: bytes) -> tuple[bytes, bytes]:
        """Send, and read one answer with a length."""
        self.sock.sendall(octets)
        while b"\r\n\r\n" not in self.rest:
            self._more()
        head, _, self.rest = self.rest.partition(b"\r\n\r\n")
        size = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        while len(self.rest) < size:
            self._more()
        body, self.rest = self.rest[:size], self.rest[size:]
        return head, body

    def __enter__(self) -> Asking:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.sock.close()

    def _more(self) -> None:
        data = self.sock.recv(65_536)
        assert data, self.rest
        self.rest += data

    @property
    def is_closed(self) -> bool:
        """Whether the proxy has closed it; waits for that."""
        try:
            return self.sock.recv(1) == b""
        except ConnectionResetError:
            return True


def test_plain_answers_keep_the_connection_and_each_request_is_judged() -> None:
    with Server(answers(reply(b"one"), reply(b"two"))) as server, running(role()) as proxy, Asking(proxy.port) as near:
        get = f"GET http://{server.authority}/ HTTP/1.1\r\nHost: x\r\n\r\n".encode()
        head, body = near.ask(get)
        assert (b"Connection: close" in head, body) == (False, b"one")
        head, body = near.ask(b"GET http://127.0.0.1:22/ HTTP/1.1\r\nHost: x\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 403 ")
        assert b"Connection: close" not in head
        head, body = near.ask(get)
        assert body == b"two"
        lines = proxy.wait(3)
    assert [line["decision"] for line in lines] == ["allowed", "refused", "allowed"]


def test_each_request_shows_its_token() -> None:
    known = role(name="known", sources=(), tokens=(sha256(TOKEN.encode()).digest(),))
    with running(known) as proxy, Asking(proxy.port) as near:
        right = f"GET http://127.0.0.1:0/ HTTP/1.1\r\n{authorization('Bearer', TOKEN)}\r\n\r\n".encode()
        assert near.ask(right)[0].startswith(b"HTTP/1.1 403 ")
        assert near.ask(b"GET http://127.0.0.1:0/ HTTP/1.1\r\n\r\n")[0].startswith(b"HTTP/1.1 407 ")
        assert near.ask(right)[0].startswith(b"HTTP/1.1 403 ")


@pytest.mark.parametrize(
    ("octets", "reason"),
    [
        (b"POST http://127.0.0.1:0/ HTTP/1.1\r\nContent-Length: 4\r\n\r\nGET ", "a body"),
        (b"POST http://127.0.0.1:0/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "a chunked body"),
        (b"GET http://127.0.0.1:0/ HTTP/1.1\r\nContent-Length: 0\r\nContent-Length: 4\r\n\r\n", "two lengths"),
        (b"GET http://127.0.0.1:0/ HTTP/1.1\r\nConnection: close\r\n\r\n", "its own wish"),
        (b"GET http://127.0.0.1:0/ HTTP/1.1\r\nProxy-Connection: Close\r\n\r\n", "its own wish, of old"),
        (b"GET http://127.0.0.1:0/ HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "HTTP/1.0"),
        (b"CONNECT 127.0.0.1:22 HTTP/1.1\r\n\r\n", "a tunnel that is refused: what follows was meant for it"),
        (b"nonsense\r\n\r\n", "no request"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_after_what_may_be_misread_the_connection_is_closed(octets: bytes, reason: str) -> None:
    """Attack: the rest of a body, or the first octets for a tunnel, as another request that the client did not make."""
    with running() as proxy, Asking(proxy.port) as near:
        smuggled = b"GET http://127.0.0.1:0/smuggled HTTP/1.1\r\n\r\n"
        assert b"\r\nConnection: close" in near.ask(octets + smuggled)[0], reason
        assert near.is_closed
        assert "smuggled" not in "".join(proxy.raw)


def test_a_connection_that_asks_for_nothing_more_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anyurl.proxy.server.KEPT_SECONDS", 0.1)
    with running() as proxy, Asking(proxy.port) as near:
        assert near.ask(b"GET http://127.0.0.1:0/ HTTP/1.1\r\n\r\n")[0].startswith(b"HTTP/1.1 403 ")
        assert near.is_closed
        assert len(proxy.lines) == 1


def test_a_connection_that_waits_does_not_delay_the_end() -> None:
    with running() as proxy, Asking(proxy.port) as near:
        near.ask(b"GET http://127.0.0.1:0/ HTTP/1.1\r\n\r\n")
        proxy.do(proxy.proxy.stop(60))
        assert near.is_closed


@pytest.mark.parametrize("page", PAGES)
def test_who_asks_the_proxy_for_its_figures_is_told_where_they_are(page: str) -> None:
    with running() as proxy:
        assert proxy.say(f"GET {page} HTTP/1.1\r\n\r\n".encode(), port=proxy.figures).startswith(b"HTTP/1.1 200 ")
        status, _, body = proxy.get(page)
        told = f"{page} is served only at the address of --metrics."
        assert (status, json.loads(body)["detail"]) == (400, told)
