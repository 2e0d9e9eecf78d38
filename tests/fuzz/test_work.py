"""Work: of many small blocks, nested or flat, four times as many cost every reader at most 4.5 times as much.

A Gopher+ reply of 40 kB whose forms were read anew for each took ten seconds, and no clock could stop it.
"""

from __future__ import annotations

import os
import re

import pytest

from anyurl.schemes.ftp.wire.listing import ListingReader
from anyurl.schemes.kit.lines import LINES_AT_MOST
from anyurl.schemes.news.session import BLOCK_AT_MOST
from anyurl.schemes.news.wire.lists import GroupListReader as NewsListingReader
from anyurl.schemes.news.wire.lists import read_overview
from fuzz import kit
from fuzz.readers import OCTETS, READERS, SLOW, Read, cases, check_growth, pieces_of, work

EVERY = 24
"""Of so many blocks one is tried; each reader begins at another one."""

SHARES = range(EVERY) if os.environ.get("ANYURL_SLOW") else range(1)
"""ANYURL_SLOW has them all, in shares: a share takes seconds."""


@pytest.mark.promise("limits")
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("name", sorted(READERS))
def test_four_times_as_many_blocks_cost_four_times_the_work(name: str, share: int) -> None:
    read = READERS[name][1]
    every = EVERY * 2 if name in SLOW and len(SHARES) == 1 else EVERY
    for before, block, behind in list(cases(name))[(sorted(READERS).index(name) + share) % every :: every]:
        count = max(2 if name in SLOW else 8, SLOW.get(name, OCTETS) // len(block))
        check_growth(name, read, lambda count, a=before, b=block, c=behind: a + b * count + c, count)  # type: ignore[misc]


LONG = (b"9" * 5000, b"0" * 5000 + b"1")
"""Digits, of which Python reads at most 4,300, and fails at more; fuzzing tries no input of that length."""


@pytest.mark.parametrize("name", sorted(READERS))
def test_a_number_may_be_longer_than_python_reads(name: str) -> None:
    folder, read = READERS[name]
    for seed in kit.seeds(folder)[: 2 if name in SLOW else 8]:
        for number in list(re.finditer(rb"\d+", seed))[:6]:
            for digits in LONG:
                kit.outcome(lambda: read(seed[: number.start()] + digits + seed[number.end() :]))  # noqa: B023


NESTED = [
    ("config", b"a = ", b"[", b"]"), ("config", b"a = ", b"{a=", b"}"), ("wais source", b"(:source :a ", b"(", b")"),
    ("find html", b"", b"<a href=x>", b"</a>"), ("find html", b"", b"<!--", b"-->"), ("find", b"", b"<URL:", b">"),
    ("find markdown", b"", b"[a](", b")"), ("unwrap", b"", b"<", b">"), ("prospero reply", b"", b"'", b"'"),
    ("news field", b"", b"=?a?q?", b"?="), ("http field", b"a; b=", b'"', b'"'), ("mail address", b"", b'"', b'"'),
    ("url", b"http:", b"[", b"]"),
    ("grammars", b"", b"<", b">"), ("grammars", b"http://", b"[", b"]"),
    ("explanation", b"", b"<", b">"), ("explanation", b"http://", b"[", b"]"), ("repairs", b"", b"<", b">"),
    ("repairs", b"http://", b"[", b"]"), ("telnet screen", b"", b"\x1b]", b"\x1b\\"),
    ("telnet", b"", b"\xff\xfa", b"\xff\xf0"), ("wais words", b"", b"\x01\x7f", b""),
    ("prospero request", b"", b"'a", b"'"), ("news article", b"", b"Content-Type: message/rfc822\n\n", b"\n"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "before", "begin", "end"), NESTED, ids=[f"{row[0]} {row[2][:4]!r}" for row in NESTED])
def test_nested_blocks_cost_as_much_as_flat_ones(name: str, before: bytes, begin: bytes, end: bytes) -> None:
    count = SLOW.get(name, 200)
    check_growth(name, READERS[name][1], lambda count: before + begin * count + end * count, count)


def _multiparts(count: int) -> bytes:
    """Multiparts that stand in one another, each with a boundary of its own."""
    head = b"Content-Type: multipart/mixed; boundary=%d\n\n--%d\n"
    return b"".join(head % (level, level) for level in range(count)) + b"a\n" * count


def test_multiparts_in_multiparts_cost_as_much_as_flat_ones() -> None:
    check_growth("news article", READERS["news article"][1], _multiparts, 10)


def test_every_folder_of_seeds_has_a_reader() -> None:
    assert {folder for folder, _ in READERS.values()} >= set(kit.names()) - {
        "archive",
        "pdf",  # its growth stands in tests/text/readers/test_pdf.py: a broken file is cheap at first, then linear
        "percent",
        "table",
        "wais_url",
        "work",
    }


# --- one step --------------------------------------------------------------------------------------------------------

WORK_OF_A_STEP = 2_000_000
"""Lines of Python, and octets: 50 ms of an event loop; whole dialogues are in `test_steps.py`."""

SHORT = [b"\n", b"a\n", b"0\t\t\n"]
"""Lines that cost most for their octets."""


def _overviews(data: bytes) -> None:
    for line in NewsListingReader().feed(data):
        read_overview(line)


@pytest.mark.parametrize(
    ("read", "octets"),
    [
        (lambda data: ListingReader("list", now=0.0).feed(data), LINES_AT_MOST),
        (lambda data: ListingReader("mlsd", now=0.0).feed(data), LINES_AT_MOST),
        (lambda data: ListingReader("nlst", now=0.0).feed(data), LINES_AT_MOST),
        (_overviews, BLOCK_AT_MOST),
    ],
    ids=["LIST", "MLSD", "NLST", "OVER"],
)
@pytest.mark.parametrize("line", SHORT)
def test_a_piece_of_lines_is_read_in_one_step(read: Read, octets: int, line: bytes) -> None:
    assert work(lambda: read((line * octets)[:octets])) <= WORK_OF_A_STEP


# --- the measure -----------------------------------------------------------------------------------------------------


def _again_for_each(data: bytes) -> None:
    lines = data.split(b"\n")
    for _ in lines:
        for _line in lines:
            pass


def _copied_for_each(data: bytes) -> None:
    joined = b""
    for piece in pieces_of(data * 20):
        joined += piece


def _rest_for_each(data: bytes) -> None:
    while data:
        _, _, data = data.partition(b"\n")


def _once(data: bytes) -> None:
    for _line in data.split(b"\n"):
        pass


@pytest.mark.parametrize(("read", "count"), [(_again_for_each, 30), (_copied_for_each, 400), (_rest_for_each, 400)])
def test_what_is_quadratic_is_found(read: Read, count: int) -> None:
    with pytest.raises(kit.Finding, match="blocks cost"):
        check_growth("x", read, lambda count: b"abcdefgh\n" * count, count)


def test_what_is_linear_is_not() -> None:
    check_growth("x", _once, lambda count: b"abcdefgh\n" * count, 400)


def test_the_work_is_nearly_the_same_on_each_run() -> None:
    data = b"+ASK:\r\n Ask: a\r\n" * 50
    read = READERS["gopher+ attributes"][1]
    for _ in range(2):
        work(lambda: read(data))
    assert work(lambda: read(data)) == pytest.approx(work(lambda: read(data)), rel=0.02)  # Python keeps some objects
