"""Converts the arguments of a client into the objects it keeps; modules load only for arguments that are given.

Rule: nothing is connected to; an invalid argument is reported immediately.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from anyurl._typing import TYPE_CHECKING, Any
from anyurl.guard.policy import Policy
from anyurl.net.request_lines import USER_AGENT

if TYPE_CHECKING:
    from anyurl.access.cookies import CookieJar
    from anyurl.access.gateways import Gateways
    from anyurl.access.warc.file import WarcFile
    from anyurl.dialogue import Login
    from anyurl.net.proxies.table import Proxies


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


def logins(auth: Mapping[str, Login] | None) -> Mapping[str, Login] | None:
    """The logins by origin. Raises as `anyurl.access.logins.read_logins`."""
    if auth is None:
        return None
    from anyurl.access.logins import read_logins

    return read_logins(auth)


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


def archive(warc: str | os.PathLike[str] | None) -> WarcFile | None:
    """The WARC file. Raises LocalFileError if it can't be written."""
    if warc is None:
        return None
    from anyurl.access.warc.file import warc_file

    return warc_file(warc)


def gateways(templates: Mapping[str, str] | None) -> Gateways | None:
    """The gateways by pattern. Raises as `Gateways`."""
    if not templates:
        return None
    from anyurl.access.gateways import Gateways

    return Gateways(templates)


def proxies(proxy: str | Mapping[str, str] | None, no_proxy: Iterable[str]) -> Proxies | None:
    """The proxies. Raises URLSyntaxError and ValueError for a malformed one."""
    if proxy is None:
        return None
    from anyurl.net.proxies.table import read_proxies

    return read_proxies(proxy, no_proxy, os.environ)
