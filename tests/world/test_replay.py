"""A web archive shown again: what was got in each scheme comes back the same, and nothing of it runs."""

from __future__ import annotations

import contextlib
import http.client
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyurl import Client
from anyurl.errors import TransferError
from anyurl.url import URL
from anyurl.world import World
from anyurl.world.replay import Replay, _links_below
from anyurl.world.warc_index import CHUNK
from tests.client.test_requests import serving
from tests.servers import Connection, Server, reply

pytest.importorskip("warcio", reason="warcio is not installed")

SCHEMES = ("file", "http", "gopher", "wais", "prospero", "news", "nntp", "ftp")


def ask(
    replay: Replay, target: str, method: str = "GET", host: str = "", **fields: str
) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", replay.url.port, timeout=10)
    with contextlib.closing(connection):
        connection.putrequest(method, target, skip_host=bool(host))
        if host:
            connection.putheader("Host", host)
        for name, value in fields.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Replay, dict[str, tuple[URL, bytes, str | None]]]]:
    """An archive of the world, whose servers are gone."""
    path = tmp_path_factory.mktemp("warc") / "a.warc.gz"
    got: dict[str, tuple[URL, bytes, str | None]] = {}
    with World(SCHEMES) as world, Client(warc=path, **world.settings) as client:
        for scheme in SCHEMES:
            with client.get(world.urls[scheme]) as resource:
                got[scheme] = world.urls[scheme], resource.read(), resource.content_type
        list(client.list(world.roots["gopher"]).entries())
        got["root"] = world.roots["gopher"], b"", None
        got["menu"] = (
            next(each.url for each in client.list(world.roots["gopher"]).entries() if each.name == "motd.txt"),
            b"",
            None,
        )
        client.get(got["menu"][0]).read()
    with Replay(path) as replay:
        yield replay, got


Kept = tuple[Replay, dict[str, tuple[URL, bytes, "str | None"]]]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_each_scheme_comes_back_by_its_url(kept: Kept, scheme: str) -> None:
    replay, got = kept
    url, content, type = got[scheme]
    for target in (f"/{url}", str(url)):  # below its own address, and as a proxy
        status, fields, body = ask(replay, target)
        assert (status, body) == (200, content)
        assert fields["content-type"].partition(";")[0] == type
        assert fields["content-security-policy"].startswith("sandbox; default-src 'none'")
        assert ("img-src 'self' data:" in fields["content-security-policy"]) == target.startswith("/")
        assert fields["x-content-type-options"] == "nosniff"
        assert fields["memento-datetime"].endswith(" GMT")
    status, fields, body = ask(replay, f"/{url}", "HEAD")
    assert (status, int(fields["content-length"]), body) == (200, len(content), b"")


def test_a_listing_is_a_page_of_links(kept: Kept) -> None:
    replay, got = kept
    status, fields, body = ask(replay, f"/{got['root'][0]}")
    assert (status, fields["content-type"]) == (200, "text/html; charset=utf-8")
    page = URL(f"{replay.url}{got['root'][0]}")
    links = {str(page.join(link)) for link in re.findall(r'<a href="([^"]+)"', body.decode())}
    assert f"{replay.url}https://www.rfc-editor.org/rfc/rfc1738" in links  # below our address, too
    assert {link for link in links if ask(replay, URL(link).path)[0] == 200} == {f"{replay.url}{got['menu'][0]}"}


def test_the_start_page_has_all_of_them(kept: Kept) -> None:
    replay, got = kept
    _, _, body = ask(replay, "/")
    assert body.count(b"<li>") == len(replay.index) == len(got)
    places = {f"{url.scheme}:{'' if url.authority is None else f'//{url.authority}'}" for url, *_ in got.values()}
    shown = re.findall("<h2>(.*)</h2>", body.decode())
    assert sorted(shown) == sorted(places)
    assert ask(replay, "/", "HEAD")[2] == b""
    assert b'"></a>' not in body


def test_each_link_of_the_start_page_has_a_text(tmp_path: Path) -> None:
    """A record may name a URL without a path, or what is none."""
    texts = ("http://h", "http://h?q", "http://h/a?b/c", "gopher://h", "urn:x:y", "dns:")
    records = (
        f"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: {text}\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-00000000000{number}>\r\n"
        "Content-Type: text/plain\r\nContent-Length: 1\r\n\r\nx\r\n\r\n"
        for number, text in enumerate(texts)
    )
    path = tmp_path / "a.warc"
    path.write_bytes("".join(records).encode())
    with Replay(path) as replay:
        body = ask(replay, "/")[2].decode()
    shown = dict(re.findall('<a href="/([^"]*)">([^<]*)</a>', body))
    assert shown == {
        "http://h": "http://h", "http://h?q": "?q", "http://h/a?b/c": "/a?b/c",
        "gopher://h": "gopher://h", "urn:x:y": "x:y", "dns:": "dns:",
    }  # fmt: skip
    assert sorted(re.findall("<h2>(.*)</h2>", body)) == ["dns:", "gopher://h", "http://h", "urn:"]


def test_what_is_not_there_and_what_is_not_done(kept: Kept) -> None:
    replay, _ = kept
    assert ask(replay, "/http://h/other")[0] == 404
    assert ask(replay, "http://h/other")[0] == 404
    assert ask(replay, "/", "POST")[0] == 405


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1"])
def test_by_another_name_nothing_is_read(kept: Kept, host: str) -> None:
    """Attack: a page's own name is led to this machine, and reads the archive (DNS rebinding)."""
    replay, got = kept
    status, _, body = ask(replay, f"/{got['http'][0]}", host=host)
    assert (status, body) == (403, b"This address was reached by another name than its own.\n")
    assert ask(replay, "/", host=f"localhost:{replay.url.port}")[0] == 200


