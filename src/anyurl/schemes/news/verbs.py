"""news, snews: newsgroups and articles, wherever they are (RFC 1738 3.6, RFC 5538).

Rule: a server is optional in a news URL; by default the configured one is used. An ``@`` distinguishes a message
identifier from a group; no character is reserved. The protocol is implemented in `nntp` and its neighbours.
"""

from __future__ import annotations

from anyurl.dialogue import Dialogue, Note, Options, Steps
from anyurl.errors import PeerText, UnsupportedError
from anyurl.schemes.kit.scheme import Parts, Scheme, canonical, decode, encode, lacks_words, octets, once, part_error
from anyurl.schemes.news import articles, groups, nntp
from anyurl.schemes.news.nntp import fake_server, refuse_path
from anyurl.schemes.news.session import NewsSession
from anyurl.url import URL

__all__ = [
    "ALL",
    "SCHEMES",
    "NewsParts",
    "append",
    "check",
    "get",
    "fake_server",
    "list_groups",
    "read",
    "search",
    "stat",
]

ALL = "*"
"""Every group (RFC 1738 3.6)."""

_WILDMAT_SAFE = b"+*!,"
_MESSAGE_ID_SAFE = b"$+!*'(),@&=;:"

_WILD = frozenset("*?,!")


class NewsParts(Parts):
    """The group, groups or article that a news URL names, or (all empty) every group of the server.

    Attributes:
        group: The name of one group, or None.
        message_id: The identifier of an article without ``<`` and ``>``, or None.
        wildmat: A pattern for the names of groups (RFC 3977 4.2), ``*`` for all groups; or None.

    Raises:
        URLSyntaxError: More than one is given, or one has the form of another.
    """

    group: str | None
    message_id: str | None
    wildmat: str | None

    def __init__(self, group: str | None = None, message_id: str | None = None, wildmat: str | None = None) -> None:
        given = [canonical(text) for text in (group, message_id, wildmat) if text is not None]
        if len(given) > 1:
            raise part_error(
                " ".join(given),
                "a news URL names one thing: a group, a message-id or a wildmat",
                "RFC 5538 4",
                rule="news",
            )
        if given:
            _check_news(given[0], message_id is not None, wildmat is not None)
        texts = {"group": group, "message_id": message_id, "wildmat": wildmat}
        self._set(**{name: None if text is None else canonical(text) for name, text in texts.items()})

    def url_path(self) -> str:
        """The encoded group, pattern or message identifier."""
        if self.message_id is not None:
            return encode(self.message_id, _MESSAGE_ID_SAFE)
        return encode(self.group or self.wildmat or "", _WILDMAT_SAFE)


def _check_news(text: str, message_id: bool, wildmat: bool) -> None:
    """Check that the text is read back as the same kind, which depends on its characters alone."""
    if ("@" in text) is not message_id:
        message = "a message-id has an '@'" if message_id else "an '@' would make a message-id of the name of a group"
        raise part_error(text, message, "RFC 1738 3.6", rule="grouppart")
    if not text:
        raise part_error(text, "the name is empty", "RFC 5538 4", rule="grouppart")
    if message_id and ("<" in text or ">" in text):
        raise part_error(text, "a message-id in a URL has no '<' and '>'", "RFC 5538 4", rule="message-id")
    if not message_id and _WILD.isdisjoint(text) is wildmat:
        message = (
            "the pattern has no wildcard: it is a group" if wildmat else "the group has a wildcard: it is a pattern"
        )
        raise part_error(text, f"{message} (one of * ? , !)", "RFC 3977 4.2", rule="wildmat")


def read(url: URL) -> NewsParts:
    """Read the parts of a news or snews URL.

    Programs write an identifier in its brackets, a query after it (`left_out`), and a slash after a group: none of
    these can be part of the name.

    Raises:
        URLSyntaxError: It is not a valid group, pattern or message identifier.
    """
    path = url.url_path
    text = decode(path[: len(path) - len(left_out(url))])
    if "@" in text:
        return NewsParts(message_id=text[1:-1] if text.startswith("<") and text.endswith(">") else text)
    path = path.removesuffix("/")
    if not path:
        return NewsParts()
    if "/" in path:  # an encoded one belongs to the name (RFC 5538)
        raise part_error(
            path,
            "a group has no '/': an article is named by its number in nntp://host/group/number, or by its "
            "identifier in news://host/identifier",
            "RFC 5538 3",
            rule="grouppart",
        )
    text = decode(path)
    return NewsParts(group=text) if _WILD.isdisjoint(text) else NewsParts(wildmat=text)


@once
def check(url: URL) -> NewsParts:
    """Refuse a path by `anyurl.schemes.news.nntp.refuse_path`.

    Returns:
        The parts of the URL.

    Raises:
        URLSyntaxError: As `read`.
    """
    refuse_path(url)
    return read(url)


