"""Cluster: one check on several machines, by Ray (the extra ``cluster``).

Rule: the state of a host is kept in one place. Each registered domain is assigned to one worker, which has its own
client and per-host limits. A worker keeps a journal: if it is killed, it is restarted, and on the same machine it does
not repeat recorded requests. Pages are read here, and no password or login leaves this machine.
"""

from __future__ import annotations

import os
import secrets
import tempfile
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import chdir
from typing import TYPE_CHECKING, Any

from anyurl.batch.check.links import from_text, to_text
from anyurl.batch.check.outcome import Finding
from anyurl.batch.check.run import Checked, Run, way_of
from anyurl.batch.check.state import OPEN, READ, STAT, CheckItem, CheckState
from anyurl.errors import ConnectionLost, MissingExtraError
from anyurl.errors.reasons import reason_of
from anyurl.url import URL
from anyurl.url.suffixes import registered_domain
from anyurl.values import Provenance

if TYPE_CHECKING:
    from anyurl.access import Client
    from anyurl.dialogue import Verb

CHUNK = 1000
"""URLs that are sent to a worker at once."""

MAX_WAITING = 100_000
"""The most URLs that wait for their workers; if one worker has most of them, the others finally wait for it."""

MAX_RESTARTS = 10
"""Restarts of a worker, and retries of one of its chunks: something that kills it this often would do so again."""

SILENCE = 30.0
"""Seconds without any outcome after which the workers that have something to do are asked whether they are there."""

PATIENCE = 120.0
"""Seconds in which a worker must say so: Ray notices within a minute that a machine is lost, and begins its workers on
another one."""

Sent = tuple[int, str, dict[str, object]]
"""The number of a URL, its stored form, and who named it."""

Told = tuple[int, int, Finding]
"""The number of a URL, the way it was requested, and the outcome."""


class ClusterWorker:
    """Requests the URLs of some hosts, in its own process.

    Args:
        make: Makes its client.
        name: The name of its journal, which stays the same after a restart.
        limit: The number of parallel transfers.
        accept: Status codes that count as ok.
    """

    def __init__(self, make: Callable[[], Client], name: str, limit: int, accept: tuple[int, ...]) -> None:
        self._client = make()
        self._name = name
        self._limit = limit
        self._accept = accept

    def check(self, chunk: int, sent: list[Sent]) -> list[Told]:
        """Request each URL and return the outcomes; URLs in the journal of this chunk are not requested again."""
        self.forget(chunk - 1)  # its outcomes have been delivered
        state = CheckState(self._journal(chunk), self._name, resume=True, now=time.time())
        try:
            numbers: dict[int, list[int]] = {}
            for number, text, origin in sent:
                url = from_text(text)
                numbers.setdefault(state.add(url, Provenance.from_dict(origin), way_of(url)), []).append(number)
            state.commit()
            for _ in Run(self._client, state, limit=self._limit, accept=self._accept):
                pass
            return [(number, way_of(url), finding) for own, url, finding in state.results() for number in numbers[own]]
        finally:
            state.close()

    def is_there(self) -> bool:
        """Whether it has begun, and is alive: True, while it checks as well."""
        return True

    def forget(self, chunk: int) -> None:
        """Remove the journal of a chunk."""
        for suffix in ("", "-wal", "-shm", "-journal"):
            try:
                os.unlink(self._journal(chunk) + suffix)
            except FileNotFoundError:
                continue

    def _journal(self, chunk: int) -> str:
        return os.path.join(tempfile.gettempdir(), f"{self._name}-{chunk}.journal")


