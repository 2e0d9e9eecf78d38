"""Logins of a client, by origin: which login a request gets.

Rule: a login is for one origin, and `anyurl.guard.hops` decides whether it is sent: with the user's own URLs, and after
a hop only to the same place. A secret from a file or a variable is read when needed and never stored.
"""

from __future__ import annotations

from collections.abc import Mapping

from anyurl.dialogue.logins import Login
from anyurl.guard import hops
from anyurl.url import URL
from anyurl.url.syntax import WEB
from anyurl.values import Provenance

NOT_SENT = "The login for {origin} was not sent: only your own URLs get it, and what these lead to there."


def read_logins(given: Mapping[str, Login] | None) -> dict[str, Login] | None:
    """The logins of a client by origin; None if there are none.

    Raises:
        URLSyntaxError: A key is not a URL.
        ValueError: A key is not exactly the origin of an http or https URL.
        TypeError: A value is not a login.
    """
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise TypeError(f"auth has a login for each origin, not {type(given).__name__}")
    found = {}
    for text, login in given.items():
        if not isinstance(login, Login):
            raise TypeError(f"the login for an origin is a Login, not {type(login).__name__}")
        url = URL(text)
        bare = url.raw_user is None and url.path in ("", "/") and url.query is None and url.fragment is None
        if url.scheme not in WEB or not url.host or not bare or url.origin is None:
            raise ValueError(f"{url.masked} is not a web origin: https://host.example or http://host:8080 would be")
        found[url.origin] = login
    return found or None


def login_for(logins: Mapping[str, Login], url: URL, came_from: Provenance) -> tuple[Login | None, str | None]:
    """The login that is sent to this URL, or a note if there is one that is withheld.

    Raises:
        LocalFileError: Its secret can't be read.
    """
    login = None if url.origin is None else logins.get(url.origin)
    if login is None:
        return None, None
    if not hops.may_use_secrets(url, came_from):
        return None, NOT_SENT.format(origin=url.origin)
    return login.revealed(), None
