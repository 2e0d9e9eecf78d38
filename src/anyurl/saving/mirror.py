"""Mirror: downloads everything below a URL into a folder.

Rule: it makes no requests itself. It names the next URLs (`targets`), processes the results (`settle`), and records
both on disk (`Worklist`): killed at any moment and restarted, it loses nothing and downloads nothing twice. Nothing is
deleted, nothing outside the folder is written, only files that the mirror saved are replaced, and each URL keeps its
provenance.
"""

from __future__ import annotations

import errno
import os
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, nullcontext
from itertools import islice
from stat import S_ISREG
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from anyurl.dialogue import Entry, Resume
from anyurl.errors import (
    AccessError,
    AnyURLError,
    LocalFileError,
    RefusedError,
    RemoteProtocolError,
    ReplyError,
    UnsupportedError,
    escape,
)
from anyurl.errors.reasons import is_passing
from anyurl.files.channel import complaint
from anyurl.files.rooted import RootedFolder
from anyurl.guard.verdict import Reader, aside
from anyurl.saving.circles import MOST_WAITING, Fingerprint, FolderPage, circle_note
from anyurl.saving.menu import Gophermap
from anyurl.saving.mirrored import A_LINK, EARLIER, IN_THE_WAY, NOT_ARCHIVED, SECRET, Mirrored
from anyurl.saving.part_file import part_path
from anyurl.saving.pieces import AT_ONCE, Pause, RateLimit, copied
from anyurl.saving.robots import PRODUCT, Robots, robots_of
from anyurl.saving.save import Destination
from anyurl.saving.tree import LINKING, MENU_FILE, MENUS, SCHEMES, SITES, Tree, is_linking, is_safe_path, is_shown
from anyurl.saving.worklist import Listed, WorkItem, Worklist
from anyurl.schemes import registry
from anyurl.url import URL
from anyurl.url.stored import is_echo
from anyurl.url.syntax import FTP
from anyurl.values import Provenance, origin_of

if TYPE_CHECKING:
    from anyurl.text import Found

LARGE = 1024 * 1024
"""Octets from which a partial file is kept: for smaller ones a new request costs less than keeping records."""

TRIES = 3
"""Attempts for one document after transient failures."""

MOST_TOLD = 1000
"""Outcomes that are held before they are reported: a listing may have a million unchanged documents."""

LINKS_AT_ONCE = 100
"""Links of one page that are processed before the event loop gets a turn: they take some 10 ms."""

Steps: TypeAlias = Generator["Mirrored | Pause | None", Any, None]


