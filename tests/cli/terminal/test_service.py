"""Services: a person has one at a terminal, all others are told what it is; what anyurl does not speak is handed on."""

from __future__ import annotations

import contextlib
import os
import signal
import termios
import threading
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from anyurl.cli.terminal.service import MENU
from anyurl.world import telnet
from anyurl.world.listener import SchemeListener
from tests import needs
from tests.cli.runner import CLEAN, PROGRAM, records, run
from tests.servers import WAIT_SECONDS, Connection, Server, reply, unheard


@pytest.fixture
def catalogue() -> Iterator[SchemeListener]:
    with contextlib.closing(telnet.start()) as server:
        yield server


class Person:
    """Somebody at a terminal of 30 lines and 100 columns, at whose shell prompt the command is started."""

    def __init__(self, *args: str, shell: str = "") -> None:
        needs.need("terminal")
        command = " ".join([*PROGRAM, *(f"'{arg}'" for arg in args)])
        self.child = pexpect.spawn(
            "/bin/sh", ["-c", f"stty -g; {shell} {command}; echo code=$?; stty -g"],
            env={**CLEAN, "TERM": "xterm"}, dimensions=(30, 100), encoding="utf-8", timeout=WAIT_SECONDS,
        )  # fmt: skip
        self.child.expect(r"([0-9a-f:]+)\r\n")
        self.before = self.child.match[1]
        self.sees = self.child.expect
        self.types = self.child.send

    def __enter__(self) -> Person:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.child.close(force=True)

    def ends(self, code: int) -> None:
        """The command has ended with this code, and the terminal is as it was before."""
        self.sees(r"code=(\d+)\r\n([0-9a-f:]+)\r\n")
        assert (int(self.child.match[1]), self.child.match[2]) == (code, self.before)
        self.sees(pexpect.EOF)


def test_a_session(catalogue: SchemeListener) -> None:
    with Person("get", f"telnet://joe:sekret@127.0.0.1:{catalogue.port}/") as person:
        person.sees("note: the URL advises the user 'joe'; it is yours to type\r\n")
        person.sees("note: the URL also advises a password, which is not shown")
        person.sees("Connected to 127.0.0.1 port")
        person.sees("command: ")
        person.types("terminal\r")
        person.sees("terminal\r\nXTERM, 100 columns, 30 rows\r\n")
        person.child.setwinsize(40, 90)
        person.types("terminal\r")
        while person.sees(["XTERM, 90 columns, 40 rows\r\n", "XTERM, 100 columns, 30 rows\r\n"]):
            person.types("terminal\r")  # the signal was not there yet
        person.types("bye\r")
        person.sees("Come back soon")
        person.sees(r"The service has closed the connection\.\r\n")
        person.ends(0)


@pytest.mark.parametrize("key", ["q", "c", "\x03", "\x04"])
def test_the_way_out(catalogue: SchemeListener, key: str) -> None:
    with Person("get", str(catalogue.root)) as person:
        person.sees("command: ")
        person.types("\x1d")
        person.sees("q leave")
        person.types(key + "typed ahead\r")  # which is no command of the shell
        person.sees(r"\r\nConnection closed\.\r\n")
        person.ends(0)


def test_the_menu(catalogue: SchemeListener) -> None:
    with Person("get", str(catalogue.root)) as person:
        person.sees("command: ")
        for key in "bia x":
            person.types(f"\x1d{key}")
            person.sees("q leave")
        person.types("\x1d]help\r")  # ^] itself: the catalogue rings, and reads what follows
        person.sees("q leave.*\a.*help\r\n")
        person.types("\x1dq")
        person.ends(0)


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130), (signal.SIGQUIT, 131),
        (signal.SIGUSR1, 138), (signal.SIGUSR2, 140), (signal.SIGALRM, 142), (signal.SIGXCPU, 152),
    ],
    ids=lambda n: str(int(n)),
)  # fmt: skip
def test_a_signal_puts_the_terminal_back(catalogue: SchemeListener, number: int, code: int) -> None:
    with Person("get", str(catalogue.root), shell="exec 3>&1; echo pid=$$;") as person:
        person.sees("command: ")
        (child,) = children(person.child.pid)
        os.kill(child, number)
        person.ends(code)


@pytest.fixture
def locked() -> Iterator[str]:
    """A URL whose server wants a password."""

    def part(connection: Connection) -> None:
        connection.head()
        connection.send(reply(b"", "WWW-Authenticate: Basic realm=x", status="401 No"))

    with Server(part) as server:
        yield f"http://joe@{server.authority}/"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGQUIT, signal.SIGUSR1], ids=lambda n: str(int(n)))
def test_a_signal_at_a_prompt_puts_the_terminal_back(locked: str, number: int) -> None:
    with Person("get", locked) as person:
        person.sees("password of joe at 127.0.0.1: ")
        (child,) = children(person.child.pid)
        wait_until_asleep(child)  # Python hears a signal between the prompt and the read at the next key only
        os.kill(child, number)
        person.ends(128 + number)


