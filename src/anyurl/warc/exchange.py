"""One http request and its response in the form of a web archive: HTTP/1.1, whatever version was used (RFC 9112).

Rule: the transfer coding is removed, and the head has the length; the content coding is kept. Only if credentials were
sent is the body decoded: otherwise they could not be found in it.
"""

from __future__ import annotations

from typing import Any

from anyurl.dialogue import Request, Response, Secret
from anyurl.dialogue.http import is_credential
from anyurl.net.http.request_lines import header_lines
from anyurl.url.masking import MASK
from anyurl.warc.block import RecordBlock
from anyurl.warc.known_secrets import KnownSecrets

PHRASES = {
    200: "OK", 204: "No Content", 206: "Partial Content", 301: "Moved Permanently", 302: "Found", 303: "See Other",
    304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized",
    403: "Forbidden", 404: "Not Found", 410: "Gone", 429: "Too Many Requests", 500: "Internal Server Error",
    502: "Bad Gateway", 503: "Service Unavailable",
}  # fmt: skip
"""The reason phrases of status lines, which HTTP/2 does not send (RFC 9110 15)."""

CLASSES = {1: "Informational", 2: "Successful", 3: "Redirection", 4: "Client Error", 5: "Server Error"}

COOKIES = ("set-cookie", "set-cookie2")


class WebExchange:
    """One request and its response.

    Args:
        ask: The request.
        date: The time of the request.
        secrets: The secrets of the dialogue; those of the exchange are added.
        user_agent: The client's User-Agent.
        keeps_cookies: Cookies that the response sets are secrets of the client.

    Attributes:
        request: The text of the request.
        response: The response, or None until it arrives.
        body: The received body; None until the response arrives.
        whole: The body is complete.
        cut: Why it is not, as a word of ISO 28500 5.13; empty if unknown.
        is_over: No more of the body is recorded.
    """

    def __init__(self, ask: Request, date: str, secrets: KnownSecrets, user_agent: str, *, keeps_cookies: bool) -> None:
        self.date: str = date
        self._secrets = secrets
        self._keeps_cookies = keeps_cookies
        self.request: bytes = self._request_text(ask, user_agent)
        self.response: Response | None = None
        self.head: bytes = b""
        self.body: RecordBlock | None = None
        self.whole: bool = False
        self.is_over: bool = False
        self.cut: str = ""
        self._as_sent = True
        self._expected: int | None = None

    def _request_text(self, ask: Request, user_agent: str) -> bytes:
        secrets = self._secrets
        secrets.know_request(ask)
        fields = []
        for name, value in ask.headers:
            if isinstance(value, Secret) or is_credential(name):
                secrets.say(name.lower())
                value = MASK
            fields.append((name, value if value is MASK else secrets.field(str(value))))
        if ask.authorization is not None:
            secrets.say("authorization")
            fields.append(("Authorization", f"{ask.authorization.scheme} {MASK}"))
        plain = Request(ask.method, ask.url, ask.target, headers=fields, decode=ask.decode)
        lines = [
            f"{ask.method} {secrets.field(ask.target)} HTTP/1.1",
            f"Host: {(ask.url.authority or '').rpartition('@')[2]}",
            *([] if any(name.lower() == "accept" for name, _ in fields) else ["Accept: */*"]),
        ]
        for line in header_lines(plain, user_agent):
            text = line if isinstance(line, str) else line.decode("utf-8", "surrogateescape")
            lines.append(f"{text[:-1]}:" if text.endswith(";") and ":" not in text else text)
        return "\r\n".join([*lines, "", ""]).encode("utf-8", "surrogateescape")

    # --- the answer --------------------------------------------------------------------------------------------------

    def answered(self, response: Response) -> None:
        """Record the head of the response."""
        self.response = response
        secrets = self._secrets
        if self._keeps_cookies:
            for name in COOKIES:
                for value in response.all(name):
                    secrets.know(value.partition(";")[0].partition("=")[2])
        hides = bool(secrets)
        body: Any = response.body
        self._as_sent = not (hides and body.codings)
        self.body = RecordBlock(secrets if hides else None)
        if body.codings and self._as_sent:
            body.tap = self.body.write
        self._expected = _length(response) if self._as_sent else None

    def take(self, data: bytes) -> None:
        """Record a piece of the body that the dialogue has read; an empty one is the end."""
        if not data:
            self.whole = self.is_over = True
        elif self.body is not None and not (self._as_sent and self._is_coded()):
            self.body.write(data)

    def _is_coded(self) -> bool:
        body: Any = None if self.response is None else self.response.body
        return bool(body.codings)

    def stop(self, cut: str) -> None:
        """Record no more of the body.

        Args:
            cut: The reason; empty if the body may be complete.
        """
        self.is_over = True
        if not self.whole and self.body is not None and self.body.size != self._expected:
            self.cut = self.cut or cut

    def end(self) -> None:
        """Make the head of the response, with the length of its body, which is now known."""
        response = self.response
        assert response is not None
        assert self.body is not None
        self.body.end()
        secrets, version = self._secrets, response.version if response.version in ("1.0", "1.1") else "1.1"
        phrase = PHRASES.get(response.status) or CLASSES.get(response.status // 100, "Unknown")
        lines = [f"HTTP/{version} {response.status} {phrase}"]
        for name, value in response.headers:
            if name == "transfer-encoding" or (name in ("content-encoding", "content-length") and not self._as_sent):
                continue
            if name in COOKIES or is_credential(name):
                secrets.say(name)
                value = MASK
            lines.append(f"{name}: {value if value is MASK else secrets.field(value)}")
        if not self._as_sent:
            secrets.say("content-encoding")
        if response.status >= 200 and (not self._as_sent or response.header("content-length") is None):
            lines.append(f"content-length: {self.body.size}")
        self.head = "\r\n".join([*lines, "", ""]).encode("utf-8", "surrogateescape")

    @property
    def protocol(self) -> str:
        """The version that was used, as a value of ``WARC-Protocol``."""
        version = "1.1" if self.response is None else self.response.version
        return f"http/{version}" if "." in version else f"h{version}"


def _length(response: Response) -> int | None:
    text = response.header("content-length")
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 20 else None
