"""Changes: which files of a tree differ from a revision of its git repository.

Rule: a repository is a stranger's. git lists the names and hashes that it has stored, and the files are hashed here: to
compare them, git would run the filters of the repository.
"""

from __future__ import annotations

import hashlib
import os
import stat

from anyurl.batch.check.paths import repository_of
from anyurl.errors import LocalFileError, escape
from anyurl.files.channel import local_error
from anyurl.net.children import GIT, output_of

Entries = dict[bytes, list[bytes]]
"""By the path from the top, git's facts about a file."""

LINK, REPOSITORY = b"120000", b"160000"
"""Modes of git: a symbolic link, and another repository (a submodule)."""

HASHES = {40: "sha1", 64: "sha256"}
"""By the number of digits of an object name."""

MAX_OCTETS = 64 * 1024 * 1024
"""Of a file that is compared. A larger one counts as changed: it is read in pieces anyway, and most are not text."""


def changed_files(revision: str, folder: str) -> tuple[frozenset[str], frozenset[str]]:
    """The files that are new or changed since a revision, and those that were removed, without ignored files.

    A file is unchanged if its octets are those of the revision, or would be with LF for CRLF. Other conversions
    (filters, encodings, keywords) are not known here: converted files count as changed. Submodules are left out.

    Args:
        revision: A git revision: ``HEAD``, ``origin/main``, ``v1.0``.
        folder: A folder in the repository.

    Raises:
        LocalFileError: There is no git, no repository, or no such revision.
    """
    if revision.startswith("-"):
        raise LocalFileError(f"{escape(revision)} is not a revision; HEAD or origin/main would be.")
    top = _top(folder)
    before = _entries(_listed(top, "ls-tree", "-r", "-z", "--full-tree", revision, "--"))
    tracked = _entries(_listed(top, "ls-files", "-s", "-t", "-z"))
    new = _listed(top, "ls-files", "--others", "--exclude-standard", "-z").split(b"\0")
    place = os.fsencode(top)
    changed, gone = set(new) - {b""}, set()
    for name in before.keys() | tracked.keys():
        known, path = before.get(name, []), os.path.join(place, name)
        if name in tracked and REPOSITORY not in tracked[name] and (os.path.islink(path) or os.path.isfile(path)):
            if not known or not _is_same(path, known[0] == LINK, known[-1]):
                changed.add(name)
        # S: outside of a sparse checkout.
        elif known and REPOSITORY not in known and b"S" not in tracked.get(name, ()):
            gone.add(name)
    return _paths(place, changed), _paths(place, gone)


def _top(folder: str) -> str:
    """The folder of the git repository that a folder is in. Raises LocalFileError if it is in none."""
    try:
        top = repository_of(folder)
    except OSError as error:
        raise local_error(error, f"Looking for a git repository in {escape(folder)}") from error
    if top is None:
        raise LocalFileError(f"{escape(folder)} is not in a git repository, or in one of another user.")
    return top


def _listed(top: str, *arguments: str) -> bytes:
    """The output of git; the repository's own settings do not move its top elsewhere. Raises LocalFileError."""
    variables = {"GIT_WORK_TREE": top, "GIT_CEILING_DIRECTORIES": os.path.dirname(top)}
    return output_of(GIT, ["-c", "core.fsmonitor=false", "-C", top, *arguments], variables)


def _entries(listed: bytes) -> Entries:
    """By name: the tag that ``ls-files -t`` gives, the mode, and the object."""
    found: Entries = {}
    for line in listed.split(b"\0"):
        facts, _, name = line.partition(b"\t")
        if name:
            found[name] = facts.split(b" ")[:3]
    return found


def _is_same(path: bytes, is_link: bool, known: bytes) -> bool:
    """Whether a file has the content of a git object; a file that cannot be read has not."""
    try:
        about = os.lstat(path)
        if is_link and stat.S_ISLNK(about.st_mode):
            return _object(os.readlink(path), known) == known
        if is_link or not stat.S_ISREG(about.st_mode) or about.st_size > MAX_OCTETS:
            return False
        with open(path, "rb") as file:
            data = file.read(MAX_OCTETS)
    except OSError:
        return False
    return _object(data, known) == known or _object(data.replace(b"\r\n", b"\n"), known) == known


def _object(data: bytes, known: bytes) -> bytes:
    """The name of a git object with this content, by the hash that the other name was made with."""
    digest = hashlib.new(HASHES[len(known)], b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest().encode()


def _paths(place: bytes, names: set[bytes]) -> frozenset[str]:
    return frozenset(os.fsdecode(os.path.realpath(os.path.join(place, each))) for each in names)
