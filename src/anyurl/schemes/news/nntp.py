"""nntp, nntps: newsgroups of one server, and its articles by number (RFC 1738 3.7, RFC 5538).

Rule: unlike news, an nntp URL names its server, and a number means an article on that server only. A group is a
listing of its newest articles, or of those in a range.

Its neighbours serve the news scheme, too: `session` (connection and commands), `groups` (listings), `articles`
(articles, their parts, posting), `replies`; `wire` is the codec.
"""

from __future__ import annotations

from anyurl.dialogue import Dialogue, FakeServer, Options
from anyurl.errors import RefusedError, UnsupportedError, quoted
from anyurl.schemes.kit.scheme import (
    Parts,
    Scheme,
    canonical,
    check_number,
    decode,
    encode,
    lacks_words,
    octets,
    once,
    part_error,
    refuse_octets,
)
from anyurl.schemes.news import articles, groups
from anyurl.schemes.news.session import NewsSession
from anyurl.url import URL, syntax

MAX_ARTICLE_DIGITS = 16
"""RFC 5538 3: ``article-number = 1*16DIGIT``."""

_GROUP_SAFE = b"+"


class NntpParts(Parts):
    """A group of one server, and an article in it (RFC 1738 3.7).

    Attributes:
        group: The name of the group.
        article: The number of the (first) article, or None for the whole group.
        last: The number of the last article of a range, or None. RFC 5538 has no ranges, but ``first-last``, as in
            older clients, is accepted.

    Raises:
        URLSyntaxError: The group is empty, or contains ``*`` and is followed by a number, or a number has no digits or
            more than 16.
    """

    group: str
    article: int | None
    last: int | None

    def __init__(self, group: str, article: int | None = None, last: int | None = None) -> None:
        group = canonical(group)
        check_number(article, "article number")
        check_number(last, "last article number")
        if not group:
            raise part_error(group, "an nntp URL must name a group: nntp://host/group", "RFC 1738 3.7", rule="group")
        if article is not None and "*" in group:  # RFC 5538 2.2: "*" is a pattern of groups, but GROUP needs a name
            raise part_error(
                group, "an article number follows one group, whose name has no '*'", "RFC 5538 3", rule="group"
            )
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
        self._set(group=group, article=article, last=last)

    def url_path(self) -> str:
        """The encoded group, with the number or the range."""
        path = encode(self.group, _GROUP_SAFE)
        if self.article is not None:
            path += f"/{self.article}"
        if self.last is not None:
            path += f"-{self.last}"
        return path


def read(url: URL) -> NntpParts:
    """Read the parts of an nntp or nntps URL.

    Raises:
        URLSyntaxError: The group is missing, or is not followed by a number.
    """
    group, slash, numbers = url.url_path.partition("/")
    if not slash:
        return NntpParts(decode(group))
    if not numbers:
        raise part_error(
            numbers,
            "an article number has 1 to 16 digits; without the slash the URL names the group",
            "RFC 5538 3",
            rule="article-number",
        )
    if "@" in decode(numbers):
        raise part_error(
            numbers,
            "an nntp URL names an article by its number: news://host/identifier names it by its identifier",
            "RFC 5538 3",
            rule="article-number",
        )
    first, hyphen, last = numbers.partition("-")
    return NntpParts(decode(group), _number(first), _number(last) if hyphen else None)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_ARTICLE_DIGITS):
        raise part_error(
            text,
            f"an article number has 1 to {MAX_ARTICLE_DIGITS} digits, not {quoted(text)}",
            "RFC 5538 3",
            rule="article-number",
        )
    return int(text)


@once
def check(url: URL) -> NntpParts:
    """Refuse a path by `refuse_path`.

    Returns:
        The parts of the URL.

    Raises:
        URLSyntaxError: As `read`.
    """
    refuse_path(url)
    return read(url)


