from __future__ import annotations

import calendar
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.dates import parse_date
from anyurl.dialogue import Channel, Response
from anyurl.errors import RemoteProtocolError
from anyurl.schemes.http import answers
from anyurl.schemes.http.fields import (
    content_length,
    content_range,
    disposition_name,
    format_date,
    is_archive,
    is_coded,
    media_type,
)
from tests.rows import each_row


def response(*headers: tuple[str, str]) -> Response:
    return Response(200, "1.1", headers, Channel())


@given(st.integers(-(2**33), 2**37))
def test_a_date_is_written_as_the_platform_writes_it(seconds: int) -> None:
    timestamp = time.gmtime(seconds)
    assert calendar.timegm(timestamp) == seconds
    assert format_date(seconds) == time.strftime("%a, %d %b ", timestamp) + f"{timestamp.tm_year:04d}" + time.strftime(
        " %H:%M:%S GMT", timestamp
    )
    assert parse_date(format_date(seconds) or "") == seconds


@pytest.mark.parametrize("seconds", [1e18, -1e18])
def test_a_time_beyond_the_calendar_has_no_date(seconds: float) -> None:
    assert format_date(seconds) is None


@each_row(
    ("text", "type", "charset"),
    [
        ("text/html; charset=UTF-8", "text/html", "utf-8"),
        ('Text/HTML; Charset="iso-8859-1"', "text/html", "iso-8859-1"),
        ("application/octet-stream", "application/octet-stream", None),
        pytest.param("text", None, None, id="no subtype"),
        pytest.param("text/", None, None, id="an empty subtype"),
        pytest.param("te xt/html", None, None, id="a space"),
        pytest.param("text/html; charset=a b", "text/html", None, id="a charset that is not a token"),
        pytest.param("text/h\udcfftml", None, None, id="not ASCII"),
        pytest.param("", None, None, id="empty"),
        pytest.param(None, None, None, id="none"),
    ],
)
def test_media_types(text: str | None, type: str | None, charset: str | None) -> None:
    assert media_type(text) == (type, charset)


@each_row(
    ("text", "name"),
    [
        pytest.param("attachment; filename=a.txt", "a.txt", id="A token"),
        pytest.param('attachment; filename="a b.txt"', "a b.txt", id="quoted"),
        pytest.param(
            "attachment; filename=x; filename*=UTF-8''%e2%82%ac.txt", "€.txt", id="RFC 6266 5: * is preferred"
        ),
        pytest.param("attachment; filename*=iso-8859-1'en'%A3.txt", "£.txt", id="RFC 8187 3.2.2"),
        pytest.param("attachment; filename=x; filename*=koi8-r''%C1", "x", id="another charset: the plain one"),
        pytest.param("attachment; filename=x; filename*=broken", "x", id="no charset: the plain one"),
        pytest.param("attachment; filename*=UTF-8''%FF", "\udcff", id="octets that are not UTF-8 survive"),
        pytest.param(
            'attachment; filename="../../etc/passwd"', "../../etc/passwd", id="hostile: the name is only told"
        ),
        pytest.param("attachment; filename*=UTF-8''..%2F%00%1B", "../\0\x1b", id="hostile and encoded"),
        pytest.param("inline", None, id="no name"),
        pytest.param(None, None, id="no field"),
    ],
)
def test_names(text: str | None, name: str | None) -> None:
    assert disposition_name(text) == name


@pytest.mark.parametrize(
    ("headers", "length"),
    [
        pytest.param([("content-length", "12")], 12, id="A number"),
        pytest.param([("content-length", "12"), ("content-length", "12")], 12, id="twice the same"),
        pytest.param([("content-length", "12, 12")], 12, id="the same, joined on the way"),
        pytest.param([("content-length", "9223372036854775807")], 2**63 - 1, id="the largest"),
        pytest.param([("content-length", "12"), ("transfer-encoding", "chunked")], None, id="RFC 9112 6.3: overruled"),
        pytest.param([], None, id="none"),
    ],
)
def test_lengths(headers: list[tuple[str, str]], length: int | None) -> None:
    assert content_length(response(*headers)) == length


