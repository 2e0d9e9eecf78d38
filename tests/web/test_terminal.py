"""A telnet service in the browser: who may open a session, what of it reaches a script, and where it ends."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from anyurl.dialogue import Command, Terminal
from anyurl.errors import LocalProtocolError
from anyurl.schemes.telnet.wire.screen import RESET
from anyurl.web import terminal as terminal_module
from anyurl.web.terminal import MAX_AHEAD, MAX_MESSAGE, MAX_TICKETS, said_by
from anyurl.world import World
from tests.rows import each_row
from tests.servers import WAIT_SECONDS, Connection, Server
from tests.web.running import Answer, Browser
from tests.web.test_browse import page

SIZE = json.dumps({"columns": 100, "rows": 30})


def consent(browser: Browser, url: object) -> Answer:
    """The page that a yes leads to."""
    return browser.post("terminal", browser.go(url).form("terminal"))


def address_of(answer: Answer) -> str:
    found = re.search(r'data-socket="([^"]*)"', answer.text)
    assert found is not None
    return html.unescape(found[1])


@contextmanager
def open_socket(browser: Browser, target: str, **headers: str) -> Iterator[ClientConnection]:
    """As a browser opens it: it says whose page it is."""
    given = {"Origin": f"http://127.0.0.1:{browser.port}", "Cookie": browser.cookie, **headers}
    host = given.pop("Host", f"127.0.0.1:{browser.port}")
    kept = {name: value for name, value in given.items() if value}
    there = ("127.0.0.1", browser.port)
    with connect(f"ws://{host}{target}", address=there, additional_headers=kept, max_size=None, proxy=None) as socket:
        yield socket


def refused(browser: Browser, target: str, **headers: str) -> int:
    """What is answered instead of a WebSocket."""
    with pytest.raises(InvalidStatus) as caught, open_socket(browser, target, **headers):
        pass
    return caught.value.response.status_code


def opens(browser: Browser, target: str) -> bool:
    with open_socket(browser, target) as socket:
        socket.send("no size")
        return rest(socket)[1].startswith("The terminal ")


@contextmanager
def session(browser: Browser, url: object) -> Iterator[ClientConnection]:
    with open_socket(browser, address_of(consent(browser, url))) as socket:
        socket.send(SIZE)
        yield socket


def shown(socket: ClientConnection, wanted: bytes) -> bytes:
    """What is shown until that has come."""
    got = b""
    while wanted not in got:
        piece = socket.recv(20)
        assert isinstance(piece, bytes), piece
        got += piece
        socket.send(json.dumps({"shown": len(piece)}))
    return got


def rest(socket: ClientConnection) -> tuple[bytes, str]:
    """What is shown until the end, and what is said then."""
    got, said = b"", ""
    try:
        while True:
            piece = socket.recv(20)
            if isinstance(piece, str):
                said = piece
            else:
                got += piece
                with suppress(ConnectionClosed):  # the gateway has said all
                    socket.send(json.dumps({"shown": len(piece)}))
    except ConnectionClosed:
        return got, said


def test_a_service_is_used(browser: Browser, world: World) -> None:
    with session(browser, world.urls["telnet"]) as socket:
        shown(socket, b"ommand")
        socket.send(b"bye\r")
        assert rest(socket)[1] == "The service has closed the connection."


@pytest.mark.promise("web-gateway")
def test_nothing_is_connected_to_before_the_script_has_come(browser: Browser) -> None:
    """The page that asks, and the one that has the terminal, cost the service nothing."""
    came = []

    def play(link: Connection) -> None:
        came.append(link)
        link.send(b"hello\r\n")

    with Server(play) as there:
        answer = consent(browser, f"telnet://127.0.0.1:{there.port}/")
        assert "Press Ctrl-] to leave the terminal." in answer.text
        assert f"<code>anyurl get telnet://127.0.0.1:{there.port}/</code>" in answer.text
        assert came == []
        with open_socket(browser, address_of(answer)) as socket:
            socket.send(SIZE)
            assert rest(socket)[0].startswith(b"hello\r\n")
    assert len(came) == 1


@pytest.mark.promise("web-gateway")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": ""}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Origin": "https://127.0.0.1:{port}"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Cookie": ""}, 403),
        ({"Cookie": "anyurl=guessed"}, 403),
        ({"Host": "evil.example"}, 421),
    ],
)
def test_no_other_page_opens_a_session(browser: Browser, world: World, headers: dict[str, str], status: int) -> None:
    target = address_of(consent(browser, world.urls["telnet"]))
    filled = {name: value.format(port=browser.port) for name, value in headers.items()}
    assert refused(browser, target, **filled) == status
    assert opens(browser, target)  # nobody has used up the ticket


@pytest.mark.promise("web-gateway")
def test_a_ticket_is_for_one_session(browser: Browser, world: World) -> None:
    target = address_of(consent(browser, world.urls["telnet"]))
    assert opens(browser, target)
    for other in (target, f"{browser.base}session", f"{browser.base}session?ticket=guessed"):
        assert refused(browser, other) == 403


def test_a_ticket_ends(browser: Browser, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal_module, "TICKET_SECONDS", -1.0)
    assert refused(browser, address_of(consent(browser, world.urls["telnet"]))) == 403


def test_the_oldest_tickets_end(browser: Browser, world: World) -> None:
    tickets = [address_of(consent(browser, world.urls["telnet"])) for _ in range(MAX_TICKETS + 1)]
    assert refused(browser, tickets[0]) == 403
    assert opens(browser, tickets[1])


ATTACKS = {
    "a title": b"\x1b]0;owned\x07", "the clipboard": b"\x1b]52;c;b3duZWQ=\x1b\\", "a title in C1": b"\x9d0;text\x9c",
    "a link": b"\x1b]8;;http://evil.example/\x1b\\", "a question": b"\x1b[c\x1b[6n\x1b[>q\x05",
    "a string": b"\x1bP+q6e616d65\x1b\\", "the mouse": b"\x1b[?1000h\x1b[?1003h\x1b[?2004h", "a window": b"\x1b[8;1;1t",
    "direction": "\u202e\u2066".encode(),
}  # fmt: skip


@pytest.mark.promise("web-gateway")
@pytest.mark.parametrize("attack", ATTACKS)
def test_what_reaches_beyond_the_session_is_left_out(browser: Browser, attack: str) -> None:
    with Server(lambda link: link.send(b"\x1b[31mone" + ATTACKS[attack] + b"two\r\n")) as there:
        with session(browser, f"telnet://127.0.0.1:{there.port}/") as socket:
            got, _ = rest(socket)
    text = got.decode().removesuffix(RESET)
    assert "owned" not in text
    assert "evil" not in text
    assert re.fullmatch("\x1b\\[31mone[^\x1b\x05\x07\x80-\x9f\u202e\u2066]*two\r\n", text)


def test_a_stranger_leads_to_no_session(browser: Browser, world: World) -> None:
    url = str(world.urls["telnet"])
    for page_of_it in (browser.get(f"view?u={url}"), browser.post("terminal", {"u": url, "o": "0", "s": "guessed"})):
        assert page_of_it.status == 403
        assert "data-socket" not in page_of_it.text


def test_a_page_that_leads_to_a_session_is_named(browser: Browser, world: World) -> None:
    url = str(world.urls["telnet"])
    with Server(lambda link: link.send(page(f'<a href="{url}">x</a>', "Content-Type: text/html"))) as there:
        answer = browser.go(f"http://127.0.0.1:{there.port}/")
    led = browser.get(answer.links[url])
    assert "It was named by a document at http://127.0.0.1. What you type there goes to that place." in led.text


def test_a_session_wants_a_service(browser: Browser, world: World) -> None:
    fields = browser.go(world.urls["telnet"]).form("terminal")
    other = browser.go(world.urls["mailto"]).form("mail")
    answer = browser.post("terminal", {**fields, **{name: other[name] for name in ("u", "o", "s")}})
    assert (answer.status, "not a service" in answer.fault) == (501, True)
    assert browser.post("terminal", {**fields, "key": "guessed"}).status == 403


def test_so_many_sessions_at_once(browser: Browser, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal_module, "MAX_SESSIONS", 1)
    with session(browser, world.urls["telnet"]) as socket:
        shown(socket, b"ommand")
        with open_socket(browser, address_of(consent(browser, world.urls["telnet"]))) as other:
            assert rest(other) == (b"", "At most 1 sessions are open at once.")
        socket.send(b"bye\r")
        rest(socket)


def test_a_service_that_can_not_be_had_says_so(browser: Browser) -> None:
    with Server(lambda link: None) as there:
        url = f"telnet://127.0.0.1:{there.port}/"
    with session(browser, url) as socket:
        got, said = rest(socket)
    assert got.decode() == RESET
    assert said == f"Connecting to 127.0.0.1 port {there.port}: connection refused."


@pytest.mark.parametrize("message", ["", "x", "[]", '{"columns": 0, "rows": 1}', '{"signal": "escape"}', "[" * 9_000])
def test_what_no_terminal_says_ends_the_session(browser: Browser, world: World, message: str) -> None:
    with session(browser, world.urls["telnet"]) as socket:
        shown(socket, b"ommand")
        socket.send(message)
        assert rest(socket)[1] != "The service has closed the connection."


def test_the_size_comes_first(browser: Browser, world: World) -> None:
    with open_socket(browser, address_of(consent(browser, world.urls["telnet"]))) as socket:
        socket.send(b"bye\r")
        assert rest(socket) == (b"", "The terminal did not report its size.")


def test_a_message_has_a_limit(browser: Browser, world: World) -> None:
    with session(browser, world.urls["telnet"]) as socket:
        socket.send(b"x" * (MAX_MESSAGE + 1))
        rest(socket)
        assert socket.close_code == 1009


def test_a_service_waits_for_a_screen_that_is_slow(browser: Browser) -> None:
    size = 4 * MAX_AHEAD
    with Server(lambda link: link.send(b"x" * size)) as there:
        with session(browser, f"telnet://127.0.0.1:{there.port}/") as socket:
            got = 0
            while got <= MAX_AHEAD:
                got += len(socket.recv(WAIT_SECONDS))
            with suppress(TimeoutError):  # nothing more comes
                while got <= 2 * MAX_AHEAD:
                    got += len(socket.recv(0.3))
            assert MAX_AHEAD < got < 2 * MAX_AHEAD
            socket.send(json.dumps({"shown": got}))
            data, said = rest(socket)
            assert got + data.count(b"x") == size
            assert said == "The service has closed the connection."


def test_signals_and_sizes_are_passed_on(browser: Browser) -> None:
    heard = bytearray()

    def play(link: Connection) -> None:
        link.send(b"\xff\xfd\x1f\xff\xfd\x18ready\r\n")  # DO NAWS, DO TERMINAL-TYPE
        while b"\xff\xf4" not in heard or b"\x00\x78\x00\x28" not in heard:
            heard.extend(link.sock.recv(4096))

    with Server(play) as there:
        with session(browser, f"telnet://127.0.0.1:{there.port}/") as socket:
            shown(socket, b"ready")
            socket.send(json.dumps({"columns": 120, "rows": 40}))
            socket.send(json.dumps({"signal": "interrupt"}))
            rest(socket)
    assert b"\x00\x64\x00\x1e" in heard  # the size that it had at first


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ('{"columns": 80, "rows": 24}', Terminal("xterm-256color", 80, 24)),
        ('{"signal": "break"}', Command("break")),
        ('{"shown": 0}', 0),
    ],
)
def test_what_a_terminal_says_of_itself(text: str, meant: object) -> None:
    assert said_by(text) == meant


@each_row(
    "text",
    ["", "{", "null", '{"shown": -1}', '{"shown": "1"}', '{"columns": 1001, "rows": 1}', '{"columns": 80}',
     '{"signal": "reboot"}'],
)  # fmt: skip
def test_what_no_terminal_says(text: str) -> None:
    with pytest.raises(LocalProtocolError):
        said_by(text)
