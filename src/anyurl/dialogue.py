"""What a scheme may ask for: the whole vocabulary between `schemes` and the reactor.

A dialogue is a generator that yields asks and is sent their answers: ``data = yield from Receive(channel)``.

Rules. A scheme never acts, it asks; the reactor answers after the policy has said yes. Always ``yield from``: it gives
the answer its type. No ask stands in a ``finally``: when a dialogue ends, fails or is dropped, the reactor closes every
channel that was not kept. What goes wrong is thrown in at the ``yield from``. Each verb of a scheme is a dialogue;
RFC 1738 section 2 names them: access (get, list, search), find attributes (stat), replace (put), update (append).
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar

from anyurl.url import URL

T = TypeVar("T")

Verb = Literal["get", "list", "search", "stat", "put", "append"]
Kind = Literal["document", "listing", "index", "form", "service", "mailbox"]
"""What RFC 1738 says that URLs designate."""

RECEIVE_AT_MOST = 256 * 1024
"""Octets of one piece: libcurl's and the kernel's buffers stop gaining beyond it."""


class Ask(Generic[T]):
    """A wish of a dialogue; ``answer = yield from ask`` waits for the answer, of type T."""

    __slots__ = ()

    def __iter__(self) -> Generator[Ask[Any], Any, T]:
        answer: T = yield self
        return answer


class Channel:
    """Something octets go through: a connection, a body, an open file. Only the reactor makes them.

    Attributes:
        peer: The address and port that it leads to, or None for a file.
        kept: What an earlier dialogue kept with it (`Keep`), or None when it is new.
        size: Octets, where they are known beforehand (files), or None.
        modified: Seconds since the epoch, where it is known (files), or None.
    """

    __slots__ = ("peer", "kept", "size", "modified")

    def __init__(self, peer: tuple[str, int] | None = None, kept: Any = None) -> None:
        self.peer = peer
        self.kept = kept
        self.size: int | None = None
        self.modified: float | None = None


class Secret:
    """A password: it shows itself to nobody who does not ask with `reveal`."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The password itself."""
        return self._text

    def __repr__(self) -> str:
        return "Secret(***)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> Any:
        raise TypeError("a Secret is not pickled: it would be written down in plain text")


# --- connections ---------------------------------------------------------------------------------------------------


class Connect(Ask[Channel]):
    """Connect to a host, or get back a channel that an earlier dialogue kept.

    Args:
        host: Host name or address literal, without brackets.
        port: Port number.
        transport: ``tcp`` or ``udp`` (each `Send` is then a datagram, each `Receive` gives one).
        tls: Begin TLS at once, for the name `host`.
        session: A kept channel may be handed out if its session equals this one (and so do endpoint, TLS and secret).
        secret: The password of the login that the session belongs to; only its salted digest is remembered.
        fresh: Don't hand out a kept channel.
    """

    __slots__ = ("host", "port", "transport", "tls", "session", "secret", "fresh")

    def __init__(
        self,
        host: str,
        port: int,
        *,
        transport: Literal["tcp", "udp"] = "tcp",
        tls: bool = False,
        session: str | None = None,
        secret: Secret | None = None,
        fresh: bool = False,
    ) -> None:
        self.host = host
        self.port = port
        self.transport: Literal["tcp", "udp"] = transport
        self.tls = tls
        self.session = session
        self.secret = secret
        self.fresh = fresh


class ConnectData(Ask[Channel]):
    """A second connection to the very address that `control` leads to (FTP data connections).

    A scheme can't name another address: that is how an FTP server makes a client attack a third host (the bounce).
    """

    __slots__ = ("control", "port")

    def __init__(self, control: Channel, port: int) -> None:
        self.control = control
        self.port = port


class Secure(Ask[None]):
    """Begin TLS on an open connection; certificates are verified for `server_name`.

    Args:
        resume: A channel whose TLS session is to be resumed (servers demand it of FTP data connections).
    """

    __slots__ = ("channel", "server_name", "resume")

    def __init__(self, channel: Channel, server_name: str, resume: Channel | None = None) -> None:
        self.channel = channel
        self.server_name = server_name
        self.resume = resume


