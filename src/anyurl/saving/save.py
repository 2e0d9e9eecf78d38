"""Saving a resource to a file, atomically (RFC 1738 2: access).

The rule: a file gets its name only when it is complete; nothing is overwritten without `force`, no link to a file is
followed, and a download is resumed only if the resource is proven to be unchanged, or if nothing tells that it has
changed and the end of what is there comes again. A device or a pipe is written to, never replaced. A name from a peer
becomes a file name only through `safe_name`.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, TypeAlias

from anyurl.dialogue import Describe, Resume
from anyurl.errors import LocalFileError, PeerText, RemoteProtocolError, UnsupportedError, escape
from anyurl.files import system
from anyurl.files.channel import Replacement, check_regular, complaint, local_error, open_folder
from anyurl.files.named import replacement
from anyurl.files.system import is_device
from anyurl.guard.verdict import Reader, aside
from anyurl.saving.existing_file import ExistingFile
from anyurl.saving.part_file import FACTS_SUFFIX, MAX_NAME_BYTES, SUFFIX, PartFile
from anyurl.saving.sink import Sink, open_sink
from anyurl.url import URL
from anyurl.url.arguments import checked
from anyurl.url.syntax import FTP, WEB
from anyurl.values import shown

if TYPE_CHECKING:
    from anyurl.saving.digests import Digests
    from anyurl.schemes.kit.whole import Whole

Path: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]
Progress: TypeAlias = Callable[[int], object]

FALLBACK_NAME = "index"
"""The file name of a resource without a name, such as ``http://host/``."""


class Saveable(Protocol):
    """The part of a resource that `save` uses."""

    @property
    def url(self) -> URL:
        """Its URL, after redirects."""
        ...

    @property
    def start(self) -> int:
        """The offset of the first octet transferred."""
        ...

    @property
    def size(self) -> int | None:
        """The full size in octets."""
        ...

    @property
    def modified(self) -> float | None:
        """Seconds since the epoch."""
        ...

    @property
    def etag(self) -> str | None:
        """Entity tag."""
        ...

    @property
    def attributes(self) -> Mapping[str, object]:
        """Further attributes."""
        ...

    def iter_bytes(self) -> Iterator[bytes]:
        """The content."""
        ...


