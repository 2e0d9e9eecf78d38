"""What the policy is asked about, checked by the names of arguments: an answer on something else would be none."""

from __future__ import annotations

from anyurl.url import URL
from anyurl.values import Provenance

_TAKEN: dict[str, tuple[type, str]] = {
    "url": (URL, "a URL"), "came_from": (Provenance, "a Provenance"), "scheme": (str, "a str"), "host": (str, "a str"),
    "address": (str, "a str"), "port": (int, "an int"),
}  # fmt: skip


def check_judged(**given: object) -> None:
    """Raises TypeError for a value that its argument does not take."""
    for name, value in given.items():
        kind, words = _TAKEN[name]
        if not isinstance(value, kind) or value is True or value is False:
            raise TypeError(f"{name} is {words}, not {type(value).__name__}")
