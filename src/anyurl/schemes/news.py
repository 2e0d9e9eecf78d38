"""news, snews: newsgroups and articles, wherever they are (RFC 1738 3.6, RFC 5538).

Rule: a server is optional in a news URL. An ``@`` tells a message identifier from a group; nothing is reserved.
"""

from __future__ import annotations

from anyurl.schemes.scheme import Parts, Scheme, canonical, decode, encode, part_error, refuse_octets
from anyurl.url import URL, syntax

_WILDMAT_SAFE = b"+*!,"
_MESSAGE_ID_SAFE = b"$+!*'(),@&=;:"

_WILD = frozenset("*?,!")


class NewsParts(Parts):
    """What a news URL names: a group, several groups, one article, or (all empty) whatever the server has.

    Attributes:
        group: The name of one group, or None.
        message_id: The identifier of an article without ``<`` and ``>``, or None.
        wildmat: A pattern for the names of groups (RFC 3977 4.2); ``*`` is all of them; or None.

    Raises:
        URLSyntaxError: More than one is given, or one is given in another's form.
    """

    __slots__ = ("group", "message_id", "wildmat")
    __match_args__ = ("group", "message_id", "wildmat")
    group: str | None
    message_id: str | None
    wildmat: str | None

    def __init__(self, group: str | None = None, message_id: str | None = None, wildmat: str | None = None) -> None:
        given = [text for text in (group, message_id, wildmat) if text is not None]
        if len(given) > 1:
            raise part_error(
                " ".join(given),
                "a news URL names one thing: a group, a message-id or a wildmat",
                "RFC 5538 4",
                rule="news",
            )
        if given:
            _check_news(given[0], message_id is not None, wildmat is not None)
        self._set(*(None if text is None else canonical(text) for text in (group, message_id, wildmat)))

    def url_path(self) -> str:
        """The encoded group, pattern or message identifier."""
        if self.message_id is not None:
            return encode(self.message_id, _MESSAGE_ID_SAFE)
        return encode(self.group or self.wildmat or "", _WILDMAT_SAFE)


def _check_news(text: str, message_id: bool, wildmat: bool) -> None:
    """What is read again must be of the same kind, for it is told by its characters alone."""
    if ("@" in text) is not message_id:
        message = "a message-id has an '@'" if message_id else "an '@' would make a message-id of the name of a group"
        raise part_error(text, message, "RFC 1738 3.6", rule="grouppart")
    if not text:
        raise part_error(text, "the name is empty", "RFC 5538 4", rule="grouppart")
    if not message_id and _WILD.isdisjoint(text) is wildmat:
        message = (
            "the pattern has no wildcard: it is a group" if wildmat else "the group has a wildcard: it is a pattern"
        )
        raise part_error(text, f"{message} (one of * ? , !)", "RFC 3977 4.2", rule="wildmat")


def read(url: URL) -> NewsParts:
    """Take a news or snews URL apart.

    Raises:
        URLSyntaxError: It can't be read as a group, a pattern or a message identifier.
    """
    text = decode(url.url_path)
    if not text:
        return NewsParts()
    if "@" in text:
        return NewsParts(message_id=text)
    return NewsParts(group=text) if _WILD.isdisjoint(text) else NewsParts(wildmat=text)


def check(url: URL) -> None:
    """Refuse line ends: they would be further commands to the server (RFC 1738 section 6).

    Raises:
        RefusedError: CR, LF or NUL in the url-path or the login.
    """
    refuse_octets(url, syntax.row(url.scheme), url_path=decode(url.url_path), user=url.user, password=url.password)


_NEWS = "A newsgroup, several of them, or one article by its message identifier, on whatever server has it."
SCHEMES = (
    Scheme("news", reference="RFC 5538 4", summary=_NEWS, read=read, read_only=True, check=check),
    Scheme("snews", reference="RFC 5538 4", summary=f"{_NEWS[:-1]}; over TLS.", read=read, read_only=True, check=check),
)
