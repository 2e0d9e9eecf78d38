"""Where other programs would go with a text: every scheme, user, host and port that some reader finds in it.

Rule: nothing here decides who is right. Parsers differ in whether a backslash is a slash, which "@" ends the user name,
where an authority ends, how white space is treated, and whether a host is decoded before it is looked up. If they all
agree, the meaning is clear; otherwise the user must choose (RFC 3986 7.6).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from anyurl.errors import escape
from anyurl.grammar.diagnosis import BLANKS
from anyurl.grammar.splitting import plain_host, plausible_host
from anyurl.url import URL, syntax
from anyurl.url.cut import percent_decode
from anyurl.url.host import parse_port

MAX_HOST = 1_024
"""Characters of a host that a program could look up: four times a DNS name (RFC 1035 2.3.4)."""

BREAK = re.compile(r"(?<![ \t\v\f])[ \t\v\f]*[\r\n][ \t\v\f\r\n]*|\t+")
"""White space that breaks a URL over lines. A run is searched from its start only: else it would be quadratic."""

PREFIX = re.compile(r"(?:url:)+", re.IGNORECASE)
"""The wrapper of RFC 1738's appendix without its angle brackets."""

SLASHED = frozenset({"file", "ftp", "ftps", "http", "https", "ws", "wss"})
"""Schemes in whose URLs some readers take a backslash for a slash (URL Standard, special schemes)."""

_HEAD = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_REMOVED = re.compile(r"[\t\r\n]+")
_BLANK = re.compile(f"[{BLANKS}\x00-\x1f\x7f\x85\xa0\u2028\u2029]+")
_SLASHES = re.compile(r"/*")
_ANY_SLASHES = re.compile(r"[/\\]*")
_LOOKED_UP = re.compile(r"[A-Za-z0-9._~%-]+")
_NUMBERS = re.compile(r"(?:0[xX][0-9A-Fa-f]*|[0-9]+)(?:\.(?:0[xX][0-9A-Fa-f]*|[0-9]+)){0,3}\.?")


class Target(NamedTuple):
    """Whom a program would talk to, and as whom.

    Attributes:
        scheme: In lower case.
        user: Decoded; empty when there is none.
        host: In lower case and ASCII where it has such a form, without brackets.
        port: The effective one, or None; a text if it is not a number.
    """

    scheme: str
    user: bytes
    host: str
    port: int | str | None


class ReadTarget(NamedTuple):
    """One way to read a text.

    Attributes:
        target: Where it leads.
        hidden: The host is in the place of a password, and must not be quoted.
    """

    target: Target
    hidden: bool


def target_of(url: URL) -> Target | None:
    """Where a URL leads; None when it has no host."""
    if not url.host:
        return None
    return Target(url.scheme, _decoded(url.raw_user or ""), plain_host(url.host), url.port)


def scheme_of(text: str) -> str | None:
    """The scheme of a text, in lower case, within the wrappers of RFC 1738's appendix; None without one."""
    head = _HEAD.match(unwrapped(text)[0])
    return None if head is None else head[1].lower()


def unwrapped(text: str) -> tuple[str, bool]:
    """The text without the white space, angle brackets and ``URL:`` around it; whether there were brackets."""
    text = text.strip(BLANKS)
    wrapped = text.startswith("<") and text.endswith(">") and len(text) > 2
    if wrapped:
        text = text[1:-1].strip(BLANKS)
    prefix = PREFIX.match(text)
    if prefix is not None:
        text = text[prefix.end() :].lstrip(BLANKS)
    return text, wrapped


def read_every_way(text: str) -> tuple[ReadTarget, ...]:
    """Every target that some program would find in a text, each once.

    >>> [one.target.host for one in read_every_way("http://good.example\\\\@evil.example/")]
    ['evil.example', 'good.example']
    """
    found: dict[Target, bool] = {}
    seen = set()
    for variant, is_cut in _variants(text):
        head = _HEAD.match(variant)
        if head is None:
            continue
        for start, authority in _authorities(variant, head):
            if (authority, start, is_cut) in seen:
                continue
            seen.add((authority, start, is_cut))
            for target, place in _targets(head[1].lower(), authority):
                # No password follows the very last "@"; before it, anything after a colon may be one.
                last = not is_cut and start + place == variant.rfind("@") + 1
                hidden = not last and ":" in authority[:place]
                found[target] = hidden and found.get(target, True)
    return tuple(ReadTarget(target, hidden) for target, hidden in found.items())


