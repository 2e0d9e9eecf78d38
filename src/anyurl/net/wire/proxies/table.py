"""Proxies: which proxy a connection uses, and which hosts are reached directly.

Rule: proxies are configured by the user. The environment is read only if the user says so; any invalid proxy is an
error when the table is made, as is an invalid exception that was written for anyurl. User and password of a proxy are
never shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from anyurl.dialogue import Secret
from anyurl.dialogue.logins import ProtectionSpace
from anyurl.errors import Diagnostic, URLSyntaxError, escape
from anyurl.errors.log import warning
from anyurl.guard.addresses import forms
from anyurl.guard.patterns import NetworkEntry
from anyurl.url import URL
from anyurl.url.host import parse_port

SOCKS_PORT = 1080
"""RFC 1928 3."""

SCHEMES = ("http", "https", "socks5", "socks5h")
"""The schemes of proxies. Without a port, the default port of the scheme is used."""

PROXY = "proxy"
"""The pseudo-scheme of connections to the proxy itself."""

ENVIRONMENT = "env"
"""The word for the variables of the environment, in place of a proxy."""

MAX_SOCKS_FIELD = 255
"""Most octets of a user, password or name: RFC 1928 and 1929 have a length of one octet."""


class Proxy:
    """One proxy.

    Attributes:
        scheme: ``http``, ``https``, ``socks5``, ``socks5h``.
        host: Name or address, without brackets.
        port: Its port.
        user: The user name of the login, or None.
        secret: The password, or None.
        space: Its last challenge to the login, for further tunnels.
    """

    __slots__ = ("scheme", "host", "port", "user", "secret", "space")

    def __init__(
        self, scheme: str, host: str, port: int, user: str | None = None, secret: Secret | None = None
    ) -> None:
        self.scheme: str = scheme
        self.host: str = host
        self.port: int = port
        self.user: str | None = user
        self.secret: Secret | None = secret
        self.space: ProtectionSpace = ProtectionSpace()

    @property
    def key(self) -> tuple[object, ...]:
        """The key that interchangeable connections through it share."""
        return self.scheme, self.host, self.port, self.user, self.secret

    @property
    def resolves(self) -> bool:
        """Whether it always looks up names itself."""
        return self.scheme == "socks5h"

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    def __repr__(self) -> str:
        return f"Proxy({str(self)!r})"


class Exceptions:
    """The hosts that are reached without a proxy: names, domains, networks.

    ``example.org`` and ``.example.org`` match the name and all its subdomains, ``*.example.org`` only the subdomains,
    ``*`` every host; also an address, or a network in CIDR form. A port may follow each of them.
    """

    __slots__ = ("left_out", "_all", "_names", "_nets")

    def __init__(self, entries: Iterable[str], environment: str = "") -> None:
        """Raises ValueError for an invalid entry.

        Args:
            environment: Further entries, from a variable that other programs read too: there each is one warning, and
                the others count.
        """
        self.left_out: list[str] = []
        self._all = False
        self._names: list[tuple[str, bool, int | None]] = []
        self._nets: list[tuple[NetworkEntry, int | None]] = []
        for text in entries:
            for entry in text.replace(",", " ").split():
                self._add(entry)
        for entry in re.sub("[,;]", " ", environment).split():
            try:
                self._add(_as_network(entry))
            except ValueError:
                self.left_out.append(entry)
                warning("net", "%s in NO_PROXY is not a host or network, and is ignored.", repr(escape(entry)))

    def _add(self, entry: str) -> None:
        if entry == "*":
            self._all = True
            return
        name, port = _with_port(entry)
        if forms(name.partition("/")[0]):
            self._nets.append((NetworkEntry(name), port))
            return
        only_below = name.startswith("*.")
        name = name.removeprefix("*").removeprefix(".").removesuffix(".").lower()
        if not name or not set(name) <= _IN_A_NAME or ".." in name:
            raise ValueError(
                f"{escape(entry)!r} is not a place to reach without a proxy: example.org or 10.0.0.0/8 would be"
            )
        self._names.append((name, only_below, port))

    def hold(self, host: str, port: int, addresses: Sequence[str] = ()) -> bool:
        """Whether a host and port are among them.

        Args:
            addresses: The addresses of a name, if it was looked up: all must be in listed networks.
        """
        if self._all:
            return True
        name = host.lower().removesuffix(".")
        for known, only_below, its_port in self._names:
            if its_port in (None, port) and (name.endswith("." + known) or (name == known and not only_below)):
                return True
        if not self._nets:
            return False
        found = [forms(address)[:1] for address in (addresses or [name])]
        nets = [net for net, its_port in self._nets if its_port in (None, port)]
        return all(form and any(net.holds(form[0]) for net in nets) for form in found)


class Proxies:
    """The proxy of each scheme, and the hosts that need none. Immutable."""

    __slots__ = ("_by_scheme", "_exceptions")

    def __init__(self, by_scheme: Mapping[str, Proxy | None], exceptions: Exceptions) -> None:
        self._by_scheme = dict(by_scheme)
        self._exceptions = exceptions

    @property
    def left_out(self) -> Sequence[str]:
        """The entries of the environment that are not hosts or networks."""
        return self._exceptions.left_out

    @property
    def secrets(self) -> list[Secret]:
        """The passwords of the proxies: a proxy could forge a cleartext reply that repeats its password."""
        return [proxy.secret for proxy in self._by_scheme.values() if proxy is not None and proxy.secret is not None]

    def proxy_for(self, scheme: str, host: str, port: int, addresses: Sequence[str] = ()) -> Proxy | None:
        """The proxy for URLs of this scheme to this host and port, or None."""
        proxy = self._by_scheme.get(scheme, self._by_scheme.get("*"))
        return None if proxy is None or self._exceptions.hold(host, port, addresses) else proxy


def read_proxies(
    proxy: str | Mapping[str, str] | None, no_proxy: str | Iterable[str], environment: Mapping[str, str]
) -> Proxies | None:
    """The table that a caller describes; None if it has no proxies.

    Args:
        proxy: The URL of a proxy for all schemes; or a URL for each scheme (``*`` for all others), empty for none; or
            ``env``.
        no_proxy: The hosts that need none, see `Exceptions`.
        environment: The variables for ``env``: ``http_proxy``, ``https_proxy``, ``ftp_proxy`` ... ``all_proxy`` and
            ``no_proxy``, in lower or upper case.

    Raises:
        URLSyntaxError: A proxy is malformed.
        ValueError: An entry of `no_proxy` is malformed; one of the environment is a warning.
    """
    if proxy is None:
        return None
    if not isinstance(proxy, str | Mapping):
        raise TypeError(f"a proxy is a URL, or a mapping of URLs by scheme, not {type(proxy).__name__}")
    places = [no_proxy] if isinstance(no_proxy, str) else list(no_proxy)
    given = {"*": proxy} if isinstance(proxy, str) else dict(proxy)
    table: dict[str, Proxy | None] = {}
    beside = ""
    if given.get("*") == ENVIRONMENT:
        del given["*"]
        table.update(_from(environment))
        beside = environment.get("no_proxy") or environment.get("NO_PROXY") or ""
    table.update((scheme.lower(), read_proxy(text) if text else None) for scheme, text in given.items())
    if not any(table.values()):
        Exceptions(places, beside)
        return None
    return Proxies(table, Exceptions(places, beside))


def _from(environment: Mapping[str, str]) -> dict[str, Proxy | None]:
    found: dict[str, Proxy | None] = {}
    # Lower case takes precedence. Attack: a CGI script gets a request's field `Proxy` as HTTP_PROXY (CVE-2016-5385).
    names = sorted((name for name in environment if name.lower().endswith("_proxy")), key=str.islower)
    for name in names:
        scheme = name.lower().removesuffix("_proxy")
        if scheme == "no" or not environment[name] or name == "HTTP_PROXY":
            continue
        text = environment[name]
        found["*" if scheme == "all" else scheme] = read_proxy(text if "://" in text else f"http://{text}")
    return found


def read_proxy(text: str) -> Proxy:
    """Parse the URL of a proxy: ``http://user:password@host:3128``, ``socks5://host``.

    Raises:
        URLSyntaxError: It is malformed; the message never contains the password.
    """
    try:
        url = URL(text)
    except URLSyntaxError:
        raise _no_proxy(text, "it is not a URL") from None
    if url.scheme not in SCHEMES:
        raise _no_proxy(text, f"no proxy has the scheme {url.scheme}")
    if not url.host or url.path not in ("", "/") or url.query is not None or url.fragment is not None:
        raise _no_proxy(text, "it must have a host, and may have only a user and a port besides")
    user, password = url.user, url.password
    if any(
        len(part.encode("utf-8", "surrogateescape")) > MAX_SOCKS_FIELD or _has_control(part)
        for part in (user or "", password or "")
    ) or ":" in (user or ""):
        raise _no_proxy(text, "its user or password can't be sent")
    secret = None if user is None else Secret(password or "")
    return Proxy(url.scheme, url.host, url.port or SOCKS_PORT, user, secret)


def _has_control(text: str) -> bool:
    return any(char < " " or char == "\x7f" for char in text)


def _no_proxy(text: str, why: str) -> URLSyntaxError:
    shown = text.rpartition("@")[2]
    message = f"{escape(shown)!r} is not a proxy ({why}); http://host:3128 or socks5://host:1080 would be"
    diagnostic = Diagnostic("bad-proxy", "error", (0, len(shown)), "authority", "RFC 3986 3.2", message)
    return URLSyntaxError(shown, (diagnostic,))


def _as_network(entry: str) -> str:
    """``192.168.*`` as the network that it means: 192.168.0.0/16."""
    numbers = entry.rstrip(".*").split(".")
    if "*" not in entry or not 1 <= len(numbers) <= 3 or not all(n.isascii() and n.isdigit() for n in numbers):
        return entry
    return ".".join([*numbers, "0", "0", "0"][:4]) + f"/{8 * len(numbers)}"


_IN_A_NAME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.")


def _with_port(entry: str) -> tuple[str, int | None]:
    """Split an entry into host and optional port: ``host:81``, ``[::1]:81``."""
    if entry.startswith("["):
        host, _, rest = entry[1:].partition("]")
        digits = rest.removeprefix(":") if rest.startswith(":") else None
    elif entry.count(":") == 1:
        host, _, rest = entry.partition(":")
        digits = rest
    else:
        return entry, None
    if digits is None:
        return host, None
    port = parse_port(digits)
    if not port:
        raise ValueError(f"{escape(entry)!r} is not a place to reach without a proxy: its port is invalid")
    return host, port
