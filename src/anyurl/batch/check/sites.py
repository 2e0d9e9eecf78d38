"""Sites: the files of a checked tree, as a browser or a site generator would find them.

Rule: a reference in a file is part of the web: its query is left out of the look-up, ``/`` is the root of the site, and
a folder is its index page. To resolve it, a file is given the URL that its site has; or, if no site is named, one of a
private scheme, whose paths distinguish links that began at the root from others. Nothing in a tree adds a folder to it.
"""

from __future__ import annotations

import errno
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from anyurl.batch.check.links import Link, MalformedLink
from anyurl.batch.check.outcome import NAME, OK, OUT_OF_TREE, Finding
from anyurl.batch.check.paths import decoded, encoded, is_below, path_of, tree_of, was_below
from anyurl.batch.check.sphinx import is_project, names_in
from anyurl.errors import escape
from anyurl.guard.verdict import Reader, aside
from anyurl.text.readers.registry import tell
from anyurl.url import URL
from anyurl.url.syntax import WEB
from anyurl.values import Value

if TYPE_CHECKING:
    from anyurl.text.limits import Budget
    from anyurl.text.source import Source

INNER = "anyurl-tree"
"""The scheme of files that have no URL on the web; it never leaves this module."""

HERE = "/.../"
"""The beginning of a path of INNER that is one of this machine; others begin at the root of the site."""

COPIED = ("static", "public")
"""Folders that generators copy into the root of the site (Hugo, Docusaurus; VitePress, Astro)."""

INDEX = "index.html"
"""The page of a folder, unless others are named."""

MAIN = ("index", "README")
"""The names of the sources of a folder's page, without their ends (mdBook, MkDocs, Docusaurus)."""

GUESSED = (".md", ".rst", ".html", ".gz")
"""Suffixes to try after a missing name; only suggested to the reader."""

FILES = (
    ".md", ".rst", ".txt", ".html", ".ipynb", ".gz", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".ico", ".pdf",
    ".css", ".js", ".py", ".json", ".xml", ".yml", ".yaml", ".toml", ".cfg", ".ini", ".sh", ".zip", ".c", ".h", ".mp4",
    ".*",
)  # fmt: skip
"""The ends of names of files; other names may be those of targets and objects."""

ANY = ".*"
"""The end of a picture of which Sphinx takes the format that fits its output."""

MARKDOWN = "markdown"
"""The format of sources whose root is that of the generated site."""

MEMBER = "!/"
"""The separator of an archive and the name of its member, as in ``jar:`` URLs."""

REMEMBERED = 16_384
"""Look-ups of files that are remembered: pages link to the same few."""

MAX_HEAD = 65_536
"""Octets of a site map or of a first page that are searched for the path of the site."""

OBJECT = Finding(
    "not-checkable",
    error=NAME,
    message="There is no such file; in a Sphinx project it may be the name of an object, which only Sphinx knows.",
)
"""The result for a possible name that no source defines."""

_PAGE = re.compile(rb"<loc>\s*+https?://(?>[^/<\s]+)(/[^<\s]*+)", re.IGNORECASE)
_ROOTED = re.compile(rb"\s(?:href|src)\s*+=\s*+[\"']?(/[^/\"'\s>?#][^\"'\s>?#]*+)", re.IGNORECASE)

_NO_NAME = re.compile(r"%2[fF]|%00")


class SiteFolder(Value):
    """A folder and the URL that it has on the web.

    Attributes:
        url: The URL, which ends with ``/``, without its scheme.
        folder: The folder, without symbolic links.
        scheme: ``https`` or ``http``.
    """

    url: str
    folder: str
    scheme: str


