"""The guard under urllib.request: `opener`, which opens http and https and nothing else.

Rule: the connection classes connect by `anyurl.connect`, and judge the URL by the very host and port that they connect
to. There are no handlers for files, ftp, data, proxies or logins.
"""

from __future__ import annotations

import copy
import http.client
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable
from functools import partial
from typing import Any

from anyurl.adapters.gate import OWN, Gate, Referral, written
from anyurl.adapters.hop import cookies_kept, credentials, without_certificate
from anyurl.errors import AnyURLError, RefusedError, TransferTimeout
from anyurl.guard.policy import Policy
from anyurl.guard.verdict import Decision
from anyurl.url import URL

__all__ = ["UrllibRefusedError", "opener"]

OPENS_NOTHING = ("do_open", "proxy_open")
"""Methods of urllib's handlers that are named like one that opens a scheme, and that no opener calls."""


class UrllibRefusedError(RefusedError, urllib.error.URLError):
    """The policy refuses a urllib.request request; nothing was sent."""

    def __str__(self) -> str:
        return str(self.reason)


class GuardedOpener(urllib.request.OpenerDirector):
    """Opens what the policy allows. Made by `opener`."""

    def __init__(self, gate: Gate) -> None:
        super().__init__()
        self.gate: Gate = gate

    def add_handler(self, handler: urllib.request.BaseHandler) -> None:
        """Add a handler of logins, cookies, errors and the like.

        Raises:
            UrllibRefusedError: It opens URLs: its connections would not be judged.
        """
        opens = [name for name in dir(handler) if name.endswith("_open") and name not in OPENS_NOTHING]
        if opens and type(handler) not in OPENERS:
            raise UrllibRefusedError(
                f"Refused: {type(handler).__name__} opens URLs by itself ({', '.join(opens)}), which a guarded opener "
                "can't judge.",
                code="peer",
            )
        super().add_handler(handler)

    def open(self, fullurl: URL | str | urllib.request.Request, *given: Any, **options: Any) -> Any:
        """Open a URL. Raises UrllibRefusedError; else as `urllib.request` does."""
        asked: str | urllib.request.Request = written(fullurl)
        text = asked if isinstance(asked, str) else asked.full_url
        try:
            if not self.gate.knows(text):
                self.gate.read(text)
        except RefusedError as error:
            raise UrllibRefusedError(str(error), verdict=error.verdict) from error
        return super().open(asked, *given, **options)


def opener(
    policy: Policy | None = None,
    *,
    context: ssl.SSLContext | None = None,
    on_verdict: Callable[[Decision], object] | None = None,
) -> GuardedOpener:
    """An opener under the policy; `urllib.request.install_opener` makes it the global one.

    Args:
        policy: None is `Policy.untrusted`.
        context: For https.
        on_verdict: Called with each `anyurl.guard.Decision`.
    """
    gate = Gate(policy, on_verdict)
    director = GuardedOpener(gate)
    for handler in (
        GuardedHandler(gate),
        GuardedTLSHandler(gate, context),
        GuardedRedirectHandler(gate),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.UnknownHandler(),
    ):
        director.add_handler(handler)
    return director


class JudgedConnection(http.client.HTTPConnection):
    """A connection to a judged address, for one request."""

    scheme = "http"

    def __init__(self, host: str, *, gate: Gate, url: str, referral: Referral, **options: Any) -> None:
        super().__init__(host, **options)
        self.gate = gate
        self.url = url
        self.referral = referral
        self.peer: str | None = None

    def set_tunnel(self, *_given: Any, **_options: Any) -> None:
        """Raises RefusedError: connections of a proxy cannot be judged."""
        raise self.gate.refuse_proxy(UrllibRefusedError)

    def connect(self) -> None:
        """Judge the addresses, and connect to one that is allowed."""
        if not self.gate.knows(self.url, self.referral):
            self.gate.check(self.url, self.host, self.port, self.referral)
        timeout = self.timeout if isinstance(self.timeout, int | float) else None
        try:
            sock = self.gate.connect(self.host, self.port, self.scheme, self.referral, timeout)
        except RefusedError:
            raise
        except TransferTimeout as error:
            raise TimeoutError(str(error)) from error
        except AnyURLError as error:
            raise OSError(str(error)) from error
        sock.settimeout(timeout)
        self.peer = str(sock.getpeername()[0])
        self.sock = sock

    def getresponse(self) -> http.client.HTTPResponse:
        """The response, which knows its peer."""
        response = super().getresponse()
        vars(response)["peer"] = self.peer
        return response


