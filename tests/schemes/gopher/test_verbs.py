"""gopher against servers that play a part: every verb, both ways to ask for Gopher+, forms, and hostile servers."""

from __future__ import annotations

import contextlib
import inspect
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyurl.client.client import Client, consent_to_all
from anyurl.client.resource import Resource
from anyurl.dialogue import Consent, Options
from anyurl.errors import (
    AnyURLError,
    ConnectError,
    ConnectionLost,
    LimitError,
    LocalProtocolError,
    NotFoundError,
    RefusedError,
    RemoteProtocolError,
    ReplyError,
    TransferTimeout,
    Truncated,
    UnsupportedError,
)
from anyurl.guard.policy import Policy
from anyurl.schemes.gopher import plus as gopher_plus
from anyurl.schemes.gopher.verbs import get
from anyurl.testing import rehearse
from anyurl.url import URL
from tests.servers import PATIENCE, Connection, Part, Server, certificate, descriptors, left_open, unheard

PATIENT = Policy.open().limits.replace(listing_entries=5_000)
"""Where no clock may be what ends it, however slow the machine is."""

QUICK = PATIENT.replace(idle=0.3, total=20.0)  # total: against a hang only


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(Policy.open(), ask_consent=consent_to_all) as client:
        yield client


def says(*replies: bytes) -> Part:
    """One reply a connection, whatever is asked; the last one for all that follow."""
    rest = list(replies)

    def part(connection: Connection) -> None:
        connection.until(b"\n")
        connection.send(rest.pop(0) if len(rest) > 1 else rest[0])

    return part


def answers(table: dict[bytes, bytes]) -> Part:
    """The reply for each request; a request that is not in the table is refused as a plain server does."""

    def part(connection: Connection) -> None:
        request = connection.until(b"\r\n")
        if request.endswith(b"\t+\t1\r\n"):
            request += connection.until(b"\r\n.\r\n")
        connection.send(table.get(request, b"3no\t\terror.host\t1\r\n.\r\n"))

    return part


def url(server: Server, path: str) -> str:
    return f"gopher://{server.authority}/{path}"


# --- get -------------------------------------------------------------------------------------------------------------

DOCUMENTS = [
    ("a text loses its dots", "0a", b"one\r\n..two\r\n.\r\n", b"one\n.two\n", "text/plain"),
    ("a text without an end", "0a", b"one\n", b"one\n", "text/plain"),
    ("an empty text", "0a", b"", b"", "text/plain"),
    ("a text of another kind", "0a.css", b"x\r\n.\r\n", b"x\n", "text/css"),
    ("a file is not touched", "9a.zip", b"..\r\n\0.\r\n", b"..\r\n\0.\r\n", "application/zip"),
    ("a picture", "ga", b"GIF89a", b"GIF89a", "image/gif"),
    ("a picture of another sort", "Ia.png", b"\x89PNG", b"\x89PNG", "image/png"),
    ("a page", "ha", b"<p>.\r\n.\r\n", b"<p>.\r\n.\r\n", "text/html"),
    ("a type that nobody knows", "xa", b"..x", b"..x", None),
    ("words are sent with any type", "0a%09b", b"c\r\n.\r\n", b"c\n", "text/plain"),
]


@pytest.mark.parametrize(
    ("path", "reply", "content", "type"), [row[1:] for row in DOCUMENTS], ids=[row[0] for row in DOCUMENTS]
)
def test_get(client: Client, path: str, reply: bytes, content: bytes, type: str | None) -> None:
    with Server(says(reply)) as server:
        resource = client.get(url(server, path))
        assert (resource.kind, resource.content_type, resource.read()) == ("document", type, content)


REQUESTS = [
    ("3.4.1: nothing", "", b"\r\n"),
    ("3.4.1: a selector", "00/a%20b?c#d", b"0/a b?c\r\n"),
    ("3.4.2: a search", "7s%09two%20words", b"s\ttwo words\r\n"),
    ("3.4.2: an empty search", "0x%09", b"x\t\r\n"),
    ("3.4.3: an empty search and an empty string", "0x%09%09", b"x\t\t\r\n"),
    ("octets that are not UTF-8", "0%FF", b"\xff\r\n"),
    ("3.4.3: selector, tab, search, tab, string", "0s%09%09+", b"s\t\t+\r\n"),
    ("a search in Gopher+", "7s%09w%09+", b"s\tw\t+\r\n"),
    ("3.4.8: a view", "0s%09%09+application/postscript%20Es_ES", b"s\t\t+application/postscript Es_ES\r\n"),
    ("3.4.7: attributes", "0s%09%09!+ABSTRACT%20+SMELL", b"s\t\t!+ABSTRACT +SMELL\r\n"),
    ("3.4.6: of a directory", "1s%09%09$", b"s\t\t$\r\n"),
    ("3.4.5: a form", "0s%09%09?", b"s\t\t!+ASK\r\n"),
]


