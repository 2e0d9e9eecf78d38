"""What the formats that escape by a backslash have in common: they read alike, wherever the text is cut."""

from __future__ import annotations

import io

from anyurl.text import find
from tests.rows import each_row

TEXTS = {
    "json": rb'{"a": "http:\/\/h/a\u0062c", "b": "\x http://h/d ' + b"\\",
    "man": rb"\fBhttp://h/abc\&\fR and \q http://h/d " + b"\\",
    "latex": rb"\url{http://h/a\string_c} \q \\ http://h/d " + b"\\",
}


@each_row("format", TEXTS)
@each_row("step", [1, 2, 3, 5, 1000])
def test_it_reads_alike_wherever_the_text_is_cut(format: str, step: int) -> None:
    class Slow(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            return super().read(step)

    found = [str(item) for item in find(Slow(TEXTS[format]), format=format)]
    assert found == ["http://h/a_c" if format == "latex" else "http://h/abc", "http://h/d"]
