"""Tree: which URLs belong to a mirror, and their paths in its folder.

Rule: a URL belongs to the mirror if it is on the same server and below the root's path, as its scheme defines paths.
Each component of a local path is a `safe_name`; nothing that a server sends can lead out of the folder.
"""

from __future__ import annotations

import errno
import fnmatch
import os
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from anyurl.dialogue import Entry
from anyurl.errors import LocalFileError, escape
from anyurl.files.channel import complaint
from anyurl.saving.save import safe_name
from anyurl.schemes.kit.media import PAGES, guess_type
from anyurl.url import URL
from anyurl.url.cut import percent_decode
from anyurl.url.syntax import FTP, GOPHER, NEWS, WEB

SITES = (*WEB, "gemini")
"""Schemes whose links are in pages: the folder of a path is everything up to its last slash."""

_FEEDS = ("application/rss+xml", "application/atom+xml", "application/xml", "text/xml")

LINKING = {**PAGES, "text/css": "css", **dict.fromkeys(_FEEDS, "xml")}
"""The media types of documents with links, and their formats."""

INDEXES = {"gemini": "index.gmi"}
"""The page of a folder, where it is not ``index.html``."""

SHOWN = ("image/", "text/css", "text/javascript", "application/javascript", "font/", "audio/", "video/")
"""The beginnings of the media types of parts of pages, by the suffixes of names."""

MENU_FILE = "gophermap"
"""The menu of a folder, as gophernicus, pygopherd and Bucktooth read it."""

OUTSIDE = "_outside"
"""The folder for parts of pages that are not below the root."""

MENUS = GOPHER

PATHS = (*FTP, "file")
"""Schemes whose places are identified by the path alone, as written."""

SCHEMES = (*PATHS, "prospero", *SITES, *MENUS, *NEWS)
"""Schemes that have listings or links, and whose documents can be saved as they are."""


class Tree:
    """Everything below one URL.

    Args:
        root: The URL.
        include: Patterns of names or paths: only documents that match one; empty means all.
        exclude: Patterns of names or paths to leave out; a folder is left out with its content.
        folder: Where it is copied to, which is left out as well.

    Raises:
        LocalFileError: The folder is the one to be copied.
    """

    def __init__(
        self, root: URL, include: Sequence[str] = (), exclude: Sequence[str] = (), folder: str | None = None
    ) -> None:
        self.root = root
        self._place = root.scheme, root.host, root.port
        self._include = tuple(include)
        self._exclude = tuple(exclude)
        path = _path(root)
        self._base = path.rpartition("/")[0] + "/" if root.scheme in SITES else path.rstrip("/") + "/"
        self._copy = None if folder is None or root.scheme != "file" else _place_in(root, folder)
        whole = str(root.without_fragment())
        self._prefix = whole.removesuffix(path) + self._base if root.scheme in PATHS and whole.endswith(path) else None

    def holds(self, url: URL) -> bool:
        """Whether a URL belongs to it."""
        root = self.root
        if self._prefix is not None and str(url).startswith(self._prefix):
            return True
        if (url.scheme, url.host, url.port) != self._place:
            return False
        if self._place[0] in NEWS:
            return True
        path = _path(url)
        if self._place[0] in SITES:
            return path.startswith(self._base) and "/../" not in f"{path}/"
        return self._below(path) is not None or url == root

    def is_root(self, url: URL) -> bool:
        """Whether a URL of a menu is another spelling of the root: a selector with a slash more, or with the type."""
        return url == self.root or (url.scheme in MENUS and self._below(_path(url)) in ("", "/") and self.is_near(url))

    def is_near(self, url: URL) -> bool:
        """Whether a URL is on the same server."""
        return (url.scheme, url.host, url.port) == self._place

    def _below(self, path: str) -> str | None:
        """The rest of a path after the root's; None if it is not below the root."""
        if self._base == "/" and self.root.scheme in MENUS:
            return path.removeprefix("/")
        # Old gopher servers write the type before the selector.
        for text in (path, path[1:]) if self.root.scheme in MENUS else (path,):
            if f"{text}/".startswith(self._base):
                return text[len(self._base) :]
        return None

    def wants(self, local: str, folder: bool) -> bool:
        """Whether the patterns include this path."""
        if self._copy is not None and f"{local}/".startswith(self._copy):
            return False
        if not self._include and not self._exclude:
            return True
        name = local.rpartition("/")[2]
        if any(fnmatch.fnmatchcase(text, pattern) for text in (name, local) for pattern in self._exclude):
            return False
        if folder or not self._include:
            return True
        return any(fnmatch.fnmatchcase(text, pattern) for text in (name, local) for pattern in self._include)

    def place(self, entry: Entry, url: URL, parent: str) -> str:
        """The local path of an entry.

        Args:
            parent: The local path of the listing.

        Raises:
            LocalFileError: It can't be the name of a file.
        """
        if url.scheme in MENUS:
            path = _path(url)
            if path[1:2] == "/" and path[:1] == getattr(url.parts, "type", "") and self._base == "/":
                path = path[1:]  # old servers write the type before it
            local = safe_path((self._below(path) or "").split("/")) or safe_name(entry.name or "index")
            return f"{local}_" if local.rpartition("/")[2] == MENU_FILE else local
        if url.scheme in NEWS:
            name = safe_name(_decoded(url.path.rstrip("/").rpartition("/")[2]))
        else:
            name = safe_name(entry.name.replace("\\", "%5C"))  # it is one component: no path of Windows
        return f"{parent}/{name}" if parent else name

    def page(self, url: URL) -> str:
        """The local path of a document of a site; that of a folder is its ``index.html``.

        Raises:
            LocalFileError: It can't be the name of a file.
        """
        path = _path(url)
        is_inside = path.startswith(self._base)
        parts = [_decoded(part) for part in (path[len(self._base) :] if is_inside else path).split("/")]
        parts[-1] = parts[-1] or INDEXES.get(url.scheme, "index.html")
        if url.query is not None:
            parts[-1] = with_query(parts[-1], url.query)
        return safe_path(parts) if is_inside else f"{OUTSIDE}/{safe_path(parts)}"

    def document(self, url: URL) -> str:
        """The local path of the root if it is a document."""
        if url.scheme in SITES:
            return self.page(url)
        name = _path(url).rstrip("/").rpartition("/")[2]
        return safe_name(name if url.scheme in MENUS else _decoded(name.partition(";type=")[0]))


