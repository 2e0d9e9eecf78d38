"""The arguments of ``anyurl check``, sorted into URLs and files, and its results as objects and lines.

Rule: a place is written as compilers write it, so that editors find it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from anyurl.errors import AnyURLError, LocalFileError, escape

if TYPE_CHECKING:
    from anyurl.batch.check import Checked, Mention
    from anyurl.batch.check.told import Told
    from anyurl.batch.check.unread import Left
    from anyurl.cli.terminal.console import Console
    from anyurl.url import URL

CHECKED = ("url", "outcome", "status", "target", "permanent", "error", "message", "missing", "known", "places")
"""The keys of the JSON object of a checked URL."""

PLACE = ("file", "line", "column", "fragment", "text")
"""The keys of the JSON object of a place of a URL."""

MAX_PLACES = 20
"""Places of one fault that are shown to a person: a link in a footer is on every page. JSON has all."""

MAX_REASONS = 1000
"""Reasons whose places are counted: one names an address, of which a check may have any number. More are all shown."""

NAMED = "an argument of its own would include"
NOT_READ: dict[Left, tuple[str, str, str]] = {
    "ignored": ("file or folder|files or folders", "named by .gitignore", "--no-ignore would include"),
    "excluded": ("file or folder|files or folders", "named by --exclude-files", NAMED),
    "hidden": ("folder|folders", "with a dot before the name", NAMED),
    "foreign": ("folder|folders", "called node_modules", NAMED),
    "copied": ("folder|folders", "called _sources, where Sphinx copies what it reads,", NAMED),
    "script": ("file|files", "of the scripts and search of a site", NAMED),
}
"""Why files and folders of a tree are not read, with the option that includes them
(`anyurl.batch.check.unread.Left`)."""

SCHEMES = frozenset(("UnsupportedError", "UnknownSchemeError", "SchemeError"))
"""Errors of URLs of which nothing can be requested, such as ``tel:``: they are counted in one line."""


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
        [
            dict(zip(PLACE, (each.file, each.line, each.column, each.fragment, each.text), strict=True))
            for each in places
        ],
    )
    return dict(zip(CHECKED, values, strict=True))


class Lines:
    """The results of a check as lines, in the form of compiler messages.

    Of one fault, and of one reason to refuse, at most MAX_PLACES places are shown; the others are counted at the end.

    Args:
        known: URLs that are known to be broken.
        shows_all: Also show working and known URLs.
        annotates: Also write each fault as an annotation of GitHub Actions.
        fail_on: Outcomes that count as faults, too.

    Attributes:
        faults: The number of places with a fault that is not known.
        known: The number of places with one that is.
        used: The URLs of `known` with a place that is not ok.
        refused: The number of places of URLs, not of files, that the policy refuses.
    """

    def __init__(
        self,
        known: Collection[str],
        *,
        shows_all: bool = False,
        annotates: bool = False,
        fail_on: Collection[str] = (),
    ) -> None:
        self.faults: int = 0
        self.known: int = 0
        self.used: set[str] = set()
        self.refused: int = 0
        self._known = known
        self._shows_all = shows_all
        self._annotates = annotates
        self._left: dict[tuple[str, str], int] = {}
        self._once: Counter[tuple[str, str]] = Counter()
        self._fail_on = fail_on
        self._files = 0
        self._schemes: Counter[str] = Counter()

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The outcomes that `of` counts or shows: nearly all places of a tree are ok, and left out."""
        from anyurl.batch.check.outcome import OUTCOMES

        return tuple(each for each in OUTCOMES if each != "ok" or self._shows_all)

    def of(self, told: Told) -> Iterator[str]:
        """The lines for one place."""
        is_fault = told.fails(self._fail_on)
        known = is_fault and told.is_known(self._known)
        self.known += known
        self.faults += is_fault and not known
        self.refused += told.outcome == "refused" and told.link.scheme != "file"
        if told.outcome not in ("ok", "redirected"):
            self.used.update(told.names.intersection(self._known))
        if not self._shows_all and (known or (told.outcome == "ok")):
            return
        if told.finding.error in SCHEMES and not self._shows_all:
            self._schemes[told.link.scheme] += 1
            return
        if told.outcome == "refused" and _is_file_url(told) and not self._shows_all:
            self._files += 1
            return
        text = f"{'known to be ' if known else ''}{told.outcome.replace('-', ' ')}: {_named(told)}"
        text += f": {told.reason}" if told.reason else ""
        where, once = told.place.where, (told.outcome, told.reason)
        is_again = False
        # A table of private addresses has rows of refused ones.
        is_counted = told.finding.told_once or told.outcome == "refused"
        if is_counted and (once in self._once or len(self._once) < MAX_REASONS):
            most = 1 if told.finding.told_once else MAX_PLACES
            is_again = self._once[once] >= most and (most == 1 or not (is_fault or self._shows_all))
            self._once[once] += 1
        if is_again or (told.rank > MAX_PLACES and not self._shows_all):
            key = (told.outcome, told.reason if is_again else f"{_named(told)}: {told.reason}")
            self._left[key] = self._left.get(key, 0) + 1
            return
        yield f"{where}: {text}" if where else text
        if self._annotates and is_fault and not known:
            yield annotation(told, f"{where}: {text}" if where else text)

    def rest(self) -> Iterator[str]:
        """The lines at the end, about exclusions."""
        for (outcome, text), count in self._left.items():
            yield f"... and {count:,} more place{'' if count == 1 else 's'}: {outcome.replace('-', ' ')}: {text}"
        if self._files:
            text = f"{self._files:,} file: URL{'' if self._files == 1 else 's'} outside of the checked tree"
            yield f"refused: {text}, which {'was' if self._files == 1 else 'were'} not checked; --all shows them"
        if self._schemes:
            told = ", ".join(f"{scheme}: ({count:,})" for scheme, count in sorted(self._schemes.items()))
            yield f"not checkable: links whose scheme can't be followed: {told}"


def _is_file_url(told: Told) -> bool:
    """Whether a whole URL of a file is written there: most are examples, and none of a document is followed."""
    return told.link.scheme == "file" and told.written.lower().startswith("file:")


def not_read(left: Counter[Left]) -> Iterator[str]:
    """A sentence for each reason for which files and folders of a tree are not read."""
    for why, (what, which, way) in NOT_READ.items():
        one, many = what.split("|")
        if left[why] == 1:
            yield f"1 {one} {which} was not read; {way} it."
        elif left[why]:
            yield f"{left[why]:,} {many} {which} were not read; {way} them."


def left_out(undecided: Counter[str]) -> Iterator[str]:
    """A line for each reason for which fragments are not looked for."""
    for why, count in sorted(undecided.items()):
        yield f"not checkable: {count:,} part{'' if count == 1 else 's'} of pages: {why}"


def _named(told: Told) -> str:
    """A URL as written, and its target if it is a relative reference to the web."""
    written, url = told.written, told.link.masked
    if told.link.scheme in ("file", "") or written.lower().startswith((f"{told.link.scheme}:", "//")):
        return written
    return f"{written} ({url})"


def annotation(told: Told, text: str) -> str:
    """A fault as a command to the runner of GitHub Actions, which shows it next to the line."""
    place = told.place
    facts = {"file": place.file, "line": place.line, "col": place.column, "title": f"{told.outcome} link"}
    properties = ",".join(f"{key}={_quoted(str(value), ':,')}" for key, value in facts.items() if value)
    return f"::error {properties}::{_quoted(text)}"


def _quoted(text: str, more: str = "") -> str:
    return "".join(f"%{ord(each):02X}" if each in f"%\r\n{more}" else each for each in text)
