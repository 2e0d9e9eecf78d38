"""The way of a text through a search: as it stands, or decoded."""

from __future__ import annotations

from anyurl.text.search import TextSearch
from anyurl.text.source import Octets
from anyurl.values import STRANGER

SEARCH = TextSearch(schemes=None, emails=False, www=False, base=None, parse=None, origin=STRANGER)


def test_nothing_is_read_before_it_is_asked_for() -> None:
    read = []

    def pieces() -> object:
        for piece in (b'["http:\\/\\/h\\/",            ', b'"http:\\/\\/i\\/"]'):
            read.append(piece)
            yield piece

    found = SEARCH.run(Octets(pieces(), "utf-8"), "json", "")  # type: ignore[arg-type]
    assert read == []
    assert str(next(found)) == "http://h/"
    assert len(read) == 1
    assert [str(item) for item in found] == ["http://i/"]


def test_a_decoded_text_and_one_as_it_stands_are_told_alike() -> None:
    plain, decoded = (next(SEARCH.run(Octets(b"a http://h/b.", "utf-8"), format, "")) for format in ("text", "json"))
    assert plain == decoded
