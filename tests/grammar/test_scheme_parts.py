"""The rest of a URL behind its host or colon: cut into pieces as each scheme's clause says (RFC 1738 3.2 - 3.11)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from anyurl.grammar import bnf
from anyurl.grammar.examination import Examination
from anyurl.grammar.scheme_parts import TAB, TAILS, WITHOUT_HOST
from tests.rows import each_row

DRAFT = "rfc1738-draft07"

Told = tuple[str, tuple[int, int], str, str]


def examined(scheme: str, rest: str, grammar: str = "rfc1738") -> Examination:
    ex = Examination(rest, bnf.load(grammar))
    ex.scheme = scheme
    TAILS[scheme](ex, 0, len(rest))
    return ex


def pieces(scheme: str, rest: str) -> list[tuple[str, str]]:
    return [(piece.name, rest[piece.start : piece.end]) for piece in examined(scheme, rest).pieces]


def told(scheme: str, rest: str, grammar: str = "rfc1738") -> list[Told]:
    return [(one.code, one.span, one.rule, one.section) for one in examined(scheme, rest, grammar).diagnostics]


def test_there_is_one_for_each_scheme_that_the_rfc_defines() -> None:
    """RFC 1738 3: the list of schemes."""
    assert sorted(TAILS) == [
        "file", "ftp", "gopher", "http", "mailto", "news", "nntp", "prospero", "telnet", "wais",
    ]  # fmt: skip
    defined = {name.removesuffix("url") for name in bnf.load("rfc1738").productions if name.endswith("url")}
    assert set(TAILS) <= defined
    assert {"mailto", "news"} == WITHOUT_HOST
    assert TAB == "%09"


CUT: list[tuple[str, str, list[tuple[str, str]]]] = [
    # 3.2.2: cwd/.../name;type=a
    ("ftp", "", []),
    ("ftp", "/", [("path", "")]),
    ("ftp", "/%2Fetc/motd", [("path", "%2Fetc/motd")]),
    ("ftp", "/etc/motd;type=a", [("path", "etc/motd"), ("typecode", "a")]),
    ("ftp", ";type=i", [("path", ""), ("typecode", "i")]),
    ("ftp", "/a;TYPE=D", [("path", "a"), ("typecode", "D")]),
    ("ftp", "/a;type=a;type=i", [("path", "a;type=a"), ("typecode", "i")]),
    ("ftp", "/a;type=a/b", [("path", "a;type=a/b")]),
    ("ftp", "/a;type=a;b", [("path", "a;type=a;b")]),
    ("ftp", "/a;type=", [("path", "a"), ("typecode", "")]),
    # 3.10: directory/.../name
    ("file", "/etc/motd", [("path", "etc/motd")]),
    ("file", "/a;type=a?b", [("path", "a;type=a?b")]),
    # 3.3: path?search
    ("http", "", []),
    ("http", "/", [("path", "")]),
    ("http", "/a/b", [("path", "a/b")]),
    ("http", "/a?b?c", [("path", "a"), ("search", "b?c")]),
    ("http", "/?", [("path", ""), ("search", "")]),
    ("http", "?b", [("path", ""), ("search", "b")]),
    # 3.4.1 - 3.4.3: a type, a selector, a search, a Gopher+ string
    ("gopher", "", []),
    ("gopher", "/", []),
    ("gopher", "/1", [("gtype", "1"), ("selector", "")]),
    ("gopher", "/0a/b?c", [("gtype", "0"), ("selector", "a/b?c")]),
    ("gopher", "1a", [("gtype", "1"), ("selector", "a")]),
    ("gopher", "/%31a", [("gtype", "%31"), ("selector", "a")]),
    ("gopher", "/7a%09words", [("gtype", "7"), ("selector", "a"), ("search", "words")]),
    ("gopher", "/7%09", [("gtype", "7"), ("selector", ""), ("search", "")]),
    ("gopher", "/1a%09b%09+c", [("gtype", "1"), ("selector", "a"), ("search", "b"), ("gopher+", "+c")]),
    ("gopher", "/1%09%09", [("gtype", "1"), ("selector", ""), ("search", ""), ("gopher+", "")]),
    ("gopher", "/1%09%09a%09b", [("gtype", "1"), ("selector", ""), ("search", ""), ("gopher+", "a%09b")]),
    # 3.5
    ("mailto", "user@host", [("address", "user@host")]),
    ("mailto", "", [("address", "")]),
    # 3.6
    ("news", "*", [("group", "*")]),
    ("news", "comp.lang.c", [("group", "comp.lang.c")]),
    ("news", "1@host.dom", [("unique", "1"), ("host", "host.dom")]),
    ("news", "a@b@host.dom", [("unique", "a@b"), ("host", "host.dom")]),
    ("news", "//host/a", []),
    # 3.7
    ("nntp", "", []),
    ("nntp", "/comp.lang.c", [("group", "comp.lang.c")]),
    ("nntp", "/comp.lang.c/123", [("group", "comp.lang.c"), ("number", "123")]),
    ("nntp", "/a/1/2", [("group", "a"), ("number", "1/2")]),
    # 3.8
    ("telnet", "", []),
    ("telnet", "/", []),
    # 3.9
    ("wais", "/db", [("database", "db")]),
    ("wais", "/db?a/b?c", [("database", "db"), ("search", "a/b?c")]),
    ("wais", "/db/t/p/q?r", [("database", "db"), ("wtype", "t"), ("wpath", "p/q?r")]),
    ("wais", "/db/t", [("database", "db"), ("wtype", "t")]),
    ("wais", "/", [("database", "")]),
    # 3.11
    ("prospero", "/a/b", [("name", "a/b")]),
    ("prospero", "/a;b=c", [("name", "a"), ("field", "b"), ("value", "c")]),
    ("prospero", "/a;b=c;d=e=f", [("name", "a"), ("field", "b"), ("value", "c"), ("field", "d"), ("value", "e=f")]),
    ("prospero", "/a;b", [("name", "a"), ("field", "b")]),
    ("prospero", "/", [("name", "")]),
]


@each_row(("scheme", "rest", "expected"), CUT, ids=[f"{row[0]} {row[1]}" for row in CUT])
def test_the_rest_is_cut_where_the_clause_says(scheme: str, rest: str, expected: list[tuple[str, str]]) -> None:
    assert pieces(scheme, rest) == expected


SAID: list[tuple[str, str, list[Told]]] = [
    ("ftp", "", []),
    ("ftp", "/a;type=d", []),
    ("ftp", "/a;type=", [("typecode", (8, 8), "ftptype", "RFC 1738 3.2.2")]),
    ("ftp", "/a;type=x", [("typecode", (8, 9), "ftptype", "RFC 1738 3.2.2")]),
    ("ftp", "/a;type=ai", [("typecode", (8, 10), "ftptype", "RFC 1738 3.2.2")]),
    ("ftp", "/a;Type=a", [("typecode-case", (2, 8), "ftpurl", "RFC 1738 3.2.2")]),
    ("ftp", "/a;b", [("reserved", (2, 3), "fpath", "RFC 1738 3.2.2")]),
    ("ftp", "/a;type=a/b", [("reserved", (2, 3), "fpath", "RFC 1738 3.2.2")]),
    ("file", "", [("path-missing", (0, 0), "fileurl", "RFC 1738 3.10")]),
    ("file", "/", []),
    ("file", "/a;b", [("reserved", (2, 3), "fpath", "RFC 1738 3.2.2")]),
    ("http", "/a;b:c@d&e=f", []),
    ("http", "/a b", [("space", (2, 3), "xchar", "RFC 1738 2.2")]),
    ("http", "/?a/b", [("reserved", (3, 4), "search", "RFC 1738 3.3")]),
    ("http", "/?a?b", [("reserved", (3, 4), "search", "RFC 1738 3.3")]),
    ("gopher", "/%09", [("gtype", (1, 4), "gtype", "RFC 1738 3.4.1")]),
    ("gopher", "/ x", [("space", (1, 2), "xchar", "RFC 1738 2.2")]),
    ("gopher", "/1%0A", [("selector-octet", (2, 5), "selector", "RFC 1738 3.4.1")]),
    ("gopher", "/1\u00e9", [("not-ascii", (2, 3), "xchar", "RFC 1738 2.2")]),
    ("gopher", "/7%09a?b/c", [("reserved", (6, 7), "search", "RFC 1738 5"), ("reserved", (8, 9), "search",
     "RFC 1738 5")]),
    ("gopher", "/1%09%09<", [("unsafe", (8, 9), "xchar", "RFC 1738 2.2")]),
    ("mailto", "", [("address-missing", (0, 0), "encoded822addr", "RFC 1738 3.5")]),
    ("mailto", "a b", [("space", (1, 2), "xchar", "RFC 1738 2.2")]),
    ("mailto", "a", [("address", (1, 1), "encoded822addr", "RFC 1738 3.5")]),
    ("news", "", [("group-missing", (0, 0), "group", "RFC 1738 3.6")]),
    ("news", "9a", [("group-start", (0, 1), "group", "RFC 1738 3.6")]),
    ("news", "a**b*", [("group-character", (1, 3), "group", "RFC 1738 3.6"),
     ("group-character", (4, 5), "group", "RFC 1738 3.6")]),
    ("news", "a..b", [("group-part", (1, 3), "group", "RFC 1738 3.6")]),
    ("news", "a-b.c+d_e9", []),
    ("news", "**", [("group-start", (0, 1), "group", "RFC 1738 3.6"),
     ("group-character", (1, 2), "group", "RFC 1738 3.6")]),
    ("news", "@h.dom", [("article", (0, 1), "article", "RFC 1738 3.6")]),
    ("news", "a@", [("host-empty", (2, 2), "host", "RFC 1738 3.1")]),
    ("news", "a@b@h.dom", [("reserved", (1, 2), "article", "RFC 1738 3.6")]),
    ("news", "a@h_.dom", [("host-character", (3, 4), "hostname", "RFC 1738 3.1")]),
    ("news", "a b@h.dom", [("space", (1, 2), "xchar", "RFC 1738 2.2")]),
    ("news", "//host/a", [("news-server", (0, 7), "newsurl", "RFC 1738 3.6")]),
    ("news", "//host", [("news-server", (0, 6), "newsurl", "RFC 1738 3.6")]),
    ("news", "//a@h.dom", []),
    ("nntp", "", [("path-missing", (0, 0), "nntpurl", "RFC 1738 3.7")]),
    ("nntp", "/", [("group-missing", (1, 1), "group", "RFC 1738 3.6")]),
    ("nntp", "/a/", [("article-number", (3, 3), "nntpurl", "RFC 1738 3.7")]),
    ("nntp", "/a/1x", [("article-number", (3, 5), "nntpurl", "RFC 1738 3.7")]),
    ("nntp", "/a/0", []),
    ("nntp", "/*", [("group-start", (1, 2), "group", "RFC 1738 3.6")]),
    ("telnet", "/a", [("path-forbidden", (1, 2), "telneturl", "RFC 1738 3.8")]),
    ("telnet", "?a", [("path-forbidden", (0, 2), "telneturl", "RFC 1738 3.8")]),
    ("wais", "", [("path-missing", (0, 0), "waisurl", "RFC 1738 3.9")]),
    ("wais", "/db;", [("reserved", (3, 4), "database", "RFC 1738 5")]),
    ("wais", "/db?a/b", [("reserved", (5, 6), "search", "RFC 1738 5")]),
    ("wais", "/db/t", [("wpath-missing", (5, 5), "waisdoc", "RFC 1738 3.9")]),
    ("wais", "/db/t/p", []),
    ("wais", "/db/t/p/q", [("reserved", (7, 8), "wpath", "RFC 1738 5")]),
    ("prospero", "", [("path-missing", (0, 0), "prosperourl", "RFC 1738 3.11")]),
    ("prospero", "/a;b=c", []),
    ("prospero", "/a;b", [("field", (2, 4), "fieldspec", "RFC 1738 3.11")]),
    ("prospero", "/a;b=c=d", [("reserved", (6, 7), "fieldvalue", "RFC 1738 5")]),
]  # fmt: skip


@each_row(("scheme", "rest", "expected"), SAID, ids=[f"{row[0]} {row[1]!a}" for row in SAID])
def test_what_is_wrong_with_the_rest(scheme: str, rest: str, expected: list[Told]) -> None:
    assert told(scheme, rest) == expected


@each_row(
    ("scheme", "rest", "message", "fix"),
    [
        ("file", "", "a file URL needs a path after its host: file://host/path", "/"),
        ("nntp", "", "an nntp URL needs a path after its host: nntp://host/group/number", None),
        ("wais", "", "a wais URL needs a path after its host: wais://host/database", None),
        ("ftp", "/a;TYPE=a", '";type=" must be in lower case', ";type="),
        ("ftp", "/a;type=x", "the type of an ftp URL must be a (text), i (octets) or d (a listing)", None),
        ("ftp", "/a;b", '";" must be encoded in a name of an ftp URL: %3B', "%3B"),
        ("file", "/a;b", '";" must be encoded in a name of a file URL: %3B', "%3B"),
        ("http", "/?/", '"/" must be encoded in the search part of an http URL: %2F', "%2F"),
        ("gopher", "/%09", ("the type of a gopher item must be one character; an encoded tab may only follow its "
         "selector"), None),
        ("gopher", "/7%09/", '"/" must be encoded in the search string of a gopher URL: %2F', "%2F"),
        ("mailto", "", "a mailto URL needs an address: mailto:user@host", None),
        ("news", "//h/a", "a news URL can't name a server; an nntp URL can, and so can a news URL of RFC 5538", None),
        ("news", "@h.dom", 'the part of a message identifier before its "@" may not be empty', None),
        ("news", "a@b@h.dom", 'a message identifier contains "@" only once; encode any other as %40', "%40"),
        ("news", "a@", 'a full domain name must follow the "@"', None),
        ("news", "", 'the name of a newsgroup is missing; "*" means all groups', None),
        ("nntp", "/", "the name of a newsgroup is missing", None),
        ("news", "9a", "the name of a newsgroup must start with a letter", None),
        ("news", "a*", "the name of a newsgroup consists of - . + _, letters and digits", None),
        ("nntp", "/a/x", "the number of an article must consist of decimal digits", None),
        ("telnet", "?", "nothing may follow the host of a telnet URL", ""),
        ("telnet", "/a", 'nothing may follow the "/" of a telnet URL', ""),
        ("wais", "/d/t", "a WAIS document needs a type and a path: wais://host/database/type/path", None),
        ("wais", "/d;", '";" must be encoded in a WAIS database: %3B', "%3B"),
        ("prospero", "/a;b", ('a field of a prospero URL needs a "=" between its name and its value; encode other '
         "semicolons as %3B"), "%3Bb"),
    ],
)  # fmt: skip
def test_the_words_about_the_rest(scheme: str, rest: str, message: str, fix: str | None) -> None:
    assert [(one.message, one.fix) for one in examined(scheme, rest).diagnostics] == [(message, fix)]


def test_the_draft_is_cut_alike() -> None:
    assert told("http", "/a~b", DRAFT) == [("unsafe", (2, 3), "national", f"{bnf.load(DRAFT).reference} 2.2")]
    assert told("file", "", DRAFT) == []
    assert told("gopher", "/1%0A", DRAFT)[0][0] == "selector-octet"


REST = st.text("a9/;?:@&=%*.-_ ~<\u00e9", max_size=12)


@given(st.sampled_from(sorted(TAILS)), REST)
def test_what_has_no_error_is_what_the_production_accepts(scheme: str, rest: str) -> None:
    """The productions are matched whole by the automaton of the data, which is independent of these cuts."""
    head = "" if scheme in WITHOUT_HOST else "//h.dom"
    if head and rest[:1] not in ("", "/"):
        rest = f"/{rest}"
    text = f"{scheme}:{head}{rest}"
    ex = Examination(text, bnf.load("rfc1738"))
    ex.scheme = scheme
    start = len(scheme) + 1 + len(head)
    TAILS[scheme](ex, start, len(text))
    by_prose = {"address", "selector-octet"}
    errors = [one for one in ex.diagnostics if one.severity == "error" and one.code not in by_prose]
    assert (not errors) is ex.matcher(f"{scheme}url").accepts(text), [str(one) for one in ex.diagnostics]
    for piece in ex.pieces:
        assert start <= piece.start <= piece.end <= len(text)
    for one in ex.diagnostics:
        assert start <= one.span[0] <= one.span[1] <= len(text)
