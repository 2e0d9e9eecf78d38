"""A mirror of an FTP server without MLSD, in three time zones: LIST has its clock, and MDTM that of the world."""

from __future__ import annotations

import os
import time
from contextlib import closing
from pathlib import Path

import pytest

from anyurl import Client, Policy
from tests.needs import program
from tests.peers.ftp_more import InetutilsFtpd
from tests.peers.ftp_servers import HOST


@pytest.mark.parametrize("zone", ["<-08>8", "UTC0", "<+13>-13"])
def test_a_changed_file_is_fetched_and_an_unchanged_one_is_not(tmp_path: Path, zone: str) -> None:
    with closing(InetutilsFtpd(tmp_path)) as server, Client(Policy.open()) as client:
        server.command = [program("env"), f"TZ={zone}", *server.command]
        recent, steady = (server.root / "pub" / name for name in ("recent", "steady"))
        for file in (recent, steady):
            file.write_bytes(b"first")
            os.utime(file, (time.time() - 3600, int(time.time()) - 3600))

        def mirror() -> dict[str, str]:
            done = client.mirror(f"ftp://{HOST}:{server.port}/pub/", tmp_path / "copy")
            return {each.path: each.outcome for each in done if each.path in ("recent", "steady")}

        assert mirror() == {"recent": "saved", "steady": "saved"}
        assert mirror() == {"recent": "kept", "steady": "kept"}
        recent.write_bytes(b"later")
        os.utime(recent, (time.time(), int(time.time()) - 60))
        assert mirror() == {"recent": "saved", "steady": "kept"}
        assert (tmp_path / "copy" / "recent").read_bytes() == b"later"
        assert mirror() == {"recent": "kept", "steady": "kept"}
