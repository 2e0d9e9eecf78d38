"""Our client in the place of the one that was recorded: what it asks is what the real server answered.

RFC 1738 3.11: contact the directory server, and learn the access methods, which may be other URLs.

Rule: requests are compared field by field as they decode, without the lines that say who asks; what the server answered
then is what our client gets, and what it makes of it is written here, URL by URL.
"""

from __future__ import annotations

from typing import Any

import pytest

from anyurl.dialogue import Verb
from anyurl.errors import DeniedError, NotFoundError, ReplyError
from tests.rows import each_row
from tests.schemes.prospero.prospero_peer import Table, entries, play, recorded, urls
from tests.schemes.prospero.wire.prospero_transcripts import NAMES

HERE = "prospero://localhost:15250"


def replay(transcript: str, url: str, verb: Verb, **options: Any) -> Any:
    peer = Table(recorded(transcript))
    rehearsal = play(peer, url, verb, **options)
    assert peer.asked
    return rehearsal


LISTS: list[tuple[str, Verb, str, dict[str, str], list[str | None]]] = [
    (
        "list-odd-all", "list", f"{HERE}//pfs/demo/odd", {},
        [f"{HERE}//pfs/demo/odd/{name}" for name in (
            "two%20words", "it%27s", "%27quoted%27", "tab%09here", "lineNLfeed", "crCRhere", "slash_inside",
            "semi%3Bcolon", "hash%23sign", "per%25cent", "plus+sign", "star*", "question%3F", "(paren)",
            "%5Bbracket%5D", "caf%E9", "a&b=c", "UPPER", "lower", "=eq", "~tilde", "%22dq%22", "back%5Cslash",
            "name%20with%20spaces%27and%20quote", "versioned;OBJECT-VERSION=3", "expires", "twin1", "twin2",
        )],
    ),
    (
        "gopher-gateway", "list", "prospero://localhost:15253/GOPHER-GW/127.0.0.1(27971)/1/", {},
        [
            "gopher://127.0.0.1:27971/00/about.txt",
            "prospero://localhost:15253/GOPHER-GW/127.0.0.1(27971)/1/1/sub",
            "prospero://localhost:15253/GOPHER-GW/127.0.0.1(27971)/7/7/search",
            "gopher://127.0.0.1:27971/99/bin.zip",
            "gopher://127.0.0.1:27971/9I/pic.jpg",
            "gopher://127.0.0.1:27971/9g/pic.gif",
            "telnet://guest@127.0.0.1/",
            "tn3270://127.0.0.1/",
            "ftp://ftp.example.org/pub/README;type=a",
            "prospero://localhost:15253/GOPHER-GW/127.0.0.1(27971)/1/ftp:ftp.example.org@/pub/",
            "gopher://127.0.0.1:27971/9s/x.au",
        ],
    ),
    ("list-attributes-alone", "search", f"{HERE}//pfs/demo/ext", {"words": "telnet"},
     ["telnet://guest@library.example.org/"]),
    ("real-als-paper", "search", f"{HERE}//pfs/demo", {"words": "paper.ps"}, [f"{HERE}//pfs/demo/paper.ps"]),
    ("real-vls-attrs", "search", f"{HERE}//pfs/demo", {"words": "hello.txt"}, [f"{HERE}/AFTP/pub/hello.txt"]),
    ("real-vls-linkattrs", "search", f"{HERE}//pfs/demo", {"words": "ext"}, [f"{HERE}//pfs/demo/ext"]),
    ("list-options", "search", f"{HERE}//pfs/demo/attrs", {"words": "many"}, [f"{HERE}//pfs/demo/attrs/many"]),
    ("url-resolve-combined", "get", f"{HERE}//pfs/demo/docs", {},
     [f"{HERE}//pfs/demo/docs/rfc", f"{HERE}/AFTP/pub/README", f"{HERE}//pfs/demo/docs/notes.txt"]),
    ("url-resolve-combined", "get", f"{HERE}/AFTP/pub", {},
     [f"{HERE}/AFTP/pub/rfc", f"{HERE}/AFTP/pub/hello.txt", f"{HERE}/AFTP/pub/README"]),
]  # fmt: skip


@each_row(("transcript", "verb", "url", "options", "expected"), LISTS, ids=[f"{row[0]} {row[2]}" for row in LISTS])
def test_listings(transcript: str, verb: Verb, url: str, options: dict[str, str], expected: list[str | None]) -> None:
    assert urls(replay(transcript, url, verb, **options)) == expected


