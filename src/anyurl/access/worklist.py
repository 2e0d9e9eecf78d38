"""Worklist: what a mirror still has to get, on the disk beside it, so that it may be killed at any moment.

Rule: each URL and each name of a file stands in it once. It is trusted only if nobody else can have written it, and
what it says is judged again; it goes when the mirror is finished.
"""

from __future__ import annotations

import json
import os
import sqlite3
import unicodedata
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from anyurl.access.circles import above
from anyurl.dialogue import Kind
from anyurl.errors import LocalFileError, escape
from anyurl.net.files.rooted import make_own, remove
from anyurl.reasons import reason_of
from anyurl.url import URL
from anyurl.url.stored import from_stored, to_stored
from anyurl.values import Provenance

NAME = ".anyurl-mirror"
"""The file, in the folder of the mirror; no name of a server's becomes one with a dot in front."""

WAITING, BEGUN, DONE = range(3)

AT_ONCE = 100
"""Things that are noted with one write: each write costs as much as a small file does."""

Signature = Callable[[str], str]
"""What tells the file of a path from the one that replaces it; empty for none."""

Listed: TypeAlias = "tuple[URL, Provenance, str, Kind | None, int | None, float | None, int]"
"""What `Worklist.add` takes."""

_ADD = "INTO work (url, origin, local, folded, kind, size, modified, depth, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)"

_FIELDS = "number, url, origin, local, kind, size, modified, depth, tries"

_TABLES = """
CREATE TABLE IF NOT EXISTS mirror (root TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS work (
    number INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, origin TEXT NOT NULL, local TEXT NOT NULL,
    folded TEXT UNIQUE, kind TEXT, size INTEGER, modified REAL, depth INTEGER NOT NULL, state INTEGER NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0, before TEXT, saved INTEGER
);
CREATE INDEX IF NOT EXISTS waiting ON work (number) WHERE state = 0;
CREATE TABLE IF NOT EXISTS folder (local TEXT PRIMARY KEY, listed TEXT NOT NULL);
"""


class WorkItem:
    """One thing to get.

    Attributes:
        number: In the order of finding.
        url: Where it is.
        origin: Who named the URL.
        local: Its path below the folder, components joined with ``/``; empty for the folder, and where it is not known.
        kind: What it is said to be, or None.
        size: Octets, as the listing says, or None.
        modified: Seconds since the epoch, as the listing says, or None.
        depth: Steps from the root.
        tries: How often it failed.
        before: The signature of what had its path when it was begun; None where it had no path, or that is not known.
        part: Whether an earlier attempt left a part of it; None where nobody has looked.
    """

    __slots__ = ("number", "url", "origin", "local", "kind", "size", "modified", "depth", "tries", "before", "part")

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


@lru_cache(64)  # all that one listing names has the same
def _origin(text: str) -> Provenance:
    return Provenance.from_dict(json.loads(text))


