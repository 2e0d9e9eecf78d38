"""The corpus of URLs that reach where they should not, through the whole client.

Nothing is let through and nothing else is refused: as it is and with the other schemes, by the library's hooks and with
the system's look-up patched.

What the policy alone says to the corpus is tested by `test_ssrf_cases`; how the client is watched is told in `ssrf`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from anyurl.errors import LimitError, RefusedError
from anyurl.net.policy import Policy
from tests.net import ssrf
from tests.net.ssrf import CASES, Internet, Score, World

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


def by_id(number: int) -> dict[str, object]:
    return next(case for case in CASES if case["id"] == number)


@pytest.mark.parametrize("number", [422, 423, 425])
def test_a_name_that_changes_its_answer_is_looked_up_once(internet: Internet, number: int) -> None:
    case = by_id(number)
    one = internet.attempt(case, str(case["url"]), Policy.untrusted(), "patched")
    assert (len(one.looked_up), {address for address, _ in one.connected}) == (1, {"93.184.216.34"})


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


def test_no_credentials_follow_a_redirect_to_another_host(internet: Internet) -> None:
    one = internet.attempt(by_id(661), "http://joe:s3cr3t@public.test/auth", Policy.untrusted(), "hooks")
    assert [b"authorization:" in head.lower() for head in one.requests] == [True, False]
    assert b"Host: pub2.test" in one.requests[1]


def test_a_loop_of_redirects_ends(internet: Internet) -> None:
    one = internet.attempt(by_id(657), "http://public.test/loop", Policy.untrusted(), "hooks")
    assert isinstance(one.error, LimitError)
    assert len(one.connected) <= Policy.untrusted().limits.redirects + 1


def test_a_hole_would_be_seen(internet: Internet) -> None:
    """The same run with the guard taken out finds what it is there to find."""
    score = Score(ssrf.run(internet, "hooks", Policy.open().replace(limits=ssrf.LIMITS)))
    assert len(score.bypasses) > 100
