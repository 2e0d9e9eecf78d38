"""What curl, wget, lftp and aria2 do with the servers that `anyurl` was found wanting at: the rows of a table.

Rule: a row is a server's part, the commands that are run against it one after the other, and the document that is
right. `play` says in one word what became of it, for anyurl and for each of the others, by the octets that are there.
"""

from __future__ import annotations

import gzip
import os
import re
import shlex
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.schemes.ftp.small_server import ftp_part
from tests.servers import WAIT_SECONDS, Connection, Part, Server, reply

CLIENTS = ("anyurl", "curl", "wget", "lftp", "aria2c")
VERSIONS = {"curl": "7.88.1", "wget": "1.21.3", "lftp": "4.9.2", "aria2c": "1.36.0"}
"""Those of Debian 12, whose outcomes the table tells."""

WORDS = {
    "whole": "the document, exit 0",
    "kept": "an error; what was there and right is there still",
    "refused": "an error, and nothing under the name",
    "lost": "an error, and what was right is gone",
    "wrong": "exit 0, and another document",
}

DOCUMENT = bytes(range(256)) * 400
HALF = 50_000
ETAG = 'ETag: "1"'
DATED = "Last-Modified: Thu, 01 Dec 1994 00:00:00 GMT"
BINARY = "Content-Type: application/octet-stream"
PACKED = gzip.compress(DOCUMENT, mtime=0)
PORTAL = b"<title>Log in</title>\n"

_LFTP = "set net:max-retries 1; set net:timeout 5; set cmd:fail-exit yes; set net:reconnect-interval-base 1; "
_ARIA = "aria2c -q --no-conf --max-tries={} -s1 -x1 --allow-overwrite=true --auto-file-renaming=false --timeout=5 "

TASKS: dict[str, dict[str, str]] = {
    "get": {
        "anyurl": "anyurl get -o x {url}", "curl": "curl -sSfL -o x {url}", "wget": "wget -q -t1 -O x {url}",
        "lftp": f"lftp -c '{_LFTP}get {{url}} -o x'", "aria2c": _ARIA.format(1) + "-o x {url}",
    },
    "by proxy": {
        "anyurl": "anyurl get --proxy env -o x {url}", "curl": "curl -sSfL -o x {url}",
        "wget": "wget -q -t1 -O x {url}", "lftp": f"lftp -c '{_LFTP}get {{url}} -o x'",
        "aria2c": _ARIA.format(1) + "-o x {url}",
    },
    "log in": {
        "anyurl": "anyurl get -o x {login}", "curl": "curl -sSfLn --anyauth -o x {login}",
        "wget": "wget -q -t1 -O x {url}",  # lftp tries a login that is refused for minutes
        "aria2c": _ARIA.format(1) + "--http-auth-challenge=true --netrc-path=.home/.netrc -o x {url}",
    },
    "checksum": {
        "anyurl": "anyurl get --checksum sha256:" + "0" * 64 + " -o x {url}",
        "aria2c": _ARIA.format(1) + "--checksum=sha-256=" + "0" * 64 + " -o x {url}",
    },
    "name": {
        "anyurl": "anyurl get -O -J {url}", "curl": "curl -sSfLOJ {url}",
        "wget": "wget -q -t1 --content-disposition {url}", "aria2c": _ARIA.format(1) + "{url}",
    },
    "both": {
        "anyurl": "anyurl get --output-dir . {url}a/x {url}b/x", "curl": "curl -sSfLOO {url}a/x {url}b/x",
        "wget": "wget -q -t1 {url}a/x {url}b/x",
        "lftp": f"lftp -c '{_LFTP}mget {{url}}a/x {{url}}b/x'",
        "aria2c": "aria2c -q --no-conf --max-tries=1 -j1 -Z {url}a/x {url}b/x",
    },
    "continue": {
        "anyurl": "anyurl get --continue -o x {url}", "curl": "curl -sSfL -C - -o x {url}",
        "wget": "wget -q -t1 -c -O x {url}", "lftp": f"lftp -c '{_LFTP}get -c {{url}} -o x'",
        "aria2c": _ARIA.format(1) + "-c -o x {url}",
    },
    "retry": {
        "anyurl": "anyurl get --retry 5 -o x {url}", "curl": "curl -sSfL --retry 5 -o x {url}",
        "wget": "wget -q -t5 -O x {url}", "lftp": "lftp -c 'set net:reconnect-interval-base 1; get {url} -o x'",
        "aria2c": _ARIA.format(5) + "-o x {url}",
    },
    "post": {
        "anyurl": "anyurl get -d a=b -o x {url}", "curl": "curl -sSfL -d a=b -o x {url}",
        "wget": "wget -q -t1 --post-data a=b -O x {url}",
    },
    "mirror": {
        "anyurl": "anyurl mirror {url} x", "wget": "wget -q -t1 -m -nH -P x {url}",
        "lftp": f"lftp -c '{_LFTP}mirror {{url}} x'",
    },
}  # fmt: skip
"""How each client is asked for the same."""


