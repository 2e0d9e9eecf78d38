"""A text that is changed step by step: what it becomes, and where each of its characters came from."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from anyurl.grammar.mending import Mending
from tests.rows import each_row


def test_a_text_that_was_not_changed_is_in_its_own_place() -> None:
    mending = Mending("abc")
    assert mending.text == "abc"
    for start in range(4):
        for end in range(start, 4):
            assert mending.place((start, end)) == (start, end)


@each_row(
    ("replacement", "text", "span", "place"),
    [
        ("", "http://ab/c d", (11, 12), (12, 13)),
        ("", "http://ab/c d", (7, 9), (7, 10)),  # what is left out lies within
        ("", "http://ab/c d", (8, 8), (9, 9)),  # a gap is before what follows
        ("%20", "http://a%20b/c d", (8, 11), (8, 9)),
        ("%20", "http://a%20b/c d", (9, 10), (8, 9)),
        ("%20", "http://a%20b/c d", (10, 12), (8, 10)),
        ("%20", "http://a%20b/c d", (14, 15), (12, 13)),
        ("x", "http://axb/c d", (8, 9), (8, 9)),
    ],
)
def test_a_place_is_one_of_the_original(
    replacement: str, text: str, span: tuple[int, int], place: tuple[int, int]
) -> None:
    mending = Mending("http://a b/c d")
    mending.replace((8, 9), replacement)
    assert mending.text == text
    assert mending.place(span) == place


def test_what_is_put_in_a_gap_stands_before_what_follows() -> None:
    mending = Mending("http:h")
    mending.replace((5, 5), "//")
    assert mending.text == "http://h"
    assert mending.place((5, 7)) == (5, 6)
    assert mending.place((7, 8)) == (5, 6)
    mending.replace((8, 8), "/")
    assert mending.text == "http://h/"
    assert mending.place((9, 9)) == (6, 6)


def test_many_edits_at_once() -> None:
    mending = Mending("a b c")
    mending.replace_many([((1, 2), "%20"), ((3, 4), "")])
    assert mending.text == "a%20bc"
    assert mending.place((5, 6)) == (4, 5)
    mending.replace_many([])
    assert mending.text == "a%20bc"


def test_a_character_is_replaced_wherever_it_stands_in_the_span() -> None:
    mending = Mending("\\a\\b\\c\\")
    mending.replace_all((1, 6), "\\", "")
    assert mending.text == "\\abc\\"
    assert mending.place((4, 5)) == (6, 7)
    mending.replace_all((0, 5), "x", "y")
    assert mending.text == "\\abc\\"


EDITS = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 3), st.text("xyz", max_size=3)), max_size=6)


@given(st.integers(0, 20), EDITS)
def test_a_character_that_was_left_alone_is_found_where_it_was(length: int, edits: list[tuple[int, int, str]]) -> None:
    """Every character of the original is another one, so that it names its place."""
    original = "".join(chr(0x4E00 + number) for number in range(length))
    mending = Mending(original)
    naive = original
    for start, count, replacement in edits:
        start = min(start, len(naive))
        end = min(start + count, len(naive))
        mending.replace((start, end), replacement)
        naive = naive[:start] + replacement + naive[end:]
        assert (mending.text, mending.original) == (naive, original)
    last = 0
    for place, char in enumerate(naive):
        start, end = mending.place((place, place + 1))
        assert start >= last, "the order is kept"
        last = start
        if char in original:
            assert (start, end) == (original.index(char), original.index(char) + 1)
    assert mending.place((len(naive), len(naive))) == (length, length)
