from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from anyurl.dialogue import Describe, Dialogue, Options
from anyurl.errors import RefusedError, SchemeError, URLSyntaxError, Verdict
from anyurl.schemes.gopher.verbs import GopherParts
from anyurl.schemes.kit.scheme import (
    Parts,
    Scheme,
    canonical,
    decode,
    encode,
    is_scheme_name,
    octets,
    refuse_octets,
    split_decode,
    text_of,
)
from anyurl.url import URL
from anyurl.url.syntax import Row
from tests.rows import each_row


def read(url: URL) -> str:
    return url.url_path


def get(url: URL, options: Options) -> Dialogue:
    yield from Describe("document")
    return None


COMPLETE: dict[str, Any] = {"reference": "RFC 9999", "summary": "Things.", "read": read, "verbs": {"get": get}}


def test_a_complete_scheme_holds_what_it_was_given() -> None:
    scheme = Scheme("thing", **COMPLETE)
    assert (scheme.name, scheme.reference, scheme.summary, scheme.read) == ("thing", "RFC 9999", "Things.", read)
    assert dict(scheme.verbs) == {"get": get}
    assert (scheme.fake_server, scheme.description, scheme.read_only, scheme.check) == (None, "", False, None)
    assert repr(scheme) == "Scheme('thing', verbs=('get',))"


@pytest.mark.parametrize(
    ("changes", "lacks"),
    [
        pytest.param({"reference": ""}, "a reference", id="section 4 asks for a definition"),
        pytest.param({"summary": ""}, "a summary", id="what the table shows"),
        pytest.param({"read": None}, "a syntax (a function read(url) -> parts)", id="section 4 asks for a syntax"),
        pytest.param(
            {"verbs": {}},
            "an access algorithm (verbs) or, if it names no data object, a description of its names",
            id="section 4 asks for an algorithm",
        ),
        pytest.param(
            {"reference": "", "summary": ""}, "a reference, a summary", id="all that is missing is told at once"
        ),
    ],
)
def test_an_incomplete_scheme_says_what_it_lacks(changes: dict[str, Any], lacks: str) -> None:
    with pytest.raises(SchemeError) as caught:
        Scheme("thing", **{**COMPLETE, **changes})
    assert str(caught.value) == f"The scheme 'thing' is incomplete: it lacks {lacks} (RFC 1738 4)."


@pytest.mark.parametrize(
    "instead",
    [
        pytest.param({"description": "it names mailboxes"}, id="names no data object, and says what it names"),
        pytest.param({"read_only": True}, id="its URLs are read, its access is not built"),
    ],
)
def test_a_scheme_without_verbs_is_complete_when_it_says_why(instead: dict[str, Any]) -> None:
    assert dict(Scheme("thing", **{**COMPLETE, "verbs": {}, **instead}).verbs) == {}


def test_an_unknown_verb_is_an_error_that_lists_the_verbs() -> None:
    with pytest.raises(SchemeError, match="has a verb 'fetch'; the verbs are get, list, search, stat, put, append"):
        Scheme("thing", **{**COMPLETE, "verbs": {"fetch": get}})


@each_row(
    ("name", "is_one"),
    [
        ("ftp", True),
        ("z39.50r", True),
        ("x-a+b", True),
        pytest.param("HTTP", False, id="upper case is not canonical"),
        pytest.param("1http", False, id="RFC 3986 3.1 begins with a letter"),
        pytest.param("a_b", False, id="no underscore"),
        pytest.param("é", False, id="ASCII only"),
        pytest.param("", False, id="empty"),
    ],
)
def test_scheme_names(name: str, is_one: bool) -> None:
    assert is_scheme_name(name) is is_one
    if not is_one:
        with pytest.raises(SchemeError, match="is not a scheme name"):
            Scheme(name, **COMPLETE)


class TestParts:
    parts = GopherParts("7", "s", "a b")

    def test_compare_by_value_and_type(self) -> None:
        assert self.parts == GopherParts("7", "s", "a b")
        assert hash(self.parts) == hash(GopherParts("7", "s", "a b"))
        assert self.parts != GopherParts("7", "s", "a c")
        assert self.parts != ("7", "s", "a b", None)

    def test_show_their_fields(self) -> None:
        assert repr(self.parts) == "GopherParts(type='7', selector='s', search='a b', gopherplus=None)"
        assert self.parts.as_dict() == {"type": "7", "selector": "s", "search": "a b", "gopherplus": None}

    def test_do_not_change(self) -> None:
        with pytest.raises(AttributeError, match="GopherParts is immutable: make another one"):
            self.parts.selector = "x"
        with pytest.raises(AttributeError, match="GopherParts is immutable: make another one"):
            del self.parts.selector

    def test_are_copied_pickled_and_matched(self) -> None:
        assert pickle.loads(pickle.dumps(self.parts)) == self.parts
        assert copy.deepcopy(self.parts) == self.parts
        match self.parts:
            case GopherParts(type, selector):
                assert (type, selector) == ("7", "s")

    def test_must_write_themselves(self) -> None:
        with pytest.raises(TypeError, match=r"abstract class Parts .*url_path"):
            Parts()  # type: ignore[abstract]


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("a", b"a"),
        ("é", b"\xc3\xa9"),
        pytest.param("\udce9", b"\xe9", id="an octet that is not UTF-8"),
    ],
)
def test_octets_and_text(text: str, data: bytes) -> None:
    assert octets(text) == data
    assert text_of(data) == text


def test_surrogates_that_spell_a_character_become_it() -> None:
    assert canonical("\udcc3\udca9") == "é"


@pytest.mark.parametrize("code", [0xD800, 0xDFFF, 0xDC7F])
def test_half_a_character_has_no_octets(code: int) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        octets(f"ab{chr(code)}")
    assert caught.value.diagnostics[0].span == (2, 3)
    assert str(caught.value) == (
        f"U+{code:04X} is a lone surrogate, which has no UTF-8 octets (RFC 3629 3, at character 3)"
    )


def test_codec_of_components() -> None:
    assert encode("a b/é~") == "a%20b%2F%C3%A9~"
    assert decode("a%20b%2F%C3%A9%FF") == "a b/é\udcff"
    assert decode("plain") == "plain"


def test_an_encoded_separator_is_data() -> None:
    assert split_decode("a%2Fb/c//") == ("a/b", "c", "", "")


@pytest.mark.parametrize(
    ("octet", "shown"),
    [("\r", "CR (%0D)"), ("\n", "LF (%0A)"), ("\0", "NUL (%00)"), ("\t", "TAB (%09)"), ("\udcff", "0xFF (%FF)")],
)
def test_forbidden_octets_are_refused_by_name(octet: str, shown: str) -> None:
    row = Row("thing", "RFC 9999", forbidden=b"\r\n\0\t\xff")
    url = URL("ftp://u:secret@h/x")
    refuse_octets(url, row, file_name="fine", other=None)
    with pytest.raises(RefusedError) as caught:
        refuse_octets(url, row, file_name=f"a{octet}b")
    assert str(caught.value) == (
        f"The file name of ftp://u:***@h/x holds {shown}, which would end or split a command of thing: "
        "it is never sent (RFC 1738 section 6)."
    )
    assert caught.value.verdict == Verdict(False, "octets", str(caught.value).rstrip("."), "thing")
