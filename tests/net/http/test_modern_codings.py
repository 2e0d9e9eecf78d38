"""br and zstd are undone as gzip is: bounded, in whatever pieces they come, and checked to their end."""

from __future__ import annotations

import gzip
import random

import brotli
import pytest

from anyurl import Client
from anyurl.errors import AnyURLError, LimitError, RemoteProtocolError, Truncated
from anyurl.net.http import modern_codings
from anyurl.net.http.coding import ContentDecoder
from anyurl.net.http.request_lines import codings
from tests.client.test_requests import serving
from tests.rows import each_row
from tests.servers import reply

ZSTD = modern_codings._zstd()
TEXT = b"".join(b"%d one line of many\n" % number for number in range(20_000))
NOISE = random.Random(7).randbytes(200_000)
CODED = {
    "br": brotli.compress(TEXT, quality=4),
    "zstd": ZSTD.compress(TEXT),
    "zstd twice": ZSTD.compress(TEXT[:1000]) + ZSTD.compress(TEXT[1000:]),
    "zstd with a frame to skip": b"\x52\x2a\x4d\x18\x03\0\0\0abc" + ZSTD.compress(TEXT),
    "gzip, br": brotli.compress(gzip.compress(TEXT), quality=4),
    "zstd, br": brotli.compress(ZSTD.compress(TEXT), quality=4),
    "br, zstd": ZSTD.compress(brotli.compress(TEXT, quality=4)),
}


def names(label: str) -> list[str]:
    return label.partition(" ")[0].split() if "," not in label else label.split(",")


def undo(decoder: ContentDecoder, data: bytes, size: int, at_most: int) -> bytes:
    out = b""
    for start in range(0, len(data), size):
        piece = decoder.decode(data[start : start + size], at_most)
        assert len(piece) <= at_most
        out += piece
        while decoder.has_rest:
            piece = decoder.decode(b"", at_most)
            assert len(piece) <= at_most
            out += piece
    decoder.finish()
    return out


def new(label: str, ratio: int = 10_000) -> ContentDecoder:
    return ContentDecoder(names(label), max_ratio=ratio, free=1_000_000)


@each_row("label", CODED)
@each_row(("size", "at_most"), [(10**9, 10**9), (10**9, 1000), (997, 4096), (7, 100_000)])
def test_what_is_whole_is_decoded_whatever_its_pieces(label: str, size: int, at_most: int) -> None:
    assert undo(new(label), CODED[label], size, at_most) == TEXT


@pytest.mark.parametrize("label", ["br", "zstd"])
@pytest.mark.parametrize("at_most", [32_752, 98_272, 131_072])
def test_what_fills_the_limit_to_the_octet_may_have_more_behind_it(label: str, at_most: int) -> None:
    """These are the sizes of the buffers of the libraries, which come out whole."""
    text = b"0123456789" * 50_000
    coded = brotli.compress(text) if label == "br" else ZSTD.compress(text)
    assert undo(new(label), coded, 10**9, at_most) == text


@pytest.mark.parametrize("name", ["br", "zstd"])
def test_noise_and_nothing(name: str) -> None:
    data = brotli.compress(NOISE, quality=1) if name == "br" else ZSTD.compress(NOISE)
    assert undo(new(name), data, 5000, 3000) == NOISE
    empty = brotli.compress(b"") if name == "br" else ZSTD.compress(b"")
    assert undo(new(name), empty, 1, 100) == b""
    new(name).finish()  # an empty body has no coding and needs none


@each_row("label", CODED)
@each_row("missing", [1, 2, 100])
def test_one_that_ends_too_early_is_truncated(label: str, missing: int) -> None:
    with pytest.raises(Truncated, match="ends before its coding does"):
        undo(new(label), CODED[label][:-missing], 1000, 100_000)


