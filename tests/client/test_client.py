"""The client in the consumer's own thread: it pulls, it lets go, and every error surfaces."""

from __future__ import annotations

import gc
import io
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyurl import URL, Client, Policy
from anyurl.client.mapper import LOOK_AHEAD
from anyurl.dialogue import Resume
from anyurl.errors import (
    AnyURLError,
    ConnectError,
    ConnectionLost,
    LimitError,
    NotFoundError,
    RefusedError,
    TransferTimeout,
    Truncated,
    UnknownSchemeError,
    UnsupportedError,
    URLSyntaxError,
)
from tests.servers import WAIT_SECONDS, Connection, Server, answers, descriptors, left_open, reply


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(Policy.default()) as client:
        yield client


def test_open_pulls_no_more_than_is_read(client: Client) -> None:
    sent = threading.Event()

    def part(connection: Connection) -> None:
        connection.head()
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")
        try:
            for _ in range(1000):
                connection.send(bytes(100_000))
        except OSError:
            sent.set()

    with Server(part) as server:
        resource = client.open(f"http://{server.authority}/")
        assert resource.size == 100_000_000
        assert len(next(resource.iter_bytes())) > 0
        resource.close()
        assert sent.wait(WAIT_SECONDS), "the server could send everything though nobody read it"


def test_an_early_close_leaves_no_descriptor(client: Client) -> None:
    def part(connection: Connection) -> None:
        connection.head()
        connection.send(reply(bytes(1_000_000))[:50_000])
        connection.wait_for_close()

    with Server(part) as server:
        client.open(f"http://{server.authority}/").close()
        before = descriptors()
        for _ in range(5):
            resource = client.open(f"http://{server.authority}/")
            next(resource.iter_bytes())
            resource.close()
        assert left_open(before) <= 0


def test_a_forgotten_resource_cleans_up(client: Client) -> None:
    def part(connection: Connection) -> None:
        connection.head()
        connection.send(reply(bytes(1_000_000))[:50_000])
        connection.wait_for_close()

    with Server(part) as server:
        client.open(f"http://{server.authority}/").close()
        before = descriptors()
        resource = client.open(f"http://{server.authority}/")
        assert descriptors() > before
        del resource
        gc.collect()
        assert left_open(before) <= 0


def test_a_closed_client_has_nothing_open() -> None:
    with Server(answers(reply(b"x"))) as server:
        before = descriptors()
        with Client() as client:
            assert client.open(f"http://{server.authority}/").read() == b"x"
        assert left_open(before) <= 0


def test_an_error_in_the_middle_surfaces_after_what_came_before_it(client: Client) -> None:
    def part(connection: Connection) -> None:
        connection.head()
        connection.send(reply(bytes(1000))[:-400])

    with Server(part) as server:
        resource = client.open(f"http://{server.authority}/")
        pieces = resource.iter_bytes()
        assert sum(len(piece) for piece in (next(pieces),)) == 600
        with pytest.raises(Truncated) as caught:
            next(pieces)
        assert caught.value.url == f"http://{server.authority}/"


@pytest.mark.parametrize(
    ("part", "error"),
    [
        (lambda c: None, ConnectionLost),
        (lambda c: c.reset(), (ConnectionLost, ConnectError)),
        (lambda c: (c.head(), c.reset()), ConnectionLost),
        (lambda c: (c.head(), c.send(b"220 ftp.example\r\n")), AnyURLError),
        (lambda c: (c.head(), c.send(reply(status="404 No"))), NotFoundError),
        (lambda c: (c.head(), c.wait_for_close()), TransferTimeout),
    ],
    ids=["closes at once", "resets at once", "resets after the request", "another protocol", "says no", "says nothing"],
)
def test_a_server_that_fails(part: object, error: type[AnyURLError]) -> None:
    policy = Policy.default()
    if error is TransferTimeout:  # no other may be ended by a clock, however slow the machine is
        policy = policy.replace(limits=policy.limits.replace(idle=0.3))
    with Server(part) as server, Client(policy) as client, pytest.raises(error):  # type: ignore[arg-type]
        client.open(f"http://{server.authority}/")


def test_the_total_clock_ends_a_transfer_that_drips(client: Client) -> None:
    def part(connection: Connection) -> None:
        connection.head()
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
        gap = threading.Event()
        for _ in range(100):
            connection.send(b"x")
            gap.wait(0.05)

    with Server(part) as server, Client(timeout=0.4) as client, pytest.raises(TransferTimeout) as caught:
        client.open(f"http://{server.authority}/").read()
    assert caught.value.clock == "total"


def test_the_total_clock_ends_a_transfer_that_is_always_ahead(tmp_path: Path) -> None:
    """What can be read at once is never waited for, and has its end all the same."""
    with open(tmp_path / "endless", "wb") as file:
        file.truncate(2**36)
    with Client(timeout=0.2) as client, pytest.raises(TransferTimeout) as caught:
        for _ in client.open((tmp_path / "endless").as_uri()).iter_bytes():
            pass
    assert caught.value.clock == "total"


