"""What was found is a value: immutable, comparable, portable, and discreet."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from anyurl.text import Found, find
from anyurl.url import URL
from anyurl.values import STRANGER, USER, Provenance, Scope


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


PAGE = Provenance("document", scope=Scope.PRIVATE, scheme="https", host="a.example", port=443, tls=True)


@pytest.mark.parametrize("kind", [None, "html", "markdown", "rst", "mail"])
def test_who_named_it_goes_along(kind: str | None) -> None:
    class Page:
        content_origin = PAGE

    text = (
        'see <URL:http://b.example/1> or http://b.example/2, <a href="http://b.example/3">x</a> [x](http://c.example)'
    )
    for came_from in (PAGE, Page()):
        found = list(find(text, format=kind, came_from=came_from))
        assert len(found) >= 3
        assert {each.origin for each in found} == {PAGE}
    assert {each.origin for each in find(text, format=kind)} == {STRANGER}


@pytest.mark.parametrize("came_from", ["http://a.example/", 7, object(), URL("http://a.example/")])
def test_what_names_no_urls(came_from: Any) -> None:
    with pytest.raises(TypeError, match="came_from must be a resource"):
        find("http://b.example/", came_from=came_from)


def test_who_named_it_is_part_of_what_was_found() -> None:
    (mine,) = find("http://b.example/", came_from=USER)
    (other,) = find("http://b.example/")
    assert mine != other
    assert pickle.loads(pickle.dumps(mine)).origin == USER
    with pytest.raises(AttributeError):
        mine.origin = STRANGER  # type: ignore[misc]


def test_a_host_that_may_be_taken_for_another_is_told() -> None:
    found = list(find("http://p\u0430ypal.com/ http://paypal.com/ http://{id}/ mailto:a@b.com", templates=True))
    assert [item.lookalike for item in found] == ["one label mixes scripts: Cyrillic and Latin", None, None, None]


def test_what_is_read_otherwise_is_another_though_it_is_written_alike() -> None:
    text = '<a href="a">'
    (one,), (same,), (other,) = (
        list(find(text, format="html", base=base)) for base in ("http://h/", "http://h/", "http://i/")
    )
    assert one == same
    assert one != other
    text = '<a href="http://h:99999/">'
    (one,), (same,) = (list(find(text, format="html", malformed=True)) for _ in range(2))
    assert one == same
    assert hash(one) == hash(same)
    assert one != next(iter(find(text.replace("99999", "99998"), format="html", malformed=True)))
    assert one != text