class Destination:
    """A file to save a resource to; problems with it are detected before the transfer.

    >>> with Destination("rfc1738.txt", go_on=True) as destination:         # doctest: +SKIP
    ...     with client.open(url, resume=destination.resume(url)) as resource:
    ...         destination.save(resource)

    Args:
        path: The final name; or a device, a pipe or a link to one, which is written to directly.
        force: Replace an existing file; a symbolic link is replaced itself.
        go_on: Resume the partial file of an earlier call (``NAME.anyurl-part``), and keep one if this call fails. A
            file of that name, which another program may have left incomplete, is compared with the end of what comes,
            and grows, unless it is to be replaced.
        times: Give the file the modification time of the resource, if known.
        folder: A descriptor of the folder in which `path` is a bare name; None if `path` is a full path.
        durable: Wait until the file is on disk; False is for many files, if the caller verifies their sizes later.
        checksum: The digest that the file must have, ``sha256:HEX``; a file with another one gets no name. A device
            can't be checked.
        reader: The reader of the remedy for an existing file.

    Raises:
        ValueError: The checksum is malformed.
        LocalFileError: The name is taken, is that of a directory or a socket, or can't be written to.
    """

    def __repr__(self) -> str:
        return shown(self, "part")

    @checked
    def __init__(
        self,
        path: Path,
        *,
        force: bool = False,
        go_on: bool = False,
        times: bool = True,
        folder: int | None = None,
        durable: bool = True,
        checksum: str | None = None,
        reader: Reader = "arguments",
    ) -> None:
        self._digests: Digests = ()
        self._told: Digests = ()
        if checksum is not None:
            from anyurl.saving.digests import read_checksum  # OpenSSL comes with it

            self._digests = (read_checksum(checksum),)
        raw = system.octets_of(path)
        self.shown: str = escape(raw.decode("utf-8", "surrogateescape"))
        self._force = force
        self._chosen = folder is None
        """A person chose the name, and `force` with it; callers with a folder choose both themselves."""
        self._reader: Reader = reader
        self._times = times
        self._url: URL | None = None
        self._wanted: Resume | None = None
        self._facts: dict[str, Any] | None = None
        self._part = self._open(raw, go_on, folder)
        if isinstance(self._part, Replacement):
            self._part.durable = durable

    def _open(self, path: bytes, go_on: bool, within: int | None) -> Replacement | Sink:
        folder, name = os.path.split(path) if within is None else (b"", path)
        if name in (b"", b".", b"..") or b"/" in name:
            raise complaint(errno.EISDIR, f"Saving to {self.shown}", "the name is that of a directory")
        part: Replacement | None = None
        try:
            sink = open_sink(path, self.shown, force=self._force, reader=self._reader) if within is None else None
            if sink is not None:
                return sink
            if within is None and not go_on:
                part = replacement(folder or b".", name, self.shown)
            else:
                kind = PartFile if go_on else Replacement
                if go_on and within is None and not self._force and _is_file(path):
                    kind = ExistingFile
                part = kind(open_folder(folder or b".") if within is None else os.dup(within), name, self.shown)
            part.begin(None if isinstance(part, ExistingFile) else self._old(part))
        except BaseException as error:
            if part is not None:
                part.close()
            if isinstance(error, OSError) and not isinstance(error, LocalFileError):
                raise local_error(error, f"Saving to {self.shown}") from error
            raise
        return part

    def _old(self, part: Replacement) -> os.stat_result | None:
        """The existing file with this name, if it may be replaced."""
        what = f"Saving to {self.shown}"
        try:
            old = part.standing()
        except FileNotFoundError:
            return None
        link = stat.S_ISLNK(old.st_mode)
        if not link:
            check_regular(old, what)
        if not self._force:
            kind = "a symbolic link" if link else "a file"
            way = aside("force", self._reader, then=" replaces it") if self._chosen else ""
            raise complaint(errno.EEXIST, what, f"there is {kind} of that name{way}")
        return None if link else old

    def resume(self, url: URL) -> Resume | None:
        """How to request only the missing part from the server; None if nothing can be resumed.

        Args:
            url: The URL to be opened; a partial file of another URL is not used.
        """
        self._url, self._wanted, part = url, None, self._part
        if not isinstance(part, PartFile):
            return None
        size = part.moved = part.length()
        if isinstance(part, ExistingFile):
            return Resume(part.first_compared, compares=True)
        facts = _read_facts(part.facts()) if size else None
        if facts is None or facts["url"] != url.masked:
            return None
        if facts["size"] is not None and size > facts["size"]:  # a server that ignored REST sent other octets
            return None
        told = facts["etag"], facts["modified"], facts["size"], facts["type"]
        if _is_proof(facts):
            self._wanted = Resume(size, *told, anew=self._force and self._chosen)
        elif self._chosen and not self._force:  # a person may force it, if the octets differ
            self._wanted = Resume(part.first_compared, *told, compares=True)
        return self._wanted

    @property
    def can_begin_anew(self) -> bool:
        """Whether a transfer that failed may be tried again: not if a device or a pipe has its octets already."""
        return not isinstance(self._part, Sink)

    def again(self, url: URL) -> Resume | None:
        """As `resume`, after a transfer to this destination failed; if nothing can be resumed, it begins anew."""
        if isinstance(self._part, PartFile):
            return self.resume(url)
        facts = self._facts
        if facts is None or not self._part.moved or not _is_proof(facts):
            return None
        return Resume(self._part.moved, facts["etag"], facts["modified"], facts["size"], facts.get("type"), anew=True)

    @property
    def part(self) -> str | None:
        """The name of the partial file, for messages; None if nothing would be kept (see `resume`)."""
        if not isinstance(self._part, PartFile):
            return None
        return os.path.join(os.path.dirname(self.shown), escape(os.fsdecode(self._part.part)))

    @property
    def provable(self) -> bool:
        """Whether enough is known of the resource for a partial file to be resumed."""
        return self._facts is not None

    @property
    def had(self) -> int:
        """Octets of the file that were there before."""
        return self._part.had if isinstance(self._part, PartFile) else 0

    @property
    def was_complete(self) -> bool:
        """Whether the file was there, and nothing of it was lacking."""
        return isinstance(self._part, ExistingFile) and self._part.moved == self._part.had

    def has_all_of(self, resource: Saveable) -> bool:
        """Whether the file is there, with the size and the time of the resource: then nothing need be transferred."""
        if not isinstance(self._part, ExistingFile) or None in (resource.size, resource.modified):
            return False
        status = os.fstat(self._part.fd)
        return (resource.size, int(resource.modified or 0)) == (status.st_size, int(status.st_mtime))

    @property
    def received(self) -> int:
        """Octets written to the file so far, including earlier calls; 0 for a device."""
        return 0 if isinstance(self._part, Sink) else self._part.moved

    def save(self, resource: Saveable, *, progress: Progress | None = None) -> int:
        """Write the resource, and give the file its name when it is complete.

        Args:
            progress: Called with the number of octets of each piece, once it is written.

        Returns:
            The size of the file.

        Raises:
            LocalFileError: The disk is full, or another process took the name meanwhile.
            AnyURLError: The transfer failed. The partial file is kept if `go_on`, else removed.
        """
        self.prepare(resource)
        write = self._part.write
        for pieces in _pieces(resource):
            size = write(*pieces)
            if progress is not None:
                progress(size)
        return self.finish()

    def write(self, piece: bytes) -> None:
        """Write the next piece, after `prepare`. Raises LocalFileError."""
        self._part.write(piece)

    def finish(self) -> int:
        """Give the complete file its name; returns its size.

        Raises:
            LocalFileError: As `save`.
            RemoteProtocolError: It has another checksum than the caller's, or the server's (RFC 9530).
        """
        size = self._part.moved
        self._check()
        self._part.commit(overwrite=self._force)
        self.close()
        return size

    def _check(self) -> None:
        digests, part = (*self._digests, *self._told), self._part
        if not digests or not isinstance(part, Replacement):
            return
        from anyurl.saving.digests import wrong_one

        try:
            wrong = wrong_one(part.fd, digests)
        except OSError as error:
            raise local_error(error, f"Reading {self.shown}") from error
        if wrong is None:
            return
        part.restart()  # nothing of it is worth resuming
        name, wanted, found = wrong
        whose = "you gave" if (name, wanted) in self._digests else "the server told"
        raise RemoteProtocolError(
            f"The content of {self.shown} has the {name} {found.hex()}, and {whose} {wanted.hex()}: it is not saved."
        )

    def prepare(self, resource: Saveable) -> None:
        """Make the partial file end where the resource's first octet belongs.

        Raises:
            LocalFileError: It does not.
            UnsupportedError: There is nothing to save: the resource is an index, which waits for words.
        """
        _refuse_index(resource)
        part = self._part
        part.modified = resource.modified if self._times else None
        facts = _facts_of(resource, self._url or resource.url)
        if _is_proof(facts) or (self._chosen and _begins_anywhere(resource)):
            self._facts = facts
        self._told = _digests_of(resource)
        wanted = self._wanted
        compares = isinstance(part, ExistingFile) or (wanted is not None and wanted.compares)
        whole = None if wanted is None or resource.start else _judge(wanted, resource)
        if compares and whole != "another" and isinstance(part, PartFile) and resource.start <= part.moved:
            part.compare(resource.start, None if self._facts is None else _written(self._facts))
            return
        if resource.start and resource.start != part.moved:
            raise complaint(
                errno.EINVAL,
                f"Saving to {self.shown}",
                f"the server's part begins at octet {resource.start:,}, and the partial file ends at {part.moved:,}",
            )
        if isinstance(part, Replacement) and not isinstance(part, PartFile) and part.moved and not resource.start:
            part.restart()
        if isinstance(part, PartFile) and not resource.start:
            if part.moved and wanted is not None and whole == "same" and not wanted.anew:
                part.compare()
                return
            part.restart()
            if self._facts is not None:
                part.remember(_written(self._facts))
        elif isinstance(part, PartFile):
            part.compare(resource.start)  # nothing: an attempt before may have compared

    def close(self) -> None:
        """Close it; a partial file is kept if `go_on` and it can be resumed, else removed."""
        self._part.close()

    def __enter__(self) -> Destination:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


