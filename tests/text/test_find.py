"""`find`: the labelled cases, the RFCs' own examples, places, options and arguments."""

from __future__ import annotations

import io
import itertools
import pickle
from pathlib import Path
from typing import Any

import pytest

from anyurl.errors import URLSyntaxError
from anyurl.text import Found, find
from anyurl.url import URL
from tests.rows import each_row
from tests.text.cases import rows, unescaped

RFC_1738 = """\
Yes, Jim, I found it under <URL:ftp://info.cern.ch/pub/www/doc;
      type=d> but you can probably pick it up from <URL:ftp://ds.in
      ternic.net/rfc>.  Note the warning in <URL:http://ds.internic.
      net/instructions/overview.html#WARNING>.
"""

RFC_3986 = """\
Yes, Jim, I found it under "http://www.w3.org/Addressing/",
but you can probably pick it up from <ftp://foo.example.
com/rfc/>.  Note the warning in <http://www.ics.uci.edu/pub/
ietf/uri/historical.html#WARNING>.
"""

LINKS = rows("links.txt", 3)
NOT_LINKS = rows("not_links.txt", 2)


def flags(options: str) -> dict[str, bool]:
    return dict.fromkeys(options.split(), True)


@each_row(("text", "expected", "reason", "options"), LINKS, ids=[f"{row[2]}: {row[0]}" for row in LINKS])
def test_a_url_is_found(text: str, expected: str, reason: str, options: str) -> None:
    found = find(unescaped(text), **flags(options))  # type: ignore[arg-type]
    assert " ".join("|".join([str(item), *map(str, item.alternatives)]) for item in found) == expected


@each_row(("text", "reason", "options"), NOT_LINKS, ids=[f"{row[1]}: {row[0]}" for row in NOT_LINKS])
def test_no_url_is_found(text: str, reason: str, options: str) -> None:
    assert list(find(unescaped(text), **flags(options))) == []  # type: ignore[arg-type]


def test_there_are_enough_cases_and_each_has_its_own_text() -> None:
    texts = [(row[0], row[-1]) for row in (*LINKS, *NOT_LINKS)]
    assert len(texts) >= 500
    assert len(texts) - len(set(texts)) == 0
    assert all(row[-2] for row in (*LINKS, *NOT_LINKS))


@pytest.mark.clause("appendix-10")
def test_the_rfcs_own_paragraph_yields_its_three_urls() -> None:
    found = list(find(RFC_1738))
    assert [(str(item.url), item.fragment) for item in found] == [
        ("ftp://info.cern.ch/pub/www/doc;type=d", None),
        ("ftp://ds.internic.net/rfc", None),
        ("http://ds.internic.net/instructions/overview.html", "WARNING"),
    ]
    assert [item.context for item in found] == ["URL:"] * 3
    assert [(item.line, item.column) for item in found] == [(1, 33), (2, 57), (3, 50)]
    assert [item.alternatives for item in found] == [()] * 3


def test_the_paragraph_of_rfc_3986_yields_its_three_urls() -> None:
    found = list(find(RFC_3986))
    assert [(str(item), item.context) for item in found] == [
        ("http://www.w3.org/Addressing/", "bare"),
        ("ftp://foo.example.com/rfc/", "angle"),
        ("http://www.ics.uci.edu/pub/ietf/uri/historical.html#WARNING", "angle"),
    ]


@each_row(
    ("text", "context"),
    [
        ("x http://h/ y", "bare"),
        ('"http://h/"', "bare"),
        ("<http://h/>", "angle"),
        ("<URL:http://h/>", "URL:"),
        ("URL:http://h/", "URL:"),
        ("[t](http://h/)", "markdown"),
        ("[t](<http://h/>)", "markdown"),
        ("\n[n]: http://h/", "markdown"),
        ("`t <http://h/>`_", "restructuredtext"),
        (".. _n: http://h/", "restructuredtext"),
        ('<a href="http://h/">', "html-attribute"),
        ("<img src='http://h/'>", "html-attribute"),
        ("<a href=http://h/>", "html-attribute"),
        ('<a href = "http://h/">', "html-attribute"),
        ('x="http://h/"', "bare"),
        ("note: http://h/", "bare"),
    ],
)
def test_the_context_tells_how_it_stands_there(text: str, context: str) -> None:
    assert [item.context for item in find(text)] == [context]


