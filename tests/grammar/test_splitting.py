"""The cut that checks nothing is that of RFC 3986 appendix B, and two spellings of one host are one."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from anyurl.grammar.splitting import plain_host, plausible_host, same_host, split_unchecked
from tests.rows import each_row

APPENDIX_B = re.compile(r"^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?", re.DOTALL)
"""As the appendix writes it."""


def test_the_example_of_the_appendix() -> None:
    cut = split_unchecked("http://www.ics.uci.edu/pub/ietf/uri/#Related")
    assert (cut.scheme, cut.host, cut.path) == ("http", "www.ics.uci.edu", "/pub/ietf/uri/")
    assert (cut.query, cut.fragment) == (None, "Related")
    assert (cut.user, cut.password, cut.port) == (None, None, None)


def test_the_unchecked_cut() -> None:
    cut = split_unchecked("HTTP://u:p@h:80/a?b#c")
    assert (cut.scheme, cut.user, cut.password, cut.host, cut.port) == ("HTTP", "u", "p", "h", "80")
    assert (cut.path, cut.query, cut.fragment) == ("/a", "b", "c")
    assert (cut.host_start, cut.host_end) == (11, 12)
    nothing = split_unchecked("")
    assert (nothing.scheme, nothing.host, nothing.path, nothing.query) == (None, None, "", None)
    assert (nothing.fragment, nothing.host_start, nothing.host_end) == (None, 0, 0)


@each_row(
    ("text", "user", "password", "host", "port"),
    [
        ("//h", None, None, "h", None),
        ("//", None, None, "", None),
        ("//@", "", None, "", None),
        ("//:@:", "", "", "", ""),
        ("//u@h", "u", None, "h", None),
        ("//u:@h:", "u", "", "h", ""),
        ("//u:p:q@h", "u", "p:q", "h", None),
        ("//a@b@c", "a@b", None, "c", None),
        ("//a:b@c:d@e", "a", "b@c:d", "e", None),
        ("//h:80", None, None, "h", "80"),
        ("//h:80x", None, None, "h:80x", None),
        ("//h:8:80", None, None, "h:8", "80"),
        ("//[::1]", None, None, "[::1]", None),
        ("//[::1]:80", None, None, "[::1]", "80"),
        ("//::1", None, None, ":", "1"),  # nobody can tell
        ("//good.example\\@evil.example/", "good.example\\", None, "evil.example", None),
        ("//h:\u0661", None, None, "h:\u0661", None),
        ("x:y@h", None, None, None, None),
    ],
)
def test_an_authority_is_cut_at_its_last_at(
    text: str, user: str | None, password: str | None, host: str | None, port: str | None
) -> None:
    cut = split_unchecked(text)
    assert (cut.user, cut.password, cut.host, cut.port) == (user, password, host, port)


@given(st.text("ab:/?#@[]%\n\\1é", max_size=20))
def test_every_text_is_cut_as_the_appendix_does(text: str) -> None:
    cut, found = split_unchecked(text), APPENDIX_B.match(text)
    assert found is not None
    assert (cut.scheme, cut.path, cut.query, cut.fragment) == (found[2], found[5], found[7], found[9])
    again = "" if cut.scheme is None else f"{cut.scheme}:"
    if cut.host is not None:
        again += "//"
        if cut.user is not None:
            again += cut.user + ("" if cut.password is None else f":{cut.password}") + "@"
        assert (cut.host_start, cut.host_end) == (len(again), len(again) + len(cut.host))
        again += cut.host + ("" if cut.port is None else f":{cut.port}")
    else:
        assert found[4] is None
        assert (cut.host_start, cut.host_end) == (0, 0)
    again += cut.path + ("" if cut.query is None else f"?{cut.query}")
    again += "" if cut.fragment is None else f"#{cut.fragment}"
    assert again == text


@each_row(
    ("host", "plain"),
    [
        (None, ""),
        ("", ""),
        ("HOST.Example", "host.example"),
        ("h.", "h."),
        ("127.0.0.1", "127.0.0.1"),
        ("127.1", "127.1"),
        ("[::1]", "::1"),
        ("[0:0::0001]", "::1"),
        ("0:0::1", "::1"),
        ("[", "["),
        ("]", "]"),
        ("BÜCHER.de", "xn--bcher-kva.de"),
        ("[BÜCHER.de]", "xn--bcher-kva.de"),
        ("Ü\u2044", "ü\u2044"),  # no name in any script
    ],
)
def test_the_one_text_of_a_host(host: str | None, plain: str) -> None:
    assert plain_host(host) == plain


@each_row(
    ("one", "other", "same"),
    [
        ("A.b", "a.B", True),
        (None, "", True),
        (None, "a", False),
        ("[::1]", "0:0::1", True),
        ("[::1]", "[::2]", False),
        ("ＢÜCHER.de", "xn--bcher-kva.de", True),
        ("a", "a.", False),
        ("ü\u2044", "ü\u2044", True),
        ("127.1", "127.0.0.1", False),
    ],
)
def test_same_host(one: str | None, other: str | None, same: bool) -> None:
    assert same_host(one, other) is same
    assert same_host(other, one) is same


@each_row(
    ("host", "plausible"),
    [
        ("host.example", True), ("HOST", True), ("127.0.0.1", True), ("::1", True), ("xn--bcher-kva.de", True),
        ("a_b", True), ("a.", True), ("", False), ("127.1", False), ("0x7f.1", False), ("a b", False), ("a/b", False),
        ("a@b", False), ("a:80", False), ("h?", False), ("h#", False), ("%41", False), ("[::1", False),
         ("bücher.de", True),
        ("a\\b", False), (".", False),
    ],
)  # fmt: skip
def test_a_host_that_a_program_could_look_up(host: str, plausible: bool) -> None:
    assert plausible_host(host) is plausible
