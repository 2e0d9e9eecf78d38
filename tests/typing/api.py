"""The public types, as a program that only the type checkers read: nothing here is ever run.

Each line pins what a user's own checker sees. A line that has to change is a change of the API. What must be refused
stands with the error that mypy gives; an ignore that nothing needs is an error itself, of mypy and of pyright.
"""

# pyright: reportUnnecessaryTypeIgnoreComment=true

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from typing import assert_type

import anyurl
from anyurl import (
    URL,
    AsyncClient,
    AsyncResource,
    Client,
    DataParts,
    Diagnostic,
    DictParts,
    Entry,
    FileParts,
    Found,
    FtpParts,
    GeminiParts,
    GopherParts,
    HttpParts,
    Kind,
    Limits,
    MailtoParts,
    NewsParts,
    NntpParts,
    Policy,
    ProsperoParts,
    Provenance,
    Resource,
    Result,
    Secret,
    Session,
    TelnetParts,
    Terminal,
    Verdict,
    WaisParts,
    errors,
    find,
    parse,
)


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
    assert_type(url / "child", URL)
    assert_type(url.with_query({"a": ["b"]}), URL)
    assert_type(url.with_query(a=1), URL)
    assert_type(url.query_items, tuple[tuple[str, str], ...])
    assert_type(url.name + url.suffix + url.display, str)
    assert_type(url.is_equivalent(url), bool)
    assert_type(URL.build(scheme="ftp", host="h"), URL)
    assert_type({url: sorted([url])}, dict[URL, list[URL]])


def parts(url: URL) -> None:
    """What each scheme reads in the path, by its own class."""
    assert_type(FileParts.of(url).segments, tuple[str, ...])
    assert_type(FtpParts.of(url).directories, tuple[str, ...])
    assert_type(FtpParts.of(url).typecode, str | None)
    assert_type(GopherParts.of(url).gopherplus, str | None)
    assert_type(HttpParts.of(url).pairs, tuple[tuple[str, str], ...])
    assert_type(MailtoParts.of(url).addresses, tuple[str, ...])
    assert_type(DataParts.of(url).content, bytes)
    assert_type(DictParts.of(url).index, int | None)
    assert_type(GeminiParts.of(url).input, str | None)
    assert_type(NewsParts.of(url), NewsParts)
    assert_type(NntpParts.of(url).article, int | None)
    assert_type(ProsperoParts.of(url).fields, tuple[tuple[str, str], ...])
    assert_type(TelnetParts.of(url), TelnetParts)
    assert_type(WaisParts.of(url).length, int | None)
    assert_type(url.parts.url_path(), str)
    URL.build(scheme="ftp", host="h", parts=FtpParts(("pub",), "motd"))
    match url.parts:
        case FtpParts(directories=directories):
            assert_type(directories, tuple[str, ...])
    repr(FtpParts.of(url).selector)  # type: ignore[attr-defined]
    repr(url.parts.directories)  # type: ignore[attr-defined]
    URL.build(scheme="ftp", parts="pub/motd")  # type: ignore[arg-type]


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
    assert_type(client.map([url, "ftp://host/"], limit=8), Iterator[Result[Resource]])
    for result in client.map([url]):
        if result.resource is not None:
            assert_type(result.resource.read(), bytes)
    with Client(Policy.untrusted(), timeout=5.0) as same:
        assert_type(same, Client)


def hops(client: Client, url: URL, entry: Entry) -> None:
    """What somebody else named goes where a URL goes."""
    assert_type(entry.origin, Provenance)
    assert_type(client.get(entry), Resource)
    with client.get(url, came_from=entry) as page:
        assert_type(page.content_origin, Provenance)
        found = list(find(page.text(), came_from=page))
        assert_type(found[0].origin, Provenance)
        assert_type(client.list(found[0], came_from="https://host/"), Resource)
        assert_type(client.map([*found, entry, url, "ftp://host/"], came_from=page), Iterator[Result[Resource]])
    assert_type(anyurl.get(entry, came_from=url), Resource)


def secret(host: str, user: str, kind: str) -> Secret | None:
    """Who is asked for a password."""
    return Secret("x", user) if host else None


def options() -> None:
    """Each option has a name and a type; no other name is one."""
    for client in (Client, AsyncClient):
        client(
            Policy(limits=Limits(total=5.0)), timeout=3, max_bytes=700, gateways={"doi": "https://doi.org/{path}"},
            lenient=True, wais_form="rfc", identity="me@example.org", news_server="h", mail_server="h", mail_from="a@h",
            ask_consent=anyurl.consent_to_all, ask_secret=secret, ca_file="x.pem",
        )  # fmt: skip
    Client(timeoutt=3)  # type: ignore[call-arg]
    AsyncClient(timeoutt=3)  # type: ignore[call-arg]
    Client(timeout="3")  # type: ignore[arg-type]
    AsyncClient(wais_form="browser")  # type: ignore[arg-type]
    Client().scheduler()  # type: ignore[attr-defined]


def wrong_calls(client: Client, url: URL) -> None:
    """What a verb does not take."""
    client.get(url, words="x")  # type: ignore[call-arg]
    client.get(5)  # type: ignore[arg-type]
    client.open(url, "fetch")  # type: ignore[arg-type]
    client.put(url, "text")  # type: ignore[arg-type]
    repr(client.stat(url).comlete)  # type: ignore[attr-defined]
    anyurl.get(url, policy="untrusted")  # type: ignore[arg-type]
    anyurl.fetch(url)  # type: ignore[attr-defined]


async def async_clients(client: AsyncClient, url: URL) -> None:
    """The same verbs."""
    resource = await client.get(url)
    assert_type(resource, AsyncResource)
    assert_type(await resource.read(), bytes)
    assert_type(resource.iter_bytes(), AsyncIterator[bytes])
    async for result in client.map([url]):
        assert_type(result, Result[AsyncResource])
        if result.resource is not None:
            assert_type(await result.resource.read(), bytes)
            result.resource.read().decode()  # type: ignore[attr-defined]
    assert_type(client.map([url]), AsyncIterator[Result[AsyncResource]])
    async with AsyncClient() as same:
        assert_type(same, AsyncClient)


def shortcuts(url: URL) -> None:
    """The verbs as functions; each takes what chooses its client."""
    assert_type(anyurl.get(url, policy=Policy.untrusted(), timeout=5, max_bytes=700), Resource)
    assert_type(anyurl.open(url, "search", words="x", limit=3, policy=Policy.untrusted()), Resource)
    assert_type(list(anyurl.find("http://host/")), list[Found])
    assert_type(anyurl.known_schemes(), tuple[str, ...])
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
    assert_type(policy.replace(name="mine", allow_ports=(8080,)), Policy)
    assert_type(policy.limits.replace(total=5.0), Limits)
    policy.replace(limits={"total": 60, "max_bytes": None})
    try:
        verdict.check()
    except anyurl.RefusedError as error:
        assert_type(error.verdict.code, str)
    policy.replace(allow_prots=(8080,))  # type: ignore[call-arg]
    policy.limits.replace(totl=5.0)  # type: ignore[call-arg]


def faults(error: errors.URLSyntaxError) -> None:
    """Where it is wrong, by which rule."""
    assert_type(error.text, str)
    assert_type(error.diagnostics, tuple[Diagnostic, ...])
    assert_type(error.diagnostics[0].span, tuple[int, int])


def refusals(error: errors.RefusedError) -> None:
    """Which rule of the policy said no."""
    if error.verdict is not None:
        assert_type(error.verdict.code, str)