@checked
def save(
    resource: Saveable,
    path: Path,
    *,
    force: bool = False,
    go_on: bool = False,
    times: bool = True,
    progress: Progress | None = None,
    checksum: str | None = None,
) -> int:
    """Save an open resource to a file; `Destination` can detect problems with the file before the resource is opened.

    Args:
        path: The final name, or a device or a pipe.
        force: Replace an existing file.
        go_on: Keep the partial file (``NAME.anyurl-part``) if the transfer fails.
        times: Give the file the modification time of the resource, if known.
        progress: Called with the number of octets of each piece, once it is written.
        checksum: As of `Destination`.

    Returns:
        The size of the file.

    Raises:
        LocalFileError: The file can't be written, or the name is taken.
        AnyURLError: The transfer failed.
    """
    with Destination(path, force=force, go_on=go_on, times=times, checksum=checksum) as destination:
        return destination.save(resource, progress=progress)


def open_regular(path: str) -> BinaryIO | None:
    """A file, opened for reading, or None: what is there is a link or something else, or can't be read."""
    try:
        fd = os.open(path, system.flags("RDONLY", "NOFOLLOW", "NONBLOCK", "CLOEXEC", "BINARY"))
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        return None
    return open(fd, "rb")


def _pieces(resource: Saveable) -> Iterator[list[bytes]]:
    """The content, in lists of the received pieces, which a `Resource` has and `iter_bytes` would have to join."""
    gathered: Callable[[], Iterator[list[bytes]]] | None = getattr(resource, "_gathered", None)
    return ([piece] for piece in resource.iter_bytes()) if gathered is None else gathered()


