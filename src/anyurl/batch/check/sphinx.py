"""Sphinx: the names that the sources of a project give, which MyST links to by ``#name``, and files that Sphinx has
copied.

Rule: nothing of a project is run or imported. A name is there if a source gives it; a name with a dot may be that of an
object of Python, which only Sphinx knows.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import lru_cache

PROJECTS = ("conf.py", "_toc.yml", "myst.yml")
"""Marks of the top folder of a project: Sphinx, Jupyter Book."""

SOURCES = (".rst", ".md", ".txt", ".inc")

BUILT = ("objects.inv", "searchindex.js", ".buildinfo")
"""Marks of a folder that Sphinx has built."""

COPIES = "_sources"
"""The folder in it with copies of the sources, whose links lead nowhere."""

MAX_SOURCE = 8 * 1024 * 1024
"""Octets of a source that are searched."""

STANDARD = frozenset(("genindex", "modindex", "py-modindex", "search"))
"""Names that every project has."""

_NAME = re.compile(
    rb"^[ \t]*\.\.[ ]_(?:`([^`\n]+)`|((?:[^:`\\\n]|\\.|:(?=\S))+)):[ \t]*\r?$"  # .. _name:
    rb"|^[ \t]*\(([^()\n]+)\)=[ \t]*\r?$"  # (name)=
    rb"|^[ \t]*:(?:name|label):[ \t]+(\S[^\n]*?)[ \t]*\r?$"  # the option of a directive
    rb"|^[ \t]*(?:\.\.[ ]|[`:]{3,}\{)[\w:+\-]+(?:::|\})[ \t]+([\w.]+)",  # .. py:function:: name
    re.MULTILINE,
)


def is_copied(folder: str) -> bool:
    """Whether a folder has the copies that Sphinx makes of its sources."""
    above, name = os.path.split(folder)
    return name == COPIES and any(os.path.exists(os.path.join(above, each)) for each in BUILT)


def is_project(folder: str) -> bool:
    """Whether a folder is the top of a project."""
    return any(os.path.isfile(os.path.join(folder, name)) for name in PROJECTS)


@lru_cache(maxsize=16)
def names_in(folder: str) -> frozenset[str]:
    """The names that the sources of a project give, in small letters, without the modules before them."""
    return STANDARD.union(_names(folder))


def _names(top: str) -> Iterator[str]:
    for folder, folders, files in os.walk(top):
        folders[:] = [each for each in folders if each[0] not in "._"]
        for name in files:
            if name.endswith(SOURCES):
                try:
                    with open(os.path.join(folder, name), "rb") as file:
                        text = file.read(MAX_SOURCE)
                except OSError:
                    continue
                for match in _NAME.finditer(text):
                    found = " ".join(match[match.lastindex or 0].decode("utf-8", "replace").lower().split())
                    yield found
                    yield found.rpartition(".")[2]
