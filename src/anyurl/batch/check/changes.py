"""Changes: which files of a tree differ from a revision of its git repository.

Rule: git is used only for file names; no program that a repository configures is run.
"""

from __future__ import annotations

import os

from anyurl.errors import LocalFileError, escape
from anyurl.net.programs import output_of


def changed_files(revision: str, folder: str) -> tuple[frozenset[str], frozenset[str]]:
    """The files that are new or changed since a revision, and those that were removed, without ignored files.

    Args:
        revision: A git revision: ``HEAD``, ``origin/main``, ``v1.0``.
        folder: A folder in the repository.

    Raises:
        LocalFileError: There is no git, no repository, or no such revision.
    """
    if revision.startswith("-"):
        raise LocalFileError(f"{escape(revision)} is not a revision; HEAD or origin/main would be.")
    git = ["git", "-c", "core.fsmonitor=false", "-C", folder]
    top = os.fsdecode(output_of([*git, "rev-parse", "--show-toplevel"], folder)).rstrip("\n")
    diff = [*git, "diff", "--no-ext-diff", "--no-textconv", "--no-renames", "--name-only", "-z"]
    here = output_of([*diff, "--diff-filter=d", revision, "--"], folder)
    gone = output_of([*diff, "--diff-filter=D", revision, "--"], folder)
    new = output_of([*git, "ls-files", "--others", "--exclude-standard", "--full-name", "-z", top], folder)
    return _paths(top, here + new), _paths(top, gone)


def _paths(top: str, names: bytes) -> frozenset[str]:
    return frozenset(os.path.realpath(os.path.join(top, os.fsdecode(each))) for each in names.split(b"\0") if each)
