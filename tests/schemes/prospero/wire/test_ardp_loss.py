"""A connection over a way that loses, doubles and reorders datagrams in both directions, on a virtual clock.

Rule: nothing waits. The two sides are the real ones, `wire.ardp.Call` and the server of the world; each run has a
seed of its own, so that a run that fails can be repeated.
"""

from __future__ import annotations

import heapq
import itertools
import sys

import pytest

from anyurl.errors import TransferError
from anyurl.schemes.prospero.wire.ardp import PATIENCE, Call
from anyurl.schemes.prospero.wire.server import Answer, ProsperoServer
from anyurl.world.prospero import Troubles

RUNS = 1000
CLIENT = ("127.0.0.1", 40000)
WAY = {"lost": 0.3, "doubled": 0.1, "held": 0.2, "delay": 0.02, "hold": 0.3}


class Run:
    """One request and its reply.

    Attributes:
        reply: What arrived.
        seconds: How long it took, on the virtual clock.
        sent: Datagrams that the client sent.
        longest: The longest time between two transmissions of the client while nothing came in.
        error: What it ended with, or None.
    """

    def __init__(self, seed: int, request: bytes, reply: bytes, *, lost: float = 0.3) -> None:
        there, back = (Troubles(**{**WAY, "lost": lost}, seed=2 * seed + way) for way in (0, 1))
        server = ProsperoServer(lambda asked: Answer(reply if asked == request else b"another request"))
        call = Call(seed % 65535 + 1, request, 0.0)
        events: list[tuple[float, int, str, bytes]] = []
        order = itertools.count()
        self.reply, self.seconds, self.sent, self.longest = b"", 0.0, 0, 0.0
        self.error: TransferError | None = None
        quiet_since = now = 0.0
        while not call.done:
            try:
                datagrams = call.due(now)
            except TransferError as error:
                self.error = error
                break
            if datagrams:
                self.longest, quiet_since = max(self.longest, now - quiet_since), now
            self.sent += len(datagrams)
            for datagram in datagrams:
                for delay in there.fate():
                    heapq.heappush(events, (now + delay, next(order), "server", datagram))
            if not events or events[0][0] > call.next_at:
                now = call.next_at
                continue
            now, _, to, datagram = heapq.heappop(events)
            if to == "client":
                call.feed(datagram, now)
                self.reply += call.take()
                quiet_since = now
                continue
            for answer in server.reply(CLIENT, datagram):
                for delay in back.fate():
                    heapq.heappush(events, (now + delay, next(order), "client", answer))
        self.seconds = now


LISTING = b"".join(b"LINK  L FILE item-%04d INTERNET-D LOCALHOST ASCII '/pfs/demo/big/item-%04d' 0\n" % (n, n) for n in
                   range(600))  # fmt: skip

SIZES = [
    (b"VERSION 5\nSTATUS\n", b"one packet\n"),
    (b"VERSION 5\nSTATUS\n", LISTING[:12_000]),  # ten packets: within a window
    (b"LIST '' COMPONENTS " + b"x" * 5_000 + b"\n", b"A request of five packets\n"),
    (b"VERSION 5\nLIST '' COMPONENTS\n", LISTING),  # 38 packets: three windows
]


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    return [Run(seed, *SIZES[seed % len(SIZES)]) for seed in range(RUNS)]


def test_every_run_is_complete_and_none_past_the_deadline(runs: list[Run], capsys: pytest.CaptureFixture[str]) -> None:
    wrong = [seed for seed, run in enumerate(runs) if run.error or run.reply != SIZES[seed % len(SIZES)][1]]
    assert wrong == []
    assert max(run.seconds for run in runs) <= PATIENCE
    lines = [f"ARDP, {RUNS:,} runs, 30 % lost each way, 10 % doubled, 20 % held back:"]
    for index, (request, reply) in enumerate(SIZES):
        its = runs[index :: len(SIZES)]
        times = sorted(run.seconds for run in its)
        lines.append(
            f"  {len(request):5,} octets asked, {len(reply):6,} answered: all of {len(its)} complete; seconds: "
            f"median {times[len(its) // 2]:.1f}, 99 % {times[len(its) * 99 // 100]:.1f}, longest {times[-1]:.1f}; "
            f"{sum(run.sent for run in its) / len(its):.1f} datagrams sent"
        )
    with capsys.disabled():
        sys.stdout.write("\n" + "\n".join(lines) + "\n")


def test_the_interval_is_never_above_four_seconds(runs: list[Run]) -> None:
    assert max(run.longest for run in runs) == pytest.approx(4.0)


def test_on_a_good_way_nothing_is_repeated() -> None:
    for request, reply in SIZES:
        run = Run(1, request, reply, lost=0.0)
        windows = (len(reply) - 1) // 1250 // 16
        assert (run.reply, run.error) == (reply, None)
        assert run.sent <= (len(request) - 1) // 1250 + 1 + 4 * windows


def test_nothing_arrives_and_the_time_is_over() -> None:
    run = Run(1, *SIZES[0], lost=1.0)
    assert (run.seconds, str(run.error)) == (60.0, "the server did not answer within 60 seconds, asked 17 times.")
