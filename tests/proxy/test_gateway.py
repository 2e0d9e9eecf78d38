"""The other schemes, answered as http: what each world server's pages look like to a client of HTTP."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate

import pytest

from anyurl.proxy import Roles
from anyurl.proxy.answers import SAFE
from anyurl.proxy.gateway import STYLE, _date
from anyurl.world import World
from tests.proxy.running import role, running
from tests.servers import WAIT_SECONDS, Connection, Server


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World(["gopher", "wais", "news", "prospero", "ftp"]) as world:
        yield world


@pytest.mark.clause("4-5")
@pytest.mark.parametrize("scheme", ["gopher", "wais", "news", "prospero", "ftp"])
def test_a_root_is_a_page(world: World, scheme: str) -> None:
    with running() as proxy:
        status, head, body = proxy.get(str(world.roots[scheme]), minor=0)
    assert proxy.proxy._gateway._users == {}  # its client has ended with it
    assert (status, b"Content-Type: text/html; charset=utf-8\r\n" in head) == (200, True)
    assert b"Content-Security-Policy: sandbox; default-src 'none'" in head
    assert body.startswith(b'<!DOCTYPE html><html lang="en">')
    # Its entries are rows with links; a database of WAIS has none to tell, it is searched.
    assert (body.count(b"<tr>") > 0, body.count(b"<a href=") > 0) == (scheme != "wais", scheme != "wais")


def test_a_document_is_its_octets(world: World) -> None:
    with running() as proxy:
        url = str(world.roots["ftp"]) + "motd.txt"
        _, head, body = proxy.get(url, minor=0)
        assert (b"Content-Type: text/plain" in head, b"X-Content-Type-Options: nosniff" in head) == (True, True)
        chunked = proxy.get(url)[2]
        assert proxy.get(url, method="HEAD", minor=0)[2] == b""
    assert b"Welcome" in body
    assert body in (chunked, chunked.partition(b"\r\n")[2][:-7])


@pytest.mark.parametrize("minor", [0, 1])
@pytest.mark.parametrize("name", ["", "motd.txt"], ids=["a page", "a document"])
def test_a_head_is_that_of_what_would_be_fetched(world: World, name: str, minor: int) -> None:
    with running() as proxy:
        url = str(world.roots["ftp"]) + name
        status, head, body = proxy.get(url, method="HEAD", minor=minor)
        assert (status, body) == (200, b"")
        status, same, body = proxy.get(url, minor=minor)
        assert head == same
        kind = "text/plain" if name else "text/html; charset=utf-8"
        framing = ["Transfer-Encoding: chunked"] * minor
        if name:
            framing = ["Last-Modified: Tue, 20 Dec 1994 00:00:00 GMT", f"Content-Length: {len(body)}"]
        assert head.decode().split("\r\n") == [
            "HTTP/1.1 200 OK", f"Content-Type: {kind}", *SAFE.decode().split("\r\n")[:-1],
            f"Via: 1.1 {proxy.proxy.state.name}", *framing, "Connection: close",
        ]  # fmt: skip
        assert {line["decision"] for line in proxy.wait(2)} == {"allowed"}


def test_other_roles_leave_no_client_behind_and_break_nothing_that_is_under_way(world: World) -> None:
    def part(connection: Connection) -> None:
        connection.line()
        connection.send(b"first ")
        asked.set()
        assert reloaded.wait(WAIT_SECONDS)
        connection.send(b"second")

    asked, reloaded = threading.Event(), threading.Event()
    with Server(part) as server, running() as proxy, ThreadPoolExecutor(1) as pool:
        slow = pool.submit(proxy.get, f"gopher://127.0.0.1:{server.port}/0x", minor=0)
        assert asked.wait(WAIT_SECONDS)
        for number in range(5):
            other = Roles((role(policy=role().policy.replace(deny_hosts=[f"h{number}"])),))
            proxy.loop.call_soon_threadsafe(proxy.proxy.reload, other)
            assert proxy.get(str(world.roots["gopher"]))[0] == 200
        assert len(proxy.proxy._gateway._users) == 2  # the newest, and that of what is under way
        reloaded.set()
        assert slow.result(10)[2] == b"first second"


def test_a_listing_is_this_page() -> None:
    def part(connection: Connection) -> None:
        connection.line()
        connection.send(b"iA note\t\tx\t1\r\n0A <file>\t/f\t127.0.0.1\t70\r\n1\xe9\t/m\t127.0.0.1\t70\r\n.\r\n")

    with Server(part) as server, running() as proxy:
        url = f"gopher://{server.authority}/1"
        body = proxy.get(url, minor=0)[2].decode()
        (line,) = proxy.wait(1)
    assert line["octets"] == len(body.encode())
    assert body == (
        f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>{url}</title><style>{STYLE}</style><h1>{url}</h1>'
        '<table><tr><td><td>A note<td class="n">\n'
        '<tr><td>document<td><a href="gopher://127.0.0.1/0/f">A &lt;file&gt;</a><td class="n">\n'
        '<tr><td>listing<td><a href="gopher://127.0.0.1/1/m">\xe9</a><td class="n">\n</table>\n'
    )


def test_a_document_of_no_type_is_octets() -> None:
    def part(connection: Connection) -> None:
        connection.line()
        connection.send(b"x")

    with Server(part) as server, running() as proxy:
        _, head, body = proxy.get(f"gopher://{server.authority}/9x", minor=0)
    assert b"\r\nContent-Type: application/octet-stream\r\n" in head
    assert body == b"x"


@pytest.mark.parametrize("seconds", [0, 1e9, 86_400 * 200.5, 951_782_399, 4_102_444_799, -1])
def test_a_date_is_as_http_writes_it(seconds: float) -> None:
    assert _date(seconds).decode() == formatdate(seconds, usegmt=True)


def test_each_month_and_day_has_its_name() -> None:
    for day in range(400):
        assert _date(day * 86_400.0).decode() == formatdate(day * 86_400.0, usegmt=True)


@pytest.mark.parametrize("seconds", [1e300, float("inf"), float("nan"), -1e300])
def test_what_is_no_date_is_the_first_one(seconds: float) -> None:
    assert _date(seconds) == b"Thu, 01 Jan 1970 00:00:00 GMT"


def test_what_a_server_says_runs_nowhere() -> None:
    menu = b'0<script>alert(1)</script>\t/x"onload="y\t127.0.0.1\t70\r\ni\x1b[31mred\t\tx\t1\r\n.\r\n'

    def part(connection: Connection) -> None:
        connection.line()
        connection.send(menu)

    with Server(part) as server, running() as proxy:
        body = proxy.get(f"gopher://127.0.0.1:{server.port}/1", minor=0)[2]
    assert b"<script" not in body
    assert b'"onload=' not in body
    assert b"\x1b" not in body
    assert b"&lt;script&gt;" in body


def test_a_transfer_that_breaks_breaks_the_answer() -> None:
    def part(connection: Connection) -> None:
        connection.line()
        connection.send(b"x" * 100_000)
        connection.reset()

    with Server(part) as server, running() as proxy:
        answer = proxy.say(f"GET gopher://127.0.0.1:{server.port}/9x HTTP/1.1\r\n\r\n".encode())
        (line,) = proxy.wait(1)
    assert line["decision"] == "failed"
    assert not answer.endswith(b"0\r\n\r\n")
    assert answer.count(b"HTTP/1.1 ") <= 1  # and no other answer is in its content


def test_what_is_not_there_and_what_is_not_reached(world: World) -> None:
    with running() as proxy:
        assert proxy.get(str(world.roots["ftp"]) + "none.txt")[0] == 404
        assert proxy.get("gopher://127.0.0.1:1/")[0] in (403, 502)


def test_only_what_the_policy_allows() -> None:
    from anyurl.proxy.roles import everybody

    with running(*everybody().roles) as proxy:
        assert proxy.get("gopher://127.0.0.1/")[0] == 403
        assert proxy.get("ftp://[::1]/")[0] == 403
        assert {line["decision"] for line in proxy.wait(2)} == {"refused"}


@pytest.mark.needs("lynx")
@pytest.mark.parametrize("scheme", ["gopher", "wais"])
def test_lynx(world: World, scheme: str) -> None:
    with running() as proxy:
        place = {f"{scheme}_proxy": f"http://127.0.0.1:{proxy.port}/", "TERM": "dumb", "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            ["lynx", "-dump", str(world.roots[scheme])],
            capture_output=True,
            text=True,
            env=place,
            timeout=20,
            check=False,
        )
        lines = proxy.wait(1)
    assert lines[0]["url"].startswith(f"{scheme}://")
    assert str(world.roots[scheme]) in done.stdout


@pytest.mark.needs("curl")
@pytest.mark.parametrize("scheme", ["wais", "prospero", "news"])
def test_curl_asks_for_what_it_does_not_know(world: World, scheme: str) -> None:
    url = str(world.roots[scheme])
    with running() as proxy:
        words = [
            "curl",
            "-sS",
            "-m",
            "10",
            "-x",
            f"http://127.0.0.1:{proxy.port}",
            "--request-target",
            url,
            "http://x/",
        ]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert url in done.stdout


@pytest.mark.needs("wget")
def test_wget(world: World) -> None:
    with running() as proxy:
        done = subprocess.run(
            ["wget", "-q", "-O", "-", "-t", "1", "-T", "10", str(world.roots["ftp"]) + "motd.txt"],
            env={"PATH": "/usr/bin:/bin", "ftp_proxy": f"http://127.0.0.1:{proxy.port}/", "HOME": "/nonexistent"},
            capture_output=True,
            check=False,
        )
        (line,) = proxy.wait(1)
    assert (done.returncode, done.stdout.startswith(b"Welcome to the world.")) == (0, True), done.stderr
    assert line["url"].startswith("ftp://")
