from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given

from anyurl.errors import UnsupportedError, URLSyntaxError
from anyurl.grammar import GRAMMARS, parse
from anyurl.url import URL, compare
from tests.rows import each_row
from tests.url.everything import FILE
from tests.url.strategies import url_texts


@each_row(
    ("text", "normal"),
    [
        # case (RFC 3986 6.2.2.1)
        ("HTTP://EXAMPLE.com/Path?Q#F", "http://example.com/Path?Q#F"),
        ("http://h/%c3%bc%2f?%2b#%3a", "http://h/%C3%BC%2F?%2B#%3A"),
        # unreserved octets (6.2.2.2)
        ("HTTP://EXAMPLE.com:80/%7efoo", "http://example.com/~foo"),
        ("http://h/%41%2D%2E%5F%7E%30", "http://h/A-._~0"),
        ("http://%75ser:p%77@h/?%41#%41", "http://user:pw@h/?A#A"),
        ("http://h/%21%24%26", "http://h/%21%24%26"),
        # dot segments (6.2.2.3), where they mean nothing of their own
        ("http://h/a/./b/../c", "http://h/a/c"),
        ("https://h/../../c", "https://h/c"),
        ("http://h/%2e%2E/x", "http://h/x"),
        ("file:///a/../b", "file:///b"),
        ("file:/a/..//b", "file:/.//b"),
        ("foo://h/a/../b", "foo://h/b"),
        ("foo:/a/..//b", "foo:/.//b"),
        ("ftp://h/a/../b", "ftp://h/a/../b"),
        ("ftp://h/./%2E%2E/b", "ftp://h/./../b"),
        ("gopher://h/1/../b", "gopher://h/1/../b"),
        # ports and the empty path (6.2.3)
        ("http://h:80", "http://h/"),
        ("http://h:", "http://h/"),
        ("http://h:0080/", "http://h/"),
        ("http://h:00081/", "http://h:81/"),
        ("http://h?x", "http://h/?x"),
        ("https://h:80/", "https://h:80/"),
        ("ftp://h:21", "ftp://h/"),
        ("gopher://H:70", "gopher://h/1"),  # RFC 1738 3.4.1: no type is type 1
        ("gopher://h/", "gopher://h/1"),
        ("foo://h:80", "foo://h:80/"),
        ("foo://", "foo://"),
        ("ws://h/a/./../b", "ws://h/b"),
        ("wss://h:443/a/..", "wss://h/"),
        # what is different stays different
        ("ftp://@h/", "ftp://@h/"),
        ("ftp://u:@h/", "ftp://u:@h/"),
        ("http://h/?", "http://h/?"),
        ("http://h/#", "http://h/#"),
        ("http://h./", "http://h./"),
        # addresses (RFC 5952)
        ("http://[2001:0DB8:0:0:0:0:0:1]:80/", "http://[2001:db8::1]/"),
        ("http://[::FFFF:1.2.3.4]/", "http://[::ffff:102:304]/"),
        ("http://[V1.AB]/", "http://[v1.ab]/"),
        ("mailto:A@B?Subject=%41", "mailto:A@B?Subject=A"),
        ("news:A.B", "news:A.B"),
    ],
)
def test_a_url_has_a_normal_form(text: str, normal: str) -> None:
    url = URL(text)
    assert str(url.normalize()) == normal
    assert (url.normalize().normalize(), url.normalize().is_equivalent(url)) == (url.normalize(), True)


@pytest.mark.parametrize(
    ("grammar", "normal"),
    [
        # RFC 1738 2.2: '~' is unsafe, so it stays encoded, and is encoded where it stands bare
        ("current", "http://h/~a~b/A-B"),
        ("rfc1738", "http://h/%7Ea%7Eb/A-B"),
        ("rfc1738-draft07", "http://h/%7Ea%7Eb/A-B"),
        ("browser", "http://h/%7Ea~b/%41%2DB"),
    ],
)
def test_what_a_grammar_calls_unsafe_stays_encoded(grammar: str, normal: str) -> None:
    assert str(URL("http://h/%7ea~b/%41%2dB").normalize(grammar)) == normal


