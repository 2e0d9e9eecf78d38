"""The settings in a checked tree: ``anyurl.toml``, or ``[tool.anyurl.check]`` in its ``pyproject.toml``.

Rule: they can only restrict the check. Attack: anyone who sends a change to a tree controls these files. They may leave
URLs out, list known faults and slow the check down, but never allow an address, send anything, or write a file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from anyurl.batch.check.outcome import statuses
from anyurl.batch.check.paths import decoded, encoded, is_below, path_of
from anyurl.batch.check.told import told
from anyurl.errors import LocalFileError, URLSyntaxError, escape
from anyurl.errors.reasons import reason_of
from anyurl.files.toml import read_toml
from anyurl.url import URL
from anyurl.values import Value

if TYPE_CHECKING:
    from anyurl.batch.check.state import CheckState

FILES = ("anyurl.toml", "pyproject.toml")
"""The first of these with settings is used."""

MAX_OCTETS = 1024 * 1024
"""The largest settings or baseline file."""

LISTS = ("include", "exclude", "exclude-files")
COUNTS = ("parallel", "per-host", "max-per-host")

MAX_DELAY = 60
"""Seconds between two requests to one host: a tree may slow its check down, but not stop it."""


class TreeSettings(Value):
    """The settings of a tree for its check.

    Attributes:
        include: Patterns of URLs: only these are checked.
        exclude: Patterns of URLs to leave out.
        exclude_files: Patterns of files and folders to skip.
        accept: Status codes that count as ok.
        parallel: The maximum number of parallel requests.
        per_host: The maximum number of parallel requests to one host.
        max_per_host: The maximum number of URLs of one host in total.
        delay: The minimum number of seconds between two requests to one host.
        known: URLs that are known to be broken.
        baseline: The file that lists them, or None.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    exclude_files: tuple[str, ...] = ()
    accept: tuple[int, ...] = ()
    parallel: int | None = None
    per_host: int | None = None
    max_per_host: int | None = None
    delay: float = 0.0
    known: frozenset[str] = frozenset()
    baseline: str | None = None

    def work(self) -> tuple[object, ...]:
        """The settings that must be equal for a check to be resumed."""
        return self.include, self.exclude, self.exclude_files, self.accept, self.max_per_host


NO_SETTINGS = TreeSettings()


def read_tree_settings(root: str, source: str | None = None) -> TreeSettings:
    """Read the settings of a tree: those nearest to the source, upwards to the tree's own folder.

    Args:
        source: The file or folder that is checked; None for the tree itself.

    Raises:
        LocalFileError: A file can't be read, or has invalid settings.
    """
    for folder in _upwards(root, source or root):
        found = _settings_in(folder)
        if found is not None:
            return found
    return NO_SETTINGS


def _upwards(root: str, source: str) -> Iterator[str]:
    """The folders from that of a source up to the root of its tree."""
    whole = os.path.realpath(source)
    folder = whole if os.path.isdir(whole) else os.path.dirname(whole)
    top = os.path.realpath(root)
    while folder != top and is_below(folder, (top,)):
        yield folder
        folder = os.path.dirname(folder)
    yield top


def _settings_in(root: str) -> TreeSettings | None:
    """The settings in a folder, or None. Raises LocalFileError."""
    for name in FILES:
        path = os.path.join(root, name)
        if not os.path.isfile(path):
            continue
        try:
            text = _text(path, root)
            found = read_toml(text)
        except (ValueError, RecursionError) as error:
            raise LocalFileError(f"{escape(path)} can't be used: {reason_of(error)}.") from None
        table: Any = found
        for key in ("check",) if name == FILES[0] else ("tool", "anyurl", "check"):
            table = table.get(key) if isinstance(table, dict) else None
        if table is not None:
            return _read(table, escape(path), root, text)
    return None


def _at(path: str, text: str, key: str) -> str:
    """The place of a key in a file of settings, for a message."""
    match = re.search(rf"^[ \t]*[\"']?{re.escape(key)}[\"']?[ \t]*=", text, re.MULTILINE)
    return path if match is None else f"{path}:{text.count(chr(10), 0, match.end()) + 1}"


