"""A folder of the user's own: by which schemes, where, and with which certificate."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from anyurl import Client, Policy
from anyurl.errors import LocalFileError, MissingExtraError, UnknownSchemeError
from anyurl.files.folders import state_folder
from anyurl.world.shared import SCHEMES, SharedWorld, own_certificate
from tests.peers.ftp_servers import HOST
from tests.world.shared_tree import TEXT, make


@pytest.fixture(autouse=True)
def state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return Path(state_folder())


def test_a_folder_is_served_by_each_scheme_to_this_machine(tmp_path: Path) -> None:
    pytest.importorskip("cryptography", reason="a certificate is made by cryptography")
    with SharedWorld(str(make(tmp_path))) as world, Client(Policy.open()) as client:
        assert tuple(world.roots) == SCHEMES
        for root in world.roots.values():
            assert root.host == HOST
            selector = "0/" if root.scheme == "gopher" else ""
            assert client.get(f"{root}{selector}notes.txt").read().startswith(TEXT), root


def test_without_the_extra_the_rest_is_served_and_the_missing_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cryptography", None)  # what Python itself does with a package that is not there
    with SharedWorld(str(make(tmp_path))) as world:
        assert set(world.roots) == {"http", "gopher"}
        assert world.missing["gemini"].extra == "world"
    with pytest.raises(MissingExtraError):
        SharedWorld(str(tmp_path / "shared"), ["gopher", "gemini"]).__enter__()


def test_the_port_and_the_address_are_the_user_s_choice(tmp_path: Path) -> None:
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(LocalFileError, match=f"Listening at {HOST} port {port}"):
            SharedWorld(str(make(tmp_path)), ["http"], port=port).__enter__()
    with SharedWorld(str(tmp_path / "shared"), ["http"], address="127.0.0.2", port=0) as world:
        assert world.roots["http"].host == "127.0.0.2"
    with SharedWorld(str(tmp_path / "shared"), ["gopher"], address="0.0.0.0", port=0) as world:
        assert world.roots["gopher"].host == HOST  # where it is reached from here


def test_other_schemes_serve_no_folder(tmp_path: Path) -> None:
    with pytest.raises(UnknownSchemeError, match="A folder can't be served by 'ftp'; it can by http, gopher, gemini"):
        SharedWorld(str(tmp_path), ["ftp"])


def test_a_certificate_is_made_once_and_readable_by_its_owner_only(state: Path) -> None:
    pytest.importorskip("cryptography", reason="a certificate is made by cryptography")
    first = own_certificate(HOST)
    assert own_certificate(HOST) == first
    assert own_certificate("::1") != first
    assert {file.name: file.stat().st_mode & 0o777 for file in state.iterdir()} == {
        f"gemini-{HOST}.pem": 0o600,
        "gemini-..1.pem": 0o600,
    }
    os.unlink(state / f"gemini-{HOST}.pem")
    assert own_certificate(HOST) != first  # nobody else can make it
