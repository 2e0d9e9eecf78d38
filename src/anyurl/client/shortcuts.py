"""The verbs as plain functions, on clients that are shared by all calls with the same policy and limits.

Rule: they only choose a client and call its methods. Without `policy`, `Policy.default()` applies, which is meant for
interactive use; for a stranger's URL pass ``policy=Policy.untrusted()``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from typing import Unpack

from anyurl.client.client import Client
from anyurl.client.named import CameFrom, Target, named
from anyurl.client.options import RequestOptions
from anyurl.client.resource import Resource
from anyurl.client.source import Files, Upload
from anyurl.dialogue import Resume, Verb
from anyurl.guard.policy import Policy
from anyurl.url import URL
from anyurl.url.arguments import checked
from anyurl.url.components import Pairs

MAX_CLIENTS = 16
"""Clients that are kept, each with its idle connections; the least recently used is dropped first. An open resource
keeps its own."""


@lru_cache(maxsize=MAX_CLIENTS)
def shared_client(
    policy: Policy | None, timeout: float | None, max_bytes: int | None, news_server: str | None
) -> Client:
    """The client that calls with these options use."""
    return Client(policy, timeout=timeout, max_bytes=max_bytes, news_server=news_server)


@checked
def _client(policy: Policy | None, timeout: float | None, max_bytes: int | None) -> Client:
    """The shared client, with the news server in ``$NNTPSERVER``."""
    return shared_client(policy, timeout, max_bytes, os.environ.get("NNTPSERVER") or None)


def open(
    url: Target,
    verb: Verb = "get",
    *,
    source: Upload | None = None,
    resume: Resume | None = None,
    words: str = "",
    upload_type: str | None = None,
    view: str | None = None,
    answers: Sequence[str] = (),
    like: Sequence[URL | str] | URL | str = (),
    limit: int | None = None,
    match: str | None = None,
    came_from: CameFrom | None = None,
    policy: Policy | None = None,
    timeout: float | None = None,
    max_bytes: int | None = None,
    **request: Unpack[RequestOptions],
) -> Resource:
    """Like `Client.open`, under `policy`; the default is `Policy.default()`."""
    url, came_from = named(url, came_from)
    return _client(policy, timeout, max_bytes).open(
        url, verb, source=source, resume=resume, words=words, upload_type=upload_type, view=view, answers=answers,
        like=like, limit=limit, match=match, came_from=came_from, **request,
    )  # fmt: skip


def get(
    url: Target,
    *,
    resume: Resume | None = None,
    view: str | None = None,
    answers: Sequence[str] = (),
    came_from: CameFrom | None = None,
    policy: Policy | None = None,
    timeout: float | None = None,
    max_bytes: int | None = None,
    **request: Unpack[RequestOptions],
) -> Resource:
    """Like `Client.get`, under `policy`; the default is `Policy.default()`."""
    url, came_from = named(url, came_from)
    return _client(policy, timeout, max_bytes).get(
        url, resume=resume, view=view, answers=answers, came_from=came_from, **request
    )


def list(
    url: Target,
    *,
    came_from: CameFrom | None = None,
    policy: Policy | None = None,
    timeout: float | None = None,
    max_bytes: int | None = None,
) -> Resource:
    """Like `Client.list`, under `policy`; the default is `Policy.default()`."""
    url, came_from = named(url, came_from)
    return _client(policy, timeout, max_bytes).list(url, came_from=came_from)


def search(
    url: Target,
    words: str,
    *,
    like: Sequence[URL | str] | URL | str = (),
    limit: int | None = None,
    match: str | None = None,
    came_from: CameFrom | None = None,
    policy: Policy | None = None,
    timeout: float | None = None,
    max_bytes: int | None = None,
) -> Resource:
    """Like `Client.search`, under `policy`; the default is `Policy.default()`."""
    url, came_from = named(url, came_from)
    return _client(policy, timeout, max_bytes).search(
        url, words, like=like, limit=limit, match=match, came_from=came_from
    )


def stat(
    url: Target,
    *,
    came_from: CameFrom | None = None,
    policy: Policy | None = None,
    timeout: float | None = None,
    max_bytes: int | None = None,
    **request: Unpack[RequestOptions],
) -> Resource:
    """Like `Client.stat`, under `policy`; the default is `Policy.default()`."""
    url, came_from = named(url, came_from)
    return _client(policy, timeout, max_bytes).stat(url, came_from=came_from, **request)


def request(
    method: str,
    url: Target,
    *,
    content: Upload | None = None,
    json: object = None,
    form: Pairs | None = None,
    files: Files | None = None,
    type: str | None = None,
    came_from: CameFrom | None = None,
    policy: Policy | None = None,
    timeout: float | None = None,
    max_bytes: int | None = None,
    **request: Unpack[RequestOptions],
) -> Resource:
    """Like `Client.request`, under `policy`; the default is `Policy.default()`."""
    url, came_from = named(url, came_from)
    return _client(policy, timeout, max_bytes).request(
        method, url, content=content, json=json, form=form, files=files, type=type, came_from=came_from, **request
    )


def put(
    url: Target,
    source: Upload,
    *,
    type: str | None = None,
    mtime: float | None = None,
    go_on: bool = False,
    came_from: CameFrom | None = None,
    policy: Policy | None = None,
    timeout: float | None = None,
    max_bytes: int | None = None,
    **request: Unpack[RequestOptions],
) -> Resource:
    """Like `Client.put`, under `policy`; the default is `Policy.default()`."""
    url, came_from = named(url, came_from)
    return _client(policy, timeout, max_bytes).put(
        url, source, type=type, mtime=mtime, go_on=go_on, came_from=came_from, **request
    )


def append(
    url: Target,
    source: Upload,
    *,
    type: str | None = None,
    came_from: CameFrom | None = None,
    policy: Policy | None = None,
    timeout: float | None = None,
    max_bytes: int | None = None,
) -> Resource:
    """Like `Client.append`, under `policy`; the default is `Policy.default()`."""
    url, came_from = named(url, came_from)
    return _client(policy, timeout, max_bytes).append(url, source, type=type, came_from=came_from)
