"""A remedy is shown only when it was tried: no grammar refuses it, and it leads where every reader of the text goes."""

from __future__ import annotations

import pytest

from anyurl import URL, URLSyntaxError
from anyurl.grammar import GRAMMARS, browser, diagnose, parse
from anyurl.grammar.readers import read_every_way
from anyurl.grammar.remedies import leads_alike
from tests.grammar.remedies import corpora, findings, mutated
from tests.rows import each_row


def test_no_remedy_for_a_row_of_the_corpora_is_refused_or_leads_elsewhere() -> None:
    offered = 0
    for text in list(dict.fromkeys(corpora()))[::4]:
        wrong, count = findings(text)
        assert wrong == []
        offered += count
    assert offered > 200


def test_no_remedy_for_a_mutated_text_is_refused_or_leads_elsewhere() -> None:
    offered = 0
    for text in mutated(7, 2000):
        wrong, count = findings(text)
        assert wrong == []
        offered += count
    assert offered > 800


ELSEWHERE = [
    ("http://good.example\\@evil.example/", "evil.example", "good.example"),
    ("http://a b/", "ab", "a"),
    ("ftp://u@good.example@evil.example/", "evil.example", "good.example"),
    ("http://good.example#@evil.example/ ", "evil.example", "good.example"),
    ("http://good.example?@evil.example/ ", "evil.example", "good.example"),
    ("http://good.example\r\n@evil.example/", "evil.example", "good.example"),
    ("http://good.example\x00@evil.example/", "evil.example", "good.example"),
    ("http://0177.0.0.1/ ", "0177.0.0.1", "127.0.0.1"),  # by name and by inet_aton
    ("http:010.1.1.1/\\", "010.1.1.1", "8.1.1.1"),
    ("http://0x7f.1/ x", "0x7f.1", "127.0.0.1"),
    ("http://good.example／@evil.example/ x", "evil.example", "good.example"),
]


@each_row(("text", "one", "other"), ELSEWHERE)
@each_row("grammar", GRAMMARS)
def test_where_readers_differ_there_is_no_remedy_and_both_hosts_are_named(
    grammar: str, text: str, one: str, other: str
) -> None:
    diagnostics = diagnose(text, grammar)  # type: ignore[arg-type]
    assert not any(diagnostic.fix for diagnostic in diagnostics)
    hosts = {reading.target.host for reading in read_every_way(text)}
    assert {one, other} <= hosts
    errors = [diagnostic.message for diagnostic in diagnostics if diagnostic.severity == "error"]
    if errors:
        assert f'"{one}"' in errors[0]
        assert f'"{other}"' in errors[0]
        assert not any("%" in message for message in errors)


@each_row("text", [text for text, *_ in ELSEWHERE])
def test_the_error_of_python_advises_nothing_either(text: str) -> None:
    """It is raised before anything is tried."""
    for read in (URL, parse):
        with pytest.raises(URLSyntaxError) as caught:
            read(text)
        assert "%" not in str(caught.value)
        assert [fault.fix for fault in caught.value.diagnostics] == [None]


@pytest.mark.parametrize("text", ["good.example\\@evil.example/", "www.good.example\\@evil.example"])
def test_a_browser_proposes_no_scheme_where_the_host_is_unclear(text: str) -> None:
    for read in (lambda: parse(text, "browser"), lambda: browser.parse(text), lambda: browser.parse(text, "mailto:a")):
        with pytest.raises(URLSyntaxError) as caught:
            read()
        assert [fault.fix for fault in caught.value.diagnostics] == [None]
    with pytest.raises(URLSyntaxError) as told:
        parse("www.good.example/a", "browser")
    assert told.value.diagnostics[0].fix == "https://"


def test_what_leads_nowhere_leads_alike_under_its_scheme_alone() -> None:
    url = URL("mailto:a@b.example")
    assert leads_alike("mailto:a@b.example", (), url)
    assert not leads_alike("news:a@b.example", (), url)
    assert not leads_alike("mailto:a@b.example", read_every_way("http://h/"), url)


def test_remedies_stand_or_fall_together() -> None:
    assert [one.fix for one in diagnose("http://host.dom/a b{", "current")] == ["%20", "%7B"]
    assert [one.fix for one in diagnose("http://host.dom:99999/a b{", "current")] == [None, None, None]


def test_a_backslash_is_a_slash_where_nobody_disagrees_about_the_host() -> None:
    assert [one.fix for one in diagnose("http://host.dom\\a\\b?c\\d", "current")] == ["/", "/", "%5C"]
    assert [one.fix for one in diagnose("gopher://host.dom/0a\\b", "current")] == ["%5C"]
