"""The rules of blocks are tried in tests/schemes/news/wire/test_commands.py; here is that any protocol has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anyurl.schemes.dict.wire import commands as dict_commands
from anyurl.schemes.kit.blocks import BlockReader
from anyurl.testing import ProtocolContract


class TestBlocks(ProtocolContract):
    cases = (
        (b"152 1 m\r\na\r\n..b\r\n.\r\n250 ok\r\n", b""),
        (b"152 0 m\n.\n250 ok\n", b""),
        (b"152 1 m\r\nbare\n.\nlines\r\n.\r\n250 ok\r\n", b"22"),
    )

    def read(self, pieces: Sequence[bytes]) -> Any:
        reader = BlockReader(dict_commands.REPLIES)
        found: list[Any] = []
        text = b""
        for piece in pieces:
            reader.feed(piece)
            while True:
                if not reader.ended:
                    text += reader.block()
                    if not reader.ended:
                        break
                    found.append(text)
                    text = b""
                reply = reader.next_reply()
                if reply is None:
                    break
                found.append(reply)
                if reply.code == dict_commands.MATCHES:
                    reader.begin_block(reply)
        return found
