"""file: files and directories of this machine (RFC 1738 3.10, RFC 8089).

Rule: the host is empty, ``localhost`` or this machine's own name; RFC 1738 defines no access to any other, and none is
tried. Each segment is decoded separately and is one name: an encoded ``/`` or NUL in it is refused before any access.
"""

from __future__ import annotations

from collections.abc import Sequence

from anyurl.dialogue import (
    Channel,
    Close,
    Commit,
    Describe,
    Dialogue,
    Emit,
    Entry,
    FileFacts,
    ListFolder,
    LocalName,
    Note,
    OpenFile,
    OpenFolder,
    Options,
    Relay,
    Send,
    StatFile,
    Steps,
    Take,
)
from anyurl.errors import RefusedError, UnsupportedError, URLSyntaxError, escape
from anyurl.schemes.kit.media import guess_type
from anyurl.schemes.kit.scheme import SAFE, Parts, Scheme, canonical, encode, part_error, several, split_decode
from anyurl.url import URL

SEGMENT_SAFE = SAFE + b":@&="
"""Characters that a segment may hold unencoded, besides the unreserved (RFC 1738 5, fsegment; a ``?`` is a query to
other readers)."""


class FileParts(Parts):
    """The path of a file URL, decoded (RFC 1738 3.10). Octets that are not UTF-8 are surrogates.

    Attributes:
        segments: Directories and, at the end, the name; an empty last one means a directory: ``('etc', '')``.
    """

    segments: tuple[str, ...]

    def __init__(self, segments: Sequence[str] = ()) -> None:
        if isinstance(segments, str):
            raise part_error(
                segments, "the segments of a file URL are a sequence of names", "RFC 1738 3.10", rule="fpath"
            )
        names = tuple(canonical(segment, rule="fsegment") for segment in several(segments, "segments"))
        self._set(segments=() if names == ("",) else names)

    @property
    def path(self) -> str:
        """The path as the file system knows it."""
        return "/" + "/".join(self.segments)

    @property
    def name(self) -> str:
        """The last segment; empty for a directory."""
        return self.segments[-1] if self.segments else ""

    def url_path(self) -> str:
        """The encoded path without its first ``/``."""
        return "/".join(encode(segment, SEGMENT_SAFE) for segment in self.segments)


def read(url: URL) -> FileParts:
    """Read the parts of a file URL.

    >>> read(URL("file:///usr/share/doc/a%20b.txt")).path
    '/usr/share/doc/a b.txt'
    """
    # RFC 8089 2: "file:/path" is the minimal form of "file:///path".
    return FileParts(split_decode(url.path.removeprefix("/")))


def check(url: URL) -> FileParts:
    """Refuse a segment that is more than one name, or less (RFC 1738 2.2: an encoded ``/`` is data of a segment).

    Returns:
        The parts of the URL.

    Raises:
        RefusedError: A segment holds ``/`` or NUL: no file name can.
    """
    parts = read(url)
    for segment in parts.segments:
        for octet, shown in (("/", "'/' (%2F)"), ("\0", "NUL (%00)")):
            if octet in segment:
                raise RefusedError(
                    f"The path segment {escape(segment)!r} of {url.masked} holds {shown}, which no file name can "
                    "contain: segments are separated by an unencoded '/' (RFC 1738 3.10).",
                    code="octets",
                    subject=url.scheme,
                )
    return parts


def _local_path(url: URL) -> Steps[str]:
    """The path, once it is certain that it is one of this machine.

    Raises:
        RefusedError: As `check`.
        UnsupportedError: The host is another machine.

    Asks:
        LocalName, when the URL has a host other than ``localhost``.
    """
    parts = check(url)
    host = (url.host or "").removesuffix(".")
    if host not in ("", "localhost") and host not in (yield from LocalName()):
        raise UnsupportedError(
            f"{url.masked} is a file of another machine, and RFC 1738 3.10 gives no access method for it; a file of "
            "this machine has no host, or localhost, and an ftp or http URL would reach the other one.",
            scheme=url.scheme,
            verb="get",
        )
    return parts.path


# --- get, list, stat -------------------------------------------------------------------------------------------------


def get(url: URL, options: Options) -> Dialogue:
    """Read a file, or list a directory; with ``options.resume`` the rest of the file, if it is still the same.

    Raises:
        LocalFileError: There is no such file, it is neither file nor directory, or it may not be read.
        Truncated: The file became shorter while it was read.
        UnsupportedError: The host is another machine.
    """
    path = yield from _local_path(url)
    facts = yield from StatFile(path)
    if facts.kind == "listing":
        yield from _list(url, path, facts)
        return None
    channel, start = yield from _open(path, facts, options)
    yield from Describe(
        "document",
        type=guess_type(facts.name),
        size=channel.size,
        modified=channel.modified,
        name=facts.name,
        start=start,
        attributes=_attributes(facts),
    )
    yield from Relay(channel)
    yield from Close(channel)
    return None


def _open(path: str, facts: FileFacts, options: Options) -> Steps[tuple[Channel, int]]:
    start = yield from _resumable(facts, options)
    channel = yield from OpenFile(path, "read", start)
    if start and (channel.size, channel.modified) != (facts.size, facts.modified):
        # The file was replaced after stat: the octets of the partial file are from another file.
        yield from Close(channel)
        yield from Note("the transfer starts again from the beginning: the file has changed")
        return (yield from OpenFile(path)), 0
    return channel, start


