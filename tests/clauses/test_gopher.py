"""RFC 1738 3.4: what a gopher URL says, and the line that it becomes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from anyurl import URL, Client, Policy, diagnose, parse
from anyurl.client.client import consent_to_all
from anyurl.errors import RefusedError, URLSyntaxError
from anyurl.schemes.gopher.parts import GopherParts
from tests.clauses.kit import errors, is_url, sent
from tests.servers import Connection, Server


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(Policy.open(), ask_consent=consent_to_all) as client:
        yield client


def answer(reply: bytes) -> Server:
    """A server that gives this, whatever is asked."""

    def part(connection: Connection) -> None:
        connection.until(b"\n")
        connection.send(reply)

    return Server(part)


ATTRIBUTES = "+INFO: 0About\tx\th\t70\t+\n+ABSTRACT:\n In short.\n"


def attributes_of(client: Client, path: str) -> str:
    """What comes of an item whose server tells these attributes: the attributes themselves, and no menu."""
    with answer(b"+-1\r\n" + ATTRIBUTES.replace("\n", "\r\n").encode() + b".\r\n") as server:
        return client.get(f"gopher://{server.authority}/{path}").text()


def abstracts_in(client: Client, path: str) -> list[str]:
    """What the items of a directory say of themselves, where its server tells these attributes of two of them."""
    with answer(b"+-1\r\n" + ATTRIBUTES.replace("\n", "\r\n").encode() * 2 + b".\r\n") as server:
        return [entry.attributes["abstract"] for entry in client.get(f"gopher://{server.authority}/{path}").entries()]


@pytest.mark.clause("3.4-1")
def test_items_attributes_and_views() -> None:
    assert sent("gopher://h/0x") == ["x"]
    assert sent("gopher://h/0x%09%09!") == ["x\\x09\\x09!"]
    assert sent("gopher://h/0x%09%09+text/plain") == ["x\\x09\\x09+text/plain"]


@pytest.mark.clause("3.4.1-1")
def test_the_three_forms() -> None:
    assert URL("gopher://h/0x").parts == GopherParts("0", "x")
    assert URL("gopher://h/7x%09y").parts == GopherParts("7", "x", "y")
    assert URL("gopher://h/0x%09y%09z").parts == GopherParts("0", "x", "y", "z")
    url = parse("gopher://h.dom:7070/0x", "rfc1738")
    assert (url.host, url.port, url.parts) == ("h.dom", 7070, GopherParts("0", "x"))


@pytest.mark.clause("3.4.1-2")
def test_the_port_of_gopher() -> None:
    assert URL("gopher://h/").port == 70


@pytest.mark.clause("3.4.1-3")
def test_the_type_is_one_character() -> None:
    assert (URL("gopher://h/00x").parts.type, URL("gopher://h/00x").parts.selector) == ("0", "0x")
    with pytest.raises(URLSyntaxError):
        GopherParts("00", "x")


@pytest.mark.clause("3.4.1-4", "5-3")
def test_the_type_may_be_any_character_and_encoded_but_the_tab_that_delimits() -> None:
    """A tab there would make of one text two: a path without a type, and a type that is a tab."""
    assert URL("gopher://h/%30x").parts == URL("gopher://h/0x").parts
    assert all(is_url(f"gopher://h/{char}x") for char in "aZ9$+/;?:@=&")
    assert errors("gopher://h/%09x") == [("gtype", "%09")]
    for tab in (lambda: URL("gopher://h/%09x").parts, lambda: GopherParts("\t", "x")):
        with pytest.raises(URLSyntaxError, match="not one octet other than a tab"):
            tab()


@pytest.mark.clause("3.4.1-5", "3.4.1-6")
def test_without_a_path_it_is_the_menu() -> None:
    assert is_url("gopher://h")
    assert URL("gopher://h").parts == URL("gopher://h/").parts == URL("gopher://h/1").parts
    assert URL("gopher://h/").is_equivalent(URL("gopher://h/1"))
    assert URL("gopher://h").is_equivalent(URL("gopher://h/1"))
    assert URL("gopher://h/").normalize() == URL("gopher://h").normalize() == URL("gopher://h/1")


@pytest.mark.clause("3.4.1-7")
def test_a_selector_has_any_octets_but_three() -> None:
    for octet in {*range(256)} - {0x09, 0x0A, 0x0D}:
        text = f"gopher://h/0a%{octet:02X}b"
        assert is_url(text)
        assert URL(text).parts.selector.encode("utf-8", "surrogateescape") == b"a%cb" % octet
    assert URL("gopher://h/0a%09b").parts.selector == "a"  # it delimits
    assert sent("gopher://h/0a%01%7F%80%FFb") == ["a\\x01\\x7f\\x80\\xffb"]
    for text in ("gopher://h/0a%0Ab", "gopher://h/0a%0Db"):
        assert [code for code, _ in errors(text)] == ["selector-octet"]
        with pytest.raises(RefusedError):
            sent(text)
    with pytest.raises(RefusedError):  # servers in C would read another selector
        sent("gopher://h/0a%00b")


@pytest.mark.clause("3.4.1-8")
def test_today_as_well() -> None:
    """RFC 4266 2.1 has the same sentence: nothing of it was taken back."""
    said = diagnose("gopher://h/0a%0Ab", "current")
    assert ("selector-octet", "warning", "RFC 4266 2.1") in [(one.code, one.severity, one.section) for one in said]
    assert not any("allowed" in one.message for one in said)
    with pytest.raises(RefusedError):
        sent("gopher://h/0a%0Ab")


@pytest.mark.clause("3.4.1-9")
def test_the_selector_is_what_is_sent() -> None:
    assert sent("gopher://h/0a/b%20c") == ["a/b c"]
    assert sent("gopher://h/0//a//b/") == ["//a//b/"]


@pytest.mark.clause("3.4.1-10")
def test_nothing_is_reserved_in_a_path() -> None:
    for char in ";/?:@=&":
        encoded = f"%{ord(char):02X}"
        assert URL(f"gopher://h/0a{char}b").parts == URL(f"gopher://h/0a{encoded}b").parts
        assert URL(f"gopher://h/7a%09{char}b").parts == URL(f"gopher://h/7a%09{encoded}b").parts
        assert is_url(f"gopher://h/0a{char}b")


@pytest.mark.clause("3.4.1-11")
def test_a_selector_may_begin_with_its_type() -> None:
    assert sent("gopher://h/00docs/readme") == ["0docs/readme"]
    assert GopherParts("0", "0docs").url_path() == "00docs"


@pytest.mark.clause("3.4.1-12")
def test_an_empty_selector_is_the_top() -> None:
    assert sent("gopher://h/1") == [""]
    assert sent("gopher://h") == [""]


@pytest.mark.clause("3.4.2-1")
def test_a_search_is_sent_behind_a_tab_decoded() -> None:
    assert sent("gopher://h/7idx%09quick%20fox") == ["idx\\x09quick fox"]


@pytest.mark.clause("3.4.2-2")
def test_words_are_submitted_to_an_index(client: Client) -> None:
    with answer(b".\r\n") as server:
        assert list(client.search(f"gopher://{server.authority}/7idx", "quick fox").entries()) == []
        assert bytes(server.received[0]) == b"idx\tquick fox\r\n"
        # Other words than those of the URL are another search of the same index.
        assert list(client.search(f"gopher://{server.authority}/7idx%09lazy%20dog", "quick fox").entries()) == []
        assert bytes(server.received[1]) == b"idx\tquick fox\r\n"


@pytest.mark.clause("3.4.3-1")
def test_a_gopher_plus_string_stands_behind_a_second_tab() -> None:
    assert URL("gopher://h/0x%09%09+").parts == GopherParts("0", "x", "", "+")
    assert GopherParts("0", "x", None, "+").url_path() == "0x%09%09+"
    assert is_url("gopher://h/0x%09%09+")


@pytest.mark.clause("3.4.3-2")
def test_selector_search_and_commands_are_sent_with_their_tabs() -> None:
    assert sent("gopher://h/7x%09words%09+") == ["x\\x09words\\x09+"]
    assert sent("gopher://h/0x%09%09!") == ["x\\x09\\x09!"]


@pytest.mark.clause("3.4.3-3")
def test_an_empty_string_has_its_tab_as_well() -> None:
    assert sent("gopher://h/0x%09%09") == ["x\\x09\\x09"]
    assert GopherParts("0", "x", gopherplus="").url_path() == "0x%09%09"


@pytest.mark.clause("3.4.4-1")
def test_items_of_a_menu_are_tagged(client: Client) -> None:
    menu = b"0One\ta\th\t70\t+\r\n0Two\tb\th\t70\t?\r\n0Three\tc\th\t70\r\n.\r\n"
    with answer(menu) as server:
        found = [str(entry.url) for entry in client.list(f"gopher://{server.authority}/1").entries()]
    assert found == ["gopher://h/0a%09%09+", "gopher://h/0b%09%09?", "gopher://h/0c"]


@pytest.mark.clause("3.4.4-2")
def test_plus_is_the_default_view_and_the_question_mark_a_form(client: Client) -> None:
    assert sent("gopher://h/0x%09%09+") == ["x\\x09\\x09+"]
    assert sent("gopher://h/0x%09%09?") == ["x\\x09\\x09!+ASK"]
    with answer(b"+-2\r\nA text.\r\n") as server, client.get(f"gopher://{server.authority}/9x%09%09+") as item:
        assert item.read() == b"A text.\r\n"  # the item itself, without the line that says how long it is


ASK = b"+-1\r\n+INFO: 0x\tx\th\t70\t?\r\n+ASK:\r\n Ask: Name\r\n Ask: Colour\r\n.\r\n"


@pytest.mark.clause("3.4.5-1", "3.4.9-1")
def test_a_form_is_fetched_filled_in_and_sent_as_the_rfc_has_it(client: Client) -> None:
    def part(connection: Connection) -> None:
        if connection.until(b"\n").endswith(b"!+ASK\r\n"):
            connection.send(ASK)
        else:
            connection.until(b"\r\n.\r\n")
            connection.send(b"+-1\r\nthanks\r\n.\r\n")

    with Server(part) as server:
        policy = Policy.open().replace(allow_ports=[server.port])
        with Client(policy, ask_consent=consent_to_all) as client:
            at = f"gopher://{server.authority}/0x%09%09"
            form = client.get(f"{at}?").form
            assert form is not None
            assert [one.prompt for one in form.questions] == ["Name", "Colour"]
            lines = b"x\t+\t1\r\n+-1\r\nv1\r\nv2\r\n.\r\n"
            assert client.get(f"{at}?", answers=["v1", "v2"]).read() == b"thanks\n"
            assert bytes(server.received[-1]) == lines
            assert client.get(f"{at}+%091%0D%0A+-1%0D%0Av1%0D%0Av2%0D%0A.%0D%0A").read() == b"thanks\n"
            assert bytes(server.received[-1]) == lines
    with pytest.raises(RefusedError):  # what stands behind a lone dot would be a further request
        sent("gopher://h/0x%09%09+%091%0D%0A+-1%0D%0Av1%0D%0A.%0D%0Av2%0D%0A.%0D%0A")


@pytest.mark.clause("3.4.6-1")
def test_all_attributes_of_an_item_and_of_a_directory(client: Client) -> None:
    assert sent("gopher://h/0x%09%09!") == ["x\\x09\\x09!"]
    assert sent("gopher://h/1x%09%09$") == ["x\\x09\\x09$"]
    assert attributes_of(client, "0x%09%09!") == ATTRIBUTES
    assert abstracts_in(client, "1x%09%09$") == ["In short.", "In short."]


@pytest.mark.clause("3.4.7-1", "3.4.7-2")
def test_named_attributes(client: Client) -> None:
    assert sent("gopher://h/0x%09%09!+ABSTRACT") == ["x\\x09\\x09!+ABSTRACT"]
    assert sent("gopher://h/1x%09%09$+ABSTRACT") == ["x\\x09\\x09$+ABSTRACT"]
    assert sent("gopher://h/0x%09%09!+ABSTRACT%20+SMELL") == ["x\\x09\\x09!+ABSTRACT +SMELL"]
    assert attributes_of(client, "0x%09%09!+ABSTRACT") == "+ABSTRACT:\n In short.\n"
    assert abstracts_in(client, "1x%09%09$+ABSTRACT") == ["In short.", "In short."]


@pytest.mark.clause("3.4.8-1")
def test_a_view_and_its_language() -> None:
    assert sent("gopher://h/0x%09%09+application/postscript%20Es_ES") == ["x\\x09\\x09+application/postscript Es_ES"]


@pytest.mark.clause("5-14")
def test_a_search_has_the_characters_of_its_production() -> None:
    """Section 5 has a ``search`` without ``/`` and ``?``, and 3.4.1 reserves nothing: encoded they mean the same."""
    assert errors("gopher://h/7s%09a/b") == [("reserved", "/")]
    (one,) = diagnose("gopher://h/7s%09a?b", "rfc1738")
    assert one.section == "RFC 1738 5"
    assert is_url("gopher://h/7s%09a;:@&=b")
    assert GopherParts("7", "s", "a/b?c;:@&=d").url_path() == "7s%09a%2Fb%3Fc;:@&=d"
    with pytest.raises(URLSyntaxError):
        parse("gopher://h/7s%09a/b", "rfc1738")
