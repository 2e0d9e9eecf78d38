"""robots.txt by the clauses and the examples of RFC 9309."""

from __future__ import annotations

import pytest

from anyurl.access.robots import Robots


@pytest.mark.parametrize(
    ("text", "path", "allowed"),
    [
        (None, "/x", True),  # 2.3.1.3: there is none
        ("", "/x", True),
        ("User-agent: *\nDisallow: /", "/x", False),
        ("User-agent: *\nDisallow: /", "/robots.txt", True),  # 2.2.2
        ("User-agent: *\nDisallow:", "/x", True),  # an empty rule is none
        ("user-AGENT : *\r\ndisAllow:/p # no\r\n", "/p/x", False),
        ("User-agent: other\nDisallow: /", "/x", True),
        ("User-agent: *\nDisallow: /\nUser-agent: AnyURL\nDisallow: /p", "/x", True),  # 2.2.1: ours alone
        ("User-agent: anyurl/1.0\nDisallow: /", "/x", False),
        ("User-agent: a\nUser-agent: anyurl\nDisallow: /p", "/p", False),
        ("User-agent: anyurl\nDisallow: /a\nUser-agent: b\nDisallow: /\nUser-agent: anyurl\nDisallow: /c", "/c", False),
        ("User-agent: *\nAllow: /p/open\nDisallow: /p", "/p/open/x", True),  # the longest
        ("User-agent: *\nDisallow: /p\nAllow: /p", "/p", True),  # a tie
        ("User-agent: *\nDisallow: *.gif$", "/a/b.gif", False),  # 2.2.3
        ("User-agent: *\nDisallow: *.gif$", "/a/b.gif?x", True),
        ("User-agent: *\nDisallow: /a*c", "/abbbc/d", False),
        ("User-agent: *\nDisallow: /foo/bar/\u30c4", "/foo/bar/%E3%83%84", False),  # 2.2.2
        ("Disallow: /", "/x", True),  # of no group
        ("User-agent: *\nUser-agent: other\nDisallow: /p", "/p", False),  # several names have one list of rules
        ("User-agent: *\nDisallow: /a\nUser-agent: other\nDisallow: /p", "/p", True),
        ("User-agent: anyurl\nUser-agent: other\nDisallow: /p", "/p", False),
        ("User-agent: anyurl\nAllow: /\nUser-agent: other\nDisallow: /p", "/p", True),
        ("\ufeffUser-agent: *\nDisallow: /p", "/p", False),
        ("User-agent: *\nDisallow /p\nDisallow: /q", "/p", True),  # no colon, no rule
    ],
)
def test_what_may_be_asked_for(text: str | None, path: str, allowed: bool) -> None:
    assert Robots(text).allows(path) is allowed


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("/a$", "/a", True), ("/a$", "/ab", False), ("/*$", "/", True), ("/a*a$", "/a", False), ("/a*a$", "/aa", True),
        ("/a*b*c$", "/abcbc", True), ("/a*b*c$", "/acb", False), ("/**b", "/ab", True), ("*", "/", True),
        ("/a*", "/a", True), ("$", "/", False),
    ],
)  # fmt: skip
def test_a_pattern(pattern: str, path: str, matches: bool) -> None:
    assert Robots(f"User-agent: *\nDisallow: {pattern}").allows(path) is not matches


def test_no_pattern_takes_for_ever() -> None:
    """As a regular expression it would take longer than anybody lives."""
    stars = "/" + "*a" * 5_000
    assert Robots(f"User-agent: *\nDisallow: {stars}b$").allows("/" + "a" * 9_000)
    assert not Robots(f"User-agent: *\nDisallow: {stars}$").allows("/" + "a" * 9_000)


def test_rules_are_not_kept_for_each_of_many_names() -> None:
    import tracemalloc

    text = "User-agent: x\n" * 15_000 + "User-agent: *\n" + "Disallow: /a\n" * 15_000
    tracemalloc.start()
    try:
        robots = Robots(text)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert not robots.allows("/a")
    assert peak < 50_000_000
