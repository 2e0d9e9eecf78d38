"""The building blocks of every scheme: `Scheme`, the base class of its parts, and shared helpers.

Rule: a scheme is data and pure functions. Its parts are read from a URL and written back to one; its verbs are
dialogues, which ask (`anyurl.dialogue`) and never act. RFC 1738 section 4 lists what a scheme must define: a syntax, a
reference, and an algorithm for access or, if it names no data object, a description of its names.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, Self, TypeAlias, TypeVar

from anyurl.dialogue import Dialogue, Entry, FakeServer, Options, Verb
from anyurl.errors import Diagnostic, RefusedError, SchemeError, UnsupportedError, URLSyntaxError, escape
from anyurl.url import URL, syntax
from anyurl.url.cut import percent_decode, percent_encode
from anyurl.url.parts import AnyParts
from anyurl.url.syntax import CR_LF_NUL, Row
from anyurl.values import AbstractValueType, Value

R = TypeVar("R")

VERBS: tuple[Verb, ...] = ("get", "list", "search", "stat", "put", "append")
"""The operations of RFC 1738 section 2, in the order of the table: access (three), attributes, replace, update."""

SAFE = b"$+!*'(),"
"""Characters that parts leave unencoded, besides letters, digits and ``-._~``: the rest of ``safe | extra`` (RFC 1738
5), which no scheme reserves."""

REPLY_SECONDS = 60.0
"""Seconds for one complete reply: a peer that sends an octet now and then never reaches the idle limit. curl's
SERVER_RESPONSE_TIMEOUT is 60 s, too."""

WAITS = "this is an index: it answers to words, as `anyurl search URL WORDS` sends them"
"""The note for a search index that was opened without words. A page that asks for them itself needs no such note."""

DialogueFunction: TypeAlias = Callable[[URL, Options], Dialogue]

_NAMES = {0: "NUL", 9: "TAB", 10: "LF", 13: "CR", 32: "space", 47: "'/'", 255: "0xFF"}


class Scheme:
    """One scheme: the parser of its URLs, and its verbs.

    Attributes:
        name: In lower case: ``gopher``.
        reference: The document that defines it: ``RFC 1738 3.4``.
        summary: One sentence: what its URLs designate.
        read: Reads the parts of a URL: ``read(url) -> parts``.
        verbs: The dialogue for each verb that the scheme supports.
        fake_server: Makes the server that dry runs and ``--explain`` talk to, from the URL and the caller's options (a
            form depends on the answers); None if the dialogue itself makes no connection.
        description: For a scheme that names no data object: its names and their use.
        read_only: Access is defined but not implemented: its URLs can only be read, built and compared.
        resumes_uploads: Its ``put`` can continue after the octets that the server has (`Options.resumes_upload`).
        check: Raises `RefusedError` for a URL whose decoded components hold delimiters of the protocol, and
            `URLSyntaxError` for a path that is not valid for the scheme; called before a dialogue begins.

    Raises:
        SchemeError: Something that RFC 1738 section 4 requires is missing.
    """

    __slots__ = (
        "name", "reference", "summary", "read", "verbs", "fake_server", "description", "read_only", "check",
        "resumes_uploads",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        *,
        reference: str,
        summary: str,
        read: Callable[[URL], AnyParts],
        verbs: Mapping[Verb, DialogueFunction] | None = None,
        fake_server: Callable[[URL, Options], FakeServer] | None = None,
        description: str = "",
        read_only: bool = False,
        check: Callable[[URL], object] | None = None,
        resumes_uploads: bool = False,
    ) -> None:
        self.name: str = name
        self.reference: str = reference
        self.summary: str = summary
        self.read: Callable[[URL], AnyParts] = read
        self.verbs: Mapping[Verb, DialogueFunction] = dict(verbs or {})
        self.fake_server: Callable[[URL, Options], FakeServer] | None = fake_server
        self.description: str = description
        self.read_only: bool = read_only
        self.check: Callable[[URL], object] | None = check
        self.resumes_uploads: bool = resumes_uploads
        self._check_complete()

    def _check_complete(self) -> None:
        if not is_scheme_name(self.name):
            raise SchemeError(
                f"{self.name!r} is not a scheme name: a letter, then letters, digits, '+', '.' or '-', all lower case "
                "(RFC 3986 3.1)."
            )
        needed = (
            ("a reference", bool(self.reference)),
            ("a summary", bool(self.summary)),
            ("a syntax (a function read(url) -> parts)", callable(self.read)),
        )
        missing = [label for label, given in needed if not given]
        if not self.verbs and not self.description.strip() and not self.read_only:
            missing.append("an access algorithm (verbs) or, if it names no data object, a description of its names")
        if missing:
            raise SchemeError(f"The scheme {self.name!r} is incomplete: it lacks {', '.join(missing)} (RFC 1738 4).")
        for verb in self.verbs:
            if verb not in VERBS:
                raise SchemeError(f"The scheme {self.name!r} has a verb {verb!r}; the verbs are {', '.join(VERBS)}.")

    def __repr__(self) -> str:
        return f"Scheme({self.name!r}, verbs={tuple(self.verbs)!r})"


def is_scheme_name(name: str) -> bool:
    """Whether this is a scheme name in its canonical, lower case form (RFC 1738 2.1, RFC 3986 3.1)."""
    return (
        name.isascii()
        and name == name.lower()
        and name[:1].isalpha()
        and all(char.isalnum() or char in "+.-" for char in name)
    )


class Parts(Value, metaclass=AbstractValueType):
    """The base class of a scheme's URL parts; immutable.

    A subclass annotates its fields and implements ``url_path``. If it has a constructor, that sets the fields with
    `_set` and refuses values that no URL can hold, so that ``read(build(parts)) == parts`` always holds.
    """

    @abstractmethod
    def url_path(self) -> str:
        """The encoded url-path, as `URL.build` writes it, with the query (``?...``) if the scheme has one."""

    @classmethod
    def of(cls, url: URL) -> Self:
        """The parts of a URL, as `URL.parts`, but with this class as static type.

        Raises:
            SchemeError: Its scheme has parts of another class, or none that anyurl reads.
            URLSyntaxError: The path is not valid for its scheme.

        >>> from anyurl import FtpParts
        >>> FtpParts.of(URL("ftp://host.dom/pub/motd")).directories
        ('pub',)
        """
        parts = url.parts
        if not isinstance(parts, cls):
            raise SchemeError(
                f"{url.masked} is a URL of {url.scheme}: its parts are {type(parts).__name__}, not {cls.__name__}."
            )
        return parts

    def as_dict(self) -> dict[str, object]:
        """The fields by name, as `anyurl parse --json` shows them."""
        return self._fields()


def once(read: Callable[[URL], R]) -> Callable[[URL], R]:
    """Cache the last result of `read`: the registry calls it, and then the verb does."""
    last: tuple[URL, Row, R] | None = None

    @wraps(read)
    def again(url: URL) -> R:
        nonlocal last
        known, row = last, syntax.row(url.scheme)
        if known is not None and known[0] is url and known[1] is row:
            return known[2]
        answer = read(url)
        last = (url, row, answer)
        return answer

    return again


def part_error(text: str, message: str, section: str, *, rule: str, code: str = "bad-part") -> URLSyntaxError:
    """The error for a component that no URL of its scheme can hold."""
    return URLSyntaxError(text, (Diagnostic(code, "error", (0, len(text)), rule, section, message),))


def placed(error: URLSyntaxError, url: URL) -> URLSyntaxError:
    """Restate the error of one component for the whole URL, with the component's position and the password masked."""
    import re

    whole = url.masked
    end = len(whole) if url.fragment is None else len(whole) - len(url.fragment) - 1
    start = end - len(url.url_path)
    found = re.search(rf"(?<!\w){re.escape(error.text)}(?!\w)", url.url_path) if error.text else None
    if found is not None:
        at = start + found.start()
        spans = [(at + one.span[0], at + one.span[1]) for one in error.diagnostics]
    else:  # it is empty, or encoded in the URL
        spans = [(start, end if error.text else start)] * len(error.diagnostics)
    return URLSyntaxError(
        whole,
        tuple(
            Diagnostic(one.code, one.severity, span, one.rule, one.section, one.message, one.fix)
            for one, span in zip(error.diagnostics, spans, strict=True)
        ),
    )


