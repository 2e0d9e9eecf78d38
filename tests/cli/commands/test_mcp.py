"""``anyurl mcp``: what its options mean, and what it can't do without. What it serves is tested by ``tests/mcp``."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from anyurl.cli.commands.mcp import DEFAULT_PAGE, PAGES
from anyurl.mcp.pages import LARGEST_PAGE, PAGE, SMALLEST_PAGE
from tests.cli.runner import CLEAN, PROGRAM, call, run

with contextlib.suppress(ImportError):
    # It keeps the standard error that it finds at its first import, which would be that of a test that is over.
    import mcp.client.stdio  # noqa: F401


def test_the_pages_are_those_of_the_tools() -> None:
    assert (DEFAULT_PAGE, PAGES) == (PAGE, (SMALLEST_PAGE, LARGEST_PAGE))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--allow-host", "http://h/"], "is not a host pattern"),
        (["--allow-net", "10.0.0.1/8"], "is not a network"),
        (["--page", "10"], "1,000 to 200,000"),
        (["--timeout", "0"], "is not a time to wait"),
        (["--http", "70000"], "0 to 65,535"),
    ],
)
def test_what_is_no_option(options: list[str], said: str) -> None:
    done = run("mcp", *options)
    assert done.exit_code == 2
    assert said in done.stderr


def test_a_folder_that_is_none_is_told() -> None:
    done = call("mcp", "--allow-write", "/nonexistent/folder", input=b"")
    assert done.returncode == 9
    assert b"/nonexistent/folder" in done.stderr


def test_a_token_that_is_too_short_is_refused() -> None:
    done = run("mcp", "--http", "0", env={"ANYURL_MCP_TOKEN": "short"})
    assert (done.exit_code, "too short" in done.stderr) == (2, True)


def test_the_place_and_a_token_of_its_own_are_told() -> None:
    tokens = set()
    for as_json in (False, True):
        command = [*PROGRAM, "mcp", "--http", "0", *(["--json"] if as_json else [])]
        with subprocess.Popen(command, env=CLEAN, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                if as_json:
                    told = json.loads(process.stdout.readline())
                else:
                    told = dict(process.stdout.readline().split() for _ in range(2))
            finally:
                process.terminate()
            assert process.wait(20) == 143
        assert (told["url"][:17], told["url"][-4:]) == ("http://127.0.0.1:", "/mcp")
        assert len(told["token"]) == 43
        tokens.add(told["token"])
    assert len(tokens) == 2


def test_a_port_that_is_taken_is_told() -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        done = call("mcp", "--http", str(port))
    assert (done.returncode, done.stdout) == (9, b"")
    assert str(port).encode() in done.stderr


def test_what_a_person_allows_themselves_is_not_allowed_to_a_model(tmp_path: Path) -> None:
    settings = tmp_path / "config.toml"
    settings.write_text('policy = "open"\n')
    settings.chmod(0o600)
    request = {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
               "params": {"name": "check_url", "arguments": {"url": "http://127.0.0.1/"}}}  # fmt: skip
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}  # fmt: skip
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    lines = "".join(json.dumps(one) + "\n" for one in (hello, ready, request))
    server = subprocess.Popen(
        [*PROGRAM, "mcp"], env={**CLEAN, "ANYURL_CONFIG": str(settings)}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    with server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(lines.encode())
        server.stdin.flush()  # and not closed: what is under way when its client goes away is not answered
        told = next(answer for answer in map(json.loads, server.stdout) if answer["id"] == 2)
        server.stdin.close()
    assert told["result"]["structuredContent"]["code"] == "address-private"


def test_what_is_missing_is_told() -> None:
    program = "import sys; sys.modules['mcp'] = None; from anyurl.cli.run import run; sys.exit(run(['mcp']))"
    done = subprocess.run([sys.executable, "-c", program], env=CLEAN, capture_output=True, check=False, timeout=30)
    assert (done.returncode, b"in a clone of anyurl, pip install '.[mcp]'" in done.stderr) == (4, True)
