"""The public types, as a program that only the type checkers read: nothing here is ever run.

Each line pins what a user's own checker sees. A line that has to change is a change of the API.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from typing import assert_type

import anyurl
from anyurl import URL, AsyncClient, Client, Policy, errors, parse
from anyurl.access import AsyncResource, Resource, Result, Session
from anyurl.dialogue import Entry, Kind, Terminal
from anyurl.errors import Diagnostic
from anyurl.guard.verdict import Verdict


def urls(url: URL) -> None:
    """A URL, its components, and what can be made of it."""
    assert_type(parse("ftp://host/"), URL)
    assert_type(url.scheme, str)
    assert_type(url.user, str | None)
    assert_type(url.password, str | None)
    assert_type(url.host, str | None)
    assert_type(url.port, int | None)
    assert_type(url.explicit_port, int | None)
    assert_type(url.path, str)
    assert_type(url.url_path, str)
    assert_type(url.query, str | None)
    assert_type(url.fragment, str | None)
    assert_type(url.authority, str | None)
    assert_type(url.origin, str | None)
    assert_type(url.masked, str)
    assert_type(str(url), str)
    assert_type(url.join("../x"), URL)
    assert_type(url.relative_to(url), str)
    assert_type(url.normalize(), URL)
    assert_type(url.replace(host="example.org"), URL)
    assert_type(url.without_fragment(), URL)
    assert_type(url.is_equivalent(url), bool)
    assert_type(URL.build(scheme="ftp", host="h"), URL)
    assert_type({url: sorted([url])}, dict[URL, list[URL]])


def sessions(client: Client, session: Session) -> None:
    """A service in use."""
    assert_type(client.session("telnet://h/", Terminal("dumb", 80, 24)), Session)
    assert_type(session.expect("login:", timeout=5), re.Match[bytes])
    assert_type(session.read(), bytes)
    assert_type(session.closed, bool)
    assert_type(session.resource, Resource)


def resources(resource: Resource) -> None:
    """What a URL turned out to designate."""
    assert_type(resource.url, URL)
    assert_type(resource.kind, Kind)
    assert_type(resource.content_type, str | None)
    assert_type(resource.size, int | None)
    assert_type(resource.modified, float | None)
    assert_type(resource.read(), bytes)
    assert_type(resource.text(), str)
    assert_type(resource.iter_bytes(), Iterator[bytes])
    assert_type(resource.entries(), Iterator[Entry])
    if resource.form is not None:
        assert_type(resource.form.fill({}), tuple[str, ...])
    with resource as same:
        assert_type(same, Resource)


def clients(client: Client, url: URL) -> None:
    """The six verbs, and many at once; each takes a URL or its text."""
    assert_type(client.open(url), Resource)
    assert_type(client.get("ftp://host/"), Resource)
    assert_type(client.list(url), Resource)
    assert_type(client.search(url, "words"), Resource)
    assert_type(client.stat(url), Resource)
    assert_type(client.put(url, b"octets"), Resource)
    assert_type(client.append(url, b"octets"), Resource)
    assert_type(client.map([url, "ftp://host/"], limit=8), Iterator[Result])
    with Client(Policy.untrusted(), timeout=5.0) as same:
        assert_type(same, Client)


async def async_clients(client: AsyncClient, url: URL) -> None:
    """The same verbs."""
    resource = await client.get(url)
    assert_type(resource, AsyncResource)
    assert_type(await resource.read(), bytes)
    assert_type(resource.iter_bytes(), AsyncIterator[bytes])
    async with AsyncClient() as same:
        assert_type(same, AsyncClient)


def shortcuts(url: URL) -> None:
    """The verbs as functions."""
    assert_type(anyurl.open(url), Resource)
    assert_type(anyurl.get("ftp://host/"), Resource)
    assert_type(anyurl.list(url), Resource)
    assert_type(anyurl.search(url, "words"), Resource)
    assert_type(anyurl.stat(url), Resource)
    assert_type(anyurl.put(url, b"octets"), Resource)
    assert_type(anyurl.append(url, b"octets"), Resource)


def judgements(policy: Policy, url: URL) -> None:
    """May it be followed?"""
    verdict = policy.judge_url(url)
    assert_type(verdict, Verdict)
    assert_type(verdict.allowed, bool)
    assert_type(verdict.message, str)


def faults(error: errors.URLSyntaxError) -> None:
    """Where it is wrong, by which rule."""
    assert_type(error.text, str)
    assert_type(error.diagnostics, tuple[Diagnostic, ...])
    assert_type(error.diagnostics[0].span, tuple[int, int])
