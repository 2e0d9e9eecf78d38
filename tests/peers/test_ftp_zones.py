"""Mirrors of FTP servers in three time zones: the table of `zones`, done."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from anyurl import Client, Policy
from tests.needs import program
from tests.peers.beside import VERSIONS
from tests.peers.ftp_servers import Vsftpd
from tests.peers.test_beside import version
from tests.peers.zones import OTHERS, ROWS, ZONES, Row, content, play, set_clock, write

rows = pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
zones = pytest.mark.parametrize("zone", ZONES)


@pytest.fixture
def home() -> Iterator[Path]:
    # Not below pytest's own folder, which another run of pytest closes to the users that servers become.
    with tempfile.TemporaryDirectory(prefix="anyurl-peer-") as folder:
        yield Path(folder)


@rows
@zones
def test_what_changed_is_fetched_and_what_did_not_is_kept(row: Row, zone: str, home: Path, tmp_path: Path) -> None:
    with closing(row.make(home)) as server, Client(Policy.open()) as client:
        set_clock(server, zone)
        pub = home / "root" / "pub"

        def mirror() -> dict[str, str]:
            done = {each.path: each for each in client.mirror(row.url(server), tmp_path / "copy")}
            assert {each.note for each in done.values()} == {""}
            return {path: done[path].outcome for path in content(pub)}

        names = write(pub, "first")
        assert mirror() == dict.fromkeys(names, "saved")
        kept = dict.fromkeys(names, "kept")
        assert mirror() == kept
        changed = write(pub, "later", changes=True)
        assert mirror() == {**kept, **dict.fromkeys(changed, "saved")}
        assert content(tmp_path / "copy") == content(pub)
        assert mirror() == kept
        if isinstance(server, Vsftpd):  # the others write no log
            asked = server.commands()
            assert [asked.count(f"RETR {name}") for name in sorted(names)] == [2] * len(changed) + [1]


@rows
@zones
def test_the_hours_of_a_server_are_those_of_the_table(row: Row, zone: str, home: Path) -> None:
    with closing(row.make(home)) as server, Client(Policy.open()) as client:
        set_clock(server, zone)
        write(home / "root" / "pub", "first")
        then = (home / "root" / "pub" / "steady").stat().st_mtime
        listed = next(entry for entry in client.list(row.url(server)).entries() if entry.name == "steady")
        assert row.verb == ("MLSD" if "modify" in listed.attributes else "LIST")
        hours = {"UTC": 0, "own": ZONES[zone][1]}
        assert listed.modified is not None
        assert 0 <= then + hours[row.listed] * 3600 - listed.modified < 60  # LIST has minutes
        with client.get(f"{row.url(server)}steady") as document:
            assert document.modified == then + hours[row.asked] * 3600


PLAYED = ROWS if os.environ.get("ANYURL_SLOW") else ROWS[-1:]


@pytest.mark.parametrize("client", OTHERS)
@pytest.mark.parametrize("row", PLAYED, ids=[row.name for row in PLAYED])
@zones
def test_what_is_told_of_the_others_is_so(client: str, row: Row, zone: str, home: Path, tmp_path: Path) -> None:
    if version(program(client)) == VERSIONS[client]:  # the table tells of these
        assert play(client, row, zone, home, tmp_path) == row.others.split()[OTHERS.index(client)]
