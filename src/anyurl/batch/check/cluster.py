"""Cluster: one check on several machines, by Ray (the extra ``cluster``).

Rule: the URLs of a registered domain are in one share, which one task of Ray checks with a client of its own, so that
the limits of its hosts hold. Ray starts the tasks and delivers their findings at once; the rest of a lost task is
shared out again. Pages are read here, and no password or login leaves this machine.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import chdir
from itertools import islice
from typing import TYPE_CHECKING, Any

from anyurl.batch.check.links import from_text, to_text
from anyurl.batch.check.outcome import Finding
from anyurl.batch.check.run import FLUSH_SECONDS, Checked, Run, way_of
from anyurl.batch.check.state import BATCH, OPEN, READ, STAT, CheckState
from anyurl.batch.check.table import findings, shard_of
from anyurl.errors import ConnectionLost, MissingExtraError
from anyurl.errors.reasons import reason_of
from anyurl.values import Provenance

if TYPE_CHECKING:
    from anyurl.access import Client
    from anyurl.dialogue import Verb

AT_ONCE = 500_000
"""URLs that are shared out at once: some 200 MB. The last of them end before the next are shared out."""

LOSSES = 5
"""How often in a row the tasks may be lost without any finding."""

SILENCE = 30.0
"""Seconds without any finding after which Ray is asked for lost machines: it notices within a minute."""

PATIENCE = 600.0
"""Seconds of silence after which the check ends: twice the longest rest that a server is granted."""


Sent = tuple[int, str, dict[str, object]]
"""The number of a URL, its stored form without a password, and who named it."""

Told = tuple[int, str, Finding]
"""The number of a URL, its stored form, and its outcome."""


class ClusterRun(Run):
    """A running check on a cluster.

    Args:
        client: Reads pages for their links and fragments.
        state: As for `Run`, like the other arguments.
        address: The address of the cluster; ``auto`` for the one that this machine belongs to.
        make: Makes the client of a task.
        workers: The number of shares; None means one per processor of the cluster.

    Raises:
        MissingExtraError: Ray is not installed.
        ConnectionLost: There is no cluster, or it loses its tasks before anything is known.
    """

    def __init__(
        self, client: Client, state: CheckState, *, address: str, make: Callable[[], Client],
        workers: int | None = None, **more: Any,
    ) -> None:  # fmt: skip
        super().__init__(client, state, **more)
        self._ray: Any = _ray()
        self._address = address
        self._make = make
        self._workers = workers

    def __iter__(self) -> Iterator[Checked]:
        """As in `Run`."""
        try:
            with chdir(os.path.abspath(os.sep)):  # Ray's tasks import from the folder that is current here
                self._ray.init(
                    address=self._address, ignore_reinit_error=True, log_to_driver=False, logging_level="error"
                )
        except Exception as error:  # Ray and its dependencies raise many types
            raise ConnectionLost(f"There is no Ray cluster at {self._address}: {reason_of(error)}.") from None
        try:
            yield from super().__iter__()
        except self._ray.exceptions.RayError as error:
            raise ConnectionLost(f"The cluster at {self._address} was lost: {reason_of(error)}.") from None

    def _round(self, ways: tuple[int, int], verb: Verb) -> Iterator[Checked]:
        if ways[1] == READ:
            yield from super()._round((READ, READ), verb)
            return
        pending = {
            item.number: (item.number, to_text(item.url), item.origin.as_dict())
            for item in islice(self._targets((STAT, OPEN)), AT_ONCE)
        }
        yield from self._take_told()
        losses = 0
        while pending:
            if losses == LOSSES:
                raise self._lost(f"lost its tasks {LOSSES} times before any of them reported a result")
            losses += 1
            for told in self._found(self._shares(pending.values())):
                for number, text, finding in told:
                    losses = 0
                    del pending[number]
                    url = from_text(text)
                    self._batch.append((number, way_of(url), finding))
                    self.pace.done += 1
                    yield Checked(number, url, finding)
                self._flush()

    def _shares(self, pending: Iterable[Sent]) -> list[list[Sent]]:
        count = self._workers or max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        shares: list[list[Sent]] = [[] for _ in range(count)]
        for sent in pending:
            url = from_text(sent[1])
            shares[shard_of(url.host or url.scheme, count)].append(sent)
        return [share for share in shares if share]

    def _found(self, shares: list[list[Sent]]) -> Iterator[list[Told]]:
        """The findings of the tasks, as they arrive; the rest of a lost task stays pending."""
        ray = self._ray
        # Without a processor of its own a task begins on a busy cluster: it waits for servers nearly all the time.
        options = {"num_cpus": 0, "max_retries": 0, "num_returns": "streaming", "scheduling_strategy": "SPREAD"}
        task = ray.remote(**options)(check_share)
        lost = self._lost_machines()
        under_way = [task.remote(self._make, share, self._limit, tuple(self._accept)) for share in shares]
        silent = 0.0
        try:
            while under_way:
                ready, _ = ray.wait(under_way, timeout=SILENCE, fetch_local=False)
                silent = 0.0 if ready else silent + SILENCE
                if not ready:
                    if self._lost_machines() > lost:  # its tasks say so in minutes only, if its network is silent
                        return
                    if silent >= PATIENCE:
                        raise self._lost(f"reported nothing for {PATIENCE:.0f} s")
                    continue
                try:
                    yield ray.get(next(ready[0]))
                except (StopIteration, ray.exceptions.RayError):
                    under_way.remove(ready[0])
        finally:
            for each in under_way:
                ray.cancel(each, force=True)

    def _lost_machines(self) -> int:
        return sum(not node["Alive"] for node in self._ray.nodes())

    def _lost(self, how: str) -> ConnectionLost:
        return ConnectionLost(
            f"The cluster at {self._address} {how}. The findings so far are recorded, and the check can be resumed."
        )


def check_share(
    make: Callable[[], Client], share: list[Sent], limit: int, accept: Collection[int]
) -> Iterator[list[Told]]:
    """Check the URLs of a share; findings are returned in batches."""
    links = ((from_text(text), Provenance.from_dict(origin)) for _, text, origin in share)
    told: list[Told] = []
    since = time.monotonic()
    with make() as client:
        for rows, finding in findings(links, client, limit=limit, accept=accept):
            told += [(*share[row][:2], finding) for row in rows]
            if len(told) >= BATCH or time.monotonic() - since > FLUSH_SECONDS:
                yield told
                told, since = [], time.monotonic()
    yield told


QUIET = "RAY_DEDUP_LOGS_SKIP_REGEX"
"""Ray writes log messages of tasks to standard output, into the command's output, unless they match this pattern."""


def _ray() -> Any:
    given = os.environ.get(QUIET)
    os.environ[QUIET] = given or "."
    try:
        import ray
    except ImportError:
        raise MissingExtraError(
            "A cluster needs Ray: in a clone of anyurl, pip install '.[cluster]'.", extra="cluster"
        ) from None
    finally:  # Ray reads it once, at import
        if given is None:
            del os.environ[QUIET]
        else:
            os.environ[QUIET] = given
    return ray
