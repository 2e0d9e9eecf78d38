"""What a client is given: what is not given costs nothing, and what can't be is said at once."""

from __future__ import annotations

import pytest

from anyurl import CookieJar, Login
from anyurl.access import given
from anyurl.errors import URLSyntaxError
from anyurl.net.request_lines import USER_AGENT


def test_what_is_not_given_is_nothing() -> None:
    assert (given.logins(None), given.jar(False), given.proxies(None, ())) == (None, None, None)
    assert given.user_agent(None) == USER_AGENT


def test_what_is_given_is_kept() -> None:
    jar = CookieJar()
    assert given.jar(jar) is jar
    assert isinstance(given.jar(True), CookieJar)
    with pytest.raises(ValueError, match="in a jar of yours or in a file"):
        given.jar(jar, "cookies.json")
    assert given.logins({"https://h.example": Login("u")}) == {"https://h.example": Login("u")}
    assert given.proxies("http://proxy.example:3128", ()) is not None
    assert given.user_agent("crawler/1 (me@h.example)") == "crawler/1 (me@h.example)"


def test_what_cannot_be_is_said() -> None:
    for text in ("a\nb", "ü"):
        with pytest.raises(ValueError, match="printable ASCII"):
            given.user_agent(text)
    with pytest.raises(URLSyntaxError):
        given.proxies("http://[", ())
    with pytest.raises(ValueError, match="not a web origin"):
        given.logins({"ftp://h.example": Login("u")})
