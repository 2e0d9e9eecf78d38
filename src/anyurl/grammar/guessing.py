"""Guessing the URL that a person means by a text that is not a URL, or that was copied with its surroundings.

Rule: this is only for text that people typed; text from programs or strangers is parsed by `URL`, which guesses
nothing. A URL of a known scheme is not changed. A guess is checked with every reading of the text (RFC 3986 7.6): if
one of them leads to another host, there is no guess.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from anyurl.errors import Diagnostic, URLSyntaxError
from anyurl.grammar.bared import addresses_bared
from anyurl.grammar.copied import BLANKS, ENDS, LABEL, destination, has_tail, narrowed, peeled
from anyurl.grammar.grammars import diagnose
from anyurl.grammar.prefixes import (
    DEFAULT,
    HOST_AND_PORT,
    MAIL_WITH_FIELDS,
    WINDOWS,
    Prefix,
    find_prefix,
    is_file_name,
    is_known,
    split_copy,
)
from anyurl.grammar.readers import read_every_way, target_of
from anyurl.grammar.remedies import leads_alike
from anyurl.grammar.repairs import repair
from anyurl.grammar.zones import take_zone
from anyurl.url import URL, syntax
from anyurl.url.arguments import checked
from anyurl.url.cut import percent_decode, percent_encode
from anyurl.url.cut.addresses import parse_ipv6
from anyurl.values import Value

MAX_LENGTH = 65_536
"""Characters of a text that is read: those of the longest URL."""

MAX_WORDS = 1_000
"""Words of a text that are searched: a copied line has fewer, and a page is for `anyurl.find`."""

_MISWRITTEN = re.compile(r"(https?|ftps?|gophers?)(?:[;.,]|::|:\s*)?//:?\s*(?=\S)", re.IGNORECASE)
_ENCODED = re.compile(r"(?:https?|ftps?|gophers?)%3A%2F%2F", re.IGNORECASE)
_JSON = re.compile(r"[a-z][a-z0-9+.-]*:\\/\\/", re.IGNORECASE)
_DEFANGED = re.compile(r"h(?:xx|\*\*)ps?\b|\[(?:\.|dot|:)\]|\((?:\.|dot)\)|\[://\]", re.IGNORECASE)
_TEMPLATE = re.compile(
    r"<[A-Za-z_][\w .:-]*>|\{[^{}\"]*\}|\$\{?[A-Za-z_]|%\(|%[sd](?![0-9a-f])|\[:[a-z]+\]", re.IGNORECASE
)
_BARE_QUERY = re.compile(r"^((?://)?[^/?#]+)(?=[?#])")
_PATH = re.compile(r"\.{1,2}/|~[A-Za-z0-9_-]*(?:/|$)|/(?!/)")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_SAFE_IN_PATH = b"/!$&'()*+,;=:@"
_DATA = re.compile(r"data:[^\s,]*,", re.IGNORECASE)
_FREE = re.compile(r"(?:(?:magnet:\?|javascript:|tel:|sms:|file:/)(?=\S)|mailto:[^\s?]+\?)", re.IGNORECASE)
"""Beginnings of URLs without ``//`` in which people write spaces."""
_APART = re.compile(r"(news|snews|tel|sms|doi|sip|sips|xmpp|geo|mid|cid):[ \t]+(?=\S+$)", re.IGNORECASE)
"""A scheme that is separated by spaces from the rest."""
_LOCAL_FILE = re.compile(r"file:(?://)?(?=[A-Za-z]:[\\/]|~|\.{1,2}/)", re.IGNORECASE)
_PASTED = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://(?=[A-Za-z][A-Za-z0-9+.-]*://)")


class Guess(Value):
    """A guessed URL, and how it was guessed.

    Attributes:
        url: The URL.
        how: The guess as a clause; empty if the text is that URL.
        alternatives: Other possible meanings, the most likely first.
        zone: The interface that the text names with the host's address, for ``Client(zone=...)``; empty for none.
    """

    url: URL
    how: str
    alternatives: tuple[URL, ...] = ()
    zone: str = ""


