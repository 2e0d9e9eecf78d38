"""The FTP control connection as a codec: commands out, replies in, and what single replies mean.

Rule: octets in, values out; nothing here knows a socket, a path or an order of commands. RFC 959 with RFC 1123 4.1,
RFC 2389 (FEAT), RFC 2428 (EPSV) and RFC 3659 (SIZE, MDTM, MLST).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from anyurl.errors import LocalProtocolError, RemoteProtocolError, sample
from anyurl.schemes.kit.dates import timestamp
from anyurl.schemes.kit.lines import CR, LF, NUL
from anyurl.schemes.kit.replies import Reply, ReplyForm

MAX_REPLY_LINE_BYTES = 8 * 1024
"""Octets of one line of a reply: as ftplib has it; a path may have 4 KiB, and doubled or quoted it still fits."""

MAX_REPLY_LINES = 1_000
"""Lines of one reply: the longest greetings have some hundred; without a limit a client reads on for ever."""

MAX_REPLY_BYTES = 64 * 1024
"""Octets of one reply: as libcurl's ping-pong buffer."""

MAX_PRELIMINARY_REPLIES = 5
"""1yz replies to one command: one is usual, a greeting may ask to wait (120) a few times; a flood never ends."""

MAX_SIZE = 2**63 - 1
"""The largest size that is believed: no file offset is larger (off_t)."""

IAC = b"\xff"

_VERB = re.compile(r"[A-Z]{3,4}\Z")


def encode_command(verb: str, argument: bytes | None = None, *, telnet: bool = True) -> bytes:
    """One command line (RFC 959 5.3).

    Args:
        argument: Its octets; ``b""`` is an argument too: the space before it is sent (RFC 1738 3.2.2: ``CWD `` with a
            null argument).
        telnet: The server reads the line as telnet has it, where 0xFF is doubled (RFC 854).

    Raises:
        LocalProtocolError: The verb is none, or the argument holds CR, LF or NUL.
    """
    if not _VERB.match(verb):
        raise LocalProtocolError(f"{verb!r} is not an FTP command, which is three or four capital letters.")
    if argument is None:
        return verb.encode("ascii") + b"\r\n"
    if CR in argument or LF in argument or NUL in argument:
        # Attack: ftp://h/a%0D%0ADELE%20b would send a second command (RFC 1738 section 6).
        raise LocalProtocolError(f"The argument of {verb} holds CR, LF or NUL, which would end the command.")
    # RFC 854: on a telnet connection, which the control connection is (RFC 959 2.3), 0xFF is written twice.
    return verb.encode("ascii") + b" " + (argument.replace(IAC, IAC + IAC) if telnet else argument) + b"\r\n"


REPLIES = ReplyForm(
    "FTP",
    "framed",
    max_line_bytes=MAX_REPLY_LINE_BYTES,
    max_lines=MAX_REPLY_LINES,
    max_bytes=MAX_REPLY_BYTES,
    max_preliminary=MAX_PRELIMINARY_REPLIES,
)
"""RFC 959 4.2."""


# --- what single replies mean --------------------------------------------------------------------------------------

_SIX_NUMBERS = re.compile(rb"(?<!\d)(\d{1,3}),(\d{1,3}),(\d{1,3}),(\d{1,3}),(\d{1,3}),(\d{1,3})(?!\d)")
_EXTENDED = re.compile(rb"\(([!-~])\1\1(\d{1,10})\1\)")
_SIZE = re.compile(rb"[ \t]*(\d{1,19})[ \t]*\Z")
_MOMENT = re.compile(rb"(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d+)?\Z")
_QUOTED = re.compile(rb'[ \t]*"((?:[^"]|"")*)"')
_ENDS = re.compile(rb"[\r\n\0]")
_BYTES = re.compile(rb".*\((\d{1,19}) bytes\)", re.IGNORECASE | re.DOTALL)
"""The last one: the name of the file stands before it, and may look the same."""


