"""Schemes of other people: loaded where somebody names them, by the command line or the file of settings."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import anyurl
from tests.cli.runner import CLEAN, PROGRAM, call

CODE = """
from anyurl import Scheme, URL
from anyurl.dialogue import Describe, Emit
from anyurl.schemes.kit.scheme import Parts
from anyurl.url.syntax import Row


class Nothing(Parts):
    def url_path(self):
        return ""


def get(url, options):
    yield from Describe("document", type="text/plain")
    yield from Emit(b"here\\n")
    return None


open({mark!r}, "a").close()
SCHEME = Scheme("x-plug", reference="here", summary="A thing.", read=lambda url: Nothing(), verbs={{"get": get}})
PAIR = SCHEME, Row("x-plug", "here", port=5)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two packages as `pip install` writes them; loading one leaves a mark."""
    for name, entry in (("plug", "PAIR"), ("broken", "missing")):
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: a-{name}\nVersion: 1.0\n", encoding="utf-8")
        (info / "entry_points.txt").write_text(f"[anyurl.schemes]\n{name} = {name}:{entry}\n", encoding="utf-8")
        code = CODE.format(mark=str(tmp_path / f"{name}.loaded"))
        (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
    return tmp_path


def run(folder: Path, *args: str, settings: str | None = None) -> subprocess.CompletedProcess[bytes]:
    path = ""
    if settings is not None:
        path = str(folder / "config.toml")
        Path(path).write_text(settings, encoding="utf-8")
    source = Path(anyurl.__file__).parent.parent
    return call(*args, env={"PYTHONPATH": f"{folder}{os.pathsep}{source}", "ANYURL_CONFIG": path}, cwd=folder.parent)


def test_one_is_loaded_where_it_is_named(folder: Path) -> None:
    for name in ("plug", "a-plug"):
        assert run(folder, "get", "--plugin", name, "x-plug://h/").stdout == b"here\n"
    assert run(folder, "get", "x-plug://h/", settings='plugins = ["plug"]').stdout == b"here\n"
    parsed = run(folder, "parse", "--json", "--plugin", "plug", "x-plug://h/")
    assert json.loads(parsed.stdout)["port"] == 5


def test_none_is_loaded_that_nobody_has_named(folder: Path) -> None:
    done = run(folder, "get", "x-plug://h/")
    assert (done.returncode, done.stdout) == (4, b"")
    listed = run(folder, "schemes", "--plugins", "--json")
    assert [json.loads(line) for line in listed.stdout.splitlines()] == [
        {"plugin": "broken", "package": "a-broken", "version": "1.0", "entry": "broken:missing", "scheme": None},
        {"plugin": "plug", "package": "a-plug", "version": "1.0", "entry": "plug:PAIR", "scheme": None},
    ]
    assert not list(folder.glob("*.loaded"))
    shown = run(folder, "schemes", "--plugins", "--plugin", "plug").stdout.decode().splitlines()
    assert [line.split() for line in shown] == [
        ["plug-in", "package", "entry", "scheme"],
        ["broken", "a-broken", "1.0", "broken:missing", "not", "loaded"],
        ["plug", "a-plug", "1.0", "plug:PAIR", "x-plug"],
    ]
    assert [path.name for path in folder.glob("*.loaded")] == ["plug.loaded"]


@pytest.mark.parametrize(
    ("args", "settings", "code", "told"),
    [
        (("get", "--plugin", "nope", "x-plug://h/"), None, 4, "'nope' is not installed; there is broken, plug."),
        (("get", "x-plug://h/"), 'plugins = ["nope"]', 4, "config.toml: The scheme plug-in 'nope' is not"),
        (("get", "--plugin", "broken", "x-plug://h/"), None, 4, "'broken' (broken:missing) can't be loaded: "),
        (("get", "x-plug://h/"), 'plugins = "plug"', 2, 'plugins must be a list of names, as in ["finger"].'),
        (("get", "x-plug://h/"), "plugins = [1]", 2, "plugins must be a list of names"),
    ],
)
def test_what_can_not_be_loaded(
    folder: Path, args: tuple[str, ...], settings: str | None, code: int, told: str
) -> None:
    done = run(folder, *args, settings=settings)
    assert done.returncode == code
    assert told in done.stderr.decode()
    assert not (folder / "plug.loaded").exists()


def environment(folder: Path) -> dict[str, str]:
    return {**CLEAN, "PYTHONPATH": f"{folder}{os.pathsep}{Path(anyurl.__file__).parent.parent}"}


def test_columns_reads_its_urls(folder: Path) -> None:
    table = folder / "urls.csv"
    table.write_text("url\nx-plug://h/\n", encoding="utf-8")
    told = run(folder, "columns", str(table), "--fields", "port", "--plugin", "plug")
    assert json.loads(told.stdout)["url_port"] == 5


def test_the_proxy_answers_for_it_what_a_role_lets_it(folder: Path) -> None:
    roles = folder / "roles.toml"
    roles.write_text('[[role]]\nname = "r"\nsources = ["127.0.0.1"]\nallow_schemes = ["x-plug"]', encoding="utf-8")
    command = [*PROGRAM, "proxy", "--json", "--plugin", "plug", "--roles", str(roles)]
    with subprocess.Popen(
        command, env=environment(folder), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout is not None
            port = int(json.loads(process.stdout.readline())["proxy"].rpartition(":")[2])
            public, private = (ask(port, f"x-plug://{host}/") for host in ("93.184.216.34", "127.0.0.1"))
        finally:
            process.kill()
    assert (public[:15], public[-5:]) == ("HTTP/1.1 200 OK", "here\n")
    assert '"code": "address-private"' in private


def ask(port: int, url: str) -> str:
    """What a proxy answers."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as sock:
        sock.sendall(f"GET {url} HTTP/1.0\r\n\r\n".encode())
        with sock.makefile("rb") as answer:
            return answer.read().decode()


def test_a_model_has_it_only_where_the_command_line_says_so(folder: Path) -> None:
    (folder / "config.toml").write_text('plugins = ["plug"]', encoding="utf-8")
    urls, words = ("x-plug://93.184.216.34/", "x-plug://127.0.0.1/"), ("--allow-scheme", "x-plug")
    assert model_gets(folder, urls[:1], *words) == ["scheme-unknown"]
    assert model_gets(folder, urls, *words, "--plugin", "plug") == [None, "address-private"]


def model_gets(folder: Path, urls: Sequence[str], *words: str) -> list[str | None]:
    """The codes of what `anyurl mcp` won't fetch; None for what it fetches."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    calls: list[dict[str, Any]] = [
        {"id": "hello", "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        *({"id": url, "method": "tools/call", "params": {"name": "fetch", "arguments": {"url": url}}} for url in urls),
    ]
    told: dict[str, str | None] = {}
    env = {**environment(folder), "ANYURL_CONFIG": str(folder / "config.toml")}
    with subprocess.Popen(
        [*PROGRAM, "mcp", *words], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("".join(json.dumps({"jsonrpc": "2.0", **call}) + "\n" for call in calls))
        process.stdin.flush()
        while not told.keys() >= set(urls):
            answer = json.loads(process.stdout.readline())
            if "content" in answer["result"]:
                told[answer["id"]] = json.loads(answer["result"]["content"][0]["text"]).get("code")
        process.stdin.close()
    return [told[url] for url in urls]
