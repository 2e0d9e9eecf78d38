"""What entrances take; each of them is tried in `tests/test_entrances.py` and `tests/test_public_entrances.py`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pytest

from anyurl.url.taken import check_fields, checked, several_of
from anyurl.values import Value


@checked
def search(
    text: str, names: Iterable[str] = (), *, deep: bool = False, size: int | None = None, more: object = 0
) -> str:
    """Look."""
    return f"{text} {names} {deep} {size} {more}"


@pytest.mark.parametrize(
    ("values", "given", "words"),
    [
        ((None,), {}, "text is a str, not NoneType"),
        (("a", "b"), {}, "names is a list of str, not str"),
        (("a",), {"deep": 1}, "deep is True or False, not int"),
        (("a",), {"size": True}, "size is an int, not bool"),
    ],
)
def test_the_sentence_names_the_argument_and_what_it_takes(
    values: tuple[Any, ...], given: dict[str, Any], words: str
) -> None:
    with pytest.raises(TypeError, match=re.escape(words)):
        search(*values, **given)


def test_what_is_taken_goes_in_as_it_is() -> None:
    assert search("a", ["b"], deep=True, size=None, more=b"c") == "a ['b'] True None b'c'"
    assert (search.__name__, search.__doc__) == ("search", "Look.")


class Size(Value):
    octets: int
    name: str | None = None

    def __post_init__(self) -> None:
        check_fields(self)


def test_a_value_has_the_fields_that_its_class_says() -> None:
    assert Size(5).name is None
    with pytest.raises(TypeError, match="octets is an int, not str"):
        Size("5")


@pytest.mark.parametrize("values", ["ab", 5, ["a", 5]])
def test_several_are_each_of_their_kind(values: Any) -> None:
    with pytest.raises(TypeError, match="names is a list of str, not"):
        several_of(values, "names", str)
    assert several_of(iter("ab"), "names", str) == ["a", "b"]