class Send(Ask[None]):
    """Send all of these octets (to a connection, or into a file opened for writing)."""

    __slots__ = ("channel", "data")

    def __init__(self, channel: Channel, data: bytes) -> None:
        self.channel = channel
        self.data = data


class Receive(Ask[bytes]):
    """The next octets, as soon as there are any; ``b""`` at the end.

    Args:
        at_most: Octets.
        within: Seconds to wait before `TransferTimeout`; the policy's idle limit when None.
    """

    __slots__ = ("channel", "at_most", "within")

    def __init__(self, channel: Channel, at_most: int = RECEIVE_AT_MOST, within: float | None = None) -> None:
        self.channel = channel
        self.at_most = at_most
        self.within = within


class Relay(Ask[int]):
    """Hand everything that still comes to the consumer, unchanged; the answer is the number of octets.

    Args:
        limit: Stop after this many octets.
    """

    __slots__ = ("channel", "limit")

    def __init__(self, channel: Channel, limit: int | None = None) -> None:
        self.channel = channel
        self.limit = limit


class Keep(Ask[None]):
    """Let a later dialogue of the same session have this connection, once this dialogue has ended well.

    Args:
        state: What that dialogue will find in ``channel.kept``; it must not change any more.
    """

    __slots__ = ("channel", "session", "state")

    def __init__(self, channel: Channel, session: str, state: Any = None) -> None:
        self.channel = channel
        self.session = session
        self.state = state


class Close(Ask[None]):
    """Close a channel now (the end of an upload's data connection is its end mark)."""

    __slots__ = ("channel",)

    def __init__(self, channel: Channel) -> None:
        self.channel = channel


# --- http ----------------------------------------------------------------------------------------------------------


class Response:
    """The head of an HTTP answer; the body is still to come.

    Attributes:
        status: 200, 404 ...
        version: ``1.1``, ``2`` ...
        headers: Names in lower case, values as text (octets that are not UTF-8 as surrogates), in order.
        body: What `Receive` or `Relay` read the (decoded) body from.
    """

    __slots__ = ("status", "version", "headers", "body", "_named")

    def __init__(self, status: int, version: str, headers: Sequence[tuple[str, str]], body: Channel) -> None:
        self.status = status
        self.version = version
        self.headers = headers
        self.body = body
        self._named = dict(reversed(headers))

    def header(self, name: str) -> str | None:
        """The first header of that (lower case) name."""
        return self._named.get(name)

    def all(self, name: str) -> list[str]:
        """Every header of that (lower case) name, in order."""
        return [value for key, value in self.headers if key == name] if name in self._named else []


class Request(Ask[Response]):
    """One HTTP request; the reactor does it with libcurl. It follows no redirect.

    Args:
        method: ``GET``, ``HEAD``, ``PUT`` ...
        url: Scheme, host and port are taken from it, nothing else.
        target: What stands behind the method, octet for octet (RFC 9112 3.2).
        headers: Further headers.
        upload: Whether the caller's source is the body.
        authorization: User and password of this origin (Basic), or None.
        decode: Undo the content coding.
    """

    __slots__ = ("method", "url", "target", "headers", "upload", "authorization", "decode")

    def __init__(
        self,
        method: str,
        url: URL,
        target: str,
        *,
        headers: Sequence[tuple[str, str]] = (),
        upload: bool = False,
        authorization: tuple[str, Secret] | None = None,
        decode: bool = True,
    ) -> None:
        self.method = method
        self.url = url
        self.target = target
        self.headers = headers
        self.upload = upload
        self.authorization = authorization
        self.decode = decode


# --- files on this machine -----------------------------------------------------------------------------------------


