"""The lines of an HTTP request as they are handed to libcurl (RFC 9112 3 and 5).

Rule: no text of a URL or a caller begins a line of its own.
"""

from __future__ import annotations

from anyurl.dialogue import Request
from anyurl.errors import LocalProtocolError

USER_AGENT = "anyurl"


def refuse_line_breaks(ask: Request) -> None:
    """Raises LocalProtocolError when the request line or a header holds CR, LF or NUL.

    Attack: CURLOPT_REQUEST_TARGET and header lines let them through, and they would begin a second request.
    """
    text: str = ask.target
    if ask.method != "GET" or ask.headers:
        text += ask.method
        for header in ask.headers:
            text += "".join(header)
    if not text.isprintable() and ("\r" in text or "\n" in text or "\0" in text):
        raise LocalProtocolError("A request line or header may hold no CR, LF or NUL: they would begin another one.")


def header_lines(ask: Request) -> list[str | bytes]:
    """The header lines that libcurl does not write by itself."""
    lines = [_line(name, value) for name, value in ask.headers]
    lines.append(f"User-Agent: {USER_AGENT}")
    if ask.decode:
        lines.append("Accept-Encoding: gzip, deflate")
    if ask.authorization is not None:
        user, secret = ask.authorization
        login = f"{user}:{secret.reveal()}".encode("utf-8", "surrogateescape")
        from binascii import b2a_base64

        lines.append("Authorization: Basic " + b2a_base64(login, newline=False).decode("ascii"))
    return lines


def _line(name: str, value: str) -> str | bytes:
    line = f"{name}: {value}" if value else f"{name};"
    return line if line.isascii() else line.encode("utf-8", "surrogateescape")
