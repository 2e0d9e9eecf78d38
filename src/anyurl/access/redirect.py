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
from anyurl.errors import AnyURLError, ReplyError, UnsupportedError
from anyurl.guard import hops
from anyurl.net.provenance import named_by
from anyurl.schemes import registry
from anyurl.url import URL
from anyurl.values import CONFIGURATION, USER, Provenance

if TYPE_CHECKING:
    from anyurl.dialogue.http import HttpOptions
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
            http = self._options.http
            if self._source is not None or self._options.answers or (http is not None and http.acts):
                policy.judge_content(url, came_from).check()
        locator = None
        if self._gateways is not NO_GATEWAYS:
            locator = self._gateways.lead(url, self._verb, policy, came_from)
        if locator is not None:
            self.history.append(Hop(url, GATEWAY, False))
            url, came_from = locator, CONFIGURATION
        bare = url if url.fragment is None else url.without_fragment()
        options = self._options
        if options.http is not None:
            options, notes = self._http_options(options.http, bare, came_from, notes)
        self.task = self._scheduler.start(
            bare, partial(_dialogue, bare, self._verb, options), came_from,
            self._source, self._secret, self._eager, self.notify, "search" if self._verb == "search" else "listing",
        )  # fmt: skip
        if notes:
            self.task.notes[:0] = notes
        return self.task

    def _http_options(
        self, http: HttpOptions, url: URL, came_from: Provenance, notes: Sequence[str]
    ) -> tuple[Options, Sequence[str]]:
        """The options of a request to this URL: a credential goes where the hop rule lets it go.

        Raises:
            UnsupportedError: Its scheme has no such requests.
        """
        if url.scheme not in hops.WEB:
            raise UnsupportedError(
                f"{url.masked} is no HTTP request: method, header fields and the like are for http and https.",
                scheme=url.scheme,
                verb=self._verb,
            )
        names = http.secret_names
        if not names or hops.may_use_secrets(url, came_from):
            return self._options, notes
        note = hops.SECRETS_DROPPED.format(names=", ".join(names), url=url.masked, origin=hops.place(came_from))
        return self._options.replace(http=http.without_secrets()), [*notes, note]

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
        if (self._source is not None or self._options.http is not None) and follow.reason.isdigit():
            self._change_method(follow)
        self._start(follow.url, named_by(task, "redirect"))

    def _change_method(self, follow: Follow) -> None:
        """What a redirection makes of the request. Raises ReplyError when its content can't be sent once more."""
        http = self._options.http
        method = "PUT" if http is None or self._verb == "put" else http.method
        after = hops.method_after(method, int(follow.reason))
        if after != method and http is not None:
            self._options = self._options.replace(http=http.without_content(after))
            self._source = None
        elif self._source is not None:
            if not self._source.can_rewind:
                raise ReplyError(
                    f"The server wants the content at {follow.url.masked}, and it can't be read again from its start.",
                    code=int(follow.reason),
                )
            self._source.rewind()

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