@checked
def guess(text: str, *, default: str = DEFAULT) -> Guess:
    """Guess the URL that a person means by a text: ``localhost:8080``, ``example.com/a b``, ``<URL:...>``, a copied
    line.

    It is for text that people type, never for text from elsewhere: a host may be guessed where a parser finds none.

    Args:
        default: The scheme for a host that implies no other one. If it is https, hosts that can't have a certificate
            get http.

    Raises:
        URLSyntaxError: Nothing can be guessed, or more than one host.
        ValueError: `default` is not a scheme whose URLs begin with ``//`` and a host.

    >>> str(guess("example.com/a").url), str(guess("localhost:8080").url)
    ('https://example.com/a', 'http://localhost:8080')
    """
    row = syntax.ROWS.get(default)
    if row is None or row.authority != "required":
        raise ValueError(f"{default!r} is not a scheme with hosts; 'https' and 'http' are")
    if "%" in text:
        typed, zone = take_zone(peeled(text[:MAX_LENGTH])[0])
        if zone:
            meant = guess(typed, default=default)
            if meant.url.password is not None:
                raise _refusal(text)
            how = _told(f"{zone} is an interface of this machine, which a URL can't name", meant.how)
            return Guess(meant.url, how, meant.alternatives, zone)
    exact = _exact(text)
    if exact is not None:
        return Guess(exact, "", tuple(_distinct(_others(text), exact)))
    if len(text) > MAX_LENGTH:
        raise URLSyntaxError(text, diagnose(text))
    found = _guess(text, default)
    if found is None or not _is_shared(text, found[0]):
        raise _refusal(text)
    url, how, others = found
    return Guess(url, how, tuple(_distinct(others, url)))


def _exact(text: str) -> URL | None:
    """The text as a URL, if its scheme is known, or no other meaning is likely; otherwise None."""
    try:
        url = URL(text)
    except URLSyntaxError:
        return None
    if has_tail(text):
        return None
    if is_known(url.scheme):
        return url
    is_other = (
        HOST_AND_PORT.match(text.rstrip(ENDS))
        or WINDOWS.match(text)
        or url.scheme == "url"
        or parse_ipv6(text) is not None
        or LABEL.match(text)
        or (text[-1] == ":" and find_prefix(text[:-1]) is not None)
    )
    return None if is_other or _nearest(url.scheme, "//" in text) else url


def _is_shared(text: str, url: URL) -> bool:
    """Whether every reading of the text leads there as well; an unknown scheme may be a typing error."""
    target = target_of(url)
    for reading in read_every_way(text):
        read = reading.target
        if target is not None and not is_known(read.scheme):
            read = read._replace(scheme=target.scheme, port=target.port if read.port is None else read.port)
        if read != target:
            return False
    return True


def _others(text: str) -> Iterator[URL]:
    """Other meanings of a URL: without punctuation, HTML escapes, or a repeated paste."""
    trimmed = text.rstrip(ENDS)
    pasted = _PASTED.match(text)
    for other in (
        trimmed if trimmed != text else "",
        text.replace("&amp;", "&") if "&amp;" in text else "",
        text[pasted.end() :] if pasted else "",
    ):
        url = _exact(other) if other else None
        if url is not None:
            yield url


_Found = tuple[URL, str, list[URL]]


def _guess(text: str, default: str) -> _Found | None:
    link = destination(text)
    if link is not None:
        found = _of_one(link, default)
        return None if found is None else (found[0], _told("the destination of a link", found[1]), found[2])
    is_data = _DATA.match(text.strip(BLANKS)) is not None
    inner, around = (text.strip(BLANKS), False) if is_data else peeled(text)
    note = "the text around it was left out" if around else ""
    words = re.split(rf"[{BLANKS}]+", inner, maxsplit=1)
    begins = is_data or _begins_a_url(inner)
    if len(words) == 1 or is_data or (begins and "://" not in words[1]):
        found = _of_one(inner, default)
        if found is not None or begins:
            return None if found is None else (found[0], _told(note, found[1]), found[2])
    return _of_words(inner)


