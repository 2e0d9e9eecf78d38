"""Retries: which failures pass by themselves, and when a transfer is begun again.

Rule: only what can be repeated without harm, and of which the caller has got nothing: get, list, search and stat. What
a server refused because too much was asked at once is tried again without being asked, where many transfers run; all
else as often as the caller says. A wrong login is never tried twice: accounts get locked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyurl.errors import (
    AccessError,
    ConnectError,
    ConnectionLost,
    ReplyError,
    TransferTimeout,
    Truncated,
    UnavailableError,
)

if TYPE_CHECKING:
    from anyurl.net.scheduler import Scheduler
    from anyurl.net.task import Task

REFUSALS = 10
"""How often one of many transfers is begun again because its host took no more of them. Most need one or two."""

SILENT_DOORS = 3
"""How often a text without an octet is asked for again, while others of the same host are under way: a gopher server
that takes no more connections closes them, and that is also how an empty text looks."""

PASSING = frozenset((408, 429, 500, 502, 503, 504))
"""Status codes that curl's --retry takes for passing ones."""


def is_passing(error: BaseException | None) -> bool:
    """Whether the same request may succeed later."""
    if isinstance(error, ReplyError):
        return isinstance(error, UnavailableError) or error.code in PASSING
    if isinstance(error, TransferTimeout):
        return error.clock != "total"
    if isinstance(error, ConnectError):
        return error.stage == "connect"
    return isinstance(error, (ConnectionLost, Truncated))


def pause_before_retry(
    scheduler: Scheduler,
    task: Task,
    error: BaseException,
    attempts: int,
    retries: int,
    patient: bool,
    way_made: bool,
) -> float | None:
    """Seconds until a transfer that failed is begun again; None when it is not.

    Args:
        error: What it failed with.
        attempts: How often that was done already.
        retries: How often it may be done.
        patient: It is one of many: being refused costs no retry.
        way_made: Connections of ours were in its way, and have been closed; the server may not have noticed yet.
    """
    if not isinstance(error, AccessError):
        return None
    is_refused = task.refused and (patient or way_made) and attempts < REFUSALS
    if not is_refused and not (attempts < retries and is_passing(error)):
        return None
    pause = scheduler.be_mannerly().pause(task, error, attempts)
    if pause is None:
        return None
    if task.deadline is not None and scheduler.loop.now() + pause >= task.deadline:
        return None
    # The host's turns say when a patient one begins.
    return 0.0 if patient and task.refused else pause
