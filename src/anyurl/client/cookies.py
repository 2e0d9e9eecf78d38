"""CookieJar: the cookies of a client that keeps them (RFC 6265bis).

Rule: a cookie is sent to the hosts that RFC 6265bis names, and only if `anyurl.guard.hops` allows credentials there: a
stranger's link never makes a client act with its user's cookies. Values are `Secret`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import Any

from anyurl.client.cookie_file import as_line, read_cookies, write_cookies
from anyurl.dialogue import Ask, Request, Response, Secret
from anyurl.dialogue.interceptors import Interceptor
from anyurl.guard import hops
from anyurl.schemes.http.wire.cookies import SameSite, SetCookie, read_set_cookie
from anyurl.url import URL
from anyurl.url.arguments import checked
from anyurl.url.cut import percent_decode
from anyurl.url.suffixes import registered_domain
from anyurl.url.syntax import WEB
from anyurl.values import Provenance, Value, shown

PER_DOMAIN = 50
"""Cookies of one domain (RFC 6265bis 6.1); the oldest are dropped first."""

MAX_COOKIES = 3000
"""Of all domains (RFC 6265bis 6.1)."""

MAX_SECONDS = 400 * 86_400
"""The longest that a cookie is kept (RFC 6265bis 5.5)."""

MAX_SENT = 8192
"""Octets of one Cookie field: as many as servers accept in a line (nginx); cookies with the longest paths are sent
first."""

NOT_SENT = "The cookies for {origin} were not sent: only your own URLs get them, and what these lead to."


class Cookie(Value):
    """One cookie in a jar.

    Attributes:
        name: May be empty.
        value: The value that is sent back.
        domain: The host or domain that it is sent to.
        host_only: Whether it is sent to that host only, not to subdomains.
        path: It is sent for this path and everything below it.
        secure: Whether it is sent over TLS only.
        http_only: Whether it is hidden from scripts; kept because a script may be given the jar.
        same_site: ``strict``, ``lax`` or ``none``: whether it is sent in requests that another site caused.
        expires: When it expires, in seconds since the epoch; None means with the client.
        created: When it was first set.
    """

    name: str
    value: Secret
    domain: str
    host_only: bool
    path: str
    secure: bool
    http_only: bool
    same_site: SameSite
    expires: float | None
    created: float

    def goes_to(self, host: str, path: str, secure: bool) -> bool:
        """Whether it is sent to this host and path (RFC 6265bis 5.8.3)."""
        if secure < self.secure or not _path_matches(path, self.path):
            return False
        return host == self.domain if self.host_only else _domain_matches(host, self.domain)


class CookieJar:
    """The cookies of a client: ``Client(cookies=True)`` has one of its own, ``Client(cookies=jar)`` shares yours.

    Args:
        file: The file that they are read from now, and written to by `save` and whenever a client is closed.

    Raises:
        MissingExtraError: publicsuffixlist is not installed: the extra ``cookies``.
        LocalFileError: The file can't be read, or is not a cookie file.
    """

    def __repr__(self) -> str:
        return shown(self, "_file")

    @checked
    def __init__(self, file: str | os.PathLike[str] | None = None, *, clock: Callable[[], float] = time.time) -> None:
        _site("example.com")  # raises now if the list is missing that says which domains a cookie may be set for
        self._file = None if file is None else os.fspath(file)
        self._clock = clock
        self._cookies: dict[tuple[str, str, str, bool], Cookie] = {}
        self._lock = Lock()
        for url, said in () if self._file is None else read_cookies(self._file):
            self._keep(url, said)
        self._saved = self._lines()

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __iter__(self) -> Iterator[Cookie]:
        now = self._clock()
        with self._lock:
            return iter([cookie for cookie in self._cookies.values() if not _is_over(cookie, now)])

    def clear(self) -> None:
        """Delete all cookies."""
        with self._lock:
            self._cookies.clear()

    def save(self) -> None:
        """Write the cookies to their file, if there is one and they have changed. Session cookies are included.

        Raises:
            LocalFileError: It can't be written.
        """
        lines = self._lines()
        if self._file is not None and lines != self._saved:
            write_cookies(self._file, lines)
            self._saved = lines

    def _lines(self) -> str:
        return "".join(
            as_line(
                (
                    each.domain if each.host_only else f".{each.domain}", "FALSE" if each.host_only else "TRUE",
                    each.path, "TRUE" if each.secure else "FALSE", f"{each.expires or 0:.0f}", each.name,
                    each.value.reveal(),
                ),
                each.http_only,
                each.same_site,
            )
            for each in self
        )  # fmt: skip

    def store(self, url: URL, fields: Sequence[str]) -> None:
        """Store the cookies of a response's Set-Cookie fields, as RFC 6265bis 5.7 allows.

        Args:
            url: The URL of the request.
            fields: The values of the fields, as received.
        """
        for text in fields:
            said = read_set_cookie(text)
            if said is not None and url.host and url.scheme in WEB:
                self._keep(url, said)

    def header(self, url: URL, *, same_site: bool = True, safe: bool = True) -> Secret | None:
        """The value of a request's Cookie field, or None if no cookie applies (RFC 6265bis 5.8.3).

        Args:
            same_site: Whether the request was caused by the site that it goes to, or by the user.
            safe: Whether its method changes nothing.
        """
        host, path, secure, now = _host(url), _path(url), url.scheme == "https", self._clock()
        with self._lock:
            found = [
                cookie
                for cookie in self._cookies.values()
                if cookie.goes_to(host, path, secure) and not _is_over(cookie, now) and _fits(cookie, same_site, safe)
            ]
        found.sort(key=lambda cookie: (-len(cookie.path), cookie.created))
        text = ""
        for cookie in found:
            value = cookie.value.reveal()
            pair = f"{cookie.name}={value}" if cookie.name else value
            longer = f"{text}; {pair}" if text else pair
            if len(longer.encode("utf-8", "surrogateescape")) <= MAX_SENT:
                text = longer
        return Secret(text) if text else None

    # --- storage -----------------------------------------------------------------------------------------------------

    def _keep(self, url: URL, said: SetCookie) -> None:
        host, now, secure = _host(url), self._clock(), url.scheme == "https"
        domain = said.domain
        if domain and domain != host and (not _domain_matches(host, domain) or _is_public(domain)):
            return  # attack: a cookie for a public suffix (every shop of a country), or for a foreign host
        host_only = not domain or (domain == host and _is_public(domain))
        path = said.path or _default_path(_path(url))
        if (said.secure and not secure) or (said.same_site == "none" and not said.secure):
            return
        if not _keeps_its_prefix(said, host_only, path):
            return
        expires = said.expires if said.max_age is None else now + said.max_age
        expires = None if expires is None else min(expires, now + MAX_SECONDS)
        cookie = Cookie(
            said.name, Secret(said.value), domain or host, host_only, path, said.secure, said.http_only,
            said.same_site or "lax", expires, now,
        )  # fmt: skip
        with self._lock:
            if not secure and any(_shadows(cookie, other) for other in self._cookies.values()):
                return  # attack: a clear connection replaces a cookie that was set over TLS
            key = cookie.name, cookie.domain, cookie.path, host_only
            before = self._cookies.pop(key, None)
            if _is_over(cookie, now):
                return
            self._cookies[key] = cookie if before is None else _as_old_as(cookie, before)
            self._make_room(cookie.domain, now)

    def _make_room(self, domain: str, now: float) -> None:
        """Drop expired cookies, then the oldest of a domain that has too many, then the oldest of all."""
        if (
            len(self._cookies) > MAX_COOKIES
            or sum(each.domain == domain for each in self._cookies.values()) > PER_DOMAIN
        ):
            for key in [key for key, cookie in self._cookies.items() if _is_over(cookie, now)]:
                del self._cookies[key]
        own = [key for key, cookie in self._cookies.items() if cookie.domain == domain]
        # Those that are not Secure first: a clear connection must not push out cookies that were set over TLS.
        own.sort(key=lambda key: self._cookies[key].secure)
        for key in own[: max(0, len(own) - PER_DOMAIN)]:
            del self._cookies[key]
        for key in list(self._cookies)[: max(0, len(self._cookies) - MAX_COOKIES)]:
            del self._cookies[key]


SHORTEST_SECRET = 12
"""The shortest value of a cookie that may be a login: 64 bits in base64. A shorter one is a word, such as a language,
which URLs have for other reasons."""


class Exchange(Interceptor):
    """The cookies of one dialogue: adds them to its requests, and stores those of its responses.

    Args:
        same_site: Whether the same site or the user caused the request.

    Attributes:
        secrets: The values that it sent and that are long enough for a login.
    """

    __slots__ = ("secrets", "_jar", "_same_site")

    def __init__(self, jar: CookieJar, same_site: bool) -> None:
        self.secrets: list[str] = []
        self._jar = jar
        self._same_site = same_site

    def ask(self, ask: Ask[Any]) -> Ask[Any]:
        """Add cookies to a request."""
        return self._with_cookies(ask) if isinstance(ask, Request) else ask

    def answer(self, ask: Ask[Any], answer: Any) -> None:
        """Store the cookies of a response."""
        if isinstance(ask, Request) and isinstance(answer, Response):
            self._jar.store(ask.url, answer.all("set-cookie"))

    def _with_cookies(self, ask: Request) -> Request:
        if any(name.lower() == "cookie" for name, _ in ask.headers):  # the caller's own
            return ask
        header = self._jar.header(ask.url, same_site=self._same_site, safe=ask.method in hops.SAFE_METHODS)
        if header is None:
            return ask
        values = (pair.partition("=")[2] for pair in header.reveal().split("; "))
        for value in values:
            if len(value) >= SHORTEST_SECRET:
                self.secrets += [value, percent_decode(value).decode("utf-8", "surrogateescape")]
        return Request(
            ask.method, ask.url, ask.target, headers=[*ask.headers, ("Cookie", header)], upload=ask.upload,
            authorization=ask.authorization, decode=ask.decode,
        )  # fmt: skip


def exchange(
    jar: CookieJar, url: URL, came_from: Provenance, begun_by_user: bool
) -> tuple[Exchange | None, str | None]:
    """The cookies of a dialogue with this URL, and a note if some are withheld.

    Args:
        begun_by_user: Whether only redirects led here from one of the user's own URLs.
    """
    if hops.may_use_cookies(url, came_from, begun_by_user):
        return Exchange(jar, came_from.own or _same_site(url, came_from)), None
    return None, None if jar.header(url) is None else NOT_SENT.format(origin=url.origin)


def _same_site(url: URL, came_from: Provenance) -> bool:
    host = (came_from.host or "").lower()
    own = _host(url)
    return came_from.scheme == url.scheme and (own == host or (_site(own) or own) == (_site(host) or host))


def _site(host: str) -> str | None:
    return registered_domain(host, extra="cookies", what="Cookies")


def _is_public(domain: str) -> bool:
    """Whether it is a public suffix, below which anyone may register a name."""
    return _site(domain) is None


def _host(url: URL) -> str:
    return (url.host or "").lower()


def _path(url: URL) -> str:
    return url.path if url.path.startswith("/") else "/"


def _default_path(path: str) -> str:
    """RFC 6265bis 5.1.4."""
    return path[: path.rindex("/")] or "/"


def _path_matches(path: str, of: str) -> bool:
    return path == of or (path.startswith(of) and (of.endswith("/") or path[len(of)] == "/"))


def _domain_matches(host: str, domain: str) -> bool:
    """RFC 6265bis 5.1.3; an IP address matches only itself."""
    return host == domain or (host.endswith(f".{domain}") and _site(host) is not None)


def _is_over(cookie: Cookie, now: float) -> bool:
    return cookie.expires is not None and cookie.expires <= now


def _fits(cookie: Cookie, same_site: bool, safe: bool) -> bool:
    """Whether the SameSite rules let it be sent (RFC 6265bis 5.8.3)."""
    return same_site or cookie.same_site == "none" or (cookie.same_site == "lax" and safe)


def _keeps_its_prefix(said: SetCookie, host_only: bool, path: str) -> bool:
    """Whether a cookie has the properties that the prefix of its name promises (RFC 6265bis 5.7 and 4.1.3)."""
    # A nameless cookie is sent as its bare value, which a server would read as a name.
    name = (said.name or said.value).lower()
    if not said.name and name.startswith(("__secure-", "__host-")):
        return False
    if name.startswith("__host-"):
        return said.secure and host_only and not said.domain and said.path == path == "/"
    return said.secure or not name.startswith("__secure-")


def _shadows(cookie: Cookie, other: Cookie) -> bool:
    """Whether a cookie of a clear connection would override one that was set over TLS (RFC 6265bis 5.7)."""
    if not other.secure or other.name != cookie.name or not _path_matches(cookie.path, other.path):
        return False
    return _domain_matches(cookie.domain, other.domain) or _domain_matches(other.domain, cookie.domain)


def _as_old_as(cookie: Cookie, before: Cookie) -> Cookie:
    return Cookie(
        cookie.name, cookie.value, cookie.domain, cookie.host_only, cookie.path, cookie.secure, cookie.http_only,
        cookie.same_site, cookie.expires, before.created,
    )  # fmt: skip