class Row(NamedTuple):
    """A server, and what is right.

    Attributes:
        name: The finding, and what the server does.
        task: A row of `TASKS`.
        part: Makes the server's part anew.
        outcomes: A word for each client, in the order of `CLIENTS`; ``-`` where it has no such command.
        runs: How often the same command is run.
        wanted: What is right: a document, or content by name.
        url: Behind the server's address.
        more: Files of the home, by name; `{port}` is the server's.
        scheme: Of the URL.
        environment: More of it.
    """

    name: str
    task: str
    part: Callable[[], Part]
    outcomes: str
    runs: int = 1
    wanted: bytes | Mapping[str, bytes] = DOCUMENT
    url: str = "x"
    more: Mapping[str, str] = {}
    scheme: str = "http"
    environment: Mapping[str, str] = {}


Answer = Callable[[str, int], bytes | None]


def web(answer: Answer) -> Callable[[], Part]:
    """A web server: `answer` gets the head of each request and its number; None hangs up."""

    def make() -> Part:
        count = 0

        def part(connection: Connection) -> None:
            nonlocal count
            while head := connection.head().decode("latin-1"):
                count += 1
                if length := re.search(r"(?i)content-length: *(\d+)", head):
                    connection.take(int(length[1]))
                octets = answer(head, count)
                if octets is None:
                    return
                connection.send(octets)
                if b"Connection: close" in octets:
                    return connection.hang_up()

        return part

    return make


def start_of(head: str) -> int | None:
    """Where the wanted range begins."""
    found = re.search(r"(?i)\r\nrange: *bytes=(\d+)-", head)
    return int(found[1]) if found else None


def ranged(head: str, *, fields: Sequence[str] = (ETAG, DATED, BINARY)) -> bytes:
    """What a good server answers."""
    start = start_of(head)
    if start is None:
        return reply(DOCUMENT, *fields, "Accept-Ranges: bytes")
    if start >= len(DOCUMENT):
        return reply(b"", f"Content-Range: bytes */{len(DOCUMENT)}", status="416 Range Not Satisfiable")
    last = len(DOCUMENT) - 1
    return reply(
        DOCUMENT[start:], *fields, f"Content-Range: bytes {start}-{last}/{len(DOCUMENT)}", status="206 Partial Content"
    )


def broken(*fields: str) -> bytes:
    """The document, half of it."""
    return reply(DOCUMENT, *(fields or (ETAG, DATED, BINARY)), "Accept-Ranges: bytes", "Connection: close")[
        : HALF - len(DOCUMENT)
    ]


def resumed(answer: Callable[[str, int], bytes]) -> Callable[[], Part]:
    """The first answer breaks off, the second is the odd one, and then the server is good."""
    return web(lambda head, count: broken() if count == 1 else answer(head, count) if count == 2 else ranged(head))


def odd_range(form: str, status: str = "206 Partial Content", back: int | None = 0) -> Callable[[], Part]:
    """Parts with this Content-Range, always; they begin `back` before what is asked for, or at the beginning (None)."""

    def answer(head: str, count: int) -> bytes:
        if count == 1:
            return broken()
        start = start_of(head)
        if start is None:
            return reply(DOCUMENT, ETAG, DATED, BINARY)
        start = 0 if back is None else start - back
        told = form.format(start=start, last=len(DOCUMENT) - 1, size=len(DOCUMENT))
        return reply(DOCUMENT[start:], ETAG, DATED, BINARY, *([told] if told else []), status=status)

    return web(answer)


