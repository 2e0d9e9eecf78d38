from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from anyurl import URL, Client, Policy
from anyurl.client.dry_run import dry_run
from anyurl.dialogue import Options
from anyurl.errors import NotFoundError, RefusedError, UnsupportedError
from anyurl.schemes.dict.wire.server import STRATEGIES
from anyurl.world import dict as dict_world
from tests.servers import Connection, Server


@pytest.fixture(scope="module")
def place() -> Iterator[str]:
    with closing(dict_world.start()) as there:
        yield f"dict://127.0.0.1:{there.port}"


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(Policy.open()) as client:
        yield client


def test_all_definitions_are_one_document(client: Client, place: str) -> None:
    with client.get(f"{place}/d:locator:*") as resource:
        assert (resource.kind, resource.type, resource.charset, resource.name) == (
            "document", "text/plain", "utf-8", "locator.txt",
        )  # fmt: skip
        assert resource.attributes["definitions"] == 2
        assert resource.text().replace("\r\n", "\n") == (
            "From What the small world is made of [world]:\n\n"
            "locator\n  What says where something is, and how to get it.\n\n"
            "From Where things are [places]:\n\nlocator\n  Points at places; see {place}.\n"
        )


def test_one_definition_is_its_text(client: Client, place: str) -> None:
    with client.get(f"{place}/d:locator:*:2") as resource:
        assert resource.attributes["database"] == "places"
        assert resource.text() == "locator\r\n  Points at places; see {place}.\r\n"
    with client.get(f"{place}/d:note:world:1") as resource:
        assert resource.text().endswith("is a lone dot:\r\n.\r\n")
    with pytest.raises(NotFoundError, match="has 2 definitions of 'locator', but number 3 was requested"):
        client.get(f"{place}/d:locator:*:3")
    with pytest.raises(NotFoundError, match="has no definition of 'nothing': “552 No match"):
        client.get(f"{place}/d:nothing")
    with pytest.raises(NotFoundError, match="550 There is no such database"):
        client.get(f"{place}/d:note:nowhere")


def test_definitions_and_dictionaries_are_listed(client: Client, place: str) -> None:
    entries = list(client.list(f"{place}/d:locator:*").entries())
    assert [str(entry.url) for entry in entries] == [f"{place}/d:locator:world:1", f"{place}/d:locator:places:1"]
    assert [entry.title for entry in entries] == [each.title for each in dict_world.DICTIONARIES.values()]
    databases = list(client.list(f"{place}/").entries())
    assert [(entry.name, entry.kind, str(entry.url)) for entry in databases] == [
        ("world", "index", f"{place}/d::world"), ("places", "index", f"{place}/d::places"),
    ]  # fmt: skip
    with pytest.raises(UnsupportedError, match="designates a dictionary, which can't be listed"):
        client.list(f"{place}/d::world")


@pytest.mark.parametrize(
    ("path", "words", "found"),
    [
        ("", "lo", ["d:locator:world", "d:locator:places"]), ("d::places", "lo", ["d:locator:places"]),
        ("m::*:suffix", "or", ["d:locator:world", "d:locator:places"]), ("m:::suffix", "or", ["d:locator:world"]),
        ("m::world:exact", "Small World", ["d:small%20world:world"]),
        ("m:o:places:substring", "", ["d:locator:places"]), ("", "grü", ["d:Gr%C3%BC%C3%9Fe:world"]),
        ("", "nothing", []), ("m:lo:*:prefix:2", "", ["d:locator:world", "d:locator:places"]),
    ],
)  # fmt: skip
def test_a_search_matches_words(client: Client, place: str, path: str, words: str, found: list[str]) -> None:
    entries = list(client.search(f"{place}/{path}", words).entries())
    assert [str(entry.url) for entry in entries] == [f"{place}/{one}" for one in found]


def test_matches_are_a_listing_of_their_own(client: Client, place: str) -> None:
    with client.get(f"{place}/m:lo:*") as resource:
        assert (resource.kind, resource.attributes["matches"]) == ("listing", 2)
        assert [entry.attributes["database"] for entry in resource.entries()] == ["world", "places"]
    (entry,) = client.list(f"{place}/m:lo:*::2").entries()
    assert entry.attributes["database"] == "places"
    with pytest.raises(NotFoundError, match="has 2 matches of 'lo', but number 3 was requested"):
        list(client.list(f"{place}/m:lo:*::3").entries())
    assert list(client.list(f"{place}/m:nothing").entries()) == []
    with pytest.raises(NotFoundError, match="551 There is no such strategy"):
        client.list(f"{place}/m:lo:*:soundex")


