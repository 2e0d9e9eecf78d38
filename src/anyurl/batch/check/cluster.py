"""Cluster: one check on several machines, by Ray (the extra ``cluster``).

Rule: the URLs of a registered domain are in one share, which one task of Ray checks with a client of its own, so that
the limits of its hosts hold. What a lost task had not told is shared out again. Pages are read here, and no password
leaves this machine.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import chdir, closing
from itertools import islice
from typing import Any

from anyurl.access import Client
from anyurl.batch.check.links import from_text, to_text
from anyurl.batch.check.outcome import Finding
from anyurl.batch.check.rests import StoredRests
from anyurl.batch.check.run import FLUSH_SECONDS, Checked, Run, way_of
from anyurl.batch.check.state import BATCH, OPEN, READ, STAT, CheckItem, CheckState
from anyurl.batch.check.table import findings, shard_of
from anyurl.dialogue import Verb
from anyurl.errors import ConnectionLost, MissingExtraError
from anyurl.errors.reasons import reason_of
from anyurl.values import Provenance

AT_ONCE = 500_000
"""URLs that are shared out at once: some 280 MB while they wait. The last end before the next are shared out."""

LOSSES = 5
"""How often in a row the tasks may be lost without any finding."""

SILENCE = 30.0
"""Seconds without any finding after which Ray is asked for lost machines: it notices within a minute."""

PATIENCE = 600.0
"""Seconds of silence after which the check ends: twice the longest rest that a server is granted."""

QUIET = "RAY_DEDUP_LOGS_SKIP_REGEX"
"""Ray writes log messages of tasks into the command's output, unless they match this pattern."""

Share = list[tuple[int, str, Provenance]]
"""For each URL its number, its stored form, which has no password, and who named it."""

KeptRests = list[tuple[str, int, float, float, str]]
"""The hosts that want to be left alone (`CheckState.rests`)."""

Told = tuple[list[tuple[int, Finding]], KeptRests]
"""Numbers of URLs and their outcomes, and what a task knows of hosts that want to be left alone."""


class ClusterRun(Run):
    """A running check on a cluster.

    Args:
        client: Reads pages for their links and fragments.
        state: As for `Run`, like the other arguments.
        address: The address of the cluster; ``auto`` for the one that this machine belongs to.
        make: Makes the client of a task, with the argument `rests`.
        workers: The number of shares; None means one per processor of the cluster.

    Raises:
        MissingExtraError: Ray is not installed.
        ConnectionLost: There is no cluster, or it loses its tasks before anything is known.
    """

    def __init__(
        self, client: Client, state: CheckState, *, address: str, make: Callable[..., Client],
        workers: int | None = None, **more: Any,
    ) -> None:  # fmt: skip
        super().__init__(client, state, **more)
        is_given = QUIET in os.environ
        os.environ.setdefault(QUIET, ".")
        try:
            import ray
        except ImportError:
            text = "A cluster needs Ray: in a clone of anyurl, pip install '.[cluster]'."
            raise MissingExtraError(text, extra="cluster") from None
        finally:  # Ray reads it once, at import, and no other program is to
            if not is_given:
                del os.environ[QUIET]
        self._ray: Any = ray
        self._address = address
        self._make = make
        self._workers = workers

    def __iter__(self) -> Iterator[Checked]:
        """As in `Run`."""
        try:
            with chdir(os.path.abspath(os.sep)):  # Ray's tasks import from the folder that is current here
                self._ray.init(self._address, ignore_reinit_error=True, log_to_driver=False, logging_level="error")
        except Exception as error:  # Ray and its dependencies raise many types
            raise ConnectionLost(f"There is no Ray cluster at {self._address}: {reason_of(error)}.") from None
        try:
            yield from super().__iter__()
        except self._ray.exceptions.RayError as error:
            raise self._lost(f"was lost: {reason_of(error)}") from None

    def _round(self, ways: tuple[int, int], verb: Verb) -> Iterator[Checked]:
        if ways[1] == READ:
            yield from super()._round((READ, READ), verb)
            return
        pending = {item.number: item for item in islice(self._targets((STAT, OPEN)), AT_ONCE)}
        yield from self._take_told()
        losses = 0
        while pending:
            if losses == LOSSES:
                raise self._lost(f"lost its tasks {LOSSES} times before any of them reported a result")
            losses += 1
            for number, finding in self._found(pending):
                losses = 0
                item = pending.pop(number)
                self._note(item, way_of(item.url), finding)
                self.pace.done += 1
                yield Checked(number, item.url, finding)

    def _found(self, pending: dict[int, CheckItem]) -> Iterator[tuple[int, Finding]]:
        """The findings of the tasks, as they arrive; the rest of a lost task stays pending."""
        ray = self._ray
        # Without a processor of its own a task begins on a busy cluster: it waits for servers nearly all the time.
        task = ray.remote(num_cpus=0, max_retries=0, scheduling_strategy="SPREAD")(check_share)
        count = self._workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        shares: dict[int, Share] = {}
        for item in pending.values():
            share = shares.setdefault(shard_of(item.url.host or item.url.scheme, count), [])
            share.append((item.number, to_text(item.url), item.origin))
        lost, silent = self._lost_machines(), 0.0
        rests = self._state.rests()
        running = [task.remote(self._make, share, rests, self._limit, self._accept) for share in shares.values()]
        try:
            while running:
                ready, _ = ray.wait(running, timeout=SILENCE, fetch_local=False)
                silent = 0.0 if ready else silent + SILENCE
                if silent >= PATIENCE:
                    raise self._lost(f"reported nothing for {PATIENCE:.0f} s")
                if silent and self._lost_machines() > lost:  # a machine without network ends no task for minutes
                    return
                for each in ready:
                    try:
                        told, rests = ray.get(next(each))
                        StoredRests(self._state).merge(rests)
                        yield from told
                    except (StopIteration, ray.exceptions.RayError):
                        running.remove(each)
        finally:
            for each in running:
                ray.cancel(each, force=True)

    def _lost_machines(self) -> int:
        return sum(not node["Alive"] for node in self._ray.nodes())

    def _lost(self, how: str) -> ConnectionLost:
        return ConnectionLost(
            f"The cluster at {self._address} {how}. The findings so far are recorded, and the check can be resumed."
        )


def check_share(
    make: Callable[..., Client], share: Share, rests: KeptRests, limit: int, accept: frozenset[int]
) -> Iterator[Told]:
    """Check the URLs of a share; findings are returned in batches."""
    links = ((from_text(text), origin) for _, text, origin in share)
    told: list[tuple[int, Finding]] = []
    since = time.monotonic()
    state = CheckState(None, "", resume=False, now=time.time())
    state.keep_rests(rests)
    with closing(state), make(rests=StoredRests(state)) as client:
        for rows, finding in findings(links, client, limit=limit, accept=accept):
            told += [(share[row][0], finding) for row in rows]
            if len(told) >= BATCH or time.monotonic() - since > FLUSH_SECONDS:
                yield told, state.rests()
                told, since = [], time.monotonic()
        yield told, state.rests()
