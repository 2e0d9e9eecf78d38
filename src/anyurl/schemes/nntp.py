"""nntp, nntps: newsgroups of one server, and its articles by number (RFC 1738 3.7, RFC 5538).

Rule: unlike news, an nntp URL names its server, and a number means an article on that server only.
"""

from __future__ import annotations

from anyurl.schemes.scheme import Parts, Scheme, canonical, decode, encode, part_error, refuse_octets
from anyurl.url import URL, syntax

MAX_ARTICLE_DIGITS = 16
"""RFC 5538 3: ``article-number = 1*16DIGIT``."""

_GROUP_SAFE = b"+"


class NntpParts(Parts):
    """A group of one server, and an article of it (RFC 1738 3.7).

    Attributes:
        group: The name of the group.
        article: The number of the (first) article, or None for the whole group.
        last: The number of the last article of a range, or None. RFC 5538 has no ranges; the ``first-last`` of older
            clients is read all the same.

    Raises:
        URLSyntaxError: The group is empty, or a number has no or more than 16 digits.
    """

    __slots__ = ("group", "article", "last")
    __match_args__ = ("group", "article", "last")
    group: str
    article: int | None
    last: int | None

    def __init__(self, group: str, article: int | None = None, last: int | None = None) -> None:
        if not group:
            raise part_error(group, "an nntp URL names a group: nntp://host/group", "RFC 1738 3.7", rule="group")
        if article is None and last is not None:
            raise part_error(
                f"-{last}", "a range of articles needs its first number", "RFC 5538 3", rule="article-number"
            )
        for number in (article, last):
            if number is not None and not 0 <= number < 10**MAX_ARTICLE_DIGITS:
                raise part_error(
                    str(number),
                    f"an article number has 1 to {MAX_ARTICLE_DIGITS} digits",
                    "RFC 5538 3",
                    rule="article-number",
                )
        self._set(canonical(group), article, last)

    def url_path(self) -> str:
        """The encoded group, with the number or the range."""
        path = encode(self.group, _GROUP_SAFE)
        if self.article is not None:
            path += f"/{self.article}"
        if self.last is not None:
            path += f"-{self.last}"
        return path


def read(url: URL) -> NntpParts:
    """Take an nntp or nntps URL apart.

    Raises:
        URLSyntaxError: The group is missing, or what follows it is no number.
    """
    group, slash, numbers = url.url_path.partition("/")
    if not slash:
        return NntpParts(decode(group))
    first, hyphen, last = numbers.partition("-")
    return NntpParts(decode(group), _number(first), _number(last) if hyphen else None)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_ARTICLE_DIGITS):
        raise part_error(
            text,
            f"an article number has 1 to {MAX_ARTICLE_DIGITS} digits, not {text!r}",
            "RFC 5538 3",
            rule="article-number",
        )
    return int(text)


def check(url: URL) -> None:
    """Refuse line ends: they would be further commands to the server (RFC 1738 section 6).

    Raises:
        RefusedError: CR, LF or NUL in the url-path or the login.
    """
    refuse_octets(url, syntax.row(url.scheme), url_path=decode(url.url_path), user=url.user, password=url.password)


_NNTP = "A newsgroup of one server, or one article of it by its number there."

SCHEMES = (
    Scheme("nntp", reference="RFC 5538 3", summary=_NNTP, read=read, read_only=True, check=check),
    Scheme("nntps", reference="RFC 5538 3", summary=f"{_NNTP[:-1]}; over TLS.", read=read, read_only=True, check=check),
)
