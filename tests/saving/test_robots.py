"""robots.txt by the clauses and the examples of RFC 9309."""

from __future__ import annotations

from urllib.robotparser import RobotFileParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl import URL
from anyurl.saving.robots import Robots
from tests.rows import each_row


@each_row(
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


@each_row(
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


# --- spellings -------------------------------------------------------------------------------------------------------


@pytest.mark.promise("robots")
@each_row(
    ("pattern", "target", "matches"),
    [
        ("/private", "/%70rivate/x", True),  # RFC 9309 2.2.2: what need not be encoded is decoded
        ("/private", "/pri%76ate/", True),
        ("/%70rivate", "/private/x", True),
        ("/private", "/./private/x", True),  # RFC 3986 6.2.2.3
        ("/private", "/a/../private/x", True),
        ("/private", "/a/%2e%2E/private/x", True),
        ("/a/../private", "/private", True),
        ("/./private/", "/private/x", True),
        ("/private", "/a/..%2Fprivate", False),  # an encoded slash is no slash
        ("/a%2Fb", "/a/b", False),
        ("/a%3cd", "/a%3Cd", True),  # digits of either case
        ("/a%3Cd", "/a<d", True),
        ("/~joe/", "/%7Ejoe/x", True),
        ("/%7ejoe/", "/~joe/x", True),
        ("/\u30c4", "/%e3%83%84", True),
        ("/%E3%83%84", "/\u30c4", True),
        ("/f-%2A.html", "/f-*.html", True),  # RFC 9309 2.2.3
        ("/f-%2a.html", "/f-%2A.html", True),
        ("/foo-%24", "/foo-$", True),
        ("/a$b", "/a$b", True),  # only at the end it means the end
        ("/a?x=%7e", "/a?%78=~", True),
        ("/a?x=/../", "/a?x=/../y", True),  # a query has no segments
        ("/*/../b", "/b", True),
        ("/.", "/.git", True),  # the beginning of a name
        ("/..", "/..a", True),
        ("/a/.$", "/a/", True),
        ("/robots.txt", "/robots%2Etxt", False),  # which may always be read
    ],
)
def test_a_spelling_changes_no_answer(pattern: str, target: str, matches: bool) -> None:
    assert Robots(f"User-agent: *\nDisallow: {pattern}").allows(target) is not matches


SEGMENTS = st.lists(st.text("ab~-_.XZ9<|\u30c4", max_size=4), min_size=1, max_size=4)


@st.composite
def spelled(draw: st.DrawFn, path: str) -> str:
    """The path with some characters encoded, digits in either case, and segments that lead nowhere."""
    out = []
    for char in path:
        octets = char.encode()
        if char == "/":
            out.append("/" + draw(st.sampled_from(["", "./", "x/../", "%2e/", "b/%2E%2e/"])))
        elif len(octets) > 1 or draw(st.booleans()):
            out.append("".join(draw(st.sampled_from([f"%{octet:02X}", f"%{octet:02x}"])) for octet in octets))
        else:
            out.append(char)
    return "".join(out)


@pytest.mark.promise("robots")
@given(st.data(), SEGMENTS, st.booleans(), st.booleans())
def test_every_spelling_of_a_path_gets_one_answer(
    data: st.DataObject, segments: list[str], allow: bool, whole: bool
) -> None:
    path = "/" + "/".join(segment.strip(".") or "c" for segment in segments)
    rules = f"User-agent: *\nDisallow: {'/' if allow else path}{'$' if whole and not allow else ''}\n"
    rules += f"Allow: {path}\n" if allow else ""
    robots = Robots(rules)
    other = Robots(rules.replace(path, data.draw(spelled(path))) if path != "/" else rules)
    targets = [data.draw(spelled(path)), path, path + "x", path + "/x"]
    assert robots.allows(targets[0]) is robots.allows(path) is allow
    assert [other.allows(target) for target in targets] == [robots.allows(target) for target in targets]
    url = URL("http://h" + targets[0].replace("<", "%3c").replace("|", "%7C"))
    assert robots.allows_url(url) is robots.allows_url(url.normalize()) is allow


@pytest.mark.promise("robots")
@given(st.data(), SEGMENTS)
def test_what_the_parser_of_python_refuses_in_any_spelling_is_refused(data: st.DataObject, segments: list[str]) -> None:
    """It knows no dot segments, so it is asked about spellings without them."""
    path = "/" + "/".join(segment.strip(".") or "c" for segment in segments)
    rules = f"User-agent: *\nDisallow: {path}"
    other = RobotFileParser()
    other.parse(rules.splitlines())
    target = data.draw(spelled(path))
    if "/./" in target or "%2" in target.lower() or "/../" in target:
        target = "/" + target.rpartition("/")[2]
    assert other.can_fetch("anyurl", target) or not Robots(rules).allows(target)
