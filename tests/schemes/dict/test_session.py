from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from anyurl import Client, Policy
from anyurl.errors import (
    AuthRequiredError,
    ConnectionLost,
    LimitError,
    NotFoundError,
    RemoteProtocolError,
    ReplyError,
    SecretNeededError,
    Truncated,
    UnavailableError,
)
from anyurl.schemes.dict import session
from anyurl.world import dict as dict_world
from tests.servers import Connection, Server

BANNER = b"220 h <auth> <1.2@h>\r\n"


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(Policy.open()) as client:
        yield client


def server(*answers: bytes) -> Server:
    """Says its banner, and to each line the next of these answers; then it hangs up."""

    def play(link: Connection) -> None:
        link.send(BANNER)
        for answer in answers:
            link.line()
            link.send(answer)
        link.hang_up()

    return Server(play)


def test_a_session_serves_several_questions() -> None:
    asked: list[bytes] = []

    def play(link: Connection) -> None:
        link.send(BANNER)
        while line := link.line():
            asked.append(line)
            link.send(
                b"250 ok\r\n" if line.startswith(b"CLIENT") else b'150 1 d\r\n151 "a" x "X"\r\nA\r\n.\r\n250 ok\r\n'
            )

    with Server(play) as there, Client(Policy.open()) as client:
        for word in ("a", "b"):
            with client.get(f"dict://127.0.0.1:{there.port}/d:{word}:x:1") as resource:
                assert resource.read() == b"A\r\n"
    verbs = [line.split()[0] for line in asked]
    assert verbs[:3] == [b"CLIENT", b"DEFINE", b"DEFINE"]


def test_a_login_is_proven_and_not_said() -> None:
    with closing(dict_world.start()) as there, Client(Policy.open(), trace=None) as client:
        place = f"127.0.0.1:{there.port}/d:note"
        with client.get(f"dict://guest:welcome@{place}") as resource:
            assert "note" in resource.text()
        with pytest.raises(AuthRequiredError, match="does not take the login of 'guest'"):
            client.get(f"dict://guest:wrong@{place}")
        with pytest.raises(SecretNeededError, match="names a user"):
            client.get(f"dict://guest@{place}")


@pytest.mark.parametrize(
    ("answers", "error", "message"),
    [
        ((b"250 ok\r\n", b"150 1 d\r\n151 a x X\r\nA\r\n"), Truncated, "before the lone dot"),
        (
            (b"250 ok\r\n", b"150\r\n999 x\r\n"),
            RemoteProtocolError,
            "This is not a valid DICT reply",
        ),  # so many it does not say
        ((b"250 ok\r\n", b"150 1 d\r\n999 x\r\n"), RemoteProtocolError, "This is not a valid DICT reply"),
        ((b"250 ok\r\n", b"150 1 d\r\n552 no\r\n"), RemoteProtocolError, "an unexpected reply: “552 no"),
        ((b"250 ok\r\n", b"420 not now\r\n"), UnavailableError, "not now"),
        ((b"250 ok\r\n",), ConnectionLost, "without a reply"),
        ((b"250 ok\r\n", b"1" * 7000), LimitError, "A line of a DICT reply is longer than 6,144 octets"),
    ],
)
def test_what_a_server_does_wrong(
    client: Client, answers: tuple[bytes, ...], error: type[Exception], message: str
) -> None:
    with server(*answers) as there, pytest.raises(error, match=message):
        client.get(f"dict://127.0.0.1:{there.port}/d:a").read()


def test_a_listing_has_an_end(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "MAX_LISTING_BYTES", 20)
    lines = b"".join(b'x "w%d"\r\n' % number for number in range(10))
    with server(b"250 ok\r\n", b"152 10 m\r\n" + lines + b".\r\n250 ok\r\n") as there:
        with pytest.raises(LimitError, match="more than 20 octets"):
            list(client.list(f"dict://127.0.0.1:{there.port}/m:w").entries())


def test_a_server_without_identifier_takes_no_login(client: Client) -> None:
    def play(link: Connection) -> None:
        link.send(b"220 hello\r\n")
        link.line()
        link.send(b"250 ok\r\n")

    with (
        Server(play) as there,
        pytest.raises(RemoteProtocolError, match="sent no identifier in its greeting"),
    ):
        client.get(f"dict://u:p@127.0.0.1:{there.port}/d:a")


def test_matches_are_counted_over_the_pieces_in_which_they_come(client: Client) -> None:
    """Each piece goes out when the consumer wants more: a limit must not end the listing with the first of them."""

    def play(link: Connection) -> None:
        link.send(BANNER)
        link.line()
        link.send(b"250 ok\r\n")
        link.line()
        link.send(b'152 4 matches\r\nd "a"\r\nd "b"\r\n')
        time.sleep(0.05)  # a piece of its own
        link.send(b'd "c"\r\nd "d"\r\n.\r\n250 ok\r\n')

    with Server(play) as there:
        found = client.search(f"dict://127.0.0.1:{there.port}/", "x", limit=3)
        assert [entry.name for entry in found.entries()] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("answer", "is_empty"),
    [(b"554 no databases\r\n", True), (b"555 no strategies\r\n", True), (b"550 no such\r\n", False),
     (b"551 no such\r\n", False), (b"552 none\r\n", False)],
)  # fmt: skip
def test_a_listing_that_is_refused_is_empty_only_where_the_server_says_so(
    client: Client, answer: bytes, is_empty: bool
) -> None:
    with server(b"250 ok\r\n", answer, b"221 bye\r\n") as there:
        url = f"dict://127.0.0.1:{there.port}/"
        if is_empty:
            assert list(client.list(url).entries()) == []
        else:
            with pytest.raises(NotFoundError):
                client.list(url)


@pytest.mark.parametrize(
    ("url", "reply", "said"),
    [
        ("dict://h/d:w", b"530 Access denied", "h does not give access: “530 Access denied”"),
        ("dict://h/d:w:x", b"550 no such db", "h has no such dictionary: “550 no such db”"),
        ("dict://h/m:w::x", b"551 no such strategy", "h has no such strategy of matching: “551 no such strategy”"),
        ("dict://h/d:w", b"552 No match", "h has no definition of 'w': “552 No match”"),
    ],
)
def test_the_head_of_a_refusal_says_what_the_reply_denies(url: str, reply: bytes, said: str) -> None:
    def part(connection: Connection) -> None:
        connection.send(b"220 hello <1@h>\r\n")
        while line := connection.line():
            connection.send((b"250 ok" if line.startswith(b"CLIENT") else reply) + b"\r\n")

    with Server(part) as server, Client(Policy.open()) as client:
        with pytest.raises(ReplyError) as caught:
            client.get(url.replace("//h", f"//{server.authority}"))
    assert str(caught.value).replace(server.host, "h").startswith(said)


def test_a_greeting_that_refuses_is_no_login() -> None:
    with (
        Server(lambda connection: connection.send(b"530 Access denied\r\n")) as server,
        Client(Policy.open()) as client,
    ):
        with pytest.raises(ReplyError, match="refuses the connection: “530 Access denied”"):
            client.get(f"dict://{server.authority}/d:w")
