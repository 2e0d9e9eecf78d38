"""Provenance: who named the endpoint that a dialogue wants to connect to.

Rule: it is not the scheme that says so: a scheme can't claim that an endpoint is the user's.
"""

from __future__ import annotations

from collections.abc import Mapping

from anyurl.errors import RefusedError
from anyurl.guard.addresses import Scope
from anyurl.net.task import Task


def provenance(task: Task, host: str, port: int, configured: Mapping[str, tuple[str, int]]) -> Scope | None:
    """None when the user named this endpoint (directly), else the scope of the peer that did.

    Args:
        configured: For a scheme whose URLs may name no host, the server that the user configured.

    Raises:
        RefusedError: The URL names no host, and this is not the server that was configured for its scheme.
    """
    named = task.url.host
    if not named:
        if configured.get(task.url.scheme) == (host, port):
            return None
        raise RefusedError(f"{task.url.masked} names no server: only the configured one is connected to.")
    if host == named and port == task.url.port:
        return task.came_from
    return task.last_scope if task.last_scope is not None else Scope.PUBLIC