def _resumable(facts: FileFacts, options: Options) -> Steps[int]:
    """The offset to resume at: not 0 only if size and time both match the earlier ones."""
    resume = options.resume
    if resume is None or not resume.start:
        return 0
    if resume.compares:
        return min(resume.start, facts.size)
    if resume.size is None or resume.modified is None:
        reason = "it is unknown whether it is still the same file"
    elif (resume.size, resume.modified) != (facts.size, facts.modified) or resume.start > facts.size:
        reason = "the file has changed"
    else:
        return resume.start
    yield from Note(f"the transfer starts again from the beginning: {reason}")
    return 0


def list_folder(url: URL, options: Options) -> Dialogue:
    """List a directory, or the one file.

    Raises:
        LocalFileError: There is no such directory or file, or it may not be listed.
        LimitError: The directory has more entries than the limit.
        UnsupportedError: The host is another machine.
    """
    path = yield from _local_path(url)
    facts = yield from StatFile(path)
    if facts.kind == "listing":
        yield from _list(url, path, facts)
    else:
        yield from Describe("listing")
        segments = read(url).segments
        yield from Emit([_entry(facts, _base(url, (*segments[:-1], "")))])
    return None


def _list(url: URL, path: str, facts: FileFacts) -> Steps[None]:
    channel = yield from OpenFolder(path)
    children = yield from ListFolder(channel)
    yield from Describe("listing", modified=facts.modified, name=facts.name or None, attributes=_attributes(facts))
    segments = read(url).segments
    base = _base(url, segments if not segments or segments[-1] == "" else (*segments, ""))
    while children:
        yield from Emit([_entry(child, base) for child in children])
        children = yield from ListFolder(channel)
    yield from Close(channel)


def _base(url: URL, folder: Sequence[str]) -> str:
    """The beginning of the URLs of a directory's children."""
    return f"file://{url.authority or ''}/{FileParts(folder).url_path()}"


def _entry(facts: FileFacts, base: str) -> Entry:
    slash = "/" if facts.kind == "listing" else ""
    document = facts.kind == "document"
    return Entry(
        facts.name,
        _child(f"{base}{encode(facts.name, SEGMENT_SAFE)}{slash}"),
        kind=facts.kind,
        size=facts.size if document else None,
        modified=facts.modified,
        type=guess_type(facts.name) if document else None,
        attributes=_attributes(facts),
    )


def _child(text: str) -> URL | None:
    try:
        return URL(text)
    except URLSyntaxError:  # longer than any URL
        return None


def _attributes(facts: FileFacts) -> dict[str, str]:
    return {"mode": f"{facts.mode:04o}"}


def stat(url: URL, options: Options) -> Dialogue:
    """The file system's facts about a file or directory.

    Raises:
        LocalFileError: There is no such file, or access is denied.
        UnsupportedError: The host is another machine, or it is neither file nor directory.
    """
    path = yield from _local_path(url)
    facts = yield from StatFile(path)
    if facts.kind is None:
        raise UnsupportedError(
            f"{escape(path)} is a device, a FIFO or a socket: a file URL designates a file or a directory.",
            scheme=url.scheme,
            verb="stat",
        )
    document = facts.kind == "document"
    yield from Describe(
        facts.kind,
        type=guess_type(facts.name) if document else None,
        size=facts.size if document else None,
        modified=facts.modified,
        name=facts.name or None,
        attributes=_attributes(facts),
    )
    return None


# --- put, append -----------------------------------------------------------------------------------------------------


def put(url: URL, options: Options) -> Dialogue:
    """Write a file, replacing an existing one of that name atomically: no reader ever sees a partial file.

    Raises:
        UnsupportedError: The URL designates a directory, or another machine's file.
        LocalFileError: It may not be written, or the disk is full: the old file is untouched.
    """
    yield from _store(url, "put")
    return None


def append(url: URL, options: Options) -> Dialogue:
    """Append to a file, which is created if it does not exist.

    Raises:
        UnsupportedError: The URL designates a directory, or another machine's file.
        LocalFileError: It may not be written, or the disk is full: the added octets are removed again.
    """
    yield from _store(url, "append")
    return None


def _store(url: URL, verb: str) -> Steps[None]:
    path = yield from _local_path(url)
    name = read(url).name
    if not name:
        raise UnsupportedError(
            f"{url.masked} designates a directory: a URL that ends with a file's name can be written to.",
            scheme=url.scheme,
            verb=verb,
        )
    channel = yield from OpenFile(path, "replace" if verb == "put" else "append")
    sent = 0
    while piece := (yield from Take()):
        yield from Send(channel, piece)
        sent += len(piece)
    yield from Commit(channel)
    yield from Close(channel)
    yield from Describe("document", type=guess_type(name), size=sent, name=name)


SCHEMES = (
    Scheme(
        "file",
        reference="RFC 8089",
        summary="A file or a directory of this machine.",
        read=read,
        verbs={"get": get, "list": list_folder, "stat": stat, "put": put, "append": append},
        check=check,
    ),
)
