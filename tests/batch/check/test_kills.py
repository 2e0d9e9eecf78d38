"""Killed at any moment, a check goes on: nothing recorded is asked again, and little else.

`.ci/full` (ANYURL_SLOW) kills 25 times.
"""

from __future__ import annotations

import os
import random
import re
import sqlite3
import subprocess
import threading
from collections import defaultdict
from functools import partial
from pathlib import Path

from anyurl.batch.check.state import BATCH
from anyurl.cli import exits
from tests.batch.check.site import Site
from tests.cli.runner import CLEAN, PROGRAM
from tests.servers import Connection, reply

KILLS = 25 if os.environ.get("ANYURL_SLOW") else 3
URLS = 800 * KILLS
PARALLEL = 16

FEW, LATER = 7, 12
"""One answer of so many waits until so many more requests have come."""


class Unruly(Site):
    """Answers out of order, and kills who asks when it has been asked often enough.

    Attributes:
        asked_by: What each run asked for, by its User-Agent: what a killed one has sent may be read after its end.
    """

    def __init__(self) -> None:
        self.child: subprocess.Popen[bytes] | None = None
        self.kill_at = 0
        self.run = 0
        self.asked_by: dict[str, list[str]] = defaultdict(list)
        self._turn = threading.Condition()
        self._come = 0
        super().__init__({}, missing=b"")

    def _has_come(self, count: int) -> bool:
        return self._come >= count

    def _serve(self, connection: Connection) -> None:
        while head := connection.head():
            path = head.split(b" ")[1].decode()
            run = re.findall(rb"\r\nUser-Agent: (.*)\r\n", head)[0].decode()
            with self._turn:
                self._come += 1
                mine = self._come
                asked = self.asked_by[run]
                if head.startswith(b"HEAD"):  # what is not there is requested once more, by GET
                    asked.append(path)
                self._turn.notify_all()
                if self.child is not None and run == f"run/{self.run}" and len(asked) >= self.kill_at:
                    self.child.kill()
                    self.child = None
                if mine % FEW == 0:  # at the end nobody comes any more
                    self._turn.wait_for(partial(self._has_come, mine + LATER), 0.05)
            gone = path.endswith("3")
            connection.send(reply(status="404 No" if gone else "200 OK"))


def recorded(path: Path) -> set[str]:
    """The paths of the URLs that have a result."""
    base = sqlite3.connect(path)
    assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    rows = base.execute("SELECT url FROM urls JOIN results USING (id)").fetchall()
    base.close()
    return {re.sub(r"^http://[^/]*", "", url) for (url,) in rows}


def test_a_check_that_is_killed_again_and_again(tmp_path: Path) -> None:
    chance = random.Random(1738)
    state = tmp_path / "state"
    args = ["check", str(tmp_path / "a.txt"), "--allow-private", "--parallel", str(PARALLEL), "--state", str(state)]
    command = [*PROGRAM, *args, "--json", "--per-host", str(PARALLEL)]
    kills, repeated, before = 0, 0, set[str]()
    with Unruly() as site:
        (tmp_path / "a.txt").write_text("".join(f"{site.root}/{number}\n" for number in range(URLS)))
        while True:
            site.kill_at = chance.randint(1, URLS // KILLS - 1) if kills < KILLS else URLS * KILLS
            site.run += 1
            resume = ["--user-agent", f"run/{site.run}", *(["--resume"] if kills else [])]
            with subprocess.Popen(
                [*command, *resume], env=CLEAN, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            ) as child:
                site.child = child
                _, said = child.communicate(timeout=120)
            asked = list(site.asked_by[f"run/{site.run}"])
            assert before.isdisjoint(asked)  # nothing recorded is asked again
            assert len(asked) == len(set(asked))
            now = recorded(state)
            assert before <= now
            assert len(set(asked) - now) <= BATCH + PARALLEL
            repeated += len(set(asked) - now)
            before = now
            if child.returncode != -9:
                break
            kills += 1
    assert child.returncode == exits.FAULTS, said
    assert kills == KILLS
    assert len(before) == URLS
    gone = URLS // 10
    assert said.decode() == ""
    base = sqlite3.connect(state)
    assert base.execute("SELECT count(*) FROM results WHERE outcome = 2").fetchone() == (gone,)
    assert base.execute("SELECT is_over FROM about").fetchone() == (1,)
    base.close()
    assert 0 < repeated <= KILLS * (BATCH + PARALLEL)
