"""The asks: each is a request of a dialogue, subscripted with the type of its answer.

Rule: fields alone; the scheduler and the policy decide what an ask may do. Asks that every request needs have their
fields in a separate base class that can be compiled, which the generic `Ask` cannot be.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeAlias

from anyurl.dialogue.ask import Ask, T
from anyurl.dialogue.logins import Authorization
from anyurl.dialogue.secret import Field, Secret
from anyurl.dialogue.values import RECEIVE_AT_MOST, Channel, Entry, FileFacts, Follow, Kind, Response, Trust
from anyurl.url import URL
from anyurl.values import SourceSignature

if TYPE_CHECKING:
    from dataclasses import KW_ONLY

# --- connections ---------------------------------------------------------------------------------------------------


class Connect(Ask[Channel]):
    """Connect to a host, or reuse a channel that an earlier dialogue kept.

    Args:
        host: Host name or address literal, without brackets.
        port: Port number.
        transport: ``tcp`` or ``udp`` (each `Send` then sends a datagram, each `Receive` returns one).
        tls: Begin TLS at once, for the name `host`.
        session: A kept channel is reused only if its session equals this one (and also endpoint, TLS and secret).
        secret: The password of the login that the session belongs to; only its salted digest is remembered.
        fresh: Never reuse a kept channel.
        skip: For ``udp``, where connecting proves nothing: number of addresses already tried without a reply.
        named_by: The channel to the server that named this endpoint, if the dialogue talks to several; None if the URL
            or the only server named it.
        trust: With `tls`: how the peer's certificate is verified.
        certificate: With `tls`: a peer that requests a certificate gets the caller's. SecretNeededError is thrown in
            without a certificate, or if this server may not see it.
        until_close: Content ends with the connection. Over TLS the peer may then leave out close_notify, and the
            channel is `unmarked`; without this, such an end is an error (ConnectionLost, Truncated).
    """

    host: str
    port: int
    _: KW_ONLY
    transport: Literal["tcp", "udp"] = "tcp"
    tls: bool = False
    session: str | None = None
    secret: Secret | None = None
    fresh: bool = False
    skip: int = 0
    named_by: Channel | None = None
    trust: Trust = "authority"
    certificate: bool = False
    until_close: bool = False


class ConnectData(Ask[Channel]):
    """Open a second connection to the exact address of `control` (FTP data connections), whose end is that of the data.

    A scheme cannot choose another address. Attack: an FTP server makes a client attack a third host (FTP bounce).

    Args:
        control: The control connection.
        port: The port that the server has named for the data.
        within: The most seconds that connecting may take, for a port that a firewall may block silently; after such a
            failure it is not tried again at this address.
    """

    control: Channel
    port: int
    within: float | None = None


class Secure(Ask[None]):
    """Start TLS on an open connection; certificates are verified for `server_name`.

    Args:
        channel: The connection.
        server_name: The name that the certificate is for.
        resume: A channel whose TLS session is resumed (FTP servers require it for data connections).
        trust, certificate: As those of `Connect`.
    """

    channel: Channel
    server_name: str
    resume: Channel | None = None
    _: KW_ONLY
    trust: Trust = "authority"
    certificate: bool = False


class Send(Ask[None]):
    """Send all of these octets (to a connection, or into a file opened for writing).

    Args:
        channel: A connection, or a file that is open for writing.
        data: The octets; by ``udp`` those of one datagram.
    """

    channel: Channel
    data: bytes


class Receive(Ask[bytes]):
    """Receive the next octets, as soon as any arrive; ``b""`` at the end.

    Args:
        channel: A connection, the body of a response, or a file.
        at_most: Octets.
        within: Seconds to wait before `TransferTimeout`; the policy's idle limit when None.
    """

    channel: Channel
    at_most: int = RECEIVE_AT_MOST
    within: float | None = None


class _RelayFields:
    __slots__ = ("channel", "limit")
    __signature__: ClassVar[SourceSignature] = SourceSignature()

    def __init__(self, channel: Channel, limit: int | None = None) -> None:
        self.channel: Channel = channel
        self.limit: int | None = limit


class Relay(_RelayFields, Ask[int], init=False):
    """Pass everything that remains to the consumer, unchanged; the answer is the number of octets.

    Args:
        channel: A connection, the body of a response, or a file.
        limit: Stop after this many octets.
    """


class Keep(Ask[None]):
    """Keep this connection for a later dialogue of the same session, if this dialogue ends without an error.

    Args:
        channel: The connection.
        session: The name by which a later `Connect` gets it: ``ftp``.
        state: Available to that dialogue as ``channel.kept``; it must not be changed any more.
        goodbye: Sent before an unused connection is closed; the reply is not waited for.
    """

    channel: Channel
    session: str
    state: Any = None
    goodbye: bytes = b""


class Close(Ask[None]):
    """Close a channel now (closing the data connection marks the end of an upload).

    Args:
        channel: A connection, a body or a file.
    """

    channel: Channel


# --- http ----------------------------------------------------------------------------------------------------------


class _RequestFields:
    __slots__ = ("method", "url", "target", "headers", "upload", "authorization", "decode")
    __signature__: ClassVar[SourceSignature] = SourceSignature()

    def __init__(
        self,
        method: str,
        url: URL,
        target: str,
        *,
        headers: Sequence[Field] = (),
        upload: bool = False,
        authorization: Authorization | None = None,
        decode: bool = True,
    ) -> None:
        self.method: str = method
        self.url: URL = url
        self.target: str = target
        self.headers: Sequence[Field] = headers
        self.upload: bool = upload
        self.authorization: Authorization | None = authorization
        self.decode: bool = decode


class Request(_RequestFields, Ask[Response], init=False):
    """One HTTP request; the scheduler sends it with libcurl. It follows no redirects.

    Args:
        method: ``GET``, ``HEAD``, ``PUT`` ...
        url: Only its scheme, host and port are used.
        target: The request target, sent octet for octet (RFC 9112 3.2).
        headers: Further headers; a credential among them is a `Secret`.
        upload: Whether the caller's source is the body.
        authorization: The login at this origin, or None.
        decode: Decode the content coding.
    """


# --- files on this machine -----------------------------------------------------------------------------------------


class OpenFile(Ask[Channel]):
    """Open a regular local file.

    Args:
        path: Absolute, decoded (octets that are not UTF-8 as surrogates).
        mode: ``read``; ``replace`` (`Commit` gives the complete file its name); ``append``.
        offset: Octet to start reading at.
    """

    path: str
    mode: Literal["read", "replace", "append"] = "read"
    offset: int = 0


class Commit(Ask[None]):
    """Give a complete file its final name, so that no reader ever sees a partial one.

    Args:
        channel: The file, open to replace another one.
    """

    channel: Channel


class StatFile(Ask[FileFacts]):
    """Read the metadata of one path.

    Args:
        path: Absolute, decoded, as that of `OpenFile`.
    """

    path: str


class OpenFolder(Ask[Channel]):
    """Open a local directory, to list it.

    Args:
        path: Absolute, decoded, as that of `OpenFile`.
    """

    path: str


class ListFolder(Ask[Sequence[FileFacts]]):
    """Read the metadata of the next few names in an open directory, sorted by name; empty at the end.

    Args:
        channel: The directory that `OpenFolder` has opened.
    """

    channel: Channel


class LocalName(Ask[frozenset[str]]):
    """The names of this machine, in lower case (a file URL may contain one, RFC 8089 2)."""


# --- the caller ----------------------------------------------------------------------------------------------------


class Take(Ask[bytes]):
    """Take the next octets of the content that the caller puts or appends; ``b""`` at the end.

    Args:
        at_most: Octets.
    """

    at_most: int = RECEIVE_AT_MOST


class Rewind(Ask[bool]):
    """Rewind the caller's source; the answer is whether that is possible.

    Args:
        offset: To this octet, counted from its start.
    """

    offset: int = 0


class AskSecret(Ask[Secret | None]):
    """Ask for a password, from netrc or a terminal; None if neither has one.

    Args:
        host: The host that the password is for.
        user: The user; ``""`` if the URL names none: then the ``user`` of the answer is used.
        kind: Its purpose, in words that can be shown: ``ftp password``.
        by_person: The user may be prompted; otherwise only stored passwords are used.
        kept: Stored passwords may be used; otherwise the user is always prompted.
    """

    host: str
    user: str
    kind: str
    by_person: bool = True
    kept: bool = True


class Consent(Ask[None]):
    """Ask the policy and the caller for consent, before anything is opened.

    Args:
        act: ``form``: a form's free lines are sent (RFC 1738 3.4.9 and section 6). ``delivery``: a message is sent in
            the user's name (RFC 6068 7: not without showing all of it).
        question: The text shown to the person; if empty, the default question of the act.
    """

    act: Literal["form", "delivery"] = "form"
    question: str = ""


class Now(Ask[float]):
    """Seconds since the epoch."""


class Monotonic(Ask[float]):
    """Seconds on a monotonic clock; only differences are meaningful (repeats over UDP)."""


class GiveWay(Ask[None]):
    """Yield to other tasks and timers; asked after each small piece of long work.

    Work between two asks blocks the loop, and nothing can interrupt it.
    """


class Random(Ask[bytes]):
    """Octets that cannot be guessed.

    Args:
        count: How many octets.
    """

    count: int


Told: TypeAlias = tuple[str | None, float | None, str | None, str | None]
"""Media type, modification time, entity tag and name, as in `Describe`."""


class _DescribeFields:
    __slots__ = ("kind", "size", "start", "headers", "_type", "_modified", "_etag", "_name", "_attributes", "_later")
    __signature__: ClassVar[SourceSignature] = SourceSignature()

    def __init__(
        self,
        kind: Kind,
        type: str | None = None,
        size: int | None = None,
        modified: float | None = None,
        etag: str | None = None,
        name: str | None = None,
        start: int = 0,
        attributes: Mapping[str, object] | Callable[[], Mapping[str, object]] | None = None,
        headers: Sequence[tuple[str, str]] = (),
        later: Callable[[], Told] | None = None,
    ) -> None:
        self.kind: Kind = kind
        self.size: int | None = size
        self.start: int = start
        self.headers: Sequence[tuple[str, str]] = headers
        self._type, self._modified, self._etag, self._name = type, modified, etag, name
        self._attributes = attributes
        self._later = later

    def _find_out(self) -> None:
        later, self._later = self._later, None
        if later is not None:
            self._type, self._modified, self._etag, self._name = later()

    @property
    def type(self) -> str | None:
        """Media type."""
        if self._later is not None:
            self._find_out()
        return self._type

    @property
    def modified(self) -> float | None:
        """Seconds since the epoch."""
        if self._later is not None:
            self._find_out()
        return self._modified

    @property
    def etag(self) -> str | None:
        """Entity tag."""
        if self._later is not None:
            self._find_out()
        return self._etag

    @property
    def name(self) -> str | None:
        """Name."""
        if self._later is not None:
            self._find_out()
        return self._name

    @property
    def attributes(self) -> Mapping[str, object]:
        """Further facts."""
        found = self._attributes
        if callable(found):
            found = self._attributes = found()
        return found or {}


class Describe(_DescribeFields, Ask[None], init=False):
    """Describe the resource to the consumer; answered when the consumer wants the content.

    Args:
        kind: The kind of object that the URL designates.
        type: Media type, or None.
        size: Octets of the whole, or None.
        modified: Seconds since the epoch, or None.
        etag: Entity tag, or None.
        name: Its name, if the scheme knows it (untrusted if it comes from a server).
        start: The offset of the first octet that will be emitted (0 unless a resume was granted).
        attributes: Further facts as JSON values; or a function that finds them on first access.
        headers: All header fields of the response, if the protocol has them.
        later: A function that finds type, modified, etag and name on first access; they are then not given here.
    """


class Emit(Ask[None]):
    """Pass octets, or a batch of entries (hundreds at a time), to the consumer.

    Args:
        content: The octets, or the entries.
    """

    content: bytes | Sequence[Entry]


class Note(Ask[None]):
    """Tell the consumer something that is not an error: a repair, a doubt.

    Args:
        text: A sentence, or half of one.
        unproved: The content may be incomplete: nothing proves its end. It is delivered and saved with this note, an
            archive marks it as truncated, and no connection of this dialogue is kept.
    """

    text: str
    _: KW_ONLY
    unproved: bool = False


Steps: TypeAlias = Generator[Ask[Any], Any, T]
"""A part of a dialogue that returns a T: ``answer = yield from part(...)``."""

Dialogue: TypeAlias = Steps[Follow | None]


class FakeServer(Protocol):
    """An ideal server of a protocol, without I/O: dry runs and ``--explain`` talk to it instead of a real one.

    Connections are numbered 1, 2, ... in the order they are made.
    """

    def connected(self, link: int) -> bytes:
        """The octets that the server sends when connection `link` is made; for a data connection, all of them."""
        ...

    def received(self, link: int, data: bytes) -> bytes:
        """The server's reply to these octets."""
        ...
