"""The search of the kernel: its tables, its rows, and that the largest of its numbers hold."""

from __future__ import annotations

from array import array

from anyurl.text.scan import characters, rows
from anyurl.text.scan.scan import Scanner
from tests.rows import each_row


def scanned(data: bytes, flags: int = 0, final: bool = True) -> tuple[list[list[int]], int, bool]:
    """The rows of a buffer, where the scanner goes on, and whether a candidate waits there."""
    out = memoryview(array("q", bytes(8 * rows.COLUMNS * rows.MAX_ROWS)))
    scanner = Scanner({b"http": 0, b"mailto": rows.SHAPE_ADDRESS}, out, flags)
    scanner.load(data, 0, len(data), len(data), final)
    count = scanner.scan(0)
    written = [out[row * rows.COLUMNS : (row + 1) * rows.COLUMNS].tolist() for row in range(count)]
    return written, *scanner.tell()


@each_row("code", [code for first, end, _ in characters.RANGES for code in (first - 1, first, end, end + 1)])
def test_the_kernel_reads_the_table_as_it_is(code: int) -> None:
    """A character beyond ASCII in a path: it ends the URL, or is the last of it, or belongs to it, or is not seen."""
    if not 0x80 <= code <= 0x10FFFF:
        return
    char = chr(code).encode("utf-8", "surrogatepass")
    (row,), _, _ = scanned(b"http://h/a" + char + b"b ")
    kind = characters.kind(code)
    surrogate = 0xD800 <= code <= 0xDFFF
    joins = char in characters.JOINERS
    assert row[rows.END] == (10 if (kind == characters.STOP or surrogate) and not joins else 11 + len(char))
    assert row[rows.KIND] == (rows.JOINED if joins else rows.SHORTER if kind == characters.PARTICLE else 0)
    cut = 10 if kind in (characters.UNSPACED, characters.PARTICLE) or joins else -1
    assert row[rows.CUT] == cut
    (row,), _, _ = scanned(b"http://h/a" + char + b" ")
    assert row[rows.END] == (10 if kind in (characters.STOP, characters.LAST) or surrogate else 10 + len(char))


def test_a_row_has_its_columns() -> None:
    found, resume, waits = scanned(b"x <http://h/#a> [t](http://i/) http://j/\xe3\x81\x82")
    assert found == [
        [3, 14, 7, 12, 0, rows.ANGLE, -1],
        [20, 29, 24, -1, 0, rows.MARKDOWN, -1],
        [31, 43, 35, -1, 0, rows.BARE, -1],
    ]
    assert (resume, waits) == (43, False)


def test_a_candidate_at_the_end_waits_for_more() -> None:
    assert scanned(b"see http://h/a", final=False) == ([], 8, True)
    assert scanned(b"see http://h/a ", final=False) == ([[4, 14, 8, -1, 0, 0, -1]], 15, False)
    assert scanned(b"see <URL:http://h/a", final=False) == ([], 8, True)
    assert scanned(b"see http", final=False) == ([], 8, False)


def test_a_call_writes_no_more_rows_than_there_is_room() -> None:
    data = b"http://h/ " * (rows.MAX_ROWS + 1)
    found, resume, _ = scanned(data)
    assert len(found) == rows.MAX_ROWS
    assert resume == rows.MAX_ROWS * 10 - 1


@each_row("data", [b"\xc3", b"\xe3\x81", b"\xf0\x9f\x98", b"\xff", b"\x80", b"\xc0\xaf", b"\xe0\x80\xaf", b"\xf8"])
def test_what_is_no_utf_8_ends_a_url(data: bytes) -> None:
    (row,), _, _ = scanned(b"http://h/a" + data)
    assert row[rows.END] == 10
