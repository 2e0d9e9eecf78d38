"""Handshakes: how a tunnel is requested from a proxy: CONNECT (RFC 9110 9.3.6), SOCKS 5 (RFC 1928, RFC 1929).

Rule: octets in, octets out, no socket. The input may contain octets after the handshake, which belong to the server
behind the proxy; `feed` returns how many were the proxy's. No redirects are followed. A login is sent as the proxy
requests it, once, and once more if only the nonce of Digest was too old; never as Basic if Digest was offered.
"""

from __future__ import annotations

import os
import re
import socket
from binascii import b2a_base64
from time import time
from typing import Protocol, TypeAlias

from anyurl.dates import retry_after
from anyurl.dialogue.challenges import is_basic_all, read_challenges
from anyurl.dialogue.digest import DigestChallenge, strongest_digest
from anyurl.errors import (
    AnyURLError,
    AuthRequiredError,
    ConnectError,
    LimitError,
    Meaning,
    RemoteProtocolError,
    ReplyError,
    UnavailableError,
    sample,
)
from anyurl.net.wire.proxies.table import Proxy
from anyurl.url.syntax import WEB

Offer: TypeAlias = DigestChallenge | str
"""The challenge that a login answers: a Digest challenge, or ``Basic``."""

MAX_ANSWERS = 2
"""Most responses to the challenges of a proxy for one tunnel: a second one only after ``stale``."""

NONCE_OCTETS = 16
"""Size of the client nonce: 128 bits, as in libcurl."""

MAX_HEAD_BYTES = 16 * 1024
"""Most octets of a proxy's response, interim ones included: tinyproxy and squid send some hundred."""

_FOLD = re.compile(rb"\r?\n(?>[ \t]+)")

_VERSION, _NO_LOGIN, _PASSWORD, _NONE_FITS = 5, 0, 2, 0xFF
_CONNECT, _IPV4, _NAME, _IPV6 = 1, 1, 3, 4


class AnotherConnection(AuthRequiredError):
    """The proxy requires a login, which is sent when the handshake is repeated on a new connection."""


class Handshake(Protocol):
    """A handshake with a proxy, without I/O."""

    def begin(self) -> bytes:
        """The first octets to send on a connection."""
        ...

    def feed(self, data: bytes) -> tuple[int, bytes, bool]:
        """Process octets from the proxy: how many were the proxy's own, what to send now, whether the tunnel is open.

        Raises:
            AnotherConnection: The handshake must be repeated on a new connection.
            ConnectError: The proxy cannot reach that address; another address of the same host may work.
            AnyURLError: The tunnel was refused.
        """
        ...


def handshake(proxy: Proxy, host: str, port: int) -> Handshake:
    """The handshake with this proxy for a tunnel to host and port."""
    return HttpHandshake(proxy, host, port) if proxy.scheme in WEB else SocksHandshake(proxy, host, port)


