"""``anyurl find --replace FROM=TO``: URLs that are written back into the files that they were found in.

Rule: a file is written whole or not at all, after its difference was shown; a URL that can't be written in its place is
reported, and the file is left unchanged.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from anyurl.cli.arguments import UsageError
from anyurl.cli.terminal.console import Console
from anyurl.errors import URLSyntaxError

if TYPE_CHECKING:
    from anyurl.text import Found

_PAIR = re.compile(r"(.+?)=([A-Za-z][A-Za-z0-9+.\-]*:.*)", re.DOTALL)
"""A URL, and another one: separated by the first = before the beginning of a URL."""
_WHOLE_PARTS = "/?#"

Pairs = tuple[tuple[str, str], ...]


def to_pairs(_console: Console, values: tuple[str, ...]) -> Pairs:
    """The URLs of ``FROM=TO``. Raises UsageError if one is not a URL."""
    from anyurl.url import URL

    pairs = []
    for value in values:
        match = _PAIR.fullmatch(value)
        if match is None:
            raise UsageError(f"{value!r} is not FROM=TO; http://old.example/=https://new.example/ would be.")
        try:
            pairs.append((str(URL(match[1])), str(URL(match[2]))))
        except URLSyntaxError as error:
            raise UsageError(f"{value!r} is not FROM=TO, two URLs: {error}") from None
    return tuple(pairs)


def changed(found: Found, pairs: Pairs) -> str | None:
    """The replacement of a found URL: FROM itself, and longer URLs that begin with it, up to a whole part of the
    path."""
    text = str(found)
    for old, new in pairs:
        rest = text.removeprefix(old)
        if text.startswith(old) and (not rest or old[-1] in _WHOLE_PARTS or rest[0] in _WHOLE_PARTS):
            return new + rest
    return None


def rewrite(
    console: Console,
    name: str,
    data: bytes,
    change: Callable[[Found], str | None],
    options: dict[str, Any],
    *,
    writes: bool,
) -> bool:
    """Replace URLs in a file: show the changes, and write it; returns whether anything changed.

    Raises:
        ValueError: Something can't be written in its place.
        LocalFileError: The file can't be written.
    """
    from anyurl.text import replace

    made = replace(data, change, name=name, **options)
    if made == data:
        return False
    console.lines(difference(name, data, made))
    if writes:
        write(name, made)
    return True


def difference(name: str, data: bytes, made: bytes) -> list[str]:
    """The unified difference of two contents of a file, with passwords masked."""
    from difflib import unified_diff

    from anyurl.url.masking import mask

    old, new = (text.decode("utf-8", "surrogateescape").split("\n") for text in (data, made))
    return [mask(line) for line in unified_diff(old, new, name, name, lineterm="", n=1)]


def write(name: str, data: bytes) -> None:
    """Write a file, whole or not at all, with the permissions that it has. Raises LocalFileError."""
    from anyurl.files.output import whole_file

    mode = os.stat(name).st_mode & 0o7777
    with whole_file(name, mode) as file:
        file.write(data)
    os.chmod(name, mode)  # the umask has taken some of it
