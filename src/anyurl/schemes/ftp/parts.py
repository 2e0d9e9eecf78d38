"""The url-path of ftp and ftps (RFC 1738 3.2.2), its typecode, and the mode that a suffix suggests (3.2.3).

Rule: each segment is decoded separately: ``%2F`` and ``%3B`` are data of a name, ``/`` and ``;type=`` are structure.
The path is not a Unix path (3.2.4): ``..``, an empty segment and ``/etc`` are simply arguments of CWD.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from anyurl.errors import Diagnostic, URLSyntaxError, quoted
from anyurl.schemes.kit.media import guess_type
from anyurl.schemes.kit.scheme import (
    SAFE,
    Parts,
    canonical,
    decode,
    encode,
    once,
    part_error,
    refuse_octets,
    several,
    split_decode,
)
from anyurl.url import URL, syntax
from anyurl.url.fields import TYPE_MARK

_TYPE_MARK = re.compile(TYPE_MARK)

TYPECODES = ("a", "i", "d")
"""RFC 1738 3.2.2 has them in lower case; its BNF (5) allows capitals, which are accepted and mean the same."""

SEGMENT_SAFE = SAFE + b":@&="
"""Characters that a segment may contain unencoded besides the unreserved ones (RFC 1738 5, fsegment). ``?`` is allowed,
too, but every other URL parser would read what follows it as a query."""


class FtpParts(Parts):
    """An ftp url-path, decoded (RFC 1738 3.2.2). Octets that are not UTF-8 are surrogates.

    Attributes:
        directories: The arguments of the CWD commands, in order; an empty one means CWD with an empty argument.
        name: The argument of RETR (or NLST); empty for a directory.
        typecode: ``a`` (text, line ends converted), ``i`` (octets), ``d`` (a list of names), or None: to be guessed.

    Raises:
        URLSyntaxError: The typecode is invalid.
    """

    directories: tuple[str, ...]
    name: str
    typecode: str | None

    def __init__(self, directories: Sequence[str] = (), name: str = "", typecode: str | None = None) -> None:
        if isinstance(directories, str):
            raise part_error(
                directories, "the directories of an ftp URL are a sequence of names", "RFC 1738 3.2.2", rule="fpath"
            )
        if typecode is not None and canonical(typecode).lower() not in TYPECODES:
            raise part_error(
                typecode, f"{quoted(typecode)} is not a typecode: a, i or d would be", "RFC 1738 3.2.2", rule="ftptype"
            )
        self._set(
            directories=tuple(
                canonical(directory, rule="fsegment") for directory in several(directories, "directories")
            ),
            name=canonical(name, rule="fsegment"),
            typecode=None if typecode is None else typecode.lower(),
        )

    def url_path(self) -> str:
        """The encoded url-path: ``cwd1/cwd2/name;type=a``."""
        path = "/".join(encode(segment, SEGMENT_SAFE) for segment in (*self.directories, self.name))
        return path if self.typecode is None else f"{path};type={self.typecode}"


def read(url: URL) -> FtpParts:
    """Read the parts of an ftp URL.

    Raises:
        URLSyntaxError: The typecode after ``;type=`` is not a, i or d.

    >>> read(URL("ftp://myname@host.dom/%2Fetc/motd;type=a"))
    FtpParts(directories=('/etc',), name='motd', typecode='a')
    """
    whole = url.url_path
    path, slash, last = whole.rpartition("/")
    if whole.isascii() and "%" not in whole and ";" not in last:  # nearly always: there is nothing to decode or check
        return _plain(tuple(path.split("/")) if slash else (), last)
    # A ";" can't occur unencoded in a segment (RFC 1738 3.2.2), so the first ";type=" of the last one ends the name.
    name, *behind = _TYPE_MARK.split(last, 1)
    typecode = decode(behind[0]) if behind else None
    if typecode is not None and typecode.lower() not in TYPECODES:
        raise _bad_typecode(url, behind[0])
    return FtpParts(split_decode(path) if slash else (), decode(name), typecode)


def _plain(directories: tuple[str, ...], name: str) -> FtpParts:
    """Parts of ASCII texts without a typecode: the constructor's checks would change nothing."""
    parts = FtpParts.__new__(FtpParts)
    parts._set(directories=directories, name=name, typecode=None)
    return parts


def _bad_typecode(url: URL, typecode: str) -> URLSyntaxError:
    text = str(url)
    start = len(str(url.without_fragment())) - len(typecode)
    shown = quoted(typecode) if typecode else "an empty one"
    message = f"the typecode of an ftp URL must be a, i or d, not {shown}; encode a ';' in a name as %3B"
    span = (start, start + len(typecode))
    return URLSyntaxError(text, (Diagnostic("bad-typecode", "error", span, "ftptype", "RFC 1738 3.2.2", message, "i"),))


@once
def check(url: URL) -> FtpParts:
    """Refuse a URL whose user, password or path would end a command and begin another (RFC 1738 section 6).

    Returns:
        The parts of the URL.

    Raises:
        RefusedError: CR, LF or NUL in one of them.
        URLSyntaxError: As `read`.
    """
    parts = read(url)
    row = syntax.row(url.scheme)
    path = "/".join((*parts.directories, parts.name))
    refuse_octets(url, row, user_name=url.user, password=url.password, path=path)
    return parts


# --- the mode, when the URL does not say it (RFC 1738 3.2.3) ---------------------------------------------------------


def guess_mode(name: str) -> str:
    """``a`` if the suffix of the name is that of a text file, else ``i``.

    >>> guess_mode("rfc1738.txt"), guess_mode("rfc1738.tar.gz"), guess_mode("motd")
    ('a', 'i', 'i')
    """
    # Text sent as octets loses nothing, but binary data sent as text is damaged: names without a suffix don't count.
    media_type = guess_type(name) if "." in name else None
    return "a" if media_type is not None and media_type.startswith("text/") else "i"
