"""An archive, its index and its pages in one file; shown by `serve --warc` together with other archives."""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import zipfile
from pathlib import Path

import pytest

from anyurl import Client, Policy
from anyurl.cli import exits
from anyurl.errors import LocalFileError
from anyurl.warc import file
from anyurl.warc.wacz import archive_of, check, pack
from anyurl.world import World
from anyurl.world.replay import Replay
from tests.cli.runner import run
from tests.client.test_requests import serving
from tests.servers import reply

pytest.importorskip("warcio", reason="warcio is not installed")


def made(folder: Path, *schemes: str) -> tuple[Path, dict[str, bytes]]:
    """A WACZ, and what it has by URL."""
    path, there = folder / "a.wacz", {}
    with World(schemes) as world, Client(warc=archive_of(str(path)), **world.settings) as client:
        for scheme in schemes:
            there[str(world.urls[scheme])] = client.get(world.urls[scheme]).read()
    pack(str(path), str(world.urls[schemes[0]]))
    return path, there


def test_each_part_has_the_size_and_the_digest_that_is_told(tmp_path: Path) -> None:
    path, _ = made(tmp_path, "http", "gopher")
    with zipfile.ZipFile(path) as zipped:
        assert zipped.testzip() is None
        about = json.loads(zipped.read("datapackage.json"))
        for part in about["resources"]:
            octets = zipped.read(part["path"])
            assert (part["bytes"], part["hash"]) == (len(octets), f"sha256:{hashlib.sha256(octets).hexdigest()}")
        assert zipped.getinfo("archive/a.warc.gz").compress_type == zipfile.ZIP_STORED
        assert zipped.read("archive/a.warc.gz") == Path(archive_of(str(path))).read_bytes()
        digest = json.loads(zipped.read("datapackage-digest.json"))["hash"]
        assert digest == f"sha256:{hashlib.sha256(zipped.read('datapackage.json')).hexdigest()}"


@pytest.mark.parametrize("index", [True, False])
def test_several_files_are_shown_as_one(tmp_path: Path, index: bool) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    first, there = made(tmp_path / "one", "ftp", "gopher")
    second, more = made(tmp_path / "two", "news", "prospero")
    if not index:
        with zipfile.ZipFile(first) as old, zipfile.ZipFile(tmp_path / "bare.wacz", "w") as new:
            new.writestr("archive/a.warc.gz", old.read("archive/a.warc.gz"))
        first = tmp_path / "bare.wacz"
    with Replay(first, archive_of(str(second))) as replay, Client(Policy.open()) as client:
        for url, octets in {**there, **more}.items():
            assert client.get(f"{replay.url}{url}").read() == octets
        assert len(replay.index) == len(there) + len(more)


def test_a_revisit_in_a_package_has_its_content(tmp_path: Path) -> None:
    path = tmp_path / "a.wacz"
    with World(("http",)) as world, Client(warc=archive_of(str(path)), **world.settings) as client:
        urls = [f"{world.roots['http']}{name}" for name in ("motd.txt", "motd.txt?again")]
        octets = [client.get(url).read() for url in urls]
    pack(str(path), urls[0])
    with Replay(path) as replay, Client(Policy.open()) as client:
        assert [client.get(f"{replay.url}{url}").read() for url in urls] == octets


@pytest.mark.parametrize("octets", [b"PK\x03\x04 and no more", b""])
def test_what_is_no_package_is_an_error(tmp_path: Path, octets: bytes) -> None:
    path = tmp_path / "a.wacz"
    path.write_bytes(octets)
    if octets:
        with pytest.raises(LocalFileError, match="not a whole WACZ"):
            Replay(path)
    with zipfile.ZipFile(path, "w") as zipped:
        zipped.writestr("x", b"")
    with pytest.raises(LocalFileError, match="not a WACZ"):
        Replay(path)


@pytest.mark.parametrize("offset", ["\u00b2", "9" * 19, "9" * 5000, "-1", ""])
def test_numbers_that_are_none_are_not_taken(tmp_path: Path, offset: str) -> None:
    path = tmp_path / "a.wacz"
    facts = json.dumps({"url": "http://h/", "filename": "a.warc.gz", "offset": offset, "status": "1" * 5000})
    with zipfile.ZipFile(path, "w") as zipped:
        zipped.writestr("archive/a.warc.gz", b"")
        zipped.writestr("indexes/index.cdx", f"h)/ 20260102030405 {facts}\n")
    with Replay(path) as replay:
        assert list(replay.index) == []


