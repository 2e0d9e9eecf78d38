"""The tasks of a cluster: what was told is told once, what was not is shared out again.

With Ray: `tests/batch/test_engines.py`.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from anyurl import URL, Client, MissingExtraError, Policy
from anyurl.batch.check import CheckState, Finding
from anyurl.batch.check.cluster import LOSSES, PATIENCE, QUIET, ClusterRun, KeptRests, Share, check_share
from anyurl.batch.check.state import OPEN, STAT
from anyurl.batch.check.table import shard_of
from anyurl.errors import ConnectionLost
from anyurl.values import STRANGER, USER
from tests.batch.check.site import Site, page
from tests.servers import reply

MAKE = partial(Client, Policy.open())


def told(share: Share) -> list[tuple[int, Finding]]:
    return [each for piece, _ in check_share(MAKE, share, [], 4, frozenset()) for each in piece]


def test_a_task_tells_what_became_of_each() -> None:
    with Site({"/a": page("x")}) as site:
        found = told([(100, f"{site.root}/a", STRANGER), (101, f"{site.root}/gone", STRANGER)])
    assert sorted((number, finding.outcome) for number, finding in found) == [(100, "ok"), (101, "broken")]


def test_one_url_with_two_numbers_is_requested_by_who_named_it() -> None:
    with Site({"/a": page("x")}) as site:
        found = told([(1, f"{site.root}/a", USER), (2, f"{site.root}/a", STRANGER)])
    assert sorted((number, finding.outcome) for number, finding in found) == [(1, "ok"), (2, "ok")]


@pytest.mark.promise("children")
def test_ray_is_begun_where_nothing_of_a_stranger_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its workers import from the folder that is current then; the command's own folder is current again afterwards."""
    begun_in: list[str] = []

    def init(_address: str, **_: object) -> None:
        begun_in.append(os.getcwd())
        raise OSError(errno.ECONNREFUSED, "no")

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(QUIET, raising=False)
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(init=init))  # type: ignore[arg-type]
    state = CheckState(None, "w", resume=False, now=0.0)
    with Client() as client, pytest.raises(ConnectionLost, match="There is no Ray cluster at auto"):
        next(iter(ClusterRun(client, state, address="auto", make=MAKE)))
    assert QUIET not in os.environ
    state.close()
    assert begun_in == [os.path.abspath(os.sep)]
    assert os.getcwd() == str(tmp_path)


def test_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    state = CheckState(None, "w", resume=False, now=0.0)
    with Client() as client, pytest.raises(MissingExtraError, match=r"A cluster needs Ray: .*\.\[cluster\]"):
        ClusterRun(client, state, address="auto", make=MAKE)
    state.close()


class LossyRay:
    """In place of Ray: runs each task here, to its end or up to its `lost`-th piece, where its process is lost.

    Args:
        lost: For each task that is begun, the number of pieces that it tells; None for all of them.
    """

    class exceptions:
        class RayError(Exception):
            """A task was lost."""

    def __init__(self, *lost: int | None) -> None:
        self._lost = list(lost)
        self.shares: list[Share] = []
        self.timeouts: list[float] = []
        self.ended: list[object] = []
        self.lost_machines = 0

    def init(self, address: str, **_: object) -> None: ...

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 1.0}

    def remote(self, **options: object) -> Any:
        assert options["num_cpus"] == 0, "it would not begin on a busy cluster"
        assert options["max_retries"] == 0, "what it told would be requested again"
        return lambda task: SimpleNamespace(remote=partial(self._begin, task))

    def _begin(
        self, task: Any, make: Any, share: Share, rests: KeptRests, limit: int, accept: frozenset[int]
    ) -> Iterator[Any]:
        self.shares.append(share)
        return self._run(task(make, share, rests, limit, accept), self._lost.pop(0) if self._lost else None)

    def _run(self, pieces: Iterator[Any], most: int | None) -> Iterator[Any]:
        for number, piece in enumerate(pieces):
            if number == most:
                raise self.exceptions.RayError("worker died")
            yield piece

    def wait(self, what: list[Any], timeout: float, fetch_local: bool) -> tuple[list[Any], list[Any]]:
        self.timeouts.append(timeout)
        return what[:1], what[1:]

    def get(self, what: Any) -> Any:
        return what

    def nodes(self) -> list[dict[str, bool]]:
        return [{"Alive": True}, *[{"Alive": False}] * self.lost_machines]

    def cancel(self, what: object, force: bool) -> None:
        self.ended.append(what)


def run_with(ray: LossyRay, urls: list[str], monkeypatch: pytest.MonkeyPatch, **more: Any) -> list[str]:
    """The texts of the URLs that are told."""
    monkeypatch.setitem(sys.modules, "ray", ray)  # type: ignore[arg-type]
    state = CheckState(None, "w", resume=False, now=0.0)
    for url in urls:
        state.add(URL(url), STRANGER, STAT)
    state.commit()
    try:
        with Client(Policy.open()) as client:
            return [str(each.url) for each in ClusterRun(client, state, address="auto", make=MAKE, **more)]
    finally:
        state.close()


