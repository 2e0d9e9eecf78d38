"""RedirectChain: follows one URL to its resource, through all redirects.

Rule: each hop is a new dialogue, judged with the provenance of the peer that named it (`anyurl.guard.hops`). Notes are
passed on to the final resource. A URL with a gateway reaches it by a hop of its own. A dialogue with a transient
failure is retried (`anyurl.client.retries`), as long as the consumer has received nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from anyurl.dialogue import Dialogue, Follow, Login, Options, Resume, Secret, Verb
from anyurl.errors import AnyURLError, ConnectionLost, RefusedError, RemoteProtocolError, ReplyError, UnsupportedError
from anyurl.errors.log import LOADED, listener, record
from anyurl.errors.reasons import exhaustion_translated, in_the_tree
from anyurl.guard import hops
from anyurl.net.loop.provenance import Parties, named_by
from anyurl.net.loop.stream import no_answer
from anyurl.net.loop.task import RequestBudget
from anyurl.schemes import registry
from anyurl.url import URL
from anyurl.url.syntax import WEB
from anyurl.values import CONFIGURATION, USER, Provenance, Value, Who

if TYPE_CHECKING:
    from anyurl.client.cookies import Exchange
    from anyurl.client.gateways import Gateways, Lead
    from anyurl.dialogue.http import HttpOptions
    from anyurl.net.loop.loop import Timer
    from anyurl.net.loop.scheduler import Scheduler
    from anyurl.net.loop.stream import Stream
    from anyurl.net.loop.task import Crowd, FindSecret, Source
    from anyurl.warc.known_secrets import KnownSecrets
    from anyurl.warc.recorder import WarcRecorder


WHOLE = "the transfer starts from the beginning, so that the archive records the whole resource"
"""The note for a resume that is not done: otherwise the archive would hold the rest as if it were the resource."""


Route: TypeAlias = tuple[URL, Provenance, Sequence[str]]
"""A URL to begin with, who named it, and notes."""


class Hop(Value):
    """One redirect on the way to the resource.

    Attributes:
        url: The URL that redirected.
        reason: The reason: ``301``, ``prospero link``.
        permanent: Whether the URL should be replaced by the next one.
    """

    url: URL
    reason: str
    permanent: bool


class RedirectChain:
    """The dialogues that one call needs, one after the other.

    Attributes:
        stream: What the current dialogue gives.
        history: The hops made.
        error: The error that ended the chain between two dialogues, or None.
    """

    __slots__ = (
        "url",
        "stream",
        "history",
        "error",
        "notify",
        "_cookie",
        "_exchange",
        "_own",
        "_led",
        "_asked",
        "_scheduler",
        "_verb",
        "_options",
        "_source",
        "_secret",
        "_eager",
        "_gateways",
        "_lead",
        "_stands_for",
        "_notes",
        "_retries",
        "_patient",
        "_crowd",
        "_budget",
        "_way_made",
        "_pausing",
        "_attempts",
        "_said",
        "_known",
        "_login",
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
        gateways: Gateways | None = None,
        retries: int = 0,
        patient: bool = False,
        crowd: Crowd | None = None,
        budget: RequestBudget | None = None,
    ) -> None:
        """Nothing is started yet.

        Args:
            retries: The number of retries after transient failures.
            patient: One of many parallel transfers: it waits until its host accepts another one.
            crowd: The `map` that it belongs to.
            budget: The requests that may be sent to its URL; each URL that it redirects to gets as many anew.
        """
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
        self._lead: Lead | None = None
        self._stands_for: URL | None = None
        self._notes: Sequence[str] = ()
        self._said: Sequence[str] = ()
        self._known: KnownSecrets | None = None
        self._login: Login | None = None
        self._exchange: Exchange | None = None
        self._retries = retries
        self._patient = patient
        self._crowd = crowd
        self._budget = budget
        self._way_made = False
        self._pausing: Timer | None = None
        self._cookie = False
        self._attempts = 0
        self._led: tuple[str, str] | None = None
        self._asked: list[tuple[str, URL]] = []
        self._own = True
        self.stream: Stream

    def start(self, came_from: Provenance = USER, begun_by_user: bool | None = None) -> RedirectChain:
        """Start the first dialogue. Raises AnyURLError if it can't start.

        Args:
            came_from: Who named the URL.
            begun_by_user: Whether the first URL of the chain was the user's own; None if this URL is the first.
        """
        self._own = came_from.own if begun_by_user is None else begun_by_user
        try:  # as `exhaustion_translated`, whose calls each request would pay for
            self._begin(self._routed(self.url, came_from))
        except Exception as problem:
            error = in_the_tree(problem)
            if error is problem:
                raise
            raise error from problem
        return self

    def _routed(self, url: URL, came_from: Provenance, lead: Lead | None = None) -> Route:
        """The URL to begin with, itself or that of its gateway, who named it, and notes; judged with what is sent.

        Args:
            lead: Its route through a gateway, if already known.
        """
        policy, notes = self._scheduler.policy, self._notes
        if not came_from.own:
            url, note = hops.without_login(url, came_from)
            if note is not None:
                notes = self._said = [*notes, note]
            http = self._options.http
            if self._source is not None or self._options.answers or (http is not None and http.acts):
                self._scheduler.decisions.keep(policy.judge_content(url, came_from), url, origin=came_from)
        if lead is not None:
            lead.judge(policy, self._scheduler.decisions)
        elif self._gateways is not None:
            lead = self._gateways.lead(url, self._verb, policy, came_from, self._options, self._scheduler.decisions)
        self._lead = lead
        if lead is not None:
            self.history += [Hop(self._echoing(each), hops.GATEWAY, False) for _, each in lead.steps]
            self._stands_for = lead.original
            url, came_from = self._echoing(lead.url), CONFIGURATION
        return url if url.fragment is None else url.without_fragment(), came_from, notes

    def _begin(self, route: Route, after: Stream | None = None) -> None:
        """Begin a dialogue with a URL, with what may be sent to it.

        Args:
            after: The dialogue that it goes on with, in the rest of its time.
        """
        bare, came_from, notes = route
        options, lead = self._options, self._lead
        if options.archive is not None and options.resume is not None and options.resume.start:
            options, notes = options.replace(resume=Resume(0)), [*notes, WHOLE]
        if options.http is not None:
            options, notes = self._http_options(options.http, bare, came_from, notes)
        origin, secret = came_from, self._secret
        if lead is not None and not lead.own:
            origin, secret = lead.came_from, None
        if options.logins is not None:
            from anyurl.client.logins import login_for

            login, note = login_for(options.logins, bare, origin)
            options, notes = options.replace(login=login), notes if note is None else [*notes, note]
            self._login = login
        cookies = None
        if options.jar is not None and (lead is None or not lead.is_proxied):
            from anyurl.client.cookies import exchange

            cookies, note = exchange(options.jar, bare, origin, self._own)
            notes = notes if note is None else [*notes, note]
        self._exchange = cookies
        verb = self._verb
        if verb == "search" and hops.GATEWAY in [hop.reason for hop in self.history]:
            verb = "get"  # the locator contains the words
        recorder, known = None, self._known_for(bare, options)
        if known is not None and options.archive is not None:
            from anyurl.warc.recorder import recorder_for

            hops_made = [hop.url for hop in self.history]
            recorder = recorder_for(bare, verb, options, self._scheduler, came_from, hops_made, known)
        # On the web, a listing's URLs are named by a page; elsewhere by a directory, a menu or a group.
        lists: Who = "listing"
        if self._verb == "search":
            lists = "search"
        elif self._verb == "list" and bare.scheme in hops.PAGES:
            lists = "document"
        self._said = notes
        if self._budget is not None and bare.scheme not in WEB:
            self._budget.take()  # those of the web are counted as they are sent
        self.stream = self._scheduler.start(
            Parties(bare, came_from, origin, self._stands_for, lists),
            partial(_dialogue, bare, verb, options, cookies, lead, recorder, known),
            self._source, secret, self._eager, self.notify, notes, self._patient, self._crowd, self._budget, after,
        )  # fmt: skip

    def _known_for(self, url: URL, options: Options) -> KnownSecrets | None:
        """The secrets of the chain, which its output must not show; None without trace, archive and log."""
        told = options.trace is not None or options.archive is not None
        if not (told or ("logging" in LOADED and listener("access") is not None)):
            return None
        known = self._known
        if known is None:
            known = self._known = _new_known_secrets()
        known.know_login(url)
        known.know(*self._of_proxies, None if options.login is None else options.login.secret)
        return known

    @property
    def _of_proxies(self) -> Sequence[Secret]:
        proxies = self._scheduler.connector.proxies
        return () if proxies is None else proxies.secrets

    def _learned(self, stream: Stream) -> KnownSecrets | None:
        """The secrets that this dialogue and those before it may have sent; None if there were none."""
        http, login, url = self._options.http, self._login, stream.parties.url
        fields = () if http is None or not http.secret_names else http.fields
        cookies, of_proxies = () if self._exchange is None else self._exchange.secrets, self._of_proxies
        if self._known is None:
            if not (fields or cookies or of_proxies or stream.secrets or login is not None or url.raw_password):
                return None
            self._known = _new_known_secrets()
        known = self._known
        known.know_login(url)
        known.know_fields(fields)
        known.know(*stream.secrets, *cookies, *of_proxies, None if login is None else login.secret)
        return known

    def _echoing(self, url: URL) -> URL:
        return url if self._known is None else self._known.echoing(url)

    def _hide_secrets(self, error: BaseException) -> None:
        """Mask secrets that a server wrote into an answer that the error quotes."""
        known = self._learned(self.stream)
        if known is not None:
            _mask(error, known.field)

    def _http_options(
        self, http: HttpOptions, url: URL, came_from: Provenance, notes: Sequence[str]
    ) -> tuple[Options, Sequence[str]]:
        """The options of a request to this URL, with credentials only where the hop rule allows them.

        Raises:
            UnsupportedError: Its scheme is not http or https.
        """
        if url.scheme not in WEB:
            named = url.masked if came_from.own else f"{url.masked}, to which {hops.place(came_from)} leads,"
            raise UnsupportedError(
                f"{named} is not an HTTP request: method, header fields and the like are for http and https.",
                scheme=url.scheme,
                verb=self._verb,
            )
        names = http.secret_names
        # Credentials that were given for the requested URL are never sent to a gateway.
        if not names or (self._lead is None and hops.may_use_secrets(url, came_from)):
            return self._options, notes
        fields = "fields were" if len(names) > 1 else "field was"
        place = hops.place(came_from)
        note = hops.SECRETS_DROPPED.format(names=", ".join(names), fields=fields, url=url.masked, origin=place)
        return self._options.replace(http=http.without_secrets()), [*notes, note]

    def arrived(self) -> bool:
        """Whether the resource is described or the chain has ended; makes the hops that are due."""
        while self.error is None:
            stream = self.stream
            try:
                if not stream.done or stream.follow is None:
                    if stream.error is not None and (self._retries or stream.refused):
                        return not self._will_retry(stream, stream.error)
                    if stream.refused:
                        return not self._will_ask_again(stream)
                    return stream.done or stream.described is not None
                self._hop(stream, stream.follow)
            except Exception as problem:
                error = in_the_tree(problem)
                if not isinstance(error, AnyURLError):
                    raise
                if stream.follow is not None:
                    error.strange = (self._echoing(stream.follow.url),)
                self.error = error
        return True

    def _hop(self, stream: Stream, follow: Follow) -> None:
        known, url, led = self._learned(stream), follow.url, stream.parties.url
        if known is not None:
            url = known.echoing(url)
        self.history.append(Hop(led, follow.reason, follow.permanent))
        self._cookie = self._cookie or follow.cookie
        self._led = here, there = led.masked, url.masked
        record("access", "%s leads to %s (%s).", here, there, follow.reason)
        past, limit = [hop.url for hop in self.history], self._scheduler.policy.limits.redirects
        kept = self._options.jar is not None
        self._asked.append((self._method(), led))
        self._notes = stream.notes
        self._leave_words(follow, url)
        if follow.reason.isdigit() and (self._source is not None or self._options.http is not None):
            self._change_method(follow, url)
        asked = self._asked.count((self._method(), url))
        hops.refuse_circle(url, past, limit, asked=asked, cookie=self._cookie, cookies_kept=kept)
        if self._budget is not None:
            self._budget = RequestBudget(self._budget.most)
        self._redirect(stream, url)

    def _redirect(self, stream: Stream, url: URL) -> None:
        """Follow a redirect; redirects by a gateway keep the origin of the requested URL."""
        parties, lead, stays = stream.parties, self._lead, False
        origin = named_by(parties, "redirect")
        onward = None if lead is None else lead.onward(url, origin)
        if onward is not None:
            self._begin(self._routed(onward.original, origin, onward), stream)
            return
        if parties.stands_for is not None and url.scheme != parties.stands_for.scheme:
            # A web URL from a gateway: the gateway's private address justifies only URLs on its own server.
            led = parties.url
            stays = (url.scheme, url.host, url.port) == (led.scheme, led.host, led.port)
            came_from = parties.came_from if lead is None else lead.came_from
            origin = hops.named_by(led, "redirect", parties.peer_scope if stays else origin.scope, came_from)
        if not stays:
            self._stands_for = None
        self._begin(self._routed(url, origin), stream)

    def _method(self) -> str:
        http = self._options.http
        return str(self._verb if http is None else http.method)

    def _leave_words(self, follow: Follow, url: URL) -> None:
        """Search words stay with the server that they were written for.

        A redirect names the complete next request, its query included. An index that has moved (Gopher+, Prospero) gets
        the words at the same origin only. Attack: a server gets words that were meant for another one, as the answer to
        a question that the user has not seen.
        """
        moved_near = not follow.reason.isdigit() and url.origin == self.history[-1].url.origin
        if self._verb == "search" and not moved_near and hops.GATEWAY not in [hop.reason for hop in self.history]:
            self._verb = "list"
            self._options = self._options.replace(words="")
            if not follow.reason.isdigit():
                note = f"The index has moved to {url.masked}: another server, which did not get the words."
                self._notes = [*self._notes, note]

    def _change_method(self, follow: Follow, url: URL) -> None:
        """Adapt the method and content to a redirect. Raises ReplyError if the content can't be sent again."""
        http = self._options.http
        # `put` never changes its method: a 303 ends it, and is not followed.
        if http is not None and (after := hops.method_after(http.method, int(follow.reason))) != http.method:
            self._options = self._options.replace(http=http.without_content(after))
            self._source = None
        elif self._source is not None:
            if not self._source.can_rewind:
                raise ReplyError(
                    f"The server redirects the upload to {url.masked}, but the content can't be read again from "
                    "its start.",
                    code=int(follow.reason),
                )
            self._source.rewind()

    def _will_ask_again(self, stream: Stream) -> bool:
        """Whether an empty document is a refused connection, so that a retry is scheduled."""
        from anyurl.client.retries import SILENT_DOORS

        may_ask = self._pausing is not None or self._attempts < SILENT_DOORS
        return may_ask and self._will_retry(stream, no_answer(stream.parties))

    def _will_retry(self, stream: Stream, error: BaseException) -> bool:
        """Whether a retry of the failed dialogue is scheduled."""
        if self._pausing is not None:
            return True
        # The consumer already has a described document, unless it is read eagerly.
        if self._source is not None or (stream.described is not None and not self._eager):
            return False
        http = self._options.http
        if self._verb in ("put", "append") or self._options.answers or (http is not None and http.acts):
            return False  # nothing that changes something is sent twice
        if self._budget is not None and (
            not self._budget.left or (self._verb == "stat" and isinstance(error, ConnectionLost))
        ):
            return False  # a counted request is for a document whose attributes are not reported
        self._way_made = self._way_made or stream.way_made
        from anyurl.client.retries import pause_before_retry

        pause = pause_before_retry(
            self._scheduler,
            stream,
            error,
            self._attempts,
            self._retries,
            self._patient,
            self._way_made,
            self._verb,
        )
        if pause is None:
            return False
        self._attempts += 1
        self._hide_secrets(error)
        record("access", "%s is tried again in %.3g s: %s", stream.parties.url.masked, pause, str(error))
        self._pausing = self._scheduler.loop.after(pause, self._retry)
        return True

    def _retry(self) -> None:
        self._pausing = None
        failed, parties = self.stream, self.stream.parties
        try:
            with exhaustion_translated():
                self._begin((parties.url, parties.came_from, failed.notes), failed)
        except AnyURLError as error:
            self.error = error
            if self.notify is not None:
                self.notify()

    def check(self) -> None:
        """Raise the error that ended the chain, if any, with the remarks of earlier hops as notes.

        Raises:
            AnyURLError: Why there is no resource.
        """
        stream = self.stream
        error = self.error or (stream.error if stream.described is None else None)
        if error is None:
            return
        if self._led is not None and isinstance(error, RefusedError):
            _name_target(error, *self._led)
        self._hide_secrets(error)
        record("access", "%s of %s failed: %s", self._verb, stream.parties.url.masked, str(error))
        for note in self._said:  # something that was dropped on the way may be the cause
            if note not in getattr(error, "__notes__", ()):
                error.add_note(note)
        raise error

    def again(self, resume: Resume, notify: Callable[[], None] | None = None) -> RedirectChain:
        """A new chain for the rest of the resource, directly to the URL where it was found."""
        url, came_from = self.stream.parties.url, self.stream.parties.came_from
        gateways: Gateways | None = None
        if self._lead is not None:
            url, came_from, gateways = self._lead.original, self._lead.came_from, self._gateways
        return RedirectChain(
            self._scheduler, url, self._verb, self._options.replace(resume=resume), None, self._secret, False,
            notify, gateways, self._retries,
        ).start(came_from, self._own)  # fmt: skip

    def drop(self) -> None:
        """Give up."""
        if self._pausing is not None:
            self._pausing.cancel()
            self._pausing = None
        self.stream.close()