class FileFacts:
    """What the file system says of one name.

    Attributes:
        name: The last component (octets that are not UTF-8 as surrogates).
        kind: ``document`` for a regular file, ``listing`` for a directory, None for all else (devices, sockets).
        size: Octets.
        modified: Seconds since the epoch.
        mode: Permission bits.
    """

    __slots__ = ("name", "kind", "size", "modified", "mode")

    def __init__(self, name: str, kind: Kind | None, size: int, modified: float, mode: int) -> None:
        self.name = name
        self.kind: Kind | None = kind
        self.size = size
        self.modified = modified
        self.mode = mode


class OpenFile(Ask[Channel]):
    """Open a regular file of this machine.

    Args:
        path: Absolute, decoded (octets that are not UTF-8 as surrogates).
        mode: ``read``; ``replace`` (written beside it, `Commit` renames); ``append``.
        offset: Octet to start reading at.
    """

    __slots__ = ("path", "mode", "offset")

    def __init__(self, path: str, mode: Literal["read", "replace", "append"] = "read", offset: int = 0) -> None:
        self.path = path
        self.mode: Literal["read", "replace", "append"] = mode
        self.offset = offset


class Commit(Ask[None]):
    """The file is whole: give it its name, so that nobody ever sees half of it."""

    __slots__ = ("channel",)

    def __init__(self, channel: Channel) -> None:
        self.channel = channel


class StatFile(Ask[FileFacts]):
    """Facts about one path."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        self.path = path


class ListFolder(Ask[Sequence[FileFacts]]):
    """Facts about everything in a directory, by name."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        self.path = path


class LocalName(Ask[frozenset[str]]):
    """The names by which this machine calls itself, in lower case (a file URL may hold one, RFC 8089 2)."""

    __slots__ = ()


# --- the caller ----------------------------------------------------------------------------------------------------


class Take(Ask[bytes]):
    """The next octets of what the caller wants to put or append; ``b""`` at the end."""

    __slots__ = ("at_most",)

    def __init__(self, at_most: int = RECEIVE_AT_MOST) -> None:
        self.at_most = at_most


class AskSecret(Ask["Secret | None"]):
    """A password, from netrc or a terminal; None when nobody has one.

    Args:
        host: Whose password it is.
        user: For which user.
        kind: What for, in a word that can be shown: ``ftp password``.
    """

    __slots__ = ("host", "user", "kind")

    def __init__(self, host: str, user: str, kind: str) -> None:
        self.host = host
        self.user = user
        self.kind = kind


class Consent(Ask[None]):
    """The policy's yes to sending a form's free lines (RFC 1738 3.4.9 and section 6), before anything is opened."""

    __slots__ = ()


class Now(Ask[float]):
    """Seconds since the epoch."""

    __slots__ = ()


class Random(Ask[bytes]):
    """Octets that nobody can guess."""

    __slots__ = ("count",)

    def __init__(self, count: int) -> None:
        self.count = count