class Sites:
    """Resolves the links in the files of a tree.

    Args:
        sources: The files and folders that are checked.
        root: The folder that ``/`` leads to. None: any folder above the file, in its tree.
        sites: Folders, and the URLs that they have on the web.
        index: The names of the pages of folders. If there are any, a folder without one of them is broken.
        suffixes: Suffixes to try after a missing name, such as ``.html``.
        reader: The reader of the remedy for an excluded file.

    Attributes:
        roots: The folders of the tree, without symbolic links.
    """

    def __init__(
        self,
        sources: Sequence[str] = (),
        *,
        root: str | None = None,
        sites: Sequence[SiteFolder] = (),
        index: Sequence[str] = (),
        suffixes: Sequence[str] = (),
        reader: Reader = "arguments",
    ) -> None:
        for known in (_look_up, _prefix, _by_lower_name, members_of, names_in, was_below):
            known.cache_clear()  # of a check that is over: files come and go
        trees = dict.fromkeys(tree_of(each) for each in sources if each != "-")
        self._root = None if root is None else os.path.realpath(root)
        self._sites = tuple(sorted(sites, key=lambda site: -len(site.folder)))
        self._index = tuple(index)
        self._suffixes = tuple(suffixes)
        self._reader: Reader = reader
        told = (*((self._root,) if self._root is not None else trees), *(site.folder for site in self._sites))
        self.roots: tuple[str, ...] = tuple(dict.fromkeys(told))

    # --- from a file to its URL and back -----------------------------------------------------------------------------

    def base(self, file: str) -> URL:
        """The base of the links in a file."""
        whole = os.path.abspath(file) + ("/" if file.endswith("/") else "")
        for site in self._sites:
            if is_below(whole, (site.folder,)):
                inside = os.path.relpath(os.path.realpath(whole), site.folder)
                return URL(f"{site.scheme}:{site.url}{encoded(inside)}")
        return URL(f"{INNER}://{HERE[:-1]}{encoded(whole)}")

    def locate(self, url: URL, file: str, member: str = "") -> Link:
        """The target of a link in a file: a file of the tree, or the URL itself.

        Args:
            member: The name of the member of an archive that the link is in.
        """
        if url.scheme == INNER and url.host:
            return MalformedLink(str(url).partition(":")[2])
        path = self._path(url, file, member)
        return url if path is None else _file_url(path)

    def shown(self, text: str) -> str:
        """A malformed link of a file as a URL that people know."""
        return text.replace(f"{INNER}://{HERE[:-1]}", "file://", 1).replace(f"{INNER}:", "file:", 1)

    def _path(self, url: URL, file: str, member: str) -> str | None:
        """The path of the file that a link leads to; encoded if no file can have that name, None for other URLs."""
        if url.scheme == INNER:
            path = url.path
            if _NO_NAME.search(path):
                root = next(self._roots_of(file)).rstrip("/")
                return path.removeprefix(HERE[:-1]) if path.startswith(HERE) else encoded(root) + path
            if path.startswith(HERE):
                return self._from_page(decoded(path[len(HERE) - 1 :]), file)
            return self._from_member_root(decoded(path), file, member) if member else self._from_root(
                decoded(path), file
            )  # fmt: skip
        if self._sites and url.scheme in WEB and url.user is None:
            bare = url.replace(query=None, fragment=None)
            text = str(bare).partition(":")[2]
            for site in self._sites:
                if f"{text}/" == site.url:
                    text = site.url
                if text.startswith(site.url) and (url.scheme == site.scheme or site.scheme == "https"):
                    inside = text[len(site.url) :]
                    return site.folder + f"/{inside}" if _NO_NAME.search(inside) else self._found(
                        f"{site.folder}/{decoded(inside)}"
                    )  # fmt: skip
        return None

    def _from_page(self, path: str, file: str) -> str:
        """The file that a link in a source leads to; or in the page ``b/`` generated from ``b.md``."""
        found = self._found(path)
        stem, dot, last = os.path.basename(file).rpartition(".")
        if dot + last not in self._suffixes or stem in MAIN or os.path.exists(found):
            return found
        folder = os.path.dirname(os.path.abspath(file))
        whole = os.path.normpath(os.path.join(folder, stem, os.path.relpath(path, folder)))
        as_page = self._found(f"{whole}/" if path.endswith("/") else whole)
        return as_page if os.path.exists(as_page) else found

    def _from_root(self, path: str, file: str) -> str:
        """The file at a path that begins with ``/``, in a file of the tree."""
        roots = [root.rstrip("/") for root in self._roots_of(file)]
        tried = [root + inside for root in roots for inside in dict.fromkeys((path, _without_prefix(path, root)))]
        if self._root is None and tell(file, b"") == MARKDOWN:
            tried.extend(f"{root}/{name}{path}" for root in roots for name in COPIED)
        found = (self._found(each) for each in tried)
        return next((each for each in found if os.path.exists(each)), self._found(tried[0]))

    def _from_member_root(self, path: str, archive: str, member: str) -> str:
        """The same in a member of an archive, whose root may be any folder above it."""
        names = members_of(os.path.abspath(archive))
        folders = member.split("/")[:-1]
        inside = ("/".join((*folders[:count], path[1:])) for count in range(len(folders) + 1))
        found = next((each for each in inside if _is_member(each, names)), path[1:])
        return f"{os.path.abspath(archive)}{MEMBER}{found}"

    def _roots_of(self, file: str) -> Iterator[str]:
        """The folders that ``/`` may mean in a file: the root; if it is not named, any folder above it in the tree."""
        if self._root is not None:
            yield self._root
            return
        folder = os.path.dirname(os.path.realpath(file))
        tree = next((root for root in self.roots if is_below(folder, (root,))), folder)
        inside = os.path.relpath(folder, tree)
        yield tree
        for name in () if inside == "." else inside.split("/"):
            tree = os.path.join(tree, name)
            yield tree

    def _found(self, path: str) -> str:
        """The file or folder at a path, by the rules for names that are not there, and for folders."""
        return _look_up(path, self._index or (INDEX,), self._suffixes)

    def may_be(self, url: URL, files: frozenset[str]) -> bool:
        """Whether a file URL leads to one of these files, by one of its names."""
        path = path_of(url)
        return not files.isdisjoint(_names(path, self._index or (INDEX,), self._suffixes))

    # --- files -------------------------------------------------------------------------------------------------------

    def judge(self, url: URL) -> Finding | None:
        """The result for a link in a file that is not requested; None for all others."""
        if url.scheme != "file" or url.host:
            return None
        bad = _NO_NAME.search(url.path)
        if bad is not None and is_below(decoded(url.path[: bad.start()].rpartition("/")[0] or "/"), self.roots):
            return Finding("broken", message="No file can have '/' (%2F) or NUL (%00) in its name.")
        path = path_of(url)
        archive, mark, name = path.partition(MEMBER)
        if not is_below(archive if mark else path, self.roots):
            return self._outside(path)
        if mark and os.path.isfile(archive):
            if MEMBER in name:
                return Finding("not-checkable", message="It is in an archive within an archive.")
            is_there = _is_member(name, members_of(archive))
            return OK if is_there else Finding("broken", message=f"The archive has no member {escape(name)}.")
        if _is_gone(path):
            project = self._project_of_name(path)
            if project is not None:
                return OK if os.path.basename(path).lower() in names_in(project) else OBJECT
            return Finding("broken", error="LocalFileError", message=self._gone(path))
        if os.path.islink(path) and not os.path.exists(path):
            text = f"{escape(_near(path))} is a symbolic link to {escape(os.readlink(path))}, which is not there."
            return Finding("broken", error="LocalFileError", message=text)
        if self._index and os.path.isdir(path):
            names = " or ".join(map(escape, self._index))
            return Finding("broken", message=f"The folder has no {names}{aside('index', self._reader)}.")
        return None

    def _project_of_name(self, path: str) -> str | None:
        """The project in which MyST may read a destination as a name (``[x](some-target)``): not as that of a file."""
        folder, name = os.path.split(path)
        is_file = not name or name.endswith(FILES) or not os.path.isdir(folder)
        return None if is_file else self._project_of(folder)

    def _project_of(self, folder: str) -> str | None:
        """The top of the Sphinx project that a folder of the tree is in; None if it is in none."""
        while is_below(folder, self.roots):
            if is_project(folder):
                return folder
            folder = os.path.dirname(folder)
        return None

    def gives(self, url: URL, fragment: str) -> bool | None:
        """Whether a Sphinx project gives a name that a link of MyST in this file may mean; None if unknown."""
        project = self._project_of(os.path.dirname(path_of(url)))
        if project is None:
            return False
        name = decoded(fragment).lower()
        return True if name in names_in(project) else None if "." in name else False

    def _gone(self, path: str) -> str:
        """The sentence about a missing file; it may be generated from another one, or named without its suffix."""
        text = f"There is no {escape(_near(path))}"
        for suffix in GUESSED:
            other = next((each for each in _names(path, (), (suffix,)) if os.path.isfile(each)), None)
            if other is not None:
                way = aside("try-suffix", self._reader, suffix, " finds it")
                return f"{text}, but there is {escape(_near(other))}{way}."
        other = _in_other_case(path)
        return f"{text}, but there is {escape(_near(other))}." if other else f"{text}."

    def _outside(self, path: str) -> Finding:
        """The result for a file that is not in the tree."""
        link = _link_out(path, self.roots)
        if link is not None:
            target = os.path.realpath(link)
            common = os.path.commonpath((os.path.dirname(link), target))
            text = (
                f"{escape(link)} is a symbolic link out of the tree, to {escape(target)}, so nothing beyond it was "
                f"checked{aside('root', self._reader, common, ' would include it')}."
            )
            return Finding("refused", error=OUT_OF_TREE, message=text)
        tree = self.roots[0] if self.roots else os.path.realpath(".")
        common = os.path.commonpath((tree, os.path.normpath(path)))
        way = aside("root", self._reader, common, " would include it")
        text = f"It is outside of the checked tree, {escape(tree)}, so it was not checked{way}."
        return Finding("refused", error="RefusedError", message=text)


