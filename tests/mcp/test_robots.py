"""robots.txt is read before anything else of a server, once, and heeded; also where a redirection has led."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from anyurl.guard.policy import Policy
from anyurl.mcp import tools
from anyurl.mcp.tools import Tools
from tests.mcp.conftest import Web, content, facts, use


def test_what_is_forbidden_is_not_asked_for(web: Web) -> None:
    web.page("/robots.txt", "User-agent: *\nDisallow: /private\n", "Content-Type: text/plain")
    secret = web.page("/private/x", "secret", "Content-Type: text/plain")
    fine = web.page("/x", "fine", "Content-Type: text/plain")

    async def work(tools: Tools) -> tuple[Any, Any]:
        return await tools.fetch(secret), await tools.fetch(fine)

    refused, allowed = use(work)
    assert (facts(refused)["code"], facts(refused)["who"], refused.is_error) == ("robots", "operator", True)
    assert "--ignore-robots" in facts(refused)["remedy"]
    assert content(allowed) == "fine"
    assert web.asked == ["/robots.txt", "/x"]


def test_who_starts_the_server_may_ignore_it(web: Web) -> None:
    web.page("/robots.txt", "User-agent: *\nDisallow: /\n")
    url = web.page("/x", "fine", "Content-Type: text/plain")
    assert content(use(lambda tools: tools.fetch(url), heeds_robots=False)) == "fine"
    assert web.asked == ["/x"]


@pytest.mark.parametrize(("status", "code"), [(404, None), (403, None), (500, "robots"), (502, "robots")])
def test_a_server_that_has_none_allows_all_and_one_that_cannot_say_nothing(
    web: Web, status: int, code: str | None
) -> None:
    web.page("/robots.txt", "", status=status)
    url = web.page("/x", "fine", "Content-Type: text/plain")
    assert facts(use(lambda tools: tools.fetch(url))).get("code") == code


def test_a_redirection_leads_round_no_rule(web: Web) -> None:
    web.page("/robots.txt", "User-agent: anyurl\nDisallow: /private\n")
    web.page("/private", "secret", "Content-Type: text/plain")
    url = web.page("/x", "", "Location: /private", status=302)
    assert facts(use(lambda tools: tools.fetch(url)))["code"] == "robots"


def test_the_rules_of_the_last_servers_are_kept_for_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "MAX_SERVERS", 2)
    now = 0.0
    monkeypatch.setattr(tools, "time", SimpleNamespace(monotonic=lambda: now))
    webs = [Web(), Web(), Web()]
    for web in webs:
        web.page("/robots.txt", "User-agent: *\nAllow: /\n", "Content-Type: text/plain")
        web.page("/x", "fine", "Content-Type: text/plain")

    async def work(tools: Tools) -> list[int]:
        nonlocal now
        asked = []
        for at, web in ((0, 0), (1, 0), (1, 1), (1, 0), (1, 2), (1, 1), (1, 2), (1, 0), (86399, 2), (86401, 2)):
            now = float(at)
            webs[web].heads.clear()
            assert content(await tools.fetch(f"{webs[web].root}/x")) == "fine"
            asked.append(webs[web].asked.count("/robots.txt"))
        return asked

    with webs[0].server, webs[1].server, webs[2].server:
        assert use(work) == [1, 0, 1, 0, 1, 0, 0, 1, 0, 1]


def test_no_password_goes_with_the_question(web: Web) -> None:
    for path in ("/robots.txt", "/x"):
        web.page(path, "who?", 'WWW-Authenticate: Basic realm="x"', status=401)
    url = web.root.replace("//", "//joe:s3cr3t@") + "/x"
    answered = use(lambda tools: tools.fetch(url))
    assert web.asked == ["/robots.txt", "/x", "/x"]
    assert ["authorization:" in head.lower() for head in web.heads] == [False, False, True]
    assert "s3cr3t" not in str(answered)


def test_what_the_policy_refuses_is_not_asked_for_its_rules(web: Web) -> None:
    assert facts(use(lambda tools: tools.fetch(web.root + "/"), Policy.untrusted()))["code"] == "address-private"
    assert web.heads == []
