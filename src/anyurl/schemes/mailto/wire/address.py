"""addr-spec: the address of a mailbox, as RFC 6068 2 adopts it from RFC 5322 3.4.1, international ones included.

Rule: a local part is a dot-atom or a quoted string, a domain is a dot-atom or a literal in brackets. Comments, white
space and obsolete forms are not allowed (RFC 6068 2); non-ASCII characters are UTF-8 (RFC 6532 3.2), in domains also
subject to IDNA.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from anyurl.errors import LocalProtocolError, escape
from anyurl.url import host
from anyurl.url.cut.addresses import parse_ipv6
from anyurl.values import Value

MAX_LOCAL_BYTES = 64
"""Octets of a local part that a mail server must accept (RFC 5321 4.5.3.1.1)."""

MAX_DOMAIN_BYTES = 255
"""Octets of a domain that a mail server must accept (RFC 5321 4.5.3.1.2)."""

MAX_SHOWN_CHARACTERS = 100
"""Characters of an address shown in an error message: real addresses are not longer."""

_ATEXT = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-/=?^_`{|}~")
_MARKS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Bidirectional controls, with which one address can look like another (UTR 36)."""

_QUOTED_PAIR = re.compile(r"\\(.)", re.DOTALL)
_LABEL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\Z")


class Address(Value):
    """One address.

    Attributes:
        local: The local part as written, with its quotes, if any.
        domain: The domain as written: Unicode, A-labels, or a literal in brackets.
    """

    local: str
    domain: str

    @property
    def name(self) -> str:
        """The local part without quotes: the name of the mailbox at the domain."""
        return _QUOTED_PAIR.sub(r"\1", self.local[1:-1]) if self.local.startswith('"') else self.local

    @property
    def is_international(self) -> bool:
        """Whether it needs SMTPUTF8 (RFC 6531): a domain has an ASCII form, a non-ASCII local part does not."""
        return not self.local.isascii()

    @property
    def ascii_domain(self) -> str:
        """The domain with A-labels (RFC 5891 4)."""
        if self.domain.isascii():
            return self.domain
        found = host.to_ascii(self.domain)
        assert isinstance(found, str)  # ensured by `read_address`
        return found

    def __str__(self) -> str:
        return f"{self.local}@{self.ascii_domain}"


def read_address(text: str) -> Address:
    """Read ``local-part@domain``.

    Args:
        text: The decoded text; octets that are not UTF-8 as surrogates.

    Raises:
        LocalProtocolError: It is not a valid address; the message says why.

    >>> read_address('"not@me"@example.org').name
    'not@me'
    """
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise LocalProtocolError(
            f"The address {_shown(text)} is not UTF-8, as percent-encoded text in an address must be."
        )
    local = _read_local(text)
    rest = text[len(local) :]
    if not rest.startswith("@"):
        at = rest.find("@")
        wrong = "has no '@'" if at < 0 else f"has '{escape(rest[:1])}' before its '@', which needs a quoted local part"
        if rest.startswith(":"):  # probably a password, as in URLs of other schemes
            text = f"{local}:***{rest[rest.rfind('@') :] if at > 0 else ''}"
        raise LocalProtocolError(f"An address is local-part@domain; {_shown(text)} {wrong}.")
    domain = rest[1:]
    _check_domain(text, domain)
    return Address(local, domain)


def reason(error: LocalProtocolError) -> str:
    """The message of an error of `read_address` or `check_deliverable` as a clause of a longer sentence."""
    text = str(error)
    return text[:1].lower() + text[1:].removesuffix(".")


def _read_local(text: str) -> str:
    if not text.startswith('"'):
        length = next((i for i, char in enumerate(text) if not (_is_atext(char) or char == ".")), len(text))
        local = text[:length]
        # An empty local part, or one with an empty word, is possible only in quotes: "" and "..".
        if "@" in text[length : length + 1] and "" in local.split("."):
            raise LocalProtocolError(f"The local part of {_shown(text)} is empty, or has a misplaced dot.")
        return local
    i = 1
    while i < len(text) and text[i] != '"':
        char = text[i]
        pair = char == "\\"
        i += 1 + pair
        if pair:
            char = text[i - 1 : i]
        # RFC 6068 2 allows no white space: even in quotes a space needs a backslash.
        good = (char in " \t" if pair else False) or (char > " " and char != "\x7f" and _is_text(char))
        if not char or not good:
            raise LocalProtocolError(
                f"The quoted local part of {_shown(text)} holds a character that is not allowed there."
            )
    if i >= len(text):
        raise LocalProtocolError(f"The quoted local part of {_shown(text)} is not closed.")
    return text[: i + 1]


