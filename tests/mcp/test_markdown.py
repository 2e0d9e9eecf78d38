"""Markdown from a stranger's HTML: what is read is there, what leads nowhere is not, and no page holds the server."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import time
from typing import Any

import pytest

from anyurl.errors import LimitError
from anyurl.mcp import markdown
from anyurl.mcp.markdown import to_markdown
from anyurl.url import URL
from tests.mcp.conftest import Web, content, facts, use

BASE = URL("http://h.example/a/b")


def made(html: str) -> tuple[str | None, str]:
    title, text, is_whole = asyncio.run(to_markdown(html, BASE))
    assert is_whole
    return title, text


def test_a_page() -> None:
    title, text = made(
        "<html><head><title> A \n page </title><style>no</style></head><body><h1>Head</h1><p>Hello <b>you</b></p>"
        "<ul><li>one<li>two</ul><script>no()</script><!-- no --><template>no</template>"
        "<a href='c?x=1'>link</a> <a href='javascript:no()'>dead</a> <img src='/i.png' alt='pic'>"
    )
    assert title == "A page"
    assert "# Head" in text
    assert "Hello **you**" in text
    assert "[link](http://h.example/a/c?x=1)" in text
    assert "![pic](http://h.example/i.png)" in text
    assert "dead" in text
    assert "no" not in text.replace("you", "")


def test_links_follow_the_base_of_the_page_and_show_no_password() -> None:
    _, text = made("<base href='ftp://joe:s3cr3t@other.example/x/'><a href='y'>one</a><a href='http://[/'>two</a>")
    assert "ftp://joe:***@other.example/x/y" in text
    assert "s3cr3t" not in text
    assert "two" in text


@pytest.mark.parametrize(
    ("data", "charset"),
    [(b"<p>caf\xe9", "latin-1"), (b"<meta charset=iso-8859-1><p>caf\xe9", None), ("<p>caf\u00e9".encode(), None)],
)
def test_the_charset_is_that_of_the_server_or_of_the_page(web: Web, data: bytes, charset: str | None) -> None:
    parameter = "" if charset is None else f"; charset={charset}"
    page = web.page("/", data, f"Content-Type: text/html{parameter}")
    assert content(use(lambda tools: tools.fetch(page), heeds_robots=False)) == "caf\u00e9"


@pytest.mark.parametrize(("href", "text"), [
    ("a)b", "[x](<http://h.example/a/a)b>)"), ("a%20b", "[x](http://h.example/a/a%20b)"), ("a b", "x"), ("a>b", "x"),
    ("a&lt;b", "x"),
])  # fmt: skip
def test_a_link_ends_where_its_url_ends(href: str, text: str) -> None:
    assert made(f"<a href='{href}'>x</a>")[1] == text


def test_elements_within_each_other_are_no_error() -> None:
    assert made("<div>" * 1_000 + "deep")[1] == "deep"


def test_what_is_nested_too_deep_is_told_to_be_missing(web: Web) -> None:
    page = web.page("/", "<p>shown" + "<div>" * 3_000 + "deep", "Content-Type: text/html")
    told = use(lambda tools: tools.fetch(page), heeds_robots=False)
    assert (content(told), facts(told)["complete"]) == ("shown", False)


@pytest.mark.parametrize("html", ["<blockquote>" * 300 + "a<br>" * 30_000, "<ul><li>" * 300 + "a<br>" * 30_000])
def test_a_page_that_takes_for_ever_is_given_up(
    html: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Markdown writes a mark before each line for each element around it: 9,000,000 of them, for any library."""
    monkeypatch.setattr(markdown, "SECONDS", 0.3)
    begun = time.monotonic()
    with pytest.raises(LimitError, match="format: text"):
        made(html)
    assert time.monotonic() - begun < 5
    gc.collect()
    assert caplog.records == []  # nothing that asyncio would tell the operator of the server


