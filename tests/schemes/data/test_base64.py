from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.schemes.data.parts import decode_base64, encode_base64
from tests.rows import each_row


@given(st.binary(max_size=200))
def test_what_is_written_is_read_and_is_what_others_write(data: bytes) -> None:
    text = encode_base64(data)
    assert text.encode() == base64.b64encode(data)
    assert decode_base64(text.encode()) == data
    assert decode_base64(text.rstrip("=").encode()) == data


@each_row(
    ("text", "data"),
    [
        # Those that browsers take (WPT fetch/data-urls/resources/base64.json).
        (b"", b""), (b"abcd", b"i\xb7\x1d"), (b" abcd", b"i\xb7\x1d"), (b"abcd ", b"i\xb7\x1d"), (b"ab", b"i"),
        (b"abc", b"i\xb7"), (b"ab==", b"i"), (b"a b", b"i"), (b"ab\tcd", b"i\xb7\x1d"), (b"ab\ncd", b"i\xb7\x1d"),
        (b"ab\fcd", b"i\xb7\x1d"), (b"ab\rcd", b"i\xb7\x1d"), (b"ab\t\n\f\r =\t\n\f\r =\t\n\f\r ", b"i"),
        (b"/A", b"\xfc"), (b"//A", b"\xff\xf0"), (b"+/+/", b"\xfb\xff\xbf"), (b"AAZ=", b"\0\x06"),
    ],
)  # fmt: skip
def test_white_space_and_missing_padding_are_read_as_browsers_do(text: bytes, data: bytes) -> None:
    assert decode_base64(text) == data


@each_row(
    "text",
    [
        # Those that browsers refuse, of the same list, and the other alphabet of RFC 4648 5.
        b"abcde", b"abcde===", b"ab=", b"abc==", b"abcd=", b"abcd==", b"abcd===", b"=", b"==", b"===", b"====", b"a",
        b"a=", b"a==", b"a===", b"=a", b"==a", b"a=b", b"ab=c", b"ab=cd", b"ab===", b"ab====", b":", b"!", b"~~",
        b"ab\x0bcd", b"ab\xc2\xa0cd", b"ab\0cd", b"_-_-", b"A", b"/", b"abcd\xff",
    ],
)  # fmt: skip
def test_what_is_no_base64_is_not_guessed_at(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"characters outside its alphabet|its length is impossible"):
        decode_base64(text)
