"""What CR, LF, NUL and TAB in each component of a URL do at the wire, for a server of another protocol at another port.

Rule: they are refused before anything is opened, or sent encoded, or (where a protocol sends them as data) go to the
scheme's own port only, or to one that the policy names (RFC 1738 section 6).
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from anyurl import Client, Policy, register
from anyurl.client.judgement import judge
from anyurl.dialogue import Channel, Connect, Describe, Dialogue, Options, Receive, Send
from anyurl.errors import AnyURLError, RefusedError, URLSyntaxError
from anyurl.guard.hops import is_confined
from anyurl.guard.limits import Limits
from anyurl.schemes import registry
from anyurl.schemes.kit.scheme import Parts, Scheme, decode, octets
from anyurl.schemes.prospero.exchange import Courier, Route
from anyurl.schemes.prospero.wire.messages import DEFAULT_PORT
from anyurl.url import URL, syntax
from anyurl.url.syntax import CR_LF_NUL, Row
from tests.cli.runner import run
from tests.mcp.conftest import facts, use
from tests.proxy import running as proxy_of
from tests.schemes.gemini.serving import saying
from tests.web import running as web_of

TAB, DELIMITERS = 9, (13, 10, 0, 9)
REFUSED, ENCODED, OWN_PORT, DATA = "refused", "encoded", "own port only", "data"

pytestmark = pytest.mark.promise("foreign-port")


# --- who listens: a service that knows none of these protocols -------------------------------------------------------


class Listener:
    """TCP and UDP at the same port of loopback; says nothing, and closes when it has read something.

    Attributes:
        hits: Connections and datagrams.
        octets: All that came.
    """

    def __init__(self) -> None:
        self.hits, self.octets = 0, b""
        while True:
            self._tcp = socket.create_server(("127.0.0.1", 0))
            self.port: int = self._tcp.getsockname()[1]
            self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            with contextlib.suppress(OSError):
                self._udp.bind(("127.0.0.1", self.port))
                break
            self._tcp.close()
            self._udp.close()
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._stream, self._datagrams)]
        for thread in self._threads:
            thread.start()

    def _stream(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                sock, _ = self._tcp.accept()
                with sock:
                    self.hits += 1
                    sock.settimeout(1)
                    with contextlib.suppress(OSError):
                        self.octets += sock.recv(65536)

    def _datagrams(self) -> None:
        with contextlib.suppress(OSError):
            while data := self._udp.recv(65536):
                self.hits += 1
                self.octets += data

    def close(self) -> None:
        """Stop."""
        for sock in (self._tcp, self._udp):
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()
        for thread in self._threads:
            thread.join(10)
            assert not thread.is_alive()


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    here = Listener()
    yield here
    here.close()


# --- a plug-in that sends what the URL says, as finger does ----------------------------------------------------------


class LineParts(Parts):
    line: str

    def url_path(self) -> str:
        return self.line


def _read(url: URL) -> LineParts:
    return LineParts(url.url_path)


def _get(url: URL, options: Options) -> Dialogue:
    channel = yield from Connect(url.host or "", url.port or 0)
    yield from Send(channel, octets(decode(url.url_path)) + b"\r\n")
    yield from Receive(channel)
    yield from Describe("document")
    return None


@pytest.fixture(autouse=True)
def _plug_in() -> Iterator[None]:
    register(
        Scheme("x-line", reference="here", summary="A line.", read=_read, verbs={"get": _get}),
        Row("x-line", "here", port=79, query=False, authority="required"),
    )
    yield
    del syntax.ROWS["x-line"], registry._loaded["x-line"]
    registry._registered.discard("x-line")


# --- each scheme, each component -------------------------------------------------------------------------------------

COMPONENTS: tuple[tuple[str, str, dict[int, str]], ...] = (
    # the scheme and its component, the URL, and what each octet does; for those not listed: refused
    ("ftp user", "ftp://a{}b:p@{}/x", {TAB: DATA}),
    ("ftp password", "ftp://u:a{}b@{}/x", {TAB: DATA}),
    ("ftp directory", "ftp://{1}/a{0}b/x", {TAB: DATA}),
    ("ftp name", "ftp://{1}/a{0}b", {TAB: DATA}),
    ("ftps name", "ftps://{1}/a{0}b", {TAB: DATA}),
    ("http user", "http://a{}b:p@{}/", {TAB: DATA}),
    ("http password", "http://u:a{}b@{}/", {TAB: DATA}),
    ("http path", "http://{1}/a{0}b", dict.fromkeys(DELIMITERS, ENCODED)),
    ("http query", "http://{1}/?a{0}b", dict.fromkeys(DELIMITERS, ENCODED)),
    ("gopher selector", "gopher://{1}/0a{0}b", {TAB: DATA}),
    ("gopher search", "gopher://{1}/7s%09a{0}b", {TAB: DATA}),
    ("gophers selector", "gophers://{1}/0a{0}b", {TAB: DATA}),
    ("nntp group", "nntp://{1}/a{0}b/1", {}),
    ("nntps group", "nntps://{1}/a{0}b/1", {}),
    ("news article", "news://{1}/a{0}b@c", {}),
    ("news group", "news://{1}/a{0}b", {}),
    ("telnet user", "telnet://a{}b@{}/", {TAB: DATA}),
    ("dict word", "dict://{1}/d:a{0}b:", {}),
    ("dict database", "dict://{1}/d:w:a{0}b:", {}),
    ("dict user", "dict://a{}b@{}/d:w:", {}),
    ("wais database", "wais://{1}/a{0}b?x", {13: OWN_PORT, 10: OWN_PORT, 0: DATA, TAB: DATA}),
    ("wais words", "wais://{1}/d?a{0}b", {13: OWN_PORT, 10: OWN_PORT, 0: DATA, TAB: DATA}),
    ("wais document", "wais://{1}/d/TEXT/3=a{0}b;", {13: OWN_PORT, 10: OWN_PORT, 0: DATA, TAB: DATA}),
    ("wais type", "wais://{1}/d/T{0}T/3=a;", {13: OWN_PORT, 10: OWN_PORT, 0: DATA, TAB: DATA}),
    ("prospero name", "prospero://{1}/a{0}b", {13: OWN_PORT, 10: OWN_PORT, TAB: DATA}),
    ("prospero field", "prospero://{1}/a;f=a{0}b", {13: OWN_PORT, 10: OWN_PORT, TAB: DATA}),
    ("plug-in", "x-line://{1}/a{0}b", {13: OWN_PORT, 10: OWN_PORT, 0: DATA, TAB: DATA}),
)
CASES = [
    pytest.param(url, octet, does.get(octet, REFUSED), id=f"{name} %{octet:02X}")
    for name, url, does in COMPONENTS
    for octet in DELIMITERS
    if does.get(octet) != DATA
]


def _text(url: str, octet: int, port: int) -> str:
    return url.format(f"%{octet:02X}", f"127.0.0.1:{port}")


def _visit(text: str, policy: Policy) -> None:
    """Get it; what comes of that does not matter, but that it was refused."""
    with Client(policy, user_agent="t") as client:
        try:
            client.get(text).close()
        except RefusedError:
            raise
        except AnyURLError:
            pass


QUICK = Limits(connect=5.0, idle=0.3, total=0.3)


@pytest.mark.parametrize(("url", "octet", "does"), CASES)
def test_nothing_of_it_commands_another_service(url: str, octet: int, does: str, listener: Listener) -> None:
    text, before, came = _text(url, octet, listener.port), listener.hits, len(listener.octets)
    if does == ENCODED:
        _visit(text, Policy.default())
        sent = listener.octets[came:]
        assert listener.hits == before + 1
        assert f"a%{octet:02X}b".encode() in sent
        return
    with pytest.raises((RefusedError, URLSyntaxError)) as caught:
        _visit(text, Policy.default())
    assert listener.hits == before
    code = getattr(getattr(caught.value, "verdict", None), "code", None)
    assert (code == "octets-port") == (does == OWN_PORT)


@pytest.mark.parametrize(
    ("url", "octet"), [pytest.param(case.values[0], case.values[1], id=case.id) for case in CASES
                       if case.values[2] == OWN_PORT]
)  # fmt: skip
def test_where_the_policy_names_the_port_it_arrives(url: str, octet: int, listener: Listener) -> None:
    came = len(listener.octets)
    _visit(_text(url, octet, listener.port), Policy.default().replace(allow_ports=[listener.port], limits=QUICK))
    if "wais:" not in url or "?" in url:  # else a conversation comes before it
        assert bytes((octet, 98)) in listener.octets[came:]
    own = URL(url.format(f"%{octet:02x}", "h.example"))
    assert is_confined(own)
    assert Policy.untrusted().judge_url(own).allowed or own.scheme == "x-line"


@pytest.mark.parametrize("path", ["a%0D%0Ab", "a%5Cb?x=%250A"])
def test_gemini_sends_the_url(path: str) -> None:
    with saying(b"20 text/plain\r\n") as server:
        _visit(f"gemini://{server.authority}/{path}", Policy.open())
    assert bytes(server.received[0]) == f"gemini://{server.authority}/{path}\r\n".encode()


@pytest.mark.parametrize("octet", [13, 10, 0])
@pytest.mark.parametrize("url", ["mailto:a{}b@c.example", "mailto:a@c.example?subject=x{}b"])
def test_mail_is_not_begun(url: str, octet: int, listener: Listener) -> None:
    before = listener.hits
    with Client(
        mail_server=f"127.0.0.1:{listener.port}", mail_from="a@b.example", ask_consent=lambda _: True
    ) as client:
        with pytest.raises((RefusedError, URLSyntaxError)):
            client.put(url.format(f"%{octet:02X}"), b"hi")
    assert listener.hits == before


# --- the fact is in the row ------------------------------------------------------------------------------------------


def test_a_row_confines_line_ends_unless_it_forbids_them_or_sends_them_encoded() -> None:
    rows = [syntax.ROWS[name] for name in registry.spoken()]
    assert {row.name for row in rows if row.confined and row.port} == {"wais", "prospero", "x-line"}
    assert Row("x", "here").confined == b"\r\n"
    assert Row("x", "here", forbidden=CR_LF_NUL).confined == b""
    assert Row("x", "here", confined=b"").confined == b""


@pytest.mark.parametrize(
    ("row", "path", "confined"),
    [
        (Row("x-line", "here", port=79, confined=b";"), "a;b", True),
        (Row("x-line", "here", port=79, confined=b";"), "a%3bb", True),
        (Row("x-line", "here", port=79, confined=b";"), "a%0Ab", False),
        (Row("x-line", "here", port=79, confined=b""), "a%0Ab", False),
        (Row("x-line", "here", port=79), "a%250Ab", False),
        (Row("x-line", "here", port=79), "?a%0Ab", True),
    ],
)
def test_a_plug_in_says_which_octets(monkeypatch: pytest.MonkeyPatch, row: Row, path: str, confined: bool) -> None:
    monkeypatch.setitem(syntax.ROWS, "x-line", row)
    url = URL(f"x-line://h.example:7777/{path}")
    assert is_confined(url) is confined
    assert (Policy.default().judge_url(url).code == "octets-port") is confined
    assert Policy.default().judge_url(URL(f"x-line://h.example/{path}")).allowed


# --- every door ------------------------------------------------------------------------------------------------------

STRANGE = ["wais://{1}/d?x{0}set", "prospero://{1}/x{0}set", "x-line://{1}/x{0}set"]


def _by_client(url: str) -> str:
    with Client(LOCAL) as client, pytest.raises(RefusedError) as caught:
        client.open(url)
    return str(caught.value)


def _by_proxy(url: str) -> str:
    with proxy_of.running() as proxy:
        return b"\n".join(map(str.encode, map(str, proxy.get(url)[1:]))).decode()


def _by_model(url: str) -> str:
    return str(facts(use(lambda tools: tools.fetch(url), LOCAL)))


def _by_gateway(url: str) -> str:
    with web_of.running(policy=LOCAL) as browser:
        return browser.go(url).text


def _by_command(url: str) -> str:
    done = run("get", "--policy", "untrusted", "--allow-private", url)
    assert done.exit_code == 5
    return done.output


def _by_explanation(url: str) -> str:
    return run("explain", "--policy", "untrusted", "--allow-private", url).output


def _by_check(url: str) -> str:
    return judge(URL(url), LOCAL).verdict.message


LOCAL = Policy.untrusted().replace(allow_private=True, allow_schemes=None)
DOORS: list[Callable[[str], str]] = [_by_client, _by_model, _by_gateway, _by_command, _by_explanation, _by_check]


@pytest.mark.parametrize("url", STRANGE)
@pytest.mark.parametrize("door", DOORS)
def test_every_door_is_shut(door: Callable[[str], str], url: str, listener: Listener) -> None:
    before = listener.hits
    if url.startswith("x-line") and door in (_by_command, _by_explanation):
        url = STRANGE[0]  # their policy has schemes of its own
    said = door(_text(url, 10, listener.port))
    assert "own port" in " ".join(said.split())
    assert listener.hits == before


def test_a_proxy_sends_no_lines_either(listener: Listener) -> None:
    before = listener.hits
    for url in STRANGE[:2]:
        with proxy_of.running(proxy_of.role()) as proxy:
            assert proxy.get(_text(url, 10, listener.port))[0] >= 400
    assert listener.hits == before


# --- what is given beside the URL ------------------------------------------------------------------------------------


@pytest.mark.parametrize("octet", ["\r", "\n", "\0"])
@pytest.mark.parametrize(
    "url", ["wais://{}/d", "prospero://{}/ARCHIE", "prospero://{}/a", "gopher://{}/7s", "dict://{}/d:w:"]
)
def test_words_hold_no_lines(url: str, octet: str, listener: Listener) -> None:
    before = listener.hits
    with Client(Policy.default().replace(allow_ports=[listener.port])) as client:
        with pytest.raises(RefusedError, match="section 6"):
            client.search(url.format(f"127.0.0.1:{listener.port}"), f"a{octet}b")
    assert listener.hits == before


def test_a_document_to_find_more_of_brings_no_lines(listener: Listener) -> None:
    before = listener.hits
    with Client() as client, pytest.raises(RefusedError, match="line end"):
        client.search(f"wais://127.0.0.1:{listener.port}/d", "x", like=[URL("wais://h/d/TEXT/3=a%0Ab;")])
    assert listener.hits == before


# --- what a server sends on ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("port", "request_", "refused"),
    [
        (7777, b"LIST 'a\nb' COMPONENTS\n", True),
        (7777, b"LIST a'\r' COMPONENTS\n", True),
        (7777, b"LIST a COMPONENTS\nLIST b\n", False),
        (DEFAULT_PORT, b"LIST 'a\nb' COMPONENTS\n", False),
    ],
)
def test_a_prospero_server_sends_no_line_ends_on(port: int, request_: bytes, refused: bool) -> None:
    named_by = Route("here.example", 1525, Channel())
    steps: Any = Courier().ask("there.example", port, request_, named_by=named_by)
    if refused:
        with pytest.raises(RefusedError, match="section 6"):
            next(steps)
    else:
        assert isinstance(next(steps), Connect)
