"""Of a table that one test walks: each row is tried, and each that fails is named."""

from __future__ import annotations

import pytest

from tests.rows import RowsFailed, each_row


def test_each_row_is_tried_once_in_order() -> None:
    tried: list[tuple[int, str]] = []

    @each_row("number", [1, 2])
    @each_row(("text", "more"), [("a", "b"), pytest.param("c", "d", id="second")])
    def test(number: int, text: str, more: str) -> None:
        tried.append((number, text + more))

    test()
    assert tried == [(1, "ab"), (1, "cd"), (2, "ab"), (2, "cd")]


def test_all_rows_that_fail_are_named_with_their_errors() -> None:
    @each_row("dividend, divisor, expected", [(4, 2, 2), (6, 2, 4), pytest.param(9, 3, 5, id="of nine"), (1, 0, 0)])
    def test(dividend: int, divisor: int, expected: int) -> None:
        if not divisor:
            raise ZeroDivisionError("no divisor")
        assert dividend // divisor == expected

    with pytest.raises(RowsFailed) as failure:
        test()
    assert str(failure.value).splitlines() == [
        "3 of 4 rows failed",
        "6, 2, 4",
        "    AssertionError: assert (6 // 2) == 4",
        "of nine",
        "    AssertionError: assert (9 // 3) == 5",
        "1, 0, 0",
        "    ZeroDivisionError: no divisor",
    ]
    assert str(failure.value.__cause__) == "assert (6 // 2) == 4"  # whose lines pytest shows


def test_what_is_no_error_of_python_fails_as_well() -> None:
    @each_row("number", [1, 2, 3], ids=["raises nothing", "skips", "fails"])
    def test(number: int) -> None:
        if number == 1:
            with pytest.raises(ValueError):
                pass
        elif number == 2:
            pytest.skip("not here")
        pytest.fail("never")

    with pytest.raises(RowsFailed) as failure:
        test()
    assert [line for line in str(failure.value).splitlines() if line[0] != " "] == [
        "3 of 3 rows failed",
        "raises nothing",
        "skips",
        "fails",
    ]


def test_what_is_no_column_is_a_fixture(request: pytest.FixtureRequest) -> None:
    @each_row("number", [1, 2], ids=lambda number: f"number {number}")
    def test(request: pytest.FixtureRequest, number: int) -> None:
        assert request.node.name == number

    with pytest.raises(RowsFailed, match=r"2 of 2 rows failed\nnumber 1\n(.*\n)+number 2\n"):
        test(request=request)


def test_a_function_makes_the_rows_when_the_test_runs() -> None:
    read: list[int] = []

    @each_row("number", lambda: read or [])
    def test(number: int) -> None:
        assert number == 1

    with pytest.raises(ValueError, match="a table of number has no row"):
        test()
    read += [1, 2]
    with pytest.raises(RowsFailed, match="1 of 2 rows failed\n2\n"):
        test()


def test_a_table_that_would_try_nothing_or_something_else_is_refused() -> None:
    def test(a: int, b: int) -> None: ...

    with pytest.raises(ValueError, match="a table of a, b has no row"):
        each_row("a, b", [])
    with pytest.raises(ValueError, match="has not one value for each of a, b"):
        each_row("a, b", [(1, 2), (3,)])
    with pytest.raises(ValueError, match="has a mark"):
        each_row("a, b", [pytest.param(1, 2, marks=pytest.mark.kernel("pure"))])
    with pytest.raises(ValueError, match="1 ids for 2 rows of a, b"):
        each_row("a, b", [(1, 2), (3, 4)], ids=["only"])
    with pytest.raises(ValueError, match="test has not all parameters of its table: a, c"):
        each_row("a, c", [(1, 2)])(test)
