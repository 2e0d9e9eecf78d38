"""Listings of ftp and ftps.

Rule: without ``;type=d``, a listing is fetched by MLSD if FEAT offers it (RFC 3659 7), else by LIST, which every server
has; the names in lines that are not understood, by NLST. With ``;type=d``, it is fetched by NLST with the name, as RFC
1738 3.2.2 says. A child's URL is its directory's with one more segment, whatever octets the name contains.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anyurl.dialogue import Describe, Dialogue, Emit, Entry, Note, Now, Options, Steps
from anyurl.errors import ConnectionLost, TransferTimeout, Truncated, URLSyntaxError
from anyurl.schemes.ftp.parts import SEGMENT_SAFE, FtpParts, check
from anyurl.schemes.ftp.replies import TABLE
from anyurl.schemes.ftp.session import Control, converse
from anyurl.schemes.ftp.transfer import DataTransfer, begin, finish
from anyurl.schemes.ftp.wire.list import ListedName
from anyurl.schemes.ftp.wire.listing import ListingReader, Style
from anyurl.schemes.kit.lines import CR, LINES_AT_MOST, NUL
from anyurl.schemes.kit.meanings import row_of
from anyurl.schemes.kit.media import guess_type
from anyurl.schemes.kit.replies import Reply
from anyurl.schemes.kit.scheme import octets, quoted, text_of
from anyurl.url import URL
from anyurl.url.cut import percent_encode

BATCH = 250
"""Entries per batch: with a few hundred the overhead per entry is small, and the first ones still arrive quickly."""

_NOTHING_THERE = ("no files", "no data sets found", "no members found")

_UNKNOWN_COMMAND = (500, 501, 502, 503, 504)


def list_folder(url: URL, options: Options) -> Dialogue:
    """List what the URL designates: a directory's children, or the one line about a file.

    Raises:
        NotFoundError: There is no such directory or file.
        Truncated: The server did not say that the listing was complete.
    """
    parts = check(url)
    yield from converse(url, options, parts, lambda control: _list(control, parts))
    return None


def _list(control: Control, parts: FtpParts) -> Steps[None]:
    folder = FtpParts(parts.directories)
    name = octets(parts.name)
    if parts.typecode == "d":
        yield from _list_names(control, folder, name)
    elif not name:
        yield from _list_here(control, folder)
    elif "MLST" in (yield from control.ask_features()):
        yield from _list_by_mlsd(control, folder, name)
    else:
        yield from _list_by_cwd(control, folder, name)


def _list_names(control: Control, folder: FtpParts, name: bytes) -> Steps[None]:
    """RFC 1738 3.2.2: "perform a NLST (name list) command with <name> as the argument"."""
    transfer = yield from begin(control, "NLST", name or None)
    what = f"{control.host} does not list {quoted(name)}" if name else f"{control.host} does not list the directory"
    if isinstance(transfer, Reply):
        yield from _deliver_refused(control, transfer, what)
        return
    yield from Describe("listing")
    items: list[ListedName] = []
    yield from _read_all(control, transfer, ListingReader("nlst"), lambda each: _collect(items, each))
    if not name or [item.name for item in items] == [name]:
        # For a file, NLST replies with its name.
        yield from _emit(items, control.url, folder)
    else:
        child = FtpParts((*folder.directories, text_of(name)))
        # Some servers prefix the names with the argument, others do not.
        names = [item.name.removeprefix(name + b"/") for item in items]
        yield from _emit([ListedName(name) for name in names if name not in (b".", b"..")], control.url, child)
    yield from control.leave()


def _list_here(control: Control, folder: FtpParts) -> Steps[None]:
    """List the current directory, without an argument."""
    what = f"{control.host} does not list the directory"
    if "MLST" in (yield from control.ask_features()):
        transfer = yield from begin(control, "MLSD", None)
        if isinstance(transfer, DataTransfer) or not _may_list(transfer):
            yield from _deliver(control, transfer, "mlsd", folder, what)
            return
    transfer = yield from begin_list(control)
    yield from _deliver(control, transfer, "list", folder, what)


def begin_list(control: Control) -> Steps[DataTransfer | Reply]:
    """Begin LIST of the current directory; returns the transfer, or the reply that refuses it."""
    # MLSD is always UTF-8 (RFC 3659 2.2); LIST has the server's own encoding unless UTF-8 was requested.
    yield from control.speak_utf8()
    return (yield from begin(control, "LIST", None))


def _may_list(refused: Reply) -> bool:
    """Whether LIST may work where MLSD fails: some servers name it in FEAT, and answer 550 for every directory."""
    if refused.code in _UNKNOWN_COMMAND:
        return True
    return refused.code == 550 and row_of(TABLE, refused.code, refused.text).meaning != "denied"


def _list_by_mlsd(control: Control, folder: FtpParts, name: bytes) -> Steps[None]:
    """List a name that may be a directory or a file: MLSD lists a directory, MLST describes a file."""
    what = f"{control.host} does not list {quoted(name)}"
    transfer = yield from begin(control, "MLSD", name)
    if isinstance(transfer, DataTransfer):
        child = FtpParts((*folder.directories, text_of(name)))
        yield from _deliver(control, transfer, "mlsd", child, what)
        return
    item = yield from control.facts_about(name)
    if item is None or item.kind == "listing":
        if transfer.code in _UNKNOWN_COMMAND or (item is not None and _may_list(transfer)):
            yield from _list_by_cwd(control, folder, name)
            return
        raise control.refusal(transfer, what)
    yield from Describe("listing")
    yield from _emit([item], control.url, folder)
    yield from control.leave()


def _list_by_cwd(control: Control, folder: FtpParts, name: bytes) -> Steps[None]:
    """The same for a server with LIST only: CWD works for a directory, and a file has a line in its directory.

    LIST is sent without an argument: servers would interpret options and wildcards in it.
    """
    what = f"{control.host} does not list {quoted(name)}"
    refused = yield from control.change_directory(name)
    transfer = yield from begin_list(control)
    if refused.kind == 2:
        child = FtpParts((*folder.directories, text_of(name)))
        yield from _deliver(control, transfer, "list", child, what)
        return
    if isinstance(transfer, Reply):
        raise control.refusal(refused, what)
    item = yield from find_in_list(control, transfer, name)
    if item is None:
        raise control.refusal(refused, what)
    yield from Describe("listing")
    yield from _emit([item], control.url, folder)
    yield from control.leave()


def find_in_list(control: Control, transfer: DataTransfer, name: bytes) -> Steps[ListedName | None]:
    """The entry for one name in a directory received by LIST; None if there is none."""
    found: list[ListedName] = []
    reader = ListingReader("list", now=(yield from Now()))
    yield from _read_all(control, transfer, reader, lambda items: _collect(found, _named(items, name)))
    return found[0] if found else None


def _collect(found: list[ListedName], items: Sequence[ListedName]) -> Steps[None]:
    found += items
    yield from ()


def _named(items: Sequence[ListedName], name: bytes) -> list[ListedName]:
    return [item for item in items if item.name == name]


def _deliver(
    control: Control, transfer: DataTransfer | Reply, style: Style, folder: FtpParts, what: str
) -> Steps[None]:
    """Emit the entries of a directory as they arrive, then finish the transfer."""
    if isinstance(transfer, Reply):
        yield from _deliver_refused(control, transfer, what)
        return
    reader = ListingReader(style, now=(yield from Now()) if style == "list" else 0.0)
    yield from Describe("listing")
    known: set[bytes] = set()
    yield from _read_all(control, transfer, reader, lambda items: _emit_new(items, control.url, folder, known))
    if reader.odd.count:
        yield from Note(reader.odd.remark())
        yield from _emit_names(control, folder, known)
    yield from control.leave()


def _read_all(
    control: Control,
    transfer: DataTransfer,
    reader: ListingReader,
    take: Callable[[Sequence[ListedName]], Steps[None]],
) -> Steps[None]:
    """Read a listing as it arrives, and finish the transfer.

    Raises:
        Truncated: The server did not say that it is complete.
    """
    while piece := (yield from transfer.receive(control, LINES_AT_MOST)):
        yield from take(reader.feed(piece))
    yield from take(reader.finish())
    yield from _end(control, transfer)


def _emit_new(items: Sequence[ListedName], url: URL, folder: FtpParts, known: set[bytes]) -> Steps[None]:
    known.update([item.name for item in items])
    yield from _emit(items, url, folder)


def _emit_names(control: Control, folder: FtpParts, known: set[bytes]) -> Steps[None]:
    """Emit the names in a directory that its lines did not give, if the server knows NLST."""
    transfer = yield from begin(control, "NLST", None)
    if isinstance(transfer, Reply):
        what = f"the listing is not whole: the server does not give the names alone (NLST): {transfer}"
        yield from Note(what, unproved=True)
        return
    found: list[ListedName] = []
    yield from _read_all(control, transfer, ListingReader("nlst"), lambda items: _collect(found, items))
    names = [ListedName(item.name.removeprefix(b"./")) for item in found]
    new = [item for item in names if item.name not in known and item.name not in (b".", b"..")]
    yield from _emit(new, control.url, folder)
    of_them = f" of {len(new):,} entries" if known else ""
    yield from Note(f"the names alone{of_them} are known: the server's NLST gave them")


def _deliver_refused(control: Control, reply: Reply, what: str) -> Steps[None]:
    # Some servers reply "550 No files found" for an empty directory, z/OS "No data sets found" or "No members found".
    if reply.code not in (450, 550) or not any(words in reply.text.lower() for words in _NOTHING_THERE):
        raise control.refusal(reply, what)
    yield from Describe("listing")
    yield from control.leave()


def _end(control: Control, transfer: DataTransfer) -> Steps[None]:
    try:
        reply = yield from finish(control, transfer)
    except (ConnectionLost, TransferTimeout) as error:
        if isinstance(error, TransferTimeout) and error.clock != "idle":
            raise
        raise Truncated(f"{control.host} did not say that the listing is complete: {error}") from error
    if reply.kind != 2:
        raise Truncated(f"{control.host} aborted the listing: {reply}")


def _emit(items: Sequence[ListedName], url: URL, folder: FtpParts) -> Steps[None]:
    base = f"{url.scheme}://{url.authority}/{folder.url_path()}"

    def read(item: ListedName, text: str) -> URL:
        if url.grammar == "current":
            return URL(text)
        # Re-read by today's grammar, the login might be read differently, perhaps even as another host.
        name = text_of(item.name)
        path = (*folder.directories, *([name, ""] if item.kind == "listing" else [name]))
        return url.replace(parts=FtpParts(path[:-1], path[-1]), fragment=None)

    for start in range(0, len(items), BATCH):
        yield from Emit([_entry(item, base, read) for item in items[start : start + BATCH]])


def _entry(item: ListedName, base: str, read: Callable[[ListedName, str], URL]) -> Entry:
    name = text_of(item.name)
    attributes: dict[str, object] = dict(item.facts)
    if _is_unsafe(name):
        attributes["unsafe"] = True
    slash = "/" if item.kind == "listing" else ""
    return Entry(
        name,
        _child(item, base + percent_encode(item.name, SEGMENT_SAFE) + slash, read),
        kind=item.kind,
        size=item.size,
        modified=item.modified,
        type=guess_type(name) if item.kind == "document" else None,
        attributes=attributes,
    )


def _child(item: ListedName, text: str, read: Callable[[ListedName, str], URL]) -> URL | None:
    # There is no URL for a name with octets that must not be sent, or for one that is too long.
    if CR in item.name or NUL in item.name:
        return None
    try:
        return read(item, text)
    except URLSyntaxError:
        return None


def _is_unsafe(name: str) -> bool:
    """Whether this is not a plain file name: empty, a path, or with control characters or direction marks."""
    if name in ("", ".", "..") or "/" in name or "\\" in name:
        return True
    return not name.isprintable() and any(not char.isprintable() and not "\udc80" <= char <= "\udcff" for char in name)
