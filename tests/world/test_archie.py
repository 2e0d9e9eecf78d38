"""The archie of the world's Prospero server: searches of its catalogue, and images of hosts."""

from __future__ import annotations

import pytest

from anyurl.world.prospero import MAX_HITS, MAX_PATTERN, Catalogue, Site, time_of
from tests.rows import each_row

HERE = b"here:191"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, b"19700101000000Z"), (787_881_600, b"19941220000000Z"), (86399, b"19700101235959Z")]
)
def test_times(seconds: int, text: bytes) -> None:
    assert time_of(seconds) == text


def site(host: bytes, path: bytes, modes: bytes = b"-rw-r--r--", size: int = 1) -> Site:
    return Site(host, path, size, modes, b"19941220000000Z")


SITES = [
    site(b"a", b"/pub/Readme"), site(b"a", b"/pub/sub", b"drwxr-xr-x"), site(b"a", b"/pub/sub/readme"),
    site(b"b", b"/readme.txt", size=7), site(b"b", b"/deep/er/x"), site(b"b", b"/empty", b"drwxr-xr-x"),
    site(b"b", b"/deep/er/readme"),
]  # fmt: skip
CATALOGUE = Catalogue(SITES, HERE)


def found(rest: bytes) -> list[bytes] | None:
    """Names and places of the links."""
    item = CATALOGUE.find(rest)
    if item is None:
        return None
    assert item.links is not None
    return [stored.link.hsoname for stored in item.links]


def test_a_site_has_the_last_component_of_its_path_for_a_name() -> None:
    assert [(each.name, each.directory) for each in SITES[:3]] == [
        (b"Readme", False), (b"sub", True), (b"readme", False),
    ]  # fmt: skip


@each_row(
    ("kind", "words", "paths"),
    [
        (b"=", b"readme", [b"/pub/sub/readme", b"/deep/er/readme"]), (b"=", b"read", []),
        (b"S", b"README", [b"/pub/Readme", b"/pub/sub/readme", b"/readme.txt", b"/deep/er/readme"]),
        (b"C", b"Read", [b"/pub/Readme"]), (b"C", b"READ", []),
        (b"R", b"^[rR].*e$", [b"/pub/Readme", b"/pub/sub/readme", b"/deep/er/readme"]), (b"R", b"(", []),
        (b"s", b"readme", [b"/pub/sub/readme", b"/deep/er/readme"]), (b"s", b"ADME.", [b"/readme.txt"]),
        (b"c", b"Read", [b"/pub/Readme"]), (b"c", b"Readme", [b"/pub/Readme"]), (b"r", b"^x$", [b"/deep/er/x"]),
    ],
)  # fmt: skip
def test_kinds_of_match(kind: bytes, words: bytes, paths: list[bytes]) -> None:
    """A small letter means exactly, and the other way only where that finds nothing."""
    assert found(b"MATCH(95,95,95,0," + kind + b")/" + words) == paths
    assert found(b"MATCH(95,0," + kind + b")/" + words) == paths


@pytest.mark.parametrize(
    ("kind", "words", "names"),
    [(b"K", b"README", [b"Readme", b"readme", b"readme.txt"]), (b"Z", b"readme", [b"readme", b"readme.txt"]),
     (b"X", b"^r", [b"readme", b"readme.txt"]), (b"k", b"readme", [b"readme"]), (b"k", b"EADM", [b"Readme", b"readme",
      b"readme.txt"]), (b"z", b"eadme.", [b"readme.txt"]), (b"x", b"x$", [b"x"])],
)  # fmt: skip
def test_names_alone_lead_to_another_search(kind: bytes, words: bytes, names: list[bytes]) -> None:
    assert found(b"MATCH(9,0," + kind + b")/" + words) == [b"ARCHIE/MATCH(9,0,=)/" + name for name in names]
    item = CATALOGUE.find(b"MATCH(9,0," + kind + b")/" + words)
    assert item is not None
    assert [(each.link.name, each.link.target, each.link.host) for each in item.links or ()] == [
        (name, b"DIRECTORY", HERE) for name in names
    ]