def _is_gone(path: str) -> bool:
    """Whether there is nothing at a path, as far as that can be checked."""
    try:
        os.lstat(path)
    except OSError as error:
        return error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)
    return False


def _in_other_case(path: str) -> str | None:
    """What a folder has instead of a missing name, equal but for upper and lower case (macOS and Windows take it)."""
    folder, name = os.path.split(path)
    other = _by_lower_name(folder).get(name.lower())
    return None if other is None else os.path.join(folder, other)


@lru_cache(maxsize=16)
def _by_lower_name(folder: str) -> dict[str, str]:
    """The names in a folder by the same in lower case."""
    try:
        return {name.lower(): name for name in sorted(os.listdir(folder), reverse=True)}
    except OSError:
        return {}


def _near(path: str) -> str:
    """A path as it is typed here."""
    whole = os.path.relpath(path)
    return path if whole.startswith("..") else whole + ("/" if path.endswith("/") else "")


def _names(path: str, index: tuple[str, ...], suffixes: tuple[str, ...]) -> Iterator[str]:
    """The names under which something may be that is linked as `path`, the most likely first."""
    yield path
    for name in index:
        yield os.path.join(path, name)
    for suffix in suffixes:
        if not path.endswith("/"):
            yield path + suffix
        elif suffix != ".html":  # a server has no page/ for page.html, but a generator makes it of page.md
            yield path.rstrip("/") + suffix
            yield from (f"{path}{name}{suffix}" for name in MAIN)
    if not path.endswith("/"):
        stem, _, last = path.rpartition(".")
        if last in ("html", "htm") and stem:  # a source names the page generated from another source
            for suffix in suffixes:
                yield stem + suffix
                if os.path.basename(stem) == MAIN[0]:
                    yield from (f"{os.path.dirname(stem)}/{name}{suffix}" for name in MAIN[1:])


