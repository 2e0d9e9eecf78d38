"""Prompts that only the caller can answer: passwords, and consent to messages in the user's name.

Rule: only True means consent. Inside an event loop an awaitable answer is awaited, and the clocks of the transfer are
stopped meanwhile: the peer must not time out because a person is slow.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from anyurl.dialogue import AskSecret, Consent, Secret
from anyurl.errors import AnyURLError, RefusedError, escape
from anyurl.net.loop.provenance import may_use_secrets
from anyurl.net.loop.stream import PARKED
from anyurl.net.loop.task import Task

if TYPE_CHECKING:
    from anyurl.net.loop.scheduler import Scheduler

QUESTIONS = {"form": "Send the answers of this form to {url}?", "delivery": "Send this in your name to {url}?"}
"""The question for an act whose dialogue does not supply one."""

NOT_KEPT = "No password of .netrc was used for {host}: only your own URLs get one, and those there that they lead to."


class Prompts:
    """The questions of one scheduler to its caller."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler

    def secret(self, task: Task, ask: AskSecret) -> Any:
        """Ask for a password: see `AskSecret`."""
        if task.ask_secret is None:
            return None
        kept = ask.kept and may_use_secrets(task.parties, ask.host, self._scheduler.configured)
        if ask.kept and not kept and self._scheduler.policy.netrc:
            task.stream.note(NOT_KEPT.format(host=escape(ask.host)))
        answer = self._scheduler.loop.call_out(task.ask_secret, ask.host, ask.user, ask.kind, kept, ask.by_person)
        return self._understood(task, answer, partial(_check_secret, task))

    def consent(self, task: Task, ask: Consent) -> Any:
        """Ask for consent: see `Consent`."""
        policy, url, came_from = self._scheduler.policy, task.parties.url, task.parties.came_from
        if ask.act == "form":
            verdict = policy.judge_form(url)
        else:
            verdict = policy.judge_delivery(url, came_from)
        self._scheduler.decisions.keep(verdict, url, origin=came_from)
        consent = self._scheduler.ask_consent
        if consent is None:
            raise RefusedError(
                "Nothing was sent, because sending in your name needs your consent. Pass ask_consent, a function that "
                "shows the question to a person, or anyurl.consent_to_all to consent to everything.",
                code="consent",
                subject=url.scheme,
            )
        question = ask.question or QUESTIONS[ask.act].format(url=escape(url.masked))
        return self._understood(task, self._scheduler.loop.call_out(consent, question), _check_consent)

    def _understood(self, task: Task, answer: Any, check: Callable[[object], Any]) -> Any:
        """The checked answer, or PARKED until it arrives."""
        scheduler = self._scheduler
        if scheduler.await_answer is None or not isinstance(answer, Awaitable):
            return check(answer)
        scheduler.clocks.hold(task)

        def answered(result: Callable[[], object]) -> None:
            task.release(waiting)
            scheduler.clocks.release(task)
            try:
                value = check(result())
            except AnyURLError as error:
                scheduler.resume(task, None, error)
            except Exception as problem:  # raised by the caller's function
                scheduler.fail(task, problem)
            else:
                scheduler.resume(task, value, None)

        waiting = scheduler.await_answer(answer, answered)
        task.hold(waiting)
        return PARKED


def _check_consent(answer: object) -> None:
    """Raises RefusedError for a no, and TypeError for other types: the text "no" is truthy, and so is a coroutine."""
    if answer is True:
        return
    if answer is False or answer is None:
        raise RefusedError("Nothing was sent: the answer was no.", code="consent")
    raise _wrong("ask_consent answers True or False", answer)


def _check_secret(task: Task, answer: object) -> Secret | None:
    """Raises TypeError for an answer of another type."""
    if answer is None:
        return None
    if isinstance(answer, Secret):
        task.stream.add_secret(answer)
        return answer
    raise _wrong("ask_secret answers a Secret or None", answer)


def _wrong(taken: str, answer: object) -> TypeError:
    close = getattr(answer, "close", None)
    if not callable(close):
        return TypeError(f"{taken}, not {type(answer).__name__}")
    close()  # a coroutine that would never be awaited
    return TypeError(f"{taken}, not {type(answer).__name__}; only AsyncClient awaits answers")