@pytest.mark.parametrize(("most", "offset"), [(1, 0), (2, 1), (9, 3), (9, 4), (0, 0), (4, 0)])
def test_so_many_from_so_far(most: int, offset: int) -> None:
    whole = found(b"MATCH(9,0,S)/readme")
    assert whole is not None
    assert found(b"MATCH(%d,%d,S)/readme" % (most, offset)) == whole[offset : offset + most]
    names = found(b"MATCH(9,0,K)/readme") or []
    cut = found(b"MATCH(%d,%d,K)/readme" % (most, offset)) or []
    assert [name.partition(b"/MATCH(")[2][1:] for name in cut] == [
        name.partition(b"/MATCH(")[2][1:] for name in names[offset : offset + most]
    ]


def test_no_more_than_a_bound_and_no_longer_pattern() -> None:
    many = Catalogue([site(b"a", b"/x%d" % number) for number in range(MAX_HITS + 1)], HERE)
    item = many.find(b"MATCH(99999,0,S)/x")
    assert item is not None
    assert len(item.links or ()) == MAX_HITS
    assert found(b"MATCH(9,0,S)/" + b"x" * MAX_PATTERN) == []
    assert found(b"MATCH(9,0,S)/" + b"x" * (MAX_PATTERN + 1)) is None


@each_row(
    "rest",
    [b"", b"MATCH(9,0,Q)/x", b"MATCH(9,0,S)/", b"MATCH(9,0,S)x", b"MATCH(,0,S)/x", b"MATCH(100000,0,S)/x",
     b"MATCH(9,1,0,S)/x", b"MATCH(-1,0,S)/x", b"xMATCH(9,0,S)/x", b"HOSTS", b"host", b"HOST/", b"HOST/none",
     b"HOST/a/none", b"HOST/a/pub/Readme", b"HOST/a/pu"],
)  # fmt: skip
def test_what_is_neither_a_search_nor_a_place(rest: bytes) -> None:
    assert found(rest) is None


def test_facts_of_a_hit() -> None:
    item = CATALOGUE.find(b"MATCH(9,0,=)/readme.txt")
    assert item is not None
    (stored,) = item.links or ()
    assert (stored.link.target, stored.link.name, stored.link.host, stored.link.hsoname) == (
        b"EXTERNAL", b"readme.txt", b"b", b"/readme.txt",
    )  # fmt: skip
    assert [(each.name, each.value) for each in stored.attributes] == [
        (b"ACCESS-METHOD", (b"AFTP", b"", b"", b"", b"", b"BINARY")), (b"SIZE", (b"7 bytes",)),
        (b"UNIX-MODES", (b"-rw-r--r--",)), (b"LAST-MODIFIED", (b"19941220000000Z",)),
    ]  # fmt: skip
    item = CATALOGUE.find(b"MATCH(9,0,=)/sub")
    assert item is not None
    (stored,) = item.links or ()
    assert (stored.link.target, stored.link.host, stored.link.hsoname) == (
        b"DIRECTORY", HERE, b"ARCHIE/HOST/a/pub/sub",
    )  # fmt: skip
    assert [each.name for each in stored.attributes] == [b"SIZE", b"UNIX-MODES", b"LAST-MODIFIED"]


@each_row(
    ("place", "links"),
    [
        (b"HOST", [b"ARCHIE/HOST/a", b"ARCHIE/HOST/b"]),
        (b"HOST/a", [b"ARCHIE/HOST/a/pub"]), (b"HOST/a/", [b"ARCHIE/HOST/a/pub"]),
        (b"HOST/a/pub", [b"/pub/Readme", b"ARCHIE/HOST/a/pub/sub"]),
        (b"HOST/a/pub/", [b"/pub/Readme", b"ARCHIE/HOST/a/pub/sub"]),
        (b"HOST/a/pub/sub", [b"/pub/sub/readme"]),
        (b"HOST/b", [b"/readme.txt", b"ARCHIE/HOST/b/deep", b"ARCHIE/HOST/b/empty"]),
        (b"HOST/b/deep", [b"ARCHIE/HOST/b/deep/er"]), (b"HOST/b/deep/er", [b"/deep/er/x", b"/deep/er/readme"]),
        (b"HOST/b/empty", []),
    ],
)  # fmt: skip
def test_images_of_hosts(place: bytes, links: list[bytes]) -> None:
    """A directory that only paths lead through is one, too, and stands there once."""
    assert found(place) == links
