"""Articles taken apart (RFC 5536, RFC 2045), and what hostile ones end with."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import LimitError, RemoteProtocolError
from anyurl.schemes.news.wire.article import MAX_ARTICLE_BYTES, MAX_NESTING, MAX_PARTS, Article, Part
from tests.rows import each_row
from tests.schemes.news.wire.nntp_samples import YENC_ARTICLE, yenc_file

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


@each_row(
    ("data", "charset", "text"),
    [(b"Gr\xfc\xdfe", "iso-8859-1", "Grüße"), (b"\xce\xb1", "utf-8", "α"), (b"\xce\xb1", None, "α"),
     (b"\xe1", "iso-8859-7", "α"), (b"\xff", None, "ÿ"), (b"\xff", "utf-8", "ÿ"), (b"\xce\xb1", "nope", "α"),
     (b"\xce\xb1", "idna", "α"), (b"", "utf-8", "")],
)  # fmt: skip
def test_a_text_is_read_by_its_charset_else_as_utf_8_else_as_latin_1(
    data: bytes, charset: str | None, text: str
) -> None:
    assert Part(1, "text/plain", data, charset=charset).text == text


def test_files_in_a_text_follow_it_with_type_span_and_fault() -> None:
    text = b"begin 644 a.png\n#0V%T\nend\n" + yenc_file(b"abc", "grün.tar.gz".encode()).replace(
        b"crc32=", b"crc32=0f x="
    )
    begin = b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n"
    body = (begin + text + b"\r\n--b\r\nContent-Type: text/html\r\n\r\n" + text + b"\r\n--b--\r\n")  # fmt: skip
    parts = Article(body).parts()
    assert [(part.number, part.type, part.name, part.coding, part.fault) for part in parts] == [
        (1, "text/plain", None, "mime", None),
        (2, "image/png", "a.png", "uuencode", None),
        (3, "application/octet-stream", "grün.tar.gz", "yenc", "its checksum is wrong"),  # compressed: no type
        (4, "text/html", None, "mime", None),  # only a plain text has files in it
    ]
    assert [part.span for part in parts] == [None] * 4
    (_, latin) = Article(b"\n" + yenc_file(b"abc", b"gr\xfcn")).parts()
    assert latin.name == "grün"


PICTURE = b"--b\r\nContent-Type: image/png; name=a.png\r\nContent-Transfer-Encoding: base64\r\n\r\n"


@pytest.mark.parametrize(
    ("base64", "end", "fault"),
    [
        (b"iVBO", b"--b--\r\n", None),
        (b"iVBO", b"", "its end is missing"),
        (b"iVBORw", b"--b--\r\n", "its base64 is cut"),
        (b"iVBOR", b"--b--\r\n", "its base64 is cut"),
        (b"iVBOR", b"", "its base64 is cut"),
    ],
)
def test_a_damaged_attachment_says_so(base64: bytes, end: bytes, fault: str | None) -> None:
    begin = b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nhello\r\n"
    parts = Article(begin + PICTURE + base64 + b"\r\n" + end).parts()
    assert [(part.name, part.fault) for part in parts] == [(None, None), ("a.png", fault)]
    inner = b"Content-Type: multipart/mixed; boundary=o\r\n\r\n--o\r\n" + begin + PICTURE + base64 + b"\r\n" + end
    if end:  # that of the outer one is missing: what closed before is whole
        assert Article(inner).parts()[-1].fault in (fault, "its end is missing")


def test_a_file_in_a_text_is_no_text_of_the_article() -> None:
    article = Article(b"Content-Type: image/png\n\nbegin 644 a.txt\n#0V%T\nend\n")
    assert (article.text, [part.type for part in article.parts()]) == ("", ["image/png"])
    assert Article(b"\r\nLines\r\nend\rso\r\n").text == "Lines\nend\rso\n"


def test_an_article_has_so_many_parts_and_no_more() -> None:
    def of(count: int) -> Article:
        return Article(
            b"Content-Type: multipart/mixed; boundary=x\r\n\r\n" + b"--x\r\n\r\na\r\n" * count + b"--x--\r\n"
        )

    assert len(of(MAX_PARTS - 1).parts()) == 999  # the whole counts as one
    assert len(of(MAX_PARTS).parts()) == MAX_PARTS == 1000
    with pytest.raises(
        LimitError, match=r"^The article has more than 1,000 parts: the limit allows no more\.$"
    ) as caught:
        of(MAX_PARTS + 1).parts()
    assert caught.value.limit == "MAX_PARTS"
    files = b"\n" + b"begin 644 x\n#0V%T\nend\n" * MAX_PARTS
    with pytest.raises(LimitError, match="more than 1,000 parts"):
        Article(files).parts()


def test_it_is_read_once_and_keeps_its_octets() -> None:
    article = Article(MIXED)
    assert article.data is MIXED
    assert article.message is article.message
    with pytest.raises(TypeError):
        Article("Subject: x\n\ntext")  # type: ignore[arg-type]


HOSTILE = [
    b"Content-Type: text/plain; charset*=x\n\n",
    b"Content-Type: text/plain; name*0*=\n\nx",
    b"Content-Disposition: attachment; filename*=''%\n\nx",
]


@pytest.mark.parametrize("data", HOSTILE)
def test_whatever_it_holds_only_errors_of_the_tree_come_out(data: bytes) -> None:
    try:
        Article(data).parts()
    except RemoteProtocolError as error:
        assert str(error) == "The article can't be parsed: its MIME structure is broken."


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_any_octets_are_an_article(head: bytes, body: bytes) -> None:
    try:
        parts = Article(b"Content-Type: multipart/mixed; boundary=b\n" + head + b"\n\n--b\n" + body).parts()
    except (RemoteProtocolError, LimitError):
        return
    assert [part.number for part in parts] == list(range(1, len(parts) + 1))
    assert sum(len(part.data) for part in parts) <= 4 * len(head + body) + 100
