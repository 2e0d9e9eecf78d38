"""Trust on first use: the first certificate is believed, another one is not, until the first one's end."""

from __future__ import annotations

import base64
import fcntl
import os
import resource
import ssl
import stat
import subprocess
import sys
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest

from anyurl.errors import ConnectError, LimitError, LocalFileError
from anyurl.files import lock
from anyurl.net.wire import pins as pins_module
from anyurl.net.wire.certificates import fingerprint
from anyurl.net.wire.pins import FIRST_LINE, Pins, read_fingerprints
from anyurl.world.certificate import BEGIN, END, self_signed


@cache
def der(secret: str, begin: datetime = BEGIN, end: datetime = END) -> bytes:
    return ssl.PEM_cert_to_DER_cert(self_signed(secret, begin, end)[0].decode())


PAST = datetime(2001, 1, 1, tzinfo=UTC)


def test_the_first_is_trusted_and_no_other(tmp_path: Path) -> None:
    for path in (None, tmp_path / "deep" / "pins"):
        pins = Pins(path)
        pins.judge("H.example", 1965, der("a"))
        pins.judge("h.example", 1965, der("a"))
        with pytest.raises(ConnectError) as caught:
            pins.judge("h.example", 1965, der("b"))
        assert fingerprint(der("a")) in str(caught.value)
        assert fingerprint(der("b")) in str(caught.value)
        assert caught.value.stage == "tls"
        pins.judge("h.example", 1966, der("b"))  # another port is another server
        pins.judge("h.example", 1965, der("a"))  # and nothing has been forgotten


def test_a_renewed_one_that_its_owner_has_confirmed_replaces_the_first(tmp_path: Path) -> None:
    path, renewed = tmp_path / "pins", fingerprint(der("b"))
    Pins(path).judge("h.example", 1965, der("a"))
    trusting = Pins(path, read_fingerprints([renewed.upper()]), "options")
    with pytest.raises(ConnectError, match=f"--trust {fingerprint(der('c'))} trusts it"):
        trusting.judge("h.example", 1965, der("c"))  # it is that one which is trusted, and no other
    trusting.judge("h.example", 1965, der("b"))
    Pins(path).judge("h.example", 1965, der("b"))  # from now on
    with pytest.raises(ConnectError, match="has changed"):
        Pins(path).judge("h.example", 1965, der("a"))


def test_fingerprints_are_read_as_programs_print_them() -> None:
    digits = "0123456789abcdef" * 4
    pairs = ":".join(digits[at : at + 2] for at in range(0, 64, 2)).upper()
    assert read_fingerprints([pairs, digits]) == {digits}
    for text in ("", "h.example", digits[1:], digits + "0", "g" + digits[1:]):
        with pytest.raises(ValueError, match="is not the SHA-256 of a certificate: 64 hexadecimal digits would be"):
            read_fingerprints([text])


