"""What belongs to a mirror, and where each of it goes."""

from __future__ import annotations

import pytest

from anyurl import URL
from anyurl.dialogue import Entry
from anyurl.saving.save import safe_name
from anyurl.saving.tree import Tree, is_safe_path
from tests.rows import each_row


@each_row(
    ("root", "url", "held"),
    [
        ("ftp://h/pub/", "ftp://h/pub/a", True),
        ("ftp://h/pub", "ftp://h/pub/a", True),
        ("ftp://h/pub", "ftp://h/public/a", False),  # not below it
        ("ftp://h/pub/", "ftp://h:2121/pub/a", False),
        ("ftp://h/pub/", "ftps://h/pub/a", False),
        ("ftp://h/pub/", "ftp://other/pub/a", False),
        ("http://h/d/", "http://h/d/e/f?x", True),
        ("http://h/d/index.html", "http://h/d/other", True),
        ("http://h/d/", "http://h/d", False),
        ("http://h/d/", "http://h/d/../up", False),
        ("http://h/d/", "http://h/d/%2e%2e/up", False),
        ("gopher://h/1/in", "gopher://h/0/in/a", True),
        ("gopher://h/1/in", "gopher://h/00/in/a", True),  # old servers write the type twice
        ("gopher://h/1/in", "gopher://h/0/inside", False),
        ("gopher://h/", "gopher://h/0anything", True),
        ("news://h/comp.x", "news://h/id@host", True),
        ("file:///d/", "file:///d/a", True),
        ("file:///d/", "file:///etc/passwd", False),
    ],
)
def test_what_belongs_to_it(root: str, url: str, held: bool) -> None:
    assert Tree(URL(root)).holds(URL(url)) is held


@each_row(
    ("root", "url", "name", "place"),
    [
        ("ftp://h/d/", "ftp://h/d/a%2Fb", "a/b", "p/b"),
        ("ftp://h/d/", "ftp://h/d/.x", ".x", "p/_.x"),
        ("gopher://h/1/in", "gopher://h/0/in/a/b", "A title", "a/b"),
        ("gopher://h/1/in", "gopher://h/0/in/../../b", "x", "b"),
        ("gopher://h/", "gopher://h/00/a/b", "x", "a/b"),
        ("gopher://h/1/in", "gopher://h/1/in", "A title", "A title"),
        ("gopher://h/1/in", "gopher://h/1/in", "", "index"),
        ("news://h/comp.x", "news://h/id@host", "a subject", "p/id@host"),
    ],
)
def test_where_what_is_listed_goes(root: str, url: str, name: str, place: str) -> None:
    assert Tree(URL(root)).place(Entry(name, URL(url)), URL(url), "p") == place


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://h/d/", "index.html"),
        ("http://h/d/e/", "e/index.html"),
        ("http://h/d/a?x=/etc/passwd", "a?x=%2Fetc%2Fpasswd"),
        ("http://h/d/%2e%2e%2fup", "up"),
        ("http://h/d/a%00b", None),
    ],
)
def test_where_a_page_goes(url: str, place: str | None) -> None:
    tree = Tree(URL("http://h/d/"))
    if place is None:
        with pytest.raises(OSError, match="NUL"):
            tree.page(URL(url))
    else:
        assert tree.page(URL(url)) == place


def test_patterns() -> None:
    tree = Tree(URL("ftp://h/"), include=["*.txt"], exclude=["tmp", "a/b*"])
    assert tree.wants("x/y.txt", folder=False)
    assert not tree.wants("x/y.bin", folder=False)
    assert tree.wants("x/y", folder=True)
    assert not tree.wants("x/tmp", folder=True)
    assert not tree.wants("a/bc.txt", folder=False)


def test_no_name_is_one_of_ours() -> None:
    assert safe_name("x.anyurl-part") == "x.anyurl-part_"
    assert safe_name("x.ANYURL-part.json") == "x.ANYURL-part.json_"
    assert all(map(is_safe_path, ("", "plain.txt", "a/b")))
    assert not any(map(is_safe_path, ("..", ".", ".hidden", "x\0", "x.anyurl-part", "a/", "/a", "a//b", "a/../b")))
