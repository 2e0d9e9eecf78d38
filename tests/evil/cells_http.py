"""Column H: http and https (RFC 9110, RFC 9112), on libcurl."""

from __future__ import annotations

import fcntl
import gzip
import os
import struct
import termios
import threading
import time
import zlib
from collections.abc import Callable

from anyurl.dialogue import Resume
from anyurl.net.wire.tls import TLSConfig
from anyurl.saving.save import safe_name
from tests.evil.cell import Cell, Column
from tests.evil.certificates import certificates
from tests.evil.common import add_connection, add_tls
from tests.evil.local import Folder, save
from tests.evil.naming import check_saved_name
from tests.evil.outcomes import AUTH, DENY, LIMIT, LOST, OK, PROTO, REPLY, TIMEOUT, TRUNC
from tests.evil.player import Link, Step, again, head, hold, mark, reset, send, send_forever, send_slow
from tests.evil.rig import ADDRESSES, EVIL, GOOD, OTHER, SECRET, Got, Rig
from tests.evil.saving import add_saving
from tests.evil.terminal import add_terminal
from tests.servers import PATIENCE, reply

CONTENT = b"something good\n"
MEBIBYTE = bytes(1024 * 1024)
BOMB_MEBIBYTES = 200


def _bombs() -> tuple[bytes, bytes]:
    """200 MiB of nothing in 200 KB, in gzip and in deflate: a piece that is compressed once, and comes again."""
    coder = zlib.compressobj(9, wbits=-15)
    piece = coder.compress(MEBIBYTE) + coder.flush(zlib.Z_FULL_FLUSH)
    octets = piece * BOMB_MEBIBYTES + coder.flush()
    crc, adler = 0, 1
    for _ in range(BOMB_MEBIBYTES):
        crc, adler = zlib.crc32(MEBIBYTE, crc), zlib.adler32(MEBIBYTE, adler)
    end = struct.pack("<II", crc, BOMB_MEBIBYTES * len(MEBIBYTE))
    return gzip.compress(b"")[:10] + octets + end, b"\x78\xda" + octets + struct.pack(">I", adler)


GZIP_BOMB, DEFLATE_BOMB = _bombs()


def says(body: bytes = b"", *headers: str, status: str = "200 OK", length: bool = True) -> list[Step]:
    """The script of a server that gives one answer."""
    return [head(), send(reply(body, *headers, status=status, length=length))]


def raw(octets: bytes) -> list[Step]:
    """The script of a server that answers with these octets."""
    return [head(), send(octets)]


def chunks(octets: bytes) -> list[Step]:
    """The script of a server whose chunked body is these octets."""
    return raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + octets)


def text(octets: bytes) -> list[Step]:
    """The script of a server that sends a text."""
    return says(octets, "Content-Type: text/plain")


ENDLESS_BODY = [head(), send(reply(length=False)), send_forever(b"x" * 65536)]

COLUMN = Column(
    "H",
    "http",
    good=[again(head(), send(reply(CONTENT)))],
    path="/good",
    content=CONTENT,
    half=[head(), send(b"HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\nsomething"), mark("body")],
    stream=ENDLESS_BODY,
    login=True,
)

add_connection(COLUMN, greeting=reply(CONTENT), before=[head()], direct=True)
add_tls(COLUMN, "https", "/good")
add_saving(COLUMN, resumes=True)
add_terminal(COLUMN, text, "/x")


# --- redirections ----------------------------------------------------------------------------------------------------


def to(location: str, status: str = "302 Found") -> list[Step]:
    """The script of a server that leads on."""
    return says(b"", f"Location: {location}", status=status)


def _leads(location: str) -> Callable[[Rig], Got]:
    """To a place that the policy denies: nothing is connected to but the server that leads there."""

    def run(rig: Rig) -> Got:
        rig.network.names["inside.test"] = ["10.0.0.7"]
        rig.serve(to(location))
        got = rig.fetch()
        assert rig.network.connected == [(ADDRESSES[EVIL], 80)]
        return got

    return run


def _rebound_on_the_way(rig: Rig) -> Got:
    """The second hop goes to a name that has just become private."""
    rig.network.names["inside.test"] = [["10.0.0.7"]]
    rig.serve(to("http://inside.test/"))
    return rig.fetch()


def _many_hops(rig: Rig) -> Got:
    rig.serve(*[to(f"/{number}") for number in range(21)])
    return rig.fetch()


