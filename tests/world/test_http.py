"""The HTTP server against http.client and curl: files, ranges, conditions, redirects, codings, logins, PUT."""

from __future__ import annotations

import gzip
import http.client
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anyurl.world import http as world_http
from anyurl.world import tree
from anyurl.world.http import HttpServer
from tests import needs

MOTD = tree.MOTD.encode()


@pytest.fixture(scope="module")
def server() -> Iterator[HttpServer]:
    server = HttpServer()
    yield server
    server.close()


@pytest.fixture
def client(server: HttpServer) -> Iterator[http.client.HTTPConnection]:
    client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    yield client
    client.close()


Answer = tuple[int, dict[str, str], bytes]


def ask(client: http.client.HTTPConnection, target: str, method: str = "GET", **more: Any) -> Answer:
    client.request(method, target, **more)
    response = client.getresponse()
    return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()


def test_serves_the_tree_over_one_connection(client: http.client.HTTPConnection) -> None:
    for path, data in tree.tree().items():
        status, headers, body = ask(client, f"/{world_http._encoded(path)}")
        assert (status, body) == (200, data), path
        assert headers["content-type"] == tree.content_type(path)
        assert headers["content-length"] == str(len(data))
        assert headers["last-modified"] == "Tue, 20 Dec 1994 00:00:00 GMT"


def test_head_has_the_headers_and_no_body(client: http.client.HTTPConnection) -> None:
    status, headers, body = ask(client, "/motd.txt", "HEAD")
    assert (status, headers["content-length"], body) == (200, str(len(MOTD)), b"")
    assert ask(client, "/motd.txt")[2] == MOTD  # the connection is still in step


def test_etag_answers_a_condition(client: http.client.HTTPConnection) -> None:
    etag = ask(client, "/motd.txt")[1]["etag"]
    assert ask(client, "/motd.txt", headers={"If-None-Match": etag})[0] == 304
    assert ask(client, "/motd.txt", headers={"If-None-Match": '"other"'})[0] == 200


@pytest.mark.parametrize(
    ("wanted", "status", "content_range", "start", "end"),
    [
        ("bytes=0-6", 206, "bytes 0-6/{size}", 0, 7),
        ("bytes=10-", 206, "bytes 10-{last}/{size}", 10, None),
        ("bytes=-5", 206, "bytes {minus5}-{last}/{size}", -5, None),
        ("bytes=5-99999", 206, "bytes 5-{last}/{size}", 5, None),
        ("bytes=0-1,3-4", 200, None, 0, None),  # RFC 9110 14.2: several ranges may be answered with the whole
        ("bytes=x-", 200, None, 0, None),  # and so may one that is none
        ("lines=1-2", 200, None, 0, None),
    ],
)
def test_ranges(
    client: http.client.HTTPConnection, wanted: str, status: int, content_range: str | None, start: int, end: int | None
) -> None:
    size = len(MOTD)
    expected = content_range and content_range.format(size=size, last=size - 1, minus5=size - 5)
    answer = ask(client, "/motd.txt", headers={"Range": wanted})
    assert answer[0] == status
    assert answer[1].get("content-range") == expected
    assert answer[2] == MOTD[start:end]


def test_a_range_behind_the_end_is_416_and_the_connection_goes_on(client: http.client.HTTPConnection) -> None:
    status, headers, _ = ask(client, "/motd.txt", headers={"Range": "bytes=99999-"})
    assert (status, headers["content-range"]) == (416, f"bytes */{len(MOTD)}")
    assert ask(client, "/motd.txt")[0] == 200


@pytest.mark.parametrize(
    ("condition", "status"), [("{etag}", 206), ('"old"', 200), ("Tue, 20 Dec 1994 00:00:00 GMT", 206)]
)
def test_if_range(client: http.client.HTTPConnection, condition: str, status: int) -> None:
    etag = ask(client, "/motd.txt")[1]["etag"]
    headers = {"Range": "bytes=2-", "If-Range": condition.format(etag=etag)}
    assert ask(client, "/motd.txt", headers=headers)[0] == status


@pytest.mark.parametrize(
    ("target", "status", "location"),
    [
        ("/moved", 301, "/motd.txt"),
        ("/found", 302, "/motd.txt"),
        ("/hops/2", 302, "/hops/1"),
        ("/hops/1", 302, "/motd.txt"),
        ("/loop", 302, "/loop"),
        ("/pub", 301, "/pub/"),
        ("/to/gopher:%2F%2Fh%2F1", 302, "gopher://h/1"),
        ("/to/http:%2F%2Fh%0D%0AX:%20y", 302, "http://h%0D%0AX:%20y"),  # never a header of its own
    ],
)
def test_redirects(client: http.client.HTTPConnection, target: str, status: int, location: str) -> None:
    answer = ask(client, target)
    assert (answer[0], answer[1]["location"]) == (status, location)


