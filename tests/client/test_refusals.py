"""What is refused whatever the policy says has a verdict too: each code, as a program meets it."""

from __future__ import annotations

import logging
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import requests

from anyurl import Client, Policy
from anyurl.adapters.requests import session
from anyurl.client.judgement import judge
from anyurl.errors import ConnectError, LocalFileError, RefusedError, SchemeError, Verdict
from anyurl.guard.options import named_policy
from anyurl.guard.policy_file import PRESETS
from anyurl.guard.verdict import CODES, UNJUDGED
from anyurl.mcp.pages import Pages
from anyurl.testing import SmallNetwork
from anyurl.url import URL
from tests.client.test_consent import ARTICLE
from tests.mcp.test_tools import facts, use
from tests.rows import each_row
from tests.saving.test_mirror import PAGES, Web
from tests.servers import Connection, Server

pytestmark = pytest.mark.promise("refusal")

BROKEN = [
    "ftp://93.184.216.34/a%0Ab", "ftp://93.184.216.34/a%00b", "ftp://a%0Db@93.184.216.34/", "news:a%0Ab@c",
    "nntp://93.184.216.34/a%20b/1", "gopher://93.184.216.34/0a%09b%09c%09d", "wais://93.184.216.34/a%40b?c",
    "file:///a%2Fb", "file:///a%00b", "dict://93.184.216.34/d:a%0Ab", "telnet://93.184.216.34/%00",
    "mailto:-a@example.org",
]  # fmt: skip


@each_row("text", BROKEN)
@each_row("preset", PRESETS)
def test_a_handler_that_reads_the_code_of_any_url_never_fails(text: str, preset: str) -> None:
    for verb in (Client.get, Client.list, Client.stat, Client.open):
        with Client(named_policy(preset), network=SmallNetwork({})) as client:
            try:
                verb(client, text)
            except RefusedError as error:
                assert error.verdict.code in CODES
                assert not error.verdict
                assert pickle.loads(pickle.dumps(error)).verdict == error.verdict
            except (SchemeError, ConnectError, LocalFileError):  # no such verb, server, file
                pass


def test_explain_says_the_same_as_the_refusal() -> None:
    url = URL("ftp://93.184.216.34/a%0Ab")
    with Client() as client, pytest.raises(RefusedError) as caught:
        client.get(url)
    assert judge(url, Policy.default()).verdict == caught.value.verdict
    assert (caught.value.verdict.code, caught.value.verdict.subject) == ("octets", "ftp")


def consent(_folder: Path) -> None:
    with Server(lambda connection: None) as server:
        policy = Policy.open().replace(allow_ports=(server.port,))
        with Client(policy, news_server=server.authority, identity="me@example.org") as client:
            client.append("news:a.b", ARTICLE)


def login(_folder: Path) -> None:
    with Client() as client:
        client.get("dict://joe;KERBEROS@127.0.0.1/d:word")


def octets(_folder: Path) -> None:
    with Client() as client:
        client.get("ftp://127.0.0.1/a%0Ab")


def peer(_folder: Path) -> None:
    opened = session(Policy.default())
    opened.mount("http://", requests.adapters.HTTPAdapter())
    opened.get("http://127.0.0.1/")


def robots(folder: Path) -> None:
    with Server(Web(PAGES, b"User-agent: *\nDisallow: /d/sub\n")) as server, Client() as client:
        list(client.mirror(f"http://{server.authority}/d/sub/", folder))


def cursor(_folder: Path) -> None:
    Pages(100).next("no-such-cursor")


def by_model(call: Callable[[Any], Any]) -> None:
    """Raise what a tool answered, which is a verdict as well."""
    told = facts(use(call))
    raise RefusedError(told["sentence"], code=told["code"])


def refused(_folder: Path) -> None:
    raise RefusedError("A plug-in says no.")


KINDS: dict[str, Callable[[Path], None]] = {
    "octets": octets, "consent": consent, "login": login, "peer": peer, "robots": robots, "cursor": cursor,
    "write": lambda _: by_model(lambda tools: tools.fetch("http://127.0.0.1/", "file")),
    "file-write": lambda _: by_model(lambda tools: tools.put("file:///x", "y")),
    "refused": refused,
}  # fmt: skip


@pytest.mark.parametrize("code", KINDS)
def test_each_code_is_met(code: str, tmp_path: Path) -> None:
    with pytest.raises(RefusedError) as caught:
        KINDS[code](tmp_path)
    verdict = caught.value.verdict
    assert isinstance(verdict, Verdict)
    assert (verdict.code, verdict.allowed) == (code, False)
    assert verdict.message
    assert not verdict.message.endswith(".")


def test_no_code_is_left_out() -> None:
    assert KINDS.keys() == UNJUDGED.keys()


class Redirects:
    """A web server whose every page leads to one URL."""

    def __init__(self, location: str) -> None:
        self._location = location

    def __call__(self, connection: Connection) -> None:
        while connection.head():
            connection.send(f"HTTP/1.1 302 x\r\nLocation: {self._location}\r\nContent-Length: 0\r\n\r\n".encode())


@pytest.mark.parametrize(
    ("location", "code"),
    [
        ("ftp://joe:s3cret@h.example/x", "redirect-scheme"),
        ("data:,x", "data-hop"),
        ("file:///etc/passwd", "file-hop"),
        ("http://joe:s3cret@billing.internal/a?b=c", "address-hop"),
        ("http://public.example:25/a", "port-service"),
        ("http://joe:s3cret@169.254.169.254/latest/", "address-link-hop"),
    ],
)
def test_a_refused_redirect_names_where_it_leads(location: str, code: str) -> None:
    with Server(Redirects(location)) as server:
        network = SmallNetwork(
            {"public.example": ["93.184.216.34"], "billing.internal": ["10.0.0.42"]},
            {("93.184.216.34", 80): ("127.0.0.1", server.port)},
        )
        with Client(Policy.default(), network=network) as client, pytest.raises(RefusedError) as caught:
            client.get("http://public.example/")
    told = str(caught.value)
    assert caught.value.verdict.code == code
    assert URL(location).replace(user=None, password=None).masked.removeprefix("http:") in told.replace("joe:***@", "")
    assert "s3cret" not in told
    if code == "address-hop":
        assert "billing.internal has the address 10.0.0.42, which is in 10.0.0.0/8" in told
        assert caught.value.verdict.subject == "billing.internal"


def test_a_proxy_that_a_guarded_session_is_given_is_refused_with_a_verdict() -> None:
    with pytest.raises(RefusedError) as caught:
        session(Policy.default()).get("http://127.0.0.1/", proxies={"http": "http://127.0.0.1:9"})
    assert (caught.value.verdict.code, isinstance(caught.value, requests.RequestException)) == ("proxy", True)


@pytest.mark.parametrize("policy", [Policy.untrusted(), Policy.default().replace(deny_nets=["10.0.0.0/8"])])
def test_the_refusal_of_a_name_names_it_and_its_address(policy: Policy, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "anyurl.guard")
    network = SmallNetwork({"billing.internal": ["93.184.216.34", "10.0.0.42"]})
    with Client(policy, network=network) as client, pytest.raises(RefusedError) as caught:
        client.get("http://Billing.internal/")
    assert str(caught.value).startswith("Refused: billing.internal has the address 10.0.0.42, which is in 10.0.0.0/8")
    assert caught.value.verdict.subject == "billing.internal"
    assert any("billing.internal has the address 10.0.0.42" in line for line in caplog.messages)
