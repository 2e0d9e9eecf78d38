"""Folded URLs: which readings there are, and in which order."""

from __future__ import annotations

import pytest

from anyurl.text.fold import unfold
from tests.rows import each_row


@each_row(
    ("pieces", "readings"),
    [
        ([], [""]),
        ([(b"", True)], [""]),
        ([(b"a", False)], ["a"]),
        ([(b"a", False), (b"b", False)], ["ab"]),
        ([(b"a", True), (b"b", False)], ["ab"]),
        ([(b"a-", False), (b"b", False)], ["a-b"]),
        ([(b"a-", True), (b"b", False)], ["a-b", "ab"]),
        ([(b"a--", True), (b"b", False)], ["a--b", "a-b"]),
        ([(b"-", True), (b"-", True), (b"b", False)], ["--b", "-b", "-b", "b"]),
        ([(b"a-", True), (b"b-", True), (b"c-", True), (b"d", False)],
         ["a-b-c-d", "a-b-cd", "a-bc-d", "a-bcd", "ab-c-d", "ab-cd", "abc-d", "abcd"]),
        ([(b"a-", True)] * 4 + [(b"b", False)], ["a-a-a-a-b", "aaaab"]),
        ([(b"a-", True)], ["a-"]),
        ([(b"a\xc2\xad", True), (b"b", False)], ["ab"]),
        ([(b"a\xc2\xadb", False)], ["ab"]),
        ([(b"a\xe2\x80\x90", True), (b"b", False)], ["ab", "a-b"]),
        ([(b"a\xe2\x80\x90b\xe2\x80\x90", True), (b"c", False)], ["a\u2010b-c", "a\u2010bc"]),
        ([(b"a-b\xe2\x80\x90", True), (b"c-", True), (b"d", False)], ["a-bc-d", "a-bcd", "a-b-c-d", "a-b-cd"]),
        ([(b"a\xe2\x80\x90", True)] * 4 + [(b"b", False)], ["aaaab", "a-a-a-a-b"]),
        ([(b"a\xe2\x88\x92", True), (b"b", False)], ["a-b", "ab"]),
        ([(b"a\xe2\x80\x91", True), (b"b", False)], ["a-b", "ab"]),
        ([(b"a\xe2\x80\x90", False), (b"b", False)], ["a\u2010b"]),
        ([(b"\xc3", True), (b"\xbc", False)], ["\xfc"]),
    ],
)  # fmt: skip
def test_readings(pieces: list[tuple[bytes, bool]], readings: list[str]) -> None:
    assert unfold(pieces) == readings


@pytest.mark.parametrize("broke", [True, False])
def test_a_line_break_takes_nothing_but_hyphens(broke: bool) -> None:
    for mark in map(chr, range(33, 127)):
        expected = ["a-b", "ab"] if mark == "-" and broke else [f"a{mark}b"]
        assert unfold([(f"a{mark}".encode(), broke), (b"b", False)]) == expected
