"""Exclusions of a tree: the files that ``.gitignore`` names, and the lines that a comment switches off.

Rule: patterns are those of gitignore(5), read here: no program of the repository runs. A file that the caller names is
read, whatever a pattern says. Exclusions are counted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

GITIGNORE = ".gitignore"

MAX_OCTETS = 1024 * 1024
"""Limit of a ``.gitignore``, and of the part of a line that is searched for a comment."""

_COMMENT = re.compile(rb"anyurl:[ \t]*+ignore\b")
_ALONE = re.compile(rb"[^\w\n]*+anyurl:[ \t]*+ignore[^\w\n]*+")


class Patterns:
    """The patterns that count in one folder, with those of the folders above it."""

    def __init__(self, rules: tuple[tuple[re.Pattern[str], bool, bool, str], ...] = ()) -> None:
        self._rules = rules

    @classmethod
    def above(cls, folder: str, top: str) -> Patterns:
        """The patterns of the folders from the top of a repository to above a folder in it."""
        found = cls()
        whole, place = os.path.realpath(folder), os.path.realpath(top)
        inside = os.path.relpath(whole, place)
        for name in ("", *(inside.split("/") if inside != "." else ())):
            place = os.path.join(place, name) if name else place
            if place != whole:
                found = found.within(place)
        return found

    def within(self, folder: str) -> Patterns:
        """The patterns that count in a folder."""
        try:
            with open(os.path.join(folder, GITIGNORE), "rb") as file:
                text = file.read(MAX_OCTETS).decode("utf-8", "surrogateescape")
        except OSError:
            return self
        place = os.path.realpath(folder)
        return Patterns((*self._rules, *((*rule, place) for rule in _read(text))))

    def ignores(self, path: str, is_folder: bool) -> bool:
        """Whether the last pattern that fits a file or a folder leaves it out."""
        folder, name = os.path.split(path)
        whole = os.path.join(os.path.realpath(folder), name)
        for pattern, is_for_folders, is_out, place in reversed(self._rules):
            if (is_folder or not is_for_folders) and pattern.fullmatch(os.path.relpath(whole, place)) is not None:
                return is_out
        return False


def _read(text: str) -> Iterator[tuple[re.Pattern[str], bool, bool]]:
    """The patterns of a file: each with whether it is for folders alone, and whether it leaves out."""
    for line in text.splitlines():
        pattern = line if line.endswith("\\ ") else line.rstrip()
        is_out = not pattern.startswith("!")
        pattern = pattern.removeprefix("!")
        if not pattern or pattern.startswith("#"):
            continue
        is_for_folders = pattern.endswith("/")
        pattern = pattern.rstrip("/")
        is_rooted = "/" in pattern
        yield (
            re.compile(("" if is_rooted else "(?:.*/)?") + _expression(pattern.removeprefix("/"))),
            is_for_folders,
            is_out,
        )


_PART = re.compile(r"\A\*\*/|/\*\*/|/\*\*\Z|\*+|\?|\[(?P<class>!?\]?[^\]]*)\]|\\(?P<quoted>.)|(?P<plain>.)", re.DOTALL)


def _expression(pattern: str) -> str:
    def part(match: re.Match[str]) -> str:
        text = match[0]
        if match["plain"] is not None or match["quoted"] is not None:
            return re.escape(match["plain"] or match["quoted"])
        if match["class"] is not None:
            inner = match["class"].replace("\\", "\\\\").replace("[", "\\[")
            return f"(?!/)[{'^' if inner[:1] == '!' else ''}{inner.removeprefix('!')}]"
        known = {"**/": "(?:.*/)?", "/**/": "/(?:.*/)?", "/**": "/.*", "?": "[^/]"}
        return known.get(text, "[^/]*")

    try:
        made = _PART.sub(part, pattern)
        re.compile(made)
    except re.error:
        return re.escape(pattern)
    return made


def switched_off(path: str) -> frozenset[int]:
    """The lines of a file whose links are left out: those with a comment ``anyurl: ignore``.

    A comment alone in its line leaves out the paragraph after it.
    """
    with open(path, "rb") as file:
        if not any(_COMMENT.search(piece) for piece in _pieces(file)):
            return frozenset()
        file.seek(0)
        found: set[int] = set()
        is_off = is_begun = False
        for number, line in enumerate(file, 1):
            is_blank = not line.strip()
            if is_off and not is_blank:
                found.add(number)
                is_begun = True
            elif is_begun:
                is_off = is_begun = False
            if _COMMENT.search(line) is not None:
                found.add(number)
                if _ALONE.fullmatch(line.rstrip()) is not None:
                    is_off, is_begun = True, False
        return frozenset(found)


def _pieces(file: object) -> Iterator[bytes]:
    """The file in pieces that overlap by more than a comment."""
    last = b""
    while piece := file.read(1 << 16):  # type: ignore[attr-defined]
        yield last + piece
        last = piece[-64:]
