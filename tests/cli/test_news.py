"""The command on news URLs, against the world's news server: what a person types, and what comes of it."""

from __future__ import annotations

import contextlib
import pathlib
from collections.abc import Iterator
from typing import Any

import pexpect
import pytest

from anyurl.client import shortcuts
from anyurl.errors import UnsupportedError
from anyurl.world import news, tree
from anyurl.world.listener import SchemeListener
from tests.cli.runner import CLEAN, PROGRAM, records, run
from tests.servers import WAIT_SECONDS


@pytest.fixture
def server() -> Iterator[SchemeListener]:
    with contextlib.closing(news.start()) as server:
        yield server


@pytest.fixture(autouse=True)
def nobody_configured(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    for variable in ("NNTPSERVER", "NETRC"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("ANYURL_CONFIG", "")
    monkeypatch.setenv("HOME", str(tmp_path))


def test_without_a_server_the_way_to_name_one_is_told() -> None:
    result = run("get", "news:world.notes")
    assert result.exit_code == 4
    assert (
        "names no server, and no news server is configured: --news-server HOST, the variable NNTPSERVER"
        in result.stderr
    )


@pytest.mark.parametrize("how", ["option", "variable", "file"])
def test_ways_to_name_the_server(
    server: SchemeListener, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path, how: str
) -> None:
    where = f"127.0.0.1:{server.port}"
    if how == "variable":
        monkeypatch.setenv("NNTPSERVER", where)
    elif how == "file":
        config = tmp_path / "config.toml"
        config.write_text(f'news-server = "{where}"\n')
        config.chmod(0o600)
        monkeypatch.setenv("ANYURL_CONFIG", str(config))
    option = ["--news-server", where] if how == "option" else []
    result = run("get", "-o", "-", f"news:{news.FIRST}", *option)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout_bytes.endswith(b"\r\n\r\nThis is a small world.\r\n.\r\nIt has news.\r\n")


def test_ls_stat_and_search(server: SchemeListener) -> None:
    root = f"news://127.0.0.1:{server.port}/"
    listed = records(run("ls", "--json", f"{root}world.notes"))
    assert [(each["url"], each["title"], each["type"]) for each in listed] == [
        (f"{root}notes@world.example", "Notes", "message/rfc822"),
        (f"{root}greetings@world.example", "Re: Grüße", "message/rfc822"),
    ]
    assert listed[0]["modified"] == "1994-12-20T00:00:00Z"
    groups = records(run("ls", "--json", f"{root}world.*"))
    assert [(each["name"], each["kind"], each["title"]) for each in groups] == [
        (name, "listing", about) for name, (_, about) in news.GROUPS.items()
    ]
    (facts,) = records(run("stat", "--json", f"nntp://127.0.0.1:{server.port}/world.notes/2"))
    assert (facts["attributes"]["subject"], facts["size"]) == ("Re: Grüße", listed[1]["size"])
    (found,) = records(run("search", "--json", f"{root}world.notes", "grüße"))
    assert found["url"] == f"{root}greetings@world.example"


def test_a_part_of_an_article(server: SchemeListener) -> None:
    url = f"news://127.0.0.1:{server.port}/waves@world.example"
    assert run("get", "-o", "-", "--view", "picture.png", url).stdout_bytes == tree.picture()
    assert run("get", "-o", "-", "--view", "text", url).stdout_bytes == b"A picture of waves."
    result = run("get", "--view", "video/mp4", url)
    assert result.exit_code == 8
    assert "has no part 'video/mp4'; it has 1 text/plain, 2 image/png 'picture.png'" in result.stderr


def test_append_posts(server: SchemeListener, tmp_path: pathlib.Path) -> None:
    article = tmp_path / "article.txt"
    article.write_text("Subject: hello\nMessage-ID: <hello@world.example>\n\nWell.\n")
    netrc = tmp_path / ".netrc"
    netrc.write_text(f"machine 127.0.0.1 login {tree.USER} password {tree.PASSWORD}\n")
    netrc.chmod(0o600)
    where = ["--news-server", f"127.0.0.1:{server.port}"]
    result = run("append", "news:world.notes", str(article), "--identity", "me@example.org", *where)
    assert (result.exit_code, result.stdout) == (0, ""), result.stderr
    got = run("get", "-o", "-", "--view", "text", "news:hello@world.example", *where)
    assert got.stdout_bytes == b"Well.\r\n"
    again = run("append", "news:world.notes", str(article), "--identity", "me@example.org", *where)
    assert again.exit_code == 8
    assert "441 it is here already" in again.stderr
    assert run("append", "news:*", str(article), *where).exit_code == 4


def test_the_functions_without_a_client_know_the_variable(
    server: SchemeListener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NNTPSERVER", "")
    shortcuts.shared_client.cache_clear()
    try:
        with pytest.raises(UnsupportedError, match="no news server is configured"):
            shortcuts.get(f"news:{news.FIRST}")
        where = f"127.0.0.1:{server.port}"
        monkeypatch.setenv("NNTPSERVER", where)
        assert shortcuts.get(f"news:{news.FIRST}").read().endswith(b"It has news.\r\n")
        for each in (None, where):
            shortcuts.shared_client(None, None, None, each).close()
    finally:
        shortcuts.shared_client.cache_clear()


@pytest.mark.needs("terminal")
def test_a_person_is_asked_for_the_user_and_the_password(server: SchemeListener, tmp_path: pathlib.Path) -> None:
    article = tmp_path / "article.txt"
    article.write_text("Subject: hello\nFrom: me@example.org\nMessage-ID: <hello@world.example>\n\nWell.\n")
    where = ["--news-server", f"127.0.0.1:{server.port}"]
    environment: Any = {**CLEAN, "HOME": str(tmp_path), "ANYURL_CONFIG": "", "TERM": "xterm"}
    arguments = [*PROGRAM[1:], "append", "news:world.notes", str(article), *where]
    child = pexpect.spawn(PROGRAM[0], arguments, env=environment, timeout=WAIT_SECONDS, encoding="utf-8")
    child.expect_exact("user at 127.0.0.1: ")
    child.sendline(tree.USER)
    child.expect_exact(f"news password of {tree.USER} at 127.0.0.1: ")
    child.sendline(tree.PASSWORD)
    shown = child.read()
    child.close()
    assert child.exitstatus == 0, shown
    assert tree.PASSWORD not in shown
    assert run("get", "-o", "-", "--view", "text", "news:hello@world.example", *where).stdout_bytes == b"Well.\r\n"
