"""What was found is a value: immutable, comparable, portable, and discreet."""

from __future__ import annotations

import copy
import pickle

import pytest

from anyurl.text import Found, find
from anyurl.url import URL


def one(text: str) -> Found:
    (found,) = find(text)
    return found


def test_it_is_made_of_what_it_tells() -> None:
    found = Found(URL("http://h/"), "f", (URL("http://i/"),), "http://h/#f", (2, 13), (3, 14), 4, 5, "bare")
    assert (found.url, found.fragment, found.alternatives, found.raw) == (
        URL("http://h/"), "f", (URL("http://i/"),), "http://h/#f",
    )  # fmt: skip
    assert (found.span, found.octet_span, found.line, found.column, found.context) == ((2, 13), (3, 14), 4, 5, "bare")
    assert str(found) == "http://h/#f"


@pytest.mark.parametrize("name", ["url", "raw", "span", "line", "context", "_url", "other"])
def test_it_does_not_change(name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(one("http://h/"), name, None)


def test_equal_places_of_equal_urls_are_equal() -> None:
    assert one("a http://h/") == one("a http://h/")
    assert one("a http://h/") != one("b  http://h/")
    assert one("a http://h/") != "http://h/"
    assert len({one("a http://h/"), one("a http://h/"), one("http://h/")}) == 2


def test_it_can_be_copied_and_sent() -> None:
    found = one("see <URL:http://h/a-\nb#f>")
    assert pickle.loads(pickle.dumps(found)) == found
    assert copy.deepcopy(found) == found


def test_its_repr_hides_a_password() -> None:
    found = one("ftp://me:secret@h/")
    assert repr(found) == "Found(URL('ftp://me:***@h/'), None, span=(0, 18), context='bare')"
    assert found.raw == "ftp://me:secret@h/"


def test_it_matches() -> None:
    match one("<http://h/#f>"):
        case Found(URL(host="h"), "f", "angle"):
            pass
        case other:
            pytest.fail(repr(other))
