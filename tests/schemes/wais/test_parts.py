from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anyurl.errors import URLSyntaxError
from anyurl.schemes.wais.verbs import WaisParts, id_fields
from anyurl.url import URL
from tests.rows import each_row

DATA = Path(__file__).parents[2] / "data" / "schemes" / "wais_document_ids.json"
VECTORS = json.loads(DATA.read_text(encoding="utf-8"))["rows"]


@pytest.mark.parametrize("row", VECTORS, ids=lambda row: row["lynx_wpath"][-36:])
class TestWhatLynxExchanged:
    def test_is_read(self, row: dict[str, Any]) -> None:
        parts = URL(f"wais://h/odd/{row['wtype']}/{row['lynx_wpath']}").parts
        assert parts.document_id == bytes.fromhex(row["docid_hex"])
        assert (parts.database, parts.wtype, parts.length) == ("odd", row["wtype"], row["document_length"])

    def test_is_written(self, row: dict[str, Any]) -> None:
        document_id = bytes.fromhex(row["docid_hex"]).decode("utf-8", "surrogateescape")
        parts = WaisParts("odd", None, row["wtype"], document_id, row["document_length"])
        assert parts.url_path() == f"odd/{row['wtype']}/{row['lynx_wpath']}"


@each_row(
    ("url", "parts"),
    [
        pytest.param("wais://h/db", WaisParts("db"), id="a database"),
        pytest.param("wais://h", WaisParts(""), id="the server's own"),
        pytest.param("wais://h/a%2Fb", WaisParts("a/b"), id="a slash in the name of a database is encoded"),
        pytest.param("wais://h/db?a+b%20c", WaisParts("db", "a+b c"), id="a search"),
        pytest.param("wais://h/db?", WaisParts("db", ""), id="an empty search"),
        pytest.param("wais://h/db/T/a%3Db", WaisParts("db", None, "T", "a=b"), id="RFC 1738: opaque"),
        pytest.param("wais://h/db/T/a/b", WaisParts("db", None, "T", "a/b"), id="opaque, with a slash"),
        pytest.param("wais://h/db/T,G/x", WaisParts("db", None, "T,G", "x"), id="several types"),
        pytest.param("wais://h/db/T/7/x", WaisParts("db", None, "T", "x", 7), id="a length, then opaque"),
        pytest.param("wais://h/db/T/7/1=x;", WaisParts("db", None, "T", "\1\1x", 7), id="libwww: with a length"),
        pytest.param("wais://h/db/T/1=x;", WaisParts("db", None, "T", "\1\1x"), id="libwww: without"),
        pytest.param("wais://h/db/T/1=x;2=y", WaisParts("db", None, "T", "\1\1x\2\1y"), id="the last ; forgotten"),
        pytest.param("wais://h/db/T/7=%00;", WaisParts("db", None, "T", "\7\1\0"), id="7 is a number: its octet"),
        pytest.param("wais://h/db/T/7=;", WaisParts("db", None, "T", "\7\0"), id="an empty 7, seen in the wild"),
        pytest.param("wais://h/db/T/1=a=b;", WaisParts("db", None, "T", "\1\3a=b"), id="the first = delimits"),
        pytest.param("wais://h/db/T/1=a:b%2f;", WaisParts("db", None, "T", "\1\4a:b/"), id="other writers' escapes"),
        pytest.param("wais://h/db/T/12", WaisParts("db", None, "T", "12"), id="digits alone are an id"),
        pytest.param("wais://h/db/T/12345678901/x", WaisParts("db", None, "T", "12345678901/x"), id="no length"),
        pytest.param("wais://h/db//x", WaisParts("db", None, "", "x"), id="RFC 1738 5: the type may be empty"),
        pytest.param("wais://h/db/T/%FF", WaisParts("db", None, "T", "\udcff"), id="octets that are not UTF-8"),
    ],
)
def test_reads(url: str, parts: WaisParts) -> None:
    assert URL(url).parts == parts


@each_row(
    ("parts", "path"),
    [
        pytest.param(WaisParts("a/b", "x y"), "a%2Fb?x%20y", id="a search"),
        pytest.param(WaisParts("d", None, "T", "1=a"), "d/T/1%3Da", id="must not look like libwww's form"),
        pytest.param(WaisParts("d", None, "T", "12/a"), "d/T/12%2Fa", id="must not look like a length"),
        pytest.param(WaisParts("d", None, "T", "x", 5), "d/T/5/x", id="a length before an opaque id"),
        pytest.param(WaisParts("d", None, "T", "\1\1x", 5), "d/T/5/1=x;", id="tagged fields"),
        pytest.param(WaisParts("d", None, "T", "\1\1x"), "d/T/1=x;", id="tagged fields, length unknown"),
        pytest.param(WaisParts("d", None, "T", "\1\1~"), "d/T/1=%7E;", id="libwww encodes the tilde"),
        pytest.param(WaisParts("d", None, "T", "\1\2x"), "d/T/%01%02x", id="no run of fields: opaque"),
        pytest.param(WaisParts("d", None, "T", ""), "d/T/", id="an empty id"),
    ],
)
def test_writes(parts: WaisParts, path: str) -> None:
    assert parts.url_path() == path


@each_row(
    ("data", "fields"),
    [
        pytest.param(b"\x01\x01x", ((1, b"x"),), id="one field"),
        pytest.param(b"\x03\x81\x00" + b"y" * 128, ((3, b"y" * 128),), id="a length of 128 takes two octets"),
        pytest.param(b"\x01\x80\x01x", (), id="a length in more octets than it needs would not come back"),
        pytest.param(b"\x01\x05x", (), id="too short"),
        pytest.param(b"\x01", (), id="no length"),
        pytest.param(b"\x81\x00", (), id="a tag of two octets"),
        pytest.param(b"\x01\xff\xff\xff\xff\xff\x7f", (), id="a length of gigabytes"),
        pytest.param(b"", (), id="nothing"),
    ],
)
def test_fields_of_a_document_id(data: bytes, fields: tuple[tuple[int, bytes], ...]) -> None:
    assert id_fields(data) == fields


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("wais://h/db/T", "a document needs a type and an id: database/type/id"),
        ("wais://h/db/", "a document needs a type and an id: database/type/id"),
        ("wais://h/db/T/x?y", "a WAIS URL names a search or a document, not both"),
        ("wais://h/db/T/7/1=a;b;", "a field of the document-id is TAG=value with a tag up to 127"),
        ("wais://h/db/T/1=a;;", "a field of the document-id is TAG=value with a tag up to 127"),
        ("wais://h/db/T/128=a;", "a field of the document-id is TAG=value with a tag up to 127"),
        ("wais://h/db/T/1=a;x=b;", "a field of the document-id is TAG=value with a tag up to 127"),
    ],
)
def test_says_what_is_wrong(url: str, message: str) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        URL(url).parts  # noqa: B018
    assert caught.value.diagnostics[0].message == message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("d", None, "T"), "a document needs a type and an id: database/type/id"),
        (("d", None, None, "x"), "a document needs a type and an id: database/type/id"),
        (("d", None, None, None, 5), "a document needs a type and an id: database/type/id"),
        (("d", "s", "T", "x"), "a WAIS URL names a search or a document, not both"),
        (("d", None, "T", "x", -1), "the length of a document has 1 to 10 digits"),
        (("d", None, "T", "x", 10**10), "the length of a document has 1 to 10 digits"),
    ],
)
def test_refuses_to_be_what_cannot_be_written(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        WaisParts(*arguments)
    assert caught.value.diagnostics[0].message == message