def test_an_unknown_grammar_is_an_error() -> None:
    with pytest.raises(
        UnsupportedError, match="There is no grammar 'x' here; there are current, rfc1738, rfc1738-draft07, browser"
    ):
        URL("http://h/").normalize("x")


@each_row(
    ("one", "other", "same"),
    [
        ("http://h/a", "http://h/b", False),
        ("HTTP://H:80", "http://h/", True),
        ("http://h/a", "https://h/a", False),
        ("http://h/", "http://h./", False),
        ("http://h/", "http://u@h/", False),
        ("ftp://h/", "ftp://@h/", False),
        ("ftp://u@h/", "ftp://u:@h/", False),
        ("ftp://u:a%62@h/", "ftp://%75:ab@h/", True),
        ("ftp://u:a@h/", "ftp://u:b@h/", False),
        ("http://[::1]/", "http://[0:0:0:0:0:0:0:1]/", True),
        ("http://[::ffff:1.2.3.4]/", "http://1.2.3.4/", False),
        ("http://h/#a", "http://h/#b", False),
        ("http://h/", "http://h/#", False),
        ("http://h/?", "http://h/", False),
        ("http://h/#%61", "http://h/#a", True),
        # RFC 1738 2.2: an encoded reserved octet is another URL
        ("http://h/a%2Fb", "http://h/a/b", False),
        ("http://h/a%2fb", "http://h/a%2Fb", True),
        ("http://h/a%3Bb", "http://h/a;b", False),
        ("http://h/a%3Fb", "http://h/a?b", False),
        ("http://h/?a%3Fb", "http://h/?a?b", False),
        ("http://h/a%3Db", "http://h/a=b", True),
        ("http://h/%7Ea", "http://h/~a", True),
        ("http://h/%2e%2e/a", "http://h/a", True),
        ("http://h/?a%26b", "http://h/?a&b", False),
        ("http://h/?a%2Bb", "http://h/?a+b", False),
        ("http://h/?a%2Cb", "http://h/?a,b", True),
        ("http://h/%2541", "http://h/%41", False),
        ("ftp://h/a%2Fb", "ftp://h/a/b", False),
        ("ftp://h/a%3Btype=a", "ftp://h/a;type=a", False),
        ("ftp://h/a%3Fb", "ftp://h/a?b", True),
        ("ftp://h/a%3Db", "ftp://h/a=b", True),
        ("ftp://h/a/../b", "ftp://h/b", False),
        ("ftp://h", "ftp://h/", True),
        ("ftp://h/%2F", "ftp://h//", False),
        ("file:///a%2Fb", "file:///a/b", False),
        ("file:///a%3Bb", "file:///a;b", True),
        ("file:///x", "file://localhost/x", True),
        ("file:///", "file://localhost", True),  # RFC 3986 6.2.3: no path behind a host is the path "/"
        ("file:///x", "file:/x", True),
        ("file:///x", "file://h/x", False),
        ("wais://h/a%3Fb", "wais://h/a?b", False),
        ("wais://h/a%2Fb", "wais://h/a/b", False),
        ("prospero://h/a%3Bb=c", "prospero://h/a;b=c", False),
        ("prospero://h/a;b%3Dc", "prospero://h/a;b=c", False),
        ("prospero://h/a%2Fb", "prospero://h/a/b", True),
        ("gopher://h/0a%2Fb", "gopher://h/0a/b", True),
        ("gopher://h/0a%3Bb", "gopher://h/0a;b", True),
        ("gopher://h:70", "gopher://h/", True),
        ("gopher://h", "gopher://h/1", True),
        ("gopher://h/", "gophers://h/1", False),
        ("gopher://h/0", "gopher://h/", False),
        ("gopher://h/0x%09%09", "gopher://h/0x%09", False),
        ("mailto:a%40b", "mailto:a@b", True),
        ("mailto:a%3Fb", "mailto:a?b", False),
        ("mailto:a?b%26c", "mailto:a?b&c", False),
        ("news:a%2Eb", "news:a.b", True),
        # what a scheme reads alike is the same
        ("ftp://h/a;b", "ftp://h/a%3Bb", True),
        ("ftp://h/a;%74ype=A", "ftp://h/a;type=a", True),
        ("ftp://h/a;type%3Da", "ftp://h/a;type=a", False),
        ("ftp://h/a;type=x", "ftp://h/a;type=%78", True),
        ("ftp://h/a;type=x", "ftp://h/a", False),
        ("prospero://h/a%3Db", "prospero://h/a=b", True),
        ("gopher://h/", "gopher://h/?", False),
        ("mailto:?", "mailto:", True),
        ("telnet://h", "telnet://h/", True),
        ("foo:a%2Cb", "foo:a,b", False),
        ("foo://h:1", "foo://h", False),
    ],
)
def test_equivalence_is_each_scheme_s_own(one: str, other: str, same: bool) -> None:
    a, b = URL(one), URL(other)
    assert (a.is_equivalent(b), b.is_equivalent(a)) == (same, same)


