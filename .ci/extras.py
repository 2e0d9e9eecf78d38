"""Of an installation with one extra and nothing beside it: what the extra is for works, and needs nothing of another.

Run by `.ci/full` with the Python of a new environment, in an empty folder: ``extras.py EXTRA``. Ends with what went
wrong. Without the extra each of these says that it is missing, which `.ci/bare.py` and the tests of each room hold.
"""

from __future__ import annotations

import json
import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import anyurl
from anyurl.world import World

COMMAND = str(Path(sys.executable).parent / "anyurl")
ROOMS = ("batch", "mcp", "web", "world")
"""Extras that are a room of their own: each of its modules can be imported."""

ELSEWHERE = {"anyurl.batch.check.cluster"}
"""A module that the extra `cluster` is for; Ray alone takes 600 MB, and the step `engines` has it."""


def run(*words: str) -> str:
    """What the command writes; it has to end well."""
    return subprocess.run([COMMAND, *words], capture_output=True, check=True, text=True, timeout=120).stdout


def batch() -> None:
    """A table with a column of URLs, as Parquet; and the registered domain."""
    from anyurl.batch import registered_domain

    Path("urls.csv").write_text("url\nhttp://www.bbc.co.uk/\n", "utf-8")
    run("columns", "urls.csv", "--column", "url", "-o", "parts.parquet")
    assert Path("parts.parquet").read_bytes().startswith(b"PAR1")
    assert registered_domain(["http://www.bbc.co.uk/"]).to_pylist() == ["bbc.co.uk"]


def browser() -> None:
    """What a browser reads."""
    assert "current, browser" in run("explain", "http://h/")
    assert anyurl.parse("HTTP://EXAMPLE.com:80/", "browser").host == "example.com"


def cli() -> None:
    """The help, and what is wrong with a command line."""
    assert "Usage: anyurl" in run("--help")
    done = subprocess.run([COMMAND, "gett", "x:"], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, "get" in done.stderr) == (2, True)


def http() -> None:
    """A page of a server."""
    with World(["http"]) as servers:
        assert run("get", str(servers.urls["http"]))


def full() -> None:
    """The three."""
    for check in (browser, cli, http):
        check()


def codings() -> None:
    """Both are offered, and decoded."""
    from anyurl.net.http.modern_codings import BrotliLayer, ZstdLayer, known

    assert known() == ("br", "zstd")
    assert BrotliLayer().decode(bytes.fromhex("8b0080686903"), 9) == b"hi"
    assert ZstdLayer().decode(bytes.fromhex("28b52ffd20021100006869"), 9) == b"hi"


def cookies() -> None:
    """A jar is opened, and written."""
    with World(["http"]) as world:
        run("get", "--cookie-jar", "jar.txt", str(world.urls["http"]), "-o", "page")


def domains() -> None:
    """A domain without a scheme."""
    Path("text").write_text("see www.bbc.co.uk, or a.b", "utf-8")
    assert run("find", "--bare", "text").splitlines() == ["http://www.bbc.co.uk"]


def lookalikes() -> None:
    """A Cyrillic letter among Latin ones."""
    assert next(anyurl.find("http://ex\N{CYRILLIC SMALL LETTER A}mple.com/")).lookalike


def pdf() -> None:
    """A link that lies over a page."""
    from pypdf import PdfWriter
    from pypdf.annotations import Link

    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    writer.add_annotation(0, Link(rect=(0, 0, 50, 50), url="https://example.com/a"))
    writer.write("a.pdf")
    assert run("find", "a.pdf").splitlines() == ["https://example.com/a"]


def world() -> None:
    """The servers that need the extra."""
    with World(["ftp", "gemini"]) as servers:
        for scheme in ("ftp", "gemini"):
            assert run("get", str(servers.urls[scheme]))


def warc() -> None:
    """An archive that anyurl has written, read by its index."""
    from anyurl.world.warc_index import WarcIndex

    with World(["gopher"]) as servers:
        run("get", "--warc", "a.warc.gz", str(servers.urls["gopher"]), "-o", "page")
    assert len(WarcIndex("a.warc.gz")) == 1


def web() -> None:
    """The gateway shows its first page."""
    with subprocess.Popen([COMMAND, "web", "--no-history"], stdout=subprocess.PIPE, text=True) as gateway:
        assert gateway.stdout is not None
        try:
            link = next(word for line in gateway.stdout for word in line.split() if word.startswith("http://"))
            assert "<html" in run("get", link)
        finally:
            gateway.terminate()


def mcp() -> None:
    """The server answers the first question of its protocol."""
    hello = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}},
    }  # fmt: skip
    done = subprocess.run(
        [COMMAND, "mcp"], input=json.dumps(hello) + "\n", capture_output=True, text=True, timeout=120, check=False
    )
    assert '"serverInfo"' in done.stdout, done


def main(extra: str) -> None:
    """Raises what went wrong."""
    if extra in ROOMS:
        room = import_module(f"anyurl.{extra}")
        for module in pkgutil.walk_packages(room.__path__, f"anyurl.{extra}."):
            if module.name not in ELSEWHERE:
                import_module(module.name)
    CHECKS[extra]()


CHECKS = {
    "batch": batch, "browser": browser, "cli": cli, "codings": codings, "cookies": cookies, "domains": domains,
    "full": full, "http": http, "lookalikes": lookalikes, "mcp": mcp, "pdf": pdf, "warc": warc,
    "web": web, "world": world,
}  # fmt: skip


if __name__ == "__main__":
    main(*sys.argv[1:])
