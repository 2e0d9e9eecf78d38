"""Crawls: what of a site is followed on, what is only asked for, robots.txt, sitemaps and fragments."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from anyurl import Client
from anyurl.batch.check import CheckState, Mention, Run
from anyurl.batch.check.collector import Collector
from anyurl.batch.check.crawl import CUT, FOLDERS, MAX_PAGE, OBJECTS, OTHERS, SCRIPTS, Crawl, _content, _sitemaps
from anyurl.batch.check.paths import file_url
from anyurl.saving.robots import MAX_ROBOTS_OCTETS
from anyurl.url import URL
from anyurl.values import USER
from anyurl.world import World, gemini
from anyurl.world.tree import tree
from tests.batch.check.site import Answer, Site, moved, page
from tests.servers import Connection, Server, reply


def crawled(
    root: str, depth: int, *, sitemap: bool = False, fragments: bool = False, exclude: str = ""
) -> tuple[dict[str, str], CheckState]:
    """What became of each URL, by what stands behind the root; where a page lacks a fragment, that."""
    state = CheckState(None, "w", resume=False, now=1000.0)
    collector = Collector(state, fragments=fragments, exclude=[exclude])
    collector.root(URL(root), USER)
    crawl = Crawl(state, [URL(root)], collector.add, depth=depth, fragments=fragments)
    with Client(timeout=10) as client:
        if depth:
            crawl.prepare(client, sitemap=sitemap)
        run = Run(client, state, look=crawl.look, refusal=crawl.refusal if depth else None)
        found = {str(each.url): " ".join(each.missing) or each.finding.outcome for each in run}
    return {url.removeprefix(root): outcome for url, outcome in found.items()}, state


def site(pages: Mapping[str, str | bytes]) -> Site:
    answers: dict[str, Answer] = {}
    for path, content in pages.items():
        answers[path] = page(content) if isinstance(content, str) else content
    return Site(answers)


TREE = {
    "/docs/": '<a href="a"><a href="b#part"><a href="/outside"><a href="gone"> http://127.0.0.1/in-the-text',
    "/docs/a": '<a href="c">',
    "/docs/b": "<h1 id=other>",
    "/docs/c": '<a href="d">',
    "/docs/d": "",
    "/outside": '<a href="/further">',
    "/robots.txt": reply(status="404 No"),
}


@pytest.mark.parametrize(
    ("depth", "there", "read"),
    [
        (0, {"", "a", "b"}, {"/docs/"}),
        (1, {"", "a", "b", "c"}, {"/docs/", "/docs/a", "/docs/b"}),
        (9, {"", "a", "b", "c", "d"}, {"/docs/", "/docs/a", "/docs/b", "/docs/c", "/docs/d"}),
    ],
)
def test_what_lies_below_is_followed_on(depth: int, there: set[str], read: set[str]) -> None:
    with site(TREE) as server:
        found, _ = crawled(f"{server.root}/docs/", depth)
        asked = server.asked
    outside = f"{server.root}/outside"
    assert found == {**dict.fromkeys(there, "ok"), "gone": "broken", outside: "ok"}
    got = {line.removeprefix("GET ") for line in asked if line.startswith("GET")}
    assert got - {"/robots.txt", "/docs/gone"} == read
    assert len(asked) == len(set(asked))  # each of them once


def test_a_link_says_where_it_stands() -> None:
    with site({"/": '\n <a href="/x#part">'}) as server:
        _, state = crawled(f"{server.root}/", 0)
    ((number, _, _),) = state.results(("broken",))
    (place,) = state.places(number)
    assert (place.file, place.line, place.column, place.fragment) == (f"{server.root}/", 2, 11, "part")


def test_fragments_are_looked_up() -> None:
    with site(TREE) as server:
        found, state = crawled(f"{server.root}/docs/", 0, fragments=True)
    assert found["b"] == "part"
    assert [str(url) for _, url in state.lacking()] == [f"{server.root}/docs/b"]


def test_what_is_no_page_has_no_fragments() -> None:
    pages = {"/": '<a href="x.pdf#page=2">', "/x.pdf": reply(b"%PDF", "Content-Type: application/pdf")}
    with site(pages) as server:
        found, _ = crawled(f"{server.root}/", 0, fragments=True)
    assert set(found.values()) == {"ok"}


def test_fragments_that_cannot_be_known_are_counted_and_not_missing(tmp_path: Path) -> None:
    (tmp_path / "long.html").write_bytes(b"<p id=x>" + b" " * MAX_PAGE + b"<p id=y>")
    (tmp_path / "latin.html").write_bytes('<meta charset="iso-8859-1"><p id="thére">'.encode("latin-1"))
    (tmp_path / "app.html").write_bytes(b"<p>")
    (tmp_path / "a.md").write_bytes(b"# A heading\n")
    (tmp_path / "s.css").touch()
    expected = {
        "long.html": (["x", "y", "z"], [], {CUT: 2}),
        "latin.html": (["th%C3%A9re", "th%E9re"], ["th%E9re"], {}),
        "app.html": (["/route", "L10-L20", "gone"], ["gone"], {SCRIPTS: 2}),
        "a.md": (["a-heading", "gone", "given", "a.b"], ["gone"], {OBJECTS: 1}),
        "s.css": (["x"], [], {OTHERS: 1}),
        ".": (["x"], [], {FOLDERS: 1}),
    }
    for name, (fragments, missing, undecided) in expected.items():
        state = CheckState(None, "w", resume=False, now=1000.0)
        url = file_url(str(tmp_path / name))
        number = state.add(url, USER, 2)
        for at, fragment in enumerate(fragments):
            state.place(number, Mention("a", at + 1, 1, fragment))
        gives = {"gone": False, "given": True, "a.b": None}
        crawl = Crawl(state, (), lambda *_: None, fragments=True, gives=lambda url, name: gives[name])  # noqa: B023
        with Client() as client:
            for _ in Run(client, state, look=crawl.look):
                pass
        assert sorted(state.missing(number)) == missing, name
        assert {why: count for why, count in crawl.undecided.items() if count} == undecided, name
        state.close()


def test_robots_txt_is_obeyed() -> None:
    pages = {
        "/": '<a href="/private/x"><a href="/open">',
        "/open": "",
        "/robots.txt": reply(b"User-agent: *\nDisallow: /private"),
    }
    with site(pages) as server:
        found, _ = crawled(f"{server.root}/", 5)
        asked = server.asked
    assert found == {"": "ok", "open": "ok", "private/x": "not-checkable"}
    assert not any("private" in line for line in asked)


def test_a_site_that_cannot_say_what_it_allows_is_left_alone() -> None:
    with site({"/": '<a href="/x">', "/robots.txt": reply(status="500 No")}) as server:
        found, state = crawled(f"{server.root}/", 5)
        asked = server.asked
    assert found == {"": "not-checkable"}
    assert asked == ["GET /robots.txt"]
    ((_, _, finding),) = state.results()
    said = "The robots.txt of 127.0.0.1 can't be fetched now, so none of its URLs is requested. "
    assert finding.message.startswith(said)
    assert "500" in finding.message.removeprefix(said)


def test_rules_beyond_the_limit_are_not_read() -> None:
    rules = b"User-agent: *\n" + b"#" * MAX_ROBOTS_OCTETS + b"\nDisallow: /x"
    with site({"/": '<a href="/x">', "/x": "", "/robots.txt": reply(rules)}) as server:
        found, _ = crawled(f"{server.root}/", 5)
    assert found == {"": "ok", "x": "ok"}


def test_sitemaps() -> None:
    pages: dict[str, str | bytes] = {"/": "", "/a?x=1&y=2": "", "/robots.txt": "", "/index.xml": "", "/one.xml": ""}
    with site(pages) as server:

        def xml(kind: str, *urls: str) -> bytes:
            inner = "".join(f"<loc>{server.root}{url}</loc>" for url in urls)
            return reply(f'<?xml version="1.0"?><{kind}>{inner}</{kind}>'.encode(), "Content-Type: text/xml")

        pages["/robots.txt"] = reply(f"Sitemap: {server.root}/index.xml\nSitemap: http://elsewhere.invalid/x".encode())
        server.pages = {
            **{path: page("") for path in pages},
            "/robots.txt": pages["/robots.txt"],
            "/index.xml": xml("sitemapindex", "/one.xml", "/one.xml"),
            "/one.xml": xml("urlset", "/a?x=1&amp;y=2", "/gone"),
        }
        found, _ = crawled(f"{server.root}/", 1, sitemap=True)
    assert found == {"": "ok", "a?x=1&y=2": "ok", "gone": "broken"}
    assert server.asked.count("GET /one.xml") == 1


def test_a_circle_and_a_redirection_out_of_the_tree() -> None:
    pages = {
        "/d/": '<a href="/d/"><a href="away"><a href="back">',
        "/d/away": moved("/"),
        "/d/back": '<a href="../d/">',
        "/": '<a href="/x">',
    }
    with site(pages) as server:
        found, _ = crawled(f"{server.root}/d/", 9)
    assert found == {"": "ok", "away": "redirected", "back": "ok"}


def test_a_page_of_another_charset() -> None:
    text = '<a href="/ä">'.encode("utf-16")
    with site({"/": reply(text, "Content-Type: text/html; charset=utf-16"), "/%C3%A4": ""}) as server:
        found, _ = crawled(f"{server.root}/", 0)
    assert found == {"": "ok", "%C3%A4": "ok"}


def test_menus_and_directories_are_followed_on() -> None:
    pytest.importorskip("pyftpdlib", reason="the world's FTP server needs pyftpdlib")
    with World(["gopher", "ftp"]) as world:
        menus, _ = crawled(str(world.roots["gopher"]), 9, exclude="https:*")
        folders, _ = crawled(str(world.roots["ftp"]), 9)
    # A link that was written for the web is none in a menu.
    assert {url for url, outcome in menus.items() if outcome != "ok"} == {"00/pub/"}
    assert any("notes.txt" in url for url in menus)
    assert set(folders.values()) == {"ok"}
    assert "pub/notes.txt" in folders


def test_pages_of_gemini_are_followed_on() -> None:
    with World(["gemini"]) as world:
        root = str(world.roots["gemini"])
        below, _ = crawled(f"{root}pub/", 9)
        named, _ = crawled(root, 0)
    assert (below["notes.txt"], below["names/"], below[""]) == ("ok", "ok", "ok")
    assert len(below) > 4
    assert (named["pub/"], named["old"], "pub/notes.txt" in named) == ("ok", "redirected", False)


def test_a_gemini_server_says_what_is_not_to_be_followed() -> None:
    robots = b"User-agent: *\nDisallow: /pub/names/\n"
    with closing(gemini.start(files={**tree(), "robots.txt": robots})) as server:
        found, _ = crawled(str(server.root), 9)
    assert (found["pub/"], found["pub/names/"]) == ("ok", "not-checkable")


class Pieces:
    """A resource that comes in these pieces."""

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = pieces
        self.taken = 0

    def iter_bytes(self) -> Iterator[bytes]:
        for piece in self.pieces:
            self.taken += 1
            yield piece


@pytest.mark.parametrize(
    ("pieces", "content", "taken"),
    [
        ((), b"", 0),
        ((b"a", b"b", b"c"), b"abc", 3),
        ((b"x" * MAX_PAGE, b"y"), b"x" * MAX_PAGE, 1),
        ((b"x" * (MAX_PAGE - 1), b"yz", b"z"), b"x" * (MAX_PAGE - 1) + b"y", 2),
    ],
)
def test_so_much_of_a_page_is_read(pieces: tuple[bytes, ...], content: bytes, taken: int) -> None:
    answer = Pieces(*pieces)
    assert (_content(answer), answer.taken) == (content, taken)


def test_the_sitemaps_that_robots_txt_names() -> None:
    robots = (
        "Sitemap: /a.xml\nUser-agent: *\n sitemap :http://h/b.xml \n"
        "SITEMAP: http://[x\nSitemap: c.xml\nsitemap\nsitemap: \n"
    )
    named = [str(url) for url in _sitemaps(robots, URL("http://h/x/y"))]
    assert named == ["http://h/a.xml", "http://h/b.xml", "http://h/x/c.xml"]


def test_robots_and_sitemaps_keep_the_delay() -> None:
    asked: list[float] = []

    def answer(connection: Connection) -> None:
        while connection.head():
            asked.append(time.monotonic())
            connection.send(reply(status="404 No"))

    def answer_other(connection: Connection) -> None:
        while connection.head():
            connection.send(reply(status="404 No"))

    with (
        Server(answer) as server,
        Server(answer_other) as other,
        closing(CheckState(None, "w", resume=False, now=1000.0)) as state,
    ):
        root = URL(f"http://{server.authority}/")
        with Client(delay=0.1) as client:
            # The delay runs from where a request begins: the first of a process loads what it needs, and comes late.
            list(client.map([f"http://{other.authority}/"], verb="stat"))
            Crawl(state, [root], lambda *_: None, depth=1).prepare(client, sitemap=True)
            assert [result.error is None for result in client.map([root], verb="stat")] == [False]
    assert len(asked) == 3
    assert min(later - earlier for earlier, later in itertools.pairwise(asked)) > 0.08
