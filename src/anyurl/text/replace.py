"""`replace`: URLs replaced in a whole text, of which the rest stays as it is, octet for octet.

Rule: the result is searched again; a replacement that would read differently is not written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from anyurl.text.find import find
from anyurl.text.found import Found
from anyurl.text.source import Octets
from anyurl.url import URL
from anyurl.url.arguments import checked

Change: TypeAlias = Callable[[Found], URL | str | None]
"""The replacement of a URL; None leaves it as it is."""


@checked
def replace(data: bytes, change: Change, **options: Any) -> bytes:
    """Replace URLs in a text in place; the rest stays octet for octet.

    Args:
        data: The octets of the text.
        change: The replacement of a URL, or None to keep it.
        options: Those of `find`: the format, the name, the encoding ...

    Raises:
        ValueError: A URL can't be written in its place, or would read differently there.

    >>> replace(b'{"a": "http:\\\\/\\\\/old\\\\/?a\\\\u0026b"}', lambda found: "https://new/?c&d", format="json")
    b'{"a": "https:\\\\/\\\\/new\\\\/?c\\\\u0026d"}'
    """
    found = list(find(data, **options))
    wanted: list[str] = []
    made = bytearray()
    done = 0
    codec = _codec(data, options.get("encoding", "utf-8"))
    for each in found:
        new = None if each.member else change(each)
        wanted.append(str(each) if new is None else str(URL(new) if isinstance(new, str) else new))
        start, end = each.octet_span
        if new is None or start < done or wanted[-1] == str(each):
            continue
        made += data[done:start]
        made += each.replace(new).encode(codec, "surrogateescape")
        done = end
    if not done:
        return data
    made += data[done:]
    result = bytes(made)
    read = [str(each) for each in find(result, **options)]
    if read != wanted:
        at = next((at for at, pair in enumerate(zip(read, wanted, strict=False)) if pair[0] != pair[1]), -1)
        told = read[at] if 0 <= at < len(read) else "nothing"
        raise ValueError(f"{wanted[at]} can't be written in line {found[at].line}: it would be read as {told}")
    return result


def _codec(data: bytes, encoding: str) -> str:
    """The encoding in which the text is written."""
    octets = Octets(data, encoding)
    octets.begin()
    return octets.encoding or "utf-8"
