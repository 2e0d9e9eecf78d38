"""The Gopher+ codec: heads of replies, attributes, forms (RFC 1738 3.4.3 to 3.4.9; FAULTS rows C1, C2, C6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import AnyURLError, LimitError, LocalProtocolError, RemoteProtocolError
from anyurl.schemes.gopher.wire.plus import (
    AttributeReader,
    Block,
    Question,
    answer_lines,
    asked,
    check_lines,
    form_request,
    read_header,
    read_mod_date,
    read_question,
    read_refusal,
    read_view,
)
from anyurl.testing import ProtocolContract, three_ways
from tests.rows import each_row

HEADERS = [
    (b"+5", (True, 5)),
    (b"+0", (True, 0)),
    (b"+-1", (True, -1)),
    (b"+-2", (True, -2)),
    (b"+ 5 ", (True, 5)),
    (b"+9223372036854775807", (True, 2**63 - 1)),
    (b"--1", (False, -1)),
    (b"--2", (False, -2)),
    (b"-120", (False, 120)),
]


@each_row(("line", "header"), HEADERS)
def test_a_header(line: bytes, header: tuple[bool, int]) -> None:
    found = read_header(line)
    assert (found.good, found.length) == header


@each_row(
    "line",
    [
        b"",
        b"+",
        b"-",
        b"+-3",
        b"+-0",
        b"+9223372036854775808",
        b"+" + b"9" * 900,
        b"+x",
        b"5",
        b"++5",
        b"+5x",
        b"+\xb2",
    ],
)
def test_what_is_no_header(line: bytes) -> None:
    with pytest.raises(RemoteProtocolError, match="begins with"):
        read_header(line)


REFUSALS = [
    (b"1 Nobody <n@h>\r\nNo such item.\r\n.\r\n", (1, b"Nobody <n@h>", b"No such item.")),
    (b"2\r\nToo busy.\r\nCome back.\r\n", (2, b"", b"Too busy. Come back.")),
    (b"3 x\r\n1Moved\t1/m\th\t70\t+\r\n.\r\n", (3, b"x", b"1Moved\t1/m\th\t70\t+")),
    (b"1 Item is not available.\r\n.\r\n", (1, b"", b"Item is not available.")),
    (b"1 n@h\r\n.\r\n", (1, b"n@h", b"")),
    (b"Sorry\nno\n", (0, b"", b"Sorry no")),
    (b"File not found\r\n.\r\n", (0, b"", b"File not found")),
    (b"", (0, b"", b"")),
    (b"9999 x\n", (0, b"", b"9999 x")),
]


@each_row(("text", "parts"), REFUSALS)
def test_a_refusal(text: bytes, parts: tuple[int, bytes, bytes]) -> None:
    assert read_refusal(text) == parts


# --- attributes ------------------------------------------------------------------------------------------------------

ATTRIBUTES = (
    b"+INFO: 0About\t0/about\th\t70\t+\r\n+ADMIN:\r\n Admin: A B <a@b>\r\n Mod-Date: x <19930728170201>\r\n"
    b"+VIEWS:\r\n Text/plain: <10k>\r\n application/postscript De_DE: <82k>\r\n+ABSTRACT:\r\n One.\r\n\r\n  Two.\r\n"
)
BLOCKS = [
    Block("INFO", b"0About\t0/about\th\t70\t+"),
    Block("ADMIN", b"", (b"Admin: A B <a@b>", b"Mod-Date: x <19930728170201>")),
    Block("VIEWS", b"", (b"Text/plain: <10k>", b"application/postscript De_DE: <82k>")),
    Block("ABSTRACT", b"", (b"One.", b" Two.")),
]


def read_blocks(pieces: Sequence[bytes], dotted: bool = True) -> tuple[list[Block], bool]:
    reader = AttributeReader(dotted=dotted)
    blocks = [block for piece in pieces for block in reader.feed(piece)]
    return blocks + reader.finish(), reader.ended


class TestBlockReader(ProtocolContract):
    cases = ((ATTRIBUTES + b".\r\n", b"+MORE: x\r\n"), (b".\r\n", b"x"))

    def read(self, pieces: Sequence[bytes]) -> Any:
        return read_blocks(pieces)


def test_attributes() -> None:
    assert read_blocks([ATTRIBUTES + b".\r\n"]) == (BLOCKS, True)
    assert read_blocks([ATTRIBUTES]) == (BLOCKS, False)
    assert read_blocks([ATTRIBUTES.replace(b"\r\n", b"\n")], dotted=False) == (BLOCKS, False)
    assert BLOCKS[3].text == b"One.\n Two."
    assert BLOCKS[0].text == b"0About\t0/about\th\t70\t+"


def test_what_stands_behind_the_dot_is_not_looked_at() -> None:
    for pieces in three_ways(b"+A:\r\n one\r\n.\r\n", trailing=b"a bare\rCR\r\n"):
        assert read_blocks(pieces) == ([Block("A", b"", (b"one",))], True)


def test_a_dot_is_a_line_of_what_ends_with_the_connection() -> None:
    assert read_blocks([b"+A:\r\n one\r\n.\r\n two\r\n"], dotted=False)[0] == [Block("A", b"", (b"one", b".", b"two"))]


@pytest.mark.parametrize(
    ("data", "blocks", "odd"),
    [
        (b"hello\r\n", [], 1),
        (b" lonely\r\n", [], 1),
        (b"+: x\r\n", [], 1),
        (b"+A:\r\n a\0b\r\n c\r\n", [Block("A", b"", (b"c",))], 1),
        (b"+A:\r\n a\rb\r\n+B: c\r\n", [Block("A"), Block("B", b"c")], 1),
        (b"+A: \0\r\n a\r\n\r\n b\r\n+B: c\r\n d\r\n", [Block("B", b"c", (b"d",))], 1),
        # An item whose first line is odd is left out: its attributes are not those of the item before.
        (
            b"+INFO: 0a\r\n+INFO: \0\r\n+A: \0\r\n+B: c\r\n d\r\n+INFO: 0b\r\n",
            [Block("INFO", b"0a"), Block("INFO", b"0b")],
            2,
        ),
    ],
)
def test_unparsed_lines_are_left_out_with_what_belongs_to_them(data: bytes, blocks: list[Block], odd: int) -> None:
    for pieces in three_ways(data):
        reader = AttributeReader(dotted=True)
        assert [block for piece in pieces for block in reader.feed(piece)] + reader.finish() == blocks
        assert reader.odd.count == odd


def test_a_line_of_attributes_has_a_limit() -> None:
    with pytest.raises(LimitError) as caught:
        read_blocks([b"+A:\r\n " + b"a" * 10_000_000])
    assert caught.value.limit == "MAX_BLOCK_LINE_BYTES"


@pytest.mark.parametrize(
    ("line", "view", "name"),
    [
        ("Text/plain: <10k>", ("Text/plain", None, "10k"), "Text/plain"),
        (
            "application/postscript De_DE: <82k>",
            ("application/postscript", "De_DE", "82k"),
            "application/postscript De_DE",
        ),
        ("text/plain", ("text/plain", None, None), "text/plain"),
        ("", ("", None, None), ""),
    ],
)
def test_a_view(line: str, view: tuple[str, str | None, str | None], name: str) -> None:
    found = read_view(line)
    assert (found.type, found.language, found.size) == view
    assert found.name == name


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Wed Jul 28 17:02:01 1993 <19930728170201>", 743_878_921.0),
        ("<19700101000000>", 0.0),
        ("yesterday", None),
        ("<19931328170201>", None),
        ("<1993072817020>", None),
        ("<\u0661\u0662930728170201>", None),
        ("<00000101000000>", None),
    ],
)
def test_a_time(text: str, seconds: float | None) -> None:
    assert read_mod_date(text) == seconds


# --- forms -----------------------------------------------------------------------------------------------------------

QUESTIONS = [
    ("Ask: Your name", ("Ask", "Your name", "", ())),
    ("Ask: Your name\tNobody", ("Ask", "Your name", "Nobody", ())),
    ("AskP: Password", ("AskP", "Password", "", ())),
    ("AskL: Message", ("AskL", "Message", "", ())),
    ("Choose: Size\tsmall\tlarge", ("Choose", "Size", "small", ("small", "large"))),
    ("Select: Really?:1", ("Select", "Really?", "1", ("0", "1"))),
    ("Select: Really?\t1", ("Select", "Really?", "1", ("0", "1"))),
    ("Select: Really?", ("Select", "Really?", "0", ("0", "1"))),
    ("Note: Hello", ("Note", "Hello", "", ())),
    ("ChooseF: A file", ("ChooseF", "A file", "", ())),
    ("ASK:x", ("Ask", "x", "", ())),
]


@each_row(("line", "fields"), QUESTIONS)
def test_a_question(line: str, fields: tuple[Any, ...]) -> None:
    question = read_question(line)
    assert (question.kind, question.prompt, question.default, question.choices) == fields


def test_an_unknown_question_is_a_fault_of_the_server() -> None:
    with pytest.raises(RemoteProtocolError, match="has a question of an unknown kind: “Guess: x"):
        read_question("Guess: x")


NAME, TEXT, SIZE = Question("Ask", "Name"), Question("AskL", "Text"), Question("Choose", "Size", "s", ("s", "l"))
NOTE, FILE = Question("Note", "Hello"), Question("ChooseF", "File")


def test_answers_become_lines() -> None:
    assert asked([NOTE, NAME]) == [NAME]
    assert answer_lines([NOTE, NAME, TEXT, SIZE], ["Ada", "a\nb", "l"]) == [b"Ada", b"2", b"a", b"b", b"l"]
    assert answer_lines([NAME], [""]) == [b""]
    assert answer_lines([TEXT], [""]) == [b"1", b""]
    assert answer_lines([NAME], ["\udcff"]) == [b"\xff"]


@pytest.mark.parametrize(
    ("questions", "answers", "message"),
    [
        ([NAME], [], "The form asks 1 question, and 0 answers are given"),
        ([NAME, NOTE], ["a", "b"], "The form asks 1 question, and 2 answers are given"),
        ([NAME, TEXT], ["a"], "The form asks 2 questions, and 1 answer is given"),
        ([SIZE], ["xl"], "'xl' is not an answer to 'Size': 's', 'l' would be"),
        ([FILE], ["/etc/passwd"], "The form wants a file of this machine"),
    ],
)
def test_answers_that_do_not_fit(questions: list[Question], answers: list[str], message: str) -> None:
    with pytest.raises(LocalProtocolError) as caught:
        answer_lines(questions, answers)
    assert str(caught.value).startswith(message)


def test_lines_that_fit() -> None:
    check_lines([NAME, TEXT, NOTE, SIZE], [b"Ada", b"2", b"a", b"b", b"l"])
    check_lines([], [])
    check_lines([TEXT], [b"0"])


@each_row(
    ("questions", "lines"),
    [
        ([], [b"MAIL FROM:<a@b>"]),
        ([NAME], []),
        ([NAME], [b"a", b"b"]),
        ([TEXT], []),
        ([NAME, TEXT], [b"a"]),
        ([TEXT], [b"2", b"a"]),
        ([TEXT], [b"x"]),
        ([TEXT], [b"1", b"a", b"b"]),
        ([TEXT, NAME], [b"99999999", b"a"]),
        ([TEXT, NAME], [b"1", b"a"]),
        ([FILE], [b"x"]),
    ],
)
def test_lines_that_no_question_asked_for_are_refused(questions: list[Question], lines: list[bytes]) -> None:
    with pytest.raises(LocalProtocolError):
        check_lines(questions, lines)


def test_the_octets_of_an_answered_form() -> None:
    """RFC 1738 3.4.9: selector, tab, +, tab, 1, CR LF, +-1, CR LF, the answers, a lone dot."""
    wanted = bytes.fromhex("73 09 2B 09 31 0D 0A 2B 2D 31 0D 0A 76 31 0D 0A 76 32 0D 0A 2E 0D 0A")
    assert form_request(b"s", [b"v1", b"v2"]) == wanted
    assert form_request(b"", []) == b"\t+\t1\r\n+-1\r\n.\r\n"


@pytest.mark.parametrize("line", [b".", b"a\r\nb", b"a\n", b"\r", b"a\tb", b"\0"])
def test_a_line_that_would_end_the_form_is_refused(line: bytes) -> None:
    with pytest.raises(LocalProtocolError):
        form_request(b"s", [line])
    if line != b".":
        with pytest.raises(LocalProtocolError):
            form_request(line, [])


@given(st.binary(max_size=300), st.integers(1, 50), st.booleans())
def test_whatever_comes_only_errors_of_the_tree_come_out(data: bytes, size: int, dotted: bool) -> None:
    results: list[Any] = []
    for pieces in ([data], [data[i : i + size] for i in range(0, len(data), size)]):
        try:
            results.append(read_blocks(pieces, dotted))
        except AnyURLError as error:
            results.append(type(error))
    assert results[0] == results[1]
    for read in (read_header, lambda line: read_question(line.decode("latin-1")), read_refusal):
        try:
            read(data)  # type: ignore[operator]
        except AnyURLError:
            pass
