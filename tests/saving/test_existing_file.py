"""A file that another program left incomplete is continued, if its end is what the server has there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from anyurl.errors import LocalFileError
from anyurl.saving.part_file import COMPARED_BYTES
from anyurl.saving.save import Destination
from anyurl.url import URL
from tests.cli.runner import run
from tests.cli.test_screens import screen
from tests.peers.beside import DOCUMENT, HALF, broken, ranged, start_of, web
from tests.peers.ftp_more import Pyftpdlib
from tests.peers.ftp_servers import HOST
from tests.servers import Server, reply

SIZE = len(DOCUMENT)

HTTP = {
    "parts": web(lambda head, _count: ranged(head)),
    "parts, no validators": web(lambda head, _count: ranged(head, fields=())),
    "no parts": web(lambda _head, _count: reply(DOCUMENT)),
    "403 to ranges": web(
        lambda head, _count: reply(DOCUMENT) if start_of(head) is None else reply(b"", status="403 Forbidden")
    ),
    "the whole as 206": web(
        lambda _head, _count: reply(DOCUMENT, f"Content-Range: bytes 0-{SIZE - 1}/{SIZE}", status="206 Partial Content")
    ),
}
FTP = {"ftp": (), "ftp without REST, SIZE, MDTM": ("REST", "SIZE", "MDTM", "MLST", "MLSD", "FEAT")}


@pytest.fixture(params=[*HTTP, *FTP, "file"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where a server has the document."""
    with ExitStack() as stack:
        if request.param in HTTP:
            yield f"http://{stack.enter_context(Server(HTTP[request.param]())).authority}/x"
        elif request.param in FTP:
            server = stack.enter_context(closing(Pyftpdlib(tmp_path / "ftp", without=FTP[request.param])))
            (server.root / "x.bin").write_bytes(DOCUMENT)
            yield f"ftp://{HOST}:{server.port}/x.bin"
        else:
            (tmp_path / "x.bin").write_bytes(DOCUMENT)
            yield (tmp_path / "x.bin").as_uri()


