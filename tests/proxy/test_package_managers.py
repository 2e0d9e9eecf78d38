"""Package managers, git and curl through a proxy of their own: what they install, and what they show of a refusal.

Rule: each takes the proxy from the variables alone; its index is on this machine, over TLS where it usually is.
"""

from __future__ import annotations

import hashlib
import http.server
import io
import json
import os
import ssl
import subprocess
import sys
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.proxy.test_child import around
from tests.servers import certificate

NAME, ADDRESS = "localhost", "127.0.0.2"
"""Of the index, over TLS and over http. A confined program has 127.0.0.1 for itself, and so has no_proxy."""


class Manager(NamedTuple):
    """A program that fetches.

    Attributes:
        needs: Programs.
        script: What a user would write: {root} is that of the index, {authority} the file of who signed for it.
        got: The file that comes of it.
        over_tls: What it prints of a refusal there.
        over_http: The same.
    """

    needs: tuple[str, ...]
    script: str
    got: str
    over_tls: str
    over_http: str


REFUSED = "403 Forbidden: host-not-allowed"

MANAGERS = {
    "pip": Manager(
        (),
        f"{sys.executable} -m pip --isolated --cert {{authority}} --no-cache-dir -vv --retries 1 "
        "--trusted-host index.example install --no-deps --index-url {root}/simple/ --target got egg",
        "got/egg.py",
        f"Tunnel connection failed: {REFUSED}",
        "403 Client Error: Forbidden: host-not-allowed",
    ),
    "npm": Manager(
        ("npm", "node"),
        "npm install --no-audit --no-fund --fetch-retries=0 --cache cache --registry {root}/npm/ "
        "--cafile {authority} --prefix got egg",
        "got/node_modules/egg/index.js",
        REFUSED,
        REFUSED,
    ),
    "apt": Manager(
        ("apt-get", "dpkg-deb", "tar"),
        "for each in lists/partial archives/partial; do mkdir -p state/$each cache/$each; done; touch status; "
        "echo 'deb [trusted=yes] {root} ./' >sources; "
        "apt() {{ apt-get -q -o Dir::State=$PWD/state -o Dir::Cache=$PWD/cache -o Dir::State::status=$PWD/status "
        "-o Dir::Etc=$PWD -o Dir::Etc::sourcelist=$PWD/sources -o Dir::Etc::sourceparts=- -o APT::Sandbox::User= "
        '-o Acquire::https::CAInfo={authority} -o Acquire::Retries=0 -o APT::Architecture=all "$@"; }}; '
        "apt update -o APT::Update::Error-Mode=any && apt download egg && dpkg-deb -x egg_1_all.deb got",
        "got/egg",
        f"Invalid response from proxy: HTTP/1.1 {REFUSED}",
        "403  Forbidden: host-not-allowed",
    ),
    "git": Manager(
        ("git",),
        "GIT_SSL_CAINFO={authority} git clone {root}/egg.git got",
        "got/egg",
        "CONNECT tunnel failed, response 403",
        "The requested URL returned error: 403",
    ),
    "curl": Manager(
        ("curl",),
        "mkdir -p got && curl -fsSv --cacert {authority} -o got/egg {root}/egg",
        "got/egg",
        REFUSED,
        REFUSED,
    ),
}


