"""Runs: what a decoder writes, and where each part of it stands."""

from __future__ import annotations

import pytest

from anyurl.text.runs import CUT, Runs


def test_each_octet_has_its_place() -> None:
    runs = Runs()
    data = b"ab\\u0041cd"
    runs.copy(data, 0, 2)
    runs.put(b"A", 2, 8)
    runs.copy(data, 8, 10)
    assert runs.take() == [(b"abAcd", None)]
    assert runs.span(0, 2) == (0, 2, None)
    assert runs.span(1, 4) == (1, 9, None)
    assert runs.span(2, 3) == (2, 8, None)
    assert runs.span(2, 2) == (2, 8, None)


def test_three_octets_of_base64_stand_for_four_letters() -> None:
    runs = Runs()
    runs.unpack(b"abcdef", 10, 18)
    assert runs.span(0, 6) == (10, 18, None)
    assert runs.span(2, 3) == (10, 14, None)
    assert runs.span(2, 4) == (10, 18, None)


def test_a_cut_stands_between_texts_and_a_format_behind_them() -> None:
    runs = Runs()
    runs.copy(b"a", 0, 1)
    runs.cut(1)
    assert runs.cut_at == 2
    runs.begin("html")
    runs.name("x")
    runs.put(b"b", 1, 3)
    assert runs.take() == [(b"a" + CUT, "html"), (b"b", None)]
    assert runs.take() == []
    assert runs.span(2, 3) == (1, 3, "x")


def test_what_is_forgotten_is_needed_no_more() -> None:
    runs = Runs()
    for at in range(10):
        runs.put(b"xy", 5 * at, 5 * at + 5)
    runs.base = 50
    runs.forget(9)
    assert runs.first == 20
    assert runs.span(9, 12) == (20, 30, None)
    runs.forget(20)
    assert runs.first == 50


@pytest.mark.kernel("pure")  # of what is compiled nobody sees it
def test_what_is_forgotten_takes_no_room() -> None:
    runs = Runs()
    for at in range(0, 30_000, 3):
        runs.name(str(at))
        runs.put(b"xy", at, at + 3)
        runs.take()
        runs.forget(runs.size - 100)
    assert len(runs._table) < 1000
    assert len(runs._names) == runs._count < 60
    assert runs.span(runs.size - 2, runs.size) == (29_997, 30_000, "29997")