def test_a_search_stops_at_its_limit(client: Client, place: str) -> None:
    assert len(list(client.search(f"{place}/", "lo", limit=1).entries())) == 1
    assert len(list(client.search(f"{place}/", "OR", match="substring").entries())) == 3


def test_a_search_needs_words_and_they_are_only_words(client: Client, place: str) -> None:
    with pytest.raises(UnsupportedError, match="needs words to search for"):
        client.search(f"{place}/", "")
    with pytest.raises(RefusedError, match="holds LF"):
        client.search(f"{place}/", "a\nQUIT")


def test_what_is_known_without_the_text(client: Client, place: str) -> None:
    facts = client.stat(f"{place}/").attributes
    titles = {name: each.title for name, each in dict_world.DICTIONARIES.items()}
    assert (facts["databases"], facts["server"]) == (titles, "world.example")
    assert isinstance(facts["strategies"], dict)
    assert list(facts["strategies"]) == list(STRATEGIES)
    assert client.stat(f"{place}/d:locator:*").attributes["databases"] == ["world", "places"]
    assert client.stat(f"{place}/d:locator:*:2").attributes["database"] == "places"
    for at in ("", "::", "::1", "::2"):
        assert client.stat(f"{place}/m:lo:*{at}").attributes["matches"] == 2
    with pytest.raises(NotFoundError, match="2 match"):
        client.stat(f"{place}/m:lo:*::3")
    there = client.stat(f"{place}/d::places")
    assert (there.kind, there.attributes["information"]) == (
        "index", "Where things are.\nIt is the same on every machine.",
    )  # fmt: skip
    with pytest.raises(NotFoundError):
        client.stat(f"{place}/d:locator:*:3")


def test_a_dictionary_is_an_index(client: Client, place: str) -> None:
    with client.get(f"{place}/d::world") as resource:
        assert resource.kind == "index"
        assert resource.text().startswith("What the small world is made of.")
    with client.get(f"{place}/d::*") as resource:
        assert (resource.kind, resource.read()) == ("index", b"")


@pytest.mark.parametrize(
    ("path", "reply"),
    [("/", b"110 2 d\r\na%b\r\nc%b\r\n.\r\n250 ok\r\n"),
     ("/d:x", b"150 2 d\r\n151 x a%b\r\n.\r\n151 x c%b\r\n.\r\n250 ok\r\n")],
)  # fmt: skip
def test_what_a_dictionary_is_called_or_nothing(client: Client, path: str, reply: bytes) -> None:
    for title, told in ((b"", None), (b' ""', None), (b' "Two  words"', "Two  words"), (b" Two words", "Two words")):

        def play(link: Connection, title: bytes = title) -> None:
            link.send(b"220 h <1@h>\r\n")
            link.line()
            link.send(b"250 ok\r\n")
            link.line()
            link.send(reply % (title, b' "G\xfc"'))
            link.line()

        with Server(play) as there:
            entries = list(client.list(f"dict://127.0.0.1:{there.port}{path}").entries())
        assert [entry.title for entry in entries] == [told, "G\u00fc"]


def test_names_that_no_url_can_have_lead_nowhere(client: Client) -> None:
    def play(link: Connection) -> None:
        link.send(b"220 h <1@h>\r\n")
        link.line()
        link.send(b"250 ok\r\n")
        link.line()
        link.send(b'152 2 m\r\n"a b" "x"\r\nc "\xff\x1b[1m"\r\n.\r\n250 ok\r\n')
        link.line()

    with Server(play) as there:
        first, second = client.list(f"dict://127.0.0.1:{there.port}/m:x").entries()
    assert (first.name, first.url) == ("x", None)
    assert str(second.url).endswith("/d:%FF%1B%5B1m:c")


def test_a_dry_run_shows_the_commands() -> None:
    lines = list(dry_run(URL("dict://h/d:a%22b:x:1"), "get", Options()))
    assert lines[0] == "connect to h port 2628"
    assert lines[2] == '> DEFINE x "a\\"b"'
