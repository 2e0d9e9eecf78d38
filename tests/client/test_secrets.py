"""Passwords from netrc: the right one for the right host, or an error that shows none."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anyurl.client.secrets import netrc_path, netrc_secret
from anyurl.dialogue import Secret
from anyurl.errors import LocalFileError
from tests import needs

NETRC = """\
# a comment
machine ftp.example.org login me password sesame
machine Other.Example.org
    login "you and me"
    password "open \\"it\\""
machine nobody.example.org password anybodys
machine empty.example.org login me
macdef init
cd pub
bin

default login anonymous password me@example.org
"""


@pytest.fixture
def netrc(tmp_path: Path) -> str:
    path = tmp_path / "netrc"
    path.write_text(NETRC)
    path.chmod(0o600)
    return str(path)


@pytest.mark.parametrize(
    ("host", "user", "password"),
    [
        ("ftp.example.org", "me", "sesame"),
        ("FTP.Example.ORG.", "me", "sesame"),
        ("ftp.example.org", "you", None),
        ("ftp.example.org", "ME", None),
        ("ftp.example.org", "", "sesame"),  # who it is, is what is asked: the answer says it
        ("other.example.org", "you and me", 'open "it"'),
        ("nobody.example.org", "me", "anybodys"),
        ("nobody.example.org", "you", "anybodys"),
        ("empty.example.org", "me", None),
        ("example.org", "me", None),
        ("evil.example.com", "anonymous", None),
        ("default", "anonymous", None),
    ],
)
def test_a_password_belongs_to_a_host_and_a_user(netrc: str, host: str, user: str, password: str | None) -> None:
    secret = netrc_secret(host, user, path=netrc)
    assert secret == (None if password is None else Secret(password))


def test_without_a_file_there_is_no_password(tmp_path: Path) -> None:
    assert netrc_secret("h", "u", path=f"{tmp_path}/none") is None
    (tmp_path / "file").touch()
    assert netrc_secret("h", "u", path=f"{tmp_path}/file/netrc") is None


def test_the_file_is_where_other_programs_look(monkeypatch: pytest.MonkeyPatch, netrc: str, tmp_path: Path) -> None:
    monkeypatch.setenv("NETRC", netrc)
    assert netrc_path() == netrc
    assert netrc_secret("ftp.example.org", "me") == Secret("sesame")
    monkeypatch.delenv("NETRC")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert netrc_path() == f"{tmp_path}/.netrc"
    assert netrc_secret("ftp.example.org", "me") is None


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o644])
def test_a_file_that_others_can_read_is_not_used(netrc: str, mode: int) -> None:
    os.chmod(netrc, mode)
    with pytest.raises(LocalFileError, match="others may read or write the passwords in it") as caught:
        netrc_secret("ftp.example.org", "me", path=netrc)
    assert caught.value.errno == errno.EPERM


def test_a_file_of_somebody_else_is_not_used(netrc: str) -> None:
    needs.need("root")
    os.chown(netrc, 65534, 65534)
    with pytest.raises(LocalFileError, match="it belongs to another user"):
        netrc_secret("ftp.example.org", "me", path=netrc)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("machine x login y passwort geheim", 1),
        ("\n\nmachine x login y password\nmachine z", 3),
        ("machine x login machine z password sesame", 1),
    ],
)
def test_an_entry_that_is_not_understood_is_told_without_its_words(tmp_path: Path, text: str, line: int) -> None:
    path = tmp_path / "netrc"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(LocalFileError) as caught:
        netrc_secret("x", "y", path=str(path))
    assert f"Reading {path}: the entry in line {line} is not understood" in str(caught.value)
    assert not any(word in str(caught.value) for word in ("geheim", "sesame"))


def test_what_is_no_file_or_too_large_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LocalFileError, match="it is not a netrc file"):
        netrc_secret("h", "u", path=str(tmp_path))
    path = tmp_path / "netrc"
    path.touch(0o600)
    os.truncate(path, 1024 * 1024 + 1)
    with pytest.raises(LocalFileError, match="it is not a netrc file of at most 1,048,576 octets"):
        netrc_secret("h", "u", path=str(path))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.one_of(
        st.binary(max_size=200),
        st.lists(st.sampled_from(["machine", "login", "password", "default", "macdef", "account", "#", '"', "\\", "h",
                                  "\n", "\n\n", " "])).map(lambda words: " ".join(words).encode()),
    )
)  # fmt: skip
def test_only_errors_of_the_tree_come_out(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "netrc"
    path.write_bytes(data)
    path.chmod(0o600)
    with suppress(LocalFileError):
        netrc_secret("h", "u", path=str(path))


def test_where_no_user_is_named_the_entry_names_one(netrc: str) -> None:
    for host, user in (("ftp.example.org", "me"), ("nobody.example.org", "")):
        secret = netrc_secret(host, "", path=netrc)
        assert secret is not None
        assert secret.user == user
