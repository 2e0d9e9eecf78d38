"""What the search of the kernel finds in a text: the door to the classes that it is made of."""

from __future__ import annotations

from array import array

from anyurl.text.scan import rows
from anyurl.text.scan.scan import Scanner

NAMES = {
    b"http": rows.SHAPE_AUTHORITY, b"https": rows.SHAPE_AUTHORITY, b"ftp": rows.SHAPE_AUTHORITY,
    b"file": rows.SHAPE_AUTHORITY, b"mailto": rows.SHAPE_ADDRESS,
}  # fmt: skip


def read(text: str | bytes, flags: int = 0, final: bool = True) -> list[tuple[str, int, int, str | None]]:
    """Each candidate with its kind, its context, and the shorter reading of it if there is one."""
    data = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    out = memoryview(array("q", bytes(8 * rows.COLUMNS * rows.MAX_ROWS)))
    scanner = Scanner(NAMES, out, flags)
    scanner.load(data, 0, len(data), len(data), final)
    found = []
    for row in range(scanner.scan(0)):
        one = out[row * rows.COLUMNS : (row + 1) * rows.COLUMNS].tolist()
        start, end, cut = one[rows.START], one[rows.END], one[rows.CUT]
        shorter = None if cut < 0 else data[start:cut].decode("utf-8", "surrogateescape")
        raw = data[start:end].decode("utf-8", "surrogateescape")
        found.append((raw, one[rows.KIND], one[rows.CONTEXT], shorter))
    return found


def raws(text: str | bytes, flags: int = 0) -> list[str]:
    """The candidates alone."""
    return [one[0] for one in read(text, flags)]
