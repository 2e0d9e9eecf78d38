"""Files in articles: yEnc (draft 1.3) and uuencode (POSIX)."""

from __future__ import annotations

import binascii
import re
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.schemes.news.wire.binaries import MAX_FILES, decode_yenc, find_files
from tests.rows import each_row
from tests.schemes.news.wire.nntp_samples import UU_ARTICLE, YENC_ARTICLE, YENC_DATA, yenc, yenc_file


def test_a_word_without_an_end_is_read_in_linear_time() -> None:
    word = b"a" * 500_000
    (found,) = find_files(b"=ybegin line=128 size=3 " + word + b" name=x\r\nabc\r\n=yend size=3 " + word + b"\r\n")
    assert (found.name, found.size) == (b"x", 3)


def test_yenc() -> None:
    assert decode_yenc(yenc(YENC_DATA).replace(b"\r\n", b"")) == YENC_DATA
    assert decode_yenc(b"\x8b\x8c=") == b"ab"  # what it escapes is missing
    assert decode_yenc(b"=}\x8b") == b"\x13a"
    (found,) = find_files(YENC_ARTICLE)
    assert (found.name, found.coding, found.data, found.size, found.fault) == (b"all.bin", "yenc", YENC_DATA, 768, None)
    (named,) = find_files(yenc_file(b"x", b"a name with = in it.txt"))
    assert named.name == b"a name with = in it.txt"


@pytest.mark.parametrize("before", [b"", b"ffffffff", b"00000000", b"0x"])
def test_a_checksum_is_the_last_eight_digits(before: bytes) -> None:
    """Programs that take it for a signed number write sixteen."""
    (found,) = find_files(yenc_file(b"abc").replace(b"crc32=", b"crc32=" + before))
    assert found.fault is None
    (found,) = find_files(yenc_file(b"abd").replace(b"crc32=", b"crc32=" + before).replace(b"\x8e", b"\x8d"))
    assert found.fault == "its checksum is wrong"


DAMAGED = [
    (yenc_file(b"abc").replace(b"size=3 crc", b"size=4 crc"), "3 octets came out of the 4 that it should have"),
    (
        re.sub(rb"size=3(.*)=yend.*", rb"size=4\1=yend", yenc_file(b"abc"), flags=re.DOTALL),
        "3 octets came out of the 4",
    ),
    (re.sub(rb"crc32=\w+", b"crc32=00000000", yenc_file(b"abc")), "its checksum is wrong"),
    (re.sub(rb"crc32=\w+", b"crc32=zz", yenc_file(b"abc")), "its checksum is not a number"),
    (yenc_file(b"abc").partition(b"=yend")[0], "its end is missing"),
]


@pytest.mark.parametrize(("body", "fault"), DAMAGED)
def test_damaged_yenc(body: bytes, fault: str) -> None:
    (found,) = find_files(body)
    assert (found.data, (found.fault or "")[: len(fault)]) == (b"abc", fault)


UU = [
    (UU_ARTICLE, b"cat.txt", b"Cat", None),
    (b"begin 644 x\n#0V%T\n \nend\n", b"x", b"Cat", None),
    (b"begin 0644 a b\n#0V%T    \n`\nend", b"a b", b"Cat", None),  # padded on its way
    (b"begin-base64 644 x\nQ2F0\n====\n", b"x", b"Cat", None),
    (b"begin 644 x\n#0V%T\n", b"x", b"Cat", "its end is missing"),
    (b"begin 644 x\n#0V%T\n" + b"_#\n" * 9 + b"end\n", b"x", b"Cat", "its lines are cut"),  # found by fuzzing
    (b"begin 644 x\n#0V%T\nno uuencoded line, this is\nend\n", b"x", b"Cat", "a line of it is not uuencoded"),
]


@pytest.mark.parametrize(("body", "name", "data", "fault"), UU)
def test_uuencode(body: bytes, name: bytes, data: bytes, fault: str | None) -> None:
    (found,) = find_files(body)
    assert (found.name, found.fault) == (name, fault)
    assert found.data == data


@pytest.mark.parametrize("body", [b"begin 644 years\nago, it was\n", b"begin the day", b"=ybegin line=1\nx", b""])
def test_what_is_no_file(body: bytes) -> None:
    assert list(find_files(body)) == []


@given(st.binary(max_size=400), st.integers(1, 200))
def test_yenc_comes_back(data: bytes, line: int) -> None:
    (found,) = find_files(b"text\r\n" + yenc_file(data).replace(yenc(data), yenc(data, line)) + b"text\r\n")
    assert (found.data, found.fault) == (data, None)
    assert decode_yenc(yenc(data, line).replace(b"\r\n", b"")) == data


