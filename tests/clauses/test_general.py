"""RFC 1738 sections 1 to 3: what a URL is, its characters, its parts, and what may be done with it."""

from __future__ import annotations

import io
import pickle
from pathlib import Path

import pytest

from anyurl import URL, find, parse
from anyurl.cli.run import run
from anyurl.errors import URLSyntaxError
from anyurl.grammar.matcher import matcher
from anyurl.schemes import registry
from anyurl.schemes.kit.scheme import Scheme
from tests.clauses.kit import connects, errors, is_url, sent
from tests.rows import each_row

TEN = ("file", "ftp", "gopher", "http", "mailto", "news", "nntp", "prospero", "telnet", "wais")


@pytest.mark.clause("1-1")
def test_a_url_locates_a_resource() -> None:
    text = "http://www.acl.lanl.gov/URI/archive/uri-archive.index.html"
    url = URL(text)
    assert str(url) == text  # a string, and nothing else: what it was made of makes it again
    assert connects(text)[0].startswith("connect to www.acl.lanl.gov port 80")
    assert sent(text)[0] == "GET /URI/archive/uri-archive.index.html HTTP/1.1"
    assert (url.scheme, url.host, url.port) == ("http", "www.acl.lanl.gov", 80)
    assert url.url_path == "URI/archive/uri-archive.index.html"


@pytest.mark.clause("2-1", "3-1")
def test_each_of_the_ten_schemes_has_its_own_method_of_access() -> None:
    assert set(TEN) <= set(registry.spoken())
    assert all(registry.find_scheme(name).verbs.get("get") is not None for name in TEN)


@pytest.mark.clause("2-2", "3-2")
def test_a_scheme_that_nobody_defined_is_read_by_the_generic_syntax() -> None:
    url = URL("x-thing://user@host:9/a/b?c")
    assert (url.scheme, url.user, url.host, url.port, url.path, url.query) == (
        "x-thing",
        "user",
        "host",
        9,
        "/a/b",
        "c",
    )
    assert is_url("x-thing://user@host:9/a/b")


@pytest.mark.clause("2-3")
def test_a_url_is_a_value_and_no_connection() -> None:
    url = URL("ftp://host.dom/a")
    assert pickle.loads(pickle.dumps(url)) == url
    assert {url: 1}[URL("ftp://host.dom/a")] == 1


@pytest.mark.clause("2-4")
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("ftp://h/x", "RETR x"),
        ("http://h/x", "GET /x HTTP/1.1"),
        ("gopher://h/0x", "x"),
        ("news://h/a@b", "ARTICLE <a@b>"),
        ("nntp://h/a.b/5", "ARTICLE 5"),
        ("prospero://h/x", "GET-OBJECT-INFO #ALL ASCII x 0"),
    ],
)
def test_access(text: str, line: str) -> None:
    assert line in sent(text)


@pytest.mark.clause("2-8")
def test_a_scheme_needs_no_verb_but_get() -> None:
    one = Scheme("x-one", reference="here", summary="One.", read=URL, verbs={"get": lambda url, options: iter(())})  # type: ignore[arg-type, return-value, dict-item]
    assert set(one.verbs) == {"get"}
    assert all("get" in registry.find_scheme(name).verbs for name in TEN)


# --- 2.1 -------------------------------------------------------------------------------------------------------------


@pytest.mark.clause("2.1-1")
def test_a_scheme_a_colon_and_the_rest() -> None:
    url = URL("mailto:joe@host.dom")
    assert (url.scheme, url.path) == ("mailto", "joe@host.dom")
    assert errors("host.dom/x") == [("scheme-missing", "")]
    assert errors(":x") == [("scheme-missing", ":")]


@pytest.mark.clause("2.1-2")
def test_the_scheme_says_how_the_rest_is_read() -> None:
    assert URL("ftp://h/a?b").query is None
    assert URL("http://h/a?b").query == "b"
    assert URL("gopher://h/0a").parts != URL("wais://h/0a").parts


