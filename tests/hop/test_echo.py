"""A server that was given a password writes it into the URL that it redirects to: nothing that is told shows it."""

from __future__ import annotations

import base64
import gzip
import logging
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from anyurl import Client, Login, Policy, Secret
from tests.cli.runner import run
from tests.servers import Connection, Server, reply

pytestmark = pytest.mark.promise("hop")

PASSWORD = "pa55 w0rd/+"
LOGIN = base64.b64encode(f"joe:{PASSWORD}".encode()).decode()
FORMS = (PASSWORD, quote(PASSWORD, safe=""), quote(PASSWORD, safe="/+"), LOGIN, LOGIN.rstrip("="))
"""How a server may write it; the last is what the dialogue itself sent."""

ECHOES = {"query": "/?joe:{}", "path": "/{}/x", "plain query": "/?q={}&again={}"}

WAYS = ("URL", "asked", "login", "field")


def leading(to: str) -> Callable[[Connection], None]:
    def part(link: Connection) -> None:
        while head := link.head():
            if LOGIN.encode() not in head:
                link.send(reply(b"", 'WWW-Authenticate: Basic realm="r"', status="401 Unauthorized"))
            else:
                link.send(reply(b"", f"Location: {to}", status="302 Found"))

    return part


def there(link: Connection) -> None:
    while link.head():
        link.send(reply(b"here"))


def shown(text: str) -> list[str]:
    return [form for form in FORMS if form in text]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("echo", ECHOES)
@pytest.mark.parametrize("form", [quote(PASSWORD, safe=""), LOGIN], ids=["encoded", "login"])
def test_nothing_that_is_told_of_a_hop_shows_what_was_sent(
    way: str, echo: str, form: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "anyurl")
    lines: list[str] = []
    archive = tmp_path / "a.warc.gz"
    with Server(there) as target:
        to = f"http://{target.authority}" + ECHOES[echo].replace("{}", form)
        with Server(leading(to)) as server:
            url = f"http://{server.authority}/a"
            options: dict[str, object] = {}
            fields: dict[str, str] = {}
            if way == "URL":
                url = url.replace("//", f"//joe:{quote(PASSWORD, safe='')}@")
            elif way == "asked":
                url = url.replace("//", "//joe@")
                options["ask_secret"] = lambda *_: Secret(PASSWORD)
            elif way == "login":
                options["auth"] = {f"http://{server.authority}": Login("joe", PASSWORD)}
            else:
                fields = {"Authorization": f"Basic {LOGIN}"}
            client = Client(Policy.default(), trace=lines.append, warc=archive, **options)  # type: ignore[arg-type]
            with client, client.get(url, headers=fields) as resource:
                assert resource.read() == b"here"
    told = "\n".join(lines)
    assert "It leads to" in told
    assert shown(told) == []
    assert shown(gzip.decompress(archive.read_bytes()).decode("latin-1")) == []
    ours = [record.getMessage() for record in caplog.records if record.name == "anyurl.access"]
    assert any(" leads to " in line for line in ours)
    assert shown("\n".join(ours)) == []


def test_the_command_shows_no_password_in_what_a_redirect_leads_to() -> None:
    with Server(there) as target:
        with Server(leading(f"http://{target.authority}/?joe:{quote(PASSWORD, safe='')}")) as server:
            login = f"joe:{quote(PASSWORD, safe='')}@"
            result = run("get", "-v", f"http://{login}{server.authority}/a")
    assert result.exit_code == 0
    assert "It leads to" in result.stderr
    assert shown(result.stderr + result.stdout) == []