def baseline_of(state: CheckState, folder: str) -> Iterator[str]:
    """The faults of a check as the lines of a baseline, files relative to its folder."""
    yield "# Known faults: one URL a line, with the part of a page that is missing.\n"
    place = os.path.realpath(folder)
    lines = set()
    for each in told(state):
        link = each.link
        if isinstance(link, URL) and link.scheme == "file" and not link.host:
            text = encoded(os.path.relpath(path_of(link), place)) + ("/" if link.path.endswith("/") else "")
        else:
            text = link.masked
        lines.add(f"{text}#{each.place.fragment}" if each.is_missing else text)
    yield from (f"{line}\n" for line in sorted(lines))


def read_baseline(path: str, root: str) -> frozenset[str]:
    """The URLs of a file, one per line; a ``#`` followed by a space starts a comment.

    A line without a scheme is the path of a file, relative to the folder of the baseline.

    Raises:
        LocalFileError: It can't be read, or is outside the tree.
    """
    lines = (line.partition("# ")[0].strip() for line in _text(path, root).splitlines())
    folder = os.path.dirname(os.path.realpath(path))
    return frozenset(_as_written(line, folder) for line in lines if line and line != "#")


def _as_written(text: str, folder: str) -> str:
    """A URL in the encoded form that a check writes."""
    name, mark, fragment = text.partition("#")
    if ":" not in name and not text.startswith("//"):
        whole = os.path.normpath(os.path.join(folder, decoded(name))) + ("/" if name.endswith("/") else "")
        return f"file://{encoded(whole)}{mark}{fragment}"
    try:
        return str(URL(text))
    except URLSyntaxError:
        return text


def _text(path: str, root: str) -> str:
    if not is_below(path, (os.path.realpath(root),)):
        raise LocalFileError(f"{escape(path)} is outside the checked tree: it is not read.")
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_OCTETS + 1)
    except OSError as error:
        raise LocalFileError(f"{escape(path)} can't be read: {reason_of(error)}.") from None
    if len(data) > MAX_OCTETS:
        raise LocalFileError(f"{escape(path)} has more than {MAX_OCTETS:,} octets: the limit allows no more.")
    return data.decode("utf-8-sig", "replace")  # Windows editors write a byte order mark


def _read(table: Any, path: str, root: str, text: str) -> TreeSettings:
    known = (*LISTS, "accept", *COUNTS, "delay", "baseline")
    if not isinstance(table, dict):
        raise LocalFileError(f"{path}: check must be a table of settings.")
    for key, value in table.items():
        place = _at(path, text, key)
        if key not in known:
            raise LocalFileError(
                f"{place}: a tree can't set '{escape(key[:100])}'; it can only narrow its check: {', '.join(known)}."
            )
        _check(place, key, value)
    given: Mapping[str, Any] = {key.replace("-", "_"): value for key, value in table.items() if key != "baseline"}
    lists = {key: tuple(value) for key, value in given.items() if isinstance(value, list)}
    if "accept" in lists:
        lists["accept"] = _accepted(table["accept"])
    baseline = None if "baseline" not in table else os.path.join(root, table["baseline"])
    names = frozenset[str]() if baseline is None else read_baseline(baseline, root)
    return TreeSettings(**{**given, **lists}, known=names, baseline=baseline)


def _are_statuses(value: object) -> bool:
    return isinstance(value, str) and statuses(value) is not None


def _accepted(values: Iterable[int | str]) -> tuple[int, ...]:
    return tuple(status for each in values for status in ((each,) if isinstance(each, int) else statuses(each) or ()))


def _check(path: str, key: str, value: Any) -> None:
    if key in LISTS:
        if not (isinstance(value, list) and all(isinstance(each, str) for each in value)):
            raise LocalFileError(f"{path}: {key} must be a list of patterns.")
    elif key == "accept":
        if not (isinstance(value, list) and all(type(each) is int or _are_statuses(each) for each in value)):
            raise LocalFileError(f"{path}: accept must be a list of status codes.")
    elif key == "baseline":
        if not isinstance(value, str):
            raise LocalFileError(f"{path}: baseline must be the name of a file.")
    elif key == "delay":
        if type(value) not in (int, float) or not 0 <= value <= MAX_DELAY:
            raise LocalFileError(f"{path}: delay must be a number of seconds from 0 to {MAX_DELAY}.")
    elif type(value) is not int or value < 1:
        raise LocalFileError(f"{path}: {key} must be a number of at least 1.")
