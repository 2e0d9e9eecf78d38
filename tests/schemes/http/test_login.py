"""Logging in: what goes out and when, for each place a login may come from and each challenge; asks in, asks out."""

from __future__ import annotations

import re
from base64 import b64decode
from typing import Any

import pytest

from anyurl.dialogue import AskSecret, Login, Options, Request, Secret
from anyurl.dialogue.challenges import read_challenges
from anyurl.dialogue.http import HttpOptions
from anyurl.errors import AuthRequiredError, LocalProtocolError, RefusedError
from anyurl.schemes.http.verbs import put, stat
from tests.rows import each_row
from tests.schemes.http.played import Play, answer, play

BASIC = ("www-authenticate", 'Basic realm="x"')
DIGEST = ("www-authenticate", 'Digest realm="x", nonce="n", qop="auth"')
SHA = ("www-authenticate", 'Digest realm="x", nonce="m", qop="auth", algorithm=SHA-256')
UNKNOWN = ("www-authenticate", 'Digest realm="x", nonce="n", qop="auth-int"')
STALE = ("www-authenticate", 'Digest realm="x", nonce="n2", qop="auth", stale=true')


def sent(played: Play) -> list[str]:
    """What each request was sent with: its method, and user and password (Basic), the nonce (Digest), the token."""
    found = []
    for request in played.of(Request):
        said = request.method
        if request.authorization is not None:
            words = request.authorization.credentials.reveal()
            if request.authorization.scheme == "Basic":
                words = b64decode(words).decode("utf-8", "surrogateescape")
            elif request.authorization.scheme == "Digest":
                fields = read_challenges([f"Digest {words}"])[0].parameters
                words = f"{fields['username']} {fields['nonce']} {fields['uri']}"
            said += f" {request.authorization.scheme} {words}"
        found.append(said)
    return found


@pytest.mark.promise("logins")
@pytest.mark.parametrize(
    ("url", "challenge", "login"),
    [
        ("http://u:p@h/", BASIC, "Basic u:p"),
        pytest.param("http://u:@h/", BASIC, "Basic u:", id="an empty password is one"),
        pytest.param("http://:p@h/", BASIC, "Basic :p", id="an empty user is one"),
        pytest.param("http://u%40x:p%3A%2F%FF@h/", BASIC, "Basic u@x:p:/\udcff", id="decoded"),
        ("http://u:p@h/a?b#c", DIGEST, "Digest u n /a?b"),
        pytest.param("http://u:p@h/%7e?", DIGEST, "Digest u n /%7e?", id="the target as it is sent"),
        ("https://u:p@h/", SHA, "Digest u m /"),
    ],
)
def test_the_login_of_a_url_waits_for_the_challenge(url: str, challenge: tuple[str, str], login: str) -> None:
    assert sent(play(url, answer(200))) == ["GET"]
    assert sent(play(url, answer(401, challenge), answer(200))) == ["GET", f"GET {login}"]


@pytest.mark.promise("logins")
@each_row(
    ("url", "challenges", "login"),
    [
        pytest.param("http://u:p@h/", [BASIC, DIGEST], "Digest u n /", id="Digest before Basic"),
        pytest.param("https://u:p@h/", [BASIC, DIGEST], "Digest u n /", id="over TLS too"),
        pytest.param("http://u:p@h/", [DIGEST, SHA], "Digest u m /", id="SHA-256 before MD5"),
        pytest.param("http://u:p@h/", [("www-authenticate", f"Negotiate, {BASIC[1]}, {SHA[1]}")], "Digest u m /",
                     id="in one field"),
        pytest.param("https://u:p@h/", [UNKNOWN, BASIC], "Basic u:p", id="TLS hides it"),
        pytest.param("http://u:p@h/", [UNKNOWN, BASIC], None, id="no password in clear where Digest was offered"),
        pytest.param("http://u:p@h/", [UNKNOWN], None, id="a Digest that is not known"),
        pytest.param("http://u:p@h/", [("www-authenticate", "Negotiate")], None, id="another scheme"),
        pytest.param("http://u:p@h/", [], None, id="no challenge"),
        pytest.param("http://u:p@h/", [("www-authenticate", 'Basic realm="\x1b[1mx"')], None, id="none that is whole"),
    ],
)  # fmt: skip
def test_the_best_of_several_challenges(url: str, challenges: list[tuple[str, str]], login: str | None) -> None:
    if login is not None:
        assert sent(play(url, answer(401, *challenges), answer(200))) == ["GET", f"GET {login}"]
        return
    refused = play(url, answer(401, *challenges))
    assert sent(refused) == ["GET"]
    assert isinstance(refused.error, AuthRequiredError)


def given(login: Login, url: str, *answers: Any, **how: Any) -> Play:
    return play(url, *answers, options=Options(login=login), **how)


