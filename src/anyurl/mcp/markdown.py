"""Markdown from HTML, by markdownify, in a process of its own.

Rule: a page is a stranger's. Python's reader of HTML takes a minute for 300 KB of ``<!--``, and nothing can stop it in
a thread: the process has so many seconds and so much memory, and is gone then.

markdownify: its licence is MIT (html2text's is the GPL), it is kept up, and what is made of an element can be changed.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from anyurl.errors import LimitError, MissingExtraError, URLSyntaxError
from anyurl.net.children import PYTHON, run_ours
from anyurl.url import URL

if TYPE_CHECKING:
    from bs4 import Tag

SECONDS = 10.0
"""For one page; 300 KB take one."""

MAX_MEMORY = 1024**3
"""Octets of the process."""

MAX_PROCESSES = 2
"""At a time, for all clients of a server together: a page more waits."""

LIBRARIES = ("markdownify", "bs4", "soupsieve", "six", "typing_extensions")
"""What the process imports, directly and indirectly."""

MAX_DEPTH = 20_000
"""Elements within each other, times the calls for one: a page of 1,000 is read, browsers stop at 512."""

NOT_SHOWN = ("script", "style", "template", "noscript", "svg", "iframe", "object", "head", "title")
"""Elements whose text no reader of the page sees."""

_UNSEEN = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|(?:font-size|opacity)\s*:\s*0[a-z%.0]*)\s*(?:[;!]|$)",
    re.IGNORECASE,
)
"""What an element's own style says of text that nobody sees; style sheets are not read."""

_BLANK = re.compile(r"\n{3,}")


async def to_markdown(data: bytes, charset: str | None, base: URL) -> tuple[str | None, str]:
    """The title and the text of a page; its links are absolute, passwords in them masked.

    Args:
        charset: What the server said.
        base: What links are relative to.

    Raises:
        LimitError: It takes too long, or too much memory.
        MissingExtraError: markdownify is not installed.
    """
    code, told, _ = await run_ours(
        PYTHON, ["-m", "anyurl.mcp.markdown", base.masked, charset or ""], data=data, libraries=LIBRARIES,
        seconds=SECONDS,
    )  # fmt: skip
    if code == NOT_INSTALLED:
        raise MissingExtraError(
            "Markdown from HTML needs markdownify: pip install 'anyurl[mcp]'; `format: text` gives the HTML itself.",
            extra="mcp",
        )
    if code:
        raise LimitError(
            f"Making Markdown of {base.masked} takes more than {SECONDS:g} seconds or too much memory; "
            "`format: text` gives the HTML itself.",
            limit="markdown",
        )
    title, _, text = told.decode("utf-8", "replace").partition("\n")
    return title or None, text


NOT_INSTALLED = 3
"""What the process ends with where markdownify is missing."""


def _absolute(base: URL, href: str) -> str | None:
    """Where a link leads, if a tool of ours could follow it."""
    if href.lstrip().lower().startswith(("javascript:", "data:", "vbscript:", "#")):
        return None
    try:
        return base.join(href.strip()).masked
    except URLSyntaxError:
        return None


def _is_hidden(element: Tag) -> bool:
    """Whether an element says of itself that its text is not shown."""
    hidden = element.get("hidden")
    if hidden is not None and str(hidden).lower() != "until-found":
        return True
    return _UNSEEN.search(str(element.get("style", ""))) is not None


def _convert(data: bytes, charset: str | None, base: URL) -> tuple[str, str]:
    from bs4 import BeautifulSoup
    from markdownify import MarkdownConverter

    soup = BeautifulSoup(data, "html.parser", from_encoding=charset)
    title = " ".join(soup.title.get_text().split()) if soup.title else ""
    named = soup.find("base", href=True)
    if named is not None:
        base = URL(_absolute(base, str(named["href"])) or str(base))
    for element in soup(NOT_SHOWN) + soup(_is_hidden):
        if not element.decomposed:  # it was in another
            element.decompose()
    for name, attribute in (("a", "href"), ("img", "src")):
        for element in soup(name):
            place = _absolute(base, str(element.get(attribute, "")))
            if place is None:
                del element[attribute]
            else:
                element[attribute] = place
    try:
        text = MarkdownConverter(heading_style="ATX").convert_soup(soup)
    except RecursionError:
        text = soup.get_text("\n")
    return title, _BLANK.sub("\n\n", text).strip()


def main() -> int:
    """The process: HTML on standard input; the title, and below it the Markdown, on standard output."""
    import resource

    resource.setrlimit(resource.RLIMIT_CPU, (int(SECONDS), int(SECONDS) + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    sys.setrecursionlimit(MAX_DEPTH)
    base, charset = sys.argv[1:]
    try:
        title, text = _convert(sys.stdin.buffer.read(), charset or None, URL(base))
    except ImportError:
        return NOT_INSTALLED
    sys.stdout.buffer.write(f"{title}\n{text}".encode("utf-8", "replace"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
