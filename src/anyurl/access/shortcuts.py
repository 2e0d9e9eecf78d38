"""The verbs as plain functions, on one shared client with the default policy.

Rule: they are `Client`'s own methods and add nothing; who wants another policy makes a client.
"""

from __future__ import annotations

from typing import Any

from anyurl.access.client import Client

_client: Client | None = None


def shared_client() -> Client:
    """The client that the functions of this module use."""
    global _client
    if _client is None:
        _client = Client()
    return _client


def open(url: Any, verb: Any = "get", **how: Any) -> Any:
    """As `Client.open`."""
    return shared_client().open(url, verb, **how)


def get(url: Any, **how: Any) -> Any:
    """As `Client.get`."""
    return shared_client().get(url, **how)


def list(url: Any) -> Any:
    """As `Client.list`."""
    return shared_client().list(url)


def search(url: Any, words: str) -> Any:
    """As `Client.search`."""
    return shared_client().search(url, words)


def stat(url: Any) -> Any:
    """As `Client.stat`."""
    return shared_client().stat(url)


def put(url: Any, source: Any, **how: Any) -> Any:
    """As `Client.put`."""
    return shared_client().put(url, source, **how)


def append(url: Any, source: Any, **how: Any) -> Any:
    """As `Client.append`."""
    return shared_client().append(url, source, **how)
