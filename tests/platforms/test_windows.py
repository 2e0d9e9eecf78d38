"""The command where Python has what it has on Windows."""

from __future__ import annotations

import ast
import gzip
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from anyurl.cli import exits
from anyurl.world import World
from tests.architecture.source import modules
from tests.cli.runner import CLEAN
from tests.platforms.windows import LACKING

HERE = Path(__file__).resolve().parent

EVERYWHERE = ("ftp", "gopher", "http", "news", "nntp", "prospero", "wais")


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World() as found:
        yield found


WITHOUT = {
    "batch/check/paths.py": "asks what there is",
    "cli/terminal/screen.py": "sessions need a terminal of POSIX",
    "cli/terminal/stops.py": "sessions need a terminal of POSIX",
    "files/appendix.py": "opens by a descriptor of the folder; NamedAppendix does not",
    "files/channel.py": "opens by a descriptor of the folder; NamedReplacement does not",
    "files/folder.py": "asks what listings may be given",
    "files/rooted.py": "asks check_writes",
    "files/shared.py": "asks what there is",
    "files/system.py": "asks what there is",
    "saving/part_file.py": "opens by a descriptor of the folder",
    "saving/digests.py": "reads by a descriptor of the folder",
    "net/http/sockets.py": "asks what there is",
    "net/loop/loop.py": "asks what there is",
    "proxy/child.py": "confines on Linux only, and asks can_confine",
    "proxy/namespaces.py": "asks can_confine",
}
"""What names something that Windows has not, and why it does not come so far there."""

PROGRAM = (sys.executable, str(HERE / "windows.py"))
ENVIRONMENT = {**CLEAN, "PYTHONPATH": os.pathsep.join(sys.path)}


def command(*args: str, given: bytes = b"", folder: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*PROGRAM, *args], input=given, capture_output=True, env=ENVIRONMENT, cwd=folder, timeout=60, check=False
    )


@contextmanager
def started(*args: str) -> Iterator[subprocess.Popen[bytes]]:
    pipe = subprocess.PIPE
    with subprocess.Popen([*PROGRAM, *args], stdin=pipe, stdout=pipe, stderr=pipe, env=ENVIRONMENT) as process:
        try:
            yield process
        finally:
            process.kill()


def test_what_windows_has_not_is_named_only_where_it_is_done_without() -> None:
    lacking = {f"{module.__name__}.{name}" for module, names in LACKING.items() for name in names.split()}
    found = {
        module.path
        for module in modules()
        for node in module.nodes
        if isinstance(node, ast.Attribute) and ast.unparse(node) in lacking
    }
    assert found == set(WITHOUT)


@pytest.mark.parametrize(
    ("args", "given", "expected"),
    [
        (("parse", "ftp://h/a;type=i"), b"", b"typecode"),
        (("find",), b"See ftp://h/a.", b"ftp://h/a\n"),
        (("explain", "http://h/"), b"", b"host h, port 80"),
        (("get", "--explain", "gopher://h/"), b"", b"connect to h port 70"),
        (("get", "--help"), b"", b"Usage: anyurl get"),
    ],
)
def test_reading_finding_and_judging(args: tuple[str, ...], given: bytes, expected: bytes) -> None:
    done = command(*args, given=given)
    assert done.returncode == exits.OK, done
    assert expected in done.stdout


def test_a_stranger_s_url_is_refused(world: World) -> None:
    assert command("get", "--policy", "untrusted", str(world.urls["http"])).returncode == exits.REFUSED


@pytest.mark.parametrize("scheme", EVERYWHERE)
def test_what_comes_over_the_network_is_the_same(scheme: str, world: World) -> None:
    done = command("get", str(world.urls[scheme]))
    assert done.returncode == exits.OK, done
    here = subprocess.run(
        [sys.executable, "-m", "anyurl", "get", str(world.urls[scheme])], capture_output=True, env=CLEAN, check=False
    )
    assert done.stdout == here.stdout != b""


