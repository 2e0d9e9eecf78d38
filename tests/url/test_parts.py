"""The parts of a URL with their type: each scheme's class gives its own, and says what a URL has instead."""

from __future__ import annotations

import pytest

from anyurl.errors import SchemeError, UnknownSchemeError, UnsupportedError, URLSyntaxError
from anyurl.schemes.file.verbs import FileParts
from anyurl.schemes.ftp.parts import FtpParts
from anyurl.schemes.gopher.parts import GopherParts
from anyurl.schemes.http.verbs import HttpParts
from anyurl.schemes.kit.scheme import Parts
from anyurl.schemes.mailto.parts import MailtoParts
from anyurl.schemes.news.nntp import NntpParts
from anyurl.schemes.news.verbs import NewsParts
from anyurl.schemes.prospero.parts import ProsperoParts
from anyurl.schemes.telnet.verbs import TelnetParts
from anyurl.schemes.wais.parts import WaisParts
from anyurl.url import URL
from tests.rows import each_row

OWN: dict[str, type[Parts]] = {
    "ftp://host/a/b;type=i": FtpParts,
    "ftps://host/a": FtpParts,
    "gopher://host/11/x": GopherParts,
    "http://host/a?b": HttpParts,
    "https://host/": HttpParts,
    "file:///etc/motd": FileParts,
    "mailto:joe@example.org": MailtoParts,
    "news:comp.lang.python": NewsParts,
    "nntp://host/comp.lang.python/5": NntpParts,
    "telnet://host/": TelnetParts,
    "wais://host/db": WaisParts,
    "prospero://host/name": ProsperoParts,
}


@each_row("text", OWN)
def test_each_class_gives_the_parts_of_its_schemes(text: str) -> None:
    url = URL(text)
    assert OWN[text].of(url) == url.parts
    assert Parts.of(url) == url.parts


@each_row("text", OWN)
def test_a_url_of_another_scheme_is_told(text: str) -> None:
    other = GopherParts if OWN[text] is FtpParts else FtpParts
    said = f"is a URL of {URL(text).scheme}: its parts are {OWN[text].__name__}, not "
    with pytest.raises(SchemeError, match=said + f"{other.__name__}\\.$"):
        other.of(URL(text))


def test_the_password_is_not_told() -> None:
    with pytest.raises(SchemeError, match=r"^ftp://joe:\*\*\*@host/ is a URL of ftp"):
        HttpParts.of(URL("ftp://joe:secret@host/"))


def test_what_nobody_reads_has_no_parts() -> None:
    with pytest.raises(UnsupportedError):
        FtpParts.of(URL("imap://host/"))
    with pytest.raises(UnknownSchemeError):
        FtpParts.of(URL("x-nobody:whatever"))


def test_a_path_that_makes_no_sense_stays_a_fault_of_the_url() -> None:
    with pytest.raises(URLSyntaxError):
        FtpParts.of(URL("ftp://host/a;type=z"))
