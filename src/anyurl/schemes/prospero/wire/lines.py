"""The lines of Prospero messages as values: links, attributes, complaints, and others that begin with a word.

Rule: each value writes itself in the form of the original servers, so that ``read_line(value.write()) == value``. Names
and tokens are octets: the protocol names no character set.
"""

from __future__ import annotations

import re
from typing import TypeAlias

from anyurl.errors import LimitError, RemoteProtocolError, sample
from anyurl.schemes.prospero.wire.text import (
    first_token,
    quote,
    quote_list,
    quote_octets,
    quote_text,
    split_names,
    split_tokens,
    unquote,
)
from anyurl.values import Value

MAX_DEPTH = 16
"""The nesting of attributes of a link that is the value of an attribute: a depth of 1 is in use."""

_LISTS = frozenset({b"LIST", b"AUTHENTICATE", b"GET-OBJECT-INFO", b"CREATE-LINK", b"DELETE-LINK"})
"""Commands whose first argument is a list of options, joined by plus signs."""

_FIELDS = (
    b"ACCESS-METHOD", b"BASE-TYPE", b"DEST-EXP", b"HOST", b"HOST-TYPE", b"HSONAME", b"HSONAME-TYPE", b"ID",
    b"LINK-TYPE", b"NAME-COMPONENT", b"OWNER", b"TARGET", b"TTL", b"VERSION",
)  # fmt: skip

KNOWN_FIELDS = dict.fromkeys(_FIELDS, b"SEQUENCE") | {b"CLOSURE": b"LINK", b"FILTER": b"FILTER"}
"""The implied types of FIELD attributes: the type word may be present or missing."""


class Names(Value):
    """One token that is a path of names, joined by slashes: ``docs/rfc`` in ``LIST '' COMPONENTS docs/rfc``."""

    names: tuple[bytes, ...]

    def __init__(self, *names: bytes) -> None:
        self._set(names=names)

    def write(self) -> bytes:
        """The raw token."""
        return b"/".join(quote(name) for name in self.names) if self.names != (b"",) else b"''"


class Line(Value):
    """A line of a word and tokens: every command, and every reply that has no class of its own.

    Attributes:
        word: ``LIST``, ``VERSION``, ``NONE-FOUND`` ... as written.
        tokens: The tokens after it; after COMPONENTS and UNRESOLVED each one is a path of `Names`.
    """

    word: bytes
    tokens: tuple[bytes | Names, ...]

    def __init__(self, word: bytes, *tokens: bytes | Names) -> None:
        self._set(word=word, tokens=tokens)

    def write(self) -> bytes:
        """The line, without its end."""
        return b" ".join((self.word, *map(self._write_token, range(len(self.tokens)), self.tokens)))

    def _write_token(self, index: int, token: bytes | Names) -> bytes:
        if isinstance(token, Names):
            return token.write()
        return quote_list(token) if index == 0 and self.word in _LISTS else quote(token)

    def octets(self) -> tuple[bytes, ...]:
        """The tokens as octets, paths with their slashes."""
        return tuple(b"/".join(token.names) if isinstance(token, Names) else token for token in self.tokens)


class Link(Value):
    """A link of a directory: a name and its target.

    Attributes:
        type: ``L`` ordinary, ``U`` union (the target's content belongs to this directory), ``I`` invisible.
        target: ``DIRECTORY``, ``FILE``, ``DIRECTORY+FILE``, ``OBJECT``, ``EXTERNAL``, ``SYMBOLIC``, ``NULL``.
        name: The name that users see.
        host_type: ``INTERNET-D``, or another type of host.
        host: A domain name or address, followed by ``(port)`` if that is not the default port.
        hsoname_type: ``ASCII``.
        hsoname: The host-specific object name.
        version: The version of the object; 0 if it has no versions.
        rest: Further tokens: ``DEST-EXP`` and a time.
    """

    type: bytes
    target: bytes
    name: bytes
    host_type: bytes
    host: bytes
    hsoname_type: bytes
    hsoname: bytes
    version: int = 0
    rest: tuple[bytes, ...] = ()

    def write(self) -> bytes:
        """The line, without its end."""
        if self.target == b"NULL" and not self.rest and self._reads_bare():
            return b"LINK " + self._bare()
        return b"LINK  " + b" ".join(self.words())

    def words(self) -> list[bytes]:
        """The raw tokens after LINK."""
        # Types and targets need no quotes: the plus sign of DIRECTORY+FILE is structure.
        bare = map(quote_list, (self.type, self.target, self.host_type, self.hsoname_type))
        type, target, host_type, hsoname_type = bare
        place = [host_type, quote(self.host), hsoname_type, quote(self.hsoname), b"%d" % self.version]
        return [type, target, quote(self.name), *place, *map(quote, self.rest)]

    def _bare(self) -> bytes:
        # Servers write the name of a link without read permission unquoted, after one blank.
        place = (self.host_type, self.host, self.hsoname_type, self.hsoname, b"%d" % self.version)
        return b" ".join((self.type, self.target, self.name, *place))

    def _reads_bare(self) -> bool:
        place = (self.host_type, self.host, self.hsoname_type, self.hsoname)
        bare = self._bare()
        if b"\n" in bare or b"\r" in bare or (b"'" in bare and set(place) != {b"NULL"}):
            return False
        try:
            return read_link(bare) == self
        except RemoteProtocolError:
            return False

    @property
    def expires(self) -> bytes | None:
        """The time when the link expires, as ``yyyymmddhhmmssZ``, or None."""
        return self.rest[1] if len(self.rest) > 1 and self.rest[0] == b"DEST-EXP" else None