def test_an_index_that_can_not_be_read_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.wacz"
    with zipfile.ZipFile(path, "w") as zipped:
        zipped.writestr("archive/a.warc.gz", b"")
        zipped.writestr("indexes/index.cdx.gz", gzip.compress(b"x" * 1000)[:-10])
    with pytest.raises(LocalFileError, match="not a whole WACZ"):
        Replay(path)
    with zipfile.ZipFile(path, "w") as zipped:
        for name in ("archive/a.warc.gz", "indexes/index.cdx", "datapackage.json"):
            zipped.writestr(name, b"")
    octets = bytearray(path.read_bytes())
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        octets[octets.rindex(mark) + flags] |= 1  # encrypted
    path.write_bytes(octets)
    with pytest.raises(LocalFileError, match="not a whole WACZ"):
        Replay(path)


def test_a_damaged_package_breaks_nothing_but_itself(tmp_path: Path) -> None:
    path, there = made(tmp_path, "gopher", "ftp")
    whole = path.read_bytes()
    for cut in range(0, len(whole), 499):
        path.write_bytes(whole[:cut] + bytes([whole[cut] ^ 0xFF]) + whole[cut + 1 :])
        try:
            with Replay(path) as replay:
                for url, octets in there.items():
                    kept = replay.index.find(url)
                    if kept is None:
                        continue
                    try:
                        with replay.index.open(kept) as content:
                            got = b"".join(content.pieces())
                    except LocalFileError:
                        continue
                    assert len(got) <= len(octets)
        except LocalFileError:
            pass


def test_mirrors_add_to_one_package_and_none_is_lost(tmp_path: Path) -> None:
    package = tmp_path / "all.wacz"
    with World(("http", "gopher")) as world:
        for scheme in ("http", "gopher"):
            done = run(
                "mirror", str(world.roots[scheme]), str(tmp_path / scheme), "--wacz", str(package), "--allow-private"
            )
            assert done.exit_code == exits.OK, done.stderr
        urls = [f"{world.roots['http']}motd.txt", str(world.roots["gopher"])]
    with Replay(package) as replay:
        assert all(replay.index.find(url) for url in urls)
    Path(archive_of(str(package))).unlink()
    done = run("mirror", "gopher://127.0.0.1/", str(tmp_path / "x"), "--wacz", str(package), "--allow-private")
    assert done.exit_code == exits.LOCAL_FILE
    assert "of which it is made" in done.stderr
    with pytest.raises(LocalFileError):
        check(str(package))


@pytest.mark.parametrize("is_packed", [True, False])
def test_a_later_run_finds_large_contents_in_the_index(
    is_packed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file, "READ_AGAIN", 100)
    content = {path: random.Random(path).randbytes(100_000) for path in ("/a", "/b", "/c")}
    archive = tmp_path / "a.warc.gz"
    with serving(lambda line, *_asked: reply(content[line.split()[1].decode()])) as (url, _):

        def added() -> int:
            """Octets that another run adds."""
            file._files.clear()  # as another process
            before = archive.stat().st_size if archive.exists() else 0
            with Client(warc=archive, cdxj=not is_packed) as client:
                for path in content:
                    client.get(f"{url}{path}").read()
            if is_packed:
                pack(str(tmp_path / "a.wacz"), url)
            return archive.stat().st_size - before

        assert added() > 300_000
        assert added() < 10_000
        archive.write_bytes(b"")  # another archive of the same name: what the index tells of is not in it
        assert added() > 300_000
        if not is_packed:
            index = tmp_path / "a.cdxj"
            lines = index.read_text().splitlines()
            digests = [json.loads(line.split(" ", 2)[2])["digest"] for line in lines]
            for line, digest, other in zip(lines, digests, digests[1:] + digests[:1], strict=True):
                index.write_text(index.read_text().replace(line, line.replace(digest, other)))
            assert added() > 300_000
    with Replay(archive) as replay, Client(Policy.open()) as client:
        for path, octets in content.items():
            assert client.get(f"{replay.url}{url}{path}").read() == octets
