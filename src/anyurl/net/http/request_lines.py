"""The lines of an HTTP request as passed to libcurl (RFC 9112 3 and 5).

Rule: no text from a URL or a caller can begin a new line.
"""

from __future__ import annotations

from functools import cache

from anyurl._version import __version__
from anyurl.dialogue import Request, Secret
from anyurl.errors import LocalProtocolError

USER_AGENT = f"anyurl/{__version__}"


@cache
def codings() -> str:
    """The value of `Accept-Encoding` if content codings are decoded."""
    from anyurl.net.http.modern_codings import known

    return ", ".join(("gzip", "deflate", *known()))


def refuse_line_breaks(ask: Request) -> None:
    """Raises LocalProtocolError if the request line or a header contains CR, LF or NUL.

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
        user_agent: The User-Agent, unless the request has its own; empty to send none.
    """
    lines: list[str | bytes] = [_line(name, _text(value)) for name, value in ask.headers]
    named = {name.lower() for name, _ in ask.headers}
    if "user-agent" not in named:
        lines.append(f"User-Agent: {user_agent}" if user_agent else "User-Agent:")  # no value: suppresses libcurl's own
    if ask.decode:
        lines.append(f"Accept-Encoding: {codings()}")
    elif "accept-encoding" not in named:
        lines.append("Accept-Encoding: identity")  # without the field a server may use any coding (RFC 9110 12.5.3)
    if ask.authorization is not None:
        lines.append(_line("Authorization", f"{ask.authorization.scheme} {ask.authorization.credentials.reveal()}"))
    return lines


def _text(value: str | Secret) -> str:
    return value if isinstance(value, str) else value.reveal()


def _line(name: str, value: str) -> str | bytes:
    # libcurl sends Expect: 100-continue before a large content, unless the field is given without a value. An empty
    # Content-Type says nothing, and stores with presigned URLs refuse any: it is left out, as curl does.
    line = f"{name}: {value}" if value else f"{name}:" if name.lower() in ("expect", "content-type") else f"{name};"
    return line if line.isascii() else line.encode("utf-8", "surrogateescape")
