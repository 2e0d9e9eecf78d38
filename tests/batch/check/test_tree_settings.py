"""The settings that a tree brings: what they may say, and that they only narrow."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyurl import LocalFileError
from anyurl.batch.check.tree_settings import MAX_OCTETS, NO_SETTINGS, TreeSettings, read_baseline, read_tree_settings


def test_both_files_say_the_same(tmp_path: Path) -> None:
    text = """
include = ["https:*"]
exclude = ["*/private/*"]
exclude-files = ["vendor"]
accept = [403]
parallel = 4
per-host = 1
max-per-host = 100
delay = 0.5
baseline = "known.txt"
"""
    (tmp_path / "known.txt").write_text("# why they are broken\nhttp://h/a#part\n\nhttp://h/b  # it was here once\n")
    wanted = TreeSettings(
        ("https:*",),
        ("*/private/*",),
        ("vendor",),
        (403,),
        4,
        1,
        100,
        0.5,
        frozenset(("http://h/a#part", "http://h/b")),
        str(tmp_path / "known.txt"),
    )
    (tmp_path / "pyproject.toml").write_text(f"[tool.anyurl.check]\n{text}")
    assert read_tree_settings(str(tmp_path)) == wanted
    (tmp_path / "anyurl.toml").write_text(f"[check]\n{text.replace('= 4', '= 3')}")
    assert read_tree_settings(str(tmp_path)).parallel == 3  # the file of its own counts


@pytest.mark.parametrize("text", ["", "[tool.other]\nx = 1", "[tool]\nanyurl = 1", "tool = 1"])
def test_a_tree_that_says_nothing(tmp_path: Path, text: str) -> None:
    assert read_tree_settings(str(tmp_path)) is NO_SETTINGS
    (tmp_path / "pyproject.toml").write_text(text)
    assert read_tree_settings(str(tmp_path)) is NO_SETTINGS


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('policy = "open"', "a tree can't set 'policy'; it can only narrow its check: include, exclude"),
        ("allow-private = true", "can't set 'allow-private'"),
        ('proxy = "http://evil.example/"', "can't set 'proxy'"),
        ('tokens = { "https://h" = "/etc/passwd" }', "can't set 'tokens'"),
        ('include = "https:*"', "include must be a list of patterns."),
        ("exclude-files = [1]", "exclude-files must be a list of patterns."),
        ("accept = [true]", "accept must be a list of status codes."),
        ("accept = 404", "accept must be a list of status codes."),
        ("parallel = 0", "parallel must be a number of at least 1."),
        ("per-host = true", "per-host must be a number"),
        ("delay = -1", "delay must be a number of seconds from 0 to 60."),
        ("delay = 61", "delay must be a number of seconds from 0 to 60."),
        ("delay = nan", "delay must be a number of seconds from 0 to 60."),
        ("delay = true", "delay must be a number of seconds"),
        ("baseline = 1", "baseline must be the name of a file."),
        ('baseline = "none.txt"', "none.txt can't be read: no such file"),
        ('baseline = "../out.txt"', "is outside the checked tree"),
        ('baseline = "/etc/hostname"', "is outside the checked tree"),
        ('baseline = "way"', "is outside the checked tree"),
        ("x = ", "can't be used: line 2, column 5 is not TOML"),
        ("=", "can't be used: line 2, column 1 is not TOML"),
    ],
)
def test_what_it_may_not_say(tmp_path: Path, text: str, said: str) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tmp_path / "out.txt").write_text("http://h/")
    (tree / "way").symlink_to(tmp_path / "out.txt")
    (tree / "anyurl.toml").write_text(f"[check]\n{text}\n")
    with pytest.raises(LocalFileError) as raised:
        read_tree_settings(str(tree))
    assert said in str(raised.value)
    assert str(raised.value).endswith(".")


@pytest.mark.parametrize("seconds", ["0", "0.0", "1", "60", "60.0"])
def test_how_long_it_may_wait(tmp_path: Path, seconds: str) -> None:
    (tmp_path / "anyurl.toml").write_text(f"[check]\ndelay = {seconds}\n")
    assert read_tree_settings(str(tmp_path)).delay == float(seconds)


def test_a_table_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "anyurl.toml").write_text("check = 1")
    with pytest.raises(LocalFileError, match="check must be a table of settings"):
        read_tree_settings(str(tmp_path))


@pytest.mark.parametrize("name", ["anyurl.toml", "pyproject.toml"])
def test_a_key_without_end(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("[x]\n" + "a." * 99 + "a = 1")
    with pytest.raises(LocalFileError, match="can't be used: line 2 has a key of more than 16 dots"):
        read_tree_settings(str(tmp_path))


def test_a_file_of_settings_that_leads_out_of_the_tree(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "out.toml").write_text("[check]\nexclude = ['*']")
    (tmp_path / "tree" / "anyurl.toml").symlink_to(tmp_path / "out.toml")
    with pytest.raises(LocalFileError, match="is outside the checked tree"):
        read_tree_settings(str(tmp_path / "tree"))


def test_a_file_of_just_the_limit(tmp_path: Path) -> None:
    (tmp_path / "known").write_bytes(b"http://h/" + b"\n" * (MAX_OCTETS - 9))
    assert [*read_baseline(str(tmp_path / "known"), str(tmp_path))] == ["http://h/"]


def test_a_file_without_end(tmp_path: Path) -> None:
    (tmp_path / "known").write_bytes(b"x" * (MAX_OCTETS + 1))
    with pytest.raises(LocalFileError, match="the limit allows no more"):
        read_baseline(str(tmp_path / "known"), str(tmp_path))


def test_a_baseline_is_read_as_people_write_it(tmp_path: Path) -> None:
    """With the mark of an editor of Windows the first URL was none that is known; nor was one that is not ASCII."""
    (tmp_path / "known").write_bytes(
        "\ufeffhttp://h/a  # gone\r\nhttp://b\u00fccher.example/\u00fc\n# a remark\nno url\n".encode()
    )
    known = read_baseline(str(tmp_path / "known"), str(tmp_path))
    assert known == {"http://h/a", "http://xn--bcher-kva.example/%C3%BC", f"file://{tmp_path}/no%20url"}


def test_what_makes_a_check_another_one() -> None:
    assert TreeSettings(parallel=3, per_host=1).work() == NO_SETTINGS.work()
    assert TreeSettings(accept=(403,)).work() != NO_SETTINGS.work()
