"""The codec of the FTP control connection: encoding commands, and the content of single replies.

Rule: octets in, values out; nothing here depends on sockets, paths or the order of commands. RFC 959 with RFC 1123 4.1,
RFC 2389 (FEAT), RFC 2428 (EPSV) and RFC 3659 (SIZE, MDTM, MLST).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from anyurl.dates import timestamp
from anyurl.errors import LocalProtocolError, RemoteProtocolError, sample
from anyurl.schemes.kit.lines import CR, LF, NUL
from anyurl.schemes.kit.replies import Reply, ReplyForm

MAX_REPLY_LINE_BYTES = 8 * 1024
"""Octets of one line of a reply, as in ftplib; a path of 4 KiB fits even if doubled or quoted."""

MAX_REPLY_LINES = 1_000
"""Lines of one reply: the longest greetings have about a hundred; without a limit a client would read forever."""

MAX_REPLY_BYTES = 64 * 1024
"""Octets of one reply, as in libcurl's ping-pong buffer."""

MAX_PRELIMINARY_REPLIES = 5
"""1yz replies to one command: one is usual, and a greeting may ask to wait (120) a few times. Attack: endless ones."""

MAX_SIZE = 2**63 - 1
"""The largest size accepted: no file offset is larger (off_t)."""

IAC = b"\xff"

_VERB = re.compile(r"[A-Z]{3,4}\Z")


def encode_command(verb: str, argument: bytes | None = None, *, telnet: bool = True) -> bytes:
    """One command line (RFC 959 5.3).

    Args:
        argument: Its octets; ``b""`` is an argument too: the space before it is sent (RFC 1738 3.2.2: ``CWD `` with a
            null argument).
        telnet: The server reads the line by the rules of telnet: 0xFF is doubled (RFC 854).

    Raises:
        LocalProtocolError: The verb is invalid, or the argument holds CR, LF or NUL.
    """
    if not _VERB.match(verb):
        raise LocalProtocolError(f"{verb!r} is not an FTP command, which is three or four capital letters.")
    if argument is None:
        return verb.encode("ascii") + b"\r\n"
    if CR in argument or LF in argument or NUL in argument:
        # Attack: ftp://h/a%0D%0ADELE%20b would send a second command (RFC 1738 section 6).
        raise LocalProtocolError(f"The argument of {verb} holds CR, LF or NUL, which would end the command.")
    # The control connection is a telnet connection (RFC 959 2.3), on which 0xFF is doubled (RFC 854).
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


# --- single replies ------------------------------------------------------------------------------------------------

# Some servers write a space after each comma; other clients skip it.
_SIX_NUMBERS = re.compile(rb"(?<!\d)" + rb", ?".join([rb"(\d{1,3})"] * 6) + rb"(?!\d)")
_EXTENDED = re.compile(rb"\(([!-~])\1\1(\d{1,10})\1\)")
_SIZE = re.compile(rb"[ \t]*(\d{1,19})[ \t]*\Z")
_MOMENT = re.compile(rb"(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d+)?\Z")
_QUOTED = re.compile(rb'[ \t]*"((?:[^"]|"")*)"')
_FACTS = re.compile(rb"[A-Za-z][A-Za-z0-9._-]*=[^;]*;")
_ENDS = re.compile(rb"[\r\n\0]")
_BYTES = re.compile(rb".*\((\d{1,19}) bytes\)", re.IGNORECASE | re.DOTALL)
"""The last match: the file name before it may look the same."""


def _texts(reply: Reply) -> list[bytes]:
    """The lines of a reply as they are searched: the last one first, which RFC 959 4.2 wants to be complete, then the
    others, without the code that some servers write before each."""
    code = b"%03d" % reply.code
    texts = [line.removeprefix(code + b"-").removeprefix(code + b" ") for line in reply.lines[:0:-1]]
    return [*texts, reply.lines[0]]


def passive_port(reply: Reply) -> int:
    """The port of a 227 reply (RFC 959 4.1.2, scanned for digits as RFC 1123 4.1.2.6 says).

    The host before it is ignored: data connections always go to the server's own address. Attack: otherwise a server
    could direct the client at a third host (FTP bounce).

    Raises:
        RemoteProtocolError: The port is missing or invalid.
    """
    match = next(filter(None, map(_SIX_NUMBERS.search, _texts(reply))), None)
    numbers = [int(number) for number in match.groups()] if match else []
    if not numbers or max(numbers) > 255:
        raise _malformed(reply, "h1,h2,h3,h4,p1,p2, each 0 to 255")
    return _checked_port(reply, numbers[4] * 256 + numbers[5])


