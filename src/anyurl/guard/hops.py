"""The hop rule: where a URL that the user did not name may lead.

Rule: one rule for every scheme and every kind of hop (a redirect, a moved item, a forwarding, a menu, a link, a
cross-reference, a gateway), and this is the only place that states it. It depends only on the URL and its `Provenance`.
URLs that the user named always pass.

1. A hop never leads to a less public place than it comes from, or to a file of this machine (`leads_inward`, `fault`).
2. It never leads from TLS to a clear connection (`fault`).
3. A server never redirects to an interactive session; http and https redirect to http and https only, gemini to gemini
   only (`fault`).
4. Only the user's own login is sent, and only to the place it was given for; a login that a server or document wrote is
   dropped (`without_login`).
5. Passwords from the user's ``.netrc``, the user's certificate and header fields with credentials are sent for the
   user's own URLs, and after a hop only to the same place (`may_use_secrets`). Cookies follow redirects of the user's
   own URLs (`may_use_cookies`).
6. Nothing is sent in the user's name unless the user asked for it directly: no message and no form (`may_deliver`,
   `fault`), no content, and no request that changes something (`may_carry`).
7. The method after a redirect is the one that RFC 9110 defines (`method_after`).
8. A chain of hops ends (`refuse_circle`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from anyurl.errors import LimitError
from anyurl.guard.addresses import forms
from anyurl.url.syntax import GOPHER, ROWS, WEB
from anyurl.values import STRANGER, Provenance, Scope, Who

if TYPE_CHECKING:
    from anyurl.url import URL

SECURE = frozenset({
    "https", "ftps", "gophers", "nntps", "snews", "wss", "imaps", "ldaps", "smtps", "coaps", "ircs", "ipps", "rtsps",
    "sips", "sftp", "ssh", "gemini",
})  # fmt: skip
"""Schemes whose connections are always encrypted and whose servers are always verified. All others count as clear."""

GATEWAY = "gateway"
"""The reason of a hop through a gateway (`anyurl.client.gateways`)."""

FORMS = frozenset(GOPHER)
"""Schemes in whose URLs an encoded line end can only be part of an answered form (RFC 1738 3.4.9)."""

SESSIONS = frozenset({"telnet", "tn3270", "rlogin", "ssh"})
"""Schemes that open an interactive session. The login in their URLs is only shown to the user, never sent."""

REDIRECTED: dict[str | None, tuple[str, ...]] = {"http": WEB, "https": WEB, "gemini": ("gemini",)}
"""The schemes that a scheme may redirect to; those that are not listed may redirect to any."""

PAGES = frozenset({*WEB, "gemini"})
"""Schemes whose listings are the links of a page: the document names these URLs, not the server."""

MOST_REDIRECTS = {"gemini": 5}
"""The most redirects of a scheme, even if the policy allows more (the Gemini specification, "Redirection")."""

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
"""Methods that do not change anything on the server (RFC 9110 9.2.1)."""

IDEMPOTENT_METHODS = SAFE_METHODS | {"PUT", "DELETE"}
"""Methods that may safely be sent twice (RFC 9110 9.2.2). No other request is ever repeated."""

SECRETS_DROPPED = "The {names} {fields} not sent to {url}, which {origin} named: a credential stays with its server."

LOGIN_DROPPED = "The user and password in {url}, which {origin} wrote, were dropped: only yours are sent."


def named_by(url: URL, who: Who, scope: Scope | None, origin: Provenance) -> Provenance:
    """The provenance of URLs found at this URL.

    Args:
        scope: How public the address of the peer was; None if unknown.
        origin: Who named this URL. Attack: a stranger's link leads to a server that then links to itself; the user's
            stored secrets for that server must not be sent because of that.
    """
    scheme = url.scheme
    return Provenance(
        who, scope=scope, scheme=scheme, host=url.host, port=url.port, user=url.user, tls=scheme in SECURE,
        kept=may_use_secrets(url, origin),
    )  # fmt: skip


def named_in(url: URL) -> Provenance:
    """The provenance of URLs in a text that came from this URL, if the address of its server is not known.

    A literal address shows how public it is; a host name does not. Who named this URL is unknown, too.
    """
    return named_by(url, "document", _literal_scope(url), STRANGER)


def named_through(url: URL, who: Who) -> Provenance:
    """The provenance of URLs that a gateway returns for this URL.

    Attack: a gateway often runs on this machine but returns strangers' content. Its answers therefore count as coming
    from the host in the URL, and the user's stored secrets are never used because of them.
    """
    return Provenance(
        who, scope=_literal_scope(url), scheme=url.scheme, host=url.host, port=url.port, tls=url.scheme in SECURE
    )


def _literal_scope(url: URL) -> Scope | None:
    """How public the literal address in a URL is; None if its host is not an address."""
    scopes = [form.row.scope for form in forms(url.host)] if url.host and url.scheme != "file" else []
    return min(scopes, default=None)


def is_form(url: URL) -> bool:
    """Whether a URL is an answered form (RFC 1738 3.4.9); the guard looks for nothing else in a path."""
    if url.scheme not in FORMS:
        return False
    path = url.path.lower()
    return "%0d" in path or "%0a" in path


def is_confined(url: URL) -> bool:
    """Whether a URL holds octets that its protocol sends as data and that command another service (`Row.confined`)."""
    row = ROWS.get(url.scheme)
    if row is None or not row.confined:
        return False
    sent = f"{url.raw_user or ''}{url.raw_password or ''}{url.path}{url.query or ''}"
    return any(_holds(sent, octet) for octet in row.confined)


def _holds(text: str, octet: int) -> bool:
    return chr(octet) in text or f"%{octet:02x}" in text.lower()


def is_same_place(url: URL, origin: Provenance) -> bool:
    """Whether a URL leads to the same server (scheme, host and port) that named it."""
    return (url.scheme, url.host, url.port) == (origin.scheme, origin.host, origin.port)


def fault(url: URL, origin: Provenance, *, inward: bool, downgrade: bool) -> tuple[str, str] | None:
    """Why a URL is refused because of who named it: the code of the verdict and its subject; None if it is not.

    Addresses are judged separately, once they are known: see `leads_inward`.

    Args:
        inward: The policy allows hops to a less public place.
        downgrade: The policy allows hops from TLS to a clear connection.
    """
    if origin.own:
        return None
    scheme = url.scheme
    if scheme == "file":
        # A folder of this machine may list its own files; a file may have been written by a stranger.
        if inward or (origin.scheme == "file" and origin.who in ("listing", "search")):
            return None
        return "file-hop", url.host or ""
    if origin.unasked:
        if scheme in SESSIONS:
            return "service-hop", scheme
        if scheme == "data":
            return "data-hop", scheme
        if scheme not in REDIRECTED.get(origin.scheme, (scheme,)):
            return "redirect-scheme", scheme
    if origin.tls and url.host and scheme not in SECURE and not downgrade:
        return "clear-hop", scheme
    if is_form(url):
        return "form-hop", scheme
    return None


def leads_inward(where: Scope, origin: Provenance) -> bool:
    """Whether an address is less public than the peer that named it; link-local and metadata addresses always are."""
    return not origin.own and (where == Scope.LINK or where > (origin.scope or Scope.PUBLIC))


def without_login(url: URL, origin: Provenance) -> tuple[URL, str | None]:
    """The URL without a login that the user did not write, and a note about it; the note is None if nothing changed.

    Attack: ``URL:ftp://alice@host:PORT/`` in a menu would make a client look up alice's password and send it.
    """
    if origin.own or url.raw_user is None or url.scheme in SESSIONS:
        return url, None
    if is_same_place(url, origin) and url.user == origin.user:
        return url, None
    bare = url.replace(user=None, password=None)
    return bare, LOGIN_DROPPED.format(url=bare.masked, origin=place(origin))


def may_use_secrets(url: URL, origin: Provenance) -> bool:
    """Whether the user's stored passwords and certificate may be used with this URL's server."""
    return origin.own or (origin.kept and is_same_place(url, origin))


def may_use_cookies(url: URL, origin: Provenance, begun_by_user: bool) -> bool:
    """Whether cookies may be sent to this URL's server and accepted from it.

    Logins redirect to another site and back, so cookies follow redirects of the user's own URLs. Attack: a stranger's
    link acts with the user's cookies on a server where the user is logged in (CSRF).

    Args:
        begun_by_user: The first URL was the user's own, and only redirects led from it to this one.
    """
    return begun_by_user or may_use_secrets(url, origin)


def may_deliver(url: URL, origin: Provenance) -> bool:
    """Whether a message may be sent to the mailbox or group that this URL names: only if the user named it.

    Exception: a server may name its own groups.
    """
    if origin.own:
        return True
    is_group = bool(url.host) or origin.who in ("listing", "search")
    return is_group and not origin.unasked and is_same_place(url, origin)


def may_carry(url: URL, origin: Provenance) -> bool:
    """Whether the caller's content or form answers, or a request that changes something, may be sent to this URL."""
    return not origin.unasked or is_same_place(url, origin)


