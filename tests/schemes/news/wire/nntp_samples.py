"""Articles with files in them, made by the rules of yEnc (draft 1.3) and POSIX, not by our own decoders."""

from __future__ import annotations

import zlib

YENC_DATA = bytes(range(256)) * 3


def yenc(data: bytes, line: int = 128) -> bytes:
    """The encoder of the draft, octet by octet."""
    out = bytearray()
    column = 0
    for octet in data:
        code = (octet + 42) % 256
        if code in (0, 10, 13, 61) or (code == 46 and not column):
            out += b"=%c" % ((code + 64) % 256)
            column += 2
        else:
            out.append(code)
            column += 1
        if column >= line:
            out += b"\r\n"
            column = 0
    return bytes(out) if out.endswith(b"\r\n") else bytes(out) + b"\r\n"


def yenc_file(data: bytes, name: bytes = b"all.bin") -> bytes:
    """A whole file in one article."""
    return b"=ybegin line=128 size=%d name=%s\r\n%s=yend size=%d crc32=%08x\r\n" % (
        len(data), name, yenc(data), len(data), zlib.crc32(data),
    )  # fmt: skip


YENC_ARTICLE = b"Subject: a file\r\nMessage-ID: <yenc@test.example>\r\n\r\nHere it is:\r\n" + yenc_file(YENC_DATA)
UU_ARTICLE = (
    b"Subject: another file\r\nMessage-ID: <uu@test.example>\r\n\r\nThe example of POSIX:\r\n"
    b"begin 644 cat.txt\r\n#0V%T\r\n`\r\nend\r\n"
)
