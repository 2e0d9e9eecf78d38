"""One reading for each URL: what is made of it is read by the grammar that read it, or is an error."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anyurl.errors import SchemeError, URLSyntaxError
from anyurl.grammar import GRAMMARS, parse
from anyurl.url import URL
from anyurl.url.host import canonical
from anyurl.url.stored import from_stored, to_stored
from anyurl.url.syntax import row as row_of
from anyurl.values import Value
from tests.grammar.strings import texts
from tests.url.peers import rows
from tests.url.strategies import REFERENCES, WILD, url_texts

TWO_HOSTS = "https://127.0.0.1?@allowed.example/a#f"
"""The host ``allowed.example`` by RFC 1738, whose user names may hold a "?"; ``127.0.0.1`` by RFC 3986."""


def place(url: URL) -> tuple[Any, ...]:
    """Where a URL leads; an address has many spellings, and this machine's files have three (RFC 8089 2)."""
    host = None if url.host is None else canonical(url.host)
    if url.scheme == "file" and host in (None, "localhost"):
        host = ""
    return url.scheme, url.user, url.password, host, url.port


def meaning(url: URL) -> object:
    """What its scheme reads in it, or what stands there."""
    try:
        return url.parts
    except (URLSyntaxError, SchemeError):
        return url.path, url.query


def made(make: Callable[[], URL]) -> URL | None:
    """What an operation makes; None where it refuses, which is no other reading."""
    try:
        return make()
    except URLSyntaxError as error:
        assert error.diagnostics
        return None


SAME: dict[str, Callable[[URL], URL]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda url: pickle.loads(pickle.dumps(url)),  # type: ignore[no-any-return]
    "stored": lambda url: from_stored(to_stored(url)),
    "again": lambda url: parse(str(url), url.grammar),  # type: ignore[arg-type]
}
"""What makes the very same URL, and never refuses."""

ALIKE: dict[str, Callable[[URL], URL]] = {
    "without_fragment": URL.without_fragment,
    "normalize": URL.normalize,
    "replace nothing": lambda url: url.replace(),
    "replace fragment": lambda url: url.replace(fragment="x"),
    "join fragment": lambda url: url.join("#x"),
}
"""What makes a URL of the same place, with the same parts, and never refuses."""

PLACED: dict[str, Callable[[URL], URL]] = {
    "join path": lambda url: url.join("x/../y"),
    "join root": lambda url: url.join("/x?y"),
    "join query": lambda url: url.join("?x"),
    "replace path": lambda url: url.replace(path="/x"),
    "replace query": lambda url: url.replace(query=None),
    "with_query": lambda url: url.with_query(a="&?#/@ é", b=[1, 2]),
    "with_query as text": lambda url: url.with_query("a=/?:@b"),
    "without query": URL.with_query,
    "same query": lambda url: url.with_query(url.query_items),
    "child": lambda url: url / "a?b#c;type=d@e:%2f\\é",
    "children": lambda url: url / "@h" / "//x".strip("/") / "a/b/",
    **{f"normalize {name}": lambda url, name=name: url.normalize(name) for name in GRAMMARS},  # type: ignore[misc]
}
"""What makes another URL of the same place, or refuses."""


CHILD = "a?b#c;type=d@e:%2f\\é %09+"


def check_fields(url: URL) -> None:
    """Fail if what is written as a field, a name or for people is read otherwise."""
    fields = (("a", "&=?#/@ +é%41"), ("", "\udcff"), ("a", ""))
    found = made(lambda: url.with_query(fields))
    if found is not None:
        assert (found.query_items, found.path, found.fragment) == (fields, url.path, url.fragment), str(url)
    child = made(lambda: url / CHILD)
    if child is not None:
        assert (child.name, child.suffix, child.fragment) == (CHILD, "", None), (str(url), str(child))
        other = made(lambda: url / "x.tar.gz")
        assert other is None or other.suffix == ".gz"
        assert made(lambda: child / "..") is None
    shown = url.display
    assert "%7F" not in shown or "%7F" in str(url)
    if url.masked == str(url) and url.grammar == "current":
        assert URL(shown).is_equivalent(url), (shown, url)
        assert place(URL(shown)) == place(url)


def check_reading(url: URL) -> None:
    """Fail if any operation makes another reading of a URL."""
    check_fields(url)
    for name, make in SAME.items():
        again = make(url)
        assert (again, again.grammar, hash(again)) == (url, url.grammar, hash(url)), (name, url)
    for name, make in ALIKE.items():
        other = make(url)
        assert (place(other), other.grammar) == (place(url), url.grammar), (name, str(url), url.grammar)
        if name != "normalize" or (isinstance(meaning(url), Value) and not row_of(url.scheme).dots):
            assert meaning(other) == meaning(url), (name, url)
    for name, make in PLACED.items():
        placed = made(lambda make=make: make(url))  # type: ignore[misc]
        if placed is not None:
            assert place(placed) == place(url), (name, str(url), str(placed))
            assert placed.grammar == (name.removeprefix("normalize ") if "normalize" in name else url.grammar)
    for base in (url, URL("http://h/x/y")):
        reference = None
        try:
            reference = url.relative_to(base)
        except URLSyntaxError:
            continue
        assert place(base.join(reference)) == place(url), (str(base), str(url), url.grammar, reference)


