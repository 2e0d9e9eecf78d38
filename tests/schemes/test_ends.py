"""When what came is the whole: each scheme over TLS, each way to end, on every Python of this machine."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import idna
import pytest

from anyurl import Policy
from anyurl.schemes.kit import ends as kit
from anyurl.world.certificate import self_signed, server_context
from tests.cli.runner import run
from tests.mcp.conftest import content, facts, use
from tests.schemes import ends
from tests.schemes.ends import BROKEN, ENDINGS, NOTED, ROWS, Row, end_of
from tests.servers import Server
from tests.web.running import running

ROOT = Path(__file__).parents[2]
IDENTITY = self_signed("an end")
BY_NAME = {row[0]: row for row in ROWS}


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ends") / "server.pem"
    path.write_bytes(b"".join(IDENTITY))
    return path


@contextlib.contextmanager
def ended(name: str, ending: str = "cut") -> Iterator[tuple[str, Server]]:
    """The URL of a row, whose server ends in this way."""
    _, _, url, server, _ = BY_NAME[name]
    with server(ENDINGS[ending], server_context(*IDENTITY)) as at:
        yield url.format(at.authority), at


@pytest.mark.promise("tls-end")
@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
@pytest.mark.parametrize("ending", ENDINGS)
def test_whole_noted_or_broken(row: Row, ending: str, certificate: Path) -> None:
    found, words = end_of(certificate, row, ending)
    assert found in row[4][list(ENDINGS).index(ending)], words
    if found == NOTED:
        assert ending != "cut" or kit.UNMARKED in words
    elif found == BROKEN and "cut" not in row[0]:
        assert words.startswith(("Truncated", "ConnectionLost")), words


def others() -> list[str]:
    """The other supported Pythons of this machine; a system's own first."""
    tried = ["/usr/bin/python3", *(shutil.which(f"python3.{minor}") or "" for minor in range(11, 16))]
    asked = "import ssl, sys; print(sys.version_info >= (3, 11), sys.implementation.name, sys.version)"
    found: dict[str, str] = {}
    for path in filter(os.path.exists, tried):
        told = subprocess.run([path, "-c", asked], capture_output=True, text=True, check=False).stdout.strip()
        if told.startswith("True cpython") and not told.endswith(sys.version.rpartition("\n")[2]):
            found.setdefault(told, path)
    return list(found.values())


@pytest.mark.promise("tls-end")
def test_every_python_sees_the_same(certificate: Path, tmp_path: Path) -> None:
    pythons = others()
    if not pythons:
        pytest.skip("there is no other Python from 3.11 on, such as Debian's /usr/bin/python3")
    (tmp_path / "idna").symlink_to(Path(idna.__file__).parent)
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT), str(tmp_path)])
    for python in pythons:
        done = subprocess.run(
            [python, "-B", "-m", "tests.schemes.ends", certificate], cwd=tmp_path, capture_output=True, text=True,
            env={"PATH": os.defpath, "PYTHONPATH": path, "HOME": str(tmp_path)}, timeout=100, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        assert {"gemini", "gopher text", "ftp", "nntp, dot"} <= found.keys()
        for name, outcomes in found.items():
            assert all(map(str.__contains__, BY_NAME[name][4], outcomes)), (python, name, outcomes)


@pytest.mark.promise("tls-end")
@pytest.mark.parametrize("name", ["gemini", "gopher file", "http"])
def test_what_nothing_proves_is_saved_with_the_note_and_marked_in_an_archive(
    name: str, certificate: Path, tmp_path: Path
) -> None:
    saved, archive = tmp_path / "saved", tmp_path / "a.warc"
    with ended(name) as (url, _):
        done = run("get", "--ca-file", str(certificate), "-o", str(saved), "--warc", str(archive), url)
    assert (done.exit_code, done.stderr) == (0, f"anyurl: note: {kit.UNMARKED}\n")
    assert saved.read_bytes() in (ends.TEXT, ends.PAGE, ends.GEMTEXT)
    octets = archive.read_bytes()
    assert b"WARC-Truncated: unspecified" in (gzip.decompress(octets) if octets[:2] == b"\x1f\x8b" else octets)


@pytest.mark.promise("tls-end")
@pytest.mark.parametrize("name", ["gopher file", "http"])
def test_a_mirror_keeps_it_with_the_note(name: str, certificate: Path, tmp_path: Path) -> None:
    with ended(name) as (url, _):
        done = run("mirror", "--ca-file", str(certificate), "--depth", "0", url, str(tmp_path / "copy"))
    assert (done.exit_code, done.stdout[:6]) == (0, "saved\t")
    assert kit.UNMARKED in done.stderr


@pytest.mark.promise("tls-end")
@pytest.mark.parametrize("name", ["gopher+ short", "gopher+ no dot"])
def test_what_is_contradicted_is_not_saved(name: str, certificate: Path, tmp_path: Path) -> None:
    with ended(name) as (url, _):
        done = run("get", "--ca-file", str(certificate), "-o", str(tmp_path / "saved"), url)
    assert done.exit_code != 0
    assert not (tmp_path / "saved").exists()


@pytest.mark.promise("tls-end")
@pytest.mark.parametrize("verb", ["fetch", "list"])
def test_a_model_is_told(verb: str) -> None:
    with ended("gemini") as (url, _):
        answered = use(lambda tools: getattr(tools, verb)(url), Policy.open())
    assert facts(answered)["notes"] == [kit.UNMARKED]
    assert "a A" in content(answered) or '"title": "A"' in content(answered)


@pytest.mark.promise("tls-end")
def test_a_page_of_the_gateway_tells() -> None:
    with ended("gemini") as (url, _), running(policy=Policy.open()) as browser:
        page = browser.go(url)
    assert page.status == 200
    assert "end mark (close_notify): the content may be incomplete" in page.text
