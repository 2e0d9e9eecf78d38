"""Secrets that a server wrote into a URL: every text that shows the URL, or one made from it, masks them.

Rule: a URL holds the number of its secrets, so that it stays one text and eight offsets. They are masked in each form
that a server may write them in: as they are, with any of their octets percent-encoded, and inside base64, as Basic
sends them (RFC 7617 2). Adjacent base64 characters are masked too, since they hold bits of them.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

from anyurl.url.masking import MASK

if TYPE_CHECKING:
    from typing import Protocol, TypeVar

    class Marked(Protocol):
        """The part of a URL that these functions use."""

        _echo: int

    U = TypeVar("U", bound=Marked)
    """The class of a URL, which this module must not import."""

SHORTEST = 4
"""The shortest secret, in octets, that is masked in a server's text: a shorter one would match inside words."""

MAX_SECRETS = 4096
"""Sets of secrets that are remembered: each login has one. Of a URL with an older one, only the scheme is shown."""

FORGOTTEN = 2**32 - 1
"""The number given to secrets that are not remembered."""

_RUN = re.compile(r"(?:[A-Za-z0-9+/_\-]|%2[BFbf])+(?:=|%3[Dd])*")
"""A run that may be base64, in either alphabet (RFC 4648 4 and 5); its slash may as well separate segments."""

_SLASH = "/"


class _Spellings:
    """The patterns to search for; most secrets never are searched for.

    Attributes:
        secrets: The secrets, the longest first.
    """

    def __init__(self, secrets: tuple[bytes, ...]) -> None:
        self.secrets = secrets

    @cached_property
    def plain(self) -> re.Pattern[str]:
        """Matches one that is written octet by octet."""
        return re.compile("|".join("".join(map(_octet, each)) for each in self.secrets))

    @cached_property
    def base64(self) -> re.Pattern[str]:
        """Matches the characters of base64 that depend on nothing but a secret."""
        return re.compile("|".join("".join(map(_sextet, word)) for each in self.secrets for word in _words(each)))


_numbers = count(1)
_known: OrderedDict[tuple[bytes, ...], int] = OrderedDict()
_forms: dict[int, _Spellings] = {}


def number_of(secrets: Iterable[bytes]) -> int:
    """The number of these secrets; `FORGOTTEN` if there is none that could be masked."""
    key = tuple(sorted({each for each in secrets if len(each) >= SHORTEST}, key=lambda each: (-len(each), each)))
    if not key:
        return FORGOTTEN
    number = _known.get(key)
    if number is None:
        number = next(_numbers)
        _forms[number] = _Spellings(key)
        _known[key] = number
        while len(_known) > MAX_SECRETS:
            _forms.pop(_known.popitem(last=False)[1], None)
    return number


def secrets_of(number: int) -> tuple[bytes, ...]:
    """The secrets of this number; none if they were forgotten."""
    known = _forms.get(number)
    return () if known is None else known.secrets


def hide(number: int, text: str) -> str:
    """The text with the secrets of this number masked; its scheme alone if they were forgotten."""
    known = _forms.get(number)
    if known is None:
        return f"{text.partition(':')[0]}:{MASK}"
    return known.plain.sub(MASK, _RUN.sub(lambda run: _hidden(run[0], known.base64), text))


def hidden_in(url: Marked, text: str) -> str:
    """A text that was taken from a URL, with the secrets masked that a server wrote into the URL."""
    return hide(url._echo, text) if url._echo else text


def echoing(url: U, number: int) -> U:
    """The URL itself if it contains none of these secrets; else one that masks them."""
    text = str(url)
    if hide(number, text) == text:
        return url
    given: Any = url
    placed, (_, offsets, grammar, *_) = given.__reduce__()
    made: U = placed(text, offsets, grammar, secrets_of(number))
    return made


def _hidden(run: str, base64: re.Pattern[str]) -> str:
    """A run with each secret masked, from the slash before it to the one after it."""
    pieces, done = [], 0
    for found in base64.finditer(run):
        if found.start() >= done:
            pieces += [run[done : run.rfind(_SLASH, done, found.start()) + 1 or done], MASK]
            end = run.find(_SLASH, found.end())
            done = len(run) if end < 0 else end
    return "".join([*pieces, run[done:]])


def _words(secret: bytes) -> Iterator[str]:
    """The characters of base64 that are the same whatever surrounds the secret, at each of the three places in it."""
    for before in range(3):
        start, end = (8 * before + 5) // 6, 8 * (before + len(secret)) // 6
        yield b64encode(bytes(before) + secret).decode("ascii")[start:end]


def _octet(octet: int) -> str:
    """A pattern of an octet, as it is or encoded, perhaps more than once (``%2520``)."""
    char = chr(octet)
    encoded = "%(?:25)*" + "".join(f"[{digit}{digit.upper()}]" for digit in f"{octet:02x}")
    return f"(?:{encoded}|{re.escape(char)}|[+])" if char == " " else f"(?:{encoded}|{re.escape(char)})"


def _sextet(char: str) -> str:
    """A pattern of a character of base64, in either alphabet."""
    if char == "+":
        return "(?:[+-]|%2[Bb])"
    return "(?:[/_]|%2[Ff])" if char == "/" else char
