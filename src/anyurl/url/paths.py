"""Paths of this machine as file URLs, and back (RFC 1738 3.10, RFC 8089 2 and appendix E).

Rules: each name of a path is one segment of the URL: to a file system a name is its octets, so no dot segment is
removed and no letter folded. A path that a system could read differently from its URL is refused: a relative path, a
name with a separator in it, a device.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from anyurl.errors import Diagnostic, URLSyntaxError
from anyurl.url.cut.percent import decode_text, encode_text
from anyurl.url.grammars import find_grammar

if TYPE_CHECKING:
    from anyurl.url.grammars import Locator

System: TypeAlias = Literal["posix", "windows"]

_SAFE = b"!$'()*+,:@&=-._~"
"""What a segment holds unencoded; ``;`` and ``?`` mean something to other readers of a file URL."""

_DRIVE = re.compile(r"[A-Za-z]:")
_NO_NAME = frozenset('<>:"/\\|?*') | {chr(code) for code in range(32)}
"""Characters forbidden in names on Windows; a colon in one is a stream of another file."""

_VERBATIM = re.compile(r"\\\\\?\\(?:(?P<share>UNC\\)|(?=[A-Za-z]:\\))", re.IGNORECASE)


def from_path(path: str | os.PathLike[str], *, system: System | None = None) -> Any:
    r"""The file URL of an absolute path.

    A drive of Windows is the first segment (``C:\a`` is ``file:///C:/a``), and the server of a share the host
    (``\\server\share`` is ``file://server/share``, RFC 8089 E.2 and E.3.1).

    Args:
        path: A str, or a path of `pathlib`.
        system: Whose path it is: ``posix`` or ``windows``. By default that of a pure path of `pathlib`, else this one.

    Raises:
        URLSyntaxError: The path is relative, or it is a device of Windows, or holds NUL or a lone surrogate.

    >>> from anyurl import URL
    >>> URL.from_path("/usr/share/a b", system="posix"), URL.from_path(r"C:\Docs\a.txt", system="windows")
    (URL('file:///usr/share/a%20b'), URL('file:///C:/Docs/a.txt'))
    """
    text = os.fspath(path)
    if not isinstance(text, str):
        raise TypeError(f"a path is a str or a path of str, not {type(text).__name__}")
    if _system(system, path) == "windows":
        host, segments = _of_windows(text)
    elif text.startswith("/"):
        host, segments = "", text[1:].split("/")
    else:
        raise _refused(text, "path-relative", "a file URL is made of an absolute path, which begins with '/'")
    if "\0" in text:
        raise _refused(text, "path-octet", "a path holds no NUL")
    try:
        written = "/".join(encode_text(segment, _SAFE) for segment in segments)
    except UnicodeEncodeError:
        raise _refused(text, "path-octet", "a lone surrogate is not a character of a path") from None
    return find_grammar("current").read(f"file://{host}/{written}")


def to_path(url: Any, *, system: System | None = None) -> str:
    r"""The path of a file URL, absolute, as the file system of this machine knows it.

    Octets that are not UTF-8 are surrogates (``surrogateescape``), as in the rest of Python.

    Args:
        system: Whose path is wanted: ``posix`` or ``windows``; by default that of this machine.

    Raises:
        URLSyntaxError: It is not a file URL; it names another machine, which only a path of Windows can; a segment is
            not a valid file name there; or, for Windows, there is neither a drive nor a host.

    >>> from anyurl import URL
    >>> URL("file://localhost/etc/motd").to_path(system="posix"), URL("file:///C:/a%20b").to_path(system="windows")
    ('/etc/motd', 'C:\\a b')
    """
    if url.scheme != "file":
        raise _refused(str(url), "path-scheme", f"only a file URL has a path of this machine, not one of {url.scheme}")
    segments = [decode_text(segment) for segment in url.path.removeprefix("/").split("/")]
    host = (url.host or "").removesuffix(".")
    host = "" if host == "localhost" else host
    if _system(system) == "windows":
        return _to_windows(url, host, segments)
    if host:
        raise _refused(str(url), "path-host", f"a path has no machine, and {host} is another one (RFC 1738 3.10)")
    for segment in segments:
        if "/" in segment or "\0" in segment:
            raise _refused(str(url), "path-octet", "a segment holds '/' or NUL, which no name of a file does")
    return "/" + "/".join(segments)


def _system(given: System | None, path: object = None) -> System:
    if given is None:
        from pathlib import PurePosixPath, PureWindowsPath

        windows = isinstance(path, PureWindowsPath) or (os.name == "nt" and not isinstance(path, PurePosixPath))
        return "windows" if windows else "posix"
    if given not in ("posix", "windows"):
        raise ValueError(f"a system is 'posix' or 'windows', not {given!r}")
    return given


def _of_windows(text: str) -> tuple[str, list[str]]:
    """The host and the segments of an absolute path of Windows."""
    verbatim = _VERBATIM.match(text)
    plain = text if verbatim is None else ("\\\\" if verbatim["share"] else "") + text[verbatim.end() :]
    # In a verbatim path a slash is a character, which no name holds.
    pieces = (plain if verbatim else plain.replace("/", "\\")).split("\\")
    if _DRIVE.fullmatch(pieces[0]) and len(pieces) > 1:
        host, segments, names = "", pieces, pieces[1:]
    elif pieces[:2] == ["", ""] and len(pieces) > 3 and pieces[2] not in ("", ".", "?"):
        host, segments, names = pieces[2], pieces[3:], pieces[3:]
        if not segments[0] or re.fullmatch(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?", host) is None:
            raise _refused(
                text, "path-share", "a share is written as \\\\server\\share, with a name in letters and digits"
            )
    elif pieces[:2] == ["", ""]:
        raise _refused(text, "path-device", "this is a device of Windows, which no file URL names")
    else:
        message = "a file URL is made of an absolute path: with its drive (C:\\) or its server (\\\\server\\share)"
        raise _refused(text, "path-relative", message)
    for name in names:
        if not _NO_NAME.isdisjoint(name):
            raise _refused(text, "path-octet", 'a name of Windows holds no control character and none of <>:"/\\|?*')
    return host, segments


def _to_windows(url: Locator, host: str, segments: list[str]) -> str:
    names = segments
    if not host:
        if not _DRIVE.fullmatch(segments[0]):
            raise _refused(str(url), "path-drive", "a path of Windows has a drive, as in file:///C:/, or a server")
        names = segments[1:] or [""]
    elif not segments[0]:
        raise _refused(str(url), "path-share", "the path of a server begins with the name of a share")
    for name in names:
        if not _NO_NAME.isdisjoint(name):
            message = 'a segment holds a control character or one of <>:"/\\|?*, which no name of Windows does'
            raise _refused(str(url), "path-octet", message)
    head = f"\\\\{host}" if host else segments[0][0] + ":"
    return "\\".join([head, *names])


def _refused(text: str, code: str, message: str) -> URLSyntaxError:
    return URLSyntaxError(text, (Diagnostic(code, "error", (0, len(text)), "URI", "RFC 8089 2", message),))
