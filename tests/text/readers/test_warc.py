"""Web archives: what was received is searched, under the URL that it came from, and nothing else of a record."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from pathlib import Path

import brotli
import pytest

from anyurl.errors import LimitError, MissingExtraError
from anyurl.text import Budget, find
from anyurl.text.readers import warc
from tests.rows import each_row

PAGE = b'<base href="/dir/"><a href="rel?a=1&amp;b=2">x</a> http://host.example/a-path-that-is-longer-than-a-chunk'
SAID = [
    "http://a.example/dir/",
    "http://a.example/dir/rel?a=1&b=2",
    "http://host.example/a-path-that-is-longer-than-a-chunk",
]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nLocation: http://no.content/\r\n"


def record(kind: str, url: str, block: bytes, type: str = "application/http;msgtype=response") -> bytes:
    head = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:5a1b7fd5-9f5e-4a8c-b0f7-0123456789ab>\r\n"
        f"WARC-Target-URI: {url}\r\nContent-Type: {type}\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def chunked(content: bytes, size: int) -> bytes:
    pieces = [content[at : at + size] for at in range(0, len(content), size)]
    return b"".join(b"%x;x=y\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def told(octets: bytes) -> list[tuple[str, str]]:
    return [(found.member, str(found)) for found in find(octets, format="auto")]


@each_row(
    "response",
    [
        HEAD + b"\r\n" + PAGE,
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunked(PAGE, 17),
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + PAGE,  # some writer has joined them
        HEAD + b"Content-Encoding: identity\r\n\r\n" + PAGE,
        HEAD + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"<!doctype html>" + PAGE),
        HEAD + b"Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n"
        + chunked(gzip.compress(b"<!doctype html>" + PAGE), 9),
        HEAD + b"Content-Encoding: br\r\n\r\n" + brotli.compress(PAGE),
        HEAD + b"Transfer-Encoding: chunked\r\nContent-Encoding: BR\r\n\r\n" + chunked(brotli.compress(PAGE), 9),
        HEAD + b"Content-Encoding: deflate\r\n\r\n" + zlib.compress(PAGE),
        HEAD + b"Content-Encoding: deflate\r\n\r\n" + zlib.compress(PAGE, wbits=-15),
    ],
    ids=[
        "plain", "chunks", "joined chunks", "identity", "gzip", "gzip in chunks", "br", "br in chunks", "deflate",
        "deflate without a head",
    ],
)  # fmt: skip
@each_row("packed", [False, True], ids=["warc", "warc.gz"])
def test_a_page_is_read_as_it_was_before_it_was_coded(response: bytes, packed: bool) -> None:
    text = record("resource", "ftp://b/x", b"http://c/", "text/plain")
    records = [record("response", "http://a.example/p?q", response), text]
    octets = b"".join(gzip.compress(each) if packed else each for each in records)
    assert told(octets) == [("http://a.example/p?q", url) for url in SAID] + [("ftp://b/x", "http://c/")]


def test_only_what_was_received_is_searched() -> None:
    text = b"see http://no.content/ and <a href=x>"
    octets = b"".join([
        record("warcinfo", "", text, "application/warc-fields"),
        record("request", "http://a.example/", b"GET / HTTP/1.1\r\nReferer: http://no.content/\r\n\r\n"),
        record("metadata", "http://a.example/", text, "application/warc-fields"),
        record("revisit", "http://a.example/", HEAD + b"\r\n"),
        record("conversion", "http://a.example/", b"http://made.text/", "text/plain"),
    ])  # fmt: skip
    assert told(octets) == [("http://a.example/", "http://made.text/")]


def test_a_record_in_a_content_is_no_record() -> None:
    inner = record("resource", "http://b/", b"http://inner/", "text/plain")
    assert told(record("resource", "http://a/", b"x" + inner, "text/plain"))[0][0] == "http://a/"
    assert [url for _, url in told(record("resource", "http://a/", inner, "application/warc"))] == ["http://inner/"]


def test_a_password_is_not_shown_in_a_place() -> None:
    found = told(record("resource", "http://joe:secret@a/p", b"<!doctype html><a href=x>", "text/html"))
    assert [member for member, _ in found] == ["http://joe:***@a/p"]


@pytest.mark.parametrize("cut", [1, 5, 60, 200])
def test_a_record_that_is_cut_is_searched_as_far_as_it_goes(cut: int) -> None:
    octets = record("resource", "http://a/", b"http://b/ " + b"x" * 100 + b" http://c/", "text/plain")
    urls = [url for _, url in told(octets[: len(octets) - cut])]
    assert urls[:1] == (["http://b/"] if cut < 200 else [])


@pytest.mark.parametrize(
    ("octets", "why"),
    [
        (b"WARC/1.1\r\nWARC-Type: resource\r\n\r\n", "does not say how long it is"),
        (b"WARC/1.1\r\nContent-Length: x\r\n\r\n", "does not say how long it is"),
        (b"WARC/1.1\r\n" + b"x" * (2 * warc.MAX_HEAD), "has no end of its fields"),
    ],
)
def test_what_is_no_record_is_told(octets: bytes, why: str) -> None:
    with pytest.raises(OSError, match=why):
        told(octets)


def test_a_file_is_told_by_its_octets(tmp_path: Path) -> None:
    path = tmp_path / "crawl.warc"
    path.write_bytes(record("response", "http://a.example/", HEAD + b"\r\n" + PAGE))
    with path.open("rb") as file:
        assert [str(found) for found in find(file, format="auto", name=path.name)] == SAID


def searched(octets: bytes) -> tuple[list[str], str]:
    """What was found, and what was said in the end."""
    found: list[str] = []
    try:
        for each in find(octets, format="auto"):
            found.append(str(each))
    except (LimitError, MissingExtraError) as error:
        return found, str(error)
    return found, ""


SAID_OF_CODINGS = "Contents of the archive were passed over for their coding, {}; all others were read."


@pytest.mark.parametrize(
    ("coding", "content"), [("compress", b"xxx"), ("br", b"http://no/"), ("deflate", b"http://no/")]
)
def test_what_can_not_be_read_is_told_when_all_else_was(coding: str, content: bytes) -> None:
    other = record("response", "http://b.example/", HEAD + f"Content-Encoding: {coding}\r\n\r\n".encode() + content)
    page = record("response", "http://a.example/", HEAD + b"\r\n" + PAGE)
    assert searched(other + page) == (SAID, SAID_OF_CODINGS.format(f"{coding} (1)"))


def test_without_brotli_its_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "brotli", None)
    coded = record("response", "http://b.example/", HEAD + b"Content-Encoding: br\r\n\r\n" + brotli.compress(PAGE))
    page = record("response", "http://a.example/", HEAD + b"\r\n" + PAGE)
    assert searched(coded + coded + page) == (
        SAID, SAID_OF_CODINGS.format("br without its package (2): in a clone of anyurl, pip install '.[codings]'"),
    )  # fmt: skip


@pytest.mark.parametrize("coding", ["br", "deflate"])
def test_a_coded_content_is_counted(coding: str) -> None:
    pack = brotli.compress if coding == "br" else zlib.compress
    head = HEAD + f"Content-Encoding: {coding}\r\n\r\n".encode()
    file = io.BytesIO(record("response", "http://a.example/", head + pack(b"a" * 100_000)))
    _, content = next(warc._unpack(file, Budget(octets=50_000)))
    with pytest.raises(LimitError, match="unpacks to too much"):
        sum(map(len, iter(content.read, b"")))
