"""The parts of prospero URLs (RFC 1738 3.11): the double slash, the quoted semicolon, the fields."""

from __future__ import annotations

import pytest

from anyurl.errors import RefusedError, URLSyntaxError
from anyurl.schemes.prospero.parts import ProsperoParts, check
from anyurl.url import URL
from tests.rows import each_row


@each_row(
    ("url", "parts"),
    [
        pytest.param("prospero://h//a/b", ProsperoParts("/a/b"), id="3.11: a double slash"),
        pytest.param("prospero://h/AFTP/x", ProsperoParts("AFTP/x"), id="a name without a slash"),
        pytest.param("prospero://h/a/../b//", ProsperoParts("a/../b//"), id="the name is opaque"),
        pytest.param("prospero://h/a%3Bb", ProsperoParts("a;b"), id="3.11: a quoted semicolon is part of the name"),
        pytest.param("prospero://h/a?b", ProsperoParts("a?b"), id="a ? is a character of the name"),
        pytest.param("prospero://h/a;V=1;W=", ProsperoParts("a", [("V", "1"), ("W", "")]), id="fields"),
        pytest.param("prospero://h/a;V=1=2", ProsperoParts("a", [("V", "1=2")]), id="the first = delimits"),
        pytest.param("prospero://h/a;%3D=%3B", ProsperoParts("a", [("=", ";")]), id="encoded delimiters are data"),
        pytest.param("prospero://h/%FF", ProsperoParts("\udcff"), id="octets that are not UTF-8"),
        pytest.param("prospero://h", ProsperoParts(""), id="no name"),
    ],
)
def test_reads(url: str, parts: ProsperoParts) -> None:
    assert URL(url).parts == parts


@pytest.mark.parametrize(
    ("parts", "path"),
    [
        (ProsperoParts("/a b;c"), "/a%20b%3Bc"),
        (ProsperoParts("a", [("x=y", "1=2;3/4")]), "a;x%3Dy=1%3D2%3B3%2F4"),
        (ProsperoParts("ARCHIE/MATCH(95,95,95,0,=)/it's"), "ARCHIE/MATCH(95,95,95,0,=)/it%27s"),
        (ProsperoParts("50% #1?\udcff"), "50%25%20%231%3F%FF"),
    ],
)
def test_writes(parts: ProsperoParts, path: str) -> None:
    assert parts.url_path() == path


def test_a_field_needs_an_equal_sign() -> None:
    with pytest.raises(URLSyntaxError, match="the field 'V' has no '=': write ;name=value"):
        URL("prospero://h/a;V").parts  # noqa: B018


def test_only_nul_is_refused_for_the_rest_can_be_quoted() -> None:
    check(URL("prospero://h/a%0D%0Ab%09c"))
    with pytest.raises(RefusedError, match=r"The url path of prospero://h/a%00 holds NUL \(%00\)"):
        check(URL("prospero://h/a%00"))


@pytest.mark.parametrize(
    ("url", "version", "selects"),
    [
        ("prospero://h/a", 0, ()),
        ("prospero://h/a;OBJECT-VERSION=3", 3, ()),
        ("prospero://h/a;object-version=003;ID=REMOTE%2042", 3, ((b"ID", b"REMOTE 42"),)),  # in any case of letters
        ("prospero://h/a;X=%FF;Y=", 0, ((b"X", b"\xff"), (b"Y", b""))),
    ],
)
def test_fields_select_a_version_and_more(url: str, version: int, selects: tuple[tuple[bytes, bytes], ...]) -> None:
    parts = URL(url).parts
    assert (parts.version, parts.selects) == (version, selects)


@pytest.mark.parametrize("value", ["", "new", "-1", "2147483648", "99999999999", "%D9%A3"])
def test_a_version_is_a_number(value: str) -> None:
    with pytest.raises(URLSyntaxError, match="an object version is a number up to 2,147,483,647"):
        check(URL(f"prospero://h/a;OBJECT-VERSION={value}"))