def method_after(method: str, status: int) -> str:
    """The method of the request after a redirect with this status (RFC 9110 15.4).

    303 turns it into a GET; 301 and 302 turn a POST into a GET, as in every browser. If the method changes, the
    content is dropped.
    """
    if method in SAFE_METHODS or status not in (301, 302, 303):
        return method
    return "GET" if status == 303 or method == "POST" else method


MOST_TIMES = 2
"""How often one request may be made in a chain of redirects (RFC 9110 15.4 asks to detect cycles)."""


def refuse_circle(
    there: URL, past: Sequence[URL], limit: int, *, asked: int = 0, cookie: bool = False, cookies_kept: bool = False
) -> None:
    """Check that a chain of redirects may continue.

    Args:
        past: The URLs that redirected so far.
        limit: The most there may be.
        asked: How often the next request, the same method and URL, was made in this chain already. A web server may
            answer a repeated request differently: a queue, a balancer, a form that leads back to itself.
        cookie: One of them set a cookie.
        cookies_kept: Cookies are sent back, so the same URL may answer differently every time.

    Raises:
        LimitError: The chain is too long, or a circle.
    """
    limit = min(limit, MOST_REDIRECTS.get(there.scheme, limit))
    if len(past) > limit:
        text = f"{past[0].masked} redirected more than {limit} times: the limit allows no more."
        raise LimitError(text, limit="cookies" if cookie else "redirects")
    if asked < (MOST_TIMES if there.scheme in WEB else 1) or (cookie and cookies_kept):
        return
    if cookie:
        text = f"{there.masked} requires a cookie, and cookies are off: without one it redirects to itself."
        raise LimitError(text, limit="cookies")
    if there.scheme in WEB:
        text = f"{there.masked} was requested {asked} times, and is redirected to itself again: no more."
        raise LimitError(text, limit="redirects")
    raise LimitError(f"{there.masked} leads back to itself: it would never end.", limit="redirects")


def place(origin: Provenance) -> str:
    """Who named a URL, as a phrase for a sentence."""
    if origin.own:
        return f"the {origin.who}"
    if not origin.host:
        where = "on this machine" if origin.scheme == "file" else f"of {origin.scheme}"
        return "someone else" if origin.scheme is None else f"{_WHAT[origin.who]} {where}"
    host = f"[{origin.host}]" if ":" in origin.host else origin.host
    return f"{_WHAT[origin.who]} at {origin.scheme}://{host}"


_WHAT: dict[Who, str] = {
    "user": "", "configuration": "", "document": "a document", "listing": "a listing", "search": "a search",
    "redirect": "the server", "reply": "the server",
}  # fmt: skip