def test_nobody_listens(client: Client) -> None:
    with Server(lambda connection: None) as server:
        port = server.port
    with pytest.raises(ConnectError) as caught:
        client.open(f"http://127.0.0.1:{port}/")
    assert str(port) in str(caught.value)


def test_max_bytes_counts_what_is_read() -> None:
    with Server(answers(reply(bytes(5000)))) as server, Client(max_bytes=1000) as client:
        resource = client.open(f"http://{server.authority}/")
        with pytest.raises(LimitError) as caught:
            resource.read()
    assert caught.value.limit == "max_bytes"


def test_read_with_a_limit(client: Client) -> None:
    with Server(answers(reply(b"12345"))) as server, pytest.raises(LimitError):
        client.open(f"http://{server.authority}/").read(limit=4)


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("http://h/a b", URLSyntaxError),
        ("gophr://h/", UnknownSchemeError),
        ("tn3270://h/", UnsupportedError),
        ("http://127.0.0.1:25/", RefusedError),
        ("http://127.0.0.1:1/", RefusedError),
    ],
)
def test_what_is_refused_before_anything_is_opened(client: Client, url: str, error: type[AnyURLError]) -> None:
    before = descriptors()
    client._scheduler()
    with pytest.raises(error):
        client.open(url)
    assert descriptors() - before <= 3  # the scheduler's own


def test_put_sends_what_it_is_given_in_every_form(client: Client) -> None:
    got: list[bytes] = []

    def part(connection: Connection) -> None:
        while head := connection.head():
            if b"chunked" in head.lower():
                got.append(connection.until(b"0\r\n\r\n"))
            else:
                size = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
                got.append(connection.take(size))
            connection.send(reply(status="201 Created"))

    with Server(part) as server:
        url = f"http://{server.authority}/x"
        assert client.put(url, b"bytes").attributes["status"] == 201
        client.put(url, io.BytesIO(b"a file"))
        client.put(url, bytearray(b"an array"))
        client.put(url, iter([b"pie", b"", b"ces"]))
    assert got[:3] == [b"bytes", b"a file", b"an array"]
    assert got[3].replace(b"\r\n", b"|") in (b"3|pie|3|ces|0||", b"6|pieces|0||")


def test_put_takes_no_text(client: Client) -> None:
    with pytest.raises(TypeError, match="bytes"):
        client.put("http://127.0.0.1:9999/", "text")  # type: ignore[arg-type]


def test_a_source_that_fails_ends_the_upload(client: Client) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"x" * 10
        raise OSError("the tape is torn")

    with Server(lambda c: c.wait_for_close()) as server, pytest.raises(AnyURLError, match="torn"):
        client.put(f"http://{server.authority}/", pieces())


def test_resume_takes_only_the_rest_of_the_same(client: Client) -> None:
    part = answers(
        b'HTTP/1.1 206 Partial\r\nContent-Range: bytes 4-9/10\r\nContent-Length: 6\r\nETag: "1"\r\n\r\n456789',
        reply(b"changed", 'ETag: "2"'),
    )
    with Server(part) as server:
        url = f"http://{server.authority}/"
        rest = client.get(url, resume=Resume(4, etag='"1"', size=10))
        assert (rest.start, rest.read()) == (4, b"456789")
        whole = client.get(url, resume=Resume(4, etag='"1"', size=10))
        assert (whole.start, whole.read()) == (0, b"changed")
        assert whole.notes
    assert b"Range: bytes=4-" in bytes(server.received[0])


def test_map_gets_many_and_says_which_failed(client: Client) -> None:
    def part(connection: Connection) -> None:
        while head := connection.head():
            path = head.split(b" ")[1]
            connection.send(reply(status="404 No") if path == b"/7" else reply(path))

    with Server(part) as server:
        urls: list[URL | str] = [f"http://{server.authority}/{i}" for i in range(40)]
        urls += ["http://h/a b", "nosuch://h/", f"http://{server.authority}/last"]
        found = {str(result.url).rpartition("/")[2]: result for result in client.map(urls, 8)}
    assert len(found) == 43
    assert {name for name, result in found.items() if result.error is not None} == {"7", "a b", ""}
    assert {bytes(name, "ascii"): r.resource.read() for name, r in found.items() if r.resource is not None} == {
        name: b"/" + name for name in (b"last", *(str(i).encode() for i in range(40) if i != 7))
    }


def test_map_keeps_to_its_limit(client: Client) -> None:
    now, most, lock = 0, 0, threading.Lock()

    def part(connection: Connection) -> None:
        nonlocal now, most
        while connection.head():
            with lock:
                now += 1
                most = max(most, now)
            threading.Event().wait(0.01)
            with lock:
                now -= 1
            connection.send(reply(b"x"))

    with Server(part) as server:
        assert len(list(client.map([f"http://{server.authority}/{i}" for i in range(30)], 3))) == 30
    assert 1 < most <= 3


