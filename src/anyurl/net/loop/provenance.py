"""Provenance: who named an endpoint that a dialogue connects to, and the entries that it emits.

Rule: schemes do not decide this: a scheme cannot claim that the user named an endpoint or an entry.
"""

from __future__ import annotations

from collections.abc import Mapping

from anyurl.dialogue import Channel, Connect, Secure
from anyurl.errors import RefusedError, SecretNeededError
from anyurl.guard import hops
from anyurl.guard.addresses import scope
from anyurl.guard.verdict import Reader, aside
from anyurl.net.wire.tls import AUTHORITY, TLSConfig, TLSTerms
from anyurl.url import URL, syntax
from anyurl.url.endpoint import SUBMISSION_PORT, read_endpoint
from anyurl.values import CONFIGURATION, USER, Provenance, Scope, Who


class Parties:
    """Who takes part in one transfer: who named its URL, and who answers.

    Only its own methods write it.

    Attributes:
        url: The URL.
        came_from: Who named it.
        asked_by: The provenance that decides about secrets: `came_from`, unless a URL that another party named is
            requested through the user's own gateway.
        stands_for: The URL that a gateway answers for; else None.
        lists: Whether its entries are those of a listing, search results or links of a document.
        peer_scope: The scope of its peer; of several peers, each of which may have named its entries, the most public
            scope. None before there is a peer.
        last_address: The address of the last peer.
    """

    __slots__ = ("url", "came_from", "asked_by", "stands_for", "lists", "peer_scope", "last_address")

    def __init__(
        self,
        url: URL,
        came_from: Provenance = USER,
        asked_by: Provenance | None = None,
        stands_for: URL | None = None,
        lists: Who = "listing",
    ) -> None:
        self.url: URL = url
        self.came_from: Provenance = came_from
        self.asked_by: Provenance = asked_by or came_from
        self.stands_for: URL | None = stands_for
        self.lists: Who = lists
        self.peer_scope: Scope | None = None
        self.last_address: str | None = None

    def meet(self, address: str, scope: Scope) -> None:
        """A peer was connected to, one of perhaps several."""
        self.last_address = address
        if self.peer_scope is None or scope < self.peer_scope:
            self.peer_scope = scope

    def ask(self, address: str | None, scope: Scope | None) -> None:
        """A request goes to this peer, and its answer is all that counts."""
        self.last_address, self.peer_scope = address, scope


def provenance(
    parties: Parties, host: str, port: int, configured: Mapping[str, tuple[str, int]], by: Channel | None = None
) -> Provenance:
    """Who named this endpoint: the source of the URL, the user's settings, or a peer.

    Args:
        configured: The server that the user configured, for schemes whose URLs may have no host.
        by: The channel to the peer that named it, if there are several: a peer that names the same server as the
            user gains nothing by that.

    Raises:
        RefusedError: The URL has no host, and this is not the server configured for its scheme.
    """
    named = parties.url.host
    if not named:
        if configured.get(parties.url.scheme) == (host, port):
            return CONFIGURATION
        raise RefusedError(
            f"{parties.url.masked} names no server: only the configured one is connected to.", code="peer", subject=host
        )
    if by is not None and by.peer is not None:
        return hops.named_by(parties.url, "reply", scope(by.peer[0]), parties.came_from)
    if host == named and port == parties.url.port:
        return parties.came_from
    return named_by(parties, "reply")


def named_by(parties: Parties, who: Who) -> Provenance:
    """The provenance of URLs and endpoints that the peer names."""
    if parties.stands_for is not None:
        return hops.named_through(parties.stands_for, who)
    where = parties.peer_scope
    if parties.url.scheme == "file":
        # A folder listing comes from this machine; the content of a file may come from anywhere.
        where = Scope.LOCAL if who in ("listing", "search") else Scope.PUBLIC
    named = hops.named_by(parties.url, who, where, parties.came_from)
    if where is None and not parties.url.host and not parties.came_from.own:
        # Attack: a page over TLS has a data URL that contains a page with links to clear connections.
        return named.lowered(parties.came_from)  # no server involved: its author is the source of the URL
    return named


def may_use_secrets(parties: Parties, host: str, configured: Mapping[str, tuple[str, int]]) -> bool:
    """Whether the user's stored passwords and certificate may be used with this host.

    See `hops.may_use_secrets`. Attack: a stranger's link goes through the user's gateway, which the user logs in to.

    The server that the user configured counts as the user's own, even for a URL that a stranger named.
    """
    url = parties.url
    place = configured.get(url.scheme)
    if not url.host:
        return place is not None and place[0] == host
    return host == url.host and (place == (host, url.port) or hops.may_use_secrets(url, parties.asked_by))


def tls_terms(
    parties: Parties,
    host: str,
    port: int,
    ask: Connect | Secure,
    config: TLSConfig,
    configured: Mapping[str, tuple[str, int]],
    reader: Reader,
) -> TLSTerms:
    """The terms of TLS with this server, as requested by a dialogue.

    Raises:
        SecretNeededError: The peer requests a certificate, but the caller has none, or this server may not see it.
    """
    if not ask.certificate:
        return AUTHORITY if ask.trust == "authority" else TLSTerms(ask.trust)
    if config.cert is None:
        raise SecretNeededError(f"You have given no certificate{aside('cert', reader)}.")
    if port != parties.url.port or not may_use_secrets(parties, host, configured):
        raise SecretNeededError(
            f"Your certificate was not shown to {host} port {port}: it is for a URL of your own, and for what that "
            "leads to at the same place."
        )
    return TLSTerms(ask.trust, True)


def configured_servers(news_server: str | None, mail_server: str | None) -> dict[str, tuple[str, int]]:
    """The configured server of each scheme whose URLs may have no host.

    Raises:
        URLSyntaxError: A server is malformed.
    """
    found = {}
    if news_server is not None:
        for scheme in ("news", "snews"):
            news = read_endpoint(news_server, syntax.row(scheme).port or 0, "news server")
            found[scheme] = (news.host, news.port)
    if mail_server is not None:
        mail = read_endpoint(mail_server, SUBMISSION_PORT, "mail server")
        found["mailto"] = (mail.host, mail.port)
    return found
