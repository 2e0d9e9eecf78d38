"""Planted faults: each of them is told, where it stands, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.batch.check.planted import KINDS, plant, told
from tests.cli.runner import run

PAGES = {
    ".html": '<!doctype html><html><head><link rel="stylesheet" href="{up}s.css?v=1"></head><body id="top">\n'
    '<a href="{up}index.html#top">home</a> <a href="?q">again</a>\n</body></html>\n',
    ".md": "# Title\n\n[home]({up}index.md#title) [x][y]\n\n[y]: {up}index.md 'z'\n",
    ".mdx": "# Title\n\n[home]({up}index.mdx#title) <Tabs>\n\n    [x][y]\n\n</Tabs>\n\n[y]: {up}index.mdx 'z'\n",
    ".rst": "Title\n=====\n\n`home <{up}index.rst>`_ and name_.\n\n.. _name: {up}index.rst\n",
    ".css": "b {{ background: url({up}p.png) }}\n",
}
"""The pages of a tree without a fault."""


def made(folder: Path, suffix: str) -> Path:
    for name in ("index", "guide", "sub/index", "sub/page", "sub/deep/index"):
        page = folder / f"{name}{suffix}"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(PAGES[suffix].format(up="../" * name.count("/")))
    for name in ("s.css", "p.png"):
        (folder / name).touch()
    return folder


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("suffix", [".html", ".md", ".mdx", ".rst", ".css"])
def test_every_planted_fault_is_told_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, seed: int
) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(made(tmp_path / "docs", suffix))
    done = run("check", "--fragments", ".")
    assert (done.exit_code, done.stdout) == (0, "")
    planted = plant(Path(), seed, [suffix])
    assert len(planted) == len(KINDS[suffix])
    done = run("check", "--fragments", "--json", ".")
    assert done.exit_code == 1
    found = told(done.stdout)
    assert {kind for marker, kind in planted.items() if not any(marker in each for each in found)} == set()
    assert {each for each in found if not any(marker in each for marker in planted)} == set()
    for marker in planted:
        places = [each for each in found if marker in each]
        for file, line in (each.split(":")[:2] for each in places):
            assert marker in Path(file).read_text().splitlines()[int(line) - 1]
