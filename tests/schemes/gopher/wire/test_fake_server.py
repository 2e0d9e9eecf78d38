"""The ideal Gopher+ server: one reply for each way to ask, once the request is whole."""

from __future__ import annotations

import pytest

from anyurl.schemes.gopher.wire.fake_server import ITEMS, TEXT, FakeGopherServer
from anyurl.schemes.gopher.wire.menus import read_item
from anyurl.schemes.gopher.wire.plus import AttributeReader, form_request, read_mod_date, read_question, read_view
from anyurl.testing import three_ways

PLUS = b"+-1\r\n"
END = b".\r\n"


def says(request: bytes, **how: object) -> bytes:
    answers = []
    for pieces in three_ways(request):
        server = FakeGopherServer(**how)  # type: ignore[arg-type]
        assert server.connected(1) == b""
        said = [server.received(1, piece) for piece in pieces]
        assert not any(said[:-1])  # nothing before the request is whole
        answers.append(said[-1])
    assert len(set(answers)) == 1
    return answers[0]


@pytest.mark.parametrize("menu", [False, True])
def test_contents(menu: bool) -> None:
    content = ITEMS if menu else TEXT
    for request in (b"\r\n", b"x\r\n", b"x\twords\r\n", b"x\t\t\r\n"):
        assert says(request, menu=menu) == content + END
    for request in (b"x\t+\r\n", b"x\t\t+\r\n", b"x\tw\t+text/plain De_DE\r\n", form_request(b"x", [b"a"])):
        assert says(request, menu=menu) == PLUS + content + END


def test_a_form_is_whole_with_its_last_dot() -> None:
    assert says(b"x\t+\t1\r\n+-1\r\na\r\n.\r") == b""
    assert says(b"x\t+\t1\r\n") == b""


@pytest.mark.parametrize(("menu", "type"), [(False, "0"), (True, "1")])
def test_attributes(menu: bool, type: str) -> None:
    for request, times in ((b"/x\t!\r\n", 1), (b"/x\t\t!+ASK\r\n", 1), (b"/x\t\t$\r\n", 2)):
        reply = says(request, menu=menu, questions=("Ask", "AskL"))
        assert reply.startswith(PLUS)
        reader = AttributeReader(dotted=True)
        blocks = reader.feed(reply[len(PLUS) :]) + reader.finish()
        assert reader.ended
        assert [block.name for block in blocks] == ["INFO", "ADMIN", "VIEWS", "ASK"] * times
        info, admin, views, form = blocks[:4]
        found = read_item(info.value)
        assert (found.type, found.selector, found.host, found.port) == (type, b"/x", b"ideal.example", 70)
        assert read_mod_date(admin.lines[1].partition(b":")[2].decode()) == 786240000.0
        assert [read_view(line.decode()).type for line in views.lines] == ["text/plain", "application/postscript"]
        assert [read_question(line.decode()).kind for line in form.lines] == ["Ask", "AskL"]


def test_connections_do_not_mix() -> None:
    server = FakeGopherServer()
    assert (server.received(1, b"x\t"), server.received(2, b"y")) == (b"", b"")
    assert server.received(2, b"\r\n") == TEXT + END
    assert server.received(1, b"+\r\n") == PLUS + TEXT + END


def test_its_menu_has_items() -> None:
    found = [read_item(line) for line in ITEMS.split(b"\r\n")[:-1]]
    assert [(item.type, item.selector, item.port, item.tag) for item in found] == [
        ("i", b"", 0, ""), ("0", b"0/README", 70, "+"), ("1", b"1/pub", 70, ""),
    ]  # fmt: skip
