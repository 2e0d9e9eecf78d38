"""State: the work list of a check and what became of each URL, in one SQLite file.

Rule: URLs stand in it once, results by the number of their URL; both are written in batches. What is recorded is not
asked again: killed at any moment, the same check repeats what was under way and at most one batch. It is trusted only
if nobody else can have written it, and is never written over. After a loss of power the last batches may be missing
(``synchronous=NORMAL``); what is there is whole.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from anyurl.batch.check.links import Link, from_text, to_text
from anyurl.batch.check.outcome import OUTCOMES, Finding
from anyurl.errors import LocalFileError, escape
from anyurl.net.files.rooted import make_own
from anyurl.reasons import reason_of
from anyurl.url import URL
from anyurl.values import USER, Provenance, Value

VERSION = 1
"""Of the tables."""

BATCH = 256
"""Results that are written at once: 64 to 1,000 cost the same, and more would be asked again after a kill."""

PAGE = 1000
"""URLs that are read at once from the list of what is to be asked."""

_TABLES = """
CREATE TABLE about (version INTEGER NOT NULL, work TEXT NOT NULL, run INTEGER NOT NULL, begun REAL NOT NULL,
    is_read INTEGER NOT NULL, is_over INTEGER NOT NULL);
CREATE TABLE origins (id INTEGER PRIMARY KEY, origin TEXT NOT NULL UNIQUE);
CREATE TABLE urls (id INTEGER PRIMARY KEY, url TEXT NOT NULL, origin INTEGER NOT NULL, depth INTEGER NOT NULL,
    way INTEGER NOT NULL, run INTEGER NOT NULL, UNIQUE (url, origin));
CREATE TABLE files (id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE);
CREATE TABLE places (url INTEGER NOT NULL, file INTEGER NOT NULL, line INTEGER NOT NULL, "column" INTEGER NOT NULL,
    fragment TEXT, UNIQUE (url, file, line, "column"));
CREATE TABLE results (id INTEGER PRIMARY KEY, outcome INTEGER NOT NULL, at INTEGER NOT NULL, run INTEGER NOT NULL,
    way INTEGER NOT NULL, status INTEGER, error TEXT, message TEXT, target TEXT, permanent INTEGER);