class Worklist:
    """The list of one mirror.

    Args:
        folder: Of the mirror; None for a list that nothing is left of (a dry run).
        root: The URL that is mirrored.

    Attributes:
        is_new: It is not that of a mirror that broke off.

    Raises:
        LocalFileError: It can't be written, is somebody else's or of another mirror, or another process works on it.
    """

    def __init__(self, folder: str | None, root: URL) -> None:
        self._path = None if folder is None else os.path.join(folder, NAME)
        self._password = root.password  # it is never written down
        self._taken: deque[WorkItem] = deque()
        self._done: list[tuple[int, int | None, int]] = []
        self._written: tuple[Provenance | None, str] = None, ""
        shown = escape(self._path or "the worklist")
        try:
            if self._path is not None:
                make_own(self._path, shown)
            self._base = sqlite3.connect(self._path or "", timeout=0, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            if isinstance(error, LocalFileError):
                raise
            raise LocalFileError(f"{shown} can't be written: {reason_of(error)}.") from error
        try:
            self._do("PRAGMA locking_mode = EXCLUSIVE")
            self._do("PRAGMA journal_mode = WAL")
            self._do("PRAGMA synchronous = NORMAL")
            self._base.executescript(_TABLES)
            self._do("BEGIN IMMEDIATE")
            known = [row[0] for row in self._do("SELECT root FROM mirror")]
            whole = to_stored(_without_password(root)[0])
            if not known:
                self._do("INSERT INTO mirror VALUES (?)", whole)
            self._do("COMMIT")
        except sqlite3.OperationalError as error:
            self._base.close()
            raise LocalFileError(f"{shown} can't be used: {reason_of(error)}.") from error
        except sqlite3.Error as error:
            self._base.close()
            raise LocalFileError(f"{shown} is not the work list of a mirror; remove it to start again.") from error
        if known and known[0] != whole:
            self._base.close()
            raise LocalFileError(
                f"{shown} belongs to an unfinished mirror of {escape(str(known[0]))}: finish that, or remove the file."
            )
        self.is_new: bool = not known

    def _do(self, statement: str, *values: object) -> list[Any]:
        # Read to its end: a cursor that is not keeps a transaction open where nothing counts references (PyPy).
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
        """Note what is to be got; the path that it will have, or None where it is noted already.

        A path that is taken, or differs from one only as some file systems don't tell (case, composition), gets a mark.
        """
        url, text = _without_password(url)
        for path in _candidates(local, url):
            try:
                self._do(f"INSERT {_ADD}", *self._row(text, origin, path, kind, size, modified, depth))
            except sqlite3.IntegrityError:
                if self._do("SELECT 1 FROM work WHERE url = ?", text):
                    return None
            else:
                return path
        return None

    def add_all(self, found: Sequence[Listed]) -> Sequence[str | None]:
        """Note what one piece of a listing names, at once; for each what `add` says of it."""
        rows = [self._row(_without_password(each[0])[1], *each[1:]) for each in found]
        self.together()
        try:
            self._do("SAVEPOINT piece")
            if self._base.executemany(f"INSERT OR IGNORE {_ADD}", rows).rowcount == len(rows):
                return [each[2] for each in found]
            self._do("ROLLBACK TO piece")  # something is there already: of each it has to be known
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
        if self._written[0] is not origin:  # all that one batch of a listing names has the same
            self._written = origin, json.dumps(origin.as_dict())
        return text, self._written[1], path, fold(path) if path else None, kind, size, modified, depth

    def next(self, signature: Signature | None = None) -> WorkItem | None:
        """The next that is to be got; from now on it is begun.

        Args:
            signature: Of what has its path until then.
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

    def name(self, item: WorkItem, local: str) -> str:
        """Give an item its path, where only the answer told it; the path that it has then."""
        for path in _candidates(local, item.url):
            try:
                self._do("UPDATE work SET local = ?, folded = ? WHERE number = ?", path, fold(path), item.number)
            except sqlite3.IntegrityError:
                continue
            item.local = path
            break
        return item.local

    def began(self, item: WorkItem, before: str) -> None:
        """Its octets come now; `before` is what has its path until they are whole (`signature`)."""
        item.before = before
        self._do("UPDATE work SET before = ? WHERE number = ?", before, item.number)

    def done(self, item: WorkItem, saved: int | None = None, *, told_by_file: bool = False) -> None:
        """It is over and done with; `saved` octets were written.

        Args:
            told_by_file: That the file of its path is another one than before says as much: this need not be written at
                once.
        """
        self._done.append((DONE, saved, item.number))
        if not (told_by_file and item.before is not None) or len(self._done) >= AT_ONCE:
            self.together()
            self.written()

    def saved(self) -> Iterator[tuple[WorkItem, int]]:
        """What was saved, and how long each file has to be."""
        last = 0
        statement = (
            f"SELECT {_FIELDS}, saved FROM work WHERE saved IS NOT NULL AND number > ? ORDER BY number LIMIT 1000"
        )
        while rows := self._do(statement, last):
            for row in rows:
                yield WorkItem(row, self._password), row[9]
            last = rows[-1][0]

    def again(self, item: WorkItem, *, failed: bool = True) -> None:
        """It shall be tried once more."""
        self._do("UPDATE work SET state = ?, tries = tries + ? WHERE number = ?", WAITING, failed, item.number)

    def begun(self) -> list[WorkItem]:
        """What was begun by a process that did not finish it."""
        rows = self._do(f"SELECT {_FIELDS}, before FROM work WHERE state = {BEGUN}")
        return [WorkItem(row, self._password, row[9]) for row in rows]

    def repeats(self, local: str, listed: str) -> int:
        """How many of the folders above one list the same; what it lists itself is noted.

        Args:
            listed: The fingerprint of that.
        """
        self._do("INSERT OR REPLACE INTO folder VALUES (?, ?)", local, listed)
        paths = above(local)
        marks = ", ".join("?" * len(paths))
        found = self._do(f"SELECT count(*) FROM folder WHERE listed = ? AND local IN ({marks})", listed, *paths)
        return int(found[0][0])

    def has_waiting(self) -> bool:
        """Whether anything is left that was not begun."""
        return bool(self._do("SELECT 1 FROM work WHERE state = 0 LIMIT 1"))

    def together(self) -> None:
        """What follows is written at once (`written`)."""
        self._do("BEGIN")
        if self._done:
            self._base.executemany("UPDATE work SET state = ?, saved = ? WHERE number = ?", self._done)
            self._done.clear()

    def written(self) -> None:
        """End what `together` began."""
        self._do("COMMIT")

    def finish(self) -> None:
        """All is done: the list is removed."""
        self._done.clear()
        self.close()
        if self._path is not None:
            remove(self._path, escape(self._path))

    def close(self) -> None:
        """Leave it as it is, to go on later."""
        if self._done:
            try:
                self.together()
                self.written()
            except sqlite3.Error:  # it was closed before, or the disk is full: the files say as much
                pass
        self._base.close()


def _without_password(url: URL) -> tuple[URL, str]:
    bare = url if url.raw_password is None else url.replace(password=None)
    return bare, to_stored(bare)


def fold(path: str) -> str:
    """Two paths that some file system takes for one have the same: case and composition don't count."""
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _candidates(local: str, url: URL) -> Iterator[str]:
    yield local
    if not local:
        return
    folder, slash, name = local.rpartition("/")
    stem, dot, suffix = name.rpartition(".")
    import hashlib  # OpenSSL comes with it

    digest = hashlib.sha256(to_stored(url).encode()).hexdigest()
    marked = f"{stem}-{digest[:8]}{dot}{suffix}" if stem and len(suffix) < 12 else f"{name}-{digest[:8]}"
    yield folder + slash + marked[-200:]
    yield folder + slash + digest
