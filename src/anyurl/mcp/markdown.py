"""Markdown from HTML, by html-to-markdown, in a separate process.

Rule: a page is a stranger's, and nothing can stop the library in a thread: the process has a limit of time and memory,
and is then killed.

html-to-markdown: its licence is MIT, and its time is linear: 0.004 s for 300 KB of ``<!--``, which took markdownify, on
Python's reader of HTML, 38 s. The output for an element can be changed.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from anyurl.errors import LimitError, MissingExtraError, URLSyntaxError
from anyurl.net.children import PYTHON, run_ours
from anyurl.url import URL

if TYPE_CHECKING:
    from html_to_markdown import NodeContext

SECONDS = 10.0
"""For one page; 300 KB take a twentieth of one."""

MAX_MEMORY = 1024**3
"""Octets of the process."""

MAX_PROCESSES = 2
"""At a time, for all clients of a server together: a page more waits."""

LIBRARIES = ("html_to_markdown",)
"""Packages that the process imports, directly and indirectly."""

NOT_SHOWN = frozenset({"svg", "iframe", "object"})
"""Elements whose text is not part of the page, besides those that the library leaves out: scripts, templates, elements
hidden by an attribute or their own style; style sheets are not read."""

AROUND = frozenset({"nav", "aside", "footer", "form", "dialog"})
"""Elements around the content of a page (HTML 4.3, 4.10, 4.11)."""

AROUND_ROLES = frozenset({"navigation", "complementary", "contentinfo", "banner", "search", "dialog", "alertdialog"})
"""Roles of such elements (WAI-ARIA 1.2, landmarks)."""

_UNSEEN = re.compile(r"(?:^|;)\s*opacity\s*:\s*0[%.0]*\s*(?:[;!]|$)", re.IGNORECASE)
"""A style that hides text and is unknown to the library."""

_DEPTH = "depth_limit_exceeded"
"""The warning of the library that it left out elements nested too deep: 1,024; browsers stop at 512."""


async def to_markdown(html: str, base: URL, *, is_main: bool = False) -> tuple[str | None, str, bool]:
    """The title and the text of a page; its links are absolute, passwords in them masked.

    Args:
        base: The base of relative links.
        is_main: Leave out elements around the content of the page (`AROUND`).

    Returns:
        The title, the text, and whether the text is all of the page.

    Raises:
        LimitError: It takes too long, or too much memory.
        MissingExtraError: html-to-markdown is not installed.
    """
    words = ["-m", "anyurl.mcp.markdown", base.masked, *(["main"] if is_main else [])]
    data = html.encode("utf-8", "replace")
    code, told, _ = await run_ours(PYTHON, words, data=data, libraries=LIBRARIES, seconds=SECONDS)
    if code == NOT_INSTALLED:
        raise MissingExtraError(
            "Markdown from HTML needs html-to-markdown: in a clone of anyurl, pip install '.[mcp]'; `format: text` "
            "gives the HTML itself.",
            extra="mcp",
        )
    if code:
        raise LimitError(
            f"Making Markdown of {base.masked} takes more than {SECONDS:g} seconds or too much memory; "
            "`format: text` gives the HTML itself.",
            limit="markdown",
        )
    title, text, is_whole = json.loads(told)
    return title or None, text, is_whole


NOT_INSTALLED = 3
"""The exit code of the process if html-to-markdown is missing."""


def _absolute(base: URL, href: str) -> str | None:
    """Where a link leads, if one of the tools could follow it."""
    if href.lstrip().lower().startswith(("javascript:", "data:", "vbscript:", "#")):
        return None
    try:
        return base.join(href.strip()).masked
    except URLSyntaxError:
        return None


class _Visitor:
    """Callbacks of the library for hidden elements, links and pictures."""

    def __init__(self, base: URL, is_main: bool) -> None:
        self._base = base
        self._is_main = is_main

    def visit_element_start(self, context: NodeContext) -> Mapping[str, str]:
        attributes = context.attributes()
        is_left = context.tag_name in NOT_SHOWN or bool(_UNSEEN.search(attributes.get("style", "")))
        if self._is_main and not is_left:
            is_left = context.tag_name in AROUND or attributes.get("role", "").lower() in AROUND_ROLES
        return {"type": "skip" if is_left else "continue"}

    def visit_link(self, context: NodeContext, href: str, text: str, title: str | None) -> Mapping[str, str]:
        place = _absolute(self._base, href)
        return {"type": "custom", "output": text if place is None else f"[{text}]({_destination(place)})"}

    def visit_image(self, context: NodeContext, source: str, alt: str, title: str | None) -> Mapping[str, str]:
        place, alt = _absolute(self._base, source), _MARKS.sub(r"\\\g<0>", alt)
        return {"type": "custom", "output": alt if place is None else f"![{alt}]({_destination(place)})"}


def _destination(place: str) -> str:
    return f"<{place}>" if "(" in place or ")" in place else place


_MARKS = re.compile(r"[\\\[\]]")
"""Characters that would end the text of a link."""


def _convert(html: str, base: URL, is_main: bool = False) -> tuple[str, str, bool]:
    from html_to_markdown import ConversionOptions, convert

    head = convert(html, ConversionOptions(extract_metadata=True)).metadata.document
    title = " ".join((head.title or "").split())
    if head.base_href:
        base = URL(_absolute(base, head.base_href) or str(base))
    visitor: Any = _Visitor(base, is_main)  # the protocol declares a method for each kind of element
    made = convert(html, ConversionOptions(extract_metadata=False, hidden_content="drop"), visitor)
    is_whole = all(str(warning.kind).lower() != _DEPTH for warning in made.warnings)
    return title, (made.content or "").strip(), is_whole


def main() -> int:
    """The process: HTML in UTF-8 on standard input; the result of `to_markdown`, in JSON, on standard output."""
    import resource

    resource.setrlimit(resource.RLIMIT_CPU, (int(SECONDS), int(SECONDS) + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    try:
        made = _convert(sys.stdin.buffer.read().decode("utf-8", "replace"), URL(sys.argv[1]), "main" in sys.argv[2:])
    except ImportError:
        return NOT_INSTALLED
    sys.stdout.write(json.dumps(made))
    return 0


if __name__ == "__main__":
    sys.exit(main())