def passive_port(reply: Reply) -> int:
    """The port of a 227 reply (RFC 959 4.1.2, scanned for digits as RFC 1123 4.1.2.6 says).

    The host that stands before it is not returned: the data connection goes to the server's own address, whatever is
    claimed, so that a server can't point a client at a third host (the bounce).

    Raises:
        RemoteProtocolError: There is no port in it, or one that is none.
    """
    match = _SIX_NUMBERS.search(reply.lines[0])
    numbers = [int(number) for number in match.groups()] if match else []
    if not numbers or max(numbers) > 255:
        raise _malformed(reply, "h1,h2,h3,h4,p1,p2, each 0 to 255")
    return _checked_port(reply, numbers[4] * 256 + numbers[5])


def extended_passive_port(reply: Reply) -> int:
    """The port of a 229 reply: ``(|||port|)`` with any delimiter (RFC 2428 3).

    Raises:
        RemoteProtocolError: It has another form, names a host, or the port is none.
    """
    match = _EXTENDED.search(reply.lines[0])
    if match is None:
        raise _malformed(reply, "(|||port|), nothing between the first three bars")
    return _checked_port(reply, int(match[2]))


def _checked_port(reply: Reply, port: int) -> int:
    if not 1 <= port <= 65535:
        raise _malformed(reply, "a port from 1 to 65535")
    return port


def _malformed(reply: Reply, wanted: str) -> RemoteProtocolError:
    shown = sample(reply.masked[0])
    return RemoteProtocolError(f"The {reply.code} reply has to hold {wanted}; it says: {shown}", sample=shown)


def size_of(reply: Reply) -> int | None:
    """Octets that a 213 reply to SIZE tells; None when it tells none, or one that no file can have."""
    match = _SIZE.match(reply.lines[0])
    size = int(match[1]) if match else MAX_SIZE + 1
    return size if size <= MAX_SIZE else None


def modified_of(reply: Reply) -> float | None:
    """The moment that a 213 reply to MDTM tells, in seconds since the epoch (RFC 3659 2.3), or None."""
    return timestamp_of(reply.lines[0].strip())


def timestamp_of(text: bytes) -> float | None:
    """``YYYYMMDDHHMMSS[.sss]`` in seconds since the epoch, parts of a second left out; None when it is no such date."""
    match = _MOMENT.match(text)
    return timestamp(*map(int, match.groups())) if match else None


def announced_size(reply: Reply) -> int | None:
    """Octets that a 150 reply announces in passing, ``(1234 bytes)``, or None: a custom, not a rule."""
    match = _BYTES.match(reply.lines[-1])
    size = int(match[1]) if match else MAX_SIZE + 1
    return size if size <= MAX_SIZE else None


def features_of(reply: Reply) -> Mapping[str, str]:
    """Features by name, in capitals, with their parameters (RFC 2389 3.2); a line that is no feature is left out."""
    features: dict[str, str] = {}
    for line in reply.lines[1:-1]:
        name, _, parameters = line.strip().partition(b" ")
        if name.isascii() and name:
            features[name.decode("ascii").upper()] = parameters.decode("utf-8", "surrogateescape")
    return features


def directory_of(reply: Reply) -> bytes:
    """The path in a 257 reply to PWD (RFC 959, Appendix II): in quotes, those within it doubled; b"" without one."""
    match = _QUOTED.match(reply.lines[0]) if reply.code == 257 else None
    path = b"" if match is None else match[1].replace(b'""', b'"')
    return path if path.startswith(b"/") and not _ENDS.search(path) else b""


def facts_line_of(reply: Reply) -> bytes:
    """The line of facts in a 250 reply to MLST (RFC 3659 7.2).

    Raises:
        RemoteProtocolError: It has no such line.
    """
    for line in reply.lines[1:-1]:
        if line.strip():
            # RFC 3659 7.2: one space stands before the facts; some servers forget it.
            return line.removeprefix(b" ")
    raise _malformed(reply, "a line of facts")
