"""file URLs: their parts, what is refused before anything is asked, and the dialogues, on real files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.dialogue import (
    Ask,
    Close,
    Commit,
    Describe,
    Dialogue,
    Emit,
    Entry,
    ListFolder,
    LocalName,
    Note,
    OpenFile,
    OpenFolder,
    Options,
    Relay,
    Resume,
    Send,
    StatFile,
    Take,
)  # fmt: skip
from anyurl.errors import LimitError, LocalFileError, RefusedError, UnsupportedError
from anyurl.files import filesystem as files
from anyurl.schemes import registry
from anyurl.schemes.file import verbs as file
from anyurl.schemes.file.verbs import FileParts
from anyurl.url import URL
from tests.rows import each_row


class Told:
    """What a dialogue said and did."""

    def __init__(self) -> None:
        self.asks: list[Ask[Any]] = []
        self.described: Describe | None = None
        self.data = b""
        self.entries: list[Entry] = []
        self.notes: list[str] = []


def run(dialogue: Dialogue, source: tuple[bytes, ...] = (), *, names: tuple[str, ...] = (), limit: int = 100) -> Told:
    """Answer a dialogue's asks with the real files of this machine."""
    told = Told()
    pieces = iter(source)
    answer: Any = None
    opened: list[files.FileChannel] = []
    folders: list[files.FolderChannel] = []

    def step(ask: Ask[Any]) -> Any:
        told.asks.append(ask)
        match ask:
            case OpenFile():
                opened.append(files.open_file(ask.path, ask.mode, ask.offset))
                return opened[-1]
            case StatFile():
                return files.stat_file(ask.path)
            case OpenFolder():
                folders.append(files.open_listing(ask.path, limit))
                return folders[-1]
            case ListFolder(channel=files.FolderChannel() as channel):
                while (facts := channel.advance()) is None:
                    pass
                return facts
            case Close(channel=files.FolderChannel() as channel):
                channel.close()
            case LocalName():
                return frozenset(names)
            case Relay(channel=files.FileChannel() as channel):
                while piece := channel.receive(3):
                    told.data += piece
            case Send(channel=files.FileChannel() as channel):
                channel.write(ask.data)
            case Commit(channel=files.FileChannel() as channel):
                channel.commit()
            case Close(channel=files.FileChannel() as channel):
                channel.close()
            case Take():
                return next(pieces, b"")
            case Describe():
                told.described = ask
            case Emit(content=list() as entries):
                told.entries += entries
            case Note():
                told.notes.append(ask.text)
            case _:
                raise AssertionError(ask)
        return None

    error: BaseException | None = None
    try:
        while True:
            ask = dialogue.send(answer) if error is None else dialogue.throw(error)
            try:
                answer, error = step(ask), None
            except (LocalFileError, LimitError) as caught:
                error = caught
    except StopIteration:
        return told
    finally:
        for channel in (*opened, *folders):
            channel.close()


def verb(text: str, name: Any, **options: Any) -> Dialogue:
    return registry.verb(URL(text), name)(URL(text), Options(**options))


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    before = set(os.listdir("/proc/self/fd"))
    (tmp_path / "a b.txt").write_bytes(b"0123456789")
    os.chmod(tmp_path / "a b.txt", 0o640)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "x.html").write_bytes(b"<p>")
    os.mkfifo(tmp_path / "fifo")
    yield tmp_path
    assert set(os.listdir("/proc/self/fd")) <= before


# --- parts -----------------------------------------------------------------------------------------------------------

