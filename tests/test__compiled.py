"""The library of what is compiled: whose modules it has, for whom it finds them, and that nobody notices."""

from __future__ import annotations

import ast
import inspect
import marshal
import pickle
import subprocess
import sys
import traceback
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import module_from_spec
from pathlib import Path

import pytest

import anyurl
from anyurl import _compiled
from anyurl._compiled import BYTECODE, HOT_PATH, KERNEL, LIBRARY, SHARED, START, BytecodeLoader, Library, find_in
from anyurl.kernel import COMPILED

HOME = Path(anyurl.__file__).parent
NAMES = [f"anyurl.{name}" for name in (*KERNEL, *HOT_PATH)]


def source_of(name: str) -> Path:
    """The file of a module."""
    path = HOME.joinpath(*name.split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@pytest.fixture
def copy(tmp_path: Path) -> Library:
    """One of a package ``anyurl`` elsewhere, with the byte code of a package and of a module in it."""
    home = tmp_path / "anyurl"
    (home / "room").mkdir(parents=True)
    codes = []
    for name, text in (("room/__init__", "ROOM = __path__\n"), ("room/thing", "def thing():\n    raise ValueError\n")):
        (home / f"{name}.py").write_text(text)
        codes.append(marshal.dumps(compile(text, f"src/anyurl/{name}.py", "exec")))
    of_room, of_thing = map(len, codes)
    places = {
        "anyurl.room": (True, -of_room - of_thing - 1, -of_thing - 1),
        "anyurl.room.thing": (False, -of_thing - 1, -1),
    }
    (home / BYTECODE).write_bytes(marshal.dumps(places) + b"".join(codes) + b"\0")
    loader = SourceFileLoader("anyurl._compiled", str(home / "_compiled.py"))
    return Library(ModuleSpec("anyurl._compiled", loader, origin=str(home / "_compiled.so")))


@pytest.fixture
def library() -> Library:
    """One that looks like that of the package, whether there is one or not."""
    loader = SourceFileLoader("anyurl._compiled", str(HOME / "_compiled.py"))
    return Library(ModuleSpec("anyurl._compiled", loader, origin=str(HOME / "_compiled.so")))


def test_each_module_is_listed_once_and_has_its_source() -> None:
    listed = [*NAMES, *(f"anyurl.{name}" for name in START)]
    assert len(set(listed)) == len(listed)
    assert [name for name in listed if not source_of(name).is_file()] == []


def test_byte_code_is_the_module_of_its_source(copy: Library, tmp_path: Path) -> None:
    home = tmp_path / "anyurl"
    spec = copy.find_spec("anyurl.room", [str(home)])
    assert spec is not None
    room = module_from_spec(spec)
    assert isinstance(spec.loader, BytecodeLoader)
    spec.loader.exec_module(room)
    assert (room.__file__, list(room.ROOM), room.__package__) == (
        str(home / "room" / "__init__.py"), [str(home / "room")], "anyurl.room",
    )  # fmt: skip
    spec = copy.find_spec("anyurl.room.thing", room.ROOM)
    assert spec is not None
    thing = module_from_spec(spec)
    assert isinstance(spec.loader, BytecodeLoader)
    spec.loader.exec_module(thing)
    assert (thing.__file__, thing.__package__, spec.submodule_search_locations) == (
        str(home / "room" / "thing.py"), "anyurl.room", None,
    )  # fmt: skip
    assert inspect.getsource(thing.thing) == "def thing():\n    raise ValueError\n"
    with pytest.raises(ValueError) as caught:
        thing.thing()
    assert traceback.extract_tb(caught.tb)[-1].line == "raise ValueError"
    assert spec.loader.get_source("anyurl.room.thing") == inspect.getsource(thing)
    assert not spec.loader.is_package("anyurl.room.thing")


def test_byte_code_is_for_the_package_around_it(copy: Library, tmp_path: Path) -> None:
    assert copy.find_spec("anyurl.room", ["/another/anyurl"]) is None
    assert copy.find_spec("anyurl.other", [str(tmp_path / "anyurl")]) is None


def test_there_is_none_where_the_sources_are_edited(copy: Library, tmp_path: Path) -> None:
    (tmp_path / "anyurl" / BYTECODE).unlink()
    own = ModuleSpec("anyurl._compiled", SourceFileLoader("a", "b"), origin=copy.file)
    assert Library(own).find_spec("anyurl.room", [str(tmp_path / "anyurl")]) is None


def test_python_without_assertions_runs_the_sources() -> None:
    program = "import anyurl.guard.policy as found; print(type(found.__loader__).__name__)"
    kinds = [
        subprocess.run([sys.executable, *how, "-c", program], capture_output=True, text=True, check=True).stdout.strip()
        for how in ([], ["-O"], ["-OO"])
    ]
    assert kinds == ["BytecodeLoader" if COMPILED else "SourceFileLoader", "SourceFileLoader", "SourceFileLoader"]


def test_no_two_modules_begin_by_the_same_name() -> None:
    begun = [name.replace(".", "_") for name in (*NAMES, f"anyurl.{SHARED}", "anyurl._compiled")]
    assert len(set(begun)) == len(begun)


def test_what_is_in_it_is_found_for_the_package_around_it(library: Library) -> None:
    spec = library.find_spec("anyurl.url.url", [str(HOME / "url")])
    assert spec is not None
    assert (spec.name, spec.origin, spec.loader, spec.parent, spec.has_location) == (
        "anyurl.url.url", library.file, library, "anyurl.url", True,
    )  # fmt: skip
    assert library.find_spec(f"anyurl.{SHARED}", [str(HOME)]) is not None


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("anyurl.url.compare", [str(HOME / "url")]),  # not compiled
        ("anyurl.text", [str(HOME)]),
        ("json", None),
        ("anyurl.url.url", None),
        ("anyurl.url.url", []),
        ("anyurl.url.url", ["/another/anyurl/url"]),  # a second copy of the package has modules of its own
        ("other.url.url", [str(HOME / "url")]),
        ("url", [str(HOME)]),
    ],
)
def test_nothing_else_is(name: str, path: list[str] | None, library: Library) -> None:
    assert library.find_spec(name, path) is None


