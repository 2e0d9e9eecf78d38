"""Names of strangers become files: by one function, below the folder that the user named, and over no file of theirs.

Rule: every door that saves under a name from a peer gets hostile names from a real server, twice: into a folder where
nothing has them yet, and into one where files of the user have exactly the names that would be made.
"""

from __future__ import annotations

import ast
import os
import re
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anyurl import URL, Client, Policy
from anyurl.dialogue import Entry
from anyurl.errors import AnyURLError, LocalFileError, URLSyntaxError
from anyurl.saving.save import PARTS, Destination, safe_name
from anyurl.saving.tree import Tree, candidates, fold, is_safe_path
from anyurl.saving.worklist import NAME
from tests.architecture.source import modules
from tests.servers import Connection, Server, reply

pytestmark = pytest.mark.promise("names")

PIECES = [
    "..", ".", "/", "\\", "a", "A", "con", "NUL.txt", "~", "-rf", ".bashrc", " ", "%2e%2e%2f", "%2E%2E", "%00",
    ":", "c:", "\x1b[2J", "\u202e", "\u200c", "caf\u00e9", "cafe\u0301", "\u212a", "K", "\u00df", "ss", "x" * 300,
    "\u00e9" * 140, "?", "*", "a.txt", "link", ".anyurl-mirror", ".anyurl-part", ".anyurl-part.json", ".ANYURL-PART",
    "a.txt.anyurl-part", "\udcff",
]  # fmt: skip
"""What hostile names are made of: ways up, separators, names with a meaning to a system or to us, and lookalikes."""

names = st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map("".join)
menus = st.lists(names, min_size=1, max_size=6, unique=True)
WORST = ["../../evil", "/etc/evil", "a/../../evil", "..", "a.txt.anyurl-part", ".anyurl-mirror", "%2e%2e/x"]

ORDINARY = "plain"
"""Beside every hostile name: a door that writes nothing would be safe as well."""


