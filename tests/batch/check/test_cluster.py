"""The workers of a cluster: what a journal knows is not asked again. With Ray: `tests/batch/test_engines.py`."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from anyurl import URL, Client, MissingExtraError, Policy
from anyurl.batch.check import CheckState
from anyurl.batch.check.cluster import PATIENCE, SILENCE, ClusterRun, ClusterWorker, Sent, as_sent
from anyurl.batch.check.state import OPEN, STAT
from anyurl.errors import ConnectionLost
from anyurl.values import STRANGER, USER
from tests.batch.check.site import Site, page

MAKE = partial(Client, Policy.open())


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def sent(site: Site, *paths: str) -> list[Sent]:
    return [(number, f"{site.root}/{path}", STRANGER.as_dict()) for number, path in enumerate(paths, 100)]


def test_a_worker_tells_what_became_of_each() -> None:
    with Site({"/a": page("x")}) as site:
        told = ClusterWorker(MAKE, "w", 4, ()).check(1, sent(site, "a", "gone"))
    assert [(number, way, finding.outcome) for number, way, finding in sorted(told)] == [
        (100, STAT, "ok"),
        (101, STAT, "broken"),
    ]


def test_a_worker_that_is_begun_again_asks_for_what_its_journal_does_not_know() -> None:
    with Site({"/a": page("x"), "/b": page("x")}) as site:
        ClusterWorker(MAKE, "w", 4, ()).check(1, sent(site, "a"))
        told = ClusterWorker(MAKE, "w", 4, ()).check(1, sent(site, "a", "b"))
        assert sorted(site.asked) == ["HEAD /a", "HEAD /b"]
        ClusterWorker(MAKE, "other", 4, ()).check(1, sent(site, "a"))
        assert site.asked.count("HEAD /a") == 2
    assert {(number, finding.outcome) for number, _, finding in told} == {(100, "ok"), (101, "ok")}


def test_one_url_with_two_numbers() -> None:
    with Site({"/a": page("x")}) as site:
        both: list[Sent] = [(1, f"{site.root}/a", USER.as_dict()), (2, f"{site.root}/a", STRANGER.as_dict())]
        told = ClusterWorker(MAKE, "w", 4, ()).check(1, both)
    assert sorted((number, finding.outcome) for number, _, finding in told) == [(1, "ok"), (2, "ok")]


def test_a_password_stays_on_this_machine() -> None:
    state = CheckState(None, "w", resume=False, now=0.0)
    number = state.add(URL("telnet://user:geheim@h.example/"), USER, OPEN)
    (item,) = state.todo((OPEN, OPEN), 0)
    assert item.url.password == "geheim"
    assert as_sent(item) == (number, "telnet://user@h.example/", USER.as_dict())
    state.close()


def test_the_next_chunk_removes_the_journal_of_the_last(tmp_path: Path) -> None:
    with Site({"/a": page("x")}) as site:
        worker = ClusterWorker(MAKE, "w", 4, ())
        worker.check(1, sent(site, "a"))
        assert (tmp_path / "w-1.journal").stat().st_mode & 0o777 == 0o600
        worker.check(2, sent(site, "a"))
    assert [path.name for path in tmp_path.iterdir()] == ["w-2.journal"]
    worker.forget(2)
    worker.forget(2)
    assert not list(tmp_path.iterdir())


@pytest.mark.promise("children")
def test_ray_is_begun_where_nothing_of_a_stranger_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its workers import from the folder that is current then; the command's own folder is current again afterwards."""
    begun_in: list[str] = []

    def init(**_: object) -> None:
        begun_in.append(os.getcwd())
        raise OSError(errno.ECONNREFUSED, "no")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(init=init))  # type: ignore[arg-type]
    state = CheckState(None, "w", resume=False, now=0.0)
    with Client() as client, pytest.raises(ConnectionLost, match="There is no Ray cluster at auto"):
        next(iter(ClusterRun(client, state, address="auto", make=MAKE)))
    state.close()
    assert begun_in == [os.path.abspath(os.sep)]
    assert os.getcwd() == str(tmp_path)


def test_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    state = CheckState(None, "w", resume=False, now=0.0)
    with Client() as client, pytest.raises(MissingExtraError, match=r"A cluster needs Ray: .*anyurl\[cluster\]"):
        ClusterRun(client, state, address="auto", make=MAKE)
    state.close()


class SlowRay:
    """In place of Ray: each wait gives what is next in a list, and notes its timeout."""

    def __init__(self, *done: list[object]) -> None:
        self._done = list(done)
        self.timeouts: list[float] = []

    def wait(self, what: list[object], num_returns: int, timeout: float) -> tuple[list[object], list[object]]:
        self.timeouts.append(timeout)
        done = self._done.pop(0)
        return done, [each for each in what if each not in done]


class Handle:
    """A worker of `SlowRay`; what it is asked for is its own name."""

    def __init__(self, name: str) -> None:
        self.is_there = self
        self._name = name

    def remote(self) -> str:
        return self._name


def waiting(ray: SlowRay) -> ClusterRun:
    run = object.__new__(ClusterRun)
    run._ray, run._address, run._workers = ray, "h:6379", [Handle("a"), Handle("b"), Handle("c")]
    return run


def test_a_worker_that_does_not_answer_ends_the_check_with_a_sentence() -> None:
    ray = SlowRay([], ["a", "c"], [], ["a"])
    with pytest.raises(ConnectionLost) as caught:
        waiting(ray)._wait({"first": (0, {}), "third": (2, {})})
    assert str(caught.value) == (
        "Of the 3 workers of the cluster at h:6379 these have not answered for 120 s: 3. What is known is recorded, "
        "and the check can be resumed."
    )
    assert ray.timeouts == [SILENCE, PATIENCE] * 2


def test_workers_that_are_there_may_take_their_time() -> None:
    assert waiting(SlowRay([], ["a"], [], ["a"], ["first"]))._wait({"first": (0, {})}) == "first"
    with Site({}) as site:
        assert ClusterWorker(MAKE, "w", 4, ()).is_there()
        assert site.asked == []
