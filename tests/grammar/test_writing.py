"""The strict writer: whatever can be written in a document's grammar is written so that the grammar accepts it."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from typing import Any

import pytest

from anyurl.errors import URLSyntaxError
from anyurl.grammar import bnf, parse
from anyurl.grammar.writing import safe_octets
from anyurl.schemes.file.verbs import FileParts
from anyurl.schemes.ftp.parts import FtpParts
from anyurl.schemes.gopher.parts import GopherParts
from anyurl.schemes.http.verbs import HttpParts
from anyurl.schemes.mailto.parts import MailtoParts
from anyurl.schemes.news.nntp import NntpParts
from anyurl.schemes.news.verbs import NewsParts
from anyurl.schemes.prospero.parts import ProsperoParts
from anyurl.schemes.telnet.verbs import TelnetParts
from anyurl.schemes.wais.parts import WaisParts
from anyurl.url import URL, syntax
from anyurl.url.grammars import SAFE
from tests.grammar.strings import texts

COUNT = 20_000 if os.environ.get("ANYURL_SLOW") else 1_500
"""URLs of each document; ANYURL_SLOW has them all."""

_PLACELESS = ("mailto", "news", "snews")
DOCUMENTS = ("rfc1738", "rfc1738-draft07")
_CHARACTERS = "abcXYZ019-._~$+!*'(),;/?:@&=#%<>\"{}|\\^[]` \t\x00\x7fé\udcff"


class Writer:
    """Makes up parts, each of which the productions can write."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def text(self, least: int = 0, without: str = "") -> str:
        size = self.random.randint(least, 9)
        return "".join(self.random.choice([char for char in _CHARACTERS if char not in without]) for _ in range(size))

    def name(self) -> str:
        return self.random.choice("abxyz") + "".join(self.random.choices("abxyz019.-", k=self.random.randint(0, 6)))

    def maybe(self, make: Callable[[], Any]) -> Any:
        return make() if self.random.random() < 0.5 else None

    def number(self) -> int:
        return self.random.randint(0, 65535)

    def parts(self) -> tuple[str, Any]:
        """A scheme, and parts of it."""
        pick = self.random.choice
        names = [self.text(1) for _ in range(self.random.randint(0, 3))]
        made: dict[str, Callable[[], Any]] = {
            "ftp": lambda: FtpParts(tuple(names), self.text(), pick((None, "a", "i", "d"))),
            "file": lambda: FileParts((*(self.text(1, "/\x00") for _ in names), self.text(1, "/\x00"))),
            "gopher": lambda: GopherParts(pick("0149g"), self.text(0, "\t"), self.maybe(lambda: self.text(0, "\t")),
                                          self.maybe(lambda: self.text(0, "\t"))),
            "mailto": lambda: MailtoParts((f"{self.name().strip('.-')}x@host.dom",)),
            "news": lambda: NewsParts(group=f"a{self.random.randint(0, 9)}.b-c"),
            "nntp": lambda: NntpParts("comp.lang.c", self.maybe(self.number)),
            "telnet": lambda: TelnetParts(),
            "wais": lambda: pick((
                lambda: WaisParts(self.text(), self.maybe(self.text)),
                lambda: WaisParts(self.text(), None, self.text(1), self.text(1)),
            ))(),
            "prospero": lambda: ProsperoParts(self.text(), tuple((self.text(1), self.text()) for _ in names)),
            "http": lambda: HttpParts(self.text(without="%~"), self.maybe(lambda: self.text(without="%~?/"))),
        }  # fmt: skip
        made |= {f"{name}s": made[name] for name in ("ftp", "gopher", "nntp", "http")} | {"snews": made["news"]}
        scheme = pick(tuple(made))
        return scheme, made[scheme]()


@pytest.mark.parametrize("grammar", DOCUMENTS)
def test_all_parts_that_can_be_written_are_accepted_and_read_back(grammar: Any) -> None:
    writer, done = Writer(7), 0
    while done < COUNT:
        try:
            scheme, parts = writer.parts()
        except URLSyntaxError:
            continue  # no parts of that scheme
        with_login = scheme in ("ftp", "ftps", "telnet", "https")
        user = writer.maybe(writer.text) if with_login else None
        password = writer.maybe(writer.text) if user is not None else None
        host = None if scheme in _PLACELESS else writer.random.choice(("host.dom", "a-b.c9.dom", "127.0.0.1"))
        port = writer.maybe(writer.number) if scheme not in (*_PLACELESS, "file") else None
        url = URL.build(scheme=scheme, user=user, password=password, host=host, port=port, parts=parts, grammar=grammar)
        assert parse(str(url), grammar) == url
        assert (url.grammar, url.user, url.password, url.host, url.explicit_port) == (
            grammar, user, password, host, port,
        )  # fmt: skip
        assert url.parts == parts, str(url)
        done += 1


