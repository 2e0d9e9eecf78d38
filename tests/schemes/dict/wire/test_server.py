"""The dictionary server: its answers do not depend on how the commands come."""

from __future__ import annotations

import pytest

from anyurl import URL
from anyurl.dialogue import Options
from anyurl.schemes.dict.verbs import fake_server
from anyurl.schemes.dict.wire.commands import login
from anyurl.schemes.dict.wire.server import Dictionary, DictServer
from anyurl.testing import three_ways


def answers(asked: bytes, server: DictServer, link: int = 1) -> list[bytes]:
    """The lines that answer these commands, the greeting first."""
    answers = set()
    for at, pieces in enumerate(three_ways(asked)):
        answers.add(server.connected(link + at)[:3] + b"".join(server.received(link + at, piece) for piece in pieces))
    (answer,) = answers
    return answer.split(b"\r\n")


def test_it_answers_every_line_however_it_comes() -> None:
    asked = b'CLIENT "x"\r\nDEFINE * "a b"\r\nMATCH db . "a"\r\nSHOW DB\r\nFROBNICATE\r\nQUIT\r\n'
    lines = answers(asked, DictServer({"db": Dictionary("A title", {"a b": "One\n.two"})}))
    assert [line[-3:] if at == 0 else line[:3] for at, line in enumerate(lines) if line[:3].isdigit()] == [
        b" ok", b"150", b"151", b"250", b"152", b"250", b"110", b"250", b"500", b"221",
    ]  # fmt: skip
    assert lines[2:6] == [b'151 "a b" db "A title"', b"One", b"..two", b"."]
    assert b'db "a b"' in lines


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("dict://h/d:w", b'DEFINE ! "w"'), ("dict://h/d:w:db", b"DEFINE db w"), ("dict://h/d::db", b"SHOW INFO db"),
        ("dict://h/m:w:*:soundex", b"MATCH * soundex w"), ("dict://h/d:w", b'MATCH ! . "some words"'),
    ],
)  # fmt: skip
def test_an_ideal_one_has_what_the_url_and_the_options_say(url: str, asked: bytes) -> None:
    server = fake_server(URL(url), Options(words="some words"))
    server.connected(1)
    assert server.received(1, asked + b"\r\n")[:3] in (b"150", b"152", b"112")


def test_a_login_is_that_of_its_connection() -> None:
    server = DictServer({}, user=("guest", "welcome"), serial=7)
    for link in (1, 2):
        assert server.connected(link).endswith(b" <7.%d@ideal.example>\r\n" % link)
    proof = login(b"<7.2@ideal.example>", b"welcome")
    assert server.received(1, b"AUTH guest " + proof + b"\r\n") == b"531 Access denied\r\n"
    assert server.received(2, b"AUTH guest " + proof + b"\r\n") == b"230 Welcome\r\n"


def test_it_closes_after_a_goodbye_and_after_a_line_without_an_end() -> None:
    server = DictServer({})
    for link, sent, said in ((1, b"QUIT\r\nSTATUS\r\n", b"221 "), (2, b"x" * 1025, b"500 "), (3, b"STATUS", b"")):
        server.connected(link)
        assert server.received(link, sent)[:4] == said
        assert server.is_open(link) == (link == 3)
        assert server.received(link, b"")[:4] == (b"500 " if link == 3 else b"")
        assert not server.is_open(link)