def test_places_are_told_in_characters_and_octets() -> None:
    text = "é\n日本 http://h/ü, <http://x\n/>\r\n\N{GRINNING FACE}http://z/"
    found = list(find(text))
    assert [(item.span, item.octet_span, item.line, item.column) for item in found] == [
        ((5, 15), (10, 21), 2, 4),
        ((18, 28), (24, 34), 2, 17),
        ((32, 41), (41, 50), 4, 2),
    ]
    for item in found:
        assert text[slice(*item.span)] == item.raw
        assert text.encode()[slice(*item.octet_span)] == item.raw.encode()


def test_raw_is_what_stands_in_the_text_and_url_what_is_meant() -> None:
    (item,) = find("> <URL: http://h/a-\n> b#c >")
    assert (item.raw, str(item.url), item.fragment, item.alternatives) == (
        "http://h/a-\n> b#c", "http://h/a-b", "c", (URL("http://h/ab#c"),),
    )  # fmt: skip


def test_a_fragment_is_told_apart() -> None:
    told = [
        (str(item.url), item.fragment) for item in find("http://h/#a http://h/# http://h/ <http://h/#b> http://h/#é")
    ]
    assert told == [
        ("http://h/", "a"),
        ("http://h/", ""),
        ("http://h/", None),
        ("http://h/", "b"),
        ("http://h/", "%C3%A9"),
    ]


def test_schemes_choose_what_is_reported() -> None:
    text = "http://a/ ftp://b/ mailto:c@d.org HTTP://e/ <URL:http://f/> www.g.org"
    assert [str(item) for item in find(text, schemes={"HTTP"})] == ["http://a/", "HTTP://e/", "http://f/"]
    assert [str(item) for item in find(text, schemes=["ftp", "mailto"])] == ["ftp://b/", "mailto:c@d.org"]
    assert list(find(text, schemes=[])) == []
    assert [str(item) for item in find(text, schemes={"http"}, www=True)][-1] == "http://www.g.org"


def test_a_scheme_that_a_user_registers_is_found_without_slashes() -> None:
    from anyurl.url import syntax

    assert list(find("see x-shelf:book42")) == []
    syntax.ROWS["x-shelf"] = syntax.Row("x-shelf", "our library", authority="forbidden")
    try:
        assert [str(item) for item in find("see x-shelf:book42.")] == ["x-shelf:book42"]
    finally:
        del syntax.ROWS["x-shelf"]


def test_it_reads_nothing_before_it_is_asked() -> None:
    file = io.StringIO("http://h/")
    found = find(file)
    assert file.tell() == 0
    assert isinstance(next(found), Found)


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        (
            {"format": "klingon"},
            ValueError,
            "there is no format 'klingon'; there are text, bzip2, css, csv, ",
        ),
        ({"encoding": "klingon"}, LookupError, "unknown encoding: klingon"),
        ({"base": "nowhere"}, ValueError, ""),
    ],
)
def test_a_wrong_argument_is_told_at_once(arguments: dict[str, str], error: type[Exception], sentence: str) -> None:
    with pytest.raises(error) as caught:
        find("", **arguments)  # type: ignore[arg-type]
    assert str(caught.value).startswith(sentence)


def test_a_url_that_is_too_long_is_passed_over() -> None:
    longest = "http://h/" + "a" * (65_536 - 9)
    assert [str(item) for item in find(f"{longest} http://x/")] == [longest, "http://x/"]
    assert [str(item) for item in find(f"{longest}a http://x/")] == ["http://x/"]
    assert [str(item) for item in find(f"http://{'a' * 70_000}/ http://x/")] == ["http://x/"]
    assert [str(item) for item in find(f"<URL:http://h/{'a ' * 70_000}> http://x/")] == ["http://h/a", "http://x/"]


def test_the_kind_says_what_was_asked_for() -> None:
    text = "http://h/ a@b.com www.x.org y.org hxxp://e[.]com/ http://h/{id}"
    found = list(find(text, emails=True, www=True, bare=True, refang=True, templates=True))
    assert [(item.kind, item.raw) for item in found] == [
        ("url", "http://h/"), ("email", "a@b.com"), ("www", "www.x.org"), ("bare-domain", "y.org"),
        ("defanged", "hxxp://e[.]com/"), ("template", "http://h/{id}"),
    ]  # fmt: skip
    assert [item.kind for item in find(text)] == ["url"]


@each_row("kept", [{}, {"templates": True}])
@each_row("before", ["http://joe:", "redis://:", "<http://joe:"])
@each_row(
    "secret", ["ses{ame}sesame", "a[.]sesame", "a\\sesame", "se|%sesame", "a\N{LEFT DOUBLE QUOTATION MARK}sesame"]
)
def test_a_password_that_no_url_may_hold_is_no_address(before: str, secret: str, kept: dict[str, Any]) -> None:
    text = f"{before}{secret}@h.com/"
    assert "sesame" not in " ".join(str(item) for item in find(text, emails=True, **kept))
    assert [str(item) for item in find([*text], emails=True, **kept)] == [
        str(item) for item in find(text, emails=True, **kept)
    ]


