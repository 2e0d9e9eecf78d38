"""Incremental decoding of content codings: gzip, deflate, and if installed br and zstd (RFC 9110 8.4).

Rules. A body that ends before its coding does is truncated, whatever its length says. Only as much as requested is
decoded at a time, so that a bomb costs no more than the reader reads; one that grows too much is refused.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Protocol

from anyurl.dialogue.http import CODINGS
from anyurl.errors import LimitError, PeerText, RemoteProtocolError, Truncated
from anyurl.errors.reasons import reason_of

MAX_CODINGS = 5
"""Codings on top of each other: curl's MAX_ENCODE_STACK."""

SLICE = 4096
"""Octets of input at a time after the first member of a gzip file: zlib copies the rest after a member."""

MAX_BARREN = 8 * 1024 * 1024
"""Most coded octets in a row without any output: empty members and padding could continue forever."""

_GZIP_OR_ZLIB = 47
_RAW_DEFLATE = -15
_GZIP_MARK = b"\x1f\x8b"


class _Layer:
    """gzip or deflate: with window bits 47 zlib recognises gzip and zlib by their headers."""

    def __init__(self, name: str) -> None:
        self.name: str = name
        self._inflate = zlib.decompressobj(_GZIP_OR_ZLIB)
        self._rest = memoryview(b"")
        self._begun = False
        self._full = False  # output stopped at the limit: zlib may have more without new input
        self._members = 0  # complete members of a gzip file
        self._over = False  # nothing more is decoded

    def decode(self, data: bytes, at_most: int) -> bytes:
        """Decode at most `at_most` octets; the remaining input is kept."""
        if data:
            self._rest = memoryview(bytes(self._rest) + data) if self._rest else memoryview(data)
            if not self._begun and self.name == "deflate" and not self._begin_deflate():
                return b""
        if self._members and self._inflate is _ENDED and not self._begin_member():
            return b""
        size = SLICE if self._members else len(self._rest)
        piece, rest = self._rest[:size], self._rest[size:]
        decoded = self._inflate_piece(piece, at_most)
        self._begun = self._begun or bool(piece)
        self._full = len(decoded) == at_most and not self._inflate.eof
        left = self._inflate.unused_data if self._inflate.eof else self._inflate.unconsumed_tail
        self._rest = self._rest[size - len(left) :] if len(rest) else memoryview(left)
        if self._inflate.eof:
            self._members += 1
            self._inflate = _ENDED
            if self.name != "gzip":
                self._end()
        return decoded

    def _inflate_piece(self, piece: memoryview, at_most: int) -> bytes:
        try:
            return self._inflate.decompress(piece, at_most)
        except zlib.error as error:
            text = f"The body is declared to be {self.name}-coded, but is not: {reason_of(error)}."
            raise RemoteProtocolError(text) from error

    def _begin_deflate(self) -> bool:
        """Some servers send deflate without the zlib header (RFC 1950 2.2); every browser accepts that."""
        if len(self._rest) < 2:
            return False
        if self._rest[0] & 0x0F != 8 or (self._rest[0] << 8 | self._rest[1]) % 31:
            self._inflate = zlib.decompressobj(_RAW_DEFLATE)
        return True

    def _begin_member(self) -> bool:
        """RFC 1952 2.2: a gzip file may have several members. Anything else after one is padding, as in gzip(1)."""
        begins = bytes(self._rest[:2])
        if self._over or not _GZIP_MARK.startswith(begins):
            self._end()
            return False
        if len(begins) < len(_GZIP_MARK):
            self._full = False
            return False
        self._inflate = zlib.decompressobj(_GZIP_OR_ZLIB)
        return True

    def _end(self) -> None:
        self._over, self._full, self._rest = True, False, memoryview(b"")

    @property
    def has_rest(self) -> bool:
        """Whether `decode` can continue without new input."""
        waits_for_mark = len(self._rest) < 2 and (self._inflate is _ENDED or not self._begun)
        return self._full or (bool(self._rest) and not waits_for_mark)

    @property
    def is_whole(self) -> bool:
        """Whether the end of the coding was seen (an empty body needs none)."""
        return self._inflate is _ENDED or not (self._begun or self._rest)


