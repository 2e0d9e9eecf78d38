"""The places of the ASCII form, back in the text that it was made from."""

from __future__ import annotations

import pytest

from anyurl.errors import URLSyntaxError
from anyurl.url import URL
from anyurl.url.to_ascii import enter, place_before
from tests.rows import each_row


def test_ascii_is_left_as_it_is() -> None:
    assert enter("http://h/a b%") == enter(b"http://h/a b%") == "http://h/a b%"


@each_row(
    ("text", "entered", "places"),
    [
        # before, inside and behind each character that became more than one
        ("foo:é!ü", "foo:%C3%A9!%C3%BC", {0: (0, 1), 4: (4, 5), 9: (4, 5), 10: (5, 6), 11: (6, 7), 17: (7, 7)}),
        (
            "http://é/ü!",
            "http://xn--9ca/%C3%BC!",
            {6: (6, 7), 7: (7, 8), 13: (7, 8), 14: (8, 9), 15: (9, 10), 21: (10, 11)},
        ),
        ("é", "%C3%A9", {0: (0, 1), 6: (1, 1)}),  # without an authority there is no host
        ("éa:b", "%C3%A9a:b", {0: (0, 1), 6: (1, 2)}),
        ("é://ü/", "%C3%A9://%C3%BC/", {0: (0, 1), 9: (4, 5)}),
        ("x:/é/ü", "x:/%C3%A9/%C3%BC", {3: (3, 4), 10: (5, 6)}),
        ("mailto://é", "mailto://%C3%A9", {9: (9, 10)}),
        ("http://é@ü/", "http://%C3%A9@xn--tda/", {12: (7, 8), 13: (8, 9), 14: (9, 10), 20: (9, 10), 21: (10, 11)}),
    ],
)
def test_a_place_leads_back_to_its_character(text: str, entered: str, places: dict[int, tuple[int, int]]) -> None:
    assert enter(text) == entered
    assert {place: place_before(text, place) for place in places} == places


def test_places_count_characters_of_the_text_that_was_given() -> None:
    with pytest.raises(URLSyntaxError) as caught:
        URL("http://bücher.example/ü/|")
    assert caught.value.diagnostics[0].span == (24, 25)
    with pytest.raises(URLSyntaxError) as caught:
        URL("http://ü:ö@bücher.example:x1/")
    assert caught.value.diagnostics[0].span == (26, 28)


def test_the_host_is_found_as_the_cut_finds_it() -> None:
    """A character beyond ASCII is mapped only in a host: not in a path, a user name, or behind a colon without '//'."""
    for text, entered in (
        ("foo:é", "foo:%C3%A9"), ("foo:/é", "foo:/%C3%A9"), ("mailto://é", "mailto://%C3%A9"), ("é://é", "%C3%A9://%C3%A9"),
        ("foo://é?é", "foo://xn--9ca?%C3%A9"), ("foo://a@é:é#é", "foo://a@xn--9ca:%C3%A9#%C3%A9"),
        ("foo://a@b@é", "foo://a@b@xn--9ca"), ("foo://[é]", "foo://[%C3%A9]"), ("//é", "//%C3%A9"),
    ):  # fmt: skip
        assert enter(text) == entered