def _any_of(path: str) -> str:
    """The first file whose name differs from this one only after the last dot; the path if there is none."""
    folder, name = os.path.split(path)
    try:
        names = sorted(each for each in os.listdir(folder) if each.startswith(name[:-1]))
    except OSError:
        return path
    return os.path.join(folder, names[0]) if names else path


@lru_cache(maxsize=REMEMBERED)
def _look_up(path: str, index: tuple[str, ...], suffixes: tuple[str, ...]) -> str:
    if os.path.isdir(path):
        names = (os.path.join(path, name) for name in index)
        whole = path if path.endswith("/") else f"{path}/"
        return next((each for each in names if os.path.isfile(each)), whole)
    if os.path.exists(path):
        return path
    if path.endswith(ANY):
        return _any_of(path)
    return next((each for each in _names(path, (), suffixes) if os.path.isfile(each)), path)


@lru_cache(maxsize=REMEMBERED)
def _file_url(path: str) -> URL:
    return URL(f"file://{path if _NO_NAME.search(path) else encoded(path)}")


@lru_cache(maxsize=256)
def _prefix(folder: str) -> str:
    """The path of a built site on its server, from its site map or its first page; ``/`` if neither tells."""
    folders = [path.rpartition("/")[0] or "/" for path in _paths_in(folder, "sitemap.xml", _PAGE)]
    return os.path.commonpath(folders).rstrip("/") + "/" if folders else _prefix_of_links(folder)


