"""The scheme that is missing from a text, guessed from its form, for text typed into an address bar.

Rule: only the form decides. No name is looked up and no file checked: a text always has the same result.
A password is never sent on a guess: a text with ``name:password@`` gets no scheme.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from anyurl.url import syntax
from anyurl.url.cut.addresses import parse_ipv6
from anyurl.url.syntax import WEB

DEFAULT = "https"

WINDOWS = re.compile(r"[A-Za-z]:[\\/](?![\\/])")
"""A Windows drive with its root (RFC 8089 E.2)."""

HOST_AND_PORT = re.compile(r"([A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?):([0-9]{1,5})(?=[/?#]|$)")
"""A host and a port, which the grammar reads as a scheme and a path, although they are never meant so."""

PORTS = {
    21: "ftp", 22: "sftp", 23: "telnet", 43: "whois", 70: "gopher", 79: "finger", 80: "http", 119: "news", 143: "imap",
    210: "wais", 389: "ldap", 443: "https", 563: "snews", 636: "ldaps", 873: "rsync", 990: "ftps", 993: "imaps",
    1965: "gemini", 2628: "dict",
}  # fmt: skip
"""Ports that imply a scheme (RFC 6335: each is assigned to one service; 1965 is that of gemini by custom)."""

FIRST_LABELS = {"ftp": "ftp", "gopher": "gopher"}
"""First labels that servers of a scheme have by custom; curl and lynx guess ftp in the same way."""

LOCAL = ("localhost", "localdomain", "test", "local", "internal", "lan", "invalid", "example", "home.arpa")
"""Names for which no authority issues certificates (RFC 6761, RFC 6762, RFC 8375), so that https would fail."""

_SIGNED = ("example",)  # these names are reserved for documents, and https would be meant
_GROUP = re.compile(
    r"(?:(?:comp|humanities|misc|rec|sci|soc|talk|alt)\.|"
    r"news\.(?=(?:admin|announce|answers|groups|lists|misc|newusers|software)(?:\.|$)))[a-z0-9][a-z0-9+_-]*(?:\.[a-z0-9+_-]+)*"
)
"""Groups of the eight hierarchies of Usenet, and of alt (syntax: RFC 5536 3.1.4)."""

_MAY_BE_GROUP = re.compile(r"(?:comp|humanities|misc|news|rec|sci|soc|talk|alt)(?:\.[a-z0-9+_-]+)+")

_TOP = frozenset({"com", "org", "net", "edu", "gov", "mil", "int", "info", "biz", "name", "app", "dev", "jobs", "news"})
"""Last labels of hosts rather than groups, besides those of two letters."""

_FILE_SUFFIX = frozenset({
    "htm", "html", "xhtml", "txt", "pdf", "json", "xml", "csv", "gif", "jpg", "jpeg", "png", "svg", "doc", "docx",
    "odt", "rst", "tex", "log", "cfg", "conf", "ini", "yaml", "yml", "toml", "tar", "gz", "tgz", "bz2", "xz", "deb",
    "iso", "mp3", "mp4", "epub",
})  # fmt: skip
"""Suffixes of files that are not top-level domains."""

_DOI = re.compile(r"10\.[0-9]{4,9}/\S+")
_ADDRESS = re.compile(r"[^\s@/?#:\\<>\"(),;\[\]]+@([^\s@/?#:\\]+)")
MAIL_WITH_FIELDS = re.compile(r"[^\s@/?#:\\<>\"(),;\[\]]+@[^\s@/?#:\\]+\?(?:to|cc|bcc|subject|body)=", re.IGNORECASE)
"""An address of mail with fields of a mailto URL (RFC 6068 2)."""
_COPY = re.compile(r"([^\s@/?#:\\]+@(?:\[[0-9A-Fa-f:.]+\]|[^\s@/?#:\\\[\]]+)):(?![0-9]+(?:/|$))([^\s]+)")
_HEAD = re.compile(
    r"(?P<user>[^/?#\\@:\s]+@)?(?P<host>\[[0-9A-Fa-f:.]+\]|[^\s/?#\\@:\[\]<>{}|^`\"'$%&(),;*!=+]+)"
    r"(?::(?P<port>[0-9]{1,5}))?(?=[/?#\\]|$)"
)
_DOTS = str.maketrans("。．｡", "...")


class Prefix(NamedTuple):
    """A prefix for a text.

    Attributes:
        text: The scheme with its delimiters.
        reason: The reason, as half a sentence.
        others: Other possible prefixes.
    """

    text: str
    reason: str
    others: tuple[str, ...] = ()


def find_prefix(text: str, default: str = DEFAULT) -> Prefix | None:
    """The prefix that makes a URL of a text without a scheme, or with a host in its place; None if there is none.

    >>> find_prefix("localhost:8080/x").text
    'http://'
    """
    scheme, colon, _ = text.partition(":")
    return None if colon and is_known(scheme.lower()) else next(_prefixes(text, default), None)


def _prefixes(text: str, default: str) -> Iterator[Prefix]:
    if text.startswith("//"):
        head = _HEAD.match(text, 2)
        if head is not None and _is_host(head["host"], True):
            found = _of_host(head, default)
            yield Prefix(found.text[:-2], found.reason, tuple(other[:-2] for other in found.others))
    elif text.startswith("/") and not re.search(r"[%?#]", text):
        yield Prefix("file://", "a path on this machine")
    elif WINDOWS.match(text):
        yield Prefix("file:///", "a Windows path")
    elif text.startswith("\\\\"):
        yield Prefix("file:", "a Windows path on another machine")
    elif re.match(r":[0-9]{1,5}(?:[/?#]|$)", text):
        yield Prefix("http://localhost", "a port without a host means this machine")
    elif _DOI.fullmatch(text):
        yield Prefix("doi:", "the form of a DOI")
    elif _is_group(text):
        yield Prefix("news:", "the form of a newsgroup's name", (f"{default}://",))
    elif MAIL_WITH_FIELDS.match(text) or ((address := _ADDRESS.fullmatch(text)) and _is_host(address[1], True)):
        yield Prefix("mailto:", "a mail address", (f"{default}://",))
    elif (head := _HEAD.match(text)) is not None and _is_host(head["host"], _says_more(text, head)):
        found = _of_host(head, default)
        yield found._replace(others=(*found.others, "news:")) if _MAY_BE_GROUP.fullmatch(text) else found


def split_copy(text: str) -> tuple[str, str] | None:
    """User and host, and the path, of ``user@host:path``, as scp and git write a file on another machine; or None."""
    found = _COPY.fullmatch(text)
    return None if found is None else (found[1], found[2])


def is_file_name(text: str) -> bool:
    """Whether it is the name of a file, by a suffix that is not a top-level domain."""
    return "." in text.strip(".") and not re.search(r"[\s/\\?#@:%]", text) and _suffix(text) in _FILE_SUFFIX


def is_known(scheme: str) -> bool:
    """Whether a name is a known or an experimental scheme (RFC 1738 4)."""
    return scheme in syntax.ROWS or scheme.startswith("x-")


def _suffix(text: str) -> str:
    return text.rpartition(".")[2].lower()


def _says_more(text: str, head: re.Match[str]) -> bool:
    """Whether a port, or a slash at the end, shows that one word is a host: ``a/b`` may be a relative reference."""
    return bool(head["port"]) or text[head.end() :] == "/"


def _is_group(text: str) -> bool:
    last = _suffix(text)
    return _GROUP.fullmatch(text) is not None and len(last) != 2 and last not in _TOP


def _is_host(name: str, says_more: bool) -> bool:
    """Whether it has the form of a host: an address, a name with a dot, or one word with other evidence."""
    if name.startswith("["):
        return parse_ipv6(name[1:-1]) is not None
    plain = _plain(name)
    labels = plain.removesuffix(".").split(".")
    if not all(0 < len(label) < 64 and _is_label(label) for label in labels):
        return False
    if labels[-1].isdecimal():
        return len(labels) == 4 and all(label.isdecimal() for label in labels)
    if len(labels) == 1:
        return says_more or plain.lower() == "localhost"
    last = labels[-1].lower()
    known_file = last in _FILE_SUFFIX and not says_more
    named = last.startswith("xn--") or (last.isalpha() and (len(last) > 1 or not last.isascii()))
    return (named or labels[0].lower() in ("www", *FIRST_LABELS)) and not known_file


def _is_label(label: str) -> bool:
    return all(char.isalnum() or char in "-_" or unicodedata.category(char)[0] == "M" for char in label) and not (
        label.startswith("-") or label.endswith("-")
    )


def _plain(name: str) -> str:
    return name if name.isascii() else unicodedata.normalize("NFKC", name.translate(_DOTS))


def is_local(host: str) -> bool:
    """Whether no public authority issues certificates for a host: an address, one word, a reserved name."""
    plain = _plain(host).lower().removesuffix(".")
    if plain.startswith("[") or "." not in plain or plain.rpartition(".")[2].isdecimal():
        return True
    return any(plain.endswith(f".{name}") for name in LOCAL if name not in _SIGNED)


def _of_host(head: re.Match[str], default: str) -> Prefix:
    """The scheme of a host: by its port, then by its first label, then by whether it can have a certificate."""
    host, port = head["host"], int(head["port"] or 0)
    if port in PORTS:
        scheme = PORTS[port]
        return Prefix(f"{scheme}://", f"port {port} is that of {scheme}")
    first = FIRST_LABELS.get(_plain(host).lower().partition(".")[0]) if "." in host else None
    if first is not None:
        return Prefix(f"{first}://", f"the name of the host begins with {first}", (f"{default}://",))
    if default == DEFAULT and is_local(host):
        return Prefix("http://", "a host without a scheme, of a kind that seldom has a certificate", ("https://",))
    others = tuple(f"{name}://" for name in WEB if name != default) if default in WEB else ()
    return Prefix(f"{default}://", "a host without a scheme", others)
