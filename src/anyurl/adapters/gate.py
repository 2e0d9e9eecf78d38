"""Gate: applies one policy to another client's URLs and look-ups, with their origins.

Rule: the client's reading of a URL is not trusted: anyurl's must give the same host and port, or the URL is refused.
Verdicts on a caller's own URLs are cached, but none on a login or a hop.
"""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from anyurl.errors import AnyURLError, RefusedError, TransferTimeout, URLSyntaxError, Verdict
from anyurl.guard import hops
from anyurl.guard.addresses import forms, scope
from anyurl.guard.decisions import Decisions
from anyurl.guard.policy import Policy
from anyurl.guard.verdict import Decision, refused
from anyurl.net.loop.judged import MAX_JUDGED
from anyurl.net.wire.connect import SocketOption, connect
from anyurl.net.wire.peers import same_address
from anyurl.url import URL, syntax
from anyurl.url.arguments import checked
from anyurl.url.masking import mask
from anyurl.values import USER, Provenance

R = TypeVar("R", bound=RefusedError)

SHORTEST_ATTEMPT = 2.0
"""Seconds that an address gets at least while others wait: Go's dialler has the same (net.Dialer, saneMinimum)."""

_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
"""Characters that some readers drop and others encode: two of them would not read the same URL."""

_UP_TO_AUTHORITY = re.compile(r"[^/?#]*//[^/?#]*")
"""Scheme and authority (RFC 3986 3): the rest leads nowhere else."""


_SOCKET_SCHEMES = {"ws": "http", "wss": "https"}
"""A WebSocket begins as a request of http (RFC 6455 1.2, 3): it is judged as that."""

_RELATIVE = re.compile(r"(?![/\\]{2})[^\\:/?#]*(?:[/?#]|\Z)")
"""How a reference without a scheme and without an authority begins (RFC 3986 4.2), to every reader: some take a
backslash for a slash."""


class Referral:
    """Who named the requested URL.

    Attributes:
        origin: Who it was.
        aim: Where a redirection leads by our own reading; None without a redirection.
        fault: Why it leads nowhere, or None.
        elsewhere: Whether the caller's logins, cookies and certificates are withheld (`anyurl.adapters.hop`): it is
            another origin, an earlier hop led to another one, or a server wrote its own login.
    """

    __slots__ = ("origin", "aim", "fault", "elsewhere")

    def __init__(self, origin: Provenance, aim: URL | None = None, fault: str | None = None) -> None:
        self.origin: Provenance = origin
        self.aim: URL | None = aim
        self.fault: str | None = fault
        self.elsewhere: bool = not origin.own if aim is None else not _is_for_the_same(aim, origin)


def _is_for_the_same(aim: URL, origin: Provenance) -> bool:
    return hops.may_use_secrets(aim, origin) and (aim.raw_user is None or aim.user == origin.user)


OWN = Referral(USER)
"""The caller's own."""

REFERRAL: ContextVar[Referral] = ContextVar("anyurl_referral", default=OWN)
"""Who named the requested URL: set around a request, for the calls below it."""

HOST: ContextVar[str] = ContextVar("anyurl_host", default="")
"""The host that is being connected to, where a client hands on no more than an address."""

PEER: ContextVar[str | None] = ContextVar("anyurl_peer", default=None)
"""The address of the last peer in this thread or task: a redirection comes from there."""


