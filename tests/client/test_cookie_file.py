"""Cookies in a file: what is in it from one client to the next, who can read it, and what other programs make of it."""

from __future__ import annotations

import asyncio
import http.cookiejar
import os
import subprocess
import urllib.request
from pathlib import Path

import pytest

from anyurl import AsyncClient, Client, CookieJar, Policy
from anyurl.errors import LocalFileError
from anyurl.url import URL
from tests import needs
from tests.cli.runner import run
from tests.servers import Connection, Server, reply

FIRST_LINE = "# Netscape HTTP Cookie File\n"
NOW = 1_700_000_000.0
SET = (
    ("http://shop.example/a/b", "session=s1"),
    ("https://shop.example/", "all=a1; Domain=shop.example; Max-Age=1000; Path=/x; Secure; HttpOnly"),
    ("https://shop.example/", "strict=t1; SameSite=Strict"),
    ("https://shop.example/", "none=n1; SameSite=None; Secure"),
    ("https://shop.example/", "__Host-id=h1; Secure; Path=/"),
    ("http://[::1]:81/", "v6=6"),
)


def jar_of(path: Path, *said: tuple[str, str]) -> CookieJar:
    jar = CookieJar(path, clock=lambda: NOW)
    for url, field in said:
        jar.store(URL(url), [field])
    return jar


def facts(jar: CookieJar) -> list[tuple[object, ...]]:
    """All but the moment at which each was set, which is now again."""
    return [
        (each.name, each.value.reveal(), each.domain, each.host_only, each.path, each.secure, each.http_only,
         each.same_site, each.expires)
        for each in jar
    ]  # fmt: skip


def test_what_was_saved_is_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "cookies.txt"
    jar = jar_of(path, *SET)
    jar.save()
    assert facts(jar_of(path)) == facts(jar) != []
    assert len(jar) == len(SET)


@pytest.mark.promise("cookies")
def test_nobody_else_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "cookies.txt"
    path.write_text(FIRST_LINE, encoding="ascii")
    path.chmod(0o644)
    before = os.umask(0)
    try:
        jar_of(path, *SET).save()
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path) == ["cookies.txt"]


def test_it_is_replaced_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    link.symlink_to(real)
    jar = jar_of(link, SET[0])
    jar.save()
    assert link.is_symlink()
    assert "s1" in real.read_text("ascii")
    before = real.stat().st_ino
    jar.save()  # nothing has changed
    assert real.stat().st_ino == before
    jar.store(URL("http://shop.example/"), ["more=1"])
    with open(real, "rb") as opened:  # whoever reads it meanwhile has the old one
        jar.save()
        assert b"more" not in opened.read()
    assert "more" in real.read_text("ascii")


def test_a_file_that_is_none_of_cookies_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("dear diary\n", encoding="ascii")
    with pytest.raises(LocalFileError, match="is not a cookie file: its first line is not '# Netscape"):
        Client(cookie_jar=path)
    assert path.read_text("ascii") == "dear diary\n"


def test_a_device_is_never_replaced(tmp_path: Path) -> None:
    """As ``/dev/null`` would be, which curl's users name, when root runs it."""
    path = tmp_path / "pipe"
    jar = jar_of(path, SET[0])
    os.mkfifo(path)
    for act in (jar.save, lambda: CookieJar(path)):
        with pytest.raises(LocalFileError, match="is a device or a pipe"):
            act()
    assert path.is_fifo()
    assert os.listdir(tmp_path) == ["pipe"]


