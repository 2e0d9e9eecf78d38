"""RFC 1738 section 2: what can be done with a URL, as verbs over the guarded path.

Rule: importing this package is cheap; the clients load when they are first named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyurl.access.aio import AsyncClient as AsyncClient
    from anyurl.access.aio_resource import AsyncResource as AsyncResource
    from anyurl.access.client import Client as Client
    from anyurl.access.client import consent_to_all as consent_to_all
    from anyurl.access.cookies import Cookie as Cookie
    from anyurl.access.cookies import CookieJar as CookieJar
    from anyurl.access.form import Form as Form
    from anyurl.access.form import Question as Question
    from anyurl.access.mapper import Result as Result
    from anyurl.access.mirrored import Mirrored as Mirrored
    from anyurl.access.resource import Hop as Hop
    from anyurl.access.resource import Resource as Resource
    from anyurl.access.save import Destination as Destination
    from anyurl.access.save import safe_name as safe_name
    from anyurl.access.save import save as save
    from anyurl.access.secrets import SecretFile as SecretFile
    from anyurl.access.secrets import SecretVariable as SecretVariable
    from anyurl.access.session import Session as Session
    from anyurl.access.shortcuts import append as append
    from anyurl.access.shortcuts import get as get
    from anyurl.access.shortcuts import list as list
    from anyurl.access.shortcuts import open as open
    from anyurl.access.shortcuts import put as put
    from anyurl.access.shortcuts import request as request
    from anyurl.access.shortcuts import search as search
    from anyurl.access.shortcuts import stat as stat

_HOMES = {
    "AsyncClient": "aio", "AsyncResource": "aio_resource", "Client": "client", "consent_to_all": "client",
    "Cookie": "cookies", "CookieJar": "cookies", "Form": "form", "Question": "form",
    "Mirrored": "mirrored", "Result": "mapper", "Hop": "resource", "Resource": "resource",
    "SecretFile": "secrets", "SecretVariable": "secrets", "Session": "session",
    "Destination": "save", "safe_name": "save", "save": "save", "append": "shortcuts", "get": "shortcuts",
    "list": "shortcuts", "open": "shortcuts", "put": "shortcuts", "request": "shortcuts", "search": "shortcuts",
    "stat": "shortcuts",
}  # fmt: skip

# Without `open` and `list`, as in `anyurl`.
__all__ = [
    "AsyncClient", "AsyncResource", "Client", "Cookie", "CookieJar", "Destination", "Form", "Hop", "Mirrored",
    "Question", "Resource", "Result", "SecretFile", "SecretVariable", "Session", "append", "consent_to_all", "get",
    "put", "request", "safe_name", "save", "search", "stat",
]  # fmt: skip


if not TYPE_CHECKING:  # a type checker knows every name, and must report all others

    def __getattr__(name):
        from importlib import import_module

        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module 'anyurl.access' has no attribute {name!r}")
        value = getattr(import_module(f"anyurl.access.{home}"), name)
        globals()[name] = value
        return value
