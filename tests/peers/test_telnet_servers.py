"""Sessions with inetutils-telnetd, by the library and by the command on a terminal."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

import pexpect
import pytest

from anyurl import Client
from anyurl.dialogue import Terminal
from tests.cli.runner import CLEAN, PROGRAM
from tests.peers.telnet_servers import Telnetd
from tests.servers import WAIT_SECONDS

PROMPT = r"[#$] $"


@pytest.fixture
def telnetd() -> Iterator[Telnetd]:
    with contextlib.closing(Telnetd()) as server:
        yield server


def test_a_program_uses_a_shell(telnetd: Telnetd) -> None:
    terminal = Terminal("xterm", 100, 30)
    with Client() as client, client.session(f"telnet://joe:secret@127.0.0.1:{telnetd.port}/", terminal) as session:
        # What is typed before the shell asks for it is echoed before its prompt, and not behind.
        greeting = session.expect(PROMPT, timeout=WAIT_SECONDS).string
        assert b"joe" not in greeting  # RFC 1738 3.8: it is advice
        session.write("stty size; echo $TERM-$((6 * 7)); stty -a | grep -o '[-]*echo '\n")
        assert session.expect(r"\r\n(\d+ \d+)\r\n(.*)\r\n(.*echo)", timeout=WAIT_SECONDS).groups() == (
            b"30 100", b"xterm-42", b"echo",
        )  # fmt: skip
        session.expect(PROMPT, timeout=WAIT_SECONDS)
        session.resize(132, 43)
        session.write("stty size\n")
        session.expect("\r\n43 132\r\n", timeout=WAIT_SECONDS)
        session.expect(PROMPT, timeout=WAIT_SECONDS)
        session.write(r"printf '\377\376'; printf 'a\rb\n'" + "\n")
        session.expect(rb"\xff\xfea\rb\r\n", timeout=WAIT_SECONDS)
        session.expect(PROMPT, timeout=WAIT_SECONDS)
        # Of the shell's own: a program has begun before the shell gives it the terminal, and with it the interruptions.
        session.write("echo beg''un; read nothing\n")
        session.expect("\r\nbegun\r\n", timeout=WAIT_SECONDS)  # what is only echoed, the shell may not have read yet
        session.command("interrupt")  # IAC IP: what the shell does is interrupted
        assert session.expect(PROMPT, timeout=WAIT_SECONDS).string[:-2] == b"^C\r\n"  # telnetd's Synch is no text
        session.write("exit\n")
        while session.read(timeout=WAIT_SECONDS):
            pass
        assert session.closed
    assert telnetd.connections == 1


def test_a_login_program_reads_what_a_program_types() -> None:
    asks = "printf login:; read u; stty -echo; printf Password:; read p; stty echo"
    # It stays until the client has gone: telnetd loses what a program writes last.
    script = f"/bin/sh -c '{asks}; echo; echo \"[$u][$p]\"; read end'"
    with contextlib.closing(Telnetd(script)) as telnetd, Client() as client:
        with client.session(f"telnet://joe:secret@127.0.0.1:{telnetd.port}/") as session:
            session.expect("login:", timeout=WAIT_SECONDS)
            session.write("ada\n")
            session.expect("Password:", timeout=WAIT_SECONDS)
            session.write("lovelace\n")
            said = session.expect(r"\[(.*)\]\[(.*)\]", timeout=WAIT_SECONDS)
            assert said.groups() == (b"ada", b"lovelace")
            assert said.string.count(b"lovelace") == 1  # it was not echoed while it was typed


@pytest.mark.needs("terminal")
def test_a_person_uses_a_shell(telnetd: Telnetd) -> None:
    """A real terminal: raw while the session lasts, with its size, and as before after it."""
    command = " ".join([*PROGRAM, "get", f"telnet://joe:secret@127.0.0.1:{telnetd.port}/"])
    child = pexpect.spawn(
        "/bin/sh", ["-c", f"stty -g; {command}; echo code=$?; stty -g"],
        env={**CLEAN, "TERM": "xterm"}, dimensions=(30, 100), encoding="utf-8", timeout=WAIT_SECONDS,
    )  # fmt: skip
    try:
        child.expect(r"([0-9a-f:]+)\r\n")
        before = child.match[1]
        child.expect("note: the URL advises the user 'joe'")
        child.expect("note: the URL also advises a password, which is not shown")
        child.expect(r"Connected to 127\.0\.0\.1 port \d+\. The escape key is \^\]")
        child.expect("[#$] ")
        child.send("stty size\r")
        child.expect("30 100\r\n.*[#$] ")
        child.setwinsize(40, 90)
        child.send("while test \"$(stty size)\" != '40 90'; do :; done; echo resi''zed\r")
        child.expect("resized\r\n.*[#$] ")
        child.send("echo beg''un; read nothing\r")  # of the shell's own, as above
        child.expect("\r\nbegun\r\n")
        child.send("\x03")  # to the service, not to anyurl
        child.expect("[#$] ")
        child.send("cat -v; echo du''n\r")
        child.expect("cat -v.*\r\n")
        child.send("\x1d")
        child.expect("q leave")
        child.send("]\r\x04")  # ^] itself, for the service
        child.expect(r"\^\]\r\n.*dun\r\n")
        child.send("exit 3\r")
        child.expect(r"The service has closed the connection\.\r\n")
        child.expect(r"code=0\r\n([0-9a-f:]+)\r\n")
        assert child.match[1] == before
        child.expect(pexpect.EOF)
        assert "secret" not in re.sub(r"\x1b\[[0-9;?]*[a-z]", "", child.before)
    finally:
        child.close(force=True)
