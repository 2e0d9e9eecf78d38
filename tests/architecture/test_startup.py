"""``import anyurl`` is cheap: what is heavy is imported when it is first needed."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from anyurl.world import World

HEAVY = {
    "ada_url", "asyncio", "click", "concurrent.futures", "dataclasses", "email", "idna",
    "importlib.metadata", "inspect", "json", "logging", "multiprocessing", "pyarrow", "pycurl", "ray", "rich",
    "socket", "ssl", "starlette",
    "subprocess", "tempfile", "urllib.parse",
}  # fmt: skip


def loaded_by(program: str) -> set[str]:
    """The modules that a fresh interpreter has after a program, beside those that it starts with."""
    script = f"import sys; before = set(sys.modules); {program}; print(*(set(sys.modules) - before), sep='\\n')"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(result.stdout.split())


@pytest.mark.parametrize(
    "program",
    [
        "import anyurl",
        "import anyurl; anyurl.URL('ftp://myname@host.dom/%2Fetc/motd;type=a').port",
    ],
)
def test_the_library_starts_light(program: str) -> None:
    loaded = loaded_by(program)
    assert "anyurl" in loaded
    assert loaded & HEAVY == set()


@pytest.mark.parametrize("module", ["", ".run", ".commands.get", ".commands.parse", ".commands.find"])
def test_a_command_starts_without_click(module: str) -> None:
    assert loaded_by(f"import anyurl.cli{module}") & {"click", "rich", "inspect", "dataclasses"} == set()


def test_the_command_line_starts_without_the_network() -> None:
    assert loaded_by("import anyurl.cli") & {"asyncio", "pycurl", "ray", "pyarrow", "ssl", "rich", "ada_url"} == set()


NOT_TO_GET = {
    "ada_url", "asyncio", "click", "concurrent.futures", "email", "hashlib", "idna", "json", "logging",
    "multiprocessing", "pathlib", "pycurl.async_multi", "rich", "secrets", "sqlite3", "ssl", "subprocess", "tempfile",
    "urllib.parse",
    "anyurl.client.aio", "anyurl.saving.mirror", "anyurl.warc.known_secrets",
    "anyurl.cli.app", "anyurl.grammar", "anyurl.schemes.ftp", "anyurl.schemes.news", "anyurl.text", "anyurl.world",
}  # fmt: skip
"""What a get of a small document over http does not need, and takes long to load."""

MOST_MODULES = 215
"""Modules that a get loads, those of the standard library included: a start takes six times that of Python itself."""

GET = """
import builtins, sys
before = set(sys.modules)
compiled = []

def compile(source, name, *rest, **named):
    if name == "<string>":
        compiled.append(source)
    return by_python(source, name, *rest, **named)

by_python, builtins.compile = builtins.compile, compile
from anyurl.cli import main
sys.argv[1:] = ["get", "--allow-port", "{port}", "http://127.0.0.1:{port}/small"]
try:
    main()
except SystemExit as ended:
    print(*sorted(set(sys.modules) - before), file=sys.stderr)
    print(*compiled, file=sys.stderr)
    raise
"""
"""What it prints beside the document: the modules that it loads, and the annotations that are strings which `typing`
compiles. The first of these costs as much as ten modules: Python then makes the types of its syntax tree."""


def answer(listener: socket.socket) -> None:
    """One document of 2 KB, to one request."""
    peer, _ = listener.accept()
    with peer:
        request = b""
        while b"\r\n\r\n" not in request:
            request += peer.recv(4096)
        fields = b"Content-Type: text/plain\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 2048"
        peer.sendall(b"HTTP/1.1 200 OK\r\n" + fields + b"\r\n\r\n" + b"x" * 2048)


def test_getting_over_http_loads_what_that_takes_and_no_more() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = threading.Thread(target=answer, args=(listener,))
        server.start()
        program = GET.format(port=listener.getsockname()[1])
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30)
        server.join(30)
    assert (done.returncode, done.stdout) == (0, "x" * 2048)
    modules, compiled = done.stderr.splitlines()
    assert compiled == ""
    loaded = set(modules.split())
    assert {"anyurl.schemes.http", "anyurl.net.http.engine"} <= loaded
    assert loaded & NOT_TO_GET == set()
    assert len(loaded) <= MOST_MODULES


NOT_TO_MIRROR = {
    "asyncio", "email", "inspect", "logging", "pycurl", "ssl", "subprocess", "anyurl.client.aio",
    "anyurl.net.http.engine", "anyurl.schemes.http", "anyurl.text", "anyurl.world",
}  # fmt: skip
"""What a mirror over ftp has no use for."""

MIRROR = """
import sys
before = set(sys.modules)
from anyurl import Client, Policy
with Client(Policy.open()) as client:
    assert [each.outcome for each in client.mirror(sys.argv[1], sys.argv[2]) if each.error is None].count("saved")
print(*sorted(set(sys.modules) - before))
"""


def test_a_mirror_over_ftp_loads_what_that_takes_and_no_more(tmp_path: Path) -> None:
    with World(("ftp",)) as world:
        root = str(world.urls["ftp"].replace(path="/"))
        program = [sys.executable, "-c", MIRROR, root, str(tmp_path)]
        done = subprocess.run(program, capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stderr) == (0, "")
    loaded = set(done.stdout.split())
    assert {"anyurl.saving.mirror", "anyurl.schemes.ftp.verbs"} <= loaded
    assert loaded & NOT_TO_MIRROR == set()