def _another_origin(rig: Rig) -> Got:
    """Login of the URL: for its own origin only, and never for one that it is led to."""
    asks = reply(b"", 'WWW-Authenticate: Basic realm="x"', status="401 No")
    first = rig.serve([head(), send(asks)], to(f"http://{GOOD}/good"))
    second = rig.serve(says(CONTENT), name=GOOD)
    got = rig.fetch()
    assert b"Authorization: Basic" in b"".join(first.received)
    assert b"Authorization" not in second.received[0]
    assert got.data == CONTENT
    rig.network.places.pop((ADDRESSES[GOOD], 80))
    return got


def _down_from_tls(rig: Rig) -> Got:
    context, authority = certificates()["good"]
    rig.client._tls_config = TLSConfig(authority)
    server = rig.serve(to(f"http://{EVIL}/x"), context=context, port=443)
    got = rig.fetch(f"https://{EVIL}/x")
    assert server.hits == 1
    assert rig.network.connected == [(ADDRESSES[EVIL], 443)]
    rig.servers.remove(server)
    return got


# --- logins and connections ------------------------------------------------------------------------------------------


def _netrc(rig: Rig) -> Got:
    """A password in .netrc is not for strangers' URLs."""
    server = rig.serve(says(status="401 No", length=True))
    with Folder(".netrc") as home:
        with open(home.file, "w", encoding="ascii") as file:
            file.write(f"machine {EVIL} login joe password {SECRET}\n")
        os.chmod(home.file, 0o600)
        old = {name: os.environ.get(name) for name in ("HOME", "NETRC")}
        os.environ.update(HOME=home.path, NETRC=home.file)
        try:
            got = rig.fetch(f"http://joe@{EVIL}/x")
        finally:
            for name, value in old.items():
                os.environ.pop(name)
                if value is not None:
                    os.environ[name] = value
    assert got.word == AUTH, got
    assert all(b"Authorization" not in each for each in server.received)
    got.word = OK
    return got


def _other_login(rig: Rig) -> Got:
    """A connection serves one login; another one, and none, get connections of their own."""
    asks = reply(b"", 'WWW-Authenticate: Basic realm="x"', status="401 No")

    def ask(link: Link) -> None:
        while octets := link.until(b"\r\n\r\n"):
            is_open = b" /open " in octets or b"\r\nauthorization:" in octets.lower()
            link.send(reply(CONTENT) if is_open else asks)

    server = rig.serve([ask])
    for login, path in (("joe:s3cr3t-pw@", "x"), ("ann:s3cr3t-pw@", "x"), ("", "open")):
        got = rig.fetch(f"http://{login}{EVIL}/{path}")
        assert got.data == CONTENT, got
    assert server.hits == 3
    return got


def _stale_answer(rig: Rig) -> Got:
    """An answer that nobody asked for is not the answer to the next question."""
    server = rig.serve([head(), send(reply(b"one") + reply(b"stale")), head()], says(b"two"))
    assert rig.fetch("/a").data == b"one"
    got = rig.fetch("/b")
    assert got.data == b"two", got
    assert server.hits == 2
    return got


def _late_answer(octets: bytes, verb: str = "get") -> Callable[[Rig], Got]:
    """What comes on a connection that rests is nothing that anybody asked for: it is not used again."""

    def run(rig: Rig) -> Got:
        told, asked = threading.Event(), threading.Event()

        def later(link: Link) -> None:
            asked.wait(PATIENCE)
            link.send(octets)
            while struct.unpack("i", fcntl.ioctl(link.sock, termios.TIOCOUTQ, bytes(4))) != (0,):
                time.sleep(0)  # until the client's system has it
            told.set()
            link.drain()

        server = rig.serve([head(), send(reply(b"one")), later], says(b"two"))
        assert rig.fetch("/a").data == b"one"
        asked.set()
        assert told.wait(PATIENCE)
        got = rig.fetch("/b", verb, **({"source": b"mine"} if verb == "put" else {}))
        assert got.word == OK
        assert verb == "put" or got.data == b"two", got
        assert server.hits == 2
        return got

    return run


def _not_reused(octets: bytes, data: bytes) -> Callable[[Rig], Got]:
    """What came is right; the connection that it came on is not used again."""

    def run(rig: Rig) -> Got:
        server = rig.serve([*raw(octets), head()], says(b"two"))
        got = rig.fetch("/a")
        assert got.data == data, got
        assert rig.fetch("/b").data == b"two"
        assert server.hits == 2
        return got

    return run


# --- going on --------------------------------------------------------------------------------------------------------

