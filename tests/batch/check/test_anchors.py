"""Anchors: what counts as one, and that hostile pages take no longer than others."""

from __future__ import annotations

import pytest

from anyurl.batch.check.anchors import MAX_TRIES, is_undecided, missing_anchors
from anyurl.batch.check.crawl import MAX_PAGE
from tests.rows import each_row


@each_row(
    ("page", "fragment"),
    [
        ('<h1 id="x">', "x"),
        ("<h1 class=a id='x'>", "x"),
        ("<h1\nID = x>", "x"),
        ('<a name="x">', "x"),
        ('<a title="a > b" id="x">', "x"),
        ('<p id="a&amp;b">', "a&b"),
        ('<p id="ä">', "%C3%A4"),  # encoded, as in a URL
        ('<p id="50%">', "50%25"),
        ('<p id="%41">', "%41"),  # as it is written, first (HTML 7.4.6.4)
        ("", ""),
        ("", "top"),
        ("", "TOP"),
        ("", ":~:text=some%20words"),
        ('<p id="x">', "x:~:text=y"),
        ("<!-- one --><p id=x>", "x"),
        ('<h2 id="user-content-x">', "x"),  # GitHub, GitLab, Gitea
        ("<script>a</script><p id=x>", "x"),
    ],
)
def test_what_is_there(page: str, fragment: str) -> None:
    assert missing_anchors(page.encode(), [fragment]) == []


@each_row(
    "page",
    [
        "",
        '<p id="y">',
        '<p id="X">',  # an id has its case
        'id="x"',
        '<p>id="x"',
        '<!-- <p id="x"> -->',
        "<script>'<p id=x>'</script>",
        '<p data-id="x">',
        '<p title=" id=x">',
        'text id="x"',  # before any tag
        '/ id="x"',
        '<1 id="x">',
        '</p id="x">',
        '<!doctype id="x">',
        '< p id="x">',
    ],
)
def test_what_is_not(page: str) -> None:
    assert missing_anchors(page.encode(), ["x"]) == ["x"]


@pytest.mark.parametrize(
    ("page", "fragment"),
    [
        (b'<p id="\xff&amp;">', "%FF&"),  # octets that are no text are compared as they are
        (b'<p id="\xff">', "%FF"),
        (b'<p id="a&lt;\xe4">', "a%3C%E4"),
    ],
)
def test_octets_that_are_no_text(page: bytes, fragment: str) -> None:
    assert missing_anchors(page, [fragment]) == []
    assert missing_anchors(page.replace(b"\xff", b"").replace(b"\xe4", b""), [fragment]) == [fragment]


def test_several_at_once() -> None:
    assert missing_anchors(b"<p id=b><p id=d>", {"d", "c", "b", "a"}) == ["a", "c"]


@pytest.mark.parametrize("piece", [b'<p id="', b"<p id='x", b" id=x", b"<!-- <p id=x", b"<", b"<a> id=x <script"])
def test_a_page_that_looks_like_anchors_all_over_comes_to_an_end(piece: bytes) -> None:
    """Looking back from each place of such a page would take hours."""
    assert missing_anchors(piece * (MAX_PAGE // len(piece)), ["x"]) in (["x"], [])


def test_what_looks_like_an_anchor_is_tried_again() -> None:
    assert missing_anchors(b" id=x" * MAX_TRIES + b"<p id=x>", ["x"]) == []
    assert missing_anchors(b" id=x" * 2 * MAX_TRIES + b"<p id=x>", ["x"]) == ["x"]


@each_row(
    ("fragment", "is_theirs"),
    [
        ("/route", True), ("!/route", True), ("L10", True), ("L10-L20", True), ("L10-20", True), ("L1C2-L3C4", True),
        ("lines-7", True), ("L", False), ("Lists", False), ("L10x", False), ("x/y", False), ("line", False),
    ],
)  # fmt: skip
def test_routes_and_lines_are_read_by_scripts(fragment: str, is_theirs: bool) -> None:
    assert is_undecided(fragment) is is_theirs
