"""Signals are heard in a function of Python's own; tests/net/test_loop.py has the loop that calls it."""

from __future__ import annotations

from pathlib import Path

from anyurl.net import signals


def test_it_is_never_compiled() -> None:
    """Compiled, it would let nothing be heard."""
    assert Path(signals.__file__).suffix == ".py"
    signals.hear()
