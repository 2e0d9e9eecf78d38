"""pywb, warcio and the wacz program, which nobody here wrote: they take what anyurl packs, every record of it."""

from __future__ import annotations

import gzip
import sys
import zipfile
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple

import pytest

from anyurl import Client
from anyurl.errors import NotFoundError
from anyurl.url import URL
from anyurl.warc.cdxj import read_line, surt
from anyurl.warc.wacz import archive_of, pack
from anyurl.world import World
from tests.needs import program
from tests.peers.wayback import run, wayback
from tests.servers import WAIT_SECONDS, Connection, Server, reply

pytest.importorskip("warcio", reason="warcio is not installed")

SCHEMES = ("http", "gopher", "ftp", "gemini", "news", "nntp", "prospero", "wais")

LISTED = ("gopher", "ftp", "news", "prospero")

KEYS = (
    "http://www.Example.org:80/A?b=1&a=2", "https://h:8443/x//y/../z/", "http://h/a%20b%2Fc%25d?x=%41&y=%C3%BC",
    "http://h/a?", "http://h/a?B=2&&A=1", "http://h/p?a=1&PHPSESSID=0123456789abcdef0123456789abcdef&b=2",
    "ftp://127.0.0.1:2121/a/b.txt;type=i", "gopher://h/0/a%09%09+", "gemini://h/a?words%20two", "news:a@b.example",
    "http://h/A/B/C/", "http://h/a'b(c)", "http://h/%E4%B8%AD", "http://h/a+b?c+d=e", "http://h/a%23b",
)  # fmt: skip

TEXT = b"what the server has\n" * 100


def web(connection: Connection) -> None:
    """A content coding, a transfer coding, a redirection, and what is not there."""
    while head := connection.head():
        path = head.split()[1].decode()
        if path == "/coded":
            connection.send(reply(gzip.compress(TEXT), "Content-Encoding: gzip", "Content-Type: text/plain"))
        elif path == "/chunked":
            chunk = b"%x\r\n%b\r\n0\r\n\r\n" % (len(TEXT), TEXT)
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"
            connection.send(head + chunk)
        elif path == "/moved":
            connection.send(reply(b"", "Location: /chunked", status="302 Found"))
        else:
            connection.send(reply(b"none", "Content-Type: text/plain", status="404 Not Found"))


class Packed(NamedTuple):
    """A WACZ, the documents in it, and the numbers of links of its listings, by URL."""

    path: Path
    documents: dict[str, bytes]
    listings: dict[str, int]


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Packed:
    """Of all schemes, with a second capture of each."""
    path = tmp_path_factory.mktemp("wacz") / "a.wacz"
    documents: dict[str, bytes] = {}
    with World(SCHEMES) as world, Server(web) as server:
        with Client(warc=archive_of(str(path)), **world.settings) as client:
            urls = [URL(f"http://{server.authority}/{name}") for name in ("coded", "chunked")]
            for url in [*(world.urls[scheme] for scheme in SCHEMES), *urls]:
                for _ in range(2):
                    documents[str(url)] = client.get(url).read()
            client.get(f"http://{server.authority}/moved").read()
            with pytest.raises(NotFoundError):
                client.get(f"http://{server.authority}/gone")
            listings = {
                str(world.roots[scheme]): sum(
                    each.url is not None for each in client.list(world.roots[scheme]).entries()
                )
                for scheme in LISTED
            }
        pack(str(path), str(world.urls["http"]))
    return Packed(path, documents, listings)


def index_of(path: Path) -> list[dict[str, str]]:
    with zipfile.ZipFile(path) as zipped:
        lines = zipped.read("indexes/index.cdx").decode().splitlines()
    return [told for line in lines if (told := read_line(line)) is not None]


def test_the_wacz_program_finds_it_valid(packed: Packed, tmp_path: Path) -> None:
    assert "is valid" in run(program("wacz"), "validate", "-f", str(packed.path), cwd=tmp_path)


def test_warcio_finds_the_digest_of_every_record_right(packed: Packed, tmp_path: Path) -> None:
    said = run(sys.executable, "-m", "warcio.cli", "check", "-v", archive_of(str(packed.path)), cwd=tmp_path)
    records = said.count("WARC-Record-ID")
    revisits = said.count("digest present but not checked (revisit)")
    assert records > 4 * len(SCHEMES)
    assert (said.count("digest pass") + revisits, revisits > 0) == (records, True), said


def test_pywb_shows_every_record(packed: Packed, tmp_path: Path) -> None:
    index = index_of(packed.path)
    assert {told["url"] for told in index} >= packed.documents.keys() | packed.listings.keys()
    with wayback(tmp_path, packed.path) as place:
        for told in index:
            status, coding, content = ask(f"{place}{told['timestamp']}id_/{told['url']}")
            if told["mime"] != "warc/revisit":  # which has the status of what it refers to
                assert status == int(told["status"]), told
            if told["url"] in packed.listings and told["mime"] == "text/html":
                assert content.count(b"<a href=") == packed.listings[told["url"]], told
            elif told["url"] in packed.documents:
                assert (gzip.decompress(content) if coding == "gzip" else content) == packed.documents[told["url"]], (
                    told
                )


def ask(url: str) -> tuple[int, str | None, bytes]:
    """The status, the content coding and the content of an answer: no redirection is followed."""
    _, _, authority, target = url.split("/", 3)
    connection = HTTPConnection(authority, timeout=WAIT_SECONDS)
    try:
        connection.request("GET", f"/{target}")
        answer = connection.getresponse()
        return answer.status, answer.getheader("Content-Encoding"), answer.read()
    finally:
        connection.close()


def test_the_keys_are_those_of_the_surt_library(tmp_path: Path) -> None:
    python = Path(program("wb-manager")).resolve().with_name("python")
    told = run(str(python), "-c", "import surt, sys\nfor u in sys.argv[1:]: print(surt.surt(u))", *KEYS, cwd=tmp_path)
    assert told.splitlines() == [surt(url) for url in KEYS]