def extended_passive_port(reply: Reply) -> int:
    """The port of a 229 reply: ``(|||port|)`` with any delimiter (RFC 2428 3).

    Raises:
        RemoteProtocolError: The reply is malformed, names a host, or the port is invalid.
    """
    match = next(filter(None, map(_EXTENDED.search, _texts(reply))), None)
    if match is None:
        raise _malformed(reply, "(|||port|), nothing between the first three bars")
    return _checked_port(reply, int(match[2]))


def _checked_port(reply: Reply, port: int) -> int:
    if not 1 <= port <= 65535:
        raise _malformed(reply, "a port from 1 to 65535")
    return port


def _malformed(reply: Reply, wanted: str) -> RemoteProtocolError:
    shown = sample(reply.masked[0])
    return RemoteProtocolError(f"The {reply.code} reply must contain {wanted}; it says: {shown}", sample=shown)


def size_of(reply: Reply) -> int | None:
    """The size in a 213 reply to SIZE; None if there is none, or if it is larger than `MAX_SIZE`."""
    match = next(filter(None, map(_SIZE.match, _texts(reply))), None)
    size = int(match[1]) if match else MAX_SIZE + 1
    return size if size <= MAX_SIZE else None


def modified_of(reply: Reply) -> float | None:
    """The time in a 213 reply to MDTM, in seconds since the epoch (RFC 3659 2.3), or None."""
    found = (timestamp_of(line.strip()) for line in _texts(reply))
    return next((moment for moment in found if moment is not None), None)


def timestamp_of(text: bytes) -> float | None:
    """``YYYYMMDDHHMMSS[.sss]`` in seconds since the epoch, without fractions; None if it is malformed."""
    match = _MOMENT.match(text)
    return timestamp(*map(int, match.groups())) if match else None


def time_value(seconds: float) -> bytes | None:
    """``YYYYMMDDHHMMSS`` (RFC 3659 2.3) of a time since the epoch; None if its year does not have four digits."""
    from datetime import UTC, datetime

    try:
        return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y%m%d%H%M%S").rjust(14, "0").encode("ascii")
    except (ValueError, OverflowError, OSError):
        return None


def announced_size(reply: Reply) -> int | None:
    """The size that a 150 reply announces, ``(1234 bytes)``, or None: common practice, not part of a standard."""
    match = next(filter(None, map(_BYTES.match, _texts(reply))), None)
    size = int(match[1]) if match else MAX_SIZE + 1
    return size if size <= MAX_SIZE else None


def features_of(reply: Reply) -> Mapping[str, str]:
    """Features by name in capitals, with their parameters (RFC 2389 3.2); malformed lines are ignored."""
    features: dict[str, str] = {}
    code = b"%03d-" % reply.code
    for line in reply.lines[1:-1]:
        name, _, parameters = line.removeprefix(code).strip().partition(b" ")
        if name.isascii() and name:
            features[name.decode("ascii").upper()] = parameters.decode("utf-8", "surrogateescape")
    return features


def directory_of(reply: Reply) -> bytes:
    """The path in a 257 reply to PWD, quoted, its quotes doubled (RFC 959, Appendix II); b"" if there is none."""
    match = _QUOTED.match(reply.lines[0]) if reply.code == 257 else None
    path = b"" if match is None else match[1].replace(b'""', b'"')
    return path if path.startswith(b"/") and not _ENDS.search(path) else b""


def facts_line_of(reply: Reply) -> bytes | None:
    """The line of facts in a 250 reply to MLST (RFC 3659 7.2), which some servers write into its first or only line;
    None if there is none."""
    code = b"%03d-" % reply.code
    for line in (*reply.lines[1:-1], reply.lines[0]):
        # RFC 3659 7.2: the facts are preceded by one space, which some servers omit.
        text = line.removeprefix(code).removeprefix(b" ")
        if _FACTS.match(text):
            return text
    return next((line.removeprefix(b" ") for line in reply.lines[1:-1] if line.strip()), None)
