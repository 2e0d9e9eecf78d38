"""Octets or text: what decides, and what is said of it."""

from __future__ import annotations

from typing import Any

import pytest

from anyurl.dialogue import Options
from anyurl.schemes.registry import find_scheme
from anyurl.url import URL
from tests.rows import each_row
from tests.schemes.ftp.ftp_script import Answer, Rehearsed

CRLF = b"a\r\nb\rc\n"


def get(text: str, system: bytes | None = None, **options: Any) -> Rehearsed:
    dialogue = find_scheme("ftp").verbs["get"](URL(text), Options(**options))
    answers: dict[str, Answer] = {"SIZE": b"213 7\r\n"}
    return Rehearsed(dialogue, answers if system is None else {**answers, "SYST": system}, data=[[CRLF]])


@each_row(
    ("url", "options", "system", "types", "content"),
    [
        ("ftp://h/x.txt", {}, None, ["SYST", "TYPE I"], CRLF),
        ("ftp://h/x.html", {}, b"215 Windows_NT\r\n", ["SYST", "TYPE I"], CRLF),
        ("ftp://h/x.csv", {}, b"502 What?\r\n", ["SYST", "TYPE I"], CRLF),  # nothing said: octets
        ("ftp://h/x.py", {}, b"215 UNIX Type: L8 Version: BSD-199506\r\n", ["SYST", "TYPE I"], CRLF),
        ("ftp://h/x.bin", {}, b"215 MVS\r\n", ["TYPE I"], CRLF),  # what is no text is octets anywhere
        ("ftp://h/x", {"ftp_text": True}, None, ["TYPE I"], CRLF),
        ("ftp://h/x.txt;type=i", {"ftp_text": True}, None, ["TYPE I"], CRLF),
        ("ftp://h/x.txt", {"ftp_text": True}, None, ["TYPE A"], b"a\nb\rc\n"),
        ("ftp://h/x;type=a", {}, None, ["TYPE A"], b"a\nb\rc\n"),
        ("ftp://h/x.txt", {}, b"215 MVS is the operating system of this server.\r\n", ["SYST", "TYPE A"], b"a\nb\rc\n"),
        ("ftp://h/x.txt", {}, b"215 VMS OpenVMS V8.4\r\n", ["SYST", "TYPE A"], b"a\nb\rc\n"),
        ("ftp://h/x.txt", {}, b"215  OS/400 is the remote operating system.\r\n", ["SYST", "TYPE A"], b"a\nb\rc\n"),
    ],
)
def test_the_type(url: str, options: dict[str, Any], system: bytes | None, types: list[str], content: bytes) -> None:
    done = get(url, system, **options)
    assert (done.error, done.content) == (None, content)
    assert [line for line in done.commands if line.startswith(("TYPE", "SYST"))] == types
    said = types[-1] == "TYPE A" and ";type=" not in url
    assert len(done.notes) == said


def test_what_is_said_of_a_text() -> None:
    (asked,) = get("ftp://h/x.txt", ftp_text=True).notes
    assert asked == "by its suffix the file is a text: line ends are converted on the way (RFC 1738 3.2.3)"
    (records,) = get("ftp://h/x.txt", b"215 MVS\r\n").notes
    assert records.startswith("files of h are records (MVS), and by its suffix this is a text")


@pytest.mark.parametrize("system", [b"215 UNIX Type: L8\r\n", b"215 MVS\r\n"])
def test_what_is_put_has_the_mode_that_gets_it_back(system: bytes) -> None:
    url = URL("ftp://h/x.txt")
    done = Rehearsed(find_scheme("ftp").verbs["put"](url, Options()), {"SYST": system}, source=[b"a\nb\n"])
    assert done.uploaded == (b"a\r\nb\r\n" if b"MVS" in system else b"a\nb\n")
    assert done.described is not None
    assert done.described.attributes == {"mode": "a" if b"MVS" in system else "i"}


def test_the_system_is_asked_for_once() -> None:
    first = get("ftp://h/x.txt")
    ((_, state),) = first.keeps
    dialogue = find_scheme("ftp").verbs["get"](URL("ftp://h/y.txt"), Options())
    assert "SYST" not in Rehearsed(dialogue, {}, kept=state).commands