def redirected(times: int, through: str = "") -> Callable[[], Part]:
    """A redirect to the same URL, so often, by way of another one."""

    def answer(_head: str, count: int) -> bytes:
        if count <= times:
            return reply(b"", f"Location: /{through if through and count % 2 else 'x'}", status="302 Found")
        return reply(DOCUMENT, BINARY)

    return web(answer)


def challenged(field: str, scheme: str = "Basic", status: str = "401 Unauthorized") -> Callable[[], Part]:
    """What wants a login, and takes any of the scheme."""

    def answer(head: str, _count: int) -> bytes:
        if re.search(rf"(?i)\r\nauthorization: *{scheme}", head):
            return reply(DOCUMENT, BINARY)
        return reply(b"", f"WWW-Authenticate: {field}", status=status)

    return web(answer)


def logged_in(name: str, word: str) -> Callable[[], Part]:
    """What wants this login."""
    import base64

    login = base64.b64encode(f"{name}:{word}".encode()).decode()

    def answer(head: str, _count: int) -> bytes:
        if f"Basic {login}" in head:
            return reply(DOCUMENT, BINARY)
        return reply(b"", 'WWW-Authenticate: Basic realm="r"', status="401 Unauthorized")

    return web(answer)


def thirds() -> Callable[[], Part]:
    """Every answer breaks off after 40,000 octets."""

    def answer(head: str, _count: int) -> bytes:
        whole = ranged(head).replace(b"\r\n", b"\r\nConnection: close\r\n", 1)
        head_octets, mark, body = whole.partition(b"\r\n\r\n")
        return head_octets + mark + body[:40_000]

    return web(answer)


LOGIN = "machine 127.0.0.1 login joe password one\n"


def listing(*lines: str) -> bytes:
    return "".join(f"{line}\r\n" for line in lines).encode()


FILES = {name: name.encode() for name in ("a.txt", "b.txt", "c.txt", "d.txt")}


def ftp(
    replies: Mapping[str, bytes | None] | None = None,
    data: Mapping[str, bytes] | None = None,
    *,
    passive: tuple[str, ...] = ("EPSV", "PASV"),
    files: Mapping[str, bytes] | None = None,
    names: bool = True,
) -> Callable[[], Part]:
    """An FTP server that has one document, or some files in its only folder, and says what the table says."""
    known: dict[str, bytes | None] = {"PWD": b'257 "/"\r\n', "SYST": b"215 UNIX Type: L8\r\n", "PASS": b"230 in\r\n"}
    content = {"RETR": DOCUMENT} if files is None else {f"RETR {name}": octets for name, octets in files.items()}
    content |= {} if files is None else {f"RETR /{name}": octets for name, octets in files.items()}
    content |= {"NLST": listing(*files)} if files is not None and names else {}
    if files is not None:
        known |= {f"CWD {way}{name}": b"550 no folder\r\n" for name in files for way in ("", "/")}
    return lambda: ftp_part(known | dict(replies or {}), content | dict(data or {}), passive=passive)


GERMAN = listing(*(
    f"-rw-r--r-- 1 f f 5 {month} 05 2001 {name}"
    for name, month in zip(FILES, ("Jan", "Mär", "Mai", "Okt"), strict=True)
))  # fmt: skip


def sized(*sizes: str) -> Callable[[], Part]:
    lines = listing(*(f"-rw-r--r-- 1 f f {size} Jan 05 2001 {name}" for name, size in zip(FILES, sizes, strict=True)))
    return ftp(data={"LIST": lines}, files=FILES)


FEAT = b"211-Features:\r\n MLST type*;size*;modify*;\r\n SIZE\r\n211 End\r\n"
FACTS = listing(*(
    f"modify=20010105000000;size=5;type=file;UNIX.group=513;UNIX.groupname=domain users; {name}" for name in FILES
))  # fmt: skip
LIST = listing(*(f"-rw-r--r-- 1 f f 5 Jan 05 2001 {name}" for name in FILES))

