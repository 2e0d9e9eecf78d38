"""Two thousand texts with URLs in them, of fourteen kinds: what is in each is known, for it was put there.

Rule: URLs are put into the sentences and lines that people and programs write around them, and packed by the libraries
that everybody packs such texts with (json, csv, email, html). Nothing here is learned from what the finder finds.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from typing import NamedTuple

EACH = 145
"""Texts of each kind: more than 2,000 in all."""

URLS = (
    "http://example.com", "https://example.com/", "https://www.example.com/a/b.html", "http://localhost:8080/x",
    "https://example.com/?q=1", "https://example.com/a?b=c&d=e", "https://example.com/a#top", "http://192.0.2.1/x",
    "http://[2001:db8::1]:8080/a", "https://user@example.com/x", "ftp://ftp.example.org/pub/a-b_c.tar.gz",
    "ftp://example.org/a;type=i", "gopher://example.org/1/news", "https://en.wikipedia.org/wiki/A_(b)",
    "https://example.com/a,b;c=d/e", "https://example.com/~joe/", "https://example.com/a%20b/%C3%BC",
    "https://example.com/x/y/z/index.php?id=12345&lang=en-GB#section-2.1", "https://example.com/a+b/c=d",
    "https://example.com/@joe/112233", "https://example.com/a/-/b", "https://example.com/$metadata",
    "http://example.com:80/", "https://a.b.c.example.co.uk/d", "https://xn--bcher-kva.example/x", "git+ssh://git@example.com/a/b.git",
    "svn://example.org/trunk", "irc://irc.example.org/channel", "ldap://ldap.example.org/o=x", "ws://example.com/socket",
    "magnet:?xt=urn:btih:0123456789abcdef0123456789abcdef01234567", "mailto:joe@example.com",
    "mailto:joe@example.com?subject=a%20b", "news:comp.infosystems.www", "urn:isbn:0451450523", "tel:+1-201-555-0123",
    "data:text/plain,hello", "file:///etc/hosts", "sip:joe@example.com", "nntp://news.example.org/comp.test/1",
    "https://example.com/#/app/route", "https://example.com/a//b", "https://example.com/a?b=c/d:e@f",
    "https://example.com/v1.2.3/a.tar.gz", "http://example.com/cgi-bin/x?a=1;b=2", "https://example.com/a:b",
    "https://example.com/A/B/C/D/E/F/G/H/I/J/K", "wais://example.org/db?words", "telnet://example.org:23/",
    "https://m\u00fcller.example/stra\u00dfe", "https://example.com/caf\u00e9?x=\u00fc",
)  # fmt: skip
"""Each with what only it has: a port, brackets, escapes, commas, a scheme without slashes."""

ASCII = tuple(url for url in URLS if url.isascii())

PROSE = (
    "See {}.",
    "See {}, and then {}.",
    "({})",
    "It is at {}!",
    "Is it at {}?",
    '"{}"',
    "'{}'",
    "Look: {}",
    "{} is down",
    "<{}>",
    "<URL:{}>",
    "URL: {}",
    "see {}; or {}",
    "[{}]",
    "{}\n{}\n",
    "at {} (mirror: {}).",
    "foo...{}",
    "**{}**",
    "_{}_",
    "\u201c{}\u201d",
    "\u2018{}\u2019",
    "{}\u2026",
    "{} \u2013 a page",
    "\u00ab{}\u00bb",
    "\u201e{}\u201c",
    "{}:",
    "- {}\n- {}",
    "1) {}",
    "\t{}\t",
    "x={} y",
    "more:{}",
    "Source={}",
    "{}\r\n",
    "| {} | b |",
    "not http:// but {}",
    "a://, {}",
    "10:30 {} C:\\x",
    "std::x {}",
)

CJK = (
    "\u8bf7\u770b{}\u3002",
    "\uff08{}\uff09",
    "\u300c{}\u300d",
    "\u300e{}\u300f\u3092\u898b\u308b",
    "\u3010{}\u3011",
    "\u300a{}\u300b",
    "\u7f51\u5740\uff1a{}\uff0c\u8c22\u8c22",
    "{}\u3001{}",
    "\u3053\u3061\u3089 {} \u3067\u3059",
    "{}\uff1b{}",
    "{}\uff01",
    "{}\uff1f",
    "\u201c{}\u201d",
    "\uff1c{}\uff1e",
    "{}\u3000\u5168\u89d2",
    "\u300f{}\u3002",
    "\uc8fc\uc18c: {} \uc785\ub2c8\ub2e4",
    "\u3008{}\u3009",
    "\uff3b{}\uff3d",
    "\u53c2\u7167\uff1a\n{}\n",
    "\u2460{}\u3002\u2461{}\u3002",
)

RTL = (
    "\u0631\u0627\u062c\u0639 {}\u060c \u0634\u0643\u0631\u0627",
    "{}\u061b {}",
    "\u0647\u0644 {}\u061f",
    "\u05e8\u05d0\u05d5 {} .",
    "\u202b{}\u202c",
    "\u2067{}\u2069",
    "\u200f{}\u200f",
    "({}) \u05d8\u05d5\u05d1",
    "\u00ab{}\u00bb",
    "\u05f4{}\u05f4 {}",
    "\u0627\u0644\u0631\u0627\u0628\u0637:{}",
    "\u06d4 {}\u06d4",
)

CODE = (
    'url = "{}"',
    "url = '{}'  # {}",
    "fetch(`{}`);",
    'const char *u = "{}";',
    "// see {}",
    "/* {} */",
    "# {}",
    "-- {}",
    "curl -O {} | sh",
    'u := "{}"',
    "let u = '{}';",
    "<!-- {} -->",
    "@see {}",
    "    :param url: {}",
    '{{"a": "{}"}}',
    "url: {}",
    'url = ["{}", "{}"]',
    "RUN wget {} && make",
    "$(wget {})",
    'href="{}"',
    "background: url({});",
    "SELECT '{}';",
    'printf("{}\\n");',
    "REM {}",
    "; {}",
    "% {}",
    'raise X("{}")',
    "x = f('{}', 1)",
    "<a href='{}'>",
    "export A={}",
    "[submodule]\n\turl = {}\n",
    "#include <a> // {}",
    '"""{}"""',
    "return '{}' + x",
    'if (u == "{}") {{',
    '(def u "{}")',
    "my $u = '{}';",
    'u <- "{}"',
)


_BEHIND_WORD = re.compile(r"\w:\{\}")
"""A name without // behind a word and a colon may be the end of a longer name: only URLs with // are put there."""


