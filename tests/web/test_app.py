"""Which address is which page; what a form has to have."""

from __future__ import annotations

import pytest

from anyurl.world import World
from tests.web.running import FORM, Browser, running


def test_the_start_page_shows_the_world_and_what_was_seen(browser: Browser, world: World) -> None:
    assert set(world.roots) <= set(browser.get("").links)
    browser.go(world.urls["gopher"])
    assert next(iter(browser.get("").links)) == "file"
    assert "notes.txt" in browser.get("").links


def test_a_word_is_taken_for_what_it_means(browser: Browser, world: World) -> None:
    answer = browser.go(f" <URL:{world.roots['gopher']}> ")
    assert "motd.txt" in answer.links


@pytest.mark.parametrize("page", ["go", "explain"])
@pytest.mark.parametrize("key", [b"", b"key=", b"key=guessed", b"key=%FC"])
def test_a_form_of_somebody_else_is_refused(browser: Browser, page: str, key: bytes) -> None:
    """Even with the cookie: whoever sends it does not know the key."""
    answer = browser.ask("POST", browser.base + page, key + b"&u=http://127.0.0.1/", FORM)
    assert (answer.status, answer.text) == (403, "This form does not belong to this gateway.\n")


@pytest.mark.parametrize(
    ("method", "page", "status"),
    [
        ("GET", "go", 405), ("POST", "view", 405), ("PUT", "view", 405), ("GET", "nothing", 404), ("GET", "view", 400),
        ("GET", "octets", 400), ("GET", "about", 400), ("GET", "static/style.css", 200),
        ("GET", "static/../head.html", 404), ("GET", "static/%2e%2e/head.html", 404), ("GET", "static/", 404),
    ],
)  # fmt: skip
def test_which_page_there_is(browser: Browser, method: str, page: str, status: int) -> None:
    assert browser.ask(method, browser.base + page).status == status


@pytest.mark.parametrize(
    ("page", "kept"),
    [("static/style.css", "private, max-age=86400"), ("static/icons/text.svg", "private, max-age=86400"),
     ("static/nothing", "no-store"), ("", "no-store"), ("explain", "no-store")],
)  # fmt: skip
def test_only_our_own_files_are_kept_by_a_browser(browser: Browser, page: str, kept: str) -> None:
    """Icons that are asked for anew on each page flicker; what a page shows is nobody's to keep."""
    assert browser.get(page).headers["cache-control"] == kept


def test_what_another_program_asks_for_is_a_strangers(world: World) -> None:
    with running(handed=world.roots["http"].replace(user="joe", password="s3cret")) as other:
        start = other.get("")
        assert "s3cret" not in start.text
        refused = other.get(start.links["Open it"])
    assert (refused.status, refused.title) == (403, "Refused")


def test_two_gateways_have_nothing_in_common(browser: Browser, world: World) -> None:
    with running() as other:
        assert other.base != browser.base
        assert browser.get(other.base).status == 404
        other.cookie = browser.cookie
        assert other.get("").status == 403