PARTS = [
    ("file:///etc/motd", ("etc", "motd"), "/etc/motd"),
    ("file://localhost/etc/motd", ("etc", "motd"), "/etc/motd"),
    ("file:/etc/motd", ("etc", "motd"), "/etc/motd"),
    ("FILE:///etc/motd", ("etc", "motd"), "/etc/motd"),
    ("file:///", (), "/"),
    ("file:/", (), "/"),
    ("file:///etc/", ("etc", ""), "/etc/"),
    ("file:////etc", ("", "etc"), "//etc"),
    ("file:///a%20b/%C3%A9", ("a b", "é"), "/a b/é"),
    ("file:///caf%E9", ("caf\udce9",), "/caf\udce9"),
    ("file:///a%2Fb", ("a/b",), "/a/b"),
    ("file:///what?", ("what?",), "/what?"),
    ("file:///a;b=c", ("a;b=c",), "/a;b=c"),
    ("file:///../x", ("..", "x"), "/../x"),
]


@each_row(("text", "segments", "path"), PARTS)
def test_parts_are_the_decoded_segments(text: str, segments: tuple[str, ...], path: str) -> None:
    parts = URL(text).parts
    assert parts == FileParts(segments)
    assert parts.path == path


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), max_size=5))
def test_what_is_built_is_read_back(segments: list[str]) -> None:
    parts = FileParts(segments)
    url = URL.build(scheme="file", host="", parts=parts)
    assert file.read(url) == parts
    assert file.read(URL(str(url))) == parts


@given(st.binary(min_size=1, max_size=20))
def test_any_octets_can_be_a_name(name: bytes) -> None:
    text = name.decode("utf-8", "surrogateescape")
    url = URL.build(scheme="file", host="", parts=FileParts([text]))
    assert os.fsencode(file.read(url).name) == name


def test_segments_are_a_sequence() -> None:
    with pytest.raises(ValueError, match="sequence of names"):
        FileParts("etc")
    assert FileParts([""]) == FileParts() == FileParts(())


# --- what is refused before anything is asked ------------------------------------------------------------------------


@each_row("text", ["file:///a%2Fb", "file:///..%2f..%2fetc/passwd", "file:///x%00.png", "file:/a%2Fb"])
@each_row("name", ["get", "list", "stat", "put", "append"])
def test_a_segment_is_one_name(text: str, name: Any) -> None:
    with pytest.raises(RefusedError, match="which no file name can contain"):
        registry.verb(URL(text), name)
    dialogue = getattr(file, "list_folder" if name == "list" else name)(URL(text), Options())
    with pytest.raises(RefusedError, match="which no file name can contain"):
        dialogue.send(None)


@each_row("name", ["get", "list", "stat", "put", "append"])
@each_row("host", ["other.example", "127.0.0.1", "localhost.example"])
def test_another_machines_file_has_no_access_method(name: Any, host: str) -> None:
    url = URL.build(scheme="file", host=host, path="/etc/motd")
    with pytest.raises(UnsupportedError, match=r"RFC 1738 3\.10 gives no access method for it"):
        run(registry.verb(url, name)(url, Options()), names=("this.example",))


@pytest.mark.parametrize("host", ["", "localhost", "LOCALHOST", "this.example", "this.example."])
def test_this_machine_has_several_names(folder: Path, host: str) -> None:
    told = run(verb(f"file://{host}{folder}/a%20b.txt", "get"), names=("this.example",))
    assert told.data == b"0123456789"


def test_the_name_of_this_machine_is_asked_for_only_when_it_matters(folder: Path) -> None:
    told = run(verb(f"file://localhost{folder}/a%20b.txt", "stat"))
    assert [type(ask) for ask in told.asks] == [StatFile, Describe]


def test_there_is_nothing_to_search() -> None:
    with pytest.raises(UnsupportedError, match="file has no 'search'; it has get, list, stat, put, append"):
        registry.verb(URL("file:///x"), "search")


# --- get, stat, list -------------------------------------------------------------------------------------------------


def test_a_file_is_described_and_read(folder: Path) -> None:
    told = run(verb(f"file://{folder}/a%20b.txt", "get"))
    assert told.data == b"0123456789"
    said = told.described
    assert said is not None
    assert (said.kind, said.type, said.size, said.name, said.start) == ("document", "text/plain", 10, "a b.txt", 0)
    assert said.modified == (folder / "a b.txt").stat().st_mtime
    assert said.attributes == {"mode": "0640"}
    assert [type(ask) for ask in told.asks] == [StatFile, OpenFile, Describe, Relay, Close]