@pytest.mark.parametrize("text", [":joe@h.com", "http://h:80|joe@h.com|", "http://h.com: joe@h.com", "mail:joe@h.com"])
def test_an_address_behind_a_colon_is_one(text: str) -> None:
    assert [item.raw for item in find(text, emails=True)][-1] == "joe@h.com"


def test_a_template_has_no_url() -> None:
    (item,) = find("http://me:secret@h/{id}", templates=True)
    assert (str(item), item.fragment, item.alternatives) == ("http://me:secret@h/{id}", None, ())
    with pytest.raises(URLSyntaxError, match="a template, not a URL") as caught:
        _ = item.url
    assert "secret" not in str(caught.value)
    assert "secret" not in repr(item)
    assert pickle.loads(pickle.dumps(item)) == item


WRONG_LINKS = (
    "<a href='http://h:99999/'><a href=' http:///x'><a href=rel><a href='http://h/'><a href='http://u:sesame@[::1/'>"
    '<a href="http://h/{id}"><a href="http://h/%s"><img srcset="//h:77777/i 2x, i.png"><meta http-equiv=refresh'
    ' content="0; url=https:/y">'
)


def test_links_that_are_not_urls_are_found_on_request() -> None:
    assert [str(item) for item in find(WRONG_LINKS, format="html")] == ["http://h/"]
    found = [item for item in find(WRONG_LINKS, format="html", malformed=True) if item.kind == "malformed"]
    assert [item.raw for item in found] == ["http://h:99999/", "http:///x", "http://u:sesame@[::1/", "https:/y"]
    assert [WRONG_LINKS[slice(*item.span)] for item in found] == [item.raw for item in found]
    with pytest.raises(URLSyntaxError, match="a port is at most 65535") as caught:
        _ = found[0].url
    assert caught.value.text == "http://h:99999/"
    assert not any("sesame" in repr(item) for item in found)
    assert pickle.loads(pickle.dumps(found)) == found
    assert len({*found, *pickle.loads(pickle.dumps(found))}) == len(found)
    assert found == [item for item in find([*WRONG_LINKS], format="html", malformed=True) if item.kind == "malformed"]


def test_with_a_base_a_relative_link_that_leads_to_no_url_is_malformed() -> None:
    found = find(WRONG_LINKS, format="html", base="http://b/", malformed=True)
    assert [(item.kind, item.raw) for item in found if "77777" in item.raw or item.raw in ("rel", "i.png")] == [
        ("url", "rel"), ("malformed", "//h:77777/i"), ("url", "i.png"),
    ]  # fmt: skip


def test_malformed_links_of_markdown_and_of_one_scheme() -> None:
    text = "[a](http://h:99999/) [b](c.md) ![d](ftp://[::1/i.png) http://h:88888/"
    assert [item.raw for item in find(text, format="markdown", malformed=True)] == [
        "http://h:99999/",
        "ftp://[::1/i.png",
    ]
    assert [item.raw for item in find(text, format="markdown", malformed=True, schemes=["ftp"])] == ["ftp://[::1/i.png"]


@pytest.mark.parametrize(
    ("format", "text", "expected"),
    [
        ("html", '<a href="http://h/%s">', ["http://h/%s"]),
        ("html", '<a href="http://h/{id}"><a href="/{{ x }}"><a href="/%s">', ["http://h/{id}", "/{{ x }}", "/%s"]),
        ("markdown", "[a](b/{c}) [d](/e)", ["b/{c}"]),
        ("json", r'"http:\/\/h\/{id}"', [r"http:\/\/h\/{id}"]),
    ],
)
def test_a_template_in_a_format_is_none_either(format: str, text: str, expected: list[str]) -> None:
    found = list(find(text, format=format, base="http://base/", templates=True))
    assert [item.raw for item in found if item.kind == "template"] == expected
    urls = [item.raw for item in find(text, format=format, base="http://base/")]
    assert urls == [item.raw for item in found if item.kind == "url"]