class Mirror:
    """One mirror in progress.

    Args:
        root: The URL to mirror.
        origin: Who named it.
        folder: The target folder; created if missing.
        include, exclude: Patterns (`Tree`).
        depth: The maximum number of steps from the root; None means no limit.
        dry_run: Write nothing.
        force: Also replace files that this mirror did not save, or that were edited since.
        requisites: Also the parts of pages (styles, scripts, pictures, fonts), beyond the depth and from elsewhere on
            the same server.
        archive: Everything received is recorded there, so documents are transferred whole or not at all. None for no
            archive.
        rate: The most octets per second, or None.
        reader: The reader of remedies.

    Raises:
        UnsupportedError: Its scheme has neither listings nor links.
        LocalFileError: The folder can't be created or written to, or another process is using it.
    """

    def __init__(
        self,
        root: URL,
        origin: Provenance,
        folder: str | os.PathLike[str],
        *,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        depth: int | None = None,
        dry_run: bool = False,
        force: bool = False,
        requisites: bool = False,
        archive: str | None = None,
        rate: int | None = None,
        reader: Reader = "arguments",
    ) -> None:
        if root.scheme not in SCHEMES:
            registry.find_scheme(root.scheme, reader)  # raises for an unknown scheme
            raise UnsupportedError(
                f"{root.masked} can't be mirrored: {', '.join(SCHEMES)} URLs can.",
                scheme=root.scheme,
                verb="mirror",
            )
        self.root: URL = root if root.fragment is None else root.without_fragment()
        self.folder: str = os.fspath(folder)
        self.told: deque[Mirrored] = deque()
        self.pace: RateLimit | None = None if rate is None else RateLimit(rate)
        self._tree = Tree(self.root, include, exclude, self.folder)
        self._depth = depth
        self._dry = dry_run
        self._force = force
        self._requisites = requisites
        self._archive = archive
        self._reader: Reader = reader
        self._robots: Robots | None = None
        self._appeared: set[str] = set()
        """Files that appeared while their items were under way: the mirror's, if they have the same octets."""
        self._is_empty = True
        self._outside: URL | None = None
        self._files = RootedFolder(self.folder)
        self._is_fresh: bool = not dry_run and self._files.make()
        self._list = Worklist(self.folder, self.root, archive, self._files.kind_at, dry=dry_run)
        if self._list.is_new:
            self._list.add(self.root, origin, "", None, None, None, 0)
        else:
            self._take_up()

    def _take_up(self) -> None:
        """Resume an interrupted mirror: a started document is complete if its file has been replaced since."""
        self._list.try_failed_again()
        for item in self._list.begun():
            now = self._files.signature(item.local) if item.local and item.before is not None else ""
            mark = self._files.mark(item.local) if now not in ("", item.before) else ""
            # A page may be complete before its links were recorded; a file of another size is not the one received.
            if item.kind == "document" and mark.startswith(f"{item.size} "):
                self._list.done(item, mark, told_by_file=True)
            else:
                if mark:
                    self._appeared.add(item.local)
                self._list.again(item, failed=False)
        for item, mark in self._list.saved():
            now = self._files.mark(item.local)
            # A power failure may have truncated the file, which does not change its time as editing it does.
            is_cut = now.partition(" ")[2] == mark.partition(" ")[2] and now != mark
            if is_cut:
                self._list.make_own(item.local, now)
            if is_cut or not now:
                self._list.again(item)
        if self._archive is not None and not self._list.is_recorded:
            note = EARLIER.format(count=self._list.count_saved())
            self.told.append(Mirrored(self.root, "", "skipped", note=note))

    # --- robots.txt --------------------------------------------------------------------------------------------------

    @property
    def robots_url(self) -> URL | None:
        """The robots.txt that must be read first and passed to `obey`; None if there is none to read."""
        if self.root.scheme not in SITES or self._robots is not None:
            return None
        return robots_of(self.root)

    def obey(self, text: str | None) -> None:
        """Apply the server's robots.txt; None without one.

        Raises:
            RefusedError: The rules forbid the root.
        """
        self._robots = Robots(text, self.root.scheme)
        if not self._may_ask(self.root):
            self._list.finish()
            raise RefusedError(
                f"The robots.txt of {self.root.host} asks programs such as {PRODUCT} not to follow {self.root.masked}.",
                code="robots", subject=self.root.host or "",
            )  # fmt: skip

    def _may_ask(self, url: URL) -> bool:
        return self._robots is None or self._robots.allows_url(url)

    # --- what to download --------------------------------------------------------------------------------------------

    def targets(self) -> Iterator[WorkItem]:
        """The next items to download; others are reported in `told`, which the caller empties when they end."""
        while len(self.told) < MOST_TOLD and (item := self._list.next(self._files.signature)) is not None:
            if item.depth and not self._list.is_new and not (self._belongs(item.url) and is_safe_path(item.local)):
                self._end(item, Mirrored(item.url, "", "skipped", note="It does not belong to the mirror."))
            elif item.kind == "document" and self._is_there(item, item.local, item.size, item.modified):
                note = "" if self._archive is None else NOT_ARCHIVED
                self._end(item, Mirrored(item.url, item.local, "kept", size=item.size, note=note), item.modified)
            elif item.kind == "document" and self._must_stay(item):
                self._end(item, self._not_replaced(item, item.local))
            elif item.kind == "document" and self._dry and item.url.scheme not in SITES:
                self._end(item, Mirrored(item.url, item.local, "planned", size=item.size))
            else:
                try:
                    item.resume = self._what_is_there(item)
                except LocalFileError as error:
                    self._end(item, Mirrored(item.url, item.local, "failed", error=error))
                else:
                    yield item

    def _is_there(self, item: WorkItem, local: str, size: int | None, modified: float | None) -> bool:
        return item.before != "" and self._files.is_unchanged(local, size, modified, *self._list.own(local))

    def _what_is_there(self, item: WorkItem) -> Resume | None:
        """The partial file of an earlier attempt, to be resumed; else the present file, if the server must be asked for
        its time: LIST gave only its size (see `_found`).
        """
        if item.local and not self._dry and self._has_part(item, item.local):
            with self._destination(item.local, go_on=True, force=True) as destination:
                return destination.resume(item.url)
        if item.url.scheme not in FTP or item.size is None or item.modified is not None or item.before == "":
            return None
        if self._archive is not None:  # it is compared when it has come
            return None
        status = self._files.stat(item.local)
        if status is None or not S_ISREG(status.st_mode) or status.st_size != item.size:
            return None
        return Resume(item.size, None, float(int(status.st_mtime)), item.size, anew=True)

    def _may_write(self, item: WorkItem, local: str) -> bool:
        """Whether only files of this mirror would be replaced."""
        if self._force or item.before == "":
            return True
        now = self._files.mark(local)
        return not now or now == self._list.own(local)[0]

    def _must_stay(self, item: WorkItem) -> bool:
        """Whether there is a file that can't be replaced whatever comes; a site may have that very file."""
        return item.url.scheme not in SITES and not (self._may_write(item, item.local) or self._may_be_own(item.local))

    def _may_be_own(self, local: str) -> bool:
        return not self._dry and local in self._appeared

    def _not_replaced(self, item: WorkItem, local: str) -> Mirrored:
        why = "there is a file of that name, which this mirror did not save"
        if self._list.own(local)[0] is not None:
            why = "the file of that name was changed since this mirror saved it"
        way = aside("force", self._reader, then=" replaces it")
        error = complaint(errno.EEXIST, f"Saving to {escape(local)}", f"{why}{way}")
        return Mirrored(item.url, local, "failed", error=error)

    def _has_part(self, item: WorkItem, local: str) -> bool:
        if self._archive is not None:
            return False  # the archive would hold the rest as if it were the whole
        if item.part is None:
            is_first = self._is_fresh and not item.tries  # a new folder holds only the files of this mirror
            item.part = not is_first and self._files.stat(part_path(local)) is not None
        return item.part

    def _end(self, item: WorkItem, mirrored: Mirrored | None, modified: float | None = None) -> None:
        mark, by_file = None, item.kind == "document"
        if mirrored is not None:
            self.told.append(mirrored)
            saved = mirrored.outcome == "saved"
            # With force the mirror takes over existing files, even unchanged ones; one that is newer is the user's.
            if saved or (self._force and mirrored.outcome == "kept" and self._files.has_time(mirrored.path, modified)):
                mark = self._files.mark(mirrored.path)
            by_file = by_file and not (saved and mirrored.size != item.size)  # `_take_up` goes by the size
        failed = mirrored is not None and mirrored.outcome == "failed"
        self._list.done(item, mark, modified, told_by_file=by_file, failed=failed)

    # --- results -----------------------------------------------------------------------------------------------------

    def leads_on(self, resource: Any) -> bool:
        """Whether a resource names others."""
        return resource.kind == "listing" or is_linking(resource.url, resource.type)

    def settle(
        self, item: WorkItem, resource: Any, error: AnyURLError | None = None, whole: bytes | None = None
    ) -> Steps:
        """Process the resource of an item, or the error of opening it.

        It yields None to get the next piece of the content, or an outcome to report.

        The caller sends the next piece in, None at the end, and throws an error of the transfer in.

        Args:
            whole: The complete document, if it has arrived already: then no pieces are requested.
        """
        try:
            if error is not None:
                raise error
            if resource.kind == "listing":
                yield from self._take_listing(item, resource)
            elif resource.kind == "document":
                yield from self._take_document(item, resource, whole)
            else:
                self._end(item, Mirrored(item.url, "", "skipped", note=f"It is not a document: {resource.kind}."))
        except AnyURLError as failure:
            if item.tries + 1 < TRIES and isinstance(failure, AccessError) and is_passing(failure):
                self._list.again(item)
            elif (
                item.depth and item.kind is None and isinstance(failure, ReplyError) and failure.meaning == "directory"
            ):
                # Following it could lead anywhere on the server; users who want that can name its URL.
                self._end(item, Mirrored(item.url, item.local, "skipped", note=A_LINK))
            else:
                self._end(item, Mirrored(item.url, item.local, "failed", error=failure))
        while self.told:
            yield self.told.popleft()

    def _take_listing(self, item: WorkItem, resource: Any) -> Steps:
        with Gophermap() if item.url.scheme in MENUS and not self._dry else nullcontext() as menu:
            yield from self._take_entries(item, resource, menu)

    def _take_entries(self, item: WorkItem, resource: Any, menu: Gophermap | None) -> Steps:
        folders: list[Entry] = []  # added once it is known that they don't lead back
        others: list[Entry] = []  # as are these, up to some number
        listed = Fingerprint()
        fault: AnyURLError | None = None
        is_empty = True
        try:
            while (piece := (yield None)) is not None:
                is_empty = is_empty and not piece
                for entry in piece:
                    listed.add(entry.name, entry.kind, entry.size, entry.modified, entry.attributes.get("unique"))
                    (folders if entry.kind == "listing" else others).append(entry)
                if menu is not None:
                    menu.add(piece)
                if len(others) > MOST_WAITING:
                    yield from self._add_all(others, item)
                    others = []
        except AnyURLError as problem:  # the received part is not lost with the rest
            fault = problem
        count = self._list.repeats(item.local, str(listed)) if folders else 0
        note = circle_note(count, others + folders) if count else ""
        if note:
            menu = None
        else:
            yield from self._add_all(others + folders, item)
        if fault is not None:
            raise fault
        if self._is_empty and self._outside is not None and not item.depth:
            # A gopher server may use another name or port for itself.
            note = f"All its links lead elsewhere, as {self._outside.masked}: none of them belongs to the mirror."
        notes = [*resource.notes, note] if note else resource.notes
        if item.url.scheme in FTP and resource._stream.unproved:  # the mirror lacks the items of its unreadable lines
            error = RemoteProtocolError("; ".join(notes))
            self._end(item, Mirrored(item.url, item.local, "failed", error=error))
            return
        if menu is not None:
            self._save_menu(item, menu)
        elif is_empty and item.local and not self._dry:
            try:
                self._files.parent(f"{item.local}/")
            except LocalFileError as error:
                if error.errno not in (errno.ENOTDIR, errno.ELOOP):
                    raise
                notes = [*notes, IN_THE_WAY]
        self._end(item, Mirrored(item.url, item.local, "folder", note="; ".join(notes)))

    def _save_menu(self, item: WorkItem, menu: Gophermap) -> None:
        """Keep a menu as a file, in which links to mirrored documents lead into the mirror."""
        local = f"{item.local}/{MENU_FILE}" if item.local else MENU_FILE
        with menu.written(self._place_of) as file:
            now = self._files.mark(local)
            if not now or not self._files.has(local, file):
                if now and not self._force and now != self._list.own(local)[0]:
                    self.told.append(self._not_replaced(item, local))
                    return
                with self._destination(local, go_on=False, force=True) as destination:
                    while piece := file.read(AT_ONCE):
                        destination.write(piece)
                    destination.finish()
        self._list.make_own(local, self._files.mark(local))

    def _add_all(self, entries: Sequence[Entry], parent: WorkItem) -> Steps:
        """Record the entries of a listing."""
        found = [each for entry in entries if (each := self._found(entry, parent)) is not None]
        for each, given in zip(found, self._list.add_all(found), strict=True):
            if given is not None and given.rpartition("/")[2] != each[2].rpartition("/")[2]:
                note = f"Another one has the name {escape(each[2])}, or one that some systems take for it."
                self.told.append(Mirrored(each[0], given, "skipped" if self._dry else "planned", note=note))
        while self.told:
            yield self.told.popleft()

    def _found(self, entry: Entry, parent: WorkItem) -> Listed | None:
        """The record of an entry; None if it is not downloaded, which is reported unless it is obvious."""
        url = entry.url
        if url is None and parent.url.scheme not in ("ftp", "ftps", "file"):
            return None  # a line of text, as in menus
        is_path = "/" in entry.name or entry.name in ("", ".", "..")
        if url is None or (is_path and entry.attributes.get("unsafe")):
            self.told.append(Mirrored(parent.url, "", "skipped", note=f"{escape(entry.name)} is not a file name."))
            return None
        if entry.kind not in (None, "document", "listing"):
            return None
        if not self._tree.holds(url):
            self._outside = self._outside or url
            return None
        self._is_empty = False
        if self._is_secret(url) or (entry.kind == "listing" and self._tree.is_root(url)):
            return None
        if self._depth is not None and parent.depth >= self._depth:
            return None
        try:
            local = self._tree.place(entry, url, parent.local)
        except LocalFileError as error:
            self.told.append(Mirrored(url, "", "failed", error=error))
            return None
        if not self._tree.wants(local, entry.kind == "listing"):
            return None
        # LIST has times of an unknown time zone, in minutes or days: they decide nothing about a file.
        is_list = url.scheme in FTP and "modify" not in entry.attributes
        modified = None if is_list else entry.modified
        return url, entry.origin, local, entry.kind, entry.size, modified, parent.depth + 1

    def _place_of(self, url: URL) -> str | None:
        return "" if self._tree.is_root(url) else self._list.place_of(url)

    def _belongs(self, url: URL) -> bool:
        """Whether a URL may be mirrored: below the root, or needed by a page on the same server."""
        return self._tree.holds(url) or (self._requisites and self._tree.is_near(url))

    def _is_secret(self, url: URL) -> bool:
        """Whether a server wrote a password into a URL, which is reported: no work list or file name may show it."""
        if is_echo(url):
            self.told.append(Mirrored(url, "", "skipped", note=SECRET))
            return True
        return False

    def _take_document(self, item: WorkItem, resource: Any, whole: bytes | BinaryIO | None) -> Steps:
        url: URL = resource.url
        if item.depth and url != item.url and not self._belongs(url):
            self._end(item, Mirrored(item.url, "", "skipped", note=f"It redirects out of the mirror: {url.masked}."))
            return
        is_page = is_linking(url, resource.type)
        natural = item.local or self._tree.document(item.url if is_echo(url) else url)
        if not item.local or item.url.scheme in SITES:
            item.kind = None if is_page else "document"
            item.size = len(whole) if isinstance(whole, bytes) else resource.size
        if item.url.scheme in SITES and item.local:
            self._list.describe(item)
        elif not item.local:
            self._list.name(item, natural, self._files.signature)
        local = item.local
        with ExitStack() as stack:
            if local != natural and not self._dry and self._files.kind_at(natural) == "file":
                file = stack.enter_context(TemporaryFile())
                yield from copied(whole, file.write)
                if self._files.has(natural, file):  # as `/index.html` and `/` are
                    self._end(item, Mirrored(item.url, natural, "kept", size=resource.size))
                    return
                whole = file
            if local != natural:
                self._list.keep_place(item)
            yield from self._place_document(item, resource, local, is_page, whole)

    def _place_document(
        self, item: WorkItem, resource: Any, local: str, is_page: bool, whole: bytes | BinaryIO | None
    ) -> Steps:
        """Keep, save or refuse a document whose path is known.

        Args:
            whole: The complete document; None if it comes in pieces.
        """
        if not self._tree.wants(local, False) and (not is_page or LINKING[resource.type] == "xml"):
            if is_page:
                yield from self._look_through(item, resource, whole)
            self._end(item, None)
            return
        if self._is_there(item, local, resource.size, resource.modified):
            if self._archive is not None:
                yield from copied(whole, lambda piece: None)
            if is_page:
                with self._files.opened(local) as file:
                    yield from self._follow(file, item, resource)
            self._end(item, Mirrored(item.url, local, "kept", size=resource.size), resource.modified)
            return
        may_write = self._may_write(item, local)
        if not may_write and self._may_be_own(local):
            yield from self._claim(item, resource, local, is_page, whole)
            return
        if self._dry or not may_write:
            if is_page:
                yield from self._look_through(item, resource, whole)
            elif self._archive is not None:
                yield from copied(whole, lambda piece: None)
            planned = Mirrored(item.url, local, "planned", size=resource.size)
            self._end(item, planned if may_write else self._not_replaced(item, local))
            return
        yield from self._save(item, resource, local, is_page, whole)

    def _claim(self, item: WorkItem, resource: Any, local: str, is_page: bool, whole: bytes | BinaryIO | None) -> Steps:
        """Take a file for the mirror's own that has the octets of the document, or the first of them: as after a kill
        just before that was written down, and after a power failure. It loses nothing; another one is the user's.
        """
        with TemporaryFile() as file:
            yield from copied(whole, file.write)
            if self._files.has(local, file, cut=True):
                yield from self._save(item, resource, local, is_page, file)
                return
            if is_page:
                yield from self._follow(file, item, resource)
        self._end(item, self._not_replaced(item, local))

    def _save(self, item: WorkItem, resource: Any, local: str, is_page: bool, whole: bytes | BinaryIO | None) -> Steps:
        size = resource.size
        has_part = self._has_part(item, local)
        is_new = item.before == "" and not has_part and not resource.start
        if isinstance(whole, bytes) and is_new and self._files.write_new(local, whole, resource.modified):
            size = len(whole)
        else:
            large = size is not None and size >= LARGE
            force = self._force or item.before != ""  # a file that appeared meanwhile is not the mirror's
            go_on = (large or has_part) and self._archive is None
            with self._destination(local, go_on=go_on, force=force) as destination:
                destination.resume(item.url)  # checks that the part belongs to this URL
                destination.prepare(resource)
                yield from copied(whole, destination.write)
                size = destination.finish()
        if is_page:
            with self._files.opened(local) as file:
                yield from self._follow(file, item, resource)
        note = "; ".join(resource.notes)
        self._end(item, Mirrored(item.url, local, "saved", size=size, note=note), resource.modified)

    def _look_through(self, item: WorkItem, resource: Any, whole: bytes | BinaryIO | None) -> Steps:
        """Read a page that is not saved, for its links."""
        with TemporaryFile() as file:
            yield from copied(whole, file.write)
            file.seek(0)
            yield from self._follow(file, item, resource)

    def _follow(self, file: BinaryIO, item: WorkItem, resource: Any) -> Steps:
        """Record the links of a page."""
        from anyurl.text.page import PageLinks

        is_last = self._depth is not None and item.depth >= self._depth
        if is_last and not self._requisites:
            return
        form = LINKING[resource.type]
        links = PageLinks(
            resource.base, form, resource.charset, origin=origin_of(resource), schemes=(self.root.scheme,)
        ).read(file)
        if is_last:
            links = (found for found in links if self._shows(found))
        page = FolderPage(resource.base)
        while some := list(islice(links, LINKS_AT_ONCE)):
            self._note(page.sift(some), item)
            yield Pause()
        count = self._list.repeats(item.local.rpartition("/")[0], str(page.listed)) if page.folders else 0
        if note := circle_note(count):
            self.told.append(Mirrored(item.url, item.local, "skipped", note=note))
            return
        for start in range(0, len(page.folders), LINKS_AT_ONCE):
            self._note(page.folders[start : start + LINKS_AT_ONCE], item)
            yield Pause()

    def _note(self, links: Sequence[Found], item: WorkItem) -> None:
        self._list.together()
        try:
            for found in links:
                url = found.url
                is_wanted = self._tree.holds(url) or (self._shows(found) and self._tree.is_near(url))
                if found.context == "html-hint" or not is_wanted or self._is_secret(url):
                    continue
                if self._may_ask(url) and self._tree.wants(url.path.strip("/"), True):
                    self._list.add(url, found.origin, "", None, None, None, item.depth + 1)
        finally:
            self._list.written()

    def _shows(self, found: Found) -> bool:
        """Whether the target of a link is part of a page, and is wanted."""
        return self._requisites and (found.context == "css" or is_shown(found.url))

    def _destination(self, local: str, *, go_on: bool, force: bool) -> Destination:
        folder, name = self._files.parent(local), local.rpartition("/")[2]
        # As in rsync and wget: waiting for the disk takes longer than the transfer of a small file.
        return Destination(name, force=force, go_on=go_on, folder=folder, durable=go_on)

    # --- the end -----------------------------------------------------------------------------------------------------

    def has_more(self) -> bool:
        """Whether there are new items or retries since `targets` ended."""
        return self._list.has_waiting()

    def count_waiting(self) -> int:
        """The number of known items that were not begun."""
        return self._list.count_waiting()

    def finish(self) -> None:
        """Mark the mirror as complete."""
        self._list.finish()

    def close(self) -> None:
        """Close it; a later call can resume it."""
        self._list.close()
        self._files.close()
