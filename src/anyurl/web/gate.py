"""Access control: only the browser that opened the link with the token is admitted (RFC 6265bis, Fetch Metadata).

Rule: every request is checked here first. Cookies are not bound to a port, so the gateway's is for a path that no other
server on this machine has; a request from a page of another origin is refused even with credentials.
"""

from __future__ import annotations

import hmac
import html
import secrets
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "anyurl"
MAX_BODY = 8 * 1024 * 1024
"""Octets of the content of a form: files are sent from memory, and up to twenty of them may wait there."""

PAGE_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; media-src 'self'; frame-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""The content security policy of our own pages: only resources of this server, and no frame of another one."""

ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with no-referrer a browser's form would have no Origin to check
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
    "content-security-policy": PAGE_POLICY,
}
"""Header fields of every response that does not set them itself."""

WELCOME = (
    '<!doctype html><html lang="en"><title>anyurl</title><meta http-equiv="refresh" content="0; url={first}">'
    '<p><a href="{first}">Go on</a></html>'
)
"""The response to the link with the token."""

_OWN_SITES = frozenset({"none", "same-origin"})
"""Values of Sec-Fetch-Site for requests by the person, and by one of our pages (Fetch Metadata 2.4)."""

ELSEWHERE = "This is not a page of this gateway, or not yours. Open the link that `anyurl web` has printed."


class Entrance:
    """The outermost ASGI application: it checks each request before the inner one sees it.

    Args:
        app: The inner application.
        base: The path of all pages, which can't be guessed.
        hosts: The accepted values of Host, such as ``127.0.0.1:8080``.
        token: The token of the link that admits a browser.
        first: The page that it sees first; the start page if empty.
    """

    def __init__(self, app: ASGIApp, base: str, hosts: Iterable[str], token: str, first: str = "") -> None:
        self._app = app
        self._base = base
        self._hosts = frozenset(hosts)
        self._origins = frozenset(f"http://{host}" for host in self._hosts)
        self._token = token
        self._first = first or base
        self._cookie = secrets.token_urlsafe(32)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request or WebSocket."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        refusal = self._judge(HTTPConnection(scope))
        guarded = _guarded(send)
        if refusal is not None:
            await refusal(scope, receive, guarded)
            return
        try:
            await self._app(scope, _Limited(receive), guarded)
        except Exception:  # the error page was sent, unless the response had begun (`WebGateway.app`)
            return  # a response that has begun is cut off, which the browser notices

    def _judge(self, asked: HTTPConnection) -> Response | None:
        """The response that refuses a request; None if it is admitted."""
        headers = asked.headers
        if "transfer-encoding" in headers and "content-length" in headers:
            # Attack: request smuggling, if a peer uses the other one of the two (RFC 9112 6.3).
            return PlainTextResponse("A request has one length.\n", 400, {"connection": "close"})
        if headers.get("host", "") not in self._hosts:
            # Attack: a foreign name that now resolves to this machine (DNS rebinding).
            return _refused("This server has another name.", 421)
        if not asked.url.path.startswith(self._base):
            return _refused(ELSEWHERE, 404)
        token = asked.query_params.get("token")
        if asked.scope.get("method") == "GET" and token is not None:
            return self._exchange(token)
        if not self._is_ours(headers) or (asked.scope["type"] == "websocket" and "origin" not in headers):
            # A browser always sends the origin of a WebSocket (RFC 6455 4.1), and lets any page open one.
            return _refused("A page from elsewhere requested this: it was not done.", 403)
        if not any(hmac.compare_digest(given, self._cookie.encode()) for given in _cookies(headers)):
            return _refused(ELSEWHERE, 403)
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit() and len(length) < 20) or int(length) > MAX_BODY:
            return _refused(f"A form sends at most {MAX_BODY:,} octets.", 413)
        return None

    def _is_ours(self, headers: Headers) -> bool:
        """Whether only one of our pages, or the person, can have caused the request."""
        # Attack: a page of another server on this machine, which is the same site; foreign content that we serve in a
        # sandbox, whose origin is opaque. If a field occurs twice, both values must match.
        return self._origins.issuperset(headers.getlist("origin")) and _OWN_SITES.issuperset(
            headers.getlist("sec-fetch-site")
        )

    def _exchange(self, token: str) -> Response:
        """The response that sets the cookie for the token, and at once leaves the address that contains it."""
        if not hmac.compare_digest(token.encode("utf-8", "replace"), self._token.encode()):
            return _refused(ELSEWHERE, 403)
        # Not a redirect: if another site linked here, the next request would lack the cookie (RFC 6265bis 5.2.2).
        answer: Response = HTMLResponse(WELCOME.format(first=html.escape(self._first)))
        answer.set_cookie(COOKIE, self._cookie, path=self._base, httponly=True, samesite="strict")
        return answer


class _Limited:
    """Limits the content of a request to `MAX_BODY` octets, beyond which the client counts as disconnected."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._left = MAX_BODY

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        return message if self._left >= 0 else {"type": "http.disconnect"}


def _cookies(headers: Headers) -> list[bytes]:
    """All cookies with the name of the gateway's."""
    # Attack: another server of this machine sets one for every path, which comes later and would count instead.
    pairs = [pair.strip().partition("=") for field in headers.getlist("cookie") for pair in field.split(";")]
    return [value.encode("utf-8", "replace") for name, _, value in pairs if name == COOKIE]


def _refused(sentence: str, status: int) -> Response:
    return PlainTextResponse(f"{sentence}\n", status)


def _guarded(send: Send) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=message.setdefault("headers", []))
            for name, value in ALWAYS.items():
                headers.setdefault(name, value)
        await send(message)

    return guarded