class Stranger:
    """A server of gopher and http that names its documents as it likes."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.server = Server(self._play)

    def _play(self, connection: Connection) -> None:
        line = connection.line()
        if not line.endswith(b" HTTP/1.1"):
            connection.send(self._menu() if not line else b"of " + line + b"\r\n.\r\n")
            return
        connection.head()
        method, path, _ = line.decode().split()
        answer = self._page(path)
        connection.send(answer if method == "GET" else answer.partition(b"\r\n\r\n")[0] + b"\r\n\r\n")

    def _page(self, path: str) -> bytes:
        if path == "/robots.txt":
            return reply(b"", "Connection: close", status="404 x")
        if path == "/d/":
            links = "".join(f'<a href="/d/{_encoded(name)}">x</a>' for name in self.names)
            return reply(links.encode(), "Content-Type: text/html", "Connection: close")
        kind = "Content-Type: text/plain"
        if path.startswith("/given/"):  # named by a header field
            name = self.names[int(path.rpartition("/")[2])]
            kind = f"Content-Disposition: attachment; filename*=UTF-8''{_encoded(name)}"
        return reply(path.encode(), kind, "Connection: close")

    def _menu(self) -> bytes:
        at = f"{self.server.host}\t{self.server.port}\r\n"
        lines = [f"0{name}\t{slash}{name}\t{at}" for name in self.names for slash in ("", "/")]
        return ("".join(lines) + ".\r\n").encode("utf-8", "surrogateescape")


def _encoded(name: str) -> str:
    return quote(name.encode("utf-8", "surrogateescape"), safe="").replace(".", "%2e")


@pytest.fixture(scope="module")
def stranger() -> Iterator[Stranger]:
    stranger = Stranger()
    with stranger.server:
        yield stranger


def mirror_of_a_menu(stranger: Stranger, folder: Path) -> None:
    with Client(Policy.open()) as client:
        list(client.mirror(f"gopher://{stranger.server.authority}/", folder))


def mirror_of_a_site(stranger: Stranger, folder: Path) -> None:
    with Client(Policy.open()) as client:
        list(client.mirror(f"http://{stranger.server.authority}/d/", folder))


def get_by_fsspec(stranger: Stranger, folder: Path) -> None:
    _get_by_fsspec(f"gopher://{stranger.server.authority}/", folder, recursive=True)


def download_of_a_site_by_fsspec(stranger: Stranger, folder: Path) -> None:
    _get_by_fsspec(f"http://{stranger.server.authority}/d/", folder, recursive=True)


def get_by_fsspec_of_a_list(stranger: Stranger, folder: Path) -> None:
    _get_by_fsspec([f"gopher://{stranger.server.authority}/0{_encoded(name)}" for name in stranger.names], folder)


def get_by_fsspec_of_a_pattern(stranger: Stranger, folder: Path) -> None:
    _get_by_fsspec(f"gopher://{stranger.server.authority}/*", folder)


class Refused(Exception):
    """A door says that it downloads nothing."""


def _get_by_fsspec(asked: Any, folder: Path, **how: Any) -> None:
    from anyurl.adapters.fsspec import AnyURLFileSystem

    system = AnyURLFileSystem(Policy.open(), skip_instance_cache=True)
    try:
        system.get(asked, f"{folder}/", **how)
    except FileExistsError as error:
        raise Refused from error
    finally:
        system.close()


def remote_names_of_the_command(stranger: Stranger, folder: Path) -> None:
    from tests.cli.runner import run

    urls = [f"http://{stranger.server.authority}/d/{_encoded(name)}" for name in stranger.names]
    run("get", "--policy", "open", "--output-dir", str(folder), "--", *urls)


def files_of_mcp(stranger: Stranger, folder: Path) -> None:
    pytest.importorskip("mcp")
    from tests.mcp.conftest import use

    async def work(tools: Any) -> None:
        for number, name in enumerate(stranger.names):
            root = f"http://{stranger.server.authority}"
            await tools.fetch(f"{root}/given/{number}", "file")
            await tools.fetch(f"{root}/d/{_encoded(name)}", "file")
            await tools.fetch(f"{root}/d/x", "file", name)

    use(work, folder=str(folder), heeds_robots=False)


DOORS = [
    mirror_of_a_menu, mirror_of_a_site, get_by_fsspec, download_of_a_site_by_fsspec, get_by_fsspec_of_a_list,
    get_by_fsspec_of_a_pattern, remote_names_of_the_command, files_of_mcp,
]  # fmt: skip


ONE_BY_ONE = (remote_names_of_the_command, files_of_mcp)
"""Doors that leave it to the file system whether two names are the same, and say of the second that it is taken."""


def found(base: Path) -> dict[str, tuple[Any, ...]]:
    """Everything below a folder: its kind, its inode, and what is in it or where it leads. Folders change in time."""
    there: dict[str, tuple[Any, ...]] = {}
    for path in base.rglob("*"):
        status = path.lstat()
        kept = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        there[str(path.relative_to(base))] = status.st_mode, status.st_ino, kept
    return there


def visit(door: Callable[[Stranger, Path], None], stranger: Stranger, base: Path, own: list[str]) -> set[str]:
    """Go through the door into ``base/in/to``, in which the user has these files; the new files there."""
    folder = base / "in" / "to"
    folder.mkdir(parents=True)
    (base / "outside").mkdir()
    (base / "outside" / "evil").write_bytes(b"mine")
    for name in ("link", "0link"):  # as gopher has it, whose type is in the path
        (folder / name).symlink_to(base / "outside")
    for name in own:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"mine")
    before = found(base)
    try:
        door(stranger, folder)
    except Refused:
        assert found(base) == before
        return set()
    after = found(base)
    assert {path: after.get(path) for path in before} == before
    new = set(after) - set(before)
    assert all(path.startswith("in/to/") for path in new)
    below = {path.removeprefix("in/to/") for path in new if (base / path).is_file()}
    return below - {NAME}


@pytest.mark.parametrize("door", DOORS)
def test_no_name_leads_out_of_the_folder_and_none_takes_the_place_of_a_file(
    door: Callable[[Stranger, Path], None], stranger: Stranger
) -> None:
    @settings(max_examples=5)
    @given(menus)
    @example(WORST)
    @example([*WORST, "link/new"])
    @example([piece for piece in PIECES if piece != "link"])
    def attempt(hostile: list[str]) -> None:
        stranger.names = [ORDINARY, *hostile]
        with TemporaryDirectory() as first, TemporaryDirectory() as second:
            made = visit(door, stranger, Path(first), [])
            assert any(path.endswith(ORDINARY) for path in made) or "link" in "".join(hostile)
            assert all(map(is_safe_path, made)), made
            assert not any(path.lower().endswith(PARTS) for path in made)
            if door not in ONE_BY_ONE:
                assert len({unicodedata.normalize("NFC", path).casefold() for path in made}) == len(made)
            visit(door, stranger, Path(second), sorted(made))

    attempt()


@example("::", "ftp")
@given(names, st.sampled_from(["ftp", "file", "prospero", "http", "gopher", "nntp"]))
def test_each_scheme_places_an_entry_in_the_folder(name: str, scheme: str) -> None:
    root = URL(f"{scheme}://h/d/" if scheme != "gopher" else "gopher://h/1/d")
    tree = Tree(root)
    with suppress(URLSyntaxError, LocalFileError):
        url = URL(f"{root}/{_encoded(name)}")
        entry = Entry(name, url)
        places = [tree.place(entry, url, ""), tree.place(entry, url, "a/b")]
        if scheme == "http":
            places.append(tree.page(url))
        assert all(places)
        assert all(map(is_safe_path, places))


@given(names, names, st.sampled_from(["", "a", "a/b"]))
def test_another_name_for_a_taken_one_is_safe_and_in_the_same_folder(name: str, source: str, folder: str) -> None:
    path = f"{folder}/{safe_name(name)}".lstrip("/")
    first, *others = candidates(path, source)
    assert first == path
    assert len({fold(each) for each in (first, *others)}) == 3
    for each in others:
        assert is_safe_path(each)
        assert each.rpartition("/")[0] == folder


@given(names)
def test_a_destination_in_a_folder_writes_there_or_says_why_not(name: str) -> None:
    """Also by callers that would forget to make the name safe."""
    for text in (name, safe_name(name)):
        with TemporaryDirectory() as base:
            inside = Path(base, "in")
            inside.mkdir()
            folder = os.open(inside, os.O_RDONLY)
            try:
                with Destination(text, folder=folder) as destination:
                    destination.write(b"x")
                    destination.finish()
            except (AnyURLError, ValueError):
                assert text != safe_name(name)
            finally:
                os.close(folder)
            assert [path.name for path in Path(base).iterdir()] == ["in"]


def test_no_path_of_a_file_system_leads_up(stranger: Stranger) -> None:
    """Whoever copies by `ls`, `find` or `walk` joins these to a folder; each still leads to its document."""
    from anyurl.adapters.fsspec import AnyURLFileSystem

    system = AnyURLFileSystem(Policy.open(), skip_instance_cache=True)

    @settings(max_examples=10)
    @given(menus)
    @example(["../../evil", "..", ".", "a/./b", "a//../b", "..%2F..%2Fevil"])
    def attempt(hostile: list[str]) -> None:
        stranger.names = hostile
        top = f"gopher://{stranger.server.authority}/"
        paths = system.ls(top, detail=False)
        assert paths == sorted(system.find(top))
        assert not {".", ".."} & {part for path in paths for part in path.partition("://")[2].split("/")}
        for _, folders, files in system.walk(top):
            assert not [name for name in (*folders, *files) if name in (".", "..") or ("/" in name and ":" not in name)]
        for path in paths[:3]:
            selector = getattr(URL(path).parts, "selector", "").encode("utf-8", "surrogateescape")
            assert system.cat_file(path) == b"of " + selector + b"\n"

    try:
        attempt()
    finally:
        system.close()


def test_force_replaces_what_fsspec_gets(stranger: Stranger, tmp_path: Path) -> None:
    from anyurl.adapters.fsspec import AnyURLFileSystem

    stranger.names = ["a", "b"]
    (tmp_path / "b").write_bytes(b"mine")
    system = AnyURLFileSystem(Policy.open(), skip_instance_cache=True)
    asked = [f"gopher://{stranger.server.authority}/0/{name}" for name in stranger.names]
    try:
        with pytest.raises(FileExistsError, match=r"there is a file of that name \(force=True replaces it\)"):
            system.get(asked, str(tmp_path))
        assert [path.name for path in tmp_path.iterdir()] == ["b"]
        system.get(asked, str(tmp_path), force=True)
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"of /a\n", "b": b"of /b\n"}
        system.get(asked[0], str(tmp_path / "b"))  # a name that the caller chose
        system.get_file(asked[0], str(tmp_path / "c"))
        assert (tmp_path / "b").read_bytes() == (tmp_path / "c").read_bytes() == b"of /a\n"
    finally:
        system.close()


# --- the source ------------------------------------------------------------------------------------------------------

SOURCE = Path(__file__).parent.parent / "src" / "anyurl"

MAKERS = {
    "Destination", "NamedTemporaryFile", "PartFile", "RootedFolder", "append_text", "appendix", "copyfile", "extract",
    "extractall", "makedirs", "mkdir", "mkdtemp", "mkstemp", "open_sink", "rename", "replacement", "symlink",
    "write_bytes", "write_new", "write_text",
}  # fmt: skip
"""Calls that make a file or a folder, beside those that open one for writing."""

PEER = {
    "saving/mirror.py": {"Tree", "is_safe_path"},
    "adapters/fsspec.py": {"safe_path", "candidates"},
    "cli/several.py": {"safe_name"},
    "mcp/tools.py": {"safe_name"},
}
"""Where files are made under names from peers, and what makes those names."""

OURS = {
    "client/cookie_file.py", "saving/save.py", "warc/file.py", "warc/wacz.py", "cli/argv.py", "cli/checking.py",
    "cli/save.py", "proxy/journal.py", "world/shared.py", "mcp/server.py", "net/wire/pins.py", "web/desktop.py",
    "web/visits.py", "world/certificate.py", "world/files.py", "world/ftp.py", "world/tree.py",
    "batch/frontier.py", "saving/several.py",  # the number of a shard; what its caller, cli/several.py, has made safe
}  # fmt: skip
"""Where files are made under names that the user or the program chose; `files` makes them for all others."""


def _makes(call: ast.Call) -> bool:
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if name == "open":
        given = [*call.args[1:2], *(each.value for each in call.keywords if each.arg == "mode")]
        modes = [each.value for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str)]
        return "O_CREAT" in ast.dump(call) or any(re.fullmatch(r"[wxa]b?\+?|r\+b?|rb\+", mode) for mode in modes)
    return name in MAKERS


def test_a_name_from_a_peer_becomes_a_file_by_one_function() -> None:
    """Who adds a place that makes files says in one of the two tables whose names it takes."""
    makers = set()
    for module in modules():
        if any(isinstance(node, ast.Call) and _makes(node) for node in module.nodes):
            makers.add(module.path)
    assert {maker for maker in makers if not maker.startswith("files/")} == OURS | set(PEER)
    for place, functions in PEER.items():
        tree = ast.parse((SOURCE / place).read_text(encoding="utf-8"))
        called = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert functions <= called, place


def test_all_names_of_a_tree_are_made_by_that_function() -> None:
    """What `Tree` returns as a path is a call of `safe_name` or `safe_path`, which calls nothing else."""
    tree = ast.parse((SOURCE / "saving" / "tree.py").read_text(encoding="utf-8"))
    found = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for name in ("place", "page", "document", "candidates"):
        assert {"safe_name", "safe_path"} & {each.id for each in ast.walk(found[name]) if isinstance(each, ast.Name)}
    assert "safe_name" in {each.id for each in ast.walk(found["safe_path"]) if isinstance(each, ast.Name)}