def test_what_a_lost_task_had_not_told_is_shared_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anyurl.batch.check.cluster.BATCH", 2)
    with Site({f"/{n}": page("x") for n in range(9)}) as site:
        urls = [f"{site.root}/{n}" for n in range(9)]
        ray = LossyRay(1, 2)
        assert sorted(run_with(ray, urls, monkeypatch)) == urls
    assert [len(share) for share in ray.shares] == [9, 7, 3]


def test_so_many_are_shared_out_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last of them end before the next ones begin."""
    monkeypatch.setattr("anyurl.batch.check.cluster.AT_ONCE", 4)
    with Site({f"/{n}": page("x") for n in range(9)}) as site:
        urls = [f"{site.root}/{n}" for n in range(9)]
        ray = LossyRay()
        assert sorted(run_with(ray, urls, monkeypatch)) == urls
    assert [len(share) for share in ray.shares] == [4, 4, 1]


def test_a_host_that_has_been_counted_is_not_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anyurl.batch.check.cluster.BATCH", 1)
    with Site({f"/{n}": page("x") for n in range(4)}) as site:
        urls = [f"{site.root}/{n}" for n in range(4)]
        ray = LossyRay(1, 1)
        assert sorted(run_with(ray, urls, monkeypatch, max_per_host=3)) == urls
        assert sum(request.startswith("HEAD") for request in site.asked) >= 3
        assert "HEAD /3" not in site.asked


def test_tasks_that_are_always_lost_end_the_check_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = LossyRay(*[0] * 99)
    with Site({"/a": page("x")}) as site, pytest.raises(ConnectionLost) as caught:
        run_with(ray, [f"{site.root}/a"], monkeypatch)
    assert str(caught.value) == (
        f"The cluster at auto lost its tasks {LOSSES} times before any of them reported a result. The findings so far "
        "are recorded, and the check can be resumed."
    )
    assert len(ray.shares) == LOSSES


def test_tasks_that_tell_nothing_end_the_check_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = LossyRay()
    monkeypatch.setattr(ray, "wait", lambda what, timeout, fetch_local: ([], what))
    with Site({"/a": page("x")}) as site, pytest.raises(ConnectionLost, match=f"reported nothing for {PATIENCE:.0f} s"):
        run_with(ray, [f"{site.root}/a"], monkeypatch)
    assert len(ray.ended) == 1


def test_tasks_of_a_machine_that_is_silent_are_shared_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    class SilentRay(LossyRay):
        def wait(self, what: list[Any], timeout: float, fetch_local: bool) -> tuple[list[Any], list[Any]]:
            if self.lost_machines:
                return super().wait(what, timeout, fetch_local)
            self.lost_machines = 1
            return [], what

    ray = SilentRay()
    with Site({"/a": page("x")}) as site:
        assert run_with(ray, [f"{site.root}/a"], monkeypatch) == [f"{site.root}/a"]
    assert [len(share) for share in ray.shares] == [1, 1]
    assert len(ray.ended) == 1


def test_what_a_host_wished_is_known_to_the_state_and_to_later_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first task is lost after its first finding, the second one leaves the host alone."""
    monkeypatch.setattr("anyurl.batch.check.cluster.BATCH", 1)
    monkeypatch.setitem(sys.modules, "ray", LossyRay(1))  # type: ignore[arg-type]
    with Site({}, reply(b"", "Retry-After: 3600", status="429 No")) as site, Client(Policy.open()) as client:
        state = CheckState(None, "w", resume=False, now=0.0)
        for number in range(9):
            state.add(URL(f"{site.root}/{number}"), STRANGER, STAT)
        found = list(ClusterRun(client, state, address="auto", make=MAKE))
        assert {each.finding.outcome for each in found} == {"deferred"}
        assert len(found) == 9
        assert len(site.asked) == 1
        ((host, port, until, asked, _),) = state.rests()
        assert (host, port, asked) == ("127.0.0.1", site.port, 3600.0)
        assert 3000 < until - time.time() <= 3600
        state.close()


def test_a_password_stays_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = LossyRay(*[0] * 99)
    monkeypatch.setitem(sys.modules, "ray", ray)  # type: ignore[arg-type]
    state = CheckState(None, "w", resume=False, now=0.0)
    number = state.add(URL("telnet://user:geheim@h.example/"), USER, OPEN)
    (item,) = state.todo((OPEN, OPEN))
    assert item.url.password == "geheim"
    with Client() as client, pytest.raises(ConnectionLost):
        list(ClusterRun(client, state, address="auto", make=MAKE))
    assert ray.shares == [[(number, "telnet://user@h.example/", USER)]] * LOSSES
    state.close()


def test_the_hosts_of_a_registered_domain_are_in_one_share() -> None:
    for shards in (1, 2, 7, 1000):
        assert shard_of("www.bbc.co.uk", shards) == shard_of("news.bbc.co.uk", shards) == shard_of("bbc.co.uk", shards)
        assert 0 <= shard_of("a.dom", shards) < shards
        assert 0 <= shard_of(None, shards) < shards
    assert len({shard_of(f"h{n}.dom", 7) for n in range(100)}) == 7
