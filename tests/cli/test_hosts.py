"""Hosts that a shell completes: only from the file that the person named, and never a login."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anyurl.cli import hosts
from anyurl.cli.app import COMPLETION
from tests.cli.runner import call
from tests.rows import each_row

HISTORY = """\
anyurl get ftp://joe:secret@ftp.example.org/private/notes.txt
curl http://127.0.0.1:8080/x
anyurl ls gopher://gopher.example.org/1/
anyurl ls ftp://ftp.example.org/pub/ ; anyurl get ftp://files.example.org:2121/
"""


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["anyurl", "get", "ftp", ":", "//f"], ["//files.example.org:2121/", "//ftp.example.org/"]),
        (["anyurl", "ls", "gopher", ":"], ["//gopher.example.org/"]),
        (["anyurl", "get", "goph"], ["gopher://gopher.example.org/"]),
        (["anyurl", "get", "ftp", ":", "//nothing"], [""]),
    ],
)
def test_bash_completes_hosts_from_the_file_that_the_settings_name(
    tmp_path: Path, words: list[str], completed: list[str]
) -> None:
    (tmp_path / "history").write_text(HISTORY, encoding="utf-8")
    config = tmp_path / "config.toml"
    config.write_text(f'complete-from = "{tmp_path}/history"\n', encoding="utf-8")
    given = {
        "COMP_WORDS": "\n".join(words),  # as bash writes them
        "COMP_CWORD": str(len(words) - 1),
    }
    done = call(env={COMPLETION: "bash_complete", "ANYURL_CONFIG": str(config), **given})
    said = [line.partition(",")[2] for line in done.stdout.decode().splitlines()]
    assert (done.returncode, said or [""]) == (0, completed)
    assert b"secret" not in done.stdout
    without = call(env={COMPLETION: "bash_complete", "ANYURL_CONFIG": "", "HOME": str(tmp_path), **given})
    assert without.stdout.strip() == b""


@each_row(
    ("words", "place", "joined"),
    [
        ("anyurl get ftp", 2, ("anyurl get ftp", 2)),
        ("anyurl get ftp :", 3, ("anyurl get ftp:", 2)),
        ("anyurl get ftp : //f", 4, ("anyurl get ftp://f", 2)),
        ("anyurl get ftp : //f : 2121/", 6, ("anyurl get ftp://f:2121/", 2)),
        ("anyurl put ftp : //f/ a", 5, ("anyurl put ftp://f/ a", 3)),
        ("anyurl get ftp : //f gopher : //g", 7, ("anyurl get ftp://f gopher://g", 3)),
        ("anyurl get ftp : //f -o a http : //h", 6, ("anyurl get ftp://f -o a http : //h", 4)),
        ("anyurl put tel: a", 3, ("anyurl put tel: a", 3)),
        ("anyurl put tel : a", 4, ("anyurl put tel: a", 3)),
    ],
)
def test_urls_that_bash_splits_are_one_word(words: str, place: int, joined: tuple[str, int]) -> None:
    assert hosts.joined(words.replace(" ", "\n"), place) == (joined[0].replace(" ", "\n"), joined[1])


def test_what_is_no_file_completes_nothing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    assert hosts.roots(str(tmp_path / "fifo")) == []
    assert hosts.roots(str(tmp_path / "nothing")) == []
    (tmp_path / "long").write_bytes(b"ftp://old.example/\n" + b"x" * hosts.MAX_OCTETS + b"\nftp://new.example/\n")
    assert hosts.roots(str(tmp_path / "long")) == ["ftp://new.example/"]