def quoted(name: bytes) -> str:
    """A name for a message: quoted, with characters that could harm a terminal escaped."""
    return f"'{escape(text_of(name))}'"


def decoded(data: bytes) -> str:
    """A server's text for display: UTF-8, or else Latin-1; the old protocols name no character set."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def is_this_machine(peer: tuple[str, int] | None) -> bool:
    """Whether the peer is this machine, so that no one else can read the connection."""
    return peer is not None and (peer[0].startswith("127.") or peer[0] == "::1")


def lacks_words(url: URL) -> UnsupportedError:
    """The error for a search without words."""
    return UnsupportedError(f"{url.masked} needs words to search for.", scheme=url.scheme, verb="search")


def octets(text: str, *, rule: str = "uchar") -> bytes:
    """The octets of a decoded component: UTF-8, and the octets that surrogateescape kept.

    Raises:
        URLSyntaxError: A lone surrogate does not stand for an octet.
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        message = f"U+{ord(text[error.start]):04X} is a lone surrogate, which has no UTF-8 octets"
        span = (error.start, error.start + 1)
        raise URLSyntaxError(text, (Diagnostic("surrogate", "error", span, rule, "RFC 3629 3", message),)) from None


NO_URL = "no_url"
"""The attribute that says why an entry has no URL."""


