"""Human-readable sizes, the same for the command's listings and the gateway's pages."""

from __future__ import annotations

_UNITS = ("B", "kB", "MB", "GB")


def human_size(octets: float | None) -> str:
    """Octets in a fitting decimal unit, with two or three digits; empty if unknown.

    >>> human_size(243), human_size(15_679), human_size(999_950)
    ('243 B', '15.7 kB', '1.0 MB')
    """
    if octets is None:
        return ""
    size = float(octets)
    for unit in _UNITS:
        shown = f"{size:.0f}" if unit == "B" or size >= 99.95 else f"{size:.1f}"
        if shown != "1000" and size < 1000:
            return f"{shown} {unit}"
        size /= 1000
    return f"{size:,.1f} TB"
