"""The corpus of URLs that reach where they should not, through the whole client.

Nothing is let through and nothing else is refused: as it is and with the other schemes, by the library's hooks and with
the system's look-up patched.

What the policy alone says to the corpus is tested by `test_ssrf_cases`; how the client is watched is told in `ssrf`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from anyurl.access import Client
from anyurl.errors import ConnectError, LimitError, RefusedError
from anyurl.guard.policy import Policy
from anyurl.net.wire.connector import Network
from tests.net import ssrf
from tests.net.ssrf import CASES, Internet, Score, World
from tests.rows import each_row

WORLDS: tuple[World, ...] = ("hooks", "patched")

STRICTER = {
    554: "no form is answered for strangers: its lines are free (RFC 1738 3.4.9 and section 6)",
    611: "an interactive session (telnet) is not opened for strangers",
}
"""What the corpus would allow, and `Policy.untrusted` by its definition does not."""


@pytest.fixture(scope="module")
def internet() -> Iterator[Internet]:
    with Internet() as internet:
        yield internet


@pytest.mark.promise("refused-means-unsent")
@pytest.mark.parametrize("names", WORLDS)
def test_untrusted_lets_nothing_through(internet: Internet, names: World) -> None:
    score = Score(ssrf.run(internet, names))
    assert score.tried == len(CASES) == 493
    assert (score.bypasses, score.unclear, score.twice) == ([], [], [])
    assert {one.case["id"] for one in score.false_denials} == set(STRICTER)


def test_with_sessions_and_forms_allowed_nothing_is_refused_that_should_not_be(internet: Internet) -> None:
    score = Score(ssrf.run(internet, "hooks", ssrf.OPEN_TO_SESSIONS))
    assert (score.bypasses, score.unclear, score.false_denials) == ([], [], [])


@pytest.mark.parametrize("names", WORLDS)
def test_no_other_scheme_lets_through_what_http_does_not(internet: Internet, names: World) -> None:
    score = Score(ssrf.run_with_other_schemes(internet, names))
    assert score.tried >= 2000
    assert (score.bypasses, score.unclear, score.twice) == ([], [], [])


def test_what_is_allowed_goes_to_the_addresses_of_its_name_and_nowhere_else(internet: Internet) -> None:
    for case in CASES:
        if case["expect"] == "allow" and case["class"] == "control-http":
            one = internet.attempt(case, case["url"], Policy.untrusted(), "hooks")
            assert one.error is None, one
            assert [address for address, _ in one.connected][:1] == list(internet.answer(one, one.looked_up[0]))[:1], (
                one
            )


FURTHER_URLS = (
    *(f"http://[{address}]/" for address in (
        "2002:808:808::5efe:a00:1", "2002:808:808::200:5efe:7f00:1", "2001:470::5efe:a9fe:a9fe", "64:ff9b::a83f:8110",
        "64:ff9b:1:7f00:0:100::", "64:ff9b:2::808:808", "2001:0:808:808:8000:0:5601:5601", "100:0:0:1::1", "5f00::1",
        "2001:1::4", "4000::1", "fec0::1",
    )),
    "http://[v1.public.test]/", "gopher://[V1.public.test]/1", "http://127.0.0.1%252F@public.test/",
    "http://127.0.0.1%EF%BC%852F@public.test/", "ftp://127.0.0.1:21%255C@public.test/", "http://127.0.0.1e0/",
    "gopher://127.0.0.1_/1", "http://xn--mi7cdqncpe6aj.public.test/", "http://xn--orhcp.0.0.public.test/",
    "http://xn--localhost-8ma.public.test/", "http://xn--.public.test/", f"http://{'a' * 64}.public.test/",
    f"http://{'a.' * 122}public.test/", "http://127.0.0.\u2488/", "http://x.127\u30020\u30020\u30021/",
    "nntp://public.test:80/g", "wais://public.test:1525/db", "telnet://public.test:80", "prospero://public.test:70/x",
    "https://public.test:9200/", "gopher://public.test:10050/0x",
)  # fmt: skip
"""What has to be refused as it stands: no endpoint is asked for, though all of these names have public addresses."""

FURTHER_ANSWERS = (
    ["2002:808:808::5efe:a00:1"], ["2130706433"], ["0177.0.0.1"], ["127.1"], ["127.0.0.1 "], ["[::1]"], ["::1%lo"],
    ["fe80::1%eth0"], ["8.8.8.8%eth0"], ["localhost"], ["public.test"], ["127.0.0.1:80"], [""], ["8.8.8.8", ""],
    ["8.8.8.8", "::ffff:10.0.0.1"], [*(f"8.8.8.{number}" for number in range(1, 40)), "64:ff9b::7f00:1"],
)  # fmt: skip
"""What a name service may say that no name may lead to: also what is no address, or is one to somebody else only."""

FURTHER_PLACES = (
    "http:/127.0.0.1/", "http:127.0.0.1", "HTTP:/public.test/", "http://127.0.0.1%5c@public.test/",
    "//127.0.0.1%2F@public.test/", "http://[v1.public.test]/", "http://public.test:9200/", "https:/public.test/",
    "http://xn--localhost-8ma.public.test/", "ftp://public.test/x", "gopher://public.test/1", "mailto:a@public.test",
)  # fmt: skip
"""Redirections of a public server that are not followed."""

FURTHER_GOOD = (
    "http://[2606:4700:4700::1111]/", "http://[64:ff9b::808:808]/", "http://[2002:808:808::1]/", "http://192.0.0.9/",
    "http://0x7f.public.test/", "http://1.2.3.4.public.test/", "http://xn--bcher-kva.test/", "http://b\u00fccher.test/",
    "http://xn--ls8h.public.test/", f"http://{'a' * 63}.public.test/", "http://public.test./",
    "http://joe:100%25@public.test/", "http://public.test/%0d%0a?u=http://127.0.0.1/#@127.0.0.1",
    "ftp://me%40home.test:p%3Aw@public.test/f", "gopher://public.test/0a%20b",
)  # fmt: skip


def a_url(scheme: str, host: str) -> str:
    return f"{scheme}://{host}/" if scheme == "telnet" else f"{scheme}://{host}/1"


def case_of(url: str, **more: object) -> dict[str, object]:
    return {"id": -1, "url": url, "expect": "deny", **more}


@pytest.mark.parametrize("names", WORLDS)
def test_further_urls_are_refused(internet: Internet, names: World) -> None:
    for url in FURTHER_URLS:
        one = internet.attempt(case_of(url), url, ssrf.OPEN_TO_SESSIONS, names)
        assert (one.error is not None, one.looked_up, one.connected) == (True, [], []), one


@pytest.mark.parametrize("names", WORLDS)
@pytest.mark.parametrize("scheme", ssrf.SCHEMES)
def test_further_answers_are_refused(internet: Internet, names: World, scheme: str) -> None:
    for number, answer in enumerate(FURTHER_ANSWERS):
        name = f"n{number}.attacker.test"
        url = a_url(scheme, name)
        one = internet.attempt(case_of(url, dns={name: answer}), url, ssrf.OPEN_TO_SESSIONS, names)
        assert (type(one.error), one.connected, one.looked_up) == (RefusedError, [], [name]), one


@pytest.mark.parametrize("scheme", ssrf.SCHEMES)
def test_a_name_without_an_address_leads_nowhere(internet: Internet, scheme: str) -> None:
    url = a_url(scheme, "nobody.attacker.test")
    one = internet.attempt(case_of(url), url, ssrf.OPEN_TO_SESSIONS, "patched")
    assert (type(one.error), one.connected) == (ConnectError, [])


@each_row("scheme", ssrf.SCHEMES)
def test_nor_does_a_look_up_that_gives_none(scheme: str) -> None:
    policy = ssrf.OPEN_TO_SESSIONS
    with Client(policy, network=Network(lambda host: [])) as client, pytest.raises(ConnectError, match="no address"):
        client.session(a_url(scheme, "h.test")) if scheme == "telnet" else client.get(a_url(scheme, "h.test"))


def test_further_redirections_are_not_followed(internet: Internet) -> None:
    for place in FURTHER_PLACES:
        url = "http://public.test/away"
        one = internet.attempt(case_of(url, redirect=[[302, place]]), url, Policy.untrusted(), "hooks")
        assert (one.error is not None, len(one.connected)) == (True, 1), (place, one)


@pytest.mark.parametrize("names", WORLDS)
def test_further_urls_are_allowed(internet: Internet, names: World) -> None:
    for url in FURTHER_GOOD:
        one = internet.attempt({**case_of(url), "expect": "allow"}, url, Policy.untrusted(), names)
        assert one.error is None, one


def by_id(number: int) -> dict[str, object]:
    return next(case for case in CASES if case["id"] == number)


@pytest.mark.promise("refused-means-unsent")
@pytest.mark.parametrize("number", [422, 423, 425])
def test_a_name_that_changes_its_answer_is_looked_up_once(internet: Internet, number: int) -> None:
    case = by_id(number)
    one = internet.attempt(case, str(case["url"]), Policy.untrusted(), "patched")
    assert (len(one.looked_up), {address for address, _ in one.connected}) == (1, {"93.184.216.34"})


@pytest.mark.promise("data-connections")
def test_a_data_connection_goes_to_the_server_whatever_it_says(internet: Internet) -> None:
    for case in CASES:
        if case["class"] == "ftp-bounce":
            one = internet.attempt(case, case["url"], Policy.untrusted(), "hooks")
            assert {address for address, _ in one.connected} == {"93.184.216.34"}, one
            assert all(port == 21 or port >= 1024 for _, port in one.connected), one


def test_what_a_menu_names_is_judged_when_it_is_followed(internet: Internet) -> None:
    one = internet.attempt(by_id(662), "gopher://public.test/1menu", Policy.untrusted(), "hooks")
    assert isinstance(one.error, RefusedError)
    assert one.connected == [("93.184.216.34", 70)]


@pytest.mark.promise("passwords")
def test_no_credentials_follow_a_redirect_to_another_host(internet: Internet) -> None:
    internet.asks_for_login = True
    one = internet.attempt(by_id(661), "http://joe:s3cr3t@public.test/auth", Policy.untrusted(), "hooks")
    internet.asks_for_login = False
    assert [b"authorization:" in head.lower() for head in one.requests] == [False, True, False]
    assert b"Host: pub2.test" in one.requests[2]


def test_a_loop_of_redirects_ends(internet: Internet) -> None:
    one = internet.attempt(by_id(657), "http://public.test/loop", Policy.untrusted(), "hooks")
    assert isinstance(one.error, LimitError)
    assert len(one.connected) <= Policy.untrusted().limits.redirects + 1


def test_a_hole_would_be_seen(internet: Internet) -> None:
    """The same run with the guard taken out finds what it is there to find."""
    score = Score(ssrf.run(internet, "hooks", Policy.open().replace(limits=ssrf.LIMITS)))
    assert len(score.bypasses) > 100