def test_map_reads_an_endless_list_as_it_goes(client: Client) -> None:
    taken = 0

    def endless() -> Iterator[str]:
        nonlocal taken
        while True:
            taken += 1
            yield f"http://{server.authority}/{taken}"

    with Server(lambda c: [c.send(reply(b"x")) for _ in iter(c.head, b"")] and None) as server:
        results = client.map(endless(), 4)
        for _ in range(10):
            next(results)
        results.close()  # type: ignore[attr-defined]
        assert taken <= 10 + (LOOK_AHEAD + 1) * 4  # those that wait until their host has answered more


def test_map_hands_a_large_one_out_while_it_streams(client: Client) -> None:
    size = 3_000_000
    with Server(answers(reply(bytes(size)))) as server:
        (result,) = client.map([f"http://{server.authority}/"])
        assert result.resource is not None
        assert not result.resource._stream.done
        assert sum(map(len, result.resource.iter_bytes())) == size
        assert result.resource._stream.done


def test_each_thread_has_its_own_reactor() -> None:
    with Server(lambda c: [c.send(reply(b"x")) for _ in iter(c.head, b"")] and None) as server, Client() as client:
        found: list[bytes] = []
        threads = [
            threading.Thread(target=lambda: found.append(client.open(f"http://{server.authority}/").read()))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == [b"x"] * 4


def test_a_client_may_be_closed_by_another_thread_at_any_moment() -> None:
    """What the one is working with the other must not close: libcurl would end the whole process."""
    began = threading.Event()
    wrong: list[BaseException] = []

    def part(connection: Connection) -> None:
        while connection.head():
            connection.send(reply(bytes(100_000)))

    def work(client: Client, url: str) -> None:
        try:
            for _ in range(50):
                assert len(client.open(url).read()) == 100_000
                began.set()
        except (ConnectionLost, RuntimeError) as error:
            if isinstance(error, RuntimeError) and "This client is closed" not in str(error):
                wrong.append(error)
        except BaseException as error:
            wrong.append(error)

    before, interval = descriptors(), sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with Server(part) as server:
            for _ in range(40):
                client = Client()
                thread = threading.Thread(target=work, args=(client, f"http://{server.authority}/"))
                thread.start()
                began.wait(5)
                began.clear()
                client.close()
                thread.join(30)
                assert not thread.is_alive()
                client.close()
                del client
    finally:
        sys.setswitchinterval(interval)
    assert wrong == []
    assert left_open(before) <= 0


ENDS = {
    "with everything open": "kept = client.open(url), client.open(url)",
    "in the middle of reading": "pieces = client.open(url).iter_bytes(); next(pieces)",
    "beside a thread that is reading": """
def work():
    while True:
        client.open(url).read()
        began.set()
began = threading.Event()
threading.Thread(target=work, daemon=True).start()
began.wait(10)""",
}


@pytest.mark.parametrize("end", ENDS)
def test_the_interpreter_ends_quietly(end: str) -> None:
    def part(connection: Connection) -> None:
        connection.line()
        connection.send(b"a text\r\n.\r\n")

    with Server(part) as server:
        code = f"import sys, threading, anyurl\nclient, url = anyurl.Client(), sys.argv[1]\n{ENDS[end]}"
        done = subprocess.run(
            [sys.executable, "-X", "dev", "-c", code, f"gopher://{server.authority}/0x"],
            capture_output=True, timeout=30, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_what_came_before_an_error_is_let_go(client: Client) -> None:
    """The error leads to the frame that read it, and may be kept for long."""

    def part(connection: Connection) -> None:
        connection.head()
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 3000001\r\n\r\n" + bytes(3_000_000))

    with Server(part) as server, pytest.raises(Truncated) as caught:
        client.open(f"http://{server.authority}/").read()
    frames = [frame.frame for frame in caught.traceback]
    held = [value for frame in frames for value in frame.f_locals.values() if isinstance(value, list)]
    assert caught.value.received == 3_000_000
    assert sum(len(piece) for each in held for piece in each if isinstance(piece, bytes)) == 0


@pytest.mark.parametrize(
    ("limit", "found"), [(None, 900), (1, 1), (5, 5), (899, 899), (900, 900), (1000, 900)], ids=str
)
def test_so_many_results_and_no_more(client: Client, limit: int | None, found: int) -> None:
    """A gopher index can't be told how many are wanted."""

    def part(connection: Connection) -> None:
        connection.line()
        connection.send(b"".join(b"0%d\t%d\th\t70\r\n" % (number, number) for number in range(900)) + b".\r\n")

    with Server(part) as server:
        resource = client.search(f"gopher://{server.authority}/7index", "words", limit=limit)
        assert [entry.name for entry in resource.entries()] == [str(number) for number in range(found)]


def test_what_is_beyond_the_limit_of_a_search_is_not_waited_for(client: Client) -> None:
    def part(connection: Connection) -> None:
        connection.line()
        connection.send(b"0x\tx\th\t70\r\n" * 1000)
        connection.wait_for_close()

    with Server(part) as server:
        resource = client.search(f"gopher://{server.authority}/7index", "words", limit=5)
        assert len(list(resource.entries())) == 5
        assert resource.complete
