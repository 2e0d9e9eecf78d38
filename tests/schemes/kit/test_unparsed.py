"""What is not understood is kept and told, and hides nothing else."""

from __future__ import annotations

import pytest

from anyurl.schemes.kit.unparsed import MAX_UNPARSED_LINES, UnparsedLines


def number(line: bytes) -> int | None:
    return int(line) if line.isdigit() else None


def test_what_is_not_understood_is_kept_and_blank_lines_say_nothing() -> None:
    odd = UnparsedLines()
    assert list(odd.read([b"1", b"", b"x", b"0", b" \t"], number)) == [1, 0]
    assert (odd.count, odd.lines) == (1, [b"x"])
    list(odd.read([b"y"] * 1000, number))
    assert (odd.count, len(odd.lines)) == (1001, MAX_UNPARSED_LINES)


@pytest.mark.parametrize(
    ("lines", "remark"),
    [
        ([b"x\x1b"], r"a line of the menu is not understood; it is: “x\x1b”"),
        (
            [b"\xff" + b"y" * 300, b"x"],
            "2 lines of the menu are not understood; the first is: “\\xff" + "y" * 199 + "...”",
        ),
        ([b"x"] * 1234, "1,234 lines of the menu are not understood; the first is: “x”"),
    ],
)
def test_the_remark(lines: list[bytes], remark: str) -> None:
    odd = UnparsedLines()
    for line in lines:
        odd.add(line)
    assert odd.remark("the menu") == remark
