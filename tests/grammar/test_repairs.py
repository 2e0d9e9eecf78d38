"""What a repair does to a text, each change with its place, and that it never decides about a host in silence."""

from __future__ import annotations

import re

import pytest

from anyurl.errors import URLSyntaxError
from anyurl.grammar import diagnose, fix, repair
from anyurl.url import URL
from anyurl.url.syntax import check
from tests.grammar.explained import rows
from tests.grammar.strings import texts
from tests.rows import each_row

REPAIRS = [
    ("http://host.dom/", "http://host.dom/", "", "nothing to do"),
    ("<URL:http://host.dom/x>", "http://host.dom/x", "wrapper 0-1, wrapper 1-5, wrapper 22-23", "the wrapper"),
    ("URL:http://host.dom/", "http://host.dom/", "wrapper 0-4", "half a wrapper"),
    (
        "url: http://host.dom/ ",
        "http://host.dom/",
        "wrapper 0-4, white-space 4-5, white-space 21-22",
        "in any case, with a space",
    ),
    ("<http://host.dom/>", "http://host.dom/", "wrapper 0-1, wrapper 17-18", "only brackets"),
    (
        "< URL:URL:http://h/ >",
        "http://h/",
        "wrapper 0-1, white-space 1-2, wrapper 2-10, white-space 19-20, wrapper 20-21",
        "twice",
    ),
    (
        "<URL:ftp://ds.in\n      ternic.net/rfc>",
        "ftp://ds.internic.net/rfc",
        "wrapper 0-1, wrapper 1-5, white-space 16-23, wrapper 37-38",
        "broken in the host, as in the RFC's appendix",
    ),
    (
        "<http://host.dom/a b>",
        "http://host.dom/ab",
        "wrapper 0-1, white-space 18-19, wrapper 20-21",
        "in a wrapper white space is ignored",
    ),
    ("http://host.dom/a b", "http://host.dom/a%20b", "encoded 17-18", "outside of one a space is encoded"),
    ("http://host.dom/a\n  b", "http://host.dom/ab", "white-space 17-20", "and a line end ignored"),
    ("http://host.dom/a\tb", "http://host.dom/ab", "white-space 17-18", "a tab, too"),
    ("  http://host.dom/\r\n", "http://host.dom/", "white-space 0-2, white-space 18-20", "white space around"),
    (
        "http:\\\\host.dom\\a\\b?c\\d",
        "http://host.dom/a/b?c%5Cd",
        "backslash 5-7, backslash 15-16, backslash 17-18, encoded 21-22",
        "backslashes before the query",
    ),
    (
        "gopher://host.dom/0a\\b",
        "gopher://host.dom/0a%5Cb",
        "encoded 20-21",
        "a backslash that no browser takes for a slash",
    ),
    ("http:host.dom/x", "http://host.dom/x", "slashes 5-5", "no slashes"),
    ("https:///host.dom/x", "https://host.dom/x", "slashes 6-9", "three slashes"),
    ("file:/etc/motd", "file:/etc/motd", "", "a file URL may do without"),
    (
        'http://host.dom/{a}|b^`"<>',
        "http://host.dom/%7Ba%7D%7Cb%5E%60%22%3C%3E",
        "encoded 16-17, encoded 18-20, encoded 21-26",
        "unsafe characters",
    ),
    ("http://host.dom/50%", "http://host.dom/50%25", "encoded 18-19", "a bare percent sign"),
    ("http://host.dom/%zz%41", "http://host.dom/%25zz%41", "encoded 16-19", "one that starts no escape"),
    ("http://host.dom/a#b#c", "http://host.dom/a#b%23c", "encoded 19-20", "a second #"),
    ("http://host.dom/[1]", "http://host.dom/%5B1%5D", "encoded 16-17, encoded 18-19", "brackets in a path"),
    ("http://host.dom/\x01", "http://host.dom/%01", "encoded 16-17", "a control character"),
    ("http://host.dom/é", "http://host.dom/%C3%A9", "", "not ASCII: read as it is, no repair"),
    (
        "http://u{er:p|w@host.dom/",
        "http://u%7Ber:p%7Cw@host.dom/",
        "encoded 8-9, encoded 13-14",
        "in a user name and password",
    ),
    ("mailto:a@c?subject=a b", "mailto:a@c?subject=a%20b", "encoded 20-21", "a scheme without a host"),
]

BARED = [
    ("mailto:a@b.example, c@d.example", "mailto:a@b.example,c@d.example"),
    ("mailto:a@b.example ,c@d.example , ", "mailto:a@b.example,c@d.example,"),
    ("mailto:a@b.example;c@d.example", "mailto:a@b.example,c@d.example"),
    ("mailto:Joe <j@b.example>", "mailto:j@b.example"),
    ("mailto:<j@b.example>, Joe Doe <k@b.example>?cc=x@y.example", "mailto:j@b.example,k@b.example?cc=x@y.example"),
    ("mailto:a@b.example?subject=50% & more", "mailto:a@b.example?subject=50%25%20%26%20more"),
    ("mailto:a@b.example?subject=a & b&cc=c@d.example", "mailto:a@b.example?subject=a%20%26%20b&cc=c@d.example"),
    ("news:<abc@h.example>", "news:abc@h.example"),
    ("snews://h.example/<abc@h.example>", "snews://h.example/abc@h.example"),
    ("<news:abc@h.example>", "news:abc@h.example"),
]


