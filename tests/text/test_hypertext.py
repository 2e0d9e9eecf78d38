"""Links in HTML: attributes, candidates, bases, text; compared with a parser like a browser's."""

from __future__ import annotations

import random
import re

import pytest

from anyurl.text import find
from anyurl.text.entities import unescape
from anyurl.text.judgement import encode_unsafe
from anyurl.url import URL
from tests.rows import each_row
from tests.text.soup import told

BASE = "http://base.org/dir/page"


def links(text: str, base: str | None = BASE, **options: bool) -> list[tuple[str, str]]:
    found = list(find(text, format="html", base=base, **options))
    for item in found:
        assert text[slice(*item.span)] == item.raw
    return [(str(item), item.context) for item in found]


@each_row(
    ("text", "expected"),
    [
        ('<a href="http://h/a">', ["http://h/a"]),
        ("<A HREF='http://h/a'>", ["http://h/a"]),
        ("<a href=http://h/a>", ["http://h/a"]),
        ("<a href=http://h/a/>", ["http://h/a/"]),
        ('<a\n  href\n=\n"http://h/a">', ["http://h/a"]),
        ('<a class="x" href="a" id=y>', ["http://base.org/dir/a"]),
        ('<a href="  a  ">', ["http://base.org/dir/a"]),
        ('<a href="a\n b">', ["http://base.org/dir/a%20b"]),
        ('<a href="ht\ntp://h/">', ["http://h/"]),
        ('<a href="a\tb">', ["http://base.org/dir/ab"]),
        ('<a href="?q=a&amp;b=c">', ["http://base.org/dir/page?q=a&b=c"]),
        ('<a href="?q=a&copy=c">', ["http://base.org/dir/page?q=a&copy=c"]),
        ('<a href="a&#47;b&#x2F;c">', ["http://base.org/dir/a/b/c"]),
        ('<a href="?a[b]=c|d">', ["http://base.org/dir/page?a%5Bb%5D=c%7Cd"]),
        ('<a href="#f">', ["http://base.org/dir/page#f"]),
        ('<a href="">', []),
        ("<a href>", []),
        ('<a href="//h/a">', ["http://h/a"]),
        ('<a href="ü">', ["http://base.org/dir/%C3%BC"]),
        ('<img src="a.png" alt="b">', ["http://base.org/dir/a.png"]),
        ('<form action="a"><button formaction="b">', ["http://base.org/dir/a", "http://base.org/dir/b"]),
        ('<blockquote cite="a">', ["http://base.org/dir/a"]),
        ('<object data="a"><param data="b">', ["http://base.org/dir/a"]),
        ('<video poster="a"><source src="b">', ["http://base.org/dir/a", "http://base.org/dir/b"]),
        ('<body background="a">', ["http://base.org/dir/a"]),
        ('<use xlink:href="a"/>', ["http://base.org/dir/a"]),
        ('<a ping="a,b">', ["http://base.org/dir/a,b"]),
        ('<applet archive="a,b"><object archive="c d">', [f"http://base.org/dir/{name}" for name in "abcd"]),
        ('<img srcset="a (1, 2) 1x, b">', ["http://base.org/dir/a", "http://base.org/dir/b"]),
        ('<a ping="a b">', ["http://base.org/dir/a", "http://base.org/dir/b"]),
        ('<img srcset="a.png 1x, b.png 2x">', ["http://base.org/dir/a.png", "http://base.org/dir/b.png"]),
        ('<img srcset="a.png,">', ["http://base.org/dir/a.png"]),
        ('<img srcset=" a,b 2x , c">', ["http://base.org/dir/a,b", "http://base.org/dir/c"]),
        ('<source srcset="data:image/gif;base64,AA 1x, b">', ["data:image/gif;base64,AA", "http://base.org/dir/b"]),
        ('<link imagesrcset="a 1x">', ["http://base.org/dir/a"]),
        ('<meta http-equiv="Refresh" content="5; url=a">', ["http://base.org/dir/a"]),
        ("<meta http-equiv=refresh content=\"0;URL='http://h/a'\">", ["http://h/a"]),
        ('<meta http-equiv=refresh content="0;url=it\'s">', ["http://base.org/dir/it's"]),
        ('<meta http-equiv=refresh content="0;url=&quot;a&quot;b">', ["http://base.org/dir/a"]),
        ('<meta http-equiv="refresh" content="5">', []),
        ('<meta name="x" content="see http://h/a.">', ["http://h/a"]),
        ("<a onclick=\"go('http://h/a')\">", ["http://h/a"]),
        ('<div data-x="http://h/a">', ["http://h/a"]),
        ('<html xmlns="http://www.w3.org/1999/xhtml">', []),
        (
            '<svg XMLNS="http://a/" xmlns:a-long-name.of-one="http://b/" x:ns="http://c/">',
            ["http://c/"],
        ),  # no place
        ('<!DOCTYPE html SYSTEM "http://www.w3.org/x.dtd">', []),
        ("<!-- http://h/a <a href='b'> --> http://h/c", ["http://h/c"]),
        ("<!--> http://h/c", ["http://h/c"]),
        ("<![CDATA[ http://h/a ]]> http://h/c", ["http://h/c"]),
        ("<?xml http://h/a ?> http://h/c", ["http://h/c"]),
        ("<script>'http://h/a'; '<a href=b>'</script> http://h/c", ["http://h/c"]),
        ("<SCRIPT src=a>x</ScRiPt> http://h/c", ["http://base.org/dir/a", "http://h/c"]),
        ("<style>a { background: url(http://h/a) } http://i/</style>", ["http://h/a"]),
        ("<style>@import 'a.css'; b { c: URL( \"d\" ) }", ["http://base.org/dir/a.css", "http://base.org/dir/d"]),
        ('<p style="background: url(a.png)">', ["http://base.org/dir/a.png"]),
        ('<p style="/* url(a.png) */ b: url(c.png) /* url(d.png)">', ["http://base.org/dir/c.png"]),
        (
            "<style>/* url(a) * / */ b { c: url(d) } /**/ e { f: url(g/*h) }",
            ["http://base.org/dir/d", "http://base.org/dir/g/*h"],
        ),
        ("<style>a { content: \"/*\" } b { c: url('d') }", ["http://base.org/dir/d"]),
        (
            '<p style="a: url(&quot;b.png&quot;); c: url&#40;&#39;d&#39;)">',
            ["http://base.org/dir/b.png", "http://base.org/dir/d"],
        ),
        ('<p style="a: url(&quot;http://h/?a=1&amp;b=2&quot;)">', ["http://h/?a=1&b=2"]),
        ("<p onclick=\"a = 'url(b.png)'; f('http://h/c')\">", ["http://base.org/dir/b.png", "http://h/c"]),
        ("<p onclick=\"f('http://h/a')\">", ["http://h/a"]),
        ('<textarea>http://h/a <a href="b"></textarea>', ["http://h/a"]),
        ("<title>http://h/a</title>", ["http://h/a"]),
        ("<p>http://h/a</p>", ["http://h/a"]),
        ("<p>http://h/?a=1&amp;b=2&lt;</p>", ["http://h/?a=1&b=2"]),
        ("<p>&lt;http://h/a&gt; &quot;http://h/b&quot;</p>", ["http://h/a", "http://h/b"]),
        ("<p>http://h/<b>a</b></p>", ["http://h/"]),
        ("a < b http://h/a", ["http://h/a"]),
        ("a <3 http://h/a", ["http://h/a"]),
        ("</p http://h/a> http://h/b", ["http://h/b"]),
        ('<a href="javascript:alert(1)">', ["javascript:alert(1)"]),
        ('<a onclick="javascript:f(1);" title="http://h/a?">', ["javascript:f(1);", "http://h/a?"]),
        ('<a href="http://h\\@i/">', []),
        ('<a href="http://1.2.3/">', []),
        ("<a href=\"a\" href='b'>", ["http://base.org/dir/a"]),
        ('<a href="unclosed> http://h/a', []),
        ("<a href=x", []),
        ("<", []),
    ],
)
def test_links(text: str, expected: list[str]) -> None:
    assert [link for link, _ in links(text)] == expected
    # An attribute without a value changes nothing, but the kernel leaves a tag that has this one to its caller.
    left = re.sub(r"<([A-Za-z]+)(?=[\s>])", r"<\1 ping" if "http-equiv" in text.lower() else r"<\1 http-equiv", text)
    assert [link for link, _ in links(left)] == expected


