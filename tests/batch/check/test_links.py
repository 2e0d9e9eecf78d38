"""Links of a check: URLs and malformed links, as they are written down and reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyurl import Client, Policy
from anyurl.batch.check import CheckState, Run
from anyurl.batch.check.collector import Collector
from anyurl.batch.check.junit import junit
from anyurl.batch.check.links import EchoedLink, Link, MalformedLink, from_text, to_text
from anyurl.batch.check.page import page
from anyurl.batch.check.sources import Sources
from anyurl.url import URL, parse

MALFORMED = "<a href='http://h:99999/'> <a href='http://u:secret@h:99999/#x'> <a href='//[::1/'> <a href='{{ url }}'>"


@pytest.mark.parametrize(
    "link",
    [
        URL("http://a/"),
        parse("ftp://a?b@c/", "rfc1738"),
        MalformedLink("http://h:99999/"),
        MalformedLink("malformed x"),
        EchoedLink("http://h/***/next"),
    ],
)
def test_what_is_written_down_is_read_again(link: Link) -> None:
    again = from_text(to_text(link))
    assert (type(again), str(again), again.masked) == (type(link), str(link), link.masked)


def test_no_password_is_written_down() -> None:
    for link in (MalformedLink("http://u:sesame@h:99999/"), URL("http://u:sesame@h/")):
        assert "sesame" not in to_text(link) + link.masked


def test_a_malformed_link_is_broken_and_says_why() -> None:
    finding = MalformedLink("http://u:secret@h:99999/").finding("options")
    assert (finding.outcome, finding.error) == ("broken", "URLSyntaxError")
    assert finding.message == "A port is at most 65535 (RFC 9293 3.1, at character 19)."


@pytest.mark.parametrize("resumed", [False, True])
def test_malformed_links_are_reported_and_nothing_is_asked_for_them(tmp_path: Path, resumed: bool) -> None:
    (tmp_path / "a.html").write_text(MALFORMED)
    path = str(tmp_path / "state")
    state = CheckState(path, "w", resume=False, now=1000.0)
    collector = Collector(state)
    for each in Sources((str(tmp_path / "a.html"),), complain=pytest.fail):
        collector.add(each.url, each.origin, each.place)
    state.commit()
    if resumed:
        state.close()
        state = CheckState(path, "w", resume=True, now=1001.0)
    with Client(policy=Policy.open()) as client:
        told = [(each.url.masked, each.finding.outcome) for each in Run(client, state)]
    assert sorted(told) == [
        ("file://[::1/", "broken"), ("http://h:99999/", "broken"), ("http://u:***@h:99999/#x", "broken")
    ]  # fmt: skip
    for report in (junit(state), page(state, title="t", when="w")):
        text = "".join(report)
        assert "http://h:99999/" in text
        assert "secret" not in text
    state.close()


@pytest.mark.parametrize(
    ("text", "scheme"), [("HTTP://h:99999/", "http"), ("//[::1/", "//["), ("malformed x", "malformed x")]
)
def test_the_scheme_of_a_malformed_link_is_what_stands_before_its_colon(text: str, scheme: str) -> None:
    assert MalformedLink(text).scheme == scheme


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("javascript:void(0%)", "not-checkable"), ("JavaScript:a%b", "not-checkable"),
        ("http://h/%zz", "broken"), ("mailto:%zz", "broken"),
    ],
)  # fmt: skip
def test_a_script_has_no_faults_of_a_url(text: str, outcome: str) -> None:
    assert MalformedLink(text).finding("options").outcome == outcome
