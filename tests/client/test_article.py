"""Articles read out of resources, and files put together of the parts in several of them."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl import Client
from anyurl.client import article
from anyurl.client.article import MAX_ARTICLE_BYTES, MAX_FILE_BYTES, Article, Part, join_parts, read_article
from anyurl.errors import LimitError, Truncated
from anyurl.schemes.news.wire import article as wire
from tests.schemes.news.wire.nntp_samples import yenc


def part(number: int, total: int, begin: int, data: bytes) -> bytes:
    return (
        b"Subject: x\r\n\r\n=ybegin part=%d total=%d line=128 size=6 name=x\r\n=ypart begin=%d end=%d\r\n%s"
        b"=yend size=%d part=%d pcrc32=%08x\r\n"
        % (number, total, begin, begin + len(data) - 1, yenc(data), len(data), number, zlib.crc32(data))
    )


def test_a_file_in_several_articles() -> None:
    first, second = (Article(part(*row)).parts()[1] for row in ((1, 2, 1, b"abc"), (2, 2, 4, b"def")))
    assert (first.span, second.span, first.fault, second.fault) == ((1, 2, 0), (2, 2, 3), None, None)
    assert join_parts([second, first, first]) == b"abcdef"
    with pytest.raises(Truncated, match="1 of the 2 parts"):
        join_parts([first])
    with pytest.raises(Truncated, match="A part is missing at octet 0: the next one begins at 3"):
        join_parts([second])
    assert join_parts([]) == b""
    damaged = Article(part(2, 2, 4, b"def").replace(b"pcrc32=", b"pcrc32=1 x=")).parts()[1]
    with pytest.raises(Truncated, match=r"A part of the file is damaged: its checksum is wrong\."):
        join_parts([first, damaged])


def piece(at: int, data: bytes, total: int | None = None, number: int = 1) -> Part:
    return Part(1, "text/plain", data, span=(number, total, at))


@given(st.lists(st.binary(min_size=1, max_size=5), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_the_parts_says_nothing(pieces: list[bytes], chance: object) -> None:
    parts, at = [], 0
    for data in pieces:
        parts.append(piece(at, data, len(pieces)))
        at += len(data)
    chance.shuffle(parts)  # type: ignore[attr-defined]
    assert join_parts(parts) == join_parts([*parts, *parts]) == b"".join(pieces)
    if len(parts) > 1:
        with pytest.raises(Truncated):
            join_parts(parts[1:])


def test_which_part_is_missing_and_what_had_come() -> None:
    with pytest.raises(Truncated) as caught:
        join_parts([piece(0, b"a" * 1500), piece(2000, b"b")])
    assert (str(caught.value), caught.value.received) == (
        "A part is missing at octet 1,500: the next one begins at 2,000.", 1500,
    )  # fmt: skip
    with pytest.raises(Truncated) as caught:
        join_parts([piece(0, b"ab", 3), piece(2, b"c", None)])
    assert (str(caught.value), caught.value.received) == ("Only 2 of the 3 parts of the file are here.", 3)
    with pytest.raises(Truncated, match="A part is missing at octet 2"):  # they overlap: one of them is wrong
        join_parts([piece(0, b"ab"), piece(1, b"c")])


def test_a_part_that_says_not_which_it_is_is_the_whole_and_the_first_of_two_counts() -> None:
    assert join_parts([Part(1, "text/plain", b"abc")]) == b"abc"
    assert join_parts([Part(1, "text/plain", b"abc"), piece(0, b"xyz")]) == b"abc"
    assert join_parts(each for each in (piece(0, b"ab"), piece(2, b"c"))) == b"abc"
    assert join_parts([piece(0, b"ab", 2), piece(2, b"c", 1)]) == b"abc"  # more than it is told are no fault


def test_only_parts_are_joined() -> None:
    for parts in (b"abc", [b"abc"], Part(1, "text/plain", b"x"), None):
        with pytest.raises(TypeError):
            join_parts(parts)  # type: ignore[arg-type]


def test_a_file_of_so_many_octets_and_no_more() -> None:
    class Long(bytes):
        """So many octets that nobody has in memory."""

        def __len__(self) -> int:
            return MAX_FILE_BYTES

    assert MAX_FILE_BYTES == 1 << 30
    with pytest.raises(LimitError) as caught:
        join_parts([piece(0, Long()), piece(MAX_FILE_BYTES, b"x")])
    assert str(caught.value) == "The file has more than 1,073,741,824 octets: the limit allows no more."
    assert caught.value.limit == "MAX_FILE_BYTES"
    assert join_parts([piece(0, Long())]) == b""


def test_an_article_is_read_to_its_end(tmp_path: Path) -> None:
    data = b"Subject: hello\r\n\r\nWell.\r\n"
    (tmp_path / "a.eml").write_bytes(data)
    with Client() as client, client.get((tmp_path / "a.eml").as_uri()) as resource:
        found = read_article(resource)
    assert (found.data, found.message["Subject"], found.text) == (data, "hello", "Well.\n")


def test_no_more_is_read_than_an_article_may_have(tmp_path: Path) -> None:
    class Endless:
        def read(self, size: int) -> bytes:
            self.size = size
            return b"\n"

    resource = Endless()
    assert read_article(resource).data == b"\n"  # type: ignore[arg-type]
    assert resource.size == MAX_ARTICLE_BYTES
    with pytest.raises(TypeError, match=r"^resource is a Resource, not bytes$"):
        read_article(b"Subject: x\r\n\r\n")  # type: ignore[arg-type]


def test_it_hands_on_what_takes_an_article_apart() -> None:
    assert (article.Article, article.Part, article.MAX_ARTICLE_BYTES) == (
        wire.Article, wire.Part, wire.MAX_ARTICLE_BYTES,
    )  # fmt: skip
    assert set(article.__all__) <= set(vars(article))
