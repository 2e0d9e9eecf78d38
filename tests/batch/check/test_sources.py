"""Sources: what is read, what is passed over, what relative links lead to, and who named it."""

from __future__ import annotations

import gzip
import io
import os
import re
from pathlib import Path

import pytest

from anyurl.batch.check.sources import TREE, MentionedURL, Sources, document, is_binary
from anyurl.url import URL
from anyurl.values import Scope
from tests.cli.runner import run


def read(*paths: str, **options: object) -> list[MentionedURL]:
    complaints: list[str] = []
    found = list(Sources(tuple(paths), complain=complaints.append, **options))  # type: ignore[arg-type]
    assert complaints == []
    return found


def test_each_url_has_its_place(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one\nsee http://h/x#part and\n[b](sub/b.md#there)\n")
    found = read(str(tmp_path))
    assert [str(each.url) for each in found] == ["http://h/x", f"file://{tmp_path}/sub/b.md"]
    assert [(each.place.line, each.place.column, each.place.fragment) for each in found] == [
        (2, 5, "part"),
        (3, 5, "there"),
    ]
    assert found[0].place.file == f"{tmp_path}/a.md"


def test_a_link_in_the_tree_is_the_trees_and_all_else_a_strangers(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.md").write_text("[in](b.md) [out](../c.md) [away](http://127.0.0.1/)")
    (tmp_path / "tree" / "way").symlink_to(tmp_path)
    (tmp_path / "tree" / "d.md").write_text("[a symbolic link that leads out](way/c.md)")
    (tmp_path / "tree" / "e.md").write_text(
        f"[an application](app:{tmp_path}/tree/b.md?app) [another machine](file://other.example{tmp_path}/tree/b.md?far)"
    )
    origins = {str(each.url).rpartition("/")[2]: each.origin for each in read(str(tmp_path / "tree"))}
    named = [each.origin for each in read(str(tmp_path / "tree" / "d.md"))]
    assert origins["b.md"] == TREE
    assert origins["c.md"] == origins[""] == origins["b.md?app"] == origins["b.md?far"] == document(False)
    assert named == [document(False)]


def test_private_places_are_opened_by_the_caller_alone(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("http://10.0.0.1/")
    assert [each.origin.scope for each in read(str(tmp_path))] == [Scope.PUBLIC]
    assert [each.origin.scope for each in read(str(tmp_path), private=True)] == [Scope.LOCAL]


def test_what_is_passed_over(tmp_path: Path) -> None:
    for name in ("a.txt", ".git/b.txt", "node_modules/c.txt", "d.bin", "e/f.txt", "skip/g.txt", "h.log"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"http://h/" + name.encode() + (b"\0" if name == "d.bin" else b""))
    os.mkfifo(tmp_path / "pipe")
    found = read(str(tmp_path), exclude=("*.log", "*/skip"))
    assert [each.url.path for each in found] == ["/a.txt", "/e/f.txt"]
    assert [each.url.path for each in read(str(tmp_path / "d.bin"))] == ["/d.bin"]  # it was named


def test_a_compressed_file_and_standard_input(tmp_path: Path) -> None:
    (tmp_path / "a.html.gz").write_bytes(gzip.compress(b'<a href="b">'))
    found = read(str(tmp_path / "a.html.gz"), "-", stdin=lambda: io.BytesIO(b"http://h/"), base=URL("http://base/x/"))
    assert [(str(each.url), Path(each.place.file).name) for each in found] == [
        ("http://base/x/b", "a.html.gz"),
        ("http://h/", "-"),
    ]


def test_the_format_is_told_by_the_name_and_the_encoding_by_the_text(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"home": "http:\\/\\/h\\/a"}')
    (tmp_path / "b.html").write_bytes('<a href="http://h/b">'.encode("utf-16"))
    (tmp_path / "c.csv").write_text('name,"http://h/c,d"\n')
    assert [str(each.url) for each in read(str(tmp_path))] == ["http://h/a", "http://h/b", "http://h/c,d"]


def test_what_cannot_be_read_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"http://h/a " * 99)[:-12])
    (tmp_path / "b.txt").write_text("http://h/b")
    complaints: list[str] = []
    found = list(Sources((str(tmp_path), str(tmp_path / "none")), complain=complaints.append))
    assert str(found[-1].url) == "http://h/b"
    assert [text.removeprefix(f"{tmp_path}/").split(" ")[0] for text in complaints] == ["a.gz", "none"]
    assert all(text.endswith(".") for text in complaints)


def test_a_bomb_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    """Of a text of spaces 40 MiB long 40 kB are left: nobody's page is so."""
    (tmp_path / "a.gz").write_bytes(gzip.compress(b" " * (40 << 20), 9))
    (tmp_path / "b.txt").write_text("http://h/b")
    complaints: list[str] = []
    found = list(Sources((str(tmp_path),), complain=complaints.append))
    assert [str(each.url) for each in found] == ["http://h/b"]
    assert complaints == [f"{tmp_path}/a.gz: The archive unpacks to far more than it holds: it may be a bomb."]


def test_binary_is_what_has_a_nul() -> None:
    assert is_binary(b"\x7fELF\0")
    assert not is_binary(b"\xff\xfea\0")
    assert not is_binary(b"text")


def test_the_rows_of_a_table_are_read_where_it_is_named(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    urls = [f"http://h/{number}" for number in range(100)]
    pyarrow.parquet.write_table(arrow.table({"url": urls}), tmp_path / "in.parquet")
    said: list[str] = []
    for path, expected in ((tmp_path / "in.parquet", urls), (tmp_path, [])):
        found = [*Sources((str(path),), complain=said.append)]
        assert [str(each.url) for each in found] == expected
        assert [each.place.line for each in found] == [*range(1, len(expected) + 1)]
    (tmp_path / "in.parquet").write_bytes(b"PAR1" + bytes(100) + b"PAR1")
    assert [*Sources((str(tmp_path / "in.parquet"),), complain=said.append)] == []
    assert said == [f"{tmp_path}/in.parquet can't be read: it is damaged, or not what its name says."]


def test_a_circle_of_symbolic_links_is_told_and_one_to_nothing_is_not(tmp_path: Path) -> None:
    (tmp_path / "a.md").symlink_to("b.md")
    (tmp_path / "b.md").symlink_to("a.md")
    (tmp_path / "c.md").symlink_to("none.md")
    (tmp_path / "d.md").write_text("http://h/")
    complaints: list[str] = []
    found = list(Sources((str(tmp_path),), complain=complaints.append))
    assert [str(each.url) for each in found] == ["http://h/"]
    assert [text.split(" ")[0] for text in complaints] == [f"{tmp_path}/a.md", f"{tmp_path}/b.md"]


def test_a_server_to_connect_to_is_no_link(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<link rel="preconnect" href="https://fonts.example"><a href="http://h/">')
    assert [str(each.url) for each in read(str(tmp_path))] == ["http://h/"]


def test_files_that_came_since_the_last_check_are_seen(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("[b](b)")
    for name, expected in ((None, "b"), ("b", "b/"), ("b/index.html", "b/index.html")):
        if name is not None:
            (tmp_path / name).touch() if "." in name else (tmp_path / name).mkdir()
        assert [str(each.url) for each in read(str(tmp_path / "a.md"))] == [f"file://{tmp_path}/{expected}"]


def test_each_file_and_folder_that_is_not_read_is_counted_by_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What Sphinx has copied leads nowhere from there; a folder that is named is read whatever it is."""
    monkeypatch.chdir(tmp_path)
    names = (".git", ".github", "node_modules", "__pycache__", "built/_sources", "sources/_sources", "named", "out")
    for name in names:
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "a.md").write_text("[a](gone.md)")
    (tmp_path / "built/objects.inv").touch()
    (tmp_path / ".gitignore").write_text("named\n")
    scripts = ("built/sub/a.js", "built/search.json", "a.min.js", "a.js.map", "a.js.LICENSE.txt")
    (tmp_path / "built/sub").mkdir()
    (tmp_path / "built/index.html").touch()
    for name in (*scripts, "sources/a.js", "sources/search.json"):
        (tmp_path / name).write_text("// http://127.0.0.1/")
    result = run("check", ".", "--exclude-files", "out")
    read = ["sources/_sources/a.md", "sources/a.js", "sources/search.json"]
    assert [line.partition(":")[0] for line in result.stdout.splitlines()] == read
    told = [line.removeprefix("anyurl: ") for line in result.stderr.splitlines() if "not read" in line]
    assert [re.split(" w[a-z]+ not read; ", line)[0] for line in told] == [
        "1 file or folder named by .gitignore",
        "1 file or folder named by --exclude-files",
        "1 folder with a dot before the name",
        "1 folder called node_modules",
        "1 folder called _sources, where Sphinx copies what it reads,",
        "5 files of the scripts and search of a site",
    ]
    for name in scripts:
        assert run("check", name).stdout.startswith(f"{name}:1:4: refused: http://127.0.0.1/: ")
    for name in (".github", "node_modules", "built/_sources", "named"):
        assert run("check", name).stdout.startswith(f"{name}/a.md:1:5: broken: gone.md: ")


def test_the_text_of_a_link_that_is_its_url_is_no_second_place(tmp_path: Path) -> None:
    text = '<a href="http://h/a#b">http://h/a#b</a>\n<a href="http://h/a">http://h/b</a>\nhttp://h/a\n'
    (tmp_path / "a.html").write_text(text)
    places = [(found.place.line, found.place.column) for found in Sources((str(tmp_path),), complain=print)]
    assert places == [(1, 10), (2, 10), (2, 22), (3, 1)]


def test_the_comments_of_a_style_sheet_are_no_links(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("/* http://h/a */ @import 'http://h/b'; a { background: url(http://h/c) }")
    assert [str(found.url) for found in Sources((str(tmp_path),), complain=print)] == ["http://h/b", "http://h/c"]