PLACEHOLDERS = (
    "{x}", "${X}", "#{x}", "$X", "$aB", "/$name", "$(x)", "@NAME@", "%s", "%(a)s", "%NAME%", "XXXX", "{{x}}", "{%x%}",
    "&lt;id&gt;", "&lt;\u0438\u043c\u044f&gt;", "${x", "{{x",
)  # fmt: skip
DESTINATIONS = {
    "html": (
        '<a href="HERE">x</a>',
        "<a href='HERE'>x</a>",
        '<img src="HERE">',
        '<img srcset="HERE 2x">',
        '<q cite="HERE">',
    ),
    "css": ('a { b: url("HERE") }', '@import "HERE";'),
    "gemtext": ("=> HERE x\n",),
    "markdown": ("[a](HERE)", '[a](HERE "b")', "![a](HERE)", "[a]\n\n[a]: HERE\n", '<a href="HERE">'),
    "rst": ("`a <HERE>`_", ".. image:: HERE\n"),
}
"""Formats, and links of each; `HERE` stands for the destination."""


def test_a_template_that_is_a_link_is_told_as_one_and_as_nothing_else() -> None:
    """Neither is it a URL, nor is it passed over: whoever asks for templates sees each link of the page."""
    others = []
    for format, links in DESTINATIONS.items():
        gaps = [gap for gap in PLACEHOLDERS if "&" not in gap or format not in ("css", "gemtext")]  # no references
        for link, gap in itertools.product(links, gaps):
            for destination in (f"http://h.example/{gap}", f"http://h.example/a/{gap}/b", gap):
                text = link.replace("HERE", destination)
                found = find(text, format=format, base="http://b.example/", templates=True, malformed=True)
                told = [(item.kind, item.raw) for item in found]
                asked = list(find(text, format=format, base="http://b.example/"))
                if told != [("template", destination)] or asked:
                    others.append((format, text, told, asked))
    assert others == []


def test_a_href_with_a_value_in_braces_is_a_url() -> None:
    (item,) = find('<a href="http://h/?q={%22a%22:1}">', format="html")
    assert str(item) == "http://h/?q=%7B%22a%22:1%7D"


def test_schemes_choose_among_templates_too() -> None:
    text = "ftp://h/{a} http://h/{b} hxxp://c[.]d/ fxp://e[.]f/"
    found = find(text, templates=True, refang=True, schemes=("ftp",))
    assert [item.raw for item in found] == ["ftp://h/{a}", "fxp://e[.]f/"]


@pytest.mark.parametrize(("grammar", "host"), [("current", "a"), ("rfc1738", "b")])
def test_what_is_found_is_read_by_the_grammar_that_is_named(grammar: Any, host: str) -> None:
    (found,) = find("see x-y://a?@b/ there", grammar=grammar)
    assert found.url.host == host


@each_row("url", ["http://host/a", "http://host/?a=b", "ftp://host/a/b.html", "http://host/a*b", "file:///a"])
@each_row(
    ("before", "behind", "part"),
    [
        ("/* ", "*/", ""),
        ("/*\n   ", "*/", ""),
        ("/* a */ ", "*/", "*/"),
        (" * ", "*/", ""),
        ("", "*/", "*/"),
        ("/* " + "a " * 400, "*/", "*/"),  # further before than is kept of a text that comes in pieces
        ("**", ":**", ""),
        ("`", "/:a:`", "/:a:"),
        ("", "/:a: b", "/:a:"),
        ("", "/a: b", "/a"),
        ("", "/a[b", "/a"),
    ],
)
def test_what_stands_around_a_url_decides_where_it_ends(url: str, before: str, behind: str, part: str) -> None:
    for text in (before + url + behind, [*(before + url + behind)]):
        assert [str(found) for found in find(text)] == [url + part]


@each_row("name", ["http", "https", "ftp", "ws", "postgresql", "s3"])
@each_row(
    "gap", [".(com)", ".(com|org)", ":*", "\\\\.dom", "/[a-z0-9.]*", "/[A-Za-z_]+/b", "/a.[extension]", "\\*x.dom"]
)
def test_a_part_that_makes_it_a_pattern_leaves_nothing_over(name: str, gap: str) -> None:
    text = f"{name}://host{gap}"
    for around in (text, f'"{text}"', f"`{text}`", f"see {text} there", [*text]):
        assert list(find(around)) == []
    assert [str(found) for found in find(f"see {name}://host there")] == [f"{name}://host"]


@pytest.mark.parametrize(
    ("given", "urls"),
    [
        (None, ["http://h/b"]),  # the file's own name tells that it is JSON
        ("x.json", ["http://h/b"]),
        ("x.txt", []),
        ("", []),
    ],
)
def test_a_format_is_told_by_the_name_of_the_file(tmp_path: Path, given: str | None, urls: list[str]) -> None:
    path = tmp_path / "x.json"
    path.write_text(r'see "http:\/\/h\/\u0062"')
    with path.open() as file:
        assert [str(item) for item in find(file, format="auto", name=given)] == urls
