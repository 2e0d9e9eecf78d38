"""The value: its components, what it shows, that it does not change."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import pytest

import anyurl
from anyurl.url import URL, parse
from anyurl.url import url as module
from anyurl.url.url import placed
from tests.rows import each_row
from tests.url.invariants import check_invariants


def components(url: URL) -> dict[str, object]:
    names = (
        "scheme", "raw_user", "user", "raw_password", "password", "raw_host", "host", "explicit_port", "port", "path",
        "url_path", "query", "fragment", "authority", "origin", "masked",
    )  # fmt: skip
    return {name: getattr(url, name) for name in names}


def test_a_url_comes_apart_into_its_components() -> None:
    url = URL("FTP://us%65r:p%3Aw@[2001:DB8::1]:2121/%2Fetc/x?y;type=a#z?#"[:-1])
    assert components(url) == {
        "scheme": "ftp", "raw_user": "us%65r", "user": "user", "raw_password": "p%3Aw", "password": "p:w",
        "raw_host": "[2001:DB8::1]", "host": "2001:db8::1", "explicit_port": 2121, "port": 2121,
        "path": "/%2Fetc/x?y;type=a", "url_path": "%2Fetc/x?y;type=a", "query": None, "fragment": "z?",
        "authority": "us%65r:p%3Aw@[2001:DB8::1]:2121", "origin": "ftp://[2001:db8::1]:2121",
        "masked": "FTP://us%65r:***@[2001:DB8::1]:2121/%2Fetc/x?y;type=a#z?",
    }  # fmt: skip


def test_a_url_without_an_authority_comes_apart_too() -> None:
    url = URL("mailto:a%40b@host.dom?subject=x#f")
    nothing = (
        "raw_user", "user", "raw_password", "password", "raw_host", "host", "explicit_port", "port", "authority",
        "origin",
    )  # fmt: skip
    assert components(url) == dict.fromkeys(nothing) | {
        "scheme": "mailto", "path": "a%40b@host.dom", "url_path": "a%40b@host.dom?subject=x", "query": "subject=x",
        "fragment": "f", "masked": "mailto:a%40b@host.dom?subject=x#f",
    }  # fmt: skip


@each_row(
    ("text", "user", "password", "masked"),
    [
        ("ftp://host.dom/", None, None, "ftp://host.dom/"),
        ("ftp://@host.dom/", "", None, "ftp://@host.dom/"),
        ("ftp://:@host.dom/", "", "", "ftp://:@host.dom/"),
        ("ftp://foo@host.dom/", "foo", None, "ftp://foo@host.dom/"),
        ("ftp://foo:@host.dom/", "foo", "", "ftp://foo:@host.dom/"),
        ("ftp://foo:bar@host.dom/", "foo", "bar", "ftp://foo:***@host.dom/"),
        ("ftp://:bar@host.dom/", "", "bar", "ftp://:***@host.dom/"),
        ("ftp://a:b:c@host.dom/", "a", "b:c", "ftp://a:***@host.dom/"),
        ("ftp://a%3Ab:c@host.dom/", "a:b", "c", "ftp://a%3Ab:***@host.dom/"),
        ("ftp://a%FF:%00@host.dom/", "a\udcff", "\0", "ftp://a%FF:***@host.dom/"),
    ],
)
def test_no_user_and_an_empty_user_and_no_password_and_an_empty_one_are_four_things(
    text: str, user: str | None, password: str | None, masked: str
) -> None:
    """RFC 1738 3.1."""
    url = URL(text)
    assert (url.user, url.password, url.host) == (user, password, "host.dom")
    assert (url.masked, repr(url)) == (masked, f"URL({masked!r})")
    assert str(url) == text


@each_row(
    ("text", "explicit_port", "port", "origin"),
    [
        ("http://h", None, 80, "http://h"),
        ("http://h:", None, 80, "http://h"),
        ("http://h:8080", 8080, 8080, "http://h:8080"),
        ("http://h:00080", 80, 80, "http://h"),
        ("http://h:0", 0, 0, "http://h:0"),
        ("http://h:65535", 65535, 65535, "http://h:65535"),
        ("http://h:000000000000000000000000000065535", 65535, 65535, "http://h:65535"),
        ("HTTPS://H", None, 443, "https://h"),
        ("ftps://h", None, 990, "ftps://h"),
        ("foo://h", None, None, "foo://h"),
        ("foo://h:1", 1, 1, "foo://h:1"),
        ("http://[::1]:8080", 8080, 8080, "http://[::1]:8080"),
        ("http://[V7.X]", None, 80, "http://[v7.x]"),
        ("http://[0:0:0:0:0:0:0:1]:80", 80, 80, "http://[::1]"),
        ("https://h:80", 80, 80, "https://h:80"),
        ("file:///x", None, None, "file://"),
        ("news:group", None, None, None),
        ("news://h/group", None, 119, "news://h"),
    ],
)
def test_a_port_is_written_or_the_scheme_s_own_which_no_origin_header_has(
    text: str, explicit_port: int | None, port: int | None, origin: str | None
) -> None:
    url = URL(text)
    assert (url.explicit_port, url.port, url.origin) == (explicit_port, port, origin)


@each_row(
    ("text", "path", "url_path", "query", "fragment"),
    [
        ("http://h", "", "", None, None),
        ("http://h/", "/", "", None, None),
        ("http://h//", "//", "/", None, None),
        ("http://h?", "", "?", "", None),
        ("http://h?a?b", "", "?a?b", "a?b", None),
        ("http://h#", "", "", None, ""),
        ("http://h/?#", "/", "?", "", ""),
        ("http://h/a#b?c", "/a", "a", None, "b?c"),
        ("http://h/a?b#c/d", "/a", "a?b", "b", "c/d"),
        ("wais://h/db?words", "/db", "db?words", "words", None),
        ("ftp://h/a?b", "/a?b", "a?b", None, None),
        ("ftp://h//etc/motd", "//etc/motd", "/etc/motd", None, None),
        ("gopher://h/0a?b", "/0a?b", "0a?b", None, None),
        ("file:///a?b", "/a?b", "a?b", None, None),
        ("file:/a", "/a", "/a", None, None),
        ("news:a.b?c", "a.b?c", "a.b?c", None, None),
        ("nntp://h/a/1?x", "/a/1?x", "a/1?x", None, None),
        ("prospero://h//p;a=b?c", "//p;a=b?c", "/p;a=b?c", None, None),
        ("mailto:?to=a@b", "", "?to=a@b", "to=a@b", None),
        ("foo:a?b", "a", "a?b", "b", None),
        ("foo:", "", "", None, None),
        ("foo:/", "/", "/", None, None),
    ],
)
def test_each_scheme_knows_what_is_a_query(
    text: str, path: str, url_path: str, query: str | None, fragment: str | None
) -> None:
    url = URL(text)
    assert (url.path, url.url_path, url.query, url.fragment) == (path, url_path, query, fragment)
    check_invariants(url)


@each_row(
    ("text", "host"),
    [
        ("foo:x", None),
        ("foo:///x", ""),
        ("foo://", ""),
        ("file:///x", ""),
        ("file:/x", None),
        ("ldap:///dc=x", ""),
        ("http://EXAMPLE.Org.", "example.org."),
        ("http://a..b", "a..b"),
        ("http://a_b~c", "a_b~c"),
        ("http://xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("http://1.2.3.4", "1.2.3.4"),
        ("http://1x", "1x"),
        ("http://0xg", "0xg"),
        ("http://1.2.3.4.com", "1.2.3.4.com"),
        ("http://[::FFFF:1.2.3.4]", "::ffff:1.2.3.4"),
        ("http://[v1F.A:b]", "v1f.a:b"),
        ("foo://a,b;c=d", "a,b;c=d"),
    ],
)
def test_a_host_is_in_lower_case_and_without_brackets(text: str, host: str | None) -> None:
    assert URL(text).host == host


@each_row(
    ("text", "written"),
    [
        ("http://bücher.example/ü?é#ß", "http://xn--bcher-kva.example/%C3%BC?%C3%A9#%C3%9F"),
        ("http://BÜCHER.example/", "http://xn--bcher-kva.example/"),
        ("http://faß.de", "http://xn--fa-hia.de"),
        ("http://ａ.com/", "http://a.com/"),
        ("http://例え。テスト/", "http://xn--r8jz45g.xn--zckzah/"),
        ("http://ü:ö@h/", "http://%C3%BC:%C3%B6@h/"),
        ("http://é.ｃｏｍ:80/", "http://xn--9ca.com:80/"),
        ("foo://é/", "foo://xn--9ca/"),
        ("mailto:ü@é.com", "mailto:%C3%BC@%C3%A9.com"),
        ("foo:é//ü", "foo:%C3%A9//%C3%BC"),
        ("http://h/\U0001f600", "http://h/%F0%9F%98%80"),
        ("http://h/\x85\u202e", "http://h/%C2%85%E2%80%AE"),
        ("http://good.example／@h/", "http://good.example%EF%BC%8F@h/"),
        (b"http://h/\xff\xc3\xbc", "http://h/%FF%C3%BC"),
        (b"http://\xff:\xfe@h/", "http://%FF:%FE@h/"),
        ("http://b\u00fccher.example".encode(), "http://xn--bcher-kva.example"),
        (b"http://h/", "http://h/"),
    ],
)
def test_what_is_not_ascii_is_encoded_at_the_door(text: str | bytes, written: str) -> None:
    url = URL(text)
    assert str(url) == written
    check_invariants(url)


def test_a_text_of_a_subclass_is_read_as_text() -> None:
    class Text(str):
        def __str__(self) -> str:
            return "ftp://other/"

    url = URL(Text("http://h/"))
    assert (str(url), type(str(url))) == ("http://h/", str)


@pytest.mark.parametrize(
    ("text", "grammar"),
    [
        ("http://u:p@host.dom:8080/a?b#c", "current"),
        ("x://a?@b/", "rfc1738"),  # the host is b here, and a to the current grammar
        ("ftp://h/a?b", "rfc1738-draft07"),
        ("http:\\\\h\\a b", "browser"),
    ],
)
def test_a_url_of_a_url_is_the_same_one(text: str, grammar: str) -> None:
    """As of pathlib, yarl and httpx; its reading is kept, and `parse`, which names a grammar, reads text alone."""
    url = parse(text, grammar)
    again = URL(url)
    assert (again, hash(again), again.grammar, again.host) == (url, hash(url), grammar, url.host)
    assert (again.join("b").grammar, pickle.loads(pickle.dumps(again)).grammar) == (grammar, grammar)
    with pytest.raises(AttributeError):
        again._text = "x"
    for other in ("current", "rfc1738", "browser"):
        for read in (parse, anyurl.parse):
            with pytest.raises(TypeError, match=r"not from URL; its text is str\(url\)"):
                read(url, other)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"its text is str\(url\)"):
        anyurl.diagnose(url)  # type: ignore[arg-type]


def test_a_url_of_the_greatest_length_is_one() -> None:
    text = "http://h/" + "x" * (65_536 - 9)
    assert (len(text), str(URL(text))) == (65_536, text)


# ------------------------------------------------------------------------------------------------------ the value


def test_equal_texts_are_equal_urls() -> None:
    a, b, c = URL("http://h/a"), URL("http://h/a"), URL("http://h/b")
    assert (a == b, a != c, hash(a) == hash(b)) == (True, True, True)
    assert (a == "http://h/a", URL("HTTP://h/a") == a) == (False, False)
    assert sorted([c, a]) == [a, c]
    assert (a < c, c > a, a <= b, a >= b, c < a, c <= a) == (True, True, True, True, False, False)
    with pytest.raises(TypeError):
        assert a < "http://h/b"  # type: ignore[operator]


def test_a_url_does_not_change() -> None:
    url = URL("http://h/a")
    for name in ("scheme", "host", "path", "_text", "_at", "anything"):
        with pytest.raises(AttributeError, match="a URL does not change"):
            setattr(url, name, "x")
        with pytest.raises(AttributeError, match="a URL does not change"):
            delattr(url, name)
    with pytest.raises(AttributeError, match="a URL does not change"):
        url.__init__("http://other/")  # type: ignore[misc]
    assert str(url) == "http://h/a"


def test_a_url_has_no_subclasses() -> None:
    with pytest.raises(TypeError, match="is not an acceptable base type"):
        type("Sub", (URL,), {})


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_url_survives_pickling_and_copying(protocol: int) -> None:
    url = URL("ftp://u:p@h:21/x#y")
    for again in (pickle.loads(pickle.dumps(url, protocol)), copy.copy(url), copy.deepcopy(url)):
        assert (again, components(again)) == (url, components(url))


def test_a_url_is_matched_by_its_components() -> None:
    match URL("http://h/p?q#f"):
        case URL("http", host, path, query, fragment):
            assert (host, path, query, fragment) == ("h", "/p", "q", "f")
        case _:
            pytest.fail("no match")
    match URL("ftp://u@h:21/"):
        case URL(scheme="ftp" | "ftps", user=user, explicit_port=port):
            assert (user, port) == ("u", 21)
        case _:
            pytest.fail("no match")


def test_a_fragment_is_taken_away() -> None:
    url = URL("http://h/a")
    assert url.without_fragment() is url
    assert (URL("http://h/a#b").without_fragment(), URL("http://h/a#").without_fragment()) == (url, url)


def test_another_grammar_places_what_it_has_cut() -> None:
    url = placed("1http://U@h:99/x#y", (5, 9, 10, 11, 99, 14, 16, 16))
    assert (url.scheme, url.user, url.host, url.port, url.path, url.query, url.fragment) == (
        "1http", "U", "h", 99, "/x", None, "y",
    )  # fmt: skip
    assert components(pickle.loads(pickle.dumps(url))) == components(url)


@each_row(
    "at",
    [
        (), (4, 4, 4, 4, -1, 4, 5), (4, 4, 4, 4, -1, 4, 5, 6, 7), (4, 4, 4, 4, -1, 4, 5, 99), (4, 3, 4, 4, -1, 4, 5, 5),
        (4, 4, 4, 4, -2, 4, 5, 5), (4, 4, 4, 4, 65536, 4, 5, 5), (-1, 4, 4, 4, -1, 4, 5, 5),
    ],
)  # fmt: skip
def test_offsets_that_are_none_are_refused(at: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="eight offsets"):
        placed("foo:bar", at)
    with pytest.raises(ValueError, match="eight offsets"):
        placed("foo:bär", (3, 4, 4, 4, -1, 4, 7, 7))


def test_parse_reads_by_the_current_grammar() -> None:
    assert parse("http://h/") == parse(b"http://h/", "current") == URL("http://h/")


@pytest.mark.kernel("compiled")
def test_the_compiled_url_is_small() -> None:
    assert module.COMPILED
    assert URL("http://h/").__sizeof__() <= 72  # of which 8 are for weak references


def test_without_a_descriptor_a_url_can_still_be_told() -> None:
    """An error about descriptors names a URL, and the module that hides passwords may not be loaded yet."""
    program = (
        "import os, resource, sys; from anyurl.url import URL; url = URL('http://joe:secret@h/'); "
        "assert 'anyurl.url.masking' not in sys.modules; free = os.dup(0); os.close(free); "
        "resource.setrlimit(resource.RLIMIT_NOFILE, (free, free)); print(url.masked)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.stderr) == ("http:***\n", "")
