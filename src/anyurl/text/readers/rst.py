"""reStructuredText: targets of references, of definitions, of pictures (docutils, Markup Specification).

Rule: whole URLs are read everywhere, also in code; relative references only where docutils has a target: not in literal
blocks and comments, and not the name of another target (``name_``).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from anyurl.text.finder import Finder
from anyurl.text.readers.links import LinkReader
from anyurl.text.readers.registry import Reader
from anyurl.text.readers.verbatim import RstVerbatim
from anyurl.url import URL

TARGET = re.compile(
    rb"(?<=[\s`])<(?P<angle>(?>[^`<>\n]+))>`_"  # `text <target>`_
    rb"|^[ \t]*+(?:\.\.[ ]_(?:(?>`[^`\n]+`)|(?:[^:\\\n`]|\\.)++)?+:(?:(?>[ \t]*+\r?\n))?+|__)"
    rb"(?>[ \t]+)(?P<definition>(?>[^\s<>`]+)(?>(?>[ \t]*+\r?\n[ \t]+)[^\s<>`]+)*+(?:(?<!_)|(?<=\\_)))[ \t]*+\r?$"
    rb"|^[ \t]*+\.\.[ ](?:\|(?>[^|\n]+)\|[ ])?(?:image|figure)::(?>[ \t]+)(?P<image>\S+)"  # .. image:: target
    rb"|^(?>[ \t]+):target:(?>[ \t]+)(?P<target>[^\s`]+)",
    re.MULTILINE,
)
"""Targets of links and pictures."""

_OPEN = re.compile(rb"[^:]:[ \t]*+\r?\n\Z")
_ESCAPE = re.compile(r"\\(.)|\s")


def reference(target: str) -> str:
    """A target without its escapes, and without white space that is not escaped (docutils, Markup Specification)."""
    return _ESCAPE.sub(r"\1", target)


def is_link(data: bytes, first: int, last: int, group: str) -> bool:
    """Whether a target is not the name of another one."""
    return group == "image" or not data[first:last].endswith(b"_") or data[first:last].endswith(b"\\_")


def look(finder: Finder, base: URL | None) -> Callable[[], None]:
    """Find targets in the finder's buffer."""
    return LinkReader(
        finder, base, (TARGET.search,), _OPEN, reference, "restructuredtext", verbatim=RstVerbatim(), is_link=is_link,
        mailboxes=("angle", "definition"),  # docutils makes mailto: of these, but not of a picture (a@2x.png)
    ).read  # fmt: skip


READERS = (
    Reader(
        name="rst", summary="reStructuredText: escapes and relative targets, too", suffixes=(".rst", ".rest"),
        types=("text/x-rst", "text/prs.fallenstein.rst"), look=look,
    ),
)  # fmt: skip
