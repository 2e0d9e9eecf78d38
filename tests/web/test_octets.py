"""Octets as they came: nothing of them has the power of a page of ours."""

from __future__ import annotations

import contextlib
import gzip
import html
import http.client
import logging
import re

import pytest

from anyurl.web.server import HOST
from anyurl.world import World
from tests.servers import Connection, Server
from tests.web.running import Answer, Browser
from tests.web.test_browse import SCRIPT, assert_harmless, page, server


def test_a_picture_is_shown_and_its_octets_are_harmless(browser: Browser, world: World) -> None:
    answer = browser.go(world.urls["http"])
    source = re.search(r'<img class="media" src="([^"]*)"', answer.text)[1]  # type: ignore[index]
    octets = browser.get(source.replace("&amp;", "&"))
    assert octets.body[:8] == b"\x89PNG\r\n\x1a\n"
    assert (len(octets.body), octets.headers["content-type"]) == (15679, "image/png")
    assert_harmless(octets)


@pytest.mark.promise("web-gateway")
@pytest.mark.parametrize(
    ("said", "type", "disposition"),
    [
        ("text/html; charset=latin-1", "text/html; charset=latin-1", None),
        ("image/svg+xml", "image/svg+xml", None),
        ("application/pdf", "application/pdf", None),
        ("nonsense", "application/octet-stream", 'attachment; filename="x_y"'),
        ("multipart/x-mixed-replace; boundary=x", "application/octet-stream", 'attachment; filename="x_y"'),
        ("text/html/evil", "application/octet-stream", 'attachment; filename="x_y"'),
    ],
)
def test_octets_come_in_a_sandbox(browser: Browser, said: str, type: str, disposition: str | None) -> None:
    with server(page(SCRIPT, f"Content-Type: {said}")) as there:
        answer = browser.go(f'http://127.0.0.1:{there.port}/x"y')
        source = re.search(r'[^"]*/octets[^"]*', answer.text)[0]  # type: ignore[index]
        octets = browser.get(source.replace("&amp;", "&").removesuffix("&save=1"))
    assert_harmless(octets)
    assert (octets.text, octets.headers["content-type"]) == (SCRIPT, type)
    assert octets.headers["content-disposition"] == disposition


def test_the_head_of_octets_costs_no_more_than_their_beginning(browser: Browser) -> None:
    sent = []

    def play(link: Connection) -> None:
        link.head()
        link.send(b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 100000000\r\n\r\n")
        with contextlib.suppress(OSError):
            while len(sent) < 100:
                link.send(bytes(1_000_000))
                sent.append(1_000_000)

    with Server(play) as there:
        source = re.search(r'src="([^"]*/octets[^"]*)"', browser.go(f"http://127.0.0.1:{there.port}/x").text)
        sent.clear()
        link = http.client.HTTPConnection(HOST, browser.port, timeout=20)
        with contextlib.closing(link):
            link.request("HEAD", html.unescape(source[1]), headers={"Cookie": browser.cookie})  # type: ignore[index]
            octets = link.getresponse()
            assert (octets.status, octets.headers["content-length"], octets.read()) == (200, "100000000", b"")
            link.request("GET", browser.base, headers={"Cookie": browser.cookie})
            assert link.getresponse().read()
    assert len(sent) < 50


def test_what_has_no_name_is_saved_as_index(browser: Browser) -> None:
    with server(page(SCRIPT, "Content-Type: nonsense")) as there:
        answer = browser.go(f"http://127.0.0.1:{there.port}/")
        source = re.search(r'[^"]*/octets[^"]*', answer.text)[0]  # type: ignore[index]
        octets = browser.get(source.replace("&amp;", "&"))
    assert octets.headers["content-disposition"] == 'attachment; filename="index"'


def octets_of(browser: Browser, url: str, **headers: str) -> Answer:
    """The octets of what is typed, without its page."""
    page_of_it = browser.post("go", {"u": url}).headers["location"]
    return browser.get(page_of_it.replace("/view?", "/octets?"), **headers)


@pytest.mark.promise("web-gateway")
@pytest.mark.parametrize(("use", "status"), [("script", 400), ("style", 400), ("worker", 400), ("image", 200)])
def test_octets_are_no_part_of_a_page_of_ours(browser: Browser, use: str, status: int) -> None:
    with server(page("alert(1)", "Content-Type: text/javascript")) as there:
        answer = octets_of(browser, f"http://127.0.0.1:{there.port}/x.js", **{"Sec-Fetch-Dest": use})
    assert (answer.status, answer.body == b"alert(1)") == (status, status == 200)


def coded(body: bytes, length: int) -> Server:
    """Answers with what is declared to be gzip, in pieces, and with less than it announces."""

    def play(link: Connection) -> None:
        link.head()
        head = (
            f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Type: image/png\r\nContent-Length: {length}\r\n\r\n"
        )
        link.send(head.encode() + body)

    return Server(play)


def test_octets_that_are_none_are_a_sentence(browser: Browser, caplog: pytest.LogCaptureFixture) -> None:
    with coded(SCRIPT.encode(), len(SCRIPT)) as there:
        answer = octets_of(browser, f"http://127.0.0.1:{there.port}/x.png")
    assert (answer.status, answer.fault) == (
        502,
        "The body is declared to be gzip-coded, but is not: its octets are damaged.",
    )
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


def test_octets_that_break_off_are_cut_and_no_traceback_is_printed(
    browser: Browser, caplog: pytest.LogCaptureFixture
) -> None:
    body = gzip.compress(bytes(range(256)) * 4096, 0)
    with coded(body[:600_000], len(body)) as there, pytest.raises(http.client.IncompleteRead):
        octets_of(browser, f"http://127.0.0.1:{there.port}/x.png")
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []
