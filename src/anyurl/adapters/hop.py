"""Strips credentials when a redirect leads another client to another origin: header fields, cookies, the certificate.

Rule: a client is not trusted to strip anything itself. A request that its adapter is about to send to another origin
(`Referral.elsewhere`) loses every field with a credential (`anyurl.dialogue.http.is_credential`), all cookies but those
of that host, and the client certificate.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Collection, Iterable
from functools import cache
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from anyurl.dialogue.http import is_credential

if TYPE_CHECKING:
    from http.cookiejar import Cookie

_BARE: WeakKeyDictionary[ssl.SSLContext, ssl.SSLContext] = WeakKeyDictionary()


def credentials(names: Iterable[str]) -> list[str]:
    """Those names of header fields that hold a credential, except ``Cookie``: see `cookies_kept`."""
    return [name for name in names if is_credential(name) and name.lower() != "cookie"]


def cookies_kept(field: str | None, url: str, jar: Iterable[Cookie]) -> str:
    """The part of a Cookie field that may be sent to another origin: the cookies of a jar that are for its host.

    Attack: `http.cookiejar` sends a cookie without a domain to every host, and a cookie that a host has set for itself
    also to the hosts below it (RFC 6265 5.4 does not).
    """
    from http.cookiejar import CookieJar, DefaultCookiePolicy

    if not field:
        return ""
    kept = CookieJar(DefaultCookiePolicy(strict_ns_domain=DefaultCookiePolicy.DomainStrictNonDomain))
    for cookie in jar:
        if cookie.domain:
            kept.set_cookie(cookie)
    asked = _CookieRequest(url)
    kept.add_cookie_header(asked)  # type: ignore[arg-type]  # a request of urllib's, of which it needs this much
    allowed = asked.cookies.split("; ")
    return "; ".join(each for each in field.split("; ") if each in allowed)


class _CookieRequest:
    """A request as `http.cookiejar` wants it, which is given the cookies for its URL."""

    unverifiable = False

    def __init__(self, url: str) -> None:
        self._url = url
        self.type, _, rest = url.partition("://")
        self.host = rest.partition("/")[0]
        self.cookies = ""

    def get_full_url(self) -> str:
        return self._url

    def has_header(self, name: str) -> bool:
        return False

    def get_header(self, name: str, default: str = "") -> str:
        return default

    def add_unredirected_header(self, name: str, value: str) -> None:
        if name == "Cookie":
            self.cookies = value


def without_certificate(context: ssl.SSLContext) -> ssl.SSLContext:
    """A context that trusts and verifies like this one, without a client certificate.

    A context does not tell whether it has one, and gives it to every server that asks (RFC 8446 4.3.2).
    """
    bare = _BARE.get(context)
    if bare is None:
        bare = _BARE[context] = _copy(context)
    return bare


def _copy(context: ssl.SSLContext) -> ssl.SSLContext:
    bare = type(context)(ssl.PROTOCOL_TLS_CLIENT)
    bare.check_hostname = False  # it must be off before the mode can be CERT_NONE
    bare.verify_mode = context.verify_mode
    bare.check_hostname = context.check_hostname
    for name in ("verify_flags", "options", "minimum_version", "maximum_version", "hostname_checks_common_name"):
        if getattr(bare, name) != getattr(context, name):
            setattr(bare, name, getattr(context, name))
    ciphers = [str(each["name"]) for each in context.get_ciphers() if each["protocol"] != "TLSv1.3"]
    if ciphers:
        bare.set_ciphers(":".join([*ciphers, f"@SECLEVEL={context.security_level}"]))
    known = context.get_ca_certs(binary_form=True)
    if known:
        bare.load_verify_locations(cadata=b"".join(known))
    if _reads_system_folder(known):
        bare.set_default_verify_paths()
    return bare


def _reads_system_folder(known: Collection[bytes]) -> bool:
    """Whether a context may read the system's authorities one by one, as it needs them.

    Where the system keeps them in a folder and in no file, a context lists only those that it has used.
    """
    paths = ssl.get_default_verify_paths()
    if paths.cafile or not paths.capath:
        return False
    return _authorities_in(paths.capath).issuperset(known)


@cache
def _authorities_in(folder: str) -> frozenset[bytes]:
    store = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    for entry in os.scandir(folder):
        try:
            store.load_verify_locations(cafile=entry.path)
        except (OSError, ssl.SSLError):  # a file of something else
            continue
    return frozenset(store.get_ca_certs(binary_form=True))
