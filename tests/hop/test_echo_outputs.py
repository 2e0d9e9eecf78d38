"""A password that a server writes into the URL that it redirects to stands in nothing that is written anywhere."""

from __future__ import annotations

import base64
import json
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, unquote, unquote_plus

import pytest

from anyurl import AnyURLError, Client, Login, Policy, Secret
from anyurl.mcp.tools import Tools
from anyurl.web.visits import Visits
from tests.cli.runner import run
from tests.mcp.conftest import LOCAL, use
from tests.servers import Connection, Server, reply
from tests.web.running import running

pytestmark = pytest.mark.promise("hop")

PASSWORD = "pa55 w0rd?/+"


def base64_of(user: str) -> str:
    return base64.b64encode(f"{user}:{PASSWORD}".encode()).decode()


def each_octet(text: str) -> str:
    return "".join(f"%{ord(char):02x}" for char in text)


FORMS = {
    "encoded": quote(PASSWORD, safe=""),
    "lower case": re.sub("%..", lambda found: found[0].lower(), quote(PASSWORD, safe="?/+")),
    "each octet": each_octet(PASSWORD),
    "twice": quote(quote(PASSWORD, safe=""), safe=""),
    "form": quote(PASSWORD, safe=" ").replace(" ", "+"),
    "login": base64_of("joe"),
    "login of another": base64_of("jo"),
    "login of a third": base64_of("j").rstrip("="),
    "login for URLs": base64_of("joe").replace("+", "-").replace("/", "_"),
    "encoded login": quote(base64_of("joe"), safe=""),
}
"""How a server may write it."""

PLACES = {
    "query": "/?q={}&a=b",
    "path": "/{}/x",
    "last segment": "/x/{}",
    "fragment": "/x#{}",
    "user": "//{}@",
    "password": "//joe:{}@",
    "nested": "/?u=http%3A%2F%2Fh%2F{}",
}
"""Where it may write it."""

PAGE = b'<a href="next">next</a> <a href="/other">other</a>'


