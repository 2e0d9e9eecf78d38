"""Collector: what is left out, what is read, and whose a URL with a token is."""

from __future__ import annotations

import pytest

from anyurl.batch.check.collector import Collector
from anyurl.batch.check.state import OPEN, READ, STAT, CheckState, Mention
from anyurl.url import URL
from anyurl.values import CONFIGURATION, USER, Provenance

DOCUMENT = Provenance("document")
HERE = Mention("a.md", 1, 1)


@pytest.fixture
def state() -> CheckState:
    return CheckState(None, "w", resume=False, now=1000.0)


def ways(state: CheckState) -> dict[str, int]:
    return {str(item.url): way for way in (STAT, OPEN, READ) for item in state.todo((way, way))}


@pytest.mark.parametrize(
    ("patterns", "wanted"),
    [
        ({}, "abc"),
        ({"include": ["*/a", "*/b"]}, "ab"),
        ({"include": ["*/a", "*/b"], "narrower": ["*/b", "*/c"]}, "b"),  # one of both
        ({"narrower": ["*/c"]}, "c"),
        ({"exclude": ["*/b"]}, "ac"),
        ({"include": ["*/a"], "exclude": ["http:*"]}, ""),
    ],
    ids=str,
)
def test_what_is_left_out(state: CheckState, patterns: dict[str, list[str]], wanted: str) -> None:
    collector = Collector(state, **patterns)  # type: ignore[arg-type]
    for name in "abc":
        collector.add(URL(f"http://h/{name}"), DOCUMENT, HERE)
    assert [url[-1] for url in ways(state)] == list(wanted)
    assert collector.left_out == 3 - len(wanted)


def test_what_is_read(state: CheckState) -> None:
    collector = Collector(state, fragments=True)
    collector.root(URL("http://h/"), USER)
    collector.root(URL("mailto:a@h"), USER)
    for text in ("http://h/a", "http://h/b#part", "gopher://h/00x#part", "http://h/c#", "telnet://h/"):
        url = URL(text)
        collector.add(url.without_fragment(), DOCUMENT, Mention("a.md", 1, 1, url.fragment))
    collector.add(URL("http://h/d"), DOCUMENT, HERE, 1, True)
    assert ways(state) == {
        "http://h/": READ, "mailto:a@h": STAT, "http://h/a": STAT, "http://h/b": READ, "gopher://h/00x": OPEN,
        "http://h/c": STAT, "telnet://h/": OPEN, "http://h/d": READ,
    }  # fmt: skip


def test_what_is_found_is_no_step_away_where_nothing_is_said(state: CheckState) -> None:
    collector = Collector(state)
    collector.root(URL("http://h/"), USER)
    collector.add(URL("http://h/a"), DOCUMENT, HERE)
    collector.add(URL("http://h/b"), DOCUMENT, HERE, 3)
    assert {str(item.url)[-1]: item.depth for item in state.todo((STAT, READ))} == {"/": 0, "a": 0, "b": 3}


def test_what_the_user_named_keeps_its_login_where_its_server_has_a_token(state: CheckState) -> None:
    collector = Collector(state, trusted=["https://api.host.dom"])
    for origin in (USER, DOCUMENT):
        collector.add(URL(f"https://u:p@api.host.dom/{origin.who}"), origin, HERE)
    assert [(str(item.url), item.origin) for item in state.todo((STAT, READ))] == [
        (f"https://u:p@api.host.dom/{USER.who}", USER), (f"https://api.host.dom/{DOCUMENT.who}", CONFIGURATION),
    ]  # fmt: skip


def test_a_url_whose_server_has_a_token_is_one_of_the_users_settings(state: CheckState) -> None:
    collector = Collector(state, trusted=["https://api.host.dom"])
    for text in ("https://me:pw@api.host.dom/x", "http://api.host.dom/x", "https://api.host.dom:8443/x"):
        collector.add(URL(text), DOCUMENT, HERE)
    found = {str(item.url): item.origin for item in state.todo((STAT, READ))}
    assert found == {
        "https://api.host.dom/x": CONFIGURATION,  # without the login that somebody wrote into it
        "http://api.host.dom/x": DOCUMENT,
        "https://api.host.dom:8443/x": DOCUMENT,
    }


@pytest.mark.parametrize(
    ("url", "pattern", "fits"),
    [
        ("Http://Bugs.example/Ticket", "http://bugs.*", True),
        ("http://bugs.example/Ticket", "HTTP://BUGS.example/*", True),
        ("http://bugs.example/Ticket", "http://bugs.example/ticket", False),
        ("http://h/p#part", "*#part", True),
        ("http://h/p#part", "*/p", True),
        ("http://h/p#part", "*#other", False),
        ("MAILTO:a@b.example", "mailto:*", True),
    ],
)
def test_patterns_have_no_case_in_scheme_and_host_and_may_name_a_part(url: str, pattern: str, fits: bool) -> None:
    state = CheckState(None, "w", resume=False, now=1000.0)
    collector = Collector(state, exclude=[pattern])
    given = URL(url)
    collector.add(given.without_fragment(), DOCUMENT, Mention("a.md", 1, 1, given.fragment))
    assert collector.left_out == fits
    state.close()
