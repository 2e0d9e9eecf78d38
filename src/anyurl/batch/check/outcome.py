"""Outcome: the result for one URL, derived from the client's result.

Rule: the class of the error decides, which reflects the server's meaning (`anyurl.schemes.kit.meanings`). A URL is not
called broken if that is unknown: a missing login, an unsupported scheme, a busy server, a name that could not be
looked up.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Literal, TypeAlias, get_args

from anyurl.client.mapper import Result
from anyurl.errors import (
    AccessError,
    AnyURLError,
    AuthRequiredError,
    ConnectError,
    ConnectionLost,
    LimitError,
    LocalFileError,
    MissingExtraError,
    RefusedError,
    RemoteProtocolError,
    ReplyError,
    SchemeError,
    SecretNeededError,
    TransferTimeout,
    UnavailableError,
    URLSyntaxError,
    escape,
)
from anyurl.errors.reasons import EXHAUSTED, sentence_of
from anyurl.guard.hops import GATEWAY
from anyurl.net.loop.manners import was_begun
from anyurl.net.wire.channel import NO_ROUTE
from anyurl.net.wire.resolver import NO_NAME, UNANSWERED
from anyurl.values import Value

Outcome: TypeAlias = Literal["ok", "redirected", "broken", "refused", "timed-out", "deferred", "not-checkable"]
"""The outcome of a URL.

- ``ok``: it is there.
- ``redirected``: it is there, at another place.
- ``broken``: it leads nowhere, or the part of the page that it names is not there.
- ``refused``: the policy forbids it; nothing was sent.
- ``timed-out``: the server, or a name server that would know it, did not answer.
- ``deferred``: not now: the server demands a pause, or the limit of its requests is reached.
- ``not-checkable``: impossible: a login is needed, the scheme is not implemented, or this machine lacks a requirement.
"""

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
FAULTS = frozenset(("broken", "timed-out"))
"""The outcomes that make ``anyurl check`` exit with 1."""

GOOD = frozenset(("ok", "redirected"))

FAILURES = frozenset((500, 502, 504))
"""HTTP statuses of a failing server, which may recover but does not announce it (RFC 9110 15.6)."""

DOUBTFUL = frozenset((404, 410, 502, 504, 999))
"""HTTP statuses that some servers send for HEAD alone; after those of `NO_HEAD` the scheme itself sends GET."""

HARMLESS = frozenset(("parameter",))
"""Rules whose breach hides nothing: a browser leaves out the parameter in ``data:image/svg+xml;utf8,`` (MIME Sniffing
4.4)."""

OUR_OWN = frozenset((None, *EXHAUSTED))
"""The ``errno`` of a `LocalFileError` that is not about the file of a URL: a file that the client itself needs, such as
its certificates, is missing; or the process can't open any more files."""

OUT_OF_TREE = "SymbolicLink"
"""The ``error`` of targets beyond a symbolic link out of the tree, which is reported once for the link."""

NAME = "SphinxName"
"""The ``error`` of possible names of objects of a Sphinx project; many pages are full of them."""

MAX_MESSAGE = 1000
"""Characters of a message that are stored."""


class Finding(Value):
    """The outcome for one URL.

    Attributes:
        outcome: See `Outcome`.
        status: The number of the protocol's reply (404, 550), or None.
        error: The class of the error, or None.
        message: The reason, as a sentence; empty if the URL is ok.
        target: Where it redirects to, or None.
        permanent: Whether all redirects are permanent, so that the URL should be replaced.
    """

    outcome: Outcome
    status: int | None = None
    error: str | None = None
    message: str = ""
    target: str | None = None
    permanent: bool = False

    @property
    def told_once(self) -> bool:
        """Whether the reason is not about this URL alone, so that users see it once."""
        return self.error in (OUT_OF_TREE, NAME)


OK = Finding("ok")
"""The most frequent result, created once."""


def finding_of(result: Result[Any], accept: Collection[int] = ()) -> Finding:
    """The outcome for a URL that was requested.

    Args:
        accept: Status codes that are not faults.
    """
    resource = result.resource
    if result.error is not None or resource is None:
        assert result.error is not None
        return finding_on(result.error, accept)
    hops = [hop for hop in resource.history if hop.reason != GATEWAY] if resource.history else ()
    if not hops:
        return OK
    target = resource.base.masked
    permanent = all(hop.permanent for hop in hops)
    how = "for ever" if permanent else "for now"
    return Finding(
        "redirected", _number(hops[0].reason), None, f"It has moved {how} to {target}.", target, permanent
    )  # fmt: skip


def _number(text: str) -> int | None:
    return int(text) if text.isdigit() else None


def finding_on(error: AnyURLError, accept: Collection[int] = ()) -> Finding:
    """The outcome for a URL with this error."""
    status = (error.code or None) if isinstance(error, ReplyError) else None
    if status is not None and status in accept:
        return OK
    if isinstance(error, URLSyntaxError) and HARMLESS.issuperset(each.rule for each in error.diagnostics):
        return OK
    message = escape(sentence_of(error))
    if len(message) > MAX_MESSAGE:
        message = f"{message[:MAX_MESSAGE]}..."
    return Finding(_outcome(error), status, type(error).__name__, message)


def is_doubtful(error: AnyURLError | None) -> bool:
    """Whether a server may have refused the request for the attributes of a document (HEAD), and not the document."""
    if isinstance(error, ReplyError):
        return error.code in DOUBTFUL and not (isinstance(error, UnavailableError) and error.retry_after is not None)
    return isinstance(error, ConnectionLost | RemoteProtocolError)


def _outcome(error: AnyURLError) -> Outcome:
    if not was_begun(error):
        return "deferred"
    if isinstance(error, ReplyError):
        if error.meaning == "directory":
            return "ok"
        if isinstance(error, UnavailableError):
            return "broken" if error.code in FAILURES and error.retry_after is None else "deferred"
        return "not-checkable" if isinstance(error, AuthRequiredError) else "broken"
    if isinstance(error, RefusedError):
        return "refused"
    if isinstance(error, TransferTimeout):
        return "timed-out"
    if isinstance(error, ConnectError):
        return _of_connecting(error)
    if isinstance(error, LimitError):  # an endless chain of redirects is broken
        return "broken" if error.limit == "redirects" else "not-checkable"
    if isinstance(error, SecretNeededError | SchemeError | MissingExtraError):
        return "not-checkable"
    if isinstance(error, LocalFileError) and error.errno in OUR_OWN:
        return "not-checkable"
    assert isinstance(error, AccessError | LocalFileError | AnyURLError)
    return "broken"


def _of_connecting(error: ConnectError) -> Outcome:
    if error.stage == "look-up":
        if error.errno in UNANSWERED:
            return "timed-out"
        return "broken" if error.errno in NO_NAME else "not-checkable"
    return "not-checkable" if error.errno in NO_ROUTE else "broken"


def statuses(text: str) -> range | None:
    """The status codes that a text such as ``403`` or ``200-299`` names; None if it names none."""
    first, hyphen, last = text.partition("-")
    last = last if hyphen else first
    if not (first.isascii() and first.isdigit() and last.isascii() and last.isdigit() and len(first + last) <= 6):
        return None
    found = range(int(first), int(last) + 1)
    return found if 0 < found.start < found.stop <= 1000 else None