class TestTheCallersOwn:
    def test_basic_goes_at_once(self) -> None:
        played = given(Login.basic("u", "p"), "http://h/", answer(200))
        assert sent(played) == ["GET Basic u:p"]
        assert sent(given(Login.basic("u"), "http://h/", answer(200), secret="p")) == ["GET Basic u:p"]
        assert sent(given(Login.basic("u"), "http://h/", answer(200))) == ["GET"]  # nobody has a password

    def test_a_bearer_goes_at_once(self) -> None:
        assert sent(given(Login.bearer("t0ken"), "https://u:p@h/", answer(200))) == ["GET Bearer t0ken"]

    def test_what_went_at_once_is_not_tried_again(self) -> None:
        for login in (Login.basic("u", "p"), Login.bearer("p")):
            played = given(login, "http://h/", answer(401, BASIC, DIGEST))
            assert len(sent(played)) == 1
            assert "user and password are not accepted" in str(played.error)

    def test_digest_answers_nothing_else(self) -> None:
        assert sent(given(Login.digest("u", "p"), "https://h/", answer(401, BASIC))) == ["GET"]
        assert sent(given(Login.digest("u", "p"), "https://h/", answer(401, BASIC, DIGEST), answer(200))) == [
            "GET", "GET Digest u n /",
        ]  # fmt: skip

    def test_it_wins_over_the_url(self) -> None:
        assert sent(given(Login("me", "q"), "http://u:p@h/", answer(401, BASIC), answer(200)))[1] == "GET Basic me:q"

    @pytest.mark.parametrize("verb", [stat, put])
    def test_every_verb(self, verb: Any) -> None:
        method = {stat: "HEAD", put: "PUT"}[verb]
        played = given(Login("u", "p"), "http://h/", answer(401, DIGEST), answer(200), verb=verb)
        assert sent(played) == [method, f"{method} Digest u n /"]

    def test_a_field_of_the_callers_own_is_all_that_goes(self) -> None:
        options = Options(login=Login.basic("u", "p"), http=HttpOptions(fields=(("Authorization", Secret("Own x")),)))
        assert sent(play("http://h/", answer(200), options=options)) == ["GET"]
        refused = play("http://h/", answer(401, BASIC), options=options)
        assert sent(refused) == ["GET"]
        assert "the Authorization field is not accepted" in str(refused.error)


class TestAChallengeThatIsKnown:
    """RFC 7616 3.6: the next request in the same space answers it at once, with the next count."""

    def test_is_not_asked_for_again(self) -> None:
        login = Login("u", "p")
        assert sent(given(login, "http://h/", answer(401, DIGEST), answer(200))) == ["GET", "GET Digest u n /"]
        for number in (2, 3):
            played = given(login, f"http://h/{number}", answer(200))
            assert sent(played) == [f"GET Digest u n /{number}"]
            assert f"nc=0000000{number}" in played.request.authorization.credentials.reveal()  # type: ignore[union-attr]
        assert sent(given(Login("u", "p"), "http://h/", answer(200))) == ["GET"]  # what another one knows

    def test_is_forgotten_when_the_server_has_another_one(self) -> None:
        login = Login("u", "p")
        given(login, "http://h/", answer(401, DIGEST), answer(200))
        fresh = ("www-authenticate", 'Digest realm="r", nonce="m", qop="auth", stale=true')
        played = given(login, "http://h/", answer(401, fresh), answer(200))
        assert sent(played) == ["GET Digest u n /", "GET Digest u m /"]
        assert sent(given(login, "http://h/", answer(200))) == ["GET Digest u m /"]

    def test_makes_way_for_the_nonce_that_the_server_wants_next(self) -> None:
        """RFC 7616 3.5; apache2 with AuthDigestNonceLifetime 0 takes each nonce once."""
        login = Login("u", "p")
        following = ("authentication-info", 'rspauth="x", nextnonce="n2"')
        assert sent(given(login, "http://h/", answer(401, DIGEST), answer(200, following)))[1] == "GET Digest u n /"
        played = given(login, "http://h/", answer(200, ("authentication-info", 'nextnonce="n3"')))
        assert sent(played) == ["GET Digest u n2 /"]
        assert "nc=00000001" in played.request.authorization.credentials.reveal()  # type: ignore[union-attr]
        assert sent(given(login, "http://h/", answer(200))) == ["GET Digest u n3 /"]
        odd = ("authentication-info", 'nextnonce="a\r\nb", nextnonce=token')
        given(login, "http://h/", answer(200, odd))
        assert sent(given(login, "http://h/", answer(200))) == ["GET Digest u n3 /"]

    def test_is_answered_once_more_and_no_more(self) -> None:
        login = Login("u", "p")
        given(login, "http://h/", answer(401, DIGEST), answer(200))
        assert len(sent(given(login, "http://h/", answer(401, DIGEST), answer(401, DIGEST)))) == 2
        assert sent(given(login, "http://h/", answer(200))) == ["GET"]

    def test_goes_where_the_server_says(self) -> None:
        login = Login("u", "p")
        name, value = DIGEST
        given(login, "http://h/a/", answer(401, (name, f'{value}, domain="/a/ http://h/b"')), answer(200))
        assert [sent(given(login, f"http://h/{path}", answer(200)))[0] for path in ("a/x", "b", "c")] == [
            "GET Digest u n /a/x", "GET Digest u n /b", "GET",
        ]  # fmt: skip

    def test_without_a_count_it_is_asked_for_each_time(self) -> None:
        login = Login("u", "p")
        old = ("www-authenticate", 'Digest realm="r", nonce="n"')
        given(login, "http://h/", answer(401, old), answer(200))
        assert sent(given(login, "http://h/", answer(200))) == ["GET"]


