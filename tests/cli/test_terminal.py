"""What a person sees: on a pseudo-terminal, where no octet of a server's, a file's or a URL's may be obeyed."""

from __future__ import annotations

import fcntl
import io
import os
import re
import struct
import sys
import termios
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pexpect
import pytest

from anyurl.cli.run import run as run_command
from anyurl.client.sizes import human_size
from anyurl.world import World, tree
from anyurl.world.ftp import FtpServer
from tests.cli.conftest import Says
from tests.cli.runner import CLEAN, PROGRAM, run
from tests.rows import each_row
from tests.servers import WAIT_SECONDS, Connection, Server

STYLE = re.compile(rb"^\x1b\[3[15]m|\x1b\[[01]m", re.MULTILINE)
"""What our own lines and tables write: the colour of a whole line, and bold on and off."""

EVIL = "\x1b[31mred\x1b]52;c;YQ==\x07 \x9b1m \u202egpj.exe"
SHOWN = "\\x1b[31mred\\x1b]52;c;YQ==\\x07 \\x9b1m \\u202egpj.exe"


class Screen:
    """What a command wrote to a terminal 200 columns wide, and how it ended."""

    def __init__(self, *args: str, env: dict[str, str] | None = None) -> None:
        master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        pieces: list[bytes] = []
        reader = threading.Thread(target=self._read, args=(master, pieces))
        reader.start()
        with pytest.MonkeyPatch.context() as patch, os.fdopen(slave, "wb", buffering=0) as screen:
            for name, value in {"TERM": "xterm", "COLUMNS": "200", **(env or {})}.items():
                patch.setenv(name, value)
            if "NO_COLOR" not in (env or {}):
                patch.delenv("NO_COLOR", raising=False)
            for name in ("stdout", "stderr"):
                patch.setattr(sys, name, io.TextIOWrapper(io.BufferedWriter(screen), "utf-8", line_buffering=True))
            code = run_command(args)
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
                stream.detach().detach()  # type: ignore[attr-defined]
        reader.join()
        os.close(master)
        self.code = code
        self.raw = b"".join(pieces)
        self.text = STYLE.sub(b"", self.raw).decode().replace("\r\n", "\n")

    @staticmethod
    def _read(master: int, pieces: list[bytes]) -> None:
        try:
            while data := os.read(master, 65536):
                pieces.append(data)
        except OSError:  # EIO: nobody has the other end any more
            pass

    @property
    def is_harmless(self) -> bool:
        """FAULTS D7, D8: beside line ends and tabs no control, no DEL, no C1, and nothing that turns a line round."""
        return all(char.isprintable() or char in "\n\t" for char in self.text)


def test_a_text_is_shown(says: Says) -> None:
    screen = Screen("get", says("Grüße\r\n\tça\u00a0va\r\n".encode(), "Content-Type: text/plain; charset=utf-8"))
    assert (screen.code, screen.text) == (0, "Grüße\n\tça\u00a0va\n")


def test_a_text_without_a_line_end_gets_one(says: Says) -> None:
    assert Screen("get", says(b"no end", "Content-Type: text/plain")).text == "no end\n"
    assert Screen("get", says(b"", "Content-Type: text/plain")).text == ""


@pytest.mark.promise("terminals")
def test_controls_in_a_text_are_escaped(says: Says) -> None:
    body = f"a{EVIL}\nb\rc\x00\x7f\u2028\n".encode() + b"\xff\n"
    screen = Screen("get", says(body, "Content-Type: text/plain; charset=utf-8"))
    assert screen.text == f"a{SHOWN}\nb\\x0dc\\x00\\x7f\\u2028\n\u00ff\n"
    assert screen.is_harmless


@pytest.mark.parametrize(
    ("charset", "body", "shown"),
    [
        ("iso-8859-1", b"Gr\xfc\xdfe\x9b31m\n", "Grüße\\x9b31m\n"),
        ("utf-16", "Grüße\x1b\n".encode("utf-16"), "Grüße\\x1b\n"),
        ("utf-7", b"+ABs-[31m\n", "+ABs-[31m\n"),  # an ESC in disguise, for those who still read UTF-7
        ("zlib", b"plain\n", "plain\n"),  # Python knows a codec of that name, and it is none for texts
        ("nonsense", b"plain\n", "plain\n"),
    ],
)
def test_charsets_are_decoded_before_they_are_escaped(says: Says, charset: str, body: bytes, shown: str) -> None:
    screen = Screen("get", says(body, f"Content-Type: text/plain; charset={charset}"))
    assert (screen.code, screen.text) == (0, shown)


def test_octets_are_nothing_for_a_terminal(world: World) -> None:
    screen = Screen("get", f"{world.roots['http']}pub/picture.png")
    assert screen.code == 2
    assert screen.text.startswith(
        "anyurl: The content (image/png, 15,679 octets) can't be shown on a terminal; save it with -o FILE"
    )
    assert screen.is_harmless


