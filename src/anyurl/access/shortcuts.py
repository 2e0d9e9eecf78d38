"""The verbs as plain functions, on one shared client with the default policy.

Rule: they are `Client`'s own methods and add nothing; who wants another policy makes a client.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from anyurl.access.client import Client
from anyurl.access.resource import Resource
from anyurl.access.source import Upload
from anyurl.dialogue import Resume, Verb
from anyurl.url import URL


@cache
def shared_client() -> Client:
    """The client that the functions of this module use."""
    return Client()


def open(url: URL | str, verb: Verb = "get", *, source: Upload | None = None, words: str = "") -> Resource:
    """As `Client.open`."""
    return shared_client().open(url, verb, source=source, words=words)


def get(
    url: URL | str, *, resume: Resume | None = None, view: str | None = None, answers: Sequence[str] = ()
) -> Resource:
    """As `Client.get`."""
    return shared_client().get(url, resume=resume, view=view, answers=answers)


def list(url: URL | str) -> Resource:
    """As `Client.list`."""
    return shared_client().list(url)


def search(url: URL | str, words: str) -> Resource:
    """As `Client.search`."""
    return shared_client().search(url, words)


def stat(url: URL | str) -> Resource:
    """As `Client.stat`."""
    return shared_client().stat(url)


def put(url: URL | str, source: Upload, *, type: str | None = None) -> Resource:
    """As `Client.put`."""
    return shared_client().put(url, source, type=type)


def append(url: URL | str, source: Upload, *, type: str | None = None) -> Resource:
    """As `Client.append`."""
    return shared_client().append(url, source, type=type)
