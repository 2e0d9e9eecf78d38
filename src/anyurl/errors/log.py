"""Log records of the library, by the loggers below ``anyurl``.

Rule: logging is free unless the program has imported `logging`; this module never imports it first. Refusals, and
mistakes that a program should correct, are WARNINGs; all other records have the level DEBUG, so nothing is printed
unasked. URLs are masked, and no error quotes a password.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from logging import Logger

    from anyurl.errors import Verdict
    from anyurl.values import Provenance

ROOT = "anyurl"

LOADED = sys.modules
"""Tells whether the program has imported `logging`."""

_LOGGERS: dict[str, Logger] = {}


def listener(room: str, level: int = 10) -> Logger | None:
    """The logger ``anyurl.ROOM`` if it is enabled for this level, else None."""
    if "logging" not in LOADED:
        return None
    logger = _LOGGERS.get(room)
    if logger is None:
        import logging  # another thread may be loading it: this waits for it

        root = logging.getLogger(ROOT)
        if not root.handlers:
            root.addHandler(logging.NullHandler())
        logger = _LOGGERS[room] = logging.getLogger(f"{ROOT}.{room}")
    return logger if logger.isEnabledFor(level) else None


def record(room: str, text: str, *values: object) -> None:
    """Make a record of the level DEBUG, as `logging.Logger.debug` does."""
    logger = listener(room)
    if logger is not None:
        logger.debug(text, *values, stacklevel=2)


def warning(room: str, text: str, *values: object) -> None:
    """Make a record of the level WARNING: the program most likely does not mean what it says."""
    logger = listener(room, 30)
    if logger is not None:
        logger.warning(text, *values, stacklevel=3)


class Masked(Protocol):
    """An object that is logged without its password (`anyurl.URL`)."""

    @property
    def masked(self) -> str:
        """Its text without the password."""
        ...


def judged(verdict: Verdict, what: str | Masked, *, address: str | None, origin: Provenance) -> None:
    """Record a decision of the guard about a text or a URL.

    A refusal is a WARNING; its record also has the fields ``url``, ``code``, ``address``, ``origin``.
    """
    level = 10 if verdict.allowed else 30
    logger = listener("guard", level)
    if logger is not None:
        text = what if isinstance(what, str) else what.masked
        fields: dict[str, object] = {"url": text, "code": verdict.code, "address": address, "origin": origin.who}
        fields["allowed"] = verdict.allowed
        begin = "%s: %s." if verdict.allowed else "%s is refused: %s."
        logger.log(level, begin, text, verdict.message, stacklevel=2, extra=fields)