def test_it_is_asked_before_files_are_looked_for_and_after_all_else(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What instruments or forbids imports comes first, wherever it stands."""
    first = object()
    for before, after in (
        ([first, PathFinder], [first, library, PathFinder]),
        ([PathFinder, first], [library, PathFinder, first]),
        ([first], [library, first]),
    ):
        monkeypatch.setattr(sys, "meta_path", list(before))
        find_in(library)
        assert sys.meta_path == after


def test_sources_install_no_finder() -> None:
    """A copy of the sources alone, in a process of its own."""
    program = (
        "import runpy, sys; before = list(sys.meta_path); "
        f"found = runpy.run_path({str(HOME / '_compiled.py')!r}); print(found['LIBRARY'], sys.meta_path == before)"
    )
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["None", "True"]


@pytest.mark.parametrize("name", ["anyurl.url.url", "anyurl.net.http.request", "anyurl.kernel.split"])
def test_a_module_says_of_itself_what_any_other_says(name: str) -> None:
    module = import_module(name)
    assert (module.__name__, module.__package__) == (name, name.rpartition(".")[0])
    assert module.__spec__ is not None
    assert (module.__spec__.name, module.__spec__.parent) == (name, module.__package__)
    assert module.__loader__ is module.__spec__.loader
    assert (module.__loader__ is LIBRARY, module.__file__ == _compiled.__file__) == (COMPILED, COMPILED)
    assert sys.modules[name] is module


def test_a_module_that_is_compiled_can_not_be_run() -> None:
    done = subprocess.run([sys.executable, "-m", "anyurl.kernel.split"], capture_output=True, text=True, check=False)
    assert (done.returncode, "No code object available for anyurl.kernel.split" in done.stderr) == (COMPILED, COMPILED)


def test_nobody_is_promised_a_source_of_it(library: Library) -> None:
    name = "anyurl.url.url"
    assert (library.get_code(name), library.get_source(name), library.is_package(name)) == (None, None, False)


def test_classes_are_known_by_the_name_of_their_module() -> None:
    url = anyurl.URL("http://host.dom/a")
    assert type(url).__module__ == "anyurl.url.url"
    assert pickle.loads(pickle.dumps(url)) == url


def test_modules_of_one_last_name_are_two() -> None:
    """``verbs``, ``session`` and others are there more than once."""
    last: dict[str, list[str]] = {}
    for name in NAMES:
        last.setdefault(name.rpartition(".")[2], []).append(name)
    same = [names for names in last.values() if len(names) > 1]
    assert same
    for names in same:
        modules = [import_module(name) for name in names]
        sources = [HOME.joinpath(*name.split(".")[1:]).with_suffix(".py").read_text("utf-8") for name in names]
        assert [module.__name__ for module in modules] == names
        docs = [ast.get_docstring(ast.parse(source), clean=False) for source in sources]
        assert [module.__doc__ for module in modules] == docs
