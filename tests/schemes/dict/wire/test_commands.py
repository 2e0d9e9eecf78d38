from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import LimitError, LocalProtocolError
from anyurl.schemes.dict.wire.commands import (
    CONTROLS,
    MAX_COMMAND_BYTES,
    ListingLimit,
    encode_command,
    is_atom,
    login,
    quoted_word,
    read_banner,
    read_definition,
    read_pair,
    split_words,
)
from tests.rows import each_row


@given(st.binary(min_size=1, max_size=30).map(lambda data: data.translate(None, CONTROLS)).filter(bool))
def test_a_word_is_read_as_it_was_quoted(word: bytes) -> None:
    assert split_words(quoted_word(word)) == [word]
    assert split_words(b"151 " + quoted_word(word) + b" next") == [b"151", word, b"next"]


@pytest.mark.parametrize("word", [b"", b"a\r\nFLUSHALL", b"a\nb", b"a\0b", b"a\tb", b"\x7f"])
def test_what_would_end_a_string_is_never_sent(word: bytes) -> None:
    with pytest.raises(LocalProtocolError, match="A word is empty, or holds a control character"):
        quoted_word(word)
    with pytest.raises(LocalProtocolError):
        encode_command("DEFINE", b'"' + word + b'"')


@pytest.mark.parametrize("argument", [b"", b"a b", b"a'b", b'a"', b"a\\", b"a\r\nb", b"\xff\n"])
def test_an_argument_is_an_atom_or_quoted(argument: bytes) -> None:
    assert not is_atom(argument)
    with pytest.raises(LocalProtocolError, match="An argument of SHOW is neither an atom nor quoted"):
        encode_command("SHOW", argument)


def test_a_command_is_a_line() -> None:
    assert encode_command("DEFINE", b"!", quoted_word(b'a "b" \\c')) == b'DEFINE ! "a \\"b\\" \\\\c"\r\n'
    assert len(encode_command("SHOW", b"x" * (MAX_COMMAND_BYTES - 7))) == MAX_COMMAND_BYTES
    with pytest.raises(LocalProtocolError, match=r"RFC 2229 2\.2 allows 1,024"):
        encode_command("SHOW", b"x" * (MAX_COMMAND_BYTES - 6))


@each_row(
    ("line", "words"),
    [
        (b"", []), (b"  ", []), (b"a  b", [b"a", b"b"]), (b"'a b' \"c'd\"", [b"a b", b"c'd"]),
        (b'"a\\"b\\\\c"', [b'a"b\\c']), (b'"" x', [b"", b"x"]), (b'a "never closed', [b"a", b'"never closed']),
        (b"over 'n' out", [b"over", b"n", b"out"]), (b"it's", [b"it", b"'s"]),
    ],
)  # fmt: skip
def test_words_of_a_line(line: bytes, words: list[bytes]) -> None:
    assert split_words(line) == words


def test_a_line_has_no_end_of_words() -> None:
    assert len(split_words(b"a " * 10_000)) == 65


def test_what_replies_say() -> None:
    assert read_pair(b'wordnet "Word Net"') == (b"wordnet", b"Word Net")
    assert read_pair(b'tst "say "hi""') == (b"tst", b'say "hi"')  # GNU dicod
    assert (read_pair(b"x"), read_pair(b""), read_pair(b'""')) == ((b"x", b""), None, None)
    described = b'"shortcake" wordnet "WordNet (r) 1.6"'
    assert read_definition(described, b"shortcake") == (b"wordnet", b"WordNet (r) 1.6")
    assert read_definition(described, b"short") == (b"wordnet", b"WordNet (r) 1.6")
    assert read_definition(b'"say "hi"" tst "Test"', b'say "hi"') == (b"tst", b"Test")
    assert read_definition(b'"Say "Hi"" tst "Test"', b'say "hi"') == (b"tst", b"Test")
    assert read_definition(b'"shortcake"', b"shortcake") is None
    assert read_banner(b"dict.org dictd (version 0.9) <mime.auth> <27831.860032493@dict.org>") == (
        ("mime", "auth"), b"<27831.860032493@dict.org>",
    )  # fmt: skip
    assert read_banner(b"hello <1@h>") == ((), b"<1@h>")
    assert read_banner(b"hello") == ((), b"")


def test_the_login_is_a_digest() -> None:
    """What md5sum says of ``<1.2@w>welcome``, and what dictd's client sends."""
    assert login(b"<1.2@w>", b"welcome") == b"20c713cab1c9d74af8116c3750cbfcbf"


def test_a_listing_has_an_end() -> None:
    limit = ListingLimit(5)
    assert limit.count(b"abcde") == b"abcde"
    with pytest.raises(LimitError, match="more than 5 octets"):
        limit.count(b"f")
