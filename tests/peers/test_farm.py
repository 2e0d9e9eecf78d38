"""Every operation with every peer of the farm: the table of `farm`, done."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from anyurl import Client, Policy, consent_to_all
from anyurl.dialogue import Resume
from anyurl.errors import NotFoundError, ReplyError, TransferError, UnavailableError
from anyurl.saving.save import save
from anyurl.url.cut import percent_encode
from tests.peers.farm import MODIFIED, OPERATIONS, PEERS, Peer, Place, page
from tests.servers import WAIT_SECONDS

ROOT = Path(__file__).resolve().parents[2]

EVERY_OCTET = bytes(range(256)) + b"\r\n\n\r\r\n.\r\n..\n\xff\xff\x00\r"
PUTS = {
    # Suffixes of texts, of archives, of nothing; names that are hard to say.
    "new.bin": EVERY_OCTET,
    "new.txt": b"one\ntwo\r\nthree\rfour",
    "new.csv": b"a,b\r\n1,2\r\n",
    "new.html": b"<p>\r\n\n",
    "new.py": b"x = '\r'\n",
    "new.tar.gz": b"\x1f\x8b\x08" + EVERY_OCTET,
    "new": b"",
    "with%20%20spaces%20.txt": b"\n\r",
    "%C3%BC.txt": b"\r\n",
    "a%3Btype=a": b"\n",
    "what%3F%25.c": b"\r\r\n",
}
"""What is put is what is got: octets by name, as a URL writes it."""


@pytest.fixture(scope="module")
def place(request: pytest.FixtureRequest) -> Iterator[tuple[Place, Client]]:
    """The peer, running, and a client for it."""
    with ExitStack() as stack:
        # Not below pytest's own folder, which another run of pytest closes to the users that servers become.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="anyurl-peer-")))
        running = request.param.start(folder, stack)
        client = stack.enter_context(Client(Policy.open(), ask_consent=consent_to_all, **running.settings))
        yield running, client


def rows(operation: str) -> pytest.MarkDecorator:
    """The peers that have it."""
    peers = [peer for peer in PEERS if operation in peer.can]
    return pytest.mark.parametrize("place", peers, ids=[peer.name for peer in peers], indirect=True)


@rows("get")
def test_get(place: tuple[Place, Client]) -> None:
    there, client = place
    for url, content in there.documents.items():
        with client.get(url) as resource:
            assert resource.kind == "document"
            # A news server adds fields to what was posted; all others hand over the octets and no more.
            got = resource.read()
            assert (got.partition(b"\r\n\r\n")[2] if url.startswith("news:") else got) == content, url


@rows("many")
def test_many(place: tuple[Place, Client]) -> None:
    there, client = place
    got = {str(result.url): result.resource.read() for result in client.map(there.documents) if result.resource}
    assert got == there.documents


@rows("list")
def test_list(place: tuple[Place, Client]) -> None:
    there, client = place
    url, names = there.listing
    entries = list(client.list(url).entries())
    # Gopher servers name their entries for people; what leads to them is the selector.
    selectors = {str(entry.url).partition("%09")[0].rpartition("/")[2] for entry in entries}
    assert names <= {entry.name for entry in entries} | selectors


@rows("stat")
def test_stat(place: tuple[Place, Client]) -> None:
    there, client = place
    for url, content in there.documents.items():
        found = client.stat(url)
        assert found.kind == "document"
        # apache2 answers HEAD of an empty file with no Content-Length.
        assert found.size == len(content) or (found.size, content) == (None, b""), url


@rows("times")
def test_times(place: tuple[Place, Client], tmp_path: Path) -> None:
    there, client = place
    url, content = next(iter(there.documents.items()))
    assert client.stat(url).modified == MODIFIED
    with client.get(url) as resource:
        save(resource, tmp_path / "file")
    assert ((tmp_path / "file").read_bytes(), (tmp_path / "file").stat().st_mtime) == (content, MODIFIED)


@rows("directory")
def test_directory(place: tuple[Place, Client]) -> None:
    there, client = place
    assert client.stat(there.directory).kind == "listing"
    with pytest.raises(ReplyError) as caught:
        client.get(there.directory)
    assert (type(caught.value), caught.value.meaning) == (ReplyError, "directory")


@rows("absent")
def test_absent(place: tuple[Place, Client]) -> None:
    there, client = place
    for verb in (client.get, client.stat):
        with pytest.raises(NotFoundError):
            verb(there.missing)


@rows("put")
def test_what_is_put_is_what_is_got(place: tuple[Place, Client]) -> None:
    there, client = place
    for name, content in PUTS.items():
        client.put(there.writable + name, content)
        assert client.get(there.writable + name).read() == content, name


@pytest.mark.parametrize(
    "place",
    [each for each in PEERS if each.scheme == "ftp" and "not UTF-8" not in each.lacks],
    ids=str,
    indirect=True,
)
def test_0xff_in_a_name_is_one_octet_to_every_server(place: tuple[Place, Client]) -> None:
    there, client = place
    for name in (b"\xffa.ff", b"b\xff\xff.ff"):
        client.put(f"{there.writable}{percent_encode(name)}", name)
    listed = {entry.name for entry in client.list(there.writable).entries() if entry.name.endswith(".ff")}
    # pyftpdlib names what is not UTF-8 with a mark for each octet.
    assert listed in ({"\udcffa.ff", "b\udcff\udcff.ff"}, {"\ufffda.ff", "b\ufffd\ufffd.ff"})


@rows("append")
def test_append(place: tuple[Place, Client]) -> None:
    there, client = place
    client.put(there.writable + "grown.txt", b"one\r\n")
    client.append(there.writable + "grown.txt", b"two\n")
    assert client.get(there.writable + "grown.txt").read() == b"one\r\ntwo\n"


@rows("continue")
def test_a_transfer_goes_on_in_the_middle(place: tuple[Place, Client]) -> None:
    there, client = place
    for url, content in there.documents.items():
        first = client.get(url, resume=Resume(0))  # as --continue begins
        first.read()
        half = len(content) // 2
        if not half:
            continue
        with client.get(url, resume=Resume(half, first.etag, first.modified, first.size or len(content))) as rest:
            assert (rest.start, rest.read()) == (half, content[half:]), url


@rows("continue put")
def test_an_upload_goes_on_behind_what_is_there(place: tuple[Place, Client]) -> None:
    there, client = place
    url, content = there.writable + "grows.bin", EVERY_OCTET * 700
    client.put(url, content[:100_000])
    resource = client.put(url, content, go_on=True)
    assert (resource.start, resource.size) == (100_000, len(content))
    assert client.get(url).read() == content
    assert client.put(url, content, go_on=True).start == len(content)  # nothing is left to send
    for other in (content[:50_000], b"x" + content[:-1] * 2):
        with pytest.raises(TransferError, match="is not the beginning of what is sent"):
            client.put(url, other, go_on=True)
        assert client.get(url).read() == content
    assert client.put(there.writable + "fresh.bin", content, go_on=True).start == 0
    assert client.get(there.writable + "fresh.bin").read() == content


@rows("put times")
def test_what_is_put_gets_its_time(place: tuple[Place, Client]) -> None:
    there, client = place
    url = there.writable + "dated.bin"
    assert client.put(url, b"octets", mtime=MODIFIED + 0.5).modified == MODIFIED
    assert client.stat(url).modified == MODIFIED


@rows("deliver")
def test_deliver(place: tuple[Place, Client]) -> None:
    there, client = place
    resource = client.append(f"{there.writable}?subject=Hello", b"Hello.\n")
    assert resource.attributes["delivered"] == ["guest@world.example"]
    with pytest.raises(UnavailableError) as caught:
        client.append(there.writable.replace("guest", "grey"), b"Hello.\n")
    assert caught.value.meaning == "greylisted"
    with pytest.raises(ReplyError) as refused:
        client.append(there.writable.replace("guest", "full"), b"Hello.\n")
    assert refused.value.meaning == "quota"
    with pytest.raises(NotFoundError):
        client.append(there.missing, b"Hello.\n")


@rows("session")
def test_session(place: tuple[Place, Client]) -> None:
    there, client = place
    for url, words in there.documents.items():
        prompt, typed, answer = words.decode().split("|")
        with client.session(url) as session:
            session.expect(prompt, timeout=WAIT_SECONDS)
            session.write(typed)
            session.expect(answer, timeout=WAIT_SECONDS)


@pytest.mark.parametrize("peer", PEERS, ids=str)
def test_a_row_says_what_it_lacks(peer: Peer) -> None:
    assert set(peer.can) <= set(OPERATIONS)
    own = {other.scheme: set(other.can) for other in reversed(PEERS)}[peer.scheme]
    assert set(peer.can) >= own or peer.lacks


def test_the_page_is_what_the_table_says() -> None:
    assert (ROOT / "docs" / "peers.md").read_text("utf-8") == page()
