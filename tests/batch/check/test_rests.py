"""A host that wants to be left alone is, also by the check that goes on where another one ended."""

from __future__ import annotations

import signal
import subprocess
import time
from email.utils import formatdate
from math import ceil
from pathlib import Path

import pytest

from anyurl import URL, Client, Policy
from anyurl.batch.check import CheckState, Run
from anyurl.batch.check.rests import StoredRests
from anyurl.batch.check.state import STAT
from anyurl.cli import exits
from anyurl.values import USER
from tests.batch.check.site import Site, moved, page
from tests.cli.runner import CLEAN, PROGRAM
from tests.servers import Connection, Server, reply

REST = 3
YEAR = 366 * 86_400.0
REFUSAL = "127.0.0.1:1 answered 429."


class Busy(Server):
    """Refuses its first request.

    Attributes:
        asked: When each request came, seconds since the epoch.
        until: No request may come before that.
    """

    def __init__(self, status: str, as_date: bool) -> None:
        self.asked: list[float] = []
        self.until = 0.0
        self._status = status
        self._as_date = as_date
        super().__init__(self._serve)

    def _serve(self, connection: Connection) -> None:
        while connection.head():
            self.asked.append(time.time())
            if self.until:
                connection.send(reply())
                continue
            self.until = float(ceil(time.time())) + REST if self._as_date else time.time() + REST
            wish = formatdate(self.until, usegmt=True) if self._as_date else str(REST)
            connection.send(reply(b"", f"Retry-After: {wish}", status=self._status))


class Deadly(Server):
    """Ends who asks first, instead of an answer."""

    def __init__(self, how: signal.Signals) -> None:
        self.child: subprocess.Popen[bytes] | None = None
        self._how = how
        super().__init__(self._serve)

    def _serve(self, connection: Connection) -> None:
        while connection.head():
            if self.child is not None:
                self.child.send_signal(self._how)
                self.child.wait()
                return
            connection.send(reply())


@pytest.mark.parametrize(
    ("how", "status", "as_date"),
    [(signal.SIGKILL, "429 Too Many Requests", False), (signal.SIGINT, "503 Service Unavailable", True)],
)
def test_a_check_that_goes_on_asks_no_host_before_its_time(
    tmp_path: Path, how: signal.Signals, status: str, as_date: bool
) -> None:
    with Busy(status, as_date) as busy, Deadly(how) as other:
        links = tmp_path / "links.txt"
        # One at a time: the second host is asked while the first one is left alone, and so after its refusal is known.
        links.write_text(f"http://{busy.authority}/a\nhttp://{other.authority}/b\n")
        command = [*PROGRAM, "check", str(links), "--state", str(tmp_path / "state"), "--allow-private"]
        command += ["--parallel", "1"]
        with subprocess.Popen(command, env=CLEAN, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            other.child = child
            child.communicate(timeout=60)
        assert child.returncode != exits.OK
        other.child = None
        done = subprocess.run([*command, "--resume"], env=CLEAN, capture_output=True, timeout=60, check=False)
    assert done.returncode == exits.OK, done
    assert b"2 URLs: 2 ok." in done.stderr
    early, *late = busy.asked
    assert early < busy.until <= min(late)


def kept(state: CheckState, now: float) -> float:
    return StoredRests(state, lambda: now).rest("h.dom", 80)[0]


def test_a_rest_is_over_by_the_wall_clock_and_is_no_longer_than_the_host_asked_for() -> None:
    state = CheckState(None, "w", resume=False, now=0.0)
    begun = 1_000_000_000.0
    StoredRests(state, lambda: begun).keep("h.dom", 80, 60.0, REFUSAL)
    assert kept(state, begun + 59.5) == 0.5
    assert kept(state, begun + 60.0) == kept(state, begun + YEAR) == 0.0
    assert kept(state, begun - YEAR) == 60.0  # the clock was put back: from then on it is right
    assert kept(state, begun - YEAR + 50.0) == 10.0
    state.close()


def test_the_longest_of_its_wishes_counts_also_after_the_clock_was_put_back() -> None:
    state = CheckState(None, "w", resume=False, now=0.0)
    rests = StoredRests(state, lambda: 1000.0)
    for seconds in (60.0, 5.0):
        rests.keep("h.dom", 80, seconds, REFUSAL)
    assert rests.rest("h.dom", 80) == (60.0, REFUSAL)
    assert rests.rest("h.dom", 8080) == rests.rest("g.dom", 80) == (0.0, "")
    StoredRests(state, lambda: 10.0).keep("h.dom", 80, 3600.0, REFUSAL)
    assert kept(state, 10.0) == 3600.0
    state.close()


def test_the_rests_of_two_workers_are_those_that_end_later() -> None:
    """Each has what was known when it began, and tells it with what it has learned."""
    state = CheckState(None, "w", resume=False, now=0.0)
    older = ("h.dom", 80, 1060.0, 60.0, REFUSAL)
    learned = ("h.dom", 80, 4600.0, 3600.0, REFUSAL)
    for told in ([older], [learned], [older, ("g.dom", 80, 1005.0, 5.0, REFUSAL)]):
        StoredRests(state).merge(told)
    assert sorted(row[:3] for row in state.rests()) == [("g.dom", 80, 1005.0), ("h.dom", 80, 4600.0)]
    state.close()


@pytest.mark.parametrize("resume", [True, False])
def test_a_rest_outlives_its_check_until_it_is_over(tmp_path: Path, resume: bool) -> None:
    """By a new check with this state it is obeyed, too."""
    path = str(tmp_path / "state")
    state = CheckState(path, "w", resume=False, now=1000.0)
    rests = StoredRests(state, lambda: 1000.0)
    for port, seconds in ((80, 60.0), (81, 5.0)):
        rests.keep("h.dom", port, seconds, REFUSAL)
    if not resume:
        state.finish()
    state.close()
    state = CheckState(path, "w", resume=resume, now=1010.0)
    assert [row[:3] for row in state.rests()] == [("h.dom", 80, 1060.0)]
    state.close()


def test_a_rest_of_a_year_is_not_waited_for() -> None:
    with Site({}, page("x")) as site:
        state = CheckState(None, "w", resume=False, now=time.time())
        for number in range(20):
            state.add(URL(f"{site.root}/{number}"), USER, STAT)
        rests = StoredRests(state)
        rests.keep("127.0.0.1", site.port, YEAR, REFUSAL)
        began = time.monotonic()
        with Client(rests=rests) as client:
            found = {each.finding.outcome for each in Run(client, state)}
        assert (found, site.asked) == ({"deferred"}, [])
        assert time.monotonic() - began < 20
        state.close()


def test_a_redirection_and_a_single_request_wait_as_well() -> None:
    rest = 0.5
    with Site({"/": page("x")}) as resting, Site({"/": moved(f"{resting.root}/")}) as other:
        for url in (f"{other.root}/", f"{resting.root}/"):
            state = CheckState(None, "w", resume=False, now=time.time())
            rests = StoredRests(state)
            with Client(Policy.open(), rests=rests) as client:
                rests.keep("127.0.0.1", resting.port, rest, REFUSAL)
                began = time.monotonic()
                (result,) = client.map([url])
                assert result.error is None
                assert time.monotonic() - began >= rest
            state.close()