class Attribute(Value):
    """An attribute of an object or of a link.

    Attributes:
        depth: 0, or 1 for an attribute of the link that is the value of the preceding attribute, and so on.
        precedence: ``OBJECT``, ``LINK``, ``CACHED``, ``REPLACEMENT``, ``ADDITIONAL``.
        namespace: ``FIELD`` (registered), ``INTRINSIC`` (the server derives it), ``APPLICATION``.
        name: ``SIZE`` ...
        type: ``SEQUENCE``, ``LINK`` or ``FILTER`` as written; empty if it is implied.
        value: The tokens, or the `Link`.
    """

    precedence: bytes
    namespace: bytes
    name: bytes
    type: bytes
    value: tuple[bytes, ...] | Link
    depth: int = 0

    def write(self) -> bytes:
        """The line, without its end."""
        head = [b"ATTRIBUTE" + b">" * self.depth, self.precedence, self.namespace, quote(self.name)]
        if self.type:
            head.append(self.type + b" " if self.type == b"FILTER" else self.type)
        write = quote_octets if self.name == b"CONTENTS" else quote
        return b" ".join((*head, *(self.value.words() if isinstance(self.value, Link) else map(write, self.value))))

    @property
    def tokens(self) -> tuple[bytes, ...]:
        """The tokens of the value; for a link, its host and object name."""
        return (self.value.host, self.value.hsoname) if isinstance(self.value, Link) else self.value


class Forwarded(Value):
    """A redirection to the new place of the object.

    Attributes:
        place: A link to it with an empty name.
    """

    place: Link

    def write(self) -> bytes:
        """The line, without its end."""
        return b" ".join((b"FORWARDED", *self.place.words()[3:]))


class Complaint(Value):
    """A refusal, or a warning.

    Attributes:
        word: ``FAILURE`` (the request was understood), ``ERROR`` (it was not), ``WARNING`` (it was obeyed).
        code: ``NOT-FOUND`` ...; empty for an ERROR.
        text: The server's explanation.
    """

    word: bytes
    code: bytes
    text: bytes = b""

    def write(self) -> bytes:
        """The line, without its end."""
        has_code = self.code or (self.text and self.word != b"ERROR")
        head = self.word + (b" " + quote_list(self.code) if has_code else b"")
        return head + b" " + quote_text(self.text) if self.text else head


class Text(Value):
    """A line that begins with an unknown word: the report of STATUS, or an extension.

    Attributes:
        raw: The line as received.
    """

    raw: bytes

    def write(self) -> bytes:
        """The line, without its end."""
        return self.raw


ReplyLine: TypeAlias = Line | Link | Attribute | Forwarded | Complaint | Text

_WORDS = frozenset({
    b"VERSION", b"VERSION-NOT-SUPPORTED", b"NONE-FOUND", b"SUCCESS", b"ID", b"ACL", b"PARAMETER", b"UNRESOLVED",
    b"FILTER",
})  # fmt: skip