class JudgedTLSConnection(JudgedConnection):
    """The same with TLS."""

    scheme = "https"
    default_port = http.client.HTTPS_PORT

    def __init__(self, host: str, *, context: ssl.SSLContext, **options: Any) -> None:
        super().__init__(host, **options)
        self.context = context

    def connect(self) -> None:
        """The same, and TLS."""
        super().connect()
        assert self.sock is not None
        try:
            self.sock = self.context.wrap_socket(self.sock, server_hostname=self.host)
        except BaseException:
            self.close()
            raise


def _open(handler: GuardedHandler | GuardedTLSHandler, request: urllib.request.Request, make: Any) -> Any:
    """Request it over a connection that `make` makes. Raises UrllibRefusedError."""
    if request.has_proxy():
        raise handler.gate.refuse_proxy(UrllibRefusedError)
    referral = vars(request).get("referral", OWN)
    try:
        return handler.do_open(
            partial(make, gate=handler.gate, url=request.full_url, referral=referral),
            _without_credentials(request, handler.parent) if referral.elsewhere else request,
        )
    except RefusedError as error:
        raise UrllibRefusedError(str(error), verdict=error.verdict) from error


def _without_credentials(
    request: urllib.request.Request, director: urllib.request.OpenerDirector
) -> urllib.request.Request:
    """A copy of a request to another origin without the caller's credentials, whichever handler has added them.

    A copy: a handler of logins sees by the request whether it has tried already.
    """
    left = copy.copy(request)
    left.headers, left.unredirected_hdrs = dict(request.headers), dict(request.unredirected_hdrs)
    field = left.get_header("Cookie")
    for name in (*credentials([*left.headers, *left.unredirected_hdrs]), "Cookie"):
        left.remove_header(name)
    handlers = vars(director)["handlers"]
    jars = [each.cookiejar for each in handlers if isinstance(each, urllib.request.HTTPCookieProcessor)]
    if kept := cookies_kept(field, left.full_url, [cookie for jar in jars for cookie in jar]):
        left.add_unredirected_header("Cookie", kept)
    return left


class GuardedHandler(urllib.request.HTTPHandler):
    """Opens http. It replaces the default handler of an opener, since it is a `urllib.request.HTTPHandler`."""

    def __init__(self, gate: Gate) -> None:
        super().__init__()
        self.gate: Gate = gate

    def http_open(self, req: urllib.request.Request) -> Any:
        """Called by the opener."""
        return _open(self, req, JudgedConnection)


class GuardedTLSHandler(urllib.request.HTTPSHandler):
    """Opens https. It replaces the default handler of an opener."""

    def __init__(self, gate: Gate, context: ssl.SSLContext | None = None) -> None:
        self.context: ssl.SSLContext = context or ssl.create_default_context()
        super().__init__(context=self.context)  # Python 3.12 and newer would load all certificates for its own context
        self.gate: Gate = gate
        self._is_given = context is not None

    def https_open(self, req: urllib.request.Request) -> Any:
        """Called by the opener."""
        context = self.context
        if self._is_given and vars(req).get("referral", OWN).elsewhere:
            context = without_certificate(context)
        return _open(self, req, partial(JudgedTLSConnection, context=context))


class GuardedRedirectHandler(urllib.request.HTTPRedirectHandler):
    """Records the origin of each redirection."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        vars(self)["max_redirections"] = min(self.max_redirections, gate.policy.limits.redirects)

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        """Called by the opener."""
        following = super().redirect_request(req, fp, code, msg, headers, newurl)
        if following is not None:
            location = headers.get("location") or headers.get("uri") or ""
            referral = vars(req).get("referral", OWN)
            vars(following)["referral"] = self.gate.redirected(
                req.full_url, location, getattr(fp, "peer", None), referral
            )
        return following


OPENERS = (GuardedHandler, GuardedTLSHandler, urllib.request.UnknownHandler)
"""The handlers that a guarded opener has."""
