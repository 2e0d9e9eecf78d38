"""What ``--explain`` shows is what it showed: a conversation that changes does so before somebody's eyes."""

from __future__ import annotations

from itertools import pairwise

from anyurl.schemes.registry import verb_table
from tests.cli.runner import run
from tests.rows import each_row
from tests.schemes.explained import FOLDER, text, urls

TABLE = verb_table()


def test_each_scheme_that_is_spoken_is_recorded_with_each_verb() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.txt")) == sorted(TABLE)
    for scheme, verbs in TABLE.items():
        lines = (FOLDER / f"{scheme}.txt").read_text("utf-8").splitlines()
        asked = [line for line in lines if not line.startswith(" ")]
        assert asked == [f"{verb} {url}" for verb in verbs for url in urls(scheme)]
        done = {line.partition(" ")[0] for line, after in pairwise(lines) if line in asked and "Error: " not in after}
        assert done == {*verbs}  # each has a conversation, and not only refusals


@each_row("scheme", sorted(TABLE))
def test_the_conversation_is_the_recorded_one(scheme: str) -> None:
    assert text(scheme) == (FOLDER / f"{scheme}.txt").read_bytes()


@each_row("scheme", ["dict", "file", "gemini", "gopher", "http", "prospero", "telnet", "wais"])
def test_the_command_shows_it(scheme: str) -> None:
    lines = (FOLDER / f"{scheme}.txt").read_text("utf-8").splitlines()
    url = urls(scheme)[0]
    at = lines.index(f"get {url}")
    shown = run("get", "--explain", url).stdout.splitlines()
    assert shown
    assert [line.strip() for line in shown] == [line.strip() for line in lines[at + 1 : at + 1 + len(shown)]]
