"""The values in asks and their answers: channels, responses, entries, the caller's options, and redirects.

Rule: values only. They have no behaviour, and only the scheduler makes channels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

from anyurl.dialogue.http import HttpOptions
from anyurl.dialogue.logins import Login
from anyurl.url import URL
from anyurl.url.arguments import check_fields
from anyurl.values import STRANGER, Provenance, SourceSignature, Struct, Value, shown

Verb = Literal["get", "list", "search", "stat", "put", "append"]
Kind = Literal["document", "listing", "index", "form", "service", "mailbox"]
"""The kinds of resource that URLs designate, after RFC 1738."""

Trust = Literal["authority", "first-use"]
"""How a server's certificate is verified: an authority has signed it for the name of the host (RFC 9325), or it is the
first one seen for this host and port."""

WaisForm = Literal["libwww", "rfc"]

RECEIVE_AT_MOST = 256 * 1024
"""Most octets of one piece: larger buffers of libcurl and the kernel gain nothing."""


class Channel:
    """A handle for octets: a connection, a body, an open file. Only the scheduler creates them.

    Attributes:
        peer: The address and port of the peer, or None for a file.
        kept: The state that an earlier dialogue kept with it (`Keep`), or None if it is new.
        size: Octets, if known beforehand (files), or None.
        modified: Seconds since the epoch, if known (files), or None.
        unmarked: The content ends with the connection, which the peer has closed in order, without TLS's end mark
            (close_notify, RFC 8446 6.1): the content may be truncated.
        tls: The version of TLS, as ``tls/1.3``; None without TLS, or if unknown.
    """

    __slots__ = ("peer", "kept", "size", "modified", "unmarked", "tls")
    __signature__: Final = SourceSignature()

    def __init__(self, peer: tuple[str, int] | None = None, kept: Any = None) -> None:
        self.peer: tuple[str, int] | None = peer
        self.kept: Any = kept
        self.size: int | None = None
        self.modified: float | None = None
        self.unmarked: bool = False
        self.tls: str | None = None

    def __repr__(self) -> str:
        return f"<Channel peer={self.peer!r}>"


class Response:
    """The header of an HTTP response; the body follows.

    Attributes:
        status: 200, 404 ...
        version: ``1.1``, ``2`` ...
        headers: Names in lower case, values as text (octets that are not UTF-8 as surrogates), in order.
        body: The channel that `Receive` or `Relay` read the (decoded) body from.
        may_be_coded: False if it is known that no field names a content coding.
    """

    __slots__ = ("status", "version", "headers", "body", "may_be_coded")
    __signature__: Final = SourceSignature()

    def __init__(
        self, status: int, version: str, headers: Sequence[tuple[str, str]], body: Channel, may_be_coded: bool = True
    ) -> None:
        self.status: int = status
        self.version: str = version
        self.headers: list[tuple[str, str]] = headers if type(headers) is list else list(headers)
        self.body: Channel = body
        self.may_be_coded: bool = may_be_coded

    def __repr__(self) -> str:
        return f"<Response {self.status} {self.version}>"

    def header(self, name: str) -> str | None:
        """The first header of that (lower case) name, or None."""
        for field in self.headers:
            key = field[0]
            if key == name:
                return field[1]
        return None

    def all(self, name: str) -> list[str]:
        """Every header of that (lower case) name, in order."""
        return [value for key, value in self.headers if key == name]


class FileFacts(Struct):
    """The file system's metadata for one name.

    Attributes:
        name: The last component (octets that are not UTF-8 as surrogates).
        kind: ``document`` for a regular file, ``listing`` for a directory, None for anything else (devices, sockets).
        size: Octets.
        modified: Seconds since the epoch.
        mode: Permission bits.
    """

    name: str
    kind: Kind | None
    size: int
    modified: float
    mode: int

    def __repr__(self) -> str:
        return shown(self, "name", "kind", "size")


class Entry:
    """One line of a listing or of search results.

    Attributes:
        name: As the server sent it, decoded (octets that are not UTF-8 as surrogates). Untrusted: never a path.
        url: Its URL, or None if the name cannot be part of a URL of this scheme.
        kind: The kind of object, or None if unknown.
        size: Octets, or None.
        modified: Seconds since the epoch, or None.
        title: A sentence for people (gopher, headlines, subjects), or None.
        type: Media type, or None.
        score: Relevance, or None.
        attributes: Further facts from the server.
        origin: Who named it: the scheduler sets it on every entry that a dialogue emits, overriding the scheme.
    """

    __slots__ = (
        "name", "url", "kind", "size", "modified", "title", "type", "score", "attributes", "origin", "__weakref__",
    )  # fmt: skip

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
        attributes: Mapping[str, object] | None = None,
    ) -> None:
        self.name: str = name
        self.url: URL | None = url
        self.kind: Kind | None = kind
        self.size: int | None = size
        self.modified: float | None = modified
        self.title: str | None = title
        self.type: str | None = type
        self.score: float | None = score
        self.attributes: Mapping[str, object] = attributes or {}
        self.origin: Provenance = STRANGER

    def __repr__(self) -> str:
        return f"Entry({self.name!r}, {self.url!r}, kind={self.kind!r}, size={self.size!r})"

    def as_dict(self) -> dict[str, object]:
        """The fields as a row of a table, the password of the URL masked, the time in seconds since the epoch."""
        return {
            "name": self.name, "url": None if self.url is None else self.url.masked, "kind": self.kind,
            "size": self.size, "modified": self.modified, "title": self.title, "type": self.type, "score": self.score,
        }  # fmt: skip

    def _repr_html_(self) -> str:
        from anyurl.errors.notebook import code, link

        name = self.title or self.name
        shown = code(name) if self.url is None else link(self.url.masked, name)
        return f"{shown} <small>{code(self.kind or '')} {'' if self.size is None else f'{self.size:,} octets'}</small>"


class Resume(Value):
    """A request for the rest of a partial transfer, if the resource has not changed.

    Attributes:
        start: Number of octets that the caller already has.
        etag: The entity tag of these octets, or None.
        modified: The modification time of these octets, in seconds since the epoch, or None.
        size: The total size at that time, or None.
        type: The media type at that time, or None.
        anew: Take a whole document in place of these octets, even if nothing proves that it is a later version of them;
            otherwise http makes this an error. If they are all of a file, ftp sends a changed one without a note.
        compares: The caller has octets from `start` on, too, and compares them with what comes, so that nothing else
            need prove that the resource is the same; a scheme that can't begin there sends the whole.
    """

    start: int
    etag: str | None = None
    modified: float | None = None
    size: int | None = None
    type: str | None = None
    anew: bool = False
    compares: bool = False

    def __post_init__(self) -> None:
        check_fields(self)


class Terminal(Value):
    """The terminal of a session.

    Attributes:
        name: Its type, as in RFC 1091 and terminfo: ``xterm``; ``dumb`` has no escape sequences.
        columns: Characters of a line; 0 if unknown (RFC 1073).
        rows: Lines; 0 if unknown.
    """

    name: str = "dumb"
    columns: int = 80
    rows: int = 24

    def __post_init__(self) -> None:
        check_fields(self)


class Options:
    """The caller's options besides the URL; options that are not given have their defaults.

    The first eight are options of the client; `anyurl.client.options` describes them.

    Attributes:
        identity: The password of anonymous FTP, an e-mail address, or None.
        news_server: The server of news URLs that name none, or None.
        mail_server: The server that mail is delivered to, or None.
        mail_from: The sender's address, or None.
        lenient: Deviate from the RFC for servers that cannot follow it.
        ftp_text: Convert the line ends of FTP files whose suffix means text.
        ftp_create_dirs: Make the directories of an FTP URL that is written to.
        wais_form: The form of WAIS document URLs in listings.
        resume: Where to resume, or None.
        upload_size: Octets of the caller's source for put and append, or None if unknown.
        upload_type: Its media type, or None.
        upload_mtime: The modification time for the upload, in seconds since the epoch, or None.
        resumes_upload: The upload continues after the octets that the server already has.
        words: What to search for.
        view: The alternative wanted (Gopher+ views), or None.
        answers: Answers to the questions of a form.
        patience: Seconds without progress after which a protocol that repeats requests (UDP) gives up.
        like: Documents to find similar ones to (WAIS relevance feedback).
        limit: Most results of a search, or None for the scheme's default.
        match: How names are matched, in the scheme's own word (archie: ``substring``), or None for its default.
        terminal: The terminal of a session.
        http: The options of an HTTP request, or None.
        trace: Called with each line of the trace, or None.
        login: The caller's login at the origin of the URL, or None.
        logins: The caller's logins at all origins, for the hop rule; or None. Schemes do not use it.
        jar: The cookies of the client, or None. Schemes do not use it.
        archive: The WARC file that dialogues are recorded in, or None. Schemes do not use it.
        reader: In whose terms a message names an option, as ``remedies`` of the policy.
    """

    identity: str | None = None
    news_server: str | None = None
    mail_server: str | None = None
    mail_from: str | None = None
    lenient: bool = False
    ftp_text: bool = False
    ftp_create_dirs: bool = False
    wais_form: WaisForm = "libwww"
    resume: Resume | None = None
    upload_size: int | None = None
    upload_type: str | None = None
    upload_mtime: float | None = None
    resumes_upload: bool = False
    words: str = ""
    view: str | None = None
    answers: Sequence[str] = ()
    patience: float = 60.0
    like: Sequence[URL] = ()
    limit: int | None = None
    match: str | None = None
    terminal: Terminal = Terminal()
    http: HttpOptions | None = None
    trace: Callable[[str], None] | None = None
    login: Login | None = None
    logins: Mapping[str, Login] | None = None
    jar: Any = None
    archive: Any = None
    reader: Literal["arguments", "options", "keys"] = "arguments"

    def __init__(self, **given: Any) -> None:
        """Raises TypeError for an unknown option."""
        for name in given:
            if name.startswith("_") or not hasattr(Options, name):
                raise TypeError(f"there is no option {name!r}")
        self.__dict__.update(given)

    def __repr__(self) -> str:
        # A form may ask for a password (``AskP`` of Gopher+): only the number of its answers is shown.
        fields = self.__dict__.items()
        shown = {name: f"<{len(value)}>" if name == "answers" else repr(value) for name, value in fields}
        return f"Options({', '.join(f'{name}={text}' for name, text in shown.items())})"

    def replace(self, **given: Any) -> Options:
        """A copy with these options changed. Raises TypeError for an unknown option."""
        return Options(**{**self.__dict__, **given})


class Follow(Value):
    """The result of a dialogue that redirects: `access` starts the next dialogue, which is judged again.

    Attributes:
        url: Where to.
        reason: A short reason: ``301``, ``prospero link``.
        permanent: Whether the old URL should be replaced.
        cookie: The response sets a cookie, so that a redirect back to the same URL may succeed.
    """

    url: URL
    reason: str
    permanent: bool = False
    cookie: bool = False
