"""Retries: which failures are transient, and when a transfer is retried.

Rule: only verbs that are safe to repeat (get, list, search, stat) are retried, and only if the caller has received
nothing yet. Among many parallel transfers, one that a server refused because of too many requests is always retried;
all others as often as the caller allows. A wrong login is never tried twice: accounts get locked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyurl.errors import AccessError
from anyurl.errors.reasons import is_passing

if TYPE_CHECKING:
    from anyurl.dialogue import Verb
    from anyurl.net.loop.scheduler import Scheduler
    from anyurl.net.loop.stream import Stream

REFUSALS = 10
"""Retries of one of many transfers while its host accepts no more of them. Most need one or two."""

LOOKS = 1
"""The same for a look at the attributes: it is one of thousands in a check of links, and may be put off."""

SILENT_DOORS = 3
"""Retries of an empty text while other transfers from the same host are in progress: a gopher server that accepts no
more connections closes them, which looks like an empty text."""


def pause_before_retry(
    scheduler: Scheduler,
    stream: Stream,
    error: BaseException,
    attempts: int,
    retries: int,
    patient: bool,
    way_made: bool,
    verb: Verb = "get",
) -> float | None:
    """Seconds until a failed transfer is retried; None if it is not.

    Args:
        error: The failure.
        attempts: Retries made so far.
        retries: Retries allowed.
        patient: One of many transfers: being refused does not count as a retry.
        verb: The verb of the transfer.
        way_made: Our own idle connections caused the refusal and have been closed; the server may not know yet.
    """
    if not isinstance(error, AccessError):
        return None
    is_refused = stream.refused and (patient or way_made) and attempts < (LOOKS if verb == "stat" else REFUSALS)
    if not is_refused and not (attempts < retries and is_passing(error)):
        return None
    pause = scheduler.be_mannerly().pause(stream.parties.url, error, attempts)
    if pause is None:
        return None
    if stream.deadline is not None and scheduler.loop.now() + pause >= stream.deadline:
        return None
    # The host's queue determines when a patient transfer starts.
    return 0.0 if patient and stream.refused else pause
