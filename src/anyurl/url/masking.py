"""Masking of everything in a text that is, or could be, a password (RFC 1738 3.1, RFC 3986 3.2.1).

Rule: mask too much rather than leave part of a password. A login is assumed wherever one could begin: after ``//``,
encoded or not; after the scheme of a URL without ``//`` anywhere in the text, as in ``sip:user:password@host``; and at
the start of a text with an unknown scheme, since ``user:password@host`` looks like that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from anyurl.url import syntax

MASK = "***"

_BEFORE_AUTHORITY = frozenset(("//", ":/", "\\/"))
"""The characters before an authority; browsers accept one slash for two, and a backslash for one (WHATWG URL 4.4)."""

_RUN = re.compile(r"(?<=[:/\\]/)[^\s/#]+|[^\s/?#]+")
"""A run that contains a complete login (by RFC 1738 5 even a "?"); each run is searched by itself, in linear time."""

_NO_LOGIN = r"(?!(?:s?news|mid|cid):|mailto:[^@:]*(?:\"|%22))"
"""Message-ids and quoted addresses, in which a colon is part of the name (RFC 5536 3.1.3, RFC 5321 4.1.2)."""

_COLON = "(?::|%3A)"
"""The end of a user; possibly encoded, if user and password were pasted together as the user."""

_AUTHORITY_USER = re.compile(rf"(?>(?:(?!{_COLON}).)*){_COLON}", re.IGNORECASE)
_USER = re.compile(rf"(?<![\w+.\-:@]){_NO_LOGIN}[a-z][a-z0-9+.\-]*:(?>(?:(?!{_COLON})[^@])*){_COLON}", re.IGNORECASE)
"""A scheme and a user with the colon after it."""

_ENCODED = re.compile(rf"%2F%2F(?>(?:(?!%2F|%3A|%40)[^:@&])*{_COLON})(?:(?!%2F|%3F|%23)[^&])*(?=@|%40)", re.IGNORECASE)
"""The same in encoded form, as in a URL that is the value of a query field."""

_ENCODED_USER = re.compile(rf"%2F%2F.*?{_COLON}", re.IGNORECASE)
_ONE_NAME = re.compile(
    rf"(?!(?:acct|callto|facetime|h323|iax|jabber|skype):)([a-z][a-z0-9+.\-]*){_COLON}([^:@]+)@", re.IGNORECASE
)
"""A user that looks like a scheme, with a password that looks like a path; not schemes with a person's address."""


def _logins(text: str) -> Iterator[tuple[int, int]]:
    """The spans of possible passwords, in order."""
    if "@" not in text and "%40" not in text:
        return
    done = 0
    for found in _RUN.finditer(text):
        run, start = found[0], found.start()
        spans = []
        for encoded in _ENCODED.finditer(run):
            user = _ENCODED_USER.match(encoded[0])
            assert user is not None  # the encoded match begins with it
            spans.append((start + encoded.start() + user.end(), start + encoded.end()))
        end = run.rfind("@")
        if end >= 0:
            is_authority = text[max(0, start - 2) : start] in _BEFORE_AUTHORITY
            user_end = _user_end(run, end, is_authority=is_authority, is_first=start == 0)
            if user_end >= 0:
                spans.append((start + user_end, start + end))
        for begin, end in sorted(spans):
            if end > max(begin, done):  # skip spans inside an earlier one, and empty passwords, which are not secret
                yield max(begin, done), end
                done = end


def _user_end(run: str, end: int, *, is_authority: bool, is_first: bool) -> int:
    """The start of the password that ends at the last at sign of a run, or -1."""
    if is_authority:
        login = _AUTHORITY_USER.match(run, 0, end)
        return -1 if login is None else login.end()
    user = _USER.search(run, 0, end)
    if user is not None:
        return user.end()
    name = _ONE_NAME.match(run) if is_first else None
    return name.start(2) if name is not None and name[1].lower() not in syntax.ROWS else -1


def login_span(text: str) -> tuple[int, int] | None:
    """The span from the start of the first possible password to the end of the last; or None."""
    found = list(_logins(text))
    return (found[0][0], found[-1][1]) if found else None


def mask(text: str) -> str:
    """The text with each possible password replaced by ``***``.

    >>> mask("sip:bob:secret@host"), mask("view-source:http://bob:secret@host/"), mask("http://h:80/@a")
    ('sip:bob:***@host', 'view-source:http://bob:***@host/', 'http://h:80/@a')
    """
    pieces, done = [], 0
    for start, end in _logins(text):
        pieces += [text[done:start], MASK]
        done = end
    return "".join([*pieces, text[done:]])


def without_secret(text: str) -> str:
    """The text with letters and digits of a possible password replaced; it is parsed alike, as delimiters are kept."""
    span = login_span(text)
    if span is None:
        return text
    start, end = span
    return text[:start] + _IN_A_SECRET.sub(_neutral, text[start:end]) + text[end:]


_IN_A_SECRET = re.compile(r"%[0-9A-Fa-f]{2}|[0-9]|[^\x00-\x2f:-@\[-`{-\x7f]")


def _neutral(found: re.Match[str]) -> str:
    char = found[0]
    return char if char[0] == "%" else "0" if char.isdigit() else "x"
