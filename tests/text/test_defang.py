"""Defanged URLs, written and read: what is written is restored, and nobody else is accused."""

from __future__ import annotations

import html
import json
from email.message import EmailMessage

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anyurl.errors import URLSyntaxError
from anyurl.text import defang, find
from anyurl.url import URL
from tests.cli.runner import run
from tests.rows import each_row


def read(text: str, **options: bool) -> list[str]:
    return [str(found) for found in find(text, refang=True, **options)]


@each_row(
    ("url", "written"),
    [
        ("http://evil.com", "hxxp://evil[.]com"),
        ("https://a.evil.com:8443/x.php?y=1.2#z", "hxxps://a[.]evil[.]com:8443/x.php?y=1.2#z"),
        ("ftp://evil.com/a", "fxp://evil[.]com/a"),
        ("gopher://evil.com/1", "gopher[:]//evil[.]com/1"),
        ("http://10.0.0.1/", "hxxp://10[.]0[.]0[.]1/"),
        ("http://[2001:db8::1]/", "hxxp://[2001:db8::1]/"),
        ("http://localhost", "hxxp[:]//localhost"),
        ("ftp://a/", "fxp[:]//a/"),
        ("http://localhost/x", "hxxp://localhost/x"),
        ("https://a.dom/b/http://evil.com/?ftp://c.d", "hxxps://a[.]dom/b/http[:]//evil.com/?ftp[:]//c.d"),
        ("view-source:http://evil.com/", "view-source[:]http[:]//evil.com/"),
        ("mailto:joe@evil.com", "mailto[:]joe@evil.com"),
    ],
)
def test_what_is_written(url: str, written: str) -> None:
    assert defang(url) == defang(URL(url)) == written


def test_what_is_no_url_is_not_written() -> None:
    with pytest.raises(URLSyntaxError):
        defang("evil.com")


LABELS = st.from_regex(r"[a-z][a-z0-9]{0,6}", fullmatch=True)
URLS = st.builds(
    lambda scheme, labels, port, path: f"{scheme}://{'.'.join(labels)}{port}{path}",
    st.sampled_from(["http", "https", "ftp", "gopher", "nntp", "telnet", "gemini"]),
    st.lists(LABELS, min_size=1, max_size=4),
    st.sampled_from(["", ":8080"]), st.sampled_from(["", "/", "/a/b.c", "/a?b=c.d", "/%41", "/a#b"]),
)  # fmt: skip


@example(url="ftp://a/")
@given(url=URLS)
def test_what_is_written_is_restored(url: str) -> None:
    plain = [str(found) for found in find(f"see {url} there")]
    assert read(f"see {defang(url)} there") == plain


@each_row(
    "url",
    [
        "https://evil.com/?a=b&c=d", "https://a.dom/http://evil.com/x", "mailto:joe@evil.com?subject=a&cc=b@c.dom",
        "data:text/html,evil", "urn:ietf:rfc", "tel:+1201", "javascript:f(1)", "news:a.b", "ftp://evil/",
    ],
)  # fmt: skip
def test_it_is_restored_from_every_format_and_no_link_before(url: str) -> None:
    message = EmailMessage()
    message["From"] = message["Date"] = message["Subject"] = "x"
    message.set_content(f"{defang(url)}\n", cte="quoted-printable")
    text = f"see {defang(url)} there"
    written = {
        "text": text, "json": json.dumps({"a": text}), "html": f"<p>{html.escape(text)}</p>", "markdown": text,
        "mail": message.as_string(), "rst": text, "csv": f'a,"{text}"\n',
    }  # fmt: skip
    for format, data in written.items():
        assert [str(found) for found in find(data, format=format, refang=True)] == [url], format
        assert list(find(data, format=format)) == [], format


MEANT = [
    (r"hxxp://c2\.bot\.net/b", "http://c2.bot.net/b"),
    (r"hxxps://evil\.example\.com/m and more", "https://evil.example.com/m"),
    (r"hxxp://www.evil\\.com/x", "http://www.evil.com/x"),
    (r"hxxp://www.evil\[.\]com/a", "http://www.evil.com/a"),
    ("hxxp://evil[.com/", "http://evil.com/"),
    ("hxxp://a.]b.com/x", "http://a.b.com/x"),
    ("hxxp://www.evil[.com[.]br/a", "http://www.evil.com.br/a"),
    (r"hxxp://evil[.]com\.br/x y", "http://evil.com.br/x"),
    (r"(hxxp://www.evil\.com/x).", "http://www.evil.com/x"),
    ("hxxp://evil[dot]com/x", "http://evil.com/x"),
    ("hxxp://evil(dot)com/x", "http://evil.com/x"),
    ("hxxp://www.evil.com. Then", "http://www.evil.com"),
    ("hxxp://www.evil.com[1]", "http://www.evil.com"),
    ("[hxxp://www.evil.com]", "http://www.evil.com"),
    ("hxxp://www.evil.com\u3002", "http://www.evil.com"),
    ("hxxp://evil.com and .net", "http://evil.com"),
    (r'{"u":"hxxp://evil.com\n"}', "http://evil.com"),
]


@each_row(("text", "url"), MEANT)
def test_the_host_that_a_person_means(text: str, url: str) -> None:
    assert read(text) == read(text, bare=True, emails=True) == [url]


UNCLEAR = [
    "hxxp://evil .com/", "hxxp://www.evil .com/", "hxxp://a . b . com/x", "hxxp://evil. com/", "hxxp://evil dot com/",
    "hxxp://www.evil dot com/", "hxxp://evil[dot com/", "hxxp://www.evil[dot com/", "hxxp://evil<.>com/", "hxxp://evil",
    "hxxp://www.evil<dot>com/", "hxxp://user[at]evil[.]com/", "user[at]host[.]com", "user(at)host[.]com",
    "user [at] h[.]com",
    "joe[@]evil[.]com", "hxxp://evil\u3002com/", "hxxp://www.evil\uff0ecom/", "https://evil[.com/x", "https://evil.]com/x",
    r"https://evil\.example.com/", "see evil(dot)com now",
]  # fmt: skip


@each_row("text", UNCLEAR)
def test_what_is_unclear_accuses_nobody(text: str) -> None:
    assert read(text) == read(text, bare=True, emails=True) == []


def test_the_commands_write_what_find_reads() -> None:
    assert run("fix", "--defang", "http://evil.com/a b").stdout == "hxxp://evil[.]com/a%20b\n"
    assert run("find", "--defang", input=b"see http://evil.com/a.b there").stdout == "hxxp://evil[.]com/a.b\n"
    assert run("find", "--defang", input=b"http://u:secret@evil.com/").stdout == "hxxp://u:***@evil[.]com/\n"
    assert run("find", "--refang", input=b"hxxp://evil[.]com/a.b").stdout == "http://evil.com/a.b\n"
