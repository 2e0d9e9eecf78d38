"""No password comes out of anything unless it is asked for: every object and every error, shown in every way there is.

The passwords are plain, percent-encoded and empty; what is looked for is each of them as it is written, as it is
decoded, and as HTTP's Basic encodes it. An empty one is shown as any other: nobody learns that it is empty.
"""

from __future__ import annotations

import asyncio
import base64
import copy
import io
import json
import logging
import os
import pickle
import pprint
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pexpect
import pytest

import anyurl
from anyurl import URL, AsyncClient, Client, Policy, errors
from anyurl.access import Hop, Result
from anyurl.dialogue import AskSecret, Authorization, Connect, Describe, Follow, Login, Options, Request, Secret
from anyurl.errors import AnyURLError, URLSyntaxError
from anyurl.guard.limits import Limits
from anyurl.text import find
from tests.cli.runner import CLEAN, PROGRAM, run
from tests.rows import each_row
from tests.servers import WAIT_SECONDS, Connection, Server, reply

PLAIN, ENCODED, DECODED = "s3cr3t-pw", "s3cr3t%2Dpw%21", "s3cr3t-pw!"
BASIC = [base64.b64encode(f"joe:{word}".encode()).decode().rstrip("=") for word in (PLAIN, DECODED)]
LEAKS = ("s3cr3t", ENCODED, DECODED, *BASIC)


def leaks(text: str) -> list[str]:
    return [word for word in LEAKS if word in text]


def in_anyurl(error: BaseException) -> Any:
    """The traceback from the first frame of anyurl's on: the frames before it are the caller's own."""
    place = error.__traceback__
    package = os.path.dirname(anyurl.__file__)
    while place is not None and not place.tb_frame.f_code.co_filename.startswith(package):
        place = place.tb_next
    return place


def logged(value: object, error: BaseException | None = None) -> str:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    record = logging.LogRecord("x", logging.ERROR, "x", 1, "%s %r", (value, value), None)
    if error is not None:
        record.exc_info = (type(error), error, in_anyurl(error))
    handler.emit(record)
    return stream.getvalue()


def shown_by_rich(error: BaseException) -> str:
    from rich.console import Console
    from rich.traceback import Traceback

    console = Console(file=io.StringIO(), width=300)
    console.print(
        Traceback.from_exception(type(error), error, in_anyurl(error), show_locals=True, locals_max_string=None)
    )
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


WAYS: dict[str, Callable[[Any], str]] = {
    "repr": repr,
    "str": lambda value: "" if isinstance(value, URL) else str(value),  # the text of a URL is what str gives
    "format": lambda value: "" if isinstance(value, URL) else f"{value} {value!r:>20}",
    "in a list": lambda value: str([value, {"x": value}]),
    "pprint": pprint.pformat,
    "log": lambda value: logged(repr(value)),
    "json": lambda value: json.dumps({"x": value}, default=repr),
}

ERROR_WAYS: dict[str, Callable[[BaseException], str]] = {
    **WAYS,
    "log with traceback": lambda error: logged(error, error),
    "traceback": lambda error: "".join(traceback.format_exception(type(error), error, in_anyurl(error))),
    "traceback with values": lambda error: "".join(
        traceback.TracebackException(type(error), error, in_anyurl(error), capture_locals=True).format()
    ),
    "attributes": lambda error: repr(vars(error)),
    "pickle": lambda error: repr(pickle.dumps(error)),
    "copy": lambda error: repr(copy.copy(error)),
}


def urls(scheme: str, authority: str, path: str = "a") -> list[URL]:
    return [URL(f"{scheme}://joe:{word}@{authority}/{path}") for word in (PLAIN, ENCODED, "")]