def wheel() -> bytes:
    """A wheel of one module."""
    files = {
        "egg.py": "laid",
        "egg-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: egg\nVersion: 1\n",
        "egg-1.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "egg-1.dist-info/RECORD": "",
    }
    with io.BytesIO() as made:
        with zipfile.ZipFile(made, "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        return made.getvalue()


def tarball() -> bytes:
    """A package of npm."""
    with io.BytesIO() as made:
        with tarfile.open(fileobj=made, mode="w:gz") as archive:
            for name, text in (("package.json", '{"name": "egg", "version": "1.0.0"}'), ("index.js", "laid")):
                info = tarfile.TarInfo(f"package/{name}")
                info.size = len(text)
                archive.addfile(info, io.BytesIO(text.encode()))
        return made.getvalue()


def lay(folder: Path, name: str, root: str) -> None:
    """What a package manager finds in the folder of its index."""
    if name == "pip":
        (folder / "simple" / "egg").mkdir(parents=True)
        (folder / "simple" / "egg" / "egg-1-py3-none-any.whl").write_bytes(wheel())
    elif name == "npm":
        (folder / "npm").mkdir()
        (folder / "egg-1.0.0.tgz").write_bytes(tarball())
        version = {"name": "egg", "version": "1.0.0", "dist": {"tarball": f"{root}/egg-1.0.0.tgz"}}
        told = {"name": "egg", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}
        (folder / "npm" / "egg").write_text(json.dumps(told), encoding="utf-8")
    elif name == "apt":
        made = folder / "made"
        (made / "DEBIAN").mkdir(parents=True)
        (made / "egg").write_text("laid", encoding="utf-8")
        facts = "Package: egg\nVersion: 1\nArchitecture: all\nMaintainer: x <x@x>\nDescription: x\n"
        (made / "DEBIAN" / "control").write_text(facts, encoding="utf-8")
        package = folder / "egg_1_all.deb"
        subprocess.run(["dpkg-deb", "--build", str(made), str(package)], check=True, capture_output=True)
        data = package.read_bytes()
        more = f"Filename: ./{package.name}\nSize: {len(data)}\nSHA256: {hashlib.sha256(data).hexdigest()}\n"
        (folder / "Packages").write_text(facts + more, encoding="utf-8")
    elif name == "git":
        words = (
            "git init -q . && echo laid >egg && git add egg && git -c user.name=x -c user.email=x@x commit -qm x && "
            "git clone -q --bare . ../egg.git && git -C ../egg.git update-server-info"
        )
        (folder / "made").mkdir()
        subprocess.run(["sh", "-c", words], cwd=folder / "made", check=True)
    else:
        (folder / "egg").write_text("laid", encoding="utf-8")


class Files(http.server.SimpleHTTPRequestHandler):
    """The files of a folder."""

    def log_message(self, *_: object) -> None:
        """Nothing."""


@contextmanager
def index(folder: Path, context: ssl.SSLContext | None) -> Iterator[str]:
    """The root of a server of these files."""
    server = http.server.ThreadingHTTPServer(
        (ADDRESS if context is None else "127.0.0.1", 0), partial(Files, directory=str(folder))
    )
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://{ADDRESS}:{server.server_port}" if context is None else f"https://{NAME}:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def cases() -> list[object]:
    """Each manager over TLS and over http."""
    found: list[object] = []
    for name, manager in MANAGERS.items():
        for is_secure in (True, False):
            marks = [pytest.mark.needs(*manager.needs)] if manager.needs else []
            found.append(pytest.param(name, is_secure, marks=marks, id=f"{name}-{'tls' if is_secure else 'http'}"))
    return found


def home(folder: Path) -> dict[str, str]:
    """The variables of a user who has no settings."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    return {**kept, "HOME": str(folder), "LC_ALL": "C.UTF-8"}


@pytest.mark.needs("namespace")
@pytest.mark.parametrize(("name", "is_secure"), cases())
def test_it_installs_from_an_index_that_is_allowed(name: str, is_secure: bool, tmp_path: Path) -> None:
    """Over http it is confined as well: nothing came past the proxy."""
    manager, files, work = MANAGERS[name], tmp_path / "files", tmp_path / "work"
    files.mkdir()
    work.mkdir()
    with certificate(tmp_path, NAME) as (context, authority), index(files, context if is_secure else None) as root:
        lay(files, name, root)
        port, log = root.rpartition(":")[2], tmp_path / "log"
        opened = ("--policy", "default", "--allow-host", NAME) if is_secure else ("--confine", "--allow-net", ADDRESS)
        words = (*opened, "--allow-port", port, "--log", str(log))
        script = manager.script.format(root=root, authority=authority)
        done = around(*words, "--", "sh", "-c", script, cwd=work, env=home(work))
    assert done.returncode == 0, done.stdout + done.stderr
    assert (work / manager.got).read_text(encoding="utf-8").strip() == "laid"
    assert "refused" not in done.stderr
    told = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    served = [line for line in told if line["decision"] == "allowed"]
    assert {line["method"] for line in served} == {"CONNECT" if is_secure else "GET"}
    assert {line["address"] for line in served} == {"127.0.0.1" if is_secure else ADDRESS}


@pytest.mark.parametrize(("name", "is_secure"), cases())
def test_it_shows_why_an_index_is_refused(name: str, is_secure: bool, tmp_path: Path) -> None:
    manager = MANAGERS[name]
    root = f"{'https' if is_secure else 'http'}://index.example"
    with certificate(tmp_path, NAME) as (_, authority):
        script = manager.script.format(root=root, authority=authority)
        done = around("--allow-host", "pypi.org", "--", "sh", "-c", script, cwd=tmp_path, env=home(tmp_path))
    assert done.returncode != 0
    assert (manager.over_tls if is_secure else manager.over_http) in done.stdout + done.stderr
    told = [line for line in done.stderr.splitlines() if line.startswith("  ") and "index.example" in line]
    assert told
    assert {line.split(", ")[0].rpartition(": ")[2] for line in told} == {"host-not-allowed"}
