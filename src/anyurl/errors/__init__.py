"""The tree of every error that anyurl raises deliberately, and the Diagnostic that explains an invalid URL.

    AnyURLError
    ├── URLSyntaxError (ValueError)         not a URL: .text .diagnostics
    ├── SchemeError (LookupError)
    │   ├── UnknownSchemeError              .scheme .suggestions .fix
    │   └── UnsupportedError                a known scheme that can't do that: .scheme .verb
    ├── PolicyError                         our own guard said no
    │   ├── RefusedError                    nothing was sent: .verdict
    │   ├── LimitError                      too long, too big, too many: .limit
    │   └── SecretNeededError               a password is needed and cannot be asked for
    ├── AccessError                         trying failed: .url (masked) .stage
    │   ├── ConnectError (ConnectionError)  name, route, refusal, TLS: .errno
    │   ├── TransferError
    │   │   ├── Truncated                   .received .expected
    │   │   ├── TransferTimeout (TimeoutError)  .clock
    │   │   └── ConnectionLost
    │   ├── ProtocolError
    │   │   ├── LocalProtocolError          we would have broken the protocol
    │   │   └── RemoteProtocolError         the peer broke it: .sample
    │   └── ReplyError                      the server answered no: .code .text .meaning
    │       ├── NotFoundError
    │       ├── DeniedError
    │       ├── AuthRequiredError
    │       └── UnavailableError            not now: .retry_after
    ├── LocalFileError (OSError)
    └── MissingExtraError (ImportError)     names the extra to install

Rule: every error that anyurl raises on purpose is in this tree, and no message holds a password or a control character
of a peer's. Text from a peer is a `PeerText`, which a message can only quote.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from anyurl.values import SAMPLE_LIMIT as SAMPLE_LIMIT
from anyurl.values import PeerText as PeerText
from anyurl.values import Value, plain
from anyurl.values import escape as escape

__all__ = [
    "Diagnostic", "AnyURLError", "URLSyntaxError", "SchemeError", "UnknownSchemeError", "UnsupportedError",
    "PolicyError", "RefusedError", "LimitError", "SecretNeededError", "AccessError", "ConnectError",
    "TransferError", "Truncated", "TransferTimeout", "ConnectionLost", "ProtocolError", "LocalProtocolError",
    "RemoteProtocolError", "ReplyError", "NotFoundError", "DeniedError", "AuthRequiredError", "UnavailableError",
    "LocalFileError", "MissingExtraError",
]  # fmt: skip

Severity = Literal["error", "warning", "remark"]


class Diagnostic(Value):
    """One error, warning or remark about a text as a URL.

    Attributes:
        code: A short stable name of the fault, such as ``port-too-large``.
        severity: ``error`` (not a URL), ``warning`` (a URL, but beware) or ``remark``.
        span: Start and end in the text, in characters, end exclusive.
        rule: The production or rule that is not met, such as ``port``.
        section: The clause that says so, such as ``RFC 1738 3.1``.
        message: One sentence for a person.
        fix: A replacement for the span, or None. All fixes applied together give a URL whose scheme, user, host and
            port are those of every reading of the text; otherwise none is offered.
    """

    code: str
    severity: Severity
    span: tuple[int, int]
    rule: str
    section: str
    message: str
    fix: str | None = None

    def __repr__(self) -> str:
        return f"Diagnostic({self.code!r}, {self.severity!r}, {self.span!r}, {self.section!r}, {self.message!r})"

    def __str__(self) -> str:
        return f"{self.section}: {self.message}"


def sample(data: bytes) -> PeerText:
    """At most ``SAMPLE_LIMIT`` octets of a peer's data, for an error message."""
    return PeerText(data)


def quoted(text: str) -> str:
    """At most ``SAMPLE_LIMIT`` characters of a text, escaped and in quotation marks, for an error message."""
    return repr(text[:SAMPLE_LIMIT]) + "..." * (len(text) > SAMPLE_LIMIT)


def without_frames(error: BaseException) -> BaseException:
    """The same error without its traceback frames, and without those of its causes.

    Attack: traceback handlers that show values (rich, pytest, crash reporters) print the locals of each frame, and
    those of a login hold the password. The message holds all that an error reports.
    """
    todo, seen = [error], set[int]()
    while todo:
        one = todo.pop()
        if id(one) not in seen:
            seen.add(id(one))
            one.__traceback__ = None
            todo += [other for other in (one.__cause__, one.__context__) if other is not None]
    return error