def _paths_in(folder: str, name: str, pattern: re.Pattern[bytes]) -> list[str]:
    try:
        with open(os.path.join(folder, name), "rb") as file:
            return [decoded(path.decode("ascii", "replace")) for path in pattern.findall(file.read(MAX_HEAD))]
    except OSError:
        return []


def _prefix_of_links(folder: str) -> str:
    """The path that most links of a first page begin with, if there is no such folder, and files without it."""
    paths = [path.split("/") for path in _paths_in(folder, INDEX, _ROOTED)]
    first, count = Counter(names[1] for names in paths).most_common(1)[0] if paths else ("", 0)
    if 2 * count <= len(paths) or os.path.exists(os.path.join(folder, first)):
        return "/"
    mine = [names for names in paths if names[1] == first]
    for length in range(2, max(map(len, mine))):
        start = mine[0][:length]
        if any(os.path.isfile(os.path.join(folder, *names[length:])) for names in mine if names[:length] == start):
            return "/".join(start) + "/"
    return "/"


def _without_prefix(path: str, root: str) -> str:
    """A path from the root of a server as one from the folder of its site."""
    prefix = _prefix(root)
    return path[len(prefix) - 1 :] if path.startswith(prefix) else "/" if f"{path}/" == prefix else path


def _is_member(name: str, names: frozenset[str]) -> bool:
    """Whether an archive has a member, or a folder, of this name."""
    folder = name if not name or name.endswith("/") else f"{name}/"
    return name in names or any(each.startswith(folder) for each in names)


@lru_cache(maxsize=4)
def members_of(archive: str) -> frozenset[str]:
    """The names of the members of an archive, which may be compressed; as far as they can be read."""
    from anyurl.errors import AnyURLError
    from anyurl.text.limits import Budget

    found: set[str] = set()
    try:
        with open(archive, "rb") as file:
            found.update(_names_in(file, Budget()))
    except (OSError, AnyURLError):
        pass
    return frozenset(found)


def _names_in(file: Source, budget: Budget) -> Iterator[str]:
    from anyurl.text.readers.registry import find_reader, tell
    from anyurl.text.source import Octets

    octets = Octets(file, "utf-8")
    octets.begin()
    reader = find_reader(tell("", octets.head()))
    for name, member in (
        reader.unpack(octets.file(), budget) if reader is not None and reader.unpack is not None else ()
    ):
        if name:
            yield name
        else:  # it was compressed
            yield from _names_in(member, budget)


def _link_out(path: str, roots: tuple[str, ...]) -> str | None:
    """The symbolic link in a tree through which a path leads out of it; None if the path itself does."""
    whole = os.path.normpath(path)
    for root in roots:
        place = root.rstrip("/")
        if not whole.startswith(f"{place}/"):
            continue
        for name in whole[len(place) + 1 :].split("/"):
            place = f"{place}/{name}"
            if os.path.islink(place) and not is_below(place, roots):
                return place
    return None
