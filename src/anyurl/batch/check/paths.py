"""Paths of this machine: as URLs, and the trees in which they are.

Rule: paths are compared with symbolic links resolved.
"""

from __future__ import annotations

import os
from functools import lru_cache

from anyurl.url import URL
from anyurl.url.cut import percent_decode, percent_encode

SAFE_IN_PATH = b"!$&'()*+,;=:@/-._~"


def encoded(path: str) -> str:
    """A path as that of a URL."""
    return percent_encode(os.fsencode(path), SAFE_IN_PATH)


def decoded(text: str) -> str:
    """The path of a URL as that of this machine."""
    return os.fsdecode(percent_decode(text))


def file_url(path: str) -> URL:
    """The URL of a file or a folder of this machine."""
    whole = os.path.abspath(path)
    if os.path.isdir(whole) and not whole.endswith("/"):
        whole += "/"
    return URL(f"file://{encoded(whole)}")


def path_of(url: URL) -> str:
    """The path of a file URL."""
    return decoded(url.path)


def is_below(path: str, roots: tuple[str, ...]) -> bool:
    """Whether a path, with symbolic links resolved, is in one of these folders."""
    if "\0" in path:
        return False
    whole = os.path.realpath(path)
    return any(f"{whole}/".startswith(f"{root.rstrip('/')}/") for root in roots)


@lru_cache(maxsize=16_384)
def was_below(path: str, roots: tuple[str, ...]) -> bool:
    """`is_below` as it was when it was first asked: many links lead to one file. `Sites` forgets it."""
    return is_below(path, roots)


def tree_of(path: str) -> str:
    """The tree of a source: its repository; else the current folder if it is in it; else the folder itself."""
    whole = os.path.realpath(path)
    folder = whole if os.path.isdir(whole) else os.path.dirname(whole)
    try:
        top = repository_of(folder)
    except OSError:  # it is reported when the folder is read
        top = None
    if top is not None:
        return top
    here = os.path.realpath(".")
    return here if is_below(whole, (here,)) else folder


def repository_of(folder: str) -> str | None:
    """The nearest folder, this one or above it, that has a ``.git``; None if no folder has.

    A folder that belongs to another user ends the search: anybody could put a ``.git`` into ``/tmp``.

    Raises:
        OSError: A folder can't be read.
    """
    here = os.path.realpath(folder)
    owners = {os.stat(here).st_uid, *([os.geteuid()] if hasattr(os, "geteuid") else [])}
    while not os.path.lexists(os.path.join(here, ".git")):
        above = os.path.dirname(here)
        if above == here or os.stat(above).st_uid not in owners:
            return None
        here = above
    return here
