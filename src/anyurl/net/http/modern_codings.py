"""The content codings br (RFC 7932) and zstd (RFC 8878), if a library for them is installed.

Rule: as for gzip: only as much as requested is decoded at a time, and a body that ends before its coding is truncated.
"""

from __future__ import annotations

from functools import cache
from importlib.machinery import PathFinder
from typing import Any

from anyurl.errors import RemoteProtocolError
from anyurl.errors.reasons import reason_of

MAX_WINDOW_LOG = 23
"""8 MiB: the most that RFC 9659 3 allows zstd on the web. Attack: a frame that requires 2 GiB of memory."""

_FRAME = b"\x28\xb5\x2f\xfd"
_SKIPPABLE = frozenset(range(0x50, 0x60))
_SKIPPABLE_REST = b"\x2a\x4d\x18"


@cache
def known() -> tuple[str, ...]:
    """The codings that can be decoded here."""
    names = ("br",) if PathFinder.find_spec("brotli") is not None else ()
    return (*names, "zstd") if _has_zstd() else names


def _has_zstd() -> bool:
    for package in ("compression", "backports"):  # Python 3.14 has its own
        found = PathFinder.find_spec(package)
        folders = None if found is None else found.submodule_search_locations
        if folders is not None and PathFinder.find_spec(f"{package}.zstd", folders) is not None:
            return True
    return False


@cache
def _zstd() -> Any:
    from importlib import import_module

    try:
        return import_module("compression.zstd")
    except ImportError:
        return import_module("backports.zstd")


class BrotliLayer:
    """Incremental decoder of br."""

    name = "br"

    def __init__(self) -> None:
        import brotli

        self._fault: type[Exception] = brotli.error
        self._inner: Any = brotli.Decompressor()
        self._begun = False
        self._over = b""  # output beyond the limit: the library's limit is soft
        self._more = False

    def decode(self, data: bytes, at_most: int) -> bytes:
        """Decode at most `at_most` octets. Raises RemoteProtocolError if the data is not br."""
        self._begun = self._begun or bool(data)
        if not self._over:
            try:
                self._over = self._inner.process(data, output_buffer_limit=at_most)
                # More output may be pending although all input was consumed; the library cannot tell.
                self._more = len(self._over) >= at_most
            except self._fault as error:
                raise _not_so(self.name, reason_of(error)) from error
        given, self._over = self._over[:at_most], self._over[at_most:]
        return given

    @property
    def has_rest(self) -> bool:
        """Whether more would come out without new input."""
        return bool(self._over) or self._more or not self._inner.can_accept_more_data()

    @property
    def is_whole(self) -> bool:
        """Whether the end of the coding was seen (an empty body needs none)."""
        return not self._begun or self._inner.is_finished()


class ZstdLayer:
    """Incremental decoder of zstd; a body may have several frames."""

    name = "zstd"

    def __init__(self) -> None:
        self._fault: type[Exception] = _zstd().ZstdError
        self._inner: Any = None
        self._rest = b""

    def decode(self, data: bytes, at_most: int) -> bytes:
        """Decode at most `at_most` octets. Raises RemoteProtocolError if the data is not zstd."""
        if self._inner is None:
            self._rest += data
            if not _may_begin(self._rest):
                raise _not_so(self.name, "no frame begins there")
            if len(self._rest) < len(_FRAME):
                return b""
            options = {_zstd().DecompressionParameter.window_log_max: MAX_WINDOW_LOG}
            self._inner = _zstd().ZstdDecompressor(options=options)
            data, self._rest = self._rest, b""
        try:
            given: bytes = self._inner.decompress(data, at_most)
        except self._fault as error:
            raise _not_so(self.name, reason_of(error)) from error
        if self._inner.eof:
            self._rest, self._inner = self._inner.unused_data, None
        return given

    @property
    def has_rest(self) -> bool:
        """Whether `decode` can continue without new input."""
        if self._inner is not None:
            return not self._inner.needs_input
        return len(self._rest) >= len(_FRAME) or not _may_begin(self._rest)

    @property
    def is_whole(self) -> bool:
        """Whether the last frame has ended (an empty body has no frame)."""
        return self._inner is None and not self._rest


def _may_begin(octets: bytes) -> bool:
    """Whether a frame, or a skippable one (RFC 8878 3.1), may begin with these octets."""
    if octets[:1] and octets[0] in _SKIPPABLE:
        return _SKIPPABLE_REST.startswith(octets[1:4])
    return _FRAME.startswith(octets[:4])


def _not_so(name: str, why: str) -> RemoteProtocolError:
    return RemoteProtocolError(f"The body is declared to be {name}-coded, but is not: {why}.")
