"""Listings, heads, wildmats, compression and files of news servers."""

from __future__ import annotations

import random
import re
import zlib

import pytest

from anyurl.access.article import join_parts
from anyurl.errors import LimitError, RemoteProtocolError, Truncated
from anyurl.schemes.news.wire.article import MAX_ARTICLE_BYTES, MAX_NESTING, Article, Part
from anyurl.schemes.news.wire.binaries import decode_yenc, find_files
from anyurl.schemes.news.wire.deflate import FREE_BYTES, MAX_BARREN, Deflate
from anyurl.schemes.news.wire.headers import decode_field, read_date, read_head
from anyurl.schemes.news.wire.lists import (
    MAX_LINE_BYTES,
    MAX_LISTING_BYTES,
    GroupListReader,
    Wildmat,
    count_in,
    read_active,
    read_capabilities,
    read_description,
    read_header_line,
    read_overview,
    read_selected,
)
from anyurl.testing import three_ways
from tests.schemes.news.wire.nntp_samples import UU_ARTICLE, YENC_ARTICLE, YENC_DATA, yenc, yenc_file

# --- listings --------------------------------------------------------------------------------------------------------


def test_lines_of_a_listing() -> None:
    for pieces in three_ways(b"a b\r\n\r\nc\td\r\n", b"e"):
        reader = GroupListReader()
        assert [line for piece in pieces for line in reader.feed(piece)] == [b"a b", b"", b"c\td"]


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (b"a\0b\r\n", RemoteProtocolError, "NUL"),
        (b"a\rb\r\n", RemoteProtocolError, "CR"),
        (b"x" * (MAX_LINE_BYTES + 2), LimitError, "longer than 65,536"),
    ],
)
def test_lines_that_are_none(data: bytes, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        GroupListReader().feed(data)


def test_a_listing_has_an_end() -> None:
    reader = GroupListReader()
    piece = (b"x" * MAX_LINE_BYTES + b"\r\n") * 64
    for _ in range(MAX_LISTING_BYTES // len(piece)):
        reader.feed(piece)
    with pytest.raises(LimitError, match="more than 268,435,456 octets"):
        reader.feed(piece)


OVERVIEW = b"12\tRe: x\tMe <me@h>\tSun, 22 Nov 2026 03:07:51 GMT\t<b@h>\t<a@h> <c@h>\t456\t7\tXref: h a:12\tmore"


def test_an_overview() -> None:
    found = read_overview(OVERVIEW)
    assert found is not None
    assert found[:8] == [
        "12", "Re: x", "Me <me@h>", "Sun, 22 Nov 2026 03:07:51 GMT", "<b@h>", "<a@h> <c@h>", "456", "7",
    ]  # fmt: skip
    assert read_overview(b"3\tcaf\xe9\t\t\t<a@h>\t\t\t") == ["3", "caf\udce9", "", "", "<a@h>", "", "", ""]
    assert [count_in(text) for text in ("9223372036854775807", "0" * 18 + "7", "0" * 19 + "7")] == [2**63 - 1, 7, None]
    assert [count_in(text) for text in ("456", "", "x", "\u0663", "9223372036854775808")] == [
        456,
        None,
        None,
        None,
        None,
    ]


@pytest.mark.parametrize("line", [b"", b"x", b"1\ta\tb", b"x" + b"\t" * 7, b"-1" + b"\t" * 7, b"9" * 20 + b"\t" * 7])
def test_what_is_no_overview(line: bytes) -> None:
    assert read_overview(line) is None


def test_groups() -> None:
    found = read_selected([b"3", b"10", b"12", b"a.b"])
    assert found is not None
    assert (found.name, found.count, found.low, found.high) == (b"a.b", 3, 10, 12)
    empty = read_selected([b"5", b"11", b"10"])  # RFC 3977 6.1.1.2: high below low is empty, whatever was counted
    assert empty is not None
    assert (empty.count, empty.name) == (0, b"")
    assert [read_selected(words) for words in ([], [b"x", b"1", b"2"], [b"1", b"-2", b"3"])] == [None, None, None]
    active = read_active(b"a.b 0000000012 0000000010 y")
    assert active is not None
    assert (active.name, active.count, active.low, active.high, active.status) == (b"a.b", 3, 10, 12, "y")
    assert read_active(b"a.b 1 2") is None
    strange = read_active(b"a.b x y =c.d")
    assert strange is not None
    assert (strange.count, strange.status) == (None, "=c.d")
    assert read_description(b"a.b\tAbout  a b ") == (b"a.b", b"About  a b")
    assert read_description(b"a.b") is None
    assert read_header_line(b"0 123") == (0, b"123")
    assert read_header_line(b"x 123") is None


def test_capabilities() -> None:
    found = read_capabilities([b"VERSION 2", b"over msgid", b"", b"LIST ACTIVE NEWSGROUPS"])
    assert found == {"VERSION": ("2",), "OVER": ("MSGID",), "LIST": ("ACTIVE", "NEWSGROUPS")}


def test_what_is_collected_has_few_lines() -> None:
    reader = GroupListReader(1000, 3)
    assert reader.feed(b"a\r\nb\r\nc\r\n") == [b"a", b"b", b"c"]
    with pytest.raises(LimitError, match="more than 3 lines"):
        reader.feed(b"d\r\n")
    with pytest.raises(LimitError, match="more than 10 octets"):
        GroupListReader(10).feed(b"x" * 11)


WILDMATS = [
    ("*", "anything", True),
    ("a.*", "a.b", True),
    ("a.*", "b.a.", False),
    ("a.?", "a.bc", False),
    ("a.b", "a.b", True),
    ("a.*,!a.b", "a.b", False),
    ("a.*,!a.b", "a.c", True),
    ("!a.b,a.*", "a.b", True),  # RFC 3977 4.1: the last one that fits decides
    ("!a.b", "c", False),  # and where none fits, it is not taken
    ("*a*b*c*", "xxaxxbxxcxx", True),
    ("*a*b*c", "xxaxxbxxcxx", False),
    ("a[b]", "a[b]", True),
    ("*é?", "caféx", True),
    ("", "", True),
]


@pytest.mark.parametrize(("pattern", "name", "taken"), WILDMATS)
def test_wildmats(pattern: str, name: str, taken: bool) -> None:
    assert Wildmat(pattern).matches(name) is taken


def test_wildmats_against_regular_expressions() -> None:
    chance = random.Random(3977)
    for _ in range(3000):
        pattern = "".join(chance.choices("ab*?", k=chance.randrange(7)))
        name = "".join(chance.choices("ab", k=chance.randrange(7)))
        oracle = re.fullmatch(pattern.replace("*", ".*").replace("?", "."), name) is not None
        assert Wildmat(pattern).matches(name) is oracle, (pattern, name)


def test_a_hostile_wildmat_takes_no_exponential_time() -> None:
    assert Wildmat("*a" * 100 + "b").matches("a" * 2000) is False


# --- heads -----------------------------------------------------------------------------------------------------------


def test_heads() -> None:
    head = b"Subject: a\r\n b\r\nFROM : me\r\nX\r\nSubject: second\r\n folded too\r\nEmpty:\r\n\r\n"
    assert read_head(head) == {"subject": b"a b", "from": b"me", "empty": b""}
    assert read_head(head.replace(b"\r\n", b"\n")) == read_head(head)
    assert read_head(b"A: b\r\nC: d\r\n\te\r\n") == read_head(b"A: b\nC: d\n e\n") == {"a": b"b", "c": b"d e"}
    assert read_head(b" begins folded\r\nA: b") == {"a": b"b"}


DATES = [
    (b"Sun, 22 Nov 2026 03:07:51 -0000 (UTC)", 1795316871.0),
    (b"22 Nov 2026 03:07:51 GMT", 1795316871.0),
    (b"Sun, 22 Nov 2026 04:07:51 +0100", 1795316871.0),
    (b"Sat, 21 Nov 2026 19:07:51 PST", 1795316871.0),
    (b"Sun, 22 Nov 2026 03:07 Z", 1795316820.0),
    (b"Tuesday, 20-Dec-94 00:00:00 GMT", None),  # RFC 850, which no news article has had since 1987
    (b"Tue, 20 Dec 94 00:00:00 GMT", 787881600.0),
    (b"Tue, 20 Dec 094 00:00:00", 787881600.0),  # RFC 5322 4.3: three digits count from 1900
    (b"Thu, 30 Feb 1995 00:00:00 GMT", None),
    (b"20 Foo 1994 00:00:00 GMT", None),
    (b"", None),
    (b"0" * 10_000, None),
]


@pytest.mark.parametrize(("text", "seconds"), DATES)
def test_dates(text: bytes, seconds: float | None) -> None:
    assert read_date(text) == seconds


SHOWN = [
    (b"plain", "plain"),
    (b"Gr\xc3\xbc\xc3\x9fe", "Grüße"),
    (b"Gr\xfc\xdfe", "Grüße"),  # Latin-1, as it was before UTF-8
    (b"=?utf-8?q?Gr=C3=BC=C3=9Fe?=", "Grüße"),
    (b"=?ISO-8859-1?B?R3L832U=?=", "Grüße"),
    (b"=?utf-8?q?a_b?= =?utf-8?q?c?= d", "a bc d"),  # RFC 2047 6.2
    (b"=?utf-8*en?q?a?=", "a"),  # RFC 2231 5
    (b"=?utf-8?b?R3LDvMOfZQ?=", "Grüße"),  # without padding
    (b"=?utf-8?b?!?=", ""),
    (b"=?utf-8?q?=FF?=", "\ufffd"),
    (b"=?nope?q?a?=", "=?nope?q?a?="),
    (b"=?idna?q?a?=", "=?idna?q?a?="),
    (b"=?utf-8?x?a?=", "=?utf-8?x?a?="),
    (b"=?=?=?", "=?=?=?"),
]


@pytest.mark.parametrize(("field", "text"), SHOWN)
def test_words_in_other_charsets(field: bytes, text: str) -> None:
    assert decode_field(field) == text


# --- compression -----------------------------------------------------------------------------------------------------


def test_both_directions() -> None:
    ours, theirs = Deflate(), Deflate()
    for text in (b"LIST\r\n", b"QUIT\r\n"):
        for octet in ours.encode(text):
            theirs.feed(bytes((octet,)))
        assert theirs.decode(100) == text
        assert theirs.decode(100) == b""


def test_no_more_is_decoded_than_is_asked_for() -> None:
    ours, theirs = Deflate(), Deflate()
    theirs.feed(ours.encode(b"x" * 1_000_000))
    sizes = []
    while theirs.has_more:
        sizes.append(len(theirs.decode(65_536)))
    assert max(sizes) == 65_536
    assert sum(sizes) == 1_000_000


def test_bombs() -> None:
    bomb = zlib.compressobj(9, wbits=-15)
    data = bomb.compress(bytes(32 * 1024 * 1024)) + bomb.flush(zlib.Z_SYNC_FLUSH)
    stream = Deflate()
    stream.feed(data)
    for _ in range(FREE_BYTES >> 20):
        assert len(stream.decode(1 << 20)) == 1 << 20
    with pytest.raises(LimitError, match="a bomb"):
        stream.decode(1 << 20)


def test_what_decompresses_to_nothing_does_not_go_on_for_ever() -> None:
    """Empty blocks are octets, so that no clock of silence sees them."""
    stream = Deflate()
    stream.feed(Deflate().encode(b"220 0\r\n"))
    assert stream.decode(100) == b"220 0\r\n"
    blocks = b"\0\0\0\xff\xff" * 10_000
    for _ in range(MAX_BARREN // len(blocks)):
        stream.feed(blocks)
        assert stream.decode(100) == b""
    stream.feed(blocks)
    with pytest.raises(LimitError, match="decompress to nothing"):
        stream.decode(100)


@pytest.mark.parametrize(
    ("data", "message"), [(b"200 plain\r\n" * 9, "not compressed"), (b"\x03\x00", "which has no end")]
)
def test_streams_that_are_none(data: bytes, message: str) -> None:
    stream = Deflate()
    stream.feed(data)
    with pytest.raises(RemoteProtocolError, match=message):
        stream.decode(100)


# --- files in articles -----------------------------------------------------------------------------------------------


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


# --- articles --------------------------------------------------------------------------------------------------------

MIXED = (
    b"Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n"
    b"--x\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
    b"Gr=FC=DFe\r\n--x\r\nContent-Type: image/png; name=a.png\r\nContent-Transfer-Encoding: base64\r\n\r\niVBO\r\n"
    b"--x--\r\n"
)


def test_mime() -> None:
    article = Article(MIXED)
    assert article.message["Subject"] == "Grüße"
    assert article.text == "Grüße"
    text, picture = article.parts()
    assert (text.type, text.charset, text.text) == ("text/plain", "iso-8859-1", "Grüße")
    assert (picture.type, picture.name, picture.data) == ("image/png", "a.png", b"\x89PN")


def test_a_plain_article_and_an_empty_one() -> None:
    assert Article(b"Subject: x\r\n\r\nWell.\r\n").text == "Well.\n"
    assert Article(b"").text == ""
    picture_first = (
        b"Content-Type: multipart/mixed; boundary=b\r\n\r\n"
        b"--b\r\nContent-Type: image/png\r\n\r\nx\r\n--b\r\n\r\nWell.\r\n--b--\r\n"
    )
    assert Article(picture_first).text == "Well."
    assert Article(b"Content-Type: text/plain; charset=nope\r\n\r\n\xfc").text == "ü"


def test_parts_have_numbers_and_names() -> None:
    assert [(each.number, each.type, each.name) for each in Article(YENC_ARTICLE).parts()] == [
        (1, "text/plain", None), (2, "application/octet-stream", "all.bin"),
    ]  # fmt: skip
    assert repr(Part(1, "text/plain", b"abc")) == "Part(1, 'text/plain', 3 octets, name=None)"


def _nested(depth: int) -> bytes:
    return b"Content-Type: message/rfc822\n\n" * depth + b"Content-Type: text/plain\n\nx"


def test_parts_stand_in_one_another_so_deep_and_no_deeper() -> None:
    assert Article(_nested(MAX_NESTING)).text == "x"
    with pytest.raises(LimitError, match="More than 20 parts of the article are nested"):
        Article(_nested(MAX_NESTING + 1)).parts()


def test_hostile_articles_end_with_errors_of_the_tree() -> None:
    nested = b"".join(b"Content-Type: multipart/mixed; boundary=%d\r\n\r\n--%d\r\n" % (n, n) for n in range(2000))
    many = b"Content-Type: multipart/mixed; boundary=x\r\n\r\n" + b"--x\r\n\r\n" * 3000
    for data in (nested, many):
        with pytest.raises((LimitError, RemoteProtocolError)):
            Article(data).parts()
    with pytest.raises(LimitError, match="67,108,864"):
        Article(bytes(MAX_ARTICLE_BYTES + 1))