def test_the_file_is_its_owners_and_outlives_the_client(tmp_path: Path) -> None:
    path = tmp_path / "pins"
    Pins(path).judge("::1", 1965, der("a"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text().splitlines()[-1] == f"::1 1965 {fingerprint(der('a'))} 2094-12-20T00:00:00Z"
    with pytest.raises(ConnectError, match=f"trust=\\['{fingerprint(der('b'))}'\\] trusts it"):
        Pins(path).judge("::1", 1965, der("b"))


def test_what_another_process_or_a_person_has_written_counts(tmp_path: Path) -> None:
    one, other = Pins(tmp_path / "pins"), Pins(tmp_path / "pins")
    one.judge("h.example", 1965, der("a"))
    other.judge("i.example", 1965, der("a"))
    with pytest.raises(ConnectError):
        other.judge("h.example", 1965, der("b"))
    kept = [line for line in (tmp_path / "pins").read_text().splitlines() if not line.startswith("h.example")]
    (tmp_path / "pins").write_text("\n".join(kept) + "\n")
    one.judge("h.example", 1965, der("b"))
    assert "i.example 1965" in (tmp_path / "pins").read_text()


MOST = 30

MANY = f"""
import base64, sys
from anyurl.net.wire.pins import Pins
pins, certificate = Pins(sys.argv[1]), base64.b64decode(sys.argv[3])
sys.stdout.write("ready\\n")
sys.stdout.flush()
sys.stdin.readline()
for number in range({MOST}):
    pins.judge(f"{{sys.argv[2]}}{{number}}.example", 1965, certificate)
"""
"""Pins many servers, when it is told to begin."""


def test_two_processes_lose_none_of_one_anothers_pins(tmp_path: Path) -> None:
    path = tmp_path / "pins"
    told = base64.b64encode(der("a")).decode()
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", MANY, path, name, told], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        for name in ("a", "b")
    ]  # fmt: skip
    for program in programs:
        assert program.stdout is not None
        assert program.stdout.readline() == b"ready\n"
    for program in programs:
        assert program.stdin is not None
        program.stdin.write(b"\n")
        program.stdin.flush()
    seen = set()
    while None in [program.poll() for program in programs]:
        seen |= set(path.read_bytes().splitlines(keepends=True)) if path.exists() else set()
    assert [program.communicate() and program.returncode for program in programs] == [0, 0]
    kept = {line.split()[0] for line in path.read_text().splitlines() if ".example" in line}
    assert kept == {f"{name}{number}.example" for name in ("a", "b") for number in range(MOST)}
    assert not [line for line in seen if not line.endswith(b"\n")]  # nor was there ever half a line


def test_what_is_known_needs_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "pins"
    Pins(path).judge("h.example", 1965, der("a"))
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        Pins(path).judge("h.example", 1965, der("a"))  # nothing is to be written


def test_the_second_of_two_that_meet_a_server_first_is_held_to_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who stands in the way of the one must not be believed by the other: the file is read again when it is locked."""
    path = tmp_path / "pins"
    locked = lock._locked

    def meanwhile(name: str) -> int:
        monkeypatch.setattr(lock, "_locked", locked)
        Pins(path).judge("h.example", 1965, der("a"))
        return locked(name)

    monkeypatch.setattr(lock, "_locked", meanwhile)
    with pytest.raises(ConnectError, match="has changed"):
        Pins(path).judge("h.example", 1965, der("b"))


def test_a_pin_ends_with_its_certificate(tmp_path: Path) -> None:
    path = tmp_path / "pins"
    path.write_text(f"{FIRST_LINE}\nh.example 1965 {fingerprint(der('a'))} 2001-01-01T00:00:00Z\n")
    Pins(path).judge("h.example", 1965, der("b"))
    with pytest.raises(ConnectError):
        Pins(path).judge("h.example", 1965, der("a"))


def test_one_that_is_known_stays_good_behind_its_end(tmp_path: Path) -> None:
    """It is the same server: who has its key has it still."""
    path = tmp_path / "pins"
    path.write_text(f"{FIRST_LINE}\nh.example 1965 {fingerprint(der('a', BEGIN, PAST))} 2001-01-01T00:00:00Z\n")
    Pins(path).judge("h.example", 1965, der("a", BEGIN, PAST))


@pytest.mark.parametrize(
    ("begin", "end"), [(BEGIN, PAST), (datetime(2090, 1, 1, tzinfo=UTC), END)], ids=["too old", "too new"]
)
def test_one_that_does_not_hold_now_is_not_trusted_at_first(begin: datetime, end: datetime) -> None:
    pins = Pins()
    with pytest.raises(ConnectError, match="and not now"):
        pins.judge("h.example", 1965, der("a", begin, end))
    pins.judge("h.example", 1965, der("b"))  # and nothing was pinned


def test_one_that_can_not_be_read_is_not_trusted() -> None:
    for octets in (b"", b"\x30\x03abc", der("a")[:60]):
        with pytest.raises(ConnectError, match="can't be read"):
            Pins().judge("h.example", 1965, octets)


@pytest.mark.parametrize(
    "text",
    ["a letter\n", f"{FIRST_LINE}\nh.example 1965\n", f"{FIRST_LINE}\nh.example x ab 2001-01-01T00:00:00Z\n",
     f"{FIRST_LINE}\nh.example 1965 ab yesterday\n"],
)  # fmt: skip
def test_a_file_of_something_else_is_left_as_it_is(tmp_path: Path, text: str) -> None:
    path = tmp_path / "pins"
    path.write_text(text)
    with pytest.raises(LocalFileError):
        Pins(path).judge("h.example", 1965, der("a"))
    assert path.read_text() == text


def test_what_can_not_be_kept_is_not_trusted(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    pins = Pins(tmp_path / "file" / "pins")
    for _ in range(2):
        with pytest.raises(LocalFileError):
            pins.judge("h.example", 1965, der("a"))


def test_what_finds_no_room_on_the_disk_is_not_trusted(tmp_path: Path) -> None:
    path = tmp_path / "pins"
    pins = Pins(path)
    pins.judge("h.example", 1965, der("a"))
    kept = path.read_text()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))  # as on a disk that is full
    try:
        for _ in range(2):
            with pytest.raises(LocalFileError, match="can't be written"):
                pins.judge("i.example", 1965, der("b"))
        pins.judge("h.example", 1965, der("a"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_text() == kept
    pins.judge("i.example", 1965, der("b"))


def test_strangers_can_not_push_a_pin_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attack: links to many servers, so that the one that counts is met as if for the first time."""
    monkeypatch.setattr(pins_module, "MAX_PINS", 2)
    pins = Pins()
    pins.judge("bank.example", 1965, der("a"))
    pins.judge("one.example", 1965, der("a"))
    with pytest.raises(LimitError, match="2 servers are trusted"):
        pins.judge("two.example", 1965, der("a"))
    with pytest.raises(ConnectError, match="has changed"):
        pins.judge("bank.example", 1965, der("b"))