@each_row(("text", "fixed"), BARED)
def test_addresses_and_identifiers_lose_what_is_around_them(text: str, fixed: str) -> None:
    assert str(fix(text)) == fixed
    assert fix(fixed).parts == URL(fixed).parts


REFUSED = [
    ("mailto:a b@c", "needs a quoted local part"),
    ("mailto:a@b.example&subject=x", "the first header field follows a '?'"),
    ("news:a.b/12", "an article is named by its number in nntp://"),
    ("news:<a b@c.example>", "holds a space"),
    ("nntp://h/a b", "holds a space"),
    ("nntp://h/a.b/<x@y>", "news://host/identifier names it"),
    ("nntp://h/a.b/x" + "y" * 1000, "an article number has 1 to 16 digits"),
    ("gopher://h/0a\0b", "NUL"),
    ("ftp://h/a\0b", "NUL"),
    ("dict://h/d:\0", "NUL"),
]


@each_row(("text", "reason"), REFUSED, ids=ascii)
def test_a_repair_that_leads_to_the_next_error_is_none(text: str, reason: str) -> None:
    with pytest.raises(URLSyntaxError, match=re.escape(reason)) as caught:
        fix(text)
    assert caught.value.text == text


def corpus() -> list[str]:
    """The texts of which all is explained, those of this module, and some behind each scheme."""
    texts = [row["text"] for row in rows()]
    texts += [row[0] for row in (*REPAIRS, *BARED, *REFUSED)]
    for scheme in ("mailto:", "news:", "nntp://h/", "gopher://h/", "ftp://h/", "dict://h/", "wais://h/", "gemini://h/",
                   "telnet://h/", "prospero://h/", "file:///", "data:"):  # fmt: skip
        for piece in ("a", "a b", "a@b", "<a@b>", "a@b, c@d", "a/b", "a/1", "a\0b", "a\rb", "?", "a?b=c&d", "%", "é",
                      ";type=x", "d:a:b:c:d:e", "0a\tb", "a;b", "//", "\x7f", '"a"@b', "a@b?&x=y&"):  # fmt: skip
            texts.append(scheme + piece)
    return texts


def test_what_is_fixed_passes_the_check_of_its_scheme() -> None:
    passed = 0
    for text in corpus():
        for guess in (False, True):
            try:
                url = fix(text, guess)
            except URLSyntaxError:
                continue
            check(url)
            passed += 1
    assert passed > 200


@each_row(("text", "url", "changes", "reason"), REPAIRS, ids=[row[3] for row in REPAIRS])
def test_a_repair(text: str, url: str, changes: str, reason: str) -> None:
    repaired = repair(text)
    assert str(repaired.url) == url
    assert ", ".join(f"{one.code} {one.span[0]}-{one.span[1]}" for one in repaired.changes) == changes
    assert not repaired.host_changed
    assert fix(text) == repaired.url
    assert repaired.text == text
    for one in repaired.changes:
        assert one.message
        assert text[slice(*one.span)] == one.before


GUESSES = [
    ("www.host.dom/a b", "https://www.host.dom/a%20b", "https:// before www."),
    ("example.com", "https://example.com", "https:// before a host"),
    ("localhost:8080/x", "http://localhost:8080/x", "http:// before this machine"),
    ("C:\\data\\me", "file:///C:/data/me", "file:/// before a drive"),
    ("WWW.host.dom", "https://WWW.host.dom", "in any case"),
    ("ftp.host.dom/pub", "ftp://ftp.host.dom/pub", "ftp:// before ftp."),
    ("<www.host.dom>", "https://www.host.dom", "inside a wrapper"),
]


@pytest.mark.parametrize(("text", "url", "reason"), GUESSES, ids=[row[2] for row in GUESSES])
def test_a_scheme_is_guessed_only_when_asked(text: str, url: str, reason: str) -> None:
    assert str(fix(text, guess_scheme=True)) == url
    assert "scheme" in [one.code for one in repair(text, guess_scheme=True).changes]
    if reason != "http:// before this machine":  # to the grammar that is a URL
        with pytest.raises(URLSyntaxError, match=r"no scheme|Windows path"):
            fix(text)


