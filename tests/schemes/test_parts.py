"""What holds for the parts of every scheme here: the facts of RFC 1738, and the way back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import URLSyntaxError
from anyurl.schemes.data.parts import DataParts
from anyurl.schemes.dict.parts import DictParts
from anyurl.schemes.gemini.parts import GeminiParts
from anyurl.schemes.gopher.verbs import GopherParts
from anyurl.schemes.http.verbs import HttpParts
from anyurl.schemes.kit.scheme import Parts
from anyurl.schemes.mailto.verbs import MailtoParts
from anyurl.schemes.news.nntp import NntpParts
from anyurl.schemes.news.verbs import NewsParts
from anyurl.schemes.prospero.verbs import ProsperoParts
from anyurl.schemes.telnet.verbs import TelnetParts
from anyurl.schemes.wais.verbs import WaisParts
from anyurl.url import URL
from tests.rows import each_row

DATA = Path(__file__).parent.parent / "data" / "schemes"
FACTS = json.loads((DATA / "rfc1738_parts.json").read_text(encoding="utf-8"))["rows"]

FIELDS: dict[str, dict[str, Callable[[Any], Any]]] = {
    "http": {"path": lambda parts: parts.path},
    "gopher": {
        "gtype": lambda parts: parts.type,
        "selector": lambda parts: parts.selector,
        "search": lambda parts: parts.search,
        "gplus": lambda parts: parts.gopherplus,
    },
    "mailto": {"addr": lambda parts: ",".join(parts.addresses)},
    "news": {"group": lambda parts: parts.group or parts.wildmat, "article": lambda parts: parts.message_id},
    "nntp": {"group": lambda parts: parts.group, "article": lambda parts: parts.article},
    "telnet": {},
    "wais": {
        "database": lambda parts: parts.database,
        "search": lambda parts: parts.search,
        "wtype": lambda parts: parts.wtype,
        "wpath": lambda parts: parts.wpath,
    },
    "prospero": {
        "hsoname": lambda parts: parts.hsoname,
        "fields": lambda parts: [list(field) for field in parts.fields],
    },
}
"""Where each fact of a row is found in the parts."""


@each_row("row", FACTS, ids=lambda row: f"{row['section']} {row['url']}")
def test_the_facts_of_rfc_1738_hold(row: dict[str, Any]) -> None:
    url = URL(row["url"])
    for name in ("scheme", "user", "password", "host", "port", "fragment"):
        if name in row:
            assert getattr(url, name) == row[name], name
    for name, take in FIELDS[row["scheme"]].items():
        if name in row:
            assert take(url.parts) == row[name], name


@each_row("row", FACTS, ids=lambda row: row["url"])
def test_the_facts_are_written_again_as_they_stand(row: dict[str, Any]) -> None:
    url = URL(row["url"])
    written = rebuild(url.scheme, url.host, url.parts)
    assert written.parts == url.parts
    assert url.url_path in (written.url_path, "")  # 'gopher://h' says with nothing what 'gopher://h/1' says


def rebuild(scheme: str, host: str | None, parts: Parts) -> URL:
    return URL.build(scheme=scheme, host=host, parts=parts)


text = st.text(st.characters(codec="utf-8") | st.integers(0xDC80, 0xDCFF).map(chr), max_size=12)
"""Any text that stands for octets, those that are not UTF-8 included."""

delimiters = st.text("\t\r\n\0 /;?:@&=%#+,*!.~'\"<>\\^`{|}[]aZ0é\udcff", max_size=12)
anything = text | delimiters
some = st.none() | anything
number = st.none() | st.integers(0, 10**16 + 5)


def accepted(make: Callable[..., Parts]) -> Callable[..., Parts | None]:
    """The parts, or None when the class refuses them with an error of the tree."""

    def attempt(*arguments: Any) -> Parts | None:
        try:
            return make(*arguments)
        except URLSyntaxError:
            return None

    return attempt


def tlv(fields: list[tuple[int, bytes]]) -> str:
    data = b"".join(bytes((tag, len(value))) + value for tag, value in fields)
    return data.decode("utf-8", "surrogateescape")


document_id = st.lists(st.tuples(st.integers(0, 127), st.binary(max_size=20)), max_size=4).map(tlv)
libwww_like = st.from_regex(r"\A[0-9]{0,3}/?[0-9]?=?[a-z]{0,3};?\Z")

mailbox = st.builds(
    "{}@{}".format,
    st.text("abZ0!#$%&'*+-/=?^_`{|}~éü日", min_size=1, max_size=8) | st.text("aé@,;:<>()[]/?#&=%").map('"{}"'.format),
    st.sampled_from(["h.example", "localhost", "[192.0.2.1]", "[IPv6:::1]", "bücher.example"]),
)

token = st.text('ab-+.9/;=,%"é', min_size=1, max_size=4)

PARTS = {
    "data": st.builds(
        accepted(DataParts),
        st.binary(max_size=20),
        st.just("text/plain") | st.builds("{}/{}".format, token, token) | anything,
        st.lists(st.tuples(token, token | anything), max_size=3),
        st.booleans(),
    ),
    "http": st.builds(accepted(HttpParts), anything, some),
    "gopher": st.builds(accepted(GopherParts), st.text(min_size=1, max_size=1) | anything, anything, some, some),
    "mailto": st.builds(
        accepted(MailtoParts),
        st.lists(mailbox | anything, max_size=3) | st.lists(mailbox, max_size=3),
        st.lists(st.tuples(anything, anything), max_size=3),
    ),
    "gemini": st.builds(accepted(GeminiParts), anything, some),
    "dict": st.builds(accepted(DictParts), anything, some | st.just("db"), some | st.just("."), number),
    "news": st.one_of(
        st.builds(accepted(NewsParts), some),
        st.builds(accepted(NewsParts), st.none(), some),
        st.builds(accepted(NewsParts), st.none(), st.none(), some),
        st.builds(accepted(NewsParts), st.none(), st.builds("{}@{}".format, anything, anything)),
        st.builds(accepted(NewsParts), some, some, some),
    ),
    "nntp": st.builds(accepted(NntpParts), anything, number, number),
    "prospero": st.builds(accepted(ProsperoParts), anything, st.lists(st.tuples(anything, anything), max_size=3)),
    "telnet": st.just(TelnetParts()),
    "wais": st.one_of(
        st.builds(accepted(WaisParts), anything, some),
        st.builds(accepted(WaisParts), anything, st.none(), anything, anything | document_id | libwww_like, number),
        st.builds(accepted(WaisParts), some.map(lambda text: text or ""), some, some, some, number),
    ),
}


@pytest.mark.parametrize("scheme", PARTS)
def test_what_is_built_is_read_as_it_was(scheme: str) -> None:
    host = None if scheme in ("data", "mailto") else "h"

    @given(PARTS[scheme])
    def check(parts: Parts | None) -> None:
        if parts is None:
            return
        url = rebuild(scheme, host, parts)
        assert url.parts == parts
        assert rebuild(scheme, host, url.parts) == url

    check()


@each_row("scheme", ["data", "dict", "gemini", "gopher", "mailto", "news", "prospero", "wais"])
def test_what_is_written_is_legal_in_rfc_1738_but_for_the_tilde(scheme: str) -> None:
    xchar = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789$-_.+!*'(),;/?:@&=%~")

    @given(PARTS[scheme])
    def check(parts: Parts | None) -> None:
        if parts is not None:
            assert xchar.issuperset(parts.url_path())

    check()
