"""``ls`` of http: the links of a page are its entries."""

from __future__ import annotations

import asyncio
import zlib
from typing import Any

import pytest

from anyurl import AsyncClient, Client, Policy
from anyurl.dialogue import Entry
from anyurl.errors import AnyURLError, NotFoundError, Truncated, UnsupportedError
from tests.servers import Connection, Part, Server, reply

INDEX = (
    b'<h1>Index of /pub/</h1><a href="?C=M">Last modified</a><a href="/">Parent</a>'
    b'<a href="sub/">sub/</a><a href="a%20file.txt">a file</a><a href="a%20file.txt#2">again</a>'
    b'<a href="ftp://joe:s3cr3t@ftp.example/x">elsewhere</a><a href="../other">other</a>'
)


def serving(*answers: bytes) -> Part:
    left = list(answers)

    def part(connection: Connection) -> None:
        while left and connection.head():
            connection.send(left.pop(0))

    return part


def page(body: bytes, *fields: str, status: str = "200 OK", type: str = "text/html") -> bytes:
    return reply(body, f"Content-Type: {type}", *fields, status=status)


def listed(answer: bytes, **more: Any) -> tuple[list[Entry], Any]:
    with Server(serving(answer)) as server, Client(Policy.open()) as client:
        resource = client.list(f"http://{server.authority}/pub/", **more)
        return list(resource.entries()), resource


def test_the_links_of_an_index() -> None:
    entries, resource = listed(page(INDEX, 'ETag: "1"', "Link: <x>; rel=next"))
    assert (resource.kind, resource.type, resource.etag, resource.links[0].rel) == (
        "listing",
        "text/html",
        '"1"',
        ("next",),
    )
    names = [(entry.name, entry.kind) for entry in entries]
    port = resource.url.port
    assert names == [
        (f"http://127.0.0.1:{port}/", None), ("sub/", "listing"), ("a file.txt", None),
        ("ftp://joe:***@ftp.example/x", None), (f"http://127.0.0.1:{port}/other", None),
    ]  # fmt: skip
    assert str(entries[2].url) == f"http://127.0.0.1:{port}/pub/a%20file.txt"


def test_a_link_that_is_no_url_is_an_entry_without_one() -> None:
    wrong = (
        b'<a href="http://h:99999/">a</a><a href="b">b</a><a href="http://h:99999/">a</a><a href="http://u:p@ h/">c</a>'
    )
    entries, resource = listed(page(wrong))
    assert [(entry.name, entry.url is None) for entry in entries] == [
        ("http://h:99999/", True), ("b", False), ("http://u:***@ h/", True),
    ]  # fmt: skip
    assert resource.read() == b""


def test_who_named_them_is_the_document() -> None:
    entries, resource = listed(page(INDEX))
    assert {(entry.origin.who, entry.origin.host, entry.origin.scheme) for entry in entries} == {
        ("document", "127.0.0.1", "http")
    }
    assert resource.content_origin.who == "document"


def test_a_coding_and_a_charset_are_undone() -> None:
    text = '<a href="ü">'.encode("iso-8859-1")
    answer = page(zlib.compress(text), "Content-Encoding: deflate", type="text/html; charset=iso-8859-1")
    (entry,), _ = listed(answer)
    assert entry.name == "ü"


def test_what_says_no_type_is_read_as_a_page() -> None:
    (entry,), _ = listed(reply(b'<a href="x">'))
    assert entry.name == "x"


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (page(b"", type="image/png"), UnsupportedError),
        (page(b"", status="404 No"), NotFoundError),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n<a href=x>", Truncated),
    ],
)
def test_what_is_no_page(answer: bytes, error: type[AnyURLError]) -> None:
    with pytest.raises(error):
        listed(answer)


def test_a_redirection_is_followed() -> None:
    with Server(serving(reply(b"", "Location: /pub/", status="301 Moved"), page(b'<a href="x">'))) as server:
        with Client(Policy.open()) as client:
            resource = client.list(f"http://{server.authority}/pub")
            assert [str(entry.url) for entry in resource.entries()] == [f"http://{server.authority}/pub/x"]


def test_a_long_page_comes_in_batches_and_on_asyncio() -> None:
    body = b"".join(b'<a href="%d">' % number for number in range(5000))

    async def run(url: str) -> list[str]:
        async with AsyncClient(Policy.open()) as client, await client.list(url) as resource:
            return [entry.name async for entry in resource.entries()]

    with Server(serving(page(body), page(body))) as server, Client(Policy.open()) as client:
        url = f"http://{server.authority}/"
        assert [entry.name for entry in client.list(url).entries()] == [str(number) for number in range(5000)]
        assert asyncio.run(run(url)) == [str(number) for number in range(5000)]
