"""Codings of mail: line by line, with the place of each character."""

from __future__ import annotations

import base64

import pytest

from anyurl.text.readers.transfer import TransferDecoder, encoded_words
from anyurl.text.runs import Runs
from tests.rows import each_row


def written(coding: bytes, lines: list[bytes], **parameters: bytes) -> tuple[bytes, list[tuple[int, int]]]:
    """What comes out of the lines of a body, and where each of its octets stands."""
    runs, data = Runs(), b"".join(lines)
    transfer = TransferDecoder(coding, {name.encode(): value for name, value in parameters.items()})
    at = 0
    for line in lines:
        transfer.line(data, at, at + len(line), runs)
        at += len(line)
    transfer.end(runs)
    text = b"".join(text for text, _ in runs.take())
    return text, [runs.span(place, place + 1)[:2] for place in range(len(text))]


@each_row(
    ("coding", "lines", "parameters", "text"),
    [
        (b"7bit", [b"a\n", b"b\n"], {}, b"a\nb\n"),
        (b"quoted-printable", [b"a=3Db=\n", b"=C3=A9=zz\n"], {}, "a=bé=zz\n".encode()),
        (b"quoted-printable", [b"=E9= \r\n", b"x"], {"charset": b"latin-1"}, "éx".encode()),
        (b"base64", [base64.b64encode(b"abcd")[:3] + b"\n", base64.b64encode(b"abcd")[3:]], {}, b"abcd"),
        (b"base64", [b"Y Q = =\n"], {}, b"a"),
        (b"base64", [b"YW\n", b"JjYQ\n"], {}, b"abca"),  # without the padding, as email reads it
        (b"base64", [b"YWI"], {"charset": b"latin-1"}, b"ab"),
        (b"base64", [b"YWJjY\n"], {}, b"abc"),
        (b"base64", [b"4pyT\n"], {"charset": b"utf-8"}, "✓".encode()),
        (b"base64", [base64.b64encode("é日".encode("utf-16-be"))], {"charset": b"utf-16-be"}, "é日".encode()),
        (b"8bit", [b"616\n"], {"charset": b"hex"}, b"616\n"),  # codecs of Python that are no character sets
        (b"8bit", [b"abc\n"], {"charset": b"rot13"}, b"abc\n"),
        (b"8bit", [b"\x1b$BF|\x1b(B x\n"], {"charset": b"iso-2022-jp"}, "日 x\n".encode()),
        (b"8bit", [b"\x93\xfa\\x"], {"charset": b"shift_jis"}, "日\\x".encode()),
        (b"8bit", [b"\xe9"], {"charset": b"klingon"}, b"\xe9"),
        (b"8bit", [b"\xe9"], {"charset": b"base64"}, b"\xe9"),
        (b"8bit", [b"> a \n", b"> b\n"], {"format": b"flowed", "delsp": b"yes"}, b"> ab\n"),
        (b"8bit", [b"a \n", b"b\n"], {"format": b"flowed"}, b"a \nb\n"),
    ],
)
def test_what_comes_out(coding: bytes, lines: list[bytes], parameters: dict[str, bytes], text: bytes) -> None:
    out, places = written(coding, lines, **parameters)
    assert out == text
    assert all(0 <= start < stop <= sum(map(len, lines)) for start, stop in places)
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("field", "text"),
    [
        (b"A: =?utf-8?q?a_b=C3=A9?= c", "A: a bé c"),
        (b"A: =?utf-8?b?YQ==?=\n =?utf-8*en?q?b?= c", "A: ab c"),
        (b"A: =?utf-8?b?aHR0cDovL2gvYQ?= c", "A: http://h/a c"),
        (b"A: =?latin-1?Q?=E9?= =?x", "A: é =?x"),
        (b"A: =?utf-8?q?a b?=", "A: =?utf-8?q?a b?="),
    ],
)
def test_encoded_words(field: bytes, text: str) -> None:
    runs = Runs()
    encoded_words(field, 0, len(field), runs)
    assert b"".join(part for part, _ in runs.take()).decode() == text
