"""The hop rule: what may follow from a URL that somebody else named.

Rule: one rule for every scheme and every reason to go on (a redirection, an item that has moved, a forwarding, a menu,
a link, a cross-reference, a gateway), and this is its one place. It reads the URL and its `Provenance`, and nothing
else. A URL that the user named has passed it.

1. It leads to no less public place than it comes from, and to no file of this machine (`leads_inward`, `fault`).
2. It leads from TLS to no clear connection (`fault`).
3. What a server leads on to by itself is no session; http and https lead to http and https, gemini to gemini
   (`fault`).
4. A login is the user's own, for that very place; one that somebody else wrote is dropped (`without_login`).
5. Passwords of the user's ``.netrc``, the user's certificate, and header fields that hold a credential, go to the
   user's own URLs, and from there to that very place (`may_use_secrets`). Cookies, which a server asks to have back, go
   along where redirections of the user's own URLs lead (`may_use_cookies`).
6. Nothing is sent in the user's name that was not asked for directly: no message, no answers (`may_deliver`, `fault`),
   no content, and no request that changes something (`may_carry`).
7. A redirection is followed with the method that RFC 9110 says (`method_after`).
8. It ends (`refuse_circle`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from anyurl.errors import LimitError
from anyurl.guard.addresses import forms
from anyurl.values import STRANGER, Provenance, Scope, Who

if TYPE_CHECKING:
    from anyurl.url import URL

SECURE = frozenset({
    "https", "ftps", "gophers", "nntps", "snews", "wss", "imaps", "ldaps", "smtps", "coaps", "ircs", "ipps", "rtsps",
    "sips", "sftp", "ssh", "gemini",
})  # fmt: skip
"""Schemes whose connections are encrypted and whose servers are verified, always. What is not known to be is clear."""

FORMS = frozenset({"gopher", "gophers"})
"""Schemes in whose URLs a line end is part of an answered form (RFC 1738 3.4.9), and of nothing else."""

SESSIONS = frozenset({"telnet", "tn3270", "rlogin", "ssh"})
"""Schemes that open an interactive session. The login in their URLs is advice: it is never sent."""

WEB = ("http", "https")

REDIRECTED: dict[str | None, tuple[str, ...]] = {"http": WEB, "https": WEB, "gemini": ("gemini",)}
"""Where the redirections of a scheme lead; those of any other may lead to any."""

PAGES = frozenset({*WEB, "gemini"})
"""Schemes whose listings are the links of a page: a document names them, and not the server."""

MOST_REDIRECTS = {"gemini": 5}
"""How many of a scheme are followed at most, whatever the policy allows (the Gemini specification, "Redirection")."""

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
"""Methods that change nothing at the server (RFC 9110 9.2.1)."""

IDEMPOTENT_METHODS = SAFE_METHODS | {"PUT", "DELETE"}
"""Methods that do the same when the server gets them twice (RFC 9110 9.2.2). No other request is ever repeated."""

SECRETS_DROPPED = "The {names} {fields} not sent to {url}, which {origin} named: a credential stays with its server."

LOGIN_DROPPED = "The user and password in {url}, which {origin} wrote, were dropped: only yours are sent."


def named_by(url: URL, who: Who, scope: Scope | None, origin: Provenance) -> Provenance:
    """The provenance of what was found at this URL.

    Args:
        scope: How public the address of the peer was; None when nobody knows.
        origin: Who named this URL. Attack: a stranger's link leads to a server, which leads on to itself; that is no
            reason to send it what the user keeps for it.
    """
    scheme = url.scheme
    return Provenance(
        who, scope=scope, scheme=scheme, host=url.host, port=url.port, user=url.user, tls=scheme in SECURE,
        kept=may_use_secrets(url, origin),
    )  # fmt: skip


def named_in(url: URL) -> Provenance:
    """The provenance of what stands in a text that came from this URL, by whatever way: its address is not known.

    A literal address says by itself how public it is; a name says nothing. Who led there is not known either.
    """
    return named_by(url, "document", _literal_scope(url), STRANGER)


def named_through(url: URL, who: Who) -> Provenance:
    """The provenance of what a gateway hands out for this URL.

    Attack: a gateway on this machine is as near as can be, and hands out what strangers wrote. So it comes from where
    the URL says, and nothing that the user keeps is used on its word.
    """
    return Provenance(
        who, scope=_literal_scope(url), scheme=url.scheme, host=url.host, port=url.port, tls=url.scheme in SECURE
    )


def _literal_scope(url: URL) -> Scope | None:
    """How public the address in a URL is; None where there is none."""
    scopes = [form.row.scope for form in forms(url.host)] if url.host and url.scheme != "file" else []
    return min(scopes, default=None)


def is_form(url: URL) -> bool:
    """Whether a URL answers a form: the only thing that the guard reads in a path (RFC 1738 3.4.9)."""
    if url.scheme not in FORMS:
        return False
    path = url.path.lower()
    return "%0d" in path or "%0a" in path


def is_same_place(url: URL, origin: Provenance) -> bool:
    """Whether a URL leads to the very server (scheme, host and port) that named it."""
    return (url.scheme, url.host, url.port) == (origin.scheme, origin.host, origin.port)


def fault(url: URL, origin: Provenance, *, inward: bool, downgrade: bool) -> tuple[str, str] | None:
    """The code of the verdict that refuses a URL because of who named it, and its subject; None when nothing does.

    Addresses are judged when they are known: see `leads_inward`.

    Args:
        inward: The policy lets a hop lead to a less public place.
        downgrade: The policy lets a hop lead from TLS to a clear connection.
    """
    if origin.own:
        return None
    scheme = url.scheme
    if scheme == "file":
        # A folder of this machine may name what is in it; a file may have been written by anybody.
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
    """Whether an address is less public than the peer that named it; link-local and metadata are to all of them."""
    return not origin.own and (where == Scope.LINK or where > (origin.scope or Scope.PUBLIC))


def without_login(url: URL, origin: Provenance) -> tuple[URL, str | None]:
    """The URL without the login that somebody else wrote into it, and a note that says so.

    Attack: ``URL:ftp://alice@host:PORT/`` in a menu makes a client look alice's password up and send it.
    """
    if origin.own or url.raw_user is None or url.scheme in SESSIONS:
        return url, None
    if is_same_place(url, origin) and url.user == origin.user:
        return url, None
    bare = url.replace(user=None, password=None)
    return bare, LOGIN_DROPPED.format(url=bare.masked, origin=place(origin))


def may_use_secrets(url: URL, origin: Provenance) -> bool:
    """Whether what the user keeps, passwords and a certificate, may be shown to this URL's server."""
    return origin.own or (origin.kept and is_same_place(url, origin))