_ENDED = zlib.decompressobj(_RAW_DEFLATE)
_ENDED.decompress(b"\x03\x00")


class Layer(Protocol):
    """The decoder of one coding."""

    name: str

    def decode(self, data: bytes, at_most: int) -> bytes:
        """Decode at most `at_most` octets."""
        ...

    @property
    def has_rest(self) -> bool:
        """Whether more would come out without new input."""
        ...

    @property
    def is_whole(self) -> bool:
        """Whether its end was seen."""
        ...


def _layer(name: str) -> Layer:
    if name in ("gzip", "deflate"):
        return _Layer(name)
    from anyurl.net.http import modern_codings

    if name not in modern_codings.known():
        asked = " or ".join(("gzip", "deflate", *modern_codings.known()))
        raise RemoteProtocolError(
            f"The body has the coding {PeerText(name)}, but {asked} was requested. With the header field "
            "Accept-Encoding: identity it is taken as it is sent."
        )
    return modern_codings.BrotliLayer() if name == "br" else modern_codings.ZstdLayer()


class ContentDecoder:
    """Decodes the codings of one body.

    Args:
        codings: Names as in Content-Encoding, in the order they were applied.
        max_ratio: Decoded octets allowed for each coded one: text shrinks 3 to 20 times, a deflate bomb 1,030 times.
        free: Decoded octets before the ratio counts: a small file of zeros is not an attack.

    Raises:
        RemoteProtocolError: A coding that was not requested.
        LimitError: More codings than ``MAX_CODINGS``.
    """

    def __init__(self, codings: Sequence[str], *, max_ratio: int, free: int) -> None:
        names = [name.strip().lower() for name in codings]
        names = [name.removeprefix("x-") for name in names if name in CODINGS]
        if len(names) > MAX_CODINGS:
            text = f"The body has {len(names)} content codings on top of each other: at most {MAX_CODINGS} are undone."
            raise LimitError(text, limit="MAX_CODINGS")
        self._layers = [_layer(name) for name in reversed(names)]
        self._max_ratio = max_ratio
        self._free = free
        self._coded = 0
        self._decoded = 0
        self._barren = 0

    def __bool__(self) -> bool:
        return bool(self._layers)

    @property
    def has_rest(self) -> bool:
        """Whether `decode` would return more without new input."""
        return any(layer.has_rest for layer in self._layers)

    def decode(self, data: bytes, at_most: int) -> bytes:
        """Decode at most `at_most` octets; call again with ``b""`` while `has_rest`."""
        self._coded += len(data)
        self._barren += len(data)
        # The last layer that still has output goes first: otherwise decoded data piles up before it.
        layers = self._layers
        first = next((index for index in range(len(layers) - 1, 0, -1) if layers[index].has_rest), 0)
        for layer in layers[first:]:
            data = layer.decode(data, at_most)
        self._decoded += len(data)
        if data:
            self._barren = 0
        elif self._barren > MAX_BARREN:
            raise LimitError(
                f"More than {MAX_BARREN:,} coded octets of the body decode to nothing: the limit allows no more.",
                limit="MAX_BARREN",
            )
        if self._decoded > self._free and self._decoded > self._max_ratio * self._coded:
            raise LimitError(
                f"The body grows more than {self._max_ratio} times when decoded, and is over {self._free:,} octets: "
                "it may be a bomb.",
                limit="decoded_ratio",
            )
        return data

    def finish(self) -> None:
        """The input has ended.

        Raises:
            Truncated: The coding is incomplete.
        """
        for layer in self._layers:
            if not layer.is_whole or layer.has_rest:
                text = (
                    f"The {layer.name}-coded body ends before its coding does: {self._decoded:,} octets were decoded."
                )
                raise Truncated(text, received=self._decoded)
