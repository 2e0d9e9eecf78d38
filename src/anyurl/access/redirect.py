"""RedirectChain: one URL on its way to its resource, through every URL that it is led on to.

Rule: each hop is a new dialogue, judged anew with the provenance of the peer that named it (`anyurl.guard.hops`). Notes
travel with it to the final resource. A URL whose scheme has a gateway is led there by a hop of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from anyurl.access.gateways import GATEWAY, NO_GATEWAYS, Gateways
from anyurl.access.resource import Hop
from anyurl.dialogue import Dialogue, Emit, Follow, Options, Verb
from anyurl.errors import AnyURLError
from anyurl.guard import hops
from anyurl.net.provenance import named_by
from anyurl.schemes import registry
from anyurl.url import URL
from anyurl.values import CONFIGURATION, USER, Provenance

if TYPE_CHECKING:
    from anyurl.net.scheduler import Scheduler
    from anyurl.net.task import FindSecret, Source, Task


class RedirectChain:
    """The dialogues that one call needs, one after the other.

    Attributes:
        task: The dialogue under way.
        history: The hops made.
        error: What ended the chain between two dialogues, or None.
    """

    __slots__ = (
        "url",
        "task",
        "history",
        "error",
        "notify",
        "_scheduler",
        "_verb",
        "_options",
        "_source",
        "_secret",
        "_eager",
        "_gateways",
        "_notes",
    )

    def __init__(
        self,
        scheduler: Scheduler,
        url: URL,
        verb: Verb,
        options: Options,
        source: Source | None = None,
        ask_secret: FindSecret | None = None,
        eager: bool = False,
        notify: Callable[[], None] | None = None,
        gateways: Gateways = NO_GATEWAYS,
        came_from: Provenance = USER,
    ) -> None:
        """Raises AnyURLError when the first dialogue can't even begin."""
        self.url: URL = url
        self.history: list[Hop] = []
        self.error: AnyURLError | None = None
        self.notify: Callable[[], None] | None = notify
        self._scheduler = scheduler
        self._verb: Verb = verb
        self._options = options
        self._source = source
        self._secret = ask_secret
        self._eager = eager
        self._gateways = gateways
        self._notes: Sequence[str] = ()
        self.task: Task = self._start(url, came_from)

    def _start(self, url: URL, came_from: Provenance) -> Task:
        policy, notes = self._scheduler.policy, self._notes
        if not came_from.own:
            url, note = hops.without_login(url, came_from)
            if note is not None:
                notes = [*notes, note]
            if self._source is not None or self._options.answers:
                policy.judge_content(url, came_from).check()
        locator = None
        if self._gateways is not NO_GATEWAYS:
            locator = self._gateways.lead(url, self._verb, policy, came_from)
        if locator is not None:
            self.history.append(Hop(url, GATEWAY, False))
            url, came_from = locator, CONFIGURATION
        bare = url if url.fragment is None else url.without_fragment()
        self.task = self._scheduler.start(
            bare, partial(_dialogue, bare, self._verb, self._options), came_from,
            self._source, self._secret, self._eager, self.notify, "search" if self._verb == "search" else "listing",
        )  # fmt: skip
        if notes:
            self.task.notes[:0] = notes
        return self.task

    def arrived(self) -> bool:
        """Whether the resource is described, or all is over; hops that are due are made."""
        while self.error is None:
            task = self.task
            if not task.done or task.error is not None or task.follow is None:
                return task.done or task.described is not None
            try:
                self._hop(task, task.follow)
            except AnyURLError as error:
                self.error = error
        return True

    def _hop(self, task: Task, follow: Follow) -> None:
        self.history.append(Hop(task.url, follow.reason, follow.permanent))
        hops.refuse_circle(follow.url, [hop.url for hop in self.history], self._scheduler.policy.limits.redirects)
        self._notes = task.notes
        self._start(follow.url, named_by(task, "redirect"))

    def check(self) -> None:
        """Raise what ended the chain, if it was an error.

        Raises:
            AnyURLError: Why there is no resource.
        """
        if self.error is not None:
            raise self.error
        if self.task.error is not None and self.task.described is None:
            raise self.task.error

    def drop(self) -> None:
        """Give up."""
        self._scheduler.drop(self.task)


def _dialogue(url: URL, verb: Verb, options: Options) -> Dialogue:
    dialogue = registry.verb(url, verb)(url, options)
    return dialogue if options.limit is None else _at_most(dialogue, options.limit)


def _at_most(dialogue: Dialogue, left: int) -> Dialogue:
    """The same, over when more results come than are wanted: only some indexes can be told how many that are."""
    answer: Any = None
    error: AnyURLError | None = None
    try:
        while True:
            try:
                ask = dialogue.send(answer) if error is None else dialogue.throw(error)
            except StopIteration as end:
                follow: Follow | None = end.value
                return follow
            if isinstance(ask, Emit) and not isinstance(ask.content, bytes):
                if len(ask.content) > left:
                    if left:
                        yield from Emit(ask.content[:left])
                    return None
                left -= len(ask.content)
            answer = error = None
            try:
                answer = yield ask
            except AnyURLError as problem:
                error = problem
    finally:
        dialogue.close()
