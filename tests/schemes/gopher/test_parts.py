from __future__ import annotations

import sys
from types import FrameType

import pytest

from anyurl.dialogue import Connect, Options
from anyurl.errors import RefusedError, URLSyntaxError
from anyurl.schemes import registry
from anyurl.schemes.gopher import parts as gopher_parts
from anyurl.schemes.gopher.verbs import GopherParts, check
from anyurl.url import URL
from tests.rows import each_row


@each_row(
    ("url", "parts"),
    [
        pytest.param("gopher://h", GopherParts("1", ""), id="3.4.1: an empty path is a menu"),
        pytest.param("gopher://h/1", GopherParts("1", ""), id="the same, written"),
        pytest.param("gopher://h/00a", GopherParts("0", "0a"), id="3.4.1: the type may occur twice"),
        pytest.param("gopher://h/%30a", GopherParts("0", "a"), id="the type is an xchar: it may be encoded"),
        pytest.param("gopher://h//a", GopherParts("/", "a"), id="a slash is a type like any other"),
        pytest.param("gopher://h/0a?b;c=d", GopherParts("0", "a?b;c=d"), id="3.4.1: no characters are reserved"),
        pytest.param("gopher://h/7s%09a%20b", GopherParts("7", "s", "a b"), id="3.4.2: a search"),
        pytest.param("gopher://h/7s%09", GopherParts("7", "s", ""), id="an empty search is a search"),
        pytest.param("gopher://h/7%09x", GopherParts("7", "", "x"), id="an empty selector"),
        pytest.param("gopher://h/0s%09%09+", GopherParts("0", "s", "", "+"), id="3.4.4: the default view"),
        pytest.param("gopher://h/7s%09a%09$", GopherParts("7", "s", "a", "$"), id="a search in Gopher+"),
        pytest.param("gopher://h/0s%09%09a%09b%09c", GopherParts("0", "s", "", "a\tb\tc"), id="two tabs delimit"),
        pytest.param("gopher://h/0%FF%C3%A9", GopherParts("0", "\udcffé"), id="octets that are not UTF-8 survive"),
        pytest.param("gopher://h/%C3%A9", GopherParts("\udcc3", "\udca9"), id="the type is one octet"),
        pytest.param("gophers://h/0a", GopherParts("0", "a"), id="over TLS"),
    ],
)
def test_reads(url: str, parts: GopherParts) -> None:
    assert URL(url).parts == parts


@pytest.mark.parametrize(
    ("parts", "path"),
    [
        pytest.param(GopherParts(), "1", id="the type is always written"),
        pytest.param(GopherParts("0", "a b/c?d"), "0a%20b/c?d", id="what is unsafe is encoded, nothing is reserved"),
        pytest.param(GopherParts("7", "s", "a\tb".replace("\t", " ")), "7s%09a%20b", id="a search"),
        pytest.param(GopherParts("0", "s", None, "+"), "0s%09%09+", id="3.4.3: both tabs are written"),
        pytest.param(GopherParts("0", "#%"), "0%23%25", id="# and % are data"),
    ],
)
def test_writes(parts: GopherParts, path: str) -> None:
    assert parts.url_path() == path


