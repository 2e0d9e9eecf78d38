"""The names of archie's searches, which are directories."""

from __future__ import annotations

import pytest

from anyurl.errors import UnsupportedError
from anyurl.schemes.prospero.archie import (
    HITS,
    TYPES,
    is_database,
    is_match,
    is_root,
    lacks_words,
    names_of,
    with_words,
)
from tests.rows import each_row


@each_row(
    ("name", "root", "match", "lacks"),
    [
        (b"ARCHIE", True, False, False), (b"ARCHIE//", True, False, False), (b"ARCHIE/HOST", False, False, False),
        (b"ARCHIE/MATCH(95,95,95,0,=)", False, True, True), (b"ARCHIE/MATCH(95,95,95,0,=)/", False, True, True),
        (b"ARCHIE/MATCH(1,0,S)/two words/x\n", False, True, False), (b"ARCHIE/MATCH()", False, True, True),
        (b"ARCHIE/MATCH(1/2)/x", False, False, False), (b"xARCHIE", False, False, False), (b"", False, False, False),
        (b"ARCHIE/MATCH(1)x", False, False, False), (b"archie", False, False, False),
    ],
)  # fmt: skip
def test_which_names_are_searches(name: bytes, root: bool, match: bool, lacks: bool) -> None:
    assert (is_root(name), is_match(name), lacks_words(name)) == (root, match, lacks)
    assert is_database(name) is (root or match)


@each_row(
    ("name", "more", "found"),
    [
        (b"ARCHIE", {}, b"ARCHIE/MATCH(95,95,95,0,=)/a b"),
        (b"ARCHIE", {"limit": 5}, b"ARCHIE/MATCH(5,5,5,0,=)/a b"),
        (b"ARCHIE", {"sort": "substring"}, b"ARCHIE/MATCH(95,95,95,0,S)/a b"),
        (b"ARCHIE/MATCH(1,2,3,4,R)/old", {}, b"ARCHIE/MATCH(1,2,3,4,R)/a b"),
        (b"ARCHIE/MATCH(1,2,3,4,R)/old", {"limit": 7, "sort": "x"}, b"ARCHIE/MATCH(7,7,7,4,x)/a b"),
        (b"ARCHIE/MATCH(1,2,R)", {"limit": 7}, b"ARCHIE/MATCH(7,2,R)/a b"),  # the older form has three
        (b"ARCHIE/MATCH(1,2)", {}, b"ARCHIE/MATCH(95,95,95,0,=)/a b"),
        (b"WAIS-GW/h(210)/QUERY/db", {"limit": 7}, b"WAIS-GW/h(210)/QUERY/db/a b"),
        (b"WAIS-GW/h(210)/QUERY/db/old/er", {}, b"WAIS-GW/h(210)/QUERY/db/a b"),
        (b"WAIS-GW/h(210)/QUERY/", {}, None), (b"/pfs/demo", {}, None), (b"ARCHIE/HOST", {}, None),
    ],
)  # fmt: skip
def test_the_name_of_a_search(name: bytes, more: dict[str, object], found: bytes | None) -> None:
    assert with_words(name, "a b", **more) == found  # type: ignore[arg-type]
    assert HITS == 95


@each_row("sort", [*TYPES, *map(str.upper, TYPES), *"=SsCcRrKkZzXx"])
def test_sorts_of_search(sort: str) -> None:
    letter = TYPES.get(sort.lower(), sort.encode())
    assert with_words(b"ARCHIE", "w", sort) == b"ARCHIE/MATCH(95,95,95,0,%b)/w" % letter


@pytest.mark.parametrize("sort", ["", "fuzzy", "SC", "y", "\xe9", ")"])
def test_a_sort_that_archie_does_not_have(sort: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        with_words(b"ARCHIE", "w", sort)
    assert str(caught.value) == f"Archie has no search of the kind {sort!r}: {', '.join(TYPES)} are the kinds."


@pytest.mark.parametrize(
    ("name", "words", "names"),
    [
        (b"/pfs", "a/b c", (b"a", b"b c")), (b"/pfs", "//a//", (b"a",)), (b"/pfs", "", ()),
        (b"/pfs", "\udcff", (b"\xff",)),
        (b"GOPHER-GW/h(70)/7/x", "a/b", (b"a/b",)), (b"GOPHER-GW/h(70)/1/x", "a/b", (b"a", b"b")),
    ],
)  # fmt: skip
def test_the_names_that_are_looked_up(name: bytes, words: str, names: tuple[bytes, ...]) -> None:
    assert names_of(name, words) == names