ARCHIE = [
    "ftp://ftp.example.org/pub/prospero/prospero.tar.Z;type=i",
    "ftp://ftp.example.net/mirrors/prospero.tar.Z;type=i",
    "ftp://ftp.example.com/pub/prospero;type=d",
]


@each_row("transcript", ["real-archie-exact", "real-archie-nice"])
@each_row(
    ("verb", "path", "options"),
    [
        ("search", "ARCHIE", {"words": "prospero"}),
        ("search", "ARCHIE/", {"words": "prospero", "match": "exact"}),
        ("search", "ARCHIE", {"words": "prospero", "limit": 95}),
        ("search", "ARCHIE/MATCH(95,95,95,0,=)", {"words": "prospero"}),
        ("search", "ARCHIE/MATCH(95,95,95,0,=)/", {"words": "prospero"}),
        ("search", "ARCHIE/MATCH(95,95,95,0,=)/other", {"words": "prospero"}),
        ("list", "ARCHIE/MATCH(95,95,95,0,=)/prospero", {}),
        ("get", "ARCHIE/MATCH(95,95,95,0,=)/prospero", {}),
    ],
)
def test_archie_is_asked_as_its_own_client_asked(
    transcript: str, verb: Verb, path: str, options: dict[str, Any]
) -> None:
    assert urls(replay(transcript, f"{HERE}/{path}", verb, **options)) == ARCHIE


def test_what_archie_found() -> None:
    found = entries(replay("real-archie-exact", f"{HERE}/ARCHIE", "search", words="prospero"))
    assert [(entry.name, entry.kind, entry.size, entry.modified, entry.title) for entry in found] == [
        (
            "prospero.tar.Z",
            "document",
            812_345,
            739_843_200.0,
            "prospero.tar.Z (ftp.example.org:/pub/prospero -rw-r--r--)",
        ),
        ("prospero.tar.Z", "document", 812_345, 741_484_800.0, "prospero.tar.Z (ftp.example.net:/mirrors -r--r--r--)"),
        ("prospero", "listing", 512, 744_163_200.0, "prospero (ftp.example.com:/pub drwxr-xr-x)"),
    ]
    # What can be browsed in archie's own image of the server is named, too.
    assert found[2].attributes["stands_for"] == f"{HERE}/ARCHIE/HOST/ftp.example.com/pub/prospero"
    assert found[0].attributes["mode"] == "-rw-r--r--"


@each_row(
    ("transcript", "sort"),
    [
        ("real-archie-type-s", "substring"),
        ("real-archie-type-s", "S"),
        ("real-archie-type-c", "case"),
        ("real-archie-type-r", "regex"),
        ("real-archie-type-k", "strings"),
        ("real-archie-type-z", "strings-case"),
        ("real-archie-type-x", "strings-regex"),
        ("real-archie-exact-then-sub", "exact-substring"),
    ],
)
def test_the_sorts_of_archie_searches(transcript: str, sort: str) -> None:
    # The recorded server has canned searches only, and none for this one: that it answers shows that it was asked.
    with pytest.raises(NotFoundError, match=r"refuses “ARCHIE/MATCH\(95,95,95,0,.\)/foo”: that is not a directory"):
        replay(transcript, f"{HERE}/ARCHIE", "search", words="foo", match=sort)


def test_an_archie_that_finds_nothing() -> None:
    with pytest.raises(NotFoundError, match="NOT-A-DIRECTORY"):
        replay("real-archie-nomatch", f"{HERE}/ARCHIE", "search", words="zzz")


def test_an_object_leads_on_to_where_it_can_be_had() -> None:
    follow = replay("url-resolve-combined", f"{HERE}//pfs/demo/paper.ps", "get").follow
    assert (str(follow.url), follow.reason) == ("ftp://ftp.example.org/pub/papers/paper.ps;type=i", "prospero AFTP")


def test_a_version_goes_where_the_protocol_has_it() -> None:
    follow = replay("url-resolve-combined", f"{HERE}//pfs/demo/paper.ps;OBJECT-VERSION=3", "get").follow
    assert str(follow.url) == "ftp://ftp.example.org/pub/papers/paper.ps;type=i"