@pytest.mark.clause("3.4.1-9", "3.4.2-1", "3.4.3-2")
@pytest.mark.parametrize(("path", "request_line"), [row[1:] for row in REQUESTS], ids=[row[0] for row in REQUESTS])
def test_what_is_sent_first(client: Client, path: str, request_line: bytes) -> None:
    with Server(says(b"--1\r\n1 x\r\nno\r\n.\r\n")) as server:
        with contextlib.suppress(AnyURLError):
            client.get(url(server, path)).close()
        assert bytes(server.received[0]) == request_line


def test_an_index_waits_for_words(client: Client) -> None:
    resource = client.get("gopher://127.0.0.1/7s")
    assert (resource.kind, resource.read()) == ("index", b"")
    assert "anyurl search URL WORDS" in resource.notes[0]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("8guest", "designates the service telnet://guest@h:7070/: there is nothing to get."),
        ("T", "designates the service tn3270://h:7070: there is nothing to get."),
        ("2", "designates a CSO phone book, which anyurl does not support: there is nothing to get."),
    ],
)
def test_a_session_is_no_resource(client: Client, path: str, message: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        client.get(f"gopher://h:7070/{path}")
    assert str(caught.value).endswith(message)
    with pytest.raises(UnsupportedError, match="there is nothing to list"):
        client.list(f"gopher://h:7070/{path}")


@pytest.mark.parametrize("path", ["0a", "9a", "1a", "7a%09w"])
def test_a_plain_server_refuses_with_a_line(client: Client, path: str) -> None:
    with Server(says(b"3no \x1b[1m such\t\terror.host\t1\r\n.\r\n")) as server:
        with pytest.raises(NotFoundError) as caught:
            client.get(url(server, path))
    assert caught.value.text == "no \\x1b[1m such"


def test_a_text_that_begins_with_three_is_a_text(client: Client) -> None:
    with Server(says(b"3.14\tis\ta\tnumber\r\n.\r\n")) as server:
        assert client.get(url(server, "0a")).read() == b"3.14\tis\ta\tnumber\n"


# --- menus -----------------------------------------------------------------------------------------------------------


def entries(resource: Resource) -> list[tuple[str, str | None, str | None]]:
    return [(e.title or "", None if e.url is None else str(e.url), e.kind) for e in resource.entries()]


ITEMS = [
    (b"0About\t0/about\th\t70", ("About", "gopher://h/00/about", "document")),
    (b"1Dir\t1/d\tH.example\t7070", ("Dir", "gopher://H.example:7070/11/d", "listing")),
    (b"1Dir\t1/d\th\t70\t+", ("Dir", "gopher://h/11/d%09%09+", "listing")),
    (b"0Form\t0/f\th\t70\t?", ("Form", "gopher://h/00/f%09%09?", "form")),
    (b"7Find\t7/s\th\t70", ("Find", "gopher://h/77/s", "index")),
    (b"hWeb\tURL:http://example.org/a?b\th\t70", ("Web", "http://example.org/a?b", "document")),
    (b"hWeb\tURL: http://example.org/ \t(NULL)\t(NULL)", ("Web", "http://example.org/", "document")),
    (b"hPage\t/a.html\th\t70", ("Page", "gopher://h/h/a.html", "document")),
    (b"8Library\tguest\th\t23", ("Library", "telnet://guest@h/", "service")),
    (b"8Library\t\th\t0", ("Library", "telnet://h/", "service")),
    (b"TMainframe\t\th\t23", ("Mainframe", "tn3270://h", "service")),
    (b"2Phones\t\th\t105", ("Phones", "gopher://h:105/2", "service")),
    (b"iJust words\t\terror.host\t1", ("Just words", None, None)),
    (b"3Broken\t\terror.host\t1", ("Broken", None, None)),
    (b"0Port\ts\th\t99999", ("Port", None, "document")),
    (b"0Host\ts\th h\t70", ("Host", None, "document")),
    (b"0CR\ta\rb\th\t70", ("CR", None, "document")),
    (b"hBad\tURL:not a url\th\t70", ("Bad", None, "document")),
    (b"0Gr\xfc\xdfe\ts\xfc\th\t70", ("Grüße", "gopher://h/0s%FC", "document")),
    ("0Grüße\tsü\th\t70".encode(), ("Grüße", "gopher://h/0s%C3%BC", "document")),
    (b"0../../x\t../../x\th\t70", ("../../x", "gopher://h/0../../x", "document")),
    (b"0six\ts\t::1\t70", ("six", "gopher://[::1]/0s", "document")),
]


@pytest.mark.parametrize(("line", "entry"), ITEMS)
def test_each_line_has_a_url_of_the_right_scheme(
    client: Client, line: bytes, entry: tuple[str, str | None, str | None]
) -> None:
    with Server(says(b"ihello\t\t\t\r\n" + line + b"\r\n.\r\n")) as server:
        assert entries(client.list(url(server, ""))) == [("hello", None, None), entry]


def test_another_place_for_the_item_before(client: Client) -> None:
    with Server(says(b"9a\ts\th\t70\r\ni\t\t\t\r\n+a\ts\tother\t70\r\n.\r\n")) as server:
        found = list(client.list(url(server, "")).entries())
    assert str(found[2].url) == "gopher://other/9s"
    assert found[2].attributes == {"gopher_type": "+", "mirror_of": "9"}


def test_a_menu_as_octets_is_a_list_of_urls(client: Client) -> None:
    with Server(says(b"ihello\t\t\t\r\n0a\ts\th\t70\r\n.\r\n")) as server:
        assert client.get(url(server, "1")).read() == b"# hello\r\ngopher://h/0s\r\n"


def test_an_empty_menu_and_what_follows_the_end(client: Client) -> None:
    with Server(says(b".\r\n")) as server:
        assert entries(client.list(url(server, ""))) == []
    with Server(says(b"0a\ts\th\t70\r\n.\r\n0b\ts\th\t70\r\n")) as server:
        resource = client.list(url(server, ""))
        assert len(entries(resource)) == 2
        assert resource.notes[0] == "a line of the menu is not understood; it is: “.”"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"a\r\n.\r\n", None),
        (b"a\r\n", None),  # no lone dot: many servers only close
        (b"a\r\nb", "in the middle of a line"),
    ],
)
def test_an_end_without_its_dot_is_no_doubt_but_half_a_line_is(client: Client, text: bytes, words: str | None) -> None:
    with Server(says(text)) as server:
        resource = client.get(url(server, "0a"))
        resource.read()
    assert [words is not None and words in note for note in resource.notes] == [True] * (words is not None)


