"""``anyurl proxy``: where it listens, how it stops, what it reads anew."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.cli.runner import run
from tests.servers import WAIT_SECONDS, Connection, Server, answers, reply

NEAR = '[[role]]\nname = "near"\nsources = ["127.0.0.0/8"]\npolicy = "default"\n'


@contextmanager
def proxy(*words: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    with subprocess.Popen(
        [sys.executable, "-m", "anyurl", "proxy", "--json", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            yield process, json.loads(process.stdout.readline())
        finally:
            process.kill()


def get(at: str, url: str) -> str:
    host, port = at.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as sock:
        sock.sendall(f"GET {url} HTTP/1.0\r\n\r\n".encode())
        answer = b""
        while data := sock.recv(65536):
            answer += data
    return answer.decode()


def test_it_serves_logs_reads_its_roles_anew_and_stops(tmp_path: Path) -> None:
    roles, log = tmp_path / "roles.toml", tmp_path / "log"
    roles.write_text(NEAR, encoding="utf-8")
    words = ("--roles", str(roles), "--log", str(log), "--metrics", "127.0.0.1:0")
    with Server(answers(reply(b"hello"), reply(b"again"))) as server, proxy(*words) as (process, at):
        url = f"http://127.0.0.1:{server.port}/"
        assert get(at["proxy"], url).endswith("hello")
        assert "anyurl_proxy_connections" in get(at["metrics"], "/metrics")
        roles.write_text("[[role]]", encoding="utf-8")
        process.send_signal(signal.SIGHUP)
        assert process.stderr is not None
        assert process.stderr.readline().startswith("anyurl: The roles stay as they were. ")
        roles.write_text(NEAR + 'deny_nets = ["127.0.0.1"]\n', encoding="utf-8")
        process.send_signal(signal.SIGHUP)
        while "address-denied" not in get(at["proxy"], url):
            pass
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert (lines[0]["role"], lines[0]["decision"], lines[-1]["code"]) == ("near", "allowed", "address-denied")


def test_without_roles_it_is_untrusted() -> None:
    with proxy() as (process, at):
        assert '"code": "address-private"' in get(at["proxy"], "http://127.0.0.1:9/")
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        assert process.stderr is not None
        assert json.loads(process.stderr.read())["decision"] == "refused"


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ("--listen nowhere", 2, "'nowhere' is not an address to listen on; 127.0.0.1:8080 or [::1]:0 would be."),
        (
            f"--listen [::1]:{'9' * 5000}",
            2,
            f"'[::1]:{'9' * 194}'... is not an address to listen on; 127.0.0.1:8080 or [::1]:0 would be.",
        ),
        (
            "--listen 127.0.0.1:99999",
            2,
            "'127.0.0.1:99999' is not an address to listen on; 127.0.0.1:8080 or [::1]:0 would be.",
        ),
        ("--roles /none.toml", 9, "/none.toml can't be read: no such file or directory."),
        ("--roles /none.toml --report-only", 2, "With --roles, report_only is set in the role."),
        ("--log /none/log", 9, "/none/log can't be written: no such file or directory."),
        ("--listen 192.0.2.1:0", 9, "Listening (--listen) failed: "),
    ],
)
def test_what_does_not_work_is_told(words: str, code: int, sentence: str) -> None:
    result = run("proxy", *words.split())
    assert (result.exit_code, result.stderr.splitlines()[0][: len(sentence) + 8]) == (code, f"anyurl: {sentence}")


def test_what_is_killed_under_load_leaves_no_half_answer_for_a_whole(tmp_path: Path) -> None:
    """Twenty answers without a length are under way: each client sees an end that is none; the next one serves."""
    going = threading.Event()

    def endless(connection: Connection) -> None:
        connection.head()
        connection.send(b"HTTP/1.1 200 OK\r\n\r\nhalf")
        assert going.wait(WAIT_SECONDS)

    (tmp_path / "roles.toml").write_text(NEAR, encoding="utf-8")
    words = ("--roles", str(tmp_path / "roles.toml"), "--log", os.devnull)
    with Server(endless) as server:
        request = f"GET http://127.0.0.1:{server.port}/ HTTP/1.1\r\n\r\n".encode()
        with ExitStack() as clients, proxy(*words) as (process, at):
            port = int(at["proxy"].rpartition(":")[2])
            socks = [clients.enter_context(socket.create_connection(("127.0.0.1", port), 10)) for _ in range(20)]
            for sock in socks:
                sock.sendall(request)
            answers = [_until(sock, b"half") for sock in socks]
            process.kill()
            for sock, answer in zip(socks, answers, strict=True):
                assert b"Transfer-Encoding: chunked" in answer
                assert b"0\r\n\r\n" not in answer.partition(b"half")[2] + _rest(sock)
            going.set()
        with proxy("--listen", f"127.0.0.1:{port}", *words) as (_, at):
            assert at["proxy"] == f"http://127.0.0.1:{port}"
            assert get(at["proxy"], f"http://127.0.0.1:{server.port}/").endswith("half")


def _until(sock: socket.socket, mark: bytes) -> bytes:
    got = b""
    while mark not in got:
        data = sock.recv(65536)
        assert data
        got += data
    return got


def _rest(sock: socket.socket) -> bytes:
    try:
        return b"".join(iter(lambda: sock.recv(65536), b""))
    except ConnectionResetError:
        return b""


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]"])
def test_where_it_listens_is_a_url(host: str) -> None:
    with proxy("--listen", f"{host}:0") as (_, at):
        assert re.fullmatch(rf"http://{re.escape(host)}:\d+", at["proxy"])


def lines_of(path: Path, count: int) -> list[dict[str, object]]:
    """So many lines of a log, when they are there: a line is written after the answer."""
    for _ in range(500):
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        if len(lines) >= count:
            return [json.loads(line) for line in lines]
        threading.Event().wait(0.02)
    raise AssertionError(f"{path} has {len(lines)} lines")


@pytest.mark.parametrize("roles", [True, False], ids=["roles", "no roles"])
def test_hanging_up_reopens_the_log_and_ends_nothing(roles: bool, tmp_path: Path) -> None:
    """What logrotate and `systemctl reload` do."""
    log, old = tmp_path / "log", tmp_path / "log.1"
    (tmp_path / "roles.toml").write_text(NEAR, encoding="utf-8")
    words = ("--roles", str(tmp_path / "roles.toml")) if roles else ()
    with proxy("--log", str(log), *words) as (process, at):
        get(at["proxy"], "http://10.0.0.1:22/")
        lines_of(log, 1)
        log.rename(old)
        get(at["proxy"], "http://10.0.0.2:22/")
        assert len(lines_of(old, 2)) == 2  # until it is told, nothing is lost
        process.send_signal(signal.SIGHUP)
        while not log.exists():
            threading.Event().wait(0.02)
        get(at["proxy"], "http://10.0.0.3:22/")
        assert [line["url"] for line in lines_of(log, 1)] == ["http://10.0.0.3:22/"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_a_log_that_cannot_be_opened_again_stays_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    log = tmp_path / "logs" / "log"
    with proxy("--log", str(log)) as (process, at):
        (tmp_path / "logs").rename(tmp_path / "away")
        process.send_signal(signal.SIGHUP)
        assert process.stderr is not None
        said = process.stderr.readline()
        assert said.startswith(f"anyurl: {log} can't be opened again: no such file or directory.")
        get(at["proxy"], "http://10.0.0.1:22/")
        assert len(lines_of(tmp_path / "away" / "log", 1)) == 1


FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")


@needs_full
def test_a_log_that_cannot_be_written_is_said_once_and_counted() -> None:
    with proxy("--log", str(FULL), "--metrics", "127.0.0.1:0") as (process, at):
        for _ in range(3):
            assert "address-private" in get(at["proxy"], "http://10.0.0.1/")
        while "anyurl_proxy_log_lines_lost_total 3" not in get(at["metrics"], "/metrics"):
            pass
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        assert process.stderr is not None
        assert process.stderr.read() == (
            "anyurl: /dev/full can't be written: no space left on device. Decisions are not logged until it can be.\n"
        )


@needs_full
def test_a_required_log_that_cannot_be_written_ends_the_service() -> None:
    with Server(lambda connection: connection.sock.recv(1)) as server:
        roles = f"connect_ports = [{server.port}]\n"
        path = Path(f"/tmp/anyurl-test-{os.getpid()}-roles.toml")
        path.write_text(NEAR + roles, encoding="utf-8")
        try:
            with proxy("--roles", str(path), "--log", str(FULL), "--log-required") as (process, at):
                port = int(at["proxy"].rpartition(":")[2])
                with socket.create_connection(("127.0.0.1", port), 10) as tunnel:
                    tunnel.sendall(f"CONNECT 127.0.0.1:{server.port} HTTP/1.1\r\n\r\n".encode())
                    assert tunnel.recv(65_536).startswith(b"HTTP/1.1 200")
                    get(at["proxy"], "http://10.0.0.1:22/")
                    assert _rest(tunnel) == b""  # what is under way is cut off
                assert process.wait(20) == 9
                assert process.stderr is not None
                assert process.stderr.read() == (
                    "anyurl: /dev/full can't be written: no space left on device. The proxy ends.\n"
                )
        finally:
            path.unlink()


@pytest.mark.parametrize("place", ["0.0.0.0", "[::]"])
def test_other_machines_are_served_only_with_a_word(place: str, tmp_path: Path) -> None:
    result = run("proxy", "--listen", f"{place}:0")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"anyurl: At {place.strip('[]')} other machines can connect, and without --roles ")
    assert "--everybody allows that." in result.stderr
    (tmp_path / "roles.toml").write_text(NEAR, encoding="utf-8")
    for words in (("--everybody",), ("--roles", str(tmp_path / "roles.toml"))):
        with proxy("--listen", f"{place}:0", *words) as (_, at):
            assert at["proxy"].startswith("http://")


def test_a_list_of_hosts_is_for_everybody() -> None:
    with proxy("--allow-host", "*.example.org") as (process, at):
        assert "other.example is not on the policy's allow list" in get(at["proxy"], "http://other.example/")
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0


@pytest.mark.parametrize("words", ["--policy default", "--allow-host h.example", "--allow-net 10.0.0.0/8"])
def test_roles_have_their_own_policies(words: str, tmp_path: Path) -> None:
    (tmp_path / "roles.toml").write_text(NEAR, encoding="utf-8")
    result = run("proxy", "--roles", str(tmp_path / "roles.toml"), *words.split())
    assert (result.exit_code, result.stderr.splitlines()[0]) == (
        2, "anyurl: With --roles, a client has the policy of its role: no --policy, and no --allow-...",
    )  # fmt: skip


def test_a_wrong_key_is_told_with_all_that_there_are(tmp_path: Path) -> None:
    """No sentence of ours is cut; the key that was meant comes last."""
    (tmp_path / "roles.toml").write_text('[[role]]\nname = "a"\nsource = ["127.0.0.1"]\n', encoding="utf-8")
    result = run("proxy", "--roles", str(tmp_path / "roles.toml"))
    assert result.exit_code == 2
    sentence = result.stderr.splitlines()[0]
    assert sentence.endswith("; did you mean 'sources'?")
    for key in ("allow_downgrade", "deny_hosts", "max_bytes", "report_only", "sources", "token_file"):
        assert key in sentence