def refuse_path(url: URL) -> None:
    """Refuse line ends, which would begin further commands (RFC 1738 section 6), and spaces, which end an argument.

    Raises:
        RefusedError: CR, LF, NUL, a space or another control octet in the url-path.
    """
    text = decode(url.url_path)
    refuse_octets(url, syntax.row(url.scheme), url_path=text, user=url.user, password=url.password)
    # All octets of a non-ASCII character are above 127.
    if " " in text or (not text.isprintable() and any(char < " " or char == "\x7f" for char in text)):
        raise RefusedError(
            f"The path of {url.masked} holds a space or a control octet, which no group and no message-id has: it "
            "would end an argument of a command, and is never sent (RFC 3977 3.1).",
            code="octets",
            subject=url.scheme,
        )


# --- the verbs -------------------------------------------------------------------------------------------------------


def get(url: URL, options: Options) -> Dialogue:
    """Get an article by its number, or list a group (its newest articles, or a range of them).

    Asks: one connection to the URL's host; a login if the server requires one.

    Raises:
        NotFoundError: The server has no such group or article.
        Truncated: The connection ended before the lone dot.
    """
    parts = check(url)
    if parts.article is None or parts.last is not None:
        return (yield from list_group(url, options))
    session = NewsSession(url, options)
    yield from session.converse(
        session.select(octets(parts.group), anew=False),
        articles.get_article(url, session, b"%d" % parts.article, options),
    )
    return None


def list_group(url: URL, options: Options) -> Dialogue:
    """List a group: its newest articles, a range, or the one article with the URL's number."""
    parts = check(url)
    session = NewsSession(url, options)
    last = parts.article if parts.last is None else parts.last
    yield from session.converse(groups.list_articles(url, session, octets(parts.group), parts.article, last))
    return None


def search(url: URL, options: Options) -> Dialogue:
    """Find articles of the group (or range) by words in subject or author, and by date (``since:1994-12-20``)."""
    parts = check(url)
    if not options.words.strip():
        raise lacks_words(url)
    wanted = groups.Wanted(options.words)
    session = NewsSession(url, options)
    last = parts.article if parts.last is None else parts.last
    yield from session.converse(groups.list_articles(url, session, octets(parts.group), parts.article, last, wanted))
    return None


def stat(url: URL, options: Options) -> Dialogue:
    """Describe an article by its head, or a group."""
    parts = check(url)
    session = NewsSession(url, options)
    if parts.article is None or parts.last is not None:
        yield from session.converse(groups.stat_group(session, octets(parts.group)))
    else:
        yield from session.converse(
            session.select(octets(parts.group), anew=False),
            articles.stat_article(session, b"%d" % parts.article),
        )
    return None


def append(url: URL, options: Options) -> Dialogue:
    """Post an article to the group (RFC 1738 section 2: update).

    Raises:
        UnsupportedError: The URL designates an article.
        DeniedError: The server does not accept articles, or not this one.
    """
    parts = check(url)
    if parts.article is not None:
        raise UnsupportedError(
            f"{url.masked} designates articles that exist: a URL of a group can be posted to.",
            scheme=url.scheme,
            verb="append",
        )
    yield from articles.post(url, NewsSession(url, options, fresh=True), parts.group, options)
    return None


# --- the schemes -----------------------------------------------------------------------------------------------------


def fake_server(url: URL, _options: Options) -> FakeServer:
    """An ideal server: it has the group and the article of this URL."""
    from anyurl.schemes.news.wire.server import IdealShelf, NewsServer

    return NewsServer(IdealShelf(getattr(url.parts, "group", None) or "ideal.group"))


def _scheme(name: str, summary: str) -> Scheme:
    return Scheme(
        name,
        reference="RFC 5538 3",
        summary=summary,
        read=read,
        verbs={"get": get, "list": list_group, "search": search, "stat": stat, "append": append},
        fake_server=fake_server,
        check=check,
    )


_NNTP = "A newsgroup of one server, or one article of it by its number there"

SCHEMES = (_scheme("nntp", f"{_NNTP}."), _scheme("nntps", f"{_NNTP}; over TLS."))
