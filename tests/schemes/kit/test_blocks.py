"""The rules of blocks are tried in tests/schemes/news/wire/test_commands.py; here is that any protocol has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anyurl.testing import ProtocolContract
from fuzz.targets.dict_reply import read_all


class TestBlocks(ProtocolContract):
    cases = (
        (b"152 1 m\r\na\r\n..b\r\n.\r\n250 ok\r\n", b""),
        (b"152 0 m\n.\n250 ok\n", b""),
        (b"152 1 m\r\nbare\n.\nlines\r\n.\r\n250 ok\r\n", b"22"),
    )

    def read(self, pieces: Sequence[bytes]) -> Any:
        return read_all(pieces)