def _check_domain(text: str, domain: str) -> None:
    if domain.startswith("["):
        inner = domain[1:-1]
        if not domain.endswith("]") or not inner or any(not "!" <= char <= "~" or char in "[\\]" for char in inner):
            raise LocalProtocolError(f"The domain of {_shown(text)} begins with '[' and is not a bracketed address.")
        return
    labels = domain.split(".")
    if "" in labels:
        raise LocalProtocolError(f"The domain of {_shown(text)} has an empty label.")
    bad = next((char for label in labels for char in label if not _is_atext(char)), None)
    if bad is not None:
        raise LocalProtocolError(f"The domain of {_shown(text)} holds '{escape(bad)}', which no domain may contain.")
    if not domain.isascii() and not isinstance(host.to_ascii(domain), str):
        raise LocalProtocolError(f"The domain of {_shown(text)} is not an internationalised name (RFC 5891).")


def _is_atext(char: str) -> bool:
    return char in _ATEXT or (char > "\x7f" and _is_text(char))


def _is_text(char: str) -> bool:
    """Whether it is ASCII, or a non-ASCII character other than a surrogate or a control (RFC 6532 3.1)."""
    return char < "\x80" or not ("\x80" <= char <= "\x9f" or "\ud800" <= char <= "\udfff" or char in _MARKS)


def _shown(text: str) -> str:
    return f"'{escape(text if len(text) <= MAX_SHOWN_CHARACTERS else text[:MAX_SHOWN_CHARACTERS] + '...')}'"


def split_list(value: str) -> Iterator[str]:
    """The addresses of a path, or of a ``to`` or ``cc`` field, unparsed, also from ``Name <address>`` (RFC 5322 3.4).

    Commas and, as mail programs write them, semicolons separate them. Display names are dropped: they are only a claim
    of the author of the URL.
    """
    for piece in _split_at_commas(value):
        text = piece.strip()
        if text.endswith(">") and "<" in text:
            text = text[text.rindex("<") + 1 : -1].strip()
        if text:
            yield text


def _split_at_commas(value: str) -> Iterator[str]:
    start = 0
    quoted = escaped = literal = False
    for i, char in enumerate(value):
        if escaped:
            escaped = False
        elif quoted and char == "\\":
            escaped = True
        elif char == '"':
            quoted = not quoted
        elif char in "[]" and not quoted:
            literal = char == "["
        elif char in ",;" and not (quoted or literal):
            yield value[start:i]
            start = i + 1
    yield value[start:]


def check_deliverable(address: Address) -> None:
    """Check that mail servers accept an address, and that it can't be misinterpreted (RFC 5321 4.1.2).

    Raises:
        LocalProtocolError: It is not deliverable; the message says why.
    """
    if address.name.startswith("-"):
        # Attack: programs that servers run to deliver mail would interpret it as an option.
        raise LocalProtocolError(f"{_shown(str(address))} begins with '-', which programs take for an option.")
    if len(address.local.encode()) > MAX_LOCAL_BYTES or len(address.ascii_domain) > MAX_DOMAIN_BYTES:
        raise LocalProtocolError(
            f"{_shown(str(address))} is too long: a local part has {MAX_LOCAL_BYTES} octets at most, a domain "
            f"{MAX_DOMAIN_BYTES}."
        )
    if any(char < " " for char in address.local):
        raise LocalProtocolError(f"The local part of {_shown(str(address))} holds a tab.")
    domain = address.ascii_domain
    if domain.startswith("["):
        good = host.parse_ipv4(domain[1:-1]) or (
            domain[1:6].lower() == "ipv6:" and parse_ipv6(domain[6:-1]) is not None
        )
    else:
        good = all(_LABEL.match(label) for label in domain.split("."))
    if not good:
        raise LocalProtocolError(f"The domain of {_shown(str(address))} is neither a host name nor an address.")
