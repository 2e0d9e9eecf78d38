"""Texts that people have reported to the finders of links: what each should give, and what other finders give.

Each row is the smallest text that shows a report, told by its project and number. How many of them linkify-it-py and
urlextract read as they are meant stands in the figures of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from anyurl.text import find
from tests.rows import each_row
from tests.text.scoring import linkify, same, urlextract

WIKI = "http://en.wikipedia.org/wiki/"


class Report(NamedTuple):
    """One report.

    Attributes:
        reason: Whose it is, and what it is about.
        text: It.
        urls: What is meant; `|` stands before another reading.
        options: Of `find`.
    """

    reason: str
    text: str
    urls: tuple[str, ...]
    options: Mapping[str, Any] = MappingProxyType({})


TEXT = [
    Report("linkifyjs#81: brackets behind a query", "see http://h.org/?a=b(c)d and", ("http://h.org/?a=b(c)d",)),
    Report("linkifyjs#209: brackets in brackets", f"({WIKI}A_(b_(c)))", (f"{WIKI}A_(b_(c))",)),
    Report("bleach#49: slash, bracket, full stop", "(see http://h.org/a/).", ("http://h.org/a/",)),
    Report("bleach#30: a comma", "http://h.org/a, and http://h.org/b,c", ("http://h.org/a", "http://h.org/b,c")),
    Report("linkify-urls#33: emphasis in a fragment", "http://h.org/a#1_*_*", ("http://h.org/a#1_*_*",)),
    Report("robinst/linkify#11: bold", "**http://h.org/a**", ("http://h.org/a",)),
    Report("robinst/linkify#57: full stops at the end", "http://h.org/a... and", ("http://h.org/a",)),
    Report(
        "robinst/linkify#68: a table", '1,http://h.org/a,"http://h.org/b",x',
        ("http://h.org/a", "http://h.org/b"), {"format": "csv"},
    ),
    Report("linkify-it#20: a hyphen at the end", "http://h.org/a- b", ("http://h.org/a-",)),
    Report(
        "markdown-it#132: brackets in a query", "http://h.org/?t=alias(sum(a.b,(c))),'x') b",
        ("http://h.org/?t=alias(sum(a.b,(c))),'x'",),
    ),
    Report(
        "orca#10571: brackets of full width", "見る（http://h.org/a）。「http://h.org/b」",
        ("http://h.org/a", "http://h.org/b"),
    ),
    Report("orca#10573: a comma of East Asia", "http://h.org/a、http://h.org、", ("http://h.org/a", "http://h.org")),
    Report("vscode#314618: an exclamation mark of full width", "http://h.org/a！", ("http://h.org/a",)),
    Report("warp#13088: a comma of full width", "http://h.org/a，b", ("http://h.org/a",)),
    Report("URLExtract#14: backticks", "`http://h.org/a`", ("http://h.org/a",)),
    Report("URLExtract#38: braces", "{{http://h.org/a}}", ("http://h.org/a",)),
    Report("URLExtract#39: an apostrophe inside", "http://h.org/it's", ("http://h.org/it's|http://h.org/it",)),
    Report("URLExtract#95: a space in the wrapper", "<URL:http://h.org/a b>", ("http://h.org/ab",)),
    Report("bulk_extractor#69: a quotation mark as HTML has it", "a=&quot;http://h.org/a&quot; b", ("http://h.org/a",)),
    Report("iocextract#40: a tag behind it", "http://h.org/a<br>", ("http://h.org/a",)),
    Report("alacritty#1753: a comma, and a mark of order", "\ufeffhttp://h.org/a,\ufeff", ("http://h.org/a",)),
    Report(
        "kitty#551, #3688, #7095: brackets, quotes, colon", "[http://h.org/a] 'http://h.org/b' http://h.org/c:",
        ("http://h.org/a", "http://h.org/b", "http://h.org/c"),
    ),
    Report(
        "twitter-text-js#13: a version in brackets", "http://h.org/a(v=VS.100).aspx",
        ("http://h.org/a(v=VS.100).aspx",),
    ),
    Report("vscode#97617: a square bracket", "[http://h.org/a]", ("http://h.org/a",)),
    Report("vscode#79793: a bracket that nothing opens", "http://h.org/a)b", ("http://h.org/a",)),
    Report("element-android#5076: login and port", "http://u:p@h.org:8080/a", ("http://u:p@h.org:8080/a",)),
    Report("element-web#30351: a mark of direction", "\u2066http://h.org/a\u2069", ("http://h.org/a",)),
    Report("element-web#18914: a name that is not ASCII", "http://ée.tld/a", ("http://xn--e-9fa.tld/a",)),
    Report("element-x-android#5319: a room of Matrix", "see matrix:u/joe:h.org", ("matrix:u/joe:h.org",)),
    Report("cmark-gfm#72: an asterisk at the end", "*http://h.org/a*", ("http://h.org/a",)),
    Report("comrak#479, marked#2024, markdig#798: a low line at the end", "_http://h.org/a_", ("http://h.org/a",)),
    Report("lychee#253: emphasis inside", "http://h.org/a_-_b", ("http://h.org/a_-_b",)),
    Report("lychee#949: angle brackets", "<http://h.org/a>", ("http://h.org/a",)),
    Report("standardnotes/forum#4035: a comma inside", "http://h.org/a,1,b.html", ("http://h.org/a,1,b.html",)),
    Report("urlchecker-python#43: a string in a dictionary", "{'a': 'http://h.org/a'}", ("http://h.org/a",)),
    Report(
        "github-action-markdown-link-check#150: escapes of a string", r'"see \"http://h.org/a\"\n"',
        ("http://h.org/a",),
    ),
    Report("osmbc#1063: a word behind a bracket", "(http://h.org/a)-Plugin", ("http://h.org/a",)),
    Report("curl#19910: a quote and a backslash", r"'http://h.org/a'\ ", ("http://h.org/a",)),
    Report(
        "Haddock: a label in the wrapper", "<http://h.org/base base> API",
        ("http://h.org/base|http://h.org/basebase",),
    ),
    Report("Haddock: a label of two words", "<http://h.org/a the docs>", ("http://h.org/a|http://h.org/athedocs",)),
    Report(
        "RFC 7489 6.2: a list of mailboxes", "rua=mailto:a@x.org,mailto:b@y.org",
        ("mailto:a@x.org", "mailto:b@y.org"),
    ),
    Report("bootstrap: an expression of a program", "ni:ii:e?oi:si (ni:bar) afs:1 case ni:foo()", ()),
    Report(
        "linkify-it: a word in quotes", "http://h.org/?q='word' http://h.org/a_'b'",
        ("http://h.org/?q='word'", "http://h.org/a_'b'"),
    ),
    Report("twitter-text: a possessive", "http://t.co/x's website", ("http://t.co/x's|http://t.co/x",)),
    Report("twitter-text: a title in brackets", f"{WIKI}Blur_[band]", (f"{WIKI}Blur_|{WIKI}Blur_%5Bband%5D",)),
    Report(
        "twitter-text: two bars", "http://h.org/?p=P1|0||P2|0",
        ("http://h.org/?p=P1%7C0%7C%7CP2%7C0|http://h.org/?p=P1%7C0",),
    ),
    Report("groff: a hyphen as printed", "http://my\u2010host.dom/a", ("http://my-host.dom/a",)),
    Report("pdf: a ligature", "http://h.org/o\ufb03ce", ("http://h.org/office|http://h.org/o%EF%AC%83ce",)),
    Report(
        "linkifyjs: a list of SourceHut", "to ~a/b-dev@lists.sr.ht",
        ("mailto:~a/b-dev@lists.sr.ht",), {"emails": True},
    ),
    Report(
        "linkifyjs: marks before an address", "_joe@a.org +b@a.org bug#c@a.org",
        ("mailto:_joe@a.org", "mailto:+b@a.org", "mailto:bug%23c@a.org"), {"emails": True},
    ),
    Report("linkifyjs: a question before an address", "Questions?joe@a.org", ("mailto:joe@a.org",), {"emails": True}),
]  # fmt: skip

FORMATS = [
    Report(
        "scancode-toolkit#3946, translate#3773: a wrapped catalogue",
        'msgid ""\nmsgstr ""\n"Language-Team: Finnish <https://h.org/projects/gnu-mailman/"\n"hyperkitty/fi/>\\n"\n',
        ("https://h.org/projects/gnu-mailman/hyperkitty/fi/",), {"format": "po"},
    ),
    Report(
        "zim-tools#297: a style as browsers write it",
        '<p style="a:url(&quot;i.png&quot;)"><p style="a:url(&#39;j.png&#39;)">',
        ("http://b.org/i.png", "http://b.org/j.png"), {"format": "html", "base": "http://b.org/"},
    ),
    Report(
        "parse-srcset: a line end as libxml2 writes it", '<img srcset="a.png 1x,&#10;   b.png&#9;2x">',
        ("http://b.org/a.png", "http://b.org/b.png"), {"format": "html", "base": "http://b.org/"},
    ),
    Report(
        "the same in ping and refresh", '<a ping="/p&#10;/q"><meta http-equiv=refresh content="0;&#10;url=n.html">',
        ("http://b.org/p", "http://b.org/q", "http://b.org/n.html"), {"format": "html", "base": "http://b.org/"},
    ),
    Report(
        "rspamd#5891: mail without a suffix", "Delivered-To: a@b\nReturn-path: <a@b>\nAuthentication-Results: x\n"
        "Content-Transfer-Encoding: quoted-printable\n\nhttp://h.org/?target=3Dsta=\ntredi\n",
        ("http://h.org/?target=statredi",), {"format": "auto"},
    ),
    Report(
        "python-docx: what names a kind of thing",
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="a" Type="http://schemas.openxmlformats.org/x" Target="b.xml"/>'
        '<Relationship Id="c" Type="http://schemas.openxmlformats.org/y" Target="http://h.org/a" '
        'TargetMode="External"/>',
        ("http://h.org/a",), {"format": "office"},
    ),
    Report(
        "docx2txt#10: a text that goes on in the next run", '<w:p xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        "<w:r><w:t>http://h.org/</w:t></w:r><w:r><w:t>a</w:t></w:r></w:p>", ("http://h.org/a",), {"format": "office"},
    ),
    Report("CommonMark 606: an address in the wrapper", "<joe@a.org>", ("mailto:joe@a.org",), {"format": "markdown"}),
    Report(
        "CommonMark 528: brackets in the wrapper", "<https://h.org/?a=](x)>",
        ("https://h.org/?a=%5D(x)",), {"format": "markdown"},
    ),
]  # fmt: skip


def readings(report: Report) -> tuple[str, ...]:
    found = find(report.text, **report.options)
    return tuple("|".join([str(item), *map(str, item.alternatives)]) for item in found)


@each_row("report", [*TEXT, *FORMATS], ids=lambda report: report.reason)
def test_what_was_reported_is_found(report: Report) -> None:
    assert readings(report) == report.urls


@each_row("size", [1, 3])
@each_row("report", [*TEXT, *FORMATS], ids=lambda report: report.reason)
def test_it_is_found_in_pieces(report: Report, size: int) -> None:
    octets = report.text.encode()
    pieces = [octets[at : at + size] for at in range(0, len(octets), size)]
    assert readings(report._replace(text=pieces)) == report.urls  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "peer"), [("linkify-it-py", linkify), ("urlextract", urlextract)])
def test_others_read_fewer(
    name: str,
    peer: Callable[[Path], Callable[[str], list[str]]],
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    """Of the texts without an option: alternatives are not asked for, and anything may be encoded or not."""
    read = peer(tmp_path)
    plain = [report for report in TEXT if not report.options]
    alike = sum(
        [same(url) for url in read(report.text)] == [same(url.partition("|")[0]) for url in report.urls]
        for report in plain
    )
    record_property("figures", f"{name} reads {alike} of {len(plain)} reported texts as they are meant")
    assert alike < len(plain) * 0.7
