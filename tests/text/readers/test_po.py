"""Catalogues of gettext, as msgmerge and polib write them."""

from __future__ import annotations

import pytest

from anyurl.text import find
from anyurl.text.readers.po import READERS
from tests.text.readers.contract import Contract

WRAPPED = (
    b'msgid ""\nmsgstr ""\n"Language-Team: Finnish <https://hosted.weblate.org/projects/gnu-mailman/"\n'
    b'"hyperkitty/fi/>\\n"\n"Language: fi\\n"\n'
)


class TestPo(Contract):
    format = "po"
    samples = [
        (
            WRAPPED,
            [
                (
                    "https://hosted.weblate.org/projects/gnu-mailman/hyperkitty/fi/",
                    'https://hosted.weblate.org/projects/gnu-mailman/"\n"hyperkitty/fi/',
                    "angle",
                )
            ],
        ),
        (
            (
                b'#. From <http://h/c>\n#: a.c:1\n#| msgid "http://h/old-"\n#| "er"\nmsgid "http://i/a/"\r\n \t"b"\r\n'
                b'msgstr "<a href=\\"http://j/?a=1&amp;"\n"b=2\\">"\n\n'
                b'#~ msgid "http://k/"\n#~ "gone"\n#~ msgstr "http://l/\\303\\251\\x41\\tb"'
            ),
            [
                ("http://h/c", "http://h/c", "angle"),
                ("http://h/old-er", 'http://h/old-"\n#| "er', "bare"),
                ("http://i/a/b", 'http://i/a/"\r\n \t"b', "bare"),
                ("http://j/?a=1&b=2", 'http://j/?a=1&amp;"\n"b=2', "html-attribute"),
                ("http://k/gone", 'http://k/"\n#~ "gone', "bare"),
                ("http://l/%C3%A9A", "http://l/\\303\\251\\x41", "bare"),
            ],
        ),
        (  # what ends a text ends a URL: the next one has a name before it
            b'msgid "http://h/a/"\nmsgstr "b"\n\nmsgid "http://i/" "c"\n',
            [("http://h/a/", "http://h/a/", "bare"), ("http://i/", "http://i/", "bare")],
        ),
        (b'msgid "http://h/a\\\\"\n"b http://i/\\q', [("http://h/a", "*", "bare"), ("http://i/", "*", "bare")]),
    ]
    pieces = (b'"', b'"\n"', b"\\", b"\\n", b'\\"', b"\\x41", b"\\303", b"\n", b"\r\n", b"#~ ", b"#| ", b" ", b"msgid ")
    hostile = (b"\\", b'"\n"', b'"', b'"\n', b'" ', b'http://h/"\n#~ "', b"\\303")


@pytest.mark.parametrize(
    ("head", "is_po"),
    [
        (b'msgid ""\nmsgstr ""\n', True),
        (b'# Finnish.\n#\n#, fuzzy\nmsgid ""\n', True),
        (b'\xef\xbb\xbf\nmsgctxt "a"\n', True),
        (b'msgid = "a"\n', False),
        (b'# a\nx\nmsgid "a"\n', False),
        (b"", False),
    ],
)
def test_a_catalogue_is_told_by_its_first_text(head: bytes, is_po: bool) -> None:
    assert READERS[0].begins is not None
    assert READERS[0].begins(head) is is_po


def test_a_catalogue_is_read_in_the_encoding_that_its_header_declares() -> None:
    data = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=ISO-8859-2\\n"\n\nmsgid "http://h/ž"\n'.encode(
        "latin2"
    )
    (found,) = find(data, format="auto", name="a.po", encoding="auto")
    assert str(found) == "http://h/%C5%BE"


@pytest.mark.parametrize("width", [20, 40, 78, 0])
def test_what_polib_has_wrapped_is_found_as_it_reads_it(width: int) -> None:
    polib = pytest.importorskip("polib", reason="polib is not installed (the extra test)")
    urls = [
        "https://www.example.org/a-b-c/d-e-f/g-h-i/j-k-l/m-n-o/p-q-r/s-t-u?v=w&x=y#z",
        "http://host.example/~joe/a_(b)",
        "ftp://h/a%20b;type=i",
    ]
    catalogue = polib.POFile(wrapwidth=width)
    for number, url in enumerate(urls * 3):
        text = f'See {url} for "more\\less", or write to\nus at <{url}> ({number}).'
        catalogue.append(polib.POEntry(msgid=text, msgstr=text, comment=f"See {url}", obsolete=number % 2 == 1))
    data = str(catalogue).encode()
    wanted = []
    for entry in polib.pofile(data.decode()):
        wanted += [*told(entry.msgid), *told(entry.msgstr), *told(entry.comment)]
    assert len(wanted) > 36  # polib drops the comments of what is out of use
    assert sorted(str(found) for found in find(data, format="po")) == sorted(wanted)


def told(text: str) -> list[str]:
    return [str(found) for found in find(text)]
