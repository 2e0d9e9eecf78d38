"""XML: references, sections, attributes; feeds in HTML that is escaped."""

from __future__ import annotations

import pytest

from anyurl.text import find
from tests.text.readers.contract import Contract

FEED = (
    b'<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY x "http://no/">]>\n<rss xmlns:a="http://ns/">'
    b"<link href=\"http://h/?a=1&amp;b=2\" class='x'/><loc>http://t/&amp;x&#47;y&#x2F;</loc>"
    b'<d><![CDATA[<a href="http://c/?a&amp;b">]]></d><!-- http://no/ <x> --><?php http://no/ ?>'
    b"<d>&lt;a href=&quot;http://d/?a&amp;amp;b&quot;&gt;</d><e>&x; http://e/</e></rss>"
)


class TestXml(Contract):
    format = "xml"
    samples = [  # a gap is no URL; what HTML names and is no letter ends one
        (
            FEED,
            [
                ("http://h/?a=1&b=2", "http://h/?a=1&amp;b=2", "bare"),
                ("http://t/&x/y/", "http://t/&amp;x&#47;y&#x2F;", "bare"),
                ("http://c/?a&b", "http://c/?a&amp;b", "html-attribute"),
                ("http://d/?a&b", "http://d/?a&amp;amp;b", "html-attribute"),
                ("http://e/", "http://e/", "bare"),
            ],
        ),
        (
            b"<a>http://&h;/ http://h/&e;x http://i/&nbsp;j http://i/&#233;</a>",
            [
                ("http://i/", "http://i/", "bare"),
                ("http://i/%C3%A9", "http://i/&#233;", "bare"),
            ],
        ),
        (b"<a><b>http://h/a</b><b>,b</b></a>", [("http://h/a", "http://h/a", "bare")]),
        (  # a name of a tag has no slash: a comment that was cut out, or a text without care
            b"see <http://h/a>, <b>http://i/</b>",
            [("http://h/a", "http://h/a", "bare"), ("http://i/", "http://i/", "bare")],
        ),
        (  # between quotation marks a value is whole
            b"<a href=\"http://h/a?\">http://i/?</a><b c='http://j/?'\n/>",
            [
                ("http://h/a?", "http://h/a?", "bare"),
                ("http://i/", "http://i/", "bare"),
                ("http://j/?", "http://j/?", "bare"),
            ],
        ),
        (b"<a>http://h/a", [("http://h/a", "http://h/a", "bare")]),
        (  # what a declaration has between brackets is its own, with all its ends
            b"<!DOCTYPE a [<!ENTITY x 'http://no/'> http://no/ <!ENTITY y 'http://no/'>]><a>http://h/</a><!ENTITY z 'http://no/'>",
            [("http://h/", "http://h/", "bare")],
        ),
        (b"<a>http://h/</a><!DOCTYPE a 'http://no/'", [("http://h/", "http://h/", "bare")]),
        (  # where &amp; is the only reference, and where it is not
            b"<a>&amp; http://h/?a&amp;b&amp;c &amp;amp; http://i/&amp;amp;b</a><b>&#38; http://h/?a&amp;b</b>",
            [
                ("http://h/?a&b&c", "http://h/?a&amp;b&amp;c", "bare"),
                ("http://i/&amp;b", "http://i/&amp;amp;b", "bare"),
                ("http://h/?a&b", "http://h/?a&amp;b", "bare"),
            ],
        ),
        (  # a wrapper whose text goes on, with the marks of its line
            b"<a>&#62; x&lt;http://h/\n&#62; b&gt;, http://i/\n</a>",
            [("http://h/b", "http://h/\n&#62; b", "angle"), ("http://i/", "http://i/", "bare")],
        ),
        (  # what stands in another text says nothing of one
            b"<a>[b](</a><a>http://h/)</a><a>href='</a><a>http://i/</a>",
            [("http://h/", "http://h/", "bare"), ("http://i/", "http://i/", "bare")],
        ),
        (b"<_ tel:+1='http://h/'>", [("http://h/", "http://h/", "bare")]),  # its value alone is searched
        (  # what is in an end tag, well formed or not, is no text, and what is in an instruction neither
            b"<a></ b http://no/>http://h/ </>http://i/ </1>http://j/ <?x http://no/ > ?>http://k/ </b\n>http://l/",
            [(f"http://{host}/", f"http://{host}/", "bare") for host in "hijkl"],
        ),
        (  # a reference that begins a URL, wherever the text is cut
            b"<a>see &#104;ttp://h/a and &#x68;ttp://i/&#98;</a>",
            [("http://h/a", "&#104;ttp://h/a", "bare"), ("http://i/b", "&#x68;ttp://i/&#98;", "bare")],
        ),
        (b"<a xml:id='http://h/' xmlns:b='http://no/'>", [("http://h/", "http://h/", "bare")]),
        (b"<a.b _x='http://h/' y=\"a>b\">http://i/</a.b>", [(u, u, "bare") for u in ("http://h/", "http://i/")]),
        (b"<title>http://h/</title><script src='http://i/'>", [(u, u, "bare") for u in ("http://h/", "http://i/")]),
    ]
    pieces = (
        b"<a ",
        b"<",
        b">",
        b"/>",
        b"</a>",
        b"=",
        b'"',
        b"'",
        b"&amp;",
        b"&#38;",
        b"&",
        b"<!--",
        b"-->",
        b"<![CDATA[",
        b"]]>",
        b"<!DOCTYPE x [",
        b"]>",
        b"<?",
        b"?>",
        b" ",
        b"\n",
        b"x",
        b"<_b c='",
        b"xmlns:x='",
    )
    hostile = (
        b"<a ",
        b"<!--",
        b"<![CDATA[",
        b"<!DOCTYPE [",
        b"&#38;",
        b"<a b='c:d'>",
        b"<_ a='",
        b"</",
        b"&",
        b"<?x?>",
    )


@pytest.mark.parametrize("letter", ["\u65e5", "\u00e9", "\U0001f600"])
def test_a_long_text_is_counted_by_whole_characters(letter: str) -> None:
    text = f"<a>{letter * 3001} http://h/a &amp; {letter * 2999} http://h/b</a>"
    for source in (text, text.encode("utf-16"), text.encode("gb18030")):
        encoding = "utf-8" if isinstance(source, str) else "utf-16" if source[:1] == b"\xff" else "gb18030"
        found = list(find(source, format="xml", encoding=encoding))
        assert [str(one) for one in found] == ["http://h/a", "http://h/b"]
        assert [text[slice(*one.span)] for one in found] == ["http://h/a", "http://h/b"]
