"""What a policy says to a URL before anything is opened: what the client would say."""

from __future__ import annotations

import pytest

from anyurl.client.judgement import VERDICT, judge
from anyurl.guard.hops import named_in
from anyurl.guard.policy import Policy
from anyurl.url import URL


@pytest.mark.parametrize(
    ("text", "code", "looked_up"),
    [
        ("http://public.example/", "allowed", False),  # its addresses are judged when they are known
        ("http://93.184.216.34/", "allowed", True),
        ("http://10.0.0.1/", "address-private", None),
        ("ftp://h/a%0d%0ab", "octets", None),  # RFC 1738 6: what delimits the protocol
        ("prospero://h/a#x", "allowed", False),
    ],
)
def test_a_verdict(text: str, code: str, looked_up: bool | None) -> None:
    record = judge(URL(text), Policy.untrusted()).record()
    assert (record["code"], record["looked_up"]) == (code, looked_up)
    assert tuple(record) == VERDICT


@pytest.mark.parametrize(
    ("text", "moods"),
    [(None, ["bad"]), ("http://10.0.0.1/", ["bad", ""]), ("http://8.8.8.8/", ["good"]), ("http://h/", ["good", ""])],
)
def test_the_mood_of_each_line(text: str | None, moods: list[str]) -> None:
    lines = list(judge(None if text is None else URL(text), Policy.untrusted()).lines())
    assert [mood for mood, _ in lines] == moods


def test_what_is_no_url_is_not_judged() -> None:
    record = judge(None, Policy.untrusted()).record()
    assert (record["code"], record["allowed"]) == ("no-url", None)


def test_who_named_it_is_heeded() -> None:
    origin = named_in(URL("https://h/"))
    assert judge(URL("http://h/"), Policy.default(), origin).record()["code"] == "clear-hop"
    assert judge(URL("http://h/"), Policy.default()).record()["code"] == "allowed"