@given(st.binary(max_size=400), st.booleans(), st.sampled_from([b"\n", b"\r\n"]))
def test_what_the_standard_library_encodes_comes_back(data: bytes, backtick: bool, end: bytes) -> None:
    pieces = [data[at : at + 45] for at in range(0, len(data), 45)]
    for coding, begin, last, lines in (
        ("uuencode", b"begin 644 x", b"end", [binascii.b2a_uu(piece, backtick=backtick) for piece in (*pieces, b"")]),
        ("base64", b"begin-base64 600 x", b"====", [binascii.b2a_base64(piece) for piece in pieces]),
    ):
        body = end.join((b"before", begin, *(line.rstrip(b"\n") for line in lines), last, b"after"))
        (found,) = find_files(body)
        assert (found.coding, found.name, found.data, found.fault) == (coding, b"x", data, None)


def test_a_part_of_a_file_says_which() -> None:
    body = (b"=ybegin part=2 total=3 line=128 size=9 name= x y \r\n=ypart begin=4 end=6\r\n" + yenc(b"abc")
            + b"=yend size=3 part=2 pcrc32=%08x crc32=00000000\r\n" % zlib.crc32(b"abc"))  # fmt: skip
    (found,) = find_files(body)
    assert (found.name, found.part, found.total, found.begin, found.size) == (b"x y", 2, 3, 3, 9)
    assert (found.data, found.fault) == (b"abc", None)  # crc32 is of the whole file
    (found,) = find_files(body.replace(b"pcrc32=%08x" % zlib.crc32(b"abc"), b"pcrc32=1"))
    assert found.fault == "its checksum is wrong"
    (found,) = find_files(body.replace(b"begin=4", b"begin=0"))
    assert found.begin == 0
    (found,) = find_files(body.replace(b"=ypart begin=4 end=6\r\n", b""))
    assert found.begin == 0
    (found,) = find_files(body.replace(b"size=9", b"size=" + b"9" * 19).replace(b"total=3", b"total=" + b"9" * 20))
    assert (found.size, found.total) == (10**19 - 1, None)
    assert repr(found) == "EncodedFile(b'x y', 'yenc', 3 octets, fault=None)"


def test_a_body_has_several_files_one_after_the_other_and_an_end() -> None:
    small = b"begin 644 x\n#0V%T\n`\nend\n"
    both = list(find_files(b"begin the day\n" + small + yenc_file(b"abc", b"y") + small))
    assert [(found.name, found.data) for found in both] == [(b"x", b"Cat"), (b"y", b"abc"), (b"x", b"Cat")]
    assert sum(1 for _ in find_files(small * (MAX_FILES + 1))) == MAX_FILES == 1000


@each_row(
    "body",
    [b"=ybegin line=128 size=3\r\nabc\r\n=yend size=3\r\n", b"=ybegin line=128 name=x\r\nabc\r\n=yend size=3\r\n",
     b"=ybegin2 size=3 name=x\r\n", b"begin 64 x\n#0V%T\n`\nend\n", b"begin 64444 x\n#0V%T\nend\n",
     b"begin 648 x\n#0V%T\nend\n", b"begin 644 \n#0V%T\nend\n", b" begin 644 x\n#0V%T\nend\n",
     b"begin 644 " + b"x" * 1001 + b"\n#0V%T\nend\n"],
)  # fmt: skip
def test_lines_that_begin_no_file(body: bytes) -> None:
    assert list(find_files(body)) == []


def test_lines_of_uuencode() -> None:
    """Its length counts; spaces at its end may be lost, and one checksum octet may follow; no more."""

    def one(line: bytes) -> tuple[bytes, str | None]:
        (found,) = find_files(b"begin 644 " + b"n" * 1000 + b"\n#0V%T\n" + line + b"\nend")
        return found.data, found.fault

    assert one(b"!00") == (b"CatA", None)  # cut to the octets that are needed
    assert one(b"#0V%TX") == one(b"#0V%TXY") == (b"CatCat", None)
    assert (
        one(b"#0V%TXYZ") == one(b"#0V%\x80") == one(b"!") == one(b"#aaaa") == (b"Cat", "a line of it is not uuencoded")
    )
    assert one(b"") == one(b"`") == one(b" \t") == (b"Cat", None)
    assert one(b'"0V$ ') == one(b'"0V$') == (b"CatCa", None)
