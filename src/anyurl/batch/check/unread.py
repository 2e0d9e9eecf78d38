"""Unread: the files and folders of a tree in which no person has written a link, which a check passes over.

Rule: skipped files are counted by reason, except binary files and reports; a file that the caller names is read. The
scripts of a site, their maps and the index of its search repeat texts of others, or of its pages.
"""

from __future__ import annotations

import os
from typing import Literal, TypeAlias

from anyurl.batch.check.sphinx import is_copied

Left: TypeAlias = Literal["ignored", "excluded", "hidden", "foreign", "copied", "script"]
"""Why a file or a folder is not read: ``.gitignore`` or a pattern names it; its name begins with a dot; it has files of
others, or copies of sources that Sphinx has made; it is a script of a site."""

SILENT = frozenset((".git", ".doctrees", "__pycache__"))
"""Folders that hold nothing to read, and are not counted."""

FOREIGN = "node_modules"
"""A folder with files of others."""

MADE = (".map", ".min.js", ".min.mjs", ".js.LICENSE.txt")
"""Suffixes of bundled and minified scripts."""

SCRIPTS = (".js", ".mjs", ".cjs")

REPORTS = (
    b'<meta name="generator" content="anyurl check">', b'<testsuites name="anyurl check"',
    b"# Known faults: one URL a line, with the part of a page that is missing.\n",
)  # fmt: skip
"""In the first octets of what a check writes (`page`, `junit`, `baseline_of`): it names what was broken then."""

PAGE = "index.html"
"""Marks of the folders of a site, at least of the top one."""


def why_not_folder(path: str) -> Left | None:
    """Why a folder is not read; None if it is."""
    name = os.path.basename(path)
    if name[:1] == ".":
        return "hidden"
    if name == FOREIGN:
        return "foreign"
    return "copied" if is_copied(path) else None


def why_not_file(path: str, *, in_site: bool) -> Left | None:
    """Why a file is not read; None if it is.

    Args:
        in_site: It is below the page of a site.
    """
    name = os.path.basename(path)
    is_index = name.endswith(".json") and "search" in name
    return "script" if name.endswith(MADE) or (in_site and (name.endswith(SCRIPTS) or is_index)) else None


def is_report(head: bytes) -> bool:
    """Whether a file is what an earlier check wrote, by its first octets."""
    return any(mark in head[:512] for mark in REPORTS)