class AnyURLError(Exception):
    """The base of every error that anyurl raises deliberately."""

    if TYPE_CHECKING:
        strange: tuple[object, ...]
        """Values that a peer chose and the message may name: a URL that was followed, a file's name. Set only if there
        are any."""

    def __init__(self, *args: object) -> None:  # so that its signature, and that of its classes, can be read
        super().__init__(*args)

    def __reduce__(self) -> str | tuple[Any, ...]:
        if isinstance(self, OSError):  # which keeps its number only together with a text
            return type(self), self.args, {**self.__dict__, "errno": self.errno}
        return super().__reduce__()


class URLSyntaxError(AnyURLError, ValueError):
    """The text is not a URL by the rules of its scheme.

    Attributes:
        text: The text as it was given (it may hold a password: the message shows it masked).
        diagnostics: The faults and their places; the first one is the message.
    """

    def __init__(self, text: str, diagnostics: tuple[Diagnostic, ...]) -> None:
        first = diagnostics[0]
        super().__init__(f"{first.message} ({first.section}, at character {first.span[0] + 1})")
        self.text: str = text
        self.diagnostics: tuple[Diagnostic, ...] = diagnostics

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.text, self.diagnostics)


class SchemeError(AnyURLError, LookupError):
    """The scheme is unknown, or does not support the operation."""

    def __str__(self) -> str:  # LookupError's own str is fine, but KeyError-like repr must never come back
        return str(self.args[0]) if self.args else ""


class UnknownSchemeError(SchemeError):
    """The scheme is unknown.

    Attributes:
        scheme: The name.
        suggestions: Known names that look like it, best first.
        fix: The URL that was perhaps meant, or None.
    """

    def __init__(
        self, message: str, *, scheme: str = "", suggestions: tuple[str, ...] = (), fix: str | None = None
    ) -> None:
        super().__init__(message)
        self.fix: str | None = fix
        self.scheme: str = scheme
        self.suggestions: tuple[str, ...] = suggestions


class UnsupportedError(SchemeError):
    """The scheme is known, but has no such verb (RFC 1738 2: access, update, replace, find attributes)."""

    def __init__(self, message: str, *, scheme: str = "", verb: str = "") -> None:
        super().__init__(message)
        self.scheme: str = scheme
        self.verb: str = verb


class PolicyError(AnyURLError):
    """The guard refused."""


class Verdict(Value):
    """The answer of the guard, with the reason.

    Attributes:
        allowed: Whether the action is allowed.
        code: A key of `anyurl.guard.CODES`.
        message: One sentence for a person, which also says what would be allowed.
        subject: The scheme, host, port or address that was judged.
        remedy: The clause of the sentence that says what would allow it; empty if nothing would.
    """

    allowed: bool
    code: str
    message: str
    subject: str
    remedy: str = ""

    def check(self) -> None:
        """Raises RefusedError when it is not allowed."""
        if not self.allowed:
            raise RefusedError(f"Refused: {self.message}.", verdict=self)

    def __bool__(self) -> bool:
        return self.allowed

    def __repr__(self) -> str:
        return f"Verdict({self.allowed}, {self.code!r}, {self.subject!r})"

    def _repr_html_(self) -> str:
        from anyurl.errors.notebook import facts

        said = "allowed" if self.allowed else "refused"
        return facts(((said, self.subject), ("code", self.code), ("why", self.message)))


class RefusedError(PolicyError):
    """This URL, host, port, address or content is refused; nothing was sent to it.

    Attributes:
        verdict: Why, with a code. An error that is raised without a verdict has one of the code ``refused``.
        target: The URL that a server has led to and that is refused, masked; None if no server has.
    """

    def __init__(
        self, message: str, *, verdict: Verdict | None = None, code: str = "refused", subject: str = ""
    ) -> None:
        super().__init__(message)
        self.target: str | None = None
        if verdict is None:
            verdict = Verdict(False, code, message.rstrip("."), escape(subject))
        self.verdict: Verdict = verdict


class LimitError(PolicyError):
    """A limit was exceeded.

    Attributes:
        limit: The name of the limit, such as ``MAX_REPLY_LINES``.
    """

    def __init__(self, message: str, *, limit: str = "") -> None:
        super().__init__(message)
        self.limit: str = limit


class SecretNeededError(PolicyError):
    """A password is needed, and neither netrc nor a terminal can provide it."""


