"""Sources: the URLs in files and folders, each with its place, and who named it.

Rule: the author of a file is unknown, so its URLs have a document as their origin, and must not lead to private
addresses unless the caller allows it. A link to another file may only lead into the same tree.
"""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from itertools import chain
from typing import IO

from anyurl.batch.check.ignored import Patterns, switched_off
from anyurl.batch.check.links import Link, MalformedLink, as_written, link_of
from anyurl.batch.check.paths import path_of, repository_of, was_below
from anyurl.batch.check.sites import Sites
from anyurl.batch.check.state import Mention
from anyurl.batch.check.unread import PAGE, SILENT, Left, is_report, why_not_file, why_not_folder
from anyurl.batch.tables import rows_as_text
from anyurl.errors import AnyURLError, LimitError, LocalFileError, MissingExtraError
from anyurl.errors.reasons import reason_of
from anyurl.text import find
from anyurl.text.readers.registry import is_table, unpacked
from anyurl.text.source import Source
from anyurl.url import URL
from anyurl.values import Provenance, Scope, Struct, shown

HEAD = 8192
"""Octets in which a binary file shows a NUL; git looks at 8,000."""

STYLES = (".css", ".scss", ".sass", ".less")

GZIP = b"\x1f\x8b"

TREE = Provenance("listing", scope=Scope.LOCAL, scheme="file")
"""The origin of files in the checked tree: their folder listed them."""


class MentionedURL(Struct):
    """A link in a source.

    Attributes:
        url: The URL, without a fragment, or a malformed link.
        origin: Who named it.
        place: Its place.
    """

    url: Link
    origin: Provenance
    place: Mention

    def __repr__(self) -> str:
        return shown(self, "url", "place.where")


