"""The design is written down as it is: the picture of the rooms, the files that are named, the scheme that is shown."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from anyurl import dialogue
from tests.architecture.source import ROOT, SRC
from tests.architecture.test_documents import script

GUIDE = (ROOT / "docs" / "adding-a-scheme.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^```python\n# (\w+\.py)\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL))


@pytest.fixture
def house() -> ModuleType:
    return script("house")


def test_the_picture_is_that_of_the_imports(house: ModuleType) -> None:
    """Out of date? ``python docs/house.py`` draws it."""
    assert (ROOT / "docs" / "house.svg").read_text(encoding="utf-8") == house.picture()


def test_no_box_of_the_picture_is_cut_off(house: ModuleType) -> None:
    card, *boxes = ElementTree.fromstring(house.picture()).iter("{http://www.w3.org/2000/svg}rect")
    assert len(boxes) == len(house.files())
    for box in boxes:
        assert 0 < float(box.get("x", "")) < float(box.get("x", "")) + float(box.get("width", "")) < house.WIDTH
    assert float(card.get("width", "")) == house.WIDTH - 1


def test_the_picture_shows_every_room_over_those_that_it_imports(house: ModuleType) -> None:
    rooms = house.files()
    assert set(rooms) == {
        path.name.removesuffix(".py") for path in SRC.iterdir() if not path.name.startswith((".", "_", "py.typed"))
    }
    edges = house.graph(rooms)
    floors = house.floors(edges)
    assert all(floors[room] > floors[other] for room, others in edges.items() for other in others)
    assert {room: house.below(room, house.direct(edges)) for room in edges} == {
        room: house.below(room, edges) for room in edges
    }


@pytest.mark.parametrize("name", ["docs/design.md", "docs/adding-a-scheme.md", "CONTRIBUTING.md"])
def test_the_files_that_are_named_are_there(name: str) -> None:
    text = re.sub(r"```.*?```", "", (ROOT / name).read_text(encoding="utf-8"), flags=re.DOTALL)
    named = [path for path in re.findall(r"`([\w./-]+/[\w.-]*)`", text) if not re.match(r"wire/|.*NAME", path)]
    assert len(named) > 4
    assert [path for path in named if not (ROOT / path).exists() and not (SRC / path).exists()] == []


def test_the_functions_that_are_named_are_there() -> None:
    """``net/loop/task.py``: `Task.put`, as the table of the way of an octet has them."""
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w/]+\.py)` \| ([^|]+) \|", text, re.MULTILINE)
    assert len(rows) > 10
    for path, cell in rows:
        source = (SRC / path).read_text(encoding="utf-8")
        for name in re.findall(r"`([\w.]+)`", cell):
            last = name.rpartition(".")[2]
            assert re.search(rf"\b(?:def|class) {last}\b", source), f"{path}: {name}"


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """The files of the guide in a folder."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_what_the_guide_says_can_be_asked_for_can_be() -> None:
    named = re.findall(r"^\| [\w ]+ \| (`.*) \|$", GUIDE, re.MULTILINE)
    asks = {name for cell in named for name in re.findall(r"`([A-Z]\w+)`", cell)}
    assert len(asks) > 15
    assert asks <= set(dialogue.__all__)


def test_the_scheme_of_the_guide_is_short_and_keeps_the_contract(written: Path) -> None:
    assert list(FILES) == ["finger.py", "test_finger.py", "fuzz_finger.py"]
    assert len(FILES["finger.py"].strip().splitlines()) <= 42
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(written), *sys.path])}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(written / "test_finger.py")]
    done = subprocess.run(command, cwd=written, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout
    assert re.search(r"^[6-9] passed", done.stdout, re.MULTILINE), done.stdout


@pytest.mark.parametrize("data", [b"", b"rms", b"%0D%0A", b"\xff%FF/", b"a%", b"?x#y"])
def test_the_fuzz_target_of_the_guide_finds_nothing(written: Path, data: bytes) -> None:
    program = "import sys, fuzz_finger; fuzz_finger.fuzz(bytes.fromhex(sys.argv[1]))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(written), str(ROOT), *sys.path])}
    command = [sys.executable, "-c", program, data.hex()]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