def test_a_gopher_plus_string_brings_an_empty_search() -> None:
    assert GopherParts("0", "s", None, "+").search == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("",), "the gopher type '' is not one octet other than a tab"),
        (("12",), "the gopher type '12' is not one octet other than a tab"),
        (("é",), "the gopher type 'é' is not one octet other than a tab"),
        (("\t",), r"the gopher type '\t' is not one octet other than a tab"),
        (("0", "a\tb"), "a tab in the gopher selector would end it: tabs are allowed only in the Gopher+ string"),
        (("7", "a", "b\tc"), "a tab in the gopher search would end it: tabs are allowed only in the Gopher+ string"),
    ],
)
def test_refuses_to_be_what_cannot_be_written(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        GopherParts(*arguments)
    assert caught.value.diagnostics[0].message == message


def test_an_encoded_tab_is_no_type() -> None:
    with pytest.raises(URLSyntaxError, match="is not one octet other than a tab"):
        URL("gopher://h/%09x").parts  # noqa: B018


FORM = "gopher://h/0item%09%09+%091%0D%0A+-1%0D%0A"


@pytest.mark.promise("delimiters")
@each_row(
    ("url", "answers"),
    [
        pytest.param(FORM + "v1%0D%0Av2%0D%0A.%0D%0A", ("v1", "v2"), id="3.4.9, its example"),
        pytest.param(FORM + ".%0D%0A", (), id="a form without questions"),
        pytest.param(FORM + "%0D%0A.%0D%0A", ("",), id="an empty answer"),
        pytest.param(FORM + "a%20b.%0D%0A.%0D%0A", ("a b.",), id="a dot inside an answer"),
        pytest.param(FORM + "v1%0D%0A", None, id="no end"),
        pytest.param(FORM + "v1.%0D%0A", None, id="the end is not a line of its own"),
        pytest.param(FORM + "a%0D%0A.%0D%0Ab%0D%0A.%0D%0A", None, id="a dot would end it early: b is another request"),
        pytest.param(FORM + "a%0Ab%0D%0A.%0D%0A", None, id="a bare LF"),
        pytest.param(FORM + "a%0Db%0D%0A.%0D%0A", None, id="a bare CR"),
        pytest.param(FORM + "a%09b%0D%0A.%0D%0A", None, id="a tab in an answer"),
        pytest.param(FORM + "a%00b%0D%0A.%0D%0A", None, id="NUL in an answer"),
        pytest.param(FORM + "v1%0D%0A.%0D%0Ax", None, id="something behind the end"),
        pytest.param("gopher://h/0item%09x%09+%091%0D%0A+-1%0D%0A.%0D%0A", None, id="no search goes with a form"),
        pytest.param("gopher://h/0item%09%09+%092%0D%0A+-1%0D%0A.%0D%0A", None, id="exactly 1"),
        pytest.param("gopher://h/0item%09%09+", None, id="no form"),
        pytest.param("gopher://h/0item", None, id="no Gopher+"),
    ],
)
def test_an_answered_form_is_recognised_exactly(url: str, answers: tuple[str, ...] | None) -> None:
    assert URL(url).parts.answers == answers
    if answers is not None:
        check(URL(url))


@pytest.mark.promise("delimiters")
@each_row(
    ("url", "message"),
    [
        ("gopher://h/1a%0D%0Ab", "The selector of gopher://h/1a%0D%0Ab holds CR (%0D)"),
        ("gopher://h/1a%0Ab", "The selector of gopher://h/1a%0Ab holds LF (%0A)"),
        ("gopher://h/1a%00b", "The selector of gopher://h/1a%00b holds NUL (%00)"),
        ("gopher://h/%0Ax", "The type of gopher://h/%0Ax holds LF (%0A)"),
        ("gopher://h/7a%09b%0A", "The search of gopher://h/7a%09b%0A holds LF (%0A)"),
        ("gopher://h/0a%09%09!%0D%0Ab", "The gopher string of gopher://h/0a%09%09!%0D%0Ab holds CR (%0D)"),
        (FORM + "a%0D%0A.%0D%0Ab%0D%0A.%0D%0A", "The gopher string of "),
        ("gopher://h/0a%09%09+%09x", "The Gopher+ string of gopher://h/0a%09%09+%09x holds a third tab (%09)"),
    ],
)
def test_what_would_be_another_line_is_refused(url: str, message: str) -> None:
    with pytest.raises(RefusedError) as caught:
        check(URL(url))
    assert str(caught.value).startswith(message)
    assert "section 6" in str(caught.value)


@pytest.mark.parametrize("url", ["gopher://h", "gopher://h/0a%20b", "gopher://h/7s%09x", "gopher://h/0s%09%09!+A%20+B"])
def test_what_is_harmless_passes(url: str) -> None:
    check(URL(url))


@pytest.mark.kernel("pure")  # compiled, no frame shows who is called
def test_the_parts_are_read_once() -> None:
    """Each reading decodes the whole path: of a small request it is a good part."""
    url = URL("gopher://h/00/f%20g")
    readings = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal readings
        readings += event == "call" and frame.f_code is gopher_parts.read.__code__

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        dialogue = registry.verb(url, "get")(url, Options())
        assert isinstance(next(dialogue), Connect)
    finally:
        sys.setprofile(before)
    dialogue.close()
    assert readings == 1