class Gate:
    """Judges the actions of one client.

    Args:
        policy: None is `Policy.untrusted`.
        on_verdict: Called with each decision, before a refusal is raised.

    Attributes:
        policy: By which is judged.
        decisions: Reports each decision.
        places: Of the caller's own, as the client has read them: those that `check` has allowed.
    """

    @checked
    def __init__(self, policy: Policy | None = None, on_verdict: Callable[[Decision], object] | None = None) -> None:
        self.policy: Policy = Policy.untrusted() if policy is None else policy
        self.decisions: Decisions = Decisions(on_verdict)
        self.places: set[Hashable] = set()
        self._own: set[str] = set()
        self._endpoints: set[tuple[str, int, str]] = set()

    @property
    def on_verdict(self) -> Callable[[Decision], object] | None:
        """Called with each decision, before a refusal is raised."""
        return self.decisions.on_verdict

    def knows(self, text: str, referral: Referral = OWN) -> bool:
        """Whether `check` has allowed this place already: a client reads the same text in the same way."""
        # A cached text has neither a path nor a query: nothing else can precede the slash.
        end = text.find("/", text.find("//") + 2)
        head = text if end < 0 else text[:end]
        return referral is OWN and head in self._own and text.isprintable()

    @staticmethod
    def is_relative(text: str) -> bool:
        """Whether every reader resolves the text against its base, which is judged instead."""
        return _RELATIVE.match(text) is not None and text.isprintable() and not text[:1].isspace()

    def check(
        self, text: str, host: str, port: int | None, referral: Referral = OWN, *, place: Hashable = None,
        carries: bool = False,
    ) -> None:  # fmt: skip
        """Judge a URL that a client is about to request.

        Args:
            text: As the client writes it.
            host: The host that the client reads.
            port: The port that the client reads.
            place: The client's key for scheme, login, host and port: it is in `places` once it was allowed.
            carries: A content goes with it, or it changes something.

        Raises:
            RefusedError: The policy refuses it, it is not a URL, or the client reads another host or port in it.
        """
        head = self._head(text, referral)
        if referral is not OWN:
            self._check_aim(head, host, port, referral)
        url = self._read(head, referral)
        self._keep(self.policy.judge_url(url, referral.origin), url, origin=referral.origin)
        if carries:
            self._keep(self.policy.judge_content(url, referral.origin), url, origin=referral.origin)
        self._compare(url, host, port, referral)
        if referral is OWN and "@" not in head:
            _remember(self._own, head)
            if place is not None:
                _remember(self.places, place)

    def _check_aim(self, head: str, host: str, port: int | None, referral: Referral) -> None:
        if referral.fault is not None:
            self._refuse("no-url", referral.fault, head, referral)
        if referral.aim is not None:
            self._compare(referral.aim, host, port, referral)
            if _http_scheme(referral.aim.scheme) != _http_scheme(head.partition(":")[0].lower()):
                self._refuse("host-unclear", referral.aim.host or "", head, referral)

    def _compare(self, url: URL, host: str, port: int | None, referral: Referral) -> None:
        if not _same_host(url.host or "", host) or url.port != port:
            self._refuse("host-unclear", url.host or "", str(url), referral)

    def read(self, text: str) -> URL:
        """The place that a text names, without path. Raises RefusedError if it is not a URL."""
        return self._read(self._head(text))

    def admit(self, text: str) -> None:
        """Judge the caller's own text, without the client's reading of it. Raises RefusedError."""
        url = self.read(text)
        self._keep(self.policy.judge_url(url), url)

    def _head(self, text: str, referral: Referral = OWN) -> str:
        """The part of a text that determines where it leads. Raises RefusedError for control characters anywhere."""
        if _CONTROLS.search(text):
            self._refuse("no-url", "it has control characters", text, referral)
        found = _UP_TO_AUTHORITY.match(text)
        return text if found is None else found[0]

    def _read(self, head: str, referral: Referral = OWN) -> URL:
        scheme, colon, rest = head.partition(":")
        http = _SOCKET_SCHEMES.get(scheme.lower())
        try:
            return URL((head if http is None else http + colon + rest) + "/")
        except URLSyntaxError as error:
            self._refuse("no-url", str(error).rstrip("."), head, referral)
            raise AssertionError("a refusal is raised") from error

    def judge(
        self, addresses: Iterable[str], port: int, scheme: str, came_from: Provenance = USER, host: str = ""
    ) -> None:
        """Judge every address of a host. Raises RefusedError."""
        for address in addresses:
            verdict = self.policy.judge_address(address, port, scheme, came_from, host)
            what = f"{host or address} port {port} at {address}"
            self._keep(verdict, what, address=address, origin=came_from)

    def connect(
        self, host: str, port: int, scheme: str, referral: Referral, timeout: float | None = None,
        local_address: tuple[str, int] | None = None, socket_options: Iterable[SocketOption] = (),
    ) -> socket.socket:  # fmt: skip
        """A connection to a host of a URL that `check` has allowed. Raises as `anyurl.connect`."""
        endpoint = host, port, scheme
        if referral is OWN and local_address is None and endpoint in self._endpoints:
            try:
                return self._connect_again(endpoint, timeout, socket_options)
            except TransferTimeout:
                raise
            except OSError:  # the full attempt below reports it, as an error of the tree
                pass
        with self.hearing(host, port, referral.origin):
            sock = connect(
                host, port, scheme=scheme, policy=self.policy, came_from=referral.origin, timeout=timeout,
                local_address=local_address, socket_options=socket_options,
            )  # fmt: skip
        if referral is OWN and sock.getpeername()[0] == host:
            _remember(self._endpoints, endpoint)
        return sock

    def _connect_again(
        self, endpoint: tuple[str, int, str], timeout: float | None, socket_options: Iterable[SocketOption]
    ) -> socket.socket:
        """A repeated connection to the caller's own address: there is no name to look up, and the policy would judge
        the address and port as before."""
        host, port, _ = endpoint
        limit = self.policy.limits.connect
        seconds = limit if timeout is None else min(limit, timeout)
        sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        try:
            for option in socket_options:
                sock.setsockopt(*option)
            sock.settimeout(seconds)
            sock.connect((host, port))
            if not same_address(sock.getpeername()[0], host):
                raise self.refuse_answerer(host)
        except TimeoutError:
            sock.close()
            text = f"Connecting to {host} port {port} took longer than {seconds:g} seconds."
            raise TransferTimeout(text, clock="connect", stage="connect") from None
        except BaseException:
            sock.close()
            raise
        sock.settimeout(None)
        return sock

    def redirected(self, text: str, location: str, address: str | None, referral: Referral) -> Referral:
        """The target of a redirection, by anyurl's reading, and its origin.

        Args:
            text: The URL that was redirected.
            location: The target as the server wrote it.
            address: Of the server; None if unknown.
            referral: Who named the URL that was redirected.
        """
        from anyurl.schemes.http.answers import aim_of

        url = self.read(text)
        origin = hops.named_by(url, "redirect", None if address is None else scope(address), referral.origin)
        try:
            location = location.encode("latin-1").decode("utf-8", "surrogateescape")
        except UnicodeError:
            pass
        try:
            return Referral(origin, aim_of(url, location.strip(" \t")))
        except AnyURLError as error:
            return Referral(origin, fault=str(error).rstrip("."))

    def refuse_proxy(self, kind: type[R]) -> R:
        """A proxy looks names up itself and connects anywhere: no address could be judged."""
        refusal = kind(
            "Refused: behind a proxy the address of the connection can't be judged; only the proxy itself could "
            "apply a policy.",
            code="proxy",
        )
        return self.told(refusal, "A request by a proxy")

    def refuse_answerer(self, address: str) -> RefusedError:
        """Another address answered."""
        refusal = RefusedError(
            f"The connection to {address} was answered by another address: nothing was sent.",
            code="peer",
            subject=address,
        )
        return self.told(refusal, f"A connection to {address}", address)

    @contextmanager
    def hearing(self, host: str, port: int, origin: Provenance) -> Iterator[None]:
        """Report refusals of anyurl's look-up and connection in this block."""
        try:
            yield
        except RefusedError as error:
            subject = error.verdict.subject
            self.decisions.pass_on(error.verdict, f"{host} port {port}", subject if forms(subject) else None, origin)
            _name_redirecting(error, origin)
            raise

    def _keep(
        self, verdict: Verdict, what: str | URL, *, address: str | None = None, origin: Provenance = USER
    ) -> None:
        """Report a decision and enforce it. Raises RefusedError."""
        try:
            self.decisions.keep(verdict, what, address=address, origin=origin)
        except RefusedError as error:
            _name_redirecting(error, origin)
            raise

    def told(self, refusal: R, url: str, address: str | None = None) -> R:
        """The same refusal, after reporting it like one of the policy."""
        self.decisions.tell(refusal.verdict, url, address=address)
        return refusal

    def attempts(self, addresses: Sequence[str], timeout: float | None) -> Iterator[tuple[str, float]]:
        """The addresses, each with the seconds that it may take, within the time for all of them."""
        limit = self.policy.limits.connect
        deadline = time.monotonic() + (limit if timeout is None else min(limit, timeout))
        for number, address in enumerate(addresses):
            left = deadline - time.monotonic()
            if number and left <= 0:
                return
            yield address, min(left, max(SHORTEST_ATTEMPT, left / (len(addresses) - number)))

    def _refuse(self, code: str, subject: str, text: str, referral: Referral) -> None:
        verdict = refused(code, subject, policy=self.policy.name, remedies=self.policy.remedies)
        self._keep(verdict, mask(text), origin=referral.origin)