class Sources:
    """Files and folders.

    Args:
        paths: Their names; ``-`` is `stdin`.
        stdin: Standard input, or None.
        private: Whether their URLs may lead to private addresses and to this machine.
        exclude: Patterns (`fnmatch`) of paths to skip.
        base: The base of relative links; None means the file's own URL.
        sites: Resolves links to other files; None means the trees of the paths.
        format: The format of all files, as for `anyurl.find`.
        emails: Whether e-mail addresses count as URLs.
        changed: Read only these files; None means all. The paths are those of `os.path.realpath`.
        gone: Files that were removed, or may have lost a part: links to them are searched in all other files.
        ignores: Leave out what the ``.gitignore`` of a folder names.
        complain: Called with a sentence for each file that can't be read.

    Attributes:
        left: The number of files and folders that are not read, by the reason.
        switched_off: The number of links in lines that a comment left out.
    """

    def __repr__(self) -> str:
        return shown(self, "_paths")

    def __init__(
        self,
        paths: tuple[str, ...],
        *,
        stdin: Callable[[], IO[bytes]] | None = None,
        private: bool = False,
        exclude: tuple[str, ...] = (),
        base: URL | None = None,
        sites: Sites | None = None,
        format: str = "auto",
        emails: bool = False,
        changed: frozenset[str] | None = None,
        gone: frozenset[str] = frozenset(),
        ignores: bool = True,
        complain: Callable[[str], None],
    ) -> None:
        self.left: Counter[Left] = Counter()
        self.switched_off: int = 0
        self._ignores = ignores
        self._paths = paths
        self._stdin = stdin
        self._exclude = exclude
        self._base = base
        self._format = format
        self._emails = emails
        self._changed = changed
        self._gone = gone
        self._complain = complain
        self._origin = document(private)
        self._sites = Sites(paths) if sites is None else sites

    def __iter__(self) -> Iterator[MentionedURL]:
        for path in self._paths:
            if path == "-":
                if self._stdin is not None:
                    yield from self._search(self._stdin(), path)
            elif os.path.isdir(path):
                yield from self._folder(path)
            else:
                yield from self._file(path)

    def _folder(self, name: str) -> Iterator[MentionedURL]:
        above = {os.path.dirname(name.rstrip("/")) or ".": self._patterns_above(name)}
        sites: set[str] = set()
        for folder, folders, names in os.walk(name, onerror=self._cannot_enter):
            parent = os.path.dirname(folder.rstrip("/")) or "."
            known = above.get(parent, Patterns())
            if parent in sites or PAGE in names:
                sites.add(folder.rstrip("/") or "/")
            patterns = above[folder.rstrip("/") or "/"] = known.within(folder) if self._ignores else known
            folders[:] = [each for each in sorted(folders) if self._is_entered(os.path.join(folder, each), patterns)]
            for entry in sorted(names):
                path = os.path.join(folder, entry)
                in_site = (folder.rstrip("/") or "/") in sites
                if os.path.isfile(path):  # a pipe or a device might never end
                    if self._is_read(path, patterns, in_site):
                        yield from self._file(path, in_folder=True)
                elif os.path.islink(path) and self._is_read(path, patterns, in_site):
                    self._look_at_link(path)

    def _look_at_link(self, path: str) -> None:
        """Report a symbolic link that leads in a circle; one to nothing is a fault only where it is linked."""
        try:
            os.stat(path)
        except OSError as error:
            if error.errno == errno.ELOOP:
                self._complain(f"{path} can't be read: {reason_of(error)}.")

    def _patterns_above(self, name: str) -> Patterns:
        """The patterns of the parent folders that apply to the caller's folder."""
        top = repository_of(name) if self._ignores else None
        return Patterns() if top is None else Patterns.above(name, top)

    def _is_entered(self, path: str, patterns: Patterns) -> bool:
        """Whether a folder that was not named by the caller is searched."""
        if os.path.basename(path) in SILENT:
            return False
        return self._counted(self._left_out(path, patterns, True) or why_not_folder(path))

    def _is_read(self, path: str, patterns: Patterns, in_site: bool) -> bool:
        """Whether a file that was not named by the caller is read."""
        return self._counted(self._left_out(path, patterns, False) or why_not_file(path, in_site=in_site))

    def _left_out(self, path: str, patterns: Patterns, is_folder: bool) -> Left | None:
        """Whether the caller or a ``.gitignore`` leaves it out."""
        return "excluded" if self._is_excluded(path) else "ignored" if patterns.ignores(path, is_folder) else None

    def _counted(self, why: Left | None) -> bool:
        if why is not None:
            self.left[why] += 1
        return why is None

    def _is_excluded(self, path: str) -> bool:
        path = path.removeprefix("./")
        names = (path, os.path.basename(path))
        return any(fnmatchcase(name, pattern) for pattern in self._exclude for name in names)

    def _cannot_enter(self, error: OSError) -> None:
        self._complain(f"{error.filename} can't be read: {reason_of(error)}.")

    def _file(self, name: str, in_folder: bool = False) -> Iterator[MentionedURL]:
        is_changed = self._changed is None or os.path.realpath(name) in self._changed
        if not (is_changed or self._gone):
            return
        try:
            with open(name, "rb") as file:
                head = file.peek(HEAD)[:HEAD]
                stream: Source = file
                if is_table(head) and not in_folder:
                    yield from self._search(rows_as_text(name, head), name, "json")
                    return
                if head[:2] == GZIP:
                    unpacking = unpacked(file, head)
                    head = unpacking.read(HEAD)
                    stream = chain((head,), iter(unpacking.read, b""))
                if not (in_folder and (is_binary(head) or is_report(head))):
                    off = switched_off(name) if stream is file else frozenset()
                    for found in self._search(stream, name):
                        if found.place.line in off:
                            self.switched_off += 1
                        elif is_changed or self._is_gone(found.url):
                            yield found
        except (LimitError, MissingExtraError) as error:
            self._complain(f"{name}: {error}")
        except OSError as error:
            if isinstance(error, LocalFileError):
                self._complain(f"{reason_of(error)}.")
                return
            if isinstance(error, AnyURLError):
                raise
            self._complain(f"{name} can't be read: {reason_of(error)}.")

    def _is_gone(self, url: Link) -> bool:
        return isinstance(url, URL) and url.scheme == "file" and self._sites.may_be(url, self._gone)

    def _search(self, stream: Source, name: str, format: str = "") -> Iterator[MentionedURL]:
        base = self._base
        if base is None and name != "-":
            base = self._sites.base(name)
        elif base is not None and base.scheme == "file" and not base.host:
            base = self._sites.base(path_of(base))
        shown = name.removeprefix("./")
        called = name.removesuffix(".gz")
        last: tuple[Link, str | None] | None = None
        for found in find(
            stream, format=format or self._format, name=called, base=base, emails=self._emails, encoding="auto",
            came_from=self._origin, malformed=True,
        ):  # fmt: skip
            # A member of an archive: ``archive.zip!folder/name``.
            if found.context == "html-hint":
                continue  # a server to connect to, or a base: there need not be a document
            if found.context == "bare" and called.endswith(STYLES):
                continue  # a comment: who made it, and under which licence
            member = found.member
            file = f"{shown}!{member}" if member else shown
            place = Mention(file, found.line, found.column, found.fragment, as_written(found.raw))
            as_found = link_of(found)
            if found.context == "html-text" and last == (as_found, found.fragment):
                continue  # the text of a link that is its URL: <a href="http://h/">http://h/</a>
            last = (as_found, found.fragment) if found.context == "html-attribute" else None
            link = self._located(as_found, name, member)
            yield MentionedURL(link, self._who_named(link, found.origin), place)

    def _located(self, link: Link, name: str, member: str) -> Link:
        """The target of a link of a file."""
        if isinstance(link, MalformedLink):
            return MalformedLink(self._sites.shown(link.text))
        return self._sites.locate(link, name, member)

    def _who_named(self, url: Link, origin: Provenance) -> Provenance:
        if (
            isinstance(url, URL)
            and url.scheme == "file"
            and not url.host
            and was_below(path_of(url), self._sites.roots)
        ):
            return TREE
        return origin


def document(private: bool) -> Provenance:
    """The origin of URLs in a text of unknown origin.

    Args:
        private: Trust it as a document of this machine, whose links may lead to private addresses.
    """
    return Provenance("document", scope=Scope.LOCAL) if private else Provenance("document")


def is_binary(head: bytes) -> bool:
    """Whether the beginning of a file is binary; UTF-16 and UTF-32 contain NULs, but begin with a byte order mark."""
    return b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff"))