UNCLEAR = [
    ("http://good.dom\\@evil.dom/", 'host is meant: "evil.dom" or "good.dom"', "a backslash before an @"),
    ("http://user@good.dom:80\\@evil.dom/", 'host is meant: "evil.dom" or "good.dom"', "the same behind a port"),
    ("http:\\\\good.dom\\@evil.dom", 'host is meant: "evil.dom" or "good.dom"', "backslashes all along"),
    ("http://good.dom\t@evil.dom/", 'host is meant: "evil.dom" or "good.dom"', "a tab, which some take out"),
    ("http://good.dom @evil.dom/", 'host is meant: "evil.dom" or "good.dom"', "a space, which ends a URL in a text"),
    ("<http://good.dom @evil.dom/>", 'host is meant: "evil.dom" or "good.dom"', "the same in a wrapper"),
    ("http://exam\nple.dom/", 'host is meant: "example.dom" or "exam"', "the end of a line, without a wrapper"),
    ("http://good.dom?@evil.dom/ x", 'host is meant: "evil.dom" or "good.dom"', "a ? in what may be a user name"),
    ("http://good.dom#@evil.dom/ x", 'host is meant: "evil.dom" or "good.dom"', "a #"),
    ("http://good.dom／@evil.dom/ x", 'host is meant: "evil.dom" or "good.dom"', "a fullwidth solidus"),
    ("http://faß.dom/ x", 'host is meant: "xn--fa-hia.dom" or "fass.dom"', "two versions of IDNA"),
    ("http://us er@host.dom/", 'host is meant: "host.dom" or "us"', "a space in a user name"),
    ("http://u\x01er@host.dom\\x", "host is meant", "a control character in it"),
    ("http://user:p@ss\\@evil.dom/", '"evil.dom" or a part of what may be a password', "nothing of a password"),
    ("http://user:p@ss word@evil.dom/", '"evil.dom" or a part of what may be a password', "where the text is cut"),
]  # fmt: skip


@each_row(("text", "message", "reason"), UNCLEAR, ids=[row[2] for row in UNCLEAR])
def test_nothing_is_repaired_where_the_host_is_unclear(text: str, message: str, reason: str) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        fix(text)
    assert message in str(caught.value)
    assert not any(one.fix for one in diagnose(text, "current") if one.severity == "error")


def test_a_repair_that_decides_about_the_host_says_so() -> None:
    repaired = repair("http://good.dom\\@evil.dom/")
    assert repaired.host_changed
    assert repaired.url.host == "good.dom"
    change = next(one for one in repaired.changes if one.code == "host")
    assert change.message == 'it is unclear which host is meant: "evil.dom" or "good.dom"'
    assert change.message in str(repaired.refusal())


def test_a_repair_that_decides_nothing_about_the_host_has_no_refusal() -> None:
    with pytest.raises(ValueError, match="nothing to refuse"):
        repair("http://host/a b").refusal()


REFUSED = [
    ("", "an empty text is not a URL", "nothing"),
    ("http://exam ple.dom/", "a URL can't contain a space", "which of the two hosts?"),
    ("http://exa{m}ple.dom/", "a URL may contain none of", "nothing in a host is encoded"),
    ("http://host.dom:99999/a b", "a port is at most 65535", "no port is made up"),
    ("http://2130706433/", "a host whose last label is a number", "no number is turned into an address"),
    ("http://u@x@host.dom/", "an authority can contain only one '@'", "two @"),
    ("C:\\dir\\file", "this is a Windows path", "not a URL at all"),
    ("not a url", "the text has no scheme", "no scheme"),
    ("http://host.dom/\ud800", "a lone surrogate", "no octets"),
]


@each_row(("text", "message", "reason"), REFUSED, ids=[row[2] for row in REFUSED])
def test_what_is_not_repaired(text: str, message: str, reason: str) -> None:
    for call in (fix, repair):
        with pytest.raises(URLSyntaxError) as caught:
            call(text)
        assert str(caught.value).startswith(message)
        assert caught.value.text == text


def test_a_character_of_a_password_is_not_named() -> None:
    messages = [one.message for one in repair("http://u:p{w@host.dom/{").changes]
    assert messages == ["a character of the user name or password was encoded", '"{" was encoded']


def test_a_repaired_text_is_a_url_and_needs_no_second_repair() -> None:
    count = 0
    for text in texts(12, 2000):
        try:
            repaired = repair(text)
        except URLSyntaxError as error:
            assert error.diagnostics[0].severity == "error"
            continue
        count += bool(repaired.changes)
        again = repair(str(repaired.url))
        assert (again.url, again.changes) == (repaired.url, ())
        assert not any(one.severity == "error" for one in diagnose(str(repaired.url), "current"))
        assert [one.span for one in repaired.changes] == sorted(one.span for one in repaired.changes)
    assert count > 150


def test_a_text_is_mended_to_the_letter_of_a_grammar() -> None:
    url = fix("<URL:wais://host.dom/a;b>", grammar="rfc1738")
    assert (str(url), url.grammar) == ("wais://host.dom/a%3Bb", "rfc1738")
    assert str(fix("http://host.dom/~a")) == "http://host.dom/~a"