def test_octets_without_a_type_are_looked_at(says: Says) -> None:
    assert Screen("get", says(b"plain text\n")).text == "plain text\n"
    assert Screen("get", says(bytes(range(32)) * 4)).code == 2


def test_octets_are_written_when_they_are_asked_for(says: Says) -> None:
    assert b"\x1b[31m" in Screen("get", "-o", "-", says(b"\x1b[31m", "Content-Type: text/plain")).raw


@pytest.mark.promise("terminals")
def test_headers_of_a_server_are_escaped(says: Says) -> None:
    url = says(b"", "Content-Type: text/\x1b[31mred", 'ETag: "\x1b]0;x\x07"', "Server: \x9b31m", "X-Y: \x1b[2J")
    for args in (["stat", url], ["get", url], ["stat", "--json", url]):
        screen = Screen(*args)
        assert screen.is_harmless, args
        assert b"\x1b" not in STYLE.sub(b"", screen.raw)


@pytest.fixture(scope="module")
def evil_ftp() -> Iterator[FtpServer]:
    pytest.importorskip("pyftpdlib", reason="the world's FTP server needs pyftpdlib")
    server = FtpServer()
    folder = server.folder / "evil"
    folder.mkdir()
    for name in (EVIL, "[bold]markup", "new\nline", "plain"):
        (folder / name).write_bytes(b"x")
    yield server
    server.close()


@pytest.mark.promise("terminals")
def test_names_in_a_listing_are_escaped(evil_ftp: FtpServer) -> None:
    for url in (f"{evil_ftp.root}evil/", f"file://{evil_ftp.folder}/evil/"):
        screen = Screen("ls", url)
        assert screen.code == 0, screen.text
        assert screen.is_harmless, url
        lines = screen.text.splitlines()
        assert lines[0].split() == ["#", "kind", "size", "modified", "(UTC)", "name"]
        assert any(line.endswith("  [bold]markup") for line in lines)
        assert any(line.endswith("  plain") for line in lines)
    assert any(line.endswith(f"  {SHOWN}") for line in lines)


def test_a_table_shows_the_urls_that_names_do_not_tell() -> None:
    with World(["gopher", "ftp"]) as world:
        menu, folder = world.roots["gopher"], f"{world.roots['ftp']}pub/names"
        lines = [line.strip() for line in Screen("ls", str(menu)).text.splitlines()]
        (form,) = [place for place, line in enumerate(lines) if line.endswith("form      Sign the guest book")]
        assert lines[form + 1] == f"{menu}00/guest-book%09%09?"
        assert "https://www.rfc-editor.org/rfc/rfc1738" in lines
        assert "://" not in Screen("ls", folder).text


def test_what_describes_a_group_is_no_name_of_a_folder() -> None:
    with World(["news"]) as world:
        lines = [line.strip() for line in Screen("ls", str(world.roots["news"])).text.splitlines()]
    assert f"{world.roots['news']}world.notes" in lines
    assert any(line.endswith("  Notes about locators") for line in lines)


def test_a_narrow_terminal_gets_no_columns_of_letters() -> None:
    shown = Screen("schemes", env={"COLUMNS": "40"}).text
    assert "\nmailto\n  get  -  -  stat  -  append  RFC 6068\n  The mailbox of a person" in shown


def test_an_attribute_of_several_lines_is_shown_as_such() -> None:
    with World(["gopher"]) as world:
        shown = Screen("stat", f"{world.roots['gopher']}00/motd.txt").text
    assert shown.endswith("\n  abstract  This is motd.txt.\n            It is the same on every machine.\n")


def test_a_listing_got_on_a_terminal_is_the_table_of_ls(world: World) -> None:
    url = f"{world.roots['ftp']}pub/"
    assert Screen("get", url).text == Screen("ls", url).text
    assert re.search(
        rf"document +{human_size(len(tree.picture()))}  1994-12-20 00:00  picture\.png\n", Screen("ls", url).text
    )
    assert re.search(r"listing +(?:[\d.]+ k?B)? +[-\d]+ [:\d]+  names/\n", Screen("ls", url).text)


@pytest.mark.promise("terminals")
@each_row(
    "args",
    [
        ["get", f"http://h/{EVIL}"],
        ["get", f"{EVIL}://h/"],
        [f"{EVIL}"],
        ["get", "--policy", EVIL, "http://h/"],
        ["get", f"--{EVIL}", "http://h/"],
        ["parse", f"http://h/{EVIL}", "http://h/%1B%5B31m?%9B#%E2%80%AE"],
        ["get", "ftp://h/%1B%5B31m%0A"],
        ["get", "--explain", "ftp://192.0.2.7/%1B%5B31m"],
        ["get", "file:///no/%1B%5B31m%E2%80%AE"],
        ["put", "ftp://h/x", EVIL],
        ["get", "-o", f"/no/{EVIL}/x", "file:///etc/hostname"],
        ["stat", "--json", "file:///no/%1B%5B31m%E2%80%AE"],
    ],
    ids=lambda args: " ".join(args).encode("ascii", "backslashreplace").decode().replace("\x1b", "ESC"),
)
def test_urls_names_and_options_are_escaped(args: list[str]) -> None:
    screen = Screen(*args)
    assert screen.code not in (0, 70) or args[1] == "--explain"
    assert screen.is_harmless
    assert "Traceback" not in screen.text


