"""Challenges whole, in several fields, cut off at every character, and as hostile as they come (RFC 9110 11.6.1)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.dialogue.challenges import (
    MAX_CHALLENGES,
    MAX_CHARACTERS,
    MAX_PARAMETERS,
    Challenge,
    is_basic_all,
    read_challenges,
)
from tests.rows import each_row

BASIC = Challenge("basic", None, {"realm": "x"})
RFC_9110 = 'Basic realm="simple", Newauth realm="apps", type=1, title="Login to \\"apps\\""'
RFC_7616 = (
    'Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, '
    'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"'
)


def test_challenges_are_equal_by_all_that_they_say() -> None:
    every = [BASIC, Challenge("digest", None, {"realm": "x"}), Challenge("basic", "x"), Challenge("basic")]
    assert [[one == other for other in every] for one in every] == [[one is other for other in every] for one in every]
    assert Challenge("basic", None, {"realm": "x"}) == BASIC
    assert len({BASIC, Challenge("basic", None, {"realm": "x"}), *every}) == len(every)
    assert BASIC != ("basic", None, {"realm": "x"})
    assert repr(every[:3:2]) == "[Challenge('basic', None, {'realm': 'x'}), Challenge('basic', 'x', {})]"


@each_row(
    ("fields", "challenges"),
    [
        pytest.param(
            [RFC_9110],
            [
                Challenge("basic", None, {"realm": "simple"}),
                Challenge("newauth", None, {"realm": "apps", "type": "1", "title": 'Login to "apps"'}),
            ],
            id="the example of RFC 9110 11.6.1",
        ),
        pytest.param(
            [RFC_7616],
            [
                Challenge(
                    "digest", None,
                    {
                        "realm": "http-auth@example.org", "qop": "auth, auth-int", "algorithm": "SHA-256",
                        "nonce": "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
                        "opaque": "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS",
                    },
                )
            ],
            id="the example of RFC 7616 3.9.1: a comma in quotes separates nothing",
        ),
        pytest.param(["Negotiate", "Basic realm=x"], [Challenge("negotiate"), BASIC], id="two fields"),
        pytest.param(["Negotiate, Basic realm=x"], [Challenge("negotiate"), BASIC], id="a bare scheme"),
        pytest.param(["Negotiate YII=, Basic realm=x"], [Challenge("negotiate", "YII="), BASIC], id="token68"),
        pytest.param(["NTLM TlRM=="], [Challenge("ntlm", "TlRM==")], id="token68 with two signs"),
        pytest.param(["X a=b"], [Challenge("x", None, {"a": "b"})], id="a parameter that looks like a token68"),
        pytest.param(["X a="], [Challenge("x", "a=")], id="a token68 that looks like a parameter"),
        pytest.param(["bAsIc ReAlM = x"], [BASIC], id="letter case, and blanks round the sign"),
        pytest.param([" ,, Basic ,\t, Basic realm=x ,"], [Challenge("basic"), BASIC], id="empty elements"),
        pytest.param([""], [], id="nothing"),
        pytest.param(['Basic realm=""'], [Challenge("basic", None, {"realm": ""})], id="an empty text"),
        pytest.param(['Basic realm="a\\b\\\\"'], [Challenge("basic", None, {"realm": "ab\\"})], id="quoted pairs"),
        pytest.param(['Basic realm="\u00fc\udcff"'], [Challenge("basic", None, {"realm": "\u00fc\udcff"})], id="octet"),
        pytest.param(['Basic realm=x, realm="y"', "A"], [Challenge("a")], id="a parameter that comes twice"),
        pytest.param(["Basic realm=x, REALM=y"], [], id="another one in other letters"),
        pytest.param(["Basic realm=x, REALM=x"], [Challenge("basic", None, {"realm": "x"})], id="the same twice"),
        pytest.param(['Basic realm="x'], [Challenge("basic", None, {"realm": "x"})], id="no closing quote"),
        pytest.param(["Basic realm='a b'"], [Challenge("basic", None, {"realm": "'a b'"})], id="single quotes"),
        pytest.param(["Basic realm=my realm"], [Challenge("basic", None, {"realm": "my realm"})], id="a space"),
        pytest.param(["Basic realm=r:8080"], [Challenge("basic", None, {"realm": "r:8080"})], id="a colon"),
        pytest.param(["Basic realm=/x, A"], [Challenge("basic", None, {"realm": "/x"}), Challenge("a")], id="a slash"),
        pytest.param(
            ["Digest realm=a, nonce=abc==, qop=auth"],
            [Challenge("digest", None, {"realm": "a", "nonce": "abc==", "qop": "auth"})],
            id="a nonce in base64",
        ),
        pytest.param(
            ['Digest realm="a" nonce="b"'], [Challenge("digest", None, {"realm": "a", "nonce": "b"})], id="no comma"
        ),
        pytest.param(["A, Basic realm=x Digest nonce=y"], [Challenge("a")], id="another challenge in the value"),
        pytest.param(["A, Basic realm=x Negotiate"], [Challenge("a")], id="a stronger one in the value"),
        pytest.param(['A, Basic "x"'], [Challenge("a")], id="a text without a name"),
        pytest.param(["A, realm=x"], [Challenge("a")], id="a parameter without a scheme"),
        pytest.param(['A, Basic realm="a\rb"'], [Challenge("a")], id="a control character"),
        pytest.param(["A, <html>"], [Challenge("a")], id="no word"),
        pytest.param(["A, B/x"], [Challenge("a")], id="no space before a token68"),
        pytest.param(["A ", "\t", "B"], [Challenge("a"), Challenge("b")], id="blanks alone"),
    ],
)  # fmt: skip
def test_challenges_are_read(fields: list[str], challenges: list[Challenge]) -> None:
    assert read_challenges(fields) == challenges


@pytest.mark.parametrize("text", [RFC_9110, RFC_7616])
def test_a_field_that_was_cut_off_gives_what_was_whole(text: str) -> None:
    """Character by character: a challenge that is known by its name has nothing that the whole one has not."""
    whole = {challenge.scheme: challenge.parameters for challenge in read_challenges([text])}
    known = 0
    for end in range(len(text) + 1):
        found = [challenge for challenge in read_challenges([text[:end]]) if challenge.scheme in whole]
        for challenge in found:
            cut = {
                name: value for name, value in challenge.parameters.items() if whole[challenge.scheme][name] != value
            }
            assert all(whole[challenge.scheme][name].startswith(value) for name, value in cut.items())
        known = len(found)
    assert known == len(whole)


def test_challenges_are_the_same_in_one_field_and_in_several() -> None:
    texts = [RFC_9110, "Negotiate", "NTLM abc=", RFC_7616, "Bearer"]
    assert read_challenges([", ".join(texts)]) == read_challenges(texts)


def test_what_stands_behind_a_challenge_does_not_change_it() -> None:
    for trailing in (",", ", ,", " ", ", ="):
        assert read_challenges([RFC_7616 + trailing]) == read_challenges([RFC_7616])


class TestLimits:
    def test_challenges(self) -> None:
        assert len(read_challenges(["A," * 1000])) == MAX_CHALLENGES
        assert len(read_challenges(["A"] * 1000)) == MAX_CHALLENGES
        assert len(read_challenges(["A," * (MAX_CHALLENGES - 1), "A,A"])) == MAX_CHALLENGES

    def test_parameters(self) -> None:
        many = ", ".join(f"p{number}=1" for number in range(MAX_PARAMETERS + 1))
        assert read_challenges([f"X {many}"]) == []
        assert len(read_challenges([f"X {many.rpartition(',')[0]}"])[0].parameters) == MAX_PARAMETERS

    def test_characters(self) -> None:
        assert read_challenges(["A", "B" + " " * (MAX_CHARACTERS - 2), "C"]) == [Challenge("a"), Challenge("b")]
        assert read_challenges(["A", "B" + " " * MAX_CHARACTERS, "C"]) == [Challenge("a")]

    @pytest.mark.parametrize("text", ['X a="' + "\\\\" * 8000, "X " + "a=" * 8000, "X " + "a" * 16000, "a " * 8000])
    def test_the_worst_is_over_at_once(self, text: str) -> None:
        """Each is read in some hundred microseconds; a reader that goes back needs minutes, and this would not end."""
        assert len(read_challenges([text])) <= 1


@given(st.lists(st.text(alphabet='aB1 ,="\\\t\r\n/+;<\u00fc', max_size=60), max_size=4))
def test_whatever_comes_is_bounded_and_well_formed(fields: list[str]) -> None:
    for challenge in read_challenges(fields):
        assert challenge.scheme
        assert challenge.scheme == challenge.scheme.lower()
        assert challenge.token is None or not challenge.parameters
        assert all(name and char >= " " for name, value in challenge.parameters.items() for char in name + value
                   if char != "\t")  # fmt: skip


@each_row(
    ("field", "all_of_it"),
    [
        ("Basic realm='Sandstorm API'", True),
        ("Basic realm=my realm", True),
        ('Basic realm="x";', True),
        ('Basic realm="x"; charset="UTF-8"', True),
        ('Basic realm="my "own" realm"', True),
        ("Basic realm=x Digest realm=y", False),
        ("Basic realm=my NTLM", False),
        ('Basic realm="x, Digest realm="y"', False),
        ("Basic realm=my realm, Newauth a=b", False),
    ],
)
def test_a_malformed_value_hides_no_stronger_challenge(field: str, all_of_it: bool) -> None:
    assert is_basic_all([field]) is all_of_it
