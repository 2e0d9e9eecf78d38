"""What a tree wants left out: patterns as git reads them, and comments."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from anyurl.batch.check.ignored import Patterns, switched_off
from anyurl.batch.check.sources import Sources

PATTERNS = [
    "build", "build/", "/build/", "*.html", "docs/*.html", "/docs/**/x", "**/x", "a/**", "!keep.html", "\\#x", "\\!x",
    "x[0-9]", "x[!0-9]", "?.md", "docs/sub/", "# x", "", "*", "!*/", "a**b", "[", "x[]]", "trailing   ", "docs",
]  # fmt: skip
FILES = [
    "build/a.html", "docs/build/a.html", "docs/a.html", "docs/sub/x", "x", "a/b/c.md", "keep.html", "#x", "!x", "x1",
    "xa", "a.md", "docs/sub/keep.html", "aqb", "x]", "trailing",
]  # fmt: skip


@pytest.mark.needs("git")
def test_patterns_leave_out_what_git_leaves_out(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    sets = [(one,) for one in PATTERNS] + [
        (one, two) for one in PATTERNS[:8] for two in ("!keep.html", "!docs/", "*.md")
    ]
    for patterns in sets:
        (tmp_path / ".gitignore").write_text("\n".join(patterns))
        done = subprocess.run(
            ["git", "-C", str(tmp_path), "ls-files", "--others", "--exclude-standard", "-z"],
            capture_output=True,
            check=True,
        )
        kept = {name.decode() for name in done.stdout.split(b"\0")} - {"", ".gitignore"}
        assert read(tmp_path) == kept, patterns


def read(folder: Path) -> set[str]:
    for path in folder.rglob("*"):
        if path.is_file() and ".git" not in str(path.relative_to(folder)):
            path.write_text(f"http://h/{str(path.relative_to(folder)).encode().hex()}")
    found = Sources((str(folder),), complain=pytest.fail)
    return {bytes.fromhex(each.url.path[1:]).decode() for each in found}  # type: ignore[union-attr]


def test_patterns_of_folders_above_and_below_count(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "docs/sub").mkdir(parents=True)
    (tmp_path / ".gitignore").write_text("*.log\n/docs/a.txt\n")
    (tmp_path / "docs/sub/.gitignore").write_text("b.*\n!b.log\n")
    for name in ("docs/a.txt", "docs/x.log", "docs/sub/a.txt", "docs/sub/b.txt", "docs/sub/b.log", "docs/sub/y.log"):
        (tmp_path / name).write_text("http://h/")
    sources = Sources((str(tmp_path / "docs"),), complain=pytest.fail)
    assert [Path(each.place.file).name for each in sources] == ["a.txt", "b.log"]
    assert sources.left == {"ignored": 4}
    everything = Sources((str(tmp_path / "docs"),), ignores=False, complain=pytest.fail)
    assert len(list(everything)) == 6
    named = Sources((str(tmp_path / "docs/a.txt"), str(tmp_path / "docs/x.log")), complain=pytest.fail)
    assert len(list(named)) == 2
    assert Patterns().ignores("x", False) is False


def test_a_comment_switches_off_its_line_or_the_paragraph_behind_it(tmp_path: Path) -> None:
    text = (
        "[a](1)\n"
        "[b](2) <!-- anyurl: ignore -->\n"
        "[c](3)\n"
        "\n"
        "<!-- anyurl: ignore -->\n"
        "\n"
        "[d](5)\n"
        "[e](6)\n"
        "\n"
        "[f](7)\n"
        "# anyurl:ignore\n"
        "[g](8)\n"
    )
    (tmp_path / "a.md").write_text(text)
    assert switched_off(str(tmp_path / "a.md")) == {2, 5, 7, 8, 11, 12}
    sources = Sources((str(tmp_path / "a.md"),), complain=pytest.fail)
    assert [each.place.text for each in sources] == ["1", "3", "7"]
    assert sources.switched_off == 4
    (tmp_path / "b.md").write_text("x" * 65_530 + " anyurl: ignore\n")
    assert switched_off(str(tmp_path / "b.md")) == {1}
    (tmp_path / "c.md").write_text("anyurl: ignored is a word\n")
    assert switched_off(str(tmp_path / "c.md")) == frozenset()
