"""State: the work list of a check and its results, in one SQLite file.

Rule: each URL is in it once, whatever its notation, and the hosts take turns; results are kept by the number of their
URL; both are written in batches. Recorded URLs are not requested again: a check that is killed at any moment repeats at
most one batch and the transfers in progress. The file is trusted only if no other user can have written it, and is
never overwritten. After a power failure the last batches may be missing (``synchronous=NORMAL``), but the file is
consistent.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from anyurl.batch.check.links import Link, from_text, to_key, to_text
from anyurl.batch.check.outcome import OUTCOMES, Finding
from anyurl.errors import LocalFileError, escape
from anyurl.errors.reasons import reason_of
from anyurl.files.rooted import make_own
from anyurl.guard.verdict import Reader, aside
from anyurl.net.loop.task import RequestBudget
from anyurl.url import URL
from anyurl.values import USER, Provenance, Struct, Value, shown

VERSION = 4
"""The version of the tables."""

BATCH = 256
"""Results per write: 64 to 1,000 cost the same, and with more, more would be repeated after a kill."""

MAX_REQUESTS = 3
"""Requests to one URL, whatever it is requested for, unless the caller wants retries: lychee has four."""

PAGE = 1000
"""Pending URLs that are read from the list at once, and places that are written at once."""

MAX_ADDED = 16_384
"""Added URLs whose numbers are remembered: the pages of a site name the same few again and again."""

_TABLES = """
CREATE TABLE about (version INTEGER NOT NULL, work TEXT NOT NULL, run INTEGER NOT NULL, begun REAL NOT NULL,
    is_read INTEGER NOT NULL, is_over INTEGER NOT NULL);
CREATE TABLE origins (id INTEGER PRIMARY KEY, origin TEXT NOT NULL UNIQUE);
CREATE TABLE urls (id INTEGER PRIMARY KEY, url TEXT NOT NULL, written TEXT, origin INTEGER NOT NULL,
    depth INTEGER NOT NULL, way INTEGER NOT NULL, run INTEGER NOT NULL, turn INTEGER NOT NULL, UNIQUE (url, origin));
CREATE INDEX turns ON urls (turn);
CREATE TABLE files (id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE);
CREATE TABLE places (url INTEGER NOT NULL, file INTEGER NOT NULL, line INTEGER NOT NULL, "column" INTEGER NOT NULL,
    fragment TEXT, text TEXT, UNIQUE (url, file, line, "column"));
CREATE TABLE results (id INTEGER PRIMARY KEY, outcome INTEGER NOT NULL, at INTEGER NOT NULL, run INTEGER NOT NULL,
    way INTEGER NOT NULL, status INTEGER, error TEXT, message TEXT, target TEXT, permanent INTEGER);
