from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from anyurl import URL, Client, Policy, Secret
from anyurl.client.dry_run import dry_run
from anyurl.dialogue import Options
from anyurl.errors import (
    AuthRequiredError,
    LimitError,
    RefusedError,
    RemoteProtocolError,
    SecretNeededError,
    UnsupportedError,
)
from anyurl.world import gemini as gemini_world
from anyurl.world.tree import MOTD, PASSWORD, picture
from tests.schemes.gemini.serving import saying


@pytest.fixture(scope="module")
def place() -> Iterator[str]:
    with closing(gemini_world.start()) as there:
        yield str(there.root)


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(Policy.open()) as client:
        yield client


def test_documents(client: Client, place: str) -> None:
    with client.get(f"{place}motd.txt") as resource:
        assert (resource.kind, resource.type, resource.charset, resource.name) == (
            "document", "text/plain", "utf-8", "motd.txt",
        )  # fmt: skip
        assert resource.text() == MOTD
    assert client.get(f"{place}pub/picture.png").read() == picture()
    with client.get(place) as page:
        assert (page.type, page.attributes["lang"]) == ("text/gemini", "en")


def test_a_page_is_a_list_of_links(client: Client, place: str) -> None:
    entries = list(client.list(f"{place}pub/").entries())
    assert [(entry.name, str(entry.url), entry.title, entry.type) for entry in entries] == [
        ("names/", f"{place}pub/names/", "names/", None),
        ("notes.txt", f"{place}pub/notes.txt", "notes.txt", "text/plain"),
        ("picture.png", f"{place}pub/picture.png", "picture.png", "image/png"),
    ]
    assert {entry.origin.who for entry in entries} == {"document"}
    with pytest.raises(UnsupportedError, match=r"not a page with links \(“image/png”\)"):
        client.list(f"{place}pub/picture.png")


def test_links_that_lead_elsewhere_are_judged(client: Client) -> None:
    page = b"20 text/gemini\r\n=> http://o.example/ A\n=> ftp://user:secret@[ B\n=> file:///etc/passwd C\n"
    with saying(page) as server:
        found = list(client.list(f"gemini://{server.authority}/").entries())
    assert [None if entry.url is None else entry.url.scheme for entry in found] == ["http", None, "file"]
    assert "secret" not in repr(found)
    with Client() as careful:
        for entry in (found[0], found[2]):  # from TLS to the clear, and to a file of this machine
            with pytest.raises(RefusedError):
                careful.get(entry)


def test_a_question_is_an_index_and_words_are_its_answer(client: Client, place: str) -> None:
    for resource in (client.get(f"{place}search"), client.stat(f"{place}search")):
        with resource:
            assert (resource.kind, resource.attributes["prompt"]) == ("index", "Words to look for")
    with client.search(f"{place}search", "four things") as found:
        assert [str(entry.url) for entry in found.entries()] == [f"{place}pub/notes.txt"]
    with pytest.raises(UnsupportedError, match="needs words"):
        client.search(f"{place}search", "")


def test_what_nobody_may_see_is_shown_nowhere(place: str) -> None:
    told: list[str] = []
    asked: list[tuple[str, str, str]] = []
    words = [f"{PASSWORD} ?", PASSWORD]  # the first stands in the request as other octets

    def answer(host: str, user: str, kind: str) -> Secret:
        asked.append((host, user, kind))
        return Secret(words[len(asked) - 1])

    with Client(Policy.open(), ask_secret=answer, trace=told.append) as client:
        with pytest.raises(AuthRequiredError, match="did not accept the answer"):  # nobody is asked twice
            client.get(f"{place}door")
        with client.get(f"{place}door") as resource:
            assert resource.text().strip() == "Come in."
            assert (str(resource.url), resource.history) == (f"{place}door", ())
    assert asked == [("127.0.0.1", "/door", "answer to “The word that everybody knows?”")] * 2
    assert [line for line in told if PASSWORD in line] == []
    assert f"> {place}door?***" in told
    with Client(Policy.open()) as client, pytest.raises(SecretNeededError, match="The word that everybody knows"):
        client.get(f"{place}door")


def test_what_the_user_keeps_answers_no_question(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Attack: a server asks what nobody may see, and is sent the password that is kept for ftp there."""
    monkeypatch.setattr("anyurl.client.secrets.netrc_secret", lambda host, user: Secret("kept"))
    with Client(Policy.open()) as client, pytest.raises(SecretNeededError):
        client.get(f"{place}door")


def test_redirections(client: Client, place: str) -> None:
    with client.get(f"{place}old") as resource:
        assert (str(resource.url), resource.history[0].permanent) == (f"{place}motd.txt", True)
        assert resource.text() == MOTD
    assert str(client.stat(f"{place}pub").url) == f"{place}pub/"


LED = {
    b"http://h.example/": "redirect-scheme", b"https://h.example/": "redirect-scheme", b"data:,x": "data-hop",
    b"file:///etc/passwd": "file-hop", b"gemini://169.254.169.254/": "address-link-hop",
}  # fmt: skip


def test_where_no_server_leads() -> None:
    metas = list(LED)
    with saying(lambda request: b"30 " + metas[int(request.rpartition(b"/")[2])] + b"\r\n") as server:
        with Client() as client:
            for number, code in enumerate(LED.values()):
                with pytest.raises(RefusedError) as caught:
                    client.get(f"gemini://{server.authority}/{number}")
                assert caught.value.verdict is not None
                assert caught.value.verdict.code == code


@pytest.mark.parametrize("meta", [b"", b"\\\\h.example\\x", b"gemini://["])
def test_where_nothing_leads(client: Client, meta: bytes) -> None:
    with (
        saying(b"31 " + meta + b"\r\n") as server,
        pytest.raises(RemoteProtocolError, match="redirects to text that is not a URL"),
    ):
        client.get(f"gemini://{server.authority}/")


def test_five_redirections_are_followed_and_no_more(client: Client) -> None:
    """The specification: clients follow five at most."""

    def count(request: bytes) -> bytes:
        step = int(request.rpartition(b"/")[2])
        return b"30 %d\r\n" % (step - 1) if step else b"20 text/plain\r\nx"

    with saying(count) as server:
        assert client.get(f"gemini://{server.authority}/5").read() == b"x"
        with pytest.raises(LimitError, match="more than 5 times"):
            client.get(f"gemini://{server.authority}/6")


def test_strangers_may_name_one() -> None:
    """As gophers: TLS, one line that no URL ends, addresses and ports judged."""
    assert Policy.untrusted().check("gemini://h.example/").allowed
    assert Policy.untrusted().check("gemini://h.example:25/").code == "port-service"
    assert Policy.untrusted().check("gemini://127.0.0.1/").code == "address-private"


def test_what_would_be_sent() -> None:
    lines = list(dry_run(URL("gemini://h.example/a%20b"), "get", Options()))
    assert lines[:2] == ["connect to h.example port 1965 over TLS", "> gemini://h.example/a%20b"]


def test_a_redirect_with_spaces_in_its_path_is_followed() -> None:
    def says(request: bytes) -> bytes:
        return b"20 text/plain\r\nhere" if request.endswith(b"/a%20b") else b"30 /a b\r\n"

    with saying(says) as server, Client(Policy.open()) as client:
        assert client.get(f"gemini://{server.authority}/").read() == b"here"
