"""The corpora, whole: RFC 1738, RFC 3986, and what the libraries of the field and curl make of some 2,600 texts."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from anyurl.errors import URLSyntaxError
from anyurl.url import URL
from anyurl.url.cut.compose import remove_dot_segments
from tests.rows import each_row
from tests.url import curl, peers
from tests.url.invariants import check_invariants

RFC_1738: dict[str, Any] = json.loads((peers.DATA / "rfc1738.json").read_text(encoding="ascii"))
RFC_3986: dict[str, Any] = json.loads((peers.DATA / "rfc3986.json").read_text(encoding="ascii"))


# ------------------------------------------------------------------------------------------------------- RFC 3986


@each_row("row", RFC_3986["resolve"], ids=lambda row: repr(row["ref"]))
def test_references_are_resolved_as_rfc_3986_5_4_shows(row: dict[str, str]) -> None:
    base = URL(row["base"])
    result = base.join(row["ref"])
    # The one row with two results: `http:g` is no URL by RFC 9110, so 5.2.2's other reading stands.
    assert str(result) == row.get("also_ok_non_strict", row["target"])
    assert base.join(result.relative_to(base)) == result


@each_row("row", RFC_3986["components"], ids=lambda row: row["input"])
def test_components_are_cut_as_rfc_3986_shows(row: dict[str, Any]) -> None:
    url = URL(row["input"])
    check_invariants(url)
    userinfo, at, _ = (url.authority or "").rpartition("@")
    facts = {name: getattr(url, name) for name in ("scheme", "host", "path", "query", "fragment")}
    facts |= {"input": str(url), "userinfo": userinfo if at else None, "port": url.explicit_port}
    assert facts == row


@pytest.mark.parametrize("row", RFC_3986["remove_dot_segments"], ids=lambda row: row["input"])
def test_dot_segments_go_as_rfc_3986_5_2_4_shows(row: dict[str, str]) -> None:
    assert remove_dot_segments(row["input"]) == row["output"]


@pytest.mark.parametrize("texts", RFC_3986["equivalent_sets"], ids=lambda texts: texts[0])
def test_equivalent_urls_are_equivalent_and_have_one_normal_form(texts: list[str]) -> None:
    urls = [URL(text) for text in texts]
    assert [(str(a), str(b)) for a, b in product(urls, urls) if not a.is_equivalent(b)] == []
    assert len({url.normalize() for url in urls}) == 1


def test_the_urls_of_appendix_c_are_urls() -> None:
    assert [str(URL(text)) for text in RFC_3986["context_appendix_c"]["urls"]] == RFC_3986["context_appendix_c"]["urls"]


# ------------------------------------------------------------------------------------------------------- RFC 1738

LATER = {
    "1http://host.dom/": "RFC 3986 3.1: a scheme must begin with a letter",
}
"""What RFC 1738 accepts and today's RFCs refuse."""

NEWER = {
    "http://user@host.dom/": "userinfo is syntax of every authority (RFC 3986 3.2.1)",
    "http://host.dom/~u": "'~' is unreserved (RFC 3986 2.3)",
    "http://host.1x/": "1x is no number; labels may begin with a digit (RFC 1123 2.1)",
    "http://-a.dom/": "RFC 3986 3.2.2 leaves hyphens to the look-up",
    "http://a-.dom/": "RFC 3986 3.2.2 leaves hyphens to the look-up",
    "http://a_b.dom/": "RFC 3986 3.2.2 allows the underscore",
    "http://host.dom:/": "RFC 3986 3.2.3: port = *DIGIT",
    "ftp://host.dom/a;type=x": "the path is judged when `parts` reads it",
    "ftp://:pw@host.dom/": "an empty user name is one (RFC 1738 5)",
    "nntp://host.dom/": "the path is judged when `parts` reads it",
    "nntp://host.dom/grp/12a": "the path is judged when `parts` reads it",
    "news:1abc": "RFC 5538 3: a group may begin with a digit",
    "news:": "the path is judged when `parts` reads it",
    "mailto:": "RFC 6068 2: addresses may all stand in the header fields",
}
"""What RFC 1738 refuses and `current` accepts."""


@each_row("row", RFC_1738["examples"], ids=lambda row: row["url"])
def test_the_examples_of_rfc_1738_hold(row: dict[str, Any]) -> None:
    text = row["url"]
    accepted = (row["valid"] and text not in LATER) or text in NEWER
    if not accepted:
        with pytest.raises(URLSyntaxError):
            URL(text)
        return
    url = URL(text)
    check_invariants(url)
    names = {"scheme", "host", "port", "user", "password", "fragment"} & row.keys()
    assert {name: getattr(url, name) for name in names} == {name: row[name] for name in names}
    if "path" in row:
        assert url.url_path == row["path"]


def test_the_exceptions_to_rfc_1738_are_exact() -> None:
    valid = {row["url"]: row["valid"] for row in RFC_1738["examples"]}
    assert {text: valid[text] for text in LATER} == dict.fromkeys(LATER, True)
    assert {text: valid[text] for text in NEWER} == dict.fromkeys(NEWER, False)


def test_the_default_ports_of_rfc_1738_hold() -> None:
    ports = {name: URL(f"{name}://host.dom/").port for name in RFC_1738["default_ports"]}
    assert ports == RFC_1738["default_ports"]


def test_the_urls_of_the_appendix_are_urls() -> None:
    assert [str(URL(text)) for text in RFC_1738["appendix_urls"]] == RFC_1738["appendix_urls"]


# ---------------------------------------------------------------------------------------------------------- peers


def _compare(rows_in: str, listed_in: str, difference: Callable[..., str], asked: Callable[..., bool]) -> None:
    listed = json.loads((peers.DATA / listed_in).read_text(encoding="ascii"))
    found = {
        number: what for number, row in enumerate(peers.rows(rows_in), 1) if asked(row) and (what := difference(row))
    }
    assert found == {number: what for number, _, what in listed["rows"]}
    assert {reason for _, reason, _ in listed["rows"]} == listed["reasons"].keys()


def test_every_difference_from_the_peers_is_listed_and_no_other() -> None:
    _compare("peers.jsonl", "peer_differences.json", peers.difference, lambda row: True)


def test_every_difference_from_curl_is_listed_and_no_other() -> None:
    _compare("curl.jsonl", "curl_differences.json", curl.difference, curl.is_asked)


def test_what_is_accepted_keeps_the_invariants_and_what_is_refused_is_explained() -> None:
    accepted = refused = 0
    for row in peers.rows("peers.jsonl") + peers.rows("curl.jsonl"):
        for text in {row.get("input", ""), row.get("base") or ""}:
            try:
                url = URL(text)
            except URLSyntaxError as error:
                _check_error(text, error)
                refused += 1
            else:
                check_invariants(url)
                accepted += 1
    assert (accepted, refused) == (1511, 3973)


def _check_error(text: str, error: URLSyntaxError) -> None:
    """An error tells where, within the text."""
    assert error.text == text
    (diagnostic,) = error.diagnostics
    assert 0 <= diagnostic.span[0] <= diagnostic.span[1] <= len(text)
    assert (diagnostic.severity, bool(diagnostic.message), bool(diagnostic.section)) == ("error", True, True)