def objects() -> Iterator[object]:
    for url in urls("ftp", "h"):
        yield url
        yield Hop(url, "301", True)
        yield Follow(url, "301")
        yield Result(url, None, errors.RefusedError(f"Refused: {url.masked}"))
        yield Result(str(url), None, None)
        yield Options()
        yield list(find(f"see <{url}>, please"))
        yield url.normalize()
        yield url.join("b")
        yield url.parts
        yield Policy.untrusted().judge_url(url.replace(port=25))
        yield anyurl.explain(str(url))
        yield anyurl.diagnose(str(url) + " x", "current")
    for word in (PLAIN, DECODED, ""):
        secret = Secret(word, "joe")
        yield secret
        yield AskSecret("h", "joe", "ftp password")
        yield Connect("h", 21, secret=secret)
        yield Request("GET", URL("http://h/"), "/", authorization=Authorization("Basic", secret, secret))
        yield Authorization("Basic", secret, secret)
        yield Login("joe", secret)
        yield Login.bearer(secret)
        yield Describe("document")


@pytest.mark.promise("passwords")
def test_no_object_shows_a_password() -> None:
    for value in objects():
        for way, show in WAYS.items():
            assert leaks(show(value)) == [], (way, type(value))


def test_passwords_look_alike_but_for_an_empty_one_of_a_url_which_is_no_secret() -> None:
    first, second, empty = urls("ftp", "h")
    assert repr(first) == repr(second) == "URL('ftp://joe:***@h/a')"
    assert repr(empty) == "URL('ftp://joe:@h/a')"
    assert repr(Secret("")) == repr(Secret(PLAIN)) == str(Secret("")) == "Secret(***)"


def test_a_secret_is_revealed_to_who_asks_and_is_never_written_down() -> None:
    assert Secret(PLAIN).reveal() == PLAIN
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(Secret(PLAIN))


# --- errors ----------------------------------------------------------------------------------------------------------


def silent(link: Connection) -> None:
    return


def garbage(link: Connection) -> None:
    link.send(b"\xff\x00\r\n" * 10)


def says_no(link: Connection) -> None:
    """Repeats what it is told, as some servers do, and takes no login."""
    link.send(b"220 ready\r\n")
    while line := link.line():
        link.send(b"331 a password\r\n" if line.startswith(b"USER") else b"530 no such login: " + line + b"\r\n")


def http_says_no(link: Connection) -> None:
    head = link.head()
    link.send(reply(head, 'WWW-Authenticate: Basic realm="x"', status="401 Unauthorized"))


SERVERS = {"silent": silent, "garbage": garbage, "says no": says_no, "http says no": http_says_no}
LIMITS = Limits(connect=1, idle=0.1, total=1)


@pytest.mark.promise("passwords")
@pytest.mark.parametrize("part", SERVERS)
@pytest.mark.parametrize("scheme", ["ftp", "ftps", "http", "https", "telnet"])
def test_no_error_shows_a_password(scheme: str, part: str) -> None:
    caught: list[AnyURLError] = []
    with Server(SERVERS[part]) as server, Client(Policy.open().replace(limits=LIMITS)) as client:
        for url in urls(scheme, server.authority):
            try:
                if scheme == "telnet":
                    with client.session(url) as session:
                        session.expect("never", timeout=0.05)
                else:
                    client.open(url).read()
            except AnyURLError as error:
                caught.append(error)
    for error in caught:
        _check(error)
    assert len(caught) == 3
    assert leaks(shown_by_rich(caught[0])) == []


def _check(error: AnyURLError) -> None:
    for way, show in ERROR_WAYS.items():
        assert leaks(show(error)) == [], (way, error)


@pytest.mark.parametrize("port", [1, 25])
@pytest.mark.parametrize("path", ["a", "%0D%0Aa", "a;type=x"])
def test_no_refusal_shows_a_password(port: int, path: str) -> None:
    with Client(Policy.default().replace(limits=LIMITS)) as client:
        for text in urls("ftp", f"127.0.0.1:{port}", "x"):
            with pytest.raises(AnyURLError) as caught:
                client.open(text.replace(path=f"/{path}"), "get")
            _check(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        f"ftp://joe:{PLAIN}@h:99999/",
        f"ftp://joe:{PLAIN}@h h/",
        f"http://joe:{PLAIN}\\@h/",
        f"gopher://joe:{PLAIN}@h/",
        f"ftp://joe:{ENCODED}@[::1/",
    ],
)
def test_what_is_no_url_is_not_repeated(text: str) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        URL(text)
    for way in ("repr", "str", "format", "in a list", "log", "traceback", "json"):  # the text itself stands in .text
        assert leaks(ERROR_WAYS[way](caught.value)) == [], way


