"""What replies mean: hits as entries, types as media types, descriptions as databases, diagnostics as errors."""

from __future__ import annotations

import pytest

from anyurl.errors import Meaning, NotFoundError, RemoteProtocolError
from anyurl.schemes.kit.meanings import CLASSES
from anyurl.schemes.wais.documents import (
    diagnostic_error,
    document_url,
    entry,
    media_type,
    note_of,
    read_date,
    source_facts,
    source_url,
    trimmed,
    types_of,
    wanted_type,
    wrong_document,
)
from anyurl.schemes.wais.wire.records import Diagnosis, Hit, hit, read_answer, search_response
from anyurl.schemes.wais.wire.source import SourceDescription
from anyurl.url import URL
from tests.rows import each_row

HERE = URL("wais://h/db")
ID = b"\x01\x01s\x02\x02db\x03\x03x y"


def found(document_id: bytes = ID, **more: object) -> Hit:
    given = {"score": 1000, "length": 7, "lines": 2, "types": [b"TEXT"], "headline": b"H", "source": b"s",
             "date": b"0", **more}  # fmt: skip
    [one] = read_answer(search_response([hit(document_id, **given)], status=0, reference=None)).hits  # type: ignore[arg-type]
    return one


@pytest.mark.parametrize(
    ("code", "text", "meaning"),
    [
        ("S1", b"The following database is not available: x", "not-found"), ("SF", b"Missing DocID", "not-found"),
        ("T2", b"", "denied"), ("SH", b"", "denied"), ("T3", b"", "login"), ("S3", b"Bad search", "other"),
    ],
)  # fmt: skip
def test_wais_diagnostics(code: str, text: bytes, meaning: Meaning) -> None:
    error = diagnostic_error(URL("wais://h/db"), Diagnosis(code, text))
    assert (type(error), error.meaning) == (CLASSES[meaning], meaning)


@each_row(
    ("fields", "url"),
    [
        ({"ip-name": b"h.example", "tcp-port": b"210", "database-name": b"a/b"}, "wais://h.example/a%2Fb"),
        ({"ip-name": b"h.example", "tcp-port": b"8210", "database-name": b"d"}, "wais://h.example:8210/d"),
        ({"ip-address": b"192.0.2.1", "database-name": b"d"}, "wais://192.0.2.1/d"),
        ({"ip-name": b"h", "tcp-port": b"99999", "database-name": b"d"}, None),
        ({"ip-name": b"h h", "database-name": b"d"}, None),
        ({"ip-name": b"\xff", "database-name": b"d"}, None),
        ({"ip-name": b"h"}, None),
        ({"database-name": b"d"}, None),
    ],
)
def test_where_a_description_leads(fields: dict[str, bytes | list[bytes]], url: str | None) -> None:
    there = source_url(SourceDescription(fields))
    assert (None if there is None else str(there)) == url


@each_row(
    ("wtype", "type"),
    [
        ("TEXT", "text/plain"), ("text", "text/plain"), ("HTML", "text/html"), ("GIF", "image/gif"),
        ("WSRC", "application/x-wais-source"), ("PS", "application/postscript"), ("PDF", "application/pdf"),
        ("FTP-DIR", "application/octet-stream"), ("WHATEVER", "application/octet-stream"),
        ("", "application/octet-stream"),
    ],
)  # fmt: skip
def test_media_types(wtype: str, type: str) -> None:
    assert media_type(wtype) == type


def test_words_for_people() -> None:
    assert (trimmed(b"caf\xe9"), trimmed("é".encode())) == ("café", "é")
    assert [wanted_type(["TEXT"], view) for view in ("x y", "x-y", "-x-", "x?y", "-", "", "x1", "\u00e9")] == [
        None, "X-Y", "-X-", None, None, None, None, None,
    ]  # fmt: skip


def test_each_day_of_the_calendar_is_one_and_none_beside_them() -> None:
    for year, last in ((b"1993", 28), (b"1996", 29)):
        days = [day for day in range(100) if read_date(year + b"02%02d" % day) is not None]
        assert days == [*range(1, last + 1)]
        assert [month for month in range(100) if read_date(year + b"%02d01" % month) is not None] == [*range(1, 13)]
    assert read_date(b"00000101") is None
    assert (read_date(b"700101"), read_date(b"690101")) == (0.0, read_date(b"20690101"))


