"""Links as entries, and attributes as plain values."""

from __future__ import annotations

import pytest

from anyurl.schemes.prospero.items import Facts, FoundLink, entry, name_of, place_of, read_time
from anyurl.schemes.prospero.wire.messages import Attribute, Link, read_reply
from tests.rows import each_row
from tests.schemes.prospero.prospero_peer import recorded


def recorded_links(transcript: str) -> list[FoundLink]:
    """All links of the replies of a transcript."""
    found: list[FoundLink] = []
    for reply in recorded(transcript).values():
        for line in read_reply(reply):
            if isinstance(line, Link):
                found.append(FoundLink(line))
            elif isinstance(line, Attribute) and found:
                found[-1].attributes.append(line)
    return found


def test_a_link_of_every_access_method() -> None:
    """What the real server said of external links, and what they are as URLs."""
    shown = {each.name: each for each in map(entry, recorded_links("real-vls-linkattrs"))}
    assert {name: (str(each.url), each.kind) for name, each in shown.items()} == {
        "ext": ("prospero://localhost:15250//pfs/demo/ext", "listing"),
        "aftp.tar": ("ftp://ftp.example.org/pub/dist/foo.tar;type=i", "document"),
        "aftp-full.txt": ("ftp://ftp.example.org/pub/README;type=a", "document"),
        "aftp-port": ("ftp://ftp.example.org:2121/pub/README;type=a", "document"),
        "ftp-private": ("ftp://ftp.example.org/%2Fhome/alice/report.txt;type=a", "document"),
        "gopher-text": ("gopher://gopher.example.org/00/docs/about.txt", "document"),
        "gopher-menu": ("gopher://gopher.example.org:150/1/Fun%20Stuff/Pyrotechnics", "listing"),
        "wais-doc": ("wais://wais.example.org/", "index"),
        "telnet": ("telnet://guest@library.example.org/", "service"),
        "tn3270": ("tn3270://catalog.example.org/", "service"),
        "nfs": ("nfs://nfs.example.org/auto/ftp/ftp/pub/README", "document"),
        "afs": ("None", None),
        "local": ("None", None),
        "both": ("ftp://ftp.example.org/pub/x.gif;type=i", "document"),
    }
    assert shown["both"].attributes["urls"] == [
        "ftp://ftp.example.org/pub/x.gif;type=i",
        "gopher://gopher.example.org/99/x.gif",
    ]
    assert shown["afs"].attributes["attributes"] == {
        "ACCESS-METHOD": [["AFS", "DUMMY", "DUMMY", "ASCII", "/example.org/doc/README"]]
    }


def test_names_in_other_character_sets_are_shown_in_latin_1() -> None:
    """The protocol names no character set; the name itself keeps its octets."""
    shown = {each.name: each for each in map(entry, recorded_links("list-odd-all"))}
    assert shown["caf\udce9"].title == "caf\xe9"
    assert str(shown["caf\udce9"].url) == "prospero://localhost:15250//pfs/demo/odd/caf%E9"
    assert shown["two words"].title is None


@pytest.mark.parametrize(
    ("version", "url"),
    [
        (0, "prospero://h//a"),  # the current one
        (3, "prospero://h//a;OBJECT-VERSION=3"),
        (-1, None),  # what our own reader would refuse is no URL
        (2**31, None),
    ],
)
def test_the_version_of_a_link_is_in_its_url(version: int, url: str | None) -> None:
    link = Link(b"L", b"FILE", b"a", b"INTERNET-D", b"H", b"ASCII", b"/a", version)
    found = entry(FoundLink(link)).url
    assert (None if found is None else str(found)) == url


def test_links_that_lead_nowhere() -> None:
    shown = {each.name: each for each in map(entry, recorded_links("list-sorted"))}
    assert shown["vs"].url is None
    assert (shown["vs"].kind, shown["vs"].attributes["host"]) == (None, "#/INET/EDU/ISI/swa")
    assert str(shown["elsewhere"].url) == "prospero://localhost:15251//pfs/other/root"
    assert [(each.name, each.url) for each in map(entry, recorded_links("list-acl-links"))] == [
        ("readable", None), ("listonly", None), ("readable", None),
    ]  # fmt: skip


def test_the_links_of_a_search_and_of_a_gateway() -> None:
    shown = {each.name: each for each in map(entry, recorded_links("gopher-gateway"))}
    assert shown["Search here"].kind == "index"
    assert shown["Sub menu"].attributes["stands_for"] == "gopher://127.0.0.1:27971/11/sub"
    assert shown["Gatewayed FTP"].attributes["urls"] == [
        "ftp://ftp.example.org/pub/README;type=a",
        "gopher://127.0.0.1:27971/0ftp:ftp.example.org@/pub/README",
    ]