@pytest.mark.needs("terminal")
@pytest.mark.parametrize("place", ["session", "prompt"])
def test_a_stop_from_elsewhere_puts_the_terminal_back(
    catalogue: SchemeListener, locked: str, place: str, tmp_path: Path
) -> None:
    url, sees = (str(catalogue.root), "command: ") if place == "session" else (locked, "password of joe at [^ ]*: ")
    script = tmp_path / "stop"
    # dash has no opinion of a terminal's mode: what it finds is what the command left.
    script.write_text(f"set -m\nstty -g\n{' '.join(PROGRAM)} get '{url}'\nstty -g\nfg\necho code=$?\nstty -g\n")
    child = pexpect.spawn(
        "/bin/sh",
        [str(script)],
        env={**CLEAN, "TERM": "xterm"},
        dimensions=(30, 100),
        encoding="utf-8",
        timeout=WAIT_SECONDS,
    )
    try:
        child.expect(r"([0-9a-f:]{40,})\r\n")
        before = child.match[1]
        child.expect(sees)
        (stopped,) = children(child.pid)
        os.kill(stopped, signal.SIGTSTP)
        child.expect(r"\n([0-9a-f:]{40,})\r\n")
        assert child.match[1] == before
        child.expect("anyurl get")  # `fg` says what goes on
        wait_until_hidden(child)
        child.send("bye\r")
        child.expect(r"code=\d+\r\n([0-9a-f:]+)\r\n")
        assert (child.match[1], "bye" in child.before) == (before, place == "session")  # the service echoes
    finally:
        child.close(force=True)


def wait_until_asleep(process: int) -> None:
    """The process waits in the system: it reads (proc(5))."""
    stat = Path(f"/proc/{process}/stat")
    while stat.read_text().rpartition(")")[2].split()[0] != "S":
        threading.Event().wait(0.01)


def wait_until_hidden(child: pexpect.spawn) -> None:
    """The command has taken the terminal again."""
    for _ in range(1000):
        if not termios.tcgetattr(child.child_fd)[3] & termios.ECHO:
            return
        threading.Event().wait(0.01)
    raise AssertionError("the terminal echoes what is typed")


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.needs("terminal")
@pytest.mark.needs("bash")
def test_a_stop_gives_the_terminal_to_the_shell(catalogue: SchemeListener, tmp_path: Path) -> None:
    script = tmp_path / "session"
    script.write_text(f"stty -g\n{' '.join(PROGRAM)} get {catalogue.root}\n stty -g\nfg\necho code=$?\nstty -g\n")
    child = pexpect.spawn(
        "bash", ["-m", str(script)], env={**CLEAN, "TERM": "xterm"}, dimensions=(30, 100), encoding="utf-8",
        timeout=WAIT_SECONDS,
    )  # fmt: skip
    try:
        child.expect(r"([0-9a-f:]+)\r\n")
        before = child.match[1]
        child.expect("command: ")
        child.send("\x1ds")
        child.expect(r"\n([0-9a-f:]{40,})\r\n")
        assert child.match[1] == before
        child.send("help\r")
        child.expect("find WORDS")
        child.send("bye\r")
        child.expect(r"code=0\r\n([0-9a-f:]+)\r\n")
        assert child.match[1] == before
    finally:
        child.close(force=True)


def test_without_a_terminal_it_says_what_it_is(catalogue: SchemeListener, tmp_path: Path) -> None:
    url = f"telnet://joe:sekret@127.0.0.1:{catalogue.port}/"
    for args in (["get", url], ["get", "-o", str(tmp_path / "x"), url], ["get", "-o", "-", url]):
        result = run(*args)
        assert (result.exit_code, result.stdout) == (4, "")
        assert result.stderr.splitlines()[-1] == (
            f"anyurl: telnet://joe:***@127.0.0.1:{catalogue.port}/ designates an interactive service (telnet at "
            f"127.0.0.1 port {catalogue.port}); it advises user 'joe' and a password: there is nothing to get. It "
            "is for a person at a terminal."
        )
    assert not (tmp_path / "x").exists()
    (record,) = records(run("get", "--json", url))
    assert (record["error"], record["url"]) == ("UnsupportedError", f"telnet://joe:***@127.0.0.1:{catalogue.port}/")


def test_stat_says_what_the_url_advises() -> None:
    (record,) = records(run("stat", "--json", "telnet://joe:sekret@192.0.2.1/"))
    assert (record["kind"], record["attributes"]) == (
        "service", {"protocol": "telnet", "user_advised": "joe", "password_advised": True},
    )  # fmt: skip


def test_explain_connects_to_nothing_and_shows_no_password() -> None:
    result = run("get", "--explain", "telnet://joe:sekret@192.0.2.1/")
    assert result.exit_code == 0
    assert "connect to 192.0.2.1 port 23" in result.stdout
    assert "sekret" not in result.stdout + result.stderr


def test_nobody_is_there() -> None:
    with unheard() as port, Person("get", f"telnet://127.0.0.1:{port}/") as person:
        person.sees(f"anyurl: Connecting to 127.0.0.1 port {port}: connection refused")
        person.ends(6)


def test_a_gateway_comes_first() -> None:
    result = run("get", "--explain", "--gateway", "tn3270=https://g.example/{path}", "tn3270://h/")
    assert result.stdout.splitlines()[0] == "go on at https://g.example/ (gateway)"


def test_the_menu_fits_into_a_line() -> None:
    assert len(MENU) < 80