class AccessError(AnyURLError):
    """The resource could not be reached or transferred.

    Attributes:
        url: The URL, password masked, or None until ``access`` attaches it.
        stage: The step that failed: ``look-up``, ``connect``, ``tls``, ``login``, ``request``, ``transfer`` ...
    """

    stage: str = "transfer"
    url: str | None = None

    def __init__(self, message: str, *, stage: str | None = None) -> None:
        super().__init__(message)
        if stage is not None:
            self.stage = stage


class ConnectError(AccessError, ConnectionError):
    """The name has no address, nothing is listening, no route exists, or TLS failed.

    Attributes:
        errno: The system's number (`errno`), at the stage ``look-up`` that of the look-up (``socket.EAI_AGAIN`` and
            others, RFC 3493 6.1); None if there is none.
    """

    stage = "connect"

    def __init__(self, message: str, *, stage: str | None = None, errno: int | None = None) -> None:
        super().__init__(message, stage=stage)
        self.errno = errno


class TransferError(AccessError):
    """The transfer failed or was interrupted."""


class Truncated(TransferError):
    """Fewer octets arrived than announced, or the end mark is missing.

    Attributes:
        received: Octets that arrived.
        expected: Octets that were announced, or None when only an end mark was missing.
    """

    def __init__(
        self, message: str, *, received: int = 0, expected: int | None = None, stage: str | None = None
    ) -> None:
        super().__init__(message, stage=stage)
        self.received: int = received
        self.expected: int | None = expected


class TransferTimeout(TransferError, TimeoutError):
    """One of the three time limits expired.

    Attributes:
        clock: ``connect``, ``idle`` or ``total``.
        begun: False if nothing was sent, because the transfer waited for its turn, at its host or here, in vain.
        early: True if the limit was the dialogue's own (`Receive.within`), not the policy's.
    """

    begun: bool = True
    early: bool = False

    def __init__(self, message: str, *, clock: str = "idle", stage: str | None = None) -> None:
        super().__init__(message, stage=stage)
        self.clock: str = clock


class ConnectionLost(TransferError):
    """The peer closed or reset the connection before answering."""


class ProtocolError(AccessError):
    """The protocol was violated."""


class LocalProtocolError(ProtocolError):
    """The request would violate the protocol; nothing was sent."""


class RemoteProtocolError(ProtocolError):
    """The peer violated the protocol.

    Attributes:
        sample: The peer's data, escaped, at most ``SAMPLE_LIMIT`` octets.
    """

    def __init__(self, message: str, *, sample: str | PeerText = "", stage: str | None = None) -> None:
        super().__init__(message, stage=stage)
        self.sample: str = plain(sample)


Meaning = Literal[
    "not-found", "directory", "denied", "read-only", "quota", "login", "tls", "connections", "greylisted", "busy",
    "other",
]  # fmt: skip
"""The reason for a refusal, in every protocol. ``directory``: it exists, but is not a document. ``tls``: TLS is
required. ``connections``: too many connections or users. ``greylisted``: the first attempt is always rejected.
``busy``: not now."""


class ReplyError(AccessError):
    """The server understood the request and refused it.

    Attributes:
        code: The protocol's own number, such as 550 or 404, or 0 without one.
        text: The server's words, escaped.
        meaning: The reason for the refusal; it determines the class.
    """

    stage = "reply"

    def __init__(
        self,
        message: str,
        *,
        code: int = 0,
        text: str | PeerText = "",
        stage: str | None = None,
        meaning: Meaning = "other",
    ) -> None:
        super().__init__(message, stage=stage)
        self.code: int = code
        self.text: str = plain(text)
        self.meaning: Meaning = meaning


class NotFoundError(ReplyError):
    """The resource does not exist."""


class DeniedError(ReplyError):
    """The server denies access."""


class AuthRequiredError(ReplyError):
    """The server requires a login, or rejected the one given."""


class UnavailableError(ReplyError):
    """The server cannot do it now; the same request may succeed later.

    Attributes:
        retry_after: Seconds until the server accepts another request, or None if unknown.
        begun: False if nothing was sent, because the server had asked for a pause.
    """

    begun: bool = True

    retry_after: float | None = None


class LocalFileError(AnyURLError, OSError):
    """A local file cannot be read or written."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class MissingExtraError(AnyURLError, ImportError):
    """An optional dependency is not installed; the message names the command that installs it."""

    def __init__(self, message: str, *, extra: str = "") -> None:
        super().__init__(message)
        self.extra: str = extra