def _digests_of(resource: Saveable) -> Digests:
    """The digests that the server tells of the octets that are saved, as they are without a content coding."""
    fields = getattr(getattr(resource, "headers", None), "fields", ())  # a caller's `Saveable` may lack it
    names = {name.lower() for name, _ in fields}
    if names.isdisjoint(("repr-digest", "digest")):
        return ()
    from anyurl.saving.digests import told_digests

    coded = not names.isdisjoint(("content-encoding", "content-range"))
    return () if coded and resource.start == 0 else told_digests(fields)


def _is_file(path: bytes) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def _judge(wanted: Resume, resource: Saveable) -> Whole:
    from anyurl.schemes.kit.whole import judge_whole

    kind = getattr(resource, "content_type", None)  # a caller's `Saveable` may lack it
    told = Describe("document", kind, size=resource.size, modified=resource.modified, etag=resource.etag)
    return judge_whole(wanted, told)


# --- facts about a truncated resource --------------------------------------------------------------------------------


def _refuse_index(resource: Saveable) -> None:
    # Saveable objects of other programs need not have all attributes.
    if getattr(resource, "kind", "document") != "index" or getattr(resource, "content_type", None) is not None:
        return
    asked = resource.attributes.get("prompt")
    asks = f", which asks {PeerText(asked)}" if isinstance(asked, str) else ""
    raise UnsupportedError(
        f"{resource.url.masked} is an index{asks}: there is nothing to save before it has an answer; "
        "`anyurl search URL WORDS` sends one.", scheme=resource.url.scheme, verb="get",
    )  # fmt: skip


def _facts_of(resource: Saveable, url: URL) -> dict[str, Any]:
    """The facts that tell later whether a resource is unchanged. Those that can't prove it are marked as ``weak``: they
    can still show that it has changed.
    """
    etag = None if resource.etag is None or resource.etag.startswith("W/") else resource.etag
    modified = resource.modified
    if etag is None and modified is not None and resource.url.scheme in WEB:
        from anyurl.schemes.http.validators import has_strong_validator

        if not has_strong_validator(etag, modified, resource.attributes):
            modified = None
    facts = {"url": url.masked, "etag": etag, "modified": modified, "size": resource.size}
    kind = getattr(resource, "content_type", None)  # a caller's `Saveable` may lack it
    if kind is not None:
        facts["type"] = kind
    return facts if _is_proof(facts) else {**facts, "etag": resource.etag, "modified": resource.modified, "weak": True}


def _is_proof(facts: Mapping[str, Any]) -> bool:
    """Whether the facts suffice: a strong entity tag, or size and time together."""
    strong = facts["etag"] is not None or None not in (facts["size"], facts["modified"])
    return strong and not facts.get("weak")