def test_a_password_that_was_asked_for_is_in_no_error() -> None:
    asked: list[str] = []

    def answer(host: str, user: str, kind: str) -> Secret:
        asked.append(kind)
        return Secret(PLAIN)

    policy = Policy.open().replace(netrc=False)
    for scheme, part in (("ftp", says_no), ("http", http_says_no)):
        with Server(part) as server, Client(policy, ask_secret=answer) as client:
            with pytest.raises(AnyURLError) as caught:
                client.get(f"{scheme}://joe@{server.authority}/x")
            _check(caught.value)
    assert asked == ["ftp password", "http password"]


@pytest.mark.parametrize("scheme", ["ftp", "http", "telnet", "dict", "unknown"])
@pytest.mark.parametrize("port", [1, 25])
def test_no_error_of_a_url_that_was_given_as_text_shows_a_password(scheme: str, port: int) -> None:
    caught: list[AnyURLError] = []
    with Client(Policy.default().replace(limits=LIMITS)) as client:
        for url in map(str, urls(scheme, f"127.0.0.1:{port}")):
            ways = (anyurl.open, anyurl.get, client.open, client.get, client.stat, client.list, client.session)
            for way in ways:
                try:
                    way(url)
                except AnyURLError as error:
                    caught.append(error)
            caught += [result.error for result in client.map([url]) if result.error is not None]

    async def the_same() -> None:
        async with AsyncClient(Policy.default().replace(limits=LIMITS)) as client:
            for url in map(str, urls(scheme, f"127.0.0.1:{port}")):
                try:
                    await client.get(url)
                except AnyURLError as error:
                    caught.append(error)
                async for result in client.map([url]):
                    if result.error is not None:
                        caught.append(result.error)

    asyncio.run(the_same())
    assert len(caught) >= 3 * (3 if scheme == "telnet" else 10)  # to get a telnet URL is to be told of it
    for error in caught:
        _check(error)


# --- the command line ------------------------------------------------------------------------------------------------


@pytest.mark.promise("passwords")
@pytest.mark.parametrize("command", ["parse", "explain", "get", "ls", "stat", "put", "append", "search"])
@pytest.mark.parametrize("json_", [True, False])
def test_no_command_shows_a_password(command: str, json_: bool, tmp_path: Path) -> None:
    more = {"put": [str(tmp_path / "x")], "append": [str(tmp_path / "x")], "search": ["words"]}.get(command, [])
    (tmp_path / "x").write_bytes(b"x")
    flags = ["--json"] if json_ else []
    for url in (*urls("ftp", "127.0.0.1:1"), *urls("http", "127.0.0.1:1")):
        for extra in ([], ["--explain"], ["--policy", "untrusted"]):
            result = run(command, *flags, *extra, str(url), *more)
            assert leaks(result.stdout + result.stderr + repr(result.exception)) == [], (command, extra)