ETAG = '"v1"'
HALF = "ETag: " + ETAG, "Content-Length: 15"


def _goes_on(answer: bytes, content: bytes | None) -> Callable[[Rig], Got]:
    """A download breaks off, and is gone on with: the parts of two resources are never joined."""

    def run(rig: Rig) -> Got:
        server = rig.serve([head(), send(reply(b"something", *HALF, length=False)), reset()])
        with Folder() as folder:
            first = save(rig, folder, go_on=True)
            assert first.word == TRUNC, first
            server.become([head(), send(answer)], [head(), send(reply(CONTENT))])
            got = save(rig, folder, go_on=True)
            assert b"Range: bytes=9-" in server.received[1], bytes(server.received[1])
            assert b"If-Range: " + ETAG.encode() in server.received[1]
            assert folder.read() == content
        return got

    return run


def _partial(first: int, last: int, size: int, body: bytes, etag: str = ETAG) -> bytes:
    return reply(body, f"Content-Range: bytes {first}-{last}/{size}", f"ETag: {etag}", status="206 Partial Content")


_GOOD_REST = _partial(9, 14, 15, b" good\n")
# Behind a part that can't be trusted the whole is requested; what is there is compared with it, octet for octet.
_GOING_ON: dict[str, tuple[bytes, str, bytes | None]] = {
    "the rest": (_GOOD_REST, OK, CONTENT),
    "it has changed": (reply(b"another thing\n", 'ETag: "v2"'), OK, b"another thing\n"),
    "another range": (_partial(0, 5, 15, b"someth"), OK, CONTENT),
    "another size": (_partial(9, 14, 16, b" good\n"), OK, CONTENT),
    "another tag": (_partial(9, 14, 15, b" good\n", '"v2"'), OK, CONTENT),
    "no range": (reply(b" good\n", status="206 Partial Content"), OK, CONTENT),
    "beyond the end": (reply(b"", "Content-Range: bytes */4", status="416 No"), OK, CONTENT),
}


def _unasked_part(rig: Rig) -> Got:
    rig.serve(raw(_GOOD_REST))
    return rig.fetch()


# --- names -----------------------------------------------------------------------------------------------------------

_NAMES: dict[str, tuple[bytes, str]] = {
    "E1": (b"../../x", "x"),
    "E2": (b"/etc/passwd", "passwd"),
    "E3": (rb"..\\..\\x", "x"),
    "E4 dot": (b".", "index"),
    "E4 dots": (b"..", "index"),
    "E4 empty": (b"", "index"),
    "E5": (b"a\x1b[31m", "a%1B[31m"),
    "E7 hidden": (b".bashrc", "_.bashrc"),
    "E7 option": (b"-rf", "_-rf"),
    "E8 device": (b"CON", "_CON"),
    "E8 dot": (b"x.", "x._"),
}


def _named(name: bytes, saved_as: str) -> Callable[[Rig], Got]:
    def run(rig: Rig) -> Got:
        rig.serve(
            raw(
                b'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Disposition: attachment; filename="%s"\r\n\r\n' % name
            )
        )
        got = rig.fetch()
        if got.word == OK:
            given = got.resource.name or ""
            check_saved_name(given)
            assert safe_name(given) == saved_as, (given, safe_name(given))
        return got

    return run


def _long_name(rig: Rig) -> Got:
    rig.serve(says(b"", f'Content-Disposition: attachment; filename="{"x" * 300}"'))
    got = rig.fetch()
    check_saved_name(got.resource.name)
    return got


def _tail_of_redirection(rig: Rig) -> Got:
    """The name of what is saved is not the choice of whoever leads on."""
    rig.serve(to("/.bashrc"), says(CONTENT))
    got = rig.fetch()
    assert got.resource.name is None
    assert [hop.url.path for hop in got.resource.history] == ["/good"]
    return got


def _resumed_twice(rig: Rig) -> Got:
    """Range answered with the whole (200): it is taken from its start."""
    rig.serve(says(CONTENT, "ETag: " + ETAG))
    got = rig.fetch(resume=Resume(9, ETAG, None, 15))
    assert (got.data, got.resource.start) == (CONTENT, 0)
    return got


LONG = b"x" * 65536
GZIP = "Content-Encoding: gzip"

