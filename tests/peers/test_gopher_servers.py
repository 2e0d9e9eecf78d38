"""gopher against pygopherd (Gopher+) and gophernicus (RFC 1436): what a person gets."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyurl.client.client import Client
from anyurl.errors import NotFoundError, RemoteProtocolError
from anyurl.guard.policy import Policy
from tests.peers.ftp_servers import HOST
from tests.peers.gopher_servers import TREE, Gophernicus, Pygopherd


@pytest.fixture
def plus(tmp_path: Path) -> Iterator[str]:
    with contextlib.closing(Pygopherd(tmp_path)) as server:
        yield f"gopher://{HOST}:{server.port}/"


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[str]:
    with contextlib.closing(Gophernicus(tmp_path)) as server:
        yield f"gopher://{HOST}:{server.port}/"


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(Policy.open()) as client:
        yield client


def test_pygopherd_documents(plus: str, client: Client) -> None:
    assert client.get(plus + "0/a.txt").read() == b"one\ntwo\n"
    assert client.get(plus + "0/a.txt%09%09+").read() == TREE["a.txt"]
    assert client.get(plus + "9/pub/x.bin").read() == TREE["pub/x.bin"]
    resource = client.get(plus + "9/pub/x.bin%09%09+")
    assert (resource.size, resource.read()) == (len(TREE["pub/x.bin"]), TREE["pub/x.bin"])
    assert client.get(plus + "0/pub/empty.txt").read() == b""
    assert client.get(plus + "0/a.txt", view="text/plain").read() == TREE["a.txt"]


def test_pygopherd_menus(plus: str, client: Client) -> None:
    for path in ("", "1/", "1%09%09+", "1%09%09$"):
        found = {entry.title: entry for entry in client.list(plus + path).entries() if entry.url}
        assert set(found) == {"a", "form", "pub"}, path
        assert str(found["a"].url) == f"{plus}0/a.txt%09%09+"
        assert found["pub"].kind == "listing"
    assert [e.title for e in client.list(str(found["pub"].url)).entries() if e.url] == ["empty", "x"]
    assert found["a"].attributes["abstract"] == "An abstract."


def test_pygopherd_attributes(plus: str, client: Client) -> None:
    resource = client.stat(plus + "0/a.txt")
    assert resource.attributes["title"] == "a.txt"
    assert resource.attributes["views"] == [{"type": "text/plain", "language": None, "size": "0k"}]
    assert resource.attributes["abstract"] == "An abstract."
    assert resource.modified is not None
    assert client.get(plus + "0/a.txt%09%09!+ABSTRACT").read() == b"+ABSTRACT:\n An abstract.\n"
    assert list(client.stat(plus + "0/a.txt%09%09!+ABSTRACT").attributes) == ["abstract"]
    assert b"+ABSTRACT:\n An abstract.\n" in client.get(plus + "0/a.txt%09%09!").read()


def test_pygopherd_forms(plus: str, client: Client) -> None:
    """It answers no request for +ASK alone: the form is found among all attributes."""
    resource = client.get(plus + "0/form.txt%09%09?")
    assert resource.form is not None
    assert [(question.kind, question.prompt) for question in resource.form.questions] == [
        ("Note", "Hello"), ("Ask", "Name"), ("AskL", "Text"),
    ]  # fmt: skip


def test_pygopherd_has_no_such_item(plus: str, client: Client) -> None:
    for path in ("0/nope", "1/nope", "9/nope", "0/nope%09%09+", "0/nope%09%09!"):
        with pytest.raises(NotFoundError, match="does not exist"):
            client.get(plus + path)


def test_gophernicus_documents(plain: str, client: Client) -> None:
    assert client.get(plain + "0/a.txt").read() == b"one\ntwo\n"
    assert client.get(plain + "9/pub/x.bin").read() == TREE["pub/x.bin"]


def test_gophernicus_menus(plain: str, client: Client) -> None:
    resource = client.list(plain)
    assert [str(e.url) for e in resource.entries() if e.url] == [
        f"gopher://{HOST}/1/pub/", f"gopher://{HOST}/0/a.txt", f"gopher://{HOST}/0/form.txt",
    ]  # fmt: skip
    assert resource.notes == []
    with pytest.raises(NotFoundError):
        client.list(plain + "1/nope/")


def test_gophernicus_has_no_gopher_plus(plain: str, client: Client) -> None:
    marked = client.get(plain + "0/a.txt%09%09+")
    assert marked.read() == client.get(plain + "0/a.txt").read()
    assert "the server has no Gopher+: the item was requested without it" in marked.notes
    with pytest.raises(RemoteProtocolError, match="without Gopher"):
        client.get(plain + "0/a.txt%09%09+text/plain")
    assert "has no attributes" in client.stat(plain + "0/a.txt").notes[0]
