"""Every limit that the guard itself keeps: clocks, sizes and counts, each with its reason and a precedent.

The rule: nothing that a peer decides is unbounded. Limits of one protocol's lines and packets are next to its codec.
"""

from __future__ import annotations

from typing import Any

from anyurl.errors.reasons import nearest
from anyurl.url.arguments import check_value
from anyurl.values import Value, as_made_by


class Limits(Value):
    """The limits of a policy: times in seconds, sizes in octets, counts.

    Attributes:
        connect: The time to connect, including look-up and TLS. curl waits 300 s and smokescreen 10 s.
        idle: The time without a single octet of progress. curl's SERVER_RESPONSE_TIMEOUT is 60 s.
        lowest_rate: The rate in octets a second below which a peer counts as silent: each octet buys 1/lowest_rate
            seconds of silence, and at most `idle` seconds can be saved up. A peer that sends one octet a minute could
            otherwise hold a connection for ever (Slowloris). IIS closes below 240.
        total: The time of a whole transfer; None for no limit (a large file on a slow line is legitimate).
        max_bytes: The size of one resource after decoding; None for no limit. Scrapy stops at 1 GiB.
        max_read: The octets that `read` and `text` load into memory at once; None for no limit. Reading in pieces
            (`iter_bytes`, `save`) is limited by `max_bytes` only.
        redirects: The number of hops. Fetch follows 20, libcurl 30; a few are enough in practice.
        listing_entries: The entries of a listing or menu. ftplib read an endless one to 1.5 GB within 9 s.
        decoded_ratio: Decoded octets for each octet received, beyond `decoded_free`: a bomb of 200 KB expands to
            200 MiB (1,000 to 1); text rarely exceeds 20 to 1.
        decoded_free: Decoded octets that are exempt from `decoded_ratio`.
        header_bytes: The size of an HTTP response's header. Chromium has 256 KiB, curl 300 KiB.
        headers: The fields of an HTTP response. curl has 5,000.
        connections: The connections of one dialogue. An FTP transfer needs two, a Prospero look-up one per forward.
        open_connections: The transfers of a client that have connections at once; the others wait until one ends.
            aiohttp and httpx have 100. Two thirds of the process's descriptors are left to others in any case.
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
    open_connections: int

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
        open_connections: int = 100,
    ) -> None:
        """Raises ValueError for a limit below zero, a clock or `open_connections` of zero; TypeError for no number."""
        self._set(
            connect=connect, idle=idle, lowest_rate=lowest_rate, total=total, max_bytes=max_bytes, max_read=max_read,
            redirects=redirects, listing_entries=listing_entries, decoded_ratio=decoded_ratio,
            decoded_free=decoded_free, header_bytes=header_bytes, headers=headers, connections=connections,
            open_connections=open_connections,
        )  # fmt: skip
        for name, value in self._fields().items():
            check_value(name, value, Limits.__annotations__[name])
            above = name in ("connect", "idle", "total", "open_connections")
            if value is not None and not (value > 0 if above else value >= 0):  # also catches NaN
                raise ValueError(f"the limit {name} must be {'above' if above else 'at least'} 0, not {value!r}")

    @as_made_by(__init__)
    def replace(self, **changes: Any) -> Limits:
        """A copy with these limits changed. Raises TypeError for an unknown name, ValueError as the class does."""
        for name in changes:
            if name not in Limits.__annotations__:
                known = ", ".join(Limits.__annotations__)
                raise TypeError(f"there is no limit {name!r}; there are {known}{nearest(name, Limits.__annotations__)}")
        return Limits(**{**self._fields(), **changes})

    def dropped_by(self, others: Limits) -> tuple[str, ...]:
        """The names of the limits that are finite here and have no end in the others."""
        ends = [name for name, value in self._fields().items() if value is not None]
        return tuple(name for name in ends if getattr(others, name) is None)


STRANGERS = Limits(lowest_rate=240.0, total=300.0, max_bytes=1024**3, max_read=64 * 1024**2)
"""For URLs from strangers on your server: every limit is finite, and a hundred of them at once fit into its memory."""
