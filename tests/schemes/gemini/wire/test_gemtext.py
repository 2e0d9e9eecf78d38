from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from anyurl.errors import LimitError
from anyurl.schemes.gemini.wire.gemtext import MAX_LINE_BYTES, GemtextReader
from anyurl.testing import ProtocolContract

PAGE = b"\n".join((
    b"# => no link", b"=> gemini://example.org/", b"=>gemini://example.org/ An example link\r",
    b"=> /foo\t\tAnother example link at the same host  ", b"=>   foo/bar/baz.txt   A relative link",
    b" => not at the beginning", b"=>", b"=> ", b"```", b"=> verbatim", b"``` a word", b"* => an item",
    b"=> last => one",
))  # fmt: skip
"""The examples of the specification, and lines that are none."""


class TestLinks(ProtocolContract):
    cases = ((PAGE, b""),)

    def read(self, pieces: Sequence[bytes]) -> Any:
        reader = GemtextReader()
        return [link for piece in pieces for link in reader.feed(piece)] + reader.finish()


def test_the_links_of_a_page() -> None:
    reader = GemtextReader()
    assert reader.feed(PAGE) + reader.finish() == [
        (b"gemini://example.org/", b""), (b"gemini://example.org/", b"An example link"),
        (b"/foo", b"Another example link at the same host"), (b"foo/bar/baz.txt", b"A relative link"),
        (b"last", b"=> one"),
    ]  # fmt: skip


def test_a_line_without_an_end_has_a_limit() -> None:
    with pytest.raises(LimitError):
        GemtextReader().feed(b"x" * (MAX_LINE_BYTES + 2))


def test_a_byte_order_mark_hides_no_link() -> None:
    reader = GemtextReader()
    assert reader.feed(b"\xef\xbb\xbf=> a A\r\n\xef\xbb\xbf=> b\r\n") + reader.finish() == [(b"a", b"A")]
