from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from anyurl import DataParts
from anyurl.errors import URLSyntaxError
from anyurl.schemes.data.parts import DEFAULT_PARAMETERS, read
from anyurl.url import URL
from tests.rows import each_row

LARRY = "R0lGODdhMAAwAPAAAAAAAP///ywAAAAAMAAwAAAC8IyPqcvt3wCcDkiLc7C0qwyGHhSWpjQu5yqmCYsapyuvUUlvONmOZtfzgFz"[:96]


@each_row(
    ("text", "type", "parameters", "content"),
    [
        # The examples of RFC 2397 4, and what its section 2 says of what is left out.
        ("data:,A%20brief%20note", "text/plain", DEFAULT_PARAMETERS, b"A brief note"),
        ("data:text/plain;charset=iso-8859-7,%be%d3%be", "text/plain", (("charset", "iso-8859-7"),), b"\xbe\xd3\xbe"),
        (
            "data:application/vnd-xxx-query,select_vcount,fcol_from_fieldtable/local", "application/vnd-xxx-query", (),
            b"select_vcount,fcol_from_fieldtable/local",
        ),
        ("data:;charset=utf-8,%C3%A9", "text/plain", (("charset", "utf-8"),), b"\xc3\xa9"),
        ("data:;base64,aGk=", "text/plain", DEFAULT_PARAMETERS, b"hi"),
        ("data:;BASE64,aGk%3D", "text/plain", DEFAULT_PARAMETERS, b"hi"),
        ("data:image/gif;base64,R0lG%0AODdh", "image/gif", (), b"GIF87a"),
        # RFC 2397 3, erratum 2045: a value that is no token is percent-encoded.
        ("data:text/plain;x=%22a%2Cb;c%22,d", "text/plain", None, b""),
        ("data:text/plain;X=a%2Cb%3Bc;y=%20,d", "text/plain", (("x", "a,b;c"), ("y", " ")), b"d"),
        ("data:TEXT/Html,", "text/html", (), b""),
        # A "?" is a character of the document, a "#" ends the URL.
        ("data:text/html,a?b=c#d", "text/html", (), b"a?b=c"),
    ],
)  # fmt: skip
def test_what_a_url_says(text: str, type: str, parameters: Iterable[tuple[str, str]] | None, content: bytes) -> None:
    if parameters is None:  # a quoted string can't hold what cuts: it is no parameter then
        with pytest.raises(URLSyntaxError, match="a parameter is name=value"):
            read(URL(text))
        return
    parts = DataParts.of(URL(text))
    assert (parts.type, parts.parameters, parts.content) == (type, tuple(parameters), content)
    assert URL.build(scheme="data", parts=parts).parts == parts


def test_the_picture_of_the_rfc_begins_as_a_picture_does() -> None:
    parts = DataParts.of(URL(f"data:image/gif;base64,{LARRY}"))
    assert (parts.content[:6], parts.base64, parts.charset) == (b"GIF87a", True, None)
    assert str(URL.build(scheme="data", parts=parts)).startswith(f"data:image/gif;base64,{LARRY}")


@each_row(
    ("text", "message"),
    [
        ("data:foo", "a data URL needs a comma between its media type and its data"),
        ("data:", "a data URL needs a comma"),
        ("data:html,x", "'html' is not a media type"),
        ("data:text%2Fhtml,x", "'text%2Fhtml' is not a media type"),
        ("data:/,x", "'/' is not a media type"),
        ("data:text/html/x,x", "is not a media type"),
        ("data:text/html;base64;charset=x,eA", "'base64' must be right before the comma"),
        ("data:text/html;charset,x", "a parameter is name=value"),
        ("data:text/html;,x", "a parameter is name=value"),
        ("data:text/html;base64=x,x", "is not the name of a parameter"),
        ("data:text/html;a%20b=c,x", "is not the name of a parameter"),
        ("data:text/html;a=,x", "the value of a parameter is a text of visible ASCII characters"),
        ("data:text/html;a=b%0D%0ASet-Cookie:%20x,x", "the value of a parameter is a text of visible ASCII characters"),
        ("data:text/html;a=%C3%A9,x", "the value of a parameter is a text of visible ASCII characters"),
        ("data:;base64,YQ-_", "the data are not base64: it contains characters outside its alphabet"),
        ("data:;base64,Y", "the data are not base64: its length is impossible"),
    ],
)
def test_what_programs_read_in_different_ways_is_an_error(text: str, message: str) -> None:
    with pytest.raises(URLSyntaxError, match=message) as caught:
        read(URL(text))
    assert caught.value.diagnostics[0].section == "RFC 2397 3"


def test_parts_are_refused_that_could_not_be_read_again() -> None:
    for type, parameters in (("text", []), ("text/plain", [("base64", "x")]), ("a/b", [("c", "\n")])):
        with pytest.raises(URLSyntaxError):
            DataParts(b"", type, parameters)


def test_parts_as_fields() -> None:
    assert DataParts(b"a\xff", "A/B", [("C", "D")], True).as_dict() == {
        "type": "a/b", "parameters": (("c", "D"),), "content": "a\udcff", "base64": True, "size": 2,
    }  # fmt: skip
    assert DataParts(b"", parameters=[("charset", "UTF-8")]).charset == "utf-8"


@pytest.mark.parametrize("arguments", [("x",), (5,), (None,), (b"", 5), (b"", b"a/b")])
def test_octets_and_texts_are_not_taken_for_each_other(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError):
        DataParts(*arguments)