ROWS = (
    Row("a resume is answered by 200, and the tail behind a Content-Range", "continue",
        odd_range("Content-Range: bytes {start}-{last}/{size}", "200 OK"), "whole whole whole whole whole", 2),
    Row("a resume is answered by 200, and the tail alone", "continue", odd_range("", "200 OK"),
        "kept kept wrong whole kept", 2),
    Row("a captive portal answers the resume, then the server is back", "continue",
        resumed(lambda _head, _count: reply(PORTAL, "Content-Type: text/html")), "whole whole whole whole whole", 3),
    Row("`Content-Range: bytes=...`", "continue", odd_range("Content-Range: bytes={start}-{last}/{size}"),
        "whole whole kept whole whole", 2),
    Row("`Content-Range: bytes: ...`", "continue", odd_range("Content-Range: bytes: {start}-{last}/{size}"),
        "whole whole whole whole whole", 2),
    Row("`Content-Range` without a unit", "continue", odd_range("Content-Range: {start}-{last}/{size}"),
        "whole whole whole whole whole", 2),
    Row("`Content-Range` whose last octet is the size", "continue",
        odd_range("Content-Range: bytes {start}-{size}/{size}"), "whole whole kept whole kept", 2),
    Row("the whole as 206 from 0", "continue",
        odd_range("Content-Range: bytes {start}-{last}/{size}", back=None), "whole kept kept whole kept", 2),
    Row("a part that begins earlier", "continue",
        odd_range("Content-Range: bytes {start}-{last}/{size}", back=848), "whole kept kept whole kept", 2),
    Row("206 without Content-Range", "continue", odd_range(""), "whole kept kept whole kept", 2),
    Row("a resume is answered by the whole, without entity tag and date", "continue",
        web(lambda head, count: broken() if count == 1 else reply(DOCUMENT, BINARY)), "whole kept whole whole kept", 2),
    Row("403 to ranges, always", "continue",
        web(lambda head, count: broken() if count == 1 else reply(b"", status="403 Forbidden")
            if start_of(head) is not None else ranged(head)), "whole kept kept kept kept", 2),
    Row("501 to ranges, always", "continue",
        web(lambda head, count: broken() if count == 1 else reply(b"", status="501 Not Implemented")
            if start_of(head) is not None else ranged(head)), "whole kept kept kept kept", 2),
    Row("the same command after success", "continue", web(lambda head, _count: ranged(head)),
        "whole kept whole whole whole", 2),
    Row("the whole as 206, unasked", "get",
        web(lambda _head, _count: reply(DOCUMENT, BINARY, f"Content-Range: bytes 0-102399/{len(DOCUMENT)}",
                                        status="206 Partial Content")), "whole whole whole whole whole"),
    *(Row(f"`Content-Encoding: {name}`", "get",
          web(lambda _head, _count, name=name: reply(DOCUMENT, BINARY, f"Content-Encoding: {name}")),
          "whole whole whole whole whole")
      for name in ("utf-8", "none", "aws-chunked", "zip", "binary")),
    Row("each answer breaks off after 40,000 octets", "retry", thirds(), "whole kept whole kept whole"),
    Row("a redirect to itself, once", "get", redirected(1), "whole whole whole whole whole"),
    Row("a redirect to another and back", "get", redirected(2, "y"), "whole whole whole whole whole"),
    Row("a redirect to itself for ever", "get", redirected(10**6), "refused refused refused refused refused"),
    *(Row(f"a POST is answered by {status} to the same URL", "post",
          web(lambda head, _count, status=status: reply(b"", "Location: /x", status=status) if head[:4] == "POST"
              else reply(DOCUMENT, BINARY)), "whole whole whole - -")
      for status in ("301 Moved Permanently", "302 Found", "303 See Other")),
    Row("a .netrc with `method interactive`", "log in", logged_in("joe", "one"), "whole whole whole - whole",
        more={".netrc": "machine other.example login x password y method interactive\n" + LOGIN}),
    Row("a .netrc with a Latin-1 octet and a macro at its end", "log in", logged_in("joe", "one"),
        "whole whole whole - whole",
        more={".netrc": "machine o.example login j\xe9 password y\n" + LOGIN + "macdef init\ncd pub"}),
    Row("a .netrc with two accounts, the first is asked for", "log in", logged_in("joe", "one"),
        "whole whole whole - whole",
        more={".netrc": LOGIN + "machine 127.0.0.1 login ann password two\n"}),
    Row("NO_PROXY has entries that are no hosts, and the proxy is dead", "by proxy",
        web(lambda head, _count: ranged(head)), "whole whole whole whole whole",
        environment={"NO_PROXY": "127.0.0.1,192.168.*,<local>", "no_proxy": "127.0.0.1,192.168.*,<local>",
                     "http_proxy": "http://127.0.0.1:9"}),
    *(Row(f"`{field}`", "log in", challenged(field), "whole whole whole - whole", more={".netrc": LOGIN})
      for field in ("Basic realm='Sandstorm API'", "Basic realm=my realm", "Basic realm=r:8080", "Basic realm=/x",
                    'Basic realm="r', "Basic realm=r;charset=utf-8")),
    *(Row(f"`{field}`", "log in", challenged(field, "Digest"), "whole whole whole - refused", more={".netrc": LOGIN})
      for field in ('Digest realm="r", nonce=abc==', 'Digest realm="r", nonce="n", domain=/',
                    'Digest realm="r", nonce="n", qop=""', 'Digest realm="r", nonce="n", realm="r"')),
    Row('`Digest realm="r" nonce="n"`', "log in", challenged('Digest realm="r" nonce="n"', "Digest"),
        "whole whole refused - refused",
        more={".netrc": LOGIN}),
    Row("twelve interim replies", "get",
        web(lambda head, _count: b"HTTP/1.1 102 Processing\r\n\r\n" * 12 + ranged(head)),
        "whole whole whole whole whole"),
    Row("an archive, packed by gzip, at a URL without a suffix", "get",
        web(lambda _head, _count: reply(PACKED, "Content-Type: application/gzip", "Content-Encoding: gzip")),
        "whole whole whole whole whole",
        wanted=PACKED),
    Row("a name in Content-Disposition", "name",
        web(lambda _head, _count: reply(DOCUMENT, 'Content-Disposition: attachment; filename="d.tar.gz"')),
        "whole whole whole - whole",
        wanted={"d.tar.gz": DOCUMENT}),
    Row("a name in Content-Disposition that leads out of the folder", "name",
        web(lambda _head, _count: reply(DOCUMENT, 'Content-Disposition: attachment; filename="../../d.bin"')),
        "whole whole whole - wrong",
        wanted={"d.bin": DOCUMENT}),
    Row("two URLs of equal names", "both",
        web(lambda head, _count: reply(b"one" if " /a/" in head else b"two", BINARY)), "whole wrong whole kept whole",
        wanted={"x": b"one", "x.1": b"two"}, url=""),
    Row("another checksum than wanted", "checksum", web(lambda head, _count: ranged(head)), "refused - - - kept"),
    Row("a wrong Repr-Digest of the server", "get",
        web(lambda _head, _count: reply(DOCUMENT, BINARY, f"Repr-Digest: sha-256=:{'A' * 43}=:")),
        "refused whole whole whole whole"),
    Row("the port of EPSV is dead", "get", ftp(passive=("PASV",)), "whole whole whole whole whole", scheme="ftp"),
    *(Row(f"EPSV is answered by {code}", "get", ftp({"EPSV": f"{code} ok\r\n".encode()}),
        "whole whole whole whole whole", scheme="ftp")
      for code in (200, 202)),
    Row("a 213 to SIZE of several lines", "get",
        ftp({"SIZE": b"213-size\r\n213 %d\r\n" % len(DOCUMENT)}), "whole whole whole whole whole", scheme="ftp"),
    Row("a file that grows", "get", ftp({"SIZE": b"213 %d\r\n" % (len(DOCUMENT) - 50)}),
        "whole wrong whole whole wrong", scheme="ftp"),
    Row("a generated file, SIZE 0", "get", ftp({"SIZE": b"213 0\r\n"}), "whole whole whole whole wrong", scheme="ftp"),
    Row("fewer octets than SIZE", "get", ftp({"SIZE": b"213 %d\r\n" % (len(DOCUMENT) + 50)}),
        "refused kept whole kept kept", scheme="ftp"),
    Row("LIST with German months", "mirror", ftp(data={"LIST": GERMAN}, files=FILES),
        "whole - wrong whole -", scheme="ftp", wanted=FILES,
        url=""),
    Row("LIST with German months, and no NLST", "mirror",
        ftp({"NLST": b"502 no\r\n"}, {"LIST": GERMAN}, files=FILES, names=False),
        "kept - wrong whole -", scheme="ftp", wanted=FILES,
        url=""),
    Row("LIST with a negative size, and a grouped one", "mirror", sized("5", "-1073741824", "1,234,567", "5"),
        "whole - whole kept -",
        scheme="ftp", wanted=FILES, url=""),
    Row("MLSD with a space in a fact", "mirror", ftp({"FEAT": FEAT}, {"MLSD": FACTS}, files=FILES),
        "whole - refused whole -",
        scheme="ftp", wanted=FILES, url=""),
    Row("FEAT has MLST, MLSD is 500", "mirror",
        ftp({"FEAT": FEAT, "MLSD": b"500 what\r\n"}, {"LIST": LIST}, files=FILES),
        "whole - whole whole -", scheme="ftp", wanted=FILES,
        url=""),
    Row("FEAT has MLST, MLSD is 550", "mirror",
        ftp({"FEAT": FEAT, "MLSD": b"550 no\r\n"}, {"LIST": LIST}, files=FILES),
        "whole - whole whole -", scheme="ftp", wanted=FILES,
        url=""),
)  # fmt: skip