def unclear(readings: tuple[ReadTarget, ...]) -> str:
    """The disagreement of the readers, as a clause; empty when they agree.

    A host that may be a piece of a password is not named.
    """
    targets = [one.target for one in readings]
    if len(set(targets)) < 2:
        return ""
    hosts = {one.target.host: one.hidden for one in sorted(readings, key=lambda one: not one.hidden)}
    if len(hosts) > 1:
        shown = [f'"{escape(host)}"' for host, hidden in hosts.items() if not hidden]
        if len(shown) < len(hosts):
            shown.append("a part of what may be a password")
        return f"it is unclear which host is meant: {', '.join(shown[:-1])} or {shown[-1]}"
    name = "user name" if len({target.user for target in targets}) > 1 else "port"
    return f"it is unclear which {name} is meant"


def _variants(text: str) -> tuple[tuple[str, bool], ...]:
    """The text as it is, and as programs change its white space and scripts; whether it is cut off."""
    base, wrapped = unwrapped(text)
    if wrapped:  # within brackets the end of a line ends no URL (RFC 1738, appendix)
        base = BREAK.sub("", base)
    texts = {base: False}
    blank = _BLANK.search(base)
    if blank is not None:
        texts |= {_REMOVED.sub("", base): False, _BLANK.sub("", base): False, base[: blank.start()]: True}
    if not base.isascii():
        texts |= {unicodedata.normalize("NFKC", variant): is_cut for variant, is_cut in texts.items()}
    return tuple(texts.items())


def _authorities(text: str, head: re.Match[str]) -> Iterator[tuple[int, str]]:
    """Each cut of an authority, with its place: by the slashes before it, and by its end."""
    required = syntax.row(head[1].lower()).authority == "required"
    for slashes, ends in ((_SLASHES, "/"), (_SLASHES, "/?#"), (_ANY_SLASHES, "/\\"), (_ANY_SLASHES, "/?#\\")):
        run = slashes.match(text, head.end())
        assert run is not None  # it may be empty
        for start in {head.end() + 2} if not required else {head.end() + 2, run.end()}:
            if run.end() < start:
                continue
            end = min((place for mark in ends if (place := text.find(mark, start)) >= 0), default=len(text))
            yield start, text[start:end]


def _targets(scheme: str, authority: str) -> Iterator[tuple[Target, int]]:
    """The targets read from an authority, with the place of the host in it: by the last "@", and by the first."""
    first, last = authority.find("@"), authority.rfind("@")
    for at in dict.fromkeys((last, first)):
        user = _decoded(authority[: max(at, 0)].partition(":")[0])
        hostport = authority[at + 1 :].partition("@")[0]
        for host, port in _hosts_and_ports(scheme, hostport):
            for name in _names(host):
                yield Target(scheme, user, name, port), at + 1


def _hosts_and_ports(scheme: str, hostport: str) -> Iterator[tuple[str, int | str | None]]:
    """By the colon after the brackets, by the first colon, and by the last."""
    if len(hostport) > MAX_HOST + 6:
        return
    bracket = hostport.find("]") + 1 if hostport.startswith("[") else 0
    for colon in {hostport.find(":", bracket), hostport.rfind(":", bracket)}:
        host, port = (hostport, "") if colon < 0 else (hostport[:colon], hostport[colon + 1 :])
        number: int | str | None = port
        if not port:
            number = syntax.row(scheme).port
        elif (read := parse_port(port)) is not None:
            number = read
        yield host, number


def _names(host: str) -> Iterator[str]:
    """A host as it is looked up: unchanged, decoded, by both versions of IDNA."""
    spellings = {host: None}
    if "%" in host:
        spellings[_decoded(host).decode("utf-8", "replace")] = None
    for spelling in tuple(spellings):
        if not spelling.isascii():
            spellings[unicodedata.normalize("NFKC", spelling)] = None
            try:
                spellings[spelling.encode("idna").decode("ascii")] = None  # IDNA 2003, as many programs still do
            except UnicodeError:
                pass
    for spelling in spellings:
        if _LOOKED_UP.fullmatch(spelling) or plausible_host(spelling):
            yield plain_host(spelling)
            if _NUMBERS.fullmatch(spelling) and (address := _address_of(spelling)) is not None:
                yield address


def _address_of(host: str) -> str | None:
    """The address that the C library's inet_aton and browsers find in numbers: octal, hexadecimal, fewer than four."""
    numbers = []
    for label in host.removesuffix(".").split("."):
        digits, base = (label[2:] or "0", 16) if label[:2] in ("0x", "0X") else (label, 8 if label[0] == "0" else 10)
        if base == 8 and ("8" in label or "9" in label):
            return None
        numbers.append(int(digits, base))
    *first, last = numbers
    if any(number > 255 for number in first) or last >= 256 ** (4 - len(first)):
        return None
    value = last + sum(number << 24 - 8 * i for i, number in enumerate(first))
    return ".".join(str(value >> shift & 255) for shift in (24, 16, 8, 0))


def _decoded(text: str) -> bytes:
    try:
        return percent_decode(text)
    except UnicodeEncodeError:  # a lone surrogate stands for no octet
        return text.encode("utf-8", "surrogatepass")
