"""Heads of HTTP answers: which block is the answer, and what bounds it."""

from __future__ import annotations

import pytest

from anyurl.dialogue import Channel
from anyurl.errors import LimitError, RemoteProtocolError
from anyurl.guard.limits import Limits
from anyurl.net.http.head import is_interim, is_whole, read_head
from tests.rows import each_row

OK = b"HTTP/1.1 200 OK\r\nA: 1\r\n\r\n"
EARLY = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"


def read(data: bytes, **limits: int) -> tuple[int, list[tuple[str, str]]]:
    response = read_head(data.splitlines(keepends=True), Channel(), Limits(**limits))
    return response.status, list(response.headers)


@each_row(
    ("data", "status", "headers"),
    [
        (OK, 200, [("a", "1")]),
        (EARLY + OK, 200, [("a", "1")]),
        (EARLY * 300 + OK, 200, [("a", "1")]),
        (OK + b"Trailer: 1\r\n\r\n", 200, [("a", "1")]),  # of an empty chunked body: the block behind the head
        (OK + b"HTTP/1.1: 404\r\n\r\n", 200, [("a", "1")]),
        (b"HTTP/1.1 404\r\n\r\n", 404, []),  # no reason phrase
        (b"HTTP/2 204 \r\nb: \r\n\r\n", 204, [("b", "")]),
        (b"HTTP/1.1 200 OK\nA: 1\n\n", 200, [("a", "1")]),
        (b"HTTP/1.1 200 OK\r\nA: 1\r\n  2\r\n\t3\r\nB: 4\r\n\r\n", 200, [("a", "1 2 3"), ("b", "4")]),
        (b"HTTP/1.1 200 OK\r\nA: \xff\xc3\xbc:\r\nA: 2\r\n\r\n", 200, [("a", "\udcffü:"), ("a", "2")]),
        (b"HTTP/1.1 101 Switching\r\n\r\n", 101, []),
    ],
)
def test_the_final_answer_is_read(data: bytes, status: int, headers: list[tuple[str, str]]) -> None:
    assert read(data) == (status, headers)


@pytest.mark.parametrize("name", ["Content-Encoding", "content-encoding", "CONTENT-ENCODING "])
def test_a_coding_is_seen_however_often_the_same_head_comes(name: str) -> None:
    coded = f"HTTP/1.1 200 OK\r\nA: 1\r\n{name}: gzip\r\n\r\n".encode().splitlines(keepends=True)
    for _ in range(3):
        response = read_head(coded, Channel(), Limits())
        assert response.may_be_coded
        assert response.header("content-encoding") == "gzip"
    read(OK)
    assert not read_head(OK.splitlines(keepends=True), Channel(), Limits()).may_be_coded


@pytest.mark.parametrize(
    "data", [b"220 ftp.example\r\n\r\n", b"HTTP/1.1 2xx\r\n\r\n", b"HTTP/1.1 \xb2\xb2\xb2\r\n\r\n", b"\r\n"]
)
def test_what_is_no_head(data: bytes) -> None:
    with pytest.raises(RemoteProtocolError) as caught:
        read(data)
    assert caught.value.sample


@pytest.mark.promise("limits")
@pytest.mark.parametrize(
    ("data", "limits", "name"),
    [
        (EARLY * 300 + OK, {"header_bytes": 5_000}, "header_bytes"),
        (b"HTTP/1.1 200 OK\r\n" + b"A: 1\r\n" * 9 + b"\r\n", {"headers": 8}, "headers"),
        (OK, {"header_bytes": len(OK) - 1}, "header_bytes"),
    ],
)
def test_heads_are_bounded(data: bytes, limits: dict[str, int], name: str) -> None:
    with pytest.raises(LimitError) as caught:
        read(data, **limits)
    assert caught.value.limit == name


@pytest.mark.parametrize(
    ("data", "interim"), [(OK, False), (EARLY, True), (EARLY + OK, False), (OK + b"X: 1\r\n\r\n", False)]
)
def test_interim_blocks(data: bytes, interim: bool) -> None:
    assert is_interim(data.splitlines(keepends=True)) is interim


@pytest.mark.parametrize(
    ("data", "whole"),
    [
        (OK, True),
        (OK + b"X: 1\r\n", True),  # a trailer comes, and has not ended
        (EARLY + OK, True),
        (OK[:-2], False),
        (EARLY, False),
        (EARLY + OK[:-2], False),
        (b"", False),
    ],
)
def test_whole_heads(data: bytes, whole: bool) -> None:
    assert is_whole(data.splitlines(keepends=True)) is whole