@pytest.mark.parametrize(
    ("args", "place"),
    [(["parse", "http://h/a b"], b"          ^"), (["get", "--exact", "http://h/a b"], b"                  ^"),
     (["fix", "http://a b/"], b"                ^")],
)  # fmt: skip
def test_the_carets_of_a_fault_are_red(args: list[str], place: bytes) -> None:
    assert b"\r\n\x1b[31m" + place + b" RFC 3986 2: a URL can't contain a space" in Screen(*args).raw
    for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert b"\x1b" not in Screen(*args, env=environment).raw


def test_a_dumb_terminal_gets_no_escape_sequence_at_all(world: World) -> None:
    screen = Screen("ls", f"{world.roots['ftp']}pub/", env={"TERM": "dumb"})
    assert b"\x1b" not in screen.raw


@pytest.mark.needs("terminal")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")  # forkpty, while the world's threads run
def test_a_password_is_asked_for_and_not_shown(world: World, tmp_path: Path) -> None:
    url = str(world.roots["ftp"]).replace("ftp://", f"ftp://{tree.USER}@")
    env: Any = {**CLEAN, "TERM": "xterm", "HOME": str(tmp_path)}
    child = pexpect.spawn(
        PROGRAM[0], [*PROGRAM[1:], "get", f"{url}motd.txt"], env=env, timeout=WAIT_SECONDS, encoding="utf-8"
    )
    child.expect_exact(f" of {tree.USER} at 127.0.0.1: ")
    child.sendline(tree.PASSWORD)
    shown = child.read().replace("\r\n", "\n")
    child.close()
    assert (child.exitstatus, shown.lstrip("\n")) == (0, tree.MOTD)


def test_the_end_of_an_upload_is_told_to_a_person(world: World) -> None:
    screen = Screen("put", f"{world.roots['http']}from-a-terminal", os.devnull)
    assert screen.code == 0
    assert screen.text.startswith(f"0 octets sent to {world.roots['http']}from-a-terminal")  # and what it took, if long


def test_nothing_found_is_said_to_a_person_and_to_nobody_else(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("nothing here\n")
    (tmp_path / "empty").mkdir()
    folder, text = f"file://{tmp_path}/empty/", str(tmp_path / "text")
    with World(["news"]) as world:
        group = f"{world.roots['news']}world.notes"
        rows = [
            (["ls", folder], f"Nothing is listed at {folder}.\n"),
            (["get", folder], f"Nothing is listed at {folder}.\n"),
            (["find", text], "No URL was found.\n"),
            (["find", "--scheme", "http", "--scheme", "ftp", text], "No http or ftp URL was found.\n"),
            (["search", group, "no", "such"], f'Nothing was found for "no such" in {group}.\n'),
        ]
        for args, said in rows:
            shown = Screen(*args)
            assert (shown.code, shown.text) == (0, said)
            assert said not in Screen(*args, "--json").text
            in_a_pipe = run(*args)
            assert (in_a_pipe.exit_code, in_a_pipe.stdout, in_a_pipe.stderr) == (0, "", "")


# --- texts of their time ---------------------------------------------------------------------------------------------


@pytest.mark.needs("terminal")
@pytest.mark.parametrize(
    ("octets", "options", "shown"),
    [
        (b"caf\xe9\r\n.\r\n", [], "café"),
        (b"\xc9\xcd\xbb\r\n.\r\n", ["--charset", "cp437"], "╔═╗"),
        (b"\xc4\xe3\xba\xc3\r\n.\r\n", ["--charset", "gbk"], "你好"),
    ],
)
@pytest.mark.parametrize("verb", ["get", "ls"])
def test_a_text_of_another_charset_is_read_at_a_terminal(
    octets: bytes, options: list[str], shown: str, verb: str
) -> None:
    line = octets.partition(b"\r\n")[0]

    def part(connection: Connection) -> None:
        asked = connection.line()
        connection.send(octets if asked == b"text" else b"0" + line + b"\ttext\th\t70\r\n.\r\n")

    with Server(part) as server:
        url = f"gopher://{server.authority}/" + ("0text" if verb == "get" else "1")
        words = [*PROGRAM[1:], verb, "--allow-private", *options, url]
        child = pexpect.spawn(PROGRAM[0], words, env=CLEAN, timeout=WAIT_SECONDS, encoding="utf-8")
        child.expect(pexpect.EOF)
        child.close()
    assert (child.exitstatus, shown in child.before) == (0, True), child.before


def test_a_charset_that_is_unknown_is_named() -> None:
    done = run("get", "--charset", "nope", "gopher://h.example/0x")
    assert (done.exit_code, "'nope' is not a known charset; utf-8, latin-1, cp437" in done.stderr) == (2, True)