class HttpHandshake:
    """CONNECT through an HTTP proxy."""

    def __init__(self, proxy: Proxy, host: str, port: int) -> None:
        self._proxy = proxy
        self._place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self._offer: Offer | None = None
        self._answers = 0

    def begin(self) -> bytes:
        """The request, with the login that was accepted before or that the proxy has just requested."""
        self._head = b""
        self._before = 0
        lines = [f"CONNECT {self._place} HTTP/1.1", f"Host: {self._place}", "User-Agent: anyurl"]
        offer, number = (self._offer, 1) if self._offer is not None else self._proxy.space.next() or (None, 0)
        if offer is not None:
            lines.append(f"Proxy-Authorization: {_login(self._proxy, offer, self._place, number)}")
        return "\r\n".join([*lines, "", ""]).encode("utf-8", "surrogateescape")

    def feed(self, data: bytes) -> tuple[int, bytes, bool]:
        """See `Handshake`."""
        self._head += data
        while end := _end_of_head(self._head):
            status = _status(self._head)
            if status is None:
                raise _strange(self._proxy, self._head)
            if not 100 <= status < 200:
                self._logged_in(status, self._head[:end])
            if 200 <= status < 300:
                return len(data) - (len(self._head) - end), b"", True
            if not 100 <= status < 200:
                raise self._refusal(status, self._head[:end])
            self._before += end
            self._head = self._head[end:]
        if not b"HTTP/1.".startswith(self._head[:7]):
            raise _strange(self._proxy, self._head)
        if self._before + len(self._head) > MAX_HEAD_BYTES:
            raise LimitError(
                f"The proxy {self._proxy} answered with a head of more than {MAX_HEAD_BYTES:,} octets: the limit "
                "allows no more.",
                limit="header_bytes",
            )
        return len(data), b"", False

    def _logged_in(self, status: int, head: bytes) -> None:
        """Remember a login that was accepted; if one is required, answer the challenge or raise an error."""
        accepted = self._offer
        if status not in _WANTS_LOGIN:
            if isinstance(accepted, str) or (accepted is not None and accepted.qop):
                self._proxy.space.keep(accepted)
            return
        self._proxy.space.forget()
        offer = self._offer = _offer(head, clear=self._proxy.scheme != "https")
        if self._proxy.user is None:
            raise self._wants_login(status, "write user and password into its URL: http://user:password@proxy")
        stale = offer is not None and not isinstance(offer, str) and offer.stale
        if self._answers and not (stale and self._answers < MAX_ANSWERS):
            raise self._wants_login(status, "its user and password are not accepted")
        if offer is None:
            raise self._wants_login(status, "it offers none that is known here (Digest; Basic where that is all)")
        self._answers += 1
        raise AnotherConnection(f"The proxy {self._proxy} wants a login.", code=status, text="the proxy wants a login")

    def _wants_login(self, status: int, hint: str) -> AnyURLError:
        text = f"The proxy {self._proxy} answered {status} to CONNECT {self._place}: it wants a login; {hint}."
        return AuthRequiredError(text, code=status, text="the proxy wants a login")

    def _refusal(self, status: int, head: bytes) -> AnyURLError:
        said = f"The proxy {self._proxy} answered {status} to CONNECT {self._place}"
        if status in _BUSY:
            wished = _retry_after(head)
            if status == 429 or wished is not None:  # a 503 that names no time is of the place, as those of squid are
                text, meaning = _BUSY[status]
                hint = "" if wished is None else f"; it may be requested again in {wished:,.0f} s at the earliest"
                busy = UnavailableError(
                    f"{said}: {text}{hint}.", code=status, text="the proxy is busy", meaning=meaning
                )
                busy.retry_after = wished
                return busy
        if status >= 500 or status == 404:
            return ConnectError(f"{said}: it could not reach that place.", stage="connect")
        if 300 <= status < 400:
            return ReplyError(f"{said}: it redirects, and a tunnel can't be redirected.", code=status)
        return ReplyError(f"{said}: it does not allow it.", code=status)


_BUSY: dict[int, tuple[str, Meaning]] = {429: ("too many requests", "connections"), 503: ("not available now", "busy")}
"""Codes of a proxy that is busy itself, and their meanings (RFC 6585 4, RFC 9110 15.6.4)."""

_WANTS_LOGIN = (401, 407)
"""tinyproxy sends 401 for a wrong login."""


def _offer(head: bytes, *, clear: bool) -> Offer | None:
    """The strongest authentication that a proxy offers, or None.

    Args:
        clear: The connection to the proxy is not encrypted.
    """
    fields = _fields(head, "proxy-authenticate")
    challenges = read_challenges(fields)
    digest = strongest_digest(challenges)
    if digest is not None:
        return digest
    schemes = {challenge.scheme for challenge in challenges}
    # If Digest was offered, the password is never sent, even if that Digest is not supported.
    may = is_basic_all(fields) if clear else "basic" in schemes and "digest" not in schemes
    return "Basic" if may else None


def _login(proxy: Proxy, offer: Offer, place: str, number: int) -> str:
    """The value of ``Proxy-Authorization``."""
    assert proxy.user is not None
    assert proxy.secret is not None
    user, password = proxy.user, proxy.secret.reveal()
    if isinstance(offer, str):
        login = f"{user}:{password}".encode("utf-8", "surrogateescape")
        return f"Basic {b2a_base64(login, newline=False).decode('ascii')}"
    cnonce = os.urandom(NONCE_OCTETS).hex()
    return f"Digest {offer.respond(user, password, 'CONNECT', place, cnonce, number)}"


def _end_of_head(data: bytes) -> int:
    """The end of the head, or 0 if it is incomplete (RFC 9112 2.2: a bare LF is a line end, too)."""
    ends = [at + len(mark) for mark in (b"\r\n\r\n", b"\n\n") if (at := data.find(mark)) >= 0]
    return min(ends, default=0)


def _fields(head: bytes, wanted: str) -> list[str]:
    """The values of a header field, in order; a folded line continues the one before (RFC 9112 5.2)."""
    unfolded = _FOLD.sub(b" ", head)
    lines = unfolded.decode("utf-8", "surrogateescape").split("\n")[1:]
    pairs = [line.partition(":") for line in lines]
    return [value.strip() for name, _, value in pairs if name.strip().lower() == wanted]


def _retry_after(head: bytes) -> float | None:
    """Seconds until the proxy accepts another request."""
    wish, date = (next(iter(_fields(head, name)), None) for name in ("retry-after", "date"))
    return None if wish is None else retry_after(wish, date, time())


