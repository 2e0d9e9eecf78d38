"""ftp url-paths: taken apart as RFC 1738 3.2.2 says, and written so that they read the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import RefusedError, URLSyntaxError
from anyurl.schemes.ftp.parts import FtpParts, check, guess_mode, read
from anyurl.url import URL
from tests.rows import each_row

ROWS: list[tuple[str, str, tuple[tuple[str, ...], str, str | None]]] = [
    ("3.2.2: encoded, the slash is of the name", "ftp://myname@host.dom/%2Fetc/motd", (("/etc",), "motd", None)),
    ("3.2.2: relative to the login's directory", "ftp://myname@host.dom/etc/motd", (("etc",), "motd", None)),
    ("3.2.2: an empty segment is a CWD", "ftp://myname@host.dom//etc/motd", (("", "etc"), "motd", None)),
    ("3.2.2: a typecode", "ftp://h/rfc/rfc1436.txt;type=a", (("rfc",), "rfc1436.txt", "a")),
    ("3.2.2: names", "ftp://info.cern.ch/pub/www/doc;type=d", (("pub", "www"), "doc", "d")),
    ("3.2.2: octets", "ftp://h/x;type=i", ((), "x", "i")),
    ("5: the BNF takes capitals", "ftp://h/x;type=A", ((), "x", "a")),
    ("no path", "ftp://h", ((), "", None)),
    ("an empty path", "ftp://h/", ((), "", None)),
    ("a directory", "ftp://h/a/", (("a",), "", None)),
    ("an empty directory", "ftp://h//", (("",), "", None)),
    ("two of them", "ftp://h///", (("", ""), "", None)),
    ("a typecode without a name", "ftp://h/a/;type=d", (("a",), "", "d")),
    ("a typecode without anything", "ftp://h/;type=d", ((), "", "d")),
    ("an encoded semicolon is of the name", "ftp://h/a%3Btype=a", ((), "a;type=a", None)),
    ("and so is one before a typecode", "ftp://h/a%3Btype=a;type=i", ((), "a;type=a", "i")),
    ("a semicolon without type", "ftp://h/a;b", ((), "a;b", None)),
    ("a typecode in a directory is of its name", "ftp://h/a;type=a/b", (("a;type=a",), "b", None)),
    ("other literals as written: ;TYPE= is of the name", "ftp://h/a;TYPE=a", ((), "a;TYPE=a", None)),
    ("2.2: a letter is the same encoded", "ftp://h/a;%74y%70e=%69", ((), "a", "i")),
    ("2.2: an encoded delimiter delimits nothing", "ftp://h/a;type%3Da", ((), "a;type=a", None)),
    ("a question mark is of the path", "ftp://h/a?b/c?d", (("a?b",), "c?d", None)),
    ("dot segments are names", "ftp://h/a/../b/./c", (("a", "..", "b", "."), "c", None)),
    ("spaces", "ftp://h/a%20b/c%20d", (("a b",), "c d", None)),
    ("UTF-8", "ftp://h/%C3%BC", ((), "ü", None)),
    ("octets that are not UTF-8", "ftp://h/%FF%FE", ((), "\udcff\udcfe", None)),
    ("what would end a command is read, and refused later", "ftp://h/a%0D%0Ab", ((), "a\r\nb", None)),
    ("a fragment is outside", "ftp://h/a#b", ((), "a", None)),
]


@each_row(("text", "parts"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_parts_of_a_url(text: str, parts: tuple[tuple[str, ...], str, str | None]) -> None:
    assert read(URL(text)) == FtpParts(*parts)


@each_row("parts", [row[2] for row in ROWS], ids=[row[0] for row in ROWS])
def test_parts_write_what_reads_the_same(parts: tuple[tuple[str, ...], str, str | None]) -> None:
    assert read(URL("ftp://h/" + FtpParts(*parts).url_path())) == FtpParts(*parts)


@given(
    st.lists(st.text(st.characters(codec="utf-8"))),
    st.text(st.characters(codec="utf-8")),
    st.sampled_from([None, "a", "i", "d"]),
)
def test_all_parts_survive_being_written(directories: list[str], name: str, typecode: str | None) -> None:
    parts = FtpParts(directories, name, typecode)
    assert read(URL("ftp://h/" + parts.url_path())) == parts


@given(st.binary())
def test_all_octets_survive_being_written(name: bytes) -> None:
    parts = FtpParts((), name.decode("utf-8", "surrogateescape"))
    assert read(URL("ftp://h/" + parts.url_path())).name.encode("utf-8", "surrogateescape") == name


WRITTEN = [
    (FtpParts(("/etc",), "motd", "a"), "%2Fetc/motd;type=a"),
    (FtpParts(("", "etc"), "motd"), "/etc/motd"),
    (FtpParts((), "a;b?c#d e"), "a%3Bb%3Fc%23d%20e"),
    (FtpParts(("a:b@c&d=e",), "~x"), "a:b@c&d=e/~x"),
    (FtpParts(("a",), ""), "a/"),
    (FtpParts(), ""),
    (FtpParts((), "100%"), "100%25"),
]


@pytest.mark.parametrize(("parts", "url_path"), WRITTEN)
def test_parts_encode_what_must_be_encoded(parts: FtpParts, url_path: str) -> None:
    assert parts.url_path() == url_path


@pytest.mark.parametrize(
    ("text", "span"),
    [("ftp://h/a;type=x", (15, 16)), ("ftp://h/a;type=", (15, 15)), ("ftp://h/a;type=ab", (15, 17)),
     ("ftp://h/a;type=a;type=d", (15, 23)), ("ftp://h/a;type=%78#;type=%61", (15, 18)),
     ("ftp://h/a;t%79pe=x", (17, 18))],
)  # fmt: skip
def test_another_typecode_is_an_error(text: str, span: tuple[int, int]) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        read(URL(text))
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.rule, diagnostic.section) == ("bad-typecode", "ftptype", "RFC 1738 3.2.2")
    assert (diagnostic.span, diagnostic.fix) == (span, "i")


def test_parts_that_can_not_be_written_are_refused() -> None:
    with pytest.raises(URLSyntaxError, match="typecode"):
        FtpParts((), "x", "x")
    with pytest.raises(URLSyntaxError, match="sequence of names"):
        FtpParts("etc", "x")
    with pytest.raises(URLSyntaxError):
        FtpParts((), "\ud800")


FORBIDDEN = [
    "ftp://h/a%0Ab",
    "ftp://h/a%0D/b",
    "ftp://h/%00",
    "ftp://u%0A@h/",
    "ftp://u:p%0D@h/",
    "ftps://h/a%0Ab;type=d",
]


@pytest.mark.parametrize("text", FORBIDDEN)
def test_what_would_end_a_command_is_refused(text: str) -> None:
    with pytest.raises(RefusedError, match=r"RFC 1738 section 6") as caught:
        check(URL(text))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["ftp://h/a%09b%1B%7F%FF", "ftp://u:p@h/a%20b", "ftp://h"])
def test_other_octets_are_data(text: str) -> None:
    check(URL(text))


MODES = [
    ("x.txt", "a"),
    ("x.TXT", "a"),
    ("index.html", "a"),
    ("x.c", "a"),
    ("x.tar.gz", "i"),
    ("x.txt.gz", "i"),
    ("x.Z", "i"),
    ("x.json", "i"),
    ("x.sh", "i"),
    ("motd", "i"),
    ("README", "i"),
    ("txt", "i"),
    (".txt", "i"),
    ("x.", "i"),
    ("", "i"),
]


@each_row(("name", "mode"), MODES)
def test_the_mode_is_guessed_from_the_suffix(name: str, mode: str) -> None:
    """RFC 1738 3.2.3: without a typecode the client guesses."""
    assert guess_mode(name) == mode