@each_row(
    ("headers", "sample"),
    [
        ([("content-length", "12"), ("content-length", "13")], "12, 13"),
        ([("content-length", "12, 13")], "12, 13"),
        ([("content-length", "-5")], "-5"),
        ([("content-length", "")], ""),
        ([("content-length", "0x10")], "0x10"),
        ([("content-length", "+5")], "+5"),
        ([("content-length", "9223372036854775808")], "9223372036854775808"),
        ([("content-length", "\udcff")], r"\xff"),
        ([("content-length", "00000000000000000012")], "00000000000000000012"),  # longer than any number
        ([("content-length", "\u0661")], "\u0661"),  # a digit, but none of RFC 9110
    ],
)
def test_lengths_that_are_none_are_errors(headers: list[tuple[str, str]], sample: str) -> None:
    with pytest.raises(RemoteProtocolError, match="The server's Content-Length is not one number") as caught:
        content_length(response(*headers))
    assert caught.value.sample == sample


@pytest.mark.parametrize(
    ("headers", "coded"),
    [
        ([("content-encoding", "gzip")], True),
        ([("content-encoding", " Identity ")], False),
        ([("content-encoding", "")], False),
        ([], False),
    ],
)
def test_content_codings(headers: list[tuple[str, str]], coded: bool) -> None:
    assert is_coded(response(*headers)) is coded


@each_row(
    ("text", "span"),
    [
        ("bytes 0-9/10", (0, 9, 10)),
        ("BYTES  5-9/*", (5, 9, None)),
        pytest.param("bytes */10", (None, None, 10), id="unsatisfied"),
        pytest.param("bytes 5-4/10", None, id="backwards"),
        pytest.param("bytes=0-9/10", (0, 9, 10), id="an equals sign, as some servers write"),
        pytest.param("bytes: 5-9/10", (5, 9, 10), id="a colon"),
        pytest.param("5-9/10", (5, 9, 10), id="no unit"),
        pytest.param("bytes 5-10/10", (5, 9, 10), id="the octet behind the last one"),
        pytest.param("bytes 5-11/10", None, id="beyond the end"),
        pytest.param("bytes 5-9", None, id="no size"),
        pytest.param("bytes 5-9/x", None, id="no number"),
        pytest.param("bytes -9/10", None, id="a suffix is a request's"),
        pytest.param("lines 0-9/10", None, id="another unit"),
        pytest.param("bytes 0-9/99999999999999999999", None, id="no file is so large"),
        pytest.param("", None, id="empty"),
        pytest.param(None, None, id="none"),
    ],
)
def test_content_ranges(text: str | None, span: tuple[int | None, int | None, int | None] | None) -> None:
    found = content_range(text)
    assert (None if found is None else (found.first, found.last, found.size)) == span


@given(st.text(max_size=60))
def test_no_field_raises_what_is_not_in_the_tree(text: str) -> None:
    parse_date(text)
    media_type(text)
    disposition_name(text)
    content_range(text)


@each_row(
    ("path", "archive"),
    [
        ("/a.tar.gz", True), ("/A.TGZ", True), ("/.zip", True), ("/gz", False), ("/a.gz/", False), ("/a.gz/b", False),
        ("/a.b/xz", False), ("/a.html", False), ("", False), ("/a.lzma", True), ("lzma", False),
        ("/a%2Egz", True), ("/a.g%7A", True), ("/%FF.gz", True),
    ],
)  # fmt: skip
def test_an_archive_is_told_by_its_suffix(path: str, archive: bool) -> None:
    assert is_archive(path) is archive


def test_a_description_finds_out_what_is_asked_for_and_no_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(answers, "parse_date", lambda text: (read.append(text), 7.0)[1])
    headers = [
        ("content-type", "Text/HTML; charset=Latin1"), ("content-length", "3"), ("last-modified", "then"),
        ("etag", '"a"'), ("content-disposition", "attachment; filename=x"), ("last-modified", "later"),
    ]  # fmt: skip
    described = answers.description(Response(200, "1.1", headers, Channel()))
    assert (described.size, read) == (3, [])
    assert (described.type, described.modified, described.etag, described.name) == ("text/html", 7.0, '"a"', "x")
    assert described.attributes["charset"] == "latin1"
    assert read == ["then"]  # once, and of several the first