@pytest.mark.parametrize("grammar", DOCUMENTS)
def test_the_normal_form_of_what_a_grammar_accepts_is_accepted(grammar: Any) -> None:
    count = 0
    for text in texts(11, COUNT * 2):
        try:
            url = parse(text, grammar)
        except URLSyntaxError:
            continue
        normal = url.normalize()
        assert parse(str(normal), grammar) == normal == normal.normalize()
        assert normal.is_equivalent(url)
        count += 1
    assert count > COUNT // 4


@pytest.mark.parametrize(
    ("text", "strict"),
    [
        ("http://host.dom/~user?a~b", "http://host.dom/%7Euser?a%7Eb"),
        ("wais://host.dom/a;b:c=d&e@f", "wais://host.dom/a%3Bb%3Ac%3Dd%26e%40f"),
        ("wais://host.dom/db/TEXT/1=host;2=x;", "wais://host.dom/db/TEXT/%01%04host%02%01x"),  # RFC 1738 3.9: opaque
        ("ftp://u;v@host.dom/a", "ftp://u;v@host.dom/a"),
        ("gopher://host.dom", "gopher://host.dom/1"),
    ],
)
def test_a_url_of_today_is_written_to_the_letter(text: str, strict: str) -> None:
    url = URL(text).normalize("rfc1738")
    assert (str(url), url.grammar, url.parts == URL(text).parts or url.scheme == "http") == (strict, "rfc1738", True)
    assert parse(strict, "rfc1738") == url


@pytest.mark.parametrize("text", ["http://[::1]/", "http://u@host.dom/", "mailto:a@b.dom?subject=x", "http://h_/"])
def test_what_a_document_cannot_write_is_an_error(text: str) -> None:
    with pytest.raises(URLSyntaxError):
        URL(text).normalize("rfc1738")


def test_a_browser_that_loses_a_part_is_refused() -> None:
    with pytest.raises(URLSyntaxError, match="reads as other parts"):
        URL.build(scheme="ftp", host="h", parts=FtpParts(("..",), "x"), grammar="browser")
    built = URL.build(scheme="gophers", host="h", parts=GopherParts("?", "a?b"), grammar="browser")
    assert (str(built), built.parts) == ("gophers://h/%3Fa%3Fb", GopherParts("?", "a?b"))


@pytest.mark.parametrize("text", ["file:/a/b", "file:/", "file:/a/./b", "file:///a/b", "news:a.b", "mailto:a@b.dom"])
def test_the_parts_of_a_url_without_a_host_write_it_again(text: str) -> None:
    url = URL(text)
    assert url.replace(path="", query=None, parts=url.parts) == url
    assert URL.build(scheme=url.scheme, host=url.host, parts=url.parts) == url


@pytest.mark.parametrize("text", ["gemini://h:", "gemini:////a"])
def test_parts_make_no_url_that_reads_as_others(text: str) -> None:
    """A scheme that RFC 1738 does not know may be without a host there; its reader takes a slash for that behind it."""
    url = parse(text, "rfc1738")
    assert url.host is None
    with pytest.raises(URLSyntaxError, match="reads as other parts"):
        URL.build(scheme=url.scheme, parts=url.parts, grammar="rfc1738")


@pytest.mark.parametrize("grammar", DOCUMENTS)
def test_the_octets_that_stand_for_themselves(grammar: str) -> None:
    """Each once, none that would end its component, and none that stands for others."""
    for scheme, row in syntax.ROWS.items():
        document = bnf.load(grammar).scheme_production(scheme) is not None
        for component in SAFE:
            safe = safe_octets(grammar, scheme, component)
            assert component == "fragment" or [*safe] == sorted({*safe}), (scheme, component)
            assert not {*safe} & {*b'%# \x7f"'}, (scheme, component)
            if component in ("user", "password"):
                assert not {*safe} & {*b"/@:"}, (scheme, component)
            if component in ("path", "rest"):
                assert b"/" in safe
                assert document or (b"?" in safe) is not row.query, (scheme, component)
