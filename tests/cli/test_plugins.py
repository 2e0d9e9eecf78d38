"""Schemes of other people: loaded where somebody names them, by the command line or the file of settings."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

import anyurl
from tests.cli.runner import call

CODE = """
from anyurl import Scheme, URL
from anyurl.dialogue import Describe, Emit
from anyurl.schemes.kit.scheme import Parts
from anyurl.url.syntax import Row


class Nothing(Parts):
    def url_path(self):
        return ""


def get(url, options):
    yield from Describe("document", type="text/plain")
    yield from Emit(b"here\\n")
    return None


open({mark!r}, "a").close()
SCHEME = Scheme("x-plug", reference="here", summary="A thing.", read=lambda url: Nothing(), verbs={{"get": get}})
PAIR = SCHEME, Row("x-plug", "here", port=5)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two packages as `pip install` writes them; loading one leaves a mark."""
    for name, entry in (("plug", "PAIR"), ("broken", "missing")):
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: a-{name}\nVersion: 1.0\n", encoding="utf-8")
        (info / "entry_points.txt").write_text(f"[anyurl.schemes]\n{name} = {name}:{entry}\n", encoding="utf-8")
        code = CODE.format(mark=str(tmp_path / f"{name}.loaded"))
        (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
    return tmp_path


def run(folder: Path, *args: str, settings: str | None = None) -> subprocess.CompletedProcess[bytes]:
    path = ""
    if settings is not None:
        path = str(folder / "config.toml")
        Path(path).write_text(settings, encoding="utf-8")
    source = Path(anyurl.__file__).parent.parent
    return call(*args, env={"PYTHONPATH": f"{folder}{os.pathsep}{source}", "ANYURL_CONFIG": path}, cwd=folder.parent)


def test_one_is_loaded_where_it_is_named(folder: Path) -> None:
    for name in ("plug", "a-plug"):
        assert run(folder, "get", "--plugin", name, "x-plug://h/").stdout == b"here\n"
    assert run(folder, "get", "x-plug://h/", settings='plugins = ["plug"]').stdout == b"here\n"
    parsed = run(folder, "parse", "--json", "--plugin", "plug", "x-plug://h/")
    assert json.loads(parsed.stdout)["port"] == 5


def test_none_is_loaded_that_nobody_has_named(folder: Path) -> None:
    done = run(folder, "get", "x-plug://h/")
    assert (done.returncode, done.stdout) == (4, b"")
    listed = run(folder, "schemes", "--plugins", "--json")
    assert [json.loads(line) for line in listed.stdout.splitlines()] == [
        {"plugin": "broken", "package": "a-broken", "version": "1.0", "entry": "broken:missing", "scheme": None},
        {"plugin": "plug", "package": "a-plug", "version": "1.0", "entry": "plug:PAIR", "scheme": None},
    ]
    assert not list(folder.glob("*.loaded"))
    shown = run(folder, "schemes", "--plugins", "--plugin", "plug").stdout.decode().splitlines()
    assert [line.split() for line in shown] == [
        ["plug-in", "package", "entry", "scheme"],
        ["broken", "a-broken", "1.0", "broken:missing", "not", "loaded"],
        ["plug", "a-plug", "1.0", "plug:PAIR", "x-plug"],
    ]
    assert [path.name for path in folder.glob("*.loaded")] == ["plug.loaded"]


@pytest.mark.parametrize(
    ("args", "settings", "code", "told"),
    [
        (("get", "--plugin", "nope", "x-plug://h/"), None, 4, "'nope' is not installed; there is broken, plug."),
        (("get", "x-plug://h/"), 'plugins = ["nope"]', 4, "'nope' is not installed"),
        (("get", "--plugin", "broken", "x-plug://h/"), None, 4, "'broken' (broken:missing) can't be loaded: "),
        (("get", "x-plug://h/"), 'plugins = "plug"', 2, 'plugins is a list of names, as in ["finger"].'),
        (("get", "x-plug://h/"), "plugins = [1]", 2, "plugins is a list of names"),
    ],
)
def test_what_can_not_be_loaded(
    folder: Path, args: tuple[str, ...], settings: str | None, code: int, told: str
) -> None:
    done = run(folder, *args, settings=settings)
    assert done.returncode == code
    assert told in done.stderr.decode()
    assert not (folder / "plug.loaded").exists()
