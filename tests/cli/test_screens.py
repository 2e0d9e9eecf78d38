"""What a person sees on a screen of 80 columns, of 60 and of 200: drawn by a terminal that nobody here wrote (pyte).

Rule: a screen is compared whole. What differs from run to run (ports, folders) is no part of those that stand here.
"""

from __future__ import annotations

import fcntl
import io
import os
import struct
import sys
import termios
import threading

import pyte
import pytest

from anyurl.cli.command_table import COMMANDS
from anyurl.cli.run import run
from anyurl.url.url import URL
from anyurl.world import World
from anyurl.world.http import HttpServer
from tests.rows import each_row

HEIGHT = 200


def screen(columns: int, *args: str, **environment: str) -> list[str]:
    """The lines that a command leaves on a terminal, without spaces at their ends."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    pieces: list[bytes] = []

    def read() -> None:
        try:
            while piece := os.read(master, 65536):
                pieces.append(piece)
        except OSError:
            pass  # Linux says so when the other end is closed

    reader = threading.Thread(target=read)
    reader.start()
    with pytest.MonkeyPatch.context() as patch, os.fdopen(slave, "wb", buffering=0) as terminal:
        for name, value in {"TERM": "xterm", "COLUMNS": str(columns), "LINES": "24", **environment}.items():
            patch.setenv(name, value)
        if "NO_COLOR" not in environment:
            patch.delenv("NO_COLOR", raising=False)
        for name in ("stdout", "stderr"):
            patch.setattr(sys, name, io.TextIOWrapper(io.BufferedWriter(terminal), "utf-8", line_buffering=True))
        run(args)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
            stream.detach().detach()  # type: ignore[attr-defined]
    reader.join()
    os.close(master)
    shown = pyte.Screen(columns, HEIGHT)
    pyte.ByteStream(shown).feed(b"".join(pieces))
    lines = [line.rstrip() for line in shown.display]
    while lines and not lines[-1]:
        lines.pop()
    return lines


LONG = "http://example.org/" + "a/" * 60 + " b"

EXPLAINED = r"""
ftp://ftp.example.org/pub/notes.txt;type=a
─┬─   ───────┬─────── ──────┬──────      ┬
 │           │              │            └ typecode
 │           │              └ path
 │           └ host
 └ scheme

current, rfc1738, rfc1738-draft07, browser: ftp://ftp.example.org/pub/notes.txt…
    host ftp.example.org, port 21, path /pub/notes.txt;type=a
"""

TWO_HOSTS = r"""
http://good.example\@evil.example/
─┬──   ──────┬────── ─────┬──────
 │           │            └ host
 │           └ userinfo
 └ scheme

current, rfc1738, rfc1738-draft07: not a URL
    http://good.example\@evil.example/
           ^^^^^^^^^^^^^^
           RFC 1738 3.3: an http URL can't have a user name or password; it is
           unclear which host is meant: "evil.example" or "good.example"
           (rfc1738, rfc1738-draft07)
                       ^
                    RFC 3986 2: a URL can't contain a backslash; it is unclear
                    which host is meant: "evil.example" or "good.example"
                    (current)

browser: http://good.example/@evil.example/
    host good.example, port 80, path /@evil.example/
    http://good.example\@evil.example/
                       ^
                    warning, URL Standard path state: a browser reads a
                    backslash as "/"

!!! the host is read differently, so that one program may check another host
    than a second one connects to: browser: 'good.example'; a program that
    checks nothing: 'evil.example'
"""

FAULT = r"""
...a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/ b
                                                                           ^
                    RFC 3986 2: a URL can't contain a space; encode it as %20
"""

FAULT_60 = r"""
...a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/ b
                                                       ^
RFC 3986 2: a URL can't contain a space; encode it as %20
"""

SENTENCE = r"""
anyurl: http://example.org/a b
                            ^
                    RFC 3986 2: a URL can't contain a space; encode it as %20
"""

SCHEMES = r"""
scheme                                          summary
data      get  -     -       stat  -    -       A small document contained in t…
dict      get  list  search  stat  -    -       The definitions of a word, word…
file      get  list  -       stat  put  append  A file or a directory of this m…
ftp       get  list  -       stat  put  append  A file or a directory of an FTP…
ftps      get  list  -       stat  put  append  A file or a directory of an FTP…
gemini    get  list  search  stat  -    -       A document of a Gemini server, …
gopher    get  list  search  stat  -    -       An item of a Gopher or Gopher+ …
gophers   get  list  search  stat  -    -       An item of a Gopher or Gopher+ …
http      get  list  -       stat  put  -       A document, or whatever a web s…
https     get  list  -       stat  put  -       A document, or whatever a web s…
mailto    get  -     -       stat  -    append  The mailbox of a person or a se…
news      get  list  search  stat  -    append  A newsgroup, several of them, o…
nntp      get  list  search  stat  -    append  A newsgroup of one server, or o…
nntps     get  list  search  stat  -    append  A newsgroup of one server, or o…
prospero  get  list  search  stat  -    -       An object that a Prospero direc…
snews     get  list  search  stat  -    append  A newsgroup, several of them, o…
telnet    get  -     -       stat  -    -       An interactive service, to be u…
wais      get  list  search  stat  -    -       A WAIS database, a search of it…
"""

REFUSED = r"""
anyurl: Refused: 127.0.0.1 is in 127.0.0.0/8, Loopback (RFC 1122 3.2.1.3): the
        policy untrusted allows public addresses only; --allow-private or
        --allow-net 127.0.0.1 would allow it.