@pytest.mark.parametrize("reference", ["&#{};", "&#x{:x};", "&#X{:X};", "&#0{};"])
def test_no_character_of_an_authority_is_lost_that_is_written_as_a_reference(reference: str) -> None:
    """docutils and Sphinx write each @ so; what is read is the whole URL, or none: never another host."""
    url = "https://me:pw@my-host.dom:8080/a"
    for place in range(url.index("//") + 2, len(url)):
        written = url[:place] + reference.format(ord(url[place])) + url[place + 1 :]
        assert [link for link, _ in links(f'<a href="{written}">')] == [url]
        found = [link for link, _ in links(f"<p>see {written} and")]
        assert found == [url] or (found == [] and url[place] in ":pw80"), written
        data = f"<p>see {written} and".encode()
        for cut in range(len(data)):
            assert [str(each) for each in find([data[:cut], data[cut:]], format="html")] == found, data[:cut]


@each_row("reference", ["&#{};", "&#x{:x};"])
@each_row("behind", [" Next", "<br>", "&nbsp;x", "", ", so", "\u201d x", "."])
def test_a_mark_behind_an_authority_that_is_written_as_a_reference_is_not_of_it(reference: str, behind: str) -> None:
    for url in ("http://example.com", "http://example.com:8080", "http://me@example.com"):
        for mark in ".:-@":
            data = f"<p>{url}{reference.format(ord(mark))}{behind}".encode()
            for cut in range(len(data)):
                assert [str(each) for each in find([data[:cut], data[cut:]], format="html")] == [url], data