def _blank(text: str) -> re.Match[str] | None:
    """A placeholder in the text, or None; in a data URL it is content."""
    return None if re.match(r"(?:data|javascript):", text, re.IGNORECASE) else _TEMPLATE.search(text)


def _told(*notes: str) -> str:
    return "; ".join(dict.fromkeys(note for note in notes if note))


def _begins_a_url(text: str) -> bool:
    """Whether its spaces belong to it: it begins with a known scheme, a path, a host and a slash, or names people."""
    if WINDOWS.match(text) or text.startswith("\\\\"):
        return True
    if any(each.match(text) for each in (_PATH, _MISWRITTEN, _FREE, _APART, _LOCAL_FILE, MAIL_WITH_FIELDS)):
        return True
    head = _SCHEME.match(text)
    if head is not None and is_known(head[1].lower()):
        return text.startswith("//", head.end()) or head[1].lower() == "url" or bool(addresses_bared(text))
    first = re.split(rf"[{BLANKS}]", text, maxsplit=1)[0]
    return "/" in first and find_prefix(first) is not None


def _of_one(text: str, default: str) -> _Found | None:
    """Guess the URL of one reference without surroundings."""
    if not text or _DEFANGED.search(text):
        return None
    notes = []
    narrow = narrowed(text)
    if narrow != text:
        text, note = narrow, "full-width characters were read as ordinary ones"
        notes.append(note)
    if _ENCODED.match(text):
        text, note = percent_decode(text).decode("utf-8", "replace"), "it was encoded as a whole"
        notes.append(note)
    if _JSON.match(text):
        text = text.replace("\\/", "/")
        notes.append("the escapes of JSON were taken out")
    miswritten = _MISWRITTEN.match(text)
    if miswritten is not None and text[miswritten.end(1) : miswritten.end()] != "://":
        text = f"{miswritten[1]}://{text[miswritten.end() :]}"
        notes.append("a colon and two slashes must follow a scheme")
    if parse_ipv6(text) is not None:
        text = f"[{text}]"
        notes.append("an IPv6 address needs brackets")
    apart = _APART.match(text)
    if apart is not None:
        text = f"{apart[1]}:{text[apart.end() :]}"
        notes.append("no space may follow the colon of a scheme")
    if head := re.match(r"(?:tel|sms|data:[^,]*;base64,)", text, re.IGNORECASE):
        whole, text = text, head[0] + re.sub(r"\s+", "", text[head.end() :])
        notes += ["its spaces were ignored"] if whole != text else []
    text = text[found.end() :] if (found := _LOCAL_FILE.match(text)) else text
    if _PATH.match(text) or is_file_name(text):
        return _of_path(text)
    if WINDOWS.match(text) or text.startswith("\\\\"):
        begin = "file:" if text[0] == "\\" else "file:///"
        encoded = percent_encode(text.replace("\\", "/").encode("utf-8", "surrogatepass"), _SAFE_IN_PATH)
        return _read(begin + encoded, ["a Windows path"])
    if _blank(text):
        return None
    if copy := split_copy(text):
        host, path = copy
        return _read(f"ssh://{host}/{path.lstrip('/')}", [*notes, "a file on another machine, as ssh and git write it"])
    head = _SCHEME.match(text)
    scheme = "" if head is None else head[1].lower()
    if is_known(scheme) or scheme == "url":
        return _read(text, notes)
    if head is not None and not HOST_AND_PORT.match(text) and not WINDOWS.match(text):
        nearest = _nearest(scheme, text.startswith("//", head.end()))
        if nearest is None:
            return None
        return _read(nearest + text[len(scheme) :], [*notes, f"{scheme} is not a scheme, and {nearest} is"])
    prefix = find_prefix(text, default)
    return None if prefix is None else _with_prefix(prefix, text, notes)


def _with_prefix(prefix: Prefix, text: str, notes: list[str]) -> _Found | None:
    if prefix.text != "mailto:":
        text = _BARE_QUERY.sub(r"\1/", text)  # else readers that end a host only at a slash read an invalid port
    found = _read(prefix.text + text, [*notes, prefix.reason])
    if found is None:
        return None
    others = [url for other in prefix.others if (url := _url(other + text)) is not None]
    return found[0], found[1], others


