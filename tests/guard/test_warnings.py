"""The cautions of RFC 1738 section 6, read off a URL."""

from __future__ import annotations

from anyurl.guard.warnings import CAUTIONS, cautions
from anyurl.url import URL
from tests.rows import each_row

ROWS = [
    ("http://host/", []),
    ("http://host:80/", []),  # its own port, written out
    ("http://host:8080/", ["other-port"]),
    ("http://host:25/", ["other-service"]),
    ("https://host:6379/", ["other-service"]),  # no browser's list has it
    ("ftp://host:990/", ["other-port"]),  # that of ftps: no stranger's, but not its own
    ("gopher://host:80/", ["other-service"]),
    ("ftp://user@host/", []),  # a name alone is no secret
    ("ftp://user:pw@host/", ["password"]),
    ("ftp://user:@host/", ["password"]),
    ("telnet://user:%0d%0a@host/", ["password", "delimiters"]),  # the RFC's own example
    ("ftp://host/%0A", ["delimiters"]),
    ("ftp://host/%41", []),
    ("gopher://host/1a%09b", []),  # the separator of a search, which the form of the URL itself has
    ("gopher://host/1a%0D%0A", ["delimiters"]),
    ("http://host/%0D%0A", []),  # sent encoded
    ("mailto:a@b?subject=x%0D%0Ay", ["delimiters"]),
    ("news:a%00@b", ["delimiters"]),
    ("x-unknown://host:25/", ["other-service"]),
    ("x-unknown://host:12345/", []),  # it has no port of its own
    ("file:///etc/passwd", []),
    ("file:///etc%2Fpasswd", ["delimiters"]),
    ("http://p\u0430ypal.com/", ["look-alike"]),
]


@each_row(("text", "codes"), ROWS)
def test_what_a_url_gives_rise_to(text: str, codes: list[str]) -> None:
    assert [caution.code for caution in cautions(URL(text))] == codes


def test_every_caution_occurs_and_holds_no_password() -> None:
    seen = {caution.code for text, _ in ROWS for caution in cautions(URL(text))}
    assert seen == set(CAUTIONS)
    for caution in cautions(URL("ftp://user:s3cr3t@host:25/%0A")):
        assert "s3cr3t" not in repr(caution)
        assert "{" not in caution.message
