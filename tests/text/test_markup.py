"""What HTML and XML have in common: simple tags and all others say the same, wherever the text is cut."""

from __future__ import annotations

from anyurl.text import find
from tests.rows import each_row

PAGE = (
    b"<a class='x' href='http://h/a'>x</a> see http://h/b<br/>" * 120  # more than the rows of one scan
    + b"<!-- http://no/ <a href='http://no/'> --><p title='http://h/c'>http://h/d</p>"
    + b"<![CDATA[http://data/]]>http://h/e"
)
REST = {
    "html": ["http://h/c", "http://h/d", "http://h/e"],
    "xml": ["http://h/c", "http://h/d", "http://data/", "http://h/e"],
}


@each_row("format", REST)
@each_row("size", [1, 4, 37, 100_000])
def test_tags_and_the_text_between_them_are_read_wherever_they_are_cut(format: str, size: int) -> None:
    pieces = [PAGE[at : at + size] for at in range(0, len(PAGE), size)]
    found = list(find(pieces, format=format))
    assert [str(item) for item in found] == ["http://h/a", "http://h/b"] * 120 + REST[format]
    assert all(PAGE[slice(*item.octet_span)] == str(item).encode() for item in found)