class Text(NamedTuple):
    """One text.

    Attributes:
        kind: One of KINDS.
        text: It.
        format: What it is written in.
        urls: What is in it, in order.
    """

    kind: str
    text: bytes
    format: str
    urls: tuple[str, ...]


def _filled(frames: tuple[str, ...], urls: tuple[str, ...], step: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Sentences and what is in them: each frame with one URL after the other, until there are enough."""
    with_slashes = tuple(url for url in urls if "://" in url)
    for number in range(EACH):
        frame = frames[number % len(frames)]
        some = with_slashes if _BEHIND_WORD.search(frame) else urls
        chosen = tuple(some[(number * step + at * 7) % len(some)] for at in range(frame.replace("{{", "").count("{}")))
        yield frame.format(*chosen), chosen


def _plain(kind: str, frames: tuple[str, ...], urls: tuple[str, ...], step: int) -> Iterator[Text]:
    for text, chosen in _filled(frames, urls, step):
        yield Text(kind, text.encode(), "text", chosen)


def _packed(kind: str, format: str, pack: Callable[[str, int], bytes], step: int) -> Iterator[Text]:
    """The sentences of PROSE, packed."""
    for number, (text, chosen) in enumerate(_filled(PROSE, URLS, step)):
        yield Text(kind, pack(text, number), format, chosen)


def _each(kind: str, format: str, frames: tuple[Callable[[str], str], ...], urls: tuple[str, ...]) -> Iterator[Text]:
    """Marks of a format around one URL."""
    for number in range(EACH):
        url = urls[(number * 11) % len(urls)]
        yield Text(kind, frames[number % len(frames)](url).encode(), format, (url,))


def _as_json(text: str, number: int) -> bytes:
    packed = json.dumps({"n": number, "text": [text]}, ensure_ascii=number % 2 == 0)
    return (packed.replace("/", "\\/") if number % 3 == 0 else packed).encode()


def _as_csv(text: str, number: int) -> bytes:
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=",;|"[number % 3], quoting=(csv.QUOTE_MINIMAL, csv.QUOTE_ALL)[number % 2]).writerows(
        [["n", "text", "x"], [number, text, "x"]]
    )
    return file.getvalue().encode()


def _as_mail(text: str, number: int) -> bytes:
    message = EmailMessage()
    message["Subject"] = "a corpus"
    message.set_content(text.strip() + "\n", cte=("quoted-printable", "base64", "8bit")[number % 3])
    return bytes(message)


def _as_html(text: str, number: int) -> bytes:
    return f"<!DOCTYPE html><title>a</title><p>{html.escape(text, quote=number % 2 == 0)}</p>".encode()


def _as_xml(text: str, number: int) -> bytes:
    inner = f"<![CDATA[{text}]]>" if number % 3 == 0 else html.escape(text, quote=False)
    return f'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><t n="{number}">{inner}</t></feed>'.encode()


def _as_log(text: str, number: int) -> bytes:
    first, last = f"\x1b[{31 + number % 7}m", "\x1b[0m\x1b[K"
    return f"2026-11-23 00:00:{number % 60:02} {first}INFO{last} {first}{text}{last}\n".encode()


def _escaped(url: str, marks: str) -> str:
    return "".join(f"\\{char}" if char in marks else char for char in url)


MARKDOWN: tuple[Callable[[str], str], ...] = (
    lambda url: f"[a]({url})",
    lambda url: f'[a]({url} "title")',
    lambda url: f"[a](<{url}>)",
    lambda url: f"![a]({url})",
    lambda url: f"\n[a]: {url}\n",
    lambda url: f"\n[a]: <{url}> 'title'\n",
    lambda url: f"<{url}>",
    lambda url: f"*{url}* b",
    lambda url: f"> {url}\n",
    lambda url: f"- [a]({_escaped(url, '()')})",
    lambda url: f"`{url}`",
    lambda url: f"| {url} | b |",
    lambda url: f"[[a]({url})]",
    lambda url: f"a[^1]\n\n[^1]: {url}\n",
    lambda url: f"**[a]({url})**.",
    lambda url: f"# {url}",
    lambda url: f"[a]({url.replace('&', '&amp;')})",
    lambda url: f"    {url}\n",
    lambda url: f"[a](\n{url})",
)

RST: tuple[Callable[[str], str], ...] = (
    lambda url: f"`a <{url}>`_",
    lambda url: f"`a b <{url}>`__.",
    lambda url: f".. _a: {url}\n",
    lambda url: f".. image:: {url}\n",
    lambda url: f".. figure:: {url}\n",
    lambda url: f"``{url}``",
    lambda url: f"a {url} b",
    lambda url: f"({url})",
    lambda url: f":target: {url}\n",
    lambda url: f"* {url}\n",
    lambda url: f".. __: {url}\n",
    lambda url: f"<{url}>",
)

LATEX: tuple[Callable[[str], str], ...] = (
    lambda url: f"\\url{{{url}}}",
    lambda url: f"\\href{{{_escaped(url, '%_&#')}}}{{a}}",
    lambda url: f"\\footnote{{{_escaped(url, '%_&#$')}}}",
    lambda url: f"see \\texttt{{{_escaped(url, '_&%#$')}}}.",
    lambda url: f"url = {{{url}}},",
    lambda url: f"\\path{{{url}}}~a",
    lambda url: f"\\url{{{_escaped(url, '%#')}}}.",
    lambda url: f"({_escaped(url, '_&%#$')})",
    lambda url: f'howpublished = "\\url{{{url}}}",',
)

MAN: tuple[Callable[[str], str], ...] = (
    lambda url: f".UR {_escaped(url, '-')}\n.UE .\n",
    lambda url: f"See {_escaped(url, '-')}.\n",
    lambda url: f"<\\fI{url}\\fR>\n",
    lambda url: f".Lk {url} a\n",
    lambda url: f"\\fB{url}\\fP, a\n",
    lambda url: f".B {url}\n",
    lambda url: f"\\%{url}\n",
    lambda url: f"\\(lq{url}\\(rq\n",
    lambda url: f"\\[la]{url}\\[ra]\n",
    lambda url: f"{url}\\c\n",
    lambda url: f"a\\ {url}\\ b\n",
)

KINDS: dict[str, Callable[[], Iterator[Text]]] = {
    "prose": lambda: _plain("prose", PROSE, URLS, 1),
    "Chinese, Japanese, Korean": lambda: _plain("Chinese, Japanese, Korean", CJK, ASCII, 3),
    "Arabic, Hebrew": lambda: _plain("Arabic, Hebrew", RTL, ASCII, 5),
    "code": lambda: _plain("code", CODE, ASCII, 9),
    "JSON": lambda: _packed("JSON", "json", _as_json, 2),
    "CSV": lambda: _packed("CSV", "csv", _as_csv, 4),
    "mail": lambda: _packed("mail", "mail", _as_mail, 6),
    "HTML": lambda: _packed("HTML", "html", _as_html, 8),
    "XML": lambda: _packed("XML", "xml", _as_xml, 10),
    "log": lambda: _packed("log", "log", _as_log, 12),
    "Markdown": lambda: _each("Markdown", "markdown", MARKDOWN, ASCII),
    "reStructuredText": lambda: _each("reStructuredText", "rst", RST, ASCII),
    "LaTeX": lambda: _each("LaTeX", "latex", LATEX, ASCII),
    "man": lambda: _each("man", "man", MAN, ASCII),
}
