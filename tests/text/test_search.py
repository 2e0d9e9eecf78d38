"""The way of a text through a search: as it stands, or decoded."""

from __future__ import annotations

import pytest

from anyurl import URL
from anyurl.text import find
from anyurl.text.kinds import URLS_ALONE
from anyurl.text.search import TextSearch
from anyurl.text.source import LEAST_PIECE, Octets
from anyurl.values import STRANGER
from tests.text.soup import soups, told

SEARCH = TextSearch(schemes=None, kinds=URLS_ALONE, base=None, parse=None, origin=STRANGER, encoding="utf-8")


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


@pytest.mark.parametrize("before", [b"", b"x" * 200_000])
def test_what_is_found_comes_in_steps_however_dense_it_is(before: bytes) -> None:
    """128 KiB of nothing but links: between two that are handed out few are read."""
    read = 0

    def parse(text: str) -> URL:
        nonlocal read
        read += 1
        return URL(text)

    search = TextSearch(schemes=None, kinds=URLS_ALONE, base=None, parse=parse, origin=STRANGER)
    steps, last = [], 0
    for _ in search.run(Octets(before + b"<a href=http://h>" * 8000, "utf-8"), "html", ""):
        steps.append(read - last)
        last = read
    assert sum(steps) >= 8000
    assert max(steps[1 if not before else 4000 :]) <= 2 * LEAST_PIECE / 10


@pytest.mark.parametrize("text", ["http://h/ " * 40, ("x" * 90 + " http://h/ ") * 40], ids=["dense", "sparse"])
def test_an_ascii_text_is_searched_as_it_is_read(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not all of it at its end: between two that are handed out few are read, and little is held."""
    read = 0

    def parse(text: str) -> URL:
        nonlocal read
        read += 1
        return URL(text)

    monkeypatch.setattr("anyurl.text.search.PIECE", 100)
    search = TextSearch(schemes=None, kinds=URLS_ALONE, base=None, parse=parse, origin=STRANGER)
    ahead = [read - handed for handed, _ in enumerate(search.run(Octets(text, "utf-8"), "text", ""))]
    assert len(ahead) == 40
    assert max(ahead) <= 11  # as many as a piece holds, and one


@pytest.mark.parametrize("piece", [1, 2, 7, 64, 300])
def test_an_ascii_text_is_found_alike_wherever_its_pieces_end(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is copied into the buffer with what was kept of it, and not as a piece of its own."""
    texts = [text for text, _ in soups(piece, 300) if text.isascii()]
    texts += ["", "http://h", f"<http://h/{'a' * 900}> {'.' * 700} \n(http://i/b) http://j/"]
    texts.append(" urn:ab:c, http://k/" * 50)
    whole = [[told(item) for item in find([text])] for text in texts]
    monkeypatch.setattr("anyurl.text.search.PIECE", piece)
    assert [[told(item) for item in find(text)] for text in texts] == whole
    assert sum(map(len, whole)) > 100