@each_row(
    ("value", "size"),
    [
        ((b"12345 bytes",), 12_345),
        ((b"12345", b"bytes"), 12_345),  # two tokens
        ((b"1 byte",), 1),
        ((b"7",), 7),
        ((b"7 blocks",), None),
        ((b"-7 bytes",), None),
        ((b"9" * 19,), None),
        ((), None),
    ],
)
def test_sizes(value: tuple[bytes, ...], size: int | None) -> None:
    attribute = Attribute(b"OBJECT", b"INTRINSIC", b"SIZE", b"SEQUENCE", value)
    assert Facts([attribute], b"h", b"x").size == size


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        (b"19941201000000Z", 786_240_000.0),
        (b"19941201000000", 786_240_000.0),
        (b"19941301000000Z", None),  # no such month
        (b"Thu Dec  1 1994", None),
        (b"", None),
    ],
)
def test_times(text: bytes, seconds: float | None) -> None:
    assert read_time(text) == seconds


def attribute(name: bytes, *tokens: bytes, depth: int = 0) -> Attribute:
    return Attribute(b"OBJECT", b"INTRINSIC", name, b"SEQUENCE", tokens, depth)


def test_the_first_of_each_attribute_counts() -> None:
    facts = Facts(
        [
            attribute(b"TITLE", b"nested", depth=1), attribute(b"TITLE", b"caf\xe9", b"two"), attribute(b"TITLE", b"x"),
            attribute(b"UNIX-MODES", b"-rw-r--r--"), attribute(b"LAST-MODIFIED", b"19941201000000Z"),
            attribute(b"OBJECT-INTERPRETATION", b"DOCUMENT", b"TEXT", b"ASCII"),
        ],
        b"h", b"x",
    )  # fmt: skip
    assert facts.first(b"TITLE") == (b"caf\xe9", b"two")
    assert (facts.title, facts.mode, facts.modified) == ("caf\xe9 two", "-rw-r--r--", 786_240_000.0)
    assert (facts.kind, facts.media_type("x.gif")) == ("document", "text/plain")
    assert facts.plain()["TITLE"] == [["nested"], ["caf\udce9", "two"], ["x"]]
    nothing = Facts([], b"h", b"x")
    assert (nothing.title, nothing.mode, nothing.modified, nothing.size, nothing.kind, nothing.urls()) == (
        None, None, None, None, None, [],
    )  # fmt: skip
    assert nothing.media_type("x.gif") == "image/gif"


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ((b"DIRECTORY",), "listing"), ((b"SEARCH", b"x"), "index"), ((b"PORTAL",), "service"), ((b"DATA",), "document"),
        ((b"SOUND",), "document"), ((b"VERBATIM",), None), ((), None),
    ],
)  # fmt: skip
def test_what_an_object_is(words: tuple[bytes, ...], kind: str | None) -> None:
    assert Facts([attribute(b"OBJECT-INTERPRETATION", *words)], b"h", b"x").kind == kind


def test_the_names_of_nested_attributes_are_paths() -> None:
    names = [("A", 0), ("B", 1), ("C", 2), ("D", 1), ("B", 0)]
    facts = Facts([attribute(name.encode(), b"v", depth=depth) for name, depth in names], b"h", b"x")
    assert [*facts.plain()] == ["A", "A/B", "A/B/C", "A/D", "B"]


@pytest.mark.parametrize(
    ("target", "host", "place"),
    [
        (b"FILE", b"H(7)", ("h", 7)), (b"DIRECTORY", b"h", ("h", 1525)), (b"EXTERNAL", b"h", None),
        (b"SYMBOLIC", b"h", None), (b"NULL", b"h", None), (b"FILE", b"", None), (b"FILE", b"\xff", None),
    ],
)  # fmt: skip
def test_where_an_object_is(target: bytes, host: bytes, place: tuple[str, int] | None) -> None:
    found = place_of(Link(b"L", target, b"x", b"INTERNET-D", host, b"ASCII", b"/x", 3))
    assert (found and (found.host, found.port)) == place
    assert found is None or (found.hsoname, found.version) == (b"/x", 3)


@pytest.mark.parametrize(
    ("hsoname", "name"), [("/a/b.txt", "b.txt"), ("a", "a"), ("/a//", "a"), ("/", None), ("", None), ("/..", "..")]
)
def test_the_last_piece_of_a_name(hsoname: str, name: str | None) -> None:
    assert name_of(hsoname) == name
