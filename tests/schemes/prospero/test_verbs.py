"""The verbs of prospero (RFC 1738 3.11), rehearsed: what is asked of which server, and what becomes of the answers."""

from __future__ import annotations

from typing import Any

import pytest

from anyurl.dialogue import Connect, Note, Options, Verb
from anyurl.errors import (
    AuthRequiredError,
    ConnectError,
    DeniedError,
    LimitError,
    NotFoundError,
    RefusedError,
    RemoteProtocolError,
    ReplyError,
    Truncated,
    UnsupportedError,
    URLSyntaxError,
)
from anyurl.schemes import registry
from anyurl.schemes.prospero import answers as prospero_answers
from anyurl.schemes.prospero.wire.ardp_packet import Packet, encode
from anyurl.testing import rehearse
from anyurl.url import URL
from tests.rows import each_row
from tests.schemes.prospero.prospero_peer import entries, play, table, urls

LISTED = "LIST ATTRIBUTES COMPONENTS"


def listing(hsoname: str, names: str = "") -> str:
    """The commands that list a directory."""
    return f"DIRECTORY ASCII {hsoname}\n{LISTED} {names}\n"


def resolving(hsoname: str, version: int = 0) -> str:
    """The commands that find out what an object is."""
    return f"GET-OBJECT-INFO #ALL ASCII {hsoname} {version}\nDIRECTORY ASCII {hsoname} {version}\n{LISTED}\n"


def link(name: str, *, type: str = "L", target: str = "FILE", host: str = "h", hsoname: str = "") -> str:
    """A LINK line."""
    return f"LINK  {type} {target} {name} INTERNET-D {host} ASCII {hsoname or name} 0\n"


def method(*tokens: str) -> str:
    """An ACCESS-METHOD of an object."""
    return f"ATTRIBUTE OBJECT FIELD ACCESS-METHOD {' '.join(tokens)}\n"


NOT_A_DIRECTORY = "FAILURE NOT-A-DIRECTORY\n"
AFTP = method("AFTP", "''", "f.example", "''", "/pub/x", "BINARY")
TELNET = method("TELNET", "''", "t.example", "''", "''")
CONTENTS = method("PROSPERO-CONTENTS", "''", "''", "''", "''")
LOCAL = method("LOCAL", "''", "''", "''", "''")


# --- get -------------------------------------------------------------------------------------------------------------


@each_row(
    ("methods", "url"),
    [
        (AFTP, "ftp://f.example/pub/x;type=i"),
        (LOCAL + TELNET + AFTP, "telnet://t.example/"),  # LOCAL is nobody else's; then the server's order
        (
            method("FTP", "''", "f.example", "''", "/x", "TEXT") + AFTP,
            "ftp://f.example/pub/x;type=i",
        ),  # no account first
        (method("FTP", "''", "f.example", "''", "/x", "TEXT"), "ftp://f.example/%2Fx;type=a"),
        (method("GOPHER", "''", "g.example", "''", "0/x"), "gopher://g.example/00/x"),
        (method("WAIS", "''", "w.example", "''", "x"), "wais://w.example/"),
        (method("TN3270", "''", "t.example", "''", "''") + AFTP, "ftp://f.example/pub/x;type=i"),  # spoken ones first
        (LOCAL + method("TN3270", "''", "t.example", "''", "''"), "tn3270://t.example/"),  # a gateway may speak it
    ],
)
@pytest.mark.clause("3.11-5")
def test_an_object_leads_on(methods: str, url: str) -> None:
    rehearsal = play(table({resolving("x"): methods + NOT_A_DIRECTORY}), "prospero://h/x")
    assert rehearsal.follow is not None
    assert (str(rehearsal.follow.url), rehearsal.follow.permanent) == (url, False)


@pytest.mark.parametrize(("view", "url"), [("aftp", "ftp://f.example/pub/x;type=i"), ("TELNET", "telnet://t.example/")])
def test_the_user_may_choose_the_access_method(view: str, url: str) -> None:
    rehearsal = play(table({resolving("x"): TELNET + AFTP + NOT_A_DIRECTORY}), "prospero://h/x", view=view)
    assert rehearsal.follow is not None
    assert str(rehearsal.follow.url) == url