def test_a_line_without_a_type_is_blank_and_ends_no_menu(client: Client) -> None:
    with Server(says(b"\tnothing\terror.host\t1\r\n0a\tb\th\t70\r\n\t\t\t\r\n.\r\n")) as server:
        listed = list(client.list(f"gopher://{server.authority}/1").entries())
        found = list(client.search(f"gopher://{server.authority}/7", "x").entries())
    for entries in (listed, found):
        assert [(entry.name, entry.kind, entry.url and str(entry.url)) for entry in entries] == [
            ("", None, None), ("a", "document", "gopher://h/0b"), ("", None, None),
        ]  # fmt: skip


def test_list_is_for_menus(client: Client) -> None:
    for path, hint in (("0a", "use get"), ("7a", "use search with words"), ("1a%09%09!", "use get")):
        with pytest.raises(UnsupportedError, match=hint):
            client.list(f"gopher://h/{path}")


def test_search(client: Client) -> None:
    with Server(answers({b"s\ttwo words\r\n": b"0a\ts\th\t70\r\n.\r\n", b"p\tx\t+\r\n": b"+-1\r\n.\r\n"})) as server:
        assert len(entries(client.search(url(server, "7s"), "two words"))) == 1
        assert len(entries(client.search(url(server, "7s%09one"), "two words"))) == 1
        assert entries(client.search(url(server, "7p%09%09+"), "x")) == []


@pytest.mark.parametrize("words", ["a\r\nb", "a\nb", "a\0b", "a\tb"])
def test_words_that_would_end_are_refused(client: Client, words: str) -> None:
    with pytest.raises(RefusedError):
        client.search("gopher://h/7s", words)
    with pytest.raises(RefusedError):
        client.get("gopher://h/0s", view=words)


def test_only_an_index_can_be_searched(client: Client) -> None:
    with pytest.raises(UnsupportedError, match="an index is of type 7"):
        client.search("gopher://h/1s", "words")
    with pytest.raises(UnsupportedError, match="needs words"):
        client.search("gopher://h/7s", "")


# --- Gopher+ ---------------------------------------------------------------------------------------------------------

