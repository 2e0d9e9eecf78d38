"""What is checked is what is fetched: libcurl reads the host, port and login of every http URL as anyurl does.

Where libcurl refuses what anyurl accepts, nothing is fetched, which is safe; those cases are named.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anyurl.errors import URLSyntaxError
from anyurl.url import URL
from anyurl.url.host import canonical
from tests.rows import each_row
from tests.url import peers
from tests.url.strategies import WILD, url_texts

pycurl: Any = pytest.importorskip("pycurl", reason="libcurl is what this is compared with")

HTTP = st.sampled_from(["http", "https"])


def read_by_libcurl(text: str) -> dict[str, Any] | None:
    """The components by libcurl, as they are written; None when it refuses the text."""
    handle = pycurl.CurlUrl()
    flags = pycurl.U_PATH_AS_IS
    try:
        handle.setpart(pycurl.UPART_URL, text, flags)
    except pycurl.error:
        return None

    def part(which: int) -> str | None:
        try:
            value: str | None = handle.getpart(which)
        except pycurl.error:
            return None
        return value

    return {
        "host": part(pycurl.UPART_HOST),
        "port": part(pycurl.UPART_PORT),
        "user": part(pycurl.UPART_USER),
        "password": part(pycurl.UPART_PASSWORD),
        "path": part(pycurl.UPART_PATH),
        "query": part(pycurl.UPART_QUERY),
    }


def compare(text: str) -> bool:
    """Compare one text; whether it was an http URL for both."""
    try:
        url = URL(text)
    except URLSyntaxError:
        return False
    if url.scheme not in ("http", "https"):
        return False
    theirs = read_by_libcurl(str(url))
    if theirs is None:
        # RFC 3986's IPvFuture, and the login that has no name at all: libcurl speaks neither.
        assert url.raw_host is not None
        assert url.raw_host[:2].lower() == "[v" or len(str(url)) > 8000, text
        return False
    host = (theirs["host"] or "").strip("[]").lower()
    assert canonical(host) == canonical(url.host or ""), text
    assert (theirs["port"] or None) == (None if url.explicit_port is None else str(url.explicit_port)), text
    assert (theirs["user"] or "") == (url.raw_user or ""), text
    assert (theirs["password"] or "") == (url.raw_password or ""), text
    assert theirs["path"] == (url.path or "/"), text
    assert (theirs["query"] or "") == (url.query or ""), text
    return True


def test_the_corpora_are_read_alike() -> None:
    texts = {
        row.get(name) or ""
        for file in ("peers.jsonl", "curl.jsonl")
        for row in peers.rows(file)
        for name in ("input", "base", "url")
    }
    assert sum(compare(text) for text in sorted(texts)) > 300


@given(url_texts(HTTP))
def test_what_the_syntax_makes_is_read_alike(text: str) -> None:
    compare(text)


@given(HTTP, WILD)
@example("http", "//a\\@b/")
@example("http", "//a@b:80:81/")
@example("http", "//[::1]@b/")
@example("http", "//1.1.1.1 &@2.2.2.2# @3.3.3.3/")
def test_whatever_is_accepted_is_read_alike(scheme: str, text: str) -> None:
    compare(text)
    compare(f"{scheme}:{text}")
    compare(f"{scheme}://{text}")


@each_row(
    "host",
    ["127.0.0.1", "1.2.3.4", "0.0.0.0", "255.255.255.255", "a.b", "a.b.", "A-b_c~d", "xn--bcher-kva.example", "[::1]",
     "[::ffff:127.0.0.1]", "[2001:DB8:0:0::1]", "localhost", "1x", "a..b", "0x7g", "1.2.3.4a"],
)  # fmt: skip
def test_a_host_is_the_same_host_for_both(host: str) -> None:
    assert compare(f"http://u:p@{host}:8080/x?y#z")
