"""Content codings: whole, in any pieces, cut, padded, nested, and made to burst."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Sequence

import pytest

from anyurl.errors import LimitError, RemoteProtocolError, Truncated
from anyurl.net.http.coding import ContentDecoder
from tests.clocks import takes_less
from tests.rows import each_row

TEXT = b"".join(b"line %d\n" % number for number in range(2000))
GZIP = gzip.compress(TEXT, mtime=0)
ZLIB = zlib.compress(TEXT)


def raw(data: bytes) -> bytes:
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    return deflate.compress(data) + deflate.flush()


def decode(codings: str, pieces: Sequence[bytes], at_most: int = 1 << 17, *, ratio: int = 1_000_000) -> bytes:
    decoder = ContentDecoder(codings.split(","), max_ratio=ratio, free=1_000_000)
    decoded = b""
    for piece in pieces:
        got = decoder.decode(piece, at_most)
        assert len(got) <= at_most
        decoded += got
        while decoder.has_rest:
            got = decoder.decode(b"", at_most)
            assert len(got) <= at_most
            decoded += got
    decoder.finish()
    return decoded


GOOD = [
    ("gzip", GZIP, TEXT),
    ("x-gzip", GZIP, TEXT),
    (" GZip ", GZIP, TEXT),
    ("identity,gzip,", GZIP, TEXT),
    ("deflate", ZLIB, TEXT),
    ("deflate", raw(TEXT), TEXT),  # without zlib's head, as some servers send it
    ("gzip", GZIP + GZIP, TEXT + TEXT),  # RFC 1952 2.2
    ("gzip", gzip.compress(b"") * 3 + GZIP, TEXT),
    ("gzip", GZIP + bytes(600), TEXT),  # padded to a block, by tar's habit
    ("gzip", GZIP + b"garbage", TEXT),  # as gzip(1) and every browser
    ("gzip", GZIP + b"\x1f", TEXT),
    ("deflate", ZLIB + b"garbage", TEXT),
    ("gzip", b"", b""),
    ("gzip,deflate", zlib.compress(GZIP), TEXT),
    ("deflate,gzip", gzip.compress(raw(TEXT)), TEXT),
    ("gzip,gzip", gzip.compress(gzip.compress(bytes(3_000_000))), bytes(3_000_000)),
]


@each_row(("codings", "coded", "plain"), GOOD, ids=range(len(GOOD)))
def test_what_is_whole_is_decoded_whatever_its_pieces(codings: str, coded: bytes, plain: bytes) -> None:
    assert decode(codings, [coded]) == plain
    assert decode(codings, [coded[at : at + 1] for at in range(len(coded))]) == plain
    if len(plain) < 100_000:
        for at_most in (1, 7, 1000):
            assert decode(codings, [coded], at_most) == plain


@pytest.mark.parametrize(("codings", "coded"), [("gzip", GZIP), ("deflate", ZLIB), ("deflate", raw(TEXT))])
def test_what_is_cut_is_truncated(codings: str, coded: bytes) -> None:
    for length in (1, 2, 5, len(coded) // 2, len(coded) - 8, len(coded) - 1):
        with pytest.raises(Truncated):
            decode(codings, [coded[:length]])


def test_a_second_member_that_is_cut_is_truncated() -> None:
    for length in (2, 5, len(GZIP) - 1):
        with pytest.raises(Truncated) as caught:
            decode("gzip", [GZIP + GZIP[:length]])
        assert caught.value.received >= len(TEXT)


@pytest.mark.parametrize(
    ("codings", "coded"),
    [("gzip", b"plain text"), ("deflate", b"\xff\xff\xff"), ("compress", b""), ("gzip", GZIP[:-8] + bytes(8))],
)
def test_what_is_not_coded_so(codings: str, coded: bytes) -> None:
    with pytest.raises(RemoteProtocolError):
        decode(codings, [coded])


def test_so_many_layers_and_no_more() -> None:
    coded = TEXT
    for _ in range(5):
        coded = gzip.compress(coded)
    assert decode(",".join(["gzip"] * 5), [coded]) == TEXT
    with pytest.raises(LimitError) as caught:
        decode(",".join(["gzip"] * 6), [coded])
    assert caught.value.limit == "MAX_CODINGS"


@pytest.mark.promise("limits")
@pytest.mark.parametrize("layers", [1, 2])
def test_a_bomb_is_refused_early(layers: int) -> None:
    coded = bytes(30_000_000)
    for _ in range(layers):
        coded = gzip.compress(coded, 9)
    with pytest.raises(LimitError) as caught:
        decode(",".join(["gzip"] * layers), [coded], ratio=200)
    assert caught.value.limit == "decoded_ratio"


def test_what_decodes_to_nothing_does_not_go_on_for_ever() -> None:
    for filler in (gzip.compress(b"") * 5000, zlib.compress(b"", 0)[:2] + b"\0\0\0\xff\xff" * 20_000):
        with pytest.raises(LimitError) as caught:
            decode("gzip", [GZIP, *[filler] * 100])
        assert caught.value.limit == "MAX_BARREN"


def test_many_members_cost_what_their_octets_cost() -> None:
    coded = gzip.compress(b"") * 20_000
    assert decode("gzip", [coded]) == b""
    assert takes_less(1, lambda: decode("gzip", [coded]))  # copying the rest for each member took five


@pytest.mark.parametrize("codings", ["utf-8", "none", "aws-chunked", "zip", "8bit"])
def test_a_name_that_is_no_coding_changes_nothing(codings: str) -> None:
    assert decode(codings, [TEXT]) == TEXT
    assert decode(f"{codings},gzip", [GZIP]) == TEXT
