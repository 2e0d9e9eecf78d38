"""Where other programs go with a text: each scheme, user, host and port that some reader finds in it."""

from __future__ import annotations

import pytest

from anyurl.grammar.readers import read_every_way, scheme_of, target_of, unclear
from anyurl.url import URL
from tests.rows import each_row

HOSTS = [
    ("http://host.dom/a b@c", {"host.dom"}),
    ("http://good.dom\\@evil.dom/", {"good.dom", "evil.dom"}),
    ("http://a@b@c/", {"b", "c"}),
    ("http://good.dom?@evil.dom/", {"good.dom", "evil.dom"}),
    ("http://h%6Fst/", {"h%6fst", "host"}),
    ("<URL:http://ho\n  st/>", {"host"}),
    ("http://ho\nst/", {"host", "ho"}),
    ("http:host.dom/", {"host.dom"}),
    ("mailto:a@b", set()),
    ("file:/etc/x", set()),
    ("no url", set()),
]


@each_row(("text", "hosts"), HOSTS)
def test_every_host_that_a_program_finds(text: str, hosts: set[str]) -> None:
    assert {reading.target.host for reading in read_every_way(text)} == hosts


def test_what_differs_is_said_and_nothing_of_a_password() -> None:
    assert unclear(read_every_way("http://host.dom/")) == ""
    assert unclear(read_every_way("http://u\tv@h/")).startswith("it is unclear which host is meant: ")
    said = unclear(read_every_way("http://u:p@ss\\@h/"))
    assert said == 'it is unclear which host is meant: "h" or a part of what may be a password'


@pytest.mark.parametrize("text", ["http://u%40v:p@h:8080/", "https://[::1]/", "ftp://h"])
def test_a_url_is_read_as_itself(text: str) -> None:
    assert {reading.target for reading in read_every_way(text)} == {target_of(URL(text))}
    assert scheme_of(text) == URL(text).scheme