def may_use_cookies(url: URL, origin: Provenance, begun_by_user: bool) -> bool:
    """Whether cookies may be sent to this URL's server, and kept from it.

    A login leads to another site and back: cookies follow the redirections of what the user has named. Attack: a link
    of somebody else's acts with the cookies of the user at a server that he is logged in at.

    Args:
        begun_by_user: Nothing but redirections led there, and the first URL was the user's own.
    """
    return begun_by_user or may_use_secrets(url, origin)


def may_deliver(url: URL, origin: Provenance) -> bool:
    """Whether a message may be sent to what this URL names: not to whom somebody else named.

    A server may name its own groups; a mailbox is at no server.
    """
    if origin.own:
        return True
    is_group = bool(url.host) or origin.who in ("listing", "search")
    return is_group and not origin.unasked and is_same_place(url, origin)


def may_carry(url: URL, origin: Provenance) -> bool:
    """Whether what the caller gave to be sent (a content, answers to a form), or a request that changes something, may
    go to this URL."""
    return not origin.unasked or is_same_place(url, origin)


def method_after(method: str, status: int) -> str:
    """The method that follows a redirection with this status (RFC 9110 15.4); another one means no content either.

    303 leads to an answer that is read; 301 and 302 make a POST a GET, as every browser has it.
    """
    if method in SAFE_METHODS or status not in (301, 302, 303):
        return method
    return "GET" if status == 303 or method == "POST" else method


def refuse_circle(
    there: URL, past: Sequence[URL], limit: int, *, cookie: bool = False, cookies_kept: bool = False
) -> None:
    """Whether a chain of redirections may go on.

    Args:
        past: The URLs that have led on.
        limit: How many of them there may be.
        cookie: One of them set a cookie.
        cookies_kept: It goes back, so that what was asked before may be answered otherwise now.

    Raises:
        LimitError: It is too long, or a circle.
    """
    limit = min(limit, MOST_REDIRECTS.get(there.scheme, limit))
    if len(past) > limit:
        text = f"{past[0].masked} led on more than {limit} times: the limit allows no more."
        raise LimitError(text, limit="redirects")
    if any(there == url for url in past) and not (cookie and cookies_kept):
        if cookie:
            text = f"{there.masked} wants a cookie back, and cookies are not kept: it leads to itself without."
            raise LimitError(text, limit="redirects")
        raise LimitError(f"{there.masked} leads back to itself: it would never end.", limit="redirects")


def place(origin: Provenance) -> str:
    """Who named a URL, in a few words for a sentence."""
    if origin.own:
        return f"the {origin.who}"
    if not origin.host:
        where = "on this machine" if origin.scheme == "file" else f"of {origin.scheme}"
        return "somebody else" if origin.scheme is None else f"{_WHAT[origin.who]} {where}"
    host = f"[{origin.host}]" if ":" in origin.host else origin.host
    return f"{_WHAT[origin.who]} at {origin.scheme}://{host}"


_WHAT: dict[Who, str] = {
    "user": "", "configuration": "", "document": "a document", "listing": "a listing", "search": "a search",
    "redirect": "the server", "reply": "the server",
}  # fmt: skip
