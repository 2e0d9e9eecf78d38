"""A file that another program left incomplete is continued, if its end is what the server has there."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack, closing
from hashlib import sha256
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
from tests.peers.beside import DATED, DOCUMENT, ETAG, HALF, broken, ranged, start_of, web
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


ZEROS = bytes(200_000)
"""What many files end with: it is alike at any place."""

LATE = "Date: Thu, 01 Dec 1994 00:00:01 GMT"
"""A second after the document: its date does not prove it to be the same."""

NEWER = "Last-Modified: Thu, 01 Dec 1994 01:00:00 GMT"


def served(document: bytes, head: str, *fields: str, parts: bool = True) -> bytes:
    """The answer of a server with these fields."""
    start = start_of(head) if parts else None
    if start is None:
        return reply(document, "Accept-Ranges: bytes", "Connection: close", *fields)
    span = f"Content-Range: bytes {start}-{len(document) - 1}/{len(document)}"
    return reply(document[start:], span, "Connection: close", *fields, status="206 Partial Content")


@pytest.mark.parametrize("parts", [True, False])
@pytest.mark.parametrize("there", [150_000, 500])
@pytest.mark.parametrize(
    ("first", "second", "code"),
    [
        (['ETag: W/"1"'], ['ETag: W/"2"'], 0),
        ([DATED, LATE], [NEWER, LATE], 0),
        (['ETag: W/"1"', DATED, LATE], [NEWER, LATE], 0),
        ([NEWER, f"Date: {NEWER[15:]}"], [DATED, LATE], 7),
        ([], [], 7),
        (['ETag: W/"1"'], [], 7),
    ],
)
def test_two_versions_are_never_joined(
    tmp_path: Path, first: list[str], second: list[str], code: int, there: int, parts: bool
) -> None:
    """What is told to be later replaces a part; what is not told to be the same is compared."""
    old, new, file = b"old" + ZEROS, b"new" + ZEROS, tmp_path / "x"
    broken_off = served(old, "", *first)[: there - len(old)]
    answers = web(lambda head, count: broken_off if count == 1 else served(new, head, *second, parts=parts))
    with Server(answers()) as server:
        get = ("get", "--continue", "-o", str(file), f"http://{server.authority}/x")
        assert "gets the rest" in run(*get).stderr
        assert run(*get).exit_code == code
        if code:
            assert Path(f"{file}.anyurl-part").read_bytes() == old[:there]
            assert run(*get, "--force").exit_code == 0
    assert file.read_bytes() == new


@pytest.mark.parametrize("name", ["x", "x.anyurl-part"])
def test_the_digest_of_the_server_holds_for_what_was_compared(tmp_path: Path, name: str) -> None:
    """What is there differs before the octets that are compared."""
    digest = f"Repr-Digest: sha-256=:{b64encode(sha256(DOCUMENT).digest()).decode()}:"
    with Server(web(lambda head, count: broken("X: y") if count == 1 else served(DOCUMENT, head, digest))()) as server:
        get = ("get", "--continue", "-o", str(tmp_path / "x"), f"http://{server.authority}/x")
        if name != "x":
            run(*get)
        (tmp_path / name).write_bytes(b"\1" + DOCUMENT[1 : COMPARED_BYTES + 10])
        if name == "x":
            run(*get)  # it breaks off
        result = run(*get)
    assert (result.exit_code, "has the sha256" in result.stderr) == (7, True), result.stderr


def test_a_part_of_what_grows_is_kept(tmp_path: Path) -> None:
    """Such as a log: what came of it in an earlier attempt is more than it had before that."""
    log, file = DOCUMENT * 2, tmp_path / "x"

    def answer(head: str, count: int) -> bytes:
        if count == 1:
            return served(log[:100_000], head)[:-10_000]
        return served(log, head)[: -50_000 if count == 3 else None]  # the third request is for the whole

    with Server(web(answer)()) as server:
        get = ("get", "--continue", "-o", str(file), f"http://{server.authority}/x")
        assert "first 90,000 octets are kept" in run(*get).stderr
        assert f"first {len(log) - 50_000:,} octets are kept" in run(*get).stderr
        assert run(*get).exit_code == 0
    assert file.read_bytes() == log


def test_what_was_resumed_and_is_too_long_now_stays_on_the_disk(tmp_path: Path) -> None:
    """To ask how to resume takes nothing away."""
    part = tmp_path / "x.anyurl-part"
    with Server(web(lambda _head, _count: broken("X: y"))()) as server:
        url = f"http://{server.authority}/x"
        run("get", "--continue", "-o", str(tmp_path / "x"), url)
        part.write_bytes(DOCUMENT + b"x")
        with Destination(tmp_path / "x", go_on=True) as destination:
            assert destination.resume(URL(url)) is None
    assert part.read_bytes() == DOCUMENT + b"x"


def test_with_force_the_note_says_what_stays(tmp_path: Path) -> None:
    """And what it says is so."""
    with Server(web(lambda head, count: broken("X: y") if count == 1 else served(DOCUMENT, head))()) as server:
        get = ("get", "--continue", "-o", str(tmp_path / "x"), f"http://{server.authority}/x")
        told = run(*get, "--force").stderr
        assert f"the first {HALF:,} octets are kept in {tmp_path}/x.anyurl-part" in told
        assert "; the same command without --force gets the rest" in told
        assert run(*get).exit_code == 0
    assert (tmp_path / "x").read_bytes() == DOCUMENT


@pytest.mark.parametrize("options", [(), ("--retry", "3")])
def test_a_part_that_is_longer_than_the_document_is_left_to_force(tmp_path: Path, options: tuple[str, ...]) -> None:
    asked: list[str] = []

    def answer(head: str, count: int) -> bytes:
        asked.append(head)
        return broken("X: y") if count == 1 else served(DOCUMENT[:40_000], head)

    with Server(web(answer)()) as server:
        get = ("get", "--continue", "-o", str(tmp_path / "x"), f"http://{server.authority}/x")
        run(*get)
        result = run(*get, *options)
        assert (result.exit_code, len(asked)) == (7, 2)
        assert "x.anyurl-part stays as it was; --force replaces it" in result.stderr
        assert run(*get, "--force").exit_code == 0
    assert (tmp_path / "x").read_bytes() == DOCUMENT[:40_000]


def test_a_size_that_is_no_longer_told_is_not_waited_for(tmp_path: Path) -> None:
    """The server says by 416 that the document is shorter now, and then sends it without a length."""

    def answer(head: str, count: int) -> bytes:
        if count == 1:
            return broken(ETAG)
        if count == 2:
            return reply(b"", "Content-Range: bytes */500", status="416 Range Not Satisfiable")
        return reply(DOCUMENT[:500], "Connection: close", length=False)

    with Server(web(lambda head, count: answer(head, count))()) as server:
        get = ("get", "--continue", "-o", str(tmp_path / "x"), f"http://{server.authority}/x")
        run(*get)
        told = run(*get).stderr
        assert "ends after 500 octets" in told
        assert f"of {SIZE:,}" not in told


def test_octets_that_were_not_counted_are_not_written_twice(tmp_path: Path) -> None:
    """A Ctrl-C between writing and counting, and the same object goes on."""
    url = URL("http://h/x")
    resource: Any = SimpleNamespace(
        url=url, start=0, size=SIZE, modified=None, etag=None, attributes={"accept-ranges": "bytes"}
    )
    with Destination(tmp_path / "x", go_on=True) as destination:
        destination.resume(url)
        destination.prepare(resource)
        destination.write(DOCUMENT[:COMPARED_BYTES])
        os.write(destination._part.fd, DOCUMENT[COMPARED_BYTES : COMPARED_BYTES + 100])
        wanted = destination.resume(url)
        assert wanted is not None
        assert wanted.start == 100
        resource.start = wanted.start
        destination.prepare(resource)
        destination.write(DOCUMENT[wanted.start :])
        destination.finish()
    assert (tmp_path / "x").read_bytes() == DOCUMENT


def test_an_attempt_that_compared_leaves_nothing_to_compare(tmp_path: Path) -> None:
    """The first attempt to resume breaks off within what is compared, the second one gets a part."""

    def answer(head: str, count: int) -> bytes:
        if count == 2:
            return served(DOCUMENT, head, ETAG, parts=False)[: 10_000 - SIZE]
        return broken() if count == 1 else served(DOCUMENT, head, ETAG)

    with Server(web(answer)()) as server:
        get = ("get", "--continue", "-o", str(tmp_path / "x"), f"http://{server.authority}/x")
        run(*get)
        assert run(*get, "--retry", "1").exit_code == 0
    assert (tmp_path / "x").read_bytes() == DOCUMENT


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