PLUS = [
    ("a length", "0s", b"+5\r\n..\r\nx", b"..\r\nx"),
    ("a lone dot", "0s", b"+-1\r\n..a\r\n.\r\n", b".a\n"),
    ("to the end of the connection", "0s", b"+-2\r\n..a\r\n.\r\n", b"..a\r\n.\r\n"),
    ("nothing", "0s", b"+0\r\n", b""),
    ("a menu", "1s", b"+-1\r\n0a\ts\th\t70\r\n.\r\n", b"gopher://h/0s\r\n"),
    ("a menu with a length", "1s", b"+11\r\n0a\ts\th\t70\r\n", b"gopher://h/0s\r\n"),
    ("an empty menu", "1s", b"+-2\r\n", b""),
]


@pytest.mark.parametrize(("path", "reply", "content"), [row[1:] for row in PLUS], ids=[row[0] for row in PLUS])
def test_the_forms_of_a_length(client: Client, path: str, reply: bytes, content: bytes) -> None:
    def drip(connection: Connection) -> None:
        connection.until(b"\n")
        for index in range(len(reply)):
            connection.send(reply[index : index + 1])

    for part in (says(reply), drip):
        with Server(part) as server:
            server_url = url(server, f"{path}%09%09+")
            assert client.get(server_url).read() == content


def test_a_view_is_asked_for_and_names_its_type(client: Client) -> None:
    with Server(answers({b"s\t\t+text/html De_DE\r\n": b"+3\r\n<p>"})) as server:
        resource = client.get(url(server, "0s"), view="text/html De_DE")
        assert (resource.content_type, resource.size, resource.read()) == ("text/html", 3, b"<p>")


@pytest.mark.clause("draft-8")
@pytest.mark.parametrize("first", [b"3no\t\terror.host\t1\r\n.\r\n", b"--1\r\n1 x\r\nno\r\n.\r\n", b"", b"+x\r\n"])
def test_a_server_that_fails_is_asked_once_more_the_drafts_way(client: Client, first: bytes) -> None:
    with Server(says(first, b"+2\r\nok")) as server:
        assert client.get(url(server, "0s%09%09+")).read() == b"ok"
        assert [bytes(line) for line in server.received] == [b"s\t\t+\r\n", b"s\t+\r\n"]


def test_once_and_not_for_ever(client: Client) -> None:
    with Server(says(b"no gopher plus\r\n")) as server:
        with pytest.raises(RemoteProtocolError, match="as a server without Gopher\\+ does"):
            client.get(url(server, "0s%09%09+text/plain"))
        assert len(server.received) == 2


@pytest.mark.parametrize(
    ("path", "content"), [("0s%09%09+", b"a\n"), ("9s%09%09+", b"a\r\n.\r\n"), ("1s%09%09+", b"gopher://h/0s\r\n")]
)
@pytest.mark.parametrize("first", [b"a\r\n.\r\n", b"3no\t\terror.host\t1\r\n.\r\n", b""])
def test_what_is_marked_as_gopher_plus_comes_from_a_server_without_it(
    client: Client, path: str, content: bytes, first: bytes
) -> None:
    plain = b"0a\ts\th\t70\r\n.\r\n" if path.startswith("1") else b"a\r\n.\r\n"
    replies = {b"s\r\n": plain, b"s\t\t+\r\n": first, b"s\t+\r\n": first}
    with Server(answers(replies)) as server:
        resource = client.get(url(server, path))
        assert resource.read() == content
        assert "the server has no Gopher+: the item was requested without it" in resource.notes
        assert len(server.received) == 3


def test_a_search_has_one_form_only(client: Client) -> None:
    with Server(says(b"--2\r\n2 x\r\nbusy\r\n")) as server:
        with pytest.raises(ReplyError, match="asks to try again later: “busy"):
            client.get(url(server, "7s%09w%09+"))
        assert len(server.received) == 1


REFUSED = [
    (b"--1\r\n1 Ada <a@h>\r\nGone.\r\n.\r\n", NotFoundError, ": “Gone.” (its keeper is “Ada <a@h>”).", 1),
    (b"-18\r\n1 Ada\r\nIt is gone.", NotFoundError, "It is gone", 1),
    (b"--2\r\n2 Ada\r\nBusy.\r\n", ReplyError, "asks to try again later: “Busy.” (", 2),
    (b"--2\r\n7 Ada\r\nHm.\r\n", ReplyError, "“Hm.” (", 7),
    (b"--1\r\n3 Ada\r\nsomewhere else\r\n.\r\n", NotFoundError, "somewhere else", 3),
    (b"--1\r\n", NotFoundError, "0s%09%09+ and does not say why", 0),
    (b"--2\r\n2\r\n", ReplyError, "asks to try again later and does not say why", 2),
]