@pytest.mark.parametrize(
    ("answers", "requests"),
    [
        pytest.param([answer(401, DIGEST)], 2, id="refused"),
        pytest.param([answer(401, STALE), answer(200)], 3, id="only the nonce was too old"),
        pytest.param([answer(401, STALE), answer(401, STALE)], 3, id="again and again"),
        pytest.param([answer(401, BASIC)], 2, id="another scheme now: the password is not tried in clear"),
        pytest.param([answer(403)], 2, id="not allowed"),
    ],
)
def test_a_challenge_is_answered_once_unless_its_nonce_was_stale(answers: list[Any], requests: int) -> None:
    played = play("http://u:p@h/", answer(401, DIGEST), *answers)
    assert len(sent(played)) == requests
    assert all("Basic" not in each for each in sent(played))


class TestAUserWithoutAPassword:
    def test_is_sent_nothing_unless_it_is_wanted(self) -> None:
        assert play("http://u@h/", answer(200)).names == ["Request", "Describe", "Relay"]

    def test_is_asked_for_the_password_when_it_is_wanted(self) -> None:
        played = play("https://u@h/", answer(401, BASIC), answer(200), secret="s3")
        assert played.names == ["Request", "AskSecret", "Request", "Describe", "Relay"]
        ask = played.of(AskSecret)[0]
        assert (ask.host, ask.user, ask.kind, ask.by_person) == ("h", "u", "https password", True)
        assert sent(played)[1] == "GET Basic u:s3"

    def test_is_not_asked_for_what_could_not_be_sent(self) -> None:
        assert "AskSecret" not in play("https://u@h/", answer(401, UNKNOWN), secret="s3").names

    def test_gets_a_clear_error_when_nobody_has_one(self) -> None:
        played = play("http://u@h/x", answer(401, BASIC))
        assert str(played.error) == (
            'The server answered 401 for http://u@h/x: it wants a login (“Basic realm="x"”); no password was given: an '
            "entry for h in .netrc, or the prompt of a terminal, would have one."
        )


class TestAUrlWithoutAUser:
    """What the user keeps for a host is used when its server asks; nobody is asked, and nothing goes in clear."""

    @pytest.mark.parametrize(("url", "challenge"), [("https://h/", BASIC), ("http://h/", DIGEST)])
    def test_gets_what_the_user_keeps(self, url: str, challenge: tuple[str, str]) -> None:
        played = play(url, answer(401, challenge), answer(200), secret="s3", user="joe")
        ask = played.of(AskSecret)[0]
        assert (ask.user, ask.by_person) == ("", False)
        assert sent(played)[1] in ("GET Basic joe:s3", "GET Digest joe n /")

    def test_not_in_clear(self) -> None:
        played = play("http://h/", answer(401, BASIC), secret="s3", user="joe")
        assert played.names == ["Request"]
        assert "write the user into the URL (it would go in clear): user@host" in str(played.error)

    def test_digest_is_not_called_clear(self) -> None:
        played = play("http://h/", answer(401, DIGEST), secret=None)
        assert "; write the user into the URL: user@host; the password is asked for" in str(played.error)

    def test_nor_for_nobody(self) -> None:
        assert sent(play("https://h/", answer(401, BASIC), secret="s3", user="")) == ["GET"]