def why_no_url(entry: Entry) -> str:
    """Why an entry has no URL, for people; empty for one that has, and for a line that is only text."""
    if entry.url is not None or (entry.kind is None and NO_URL not in entry.attributes):
        return ""
    return str(entry.attributes.get(NO_URL, "its name cannot be part of a URL"))


def text_of(data: bytes) -> str:
    """Octets as text: UTF-8, other octets as surrogates."""
    return data.decode("utf-8", "surrogateescape")


def canonical(text: str, *, rule: str = "uchar") -> str:
    """The text as a URL with it is read back: surrogates that together form UTF-8 become its characters.

    Raises:
        URLSyntaxError: A lone surrogate does not stand for an octet.
    """
    if not isinstance(text, str):
        raise TypeError(f"a part of a URL is a str, not {type(text).__name__}")
    return text if text.isascii() else text_of(octets(text, rule=rule))


def several(parts: Any, what: str) -> Iterable[str]:
    """The argument, if it is an iterable of parts. Raises TypeError for anything else, including a single text."""
    if isinstance(parts, str | bytes) or not isinstance(parts, Iterable):
        raise TypeError(f"the {what} of a URL are a list of str, not {type(parts).__name__}")
    return parts


def spaced(reference: str) -> str:
    """A reference that a server wrote with spaces in its path or query, with them encoded; not in a host."""
    head, mark, rest = reference.partition("//")
    if not mark or " " in head:
        return reference.replace(" ", "%20")
    host, slash, path = rest.partition("/")
    return f"{head}//{host}{slash}{path.replace(' ', '%20')}"


def check_number(number: Any, what: str) -> None:
    """Raise TypeError unless this is an int (not a bool) or None."""
    if number is not None and (not isinstance(number, int) or isinstance(number, bool)):
        raise TypeError(f"the {what} of a URL is an int or None, not {type(number).__name__}")


def decode(text: str) -> str:
    """A component's text, percent-decoded; octets that are not UTF-8 as surrogates (RFC 1738 2.2)."""
    return text_of(percent_decode(text)) if "%" in text else text


def encode(text: str, safe: bytes = SAFE) -> str:
    """A decoded component, with every octet outside `safe` percent-encoded (RFC 1738 2.2)."""
    return percent_encode(octets(text), safe)


def split_decode(text: str, separator: str = "/") -> tuple[str, ...]:
    """Cut at the separator first, then decode each piece: an encoded separator is data (RFC 1738 2.2)."""
    return tuple(decode(piece) for piece in text.split(separator))


def refuse_octets(url: URL, row: Row, forbidden: bytes | None = None, **components: str | None) -> None:
    """Refuse a URL whose decoded components hold octets that delimit the protocol (RFC 1738 section 6).

    Attack: without this check ``gopher://h:25/%0D%0AMAIL...`` sends lines of another protocol to another server.

    Args:
        forbidden: Those octets; by default the row's.
        components: Decoded text by name; the message contains the name.

    Raises:
        RefusedError: Nothing was opened or sent.
    """
    for name, text in components.items():
        if (octet := _first_of(row.forbidden if forbidden is None else forbidden, text)) is not None:
            raise RefusedError(
                f"The {name.replace('_', ' ')} of {url.masked} holds {_shown(octet)} (%{octet:02X}), which would end "
                f"or split a command of {row.name}: it is never sent (RFC 1738 section 6).",
                code="octets",
                subject=row.name,
            )


def refuse_given(url: URL, row: Row, **given: str | None) -> None:
    """Refuse arguments besides the URL that hold octets which delimit this protocol or could command another.

    The policy has judged only the URL: other arguments may not hold octets for which the port counts (`Row.confined`).

    Args:
        given: Texts by name; the message contains the name.

    Raises:
        RefusedError: Nothing was opened or sent.
    """
    for name, text in given.items():
        if (octet := _first_of(CR_LF_NUL + row.forbidden + row.confined, text)) is not None:
            raise RefusedError(
                f"The {name.replace('_', ' ')} for {url.masked} holds {_shown(octet)}, which could command another "
                "service (RFC 1738 section 6): a space separates words.",
                code="octets",
                subject=row.name,
            )


def _first_of(octets_: bytes, text: str | None) -> int | None:
    """The first of these octets that a text holds, or None."""
    data = octets(text) if text else b""
    for octet in octets_:
        if octet in data:
            return octet
    return None


def _shown(octet: int) -> str:
    return _NAMES.get(octet, f"0x{octet:02X}")