@pytest.mark.parametrize(
    ("written", "url"),
    [("a&#46;&#45;b.c", "http://a.-b.c"), ("h&#46;/p", "http://h./p"), ("me&#64;[::1]/p", "http://me@[::1]/p")],
)
def test_a_mark_within_an_authority_that_is_written_as_a_reference_is_of_it(written: str, url: str) -> None:
    assert [link for link, _ in links(f"<p>http://{written} x")] == [url]


def test_contexts() -> None:
    text = '<a href="a" title="http://h/b">http://h/c</a>'
    assert links(text) == [
        ("http://base.org/dir/a", "html-attribute"), ("http://h/b", "html-attribute"), ("http://h/c", "html-text"),
    ]  # fmt: skip


def test_the_first_base_counts() -> None:
    text = '<a href="a"><base href="/x/"><a href="b"><base href="/y/"><a href="c">'
    assert [link for link, _ in links(text)] == [
        "http://base.org/dir/a", "http://base.org/x/", "http://base.org/x/b", "http://base.org/y/", "http://base.org/x/c",
    ]  # fmt: skip
    assert [link for link, _ in links('<base href="http://h/x/"><a href="b">', None)] == ["http://h/x/", "http://h/x/b"]
    assert [link for link, _ in links('<base href="x/"><a href="b">', None)] == []


def test_a_document_in_pieces_is_the_same() -> None:
    text = (
        '<!DOCTYPE html "http://d/"><base href="http://b/x/"><!-- http://c/ --><title>http://t/</title>'
        '<script src="s.js">"http://s/"</script><a href="a&amp;b" title=\'http://h/\'>http://x/?a&amp;b</a>'
        '<img srcset="p 1x, q 2x"> <textarea><a href=no>http://y/</textarea> a < b <![CDATA[http://z/]]> http://end/'
    )
    whole = [told(item) for item in find(text, format="html")]
    assert len(whole) == 10
    for size in (1, 2, 3, 5, 8, 13, 21, 34, 55):
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert [told(item) for item in find(pieces, format="html")] == whole


def test_a_tag_that_never_ends_is_passed_over() -> None:
    text = f'<a href="http://a/" title="{"x" * 200_000} http://b/'
    assert links(f'{text}">http://c/') == [("http://b/", "html-text"), ("http://c/", "html-text")]
    assert links(text.replace(" ", "\n")) == [("http://b/", "html-text")]


