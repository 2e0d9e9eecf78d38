"""The caret: under the fault, whatever stands before it; and no password shown."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.cli.terminal import caret
from anyurl.errors import Diagnostic
from tests.rows import each_row


def fault(start: int, end: int) -> Diagnostic:
    return Diagnostic("x", "error", (start, end), "rule", "RFC 1738 2.2", "a sentence")


def lines(text: str, *faults: Diagnostic) -> list[str]:
    return [line for line, _ in caret.point_out(text, faults)]


SAID = "RFC 1738 2.2: a sentence"


@each_row(
    ("text", "span", "shown", "place", "carets"),
    [
        ("http://example.com/a b", (20, 21), "http://example.com/a b", 20, "^"),
        ("http://h:99999/", (9, 14), "http://h:99999/", 9, "^^^^^"),
        ("", (0, 0), "", 0, "^"),  # a gap has a caret too
        ("http://h", (8, 8), "http://h", 8, "^"),  # behind the end
        ("http://h/\x1b[31m b", (14, 15), "http://h/\\x1b[31m b", 17, "^"),  # an escape is shown, and counted, as four
        ("http://h/\u202eb c", (11, 12), "http://h/\\u202eb c", 16, "^"),
        ("http://h/日本 b", (11, 12), "http://h/日本 b", 13, "^"),  # wide characters take two columns
        ("http://h/e\u0301 b", (11, 12), "http://h/e\u0301 b", 10, "^"),  # a combining one takes none
        ("ftp://u:secret@h/ ", (17, 18), "ftp://u:***@h/ ", 14, "^"),  # the mask is shorter than the password
        ("ftp://u:@h/ ", (11, 12), "ftp://u:@h/ ", 11, "^"),  # an empty password is no secret
        ("ftp://u:s cret@h/", (9, 10), "ftp://u:***@h/", 8, "^"),  # a fault inside the password
    ],
)
def test_point_out(text: str, span: tuple[int, int], shown: str, place: int, carets: str) -> None:
    assert lines(text, fault(*span)) == [shown, f"{' ' * place}{carets} {SAID}"]


def test_each_fault_has_its_line() -> None:
    assert lines("ab cd ef", fault(2, 3), fault(5, 6)) == ["ab cd ef", f"  ^ {SAID}", f"     ^ {SAID}"]


@pytest.mark.parametrize(
    ("length", "place", "before", "after"),
    [(200, 0, "", "..."), (200, 100, "...", "..."), (200, 199, "...", ""), (120, 60, "", "")],
)
def test_a_long_text_is_shown_around_its_fault(length: int, place: int, before: str, after: str) -> None:
    text = "a" * place + "X" + "a" * (length - place - 1)
    shown, pointer = lines(text, fault(place, place + 1))
    assert shown.startswith("...") == bool(before)
    assert shown.endswith("...") == bool(after)
    assert len(shown) <= 2 * caret.CONTEXT + 6
    assert shown[pointer.index("^")] == "X"


@each_row(
    ("text", "masked"),
    [
        ("http://example.com/", "http://example.com/"),
        ("http://h:80/a@b", "http://h:80/a@b"),  # an @ in the path
        ("http://[::1]:80/a@b", "http://[::1]:80/a@b"),
        ("ftp://user@h/", "ftp://user@h/"),
        ("ftp://u:pw@h/", "ftp://u:***@h/"),
        ("ftp://u:@h/", "ftp://u:@h/"),
        ("ftp://u:p@w@h/", "ftp://u:***@h/"),
        ("ftp://u:p:w@h/", "ftp://u:***@h/"),
        ("ftp://u:p/w@h/x", "ftp://u:***@h/x"),  # not encoded: what looks like a port is none
        ("ftp://u:p?w@h/x", "ftp://u:***@h/x"),
        ("ftp://u:p#w@h/x", "ftp://u:***@h/x"),
        ("ftp://u:p w@h/", "ftp://u:***@h/"),
        ("ftp://u:\u0663/w@h/", "ftp://u:***@h/"),  # a digit, and in no port
        ("mailto:a@b", "mailto:a@b"),
        ("mailto:a:pw@b?subject=c:d@e", "mailto:a:***@b?subject=c:d@e"),
        ("mailto:%22a:b%22@c", "mailto:%22a:b%22@c"),
        ("not a url", "not a url"),
        ("://u:pw@h", "://u:***@h"),
        ("http:/u:pw@h/", "http:/u:***@h/"),  # to a browser it is a password all the same
        ("http:u:pw@h/", "http:u:***@h/"),
        ("https:\\\\u:pw@h\\", "https:\\\\u:***@h\\"),
        ("http: //u:pw@h/", "http: //u:***@h/"),
        ("URL:ftp:/u:pw@h/", "URL:ftp:/u:***@h/"),
        ("ftp://u@v:p#w@h/", "ftp://u@v:***@h/"),
        ("ftp://u:pw@h:x/a", "ftp://u:***@h:x/a"),
        ("file:/C:/a@b", "file:/C:/a@b"),
        ("file:///C:/a@b", "file:///C:/a@b"),
        ("news:a:b@c", "news:a:b@c"),
    ],
)
def test_masked(text: str, masked: str) -> None:
    assert caret.masked(text) == masked


@each_row(
    ("value", "shown"),
    [
        ("//u:pw@h/", "//u:***@h/"),
        ("/u:pw@h/x", "/u:***@h/x"),
        ("u:p/w@h", "u:***@h"),
        ("\\u:p@h", "\\u:***@h"),
        ("u:a\n@c", "u:***@c"),
        ("http://u:p@h/", "http://u:***@h/"),
        ("u:pw", "u:pw"),  # nothing says where it would end
        ("/a/b:c@d", "/a/b:c@d"),  # an ordinary path
        ("a@b:c@d", "a@b:c@d"),
        ("", ""),
    ],
)
def test_what_a_component_holds_of_a_password(value: str, shown: str) -> None:
    assert caret.masked_part(value) == shown


def test_a_hostile_text_is_masked_in_linear_time() -> None:
    text = "@" + "//a:b" * 200_000
    assert caret.masked_everywhere(text) == caret.masked_part(text) == text


def test_masked_everywhere_masks_each_in_a_sentence() -> None:
    said = "got ftp://a:b@h/ and (http://c:d/e@i/), not http://h:80/"
    assert caret.masked_everywhere(said) == "got ftp://a:***@h/ and (http://c:***@i/), not http://h:80/"
    sent = "> GET /?u=http%3A%2F%2Fbob%3As3cret%40i&v=sip:bob:s3cret@i HTTP/1.1"
    assert caret.masked_everywhere(sent) == "> GET /?u=http%3A%2F%2Fbob%3A***%40i&v=sip:bob:***@i HTTP/1.1"
    for harmless in (
        "TO:<a@b>",
        "> RCPT TO:<a@b>",
        "http://h:80/a@b",
        "//h:80, then a@b",
        "file:///C:/a@b",
        "http://[::1]:80/a@b",
    ):
        assert caret.masked_everywhere(harmless) == harmless


@each_row("width", [20, 30, 33, 34, 35, 60, 80, 200])
def test_a_sentence_that_is_too_long_for_the_screen_goes_on_below_its_carets(width: int) -> None:
    for start in (0, 1, 5, 9):
        (shown, _), (pointer, _), *below = caret.point_out("http://h/ b", [fault(start, start + 2)], width)
        assert shown == "http://h/ b"
        whole = f"{' ' * start}^^ {SAID}"
        if len(whole) <= width:
            assert (pointer, below) == (whole, [])
        else:
            assert pointer == f"{' ' * start}^^"
            assert " ".join(line.strip() for line, _ in below) == SAID
            assert all(len(line) <= width for line, _ in below)


@given(st.text(max_size=300), st.integers(0, 300), st.integers(0, 300))
def test_any_text_is_pointed_at_without_controls(text: str, start: int, end: int) -> None:
    start, end = sorted((min(start, len(text)), min(end, len(text))))
    for line in lines(text, fault(start, end)):
        assert line.isprintable() or not line


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_password_is_never_shown(password: str) -> None:
    text = f"ftp://user:{password}@host.dom/"
    head = re.split("[/?#]", password)[0]
    if head != password and (not head or "@" in head or (head.isascii() and head.isdigit())):
        return  # by RFC 1738 3.1 the authority ends there: this is another host, with another password or none
    shown = "ftp://user:***@host.dom/" if password else "ftp://user:@host.dom/"
    assert caret.masked(text) == shown
    assert lines(text, fault(0, 1))[0] == shown


@pytest.mark.parametrize(
    ("text", "values", "shown"),
    [
        ("URL:ftp://u:pw@h/", ["u:pw@h/", "", 5], ["u:***@h/", "", 5]),  # one component has all of it
        ("URL:ftp://u:pw@h/", ["u:pw@h/", "other"], ["u:***@h/", "other"]),
        ("ftp://u:p/w@h/x", [None, "/w@h/x", "p"], [None, "***", "***"]),  # none has: nobody knows which has a part
        ("ftp://u@h/", ["u", "/"], ["u", "/"]),
    ],
)
def test_components_of_a_text_whose_password_no_grammar_sees(
    text: str, values: list[object], shown: list[object]
) -> None:
    torn = caret.Torn(text, values)
    assert [torn.shown(value) for value in values] == shown


def test_what_is_made_of_components_is_masked_as_they_are() -> None:
    torn = caret.Torn("URL:ftp://u:pw@h/", ["u:pw@h/"])
    assert torn.shown({"a": [("u:pw@h/", None), {"b": "x"}], "n": 5}) == {"a": [["u:***@h/", None], {"b": "x"}], "n": 5}
    assert torn.shown({"a": ["p", {"b": "w"}], "n": 5}) == {"a": ["***", {"b": "***"}], "n": 5}
    assert torn.shown(("p", 5)) == ["***", 5]
    assert torn.shown(5) == 5