def read_reply_line(line: bytes) -> ReplyLine:
    """Parse a line of a reply; an unknown one is a `Text`, since extensions are not errors.

    Raises:
        RemoteProtocolError: A LINK, an ATTRIBUTE or a FORWARDED lacks tokens.
        LimitError: More than `MAX_TOKENS` tokens, or deeper than `MAX_DEPTH`.
    """
    word, rest = first_token(line)
    if word == b"LINK":
        return read_link(rest)
    if word.startswith(b"ATTRIBUTE") and not word[9:].strip(b">"):
        return read_attribute(rest, len(word) - 9)
    if word == b"FORWARDED":
        return _read_forwarded(rest)
    if word == b"ERROR":
        return Complaint(word, b"", unquote(rest))
    if word in (b"FAILURE", b"WARNING"):
        code, text = first_token(rest)
        return Complaint(word, unquote(code), unquote(text))
    return read_line(line) if word in _WORDS else Text(line)


def read_line(line: bytes) -> Line:
    """Parse a word and its tokens, the form of every command. Raises LimitError for more than `MAX_TOKENS`."""
    raw = split_tokens(line)
    if not raw:
        return Line(b"")
    word, *raw = raw  # the word is never quoted
    tokens = [unquote(token) for token in raw]
    paths = len(raw)
    if word == b"LIST" and b"COMPONENTS" in tokens[:2]:
        paths = tokens.index(b"COMPONENTS") + 1
    elif word == b"UNRESOLVED":
        paths = 0
    return Line(word, *tokens[:paths], *(Names(*split_names(token)) for token in raw[paths:]))


def read_link(rest: bytes) -> Link:
    """Parse a link from the tokens after LINK.

    Raises:
        RemoteProtocolError: Tokens are missing, or the version is not a number.
    """
    raw = split_tokens(rest)
    if len(raw) > 2 and raw[1] == b"NULL" and (hidden := _HIDDEN.fullmatch(rest)) is not None:
        kind, name, version = hidden.groups()
        name = unquote(name) if name.count(b"'") % 2 == 0 else name
        return Link(kind, b"NULL", name, b"NULL", b"NULL", b"NULL", b"NULL", int(version))
    if len(raw) < 8:
        raise RemoteProtocolError(
            f"A LINK of a Prospero directory has eight tokens or more: {sample(rest[:80])}", sample=sample(rest)
        )
    kind, target, name, host_type, host, hsoname_type, hsoname, version, *more = map(unquote, raw)
    return Link(kind, target, name, host_type, host, hsoname_type, hsoname, _version(version, rest), tuple(more))


_HIDDEN = re.compile(rb"([^ \t']+)[ \t]+NULL[ \t]((?:[^ \t].*)?)(?: NULL){4} ([0-9]{1,9})[ \t]*")
"""The tokens of a hidden link after LINK: the name is everything before the last five tokens."""


def _version(digits: bytes, line: bytes) -> int:
    if not digits.removeprefix(b"-").isdigit() or len(digits) > 11:
        raise RemoteProtocolError(
            f"The version of a Prospero object is a number: {sample(line[:80])}", sample=sample(line)
        )
    return int(digits)


def _read_forwarded(rest: bytes) -> Forwarded:
    raw = [unquote(token) for token in split_tokens(rest)]
    if len(raw) < 4:
        raise RemoteProtocolError(
            f"FORWARDED names the new place in five tokens: {sample(rest[:80])}", sample=sample(rest)
        )
    host_type, host, hsoname_type, hsoname, *more = raw
    version = _version(more[0], rest) if more else 0
    return Forwarded(Link(b"L", b"OBJECT", b"", host_type, host, hsoname_type, hsoname, version, tuple(more[1:])))


def read_attribute(rest: bytes, depth: int = 0) -> Attribute:
    """Parse an attribute from the tokens after ATTRIBUTE and its ``>`` signs.

    Raises:
        RemoteProtocolError: Tokens are missing.
        LimitError: It is nested deeper than `MAX_DEPTH`.
    """
    if depth > MAX_DEPTH:
        raise LimitError(
            f"An attribute is nested {depth:,} deep: the limit of {MAX_DEPTH} allows no more.", limit="MAX_DEPTH"
        )
    raw = split_tokens(rest)
    if len(raw) < 3:
        raise RemoteProtocolError(
            f"An ATTRIBUTE has a precedence, a namespace and a name: {sample(rest[:80])}", sample=sample(rest)
        )
    precedence, namespace, name, *tokens = raw
    name = unquote(name)
    expected = KNOWN_FIELDS.get(name) if namespace == b"FIELD" else None
    type = b""
    if tokens and (expected is None or (tokens[0] == expected and len(tokens) > 1)):
        type, *tokens = tokens
    value: tuple[bytes, ...] | Link = tuple(map(unquote, tokens))
    if b"LINK" in (type, expected if not type else b""):
        value = read_link(b" ".join(tokens))
    return Attribute(precedence, namespace, name, type, value, depth)
