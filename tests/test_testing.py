"""The support for tests of others: what it lets through is right, and what is wrong does not pass it."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from anyurl import Client, Policy, testing
from anyurl.dialogue import Channel, Connect, Describe, Dialogue, Emit, Follow, Options, Receive, Send
from anyurl.errors import AnyURLError, ConnectError, ConnectionLost, RefusedError, UnsupportedError
from anyurl.schemes import registry
from anyurl.schemes.ftp.verbs import SCHEMES as FTP
from anyurl.schemes.gopher.verbs import SCHEMES as GOPHER
from anyurl.schemes.kit.scheme import Parts, Scheme
from anyurl.schemes.telnet.verbs import SCHEMES as TELNET
from anyurl.testing import ProtocolContract, SchemeContract, SmallNetwork, rehearse, three_ways
from anyurl.url import URL, syntax
from anyurl.url.syntax import Row
from tests.servers import Connection, Server


def test_the_public_names_are_there() -> None:
    for name in testing.__all__:
        assert callable(getattr(testing, name))


# --- rehearsals ------------------------------------------------------------------------------------------------------


def talk(end: Callable[[], Follow | None] = lambda: None) -> Dialogue:
    channel = yield from Connect("h", 70)
    yield from Send(channel, b"/x\r\n")
    try:
        data = yield from Receive(channel)
    except ConnectionLost:
        data = b"lost"
    yield from Emit(data)
    yield from Emit(b"end")
    return end()


def test_a_rehearsal_has_what_was_asked_and_emitted() -> None:
    follow = Follow(URL("http://h/"), "moved", True)
    channel = Channel(None)
    script = rehearse(talk(lambda: follow), [channel, None, b"data", None, None])
    assert [type(ask) for ask in script.asks] == [Connect, Send, Receive, Emit, Emit]
    connect, send = script.asks[:2]
    assert isinstance(connect, Connect)
    assert isinstance(send, Send)
    assert (connect.host, connect.port, send.data) == ("h", 70, b"/x\r\n")
    assert send.channel is channel
    assert script.emitted == [b"data", b"end"]
    assert script.follow is follow


def test_an_exception_among_the_answers_is_raised_at_its_ask() -> None:
    script = rehearse(talk(), ["channel", None, ConnectionLost("Gone."), None, None])
    assert script.emitted == [b"lost", b"end"]
    assert script.follow is None
    with pytest.raises(RefusedError, match=r"^No\.$"):
        rehearse(talk(), [RefusedError("No.")])


def test_a_dialogue_without_more_answers_is_closed() -> None:
    closed = []

    def dialogue() -> Dialogue:
        try:
            yield from talk()
        finally:
            closed.append(True)
        return None

    for count in range(5):
        closed.clear()
        begun = dialogue()  # held, so that nobody else closes it
        script = rehearse(begun, ["channel", None, b"data", None][:count])
        assert len(script.asks) == count + 1
        assert closed == [True]
        assert script.follow is None
        assert script.emitted == [b"data", b"end"][: max(0, count - 2)]


def test_octets_in_three_ways() -> None:
    assert list(three_ways(b"abc", b"de")) == [[b"abc"], [b"a", b"b", b"c"], [b"abcde"]]
    assert list(three_ways(b"abc")) == [[b"abc"], [b"a", b"b", b"c"]]
    assert list(three_ways(b"")) == [[b""], []]


# --- the small network -----------------------------------------------------------------------------------------------

PUBLIC = "93.184.216.34"


def test_names_are_looked_up_here_alone() -> None:
    network = SmallNetwork({"one.test": ["192.0.2.1", "::1"], "none.test": []})
    assert network.look_up("one.test") == ["192.0.2.1", "::1"]
    assert network.look_up("one.test") == ["192.0.2.1", "::1"]
    for name in ("none.test", "other.test"):
        with pytest.raises(ConnectError, match=f"^{re.escape(f'The host name {name!r} has no address here.')}$") as one:
            network.look_up(name)
        assert one.value.stage == "look-up"
    assert network.looked_up == ["one.test", "one.test", "none.test", "other.test"]


def test_a_name_that_is_bound_anew_keeps_its_last_addresses() -> None:
    given = {"a.test": [["192.0.2.1"], ["192.0.2.2", "192.0.2.3"]]}
    network = SmallNetwork(given)
    assert [network.look_up("a.test") for _ in range(3)] == [
        ["192.0.2.1"], ["192.0.2.2", "192.0.2.3"], ["192.0.2.2", "192.0.2.3"],
    ]  # fmt: skip
    assert given == {"a.test": [["192.0.2.1"], ["192.0.2.2", "192.0.2.3"]]}, "what was given is not used up"


@pytest.mark.parametrize("transport", ["tcp", "udp"])
def test_endpoints_lead_to_their_servers_and_all_others_to_nothing(transport: str) -> None:
    network = SmallNetwork({}, {(PUBLIC, 80): ("127.0.0.1", 8080), ("2001:db8::1", 80): ("::1", 8081)})
    for asked, led in (
        ((PUBLIC, 80), ("127.0.0.1", 8080)),
        (("2001:db8::1", 80), ("::1", 8081)),
        ((PUBLIC, 81), ("127.0.0.1", 1)),
        (("192.0.2.1", 80), ("127.0.0.1", 1)),
        (("127.0.0.1", 8080), ("127.0.0.1", 1)),
    ):
        sock, target = network.socket_to(asked, transport)
        with sock:
            assert target == led
            assert sock.type == (socket.SOCK_STREAM if transport == "tcp" else socket.SOCK_DGRAM)
        assert network.connected[-1] == asked
    assert len(network.connected) == 5


def test_a_client_goes_through_it() -> None:
    def answer(connection: Connection) -> None:
        connection.line()
        connection.send(b"a document\r\n")

    with Server(answer) as server:
        network = SmallNetwork({"a.test": [PUBLIC]}, {(PUBLIC, 70): (server.host, server.port)})
        with Client(Policy.untrusted(), network=network) as client:
            assert client.get("gopher://a.test/9x").read() == b"a document\r\n"
            with pytest.raises(ConnectError):
                client.get("gopher://b.test/9x")
    assert network.looked_up == ["a.test", "b.test"]
    assert network.connected == [(PUBLIC, 70)]


# --- the contract of a scheme ----------------------------------------------------------------------------------------


class TestFtpKeepsTheContract(SchemeContract):
    scheme = FTP[0]
    urls = ("ftp://h/etc/motd", "ftp://u:pw@h/a/")


class TestGopherKeepsTheContract(SchemeContract):
    scheme = GOPHER[0]
    urls = ("gopher://h/0x", "gopher://h/1", "gopher://h/7x%09words")


class TestTelnetKeepsTheContract(SchemeContract):
    scheme = TELNET[0]
    urls = ("telnet://h/", "telnet://u:pw@h:24/")


@pytest.fixture
def registered() -> Iterator[Callable[..., SchemeContract]]:
    """Registers a scheme for this test, and gives its contract."""
    rows, loaded = dict(syntax.ROWS), dict(registry._loaded)
    names = set(registry._registered)

    def contract(
        begin: Any = None, read: Any = None, forbidden: bytes = b"\r\n", first: str = "x-thing://h/one"
    ) -> SchemeContract:
        scheme = Scheme(
            "x-thing", reference="here", summary="A thing.", read=read or ThingParts.read,
            verbs={"get": begin or keeps_it, "stat": describes},
        )  # fmt: skip
        registry.register(scheme, Row("x-thing", "here", forbidden=forbidden))
        kind = type("Contract", (SchemeContract,), {"scheme": scheme, "urls": (first, "x-thing://h/two")})
        return kind()  # type: ignore[no-any-return]

    yield contract
    syntax.ROWS.clear()
    syntax.ROWS.update(rows)
    registry._loaded.clear()
    registry._loaded.update(loaded)
    registry._registered.clear()
    registry._registered.update(names)


class ThingParts(Parts):
    name: str

    def url_path(self) -> str:
        return self.name

    @classmethod
    def read(cls, url: URL) -> ThingParts:
        return cls(url.url_path)


def refuse(url: URL) -> None:
    if "%0" in url.path:
        raise RefusedError("It ends a line.")


def describes(url: URL, options: Options) -> Dialogue:
    refuse(url)
    yield from Describe("document")
    return None


def keeps_it(url: URL, options: Options) -> Dialogue:
    yield from describes(url, options)
    for _ in range(3):
        try:
            yield from Connect("h", 1)
            break
        except ConnectionLost:
            continue
    yield from Emit(b"x")
    return None


def checks(contract: SchemeContract) -> dict[str, Callable[[], None]]:
    return {name.removeprefix("test_"): getattr(contract, name) for name in dir(contract) if name.startswith("test_")}


PARTS, ENDS, THROWN, DROPPED, OCTETS = (
    "parts_are_written_as_they_were_read",
    "every_dialogue_ends_with_an_ideal_peer",
    "whatever_is_thrown_in_only_errors_of_the_tree_come_out",
    "it_can_be_dropped_at_every_ask",
    "forbidden_octets_are_refused_before_anything_is_asked",
)


def test_a_good_scheme_keeps_the_contract(registered: Callable[..., SchemeContract]) -> None:
    contract = checks(registered())
    assert set(contract) == {PARTS, ENDS, THROWN, DROPPED, OCTETS}
    for check in contract.values():
        check()


def raises_another(url: URL, options: Options) -> Dialogue:
    refuse(url)
    try:
        yield from Describe("document")
    except AnyURLError:
        raise KeyError("mine") from None
    return None


def raises_another_late(url: URL, options: Options) -> Dialogue:
    yield from describes(url, options)
    try:
        yield from Emit(b"x")
    except ConnectionLost:
        raise KeyError("mine") from None
    return None


def never_gives_up(url: URL, options: Options) -> Dialogue:
    refuse(url)
    while True:
        try:
            yield from Connect("h", 1)
        except AnyURLError:
            continue
        return None


def asks_when_closed(url: URL, options: Options) -> Dialogue:
    yield from describes(url, options)
    try:
        yield from Emit(b"x")
    finally:
        yield from Emit(b"y")
    return None


def ends_with_another(url: URL, options: Options) -> Dialogue:
    yield from describes(url, options)
    raise KeyError("mine")


def says_nothing(url: URL, options: Options) -> Dialogue:
    yield from describes(url, options)
    raise UnsupportedError("")


def asks_before_it_refuses(url: URL, options: Options) -> Dialogue:
    yield from Connect("h", 1)
    refuse(url)
    return None


def asks_on(url: URL, options: Options) -> Dialogue:
    refuse(url)
    while True:
        yield from Emit(b"x")


@pytest.mark.parametrize(
    ("begin", "check", "error", "said"),
    [
        (raises_another, THROWN, KeyError, "mine"),
        (raises_another_late, THROWN, KeyError, "mine"),
        (never_gives_up, THROWN, AssertionError, "x-thing://h/one: it never gives up"),
        (asks_on, THROWN, AssertionError, "x-thing://h/one: the dialogue does not end"),
        (asks_when_closed, DROPPED, RuntimeError, "generator ignored GeneratorExit"),
        (ends_with_another, ENDS, KeyError, "mine"),
        (says_nothing, ENDS, AssertionError, "x-thing://h/one"),
    ],
)
def test_a_scheme_that_breaks_the_contract_is_told(
    registered: Callable[..., SchemeContract], begin: Any, check: str, error: type[Exception], said: str
) -> None:
    contract = checks(registered(begin))
    with pytest.raises(error, match=said):
        contract[check]()
    contract[PARTS]()


def test_parts_that_are_not_read_as_they_were_written_are_told(registered: Callable[..., SchemeContract]) -> None:
    contract = registered(read=lambda url: ThingParts(url.url_path + "x"))
    with pytest.raises(AssertionError, match=r"^x-thing://h/one: .*onex.* was written as x-thing://h/onex, which is "):
        checks(contract)[PARTS]()


def test_each_forbidden_octet_is_tried(registered: Callable[..., SchemeContract]) -> None:
    """Registered schemes are spared them; what is not in the request, as a fragment isn't, nobody can refuse."""
    checks(registered(asks_before_it_refuses, forbidden=b"\r\n\x20"))[OCTETS]()