def test_a_redirection_leads_on_below_the_address_and_no_cookie_is_set(tmp_path: Path) -> None:
    def answer(line: bytes, _fields: object, _body: object) -> bytes:
        if line.startswith(b"GET /old"):
            return reply(b"", "Location: new?a=b", "Set-Cookie: a=b", status="302 Found")
        return reply(b"here", "Set-Cookie: a=b")

    path = tmp_path / "a.warc.gz"
    with serving(answer) as (url, _), Client(warc=path) as client:
        client.get(f"{url}/old").read()
    with Replay(path) as replay:
        status, fields, _ = ask(replay, f"/{url}/old")
        assert (status, fields["location"]) == (302, f"/{url}/new?a=b")
        assert "set-cookie" not in fields
        assert ask(replay, fields["location"])[2] == b"here"
        assert ask(replay, f"{url}/old")[1]["location"] == "new?a=b"


def test_a_path_alone_leads_to_the_host_that_has_it(tmp_path: Path) -> None:
    def answer(line: bytes, _fields: object, _body: object) -> bytes:
        return reply(line.split()[1])

    path = tmp_path / "a.warc.gz"
    with serving(answer) as (one, _), serving(answer) as (other, _), Client(warc=path) as client:
        for url in (f"{one}/x?%3Cb%3E", f"{one}/both", f"{other}/both"):
            client.get(url).read()
    with Replay(path) as replay:
        status, fields, body = ask(replay, "/x?%3Cb%3E")
        assert (status, fields["location"], body) == (302, f"/{one}/x?%3Cb%3E", b"")
        assert ask(replay, fields["location"])[2] == b"/x?%3Cb%3E"
        status, fields, body = ask(replay, "/both")
        assert (status, body.count(b"<li>")) == (300, 2)
        assert all(f'<a href="/{url}/both">'.encode() in body for url in (one, other))
        assert ask(replay, "/neither")[0] == 404
        assert ask(replay, f"//{one}/both")[0] == 404


def test_an_address_whose_slashes_were_merged_leads_to_the_url(kept: Kept) -> None:
    """Python's urljoin and some servers in front of this one make `ftp:/host/x` of it."""
    replay, got = kept
    url = str(got["ftp"][0])
    status, fields, _ = ask(replay, "/" + url.replace("//", "/"))
    assert (status, fields["location"]) == (302, f"/{url}")
    assert ask(replay, "/ftp:/127.0.0.1/other")[0] == 404


def test_a_text_is_shown_in_the_letters_that_it_has(tmp_path: Path) -> None:
    url, path = URL(f"file://localhost{tmp_path}/text.txt"), tmp_path / "a.warc.gz"
    (tmp_path / "text.txt").write_text("Gr\u00fc\u00dfe\n", encoding="utf-8")
    with Client(warc=path) as client:
        client.get(url).read()
    with Replay(path) as replay:
        assert ask(replay, f"/{url}")[1]["content-type"] == "text/plain; charset=utf-8"


def test_a_part_is_answered_as_by_a_server(tmp_path: Path) -> None:
    """A browser seeks in sound and video, and shows some of them only then."""
    content = bytes(range(256)) * 1000
    path = tmp_path / "a.warc.gz"
    with serving(lambda *_asked: reply(content, 'ETag: "1"')) as (url, _), Client(warc=path) as client:
        client.get(f"{url}/x").read()
    with Replay(path) as replay:
        for asked, start, end in (
            ("bytes=0-0", 0, 1), ("bytes=70000-80000", 70000, 80001), ("bytes=-5", 255_995, 256_000),
            ("bytes=255999-", 255_999, 256_000), ("bytes=5-999999", 5, 256_000),
        ):  # fmt: skip
            status, fields, body = ask(replay, f"/{url}/x", Range=asked, If_Range='"1"')
            assert (status, body) == (206, content[start:end])
            assert fields["content-range"] == f"bytes {start}-{end - 1}/256000"
        status, fields, _ = ask(replay, f"/{url}/x", Range="bytes=256000-")
        assert (status, fields["content-range"]) == (416, "bytes */256000")
        for asked in ("bytes=2-1", "bytes=0-1,3-4", "lines=1-2", "bytes=\u00b2-"):
            assert ask(replay, f"/{url}/x", Range=asked)[0] == 200
        status, fields, body = ask(replay, f"/{url}/x", Range="bytes=0-0", If_Range='"2"')
        assert (status, body, fields["accept-ranges"]) == (200, content, "bytes")


def test_a_listing_that_was_cut_is_not_shown_as_whole(tmp_path: Path) -> None:
    def part(connection: Connection) -> None:
        connection.line()
        connection.send(b"0a text\t/x\t127.0.0.1\t70\r\n" * 1000)
        connection.reset()

    path = tmp_path / "a.warc.gz"
    with Server(part) as server, Client(warc=path) as client:
        root = f"gopher://{server.authority}/"
        with pytest.raises(TransferError):
            list(client.list(root).entries())
    with Replay(path) as replay, pytest.raises(http.client.IncompleteRead):
        ask(replay, f"/{root}")


def test_a_listing_without_lines_is_shown_in_pieces() -> None:
    """Attack: what has no line would be joined again with each piece, and held."""
    pieces = [b"x" * CHUNK] * 20
    shown = list(_links_below(iter([*pieces, b'\n<li><a href="gopher://h/">', b"</a>\n"])))
    assert b"".join(shown) == b"x" * CHUNK * 20 + b'\n<li><a href="/gopher://h/"></a>\n'
    assert max(map(len, shown)) <= 2 * CHUNK + 100
    assert b"" not in shown
