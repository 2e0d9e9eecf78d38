"""Every fuzz target, on its seeds and on a few hundred changes of them: the same ones on each run, without atheris."""

from __future__ import annotations

import inspect
import os
import sys
import time
from pathlib import Path

import pytest

from anyurl.url.cut import COMPILED
from fuzz import kit
from fuzz.readers import READERS

MUTATIONS = int(os.environ.get("ANYURL_MUTATIONS", 300))
SECONDS = MUTATIONS / 300
"""A target that is slow gets through fewer of them; `scripts/fuzz` runs for as long as one likes."""


@pytest.mark.promise("limits")
@pytest.mark.parametrize("name", kit.names())
def test_a_target_finds_nothing_on_its_seeds_and_changes_of_them(name: str) -> None:
    target = kit.load(name)
    for seed in kit.seeds(name):
        target(seed)
    end = time.monotonic() + SECONDS
    for data in kit.mutations(kit.seeds(name), MUTATIONS):
        target(data)
        if time.monotonic() > end:
            break


@pytest.mark.parametrize("name", kit.names())
def test_a_target_is_one_function_with_seeds(name: str) -> None:
    assert list(inspect.signature(kit.load(name)).parameters) == ["data"]
    assert 2 <= len(kit.seeds(name)) <= 200
    assert max(map(len, kit.seeds(name))) <= 4096  # what scripts/fuzz takes in


def test_every_folder_of_seeds_has_its_target() -> None:
    assert sorted(path.name for path in (kit.FOLDER / "corpus").iterdir()) == kit.names()


def test_mutations_are_the_same_on_each_run_and_differ_from_each_other() -> None:
    once = list(kit.mutations([b"http://host/path", b"ftp://h/"], 50))
    assert once == list(kit.mutations([b"http://host/path", b"ftp://h/"], 50))
    assert len(set(once)) > 40


def test_what_is_not_of_the_tree_is_a_finding() -> None:
    def broken() -> None:
        raise UnicodeDecodeError("ascii", b"\xff", 0, 1, "no")

    with pytest.raises(UnicodeDecodeError):
        kit.outcome(broken)


def test_a_parser_that_sees_where_the_octets_were_cut_is_a_finding() -> None:
    with pytest.raises(kit.Finding, match="cut into other pieces"):
        kit.whole_and_in_pieces(b"abc", len)


def test_the_second_copy_of_the_kernel_meets_no_module_of_the_first() -> None:
    copy = kit.pure()
    if copy is None:
        assert not COMPILED
        return
    before = {name: module for name, module in sys.modules.items() if name.startswith("anyurl")}
    for _ in range(2):  # what was imported at the first call is there at the second
        with copy:
            from anyurl.errors import URLSyntaxError
            from anyurl.text import find
            from anyurl.url import URL

            [one] = find(b"`x <rel#>`_", format="rst", base="http://base.example/a/b")
            assert (str(one.url), one.fragment) == ("http://base.example/a/rel", "")  # found by a reader loaded late
            with pytest.raises(URLSyntaxError):  # the reason is written by modules that are loaded late
                URL("http://h:99999/")
            mine = {module.__file__ or "" for name, module in sys.modules.items() if name.startswith("anyurl")}
            assert {Path(file).suffix for file in mine} == {".py"}
    assert {name: module for name, module in sys.modules.items() if name.startswith("anyurl")} == before


def test_each_seed_of_work_names_its_reader() -> None:
    named = {seed.partition(b"\n")[0].decode() for seed in kit.seeds("work")}
    assert named
    assert named <= READERS.keys()