@pytest.mark.parametrize("html", ["<!--" * 200_000, "<?" * 400_000, "</" * 400_000])
def test_a_page_without_ends_is_read_or_given_up(html: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Attack: Python's reader of HTML took a minute for each, until its own distributors mended it."""
    monkeypatch.setattr(markdown, "SECONDS", 0.3)
    begun = time.monotonic()
    with contextlib.suppress(LimitError):
        assert made(html)[0] is None
    assert time.monotonic() - begun < 5


@pytest.mark.promise("idle")
def test_two_pages_are_converted_at_a_time(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model may call many tools at once: each process may take a gibibyte."""
    running: list[int] = []
    most = 0
    run_ours = markdown.run_ours

    async def counted(*arguments: Any, **more: Any) -> Any:
        nonlocal most
        running.append(1)
        most = max(most, len(running))
        try:
            return await run_ours(*arguments, **more)
        finally:
            running.pop()

    monkeypatch.setattr(markdown, "run_ours", counted)
    urls = [web.page(f"/{number}", f"<p>page {number}", "Content-Type: text/html") for number in range(5)]
    told = use(lambda tools: asyncio.gather(*map(tools.fetch, urls)), heeds_robots=False)
    assert [content(each) for each in told] == [f"page {number}" for number in range(5)]
    assert (most, running) == (markdown.MAX_PROCESSES, [])


@pytest.mark.parametrize(
    ("attribute", "is_shown"),
    [
        ("hidden", False), ('hidden=""', False), ('style="display:none"', False),
        ("style='color:red; DISPLAY : none;'", False),
        ('style="visibility:hidden !important"', False), ('style="font-size:0px"', False), ('style="opacity:0"', False),
        ('style="opacity:0.5"', True), ('style="font-size:0.9em"', True), ('style="x-display:none"', True),
        ('hidden="until-found"', False), ('aria-hidden="true"', True), ("", True),
    ],
)  # fmt: skip
def test_what_an_element_says_is_not_shown_reaches_no_model(attribute: str, is_shown: bool) -> None:
    page = f"<p>before</p><div {attribute}>obey <b {attribute}>me</b></div><p>after</p>"
    _, text = made(page)
    assert ("obey" in text) == is_shown
    assert "before" in text
    assert "after" in text


PAGE = (
    "<header role=banner>Site</header><nav>Home | Shop</nav><main><h1>Head</h1><p>The content.</p>"
    "<aside>Read on</aside></main><div role=complementary>Ads</div><form>Sign up</form><footer>Legal</footer>"
)


def test_the_main_content_leaves_out_what_stands_around_it() -> None:
    _, whole, _ = asyncio.run(to_markdown(PAGE, BASE))
    _, main, is_whole = asyncio.run(to_markdown(PAGE, BASE, is_main=True))
    for around in ("Site", "Shop", "Read on", "Ads", "Sign up", "Legal"):
        assert around in whole
        assert around not in main
    assert main.split() == ["#", "Head", "The", "content."]
    assert is_whole


def test_fetch_gives_the_main_content_where_it_is_asked_for(web: Web) -> None:
    page = web.page("/", PAGE, "Content-Type: text/html")
    assert "Legal" in content(use(lambda tools: tools.fetch(page), heeds_robots=False))
    assert "Legal" not in content(use(lambda tools: tools.fetch(page, "main"), heeds_robots=False))


def test_markdown_is_asked_for_and_passed_on_as_it_is(web: Web) -> None:
    """Servers have it for models: it is shorter than their pages, and nothing has to be guessed of it."""
    page = web.page("/", "# Head\n\n*as it is* <b>too</b>", "Content-Type: text/markdown; charset=utf-8")
    got = use(lambda tools: tools.fetch(page), heeds_robots=False)
    assert facts(got)["format"] == "markdown"
    assert content(got) == "# Head\n\n*as it is* <b>too</b>"
    accept = [line for line in web.heads[0].split("\r\n") if line.lower().startswith("accept:")]
    assert accept == ["Accept: text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.5"]


def test_the_text_as_it_is_asks_for_nothing_else(web: Web) -> None:
    page = web.page("/", "<p>x", "Content-Type: text/html")
    use(lambda tools: tools.fetch(page, "text"), heeds_robots=False)
    assert "text/markdown" not in web.heads[0]
