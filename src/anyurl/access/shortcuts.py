"""The verbs as plain functions, on one shared client with the default policy.

Rule: they are `Client`'s own methods and add nothing; who wants another policy makes a client.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache

from anyurl.access.client import Client
from anyurl.access.named import CameFrom, Target, named
from anyurl.access.resource import Resource
from anyurl.access.source import Upload
from anyurl.dialogue import Resume, Verb
from anyurl.url import URL


@cache
def shared_client(news_server: str | None = None) -> Client:
    """The client that the functions of this module use; one for each news server that ``$NNTPSERVER`` has named."""
    return Client(news_server=news_server)


def _client() -> Client:
    return shared_client(os.environ.get("NNTPSERVER") or None)


def open(
    url: Target, verb: Verb = "get", *, source: Upload | None = None, words: str = "", came_from: CameFrom | None = None
) -> Resource:
    """As `Client.open`."""
    url, came_from = named(url, came_from)
    return _client().open(url, verb, source=source, words=words, came_from=came_from)


def get(
    url: Target,
    *,
    resume: Resume | None = None,
    view: str | None = None,
    answers: Sequence[str] = (),
    came_from: CameFrom | None = None,
) -> Resource:
    """As `Client.get`."""
    url, came_from = named(url, came_from)
    return _client().get(url, resume=resume, view=view, answers=answers, came_from=came_from)


def list(url: Target, *, came_from: CameFrom | None = None) -> Resource:
    """As `Client.list`."""
    url, came_from = named(url, came_from)
    return _client().list(url, came_from=came_from)


def search(
    url: Target,
    words: str,
    *,
    like: Sequence[URL | str] | URL | str = (),
    limit: int | None = None,
    match: str | None = None,
    came_from: CameFrom | None = None,
) -> Resource:
    """As `Client.search`."""
    url, came_from = named(url, came_from)
    return _client().search(url, words, like=like, limit=limit, match=match, came_from=came_from)


def stat(url: Target, *, came_from: CameFrom | None = None) -> Resource:
    """As `Client.stat`."""
    url, came_from = named(url, came_from)
    return _client().stat(url, came_from=came_from)


def put(url: Target, source: Upload, *, type: str | None = None, came_from: CameFrom | None = None) -> Resource:
    """As `Client.put`."""
    url, came_from = named(url, came_from)
    return _client().put(url, source, type=type, came_from=came_from)


def append(url: Target, source: Upload, *, type: str | None = None, came_from: CameFrom | None = None) -> Resource:
    """As `Client.append`."""
    url, came_from = named(url, came_from)
    return _client().append(url, source, type=type, came_from=came_from)