@pytest.mark.parametrize(
    ("path", "error", "words"),
    [
        (
            "/pfs/demo/none",
            NotFoundError,
            r"localhost refuses “/pfs/demo/none”: it has no such object \(“NOT-FOUND”\)",
        ),
        ("/pfs/demo/secret", DeniedError, "it does not allow that"),
    ],
)
@pytest.mark.parametrize("verb", ["get", "stat"])
def test_what_is_not_there(path: str, error: type[ReplyError], words: str, verb: Verb) -> None:
    with pytest.raises(error, match=words) as caught:
        replay("url-resolve-combined", f"{HERE}/{path}", verb)
    assert caught.value.text not in ("", None)


def test_attributes_of_an_object() -> None:
    said = replay("url-resolve-combined", f"{HERE}//pfs/demo/paper.ps", "stat").described
    assert (said.kind, said.type, said.size, said.modified, said.name) == (
        "document", "application/postscript", 271_828, 739_886_400.0, "paper.ps",
    )  # fmt: skip
    assert said.attributes["urls"] == [
        "ftp://ftp.example.org/pub/papers/paper.ps;type=i",
        f"{HERE}//pfs/demo/paper.ps",
        "ftp://localhost/%2Fpfs/demo/paper.ps;type=i",
    ]
    assert said.attributes["attributes"] == {
        "ACCESS-METHOD": [
            ["AFTP", "INTERNET-D", "ftp.example.org", "ASCII", "/pub/papers/paper.ps", "BINARY"],
            ["FTP", "", "", "", "", "BINARY"],
            ["PROSPERO-CONTENTS", "", "", "", ""],
            ["LOCAL", "", "", "", ""],
        ],
        "OWNER": [["ASRTHOST", "", "swa@128.9.*.*"], ["AUTHENT", "KERBEROS", "swa@ISI.EDU", "bcn@ISI.EDU"]],
        "TITLE": [['The Prospero File System: it\'s a "naming" thing']],
        "KEYWORD": [["naming"], ["virtual systems", "directory service"]],
        "OBJECT-INTERPRETATION": [["DOCUMENT", "POSTSCRIPT"]],
        "SIZE": [["271828 bytes"]],
        "LAST-MODIFIED": [["19930612120000Z"]],
    }


def test_attributes_of_a_directory() -> None:
    said = replay("url-resolve-combined", f"{HERE}/AFTP/pub", "stat").described
    assert (said.kind, said.size, said.attributes["links"]) == ("listing", 4096, 3)
    assert said.attributes["attributes"]["UNIX-MODES"] == [["drwxr-xr-x"]]


def test_attributes_of_a_link() -> None:
    [found] = entries(replay("list-options", f"{HERE}//pfs/demo/attrs", "search", words="many"))
    assert (found.title, found.size, found.modified, found.type) == (
        "A replacement title", 12_345, 758_629_800.0, "text/plain",
    )  # fmt: skip
    assert found.attributes["attributes"]["SEE-ALSO"] == [[f"{HERE}//pfs/demo/paper.ps"]]
    assert found.attributes["attributes"]["SEE-ALSO/SUB"] == [["nested", "one"]]
    assert found.attributes["attributes"]["EMPTY"] == [[]]


def test_octets_come_in_the_protocol() -> None:
    name = "/srv/prospero/pfs/aftp/pub/hello.txt"
    replies = recorded("get-object-info-contents")
    [contents] = [key for key in replies if b"CONTENTS" in key[0].tokens]
    from anyurl.schemes.prospero.wire.messages import resolve_request
    from tests.schemes.prospero.prospero_peer import key_of

    method = b"ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE PROSPERO-CONTENTS '' '' '' ''\n"
    resolved = b"ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 47' bytes'\n" + method + b"FAILURE NOT-A-DIRECTORY\n"
    peer = Table({key_of(resolve_request(name.encode())): resolved, contents: replies[contents]})
    rehearsal = play(peer, f"{HERE}/{name}")
    assert b"".join(rehearsal.emitted) == b"Hello, Prospero world.\nSecond line, it's here.\n"
    assert [asked for _link, asked in peer.asked][1] == contents


def test_our_requests_are_among_those_that_were_answered() -> None:
    """Every request of this file's tests, in one table of all transcripts: nothing is asked that nobody answered."""
    peer = Table(recorded(*(name for name in NAMES if not name.startswith(("ardp-", "hdr-", "loss-")))))
    for _transcript, verb, url, options, expected in LISTS:
        assert urls(play(peer, url, verb, **options)) == expected