@pytest.mark.promise("one-reading")
@pytest.mark.parametrize("grammar", GRAMMARS)
def test_no_operation_reads_by_another_grammar(grammar: Any) -> None:
    count = 0
    for text in (*texts(21, 900), TWO_HOSTS, "mailto:a?b@c.d", "1a:b", "news://a/b@h.dom", "ftp://a?b:p@h/x;type=a",
                 "ftps://h%610/x", "gophers://u:p@h/?", "ftp://h/a;%74ype=a", "gophers://h?x"):  # fmt: skip
        url = made(lambda text=text: parse(text, grammar))  # type: ignore[misc]
        if url is not None:
            check_reading(url)
            count += 1
    assert count > 150


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_nor_does_one_of_what_other_libraries_are_tested_with(grammar: Any) -> None:
    for text in sorted({str(row.get("input", "")) for row in rows("peers.jsonl")})[::7]:
        url = made(lambda text=text: parse(text, grammar))  # type: ignore[misc]
        if url is not None:
            check_reading(url)


@given(url_texts() | WILD, st.sampled_from(GRAMMARS))
@example("http://h/#\ud800", "rfc1738")
@example("0:#\ud800", "rfc1738-draft07")
def test_nor_does_one_of_whatever_is_a_url(text: str, grammar: Any) -> None:
    url = made(lambda: parse(text, grammar))
    if url is not None:
        check_reading(url)


@given(url_texts(), REFERENCES | url_texts(), st.sampled_from(GRAMMARS))
def test_a_reference_without_a_host_never_leads_to_another(text: str, reference: str, grammar: Any) -> None:
    base = made(lambda: parse(text, grammar))
    joined = None if base is None else made(lambda: base.join(reference))
    if base is not None and joined is not None and ":" not in reference and not reference.startswith("//"):
        assert (place(joined), joined.grammar) == (place(base), grammar)


@pytest.mark.promise("one-reading")
def test_a_url_leads_where_its_grammar_read_it_to() -> None:
    url = parse(TWO_HOSTS, "rfc1738")
    assert (url.host, URL(TWO_HOSTS).host, url.grammar) == ("allowed.example", "127.0.0.1", "rfc1738")
    for other in (url.without_fragment(), url.join("/b"), url.replace(path="/b"), url.normalize(), url.join("#g")):
        assert (other.host, other.user, other.grammar) == ("allowed.example", "127.0.0.1?", "rfc1738")
    assert str(url.normalize("current")) == "https://127.0.0.1%3F@allowed.example/a#f"
    assert url.relative_to(url) == "#f"
    with pytest.raises(URLSyntaxError, match="reads it as another place"):
        url.relative_to(URL("http://h/"))
    assert URL("http://h/").join(url).host == "allowed.example"


def test_two_readings_of_one_text_are_two_urls() -> None:
    one, other = parse(TWO_HOSTS, "rfc1738"), URL(TWO_HOSTS)
    assert (one == other, one.is_equivalent(other), hash(one) == hash(other)) == (False, False, False)
    assert (one < other) is not (other < one)
    assert (one <= one, one < one, len({one, other, parse(TWO_HOSTS, "rfc1738")})) == (True, False, 2)
    # One reading by two grammars is one URL, whatever is made of it.
    same = "http://host.dom/x"
    assert parse(same, "rfc1738") == URL(same)
    assert hash(parse(same, "rfc1738")) == hash(URL(same))


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("http://host.dom/a", "/~user"),  # RFC 1738 2.2: "~" is unsafe
        ("http://host.dom/a", "b c"),
        ("ftp://host.dom/a", "//u?v@w/x/~"),
        ("mailto:a@b.dom", "?subject=x y"),
    ],
)
def test_what_the_grammar_of_the_base_refuses_is_an_error(text: str, reference: str) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        parse(text, "rfc1738").join(reference)
    assert caught.value.diagnostics[0].severity == "error"


@pytest.mark.promise("one-reading")
@pytest.mark.parametrize(("grammar", "other"), [("rfc1738", "rfc1738-draft07"), ("rfc1738-draft07", "rfc1738-draft07")])
def test_no_reference_leads_to_what_a_base_reads_otherwise(grammar: str, other: str) -> None:
    """A scheme alone is a URL without a host to the documents that don't know it, and the base's own as a reference."""
    base = parse("dict://joe:s3cr3t@h/d:x", other)
    with pytest.raises(URLSyntaxError, match="reads it as another place"):
        parse("dict:", grammar).relative_to(base)