def _name_redirecting(error: RefusedError, origin: Provenance) -> None:
    """Add to a refusal which server led there: the caller has never seen the URL that is refused."""
    place = hops.place(origin)
    text = str(error)
    if origin.who == "redirect" and place not in text:
        error.args = (f"Refused: {place} redirects there: {text.removeprefix('Refused: ')}",)


def written(url: object) -> Any:
    """The text of an `anyurl.URL`, which no client knows; anything else unchanged."""
    return str(url) if isinstance(url, URL) else url


def carries(method: str, fields: Mapping[str, Any]) -> bool:
    """Whether a request has a content, or changes something."""
    has_content = fields.get("Content-Length", "0") != "0" or "Transfer-Encoding" in fields
    return has_content or method.upper() not in hops.SAFE_METHODS


def refuse_options(options: Iterable[str], closed: Iterable[str], what: str) -> None:
    """Raises ValueError for an option of a client that would bypass the guard."""
    for name in closed:
        if name in options:
            raise ValueError(f"a guarded {what} has no {name}: its requests would bypass the guard")


def _remember(known: set[Any], one: Hashable) -> None:
    if len(known) >= MAX_JUDGED:
        known.clear()
    known.add(one)


def _http_scheme(scheme: str) -> str:
    return _SOCKET_SCHEMES.get(scheme, scheme)


def default_port(scheme: str | None) -> int | None:
    """Where a URL without a port leads."""
    row = syntax.ROWS.get(scheme or "")
    return None if row is None else row.port


@contextmanager
def in_referral(referral: Referral, host: str = "") -> Iterator[None]:
    """Connections in this block have this origin and host."""
    tokens = REFERRAL.set(referral), HOST.set(host)
    try:
        yield
    finally:
        REFERRAL.reset(tokens[0])
        HOST.reset(tokens[1])


def _same_host(ours: str, theirs: str) -> bool:
    """Whether two readers mean the same host."""
    one, other = ours.lower(), theirs.lower().removeprefix("[").removesuffix("]")
    if one == other:
        return True
    found, again = forms(one), forms(other)
    return bool(found) and [(form.bits, form.number) for form in found] == [(form.bits, form.number) for form in again]
