"""The numbers of the cut: each is another one, and what they say of URLs holds."""

from __future__ import annotations

import pytest

from anyurl.errors import URLSyntaxError
from anyurl.url import URL
from anyurl.url.cut import numbers
from anyurl.url.faults import FAULTS
from tests.rows import each_row

PLACES = ("SCHEME_END", "USER_END", "HOST_START", "HOST_END", "PORT", "PATH_START", "QUERY_START", "FRAGMENT_START")
FLAGS = (
    "NO_AUTHORITY", "NEED_AUTHORITY", "NEED_SLASH", "NO_USERINFO", "NO_PORT", "NO_QUERY", "EMPTY_HOST", "DNS_HOST",
)  # fmt: skip


def test_places_are_the_eight_columns_in_the_order_of_a_url() -> None:
    assert [getattr(numbers, name) for name in PLACES] == list(range(8))


def test_flags_are_bits() -> None:
    assert [getattr(numbers, name) for name in FLAGS] == [1 << place for place in range(8)]


def test_faults_are_numbered_without_gaps_and_have_a_sentence_each() -> None:
    named = {name: value for name, value in vars(numbers).items() if name.startswith("FAULT_")}
    assert sorted(named.values()) == list(range(1, len(named) + 1)), "0 is no fault"
    assert set(FAULTS) == set(named.values())


def test_there_is_nothing_else() -> None:
    others = {name for name in vars(numbers) if name.isupper() and not name.startswith("FAULT_")}
    assert others == {*PLACES, *FLAGS, "MAX_LENGTH", "MAX_PORT"}


def test_the_longest_url_and_the_largest_port() -> None:
    assert len(str(URL("x:" + "a" * (numbers.MAX_LENGTH - 2)))) == numbers.MAX_LENGTH == 65_536
    with pytest.raises(URLSyntaxError, match="at most 65,536 octets"):
        URL("x:" + "a" * (numbers.MAX_LENGTH - 1))
    assert URL(f"http://h:{numbers.MAX_PORT}/").port == numbers.MAX_PORT == 65_535
    with pytest.raises(URLSyntaxError, match="at most 65535"):
        URL(f"http://h:{numbers.MAX_PORT + 1}/")


CODES = [
    ("", "FAULT_EMPTY"), ("1:", "FAULT_SCHEME_START"), ("a_:", "FAULT_SCHEME_CHAR"), ("a", "FAULT_NO_SCHEME"),
    ("x:\n", "FAULT_CONTROL"), ("x: ", "FAULT_SPACE"), ("x:\\", "FAULT_BACKSLASH"), ("x:<", "FAULT_CHAR"),
    ("x:[", "FAULT_BRACKET"), ("x:%", "FAULT_ESCAPE"), ("x:##", "FAULT_SECOND_HASH"),
    ("http:", "FAULT_NO_AUTHORITY"), ("mailto://h", "FAULT_AUTHORITY"), ("file:a", "FAULT_SLASH"),
    ("http://a@b@c", "FAULT_TWO_AT"), ("http:///", "FAULT_EMPTY_HOST"), ("http://%41/", "FAULT_HOST_ESCAPE"),
    ("http://h:1:1", "FAULT_HOST_COLON"), ("http://1/", "FAULT_NUMERIC_HOST"), ("http://[::1", "FAULT_OPEN_BRACKET"),
    ("http://[::1]a", "FAULT_AFTER_BRACKET"), ("http://h:a", "FAULT_PORT_DIGITS"), ("http://h:99999",
     "FAULT_PORT_LARGE"),
    ("http://[a]", "FAULT_ADDRESS"), ("x:\ud800", "FAULT_SURROGATE"),
]  # fmt: skip


@each_row(("text", "name"), CODES, ids=[row[1] for row in CODES])
def test_a_text_with_each_fault(text: str, name: str) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        URL(text)
    assert caught.value.diagnostics[0].code == FAULTS[getattr(numbers, name)][0]
