"""Every kind of source says the same; octets are told in the encoding of the source."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

from anyurl.text import find
from anyurl.text.source import FEW, LEAST_PIECE, PIECE, Doses, Octets, octets_in
from tests.rows import each_row
from tests.text.soup import told

TEXT = "é http://x.org/ü, <URL:http://y.org/\n  a> ünd\nß http://z.org/"


def test_every_kind_of_source_says_the_same(tmp_path: Path) -> None:
    octets = TEXT.encode()
    path = tmp_path / "text"
    path.write_bytes(octets)
    packed = tmp_path / "text.gz"
    packed.write_bytes(gzip.compress(octets))
    expected = [told(item) for item in find(TEXT)]
    assert len(expected) == 3
    with path.open(encoding="utf-8", newline="") as text, path.open("rb") as binary, path.open("rb", 0) as raw:
        with gzip.open(packed) as unpacked:
            for source in (
                octets, bytearray(octets), memoryview(octets), io.StringIO(TEXT), io.BytesIO(octets), text, binary, raw,
                unpacked, [TEXT], [octets], iter(TEXT), (bytes((octet,)) for octet in octets),
                [memoryview(octets[:20]), bytearray(octets[20:])],
            ):  # fmt: skip
                assert [told(item) for item in find(source)] == expected


def test_what_is_there_is_read_and_no_more_is_waited_for() -> None:
    class Pipe:
        def __init__(self) -> None:
            self.pieces = [b"http://h/a ", b"http://h/b ", b""]

        def read1(self, size: int, /) -> bytes:
            return self.pieces.pop(0)

        def read(self, size: int, /) -> bytes:
            raise AssertionError("it would wait until so much has come")

    assert [str(item) for item in find(Pipe())] == ["http://h/a", "http://h/b"]


@pytest.mark.parametrize("source", [1, None, object(), [1, 2], [None]])
def test_what_is_no_text_is_told(source: object) -> None:
    with pytest.raises(TypeError, match=r"a text is|a piece of a text is"):
        list(find(source))  # type: ignore[arg-type]


@pytest.mark.parametrize("source", ["", b"", [], [""], [b"", b""], io.StringIO(), io.BytesIO()])
def test_an_empty_source_holds_nothing(source: object) -> None:
    assert list(find(source)) == []  # type: ignore[arg-type]


@each_row(
    "encoding",
    [
        "utf-8",
        "utf-8-sig",
        "utf-16",
        "utf-16-le",
        "utf-16-be",
        "utf-32",
        "utf-32-be",
        "latin-1",
        "cp1252",
        "iso8859-15",
    ],
)
def test_octets_are_those_of_the_encoding(encoding: str) -> None:
    octets = TEXT.encode(encoding)
    plain = (
        encoding.removesuffix("-sig") if "-" in encoding and not encoding.endswith(("16", "32")) else f"{encoding}-le"
    )
    whole = list(find(octets, encoding=encoding))
    assert [(item.raw, item.span, item.line, item.column) for item in whole] == [
        (item.raw, item.span, item.line, item.column) for item in find(TEXT)
    ]
    codec = plain if encoding in ("utf-16", "utf-32", "utf-8-sig") else encoding
    assert [octets[slice(*item.octet_span)].decode(codec) for item in whole] == [item.raw for item in whole]
    for size in (1, 3):
        pieces = [octets[at : at + size] for at in range(0, len(octets), size)]
        assert list(find(pieces, encoding=encoding)) == whole


@pytest.mark.parametrize("encoding", ["shift_jis", "euc_jp", "gb18030", "big5"])
def test_octets_of_east_asian_encodings(encoding: str) -> None:
    text = "日本 http://x.org/中、\n日 http://y.org/"
    octets = text.encode(encoding)
    found = list(find(octets, encoding=encoding))
    assert [item.raw for item in found] == ["http://x.org/中", "http://y.org/"]
    assert [octets[slice(*item.octet_span)].decode(encoding) for item in found] == [item.raw for item in found]


def test_big_endian_is_told_by_the_mark() -> None:
    octets = b"\xfe\xff" + TEXT.encode("utf-16-be")
    assert [item.raw for item in find(octets, encoding="utf-16")] == [item.raw for item in find(TEXT)]
    assert next(find(octets, encoding="utf-16")).octet_span == (6, 34)


def test_octets_that_are_no_text_end_a_url() -> None:
    octets = b"\xff http://h/a\x93b http://h/\xc3\xa9\xc3 \xe2\x82http://i/\xe2\x82"
    found = list(find(octets))
    assert [str(item) for item in found] == ["http://h/a", "http://h/%C3%A9", "http://i/"]
    assert [octets[slice(*item.octet_span)] for item in found] == [b"http://h/a", b"http://h/\xc3\xa9", b"http://i/"]
    text = octets.decode("utf-8", "surrogateescape")
    assert [text[slice(*item.span)] for item in found] == [item.raw for item in found]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_units_that_are_no_characters_have_their_places(encoding: str) -> None:
    octets = "\udc80a http://h/a\udc80 http://i/".encode(encoding, "surrogatepass")
    for size in (1, 3, len(octets)):
        found = list(find([octets[at : at + size] for at in range(0, len(octets), size)], encoding=encoding))
        assert [octets[slice(*item.octet_span)].decode(encoding) for item in found] == ["http://h/a", "http://i/"]


@pytest.mark.parametrize("format", ["text", "html", "markdown", "gemtext", "xml", "csv", "log"])
def test_a_letter_of_latin_1_is_kept_as_an_octet_and_no_host_is_cut_at_it(format: str) -> None:
    octets = (
        b'http://h/caf\xe9?q=\xe9, http://b\xfccher.example/ "http://b\xfc" j\xfcrgen@h.dom a@b\xfc.dom \xabhttp://h/\xbb'
        b"\nhttp://h/\xa3\xac"
    )
    found = list(find(octets, format=format, emails=True, www=True))
    assert [str(item) for item in found] == ["http://h/caf%E9?q=%E9", "http://h/", "http://h/"]
    assert found[0].raw.encode("utf-8", "surrogateescape") == octets[slice(*found[0].octet_span)]


@pytest.mark.parametrize(
    ("format", "octets"),
    [
        ("html", b'<a href="/caf\xe9\xe8?q=\xe9">'), ("markdown", b"[a](/caf\xe9\xe8?q=\xe9)"),
        ("rst", b"`a </caf\xe9\xe8?q=\xe9>`_"), ("gemtext", b"=> /caf\xe9\xe8?q=\xe9"),
    ],
)  # fmt: skip
def test_a_link_keeps_octets_that_are_no_text(format: str, octets: bytes) -> None:
    (found,) = find(octets, format=format, base="http://h/")
    assert str(found) == "http://h/caf%E9%E8?q=%E9"
    text = octets.decode("utf-8", "surrogateescape")  # a lone surrogate of a str is no octet
    assert list(find(text, format=format, base="http://h/")) == []


def test_lone_surrogates_end_a_url() -> None:
    text = "\ud800 http://h/a\udc80 http://i/"
    found = list(find(text))
    assert [text[slice(*item.span)] for item in found] == ["http://h/a", "http://i/"]


def test_a_byte_order_mark_that_pieces_share_is_one() -> None:
    source = Octets([b"\xef", b"\xbb", b"\xbfhttp://h/"], "utf-8-sig")
    source.begin()
    assert (b"".join(source), source.skipped, source.encoding) == (b"http://h/", 3, None)


def test_doses_are_small_while_much_is_found() -> None:
    pieces = [bytes([number]) * (2 * PIECE) for number in range(4)]
    doses, sizes, came = Doses(pieces), [], []
    for dose in doses:
        sizes.append(len(dose))
        came.append(dose)
        doses.weigh(FEW if len(sizes) in (2, 9) else FEW - 1)
    assert b"".join(came) == b"".join(pieces)
    assert sizes[:5] == [LEAST_PIECE, 2 * LEAST_PIECE, LEAST_PIECE, 2 * LEAST_PIECE, 4 * LEAST_PIECE]
    assert max(sizes) == PIECE
    assert sizes[9] == LEAST_PIECE


@pytest.mark.parametrize("encoding", ["iso2022_jp", "iso2022_kr", "hz", "cp424"])
def test_octets_that_a_charset_has_no_escape_for_cost_no_url(encoding: str) -> None:
    """`surrogateescape` fails at what is ASCII, and Python's decoder at an escape sequence that does not end."""
    octets = "http://h/ \x1b((((((((((~\x7f".encode("cp424" if encoding == "cp424" else "ascii")
    octets += b" \x1b$B\xff" if encoding != "cp424" else b"\x04\x3f"
    for source in (octets, [octets[at : at + 1] for at in range(len(octets))]):
        assert [item.octet_span for item in find(source, encoding=encoding)] == [(0, 9)]


def test_an_encoding_that_a_text_declares_may_not_fit_it() -> None:
    octets = b"# -*- coding: iso-2022-jp -*- http://h/ \x1b((((((((((\xff http://i/"
    assert [str(item) for item in find(octets)] == ["http://h/", "http://i/"]


@pytest.mark.parametrize(
    ("text", "encoding", "octets"),
    [
        ("a\u00e9", "latin-1", 2),
        ("a\u00e9", "utf-16-le", 4),
        ("a\u65e5", "gb18030", 3),
        ("a\udcff", "latin-1", 2),  # an octet that was no text
        ("a\udcff", "gb18030", 2),
        ("a\u20ac", "latin-1", 2),  # as the question mark that it was
    ],
)
def test_the_octets_of_a_text(text: str, encoding: str, octets: int) -> None:
    assert octets_in(text, encoding) == octets