def left_out(url: URL) -> str:
    """The query after an identifier: the group, as Thunderbird writes it; RFC 5538 defines none."""
    path = url.url_path
    at = path.find("?", path.find("@") + 1) if "@" in path else -1
    return "" if at < 0 else path[at:]


def _tell_left_out(url: URL) -> Steps[None]:
    if query := left_out(url):
        yield from Note(f"{PeerText(query)} is left out: a news URL has no query, and an identifier none of these")


# --- the verbs -------------------------------------------------------------------------------------------------------


def get(url: URL, options: Options) -> Dialogue:
    """Get an article by its identifier, or list a group's newest articles, or the groups that match a wildmat.

    Asks: one connection, to the URL's server or the configured one; a login if the server requires one.

    Raises:
        UnsupportedError: The URL names no server, and none is configured.
        NotFoundError: The server has no such group or article.
    """
    parts = check(url)
    if parts.message_id is None:
        return (yield from list_groups(url, options))
    yield from _tell_left_out(url)
    reference = articles.reference_of(parts.message_id)
    session = NewsSession(url, options)
    yield from session.converse(articles.get_article(url, session, reference, options))
    return None


def list_groups(url: URL, options: Options) -> Dialogue:
    """List a group's newest articles, or the groups that match a wildmat (all groups if the URL names nothing).

    Raises:
        UnsupportedError: The URL designates an article.
    """
    parts = check(url)
    _refuse_article(url, parts, "list", "use get")
    session = NewsSession(url, options)
    if parts.group is not None:
        yield from session.converse(groups.list_articles(url, session, octets(parts.group), None, None))
    else:
        yield from session.converse(groups.list_groups(url, session, parts.wildmat or ALL))
    return None


def search(url: URL, options: Options) -> Dialogue:
    """Find articles of a group, or groups that match a wildmat, by words; ``since:1994-12-20`` finds new articles.

    Raises:
        UnsupportedError: The URL designates an article, there are no words, or the server can't list new articles.
    """
    parts = check(url)
    _refuse_article(url, parts, "search", "a group, or a wildmat of groups, is searched")
    if not options.words.strip():
        raise lacks_words(url)
    wanted = groups.Wanted(options.words)
    if parts.group is None and wanted.since is not None and wanted.words:
        raise UnsupportedError(
            "New articles of several groups come without subjects: since:DATE can be combined with words for one group "
            "only.",
            scheme=url.scheme,
            verb="search",
        )
    session = NewsSession(url, options)
    yield from session.converse(_search(url, parts, session, wanted, options.words))
    return None


def _search(url: URL, parts: NewsParts, session: NewsSession, wanted: groups.Wanted, words: str) -> Steps[None]:
    if parts.group is not None:
        yield from groups.list_articles(url, session, octets(parts.group), None, None, wanted)
    elif wanted.since is not None:
        yield from groups.list_new(url, session, parts.wildmat or ALL, wanted.since)
    else:
        yield from groups.list_groups(url, session, parts.wildmat or ALL, words)


def stat(url: URL, options: Options) -> Dialogue:
    """Describe an article by its head, a group, or the capabilities of the server."""
    parts = check(url)
    reference = None if parts.message_id is None else articles.reference_of(parts.message_id)
    session = NewsSession(url, options)
    yield from _tell_left_out(url)
    if reference is not None:
        yield from session.converse(articles.stat_article(session, reference))
    elif parts.group is not None:
        yield from session.converse(groups.stat_group(session, octets(parts.group)))
    else:
        yield from session.converse(groups.stat_server(session))
    return None


def append(url: URL, options: Options) -> Dialogue:
    """Post an article to a group (RFC 1738 section 2: update).

    Raises:
        UnsupportedError: The URL names no group, or no server and none is configured.
        DeniedError: The server does not accept articles, or not this one.
    """
    parts = check(url)
    if parts.group is None:
        raise UnsupportedError(
            f"{url.masked} names no group to post to: news:comp.lang.c does.", scheme=url.scheme, verb="append"
        )
    yield from articles.post(url, NewsSession(url, options, fresh=True), parts.group, options)
    return None


def _refuse_article(url: URL, parts: NewsParts, verb: str, hint: str) -> None:
    if parts.message_id is not None:
        raise UnsupportedError(f"{url.masked} designates an article: {hint}.", scheme=url.scheme, verb=verb)


# --- the schemes -----------------------------------------------------------------------------------------------------


def _scheme(name: str, summary: str) -> Scheme:
    return Scheme(
        name,
        reference="RFC 5538 4",
        summary=summary,
        read=read,
        verbs={"get": get, "list": list_groups, "search": search, "stat": stat, "append": append},
        fake_server=fake_server,
        check=check,
    )


_NEWS = "A newsgroup, several of them, or one article by its message identifier, on whatever server has it"

SCHEMES = (_scheme("news", f"{_NEWS}."), _scheme("snews", f"{_NEWS}; over TLS."), *nntp.SCHEMES)
