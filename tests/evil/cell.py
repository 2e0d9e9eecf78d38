"""Cells and columns: a cell is one fault of one scheme, as a row of data; a column is all that a scheme has.

Rule: a cell says what the server does, what is fetched, and the word it must come to; the rig checks the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from anyurl import Policy
from anyurl.saving.save import safe_name
from tests.clocks import anew
from tests.evil.matrix import ROWS
from tests.evil.outcomes import NAME, OK, TIMEOUT
from tests.evil.player import Player, Steps
from tests.evil.rig import EVIL, PATIENT, QUICK, SECRET, USER, Got, Rig, Run

_WHOLE = re.compile(r"[a-z][a-z0-9+.-]*:")


def is_harmless(name: str) -> bool:
    """Whether a name from a listing could be that of a file as it is: `safe_name` leaves it alone."""
    return "\0" not in name and safe_name(name) == name


class Column:
    """What a scheme is to the kit.

    Args:
        letter: Its column in the matrix.
        scheme: The scheme of its URLs.
        good: The script of a server as it should be: it serves `content` at `path`, on each connection anew.
        path: What follows the host in the URL of the good thing.
        content: The good thing.
        half: A script that sends a beginning of it, and plays ``mark("body")``; what then becomes of it is the cell's.
        stream: A script that sends something endless at `path`; None where there is no such thing.
        login: Its URLs may have a user and a password: then those of cells do, and no message may show it.
        policy: What its cells are run under.
        player: The kind of server: `player.Player` for TCP, `datagrams.Datagrams` for UDP.
        silent: A place that swallows what is sent to it, where that is no port full of connections.
    """

    def __init__(
        self,
        letter: str,
        scheme: str,
        *,
        good: Any,
        path: str,
        content: bytes,
        half: Any = None,
        stream: Any = None,
        login: bool = False,
        policy: Policy | None = None,
        player: Any = Player,
        silent: Any = None,
    ) -> None:
        self.letter = letter
        self.scheme = scheme
        self.good = good
        self.path = path
        self.content = content
        self.login = login
        self.policy = policy or Policy.untrusted()
        self.player = player
        self.silent = silent
        self.half = half
        self.stream = stream
        self.cells: list[Cell] = []

    def url(self, host: str, path: str | None = None, *, port: int | None = None) -> str:
        """The URL of a path (the good one) at a host."""
        login = f"{USER}:{SECRET}@" if self.login else ""
        return f"{self.scheme}://{login}{host}{'' if port is None else f':{port}'}{self.path if path is None else path}"

    def whole(self, url: str | None) -> str:
        """A URL as it is, or what follows the evil server's host in one."""
        return url if url is not None and _WHOLE.match(url) else self.url(EVIL, url)

    def add(self, *cells: Cell) -> None:
        """Take cells in; two of one name are a mistake."""
        for cell in cells:
            cell.column = self
            assert cell.name not in {each.name for each in self.cells}, f"{self.letter} has two cells {cell.name}"
            self.cells.append(cell)


class Cell:
    """One fault of one scheme.

    Args:
        fault: Its number in the matrix, and after a space what tells it from others of the same number.
        word: The outcome that it must come to; several with spaces between them where it may differ.
        server: The script of the server, one for each connection when it is a tuple of lists.
        url: What follows the host (or a whole URL); None for the column's good path.
        verb: What is done with it.
        run: Instead of all that, what the cell does: it is given the rig.
        holds: Looks at what came, beyond the word.
        limits: Changes to the limits: the quick ones for TIMEOUT, the patient ones else.
        stream: It is a flood: it runs in the probe's process, where memory is measured, and octets are only counted.
        good: Whether a good transfer must follow.
        at_once: What else it may come to where many meet the fault at the same time.
        rig: Arguments of the rig: ``policy``, ``allowed``, and what a client takes.
    """

    column: Column

    def __init__(
        self,
        fault: str,
        word: str,
        server: Steps | tuple[Steps, ...] | None = None,
        *,
        url: str | None = None,
        verb: str = "get",
        run: Run | None = None,
        holds: Callable[[Got], object] | None = None,
        limits: Mapping[str, Any] | None = None,
        stream: bool = False,
        busy: bool = False,
        good: bool = True,
        at_once: str = "",
        rig: Mapping[str, Any] | None = None,
        **how: Any,
    ) -> None:
        self.name = fault
        self.fault = fault.partition(" ")[0]
        self.words = word.split()
        self.server = server
        self.url = url
        self.verb = verb
        self.run = run
        self.holds = holds
        quick = self.words == [TIMEOUT]
        self.limits = (QUICK if quick else PATIENT).replace(**(limits or {}))
        self.stream = stream
        self.busy = busy or stream
        self.good = good
        self.at_once = at_once.split()
        self.rig = dict(rig or {})
        self.how = how

    @property
    def label(self) -> str:
        """For the test's name: ``G-A5-in-the-menu``."""
        return f"{self.column.letter}-{self.name.replace(' ', '-')}"

    def new_rig(self) -> Rig:
        """A rig of its own."""
        return Rig(self.column, self.limits, **self.rig)

    def play(self, rig: Rig) -> Got:
        """Do what the cell does, and see that it came to its word."""
        got = self._fetch(rig) if self.run is None else self.run(rig)
        wanted = [OK if word == NAME else word for word in self.words]
        assert got.word in wanted, f"{self.label}: {got.word} instead of {' or '.join(self.words)}: {got}"
        if NAME in self.words:
            assert any(not is_harmless(name) for name in got.names), f"every name is harmless: {got.names}"
        if self.holds is not None:
            verdict = self.holds(got)
            assert verdict is not False, f"{self.label} does not hold: {got}"
        return got

    def _fetch(self, rig: Rig) -> Got:
        if self.server is not None:
            scripts = self.server if isinstance(self.server, tuple) else (self.server,)
            rig.serve(*scripts)
        return rig.fetch(self.url, self.verb, keep=not self.stream, **self.how)


@anew
def run(cell: Cell) -> Got:
    """Run a cell with all that must hold after it."""
    row = ROWS[cell.fault, cell.column.letter]
    assert set(cell.words) <= row.words, f"{cell.label}: the matrix allows {sorted(row.words)}"
    with cell.new_rig() as rig:
        got = cell.play(rig)
        rig.check(busy=cell.busy)
        if cell.good:
            rig.check_good()
            rig.check(busy=cell.busy)
    return got