@pytest.mark.parametrize("length", [0, 1, COMPARED_BYTES - 1, COMPARED_BYTES + 1, SIZE - 1, SIZE])
def test_what_is_lacking_is_appended(url: str, length: int, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(DOCUMENT[:length])
    inode = file.stat().st_ino
    assert run("get", "--continue", "-o", str(file), url).exit_code == 0
    assert file.read_bytes() == DOCUMENT
    assert file.stat().st_ino == inode
    again = run("get", "--continue", "-o", str(file), url)
    assert (again.exit_code, "it is complete" in again.stderr) == (0, True)


@pytest.mark.parametrize(
    "there",
    [b"x", DOCUMENT + b"x", DOCUMENT[:-1] + b"x", DOCUMENT[: SIZE // 2] + b"x", b"y" * (SIZE + COMPARED_BYTES * 2)],
    ids=["a letter", "one more", "another end", "another middle", "longer"],
)
def test_another_document_stays_as_it_was(url: str, there: bytes, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(there)
    os.utime(file, (1, 1))
    result = run("get", "--continue", "-o", str(file), url)
    assert (result.exit_code, "stays as it was; --force replaces it" in result.stderr) == (7, True)
    assert (file.read_bytes(), file.stat().st_mtime) == (there, 1)
    assert run("get", "--continue", "--force", "-o", str(file), url).exit_code == 0
    assert file.read_bytes() == DOCUMENT


def test_a_transfer_that_breaks_off_leaves_more_of_it(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(DOCUMENT[:10])
    with Server(web(lambda head, count: broken() if count == 1 else ranged(head))()) as server:
        first = run("get", "--continue", "-o", str(file), f"http://{server.authority}/x")
        assert first.exit_code == 7
        assert f"the first {HALF:,} octets are kept in {file}; the same command gets the rest" in first.stderr
        assert file.read_bytes() == DOCUMENT[:HALF]
        assert run("get", "--continue", "-o", str(file), f"http://{server.authority}/x").exit_code == 0
    assert file.read_bytes() == DOCUMENT


@pytest.mark.parametrize("length", [10, HALF, SIZE - 10])
def test_the_octets_that_were_there_are_counted(length: int, tmp_path: Path) -> None:
    """The last of them come again, to be compared."""
    (tmp_path / "x").write_bytes(DOCUMENT[:length])
    with Server(HTTP["parts"]()) as server:
        for target in (["-o", str(tmp_path / "x")], ["--output-dir", str(tmp_path)]):
            (tmp_path / "x").write_bytes(DOCUMENT[:length])
            told = " ".join(screen(200, "get", "--continue", *target, f"http://{server.authority}/x"))
            assert f"x: {SIZE:,} octets, of which {length:,} were there" in told


def test_a_part_is_compared_if_nothing_else_proves_it(tmp_path: Path) -> None:
    """As a file of another program is; it is kept until --force gives it up."""
    file, part = tmp_path / "x", tmp_path / "x.anyurl-part"
    answers = web(lambda head, count: broken("X: y") if count in (1, 3) else ranged(head, fields=()))
    with Server(answers()) as server:
        get = ("get", "--continue", "-o", str(file), f"http://{server.authority}/x")
        assert "gets the rest" in run(*get).stderr
        assert part.read_bytes() == DOCUMENT[:HALF]
        assert run(*get).exit_code == 0
        assert (file.read_bytes(), part.exists()) == (DOCUMENT, False)
        file.unlink()
        run(*get)
        part.write_bytes(DOCUMENT[: HALF - 1] + b"\0")
        assert (run(*get).exit_code, part.read_bytes()) == (7, DOCUMENT[: HALF - 1] + b"\0")
        assert run(*get, "--force").exit_code == 0
    assert file.read_bytes() == DOCUMENT


def test_a_checksum_that_does_not_hold_gives_the_file_what_it_had(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(DOCUMENT[:10])
    with Server(HTTP["parts"]()) as server:
        result = run(
            "get", "--continue", "--checksum", f"sha256:{'0' * 64}", "-o", str(file), f"http://{server.authority}/x"
        )
    assert (result.exit_code, file.read_bytes()) == (7, DOCUMENT[:10])


def test_several_files_are_continued(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(DOCUMENT[:10])
    (tmp_path / "y").write_bytes(DOCUMENT)
    (tmp_path / "z").write_bytes(b"z")
    with Server(HTTP["parts"]()) as server:
        urls = [f"http://{server.authority}/{name}" for name in "xyz"]
        result = run("get", "--continue", "--output-dir", str(tmp_path), *urls)
    assert result.exit_code == 7
    assert [(tmp_path / name).read_bytes() for name in "xyz"] == [DOCUMENT, DOCUMENT, b"z"]


def test_only_a_file_of_its_own_is_continued(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(DOCUMENT[:10])
    os.link(file, tmp_path / "other")
    (tmp_path / "link").symlink_to("file")
    for name in ("other", "link"):
        with pytest.raises(LocalFileError):
            Destination(tmp_path / name, go_on=True)
    assert file.read_bytes() == DOCUMENT[:10]


def test_octets_from_behind_its_end_are_not_appended(tmp_path: Path) -> None:
    """Another program has cut it since its length was told to the server."""
    file, url = tmp_path / "file", URL("http://h/x")
    file.write_bytes(DOCUMENT[:10])
    resource: Any = SimpleNamespace(url=url, start=20, size=SIZE, modified=None, etag=None, attributes={})
    with Destination(file, go_on=True) as destination:
        destination.resume(url)
        with pytest.raises(LocalFileError, match="begins at octet 20, and the partial file ends at 10"):
            destination.prepare(resource)
    assert file.read_bytes() == DOCUMENT[:10]