CREATE TABLE missing (url INTEGER NOT NULL, fragment TEXT NOT NULL, UNIQUE (url, fragment));
CREATE TABLE hosts (name TEXT PRIMARY KEY, urls INTEGER NOT NULL) WITHOUT ROWID;
"""

_IS_VALID = "(results.run = urls.run OR (results.outcome < 2 AND results.at >= ?))"
"""A result of this check, or a good one (0 and 1: ok, redirected) that is not too old."""

_WAITING = f"""
SELECT urls.id, url, depth, origins.id, origins.origin FROM urls JOIN origins ON origins.id = urls.origin
LEFT JOIN results ON results.id = urls.id
WHERE urls.id > ? AND urls.run = ? AND urls.way BETWEEN ? AND ?
AND (results.id IS NULL OR results.way < urls.way OR NOT {_IS_VALID})
ORDER BY urls.id LIMIT ?
"""

_OWN = 1
"""The number of the caller as an origin."""

STAT, OPEN, READ = range(3)
"""Ways to ask for a URL: for its attributes; for its first octets; for its content, which is looked through."""


class Mention(Value):
    """The place of a URL in a source.

    Attributes:
        file: The name of the file, or the URL of the page; empty for the command line.
        line: From 1; 0 where there is none.
        column: From 1; 0 where there is none.
        fragment: What stands behind its ``#`` there, or None.
    """

    file: str
    line: int = 0
    column: int = 0
    fragment: str | None = None


class CheckItem:
    """One URL that is to be asked for; a client takes it as it is.

    Attributes:
        number: Of the URL in the state.
        link: The URL; a malformed link is never asked for.
        origin: Who named it.
        depth: Steps from what was given.
    """

    __slots__ = ("number", "link", "origin", "depth", "begun")

    def __init__(self, number: int, link: Link, origin: Provenance, depth: int) -> None:
        self.number: int = number
        self.link: Link = link
        self.origin: Provenance = origin
        self.depth: int = depth
        self.begun: float = 0.0

    @property
    def url(self) -> URL:
        """The URL of what is asked for."""
        assert isinstance(self.link, URL)
        return self.link


class CheckState:
    """The state of one check.

    Args:
        path: The file; None for one that nothing is left of.
        work: What is checked and how, as a text: a state of another work list is refused.
        resume: Go on with a check that broke off.
        now: Seconds since the epoch.
        max_age: Seconds that a good result of an earlier check stays good.

    Attributes:
        is_read: The sources were read to their end; it is a check that goes on.
        goes_on: It resumes a check that broke off.

    Raises:
        LocalFileError: It is somebody else's, of another version or work list, broken, in use, or unfinished.
    """

    def __init__(self, path: str | None, work: str, *, resume: bool, now: float, max_age: float = 0.0) -> None:
        self._shown = escape(path or "the state")
        self._origins: dict[Provenance, int] = {}
        self._files: dict[str, int] = {}
        self._known: dict[int, Provenance] = {}
        self._has_own = False
        self._secret: dict[int, URL] = {}  # passwords are never written down
        try:
            if path is not None:
                make_own(path, self._shown)
            is_new = path is None or os.path.getsize(path) == 0
            self._base = sqlite3.connect(path or "", timeout=0, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            if isinstance(error, LocalFileError):
                raise
            raise LocalFileError(f"{self._shown} can't be written: {reason_of(error)}.") from error
        try:
            self._open(is_new, work, resume, now)
        except BaseException:
            self._base.close()
            raise
        self._good_since = self.begun - max_age if max_age else float("inf")
        self._do("BEGIN")
        self.is_read: bool = bool(self._one("SELECT is_read FROM about"))

    def _open(self, is_new: bool, work: str, resume: bool, now: float) -> None:
        # Read to its end: a cursor that is not keeps a transaction open where nothing counts references (PyPy).
        def run(statement: str, values: tuple[object, ...] = ()) -> list[Any]:
            return self._base.execute(statement, values).fetchall()

        try:
            run("PRAGMA locking_mode = EXCLUSIVE")
            if not is_new:  # another program's file is left as it is
                run("SELECT version, work, is_over FROM about")
            run("PRAGMA journal_mode = WAL")
            run("PRAGMA synchronous = NORMAL")
            run("BEGIN IMMEDIATE")
            if is_new:
                for statement in _TABLES.split(";\n"):
                    run(statement)
                run("INSERT INTO about VALUES (?, ?, 0, ?, 0, 1)", (VERSION, work, now))
                run("INSERT INTO origins VALUES (?, ?)", (_OWN, _written(USER)))
            ((version, known, is_over),) = run("SELECT version, work, is_over FROM about")
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise LocalFileError(f"Another process is working on {self._shown}.") from error
            raise self._broken() from error
        except (sqlite3.Error, TypeError, ValueError) as error:
            raise self._broken() from error
        if version != VERSION:
            raise LocalFileError(f"{self._shown} was written by another version of anyurl; use another file.")
        if known != work:
            raise LocalFileError(f"{self._shown} belongs to another check; use another file for this one.")
        if not resume and not is_over:
            raise LocalFileError(f"{self._shown} belongs to an interrupted check: --resume continues it.")
        try:
            if is_over:
                run("UPDATE about SET run = run + 1, begun = ?, is_read = 0, is_over = 0", (now,))
                for table in ("places", "missing", "hosts", "files"):
                    run(f"DELETE FROM {table}")
            run("COMMIT")
            about: tuple[int, float] = run("SELECT run, begun FROM about")[0]
        except sqlite3.Error as error:
            raise self._broken() from error
        self.goes_on: bool = not is_new and not is_over
        self._run: int = about[0]
        self.begun: float = about[1]

    def _broken(self) -> LocalFileError:
        return LocalFileError(f"{self._shown} is not the state of a check, or is damaged; use another file.")

    def _do(self, statement: str, *values: object) -> list[Any]:
        """All rows; raises LocalFileError: the disk is full, or the file damaged."""
        try:
            return self._base.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise self._unwritten(error) from error

    def _do_all(self, statement: str, rows: Iterable[tuple[object, ...]]) -> None:
        try:
            self._base.executemany(statement, rows)
        except sqlite3.Error as error:
            raise self._unwritten(error) from error

    def _unwritten(self, error: sqlite3.Error) -> LocalFileError:
        return LocalFileError(f"{self._shown} can't be read or written: {reason_of(error)}.")

    def _one(self, statement: str, *values: object) -> Any:
        return self._do(statement, *values)[0][0]

    # --- what is to be asked -----------------------------------------------------------------------------------------

    def add(self, url: Link, origin: Provenance, way: int, depth: int = 0) -> int:
        """Note a URL that is to be asked for; its number. One that is there already keeps its number.

        What the caller named stays the caller's, whoever names it as well.
        """
        text = to_text(url)
        if not origin.own and self._has_own:
            own = self._do(_RAISE, way, text, _OWN, self._run)
            if own:
                return int(own[0][0])
        number: int = self._one(_ADD, text, self._number(origin), depth, way, self._run)
        if origin.own:
            self._has_own = True
            if isinstance(url, URL) and url.password is not None:
                self._secret[number] = url
        return number

    def _number(self, origin: Provenance) -> int:
        number = self._origins.get(origin)
        if number is None:
            text = _written(origin)
            self._do("INSERT OR IGNORE INTO origins (origin) VALUES (?)", text)
            number = self._one("SELECT id FROM origins WHERE origin = ?", text)
            if len(self._origins) >= PAGE:
                self._origins.clear()
            self._origins[origin] = number
        return number

    def is_within(self, host: str, most: int) -> bool:
        """Whether one URL more of this host may be asked for; it is counted."""
        count: int = self._one(
            "INSERT INTO hosts VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET urls = urls + 1 RETURNING urls", host
        )
        return count <= most

    def place(self, number: int, place: Mention) -> None:
        """Note where a URL stands."""
        file = self._files.get(place.file)
        if file is None:
            name = place.file.encode("utf-8", "surrogateescape")  # not every name of a file is a text
            self._do("INSERT OR IGNORE INTO files (name) VALUES (?)", name)
            file = self._one("SELECT id FROM files WHERE name = ?", name)
            if len(self._files) >= PAGE:
                self._files.clear()
            self._files[place.file] = file
        self._do(
            "INSERT OR IGNORE INTO places VALUES (?, ?, ?, ?, ?)",
            number, file, place.line, place.column, place.fragment,
        )  # fmt: skip

    def read_to_end(self) -> None:
        """The sources have been read: a check that goes on need not do so again."""
        self.is_read = True
        self._do("UPDATE about SET is_read = 1")
        self.commit()

    def count(self) -> int:
        """URLs of this check."""
        return int(self._one("SELECT count(*) FROM urls WHERE run = ?", self._run))

    def todo(self, ways: tuple[int, int], after: int) -> list[CheckItem]:
        """The next URLs without a result that are asked for in these ways, in order of their numbers; none at the end.

        Args:
            ways: The first and the last.
            after: The number of the last one that was given.
        """
        rows = self._do(_WAITING, after, self._run, *ways, self._good_since, PAGE)
        return [
            CheckItem(number, self._secret.get(number) or from_text(url), self._origin(origin, text), depth)
            for number, url, depth, origin, text in rows
        ]

    def _origin(self, number: int, text: str) -> Provenance:
        origin = self._known.get(number)
        if origin is None:
            if len(self._known) >= PAGE:
                self._known.clear()
            origin = self._known[number] = Provenance.from_dict(json.loads(text))
        return origin

    def fragments(self, number: int) -> set[str]:
        """Those under which a URL is named."""
        rows = self._do("SELECT DISTINCT fragment FROM places WHERE url = ? AND fragment IS NOT NULL", number)
        return {row[0] for row in rows if row[0]}

    # --- what became of it -------------------------------------------------------------------------------------------

    def record(self, findings: Sequence[tuple[int, int, Finding]], now: float) -> None:
        """Write what became of some URLs, each with its number and the way it was asked for."""
        self._do_all(
            "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (number, OUTCOMES.index(each.outcome), int(now), self._run, way, each.status, each.error,
                 each.message or None, each.target, 1 if each.permanent else None)
                for number, way, each in findings
            ],
        )  # fmt: skip
        self.commit()

    def miss(self, number: int, fragments: Iterable[str]) -> None:
        """Note the fragments that a page does not have."""
        self._do_all("INSERT OR IGNORE INTO missing VALUES (?, ?)", [(number, each) for each in fragments])

    def commit(self) -> None:
        """Bring what was noted to the file."""
        self._do("COMMIT")
        self._do("BEGIN")

    def results(self, outcomes: Iterable[str] = OUTCOMES) -> Iterator[tuple[int, Link, Finding]]:
        """The number, the URL and what became of it, for each URL of this check that has a result."""
        wanted = ",".join(str(OUTCOMES.index(each)) for each in OUTCOMES if each in set(outcomes))
        statement = (
            "SELECT urls.id, url, outcome, status, error, message, target, permanent FROM urls JOIN results USING (id)"
            f" WHERE urls.id > ? AND urls.run = ? AND outcome IN ({wanted}) AND {_IS_VALID} ORDER BY urls.id LIMIT ?"
        )
        after = 0
        while rows := self._do(statement, after, self._run, self._good_since, PAGE):
            for number, url, outcome, status, error, message, target, permanent in rows:
                finding = Finding(OUTCOMES[outcome], status, error, message or "", target, bool(permanent))
                yield number, from_text(url), finding
            after = rows[-1][0]

    def counts(self) -> dict[str, int]:
        """How many URLs of this check have which outcome."""
        rows = self._do(
            f"SELECT outcome, count(*) FROM urls JOIN results USING (id) WHERE urls.run = ? AND {_IS_VALID}"
            " GROUP BY outcome", self._run, self._good_since,
        )  # fmt: skip
        found = dict(rows)
        return {name: found.get(number, 0) for number, name in enumerate(OUTCOMES)}

    def places(self, number: int, most: int = PAGE) -> list[Mention]:
        """Where a URL stands, in the order of reading."""
        rows = self._do(
            'SELECT name, line, "column", fragment FROM places JOIN files ON files.id = file WHERE url = ?'
            " ORDER BY places.rowid LIMIT ?", number, most,
        )  # fmt: skip
        return [Mention(name.decode("utf-8", "surrogateescape"), *rest) for name, *rest in rows]

    def missing(self, number: int) -> set[str]:
        """The fragments that its page does not have."""
        return {row[0] for row in self._do("SELECT fragment FROM missing WHERE url = ?", number)}

    def count_lacking(self) -> int:
        """How many fragments are not there."""
        return int(self._one("SELECT count(*) FROM missing"))

    def lacking(self) -> Iterator[tuple[int, Link]]:
        """The URLs whose pages lack a fragment."""
        after = 0
        statement = (
            "SELECT DISTINCT id, urls.url FROM missing JOIN urls ON id = missing.url WHERE id > ? ORDER BY id LIMIT ?"
        )
        while rows := self._do(statement, after, PAGE):
            for number, url in rows:
                yield number, from_text(url)
            after = rows[-1][0]

    def finish(self) -> None:
        """All is done: the next check begins anew."""
        self._do("UPDATE about SET is_over = 1")
        self.commit()

    def close(self) -> None:
        """Let go of the file; what was not brought to it is lost."""
        self._base.close()


_ADD = """
INSERT INTO urls (url, origin, depth, way, run) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (url, origin) DO UPDATE SET run = excluded.run,
way = CASE WHEN run = excluded.run THEN max(way, excluded.way) ELSE excluded.way END,
depth = CASE WHEN run = excluded.run THEN min(depth, excluded.depth) ELSE excluded.depth END
RETURNING id
"""

_RAISE = "UPDATE urls SET way = max(way, ?) WHERE url = ? AND origin = ? AND run = ? RETURNING id"


def _written(origin: Provenance) -> str:
    return json.dumps(origin.as_dict(), sort_keys=True)