@pytest.mark.parametrize("forbidden", [b"\x20", b"\r\x20"])
def test_a_forbidden_octet_that_passes_is_told(registered: Callable[..., SchemeContract], forbidden: bytes) -> None:
    contract = registered(forbidden=forbidden, first="x-thing://h/one#f")
    said = f"^x-thing://h/one#f%{forbidden[0]:02X}x was accepted by get$"
    with pytest.raises(AssertionError, match=said):
        checks(contract)[OCTETS]()


# --- the contract of a codec -----------------------------------------------------------------------------------------


class Lines(ProtocolContract):
    cases = ((b"one\ntwo\n", b"thr"), (b"three\n", b""))

    def read(self, pieces: Sequence[bytes]) -> list[bytes]:
        return b"".join(pieces).split(b"\n")[:-1]


class TestLinesKeepTheContract(Lines):
    pass


class Pieces(Lines):
    """Takes a piece for a line."""

    def read(self, pieces: Sequence[bytes]) -> list[bytes]:
        return list(pieces)


class Rest(Lines):
    """Takes what follows for a line."""

    def read(self, pieces: Sequence[bytes]) -> list[bytes]:
        return b"".join(pieces).split(b"\n")


@pytest.mark.parametrize("wrong", [Pieces, Rest])
def test_a_codec_that_breaks_the_contract_is_told(wrong: type[Lines]) -> None:
    with pytest.raises(AssertionError, match="one"):
        wrong().test_the_pieces_do_not_matter()


def test_a_contract_without_a_reader_is_none() -> None:
    with pytest.raises(TypeError):
        ProtocolContract()  # type: ignore[abstract]