class Entry:
    """One line of a listing or of search results.

    Attributes:
        name: As the server gave it, decoded (octets that are not UTF-8 as surrogates). Hostile: never a path.
        url: What it leads to, or None where the name can't be part of a URL of this scheme.
        kind: What it designates, or None when unknown.
        size: Octets, or None.
        modified: Seconds since the epoch, or None.
        title: A sentence for people (gopher, headlines, subjects), or None.
        type: Media type, or None.
        score: Relevance, or None.
        attributes: What else the server said.
    """

    __slots__ = ("name", "url", "kind", "size", "modified", "title", "type", "score", "attributes")

    def __init__(
        self,
        name: str,
        url: URL | None,
        *,
        kind: Kind | None = None,
        size: int | None = None,
        modified: float | None = None,
        title: str | None = None,
        type: str | None = None,
        score: float | None = None,
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.url = url
        self.kind: Kind | None = kind
        self.size = size
        self.modified = modified
        self.title = title
        self.type = type
        self.score = score
        self.attributes: Mapping[str, Any] = attributes or {}

    def __repr__(self) -> str:
        return f"Entry({self.name!r}, {self.url!r}, kind={self.kind!r}, size={self.size!r})"


class Describe(Ask[None]):
    """Tell the consumer what comes; answered when the consumer wants the content.

    Args:
        kind: What the URL designates.
        type: Media type, or None.
        size: Octets of the whole, or None.
        modified: Seconds since the epoch, or None.
        etag: Entity tag, or None.
        name: What it is called, if the scheme knows (hostile when from a server).
        start: The offset of the first octet that will be emitted (not 0 only when a resumption was granted).
        attributes: What else is known; JSON values.
    """

    __slots__ = ("kind", "type", "size", "modified", "etag", "name", "start", "attributes")

    def __init__(
        self,
        kind: Kind,
        *,
        type: str | None = None,
        size: int | None = None,
        modified: float | None = None,
        etag: str | None = None,
        name: str | None = None,
        start: int = 0,
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        self.kind: Kind = kind
        self.type = type
        self.size = size
        self.modified = modified
        self.etag = etag
        self.name = name
        self.start = start
        self.attributes: Mapping[str, Any] = attributes or {}


class Emit(Ask[None]):
    """Hand the consumer octets, or a batch of entries (hundreds at a time)."""

    __slots__ = ("content",)

    def __init__(self, content: bytes | Sequence[Entry]) -> None:
        self.content = content


class Remark(Ask[None]):
    """Tell the consumer something that is no error: a repair, a doubt."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class Resume:
    """The rest of a transfer that broke off, if the resource is still the same.

    Attributes:
        start: Octets that the caller has.
        etag: The entity tag they came with, or None.
        modified: The modification time they came with, in seconds since the epoch, or None.
        size: The size of the whole as it was then, or None.
    """

    __slots__ = ("start", "etag", "modified", "size")

    def __init__(
        self, start: int, etag: str | None = None, modified: float | None = None, size: int | None = None
    ) -> None:
        self.start = start
        self.etag = etag
        self.modified = modified
        self.size = size


class Options:
    """What the caller wants beside the URL itself.

    Attributes:
        identity: The e-mail address given as password of an anonymous login, or None.
        news_server: ``host`` or ``host:port`` for location-independent news URLs, or None.
        resume: Where to go on, or None.
        lenient: Break the RFC where a server can't keep it (ftp: skip an empty CWD).
        upload_size: Octets of the caller's source for put and append, or None when unknown.
        upload_type: Its media type, or None.
        words: What to search for.
        view: The alternative wanted (Gopher+ views), or None.
        answers: Answers to a form's questions.
    """

    __slots__ = (
        "identity", "news_server", "resume", "lenient", "upload_size", "upload_type", "words", "view", "answers",
    )  # fmt: skip

    def __init__(
        self,
        *,
        identity: str | None = None,
        news_server: str | None = None,
        resume: Resume | None = None,
        lenient: bool = False,
        upload_size: int | None = None,
        upload_type: str | None = None,
        words: str = "",
        view: str | None = None,
        answers: Sequence[str] = (),
    ) -> None:
        self.identity = identity
        self.news_server = news_server
        self.resume = resume
        self.lenient = lenient
        self.upload_size = upload_size
        self.upload_type = upload_type
        self.words = words
        self.view = view
        self.answers = answers


class Follow:
    """The end of a dialogue that leads elsewhere: the next dialogue is begun by `access`, judged anew.

    Attributes:
        url: Where to.
        reason: In a few words: ``301``, ``prospero link``.
        permanent: Whether the old URL should be replaced.
    """

    __slots__ = ("url", "reason", "permanent")

    def __init__(self, url: URL, reason: str, *, permanent: bool = False) -> None:
        self.url = url
        self.reason = reason
        self.permanent = permanent


Dialogue: TypeAlias = Generator[Ask[Any], Any, "Follow | None"]


class IdealPeer(Protocol):
    """The server of a protocol as it should be, pure: rehearsals and ``--explain`` talk to it instead of a real one.

    Connections are numbered 1, 2, ... in the order they are made.
    """

    def connected(self, link: int) -> bytes:
        """What the peer says when connection `link` is made; for a data connection, all of its octets."""
        raise NotImplementedError

    def received(self, link: int, data: bytes) -> bytes:
        """What the peer answers to these octets."""
        raise NotImplementedError