"""


@pytest.mark.parametrize(
    ("columns", "args", "shown"),
    [
        (80, ("explain", "ftp://ftp.example.org/pub/notes.txt;type=a"), EXPLAINED),
        (80, ("explain", "http://good.example\\@evil.example/"), TWO_HOSTS),
        (80, ("parse", LONG), FAULT),
        (60, ("parse", LONG), FAULT_60),
        (80, ("get", "--exact", "http://example.org/a b"), SENTENCE),
        (80, ("schemes",), SCHEMES),
        (80, ("get", "--policy", "untrusted", "http://127.0.0.1/"), REFUSED),
    ],
)
def test_a_screen(columns: int, args: tuple[str, ...], shown: str) -> None:
    assert screen(columns, *args) == shown.strip("\n").splitlines()


@each_row("columns", [60, 80, 200])
@each_row("command", [("schemes",), ("schemes", "--all"), ("demo", "file", "http", "gopher", "wais")])
def test_a_row_of_a_table_is_one_line(columns: int, command: tuple[str, ...]) -> None:
    """The text before the demo's table is as wide as its URLs."""
    lines = screen(columns, *command)
    table = lines[len(lines) - 1 - lines[::-1].index("") + 1 :] if "" in lines else lines
    assert max(map(len, table)) <= columns
    first = [line.partition(":")[0].split()[0] for line in table[1:]]
    assert first == (["file", "http", "gopher", "wais"] if command[0] == "demo" else sorted(first))
    assert len(first) == len(set(first))


def test_a_narrow_terminal_breaks_between_words() -> None:
    wide, narrow = screen(200, "schemes")[1:], screen(40, "schemes")
    assert " ".join(narrow).split() == " ".join(wide).split()
    assert max(map(len, narrow)) <= 40
    with World(["wais"]) as world:
        told = screen(40, "search", str(world.roots["wais"]), "zork")
    assert told[0] == 'Nothing was found for "zork" in'


def test_what_failed_stands_below_the_table_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HttpServer, "urls", property(lambda self: {"http": URL(f"{self.root}nothing")}))
    lines = screen(200, "demo", "http")
    assert lines[-1].startswith("anyurl: http: failed: ")
    assert "404" in lines[-1]


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_without_colours_the_same_is_said(environment: dict[str, str]) -> None:
    assert screen(80, "schemes", **environment) == SCHEMES.strip("\n").splitlines()


def test_the_help_has_a_whole_sentence_for_each_command() -> None:
    lines = screen(80, "--help")
    first = lines.index("Commands:") + 1
    commands = lines[first : lines.index("", first)]
    assert [line.split()[0] for line in commands] == list(COMMANDS)
    assert [line for line in commands if not line.endswith(".") or line.endswith("...")] == []


def test_a_listing_ends_with_the_count_and_has_no_empty_columns() -> None:
    with World(["gopher"]) as world:
        root = world.roots["gopher"]
        heading, *lines = screen(80, "ls", str(root))
    assert heading == "#  kind      name"
    assert lines[0] == "             This is a small world."
    assert f"             {root}77/search%09%09+" in lines
    assert lines[-1] == "6 entries"


def test_a_name_that_ends_with_a_slash_tells_its_url_as_well() -> None:
    with World(["http"]) as world:
        lines = screen(80, "ls", str(world.roots["http"]))
    assert lines == [
        "#  kind     name", "1           index.html", "2           motd.txt", "3  listing  pub/", "3 entries",
    ]  # fmt: skip


HITS_60 = """
score  kind       size  name
 1000  document  243 B  A resource locator says where
                        something is and how to get it.
1 entry, 243 B
"""


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_a_hit_has_room_for_its_headline_and_its_url_is_whole(columns: int) -> None:
    """A URL is there to be copied: only the terminal breaks it."""
    with World(["wais"]) as world:
        database = world.roots["wais"]
        lines = screen(columns, "search", str(database), "locator")
    joined = "".join(lines)
    assert f"{database}/TEXT/243/1=127.0.0.1%3A{database.port};2=world;" in joined
    assert joined.index("7=%00;") > 0
    if columns == 60:
        shown = HITS_60.strip("\n").splitlines()
        assert lines[:3] == shown[:3]
        assert lines[-1] == shown[-1]
    if columns == 200:
        assert lines[1].endswith("A resource locator says where something is and how to get it.")
        assert lines[0].split() == ["score", "lines", "kind", "size", "modified", "(UTC)", "name"]


@pytest.mark.parametrize(
    ("columns", "headings"),
    [(45, "#  kind         size  name"), (60, "#  kind         size  modified (UTC)    name"),
     (200, "#  kind         size  modified (UTC)    name")],
)  # fmt: skip
def test_a_listing_does_without_its_times_on_a_narrow_terminal(columns: int, headings: str) -> None:
    with World(["prospero"]) as world:
        lines = screen(columns, "ls", f"{world.roots['prospero']}/pub")
    assert lines[0] == headings
    assert [line.split()[-1] for line in lines[1:-1]] == ["notes.txt", "picture.png", "names/"]


def test_a_long_value_is_broken_between_words() -> None:
    with World(["gopher"]) as world:
        lines = screen(80, "stat", f"{world.roots['gopher']}00/motd.txt")
    place = next(at for at, line in enumerate(lines) if line.startswith("  admin"))
    assert lines[place].endswith("Mod-Date=Tue Dec 20 00:00:00 1994")
    assert lines[place + 1] == " " * 12 + "<19941220000000>"
