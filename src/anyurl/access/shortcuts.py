"""The verbs as plain functions, on one shared client with the default policy.

Rule: they are `Client`'s own methods and add nothing; who wants another policy makes a client.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache

from anyurl.access.client import Client
from anyurl.access.resource import Resource, as_url
from anyurl.access.source import Upload
from anyurl.dialogue import Resume, Verb
from anyurl.url import URL


@cache
def shared_client(news_server: str | None = None) -> Client:
    """The client that the functions of this module use; one for each news server that ``$NNTPSERVER`` has named."""
    return Client(news_server=news_server)


def _client() -> Client:
    return shared_client(os.environ.get("NNTPSERVER") or None)


def open(url: URL | str, verb: Verb = "get", *, source: Upload | None = None, words: str = "") -> Resource:
    """As `Client.open`."""
    url = as_url(url)
    return _client().open(url, verb, source=source, words=words)


def get(
    url: URL | str, *, resume: Resume | None = None, view: str | None = None, answers: Sequence[str] = ()
) -> Resource:
    """As `Client.get`."""
    url = as_url(url)
    return _client().get(url, resume=resume, view=view, answers=answers)


def list(url: URL | str) -> Resource:
    """As `Client.list`."""
    url = as_url(url)
    return _client().list(url)


def search(
    url: URL | str,
    words: str,
    *,
    like: Sequence[URL | str] | URL | str = (),
    limit: int | None = None,
    match: str | None = None,
) -> Resource:
    """As `Client.search`."""
    url = as_url(url)
    return _client().search(url, words, like=like, limit=limit, match=match)


def stat(url: URL | str) -> Resource:
    """As `Client.stat`."""
    url = as_url(url)
    return _client().stat(url)


def put(url: URL | str, source: Upload, *, type: str | None = None) -> Resource:
    """As `Client.put`."""
    url = as_url(url)
    return _client().put(url, source, type=type)


def append(url: URL | str, source: Upload, *, type: str | None = None) -> Resource:
    """As `Client.append`."""
    url = as_url(url)
    return _client().append(url, source, type=type)
