"""Worklist: the pending downloads of a mirror, stored in its folder, so that it can be killed at any moment.

Rule: each URL and each file name is in it once. It is trusted only if no other user can have written it, and its URLs
are judged again. When the mirror is complete, only the list of its files remains: a later run may replace only those.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, Literal, TypeAlias

from anyurl.dialogue import Kind, Resume
from anyurl.errors import LocalFileError, escape
from anyurl.errors.reasons import reason_of
from anyurl.files.rooted import has_own, make_own, remove
from anyurl.files.system import octets_of
from anyurl.saving.circles import above
from anyurl.saving.tree import MENUS, SITES, candidates, fold
from anyurl.url import URL
from anyurl.url.stored import from_stored, to_stored
from anyurl.values import Provenance

NAME = ".anyurl-mirror"
"""The file, in the folder of the mirror; names from a server never get a leading dot."""

WAITING, BEGUN, DONE, FAILED = range(4)

AT_ONCE = 100
"""Items per write: each write costs as much as a small file."""

FOLDERS_KNOWN = 10_000
"""Folders whose paths are remembered."""

There: TypeAlias = Callable[[str], Literal["file", "folder", ""]]
"""Returns the kind of file at a path."""

Signature = Callable[[str], str]
"""Computes a value that changes when the file of a path is replaced; empty if there is no file."""

Mark: TypeAlias = str
"""Distinguishes an unchanged file of a mirror from an edited one: its size, and its time in nanoseconds. Not its inode:
a folder may be copied or restored."""

Listed: TypeAlias = tuple[URL, Provenance, str, Kind | None, int | None, float | None, int]
"""The arguments of `Worklist.add`."""

_ADD = "INTO work (url, origin, local, folded, kind, size, modified, depth, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)"

_NAMED = "UPDATE work SET local = ?, folded = ?, kind = ?, size = ?, before = ? WHERE number = ?"

_FIELDS = "number, url, origin, local, kind, size, modified, depth, tries"

_TABLES = """
CREATE TABLE IF NOT EXISTS mirror (root TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS archive (path TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS work (
    number INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, origin TEXT NOT NULL, local TEXT NOT NULL,
    folded TEXT UNIQUE, kind TEXT, size INTEGER, modified REAL, depth INTEGER NOT NULL, state INTEGER NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0, before TEXT, saved TEXT
);
CREATE INDEX IF NOT EXISTS waiting ON work (number) WHERE state = 0;
CREATE TABLE IF NOT EXISTS folder (local TEXT PRIMARY KEY, listed TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS own (
    root TEXT NOT NULL, local TEXT NOT NULL, mark TEXT NOT NULL, PRIMARY KEY (root, local)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS place (
    root TEXT NOT NULL, url TEXT NOT NULL, local TEXT NOT NULL, PRIMARY KEY (root, url)
) WITHOUT ROWID;
"""


class WorkItem:
    """One item to download.

    Attributes:
        number: Its number, in the order of discovery.
        url: The URL.
        origin: Who named the URL.
        local: Its path below the folder, components joined with ``/``; empty for the folder itself, or if unknown.
        kind: Its kind according to the listing, or None.
        size: Its size in octets according to the listing, or None.
        modified: Its modification time according to the listing, in seconds since the epoch, or None.
        depth: Steps from the root.
        tries: The number of failures.
        before: The signature of the file at its path when it was started; None if it had no path, or if unknown.
        part: Whether an earlier attempt left a partial file; None if not checked yet.
        resume: The file that exists already, to be transferred only if it has changed; or None.
    """

    __slots__ = (
        "number", "url", "origin", "local", "kind", "size", "modified", "depth", "tries", "before", "part", "resume",
    )  # fmt: skip

    def __init__(self, row: tuple[Any, ...], password: str | None, before: str | None = None) -> None:
        url = from_stored(row[1])
        self.number: int = row[0]
        self.url: URL = url if password is None or url.user is None else url.replace(password=password)
        self.origin: Provenance = _origin(row[2])
        self.local: str = row[3]
        self.kind: Kind | None = row[4]
        self.size: int | None = row[5]
        self.modified: float | None = row[6]
        self.depth: int = row[7]
        self.tries: int = row[8]
        self.before: str | None = before
        self.part: bool | None = None
        self.resume: Resume | None = None


@lru_cache(64)  # all entries of a listing have the same
def _origin(text: str) -> Provenance:
    return Provenance.from_dict(json.loads(text))


class Worklist:
    """The work list of one mirror.

    Args:
        folder: The folder of the mirror.
        root: The URL that is mirrored.
        archive: The archive that this run records in, or None.
        there: Returns the kind of file at a path.
        dry: Keep the list in memory: of the one in the folder only the record of the saved files is read.

    Attributes:
        is_new: Whether it is new, and not that of an interrupted mirror.
        is_recorded: Whether all that it has saved was recorded in this archive.

    Raises:
        LocalFileError: It can't be written, is another user's or another mirror's, or is in use by another process.
    """

    def __init__(
        self, folder: str, root: URL, archive: str | None = None, there: There = lambda _: "", *, dry: bool = False
    ) -> None:
        earlier = os.path.join(folder, NAME)
        self._path = None if dry else earlier
        self._password = root.password  # it is never written down
        self._there = there
        self._by_url = root.scheme in MENUS or root.scheme in SITES
        """Paths are those of URLs, and not below that of the listing that names them."""
        self._folders: dict[str, str] = {}
        self._taken: deque[WorkItem] = deque()
        self._done: list[tuple[int, Mark | None, int]] = []
        self._written: tuple[Provenance | None, str] = None, ""
        shown = escape(earlier)
        try:
            is_there = dry and has_own(earlier, shown)
            if not dry:
                make_own(earlier, shown)
            path = "" if dry else os.path.abspath(earlier)  # some builds of SQLite take `file:...` for a URI
            self._base = sqlite3.connect(path, timeout=0, isolation_level=None, uri=dry)
        except (OSError, sqlite3.Error) as error:
            if isinstance(error, LocalFileError):
                raise
            what = "read" if dry else "written"
            raise LocalFileError(f"{shown} can't be {what}: {reason_of(error)}.") from error
        try:
            self._do("PRAGMA locking_mode = EXCLUSIVE")
            if self._path is not None and not os.path.getsize(self._path):
                # Six waits for the disk, as long as a hundred small files: until the first checkpoint, which waits,
                # a power failure leaves an empty list at worst.
                self._do("PRAGMA synchronous = OFF")
            self._do("PRAGMA journal_mode = WAL")
            self._base.executescript(_TABLES)
            self._do("BEGIN IMMEDIATE")
            known = [row[0] for row in self._do("SELECT root FROM mirror")]
            self._root = _stored(root)
            if not known:
                self._do("INSERT INTO mirror VALUES (?)", self._root)
            self._do("INSERT OR IGNORE INTO archive VALUES (?)", octets_of(archive or ""))
            archives = [row[0] for row in self._do("SELECT path FROM archive")]
            self._do("COMMIT")
            self._do("PRAGMA synchronous = NORMAL")
            if is_there:
                self._read_own(earlier)
        except sqlite3.OperationalError as error:
            self._base.close()
            raise LocalFileError(f"{shown} can't be used: {reason_of(error)}.") from error
        except sqlite3.Error as error:
            self._base.close()
            raise LocalFileError(f"{shown} is not the work list of a mirror; remove it to start again.") from error
        if known and known[0] != self._root:
            self._base.close()
            raise LocalFileError(
                f"{shown} belongs to an unfinished mirror of {escape(str(known[0]))}: finish that, or remove the file."
            )
        # Killed before its root was in it, a list would be one with nothing left to do.
        self.is_new: bool = not self._do("SELECT 1 FROM work LIMIT 1")
        self.is_recorded: bool = archive is not None and archives == [octets_of(archive)]

    def _read_own(self, path: str) -> None:
        """Copy the record of the saved files from another list, without a trace on the disk: no lock, and no journal
        of an unfinished run, which records its files when it ends.
        """
        self._do("ATTACH ? AS earlier", f"{Path(path).absolute().as_uri()}?immutable=1")
        if self._do("SELECT 1 FROM earlier.sqlite_master WHERE name = 'own'"):  # else its first run was killed at once
            self._do("INSERT INTO own SELECT * FROM earlier.own WHERE root = ?", self._root)
        self._do("DETACH earlier")

    def _do(self, statement: str, *values: object) -> list[Any]:
        # Fetch all rows: without reference counting (PyPy), an unfinished cursor keeps its transaction open.
        return self._base.execute(statement, values).fetchall()

    def add(
        self,
        url: URL,
        origin: Provenance,
        local: str,
        kind: Kind | None,
        size: int | None,
        modified: float | None,
        depth: int,
    ) -> str | None:
        """Add an item; returns its path, or None if the URL is already in the list.

        A path that is taken, or differs from one only in ways that some file systems ignore (case, composition), is
        made unique.
        """
        text = _stored(url)
        for path in self._candidates(local, text, kind):
            try:
                self._do(f"INSERT {_ADD}", *self._row(text, origin, path, kind, size, modified, depth))
            except sqlite3.IntegrityError:
                if self._do("SELECT 1 FROM work WHERE url = ?", text):
                    return None
            else:
                return path
        return None

    def add_all(self, found: Sequence[Listed]) -> Sequence[str | None]:
        """Add the entries of one piece of a listing in one write; returns the result of `add` for each."""
        self.together()
        try:
            if self._by_url:  # then two of them may be a document and its folder
                return [self.add(*each) for each in found]
            rows = [self._row(_stored(each[0]), *each[1:]) for each in found]
            self._do("SAVEPOINT piece")
            if self._base.executemany(f"INSERT OR IGNORE {_ADD}", rows).rowcount == len(rows):
                return [each[2] for each in found]
            self._do("ROLLBACK TO piece")  # some are already there: add them one by one to find out which
            return [self.add(*each) for each in found]
        finally:
            self.written()

    def _row(
        self,
        text: str,
        origin: Provenance,
        path: str,
        kind: Kind | None,
        size: int | None,
        modified: float | None,
        depth: int,
    ) -> tuple[object, ...]:
        if self._written[0] is not origin:  # all entries of a piece have the same
            self._written = origin, json.dumps(origin.as_dict())
        return text, self._written[1], path, fold(path) if path else None, kind, size, modified, depth

    def next(self, signature: Signature | None = None) -> WorkItem | None:
        """The next item to download, which is marked as started.

        Args:
            signature: Computes the signature of the file at its path.
        """
        if not self._taken:
            self._take(signature)
        return self._taken.popleft() if self._taken else None

    def _take(self, signature: Signature | None) -> None:
        rows = self._do(f"SELECT {_FIELDS} FROM work WHERE state = 0 ORDER BY number LIMIT {AT_ONCE}")
        if not rows:
            return
        items = [WorkItem(row, self._password, signature(row[3]) if signature and row[3] else None) for row in rows]
        self.together()
        self._base.executemany(
            f"UPDATE work SET state = {BEGUN}, before = ? WHERE number = ?",
            [(item.before, item.number) for item in items],
        )
        self.written()
        self._taken.extend(items)

    def name(self, item: WorkItem, local: str, signature: Signature) -> None:
        """Set the path of an item that was known only from the response, and record what else that told.

        The path is the one of an earlier run of this mirror (`keep_place`), whatever comes first in this run. All of it
        is written before the file: what is there later and was not before is the mirror's.
        """
        source = _stored(item.url)
        kept = self._do("SELECT local FROM place WHERE root = ? AND url = ?", self._root, source)
        for path in chain((row[0] for row in kept), self._candidates(local, source, item.kind)):
            try:
                before = signature(path)
                self._do(_NAMED, path, fold(path), item.kind, item.size, before, item.number)
            except sqlite3.IntegrityError:
                continue
            item.local, item.before = path, before
            break

    def describe(self, item: WorkItem) -> None:
        """Record the kind and the size of an item that has a path: another response may tell others."""
        self._do("UPDATE work SET kind = ?, size = ? WHERE number = ?", item.kind, item.size, item.number)

    def keep_place(self, item: WorkItem) -> None:
        """Let the item have its path in later runs too, since another one has the path that it would have had."""
        source = _stored(item.url)
        self._do("INSERT OR REPLACE INTO place VALUES (?, ?, ?)", self._root, source, item.local)

    def _candidates(self, local: str, source: str, kind: Kind | None) -> Iterator[str]:
        """Paths for an item: none of their folders is a document, and a document's is not that of a folder."""
        if kind == "listing":
            yield from candidates(self._folder(local), source)
            return
        folder, slash, name = local.rpartition("/")
        for path in candidates(f"{self._folder(folder)}/{name}" if slash else local, source):
            if not path or not self._is_folder(path):
                yield path

    def _folder(self, folder: str) -> str:
        """The path of a folder: with another name, always the same one, if a document has its own."""
        found = self._folders.get(folder)
        if found is None:
            parent, slash, name = folder.rpartition("/")
            path = f"{self._folder(parent)}/{name}" if slash else folder
            found = next((each for each in candidates(path, f"{folder}/") if not self._is_document(each)), path)
            if len(self._folders) >= FOLDERS_KNOWN:
                self._folders.clear()
            self._folders[folder] = found
        return found

    def _is_document(self, path: str) -> bool:
        if not path:
            return False
        statement = "SELECT 1 FROM work WHERE folded = ? AND kind IS NOT 'listing'"
        return bool(self._do(statement, fold(path))) or self._there(path) == "file"

    def _is_folder(self, path: str) -> bool:
        below = fold(path)
        statement = "SELECT 1 FROM work WHERE folded > ? AND folded < ? LIMIT 1"
        return bool(self._do(statement, f"{below}/", f"{below}0")) or self._there(path) == "folder"

    def place_of(self, url: URL) -> str | None:
        """The path of a URL; None if it is not in the list."""
        found = self._do("SELECT local FROM work WHERE url = ?", _stored(url))
        return None if not found else str(found[0][0])

    def done(
        self,
        item: WorkItem,
        saved: Mark | None = None,
        original: float | None = None,
        *,
        told_by_file: bool = False,
        failed: bool = False,
    ) -> None:
        """Mark an item as done.

        Args:
            saved: The mark of its file, which is from now on one of the mirror; None if none was written.
            original: The time of the document that was saved; None if it is not known.
            told_by_file: The changed signature of its file shows the same, so this need not be written immediately.
            failed: It is tried again if the mirror is interrupted: the run that ends it tells all failures.
        """
        if saved is not None and original is not None:
            saved = f"{saved} {int(original)}"
        self._done.append((FAILED if failed else DONE, saved, item.number))
        if not (told_by_file and item.before is not None) or len(self._done) >= AT_ONCE:
            self.together()
            self.written()

    def saved(self) -> Iterator[tuple[WorkItem, Mark]]:
        """The saved items, each with the expected mark of its file."""
        last = 0
        statement = (
            f"SELECT {_FIELDS}, saved FROM work WHERE saved IS NOT NULL AND number > ? ORDER BY number LIMIT 1000"
        )
        while rows := self._do(statement, last):
            for row in rows:
                yield WorkItem(row, self._password), _read(row[9])[0]
            last = rows[-1][0]

    def count_saved(self) -> int:
        """The number of saved items."""
        return int(self._do("SELECT count(*) FROM work WHERE saved IS NOT NULL")[0][0])

    def own(self, local: str) -> tuple[Mark | None, int | None]:
        """The mark of the file that an earlier run of this mirror saved under this path, and the time of its original
        in seconds since the epoch: None for what is not known, and for a file that it did not save.
        """
        found = self._do("SELECT mark FROM own WHERE root = ? AND local = ?", self._root, local)
        return (None, None) if not found else _read(found[0][0])

    def make_own(self, local: str, mark: Mark) -> None:
        """Record that the file with this mark is one that the mirror may replace."""
        self._do("INSERT OR REPLACE INTO own VALUES (?, ?, ?)", self._root, local, mark)

    def again(self, item: WorkItem, *, failed: bool = True) -> None:
        """Put an item back to be tried again."""
        self._do("UPDATE work SET state = ?, tries = tries + ? WHERE number = ?", WAITING, failed, item.number)

    def try_failed_again(self) -> None:
        """Put the items back that failed in an earlier process."""
        self._do(f"UPDATE work SET state = {WAITING}, tries = 0 WHERE state = {FAILED}")

    def begun(self) -> list[WorkItem]:
        """The items that were started but not finished by an earlier process."""
        rows = self._do(f"SELECT {_FIELDS}, before FROM work WHERE state = {BEGUN}")
        return [WorkItem(row, self._password, row[9]) for row in rows]

    def repeats(self, local: str, listed: str) -> int:
        """Record the listing of a folder; returns how many folders above it have the same listing.

        Args:
            listed: The fingerprint of its listing.
        """
        self._do("INSERT OR REPLACE INTO folder VALUES (?, ?)", local, listed)
        paths = above(local)
        marks = ", ".join("?" * len(paths))
        found = self._do(f"SELECT count(*) FROM folder WHERE listed = ? AND local IN ({marks})", listed, *paths)
        return int(found[0][0])

    def has_waiting(self) -> bool:
        """Whether there are items that were not started."""
        return bool(self._taken or self._do("SELECT 1 FROM work WHERE state = 0 LIMIT 1"))

    def count_waiting(self) -> int:
        """The number of items that were not started; 0 when it is closed."""
        try:
            return int(self._do("SELECT count(*) FROM work WHERE state = 0")[0][0]) + len(self._taken)
        except sqlite3.ProgrammingError:
            return 0

    def together(self) -> None:
        """Begin a transaction, which `written` ends."""
        self._do("BEGIN")
        if self._done:
            self._base.executemany("UPDATE work SET state = ?, saved = ? WHERE number = ?", self._done)
            self._done.clear()

    def written(self) -> None:
        """End the transaction that `together` began."""
        self._do("COMMIT")

    def finish(self) -> None:
        """The mirror is complete: only the record of the saved files is kept, or nothing if there are none."""
        try:
            self.together()
            self._do("INSERT OR REPLACE INTO own SELECT ?, local, saved FROM work WHERE saved IS NOT NULL", self._root)
            for table in ("work", "folder", "mirror", "archive"):
                self._do(f"DELETE FROM {table}")
            self.written()
            is_empty = not self._do("SELECT 1 FROM own LIMIT 1")
            # Closing would wait for the disk, for a file that is removed next.
            self._do("PRAGMA synchronous = OFF" if is_empty else "VACUUM")
        except sqlite3.Error as error:
            shown = escape(self._path or NAME)
            raise LocalFileError(f"{shown} can't be written: {reason_of(error)}.") from error
        finally:
            self.close()
        if is_empty and self._path is not None:
            remove(self._path, escape(self._path))

    def close(self) -> None:
        """Close it; a later mirror can resume it."""
        if self._done:
            try:
                self.together()
                self.written()
            except sqlite3.Error:  # already closed, or the disk is full: the files' signatures show the same
                pass
        self._base.close()


def _read(saved: str) -> tuple[Mark, int | None]:
    """The mark of a file, and the time of its original, as `Worklist.done` writes them."""
    size, time, *original = saved.split()
    return f"{size} {time}", int(original[0]) if original else None


def _stored(url: URL) -> str:
    """The URL as it is written down: without a password."""
    return to_stored(url if url.raw_password is None else url.replace(password=None))
