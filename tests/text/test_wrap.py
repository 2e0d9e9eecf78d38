"""`wrap` and `unwrap`: every URL comes back, whatever the width, and from quoted mail."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import URLSyntaxError
from anyurl.text import find, unwrap, wrap
from anyurl.url import URL
from tests.rows import each_row

LONG = "http://ds.internic.net/instructions/overview-of-things/and/more/of/that.html?a=b-c&d=e#WARNING"

CHARACTERS = st.sampled_from([*"abXY09-._~!$&'()*+,;=:@/?", "%41", "%ff", "--", "-----", "/"])
PATHS = st.lists(CHARACTERS, max_size=80).map("".join)
URLS = st.builds(
    lambda head, path, fragment: URL(f"{head}{path}{fragment}"),
    st.sampled_from(["http://host/", "http://a-b.c-d.org/", "ftp://u:p-w@h/", "mailto:a", "file:///", "x-y://h/"]),
    PATHS,
    st.one_of(st.just(""), PATHS.map(lambda text: "#" + text)),
)


@given(URLS, st.integers(1, 90), st.integers(0, 12))
def test_every_url_comes_back(url: URL, width: int, indent: int) -> None:
    assert unwrap(wrap(url, width=width, indent=" " * indent)) == url


@given(URLS, st.integers(8, 90), st.sampled_from(["", "> ", ">> ", "> > ", "| ", "# ", "// ", "\t"]))
def test_it_is_found_in_running_and_in_quoted_text(url: URL, width: int, quote: str) -> None:
    text = quote + f"see {wrap(url, width=width)} there".replace("\n", "\n" + quote)
    (item,) = find(text)
    assert (str(item), item.alternatives) == (str(url), ())


@given(URLS, st.integers(1, 90))
def test_no_line_ends_behind_a_hyphen_or_in_an_encoded_octet(url: URL, width: int) -> None:
    for line in wrap(url, width=width).split("\n")[:-1]:
        assert not line.endswith("-")
        assert "%" not in line[-2:]


@given(URLS, st.integers(8, 90))
def test_a_line_is_longer_than_the_width_only_where_it_cannot_be_broken(url: URL, width: int) -> None:
    for line in wrap(url, width=width).split("\n"):
        if len(line) > width:
            assert all(line[end - 1] in "-%" or line[end - 2] == "%" for end in range(6, width + 1))


@given(URLS, st.integers(1, 90))
def test_a_line_ends_at_the_last_good_place_of_its_last_third_or_else_at_the_last_place(url: URL, width: int) -> None:
    """Where there is no place within the width, it ends at the first one behind it."""
    rest = wrap(url, width=width).replace("\n", "")
    for line in wrap(url, width=width).split("\n")[:-1]:
        places = [
            end for end in range(6, len(rest))
            if rest[end - 1] not in "-%" and rest[end - 2] != "%"
        ]  # fmt: skip
        within = [end for end in places if end <= width]
        good = [end for end in within if rest[end - 1] in "/?&;=#" and end >= max(width * 2 // 3, 1)]
        assert len(line) == ((good or within)[-1] if within else places[0])
        rest = rest[len(line) :]
    assert "\n" not in rest


def test_it_is_broken_between_the_parts() -> None:
    assert wrap(LONG, width=40, indent="      ") == (
        "<URL:http://ds.internic.net/\n"
        "      instructions/overview-of-things/\n"
        "      and/more/of/that.html?a=b-c&d=e#\n"
        "      WARNING>"
    )
    assert wrap("http://host/") == "<URL:http://host/>"


@each_row(
    ("text", "url"),
    [
        ("<URL:http://h/a\n  b>", "http://h/ab"),
        ("  < http://h/a >  ", "http://h/a"),
        ("URL:http://h/a", "http://h/a"),
        (" url: http://h/a\n b ", "http://h/ab"),
        ("http://h/a\nb", "http://h/ab"),
        ("> <URL:http://h/a\n> b>", "http://h/ab"),
        ("<URL:http://h/a-\nb>", "http://h/a-b"),
        ("<URL:http://h/a\xad\nb>", "http://h/ab"),
        ("<URL:http://h/ü#f>", "http://h/%C3%BC#f"),
    ],
)
def test_what_people_write_is_read(text: str, url: str) -> None:
    assert str(unwrap(text)) == url


@each_row("text", ["", "<>", "<URL:>", "words", "<URL:a b", "\ud800", "<URL:http://\ud800/>", "<http://h/a", ">"])
def test_what_is_no_url_is_an_error_of_the_tree(text: str) -> None:
    with pytest.raises(URLSyntaxError):
        unwrap(text)


def test_a_text_that_is_no_url_is_not_wrapped() -> None:
    with pytest.raises(URLSyntaxError):
        wrap("nowhere")


@pytest.mark.parametrize("options", [{"width": 0}, {"indent": "> "}])
def test_wrong_options_are_told(options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"a line has|an indent is"):
        wrap(LONG, **options)  # type: ignore[arg-type]


def test_the_place_of_half_a_character_is_told() -> None:
    with pytest.raises(URLSyntaxError) as caught:
        unwrap("<http://h/\ud800\udfff>")
    assert [(each.code, each.span) for each in caught.value.diagnostics] == [("surrogate", (10, 11))]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"width": "9"}, "the width of a line is an int, not str"),
        ({"width": None}, "the width of a line is an int, not NoneType"),
        ({"indent": b" "}, "an indent is a str, not bytes"),
        ({"url": b"http://h/"}, "expected a URL or a str, not bytes"),
    ],
)
def test_what_is_of_another_type_is_told(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(TypeError) as caught:
        wrap(**{"url": "http://h/", **given})
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    "text",
    [
        "> <http://host/a\n> /b>",
        "> <URL:http://host/a\n> /b>\n",
        "  url:http://host/a\n  /b",
    ],
)
def test_marks_of_quoted_mail_are_no_wrapper(text: str) -> None:
    assert unwrap(text) == URL("http://host/a/b")


@pytest.mark.parametrize("text", ["http://host/a\n> /b", "http://host/a> and more", " http://host/a\n>"])
def test_a_mark_that_closes_nothing_ends_no_url(text: str) -> None:
    """Another URL, with less of it, would be worse than none."""
    with pytest.raises(URLSyntaxError):
        unwrap(text)
