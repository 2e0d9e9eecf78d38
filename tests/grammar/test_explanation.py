"""What each grammar reads in a text, and that a difference about the host is loud."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from anyurl.grammar import explain
from anyurl.grammar.explanation import COMPONENTS, UNCHECKED
from tests.grammar.strings import texts
from tests.rows import each_row

URL_DATA = Path(__file__).parent.parent / "data" / "url"

NO_HOST = None
HOSTS: list[tuple[str, dict[str, str | None] | None, str]] = [
    ("http://host.dom/", None, "one host for all"),
    ("http://HOST.dom/", None, "case is none of a host's"),
    ("http://u:p@host.dom:8080/x?y#z", None, "nor do the others matter"),
    ("http://bücher.example/", None, "a name of another script is its ASCII form"),
    ("http://[2001:DB8:0::1]/", None, "an address in two spellings"),
    ("file:/etc/motd", None, "no host is as good as an empty one"),
    ("mailto:a@b", None, "no host anywhere"),
    ("not a url", None, "nothing is read by anybody"),
    ("http://good.example/@evil.example", None, "an @ in a path fools nobody here"),
    ("http://good.example\\@evil.example/", {"browser": "good.example", UNCHECKED: "evil.example"}, "a backslash"),
    ("http://0x7f.1/", {"browser": "127.0.0.1", UNCHECKED: "0x7f.1"}, "a number in disguise"),
    ("http://2130706433/", {"browser": "127.0.0.1", UNCHECKED: "2130706433"}, "one number"),
    ("http://127.1/", {"browser": "127.0.0.1", UNCHECKED: "127.1"}, "two groups"),
    (
        "http://010.0.0.1/",
        {"rfc1738": "010.0.0.1", "rfc1738-draft07": "010.0.0.1", "browser": "8.0.0.1", UNCHECKED: "010.0.0.1"},
        "octal to a browser, decimal to the RFC",
    ),
    (
        "http://h%2ecom/",
        {"rfc1738-draft07": "h%2ecom", "browser": "h.com", UNCHECKED: "h%2ecom"},
        "a browser decodes a host",
    ),
    ("http:host.example", {"browser": "host.example", UNCHECKED: NO_HOST}, "no slashes"),
    ("http:/host.example/", {"browser": "host.example", UNCHECKED: NO_HOST}, "one slash"),
    ("http:///host.example/", {"browser": "host.example", UNCHECKED: NO_HOST}, "three slashes"),
    (
        "x-y://a?@b/",
        {"current": "a", "rfc1738": "b", "rfc1738-draft07": "b", "browser": "a", UNCHECKED: "a"},
        "a question mark in a user name",
    ),
    (
        "news://a/b@h.dom",
        {"current": "a", "rfc1738": NO_HOST, "rfc1738-draft07": NO_HOST, "browser": "a", UNCHECKED: "a"},
        "a message identifier that looks like a host",
    ),
    (
        "https://a@b@c/",
        {"rfc1738": NO_HOST, "rfc1738-draft07": NO_HOST, "browser": "c", UNCHECKED: "c"},
        "two @: no common syntax by the RFC",
    ),
    (
        "http://good.example\t.evil.example/",
        {"browser": "good.example.evil.example"},
        "a tab: not loud, one reader alone",
    ),
]


@each_row(("text", "hosts", "reason"), HOSTS, ids=[row[2] for row in HOSTS])
def test_the_hosts_that_are_read(text: str, hosts: dict[str, str | None] | None, reason: str) -> None:
    found = explain(text)
    assert found.host_differs is (hosts is not None and len(hosts) > 1)
    if found.host_differs:
        assert found.differences[0].component == "host"
        assert found.differences[0].values == hosts
        assert found.differences[0].loud
        assert found.differences[0].message.startswith("the host is read differently, so that one program may check")


def test_the_readings_are_those_of_the_grammars() -> None:
    found = explain("http://host.dom/~u?a#b")
    assert [reading.grammar for reading in found.readings] == ["current", "rfc1738", "rfc1738-draft07", "browser"]
    assert [reading.accepted for reading in found.readings] == [True, False, True, True]
    assert found.reading("rfc1738").components == {}
    assert found.reading("rfc1738").diagnostics[0].code == "unsafe"
    expected = {
        "scheme": "http", "user": None, "password": None, "host": "host.dom", "port": 80, "path": "/~u", "query": "a",
        "fragment": "b",
    }  # fmt: skip
    for grammar in ("current", "rfc1738-draft07", "browser"):
        assert found.reading(grammar).components == expected
    assert tuple(expected) == COMPONENTS
    assert found.unchecked.components == {**expected, "port": None}
    assert found.differences == ()
    with pytest.raises(KeyError):
        found.reading("rfc2396")


def test_other_differences_are_told_but_not_loud() -> None:
    found = explain("ftp://host.dom/a?b")
    assert [(one.component, one.loud) for one in found.differences] == [("path", False), ("query", False)]
    assert found.differences[0].message == (
        "the path is read differently: current and rfc1738 and rfc1738-draft07: '/a?b'; browser: '/a'"
    )
    assert not found.host_differs


def test_a_password_stands_in_no_message() -> None:
    found = explain("http://u:hu%41nter@host.dom/")
    assert all("hu%41" not in one.message for one in found.differences)
    assert all("hu%41" not in one.message for reading in found.readings for one in reading.diagnostics)


PIECES = [
    ("ftp://u:p@h:21/a/b;type=i#f", "scheme=ftp user=u password=p host=h port=21 path=a/b typecode=i fragment=f"),
    ("gopher://h/0sel%09words%09+", "scheme=gopher host=h gtype=0 selector=sel search=words gopher+=+"),
    ("wais://h/db/T/doc", "scheme=wais host=h database=db wtype=T wpath=doc"),
    ("wais://h/db?a", "scheme=wais host=h database=db search=a"),
    ("news:a.b", "scheme=news group=a.b"),
    ("news:x@h", "scheme=news unique=x host=h"),
    ("nntp://h/g/1", "scheme=nntp host=h group=g number=1"),
    ("prospero://h/n;a=b", "scheme=prospero host=h name=n field=a value=b"),
    ("mailto:a@b", "scheme=mailto address=a@b"),
    ("http://u:p@h/a b?c", "scheme=http userinfo=u:p host=h path=a b search=c"),
    ("<URL:http://h/x>", "scheme=http host=h path=x"),
    ("https://u:p@[::1]:8/x?y#z", "scheme=https user=u password=p host=[::1] port=8 path=/x query=y fragment=z"),
    (" foo:bar?baz ", "scheme=foo path=bar query=baz"),
    ("nothing", "path=nothing"),
    ("", ""),
]


@each_row(("text", "pieces"), PIECES, ids=[row[0] or "nothing" for row in PIECES])
def test_the_anatomy(text: str, pieces: str) -> None:
    found = explain(text).pieces
    assert " ".join(f"{piece.name}={text[piece.start : piece.end]}" for piece in found) == pieces


def test_the_anatomy_of_whatever_a_generic_url_has() -> None:
    """Each part that is written is a piece and stands where it is written: RFC 3986 3."""
    nothing: tuple[tuple[str, str], ...] = ()
    users = (nothing, (("user", "ab"), ("", "@")), (("user", "ab"), ("", ":"), ("password", "cd"), ("", "@")))
    ports = (nothing, (("", ":"),), (("", ":"), ("port", "8")), (("", ":"), ("port", "65535")))
    paths = (nothing, (("path", "/"),), (("path", "/p/q"),))
    queries = (nothing, (("", "?"),), (("", "?"), ("query", "xy")))
    fragments = (nothing, (("", "#"),), (("", "#"), ("fragment", "z")))
    tails = [*product(paths, queries, fragments)]
    ends = [(users[2], "h", ports[2], tail) for tail in tails]
    for user, host, port, (path, query, fragment) in [*ends, *product(users, ("h", "[::1]"), ports, tails[::13])]:
        parts = (("", " "), ("scheme", "https"), ("", "://"), *user, ("host", host), *port, *path, *query, *fragment)
        text, expected = "", []
        for name, written in parts:
            if name:
                expected.append((name, len(text), len(text) + len(written)))
            text += written
        assert [(piece.name, piece.start, piece.end) for piece in explain(text + " ").pieces] == expected, text


def inputs(name: str) -> list[str]:
    rows: list[dict[str, Any]] = [
        json.loads(line) for line in (URL_DATA / name).read_text(encoding="utf-8").splitlines()
    ]
    texts = [row[key] for row in rows for key in ("input", "base", "reference", "url") if isinstance(row.get(key), str)]
    return list(dict.fromkeys(texts))


@pytest.mark.parametrize(("name", "least"), [("curl.jsonl", 500), ("peers.jsonl", 1500)])
def test_whatever_other_libraries_are_tested_with_is_explained(name: str, least: int) -> None:
    found = [explain(text) for text in inputs(name)]
    assert len(found) >= least
    for one in found:
        assert len(one.readings) == 4
        assert all(reading.accepted or reading.diagnostics for reading in one.readings)
        assert one.host_differs == any(difference.loud for difference in one.differences)


def test_whatever_is_generated_is_explained() -> None:
    for text in texts(10, 800):
        found = explain(text)
        for piece in found.pieces:
            assert 0 <= piece.start < piece.end <= len(text)
        assert [piece.start for piece in found.pieces] == sorted(piece.start for piece in found.pieces)