def test_private_wants_the_login_of_its_realm(client: http.client.HTTPConnection) -> None:
    status, headers, _ = ask(client, "/private/motd.txt")
    assert (status, headers["www-authenticate"]) == (401, 'Basic realm="world", charset="UTF-8"')
    for login, expected in ((f"{tree.USER}:{tree.PASSWORD}", 200), (f"{tree.USER}:wrong", 401)):
        authorization = f"Basic {b64encode(login.encode()).decode()}"
        assert ask(client, "/private/motd.txt", headers={"Authorization": authorization})[0] == expected


def test_gzip_is_for_those_who_accept_it(client: http.client.HTTPConnection) -> None:
    status, headers, body = ask(client, "/gzip/motd.txt", headers={"Accept-Encoding": "gzip"})
    assert (status, headers["content-encoding"], gzip.decompress(body)) == (200, "gzip", MOTD)
    status, headers, body = ask(client, "/gzip/motd.txt", headers={"Accept-Encoding": "identity"})
    assert (status, headers.get("content-encoding"), body) == (200, None, MOTD)


def test_chunked_has_no_length(client: http.client.HTTPConnection) -> None:
    status, headers, body = ask(client, "/chunked/motd.txt")
    assert (status, headers["transfer-encoding"], body) == (200, "chunked", MOTD)
    assert "content-length" not in headers


def test_folders_are_pages_of_links(client: http.client.HTTPConnection) -> None:
    page = ask(client, "/pub/names/")[2].decode()
    assert '<a href="a%20name%3B%20with%20marks%3F.txt">a name; with marks?.txt</a>' in page
    assert '<a href="100%25.txt">100%.txt</a>' in page
    assert ask(client, "/")[0] == 200


def test_search_finds_lines_with_all_words(client: http.client.HTTPConnection) -> None:
    page = ask(client, "/search?LOCATOR+names")[2].decode()
    assert "<title>1 found</title>" in page
    assert "/pub/notes.txt" in page
    assert "<title>0 found</title>" in ask(client, "/search")[2].decode()


@pytest.mark.parametrize(("target", "status"), [("/nothing", 404), ("/status/503", 503), ("/status/1", 400)])
def test_statuses(client: http.client.HTTPConnection, target: str, status: int) -> None:
    assert ask(client, target)[0] == status


def test_put_keeps_in_memory_what_get_gives_back(client: http.client.HTTPConnection) -> None:
    assert ask(client, "/new/a%20b.txt", "PUT", body=b"one")[0] == 201
    first = ask(client, "/new/a%20b.txt")
    assert (first[0], first[1]["content-type"], first[2]) == (200, "text/plain; charset=utf-8", b"one")
    headers = {"Content-Type": "text/markdown"}
    assert ask(client, "/new/a%20b.txt", "PUT", body=iter([b"t", b"wo"]), headers=headers)[0] == 204  # chunked
    second = ask(client, "/new/a%20b.txt")
    assert (second[1]["content-type"], second[2]) == ("text/markdown", b"two")
    assert second[1]["etag"] != first[1]["etag"]
    assert second[1]["last-modified"] != first[1]["last-modified"]


def test_put_has_its_limits(client: http.client.HTTPConnection) -> None:
    status, headers, _ = ask(client, "/big", "PUT", headers={"Content-Length": str(world_http.MAX_STORED)})
    assert (status, headers["connection"]) == (413, "close")
    assert ask(client, "/status/200", "PUT", body=b"x")[0] == 405
    assert ask(client, "/x", "PUT", headers={"Content-Length": "-1"})[0] == 400
    assert ask(client, "/x", "DELETE")[0] == 501


def test_curl_uploads_and_downloads(server: HttpServer, tmp_path: Path) -> None:
    needs.need("curl")
    picture = tmp_path / "picture.png"
    picture.write_bytes(tree.picture())
    url = f"{server.root}uploaded.png"
    subprocess.run(["curl", "-sS", "--fail", "-T", str(picture), url], timeout=20, check=True)
    done = subprocess.run(["curl", "-sS", "--fail", url], capture_output=True, timeout=20, check=True)
    assert done.stdout == tree.picture()
    done = subprocess.run(
        ["curl", "-sS", "-L", "--compressed", f"{server.root}hops/4"], capture_output=True, timeout=20, check=True
    )
    assert done.stdout == MOTD
