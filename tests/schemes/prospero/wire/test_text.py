from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import LimitError, LocalProtocolError, RemoteProtocolError
from anyurl.schemes.prospero.wire import text as prospero_text
from anyurl.schemes.prospero.wire.text import (
    QuotedLineReader,
    first_token,
    holds_bare_cr,
    quote,
    quote_list,
    quote_text,
    split_names,
    split_tokens,
    unquote,
)
from anyurl.testing import ProtocolContract
from tests.rows import each_row

QUOTED = [
    (b"README", b"README", "nothing to quote"),
    (b"two words", b"two' words'", "a blank: quoting begins there and goes on to the end"),
    (b"it's", b"it'''s'", "an apostrophe: quote on, doubled quote, s, quote off"),
    (b"'quoted'", b"'''quoted'''", "apostrophes at both ends"),
    (b"", b"''", "the empty token"),
    (b"AFTP/pub/hello.txt", b"AFTP'/pub/hello.txt'", "a slash counts as special"),
    (b"/pfs/demo", b"'/pfs/demo'", "and so it does at the beginning"),
    (b"line\nfeed", b"line'\nfeed'", "a line feed inside a token"),
    (b"cr\rhere", b"cr'\rhere'", "a carriage return"),
    (b"tab\there", b"tab'\there'", "a tab"),
    (b"ff\fvt\v", b"ff'\fvt\v'", "form feed and vertical tab"),
    (b"a+b,c", b"a'+b,c'", "plus and comma"),
    (b"swa@128.9.*.*", b"swa@128.9.*.*", "stars, dots and signs need none"),
    (b"caf\xe9", b"caf\xe9", "octets above 127 pass"),
    (b'"dq"\\', b'"dq"\\', "only the apostrophe quotes"),
]


@each_row(("token", "raw", "reason"), QUOTED, ids=[row[2] for row in QUOTED])
def test_quotes_as_the_servers_do(token: bytes, raw: bytes, reason: str) -> None:
    assert quote(token) == raw
    assert unquote(raw) == token


@pytest.mark.parametrize(
    ("raw", "token"),
    [
        (b"'two words'", b"two words"),  # the whole token quoted
        (b"two' 'words", b"two words"),  # in the middle only
        (b"a''b", b"ab"),  # quotes around nothing
        (b"'a''b'", b"a'b"),  # doubled inside quotes
        (b"''''", b"'"),
        (b"'a'b'c'", b"abc"),  # stretches are joined
    ],
)
def test_unquotes_wherever_the_quotes_stand(raw: bytes, token: bytes) -> None:
    assert unquote(raw) == token


@pytest.mark.parametrize("write", [quote, quote_list, quote_text])
def test_nul_is_never_written(write: Any) -> None:
    with pytest.raises(LocalProtocolError, match="A token of Prospero can't contain NUL"):
        write(b"a\0b")


def test_a_list_of_options_keeps_its_plus_signs() -> None:
    assert quote_list(b"ATTRIBUTES(#ALL)+EXPAND") == b"ATTRIBUTES(#ALL)+EXPAND"
    assert quote_list(b"") == b"''"


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        (b"", b""),
        (b"mind the  gap", b"mind the  gap"),  # blanks stand as they are
        (b"don't", b"don'''t'"),
        (b"two\nlines", b"two'\nlines'"),
        (b" led by a blank", b"' led by a blank'"),  # which would be lost
    ],
)
def test_quotes_texts(text: bytes, raw: bytes) -> None:
    assert quote_text(text) == raw
    assert unquote(raw) == text


@given(st.lists(st.binary().map(lambda data: data.replace(b"\0", b"")), min_size=1))
def test_tokens_come_back_as_they_were_sent(tokens: list[bytes]) -> None:
    line = b" ".join(map(quote, tokens))
    reader = QuotedLineReader()
    assert reader.feed(line + b"\n") == [line]
    assert [unquote(raw) for raw in split_tokens(line)] == tokens


def test_blanks_and_tabs_separate_and_may_be_many() -> None:
    assert split_tokens(b"\tLINK  L \t 'a b' ") == [b"LINK", b"L", b"'a b'"]
    assert first_token(b"  ERROR  Unknown' message'  x") == (b"ERROR", b"Unknown' message'  x")
    assert first_token(b" \t") == (b"", b"")


