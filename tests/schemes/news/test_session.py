"""What a session with a news server takes for an answer, where its stream is compressed (RFC 8054)."""

from __future__ import annotations

import random
import zlib

from anyurl.dialogue import Options, Steps
from anyurl.errors import RemoteProtocolError
from anyurl.schemes.news.session import BLOCK_AT_MOST, NewsSession
from anyurl.schemes.news.wire.deflate import Deflate
from anyurl.url import URL
from tests.rows import each_row
from tests.schemes.kit.test_line_session import Drive


def block_of(size: int) -> bytes:
    """A reply and its block, so many octets together, that don't compress to nothing."""
    head, end = b"224 lines\r\n", b"\r\n.\r\n"
    letters = random.Random(1).choices(b"abcdefghijklmnopqrstuvwxyz", k=size - len(head) - len(end))
    return head + bytes(letters) + end


def read_block(session: NewsSession) -> Steps[int]:
    yield from session.connect()
    session._deflate = Deflate()
    session._greeted = True
    session.begin_block((yield from session.exchange(b"OVER 1-9\r\n")))
    size = 0
    while data := (yield from session.octets()):
        size += len(data)
    return size


@each_row("size", [1000, BLOCK_AT_MOST, 2 * BLOCK_AT_MOST, 2 * BLOCK_AT_MOST + 5])
@each_row("extra", [b"", b"223 1 <stale@h>\r\n"], ids=["nothing", "a stale reply"])
def test_what_stands_behind_a_compressed_block_is_seen_wherever_it_is_cut(size: int, extra: bytes) -> None:
    """Found by reading: behind a block that filled the decoder exactly, the next command would have taken it."""
    packer = zlib.compressobj(wbits=-15)
    data = packer.compress(block_of(size) + extra) + packer.flush(zlib.Z_SYNC_FLUSH)
    session = NewsSession(URL("nntp://h/a.b"), Options())
    drive = Drive(read_block(session), [data], clock=[0.0] * 10)
    if extra:
        assert type(drive.error) is RemoteProtocolError
        assert "sent extra data" in str(drive.error)
    else:
        assert (drive.error, drive.result) == (None, size - len(b"224 lines\r\n.\r\n"))