@pytest.mark.parametrize(
    "line",
    [
        "h.example\tFALSE\t/\tFALSE\tsoon\ta\tb",  # no moment
        f"h.example\tFALSE\t/\tFALSE\t{'9' * 400}\ta\tb",  # a moment that is none
        "h.example\tFALSE\t/\tFALSE\t0",  # too few fields
        "h.example\tFALSE\t/\tFALSE\t0\ta\tb\tc",  # too many
        "h example\tFALSE\t/\tFALSE\t0\ta\tb",  # no host
        "\tFALSE\t/\tFALSE\t0\ta\tb",
    ],
)
def test_a_line_that_is_no_cookie_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "cookies.txt"
    path.write_text(f"{FIRST_LINE}\n{line}\n", encoding="ascii")
    with pytest.raises(LocalFileError, match=r"Line 3 of .*cookies\.txt is not a cookie"):
        CookieJar(path)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (".co.uk\tTRUE\t/\tFALSE\t0\ta\tb", "a public suffix: for that host alone"),
        ("h.example\tFALSE\t/\tFALSE\t1000\ta\tb", "it is over"),
        (".h.example\tTRUE\t/\tTRUE\t0\t__Host-a\tb", "not what its name promises"),
    ],
)  # fmt: skip
def test_what_a_server_may_not_set_a_file_may_not(tmp_path: Path, line: str, reason: str) -> None:
    path = tmp_path / "cookies.txt"
    path.write_text(f"{FIRST_LINE}{line}\n", encoding="ascii")
    jar = jar_of(path)
    assert all(jar.header(URL(url)) is None for url in ("https://shop.co.uk/", "https://h.example/")), reason


def test_what_python_writes_is_read(tmp_path: Path) -> None:
    path = tmp_path / "cookies.txt"
    theirs = http.cookiejar.MozillaCookieJar(path)
    for name, expires in (("a", 2e9), ("session", None)):
        theirs.set_cookie(
            http.cookiejar.Cookie(
                0, name, "x", None, False, "h.example", True, False, "/", True, False, expires, False, None, None, {}
            )
        )
    theirs.save(ignore_discard=True)
    assert [(each.name, each.expires) for each in jar_of(path)] == [("a", NOW + 400 * 86_400), ("session", None)]


def test_a_cookie_with_a_tab_has_no_place_in_it(tmp_path: Path) -> None:
    jar = jar_of(tmp_path / "cookies.txt", ("http://h.example/", "a=b\tc"), ("http://h.example/", "d=e"))
    jar.save()
    assert [each.name for each in jar_of(tmp_path / "cookies.txt")] == ["d"]


def login(connection: Connection) -> None:
    """Sets a cookie that stays and one of the session, and says what came."""
    while head := connection.head():
        sent = next((line for line in head.split(b"\r\n") if line.lower().startswith(b"cookie: ")), b"")
        connection.send(reply(sent[8:], "Set-Cookie: stays=1; Max-Age=1000; HttpOnly", "Set-Cookie: goes=2"))


def test_from_one_client_to_the_next_and_to_curl_and_back(tmp_path: Path) -> None:
    path = tmp_path / "cookies.txt"
    with Server(login) as server:
        url = f"http://127.0.0.1:{server.port}/"
        with Client(Policy.open(), cookie_jar=path) as client:
            assert client.get(url).read() == b""

        async def again() -> bytes:
            async with AsyncClient(Policy.open(), cookie_jar=path) as other:
                return await (await other.get(url)).read()

        assert asyncio.run(again()) == b"stays=1; goes=2"
        told = run("get", "--policy", "open", "--cookie-jar", str(path), "-o", "-", url)
        assert (told.exit_code, told.stdout_bytes, told.stderr) == (0, b"stays=1; goes=2", "")
        jar = http.cookiejar.MozillaCookieJar(path)
        jar.load(ignore_discard=True)
        asked = urllib.request.Request(url)
        jar.add_cookie_header(asked)
        # Until Python 3.14 it takes curl's 0, the end of a session, for 1970.
        assert asked.get_header("Cookie") in ("stays=1", "stays=1; goes=2")
        command = [needs.program("curl"), "-sS", "-b", path, "-c", path, url]
        assert sorted(subprocess.run(command, capture_output=True, check=True).stdout.split(b"; ")) == [
            b"goes=2", b"stays=1",
        ]  # fmt: skip
        with Client(Policy.open(), cookie_jar=path) as client:  # what curl wrote
            assert sorted(client.get(url).read().split(b"; ")) == [b"goes=2", b"stays=1"]


def test_a_jar_of_ones_own_and_a_file_are_one_too_many(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="in a jar of yours or in a file"):
        Client(cookies=CookieJar(), cookie_jar=tmp_path / "x")