def test_a_line_has_only_so_many_tokens() -> None:
    many = prospero_text.MAX_TOKENS
    assert len(split_tokens(b"a " * many)) == many
    with pytest.raises(LimitError, match="A line of Prospero has more than 4,096 tokens") as caught:
        split_tokens(b"a " * (many + 1))
    assert caught.value.limit == "MAX_TOKENS"


@pytest.mark.parametrize(
    ("raw", "names"),
    [
        (b"docs/rfc/x", (b"docs", b"rfc", b"x")),  # unquoted slashes are structure
        (b"odd/slash'/'inside", (b"odd", b"slash/inside")),  # a quoted one is data
        (b"odd/two' words'", (b"odd", b"two words")),
        (b"''", (b"",)),
        (b"a/", (b"a", b"")),
        (b"(no.*)", (b"(no.*)",)),
    ],
)
def test_splits_paths_of_names(raw: bytes, names: tuple[bytes, ...]) -> None:
    assert split_names(raw) == names


class TestLines(ProtocolContract):
    cases = (
        (b"NONE-FOUND\n", b"LI"),
        (b"LINK  L FILE line'\nfeed' x\nLINK  L\n", b"'"),
        (b"VERSION 5\r\nLIST\r\n", b"\r"),
        (b"\n \t\nNONE-FOUND\n", b""),
        (b"LINK L NULL it's NULL NULL NULL NULL 0\nSUCCESS\n", b"LINK L NULL"),
    )

    def read(self, pieces: Sequence[bytes]) -> list[bytes]:
        reader = QuotedLineReader()
        return [line for piece in pieces for line in reader.feed(piece)]


@each_row(
    ("data", "lines"),
    [
        (b"a\nb", [b"a", b"b"]),  # the last line may lack its end
        (b"VERSION-NOT-SUPPORTED TRY 1-5", [b"VERSION-NOT-SUPPORTED TRY 1-5"]),  # and this one always does
        (b"ATTRIBUTE x\n\nLINK y\n", [b"ATTRIBUTE x", b"LINK y"]),  # the real server's empty line behind an ID
        (b"a\r\n\r\nb\r\n", [b"a", b"b"]),  # CR is tolerated
        (b"a'\n\n'b\n", [b"a'\n\n'b"]),  # an empty line inside quotes is data
        (b"ERROR what is it's\n", [b"ERROR what is it's"]),  # a complaint of quotes may repeat them as they came
        (b"ERROR Unknown message: a\rb\r\n", [b"ERROR Unknown message: a\rb"]),  # and so it may with a CR
        (b"WARNING MESSAGE a\rb\nLINK x", [b"WARNING MESSAGE a\rb", b"LINK x"]),
        (b"a'\0'\n", [b"a'\0'"]),  # NUL is an octet of a file
        (b"a'\r'b\n", [b"a'\r'b"]),  # a quoted CR is data
        (b"", []),
    ],
)
def test_lines_end_outside_quotes(data: bytes, lines: list[bytes]) -> None:
    reader = QuotedLineReader()
    assert [*reader.feed(data), *reader.finish()] == lines


def test_nul_is_nothing_in_a_request() -> None:
    """Releases 5.0 to 5.2 left one at the end of a packet."""
    reader = QuotedLineReader(reply=False)
    assert [*reader.feed(b"a\0\nb\0"), *reader.finish()] == [b"a", b"b"]


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        (b"a\rb", True),
        (b"a 'b c'\rd", True),
        (b"LINK L NULL 'a\nb'\rc NULL NULL NULL NULL 0", True),
        (b"LINK L NULL it's\rx NULL NULL NULL NULL 0", False),
        (b"a 'b\rc'", False),
        (b"ERROR a\rb", False),
        (b"a", False),
    ],
)
def test_a_cr_is_bare_where_servers_quote_it(line: bytes, holds: bool) -> None:
    assert holds_bare_cr(line) is holds


def test_a_message_that_ends_inside_quotes_is_malformed() -> None:
    reader = QuotedLineReader()
    reader.feed(b"LINK  L FILE 'never\nended")
    with pytest.raises(RemoteProtocolError, match="A Prospero message ends inside quotes: “LINK  L FILE 'never"):
        reader.finish()


def test_a_message_has_only_so_many_octets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prospero_text, "MAX_REPLY_BYTES", 10)
    reader = QuotedLineReader()
    reader.feed(b"0123456789")
    with pytest.raises(LimitError, match="A reply has more than 10 octets"):
        reader.feed(b"a")