@pytest.mark.parametrize(("reply", "kind", "words", "code"), REFUSED)
def test_a_refusal(client: Client, reply: bytes, kind: type[ReplyError], words: str, code: int) -> None:
    with Server(says(reply)) as server:
        with pytest.raises(kind) as caught:
            client.get(url(server, "0s%09%09+"))
    assert words in str(caught.value)
    assert caught.value.code == code


def test_what_has_moved_is_followed(client: Client) -> None:
    with Server(says(b"new\r\n.\r\n")) as there:
        moved = f"--1\r\n3 Ada\r\n0New\tn\t{there.host}\t{there.port}\r\n.\r\n".encode()
        with Server(says(moved)) as here:
            resource = client.get(url(here, "0s%09%09+"))
            assert resource.read() == b"new\n"
            assert [(hop.reason, hop.permanent) for hop in resource.history] == [("gopher+ moved", True)]


ATTRIBUTES = (
    b"+INFO: 0About\ts\th\t70\t+\r\n+ADMIN:\r\n Admin: A <a@b>\r\n Mod-Date: x <19930728170201>\r\n"
    b"+VIEWS:\r\n Text/plain: <10k>\r\n text/html De_DE: <2k>\r\n+ABSTRACT:\r\n One.\r\n Two.\r\n+SMELL: nice\r\n"
)


@pytest.mark.parametrize("text", [b"-----BEGIN PGP MESSAGE-----\r\n.\r\n", b"+1 555 0100\r\n", b"- one\r\n- two\r\n"])
def test_a_text_that_looks_like_the_beginning_of_a_reply(client: Client, text: bytes) -> None:
    """A plain server answers a request for attributes with the item."""
    with Server(says(text)) as server:
        resource = client.stat(url(server, "0s"))
        assert (resource.kind, resource.attributes) == ("document", {})
        assert "the server has no attributes" in resource.notes[0]
        assert client.get(url(server, "0s%09%09+")).read() == text.replace(b"\r\n", b"\n").removesuffix(b".\n")


def test_stat(client: Client) -> None:
    with Server(answers({b"s\t\t!\r\n": b"+-1\r\n" + ATTRIBUTES + b".\r\n"})) as server:
        resource = client.stat(url(server, "0s"))
    assert (resource.kind, resource.modified) == ("document", 743_878_921.0)
    assert resource.attributes == {
        "title": "About",
        "admin": {"Admin": "A <a@b>", "Mod-Date": "x <19930728170201>"},
        "views": [
            {"type": "Text/plain", "language": None, "size": "10k"},
            {"type": "text/html", "language": "De_DE", "size": "2k"},
        ],
        "abstract": "One.\nTwo.",
        "smell": "nice",
    }


def test_stat_of_a_server_without_gopher_plus(client: Client) -> None:
    with Server(says(b"just a text\r\n.\r\n")) as server:
        resource = client.stat(url(server, "9a.pdf"))
    assert (resource.kind, resource.content_type, resource.name) == ("document", "application/pdf", "a.pdf")
    assert "has no attributes" in resource.notes[0]


@pytest.mark.parametrize("kind", ["0", "9"])
def test_stat_of_what_a_plain_server_does_not_have(client: Client, kind: str) -> None:
    """It has no word for attributes, but one for what is not there."""
    with Server(says(b"3'nothing' does not exist\t\terror.host\t1\r\n")) as server:
        with pytest.raises(NotFoundError, match="does not exist"):
            client.stat(url(server, f"{kind}nothing"))


def test_attributes_of_another_item_are_not_believed(client: Client) -> None:
    """A canned answer, whatever was asked for."""
    replies = {b"x\t\t!\r\n": b"+-1\r\n" + ATTRIBUTES + b".\r\n", b"x\r\n": b"3no x\t\terror.host\t1\r\n"}
    with Server(answers(replies)) as server:
        with pytest.raises(NotFoundError, match="no x"):
            client.stat(url(server, "0x"))


def test_attributes_are_a_document(client: Client) -> None:
    with Server(says(b"+-1\r\n" + ATTRIBUTES + b".\r\n")) as server:
        text = client.get(url(server, "0s%09%09!")).read()
    assert text == ATTRIBUTES.replace(b"\r\n", b"\n")


