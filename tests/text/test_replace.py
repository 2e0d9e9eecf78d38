"""URLs written back where they stand: the rest stays, and what is written reads as what was meant."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from anyurl.text import find, formats, replace
from anyurl.text.readers.registry import find_reader
from tests.rows import each_row
from tests.text.readers.contract import Contract

NEW = ("https://new.example/", "https://new.example/a_b?c=d&e=f#g", "https://n.example/(a)/b,c;d=e'f~g*h!i")


def samples() -> list[tuple[str, bytes]]:
    for path in (Path(__file__).parent / "readers").glob("test_*.py"):
        import_module(f"tests.text.readers.{path.stem}")
    return [(each.format, data) for each in Contract.__subclasses__() for data, _ in each.samples]


def test_what_is_replaced_by_itself_changes_nothing() -> None:
    count = 0
    for format, data in samples():
        count += len(list(find(data, format=format)))
        assert replace(data, lambda found: str(found), format=format) == data
        for found in find(data, format=format):
            assert found.replace(str(found)) == found.raw
    assert count > 100


@pytest.mark.parametrize("new", NEW)
def test_what_is_written_reads_as_what_was_meant(new: str) -> None:
    """In each sample of each reader, one after the other; else it says why not."""
    written, refused = 0, []
    for format, data in samples():
        for number, found in enumerate(find(data, format=format)):
            places = iter(range(1000))
            try:
                made = replace(data, lambda _, n=number, p=places: new if next(p) == n else None, format=format)
            except ValueError as error:
                refused.append((format, found.raw, str(error)))
                continue
            written += 1
            expected = [str(each) for each in find(data, format=format)]
            expected[number] = new
            assert [str(each) for each in find(made, format=format)] == expected
            start, end = found.octet_span
            assert made[:start] == data[:start]
            assert made.endswith(data[end:])
    assert written > 90
    assert len(refused) < written // 3, refused


@each_row(
    ("format", "text", "new", "expected"),
    [
        ("text", "see http://old/, and", "http://n/?a=b", "see http://n/?a=b, and"),
        ("text", r'x = "http:\/\/old\/"', "http://n/a", r'x = "http:\/\/n\/a"'),
        ("json", r'{"a": "http:\/\/old\/\u0026b"}', "http://n/?c&d", r'{"a": "http:\/\/n\/?c\u0026d"}'),
        ("json", '{"a": "http://old/"}', "http://n/?c&d", '{"a": "http://n/?c&d"}'),
        ("html", '<a href="http://old/">', "http://n/?a&b='c'", '<a href="http://n/?a&amp;b=&#39;c&#39;">'),
        ("html", "<a href='http://old/?a&b'>", "http://n/?a&b&lt;=c", "<a href='http://n/?a&b&amp;lt;=c'>"),
        ("html", "<p>http://old/</p>", "http://n/?a&b", "<p>http://n/?a&amp;b</p>"),
        ("html", '<p style="a:url(&quot;http://old/&quot;)">', "http://n/?a&b", '<p style="a:url(&quot;http://n/?a&amp;b&quot;)">'),
        ("xml", "<loc>http://old/</loc>", "http://n/?a&b", "<loc>http://n/?a&amp;b</loc>"),
        ("markdown", '[a](http://old/ "title")', "http://n/a_(b", '[a](http://n/a_\\(b "title")'),
        ("markdown", "[a](http://old/a\\_b)", "http://n/c_d", "[a](http://n/c\\_d)"),
        ("markdown", "[a]: http://old/\n", "http://n/?a&copy;=b", "[a]: http://n/?a&amp;copy;=b\n"),
        ("markdown", "<http://old/>", "http://n/a_b", "<http://n/a_b>"),
        ("rst", "`a <http://old/>`_", "http://n/a_", "`a <http://n/a\\_>`_"),
        ("po", 'msgid "http://old/"\n"a b"', "http://n/", 'msgid "http://n/ b"'),
        ("csv", 'a,"http://old/",b', "http://n/c,d", 'a,"http://n/c,d",b'),
        ("man", ".UR http://old/a\\-b", "http://n/c-d", ".UR http://n/c\\-d"),
        ("man", "see http://old\\&.dom\\:/a\\-b\\&.", "http://n/c-d?e&f:g", "see http://n/c\\-d?e&f:g\\&."),
        ("latex", "\\url{http://old/a\\_b}", "http://n/c_d", "\\url{http://n/c\\_d}"),
        ("properties", "a=http\\://old/", "https://n/", "a=https\\://n/"),
    ],
)  # fmt: skip
def test_a_url_is_written_as_its_format_has_it(format: str, text: str, new: str, expected: str) -> None:
    assert replace(text.encode(), lambda _: new, format=format).decode() == expected
    (found,) = find(text, format=format)
    assert text[: found.span[0]] + found.replace(new) + text[found.span[1] :] == expected


def test_a_letter_is_written_through_its_coding() -> None:
    data = (
        b"Subject: http://old/s\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
        b'<a href=3D"http://old/?a=3D1&amp;b=\r\n=3D2">x=E9</a>\r\n'
    )
    made = replace(data, lambda found: str(found).replace("//old/", "//new.example/"), format="mail")
    assert made == data.replace(b"//old/", b"//new.example/").replace(b"=3D1&amp;b=\r\n=3D2", b"=3D1&amp;b=3D2")
    data = b"A: b\nContent-Transfer-Encoding: base64\n\naHR0cDovL2gvYQ==\n"
    with pytest.raises(ValueError, match="base64"):
        replace(data, lambda _: "http://n/", format="mail")


def test_a_body_in_base64_is_not_written() -> None:
    data = b'{"url": "http://old/", "text": "aHR0cDovL29sZC8=", "encoding": "base64"}'
    url, body = find(data, format="har")
    assert url.replace("http://n/") == "http://n/"
    with pytest.raises(ValueError, match="base64"):
        body.replace("http://n/")


def test_runs_of_an_office_document_stay() -> None:
    data = b"<w:p><w:r><w:t>http://old/</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>a</w:t></w:r></w:p>"
    made = replace(data, lambda _: "http://n/?a&b", format="office")
    assert made == b"<w:p><w:r><w:t>http://n/?a&amp;b</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t></w:t></w:r></w:p>"


def test_what_would_read_otherwise_is_refused() -> None:
    with pytest.raises(ValueError, match="can't be written in line 2"):
        replace(b"a,b\nhttp://old/,c", lambda _: "http://n/d,e", format="csv")
    with pytest.raises(ValueError, match="no scheme"):
        replace(b"http://old/", lambda _: "n")


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1", "utf-8-sig"])
def test_a_text_keeps_its_encoding(encoding: str) -> None:
    data = "é http://old/ ü".encode(encoding)
    assert replace(data, lambda _: "http://n/", encoding=encoding) == "é http://n/ ü".encode(encoding)


def test_the_formats_that_a_url_stands_in_are_told() -> None:
    texts: dict[str, tuple[bytes, str]] = {
        "text": (b"http://h/", "text"), "json": (b'["http://h/"]', "json/text"), "html": (b"http://h/", "html"),
        "notebook": (b'"http://h/"', "notebook/markdown"), "xml": (b"<a>http://h/</a>", "xml"),
        "mail": (b"A: b\nContent-Transfer-Encoding: quoted-printable\nContent-Type: text/html\n\nhttp://h/",
                 "mail/quoted-printable/html"),
    }  # fmt: skip
    for format, (data, told) in texts.items():
        (found,) = find(data, format=format)
        assert found.format == told
    assert set(texts) <= {name for name in formats() if name == "text" or find_reader(name)}


def test_arguments_of_another_kind_are_told() -> None:
    (found,) = find("http://h/")
    wrong: Any = 5
    with pytest.raises(TypeError):
        found.replace(wrong)
