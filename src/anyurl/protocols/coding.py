"""Content codings undone piece by piece: gzip, deflate (RFC 9110 8.4).

Rules. A body that ends before its coding does is truncated, whatever the length said. No more than asked for is decoded at
a time, so that a bomb costs what the reader reads; one that grows beyond all reason is refused.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from anyurl.errors import LimitError, RemoteProtocolError, Truncated

MAX_CODINGS = 5
"""Codings on top of each other: curl's MAX_ENCODE_STACK."""

_GZIP_OR_ZLIB = 47
_RAW_DEFLATE = -15


class _Layer:
    """One coding: zlib's window bits 47 recognise gzip and zlib by their head."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._inflate = zlib.decompressobj(_GZIP_OR_ZLIB)
        self._rest = b""
        self._begun = False

    def decode(self, data: bytes, at_most: int) -> bytes:
        """Decode at most so many octets; the coded rest is remembered."""
        data = self._rest + data
        try:
            decoded = self._inflate.decompress(data, at_most)
        except zlib.error as error:
            if self.name != "deflate" or self._begun:
                raise RemoteProtocolError(f"The body is said to be {self.name}-coded, and is not ({error}).") from error
            # Some servers send deflate without zlib's head; every browser takes it.
            self._inflate = zlib.decompressobj(_RAW_DEFLATE)
            try:
                decoded = self._inflate.decompress(data, at_most)
            except zlib.error as again:
                raise RemoteProtocolError(f"The body is said to be deflate-coded, and is not ({again}).") from again
        self._begun = self._begun or bool(data)
        self._rest = self._inflate.unconsumed_tail
        if self._inflate.eof and self._inflate.unused_data and self.name == "gzip":
            # RFC 1952 2.2: a gzip file may have several members.
            self._rest, self._inflate = self._inflate.unused_data, zlib.decompressobj(_GZIP_OR_ZLIB)
            if self._rest.strip(b"\0") == b"":
                self._rest, self._inflate = b"", _ended()
        return decoded

    @property
    def has_rest(self) -> bool:
        """Whether there is coded input that is not decoded yet."""
        return bool(self._rest)

    @property
    def is_whole(self) -> bool:
        """Whether the coding's end mark was seen (an empty body has none and needs none)."""
        return self._inflate.eof or not self._begun


def _ended() -> zlib._Decompress:
    inflate = zlib.decompressobj(_RAW_DEFLATE)
    inflate.decompress(b"\x03\x00")
    return inflate


class ContentDecoder:
    """Undoes the codings of one body.

    Args:
        codings: Names as in Content-Encoding, in the order they were applied.
        max_ratio: Decoded octets allowed for each coded one: text shrinks 3 to 20 times, deflate's bombs 1,030 times.
        free: Decoded octets before the ratio counts: a file of zeros is no attack while it is small.

    Raises:
        RemoteProtocolError: A coding that nobody asked for.
        LimitError: More codings than ``MAX_CODINGS``.
    """

    def __init__(self, codings: Sequence[str], *, max_ratio: int, free: int) -> None:
        names = [name.strip().lower() for name in codings]
        names = [name.removeprefix("x-") for name in names if name not in ("", "identity")]
        if len(names) > MAX_CODINGS:
            text = f"The body has {len(names)} content codings on top of each other: at most {MAX_CODINGS} are undone."
            raise LimitError(text, limit="MAX_CODINGS")
        for name in names:
            if name not in ("gzip", "deflate"):
                raise RemoteProtocolError(f"The body is {name!r}-coded, though gzip or deflate was asked for.")
        self._layers = [_Layer(name) for name in reversed(names)]
        self._max_ratio = max_ratio
        self._free = free
        self._coded = 0
        self._decoded = 0

    def __bool__(self) -> bool:
        return bool(self._layers)

    @property
    def has_rest(self) -> bool:
        """Whether `decode` would give more without new input."""
        return any(layer.has_rest for layer in self._layers)

    def decode(self, data: bytes, at_most: int) -> bytes:
        """Decode at most so many octets; call again with ``b""`` while `has_rest`."""
        self._coded += len(data)
        for layer in self._layers:
            data = layer.decode(data, at_most)
        self._decoded += len(data)
        if self._decoded > self._free and self._decoded > self._max_ratio * self._coded:
            text = f"The body grows more than {self._max_ratio} times when decoded, and is over {self._free:,} octets: a bomb."
            raise LimitError(text, limit="decoded_ratio")
        return data

    def finish(self) -> None:
        """The input has ended.

        Raises:
            Truncated: The coding has not.
        """
        for layer in self._layers:
            if not layer.is_whole or layer.has_rest:
                text = (
                    f"The {layer.name}-coded body ends before its coding does: {self._decoded:,} octets were decoded."
                )
                raise Truncated(text, received=self._decoded)
