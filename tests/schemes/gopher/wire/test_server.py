"""The Gopher+ server, with the item of an ideal one: one reply for each way to ask, once the request is whole."""

from __future__ import annotations

import pytest

from anyurl import URL
from anyurl.dialogue import Options
from anyurl.schemes.gopher.verbs import fake_server
from anyurl.schemes.gopher.wire.menus import read_item
from anyurl.schemes.gopher.wire.plus import AttributeReader, form_request, read_mod_date, read_question, read_view
from anyurl.schemes.gopher.wire.server import GopherItem, GopherServer
from anyurl.testing import three_ways

PLUS = b"+-1\r\n"
END = b".\r\n"
TEXT, ITEMS = b"An ideal text\r\nhas two lines.\r\n", b"iAn ideal menu\t\t\t0\r\n0README\t"


def says(request: bytes, url: str = "gopher://h/0x", **how: object) -> bytes:
    server = fake_server(URL(url), Options(**how))  # type: ignore[arg-type]
    answers = set()
    for link, pieces in enumerate(three_ways(request)):
        assert server.connected(link) == b""
        said = [server.received(link, piece) for piece in pieces]
        assert not any(said[:-1])  # nothing before the request is whole
        answers.add(said[-1])
    (answer,) = answers
    return answer


def test_contents() -> None:
    for request in (b"\r\n", b"x\r\n", b"x\n", b"x\twords\r\n", b"x\t\t\r\n"):
        assert says(request) == TEXT + END
        assert says(request, "gopher://h/1x").startswith(ITEMS)
    plain = TEXT.replace(b"\r", b"")
    for request in (b"x\t+\r\n", b"x\t\t+\r\n", b"x\tw\t+text/plain De_DE\r\n"):
        assert says(request) == b"+%d\r\n" % len(plain) + plain
        assert says(request, "gopher://h/1x").startswith(PLUS + ITEMS)
    assert says(form_request(b"x", [b"a"])) == PLUS + TEXT + END


def test_a_view_is_one_of_the_item_or_of_the_url() -> None:
    assert says(b"x\t+a/b\r\n").startswith(b"--1\r\n")
    assert says(b"x\t+a/b\r\n", view="a/b").startswith(b"+")
    assert says(b"x\t+a/b\r\n", "gopher://h/0x%09%09+a/b").startswith(b"+")


def test_a_form_is_whole_with_its_last_dot() -> None:
    assert says(b"x\t+\t1\r\n+-1\r\na\r\n.\r") == b""
    assert says(b"x\t+\t1\r\n") == b""


@pytest.mark.parametrize(("url", "type"), [("gopher://h/0x", "0"), ("gopher://h/1x", "1")])
def test_attributes(url: str, type: str) -> None:
    for request, times in ((b"/x\t!\r\n", 1), (b"/x\t\t!\r\n", 1), (b"/x\t\t$\r\n", 2)):
        reply = says(request, url, answers=("a", "b\nc"))
        assert reply.startswith(PLUS)
        reader = AttributeReader(dotted=True)
        blocks = reader.feed(reply[len(PLUS) :]) + reader.finish()
        assert reader.ended
        assert [block.name for block in blocks] == ["INFO", "ADMIN", "VIEWS", "ABSTRACT", "ASK"] * times
        info, admin, views, _, form = blocks[:5]
        found = read_item(info.value)
        assert (found.type, found.host, found.port, found.tag) == (type, b"ideal.example", 70, "?")
        assert read_mod_date(admin.lines[1].partition(b":")[2].decode()) == 787881600.0
        assert [read_view(line.decode()).type for line in views.lines] == ["text/plain", "application/postscript"]
        assert [read_question(line.decode()).kind for line in form.lines] == ["Ask", "AskL"]
    assert says(b"/x\t!+VIEWS\r\n", url).count(b"+INFO") == 0


def test_a_search_gets_its_words_and_octets_stay_as_they_are() -> None:
    def find(selector: str, words: str) -> GopherItem | None:
        kinds = {"s": GopherItem("7", words.encode(), {}), "b": GopherItem("9", b".\n", {})}
        return kinds.get(selector)

    server = GopherServer(find, lambda _selector, _lines: None, "h", 1)
    for link, (request, reply) in enumerate(
        [(b"s\ta b\r\n", b"a b\r\n.\r\n"), (b"s\ta\t+\r\n", b"+-1\r\na\r\n.\r\n"), (b"b\r\n", b".\n"),
         (b"n\r\n", b"3There is no 'n'"),
         (b"s\t+\t1\r\n+-1\r\n.\r\n", b"--1\r\n")]
    ):  # fmt: skip
        server.connected(link)
        assert server.received(link, request).startswith(reply)
        assert not server.is_open(link)


def test_connections_do_not_mix_and_the_end_of_a_client_ends_its_request() -> None:
    server = fake_server(URL("gopher://h/0x"), Options())
    assert server.connected(1) + server.connected(2) + server.connected(3) == b""
    assert server.received(1, b"x\t") + server.received(2, b"y") + server.received(3, b"z") == b""
    assert server.received(2, b"\r\n") == TEXT + END
    assert server.received(1, b"!\r\n").startswith(PLUS + b"+INFO")
    assert server.received(3, b"") == TEXT + END
