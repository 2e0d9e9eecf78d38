"""The world as a whole: one URL for each scheme, all of them in the text, and nothing left afterwards."""

from __future__ import annotations

import os
import re
import sys
import threading
from pathlib import Path

import pytest

from anyurl.errors import MissingExtraError, UnknownSchemeError
from anyurl.guard.policy import Policy
from anyurl.url import URL
from anyurl.url.cut import decode_text
from anyurl.world import World
from anyurl.world.world import ROWS, USUAL_PORTS


def threads() -> set[threading.Thread]:
    """Those of all worlds: another one may run, or end, for other tests."""
    return {thread for thread in threading.enumerate() if thread.name.startswith("world")}


def test_all_servers_run_and_stop() -> None:
    pytest.importorskip("pyftpdlib", reason="the world's FTP server needs pyftpdlib")
    others = threads()
    before = set(os.listdir("/proc/self/fd"))
    with World() as world:
        assert list(world.urls) == list(ROWS)
        assert list(world.roots) == list(ROWS)
        assert {scheme: url.scheme for scheme, url in world.urls.items()} == {scheme: scheme for scheme in ROWS}
        assert world.missing == {}
        folder = Path(decode_text(world.roots["file"].path))
        assert (folder / "motd.txt").is_file()
    assert not folder.exists()
    assert threads() <= others
    assert set(os.listdir("/proc/self/fd")) <= before


def test_text_mentions_each_url_once_wrapped_or_bare() -> None:
    with World(["file", "http"]) as world:
        for url in world.urls.values():
            assert world.text.count(str(url)) == 1
        wrapped = re.findall(r"<URL:([^>]*)>", world.text)
        assert wrapped == [str(world.urls["file"])]


def test_every_server_is_below_its_root() -> None:
    with World(["file", "http"]) as world:
        for scheme, url in world.urls.items():
            assert str(url).startswith(str(world.roots[scheme]))


def test_only_the_asked_schemes_run_in_the_asked_order() -> None:
    with World(["http", "file", "http"]) as world:
        assert list(world.urls) == ["http", "file"]


def test_the_documents_ports_are_taken_where_they_are_free() -> None:
    pytest.importorskip("pyftpdlib", reason="the world's FTP server needs pyftpdlib")
    with World(USUAL_PORTS, usual_ports=True) as first, World(USUAL_PORTS, usual_ports=True) as second:
        ports = [{name: root.explicit_port for name, root in world.roots.items()} for world in (first, second)]
        for name, port in USUAL_PORTS.items():
            if name != "mailto":  # its URL names a mailbox, and no server
                assert ports[0][name] != ports[1][name]
                assert ports[1][name] != port, "the first one has it, or somebody else"


def test_no_policy_takes_the_documents_ports_for_another_service() -> None:
    for port in USUAL_PORTS.values():
        assert Policy.default().judge_url(URL(f"http://127.0.0.1:{port}/")).allowed


def test_a_scheme_without_server_is_named_before_anything_starts() -> None:
    with pytest.raises(UnknownSchemeError, match="The world has no server for 'afs'; it has file, http") as caught:
        World(["file", "afs"])
    assert caught.value.scheme == "afs"


def test_without_the_extra_the_rest_runs_and_the_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyftpdlib", None)  # what Python itself does with a package that is not there
    with World() as world:
        assert "http" in world.urls
        assert "ftp" not in world.urls
        assert str(world.missing["ftp"]).endswith("in a clone of anyurl, pip install '.[world]'.")
        assert world.missing["ftp"].extra == "world"


def test_without_the_extra_asking_for_ftp_is_an_error_and_stops_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyftpdlib", None)
    others = threads()
    with pytest.raises(MissingExtraError, match="'\\.\\[world\\]'"):
        with World(["http", "ftp"]):
            pass
    assert threads() <= others
