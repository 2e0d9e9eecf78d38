"""Signals: where code that is compiled lets Python hear them.

Rule: this file is never compiled. Python runs the handlers of signals that have come when it begins a function of its
own; compiled code alone would go from one wait to the next and never hear a Ctrl-C that did not interrupt one.
"""

from __future__ import annotations


def hear() -> None:
    """Let the handlers of signals run. Raises what they raise, such as KeyboardInterrupt."""