def test_stat_describes_without_opening(folder: Path) -> None:
    told = run(verb(f"file://{folder}/a%20b.txt", "stat"))
    assert told.described is not None
    assert (told.described.kind, told.described.size) == ("document", 10)
    assert [type(ask) for ask in told.asks] == [StatFile, Describe]
    told = run(verb(f"file://{folder}/sub", "stat"))
    assert told.described is not None
    assert (told.described.kind, told.described.size, told.described.type) == ("listing", None, None)
    with pytest.raises(UnsupportedError, match="is a device, a FIFO or a socket"):
        run(verb(f"file://{folder}/fifo", "stat"))


@pytest.mark.parametrize("name", ["get", "list"])
@pytest.mark.parametrize("slash", ["", "/"])
def test_a_directory_lists_with_or_without_the_slash(folder: Path, name: Any, slash: str) -> None:
    told = run(verb(f"file://{folder}{slash}", name))
    assert told.described is not None
    assert told.described.kind == "listing"
    assert [(entry.name, str(entry.url), entry.kind, entry.size, entry.type) for entry in told.entries] == [
        ("a b.txt", f"file://{folder}/a%20b.txt", "document", 10, "text/plain"),
        ("fifo", f"file://{folder}/fifo", None, None, None),
        ("sub", f"file://{folder}/sub/", "listing", None, None),
    ]
    assert told.entries[0].attributes == {"mode": "0640"}


def test_a_file_lists_as_itself(folder: Path) -> None:
    told = run(verb(f"file://{folder}/sub/x.html", "list"))
    assert [(entry.name, str(entry.url)) for entry in told.entries] == [("x.html", f"file://{folder}/sub/x.html")]


def test_the_root_lists() -> None:
    told = run(verb("file:///", "list"), limit=10_000)
    assert "etc" in [entry.name for entry in told.entries]
    assert "file:///etc/" in [str(entry.url) for entry in told.entries]


def test_children_keep_the_host_that_was_used(folder: Path) -> None:
    told = run(verb(f"file://localhost{folder}/sub", "list"))
    assert str(told.entries[0].url) == f"file://localhost{folder}/sub/x.html"


@pytest.mark.parametrize(
    "name", [b"caf\xe9", b"a%2Fb", b"?", b"#x", b" ", b"\n", b"\x1b[31m", b"-rf", "é".encode(), b";"]
)
def test_a_child_leads_to_itself_whatever_its_name(folder: Path, name: bytes) -> None:
    path = os.fsencode(folder / "sub") + b"/" + name
    Path(os.fsdecode(path)).write_bytes(b"content of " + name)
    told = run(verb(f"file://{folder}/sub", "list"))
    (child,) = (entry for entry in told.entries if entry.name != "x.html")
    assert child.name == name.decode("utf-8", "surrogateescape")
    assert run(verb(str(child.url), "get")).data == b"content of " + name


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("a%20b.txt/", "not a directory"),
        ("nothing", "no such file or directory"),
        ("fifo", "it is a FIFO"),
    ],
)
def test_what_is_not_there_is_a_local_error(folder: Path, path: str, reason: str) -> None:
    with pytest.raises(LocalFileError, match=reason):
        run(verb(f"file://{folder}/{path}", "get"))


def test_a_large_directory_comes_in_batches_up_to_the_limit(folder: Path) -> None:
    for number in range(1200):
        (folder / "sub" / f"{number:04}").touch()
    told = run(verb(f"file://{folder}/sub/", "list"), limit=1201)
    assert len(told.entries) == 1201
    assert [len(ask.content) for ask in told.asks if isinstance(ask, Emit)] == [*[125] * 9, 76]
    with pytest.raises(LimitError, match="more than 1,200 entries"):
        run(verb(f"file://{folder}/sub/", "list"), limit=1200)


# --- resuming --------------------------------------------------------------------------------------------------------


