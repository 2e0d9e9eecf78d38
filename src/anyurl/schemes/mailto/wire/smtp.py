"""The client side of SMTP: commands out, replies in, and messages made safe to send (RFC 5321, RFC 6409).

Rule: octets in, values out; nothing here depends on sockets or the order of commands. Lines end with CR LF only: every
bare CR and bare LF of a message becomes CR LF before it is sent. Attack (SMTP smuggling): otherwise a server could see
the end of the message where this client sees a line of it.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Mapping

from anyurl.errors import LocalProtocolError
from anyurl.schemes.kit.replies import Reply, ReplyForm
from anyurl.schemes.mailto.wire.address import Address

MAX_REPLY_LINE_BYTES = 2 * 1024
"""Octets of a reply line: RFC 5321 4.5.3.1.5 has 512; some servers send more, but no known one four times as much."""

MAX_REPLY_LINES = 100
"""Lines of one reply: the longest EHLO answers have some twenty."""

MAX_LINE_BYTES = 998
"""Octets of a line of a message, without its CR LF (RFC 5322 2.1.1, RFC 5321 4.5.3.1.6)."""

END_OF_DATA = b".\r\n"
"""The line that ends a message (RFC 5321 4.1.1.4), after a CR LF."""

_VERB = re.compile(r"[A-Z]{4,8}\Z")
_LONG = re.compile(rb"^[^\n]{%d,}" % (MAX_LINE_BYTES + 2), re.MULTILINE)  # with its CR


REPLIES = ReplyForm("SMTP", "coded", codes=(200, 599), max_line_bytes=MAX_REPLY_LINE_BYTES, max_lines=MAX_REPLY_LINES)
"""RFC 5321 4.2; it has no preliminary replies."""

# --- commands --------------------------------------------------------------------------------------------------------


def command(verb: str, argument: bytes = b"") -> bytes:
    """One command line (RFC 5321 4.1.1).

    Raises:
        LocalProtocolError: The verb is invalid, or the argument contains CR, LF or NUL.
    """
    if not _VERB.match(verb):
        raise LocalProtocolError(f"{verb!r} is not an SMTP command, which consists of capital letters.")
    return _line(verb.encode("ascii") + (b" " + argument if argument else b""))


def _line(data: bytes) -> bytes:
    if b"\r" in data or b"\n" in data or b"\0" in data:
        # Attack: an address or a password with a line end would be a command of its own (RFC 1738 section 6).
        raise LocalProtocolError("An SMTP command holds CR, LF or NUL, which would end it.")
    return data + b"\r\n"


def hello(peer: str, verb: str = "EHLO") -> bytes:
    """EHLO with a loopback address literal, since a client has no host name to give (RFC 5321 4.1.4).

    Args:
        peer: The address of the server, whose family the literal has.
        verb: ``HELO`` for a server that has no extensions.
    """
    return command(verb, b"[IPv6:::1]" if ":" in peer else b"[127.0.0.1]")


def mail_from(sender: Address, features: Mapping[str, str], *, size: int, eight_bit: bool, utf8: bool) -> bytes:
    """MAIL FROM with the parameters that the server supports (RFC 1870, RFC 6152, RFC 6531).

    Args:
        size: The size of the message in octets.
        eight_bit: The message contains octets above 127.
        utf8: Its header or an address of the envelope does.
    """
    parameters = b"FROM:<%s>" % str(sender).encode()
    if "SIZE" in features:
        parameters += b" SIZE=%d" % size
    if eight_bit and "8BITMIME" in features:
        parameters += b" BODY=8BITMIME"
    if utf8:
        parameters += b" SMTPUTF8"
    return command("MAIL", parameters)


def recipient(address: Address) -> bytes:
    """RCPT TO (RFC 5321 4.1.1.3)."""
    return command("RCPT", b"TO:<%s>" % str(address).encode())


def plain(user: str, password: str) -> bytes:
    """AUTH PLAIN with its initial response (RFC 4954 4, RFC 4616 2).

    Raises:
        LocalProtocolError: The user or the password contains NUL, the separator between them.
    """
    if "\0" in user or "\0" in password:
        raise LocalProtocolError("The user or the password holds NUL, which would end it.")
    return command("AUTH", b"PLAIN " + _base64(f"\0{user}\0{password}"))


def login_answer(text: str) -> bytes:
    """The response to a prompt of AUTH LOGIN: a user name or a password."""
    return _line(_base64(text))


def _base64(text: str) -> bytes:
    return binascii.b2a_base64(text.encode("utf-8", "surrogateescape"), newline=False)


def secrets_of(user: str, password: str) -> tuple[bytes, ...]:
    """The password in each form in which it is sent, any of which a hostile server may echo."""
    forms = password.encode("utf-8", "surrogateescape"), _base64(password), _base64(f"\0{user}\0{password}")
    return tuple(filter(None, forms))


# --- replies ---------------------------------------------------------------------------------------------------------


def features_of(reply: Reply) -> dict[str, str]:
    """The extensions in an EHLO reply: parameters by upper-case keyword (RFC 5321 4.1.1.1)."""
    found: dict[str, str] = {}
    for line in reply.lines[1:]:
        keyword, _, parameters = line.decode("ascii", "replace").strip().partition(" ")
        if keyword.upper().startswith("AUTH="):  # servers from before RFC 2554
            keyword, parameters = "AUTH", f"{keyword[5:]} {parameters}"
        if keyword:
            found[keyword.upper()] = f"{found.get(keyword.upper(), '')} {parameters.strip()}".strip()
    return found


def size_limit(features: Mapping[str, str]) -> int | None:
    """The largest message that the server accepts, or None if it does not say (RFC 1870 3)."""
    digits = features.get("SIZE", "")
    size = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 20 else 0
    return size or None  # 0 means no limit


# --- the message -----------------------------------------------------------------------------------------------------


def network_lines(message: bytes) -> bytes:
    """The message with CR LF as the only line end, at its end as well.

    >>> network_lines(b"a\\nb\\rc\\r\\nd")
    b'a\\r\\nb\\r\\nc\\r\\nd\\r\\n'
    """
    whole = message.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\n", b"\r\n")
    return whole if whole.endswith(b"\r\n") or not whole else whole + b"\r\n"


def check_lines(message: bytes) -> None:
    """Check that a message contains no NUL and no overlong lines.

    Args:
        message: As `network_lines` returns it.

    Raises:
        LocalProtocolError: It does; the message names the line.
    """
    found = _LONG.search(message)
    if found is not None:
        number, length = message.count(b"\n", 0, found.start()) + 1, found.end() - found.start() - 1
        raise LocalProtocolError(
            f"Line {number:,} of the message has {length:,} octets: a line of mail has {MAX_LINE_BYTES} at most "
            "(RFC 5322 2.1.1)."
        )
    nul = message.find(b"\0")
    if nul >= 0:
        number = message.count(b"\n", 0, nul) + 1
        raise LocalProtocolError(f"Line {number:,} of the message holds NUL, which no mail may contain (RFC 2045 2).")


def has_long_lines(message: bytes) -> bool:
    """Whether a line is longer than mail allows; `message` is as `network_lines` returns it."""
    return _LONG.search(message) is not None


def stuffed(message: bytes) -> bytes:
    """The message as sent after DATA: leading dots doubled, and the final dot added (RFC 5321 4.5.2).

    Args:
        message: As `network_lines` returns it.

    Raises:
        LocalProtocolError: It contains a line end other than CR LF.
    """
    ends = message.count(b"\r\n")
    if message.count(b"\r") != ends or message.count(b"\n") != ends or (message and not message.endswith(b"\r\n")):
        raise LocalProtocolError(
            "The message holds a CR or LF that is not part of a CR LF pair: the message would be changed on its way."
        )
    doubled = message.replace(b"\r\n.", b"\r\n..")
    return (b"." + doubled if doubled.startswith(b".") else doubled) + END_OF_DATA
