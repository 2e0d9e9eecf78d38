"""Every limit that the guard itself keeps: clocks, sizes and counts, each with its reason and a precedent.

The rule: nothing that a peer decides is unbounded. Limits of one protocol's lines and packets stand beside its codec.
"""

from __future__ import annotations

from typing import Any

from anyurl.url.taken import check_value
from anyurl.values import Value, as_made_by


class Limits(Value):
    """Clocks in seconds, sizes in octets, counts.

    Attributes:
        connect: Until a connection stands, look-up and TLS included. curl waits 300 s and smokescreen 10 s.
        idle: Without one octet of progress. curl's SERVER_RESPONSE_TIMEOUT is 60 s.
        lowest_rate: Octets a second below which a peer counts as silent: each octet makes good for so much of a second
            of silence, and no more than `idle` seconds are ever in hand: that is the window. Whoever drips one a minute
            would hold a connection for ever (Slowloris). IIS closes below 240.
        total: For one transfer from start to end; None for no end (a large file on a slow line is no fault).
        max_bytes: Of one resource, counted after decoding; None for no limit. Scrapy stops at 1 GiB.
        max_read: That `read` and `text` put into memory at once; None for no limit. Pieces (`iter_bytes`, `save`) are
            only bound by `max_bytes`.
        redirects: Hops from one URL to the next. Fetch follows 20, libcurl 30; a few are enough in practice.
        listing_entries: In one listing or menu. An endless one was read to 1.5 GB by ftplib within 9 s.
        decoded_ratio: Decoded octets for each octet received, once `decoded_free` have come out: a bomb of 200 KB
            unpacks to 200 MiB (1,000 to 1); text seldom passes 20 to 1.
        decoded_free: Decoded octets that are not yet suspicious.
        header_bytes: Of an HTTP answer's head. Chromium has 256 KiB, curl 300 KiB.
        headers: In an HTTP answer. curl has 5,000.
        connections: That one dialogue may open. An FTP transfer needs two, a Prospero look-up one for each forward.
    """

    connect: float
    idle: float
    lowest_rate: float
    total: float | None
    max_bytes: int | None
    max_read: int | None
    redirects: int
    listing_entries: int
    decoded_ratio: int
    decoded_free: int
    header_bytes: int
    headers: int
    connections: int

    def __init__(
        self,
        *,
        connect: float = 10.0,
        idle: float = 60.0,
        lowest_rate: float = 1.0,
        total: float | None = None,
        max_bytes: int | None = None,
        max_read: int | None = None,
        redirects: int = 10,
        listing_entries: int = 100_000,
        decoded_ratio: int = 200,
        decoded_free: int = 8 * 1024 * 1024,
        header_bytes: int = 256 * 1024,
        headers: int = 1_000,
        connections: int = 32,
    ) -> None:
        """Raises ValueError for a limit below zero, and for a clock that is not above it; TypeError for no number."""
        self._set(
            connect=connect, idle=idle, lowest_rate=lowest_rate, total=total, max_bytes=max_bytes, max_read=max_read,
            redirects=redirects, listing_entries=listing_entries, decoded_ratio=decoded_ratio,
            decoded_free=decoded_free, header_bytes=header_bytes, headers=headers, connections=connections,
        )  # fmt: skip
        for name, value in self._fields().items():
            check_value(name, value, Limits.__annotations__[name])
            clock = name in ("connect", "idle", "total")
            if value is not None and not (value > 0 if clock else value >= 0):  # also catches NaN
                raise ValueError(f"the limit {name} must be {'above' if clock else 'at least'} 0, not {value!r}")

    @as_made_by(__init__)
    def replace(self, **changes: Any) -> Limits:
        """A copy with these limits changed. Raises TypeError for an unknown name, ValueError as the class does."""
        return Limits(**{**self._fields(), **changes})


STRANGERS = Limits(lowest_rate=240.0, total=300.0, max_bytes=1024**3, max_read=64 * 1024**2)
"""For URLs from strangers on your server: every limit is finite, and a hundred of them at once fit into its memory."""