class ClusterRun(Run):
    """A running check on a cluster.

    Args:
        client: Reads pages for their links and fragments.
        state: As for `Run`, like the other arguments.
        address: The address of the cluster; ``auto`` for the one that this machine belongs to.
        make: Makes the client of a worker.
        workers: The number of workers; None means one per processor of the cluster.

    Raises:
        MissingExtraError: Ray is not installed.
        ConnectionLost: There is no cluster, or a worker was lost permanently.
    """

    def __init__(
        self, client: Client, state: CheckState, *, address: str, make: Callable[[], Client],
        workers: int | None = None, **more: Any,
    ) -> None:  # fmt: skip
        super().__init__(client, state, **more)
        self._ray: Any = _ray()
        self._address = address
        self._make = make
        self._count = workers
        self._name = f"anyurl-check-{secrets.token_hex(8)}"

    def __iter__(self) -> Iterator[Checked]:
        """As in `Run`."""
        ray = self._ray
        try:
            with chdir(os.path.abspath(os.sep)):  # Ray's workers import from the folder that is current here
                ray.init(address=self._address, ignore_reinit_error=True, log_to_driver=False, logging_level="error")
        except Exception as error:  # Ray and its dependencies raise many types
            raise ConnectionLost(f"There is no Ray cluster at {self._address}: {reason_of(error)}.") from None
        count = self._count or max(1, int(ray.cluster_resources().get("CPU", 1)))
        # Without a processor of its own a worker begins on a busy cluster, and again on the machines that are left: it
        # waits for servers nearly all the time. Two calls at once: it answers `is_there` while it checks.
        options = {"num_cpus": 0, "max_concurrency": 2, "scheduling_strategy": "SPREAD"}
        kind = ray.remote(max_restarts=MAX_RESTARTS, max_task_retries=MAX_RESTARTS, **options)(ClusterWorker)
        self._workers = [
            kind.remote(self._make, f"{self._name}-{number}", self._limit, tuple(self._accept))
            for number in range(count)
        ]
        self._chunks = [0] * count
        try:
            yield from super().__iter__()
            left = [worker.forget.remote(chunk) for worker, chunk in zip(self._workers, self._chunks, strict=True)]
            ray.wait(left, num_returns=count, timeout=SILENCE)  # one that is lost now has nothing to tell any more
        except ray.exceptions.RayError as error:
            raise ConnectionLost(f"The cluster at {self._address} lost a worker: {reason_of(error)}.") from None
        finally:
            for worker in self._workers:
                ray.kill(worker)

    def _round(self, ways: tuple[int, int], verb: Verb) -> Iterator[Checked]:
        if ways[1] == READ:
            yield from super()._round((READ, READ), verb)
            return
        items = self._targets((STAT, OPEN))
        waiting: list[deque[CheckItem]] = [deque() for _ in self._workers]
        under_way: dict[Any, tuple[int, dict[int, URL]]] = {}
        count, is_read = 0, False
        while True:
            while not is_read and count < MAX_WAITING:
                item = next(items, None)
                if item is None:
                    is_read = True
                    break
                waiting[self._worker_of(item.url)].append(item)
                count += 1
            yield from self._take_told()
            busy = {number for number, _ in under_way.values()}
            for number, those in enumerate(waiting):
                if those and number not in busy:
                    sent = [those.popleft() for _ in range(min(CHUNK, len(those)))]
                    count -= len(sent)
                    under_way[self._send(number, sent)] = number, {each.number: each.url for each in sent}
            if not under_way:
                return
            done = self._wait(under_way)
            _, urls = under_way.pop(done)
            for number, way, finding in self._ray.get(done):
                self._batch.append((number, way, finding))
                self.pace.done += 1
                yield Checked(number, urls[number], finding)
            self._flush()

    def _wait(self, under_way: dict[Any, tuple[int, dict[int, URL]]]) -> Any:
        """The next chunk that is done.

        Raises:
            ConnectionLost: A worker does not answer.
        """
        while True:
            done, _ = self._ray.wait(list(under_way), num_returns=1, timeout=SILENCE)
            if done:
                return done[0]
            asked = {self._workers[number].is_there.remote(): number for number, _ in under_way.values()}
            _, silent = self._ray.wait(list(asked), num_returns=len(asked), timeout=PATIENCE)
            if silent:
                numbers = ", ".join(str(asked[each] + 1) for each in silent)
                raise ConnectionLost(
                    f"Of the {len(self._workers)} workers of the cluster at {self._address} these have not answered "
                    f"for {PATIENCE:.0f} s: {numbers}. What is known is recorded, and the check can be resumed."
                )

    def _worker_of(self, url: URL) -> int:
        host = url.host or url.scheme
        domain = registered_domain(host, extra="cluster", what="Sharing out hosts") or host
        return zlib.crc32(domain.encode()) % len(self._workers)

    def _send(self, number: int, items: list[CheckItem]) -> Any:
        self._chunks[number] += 1
        return self._workers[number].check.remote(self._chunks[number], [as_sent(each) for each in items])


def as_sent(item: CheckItem) -> Sent:
    """The form of a URL for a worker: without password, since the worker may be on another machine."""
    return item.number, to_text(item.url), item.origin.as_dict()


QUIET = "RAY_DEDUP_LOGS_SKIP_REGEX"
"""Ray writes log messages of workers to standard output, into the command's output, unless they match this pattern."""


def _ray() -> Any:
    given = os.environ.get(QUIET)
    os.environ[QUIET] = given or "."
    try:
        import ray
    except ImportError:
        raise MissingExtraError("A cluster needs Ray: pip install 'anyurl[cluster]'.", extra="cluster") from None
    finally:  # Ray reads it once, at import
        if given is None:
            del os.environ[QUIET]
        else:
            os.environ[QUIET] = given
    return ray