def with_query(name: str, query: str) -> str:
    """The name of the document that a name and a query designate."""
    return f"{name}?" + query.replace("/", "%2F")


def place_with_query(path: str, query: str) -> str | None:
    """Where a mirror keeps the document of a path and a query, below the same folder; None if it can't have one."""
    folder, slash, name = path.rpartition("/")
    try:
        return f"{folder}{slash}{safe_name(with_query(name, query))}"
    except LocalFileError:
        return None


def safe_path(names: Iterable[str]) -> str:
    """A path of safe components. Raises LocalFileError for a name with NUL."""
    return "/".join(safe_name(name) for name in names if name not in ("", ".", ".."))


def is_safe_path(text: str) -> bool:
    """Whether a path is empty or consists of components as `safe_name` makes them."""
    try:
        return not text or all(safe_name(name) == name for name in text.split("/"))
    except LocalFileError:
        return False


def is_linking(url: URL, type: str | None) -> bool:
    """Whether a document has links that a mirror follows."""
    return url.scheme in SITES and type in LINKING


def is_shown(url: URL) -> bool:
    """Whether a file of such a name is part of a page."""
    return (guess_type(url.path) or "").startswith(SHOWN)


def fold(path: str) -> str:
    """A key that is equal for paths that some file system treats as one: case and composition are ignored."""
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def candidates(path: str, source: str) -> Iterator[str]:
    """A safe path, and others in the same folder for when it is taken.

    Args:
        source: A key that distinguishes two with the same path, such as the URL.
    """
    yield path
    if not path:
        return
    folder, slash, name = path.rpartition("/")
    stem, dot, suffix = name.rpartition(".")
    import hashlib  # OpenSSL comes with it

    digest = hashlib.sha256(source.encode("utf-8", "surrogateescape")).hexdigest()
    marked = f"{stem}-{digest[:8]}{dot}{suffix}" if stem and len(suffix) < 12 else f"{name}-{digest[:8]}"
    yield folder + slash + safe_name(marked)
    yield folder + slash + digest


def _path(url: URL) -> str:
    """The part of a URL that identifies a place on its server: for gopher the selector, else the path."""
    if url.scheme in MENUS:
        return str(getattr(url.parts, "selector", ""))
    if url.scheme in SITES:
        return url.normalize().path or "/"
    return url.path


def _decoded(text: str) -> str:
    return percent_decode(text).decode("utf-8", "surrogateescape")


def _place_in(root: URL, folder: str) -> str | None:
    """The path of a folder in the copy of the folder of a file URL, with a final slash; None if it is not in there.

    It is left out: each mirror into a part of its source would copy the ones before it.
    """
    from anyurl.files.filesystem import octets

    source, target = os.path.realpath(octets(_decoded(root.path))), os.path.realpath(os.fsencode(folder))
    if source == target:
        raise complaint(errno.EINVAL, f"Mirroring to {escape(folder)}", f"it is {root.masked}, which is to be copied")
    base = os.path.join(source, b"")
    if not target.startswith(base):
        return None
    names = target[len(base) :].replace(os.sep.encode(), b"/").decode("utf-8", "surrogateescape").split("/")
    return "/".join(map(safe_name, names)) + "/"