def shown(text: str) -> list[str]:
    """The forms of the password that stand in a text, however it is encoded."""
    texts = {text}
    for decode in (unquote, unquote_plus) * 3:
        texts |= {decode(each) for each in texts}
    found = [PASSWORD] if any(PASSWORD in each for each in texts) else []
    found += [form for form in FORMS.values() if form in text]
    for word in {word for each in texts for word in re.findall(r"[A-Za-z0-9+/_-]{8,}", each) if len(word) < 100}:
        for start in range(len(word)):
            whole = word[start:].translate({45: 43, 95: 47})
            if PASSWORD.encode() in base64.b64decode(whole[: len(whole) // 4 * 4]):
                found.append(word)
    return found


@contextmanager
def echoed(
    place: str, form: str, answer: Callable[[Connection], None] | None = None, to: str | None = None, home: bool = False
) -> Iterator[str]:
    """The authority of a server that is given the password, and leads to a URL that has it.

    Args:
        answer: What the server there does; it sends a page if None.
        to: Where it is, if that is no server of ours.
        home: It is the same server, and the URL is below the one that was asked for.
    """

    def there(link: Connection) -> None:
        while link.head():
            link.send(reply(PAGE, "Content-Type: text/html"))

    def leading(link: Connection) -> None:
        while head := link.head():
            if head.startswith(b"GET /robots.txt "):
                link.send(reply(b"", status="404 Not Found"))
            elif base64_of("joe").encode() not in head:
                link.send(reply(b"", 'WWW-Authenticate: Basic realm="r"', status="401 Unauthorized"))
            elif home and not head.startswith((b"GET /a/ ", b"HEAD /a/ ")):
                link.send(reply(PAGE, "Content-Type: text/html"))
            else:
                link.send(reply(b"", f"Location: {location}", status="302 Found"))

    with Server(answer or there) as target:
        authority = to or target.authority
        said = PLACES[place].replace("{}", FORMS[form])
        location = f"http:{said}{authority}/" if said.startswith("//") else f"http://{authority}{said}"
        with Server(leading) as server:
            if home:
                location = f"/a{said}" if said[1] != "?" else f"/a/b{said[1:]}"
            yield server.authority


def missing(link: Connection) -> None:
    while link.head():
        link.send(reply(b"", status="404 Not Found"))


def silent(link: Connection) -> None:
    link.head()


def written(folder: Path) -> str:
    """The names and the content of all files of a folder."""
    files = list(folder.rglob("*"))
    return "\n".join([*map(str, files), *(path.read_bytes().decode("latin-1") for path in files if path.is_file())])


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Callable[[], str]:
    caplog.set_level(logging.DEBUG, "anyurl")
    return lambda: "\n".join(record.getMessage() for record in caplog.records)


LOGIN = f"joe:{quote(PASSWORD, safe='')}@"


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("form", FORMS)
def test_a_resource_shows_no_password_but_in_its_url(place: str, form: str, log: Callable[[], str]) -> None:
    told = []
    with echoed(place, form) as authority, Client(Policy.default()) as client:
        try:
            with client.get(f"http://{LOGIN}{authority}/a") as resource:
                told += [repr(resource), resource.url.masked, resource.url.display, *resource.notes]
                told += [hop.url.masked for hop in resource.history]
                told += [resource.url.join(each).masked for each in ("next", "?a", "#b")]
                resource.read()
        except AnyURLError as error:  # where it makes no URL, or another host
            told += [str(error), *map(str, vars(error).values()), *getattr(error, "__notes__", ())]
    assert told
    assert shown("\n".join([*told, log()])) == []


@pytest.mark.parametrize("answer", [missing, silent, None], ids=["missing", "silent", "refused"])
@pytest.mark.parametrize("place", ["query", "path", "fragment", "user"])
@pytest.mark.parametrize("form", ["encoded", "lower case", "login"])
def test_an_error_beyond_a_redirect_shows_no_password(
    answer: Callable[[Connection], None] | None, place: str, form: str, log: Callable[[], str]
) -> None:
    to = "127.0.0.1:25" if answer is None else None  # a port that the policy refuses
    with echoed(place, form, answer, to) as authority:
        results = [run(*words, f"http://{LOGIN}{authority}/a") for words in (("get", "-v"), ("get", "--json"))]
    for result in results:
        assert result.exit_code != 0
        assert shown(result.output + result.stderr + result.stdout) == []
    assert shown(log()) == []


@pytest.mark.parametrize("heard", [False, True], ids=["nobody listens", "logged"])
@pytest.mark.parametrize("way", ["URL", "asked", "login", "field"])
def test_it_is_masked_however_it_was_given(way: str, heard: bool, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG if heard else logging.WARNING, "anyurl")
    with echoed("query", "lower case") as authority:
        url, options, fields = f"http://{authority}/a", {}, {}
        if way == "URL":
            url = f"http://{LOGIN}{authority}/a"
        elif way == "asked":
            url, options = f"http://joe@{authority}/a", {"ask_secret": lambda *_: Secret(PASSWORD)}
        elif way == "login":
            options = {"auth": {f"http://{authority}": Login("joe", PASSWORD)}}
        else:
            fields = {"Authorization": f"Basic {base64_of('joe')}"}
        with Client(Policy.default(), **options) as client, client.get(url, headers=fields) as resource:  # type: ignore[arg-type]
            assert resource.url.masked.endswith("/?q=***&a=b")
    assert shown(caplog.text) == []


COMMANDS = {
    "get": ("get", "-v"),
    "get --json": ("get", "--json"),
    "stat": ("stat",),
    "stat --json": ("stat", "--json"),
    "ls": ("ls", "-v"),
    "ls --json": ("ls", "--json"),
    "check": ("check", "--recursive", "--depth", "2", "--state", "state"),
    "check --json": ("check", "--json", "--recursive", "--depth", "2", "--state", "state"),
    "mirror": ("mirror",),
    "mirror --json": ("mirror", "--json"),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("place", "home"),
    [("user", False), ("query", False), *((place, True) for place in ("query", "path", "last segment", "fragment"))],
)
@pytest.mark.parametrize("form", ["encoded", "login"])
def test_a_command_writes_no_password(
    command: str,
    place: str,
    home: bool,
    form: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    log: Callable[[], str],
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text(f'machine 127.0.0.1 login joe password "{PASSWORD}"\n')
    netrc.chmod(0o600)
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    with echoed(place, form, home=home) as authority:
        more = ["mirrored"] if command.startswith("mirror") else []
        result = run(*COMMANDS[command], f"http://{LOGIN}{authority}/a/", *more, env={"NETRC": str(netrc)})
    assert "***" in result.output + log()
    assert shown(result.stdout + result.stderr + log()) == []
    assert shown(written(folder)) == []


@pytest.mark.parametrize("form", ["encoded", "login"])
@pytest.mark.parametrize(
    ("place", "paths"),
    [
        ("query", {"/a/next": "ok", "/other": "ok"}),
        ("last segment", {"/a/x/next": "ok", "/other": "ok"}),
        ("fragment", {"/a/next": "ok", "/other": "ok"}),
        ("path", {"/a/***/next": "not-checkable", "/other": "ok"}),
    ],
)
def test_check_tells_of_each_link_of_the_page_and_asks_for_those_without_the_password(
    place: str, paths: dict[str, str], form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text(f'machine 127.0.0.1 login joe password "{PASSWORD}"\n')
    netrc.chmod(0o600)
    monkeypatch.chdir(tmp_path)
    with echoed(place, form, home=True) as authority:
        words = ["check", "--json", "--recursive", "--state", "state", f"http://{LOGIN}{authority}/a/"]
        result = run(*words, env={"NETRC": str(netrc)})
    told = [json.loads(line) for line in result.stdout.splitlines()]
    assert {each["url"].partition(authority)[2]: each["outcome"] for each in told if each["url"][-3:] != "/a/"} == paths
    assert len(told) == 3
    assert shown(result.output + written(tmp_path / "state")) == []


@pytest.mark.parametrize("place", ["query", "path", "last segment"])
@pytest.mark.parametrize("form", ["encoded", "login"])
def test_the_pages_and_the_files_of_the_gateway_show_no_password(
    place: str, form: str, tmp_path: Path, log: Callable[[], str]
) -> None:
    with echoed(place, form, home=True) as authority, running(visits=Visits(str(tmp_path))) as browser:
        page = browser.go(f"http://{LOGIN}{authority}/a/")
        pages = [page, browser.get(browser.base), *(browser.get(link) for link in page.links.values())]
        assert "***" in page.text
        with_file = written(tmp_path)
    assert authority in with_file
    assert shown("\n".join([with_file, log(), *(each.text + str(each.headers) for each in pages)])) == []


@pytest.mark.parametrize("tool", ["fetch", "list", "check_url"])
@pytest.mark.parametrize("place", ["query", "path", "last segment", "user"])
@pytest.mark.parametrize("form", ["encoded", "login"])
def test_the_tools_answer_no_password(tool: str, place: str, form: str, log: Callable[[], str]) -> None:
    with echoed(place, form, home=place != "user") as authority:

        async def work(tools: Tools) -> str:
            return (await getattr(tools, tool)(f"http://{LOGIN}{authority}/a/")).model_dump_json()

        answered: str = use(work, LOCAL.replace(allow_disguise=True))
    assert "***" in answered
    assert shown(answered + log()) == []