def _status(head: bytes) -> int | None:
    version, _, rest = head.split(b"\n", 1)[0].partition(b" ")
    digits = rest.strip()[:4].rstrip(b" \r")
    if not version.startswith(b"HTTP/1."):
        return None
    return int(digits) if len(digits) == 3 and digits.isdigit() else None


class SocksHandshake:
    """SOCKS 5: the methods, the login if required, the request."""

    def __init__(self, proxy: Proxy, host: str, port: int) -> None:
        self._proxy = proxy
        self._host = host
        self._port = port
        self._data = b""
        self._step = self._method

    def begin(self) -> bytes:
        """The offered authentication methods."""
        methods = [_NO_LOGIN] if self._proxy.user is None else [_NO_LOGIN, _PASSWORD]
        return bytes([_VERSION, len(methods), *methods])

    def feed(self, data: bytes) -> tuple[int, bytes, bool]:
        """See `Handshake`."""
        used, unsent = 0, b""
        while used < len(data):
            wanted = self._wanted()
            piece = data[used : used + wanted - len(self._data)]
            self._data += piece
            used += len(piece)
            if len(self._data) < self._wanted():
                continue
            reply, self._data = self._data, b""
            answer = self._step(reply)
            if answer is None:
                return used, unsent, True
            unsent += answer
        return used, unsent, False

    def _wanted(self) -> int:
        """The length of the current reply, as far as it is known."""
        if self._step != self._request:
            return 2
        kind = self._data[3] if len(self._data) > 3 else 0
        if kind == _NAME:
            return 5 if len(self._data) < 5 else 7 + self._data[4]
        return {_IPV4: 10, _IPV6: 22}.get(kind, 4)

    def _method(self, reply: bytes) -> bytes | None:
        self._check_version(reply, _VERSION)
        if reply[1] == _PASSWORD and self._proxy.user is not None and self._proxy.secret is not None:
            self._step = self._login
            user = self._proxy.user.encode("utf-8", "surrogateescape")
            password = self._proxy.secret.reveal().encode("utf-8", "surrogateescape")
            return bytes([1, len(user)]) + user + bytes([len(password)]) + password
        if reply[1] == _NO_LOGIN:
            return self._ask()
        if reply[1] == _NONE_FITS and self._proxy.user is None:
            hint = "write user and password into its URL: socks5://user:password@proxy"
            text = f"The proxy {self._proxy} wants a login; {hint}."
            raise AuthRequiredError(text, code=reply[1], text="the proxy wants a login")
        raise ReplyError(f"The proxy {self._proxy} wants a login of an unsupported kind.", code=reply[1])

    def _login(self, reply: bytes) -> bytes | None:
        self._check_version(reply, 1)
        if reply[1] != 0:
            text = f"The proxy {self._proxy} does not accept its user and password."
            raise AuthRequiredError(text, code=reply[1], text="the proxy wants a login")
        return self._ask()

    def _ask(self) -> bytes:
        self._step = self._request
        return bytes([_VERSION, _CONNECT, 0]) + _address(self._host) + self._port.to_bytes(2, "big")

    def _request(self, reply: bytes) -> bytes | None:
        self._check_version(reply, _VERSION)
        place = f"{self._host} port {self._port}"
        if reply[1] != 0:
            why = _REPLIES.get(reply[1], "it gives no known reason")
            text = f"The proxy {self._proxy} made no connection to {place}: {why}."
            if reply[1] in _ELSEWHERE:
                raise ConnectError(text, stage="connect")
            raise ReplyError(text, code=reply[1])
        if reply[3] not in (_IPV4, _NAME, _IPV6):
            raise _strange(self._proxy, reply)
        return None

    def _check_version(self, reply: bytes, version: int) -> None:
        if reply[0] != version:
            raise _strange(self._proxy, reply)


_REPLIES = {
    1: "it failed",
    2: "its rules do not allow it",
    3: "the network is not reached",
    4: "the host is not reached",
    5: "the connection was refused",
    6: "the path is too long",
    7: "it does not know the command",
    8: "it does not know this kind of address",
}
"""RFC 1928 6."""

_ELSEWHERE = (1, 3, 4, 5, 6, 8)
"""After these replies another address of the same host may work."""


def _address(host: str) -> bytes:
    for family, kind in ((socket.AF_INET, _IPV4), (socket.AF_INET6, _IPV6)):
        try:
            return bytes([kind]) + socket.inet_pton(family, host)
        except (OSError, ValueError):
            pass
    name = host.encode("ascii")
    return bytes([_NAME, len(name)]) + name


def _strange(proxy: Proxy, data: bytes) -> RemoteProtocolError:
    kind = "an HTTP" if proxy.scheme in WEB else "a SOCKS 5"
    return RemoteProtocolError(f"The proxy {proxy} does not answer as {kind} proxy does.", sample=sample(data[:200]))