def test_files_are_read_listed_and_described(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("folder")
    (folder / "one").write_bytes(b"octets")
    assert command("get", f"file://{folder}/one").stdout == b"octets"
    assert b"one" in command("ls", f"file://{folder}/").stdout
    assert b"document" in command("stat", f"file://{folder}/one").stdout


def test_a_file_is_saved_and_replaced_whole(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("folder")
    (folder / "one").write_bytes(b"octets")
    one, two = f"file://{folder}/one", folder / "two"
    assert command("get", one, "-o", str(two)).returncode == exits.OK
    assert two.read_bytes() == b"octets"
    assert command("get", one, "-o", str(two)).returncode == exits.LOCAL_FILE
    assert command("put", f"file://{two}", "-", given=b"other").returncode == exits.OK
    assert two.read_bytes() == b"other"
    assert command("get", one, "-o", str(folder / "nul.txt")).returncode == exits.LOCAL_FILE
    assert sorted(path.name for path in folder.iterdir()) == ["one", "two"]


def test_a_name_that_a_server_chose_is_one_that_windows_takes(tmp_path_factory: pytest.TempPathFactory) -> None:
    there, here = tmp_path_factory.mktemp("there"), tmp_path_factory.mktemp("here")
    kept = {
        "ok": "ok", "CON": "_CON", "nul.txt": "_nul.txt", "COM\xb9": "_COM\xb9", "x.": "x._", "y ": "y _",
        "a:b": "a%3Ab", "c:x": "c%3Ax", "q?m": "q%3Fm", "..\\up": "up", "C:\\d\\z": "z", "L" * 255: "L" * 255,
    }  # fmt: skip
    for name in kept:
        (there / name).write_text(name)
    done = command("get", "-O", *(f"file://{there}/{quote(name)}" for name in kept), folder=here)
    assert done.returncode == exits.OK, done
    assert {path.name: path.read_text() for path in here.iterdir()} == {kept[name]: name for name in kept}


def test_what_a_server_takes_is_put_there(world: World, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("folder") / "one"
    file.write_bytes(b"octets" * 50_000)
    there = str(world.roots["http"].join("pub/one"))
    assert command("put", there, str(file)).returncode == exits.OK
    assert command("get", there).stdout == file.read_bytes()


def test_a_file_grows(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("folder")
    (folder / "one").write_bytes(b"octets")
    assert command("append", f"file://{folder}/one", "-", given=b", and more").returncode == exits.OK
    assert command("append", f"file://{folder}/new", "-", given=b"all").returncode == exits.OK
    assert command("append", f"file://{folder}/nul.txt", "-", given=b"all").returncode != exits.OK
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {"one": b"octets, and more", "new": b"all"}


def test_a_column_is_read_and_a_table_written(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("folder")
    (folder / "in.csv").write_text("url\nftp://h/a;type=i\n", encoding="utf-8")
    told = command("columns", "in.csv", "--column", "url", folder=folder)
    assert told.returncode == exits.OK, told
    assert json.loads(told.stdout)["url_port"] == 21
    written = command("columns", "in.csv", "--column", "url", "-o", "out.parquet", folder=folder)
    assert written.returncode == exits.OK, written
    assert (folder / "out.parquet").read_bytes().startswith(b"PAR1")


def test_an_archive_is_written_appended_to_and_mended(world: World, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("folder") / "a.warc.gz"
    args = ("get", "--warc", str(file), str(world.urls["gopher"]))
    assert command(*args).returncode == exits.OK
    once = file.read_bytes()
    file.write_bytes(once + once[:200])  # and a record that a killed process left half
    done = command(*args)
    assert (done.returncode, b"ended within a record" in done.stderr) == (exits.OK, True), done
    assert file.read_bytes().startswith(once)
    assert gzip.decompress(file.read_bytes()).count(b"WARC/1.1") > gzip.decompress(once).count(b"WARC/1.1")


def test_the_proxy_runs_until_it_is_ended() -> None:
    with started("proxy", "--json") as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b'{"')
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == exits.OK


@pytest.mark.parametrize(
    "args", [("get", "--continue", "{one}", "-o", "{folder}/two"), ("mirror", "file://{folder}/", "{folder}/two")]
)
def test_what_can_t_be_written_safely_is_not_written_and_says_so(
    args: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("folder")
    (folder / "one").write_bytes(b"octets")
    one, two = f"file://{folder}/one", f"file://{folder}/two"
    done = command(*(each.format(folder=folder, one=one, two=two) for each in args))
    assert done.returncode == exits.CANNOT, done
    assert done.stderr.startswith(b"anyurl: This is not possible here:")
    assert [path.name for path in folder.iterdir()] == ["one"]