def test_a_directory_with_attributes(client: Client) -> None:
    with Server(says(b"+-1\r\n" + ATTRIBUTES * 3 + b".\r\n")) as server:
        found = list(client.list(url(server, "1s%09%09$")).entries())
    assert [str(entry.url) for entry in found] == ["gopher://h/0s%09%09+"] * 3
    assert {entry.modified for entry in found} == {743_878_921.0}
    assert found[0].attributes["abstract"] == "One.\nTwo."


# --- forms -----------------------------------------------------------------------------------------------------------

FORM = b"+-1\r\n+INFO: 0F\ts\th\t70\t?\r\n+ASK:\r\n Note: Hi\r\n Ask: Name\tAda\r\n AskP: Word\r\n.\r\n"
FILLED = b"s\t+\t1\r\n+-1\r\nv1\r\nv2\r\n.\r\n"
FILLED_PATH = "0s%09%09+%091%0D%0A+-1%0D%0Av1%0D%0Av2%0D%0A.%0D%0A"


def form_client(server: Server) -> Client:
    return Client(Policy.open().replace(allow_ports=(server.port,)), ask_consent=consent_to_all)


def test_a_form_is_shown_and_answered() -> None:
    with Server(answers({b"s\t\t!+ASK\r\n": FORM, FILLED: b"+-1\r\nThank you\r\n.\r\n"})) as server:
        with form_client(server) as client:
            resource = client.get(url(server, "0s%09%09?"))
            assert resource.kind == "form"
            assert resource.form is not None
            assert resource.form.fill({"Word": "x"}) == ("Ada", "x")
            with pytest.raises(LocalProtocolError, match="does not ask 'Town'; it asks 'Name', 'Word'"):
                resource.form.fill({"Town": "x"})
            answer = client.get(resource.url, answers=("v1", "v2"))
            assert (answer.kind, answer.content_type, answer.read()) == ("document", "text/plain", b"Thank you\n")
            assert bytes(server.received[-1]) == FILLED
            assert client.get(url(server, FILLED_PATH)).read() == b"Thank you\n"
            assert bytes(server.received[-1]) == FILLED


def test_a_form_that_only_all_attributes_show() -> None:
    with Server(answers({b"s\t\t!\r\n": FORM})) as server, form_client(server) as client:
        assert client.get(url(server, "0s%09%09?")).kind == "form"


def test_an_item_without_a_form() -> None:
    with Server(answers({})) as server, form_client(server) as client:
        with pytest.raises(NotFoundError, match="has no form"):
            client.get(url(server, "0s%09%09?"))


@pytest.mark.parametrize("count", [0, 1, 3])
def test_more_or_fewer_answers_than_questions_are_not_sent(count: int) -> None:
    lines = "".join(f"v{number}%0D%0A" for number in range(count))
    with Server(answers({b"s\t\t!+ASK\r\n": FORM})) as server, form_client(server) as client:
        with pytest.raises(LocalProtocolError):
            client.get(url(server, f"0s%09%09+%091%0D%0A+-1%0D%0A{lines}.%0D%0A"))
        if count:
            with pytest.raises(LocalProtocolError, match="The form asks 2 questions"):
                client.get(url(server, "0s%09%09?"), answers=["v"] * count)
        assert {bytes(line) for line in server.received} == {b"s\t\t!+ASK\r\n"}


@pytest.mark.parametrize("answer", ["a\r\nMAIL FROM:<x>", "a\nb", "a\tb", "a\0b", "."])
def test_an_answer_that_would_be_another_line_is_not_sent(answer: str) -> None:
    with Server(answers({b"s\t\t!+ASK\r\n": FORM})) as server, form_client(server) as client:
        with pytest.raises(LocalProtocolError):
            client.get(url(server, "0s%09%09?"), answers=["Ada", answer])
        assert {bytes(line) for line in server.received} == {b"s\t\t!+ASK\r\n"}


def test_a_mail_server_is_never_sent_a_form() -> None:
    """It asks nothing: the +ASK that is fetched first ends it."""
    with Server(says(b"220 mail.example.org ESMTP\r\n")) as server, form_client(server) as client:
        with pytest.raises(NotFoundError):
            client.get(url(server, FILLED_PATH))
        assert all(b"\r\n" not in bytes(line)[:-2] for line in server.received)


@pytest.mark.parametrize("path", [FILLED_PATH, "0s%09%09?"])
def test_a_port_that_is_not_named_gets_no_form(client: Client, path: str) -> None:
    with Server(answers({b"s\t\t!+ASK\r\n": FORM})) as server:
        with pytest.raises(RefusedError, match=r"allow_ports=\["):
            client.get(url(server, path), answers=() if path is FILLED_PATH else ("v1", "v2"))
        assert server.received == []