Start = Callable[[Sequence[str], Path, Mapping[str, str]], int]
"""Runs a command line in a folder, with an environment, and gives its exit code."""


def start(words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> int:
    """Run a program."""
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    done = subprocess.run(
        words, cwd=folder, env={**kept, **environment}, stdin=subprocess.DEVNULL, capture_output=True,
        timeout=WAIT_SECONDS, check=False,
    )  # fmt: skip
    return done.returncode


def play(client: str, row: Row, folder: Path, start: Start = start) -> str:
    """What becomes of the document: a word of `WORDS`, or ``-`` where the client has no such command."""
    line = TASKS[row.task].get(client)
    if line is None:
        return "-"
    home = folder / ".home"
    home.mkdir()
    for name, text in row.more.items():
        (home / name).write_text(text, "latin-1")
        (home / name).chmod(0o600)
    with Server(row.part()) as server:
        url = f"{row.scheme}://{server.authority}/{row.url}"
        words = shlex.split(line.format(url=url, login=url.replace("://", "://joe@")))
        environment = {name: value.format(port=server.port) for name, value in row.environment.items()}
        before, code = b"", 0
        for _ in range(row.runs):
            before = part_of(folder)
            code = start(words, folder, {"HOME": str(home), "LC_ALL": "C.UTF-8", **environment})
    return outcome(row, folder, code, before)


def section() -> list[str]:
    """The section of docs/peers.md."""
    versions = ", ".join(f"{name} {version}" for name, version in VERSIONS.items())
    lines = [
        "## Beside other clients",
        "",
        f"Servers that are odd, and what comes of them with {versions},",
        "by the commands that are nearest to those of anyurl (`tests/peers/beside.py`); an empty cell has none.",
        "",
        *(f"- **{word}**: {text}." for word, text in WORDS.items()),
        "",
        f"| the server | {' | '.join(CLIENTS)} |",
        "|" + "---|" * (len(CLIENTS) + 1),
    ]
    for row in ROWS:
        lines.append(f"| {row.name} | {' | '.join(row.outcomes.split())} |".replace(" - ", "  "))
    return [*lines, ""]


def part_of(folder: Path) -> bytes:
    """What there is of the document, whole or not."""
    for path in (folder / "x", folder / "x.anyurl-part"):
        if path.is_file():
            return path.read_bytes()
    return b""


def outcome(row: Row, folder: Path, code: int, before: bytes) -> str:
    """The word of `WORDS`."""
    if isinstance(row.wanted, Mapping):
        files = (path for path in folder.rglob("[!.]*") if path.is_file() and ".home" not in path.parts)
        found = {path.name: path.read_bytes() for path in files}
        return ("whole" if found == row.wanted else "wrong") if code == 0 else ("kept" if found else "refused")
    there = part_of(folder)
    if code == 0:
        return "whole" if (folder / "x").exists() and there == row.wanted else "wrong"
    if not row.wanted.startswith(there) or len(there) < len(before):
        return "lost"
    return "kept" if there else "refused"
