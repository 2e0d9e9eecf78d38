"""What a client makes of what it is given: the objects it keeps of its arguments, and what a call of it needs.

Rule: modules load only for what is given, each in a function of its own, so that a process without descriptors gets an
error of the tree. Nothing is connected to; an invalid argument is reported immediately.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from anyurl.guard.policy import Policy
from anyurl.net.request_lines import USER_AGENT
from anyurl.reasons import loads_late

if TYPE_CHECKING:
    from anyurl.access.cookies import CookieJar
    from anyurl.access.gateways import Gateways
    from anyurl.access.mirror import Mirror
    from anyurl.access.options import Content, RequestOptions
    from anyurl.access.redirect import RedirectChain
    from anyurl.access.session import Session
    from anyurl.access.warc.file import WarcFile
    from anyurl.dialogue import Login, Verb
    from anyurl.dialogue.http import HttpOptions
    from anyurl.net.proxies.table import Proxies
    from anyurl.net.scheduler import Scheduler
    from anyurl.net.task import Source
    from anyurl.url import URL


def policy(policy: Policy | None, timeout: float | None, max_bytes: int | None) -> Policy:
    """The policy of a client, with the limits that the caller gave separately."""
    policy = policy or Policy.default()
    told = {"total": timeout, "max_bytes": max_bytes}
    changed: dict[str, Any] = {name: value for name, value in told.items() if value is not None}
    return policy.replace(limits=policy.limits.replace(**changed)) if changed else policy


def user_agent(text: str | None) -> str:
    """The user agent, by default our own. Raises ValueError for a text that can't be a User-Agent field."""
    if text is None:
        return USER_AGENT
    if not (text.isprintable() and text.isascii()):
        raise ValueError("a user agent is printable ASCII, as NAME/VERSION (contact)")
    return text


@loads_late
def logins(auth: Mapping[str, Login] | None) -> Mapping[str, Login] | None:
    """The logins by origin. Raises as `anyurl.access.logins.read_logins`."""
    if auth is None:
        return None
    from anyurl.access.logins import read_logins

    return read_logins(auth)


@loads_late
def jar(cookies: CookieJar | bool, file: str | os.PathLike[str] | None = None) -> CookieJar | None:
    """The given jar, or a new one. Raises MissingExtraError, LocalFileError, ValueError."""
    if cookies is False and file is None:
        return None
    from anyurl.access.cookies import CookieJar

    if cookies is True or cookies is False:
        return CookieJar(file)
    if file is not None:
        raise ValueError("cookies are kept in a jar of yours or in a file: CookieJar(file) is both")
    return cookies


@loads_late
def archive(warc: str | os.PathLike[str] | None) -> WarcFile | None:
    """The WARC file. Raises LocalFileError if it can't be written."""
    if warc is None:
        return None
    from anyurl.access.warc.file import warc_file

    return warc_file(warc)


@loads_late
def gateways(templates: Mapping[str, str] | None) -> Gateways | None:
    """The gateways by pattern. Raises as `Gateways`."""
    if not templates:
        return None
    from anyurl.access.gateways import Gateways

    return Gateways(templates)


@loads_late
def proxies(proxy: str | Mapping[str, str] | None, no_proxy: Iterable[str]) -> Proxies | None:
    """The proxies. Raises URLSyntaxError and ValueError for a malformed one."""
    if proxy is None:
        return None
    from anyurl.net.proxies.table import read_proxies

    return read_proxies(proxy, no_proxy, os.environ)


@loads_late
def request_options(verb: Verb, request: RequestOptions, content: bool = False) -> HttpOptions:
    """The options of a verb's request. Raises as `http_options`."""
    from anyurl.access.requests import METHODS, http_options

    return http_options(METHODS.get(verb, "GET"), request, content=content)


@loads_late
def with_query(url: URL, request: RequestOptions) -> URL:
    """The URL with what the request adds to its search part."""
    from anyurl.access.requests import add_query

    return add_query(url, request)


@loads_late
def request(
    method: str, url: URL, given: Content, request: RequestOptions, type: str | None
) -> tuple[URL, HttpOptions, Source | None]:
    """The URL, the options and the content of a request. Raises as `anyurl.access.requests.request`."""
    from anyurl.access.requests import request as prepared

    return prepared(method, url, given, request, type)


@loads_late
def session_of(scheduler: Scheduler, chain: RedirectChain) -> Session:
    """The session that a chain leads to. Raises as `anyurl.access.session.begin`."""
    from anyurl.access.session import begin

    return begin(scheduler, chain)


@loads_late
def mirror_of(*given: Any, **told: Any) -> tuple[Mirror, Any]:
    """A mirror, and what runs it. Raises as `anyurl.access.mirror.Mirror`."""
    from anyurl.access import mirroring
    from anyurl.access.mirror import Mirror

    return Mirror(*given, **told), mirroring


@loads_late
def scheduler_of(policy: Policy, **settings: Any) -> Scheduler:
    """A scheduler. Raises LocalFileError if the process has run out of descriptors."""
    from anyurl.net.handlers import handlers
    from anyurl.net.scheduler import Scheduler

    return Scheduler(policy, handlers, **settings)