@each_row("word", [PLAIN, "s3cr3t/pw", "s3cr3t?pw", "s3cr3t#pw", "s3cr3t@pw", "s3cr3t pw", "s3cr3t%zz"])
@each_row(
    "form",
    [
        "ftp://joe:{}@h:x/",
        "https:/joe:{}@h/",
        "https:\\\\joe:{}@h/",
        "ftp:joe:{}@h/",
        "http://j@e:{}@h/",
        "http://joe%40x:{}@h%2f/",
        "URL:ftp://joe:{}@h/",
        "<URL:wais://joe:{}@h/>",
        "view-source:ftp://joe:{}@h/",
        "zz://joe:{}@[::1/",
        "mailto:joe:{}@h",
    ],
)
def test_no_command_shows_the_password_of_what_only_some_programs_take_for_a_url(form: str, word: str) -> None:
    text = form.format(word)
    if text.startswith("mailto:") and "#" in word:
        return  # a fragment, and before it what is no address and no login either
    for command in (
        ["parse"], ["parse", "--grammar", "browser"], ["parse", "--grammar", "rfc1738"], ["explain"],
        ["explain", "--policy", "untrusted"], ["get"],
    ):  # fmt: skip
        for flags in ([], ["--json"]):
            result = run(*command, *flags, "--", text)
            assert leaks(result.stdout + result.stderr + repr(result.exception)) == [], (command, flags)
    assert leaks(run("explain", "--svg", "--", text).stdout) == []


@pytest.mark.parametrize(
    "text",
    [
        f"http://h/http://joe:{PLAIN}@i/",
        f"http://h/?u=http%3A%2F%2Fjoe%3A{PLAIN}%40i%2F",
        f"gopher://h/0x?sip:joe:{PLAIN}@i",
        f"ftp://h/sip:joe:{PLAIN}@i",
    ],
)
def test_nor_is_that_of_a_url_within_a_url_in_what_would_be_sent(text: str) -> None:
    assert leaks(run("get", "--explain", text).stdout) == []


def test_what_holds_no_password_is_shown_as_it_is() -> None:
    (record,) = map(json.loads, run("parse", "--json", "file:///C:/a@b").stdout.splitlines())
    assert (record["text"], record["path"]) == ("file:///C:/a@b", "/C:/a@b")


def test_reveal_reveals() -> None:
    assert leaks(run("parse", "--json", "--reveal", f"ftp://joe:{PLAIN}@h/").stdout)


@pytest.mark.promise("passwords")
def test_what_is_got_as_json_names_its_url_without_the_password() -> None:
    with Server(lambda link: link.send(reply(link.head() and b"hello"))) as server:
        for url in urls("http", server.authority):
            result = run("get", "--json", str(url))
            assert (result.exit_code, leaks(result.stdout + result.stderr)) == (0, [])


@pytest.mark.promise("passwords")
@pytest.mark.needs("terminal")
def test_the_progress_line_has_no_password(tmp_path: Path) -> None:
    def slow(link: Connection) -> None:
        link.head()
        link.send(b"HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n")
        for _ in range(30):
            link.send(b"x" * 10_000)
            time.sleep(0.03)

    with Server(slow) as server:
        url = str(urls("http", server.authority)[0])
        child = pexpect.spawn(
            PROGRAM[0], [*PROGRAM[1:], "get", url, "-o", str(tmp_path / "file")], env=CLEAN, timeout=WAIT_SECONDS
        )
        child.expect(pexpect.EOF)
    assert leaks(child.before.decode()) == []
    assert (tmp_path / "file").stat().st_size == 300_000


@pytest.mark.promise("passwords")
@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep the list of processes elsewhere")
def test_the_list_of_processes_has_no_password() -> None:
    lines: list[bytes] = []
    child: list[subprocess.Popen[bytes]] = []

    def look(link: Connection) -> None:
        link.head()
        lines.append(Path(f"/proc/{child[0].pid}/cmdline").read_bytes())
        link.send(reply(b"hello"))

    for number in (1, 2):  # percent-encoded, and empty
        with Server(look) as server:
            url = str(urls("http", server.authority)[number])
            child[:] = [subprocess.Popen([*PROGRAM, "get", url], env=CLEAN, stdout=subprocess.PIPE)]
            output, _ = child[0].communicate(timeout=30)
            assert output == b"hello"
            shown = lines.pop().split(b"\0")[len(PROGRAM) :]
            word = url.partition("joe:")[2].partition("@")[0]
            assert shown == [b"get", url.replace(word, "*" * len(word)).encode() if word else url.encode(), b""]