@pytest.mark.clause("2.1-3")
def test_the_characters_of_a_scheme() -> None:
    assert is_url("abcxyz019+.-:rest")
    assert URL("x+y.z-1:rest").scheme == "x+y.z-1"
    for char in "_~*%!$&'()=,;":
        assert errors(f"a{char}b:x") == [("scheme-character", char)], char


@pytest.mark.clause("2.1-4")
def test_by_the_productions_a_scheme_may_begin_with_a_digit() -> None:
    assert parse("1x:rest", "rfc1738").scheme == "1x"
    with pytest.raises(URLSyntaxError) as caught:
        URL("1x:rest")
    assert caught.value.diagnostics[0].section == "RFC 3986 3.1"  # today's grammar is stricter, and says by whose rule


@pytest.mark.clause("2.1-5", "5-12")
@pytest.mark.parametrize("text", ["HTTP://h/x", "Http://h/x", "hTTp://h/x"])
def test_a_scheme_in_upper_case_is_the_same(text: str) -> None:
    assert URL(text).scheme == "http"
    assert parse(text, "rfc1738").scheme == "http"
    assert URL(text).is_equivalent(URL("http://h/x"))


@pytest.mark.clause("2.1-6", "5-12")
def test_a_scheme_is_written_in_lower_case() -> None:
    assert str(URL.build(scheme="FTP", host="h", path="/x")).startswith("ftp:")
    assert str(URL("FTP://h/x").normalize("rfc1738")) == "ftp://h/x"


# --- 2.2 -------------------------------------------------------------------------------------------------------------

PRINTED = "see http://host.dom/x here"


@pytest.mark.clause("2.2-1")
def test_only_the_identity_of_the_characters_counts() -> None:
    assert [str(one) for one in find(PRINTED)] == ["http://host.dom/x"]
    for encoding in ("utf-16-be", "utf-16-le", "utf-32-be", "utf-32-le", "cp037", "cp500", "cp1026", "utf-16"):
        for source in (PRINTED.encode(encoding), io.BytesIO(PRINTED.encode(encoding))):
            assert [str(one) for one in find(source, encoding=encoding)] == ["http://host.dom/x"], encoding