@pytest.mark.parametrize("path", [FILLED_PATH, "0s%09%09?"])
def test_untrusted_answers_no_form(path: str) -> None:
    with Client(Policy.untrusted()) as client, pytest.raises(RefusedError, match="answers no forms"):
        client.get(f"gopher://gopher.example/{path}", answers=() if path is FILLED_PATH else ("v1", "v2"))


@pytest.mark.parametrize("path", [FILLED_PATH, "0s%09%09?"])
def test_consent_is_asked_before_anything_is_opened(path: str) -> None:
    options = Options(answers=() if path is FILLED_PATH else ("v1", "v2"))
    script = rehearse(get(URL(f"gopher://h/{path}"), options), [])
    assert [type(ask) for ask in script.asks] == [Consent]


def test_a_form_is_built_in_one_place() -> None:
    """Answers are free lines: what sends them is `submit` alone, which asks for consent first."""
    folder = Path(gopher_plus.__file__).parent
    users = [path.name for path in folder.glob("*.py") if "form_request" in path.read_text(encoding="utf-8")]
    assert users == ["plus.py"]
    assert inspect.getsource(gopher_plus).count("form_request(") == 1
    assert "form_request(" in inspect.getsource(gopher_plus.submit)


# --- gophers ---------------------------------------------------------------------------------------------------------


def test_gophers_is_gopher_over_tls(tmp_path: Path) -> None:
    with certificate(tmp_path, "127.0.0.1") as (context, authority):
        menu = b"0here\ts\t127.0.0.1\t%d\r\n0there\ts\th\t70\r\n.\r\n"

        def part(connection: Connection) -> None:
            connection.until(b"\n")
            connection.send(menu % server.port)
            connection.sock = connection.sock.unwrap()  # type: ignore[attr-defined]

        with Server(part, context=context) as server:
            with Client(Policy.open(), ca_file=authority) as client:
                found = [str(e.url) for e in client.list(f"gophers://{server.authority}/").entries()]
                assert found == [f"gophers://{server.authority}/0s", "gopher://h/0s"]
            with Client(Policy.open()) as stranger, pytest.raises(ConnectError, match="certificate"):
                stranger.list(f"gophers://{server.authority}/")


# --- hostile servers (FAULTS, column G) ------------------------------------------------------------------------------


def _nothing(connection: Connection) -> None:
    connection.wait_for_close()


def _reset(connection: Connection) -> None:
    connection.until(b"\n")
    connection.reset()


def _endless(line: bytes) -> Part:
    def part(connection: Connection) -> None:
        connection.until(b"\n")
        with contextlib.suppress(OSError):
            while True:
                connection.send(line * 4000)

    return part


def _half_closed(connection: Connection) -> None:
    connection.until(b"\n")
    connection.send(b"0a\ts\th\t70\r\n")
    connection.wait_for_close()


FAULTS = [
    ("A3 says nothing", "1", _nothing, TransferTimeout),
    ("A4 resets at once", "1", _reset, ConnectionLost),
    ("A6 an empty answer is no menu", "1", says(b""), ConnectionLost),
    ("A6 an empty answer is no file", "9a", says(b""), ConnectionLost),
    ("A6 an empty answer is no Gopher+", "0a%09%09+", says(b""), ConnectionLost),
    ("A7 never closes", "1", _half_closed, TransferTimeout),
    ("A12 a mail server", "1", says(b"220 mail ESMTP\r\n"), RemoteProtocolError),
    ("A12 a web server", "1", says(b"HTTP/1.1 400 Bad Request\r\n\r\n<p>"), RemoteProtocolError),
    ("B2 a line of 10 MB", "1", says(b"0" + b"a" * 10_000_000), LimitError),
    ("B2 an endless line", "1", _endless(b"0aaaaaaaaaaaaaa"), LimitError),
    ("B2 an endless first line of Gopher+", "0a%09%09+", says(b"+" + b"1" * 10_000), LimitError),
    ("B2 an endless line of attributes", "0a%09%09!", says(b"+-1\r\n+A: " + b"a" * 10_000), LimitError),
    ("B1 endless attributes", "0a%09%09!", _endless(b"+-1\r\n+ABSTRACT:\r\n a\r\n"), LimitError),
    ("B1 an endless menu", "1", _endless(b"0a\ts\th\t70\r\n"), LimitError),
    ("E6 NUL in a menu", "1", says(b"0a\0b\ts\th\t70\r\n"), RemoteProtocolError),
    ("B8 garbage for a menu", "1", says(bytes(range(256)) * 100), RemoteProtocolError),
    ("C1 fewer octets than announced", "0a%09%09+", says(b"+10\r\nabc"), Truncated),
    ("C1 in a menu", "1a%09%09+", says(b"+100\r\n0a\ts\th\t70\r\n"), Truncated),
    ("C2 more octets than announced", "0a%09%09+", says(b"+2\r\nabc"), RemoteProtocolError),
    ("C2 in a menu", "1a%09%09+", says(b"+3\r\n0a\ts\th\t70\r\n"), RemoteProtocolError),
    ("C3 no end mark in Gopher+", "0a%09%09+", says(b"+-1\r\nabc\r\n"), Truncated),
    ("C3 no end mark of a menu", "1a%09%09+", says(b"+-1\r\n0a\ts\th\t70\r\n"), Truncated),
    ("C3 no end mark of attributes", "0a%09%09!", says(b"+-1\r\n+A: x\r\n"), Truncated),
    ("C6 a length of -3", "0a%09%09+", says(b"+-3\r\nabc"), RemoteProtocolError),
    ("C6 a length beyond 2^63", "0a%09%09+", says(b"+9223372036854775808\r\nabc"), RemoteProtocolError),
]


