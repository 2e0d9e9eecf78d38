"""The tools: what they answer, what they never do, and the whole corpus of URLs that reach where they should not."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, get_args
from unittest import mock

import pytest

from anyurl.access import AsyncClient
from anyurl.errors import ConnectError, RefusedError
from anyurl.guard.policy import Policy
from anyurl.mcp import tools as tools_module
from anyurl.mcp.tools import Rights, Tools, restricted
from anyurl.text import formats
from anyurl.text.readers.registry import find_reader
from anyurl.world import World
from tests.mcp.conftest import LOCAL, Web, content, facts, use
from tests.net import ssrf
from tests.net.ssrf import CASES, Attempt, Internet, Score

PLAIN = "Content-Type: text/plain"


# --- what they answer ------------------------------------------------------------------------------------------------


def test_a_text_says_where_it_comes_from(web: Web) -> None:
    web.page("/b", "hello\x1b[2J\n", PLAIN)
    url = web.page("/a", "", "Location: /b", status=301)
    answered = use(lambda tools: tools.fetch(url))
    told = facts(answered)
    assert content(answered) == "hello\\x1b[2J"
    assert (told["url"], told["asked"], told["untrusted"], told["status"]) == ("[1]", url, True, 200)
    assert f"\n[1] {web.root}/b\n</untrusted" in answered.content[2].text
    assert told["redirected_by"] == [{"url": url, "reason": "301"}]
    assert (told["provenance"]["host"], told["provenance"]["scope"]) == ("127.0.0.1", "local")
    assert (told["cursor"], told["complete"]) == (None, True)


def test_html_becomes_markdown_unless_it_is_wanted_itself(web: Web) -> None:
    html = "<title>T</title><h1>Head</h1><a href='x'>link</a>"
    url = web.page("/a", html, "Content-Type: text/html")
    assert content(use(lambda tools: tools.fetch(url))) == f"T\n\n# Head\n\n[link]({web.root}/x)"
    assert content(use(lambda tools: tools.fetch(url, "text"))) == html


def test_a_long_text_comes_in_pages_and_is_fetched_once(web: Web) -> None:
    url = web.page("/a", "".join(f"line {number}\n" for number in range(1000)), PLAIN)

    async def work(tools: Tools) -> list[Any]:
        found = [await tools.fetch(url)]
        while facts(found[-1])["cursor"]:
            found.append(await tools.fetch(url, cursor=facts(found[-1])["cursor"]))
        return found

    pages = use(work, page=2000)
    assert len(pages) > 4
    assert "\n".join(map(content, pages)).split("\n") == [f"line {number}" for number in range(1000)]
    assert web.asked == ["/robots.txt", "/a"]


def test_what_is_too_long_says_so(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools_module, "MAX_TEXT_OCTETS", 10)
    url = web.page("/a", "x" * 100, PLAIN)
    answered = use(lambda tools: tools.fetch(url))
    assert (facts(answered)["complete"], content(answered)) == (False, "x" * 10)


@pytest.mark.parametrize(
    ("body", "type", "is_text"),
    [
        (b"\x89PNG\r\n\x1a\n\0", "image/png", False),
        (b"{}", "application/json", True),
        (b"<a/>", "image/svg+xml", True),
        (b"plain", "application/octet-stream", True),
        (b"pl\0ain", "application/octet-stream", False),
        (b"pl\xffain and more", "application/octet-stream", True),
        (b"%PDF-1.7", "application/pdf", False),
    ],
)
def test_what_is_no_text_is_described(web: Web, body: bytes, type: str, is_text: bool) -> None:
    url = web.page("/a", body, f"Content-Type: {type}")
    told = facts(use(lambda tools: tools.fetch(url)))
    assert told["format"] == ("text" if is_text else "none")
    assert is_text or "--allow-write" in told["note"]


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World(["http", "gopher", "ftp", "news", "wais", "prospero", "telnet"]) as world:
        yield world


@pytest.mark.parametrize("scheme", ["http", "gopher", "ftp", "news", "wais", "prospero"])
def test_every_scheme_is_fetched(world: World, scheme: str) -> None:
    policy = LOCAL.replace(allow_ports=[url.port for url in world.roots.values() if url.port])
    url = str(world.urls[scheme])
    answered = use(lambda tools: tools.fetch(url), policy)
    assert facts(answered)["ok"], facts(answered)
    assert facts(answered)["kind"] == "document"


@pytest.mark.parametrize("scheme", ["gopher", "ftp"])
def test_a_listing_is_a_line_for_each(world: World, scheme: str) -> None:
    url = str(world.roots[scheme])
    for answered in (use(lambda tools: tools.list(url)), use(lambda tools: tools.fetch(url))):
        entries = [json.loads(line) for line in content(answered).splitlines()]
        assert {"motd.txt", "index.html"} <= {entry["name"] for entry in entries}
        assert facts(answered)["format"] == "entries"


def test_an_index_is_searched(world: World) -> None:
    async def work(tools: Tools) -> Any:
        listed = content(await tools.list(str(world.roots["gopher"]))).splitlines()
        index = next(entry for entry in map(json.loads, listed) if entry.get("kind") == "index")
        return await tools.search(index["url"], "locator")

    found = [json.loads(line) for line in content(use(work)).splitlines()]
    assert any("/pub/notes.txt" in entry["url"] for entry in found), found


def test_a_long_listing_ends(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools_module, "MAX_ENTRIES", 2)
    answered = use(lambda tools: tools.list(str(world.roots["ftp"])))
    assert (facts(answered)["complete"], len(content(answered).splitlines())) == (False, 2)


def test_urls_are_found_and_judged() -> None:
    text = "see <URL:ftp://joe:s3cr3t@public.example/x>, http://10.0.0.1/ and javascript:alert(1)"
    answered = use(lambda tools: tools.find_urls(text))
    found = {one["url"]: one["code"] for one in map(json.loads, content(answered).splitlines())}
    assert found == {
        "ftp://joe:***@public.example/x": "allowed", "http://10.0.0.1/": "address-private",
        "javascript:alert(1)": "scheme-not-allowed",
    }  # fmt: skip
    assert {"ok": True, "found": 3, "untrusted": True}.items() <= facts(answered).items()
    relative = use(lambda tools: tools.find_urls("<a href='x'>", "html", "http://h.example/a/"))
    assert json.loads(content(relative))["url"] == "http://h.example/a/x"


def test_urls_are_found_in_every_kind_of_text() -> None:
    readers = [(name, find_reader(name)) for name in formats()]
    wanted = {"auto", *(name for name, reader in readers if reader is None or reader.unpack is None)}
    assert set(get_args(tools_module.TextFormat)) == wanted
    answered = use(lambda tools: tools.find_urls(r'{"a": "http:\/\/h.example\/?a\u0026b"}', "json"))
    assert json.loads(content(answered))["url"] == "http://h.example/?a&b"


def test_what_is_no_url_as_it_stands_is_found_on_request() -> None:
    text = "http://me:s3cr3t@h.example/{id} hxxp://10.0.0[.]1/ http://xn--pypal-4ve.com/"
    answered = use(lambda tools: tools.find_urls(text, also=("templates", "refang")))
    found = [json.loads(line) for line in content(answered).splitlines()]
    assert [(one["kind"], one["url"], one["allowed"], one["code"]) for one in found] == [
        ("template", None, False, "template"),
        ("defanged", "http://10.0.0.1/", False, "address-private"),
        ("url", "http://xn--pypal-4ve.com/", True, "allowed"),
    ]
    assert [one["lookalike"] is None for one in found] == [True, True, False]
    broken = content(use(lambda tools: tools.find_urls("<a href='http://h:99999/'>", "html", also=("malformed",))))
    assert [json.loads(broken)[name] for name in ("kind", "url", "allowed", "code")] == [
        "malformed", None, False, "malformed",
    ]  # fmt: skip
    assert "s3cr3t" not in content(answered)
    assert len(content(use(lambda tools: tools.find_urls(text))).splitlines()) == 1


def test_a_url_is_explained_without_its_password() -> None:
    told = facts(use(lambda tools: tools.explain_url("http://joe:s3cr3t@good.example\\@evil.example/")))
    assert told["host_differs"] is True
    assert "s3cr3t" not in json.dumps(told)
    (first, *_) = told["readings"]
    assert (first["grammar"], first["accepted"]) == ("current", False)
    assert first["diagnostics"][0]["section"].startswith("RFC")
    assert [{*one} for one in told["differences"]] == [{"component", "loud", "message"}] * len(told["differences"])
    (host, *_) = told["differences"]
    assert (host["component"], host["loud"]) == ("host", True)
    assert host["message"].startswith("the host is read differently")


@pytest.mark.parametrize(
    ("url", "came_from", "code", "allowed"),
    [
        ("http://public.example/", None, "allowed", True),
        ("http://10.0.0.1/", None, "address-private", False),
        ("ftp://public.example/a%0d%0aDELE%20x", None, "octets", False),
        ("http://public.example/", "https://other.example/", "clear-hop", False),
        ("file:///etc/passwd", None, "file", False),
        ("telnet://public.example/", None, "service", False),
    ],
)
def test_a_url_is_checked_without_asking_anybody(url: str, came_from: str | None, code: str, allowed: bool) -> None:
    told = facts(use(lambda tools: tools.check_url(url, came_from), restricted(Policy.untrusted())))
    assert (told["code"], told["allowed"]) == (code, allowed)
    assert allowed or told["remedy"] or told["message"]


@pytest.mark.promise("internal-host")
@pytest.mark.parametrize("options", [{"allow_nets": ["10.0.0.42/32"]}, {"allow_private": True}])
def test_what_the_operator_opened_is_open_to_the_urls_that_no_page_named(options: dict[str, Any]) -> None:
    policy, url = restricted(Policy.untrusted().replace(**options)), "http://10.0.0.42/"
    assert facts(use(lambda tools: tools.check_url(url), policy))["allowed"]
    told = facts(use(lambda tools: tools.check_url(url, "http://public.example/page"), policy))
    assert (told["allowed"], told["code"]) == (False, "address-hop")
    for base in (None, "http://public.example/page"):
        found = use(lambda tools, base=base: tools.find_urls(f"see {url}", base=base), policy)
        assert json.loads(content(found))["code"] == "address-hop", base


@pytest.mark.promise("internal-host")
def test_a_page_that_names_an_internal_url_does_not_get_it_fetched(web: Web) -> None:
    told = facts(use(lambda tools: tools.fetch(web.root + "/secret", came_from="http://public.example/page")))
    assert (told["ok"], told["code"]) == (False, "address-hop")


def test_every_failure_is_a_verdict(web: Web) -> None:
    for url, code in (
        ("no url", "no-url"),
        ("nosuch://h/", "scheme-not-allowed"),
        (web.root + "/gone", "not-found"),
        ("http://127.0.0.1:1/", "port-service"),
        ("file:///etc/passwd", "file"),
        ("mailto:a@public.example", "ok"),
    ):
        told = facts(use(lambda tools, url=url: tools.fetch(url)))
        assert told.get("code", "ok") == code, told


def test_a_fault_of_ours_tells_no_more_than_its_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("s3cr3t")

    monkeypatch.setattr(tools_module, "judge", broken)
    answered = use(lambda tools: tools.check_url("http://h/"))
    assert (facts(answered)["code"], answered.is_error) == ("failed", True)
    assert "ZeroDivisionError" in facts(answered)["sentence"]
    assert "s3cr3t" not in str(answered)


# --- what they never do ----------------------------------------------------------------------------------------------


@pytest.mark.promise("tools-for-models")
def test_no_file_is_written_unasked(web: Web) -> None:
    url = web.page("/a", "x", PLAIN)
    assert facts(use(lambda tools: tools.fetch(url, "file")))["code"] == "write"
    assert web.heads == []


def test_a_file_is_saved_in_the_folder(web: Web, tmp_path: Path) -> None:
    url = web.page("/a.txt", "content", PLAIN)
    told = facts(use(lambda tools: tools.fetch(url, "file"), folder=str(tmp_path)))
    assert (told["saved"], told["size"], told["format"]) == ("a.txt", 7, "file")
    assert (tmp_path / "a.txt").read_text() == "content"


@pytest.mark.promise("tools-for-models")
@pytest.mark.parametrize(
    ("name", "saved"),
    [
        ("../evil", "evil"), ("/etc/evil", "evil"), ("a/b/evil", "evil"), ("..", "index"), ("", "index"),
        (".bashrc", "_.bashrc"), ("-rf", "_-rf"), ("..\\evil", "evil"), ("a\x1b[2J", "a%1B[2J"),
    ],
)  # fmt: skip
def test_no_name_leads_out_of_the_folder(web: Web, tmp_path: Path, name: str, saved: str) -> None:
    url = web.page("/a.txt", "content", PLAIN)
    inside = tmp_path / "inside"
    inside.mkdir()
    told = facts(use(lambda tools: tools.fetch(url, "file", name), folder=str(inside)))
    assert told["saved"] == saved
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()] == [
        f"inside/{saved}"
    ]


@pytest.mark.promise("tools-for-models")
@pytest.mark.parametrize("kind", ["file", "link", "dangling link", "pipe", "folder", "device"])
def test_what_has_the_name_stays_as_it_is(web: Web, tmp_path: Path, kind: str) -> None:
    url = web.page("/a", "content", PLAIN)
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    taken = inside / "a"
    if kind == "file":
        taken.write_text("old")
    elif kind == "link":
        outside.write_text("old")
        taken.symlink_to(outside)
    elif kind == "dangling link":
        taken.symlink_to(outside)
    elif kind == "pipe":
        os.mkfifo(taken)
    elif kind == "device":
        taken.symlink_to("/dev/null")
    else:
        taken.mkdir()
    before = taken.lstat().st_ino
    told = facts(use(lambda tools: tools.fetch(url, "file"), folder=str(inside)))
    assert told["code"] == "file"
    assert "--force" not in told["sentence"]  # which no tool has
    assert taken.lstat().st_ino == before
    assert not outside.exists() or outside.read_text() == "old"
    assert [path.name for path in inside.iterdir()] == ["a"]


@pytest.mark.promise("tools-for-models")
def test_a_folder_that_becomes_a_link_leads_nowhere_else(web: Web, tmp_path: Path) -> None:
    url = web.page("/a", "content", PLAIN)
    (tmp_path / "inside").mkdir()
    (tmp_path / "outside").mkdir()

    async def work(tools: Tools) -> Any:
        (tmp_path / "inside").rename(tmp_path / "moved")
        (tmp_path / "inside").symlink_to(tmp_path / "outside")
        return await tools.fetch(url, "file")

    assert facts(use(work, folder=str(tmp_path / "inside")))["ok"]
    assert (tmp_path / "moved" / "a").read_text() == "content"
    assert list((tmp_path / "outside").iterdir()) == []


def test_what_breaks_off_leaves_no_file(web: Web, tmp_path: Path) -> None:
    url = web.page("/a", "content", PLAIN, "Content-Length: 100")
    assert facts(use(lambda tools: tools.fetch(url, "file"), folder=str(tmp_path)))["ok"] is False
    assert list(tmp_path.iterdir()) == []


@pytest.mark.promise("tools-for-models")
def test_what_is_put_goes_where_it_is_said_and_into_no_file(world: World, tmp_path: Path) -> None:
    from anyurl.world.tree import PASSWORD, USER

    url = str(world.roots["ftp"]).replace("ftp://", f"ftp://{USER}:{PASSWORD}@") + "pub/note.txt"

    async def work(tools: Tools) -> tuple[Any, Any, Any]:
        sent = await tools.put(url, "one\n")
        more = await tools.put(url, "two\n", append=True)
        return sent, more, await tools.fetch(url)

    sent, more, back = use(work, may_put=True)
    assert (facts(sent)["ok"], facts(more)["ok"], content(back)) == (True, True, "one\ntwo")
    assert PASSWORD not in str((sent, more, back))
    target = tmp_path / "x"
    for policy in (LOCAL, restricted(Policy.default())):
        assert facts(use(lambda tools: tools.put(f"file://{target}", "x"), policy, may_put=True))["ok"] is False
    for url in ("mailto:a@public.example", "news:alt.test"):
        policy = restricted(Policy.default())
        assert facts(use(lambda tools, url=url: tools.put(url, "x", append=True), policy, may_put=True))["ok"] is False
    assert not target.exists()


@pytest.mark.promise("tools-for-models")
def test_nothing_of_the_user_is_used(web: Web, tmp_path: Path) -> None:
    web.page("/a", "", "WWW-Authenticate: Basic realm=x", status=401)
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login joe password s3cr3t\n")
    (tmp_path / ".netrc").chmod(0o600)
    environment = {"HOME": str(tmp_path), "http_proxy": "http://127.0.0.1:9", "NNTPSERVER": "127.0.0.1:119"}
    policy = restricted(Policy.default())
    with mock.patch.dict("os.environ", environment):
        told = facts(use(lambda tools: tools.fetch(web.root + "/a"), policy))
        news = facts(use(lambda tools: tools.list("news:alt.test"), policy))
    assert told["code"] == "login"
    assert "authorization" not in "".join(web.heads).lower()
    assert news["ok"] is False
    assert (policy.netrc, policy.allow_delivery, policy.services, policy.allow_proxies) == (False, False, False, ())


@pytest.mark.promise("tools-for-models")
def test_no_cookie_is_sent_back(web: Web) -> None:
    url = web.page("/a", "x", PLAIN, "Set-Cookie: a=b")

    async def work(tools: Tools) -> None:
        await tools.fetch(url)
        await tools.fetch(url)

    use(work)
    assert "cookie" not in "".join(web.heads).lower()


def test_nothing_is_told_to_a_host_that_is_not_allowed() -> None:
    """Not even a name server is asked: ``secret.evil.example`` would tell the secret to it."""
    looked_up: list[str] = []
    from anyurl.net.wire.connector import Network

    def look_up(host: str) -> list[str]:
        looked_up.append(host)
        return ["93.184.216.34"]

    async def main() -> list[Any]:
        policy = restricted(Policy.untrusted().replace(allow_hosts=("*.good.example",)))
        async with AsyncClient(policy, network=Network(look_up, lambda endpoint: ("127.0.0.1", 1))) as client:
            tools = Tools(client, Rights(policy=policy))
            urls = ("http://secret.evil.example/", "ftp://8.8.8.8/", "gopher://good.example/", "http://a.good.example/")
            return [facts(await tools.fetch(url))["code"] for url in urls]

    assert asyncio.run(main()) == ["host-not-allowed", "host-not-allowed", "host-not-allowed", "no-connection"]
    assert looked_up == ["a.good.example"]


# --- the corpus ------------------------------------------------------------------------------------------------------


class Agents(Internet):
    """The same world, and every URL goes through the tool ``fetch``."""

    heeds_robots = False

    def attempt(self, case: Mapping[str, Any], url: str, policy: Policy, names: ssrf.World) -> Attempt:
        attempt = self._attempt = Attempt(case, url)
        self._case, self._replies = case, 0
        with ExitStack() as stack:
            if names == "patched":
                stack.enter_context(self._patched(attempt))
            stack.enter_context(mock.patch.dict("os.environ", case.get("env", {})))
            told = asyncio.run(self._fetch(attempt, url, policy, names))
            if not told["ok"]:
                error = ConnectError if told["code"] in BY_A_SERVER else RefusedError
                attempt.error = error(f"{told['code']}: {told['sentence']}")
        return attempt

    async def _fetch(self, attempt: Attempt, url: str, policy: Policy, names: ssrf.World) -> Any:
        policy = restricted(policy.replace(limits=ssrf.LIMITS))
        network = ssrf._Recorder(self, attempt, names)
        async with AsyncClient(policy, network=network, ca_file=self.ca_file) as client:
            tools = Tools(client, Rights(policy=policy, heeds_robots=self.heeds_robots))
            answered = await tools.fetch(url)
            told = facts(answered)
            if told.get("format") == "entries" and "menu" in (self._case.get("server") or ""):
                for line in content(answered).splitlines():
                    entry = json.loads(line)
                    if "url" in entry:
                        told = facts(await tools.fetch(entry["url"], came_from=url))
            return told


@pytest.fixture(scope="module")
def agents() -> Iterator[Agents]:
    with Agents() as agents:
        yield agents


BY_A_SERVER = ("no-connection", "timeout", "broken-off", "protocol", "server-said-no", "not-found", "failed")
"""Codes of what was not refused here: the servers of this world are silent in most protocols."""

STRICTER = {
    554: "no form is answered",
    611: "no interactive session is opened",
}
"""What the corpus would allow, and no model gets."""


@pytest.mark.parametrize("heeds_robots", [False, True])
def test_nothing_of_the_corpus_is_let_through(agents: Agents, heeds_robots: bool) -> None:
    agents.heeds_robots = heeds_robots
    score = Score(ssrf.run(agents, "patched"))
    assert score.tried == len(CASES) == 493
    assert (score.bypasses, score.unclear) == ([], [])
    if not heeds_robots:  # the rules of a server are played by the hops of a case
        assert {one.case["id"]: one.error for one in score.false_denials}.keys() == STRICTER.keys()


def test_no_other_scheme_lets_through_what_http_does_not(agents: Agents) -> None:
    agents.heeds_robots = False
    score = Score(ssrf.run_with_other_schemes(agents, "patched"))
    assert score.tried >= 2000
    assert (score.bypasses, score.unclear) == ([], [])


def test_a_hole_would_be_seen(agents: Agents) -> None:
    agents.heeds_robots = False
    score = Score(ssrf.run(agents, "hooks", Policy.open().replace(limits=ssrf.LIMITS)))
    assert len(score.bypasses) > 100
