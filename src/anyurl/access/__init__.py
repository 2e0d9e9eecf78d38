"""The public names of `anyurl.client` and `anyurl.saving` under their documented path (RFC 1738 2).

Rule: importing this package is cheap; the clients load when they are first named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyurl.client.aio import AsyncClient as AsyncClient
    from anyurl.client.aio_resource import AsyncResource as AsyncResource
    from anyurl.client.client import Client as Client
    from anyurl.client.client import consent_to_all as consent_to_all
    from anyurl.client.cookies import Cookie as Cookie
    from anyurl.client.cookies import CookieJar as CookieJar
    from anyurl.client.form import Form as Form
    from anyurl.client.form import Question as Question
    from anyurl.client.mapper import Result as Result
    from anyurl.client.redirect import Hop as Hop
    from anyurl.client.resource import Resource as Resource
    from anyurl.client.secrets import SecretFile as SecretFile
    from anyurl.client.secrets import SecretVariable as SecretVariable
    from anyurl.client.session import Session as Session
    from anyurl.client.shortcuts import append as append
    from anyurl.client.shortcuts import get as get
    from anyurl.client.shortcuts import list as list
    from anyurl.client.shortcuts import open as open
    from anyurl.client.shortcuts import put as put
    from anyurl.client.shortcuts import request as request
    from anyurl.client.shortcuts import search as search
    from anyurl.client.shortcuts import stat as stat
    from anyurl.saving.mirrored import Mirrored as Mirrored
    from anyurl.saving.save import Destination as Destination
    from anyurl.saving.save import safe_name as safe_name
    from anyurl.saving.save import save as save

_HOMES = {
    "client.aio": ("AsyncClient",),
    "client.aio_resource": ("AsyncResource",),
    "client.client": ("Client", "consent_to_all"),
    "client.cookies": ("Cookie", "CookieJar"),
    "client.form": ("Form", "Question"),
    "client.mapper": ("Result",),
    "client.redirect": ("Hop",),
    "client.resource": ("Resource",),
    "client.secrets": ("SecretFile", "SecretVariable"),
    "client.session": ("Session",),
    "client.shortcuts": ("append", "get", "list", "open", "put", "request", "search", "stat"),
    "saving.mirrored": ("Mirrored",),
    "saving.save": ("Destination", "safe_name", "save"),
}

# Without `open` and `list`, as in `anyurl`.
__all__ = [
    "AsyncClient", "AsyncResource", "Client", "Cookie", "CookieJar", "Destination", "Form", "Hop", "Mirrored",
    "Question", "Resource", "Result", "SecretFile", "SecretVariable", "Session", "append", "consent_to_all", "get",
    "put", "request", "safe_name", "save", "search", "stat",
]  # fmt: skip


if not TYPE_CHECKING:  # a type checker knows every name, and must report all others

    def __getattr__(name):
        from importlib import import_module

        home = next((home for home, names in _HOMES.items() if name in names), None)
        if home is None:
            raise AttributeError(f"module 'anyurl.access' has no attribute {name!r}")
        value = getattr(import_module(f"anyurl.{home}"), name)
        globals()[name] = value
        return value