_NAMES = ("ftp", "ftps", "gopher", "gophers", "nntp", "nntps", "news", "snews", "wais", "prospero", "mailto", "telnet")
_PIECES: tuple[str, ...] = (
    *"ab10/?;=@:+*&,'.~_-", "..", "%2f", "%2F", "%41", "%61", "%2e", "%3f", "%3B", "%3d", "%40", "%3A", "%09", "%09%09",
    "%C3%A9", "%ff", ";type=a", ";TYPE=A", ";ty%70e=I", ";type%3da", "TEXT/", "1-5",
)  # fmt: skip


def _spelled_otherwise(rng: random.Random, pieces: list[str]) -> str:
    """The same with some characters encoded, some decoded, and escapes in the other case."""
    out = []
    for piece in pieces:
        if piece[0] != "%":
            out.append("".join(f"%{ord(char):02X}" if rng.random() < 0.1 else char for char in piece))
        elif len(piece) == 3 and "20" < piece[1:] < "7F" and rng.random() < 0.3:
            out.append(chr(int(piece[1:], 16)))
        else:
            out.append(piece.swapcase() if rng.random() < 0.5 else piece)
    return "".join(out)


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_equal_parts_are_equal_urls_and_the_normal_form_has_the_same(grammar: Any) -> None:
    rng, equal = random.Random(5), 0
    for _ in range(400):
        scheme = rng.choice(_NAMES)
        behind = rng.choice(("", "", "#", "#%41", "#%%341", "#a%3"))
        place = f"{scheme}:" if "news" in scheme or scheme == "mailto" else f"{scheme}://h{rng.choice(('', '/'))}"
        pieces = rng.choices(_PIECES, k=rng.randint(0, 6))
        found = []
        for text in ("".join(pieces), *(_spelled_otherwise(rng, pieces) for _ in range(3))):
            try:
                url = parse(place + text.replace("#", "") + behind, grammar)
                found.append((url, url.parts))
            except URLSyntaxError:
                continue
        for url, parts in found:
            normal = url.normalize()
            assert (normal.parts, normal.is_equivalent(url)) == (parts, True), (str(url), str(normal))
            for other, its_parts in found:
                same = (parts, url.host, url.user, url.fragment) == (its_parts, other.host, other.user, other.fragment)
                assert url.is_equivalent(other) is same, (str(url), str(other))
                equal += same
    assert equal > 500


@given(url_texts())
def test_what_looks_normal_is_what_normalizing_makes(text: str) -> None:
    url = URL(text)
    assert url.normalize() == compare.normalize(url, "current")


def test_what_looks_normal_in_the_whole_corpus_is_what_normalizing_makes() -> None:
    told = 0
    for line in FILE.read_text(encoding="utf-8").splitlines():
        try:
            url = URL(json.loads(line)["text"])
        except URLSyntaxError:
            continue
        normal = url.normalize()
        assert normal == compare.normalize(url, "current"), url
        told += normal is url
    assert told > 10


@each_row(
    "text",
    [
        "http://h", "http://h/.", "http://h/a/./b", "http://h/a/..", "http://H/", "HTTP://h/", "http://h:/a", "http://h:80/",
        "http://[2001:DB8::0]/", "http://h/%7e", "http://h/?%7e", "http://h/#%7e", "http://u%7e@h/a", "gopher://h/", "file:///a",
    ],
)  # fmt: skip
def test_what_only_nearly_looks_normal(text: str) -> None:
    assert URL(text).normalize() == compare.normalize(URL(text), "current")