@pytest.mark.parametrize("form", ["libwww", "rfc"])
def test_the_url_of_a_hit_returns_its_id(form: str) -> None:
    """RFC 1738 3.8: database, type and document-id."""
    url = document_url(HERE, "d/b", "TEXT", found(), form)
    assert url is not None
    assert (url.parts.database, url.parts.document_id) == ("d/b", ID)
    assert url.parts.first_type == "TEXT"
    later = document_url(HERE, "db", "GIF", found(), "libwww", first=False)
    assert later is not None
    assert "/7/" not in str(later)
    first = document_url(HERE, "db", "TEXT", found(), "libwww")
    assert first is not None
    assert "/7/" in str(first)


def test_an_id_that_has_no_fields_has_the_form_of_the_rfc() -> None:
    one, other = (document_url(HERE, "db", "TEXT", found(b"\xff/odd"), form) for form in ("libwww", "rfc"))
    assert one == other
    assert one is not None
    assert one.parts.document_id == b"\xff/odd"


def test_a_hit_as_an_entry() -> None:
    shown = entry(found(date=b"930302", headline=b" caf\xe9 \r\n\0", types=[b"HTML", b"TEXT"]), HERE, "db", "libwww")
    assert (shown.name, shown.title, shown.kind, shown.type) == ("caf\udce9", "caf\xe9", "document", "text/html")
    assert (shown.size, shown.score, shown.modified) == (7, 1000.0, 731030400.0)
    assert shown.attributes["wais_type"] == "HTML"
    assert shown.attributes["lines"] == 2
    assert [each["type"] for each in shown.attributes["alternatives"]] == ["text/html", "text/plain"]
    odd = entry(found(date=b"noday", length=0, types=[]), HERE, "db", "libwww")
    assert (odd.size, odd.modified, odd.attributes["date"], odd.type) == (None, None, "noday", "text/plain")
    assert "alternatives" not in odd.attributes
    assert "date" not in entry(found(date=b"0"), HERE, "db", "libwww").attributes
    with pytest.raises(RemoteProtocolError, match="A headline of a WAIS hit holds NUL"):
        entry(found(headline=b"a\0b"), HERE, "db", "libwww")


@pytest.mark.parametrize(
    ("headline", "url"), [(b" http://w.example/a\n", "http://w.example/a"), (b"nothing", None), (b"\xff", None)]
)
def test_a_hit_of_type_url_leads_to_its_headline(headline: bytes, url: str | None) -> None:
    shown = entry(found(types=[b"URL"], headline=headline), HERE, "db", "libwww")
    assert (shown.url and str(shown.url), shown.kind, shown.type) == (url, None, None)


def test_types_of_a_hit() -> None:
    assert types_of(found(types=[b"GIF", b"PS"])) == ("GIF", "PS")
    assert types_of(found(types=[])) == ("TEXT",)


def test_what_a_view_names() -> None:
    assert wanted_type(["X-OWN"], "x-own") == "X-OWN"
    assert wanted_type([], "text/HTML") == "HTML"
    assert wanted_type(["HTML", "TEXT"], "text/plain") == "TEXT"
    assert wanted_type([], "application/nothing") is None


def test_facts_of_a_description() -> None:
    source = SourceDescription({"description": b" about ", "cost-unit": b":free", "keyword-list": [b"a", b"b "]})
    assert source_facts(source) == {"description": "about", "cost_unit": "free", "keywords": ["a", "b"]}
    assert source_facts(SourceDescription({})) == {}


def test_sentences() -> None:
    error = diagnostic_error(HERE, Diagnosis("T3", b"no\x1b"))
    assert str(error).startswith(r"h does not answer wais://h/db: “no\x1b” (WAIS diagnostic “T3”: ")
    assert error.text == r"T3 no\x1b"
    assert note_of(HERE, Diagnosis("T1", b"more")) == "h remarks: “more” (WAIS diagnostic “T1”)"
    assert str(wrong_document(HERE)) == "h sent a piece of another document than the requested one."
    assert type(diagnostic_error(HERE, Diagnosis("SF", b"x"))) is NotFoundError