def test_it_reads_links_as_a_browsers_parser_does() -> None:
    parser = pytest.importorskip("selectolax.lexbor", reason="selectolax is not installed (the extra test)")
    chance = random.Random(1)
    pieces = (
        "<a ", "<img ", "<b>", "</b>", "<p", "</a>", ">", "/>", "href=", "src=", "HREF = ", '"', "'", " ", "\n", "a",
        "b.html", "http://h/", "/x", "?q=1&amp;r=2", "&copy=3", "&#38;", "#f", "<!--", "-->", "<script>", "</script>",
        "<title>", "</title>", "<textarea>", "</textarea>", "=", "é", "<", "x<y", "<!doctype html>", "</", "<?x>",
    )  # fmt: skip
    differences = []
    for _ in range(3000):
        text = "".join(chance.choice(pieces) for _ in range(chance.randrange(1, 30)))
        values = [item for node in parser.LexborHTMLParser(text).root.traverse() for item in node.attributes.items()]
        seen = [value.strip(SPACES) for name, value in values if name in ("href", "src") and value]
        wanted = sorted(value for value in seen if value and leads_somewhere(value))
        mine = [unescape(item.raw) for item in find(text, format="html", base=BASE) if item.context == "html-attribute"]
        for value in wanted:
            if value in mine:
                mine.remove(value)
            else:
                differences.append((text, "missed", value))
        # What is found beyond them stands in the value of some other attribute
        others = [value for name, value in values if name not in ("href", "src") and value]
        differences += [(text, "too much", value) for value in mine if not any(value in other for other in others)]
    assert differences == []


SPACES = " \t\n\f\r"

SPLIT = {
    "ping": r"[^ \t\n\f\r]+",
    "srcset": r"[^\s,]\S*[^\s,]|[^\s,]",
    "content": r"(?i)(?:url=)([\w/.:?&=]+)",
    "style": r"url\([\s\"']*([^\s\"'()]+)",
}
"""How an attribute whose references a browser's parser has undone is taken apart, for the values below."""


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ping", "/p1{}http://h/p2?a=1{}p3"),
        ("srcset", "a.png{}1x,{}http://h/b.png{}2x,{}c.png"),
        ("content", "0;{}url=http://h/n.html"),
        ("style", "a:url({}\"http://h/b\"{}); c:{}url('d.png')"),
    ],
)
@pytest.mark.parametrize(
    "space", [" ", "\n", "\t", "&#10;", "&#x0A;", "&#9;", "&#32;", "&#32;&#10;", "&Tab;", "&NewLine;"]
)
def test_white_space_written_as_a_reference_is_white_space(name: str, value: str, space: str) -> None:
    """Python's ElementTree and libxml2 write line ends in attributes so."""
    parser = pytest.importorskip("selectolax.lexbor", reason="selectolax is not installed (the extra test)")
    value = value.format(*[space] * 4).replace('"', "&quot;").replace("'", "&#39;")
    text = f'<meta http-equiv="refresh" {name}="{value}">'
    (read,) = [node.attributes[name] for node in parser.LexborHTMLParser(text).css("meta")]
    wanted = [str(URL(BASE).join(part)) for part in re.findall(SPLIT[name], read) if not re.fullmatch(r"[12]x", part)]
    assert [link for link, _ in links(text)] == wanted
    assert len(wanted) == {"ping": 3, "srcset": 3, "content": 1, "style": 2}[name]


def leads_somewhere(value: str) -> bool:
    """Whether a browser's value is a reference that anyurl can follow, too."""
    try:
        URL(BASE).join(encode_unsafe(value.replace("\n", "")))
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("name", ["script", "style", "iframe", "textarea", "title", "xmp", "p"])
def test_nothing_is_found_in_an_end_tag(name: str) -> None:
    text = f"<{name}></{name} a='http://no/' href=http://no/ >http://h/"
    assert links(text) == [("http://h/", "html-text")]
    assert [str(item) for item in find([*text], format="html")] == ["http://h/"]


def test_the_place_of_a_link_is_without_the_space_around_it() -> None:
    (found,) = find('<a href=" \n a\t ">', format="html", base=BASE)
    assert (found.raw, found.span) == ("a", (12, 13))


@pytest.mark.parametrize(
    ("rel", "context"),
    [
        ("preconnect", "html-hint"), ("'DNS-Prefetch  preconnect'", "html-hint"),
        ("'preconnect stylesheet'", "html-attribute"),
        ("prefetch", "html-attribute"), ("''", "html-attribute"),
    ],
)  # fmt: skip
def test_a_server_to_connect_to_is_no_document(rel: str, context: str) -> None:
    for tag in (f'<link rel={rel} href="http://h/">', f'<LINK crossorigin href="http://h/" REL={rel}>'):
        (found,) = find(tag, format="html")
        assert found.context == context


def test_a_base_is_no_document() -> None:
    base, link = find('<base target="_top" href="http://h/x/"><a href="y">', format="html")
    assert [(str(base), base.context), (str(link), link.context)] == [
        ("http://h/x/", "html-hint"), ("http://h/x/y", "html-attribute"),
    ]  # fmt: skip
