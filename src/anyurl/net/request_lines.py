"""The lines of an HTTP request as they are handed to libcurl (RFC 9112 3 and 5).

Rule: no text of a URL or a caller begins a line of its own.
"""

from __future__ import annotations

from functools import cache

from anyurl._version import __version__
from anyurl.dialogue import Request, Secret
from anyurl.errors import LocalProtocolError

USER_AGENT = f"anyurl/{__version__}"


@cache
def codings() -> str:
    """What `Accept-Encoding` says where the content codings are undone."""
    from anyurl.net.http.modern_codings import known

    return ", ".join(("gzip", "deflate", *known()))


def refuse_line_breaks(ask: Request) -> None:
    """Raises LocalProtocolError when the request line or a header holds CR, LF or NUL.

    Attack: CURLOPT_REQUEST_TARGET and header lines let them through, and they would begin a second request.
    """
    text: str = ask.target
    if ask.method != "GET" or ask.headers:
        text += ask.method
        for name, value in ask.headers:
            text += name + _text(value)
    if ask.authorization is not None:
        text += ask.authorization.credentials.reveal()
    if not text.isprintable() and ("\r" in text or "\n" in text or "\0" in text):
        raise LocalProtocolError("A request line or header may hold no CR, LF or NUL: they would begin another one.")


def header_lines(ask: Request, user_agent: str = USER_AGENT) -> list[str | bytes]:
    """The header lines that libcurl does not write by itself.

    Args:
        user_agent: Who asks, unless the request says it; empty where nothing is to be said.
    """
    lines: list[str | bytes] = [_line(name, _text(value)) for name, value in ask.headers]
    named = {name.lower() for name, _ in ask.headers}
    if "user-agent" not in named:
        lines.append(f"User-Agent: {user_agent}" if user_agent else "User-Agent:")  # without a value: not libcurl's own
    if ask.decode:
        lines.append(f"Accept-Encoding: {codings()}")
    elif "accept-encoding" not in named:
        lines.append("Accept-Encoding: identity")  # without the field a server may take any (RFC 9110 12.5.3)
    if ask.authorization is not None:
        lines.append(_line("Authorization", f"{ask.authorization.scheme} {ask.authorization.credentials.reveal()}"))
    return lines


def _text(value: str | Secret) -> str:
    return value if isinstance(value, str) else value.reveal()


def _line(name: str, value: str) -> str | bytes:
    # libcurl expects 100 before a large content of its own accord, unless the field is there without a value.
    line = f"{name}: {value}" if value else f"{name}:" if name.lower() == "expect" else f"{name};"
    return line if line.isascii() else line.encode("utf-8", "surrogateescape")
