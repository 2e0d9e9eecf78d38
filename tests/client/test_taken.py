"""What arguments take, by their annotations; each entrance of a client is tried in `tests/test_entrances.py`."""

from __future__ import annotations

from typing import Any

import pytest

from anyurl.client.options import OPTIONS
from anyurl.client.taken import ARGUMENTS, TAKEN, check


def test_every_annotation_of_an_option_has_its_check() -> None:
    assert {annotation.removesuffix(" | None") for annotation in ARGUMENTS.values()} <= TAKEN.keys()
    assert {option.name for option in OPTIONS} <= ARGUMENTS.keys()


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("answers", "x", "answers is a list of str, not str"),  # its letters would be taken for them
        ("answers", [5, "x"], "answers is a list of str, not list of int, str"),
        ("limit", True, "limit is an int, not bool"),
        ("words", None, "words is a str, not NoneType"),
        ("timeout", "5", "timeout is a number, not str"),
        ("gateways", {"doi": 5}, "gateways is a dict of str to str, not dict"),
        ("network", "socks5://p", "network is a Network, not str"),
    ],
)
def test_the_sentence_names_the_argument_and_what_it_takes(name: str, value: Any, words: str) -> None:
    with pytest.raises(TypeError) as caught:
        check(**{name: value})
    assert str(caught.value) == words


def test_what_is_taken_is_taken() -> None:
    check(answers=("a", "b"), limit=5, words="", timeout=0.5, gateways={"doi": "https://doi.org/{path}"}, view=None)