def _url(text: str) -> URL | None:
    found = _read(text, [])
    return None if found is None else found[0]


def _read(text: str, notes: list[str]) -> _Found | None:
    """The URL of a text, repaired if necessary; None if the repair would decide which host is meant."""
    try:
        repaired = repair(text)
    except URLSyntaxError:
        return None
    url = repaired.url
    if not leads_alike(text, read_every_way(text), url) or url.password is not None or not is_known(url.scheme):
        return None
    changes = [change.message for change in repaired.changes]
    how = _told(*notes, *changes[:3])
    others = []
    if any(change.code == "encoded" and change.before == " " for change in repaired.changes):
        shorter = _exact(text.split(" ", 1)[0])
        others = [] if shorter is None else [shorter]
    return url, how, others


def _of_path(text: str) -> _Found:
    """The URL of a path on this machine, in which only slashes are delimiters."""
    path = os.path.abspath(os.path.expanduser(text))
    path += "/" if text.endswith("/") and not path.endswith("/") else ""
    encoded = percent_encode(path.encode("utf-8", "surrogateescape"), _SAFE_IN_PATH)
    return URL(f"file://{encoded}"), "a path on this machine", []


def _of_words(text: str) -> _Found | None:
    """The only URL among the words of a sentence; None if there is none, or more than one."""
    urls: dict[URL, None] = {}
    for word in re.split(rf"[{BLANKS}]+", text, maxsplit=MAX_WORDS)[:MAX_WORDS]:
        inner, _ = peeled(word)
        head = _SCHEME.match(inner)
        named = head is not None and is_known(head[1].lower()) and len(inner) > head.end()
        if named or "//" in inner or "@" in inner or inner.lower().startswith("www."):
            found = None if '"' in inner or (named and word[-1] == ":") else _of_one(inner, DEFAULT)
            if found is None:  # Attack: the words after it may be part of its password
                return None
            urls[found[0]] = None
    if len(urls) != 1:
        return None
    return next(iter(urls)), "the only URL among other words", []


def _nearest(name: str, has_host: bool) -> str | None:
    """The supported scheme that differs by one typing error, if one is nearer than all others."""
    wanted = "required" if has_host else "forbidden"
    near: dict[int, list[str]] = {}
    for row in syntax.ROWS.values():
        slip = _slip(name, row.name) if row.module and row.authority == wanted else 0
        if slip:
            near.setdefault(slip, []).append(row.name)
    nearest = near[min(near)] if near else []
    return nearest[0] if len(nearest) == 1 else None


def _slip(typed: str, name: str) -> int:
    """1 if one letter is missing or extra, or two are swapped; 2 if one letter is another; otherwise 0."""
    if not 3 <= len(typed) <= len(name) + 1 or typed == name:
        return 0
    at = next((i for i, (one, other) in enumerate(zip(typed, name, strict=False)) if one != other), -1)
    at = min(len(typed), len(name)) if at < 0 else at
    rest, wanted = typed[at:], name[at:]
    swapped = len(rest) > 1 and rest[1] + rest[0] + rest[2:] == wanted
    if swapped or rest == wanted[1:] or rest[1:] == wanted:
        return 1
    return 2 if rest[1:] == wanted[1:] else 0


def _distinct(urls: Iterable[URL], but: URL) -> list[URL]:
    return [url for url in dict.fromkeys(urls) if url != but]


def _refusal(text: str) -> URLSyntaxError:
    """The error if there is no guess: the reason, then the faults of the text."""
    span = (0, len(text))
    if _DEFANGED.search(text):
        code, message = "defanged", "the URL was made unusable on purpose; its meaning is not guessed"
    elif blank := _blank(text):
        code, message, span = "template", "a part of it must be filled in first", blank.span()
    else:
        errors = tuple(one for one in diagnose(text) if one.severity == "error")
        if errors:
            return URLSyntaxError(text, errors)
        code, message = "no-guess", "it is unclear which URL is meant"
    return URLSyntaxError(text, (Diagnostic(code, "error", span, "URI", "RFC 3986 3", message),))
