"""The case of a scheme, asked through a URL: http in any case, and everything that only resembles it."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import URLSyntaxError
from anyurl.grammar import parse
from anyurl.url import URL
from tests.rows import each_row


def cases(word: str) -> list[str]:
    return ["".join(letters) for letters in product(*((char, char.upper()) for char in word))]


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_http_is_known_in_any_case(scheme: str) -> None:
    """RFC 1738 2.1: programs should treat upper case letters as equivalent to lower case in scheme names."""
    for written in cases(scheme):
        url = URL(f"{written}://H/A?q#F")
        assert (url.scheme, url.port, url.path, url.query) == (scheme, {"http": 80, "https": 443}[scheme], "/A", "q")
        with pytest.raises(URLSyntaxError):
            URL(f"{written}:///")


@each_row(
    "scheme", ["htt", "htto", "httpx", "httpss", "xttp", "hxtp", "htxp", "httq", "httpr", "xttps", "http-", "httpS.x"]
)
def test_what_resembles_it_is_another_scheme(scheme: str) -> None:
    """It has no host that it needs, and no port of its own."""
    url = URL(f"{scheme}:///a")
    assert (url.scheme, url.port) == (scheme.lower(), None)


@pytest.mark.parametrize("scheme", ["ftp", "gopher", "mailto", "x-a.b+c9"])
def test_others_are_known_in_any_case(scheme: str) -> None:
    rest = {"mailto": "a@b.example"}.get(scheme, "//h/a")
    for written in (scheme.upper(), scheme.title(), scheme):
        assert URL(f"{written}:{rest}").scheme == scheme
        assert URL(f"{written}:{rest}").is_equivalent(URL(f"{scheme}:{rest}"))
        assert parse(f"{written}:{rest}", "rfc1738").scheme == scheme


@given(st.text("azAZ09+-.", max_size=8).map("xX".__add__), st.text("azAZ09", max_size=8).map("yY".__add__))
def test_a_scheme_and_a_host_are_in_lower_case(scheme: str, host: str) -> None:
    try:
        url = URL(f"{scheme}://{host}/Path")
    except URLSyntaxError:
        return  # a scheme without an authority
    assert (url.scheme, url.host, url.path) == (scheme.lower(), host.lower(), "/Path")