COLUMN.add(
    Cell("A5", TRUNC, [head(), send(reply(b"half", "Content-Length: 10", length=False)), reset()]),
    Cell("A5 before the body", LOST, [head(), send(b"HTTP/1.1 200 O"), reset()]),
    Cell("A9", TIMEOUT, [head(), send(reply(length=False)), send_slow(LONG[:100], 0.05)], limits={"total": 0.5}),
    Cell("A9 next to nothing", TIMEOUT, [head(), send(reply(length=False)), send_slow(LONG[:100], 0.03)],
         limits={"lowest_rate": 200, "total": 6}, holds=lambda got: got.error.clock == "idle"),
    Cell("A9 idle", TIMEOUT, [head(), send(reply(b"x", "Content-Length: 10", length=False)), hold()]),
    Cell("A12 ftp", PROTO, [send(b"220 FTP server ready\r\n"), hold(0.3)]),
    Cell("A12 ssh", PROTO, [send(b"SSH-2.0-OpenSSH_9.2\r\n"), hold(0.3)]),
    Cell("B1", LIMIT, [head(), send(b"HTTP/1.1 200 OK\r\n"), send_forever(b"X: y\r\n" * 100)], stream=True),
    Cell("B1 long ones", LIMIT, [head(), send(b"HTTP/1.1 200 OK\r\n"), send_forever(b"X: %s\r\n" % LONG[:60_000])],
         stream=True),
    Cell("B2", LIMIT, [head(), send(b"HTTP/1.1 200 OK\r\nX: "), send_forever(LONG)], stream=True),
    Cell("B3", LIMIT, [head(), send_forever(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)], stream=True),
    Cell("B3 slow", OK, [head(), send(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 11 + reply(b"late"))]),
    Cell("B4", PROTO, raw(b"HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 0\r\n\r\n")),
    Cell("B5", OK, raw(b"HTTP/1.1 200 OK\r\nServer: caf\xe9\r\nContent-Length: 0\r\n\r\n"),
         holds=lambda got: got.resource.attributes["server"] == "caf\udce9"),
    Cell("B6", OK, raw(b"HTTP/1.1 200 OK\nContent-Length: 4\n\ngood"), holds=lambda got: got.data == b"good"),
    Cell("B7", PROTO, raw(b"HTTP/1.1 200 OK\r\nX: a\rY: b\r\nContent-Length: 0\r\n\r\n")),
    Cell("B8", PROTO, raw(bytes(range(256)) * 10)),
    *(Cell(f"B9 {line.decode()}", PROTO, raw(line + b"\r\nContent-Length: 0\r\n\r\n")) for line in
      (b"HTTP/9.9 200 OK", b"HTTP/1.1 99 X", b"HTTP/1.1 abc X", b"HTTP/1.1 2000 X")),
    Cell("B9 777", REPLY, says(status="777 X")),
    Cell("B10", OK, run=_stale_answer),
    Cell("B10 later", OK, run=_late_answer(reply(b"stale"))),
    Cell("B10 later and no answer", OK, run=_late_answer(b"junk")),
    Cell("B10 later and before a put", OK, run=_late_answer(reply(b"stale"), "put")),
    Cell("B12", AUTH, says(status="401 Unauthorized"), url=f"http://{EVIL}/x"),
    Cell("B12 a login that is wrong", AUTH, says(status="401 Unauthorized")),
    Cell("B13", PROTO, raw(b"<html>no head at all</html>")),
    Cell("B16", LIMIT, to("/good")),
    Cell("C1", TRUNC, says(b"short", "Content-Length: 100", length=False)),
    Cell("C1 in a chunk", TRUNC, chunks(b"10\r\nshort")),
    Cell("C2", OK, run=_not_reused(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlonger", b"long")),
    Cell("C3", TRUNC, chunks(b"5\r\nshort\r\n")),
    Cell("C6 two", PROTO, says(b"four", "Content-Length: 9")),
    Cell("C6 negative", PROTO, says(b"", "Content-Length: -5", length=False)),
    Cell("C6 too large", PROTO, says(b"x", "Content-Length: 99999999999999999999", length=False)),
    Cell("C7", OK, run=_not_reused(
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n0\r\n\r\n", b"four")),
    Cell("C8 no number", PROTO, chunks(b"xyz\r\n")),
    Cell("C8 a number beyond 64 bits", PROTO, chunks(b"fffffffffffffffff\r\n")),
    Cell("C8 an endless extension", "LIMIT TIMEOUT PROTO", [*chunks(b"5;"), send_forever(LONG)], stream=True,
         limits={"total": 1.0}),
    Cell("C8 endless trailers", "LIMIT TIMEOUT PROTO", [*chunks(b"0\r\n"), send_forever(b"X: y\r\n" * 1000)],
         stream=True, limits={"total": 1.0}),
    Cell("C9", LIMIT, ENDLESS_BODY, limits={"max_bytes": 50_000_000}, stream=True),
    *(Cell(f"C10 {size}", OK, run=lambda rig, s=size: _huge(rig, s)) for size in (2**31, 2**32, 2**32 + 1)),
    Cell("C11", OK, chunks(b"1\r\nx\r\n" * 20_000 + b"0\r\n\r\n"), busy=True, holds=lambda got: got.size == 20_000),
    Cell("C11 slow and steady", OK, [head(), send(reply(length=False)), send_slow(LONG[:8], 0.15)],
         limits={"idle": 0.5}, holds=lambda got: got.size == 8),
    Cell("C11 slow", TIMEOUT, [*chunks(b""), send_slow(b"1\r\nx\r\n" * 100, 0.02)], limits={"total": 0.4}),
    *(Cell(f"C12 {name}", word, run=_goes_on(answer, content)) for name, (answer, word, content) in _GOING_ON.items()),
    Cell("C12 unasked", PROTO, run=_unasked_part),
    Cell("C12 the whole", OK, run=_resumed_twice),
    Cell("D1", LIMIT, says(DEFLATE_BOMB, "Content-Encoding: deflate"), stream=True),
    Cell("D1 more than was wanted", LIMIT, says(DEFLATE_BOMB, "Content-Encoding: deflate"), stream=True,
         limits={"max_bytes": 1_000_000}),
    Cell("D2 a thousand", LIMIT, says(gzip.compress(CONTENT), "Content-Encoding: " + ", ".join(["gzip"] * 1000))),
    Cell("D2 nested", LIMIT, says(gzip.compress(GZIP_BOMB), GZIP, GZIP), stream=True),
    Cell("D3", PROTO, says(CONTENT, GZIP)),
    Cell("D4", TRUNC, says(gzip.compress(os.urandom(1000))[:500], GZIP)),
    Cell("D4 without its trailer", TRUNC, says(gzip.compress(CONTENT)[:-8], GZIP)),
    *(Cell(name, OK, run=_named(*row)) for name, row in _NAMES.items()),
    Cell("E6", PROTO, run=_named(b"a\0b", "")),
    Cell("E8 long", OK, run=_long_name),
    Cell("E12 twice", OK, says(b"", *(f"Content-Disposition: attachment; filename={name}" for name in "ab"))),
    Cell("E12 many", LIMIT, says(b"", *["Content-Disposition: attachment; filename=a"] * 1_100)),
    Cell("E13", OK, run=_tail_of_redirection),
    *(Cell(f"F5 {name}", OK, run=_goes_on(answer, content)) for name, (answer, word, content) in _GOING_ON.items()
      if word == OK),
    *(Cell(f"G3 {name}", DENY, run=_leads(location)) for name, location in {
        "inside": "http://inside.test/", "this machine": "http://127.0.0.1/",
        "metadata": "http://169.254.169.254/latest/", "a service": f"http://{OTHER}:25/", "a file": "file:///etc/passwd",
        "ftp": f"ftp://{OTHER}/x", "gopher": f"gopher://{OTHER}/0x", "in six": "http://[::1]/",
    }.items()),
    Cell("G3 by number", PROTO, run=_leads("http://2130706433/")),
    Cell("G3 just become private", DENY, run=_rebound_on_the_way),
    Cell("G4 a loop", LIMIT, (to("/a"), to("/b"), to("/a"))),
    Cell("G4 many", LIMIT, run=_many_hops),
    Cell("G5", OK, run=_another_origin),
    Cell("G6", DENY, run=_down_from_tls),
    Cell("G10", OK, says(CONTENT), url="/a%0D%0AX:%20y%00", holds=lambda got: got.data == CONTENT),
    Cell("G10 unencoded", DENY, url="/a\r\nX: y"),
    Cell("G14", OK, run=_netrc),
    Cell("G17", OK, run=_other_login),
)  # fmt: skip


def _huge(rig: Rig, size: int) -> Got:
    """A length at the edge of 31 and 32 bits is told exactly, and a body that falls short of it is cut."""
    rig.serve(says(b"short", f"Content-Length: {size}", length=False))
    got = rig.fetch()
    assert (got.word, got.resource.size, getattr(got.error, "expected", size)) == (TRUNC, size, size), got
    got.word = OK
    return got