@pytest.mark.parametrize(
    ("methods", "options", "error", "words"),
    [
        ("NONE-FOUND\n", {}, NotFoundError, r"knows no way to get it \(no ACCESS-METHOD\)."),
        (LOCAL, {}, UnsupportedError, "can be reached only by 'LOCAL', for which there is no URL."),
        (AFTP, {"view": "gopher"}, NotFoundError, "knows no way of the sort 'gopher' to get it"),
        (method("X'\x1b[2J'", "''", "h", "''", "x"), {}, UnsupportedError, r"can be reached only by 'X\\x1b\[2J', for"),
    ],
)  # fmt: skip
def test_an_object_that_leads_nowhere(
    methods: str, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        play(table({resolving("x"): methods + NOT_A_DIRECTORY}), "prospero://h/x", **options)


HELLO = "GET-OBJECT-INFO CONTENTS ASCII x.txt 0\n"
SIZE = "ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 5' bytes'\n"
DATA = "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA a'\n''b\n'\n"
RESOLVED = resolving("x.txt")


def test_octets_come_in_the_protocol() -> None:
    rehearsal = play(table({RESOLVED: SIZE + CONTENTS + NOT_A_DIRECTORY, HELLO: DATA}), "prospero://h/x.txt")
    assert b"".join(rehearsal.emitted) == b"a\n'b\n"
    said = rehearsal.described
    assert said is not None
    assert (said.kind, said.type, said.size, said.name) == ("document", "text/plain", 5, "x.txt")


@pytest.mark.parametrize(
    ("reply", "error", "words"),
    [
        (
            "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA a\n",
            Truncated,
            "announced 5 octets, but sent only 1",
        ),  # cut at a NUL
        ("FAILURE NOT-FOUND\n", NotFoundError, "it has no such object"),
        ("NONE-FOUND\n", NotFoundError, "sends no contents of the file"),
    ],
)
def test_contents_that_do_not_come_are_had_in_another_way(reply: str, error: type[Exception], words: str) -> None:
    url = "prospero://h/x.txt"
    with pytest.raises(error, match=words):
        play(table({RESOLVED: SIZE + CONTENTS + NOT_A_DIRECTORY, HELLO: reply}), url)
    rehearsal = play(table({RESOLVED: SIZE + CONTENTS + AFTP + NOT_A_DIRECTORY, HELLO: reply}), url)
    assert rehearsal.follow is not None
    assert str(rehearsal.follow.url) == "ftp://f.example/pub/x;type=i"
    assert any("the server offers the octets themselves, and then" in line for line in rehearsal.lines)


def test_the_octets_of_a_file_may_be_any() -> None:
    data = bytes(range(256)) * 40  # over several packets, one of which ends with NUL
    told = {RESOLVED: CONTENTS + NOT_A_DIRECTORY, HELLO: "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA '"
            + data.decode("latin-1").replace("'", "''") + "'\n"}  # fmt: skip
    assert b"".join(play(table(told), "prospero://h/x.txt").emitted) == data
    with pytest.raises(RemoteProtocolError, match="without a line of Prospero"):
        play(table({listing("/d"): link("a\0b")}), "prospero://h//d", "list")


def test_contents_may_be_of_another_object_elsewhere() -> None:
    there = method("PROSPERO-CONTENTS", "''", "'Other.example(1600)'", "''", "y")
    peer = table({
        RESOLVED: there + NOT_A_DIRECTORY,
        "GET-OBJECT-INFO CONTENTS ASCII y 0\n": "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA ''\n",
    })  # fmt: skip
    rehearsal = play(peer, "prospero://h/x.txt")
    assert rehearsal.emitted == []
    assert "connect to other.example port 1600 by UDP" in rehearsal.lines


def test_a_large_file_is_handed_out_in_pieces() -> None:
    data = "x" * 150_000
    reply = f"ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA {data}\n"
    rehearsal = play(table({RESOLVED: CONTENTS + NOT_A_DIRECTORY, HELLO: reply}), "prospero://h/x.txt")
    assert [len(piece) for piece in rehearsal.emitted] == [65_536, 65_536, 18_928]


@pytest.mark.parametrize("reply", ["NONE-FOUND\nNONE-FOUND\n", SIZE + "NONE-FOUND\n"])
def test_an_empty_directory_is_a_listing_of_nothing(reply: str) -> None:
    rehearsal = play(table({resolving("x"): reply}), "prospero://h/x")
    assert rehearsal.described is not None
    assert rehearsal.described.kind == "listing"
    assert rehearsal.emitted == []


def test_a_database_is_asked_for_its_listing_alone() -> None:
    peer = table({listing("ARCHIE/HOST/f"): NOT_A_DIRECTORY, "GET-OBJECT-INFO #ALL ASCII ARCHIE/HOST/f 0\n": AFTP})
    rehearsal = play(peer, "prospero://h/ARCHIE/HOST/f")
    assert [[line.word for line in asked] for _link, asked in peer.asked] == [
        [b"DIRECTORY", b"LIST"], [b"GET-OBJECT-INFO"],
    ]  # fmt: skip
    assert rehearsal.follow is not None


def test_a_search_without_words_is_an_index() -> None:
    verbs: tuple[Verb, ...] = ("get", "stat")
    for verb in verbs:
        rehearsal = play(table({}), "prospero://h/ARCHIE/MATCH(95,95,95,0,S)/", verb)
        assert rehearsal.described is not None
        assert rehearsal.described.kind == "index"
    with pytest.raises(UnsupportedError, match="designates a search without words: use search"):
        play(table({}), "prospero://h/ARCHIE/MATCH(95,95,95,0,S)", "list")


# --- forwarding ------------------------------------------------------------------------------------------------------

FORWARDED = "FORWARDED INTERNET-D OTHER.example(1600) ASCII /new 2\n"


@pytest.mark.parametrize(
    ("verb", "asked"),
    [("get", resolving("x")), ("stat", resolving("x")), ("list", listing("x"))],
)
def test_what_has_moved_is_asked_for_there(verb: Verb, asked: str) -> None:
    rehearsal = play(table({asked: FORWARDED}), "prospero://h/x", verb)
    assert rehearsal.follow is not None
    assert (str(rehearsal.follow.url), rehearsal.follow.reason, rehearsal.follow.permanent) == (
        "prospero://other.example:1600//new;OBJECT-VERSION=2", "prospero forwarding", True,
    )  # fmt: skip


@pytest.mark.parametrize("verb", ["get", "stat"])
@pytest.mark.parametrize("behind", ["", "FAILURE NOT-FOUND\n", NOT_A_DIRECTORY])
def test_a_pointer_among_the_attributes_is_followed(verb: Verb, behind: str) -> None:
    """To who asks for #ALL the servers say so, and never FORWARDED."""
    pointer = "ATTRIBUTE OBJECT INTRINSIC FORWARDING-POINTER LINK L FP '' INTERNET-D other.example ASCII /new 0\n"
    rehearsal = play(table({resolving("x"): pointer + behind}), "prospero://h/x", verb)
    assert rehearsal.follow is not None
    assert (str(rehearsal.follow.url), rehearsal.follow.permanent) == ("prospero://other.example//new", True)


def test_a_search_that_finds_nothing_says_so() -> None:
    rehearsal = play(table({listing("/d", "nothing"): "NONE-FOUND\n"}), "prospero://h//d", "search", words="nothing")
    assert entries(rehearsal) == []
    assert any("the server found nothing of that name" in line for line in rehearsal.lines)


@pytest.mark.parametrize("host", ["''", "h\xe9"])
def test_forwarding_to_no_host_is_an_error(host: str) -> None:
    with pytest.raises(RemoteProtocolError, match=r"h forwards to a host that has no name\."):
        play(table({resolving("x"): f"FORWARDED INTERNET-D {host} ASCII /new 0\n"}), "prospero://h/x")


@pytest.mark.parametrize(
    "place", ["'a b' ASCII /new 0", "h@i ASCII /new 0", "h(99999) ASCII /new 0", "h ASCII /new -1"]
)
def test_forwarding_to_what_no_url_says_is_the_servers_fault(place: str) -> None:
    with pytest.raises(RemoteProtocolError, match=r"^h forwards to a place that no URL can express: "):
        play(table({resolving("x"): f"FORWARDED INTERNET-D {place}\n"}), "prospero://h/x")


# --- unions and paths ------------------------------------------------------------------------------------------------


def test_a_union_has_its_directories_in_its_place() -> None:
    peer = table({
        listing("top"): link("a") + link("u1", type="U", target="DIRECTORY", hsoname="one") + link("z"),
        listing("one"): link("b") + link("u2", type="U", target="DIRECTORY", host="other(1600)", hsoname="two"),
        listing("two"): link("c", host="other(1600)"),
    })  # fmt: skip
    rehearsal = play(peer, "prospero://h/top", "list")
    assert [entry.name for entry in entries(rehearsal)] == ["a", "b", "c", "z"]
    assert [line for line in rehearsal.lines if line.startswith("connect")] == [
        "connect to h port 1525 by UDP",
        "connect to other port 1600 by UDP",
    ]


def test_a_union_that_holds_itself_ends() -> None:
    one, two = (link("u", type="U", target="DIRECTORY", hsoname=name) for name in ("one", "two"))
    peer = table({listing("one"): link("a") + two, listing("two"): link("b") + one})
    rehearsal = play(peer, "prospero://h/one", "list")
    assert [entry.name for entry in entries(rehearsal)] == ["a", "b"]
    assert "(“one” at h leads back to itself: left out)" in rehearsal.lines


def test_the_rest_of_a_union_is_shown_when_a_part_is_refused() -> None:
    peer = table({
        listing("top"): link("u", type="U", target="DIRECTORY", hsoname="gone") + link("a"),
        listing("gone"): "FAILURE NOT-AUTHORIZED\n",
    })  # fmt: skip
    rehearsal = play(peer, "prospero://h/top", "list")
    assert urls(rehearsal) == ["prospero://h/gone", "prospero://h/a"]
    assert any("a part of the union is left out: h refuses “gone”" in line for line in rehearsal.lines)


@pytest.mark.parametrize("failure", [ConnectError("no route"), RefusedError("a private address")])
def test_the_rest_of_a_union_is_shown_when_a_part_is_out_of_reach(failure: Exception) -> None:
    url = URL("prospero://h/top")
    top = link("u", type="U", target="DIRECTORY", host="far", hsoname="x") + link("a")
    reply = encode(Packet(1, payload=top.encode()))
    answers: list[Any] = []
    script = rehearse(registry.verb(url, "list")(url, Options()), answers)
    while len(script.asks) > len(answers):
        answers.append(_answer(script.asks[-1], reply, failure))
        script = rehearse(registry.verb(url, "list")(url, Options()), answers)
    found = [entry for batch in script.emitted for entry in batch]
    assert [entry.name for entry in found] == ["u", "a"]
    assert any(isinstance(ask, Note) and "left out" in ask.text for ask in script.asks)


def _answer(ask: Any, reply: bytes, failure: Exception) -> Any:
    name = type(ask).__name__
    if isinstance(ask, Connect):
        return failure if ask.host == "far" else object()
    return {"Random": b"\0\0", "Monotonic": 0.0, "Receive": reply}.get(name)


def test_a_path_is_forwarded_as_often_as_the_original_client_follows() -> None:
    moves = {listing(f"d{at}", "a"): f"FORWARDED INTERNET-D h ASCII d{at + 1} 0\n" for at in range(20)}
    rehearsal = play(table(moves | {listing("d20", "a"): link("a")}), "prospero://h/d0", "search", words="a")
    assert urls(rehearsal) == ["prospero://h/a"]


def test_a_union_is_only_so_deep_and_so_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = {listing(f"d{at}"): link("u", type="U", target="DIRECTORY", hsoname=f"d{at + 1}") for at in range(30)}
    with pytest.raises(LimitError, match="The directory forwards more than 20 times") as caught:
        play(table(chain), "prospero://h/d0", "list")
    assert caught.value.limit == "MAX_DEPTH"
    many = "".join(link("u", type="U", target="DIRECTORY", hsoname=f"d{at}") for at in range(30))
    wide = {listing(f"d{at}"): link("x") for at in range(30)} | {listing("top"): many}
    with pytest.raises(LimitError, match="The listing comes from more than 24 directories") as caught:
        play(table(wide), "prospero://h/top", "list")
    assert caught.value.limit == "MAX_DIRECTORIES"


@pytest.mark.parametrize("left", ["rfc x", "rfc/x"])  # one token a name; older servers: one token
def test_a_path_goes_on_at_another_server(left: str) -> None:
    peer = table({
        listing("top", "docs/rfc/x"): link("docs", target="DIRECTORY", host="other(1600)", hsoname="d")
        + f"UNRESOLVED {left}\n",
        listing("d", "rfc/x"): link("x", host="other(1600)"),
    })  # fmt: skip
    rehearsal = play(peer, "prospero://h/top", "search", words="docs/rfc/x")
    assert urls(rehearsal) == ["prospero://other:1600/x"]
    assert [number for number, _asked in peer.asked] == [1, 2]


def test_a_path_goes_on_by_each_of_several_links_of_a_name() -> None:
    """Names may repeat: one that is a file, or can't be followed, does not hide the other."""
    twins = link("a", hsoname="file") + "LINK  L SYMBOLIC a VIRTUAL-SYSTEM #/INET ASCII /p 0\n"
    peer = {listing("top", "a/b"): twins + link("a", target="DIRECTORY", hsoname="d") + "UNRESOLVED b\n",
            listing("file", "b"): NOT_A_DIRECTORY}  # fmt: skip
    rehearsal = play(table({**peer, listing("d", "b"): link("b")}), "prospero://h/top", "search", words="a/b")
    assert urls(rehearsal) == ["prospero://h/b"]
    assert "(left out: h refuses “file”: that is not a directory (“NOT-A-DIRECTORY”))" in rehearsal.lines
    rehearsal = play(table({**peer, listing("d", "b"): "NONE-FOUND\n"}), "prospero://h/top", "search", words="a/b")
    assert urls(rehearsal) == []
    with pytest.raises(NotFoundError, match="refuses “file”"):
        play(table({**peer, listing("d", "b"): NOT_A_DIRECTORY}), "prospero://h/top", "search", words="a/b")


def test_a_name_is_looked_up_in_the_directories_of_a_union() -> None:
    unions = link("u1", type="U", target="DIRECTORY", hsoname="one") + link("u2", type="U", hsoname="two")
    peer = table({
        listing("top", "union/deep"): unions,
        listing("one", "deep"): "NONE-FOUND\n",
        listing("two", "deep"): link("deep"),
    })  # fmt: skip
    assert urls(play(peer, "prospero://h/top", "search", words="union/deep")) == ["prospero://h/deep"]


def test_a_name_in_the_middle_of_a_path_may_be_in_a_union() -> None:
    peer = table({
        listing("top", "a/b/c"): link("u", type="U", target="DIRECTORY", hsoname="one") + "UNRESOLVED c\n",
        listing("one", "b/c"): link("c"),
    })  # fmt: skip
    assert urls(play(peer, "prospero://h/top", "search", words="a/b/c")) == ["prospero://h/c"]


def test_forwarding_in_the_middle_of_a_path() -> None:
    peer = table({
        listing("top", "a"): "FORWARDED INTERNET-D other ASCII new 0\n",
        listing("new", "a"): "FORWARDED INTERNET-D h ASCII top 0\n",
    })  # fmt: skip
    rehearsal = play(peer, "prospero://h/top", "search", words="a")
    assert rehearsal.emitted == []
    assert "(“top” at h leads back to itself: left out)" in rehearsal.lines


@pytest.mark.parametrize("left", ["a/b", "x", "c/a/b"])
def test_what_is_left_over_must_have_been_asked_for(left: str) -> None:
    peer = table({listing("top", "a/b"): link("a", target="DIRECTORY") + f"UNRESOLVED {left}\n"})
    with pytest.raises(RemoteProtocolError, match=r"h leaves names unresolved that were not in the request\."):
        play(peer, "prospero://h/top", "search", words="a/b")


def test_a_path_does_not_lead_through_a_virtual_system() -> None:
    symbolic = "LINK  L SYMBOLIC vs VIRTUAL-SYSTEM #/INET ASCII /projects 0\nUNRESOLVED b\n"
    with pytest.raises(UnsupportedError, match="The path leads through “vs”, a link to something “SYMBOLIC"):
        play(table({listing("top", "vs/b"): symbolic}), "prospero://h/top", "search", words="vs/b")


def test_a_filter_that_is_not_applied_is_told() -> None:
    filtered = link("a", target="DIRECTORY") + "ATTRIBUTE LINK FIELD FILTER FILTER  DIRECTORY CLIENT\nUNRESOLVED b\n"
    peer = table({listing("top", "a/b"): filtered, listing("a", "b"): link("b")})
    rehearsal = play(peer, "prospero://h/top", "search", words="a/b")
    assert "(the link “a” has a filter, which is not applied)" in rehearsal.lines
    assert urls(rehearsal) == ["prospero://h/b"]


def test_a_filter_of_a_union_is_told_as_well() -> None:
    union = link("u", type="U", target="DIRECTORY", hsoname="one") + "ATTRIBUTE LINK FIELD FILTER DIRECTORY CLIENT\n"
    rehearsal = play(table({listing("top"): union, listing("one"): link("b")}), "prospero://h/top", "list")
    assert "(the link “u” has a filter, which is not applied)" in rehearsal.lines
    assert urls(rehearsal) == ["prospero://h/b"]


# --- search ----------------------------------------------------------------------------------------------------------


@each_row(
    ("hsoname", "words", "options", "asked"),
    [
        ("ARCHIE", "two words", {}, listing("'ARCHIE/MATCH(95,95,95,0,=)/two words'")),
        ("ARCHIE", "x", {"limit": 10}, listing("'ARCHIE/MATCH(10,10,10,0,=)/x'")),
        ("ARCHIE", "x", {"match": "Substring"}, listing("'ARCHIE/MATCH(95,95,95,0,S)/x'")),
        ("ARCHIE/MATCH(5,5,5,0,R)", "a.*b/c", {}, listing("'ARCHIE/MATCH(5,5,5,0,R)/a.*b/c'")),
        ("ARCHIE/MATCH(100,0,s)/old", "x", {"limit": 7}, listing("'ARCHIE/MATCH(7,0,s)/x'")),  # the old form
        ("ARCHIE/MATCH()", "x", {}, listing("'ARCHIE/MATCH(95,95,95,0,=)/x'")),
        ("ARCHIE/HOST", "*.edu", {}, listing("'ARCHIE/HOST'", "*.edu")),
        ("ARCHIE/HOST", "/ftp.example.com/pub", {}, listing("'ARCHIE/HOST'", "ftp.example.com/pub")),
        ("ARCHIE/HOST/ftp.example.com", "pub/*.Z", {}, listing("'ARCHIE/HOST/ftp.example.com'", "pub/*.Z")),
        ("WAIS-GW/w(210)/QUERY/db", "to be", {}, listing("'WAIS-GW/w(210)/QUERY/db/to be'")),
        ("WAIS-GW/w(210)/QUERY/db/not", "to be", {}, listing("'WAIS-GW/w(210)/QUERY/db/to be'")),
        ("GOPHER-GW/g(70)/7/s", "word", {}, listing("'GOPHER-GW/g(70)/7/s'", "word")),
        ("GOPHER-GW/g(70)/7/s", "tcp/ip *", {}, listing("'GOPHER-GW/g(70)/7/s'", "'tcp/ip *'")),  # words, no path
        ("GOPHER-GW/g(70)/1/s", "tcp/ip", {}, listing("'GOPHER-GW/g(70)/1/s'", "tcp/ip")),
        ("/pfs/demo", "/docs//*.txt/", {}, listing("/pfs/demo", "docs/*.txt")),  # never an empty name
        ("/pfs/demo", "(no.*)", {}, listing("/pfs/demo", "(no.*)")),
    ],
)
def test_what_a_search_asks(hsoname: str, words: str, options: dict[str, Any], asked: str) -> None:
    peer = table({asked: "NONE-FOUND\n"})
    rehearsal = play(peer, f"prospero://h/{hsoname}", "search", words=words, **options)
    assert len(peer.asked) == 1
    assert rehearsal.described is not None
    assert (rehearsal.described.kind, rehearsal.emitted) == ("listing", [])


def test_hosts_that_archie_knows() -> None:
    site = link("ftp.example.com", target="DIRECTORY", hsoname="ARCHIE/HOST/ftp.example.com")
    rehearsal = play(
        table({listing("ARCHIE/HOST", "*.com"): site}), "prospero://h/ARCHIE/HOST", "search", words="*.com"
    )
    [found] = entries(rehearsal)
    assert str(found.url) == "prospero://h/ARCHIE/HOST/ftp.example.com"
    assert found.attributes["stands_for"] == "ftp://ftp.example.com/;type=d"


def test_a_search_for_names_finds_searches() -> None:
    string = link("foobar", target="DIRECTORY", hsoname="'ARCHIE/MATCH(95,95,95,0,=)/foobar'")
    peer = table({listing("'ARCHIE/MATCH(95,95,95,0,K)/foo'"): string})
    rehearsal = play(peer, "prospero://h/ARCHIE", "search", words="foo", match="strings")
    assert urls(rehearsal) == ["prospero://h/ARCHIE/MATCH(95,95,95,0,=)/foobar"]


def test_a_search_may_be_for_so_many() -> None:
    peer = table({listing("d", "a*"): link("a1") + link("a2") + link("a3")})
    assert urls(play(peer, "prospero://h/d", "search", words="a*", limit=2)) == ["prospero://h/a1", "prospero://h/a2"]


def test_a_directory_has_no_sorts_of_search() -> None:
    with pytest.raises(UnsupportedError, match="prospero://h/d is not an archie search, the only kind with match="):
        play(table({}), "prospero://h/d", "search", words="a", match="regex")


@pytest.mark.parametrize(
    ("words", "options", "error", "text"),
    [
        ("", {}, UnsupportedError, "needs words to search for"),
        ("//", {}, UnsupportedError, "needs words to search for"),
        ("a\0b", {}, RefusedError, r"The words for prospero://h/ARCHIE holds NUL"),
        ("a", {"match": "fuzzy"}, UnsupportedError, "Archie has no search of the kind 'fuzzy': exact, substring, case"),
        ("a", {"match": ""}, UnsupportedError, "Archie has no search of the kind ''"),
    ],
)
def test_searches_that_are_none(words: str, options: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        play(table({}), "prospero://h/ARCHIE", "search", words=words, **options)


# --- what servers say ------------------------------------------------------------------------------------------------


@each_row(
    ("reply", "error", "words"),
    [
        ("FAILURE NOT-FOUND\n", NotFoundError, r"h refuses “x”: it has no such object \(“NOT-FOUND”\)"),
        ("FAILURE NOT-A-DIRECTORY\n", NotFoundError, r"that is not a directory"),
        (
            "FAILURE NOT-AUTHORIZED too' many hits'\n",
            DeniedError,
            r"it does not allow that \(“NOT-AUTHORIZED”, “too many hits",
        ),
        ("FAILURE AUTHENTICATION-REQUIRED\n", AuthRequiredError, "it requires authentication"),
        ("FAILURE AUTHENTICATION-DATA KERBEROS\n", AuthRequiredError, r"\(“AUTHENTICATION-DATA”, “KERBEROS”\)"),
        ("FAILURE TOO-MANY\n", ReplyError, "there are too many"),
        ("FAILURE SERVER-FAILED disk\n", ReplyError, r"something failed there \(“SERVER-FAILED”, “disk”\)"),
        ("FAILURE X-NEW\n", ReplyError, r"the request is refused \(“X-NEW”\)"),
        ("ERROR Unknown message: \x1b[2J\n", ReplyError, r"it does not understand .*Unknown message: \\x1b\[2J"),
        ("ERROR\n", ReplyError, r"it does not understand the request \(ERROR\)"),
        ("VERSION-NOT-SUPPORTED TRY 1-4", RemoteProtocolError, r"does not speak version 5 of Prospero \(“TRY 1-4”\)"),
        ("", RemoteProtocolError, "h answers without a line of Prospero, not even NONE-FOUND: nothing at all"),
        ("LINK  L FILE 'a\n", RemoteProtocolError, "A Prospero message ends inside quotes"),
    ],
)
def test_what_a_server_says_no_to(reply: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        play(table({listing("x"): reply}), "prospero://h/x", "list")
    assert type(caught.value) is error


def test_a_name_is_escaped_once_in_what_people_read() -> None:
    with pytest.raises(NotFoundError) as caught:
        play(table({listing("caf\xe9"): "FAILURE NOT-FOUND\n"}), "prospero://h/caf%E9", "list")
    assert str(caught.value) == r"h refuses “caf\xe9”: it has no such object (“NOT-FOUND”)."


def test_of_what_a_server_says_and_of_a_name_no_more_is_told_than_a_person_reads() -> None:
    with pytest.raises(ReplyError) as caught:
        play(table({listing("x"): f"FAILURE {'N' * 101} {'w' * 501}\n"}), "prospero://h/x", "list")
    assert str(caught.value) == f"h refuses “x”: the request is refused (“{'N' * 101}”, “{'w' * 200}...”)."
    with pytest.raises(NotFoundError) as caught:
        play(table({listing("x" * 201): "FAILURE NOT-FOUND\n"}), "prospero://h/" + "x" * 201, "list")
    assert str(caught.value) == f"h refuses “{'x' * 200}...”: it has no such object (“NOT-FOUND”)."


def test_what_a_server_says_in_latin_1_is_read() -> None:
    with pytest.raises(ReplyError, match=r"\(“SERVER-FAILED”, “Gerät defekt”\)"):
        play(table({listing("x"): "FAILURE SERVER-FAILED Ger\xe4t defekt\n"}), "prospero://h/x", "list")
    rehearsal = play(
        table({listing("x"): "WARNING MESSAGE f\xfcnf\nNEW s\xe4tze\n" + link("a")}), "prospero://h/x", "list"
    )
    assert "(the server warns: “fünf”)" in rehearsal.lines


def test_warnings_and_unknown_lines_are_remarks() -> None:
    reply = "WARNING OUT-OF-DATE\nWARNING MESSAGE mind' the \x1b gap'\nWHATEVER this' is'\n" + link("a")
    rehearsal = play(table({listing("x"): reply}), "prospero://h/x", "list")
    assert [line for line in rehearsal.lines if line.startswith(("(the", "(a line"))] == [
        "(the server warns: “OUT-OF-DATE”)",
        "(the server warns: “mind the \\x1b gap”)",
        "(a line of the reply is not understood; it is: “WHATEVER this' is'”)",
    ]
    assert len(entries(rehearsal)) == 1


def test_only_so_many_remarks_are_made() -> None:
    lines = "x\nWARNING MESSAGE hot\n" * 5_000 + "NONE-FOUND\n"
    rehearsal = play(table({listing("x"): lines, resolving("x"): "NONE-FOUND\n"}), "prospero://h/x", "list")
    assert sum("the server warns" in line for line in rehearsal.lines) == prospero_answers.MAX_NOTES
    assert sum("5,000 lines of the reply are not understood" in line for line in rehearsal.lines) == 1


@pytest.mark.parametrize(("verb", "asked"), [("list", listing("x")), ("get", resolving("x"))])
def test_links_that_came_before_a_failure_are_shown(verb: Verb, asked: str) -> None:
    rehearsal = play(table({asked: link("a") + "FAILURE SERVER-FAILED\n"}), "prospero://h/x", verb)
    assert urls(rehearsal) == ["prospero://h/a"]
    assert any("the listing broke off: h refuses “x”" in line for line in rehearsal.lines)


def test_an_empty_directory_is_one_that_is_there_and_may_be_seen() -> None:
    """Who may not see its links gets none of them; only of the directory itself a server says why."""
    answers = {listing("x"): "NONE-FOUND\n", resolving("x"): "FAILURE NOT-AUTHORIZED\n"}
    with pytest.raises(DeniedError, match=r"it does not allow that \(“NOT-AUTHORIZED”\)"):
        play(table(answers), "prospero://h/x", "list")
    for other in ("NONE-FOUND\n", "FAILURE SERVER-FAILED\n"):
        rehearsal = play(table({**answers, resolving("x"): other}), "prospero://h/x", "list")
        assert urls(rehearsal) == []


def test_a_directory_that_is_known_and_may_not_be_listed() -> None:
    """It is not the way to it that is missing."""
    with pytest.raises(DeniedError, match=r"it does not allow that \(“NOT-AUTHORIZED”\)"):
        play(table({resolving("x"): SIZE + "FAILURE NOT-AUTHORIZED\n"}), "prospero://h/x")


@pytest.mark.parametrize(
    ("limit", "reply"),
    [
        ("MAX_LINKS", link("a") * 3),
        ("MAX_ATTRIBUTES", link("a") + "ATTRIBUTE LINK APPLICATION X SEQUENCE\n" * 3),
        ("MAX_ATTRIBUTES_OF_ONE", link("a") + "ATTRIBUTE LINK APPLICATION X SEQUENCE\n" * 3),
    ],
)
def test_a_reply_has_only_so_much(limit: str, reply: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prospero_answers, limit, 3)
    play(table({listing("x"): reply}), "prospero://h/x", "list")
    monkeypatch.setattr(prospero_answers, limit, 2)
    with pytest.raises(LimitError) as caught:
        play(table({listing("x"): reply}), "prospero://h/x", "list")
    assert caught.value.limit == limit


def test_entries_are_handed_out_in_batches() -> None:
    rehearsal = play(table({listing("x"): link("a") * 1_200}), "prospero://h/x", "list")
    assert [len(batch) for batch in rehearsal.emitted] == [500, 500, 200]


# --- stat ------------------------------------------------------------------------------------------------------------


def test_a_service_is_described_as_one() -> None:
    reply = TELNET + "ATTRIBUTE OBJECT APPLICATION OBJECT-INTERPRETATION SEQUENCE PORTAL\n" + NOT_A_DIRECTORY
    said = play(table({resolving("x"): reply}), "prospero://h/x", "stat").described
    assert said is not None
    assert (said.kind, said.type, said.attributes["urls"]) == ("service", None, ["telnet://t.example/"])


def test_an_object_without_attributes_is_there() -> None:
    said = play(table({resolving("x"): "NONE-FOUND\n" + NOT_A_DIRECTORY}), "prospero://h/x", "stat").described
    assert said is not None
    assert (said.kind, said.attributes) == ("document", {"attributes": {}, "urls": []})


def test_fields_select_what_is_asked_for() -> None:
    asked = (
        "GET-OBJECT-INFO #ALL ASCII x 7\nSELECT OBJECT FIELD ID SEQUENCE REMOTE' 42'\n"
        "DIRECTORY ASCII x 7\nSELECT OBJECT FIELD ID SEQUENCE REMOTE' 42'\n" + LISTED + "\n"
    )
    said = play(table({asked: "NONE-FOUND\n"}), "prospero://h/x;ID=REMOTE%2042;OBJECT-VERSION=7", "stat").described
    assert said is not None
    assert said.attributes == {"attributes": {}, "urls": [], "links": 0}


@pytest.mark.parametrize("verb", ["get", "list", "search", "stat"])
def test_a_version_that_is_no_number_is_refused_before_anything_is_asked(verb: Verb) -> None:
    url = URL("prospero://h/x;OBJECT-VERSION=new")
    with pytest.raises(URLSyntaxError, match="an object version is a number"):
        registry.verb(url, verb)