class TestUploads:
    def test_what_can_be_read_again_is_sent_again(self) -> None:
        played = play("http://u:p@h/x", answer(401, DIGEST), answer(201), verb=put)
        assert played.names[:6] == ["Rewind", "Request", "Close", "Rewind", "Random", "Request"]
        assert [request.upload for request in played.of(Request)] == [True, True]

    def test_what_can_be_read_once_is_not_sent_in_vain(self) -> None:
        """A request that changes nothing gets the challenge, which the other one answers."""
        played = play("http://u:p@h/x", answer(401, DIGEST), answer(201), verb=put, rewinds=False)
        assert sent(played) == ["HEAD", "PUT Digest u n /x"]
        assert sent(play("http://u:p@h/x", answer(200), answer(201), verb=put, rewinds=False)) == ["HEAD", "PUT"]

    def test_what_was_read_and_can_not_be_read_again_says_so(self) -> None:
        for answers in ([answer(401, DIGEST), answer(401, STALE)], [answer(200), answer(401, BASIC)]):
            played = play("http://u:p@h/x", *answers, verb=put, rewinds=False)
            assert len(sent(played)) == 2
            assert "can't be read again from its start: log in at once (auth={ORIGIN: Login.b" in str(played.error)

    def test_without_a_login_it_goes_as_it_is(self) -> None:
        played = play("http://h/x", answer(401, BASIC), verb=put)
        assert sent(played) == ["PUT"]


@pytest.mark.parametrize(
    ("url", "answers", "hint"),
    [
        ("https://h/", [answer(401, BASIC)],
         "write the user into the URL: user@host; the password is asked for, or .netrc has it"),
        ("http://u:p@h/", [answer(401, BASIC), answer(401, BASIC)], "user and password are not accepted"),
        ("http://u:p@h/", [answer(401)], "it names no way to log in; its login can be sent at once"),
        ("http://u:p@h/", [answer(401, ("www-authenticate", " "))], ": it wants a login; it names no way to log in"),
        ("http://u:p@h/", [answer(401, ("www-authenticate", "NTLM"))],
         "it offers no login that is known here (Basic, Digest)"),
        ("http://u:p@h/", [answer(401, UNKNOWN, BASIC)], "a password in clear is not sent where Digest was offered"),
    ],
)  # fmt: skip
def test_a_login_that_is_wanted_says_what_to_do(url: str, answers: list[Any], hint: str) -> None:
    error = play(url, *answers).error
    assert isinstance(error, AuthRequiredError)
    assert hint in str(error)
    assert (error.code, error.text, error.stage) == (401, "it wants a login", "reply")


def test_what_the_server_repeats_of_a_login_is_not_shown() -> None:
    basic = ("www-authenticate", 'Basic realm="dTpzM2NyZXQ= is u and s3cret"')
    for played in (
        play("http://u@h/x", answer(401, BASIC), answer(401, basic), secret="s3cret"),
        play("http://u:s3cret@h/x", answer(401, BASIC), answer(401, basic)),
        play("http://u@h/x", answer(401, BASIC), answer(401, basic), verb=put, secret="s3cret"),
        given(Login.basic("u", "s3cret"), "http://h/x", answer(401, basic)),
    ):
        assert '(“Basic realm="*** is u and ***"”)' in str(played.error)


@pytest.mark.promise("delimiters")
@pytest.mark.parametrize("url", ["http://a%3Ab:c@h/", "http://a:b%09c@h/", "http://a%01:b@h/", "http://a:b%7F@h/"])
def test_a_login_that_basic_authentication_cannot_carry_is_not_sent(url: str) -> None:
    played = play(url, answer(401, BASIC))
    assert isinstance(played.error, LocalProtocolError)
    assert "RFC 7617 2" in str(played.error)
    assert ":c@" not in str(played.error)


@pytest.mark.parametrize("url", ["http://a%3Ab:c@h/", "http://a%01:c@h/"])
def test_a_user_that_digest_cannot_carry_is_not_sent(url: str) -> None:
    assert "RFC 7616 3.4" in str(play(url, answer(401, DIGEST)).error)


@pytest.mark.parametrize("url", ["http://a%0D:c@h/", "http://a:b%0Ac@h/", "https://a%00:b@h/", "http://a%0A@h/"])
def test_a_login_with_a_line_end_is_refused_before_anything_is_asked(url: str) -> None:
    played = play(url)
    assert isinstance(played.error, RefusedError)
    assert played.of(Request) == []


def test_each_answer_has_a_nonce_of_its_own() -> None:
    words = play("http://u:p@h/", answer(401, DIGEST), answer(200)).of(Request)[1].authorization.credentials.reveal()
    assert re.search(r'cnonce="0{32}"', words)


def test_connections_are_those_of_one_login() -> None:
    requests = [
        play(url, answer(401, challenge), answer(200)).of(Request)[1].authorization
        for url in ("http://u:p@h/", "http://u:q@h/", "http://v:p@h/") for challenge in (BASIC, DIGEST)
    ]  # fmt: skip
    assert [each.login.reveal() for each in requests] == ["u:p", "u:p", "u:q", "u:q", "v:p", "v:p"]
    assert "p" not in repr(requests[0]).replace("Authorization", "")
