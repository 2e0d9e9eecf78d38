"""Style sheets: the URLs of CSS, and whole URLs in comments."""

from __future__ import annotations

import pytest

from anyurl.text import find
from tests.text.readers.contract import Contract


class TestCss(Contract):
    format = "css"
    samples = [
        (
            b"/* see http://h/c */ @import \"http://h/a.css\"; a { b: url(http://h/x\\28 y) }\n",
            [
                ("http://h/c", "http://h/c", "bare"),
                ("http://h/a.css", "http://h/a.css", "css"),
                ("http://h/x(y", "http://h/x\\28 y", "css"),
            ],
        ),
        (b"@namespace svg url(http://n/); a { b: url('http://h/') }", [("http://h/", "http://h/", "css")]),
    ]  # fmt: skip
    pieces = (
        b"url(",
        b")",
        b'"',
        b"'",
        b"/*",
        b"*/",
        b"@import ",
        b"@namespace ",
        b";",
        b"}",
        b"\\28 ",
        b"\n",
        b" ",
        b"a.png",
    )
    hostile = (b"url(", b"/*", b'url("a\\', b"@namespace ", b'"a" 1')


@pytest.mark.parametrize("size", [1, 9, 1000])
def test_relative_references_outside_of_comments_are_links(size: int) -> None:
    data = (
        b'@import "a.css";@import url(b.css);/* url(no) */a{b:url( "c.png" );d:url(e.eot?#iefix)}'
        b"f{g:image-set('h.png' 1x, \"i.png\" 2x);j:url(data:image/svg+xml,%3Csvg xmlns=%27http://no/%27%3E)}"
        b'k{content:"no.png";l:url()}/* url(no)\n\n url(no) */m{n:url(o.png)}'
    )
    found = find([data[at : at + size] for at in range(0, len(data), size)], format="css", base="http://b/")
    assert [str(one.url).removeprefix("http://b/") for one in found] == [
        "a.css", "b.css", "c.png", "e.eot?", "h.png", "i.png", "o.png",
    ]  # fmt: skip
