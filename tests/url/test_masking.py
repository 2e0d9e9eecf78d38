"""What could be a login is masked, in whatever scheme, and nothing else is."""

from __future__ import annotations

import random

import pytest

from anyurl.cli.terminal import caret
from anyurl.errors import URLSyntaxError
from anyurl.grammar import GRAMMARS, diagnose, parse
from anyurl.url import URL
from anyurl.url.masking import mask
from tests.rows import each_row

SCHEMES = ("http://", "ftp://", "telnet://", "x-y://", "ftps:///", "https:", "https:/", "https:\\\\")
PIECES = (*"ah8:?&=;/#@\\[é", "%3A", "%2F")


@each_row(
    ("text", "shown"),
    [
        ("sip:bob:pw@h", "sip:bob:***@h"),
        ("SIPS:bob:pw@h;x=y?z", "SIPS:bob:***@h;x=y?z"),
        ("view-source:http://bob:pw@h/", "view-source:http://bob:***@h/"),
        ("view-source:sip:bob:pw@h", "view-source:sip:***@h"),
        ("http://bob:pw@h/http://eve:pw@i/", "http://bob:***@h/http://eve:***@i/"),  # pasted as one argument
        ("http://h/http://eve:pw@i/", "http://h/http://eve:***@i/"),
        ("http://h/?u=http://eve:pw@i/", "http://h/?u=http://eve:***@i/"),
        ("http://h/#ftp://eve:pw@i/", "http://h/#ftp://eve:***@i/"),
        ("http://h/sip:bob:pw@i", "http://h/sip:bob:***@i"),
        ("foo:a:p@w@h", "foo:a:***@h"),
        ("mailto:bob:pw@h", "mailto:bob:***@h"),
        ("http://h/?x=sip:bob:pw@i", "http://h/?x=sip:bob:***@i"),  # behind any delimiter
        ("http://h/(sip:bob:pw@i)", "http://h/(sip:bob:***@i)"),
        ("http://h/?u=http%3A%2F%2Fbob%3Apw%40i%2F&v=1", "http://h/?u=http%3A%2F%2Fbob%3A***%40i%2F&v=1"),
        ("http://h/?u=http%3a%2f%2fbob:pw@i%2f", "http://h/?u=http%3a%2f%2fbob:***@i%2f"),
        ("ftp://h/%2F%2Fa/%2F%2Fbob%3Apw%40i", "ftp://h/%2F%2Fa/%2F%2Fbob%3A***%40i"),
        ("bob:pw@h", "bob:***@h"),  # a login without a scheme reads as one
        ("http://bob%3Apw@h/", "http://bob%3A***@h/"),  # user and password pasted as the user
        ("sip:bob%3apw@h", "sip:bob%3a***@h"),
        ("http://a?b:pw@h/", "http://a?b:***@h/"),  # RFC 1738 5: the user "a?b"
        ("http://h/?u=http://bob%3apw@i/", "http://h/?u=http://bob%3a***@i/"),
        # what is no login
        ("mailto:%22a:b%22@h", "mailto:%22a:b%22@h"),
        ("news:a:b@h", "news:a:b@h"),
        ("mailto:bob@h?subject=a:b@c", "mailto:bob@h?subject=a:b@c"),
        ("http://h:80/@a", "http://h:80/@a"),
        ("http://h/a:b@c", "http://h/a:b@c"),
        ("sip:bob@h:5060", "sip:bob@h:5060"),
        ("http://[::1]/@", "http://[::1]/@"),
        ("xmpp:bob@h", "xmpp:bob@h"),
        ("acct:bob@h", "acct:bob@h"),
        ("iax:bob@h", "iax:bob@h"),
        ("http://h/?u=http%3A%2F%2Fi%3A80%2F%40a", "http://h/?u=http%3A%2F%2Fi%3A80%2F%40a"),
    ],
)
def test_what_could_be_a_password_is_masked(text: str, shown: str) -> None:
    url = URL(text)
    assert (url.masked, repr(url), mask(shown)) == (shown, f"URL({shown!r})", shown)
    assert caret.masked(text) == shown or text.count("pw") > 1  # the command shows all between two as one


@pytest.mark.parametrize(
    "text",
    [
        "http://a:one@b http://bob:s3cret@h/",
        "http://a:one@b/ x sip:bob:s3cret@h",
        "sip:bob:s3cret@h //a:one@b",
        "http://bob:s3cret%40h/",
        "http%3A%2F%2Fbob%3As3cret%40h%2F",
    ],
)
def test_of_several_logins_no_password_is_shown_and_of_an_encoded_one(text: str) -> None:
    faults = [diagnose(text, grammar) for grammar in GRAMMARS]
    shown = "\n".join(line for found in faults for line, _ in caret.point_out(text, found))
    assert "s3cret" not in shown + caret.masked(text)
    assert "one" not in caret.masked(text)


@pytest.mark.parametrize("text", ["sip:bob:s3cret@h o", "foo:bob:s3cret@h\\", "view-source:http://bob:s3cret@h/ x"])
def test_so_is_it_in_a_text_that_is_no_url(text: str) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        URL(text)
    shown = "\n".join(line for line, _ in caret.point_out(text, caught.value.diagnostics))
    assert "s3cret" not in shown + mask(text) + str(caught.value) + repr(caught.value)


def test_masking_is_linear() -> None:
    for text in ("//a%3A" * 11_000 + "@", " a:b%3A" * 9_000 + "@", "a:%3" * 16_000 + "@"):
        assert len(mask(text)) <= len(text) + 3
    for text in ("//a:" * 16_000 + "@", " a:b:" * 13_000, "/mailto:a" * 7_000, "a:" * 30_000 + "@"):
        assert len(mask(text)) <= len(text) + 3
    for block in (",mailto:a", ",a:b", "%2F%2Fa%3A", "%2F%2F", "//%2F%2F", ",a:b:c"):
        text = block * (64_000 // len(block))
        assert mask(text + "/@") == text + "/@"


def test_what_any_grammar_reads_as_a_password_is_masked() -> None:
    rng, found = random.Random(0), 0
    for _ in range(1_500):
        user, more = ("".join(rng.choices(PIECES, k=3)) for _ in range(2))
        text = f"{rng.choice(SCHEMES)}{user.replace('@', '')}:s3cret{more}@h/"
        for grammar in GRAMMARS:
            try:
                url = parse(text, grammar)
            except URLSyntaxError as error:
                assert "s3cret" not in str(error)
                continue
            if "s3cret" in (url.password or ""):
                assert "s3cret" not in mask(text) + url.masked + repr(url), text
                found += 1
    assert found > 300