@pytest.mark.clause("2.2-2")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_a_byte_order_mark_says_how_a_file_is_read(
    encoding: str, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Nothing else says it: ``auto`` is what the command uses where no encoding is given."""
    octets = ("\ufeff" + PRINTED).encode(encoding)
    assert [str(one) for one in find(io.BytesIO(octets), encoding="auto")] == ["http://host.dom/x"]
    (tmp_path / "letter").write_bytes(octets)
    assert run(["find", str(tmp_path / "letter")]) == 0
    assert capsysbinary.readouterr().out == b"http://host.dom/x\n"


@pytest.mark.clause("2.2-3")
def test_a_character_stands_for_its_octet_of_ascii() -> None:
    assert sent("ftp://h/AZaz09$-_.+!*'(),")[-1] == "RETR AZaz09$-_.+!*'(),"


@pytest.mark.clause("2.2-4", "5-16")
def test_an_octet_is_a_percent_sign_and_two_digits() -> None:
    assert sent("ftp://h/%41%5A%2Fx")[-1] == "RETR AZ/x"
    assert errors("ftp://h/%4") == [("escape", "%4")]
    assert errors("ftp://h/%4G") == [("escape", "%4G")]
    assert errors("ftp://h/%") == [("escape", "%")]


@pytest.mark.clause("5-16")
def test_the_productions_of_digits_and_of_what_is_encoded() -> None:
    hexadecimal, escape, digits = (matcher("rfc1738", name) for name in ("hex", "escape", "digits"))
    assert "".join(char for char in map(chr, range(128)) if hexadecimal.accepts(char)) == "0123456789ABCDEFabcdef"
    assert [text for text in ("%4a", "%4", "%4g", "%4aa", "4a") if escape.accepts(text)] == ["%4a"]
    assert [text for text in ("0", "007", "", "1a") if digits.accepts(text)] == ["0", "007"]


@pytest.mark.clause("2.2-5", "5-16")
def test_the_digits_may_be_in_lower_case() -> None:
    assert sent("ftp://h/%5b%5c")[-1] == sent("ftp://h/%5B%5C")[-1]
    assert is_url("ftp://h/%5b%5c")
    assert URL("ftp://h/%2f").is_equivalent(URL("ftp://h/%2F"))


@pytest.mark.clause("2.2-6")
@each_row("octet", [*range(0x20), 0x7F])
def test_control_characters_must_be_encoded(octet: int) -> None:
    assert errors(f"http://h/a{chr(octet)}b") == [("control", chr(octet))]
    assert is_url(f"http://h/a%{octet:02X}b")
    with pytest.raises(URLSyntaxError):
        URL(f"http://h/a{chr(octet)}b")


@pytest.mark.clause("2.2-7")
@pytest.mark.parametrize("char", ["\x80", "é", "ÿ", "日"])
def test_what_is_beyond_ascii_must_be_encoded(char: str) -> None:
    assert errors(f"http://h/{char}") == [("not-ascii", char)]


@pytest.mark.clause("2.2-8")
def test_octets_beyond_ascii_survive() -> None:
    name = "".join(f"%{octet:02X}" for octet in range(0x80, 0x100))
    assert URL(f"ftp://h/{name}").parts.name.encode("utf-8", "surrogateescape") == bytes(range(0x80, 0x100))
    assert str(URL(f"ftp://h/{name}").normalize("rfc1738")) == f"ftp://h/{name}"


UNSAFE_AT = (
    "ftp://h/a*b", "http://h/a*b", "http://h/x?a*b", "gopher://h/0a*b", "gopher://h/7x%09a*b", "gopher://h/0x%09%09a*b",
    "wais://h/a*b", "wais://h/d?a*b", "wais://h/d/t/a*b", "file://h/a*b", "prospero://h/a*b", "prospero://h/x;a*b=c",
    "prospero://h/x;a=b*c", "ftp://a*b@h/", "ftp://u:a*b@h/", "x-other:a*b", "news:a*b@h",
)  # fmt: skip
"""A place of each production that holds any characters, the star for the one that is tried."""


def unsafe(char: str, code: str = "unsafe") -> None:
    for place in UNSAFE_AT:
        bare, encoded = (place.replace("*", written) for written in (char, f"%{ord(char):02X}"))
        told = "password-character" if place.startswith("ftp://u:") else code  # of a password less is said
        assert (told, char) in errors(bare), bare
        assert is_url(encoded), encoded


@pytest.mark.clause("2.2-9")
def test_a_space_is_unsafe() -> None:
    unsafe(" ", "space")


@pytest.mark.clause("2.2-10")
def test_angle_brackets_are_unsafe() -> None:
    unsafe("<")
    unsafe(">")


@pytest.mark.clause("2.2-11")
def test_the_quotation_mark_is_unsafe() -> None:
    unsafe('"')


@pytest.mark.clause("2.2-12")
@pytest.mark.parametrize("scheme", ["ftp", "gopher", "nntp", "x-other"])
def test_the_number_sign_is_encoded_in_whatever_is_written_and_ends_a_url_where_it_is_read(scheme: str) -> None:
    """The appendix lets a fragment stand behind a URL: a bare ``#`` is no octet of the URL in any scheme."""
    assert "#" not in str(URL.build(scheme=scheme, host="h", path="/a#b"))
    assert parse(f"{scheme}://h/a#b", "rfc1738").path == "/a"
    assert parse(f"{scheme}://h/a#b", "rfc1738").fragment == "b"


@pytest.mark.clause("2.2-13")
def test_the_percent_sign_stands_before_two_digits_only() -> None:
    assert errors("http://h/100%") == [("escape", "%")]
    assert errors("http://h/%zz/%41") == [("escape", "%zz")]
    assert is_url("http://h/100%25")


@pytest.mark.clause("2.2-14")
@each_row("char", "{}|\\^~[]`")
def test_the_others_that_gateways_change_are_unsafe(char: str) -> None:
    unsafe(char, "backslash" if char == "\\" else "unsafe")


@pytest.mark.clause("2.2-15")
@each_row("char", ' <>"#{}|\\^~[]`')
def test_everything_unsafe_is_encoded_in_what_is_written_to_the_letter(char: str) -> None:
    """What is built stands in today's grammar, in which ``~`` is safe: to the letter it is written on request."""
    assert (
        str(URL.build(scheme="ftp", host="h", path=f"/a{char}b").normalize("rfc1738")) == f"ftp://h/a%{ord(char):02X}b"
    )


@pytest.mark.clause("2.2-16")
def test_each_scheme_reserves_some_of_the_seven_and_nothing_else() -> None:
    for char in "$-_.+!*'(),":
        encoded = f"%{ord(char):02X}"
        for scheme in ("ftp", "gopher", "wais", "prospero", "file"):
            one, other = (URL(f"{scheme}://h/a{written}b").parts for written in (char, encoded))
            assert one == other, (scheme, char)
    assert URL("ftp://h/a/b").parts != URL("ftp://h/a%2Fb").parts
    assert URL("prospero://h/a;b=c").parts != URL("prospero://h/a%3Bb=c").parts
    for start, reserved in (
        ("ftp://h/1a", "/"), ("file://h/1a", "/"), ("gopher://h/1a", ""), ("wais://h/1a", "/?"),
        ("prospero://h/1a", ";"), ("http://h/1a", "/;?"), ("http://h/a?b", "/;?&=+"),
    ):  # fmt: skip
        for char in ";/?:@=&":
            bare, encoded = (f"{start}{written}c" for written in (char, f"%{ord(char):02X}"))
            assert URL(bare).is_equivalent(URL(encoded)) is (char not in reserved), bare
    assert URL("gopher://h/0a;/?:@=&b").parts == URL("gopher://h/0a%3B%2F%3F%3A%40%3D%26b").parts


@pytest.mark.clause("2.2-17", "2.2-21")
@each_row("char", "Aaz09$-_.+!*'(),")
def test_an_octet_that_is_encoded_means_what_its_character_means(char: str) -> None:
    places = (
        "ftp://h/x*y",
        "gopher://h/0x*y",
        "gopher://h/7x%09a*b",
        "file:///x*y",
        "prospero://h/x*y",
        "wais://h/d/t/x*y",
    )
    for place in (*places, "telnet://x*y@h/", "http://h/x*y"):
        encoded, bare = (place.replace("*", written) for written in (f"%{ord(char):02X}", char))
        assert is_url(encoded), encoded
        assert URL(encoded).is_equivalent(URL(bare)), encoded
        if place in places:
            assert URL(encoded).parts == URL(bare).parts, encoded
    # A query is sent as it is written, so that its octets keep what they are; `+` alone is a blank in one form only.
    assert sent(f"http://h/x%{ord(char):02X}y?a%{ord(char):02X}b")[0] == (
        f"GET /x%{ord(char):02X}y?a%{ord(char):02X}b HTTP/1.1"
    )


@pytest.mark.clause("2.2-18")
def test_an_octet_that_is_reserved_does_not() -> None:
    assert sent("ftp://h/a%2Fb")[-1] == "RETR a/b"
    assert sent("ftp://h/a/b")[-1] == "RETR b"
    assert not URL("http://h/a%2Fb").is_equivalent(URL("http://h/a/b"))
    assert not URL("http://h/a%3Fb").is_equivalent(URL("http://h/a?b"))


@pytest.mark.clause("2.2-19")
def test_what_may_stand_unencoded() -> None:
    text = "http://h/abcxyzABCXYZ0189$-_.+!*'(),"
    assert is_url(text)
    assert str(URL(text).normalize("rfc1738")) == text


@pytest.mark.clause("2.2-20")
def test_a_reserved_character_stands_unencoded_for_its_purpose_only() -> None:
    assert errors("ftp://h/a;b") == [("reserved", ";")]
    assert errors("wais://h/a=b") == [("reserved", "=")]
    assert errors("http://h/a?b?c") == [("reserved", "?")]
    assert is_url("ftp://h/a;type=a")
    assert is_url("http://h/a?b")


@pytest.mark.clause("2.2-22")
@each_row("grammar", ["rfc1738", "rfc1738-draft07"])
@each_row(
    "text",
    [
        "mailto:a?b@c.d", "afs:x", "1a:b", "ftp://a?b@h/x", "ftp://good.dom?@evil.dom/x", "a:b?c", "http://h/a/../b",
        "http://h/./a?x", "http://h/..", "file://h/a/./b", "x-q:a/../b", "9p://h/a/../b", "gopher://h/1/../x",
    ],
)  # fmt: skip
def test_what_a_grammar_read_keeps_its_meaning(text: str, grammar: str) -> None:
    url = parse(text, grammar)  # type: ignore[arg-type]
    normal = url.normalize(grammar)
    assert (normal.scheme, normal.host, normal.user, normal.path) == (url.scheme, url.host, url.user, url.path)
    assert url.is_equivalent(normal)
    assert url.without_fragment() == url


@pytest.mark.clause("2.2-22")
@each_row("grammar", ["rfc1738", "rfc1738-draft07"])
@each_row("start", ["http://h", "file://h", "x-q:", "9p://h"])
def test_dots_are_characters_like_others_to_the_documents(start: str, grammar: str) -> None:
    """Section 2.3 leaves relative links to others: a path with ``..`` is another one than the path without."""
    dotted, plain = (parse(start + path, grammar) for path in ("/a/../b", "/b"))  # type: ignore[arg-type]
    assert not dotted.is_equivalent(plain)
    assert str(dotted.normalize(grammar)) == str(dotted)
    assert dotted.is_equivalent(parse(f"{start}/a/%2E./b", grammar))  # type: ignore[arg-type]
    assert str(plain.join(dotted)) == str(plain.join(str(dotted))) == str(dotted)
    if not start.startswith("9"):  # which today's grammar does not know
        assert URL(f"{start}/a/../b").is_equivalent(URL(f"{start}/b"))


# --- 2.3 -------------------------------------------------------------------------------------------------------------


@pytest.mark.clause("2.3-1")
@pytest.mark.parametrize("text", ["a/b", "/a", "../a", "//h/a", "#a", ""])
def test_a_relative_text_is_no_url(text: str) -> None:
    assert errors(text) != []
    with pytest.raises(URLSyntaxError):
        URL(text)


@pytest.mark.clause("2.3-2", "2.3-4")
@pytest.mark.parametrize("scheme", ["ftp", "http", "file"])
def test_a_link_is_relative_to_a_hierarchical_url(scheme: str) -> None:
    base = URL(f"{scheme}://h/a/b/c")
    assert str(base.join("d")) == f"{scheme}://h/a/b/d"
    assert str(base.join("../d")) == f"{scheme}://h/a/d"


@pytest.mark.clause("2.3-3")
@each_row(
    "text",
    [
        "mailto:a@b.c", "news:a.b", "news:a@b.c", "news://h/a.b", "telnet://h/", "prospero://h//a/b", "data:,x",
        "cid:a@b", "mid:a@b", "urn:a:b", "tel:+1", "dict://h/d:word",
    ],
)  # fmt: skip
@each_row("reference", ["x", "../x", "/x", "./"])
def test_without_a_hierarchy_no_link_is_relative(text: str, reference: str) -> None:
    with pytest.raises(URLSyntaxError, match="have no hierarchy"):
        URL(text).join(reference)
