"""A mirror looks like the place: styles, pages that are folders, one page under two names, what pages need."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyurl import Client, Mirrored, Policy
from tests.saving.test_mirror import files
from tests.servers import Connection, Server, certificate, reply

TYPES = {".css": "text/css", ".png": "image/png", ".js": "text/javascript", ".woff2": "font/woff2"}


class Site:
    """Documents by path; pages are those without a suffix that says something else."""

    def __init__(self, documents: dict[str, bytes]) -> None:
        self.documents = documents
        self.asked: list[str] = []

    def __call__(self, connection: Connection) -> None:
        while head := connection.head():
            path = head.split()[1].decode()
            self.asked.append(path)
            body = self.documents.get(path)
            type = TYPES.get(os.path.splitext(path)[1], "text/html")
            status = "404 no" if body is None else "200 OK"
            connection.send(reply(body or b"", f"Content-Type: {type}", status=status))


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(Policy.open()) as client:
        yield client


def mirror(
    client: Client, site: Site, folder: Path, path: str = "/", *, times: int = 1, **more: object
) -> list[Mirrored]:
    """Mirror the site, so many times; returns the outcomes of all."""
    with Server(site) as server:
        runs = [
            list(client.mirror(f"http://{server.authority}{path}", folder, **more))  # type: ignore[arg-type]
            for _ in range(times)
        ]
        return [each for run in runs for each in run]


def failures(outcomes: list[Mirrored]) -> list[str]:
    return [str(each.error) for each in outcomes if each.error is not None]


def test_styles_are_followed_from_file_to_file(tmp_path: Path, client: Client) -> None:
    site = Site({
        "/": b'<link rel=stylesheet href="/css/main.css">',
        "/css/main.css": b'@import "two.css"; body { background: url(../img/css.png) }',
        "/css/two.css": b"@import url(three.css); @font-face { src: url('/font/f.woff2') }",
        "/css/three.css": b"p { cursor: url(/img/c.png), auto }",
        "/img/css.png": b"1", "/img/c.png": b"2", "/font/f.woff2": b"3",
    })  # fmt: skip
    assert failures(mirror(client, site, tmp_path)) == []
    assert files(tmp_path) == {path[1:] or "index.html": body for path, body in site.documents.items()}


@pytest.mark.parametrize("order", [("about", "about/team"), ("about/team", "about"), ("about/", "about", "about/x")])
def test_a_name_that_is_a_document_and_a_folder_has_a_place_for_both(
    order: tuple[str, ...], tmp_path: Path, client: Client
) -> None:
    pages = {f"/{name}": f"<p>{name}".encode() for name in order}
    site = Site({"/": b"".join(f'<a href="/{name}">'.encode() for name in order), **pages})
    assert failures(mirror(client, site, tmp_path, limit=1, times=2)) == []
    assert sorted(files(tmp_path).values()) == sorted(site.documents.values())


def test_all_below_such_a_name_is_in_one_folder(tmp_path: Path, client: Client) -> None:
    names = ["about", "about/team", "about/team/a", "about/team/b", "about/c"]
    site = Site({
        "/": b"".join(f'<a href="/{name}">'.encode() for name in names),
        **{f"/{name}": f"<p>{name}".encode() for name in names},
    })  # fmt: skip
    assert failures(mirror(client, site, tmp_path, limit=1)) == []
    paths = {body: path for path, body in files(tmp_path).items()}
    assert len(paths) == 6
    assert paths[b"<p>about/team/a"].rpartition("/")[0] == paths[b"<p>about/team/b"].rpartition("/")[0]
    assert paths[b"<p>about/c"].split("/")[0] == paths[b"<p>about/team/a"].split("/")[0]


def test_gopher_has_a_place_for_both(tmp_path: Path, client: Client) -> None:
    def hole(connection: Connection) -> None:
        host, port = connection.sock.getsockname()
        selector = connection.line().rstrip(b"\r\n").decode()
        top = "0About\t/about\t{0}\t{1}\r\n1Below\t/about\t{0}\t{1}\r\n"
        lines = {"": top, "/about": "9T\t/about/team\t{0}\t{1}\r\n"}
        asked.append(selector)
        if selector == "" or (selector == "/about" and asked.count("/about") == 2):
            connection.send(lines[selector].format(host, port).encode() + b".\r\n")
        else:
            connection.send(f"text {selector}\r\n.\r\n".encode())

    asked: list[str] = []
    with Server(hole) as server:
        outcomes = list(client.mirror(f"gopher://{server.authority}/", tmp_path, limit=1))
    assert failures(outcomes) == []
    assert set(files(tmp_path).values()) == {b"text /about\n", b"text /about/team\r\n.\r\n"}


@pytest.mark.parametrize("same", [True, False])
def test_one_page_under_two_names_is_there_once(same: bool, tmp_path: Path, client: Client) -> None:
    page = b'<a href="/index.html"><a href="/"><a href="/d/"><a href="/d/index.html">'
    other = page if same else page + b"<p>another"
    site = Site({"/": page, "/index.html": other, "/d/": b"<p>d", "/d/index.html": b"<p>d" if same else b"<p>e"})
    assert failures(mirror(client, site, tmp_path, times=2)) == []
    assert len(files(tmp_path)) == (2 if same else 4)


def test_each_of_two_pages_keeps_its_place_in_whatever_order_they_come(tmp_path: Path, client: Client) -> None:
    both, one = b'<a href="/d/"><a href="/d/index.html">', b'<a href="/d/"><a href="/x">'
    site = Site({"/x": b'<a href="/d/index.html">', "/d/": b"<p>folder", "/d/index.html": b"<p>index"})
    with Server(site) as server:
        for root in (both, one, both):
            site.documents["/"] = root
            assert failures(list(client.mirror(f"http://{server.authority}/", tmp_path, limit=1))) == []
            found = {path: body for path, body in files(tmp_path).items() if path.startswith("d/")}
            assert found["d/index.html"] == b"<p>index"
            assert sorted(found.values()) == [b"<p>folder", b"<p>index"]
    assert [path for path in site.asked if path.startswith("/d")] == [
        "/d/index.html", "/d/", "/d/", "/d/index.html", "/d/index.html", "/d/",
    ]  # fmt: skip


PAGE = b'<img src="/img/a.png"><link rel=stylesheet href="/s.css"><script src=near.js></script><a href="/out">'


def test_what_pages_show_is_there_too_if_wanted(tmp_path: Path, client: Client) -> None:
    site = Site({
        "/d/": PAGE, "/img/a.png": b"a", "/s.css": b"p { background: url(/img/b.png) }", "/img/b.png": b"b",
        "/d/near.js": b"js", "/out": b"<p>out",
    })  # fmt: skip
    assert failures(mirror(client, site, tmp_path / "bare", "/d/", depth=0)) == []
    assert set(files(tmp_path / "bare")) == {"index.html"}
    assert failures(mirror(client, site, tmp_path / "full", "/d/", depth=0, requisites=True)) == []
    assert set(files(tmp_path / "full")) == {
        "index.html", "near.js", "_outside/img/a.png", "_outside/s.css", "_outside/img/b.png",
    }  # fmt: skip


def test_nothing_of_the_users_is_replaced_by_what_pages_show(tmp_path: Path, client: Client) -> None:
    (tmp_path / "_outside/img").mkdir(parents=True)
    (tmp_path / "_outside/img/a.png").write_bytes(b"mine")
    site = Site({"/d/": PAGE, "/img/a.png": b"a", "/s.css": b"", "/d/near.js": b"js"})
    assert len(failures(mirror(client, site, tmp_path, "/d/", requisites=True))) == 1
    assert (tmp_path / "_outside/img/a.png").read_bytes() == b"mine"


def test_a_capsule_with_its_pages_and_their_order(tmp_path: Path) -> None:
    there = {
        "/": b"# Capsule\n=> notes/ Notes\n=> picture.png A picture\n=> gemini://o.example/ Elsewhere\n",
        "/notes/": b"=> one.gmi One\n=> /index.gmi Home\n", "/notes/one.gmi": b"text\n", "/picture.png": b"\x89PNG",
        "/index.gmi": b"# Capsule\n=> notes/ Notes\n=> picture.png A picture\n=> gemini://o.example/ Elsewhere\n",
        "/robots.txt": b"User-agent: archiver\nDisallow: /private\n", "/private": b"no\n",
    }  # fmt: skip
    there["/"] += b"=> /private Private\n"
    there["/index.gmi"] = there["/"]
    asked: list[str] = []

    def capsule(connection: Connection) -> None:
        path = "/" + connection.line().decode().strip().split("/", 3)[3]
        asked.append(path)
        body = there.get(path)
        type = b"image/png" if path.endswith("png") else b"text/plain" if path.endswith("txt") else b"text/gemini"
        connection.send(b"51 no\r\n" if body is None else b"20 %b\r\n%b" % (type, body))
        connection.sock.unwrap()  # type: ignore[attr-defined]

    with certificate(tmp_path, "127.0.0.1") as (context, authority), Server(capsule, context=context) as server:
        with Client(Policy.open(), ca_file=str(authority)) as client:
            for _ in range(2):
                outcomes = list(client.mirror(f"gemini://{server.authority}/", tmp_path / "copy"))
                assert failures(outcomes) == []
    copy = files(tmp_path / "copy")
    assert copy == {
        "index.gmi": there["/"], "notes/index.gmi": there["/notes/"], "notes/one.gmi": b"text\n",
        "picture.png": b"\x89PNG",
    }  # fmt: skip
    assert "/private" not in asked