def _begins_anywhere(resource: Saveable) -> bool:
    """Whether the server sends the resource from any octet on, so that the last of a part can be compared with it.

    Others, such as what a program makes, are sent whole each time, and are another each time perhaps.
    """
    if resource.url.scheme in WEB:
        attributes: Mapping[str, Any] = getattr(resource, "attributes", {})  # a caller's `Saveable` may lack it
        return attributes.get("accept-ranges") == "bytes"
    return resource.url.scheme in FTP


def _written(facts: Mapping[str, Any]) -> bytes:
    import json

    return json.dumps(facts).encode("ascii")


def _read_facts(data: bytes) -> dict[str, Any] | None:
    import json

    try:
        facts = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(facts, dict) or not isinstance(facts.get("url"), str):
        return None
    etag, modified, size = facts.get("etag"), facts.get("modified"), facts.get("size")
    if not (etag is None or isinstance(etag, str)) or isinstance(size, bool) or isinstance(modified, bool):
        return None
    if not (modified is None or isinstance(modified, (int, float))) or not (size is None or isinstance(size, int)):
        return None
    kind = facts.get("type")  # parts of older versions lack it
    kind = kind if isinstance(kind, str) else None
    weak = "weak" in facts
    return {"url": facts["url"], "etag": etag, "modified": modified, "size": size, "type": kind, "weak": weak}


# --- names that a server chose ---------------------------------------------------------------------------------------

_SUFFIX_BYTES = 20
"""The longest suffix that is kept when a name is cut: ``.anyurl-part.json`` fits."""

PARTS = tuple(suffix.decode() for suffix in (SUFFIX, FACTS_SUFFIX))
"""Attack: a server names two of its files like the part and the facts of a download that is to be resumed."""


@checked
def safe_name(text: str, *, hidden: bool = False) -> str:
    """Make a safe file name from a server's name: one component, with no special meaning to a system or a terminal.

    The last component of a path is used. Control characters, direction marks and octets that are not UTF-8 are written
    as ``%XX``, on Windows also characters that it forbids in names (``:`` begins a stream of a file). A leading ``-``,
    ``.`` or ``~`` and the name of a Windows device get ``_`` in front; a final dot or space, and the suffix of partial
    files, get ``_`` appended. A name that is too long is cut and made unique by a hash.

    Args:
        text: The server's name, decoded.
        hidden: Keep a leading dot.

    Raises:
        LocalFileError: It contains NUL, where other programs would cut it.

    >>> safe_name("../../etc/passwd"), safe_name(".bashrc"), safe_name("a\\x1b[31m"), safe_name("")
    ('passwd', '_.bashrc', 'a%1B[31m', 'index')
    """
    if "\0" in text:
        raise complaint(errno.EINVAL, f"{escape(text)!r} can't be the name of a file", "it holds NUL")
    name = text.replace("\\", "/").rstrip("/").rpartition("/")[2]
    if name.strip(" .") == "":
        return FALLBACK_NAME
    if not (name.isascii() and name.isprintable()):
        name = "".join(char if char.isprintable() else _percent(char) for char in name)
    if not system.WRITES:
        name = system.NOT_IN_NAMES.sub(lambda found: _percent(found[0]), name)
    # A file that is copied to Windows must not be a device there, and "c:x" would be on another drive.
    if name[0] in "-~" or (name[0] == "." and not hidden) or is_device(name):
        name = f"_{name}"
    while name[1:2] == ":":
        name = f"_{name}"
    if name[-1] in ". " or name.lower().endswith(PARTS):
        name += "_"
    return name if name.isascii() and len(name) <= MAX_NAME_BYTES else _cut(name)


def _percent(char: str) -> str:
    code = ord(char)
    octets = bytes((code - 0xDC00,)) if 0xDC80 <= code <= 0xDCFF else char.encode("utf-8", "surrogatepass")
    return "".join(f"%{octet:02X}" for octet in octets)


def _cut(name: str) -> str:
    octets = name.encode("utf-8")
    if len(octets) <= MAX_NAME_BYTES:
        return name
    import hashlib  # OpenSSL comes with it

    mark = "-" + hashlib.sha256(octets).hexdigest()[:8]
    stem, dot, suffix = name.rpartition(".")
    end = f"{mark}.{suffix}" if stem and dot and len(suffix.encode()) < _SUFFIX_BYTES else mark
    return octets[: MAX_NAME_BYTES - len(end.encode())].decode("utf-8", "ignore") + end