def _new_known_secrets() -> KnownSecrets:
    from anyurl.warc.known_secrets import KnownSecrets  # most chains have no secrets, and are not recorded

    return KnownSecrets()


def _name_target(error: RefusedError, origin: str, target: str) -> None:
    """Add the target of a redirect to a refusal that lacks it: an address alone does not identify the URL."""
    error.target = target
    text = str(error)
    if target not in text:
        error.args = (f"Refused: {origin} leads to {target}: {text.removeprefix('Refused: ')}",)


def _mask(error: BaseException, shown: Callable[[str], str]) -> None:
    """Mask secrets that a server wrote into an answer that is quoted."""
    error.args = tuple(shown(each) if isinstance(each, str) else each for each in error.args)
    if isinstance(error, ReplyError):
        error.text = shown(error.text)
    elif isinstance(error, RemoteProtocolError):
        error.sample = shown(error.sample)
    if notes := getattr(error, "__notes__", None):
        notes[:] = map(shown, notes)


def _dialogue(
    url: URL,
    verb: Verb,
    options: Options,
    cookies: Exchange | None,
    lead: Lead | None,
    recorder: WarcRecorder | None,
    known: KnownSecrets | None,
) -> Dialogue:
    dialogue = registry.verb(url, verb, options.reader)(url, options) if lead is None else lead.begin(verb, options)
    if cookies is not None:
        dialogue = cookies.over(dialogue)
    if known is not None and options.trace is not None:
        from anyurl.client.trace import Teller

        dialogue = Teller(options.trace, known).over(dialogue)
    if known is not None and (logger := listener("access")) is not None:  # most programs do not listen
        from anyurl.client.trace import Recorder

        dialogue = Recorder(url, verb, logger, known).over(dialogue)
    if recorder is not None:  # outside the tracers: it asks for relayed content, which they would show
        dialogue = recorder.over(dialogue)
    if options.limit is not None:
        from anyurl.dialogue.interceptors import AtMost

        dialogue = AtMost(options.limit).over(dialogue)
    return dialogue