@pytest.mark.parametrize(("path", "part", "error"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS])
def test_a_hostile_server(path: str, part: Part, error: type[AnyURLError]) -> None:
    limits = QUICK if error is TransferTimeout else PATIENT
    with Server(part) as server, Client(Policy.open().replace(limits=limits)) as client:
        with pytest.raises(error):
            client.get(url(server, path)).read()


def test_a_reset_in_the_middle(client: Client) -> None:
    has_come = threading.Event()

    def part(connection: Connection) -> None:
        connection.until(b"\n")
        connection.send(b"a text\r\n")
        has_come.wait(PATIENCE)
        connection.reset()

    with Server(part) as server:
        pieces = client.get(url(server, "0a")).iter_bytes()
        assert next(pieces) == b"a text\n"
        has_come.set()
        with pytest.raises(Truncated):
            next(pieces)


def _drip(connection: Connection) -> None:
    """A8, A9: an octet, then nothing for a while, and so on; never silent for as long as the idle limit."""
    connection.until(b"\n")
    connection.sock.settimeout(0.03)
    connection.send(b"+")
    while True:
        connection.send(b"i")
        with contextlib.suppress(TimeoutError):
            if not connection.sock.recv(1):
                return


@pytest.mark.parametrize("path", ["0a", "1", "9a", "0a%09%09+", "0a%09%09!"])
def test_a_slow_drip_ends_with_the_total_clock(path: str) -> None:
    limits = PATIENT.replace(total=0.5)
    with Server(_drip) as server, Client(Policy.open().replace(limits=limits)) as client:
        with pytest.raises(TransferTimeout) as caught:
            client.get(url(server, path)).read()
        assert caught.value.clock == "total"


def test_nobody_listens(client: Client) -> None:
    with unheard() as port, pytest.raises(ConnectError):
        client.get(f"gopher://127.0.0.1:{port}/")


def test_endless_octets_end_at_the_callers_limit() -> None:
    with Server(_endless(b"a" * 100)) as server, Client(Policy.open(), max_bytes=1_000_000) as client:
        with pytest.raises(LimitError, match=r"limit allows no more \(max_bytes="):
            client.get(url(server, "0a")).read()


def test_nothing_is_left_open(client: Client) -> None:
    with Server(says(b"--1\r\n1 x\r\nno\r\n")) as server:
        with pytest.raises(NotFoundError):
            client.get(url(server, "0a%09%09?"))
        before = descriptors()
        for _ in range(20):
            with pytest.raises(NotFoundError):
                client.get(url(server, "0a%09%09?"))
        assert left_open(before) <= 0


@pytest.mark.parametrize("port", [25, 6379, 80])
def test_another_services_port_is_refused(client: Client, port: int) -> None:
    with pytest.raises(RefusedError):
        client.get(f"gopher://127.0.0.1:{port}/_HELO")


def test_words_behind_a_question_mark_are_not_lost_in_silence(client: Client) -> None:
    """lynx writes them there; RFC 4266 has a tab."""
    resource = client.get("gopher://h.example/7/v2?two%20words")
    assert resource.notes[0].endswith(
        "in a gopher URL they follow %09, not a '?': gopher://h.example/7/v2%09two%20words"
    )
    assert resource.kind == "index"