def test_the_rest_of_the_same_file_is_read(folder: Path) -> None:
    modified = (folder / "a b.txt").stat().st_mtime
    told = run(verb(f"file://{folder}/a%20b.txt", "get", resume=Resume(4, modified=modified, size=10)))
    assert told.described is not None
    assert (told.data, told.described.start, told.described.size, told.notes) == (b"456789", 4, 10, [])


@pytest.mark.parametrize(
    ("start", "size", "later", "remark"),
    [
        (4, 11, 0.0, "the file has changed"),
        (4, 10, 1.0, "the file has changed"),
        (11, 10, 0.0, "the file has changed"),
        (4, None, 0.0, "it is unknown whether it is still the same file"),
        (4, 10, None, "it is unknown whether it is still the same file"),
    ],
)
def test_another_file_is_read_from_its_start(
    folder: Path, start: int, size: int | None, later: float | None, remark: str
) -> None:
    modified = None if later is None else (folder / "a b.txt").stat().st_mtime + later
    told = run(verb(f"file://{folder}/a%20b.txt", "get", resume=Resume(start, modified=modified, size=size)))
    assert told.described is not None
    assert (told.data, told.described.start) == (b"0123456789", 0)
    assert told.notes == [f"the transfer starts again from the beginning: {remark}"]


def test_a_whole_file_has_no_rest(folder: Path) -> None:
    modified = (folder / "a b.txt").stat().st_mtime
    told = run(verb(f"file://{folder}/a%20b.txt", "get", resume=Resume(10, modified=modified, size=10)))
    assert (told.data, told.described and told.described.start) == (b"", 10)


# --- put, append -----------------------------------------------------------------------------------------------------


def test_a_file_is_put_whole(folder: Path) -> None:
    told = run(verb(f"file://{folder}/a%20b.txt", "put"), (b"new ", b"content"))
    assert (folder / "a b.txt").read_bytes() == b"new content"
    assert (folder / "a b.txt").stat().st_mode & 0o777 == 0o640
    assert told.described is not None
    assert (told.described.size, told.described.name) == (11, "a b.txt")
    assert [type(ask) for ask in told.asks] == [OpenFile, Take, Send, Take, Send, Take, Commit, Close, Describe]
    assert sorted(os.listdir(folder)) == ["a b.txt", "fifo", "sub"]


def test_an_empty_file_can_be_put(folder: Path) -> None:
    run(verb(f"file://{folder}/sub/new", "put"))
    assert (folder / "sub" / "new").read_bytes() == b""


def test_octets_are_appended(folder: Path) -> None:
    run(verb(f"file://{folder}/a%20b.txt", "append"), (b"ab", b"c"))
    assert (folder / "a b.txt").read_bytes() == b"0123456789abc"


@pytest.mark.parametrize("name", ["put", "append"])
def test_a_directory_is_not_written(folder: Path, name: Any) -> None:
    for text in ("file:///", f"file://{folder}/sub/"):
        with pytest.raises(UnsupportedError, match="designates a directory"):
            run(verb(text, name), (b"x",))
    with pytest.raises(LocalFileError, match="it is a directory"):
        run(verb(f"file://{folder}/sub", name), (b"x",))
    with pytest.raises(LocalFileError, match="it is a FIFO"):
        run(verb(f"file://{folder}/fifo", name), (b"x",))


@pytest.mark.parametrize("name", ["put", "append"])
def test_a_dialogue_that_is_dropped_leaves_the_old_file(folder: Path, name: Any) -> None:
    dialogue = verb(f"file://{folder}/a%20b.txt", name)
    ask: Any = dialogue.send(None)
    channel = files.open_file(ask.path, ask.mode)
    dialogue.send(channel)
    ask = dialogue.send(b"half")
    channel.write(ask.data)
    dialogue.close()
    channel.close()
    assert (folder / "a b.txt").read_bytes() == b"0123456789"
    assert sorted(os.listdir(folder)) == ["a b.txt", "fifo", "sub"]