@pytest.mark.parametrize("label", CODED)
def test_one_that_ends_too_early_is_truncated_though_it_was_asked_for_more(label: str) -> None:
    decoder = new(label)
    decoder.decode(CODED[label][:-1], 10**9)
    decoder.decode(b"", 10**9)
    with pytest.raises(Truncated, match="ends before its coding does"):
        decoder.finish()


@pytest.mark.parametrize("name", ["br", "zstd"])
@pytest.mark.parametrize("data", [b"\xff" * 100, b"no such coding" * 10, b"\x28\xb5\x2f\xfd" + b"\xff" * 50])
def test_one_that_is_none_is_an_error_of_the_tree(name: str, data: bytes) -> None:
    with pytest.raises((RemoteProtocolError, Truncated)):
        undo(new(name), data, 1000, 100_000)


def test_what_stands_behind_its_end_is_no_content() -> None:
    for label, data in (
        ("zstd", CODED["zstd"] + b"trailing"), ("zstd", CODED["zstd"] + b"tr"), ("br", CODED["br"] + b"trailing"),
    ):  # fmt: skip
        try:
            assert undo(new(label), data, 1000, 100_000) == TEXT
        except AnyURLError as error:
            assert isinstance(error, RemoteProtocolError)


@pytest.mark.parametrize("name", ["br", "zstd"])
def test_a_bomb_is_refused(name: str) -> None:
    zeros = bytes(50_000_000)
    data = brotli.compress(zeros, quality=3) if name == "br" else ZSTD.compress(zeros)
    assert len(data) < 20_000
    with pytest.raises(LimitError, match="a bomb"):
        undo(new(name, ratio=200), data, 1000, 65536)


def test_a_frame_that_wants_a_large_window_is_refused() -> None:
    """Attack: a frame of some octets that has its reader set up 128 MiB."""
    parameters = {ZSTD.CompressionParameter.window_log: 27, ZSTD.CompressionParameter.checksum_flag: 0}
    coder = ZSTD.ZstdCompressor(options=parameters)
    data = coder.compress(TEXT) + coder.flush()
    with pytest.raises(RemoteProtocolError):
        undo(new("zstd"), data, 10**6, 10**6)


@pytest.mark.parametrize("name", ["br", "zstd"])
def test_a_client_asks_for_them_and_reads_them(name: str) -> None:
    data = CODED[name]
    with serving(lambda *_: reply(data, f"Content-Encoding: {name}")) as (url, said), Client() as client:
        assert client.get(url).read() == TEXT
        resource = client.get(url)
        assert resource.read(100) == TEXT[:100]
        resource.close()
        assert client.get(f"{url}/x.tar.zst").read() == data, "what is packed already comes as it is"
        assert client.stat(f"{url}/x").size is None
    accepted = [fields[b"accept-encoding"] for _, fields, _ in said]
    assert accepted == [b"gzip, deflate, br, zstd", b"gzip, deflate, br, zstd", b"identity", b"identity"]
    assert codings() == "gzip, deflate, br, zstd"


def test_a_packed_file_is_what_the_server_has_whatever_it_calls_it() -> None:
    """Servers call x.tar.gz gzip-coded (Apache's AddEncoding): undone it would be another file."""
    packed = gzip.compress(TEXT)
    head = ["Content-Encoding: x-gzip", "Content-Type: application/x-tar"]
    with serving(lambda *_: reply(packed, *head)) as (url, _), Client() as client:
        resource = client.get(f"{url}/x.tar.gz")
        assert (resource.size, resource.read()) == (len(packed), packed)
        assert client.stat(f"{url}/x.TGZ").size == len(packed)
        assert client.get(f"{url}/x.tar").read() == TEXT, "who asks for the tar gets the tar"
        assert client.get(f"{url}/x").read() == packed
        assert client.get(f"{url}/x.gz", headers={"X-A": "b"}).read() == packed


def test_where_no_library_is_they_are_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(modern_codings.PathFinder, "find_spec", lambda *_: None)
    assert modern_codings.known.__wrapped__() == ()
