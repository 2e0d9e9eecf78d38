"""What few dialogues need, loaded by those that do.

Rule: each in a function of its own, so that a process without descriptors gets an error of the tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anyurl._typing import TYPE_CHECKING, Any
from anyurl.reasons import loads_late

if TYPE_CHECKING:
    from anyurl.access.cookies import CookieJar, Exchange
    from anyurl.access.known_secrets import KnownSecrets
    from anyurl.access.warc.recorder import WarcRecorder
    from anyurl.dialogue import Login, Options, Verb
    from anyurl.dialogue.interceptors import AtMost
    from anyurl.net.scheduler import Scheduler
    from anyurl.net.task import Task
    from anyurl.url import URL
    from anyurl.values import Provenance


@loads_late
def login(logins: Mapping[str, Login], url: URL, origin: Provenance) -> tuple[Login | None, str | None]:
    """The login for a request, and a note. As `anyurl.access.logins.login_for`."""
    from anyurl.access.logins import login_for

    return login_for(logins, url, origin)


@loads_late
def cookies(jar: CookieJar, url: URL, origin: Provenance, own: bool) -> tuple[Exchange | None, str | None]:
    """The cookies of a request, and a note. As `anyurl.access.cookies.exchange`."""
    from anyurl.access.cookies import exchange

    return exchange(jar, url, origin, own)


@loads_late
def recorder(
    url: URL,
    verb: Verb,
    options: Options,
    scheduler: Scheduler,
    came_from: Provenance,
    history: Sequence[URL],
    secrets: KnownSecrets,
) -> WarcRecorder | None:
    """The recorder of a dialogue. As `anyurl.access.warc.recorder.recorder_for`."""
    from anyurl.access.warc.recorder import recorder_for

    return recorder_for(url, verb, options, scheduler, came_from, history, secrets)


@loads_late
def known_secrets() -> KnownSecrets:
    """The secrets of a chain of dialogues, none yet."""
    from anyurl.access.known_secrets import KnownSecrets

    return KnownSecrets()


@loads_late
def was_silent(task: Task, attempts: int) -> bool:
    """Whether an empty document may be a refused connection, of which there were not too many yet."""
    from anyurl.access.retries import SILENT_DOORS
    from anyurl.net.manners import is_unanswered

    return is_unanswered(task) and attempts < SILENT_DOORS


@loads_late
def pause(
    scheduler: Scheduler, task: Task, error: BaseException, attempts: int, retries: int, patient: bool, way_made: bool
) -> float | None:
    """Seconds until a retry. As `anyurl.access.retries.pause_before_retry`."""
    from anyurl.access.retries import pause_before_retry

    return pause_before_retry(scheduler, task, error, attempts, retries, patient, way_made)


@loads_late
def tracers() -> Any:
    """`anyurl.access.trace`."""
    from anyurl.access import trace

    return trace


@loads_late
def at_most(limit: int) -> AtMost:
    """What ends a listing after so many entries."""
    from anyurl.dialogue.interceptors import AtMost

    return AtMost(limit)
