"""Provenance: who named an endpoint that a dialogue connects to, and the entries that it emits.

Rule: schemes do not decide this: a scheme cannot claim that the user named an endpoint or an entry.
"""

from __future__ import annotations

from collections.abc import Mapping

from anyurl.dialogue import Channel, Connect, Secure
from anyurl.errors import RefusedError, SecretNeededError
from anyurl.guard import hops
from anyurl.guard.addresses import scope
from anyurl.guard.verdict import aside
from anyurl.net.loop.task import Task
from anyurl.net.wire.tls import AUTHORITY, TLSConfig, TLSTerms
from anyurl.url import syntax
from anyurl.url.endpoint import SUBMISSION_PORT, read_endpoint
from anyurl.values import CONFIGURATION, Provenance, Scope, Who


def provenance(
    task: Task, host: str, port: int, configured: Mapping[str, tuple[str, int]], by: Channel | None = None
) -> Provenance:
    """Who named this endpoint: the source of the URL, the user's settings, or the task's peer.

    Args:
        configured: The server that the user configured, for schemes whose URLs may have no host.
        by: The channel to the peer that named it, if the task has several: a peer that names the same server as the
            user gains nothing by that.

    Raises:
        RefusedError: The URL has no host, and this is not the server configured for its scheme.
    """
    named = task.url.host
    if not named:
        if configured.get(task.url.scheme) == (host, port):
            return CONFIGURATION
        raise RefusedError(
            f"{task.url.masked} names no server: only the configured one is connected to.", code="peer", subject=host
        )
    if by is not None and by.peer is not None:
        return hops.named_by(task.url, "reply", scope(by.peer[0]), task.came_from)
    if host == named and port == task.url.port:
        return task.came_from
    return named_by(task, "reply")


def named_by(task: Task, who: Who) -> Provenance:
    """The provenance of URLs and endpoints that the peer of a task names."""
    if task.stands_for is not None:
        return hops.named_through(task.stands_for, who)
    where = task.peer_scope
    if task.url.scheme == "file":
        # A folder listing comes from this machine; the content of a file may come from anywhere.
        where = Scope.LOCAL if who in ("listing", "search") else Scope.PUBLIC
    named = hops.named_by(task.url, who, where, task.came_from)
    if where is None and not task.url.host and not task.came_from.own:
        # Attack: a page over TLS has a data URL that contains a page with links to clear connections.
        return named.lowered(task.came_from)  # no server involved: its author is the source of the URL
    return named


def may_use_secrets(task: Task, host: str, configured: Mapping[str, tuple[str, int]]) -> bool:
    """Whether the user's stored passwords and certificate may be used with this host.

    See `hops.may_use_secrets`. Attack: a stranger's link goes through the user's gateway, which the user logs in to.

    The server that the user configured counts as the user's own, even for a URL that a stranger named.
    """
    url = task.url
    place = configured.get(url.scheme)
    if not url.host:
        return place is not None and place[0] == host
    return host == url.host and (place == (host, url.port) or hops.may_use_secrets(url, task.asked_by))


def tls_terms(
    task: Task,
    host: str,
    port: int,
    ask: Connect | Secure,
    config: TLSConfig,
    configured: Mapping[str, tuple[str, int]],
) -> TLSTerms:
    """The terms of TLS with this server, as requested by a dialogue.

    Raises:
        SecretNeededError: The peer requests a certificate, but the caller has none, or this server may not see it.
    """
    if not ask.certificate:
        return AUTHORITY if ask.trust == "authority" else TLSTerms(ask.trust)
    if config.cert is None:
        raise SecretNeededError(f"You have given no certificate{aside('cert', task.reader)}.")
    if port != task.url.port or not may_use_secrets(task, host, configured):
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
