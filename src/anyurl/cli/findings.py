"""The arguments of ``anyurl check``, sorted into URLs and files, and its results as objects and lines.

Rule: a place is written as compilers write it, so that editors find it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from anyurl.errors import AnyURLError, LocalFileError, escape

if TYPE_CHECKING:
    from anyurl.batch.check import Checked, Mention
    from anyurl.cli.console import Console
    from anyurl.url import URL

CHECKED = ("url", "outcome", "status", "target", "permanent", "error", "message", "missing", "known", "places")
"""The keys of the JSON object of a checked URL."""

PLACE = ("file", "line", "column", "fragment")
"""The keys of the JSON object of a place of a URL."""


def told_apart(console: Console, sources: tuple[str, ...]) -> tuple[list[URL], tuple[str, ...]]:
    """Sort arguments into URLs and the names of files and folders.

    Raises:
        LocalFileError: An argument is neither.
    """
    from anyurl.cli.options import to_url

    urls, paths = [], []
    for source in sources:
        if source == "-" or os.path.exists(source):
            paths.append(source)
            continue
        try:
            urls.append(to_url(console, source))
        except AnyURLError:
            if ":" in source and "//" in source:
                raise
            raise LocalFileError(f"There is no file or folder {escape(source)}, and it is not a URL.") from None
    return urls, tuple(paths)


def record(checked: Checked, places: list[Mention], known: bool) -> dict[str, Any]:
    """The result for one URL as JSON values."""
    finding = checked.finding
    values = (
        checked.url.masked,
        finding.outcome,
        finding.status,
        finding.target,
        finding.permanent if finding.target is not None else None,
        finding.error,
        finding.message or None,
        list(checked.missing),
        known,
        [dict(zip(PLACE, (each.file, each.line, each.column, each.fragment), strict=True)) for each in places],
    )
    return dict(zip(CHECKED, values, strict=True))


def lines(checked: Checked, places: list[Mention], known: bool) -> list[str]:
    """The result for one URL: a line for each of its places, in the form of compiler messages."""
    from anyurl.batch.check import Mention

    finding = checked.finding
    outcome = ("known to be " if known else "") + ("broken" if checked.missing else finding.outcome.replace("-", " "))
    told = f"{outcome}: {checked.url.masked}"
    found = []
    for place in places or [Mention("")]:
        at = f"{place.file}:{place.line}:{place.column}: " if place.file else ""
        message = finding.message
        if place.fragment in checked.missing:
            message = f"The page has nothing that is called #{place.fragment}."
        elif checked.missing:
            continue
        found.append(f"{at}{told}{f': {message}' if message else ''}")
    return found