CREATE TABLE missing (url INTEGER NOT NULL, fragment TEXT NOT NULL, UNIQUE (url, fragment));
CREATE TABLE hosts (name TEXT PRIMARY KEY, urls INTEGER NOT NULL, turn INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE rests (host TEXT NOT NULL, port INTEGER NOT NULL, until REAL NOT NULL, asked REAL NOT NULL,
    refusal TEXT NOT NULL, PRIMARY KEY (host, port)) WITHOUT ROWID;
"""

_IS_VALID = "(results.run = urls.run OR (results.outcome < 2 AND results.at >= ?))"
"""A result of this check, or a recent good one (0 and 1: ok, redirected)."""

_WAITING = f"""
SELECT urls.turn, urls.id, coalesce(written, url), depth, origins.id, origins.origin, results.run = urls.run FROM urls
JOIN origins ON origins.id = urls.origin
LEFT JOIN results ON results.id = urls.id
WHERE (urls.turn, urls.id) > (?, ?) AND urls.run = ? AND urls.way BETWEEN ? AND ?
AND (results.id IS NULL OR (results.way < urls.way AND results.outcome < 2) OR NOT {_IS_VALID})
ORDER BY urls.turn, urls.id LIMIT ?
"""

_OWN = 1
"""The number of the origin that means the caller."""

STAT, OPEN, READ = range(3)
"""Ways to request a URL: its attributes; its first octets; its content, which is searched."""


class Mention(Value):
    """The place of a URL in a source.

    Attributes:
        file: The name of the file, or the URL of the page; empty for the command line.
        line: From 1; 0 if there is none.
        column: From 1; 0 if there is none.
        fragment: Its fragment there, or None.
        text: The URL as it is written there, or None.
    """

    file: str
    line: int = 0
    column: int = 0
    fragment: str | None = None
    text: str | None = None

    @property
    def where(self) -> str:
        """The place as compilers write it, so that editors find it."""
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


class CheckItem(Struct):
    """One URL to be requested; it can be passed to a client directly.

    Attributes:
        number: The number of the URL in the state.
        turn: The turn of its host in which it is requested.
        link: The URL; a malformed link is never requested.
        origin: Who named it.
        depth: Steps from the caller's sources.
        is_known: Whether it was found in this check, and only its content is wanted now.
        begun: When it was begun.
        budget: The requests that may be sent to it, by HEAD and by GET.
    """

    number: int
    turn: int
    link: Link
    origin: Provenance
    depth: int
    is_known: bool = False
    begun: float = 0.0
    budget: RequestBudget | None = None

    @property
    def url(self) -> URL:
        """The URL to request."""
        assert isinstance(self.link, URL)
        return self.link


class CheckState:
    """The state of one check.

    Args:
        path: The file; None for a temporary one.
        work: A text that describes the sources and options: a state with another one is refused.
        resume: Resume an interrupted check.
        now: Seconds since the epoch.
        max_age: Seconds for which a good result of an earlier check is reused.

    Attributes:
        is_read: Whether an interrupted check had already read all sources.
        goes_on: Whether it resumes an interrupted check.

    Raises:
        LocalFileError: It is another user's, of another version or work list, damaged, in use, or unfinished.
    """

    def __repr__(self) -> str:
        return shown(self, "_path")

    def __init__(
        self,
        path: str | None,
        work: str,
        *,
        resume: bool,
        now: float,
        max_age: float = 0.0,
        reader: Reader = "arguments",
    ) -> None:
        self._path = path
        self._shown = escape(path or "the state")
        self._reader: Reader = reader
        self._origins: dict[Provenance, int] = {}
        self._files: dict[str, int] = {}
        self._placed: list[tuple[object, ...]] = []
        self._known: dict[int, Provenance] = {}
        self._added: dict[tuple[object, ...], int] = {}
        self._has_own = False
        self._turn = 1  # that of the last URL that was to be requested
        self._secret: dict[int, URL] = {}  # passwords are never written down
        try:
            if path is not None:
                make_own(path, self._shown)
            is_new = path is None or os.path.getsize(path) == 0
            place = "" if path is None else os.path.abspath(path)  # some builds of SQLite take `file:...` for a URI
            self._base = sqlite3.connect(place, timeout=0, isolation_level=None)
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
        # Fetch all rows: without reference counting (PyPy), an unfinished cursor keeps its transaction open.
        def run(statement: str, values: tuple[object, ...] = ()) -> list[Any]:
            return self._base.execute(statement, values).fetchall()

        try:
            run("PRAGMA locking_mode = EXCLUSIVE")
            if not is_new:  # do not modify another program's file
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
            way = aside("resume", self._reader, then=" continues it")
            raise LocalFileError(f"{self._shown} belongs to an interrupted check{way}.")
        try:
            if is_over:
                run("UPDATE about SET run = run + 1, begun = ?, is_read = 0, is_over = 0", (now,))
                for table in ("places", "missing", "hosts", "files"):
                    run(f"DELETE FROM {table}")
            run("DELETE FROM rests WHERE until <= ?", (now,))
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
        """All rows of a statement. Raises LocalFileError: the disk is full, or the file is damaged."""
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

    # --- pending requests --------------------------------------------------------------------------------------------

    def add(self, url: Link, origin: Provenance, way: int, depth: int = 0) -> int:
        """Add a URL to request; returns its number, which a known URL keeps.

        A URL of the caller's stays the caller's, even if others name it as well.
        """
        text = to_text(url)
        mentioned = (text, origin, way, depth)
        known = self._added.get(mentioned)
        if known is not None:
            return known
        key = to_key(url)
        if origin.own or len(self._added) >= MAX_ADDED:
            self._added.clear()
        if not origin.own and self._has_own:
            own = self._do(_RAISE, way, key, _OWN, self._run)
            if own:
                return int(own[0][0])
        added = self._do(_ADD, key, None if text == key else text, self._number(origin), depth, way, self._run)
        number: int = added[0][0]
        if not added[0][1]:
            self._do("UPDATE urls SET turn = ? WHERE id = ?", self._next_turn(url.host or url.scheme), number)
        if origin.own:
            self._has_own = True
            if isinstance(url, URL) and url.password is not None:
                self._secret[number] = url
        else:
            self._added[mentioned] = number
        return number

    def _next_turn(self, host: str) -> int:
        """The turn of one more URL of this host: never before one that was reached, so that it is still requested."""
        turn: int = self._one(
            "INSERT INTO hosts VALUES (?1, 0, ?2) ON CONFLICT (name) DO UPDATE SET turn = max(turn + 1, ?2)"
            " RETURNING turn", host, self._turn,
        )  # fmt: skip
        return turn

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
        """Count a URL of this host; returns whether it may be requested."""
        count: int = self._one(
            "INSERT INTO hosts VALUES (?, 1, 0) ON CONFLICT (name) DO UPDATE SET urls = urls + 1 RETURNING urls", host
        )
        return count <= most

    def place(self, number: int, place: Mention) -> None:
        """Record a place of a URL."""
        file = self._files.get(place.file)
        if file is None:
            name = place.file.encode("utf-8", "surrogateescape")  # file names may not be UTF-8
            self._do("INSERT OR IGNORE INTO files (name) VALUES (?)", name)
            file = self._one("SELECT id FROM files WHERE name = ?", name)
            if len(self._files) >= PAGE:
                self._files.clear()
            self._files[place.file] = file
        self._placed.append((number, file, place.line, place.column, place.fragment, place.text))
        if len(self._placed) >= PAGE:
            self._write_places()

    def _write_places(self) -> None:
        """Write the places that were recorded; called before any are read."""
        if self._placed:
            self._do_all("INSERT OR IGNORE INTO places VALUES (?, ?, ?, ?, ?, ?)", self._placed)
            self._placed.clear()

    def read_to_end(self) -> None:
        """Record that the sources have been read: a resumed check need not read them again."""
        self.is_read = True
        self._do("UPDATE about SET is_read = 1")
        self.commit()

    def count(self) -> int:
        """The number of URLs of this check."""
        return int(self._one("SELECT count(*) FROM urls WHERE run = ?", self._run))

    def todo(self, ways: tuple[int, int], after: CheckItem | None = None) -> list[CheckItem]:
        """The next URLs without a result for these ways of requesting, one of each host in turn; empty at the end.

        Args:
            ways: The first and the last way.
            after: The last URL that was returned.
        """
        place = (0, 0) if after is None else (after.turn, after.number)
        rows = self._do(_WAITING, *place, self._run, *ways, self._good_since, PAGE)
        if rows:
            self._turn = rows[-1][0]
        return [
            CheckItem(
                number, turn, self._secret.get(number) or from_text(url), self._origin(origin, text), depth, bool(known)
            )
            for turn, number, url, depth, origin, text, known in rows
        ]

    def _origin(self, number: int, text: str) -> Provenance:
        origin = self._known.get(number)
        if origin is None:
            if len(self._known) >= PAGE:
                self._known.clear()
            origin = self._known[number] = Provenance.from_dict(json.loads(text))
        return origin

    def fragments(self, number: int) -> set[str]:
        """The fragments with which a URL is mentioned."""
        self._write_places()
        rows = self._do("SELECT DISTINCT fragment FROM places WHERE url = ? AND fragment IS NOT NULL", number)
        return {row[0] for row in rows if row[0]}

    # --- outcomes ----------------------------------------------------------------------------------------------------

    def record(self, findings: Sequence[tuple[int, int, Finding]], now: float) -> None:
        """Write some results, each with the number of its URL and the way it was requested."""
        self._do_all(
            "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (number, OUTCOMES.index(each.outcome), int(now), self._run, way, each.status, each.error,
                 each.message or None, each.target, 1 if each.permanent else None)
                for number, way, each in findings
            ],
        )  # fmt: skip
        self.commit()

    def rest(self, host: str, port: int) -> tuple[float, float, str]:
        """Until when a host wants rest (seconds since the epoch), for how long it asked, and its refusal."""
        rows = self._do("SELECT until, asked, refusal FROM rests WHERE host = ? AND port = ?", host, port)
        return rows[0] if rows else (0.0, 0.0, "")

    def rests(self) -> list[tuple[str, int, float, float, str]]:
        """The rests of all hosts: name and port first, then the same."""
        return self._do("SELECT host, port, until, asked, refusal FROM rests")

    def keep_rests(self, rests: Iterable[tuple[str, int, float, float, str]]) -> None:
        """Write them at once: while all hosts rest, no result comes."""
        self._do_all("INSERT OR REPLACE INTO rests VALUES (?, ?, ?, ?, ?)", rests)
        self.commit()

    def miss(self, number: int, fragments: Iterable[str]) -> None:
        """Record the fragments that a page lacks."""
        self._do_all("INSERT OR IGNORE INTO missing VALUES (?, ?)", [(number, each) for each in fragments])

    def commit(self) -> None:
        """Write pending changes to the file."""
        self._write_places()
        self._do("COMMIT")
        self._do("BEGIN")

    def results(self, outcomes: Iterable[str] = OUTCOMES) -> Iterator[tuple[int, Link, Finding]]:
        """The number, URL and result of each URL of this check that has one."""
        wanted = ",".join(str(OUTCOMES.index(each)) for each in OUTCOMES if each in set(outcomes))
        statement = (
            "SELECT urls.id, coalesce(written, url), outcome, status, error, message, target, permanent"
            " FROM urls JOIN results USING (id)"
            f" WHERE urls.id > ? AND urls.run = ? AND outcome IN ({wanted}) AND {_IS_VALID} ORDER BY urls.id LIMIT ?"
        )
        after = 0
        while rows := self._do(statement, after, self._run, self._good_since, PAGE):
            for number, url, outcome, status, error, message, target, permanent in rows:
                finding = Finding(OUTCOMES[outcome], status, error, message or "", target, bool(permanent))
                yield number, from_text(url), finding
            after = rows[-1][0]

    def counts(self) -> dict[str, int]:
        """The number of URLs of this check by outcome."""
        rows = self._do(
            f"SELECT outcome, count(*) FROM urls JOIN results USING (id) WHERE urls.run = ? AND {_IS_VALID}"
            " GROUP BY outcome", self._run, self._good_since,
        )  # fmt: skip
        found = dict(rows)
        return {name: found.get(number, 0) for number, name in enumerate(OUTCOMES)}

    def places(self, number: int, most: int = -1) -> list[Mention]:
        """The places of a URL, in the order of reading; all of them unless `most` are wanted."""
        self._write_places()
        rows = self._do(
            'SELECT name, line, "column", fragment, text FROM places JOIN files ON files.id = file WHERE url = ?'
            " ORDER BY places.rowid LIMIT ?", number, most,
        )  # fmt: skip
        return [_mention(*row) for row in rows]

    def rows(self, outcomes: Iterable[str]) -> Iterator[tuple[int, Link, Finding, Mention, bool, int, int]]:
        """The places of URLs with these outcomes, and those of missing fragments, in the order of files and lines.

        Each with number, URL and result; whether its fragment is missing; its rank among the places of this fault, and
        their number.
        """
        self._write_places()
        wanted = ",".join(str(OUTCOMES.index(each)) for each in OUTCOMES if each in set(outcomes))
        rows = self._cursor(_TOLD.format(wanted=wanted), self._run, self._good_since)
        while some := self._fetch(rows):
            for number, url, outcome, status, error, message, target, permanent, *place, missing, rank, count in some:
                finding = Finding(OUTCOMES[outcome], status, error, message or "", target, bool(permanent))
                yield number, from_text(url), finding, _mention(*place), bool(missing), rank, count

    def _cursor(self, statement: str, *values: object) -> sqlite3.Cursor:
        try:
            return self._base.execute(statement, values)
        except sqlite3.Error as error:
            raise self._unwritten(error) from error

    def _fetch(self, rows: sqlite3.Cursor) -> list[Any]:
        try:
            return rows.fetchmany(PAGE)
        except sqlite3.Error as error:
            raise self._unwritten(error) from error

    def missing(self, number: int) -> set[str]:
        """The fragments that its page lacks."""
        return {row[0] for row in self._do("SELECT fragment FROM missing WHERE url = ?", number)}

    def count_lacking(self) -> int:
        """The number of missing fragments."""
        return int(self._one("SELECT count(*) FROM missing"))

    def lacking(self) -> Iterator[tuple[int, Link]]:
        """The URLs whose pages lack a fragment."""
        after = 0
        statement = (
            "SELECT DISTINCT id, coalesce(written, urls.url) FROM missing JOIN urls ON id = missing.url WHERE id > ?"
            " ORDER BY id LIMIT ?"
        )
        while rows := self._do(statement, after, PAGE):
            for number, url in rows:
                yield number, from_text(url)
            after = rows[-1][0]

    def finish(self) -> None:
        """Mark the check as complete: the next one starts from the beginning."""
        self._do("UPDATE about SET is_over = 1")
        self.commit()

    def close(self) -> None:
        """Close the file; changes without `commit` are lost."""
        self._base.close()


_ADD = """
INSERT INTO urls (url, written, origin, depth, way, run, turn) VALUES (?, ?, ?, ?, ?, ?, 0)
ON CONFLICT (url, origin) DO UPDATE SET run = excluded.run,
turn = CASE WHEN run = excluded.run THEN turn ELSE 0 END,
written = CASE WHEN run = excluded.run THEN written ELSE excluded.written END,
way = CASE WHEN run = excluded.run THEN max(way, excluded.way) ELSE excluded.way END,
depth = CASE WHEN run = excluded.run THEN min(depth, excluded.depth) ELSE excluded.depth END
RETURNING id, turn
"""

_TOLD = f"""
SELECT urls.id, coalesce(written, urls.url), outcome, status, error, message, target, permanent,
name, line, "column", places.fragment, places.text, missing.fragment IS NOT NULL,
row_number() OVER fault, count(*) OVER (PARTITION BY urls.id, missing.fragment)
FROM urls JOIN results USING (id) LEFT JOIN places ON places.url = urls.id LEFT JOIN files ON files.id = places.file
LEFT JOIN missing ON missing.url = urls.id AND missing.fragment = places.fragment
WHERE urls.run = ? AND {_IS_VALID} AND (outcome IN ({{wanted}}) OR missing.fragment IS NOT NULL)
WINDOW fault AS (PARTITION BY urls.id, missing.fragment ORDER BY name, line, "column")
ORDER BY name, line, "column", urls.id
"""

_RAISE = "UPDATE urls SET way = max(way, ?) WHERE url = ? AND origin = ? AND run = ? RETURNING id"


def _mention(
    name: bytes | None, line: int | None = None, column: int | None = None, fragment: str | None = None,
    text: str | None = None,
) -> Mention:  # fmt: skip
    return Mention((name or b"").decode("utf-8", "surrogateescape"), line or 0, column or 0, fragment, text)


def _written(origin: Provenance) -> str:
    return json.dumps(origin.as_dict(), sort_keys=True)
