"""What a server was told otherwise than by a login of http, and writes into a Location or a reply: nothing shows it.

A cookie, the login for a proxy (which can answer for every server in clear), an answer to a secret question of gemini,
and the password of an FTP login.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from anyurl import AnyURLError, Client, Policy, Secret
from anyurl.world.certificate import self_signed, server_context
from tests.cli.runner import run
from tests.hop.test_echo_outputs import FORMS, PASSWORD, shown, written
from tests.schemes.gemini.serving import end
from tests.servers import Connection, Server, reply

pytestmark = pytest.mark.promise("hop")

COOKIE = quote(PASSWORD, safe="")
"""Longer than a word, as an identifier of a session is."""

LOCATIONS = {
    "query": "/x/b?q={}&a=b", "path": "/x/{}/y", "last segment": "/x/y/{}", "fragment": "/x/y#{}",
    "elsewhere": "http://127.0.0.1:25/{}", "no URL": "http://h:{}/",
}  # fmt: skip


def answers(head: bytes, said: str) -> bytes:
    """The first page leads on, the others have links."""
    if head.startswith((b"GET /robots.txt ", b"GET /sitemap")):
        return reply(b"", status="404 Not Found")
    if b" /x/ " in head.split(b"\r\n")[0]:
        return reply(b"", f"Location: {said}", status="302 Found")
    return reply(b'<a href="next">next</a>', "Content-Type: text/html")


@contextmanager
def cookies(said: str, folder: Path) -> Iterator[tuple[str, list[str]]]:
    def part(link: Connection) -> None:
        while head := link.head():
            link.send(answers(head, said if COOKIE.encode() in head else "/lost"))

    with Server(part) as server:
        jar = folder / "jar"
        jar.write_text(f"# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t4000000000\tsid\t{COOKIE}\n")
        jar.chmod(0o600)
        yield f"http://{server.authority}/x/", ["--cookie-jar", str(jar)]


@contextmanager
def proxied(said: str, folder: Path) -> Iterator[tuple[str, list[str]]]:
    def part(link: Connection) -> None:
        while head := link.head():
            if not head.startswith(b"CONNECT "):
                link.send(answers(head, said))
            elif b"\r\nproxy-authorization: " in head.lower():
                link.send(f"HTTP/1.1 200 {PASSWORD}\r\nX-Said: {PASSWORD}\r\n\r\n".encode())
            else:
                link.send(reply(b"", 'Proxy-Authenticate: Basic realm="r"', status="407 Who"))

    with Server(part) as proxy:
        yield "http://127.0.0.1:8099/x/", ["--proxy", f"http://joe:{quote(PASSWORD, safe='')}@{proxy.authority}"]


SOURCES = {"cookie": cookies, "proxy": proxied}

COMMANDS = {
    "get": ("get", "-v"), "get --json": ("get", "--json"), "stat": ("stat", "-v"), "stat --json": ("stat", "--json"),
    "check": ("check", "--recursive", "--state", "state"),
    "check --json": ("check", "--json", "--recursive", "--state", "state"), "mirror": ("mirror",),
}  # fmt: skip


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Callable[[], str]:
    caplog.set_level(logging.DEBUG, "anyurl")
    return lambda: "\n".join(record.getMessage() for record in caplog.records)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("form", ["encoded", "each octet"])
def test_no_command_shows_what_a_location_repeats(
    source: str, command: str, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: Callable[[], str]
) -> None:
    here = tmp_path / "here"
    for number, place in enumerate(LOCATIONS.values()):
        folder = here / str(number)
        folder.mkdir(parents=True)
        monkeypatch.chdir(folder)
        with SOURCES[source](place.replace("{}", FORMS[form]), tmp_path) as (url, options):
            result = run(*COMMANDS[command], *options, url, *(["there"] if command == "mirror" else []))
        assert "/lost" not in result.output
        assert shown(result.output + result.stderr) == [], place
    assert "***" in log()
    assert shown(log()) == []
    assert shown(written(here)) == []


@pytest.mark.parametrize("heard", [False, True], ids=["nobody listens", "logged"])
@pytest.mark.parametrize("source", SOURCES)
def test_a_resource_masks_it(source: str, heard: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG if heard else logging.WARNING, "anyurl")
    with SOURCES[source]("/x/b?q=" + FORMS["encoded"], tmp_path) as (url, options):
        given = {"cookie_jar" if source == "cookie" else "proxy": options[1]}
        with Client(Policy.default(), **given) as client, client.get(url) as resource:  # type: ignore[arg-type]
            assert resource.url.masked.endswith("/x/b?q=***")
            assert shown(repr(resource) + resource.url.join("#a").masked) == []
    assert shown(caplog.text) == []


def test_a_word_in_a_cookie_is_no_secret(tmp_path: Path) -> None:
    def part(link: Connection) -> None:
        while head := link.head():
            there = reply(b"", "Set-Cookie: lang=english", "Location: /2", status="302 Found")
            link.send(there if b" /1 " in head else reply(b"", "Location: /english/", status="302 Found")
                      if b" /2 " in head else reply(b"here"))  # fmt: skip

    with Server(part) as server, Client(Policy.default(), cookies=True) as client:
        with client.get(f"http://{server.authority}/1") as resource:
            assert resource.url.masked.endswith("/english/")


@pytest.mark.parametrize("listener", ["nobody", "log", "trace"])
@pytest.mark.parametrize(
    "said", ["30 /there?{}", "31 /{}/x", "30 //127.0.0.1:25/{}", "30 /wrong", "51 No {}", "44 {}", "59 {}", "62 {}"]
)
def test_no_secret_answer_of_gemini_is_shown(said: str, listener: str, caplog: pytest.LogCaptureFixture) -> None:
    asked: list[str] = []
    lines: list[str] = []
    caplog.set_level(logging.DEBUG if listener == "log" else logging.WARNING, "anyurl")

    def part(link: Connection) -> None:
        path = "/" + link.line().decode("ascii").split("/", 3)[3]
        asked.append(path)
        if path == "/ask":
            answer = "11 The password?"
        elif path.startswith("/ask?"):
            answer = said.replace("{}", FORMS["encoded"] if said[0] == "3" else PASSWORD)
        else:
            answer = f"51 {PASSWORD}" if path == "/wrong" else "20 text/plain"
        link.send(f"{answer}\r\n".encode())
        end(link)

    with Server(part, context=server_context(*self_signed("a test"))) as server:
        client = Client(
            Policy.default(),
            ask_secret=lambda *_: Secret(PASSWORD),
            trace=lines.append if listener == "trace" else None,
        )
        told = []
        try:
            with client, client.get(f"gemini://{server.authority}/ask") as resource:
                told += [repr(resource), resource.url.masked, *(hop.url.masked for hop in resource.history)]
                resource.read()
        except AnyURLError as error:
            told += [str(error), *map(str, vars(error).values()), *getattr(error, "__notes__", ())]
    assert len(asked) > 1
    assert shown("\n".join([*told, *lines, caplog.text])) == []


@pytest.mark.parametrize("command", ["get", "get --json", "stat", "check", "mirror"])
@pytest.mark.parametrize("refused", ["PASS", "TYPE", "RETR", "nothing"])
def test_no_reply_of_ftp_shows_the_password(
    command: str, refused: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: Callable[[], str]
) -> None:
    word = "pa55word/+of-joe"

    def part(link: Connection) -> None:
        link.send(b"220 ready\r\n")
        while line := link.line():
            verb = line.split()[0].decode().upper()
            code = {"USER": 331, "PASS": 230, "TYPE": 200, "QUIT": 221}.get(verb, 550)
            link.send(f"{530 if verb == refused else code} {word}, {quote(word, safe='')}\r\n".encode())
            if verb == "QUIT":
                return

    monkeypatch.chdir(tmp_path)
    with Server(part) as server:
        url = f"ftp://joe:{quote(word, safe='')}@{server.authority}/" + ("" if command == "mirror" else "a.txt")
        result = run(*COMMANDS[command], url, *(["there"] if command == "mirror" else []))
    said = result.output + result.stderr + log() + written(tmp_path)
    assert "***" in said
    assert word not in said
    assert quote(word, safe="") not in said
