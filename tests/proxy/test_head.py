"""Heads: what is read, what is refused because two readers could read it in two ways, what goes on to the next."""

from __future__ import annotations

import pytest

from anyurl.errors import RemoteProtocolError
from anyurl.proxy.head import (
    FIELDS_AT_MOST,
    HEAD_OCTETS_AT_MOST,
    RequestHead,
    content_length,
    end_to_end,
    parse_request,
    parse_response,
    values,
    write,
)
from tests.rows import each_row


def test_a_request() -> None:
    head = parse_request(b"GET http://h/ HTTP/1.1\r\nHost: h\r\nX-Empty:\r\nX-Odd:\t a  b \r\n\r\n")
    assert head == RequestHead(
        "GET", "http://h/", 1, ((b"Host", b"h"), (b"X-Empty", b""), (b"X-Odd", b"a  b"))
    )  # fmt: skip
    assert parse_request(b"CONNECT h:443 HTTP/1.0\r\n\r\n") == RequestHead("CONNECT", "h:443", 0, ())


def test_a_response() -> None:
    head = parse_response(b"HTTP/1.1 200 All is well\r\nA: b\r\n\r\n")
    assert (head.status, head.line, head.fields) == (200, b"HTTP/1.1 200 All is well", ((b"A", b"b"),))
    assert parse_response(b"HTTP/1.0 404\r\n\r\n").status == 404


@each_row(
    "octets",
    [
        b"", b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/2.0\r\n\r\n", b"GET  / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\n\n", b"GET /\x00 HTTP/1.1\r\n\r\n", b"GET /\xe9 HTTP/1.1\r\n\r\n", b" GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : h\r\n\r\n", b"GET / HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n",
        b"GET / HTTP/1.1\r\nA: b\rX: c\r\n\r\n", b"GET / HTTP/1.1\r\nA: b\nX: c\r\n\r\n",
        b"GET / HTTP/1.1\r\n: b\r\n\r\n",
        b"GET / HTTP/1.1\r\nA: b\x00\r\n\r\n", b"GET / HTTP/1.1\r\nA\r\n\r\n", b"G ET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * (FIELDS_AT_MOST + 1) + b"\r\n",
        b"GET / HTTP/1.1\r\nA: " + b"b" * HEAD_OCTETS_AT_MOST + b"\r\n\r\n", b"GET / HTTP/1.1\r\nA: b\r\n",
    ],
)  # fmt: skip
def test_what_is_no_request(octets: bytes) -> None:
    with pytest.raises(RemoteProtocolError):
        parse_request(octets)


@pytest.mark.parametrize(
    "octets",
    [b"HTTP/1.1 20 OK\r\n\r\n", b"HTTP/1.1 600 X\r\n\r\n", b"ICY 200 OK\r\n\r\n", b"HTTP/1.1 200 \x00\r\n\r\n"],
)
def test_what_is_no_response(octets: bytes) -> None:
    with pytest.raises(RemoteProtocolError):
        parse_response(octets)


@pytest.mark.parametrize(
    ("fields", "length"),
    [
        (((b"Content-Length", b"12"),), 12),
        (((b"transfer-encoding", b"Chunked"),), None),
        ((), 0),
    ],
)
def test_how_long_a_body_is(fields: tuple[tuple[bytes, bytes], ...], length: int | None) -> None:
    assert content_length(fields) == length


@each_row(
    "fields",
    [
        ((b"Content-Length", b"1"), (b"Content-Length", b"2")),
        ((b"Content-Length", b"1"), (b"Content-Length", b"1")),
        ((b"Content-Length", b"1, 1"),),
        ((b"Content-Length", b"+1"),),
        ((b"Content-Length", b"0x1"),),
        ((b"Content-Length", b""),),
        ((b"Content-Length", b"1"), (b"Transfer-Encoding", b"chunked")),
        ((b"Transfer-Encoding", b"gzip, chunked"),),
        ((b"Transfer-Encoding", b"chunked"), (b"Transfer-Encoding", b"chunked")),
        ((b"Transfer-Encoding", b"identity"),),
    ],
)
def test_two_readers_would_tell_it_in_two_ways(fields: tuple[tuple[bytes, bytes], ...]) -> None:
    with pytest.raises(RemoteProtocolError):
        content_length(fields)


def test_what_is_between_two_neighbours_does_not_go_on() -> None:
    fields = (
        (b"Accept", b"*/*"), (b"Proxy-Authorization", b"Basic eA=="), (b"Connection", b"close, X-Near"),
        (b"x-near", b"1"),
        (b"TE", b"trailers"), (b"Upgrade", b"h2c"), (b"Keep-Alive", b"5"), (b"Proxy-Connection", b"close"),
    )  # fmt: skip
    assert end_to_end(fields) == [(b"Accept", b"*/*")]


@pytest.mark.parametrize("name", [b"Content-Length", b"Transfer-Encoding", b"Host"])
def test_connection_takes_nothing_away_that_frames_the_message(name: bytes) -> None:
    """Attack: without its Content-Length a body would be the next request."""
    assert end_to_end(((b"Connection", name), (name, b"1"))) == [(name, b"1")]


def test_what_is_written_is_read() -> None:
    fields = [(b"A", b"b"), (b"A", b"c d")]
    head = parse_request(write(b"GET / HTTP/1.1", fields))
    assert list(head.fields) == fields
    assert values(head.fields, b"a") == [b"b", b"c d"]
