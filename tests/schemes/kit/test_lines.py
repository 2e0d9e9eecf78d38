"""The line reader gives the same lines however the octets are cut, within its limit, in linear time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import AnyURLError, LimitError, RemoteProtocolError
from anyurl.schemes.kit.lines import FromNetworkText, LineReader, to_network_text
from tests.rows import each_row

LIMIT = 10


def reader(*, strict: bool = True) -> LineReader:
    return LineReader(LIMIT, limit="MAX_TEST", what="a test line", strict=strict)


def read_one_by_one(pieces: list[bytes], *, strict: bool = True) -> tuple[list[bytes], object]:
    lines = reader(strict=strict)
    found: list[bytes] = []
    try:
        for piece in pieces:
            lines.feed(piece)
            while (line := lines.next_line()) is not None:
                found.append(line)
        last = lines.finish()
    except AnyURLError as error:
        return found, (type(error), str(error))
    return found, last


def read_in_blocks(pieces: list[bytes], *, strict: bool = True) -> tuple[list[bytes], object]:
    lines = reader(strict=strict)
    found: list[bytes] = []
    try:
        for piece in pieces:
            lines.feed(piece)
            while block := lines.lines():
                found += block
        last = lines.finish()
    except AnyURLError as error:
        return found, (type(error), str(error))
    return found, last


CASES: list[tuple[str, bytes, list[bytes], bytes | None]] = [
    ("CR LF ends a line", b"a\r\nb\r\n", [b"a", b"b"], None),
    ("a bare LF ends a line", b"a\nb\n", [b"a", b"b"], None),
    ("both may be mixed", b"a\nb\r\nc\n", [b"a", b"b", b"c"], None),
    ("an empty line is a line", b"\r\n\n", [b"", b""], None),
    ("the last line may lack its end", b"a\r\nb", [b"a"], b"b"),
    ("a CR at the very end belongs to no line", b"a\r\nb\r", [b"a"], b"b"),
    ("exactly the limit, with CR LF", b"0123456789\r\n", [b"0123456789"], None),
    ("exactly the limit, bare", b"0123456789\n", [b"0123456789"], None),
    ("octets that are no UTF-8 stay", b"\xff\xfe\r\n", [b"\xff\xfe"], None),
    ("nothing", b"", [], None),
]


@each_row(("data", "lines", "last"), [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_lines_come_out_whole_byte_by_byte_and_in_blocks(data: bytes, lines: list[bytes], last: bytes | None) -> None:
    single = [bytes([octet]) for octet in data]
    for read in (read_one_by_one, read_in_blocks):
        assert read([data]) == (lines, last)
        assert read(single) == (lines, last)


FAULTS: list[tuple[str, bytes, list[bytes], type[AnyURLError]]] = [
    ("one octet too long", b"ok\r\n0123456789a\r\n", [b"ok"], LimitError),
    ("too long without an end", b"0123456789ab", [], LimitError),
    ("too long, and the last octet is a CR", b"0123456789\r\r\n", [], LimitError),
    ("NUL", b"ok\na\0b\n", [b"ok"], RemoteProtocolError),
    ("a CR inside a line", b"ok\na\rb\n", [b"ok"], RemoteProtocolError),
    ("CR CR LF", b"a\r\r\n", [], RemoteProtocolError),
    ("too long goes before NUL", b"0\x0023456789abc\n", [], LimitError),
]


@pytest.mark.parametrize(("data", "good", "error"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS])
def test_a_bad_line_is_an_error_after_the_good_ones(data: bytes, good: list[bytes], error: type[AnyURLError]) -> None:
    single = [bytes([octet]) for octet in data]
    for read in (read_one_by_one, read_in_blocks):
        for pieces in ([data], single):
            lines, outcome = read(pieces)
            assert (lines, outcome[0] if isinstance(outcome, tuple) else outcome) == (good, error)


def test_a_lenient_reader_keeps_nul_and_cr_as_data() -> None:
    for read in (read_one_by_one, read_in_blocks):
        assert read([b"a\0b\rc\r\r\nd"], strict=False) == ([b"a\0b\rc\r"], b"d")


def test_the_limit_error_names_the_limit() -> None:
    lines = reader()
    lines.feed(b"x" * 12)
    with pytest.raises(LimitError) as caught:
        lines.next_line()
    assert caught.value.limit == "MAX_TEST"
    assert str(caught.value) == "A test line is longer than 10 octets: “xxxxxxxxxx”..."


def test_rest_hands_over_what_follows_the_lines() -> None:
    lines = reader()
    lines.feed(b"head\r\n\0binary\rdata")
    assert lines.next_line() == b"head"
    assert lines.pending == 12
    assert lines.rest() == b"\0binary\rdata"
    assert lines.pending == 0


@given(st.lists(st.binary(max_size=8)), st.booleans())
def test_cutting_never_changes_the_lines(pieces: list[bytes], strict: bool) -> None:
    whole = b"".join(pieces)
    expected = read_one_by_one([whole], strict=strict)
    assert read_one_by_one(pieces, strict=strict) == expected
    assert read_in_blocks(pieces, strict=strict) == expected
    assert read_in_blocks([whole], strict=strict) == expected


def test_a_dripping_line_is_looked_at_once() -> None:
    """A quarter megabyte, octet by octet: a reader that looks from the start each time needs minutes."""
    lines = LineReader(1 << 18, limit="MAX_TEST")
    for _ in range(1 << 18):
        lines.feed(b"x")
        assert lines.next_line() is None
    lines.feed(b"\n")
    line = lines.next_line()
    assert line is not None
    assert len(line) == 1 << 18


TEXTS = [
    ("line ends are converted", b"a\r\nb\r\n", b"a\nb\n"),
    ("a bare CR stays", b"a\rb\r\n", b"a\rb\n"),
    ("a bare LF stays", b"a\nb", b"a\nb"),
    ("CR CR LF is a CR and a line end", b"a\r\r\n", b"a\r\n"),
    ("CR NUL stays: UTF-16 text has it", b"a\0\r\0\r\n\0", b"a\0\r\0\n\0"),
    ("a CR at the end stays", b"a\r", b"a\r"),
    ("nothing", b"", b""),
]


@pytest.mark.parametrize(("network", "local"), [row[1:] for row in TEXTS], ids=[row[0] for row in TEXTS])
def test_network_text_becomes_local_text_however_it_is_cut(network: bytes, local: bytes) -> None:
    for cut in range(len(network) + 1):
        text = FromNetworkText()
        assert text.feed(network[:cut]) + text.feed(b"") + text.feed(network[cut:]) + text.finish() == local
    text = FromNetworkText()
    assert b"".join(text.feed(bytes([octet])) for octet in network) + text.finish() == local


@given(st.lists(st.sampled_from([b"\r", b"\n", b"a", b"\0", b"\r\n"])))
def test_what_is_sent_as_text_comes_back_as_it_was(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    sent = b"".join(to_network_text(piece) for piece in pieces)
    text = FromNetworkText()
    assert text.feed(sent) + text.finish() == data
