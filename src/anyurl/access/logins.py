"""Logins of a client, by origin: whose login goes with a request, and what keeps it.

Rule: a login is for one origin, and `anyurl.guard.hops` says whether it goes there: to the user's own URLs, and from
there to that very place. A secret that is kept elsewhere is read when it is needed, and held by nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from anyurl.dialogue.logins import Login
from anyurl.guard import hops
from anyurl.url import URL
from anyurl.values import Provenance

NOT_SENT = "The login for {origin} was not sent: only a URL of your own gets it, and what it leads to there."


def read_logins(given: Mapping[str, Login] | None) -> dict[str, Login] | None:
    """The logins of a client by origin; None where there are none.

    Raises:
        URLSyntaxError: A key is no URL.
        ValueError: A key is more, or less, than the origin of an http or https URL.
        TypeError: A value is no login.
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
        if url.scheme not in hops.WEB or not url.host or not bare or url.origin is None:
            raise ValueError(f"{url.masked} is not a web origin: https://host.example or http://host:8080 would be")
        found[url.origin] = login
    return found or None


def login_for(logins: Mapping[str, Login], url: URL, came_from: Provenance) -> tuple[Login | None, str | None]:
    """The login that goes to this URL, and a note where the one that there is does not.

    Raises:
        LocalFileError: Its secret can't be read.
    """
    login = None if url.origin is None else logins.get(url.origin)
    if login is None:
        return None, None
    if not hops.may_use_secrets(url, came_from):
        return None, NOT_SENT.format(origin=url.origin)
    return login.revealed(), None
