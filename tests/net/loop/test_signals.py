"""Signals are heard in a function of Python's own; tests/net/loop/test_loop.py has the loop that calls it."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from anyurl.net.loop import signals


def test_it_is_never_compiled() -> None:
    """Compiled, it would let nothing be heard."""
    assert Path(signals.__file__).suffix == ".py"
    signals.hear()


class OfWindows(asyncio.SelectorEventLoop):
    """Its loops know no signals."""

    def add_signal_handler(self, *_: object) -> None:
        raise NotImplementedError


@pytest.mark.parametrize("kind", [asyncio.SelectorEventLoop, OfWindows])
def test_a_loop_hears_of_a_signal(kind: type[asyncio.SelectorEventLoop]) -> None:
    async def heard() -> int:
        came = asyncio.get_running_loop().create_future()
        signals.act_on(asyncio.get_running_loop(), "SIGTERM", came.set_result)
        signals.act_on(asyncio.get_running_loop(), "SIGNONE", came.set_result)  # no system has it
        os.kill(os.getpid(), signal.SIGTERM)
        return await came

    before = signal.getsignal(signal.SIGTERM)
    try:
        with asyncio.Runner(loop_factory=kind) as runner:
            assert runner.run(heard()) == signal.SIGTERM
    finally:
        signal.signal(signal.SIGTERM, before)
