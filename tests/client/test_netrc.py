"""The words of netrc files as programs write them: no odd one closes the rest, and no host gets another's entry."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.client.netrc import KEYWORDS, read_netrc
from tests.rows import each_row


def logins(text: str | bytes) -> list[tuple[str, str, str]]:
    data = text.encode() if isinstance(text, str) else text
    return [(each.machine, each.login, each.password) for each in read_netrc(data) if not each.odd]


@each_row(
    "text",
    [
        pytest.param("machine h login u password p method interactive", id="the Heroku CLI"),
        pytest.param("machine h protocol https login u password p", id="protocol"),
        pytest.param("machine h port 21 login u password p", id="port"),
        pytest.param("machine h flag login u password p", id="a word without a value"),
        pytest.param("machine h\n\tlogin u\n\tpassword p\n", id="lines"),
        pytest.param("machine h\r\nlogin u\r\npassword p\r\n", id="CR LF"),
        pytest.param("\ufeffmachine h login u password p", id="a byte order mark"),
        pytest.param("# machine x login y password z\nmachine h login u password p # mine", id="comments"),
        pytest.param("macdef init\ncd pub\nbin\n\nmachine h login u password p", id="a macro before it"),
        pytest.param("machine h login u password p\nmacdef init\ncd pub", id="a macro at the end"),
        pytest.param("machine h user u password p account a", id="user and account"),
        pytest.param('machine h login "u" password "p"', id="quotes"),
        pytest.param("sesame\nmachine h login u password p", id="a word before it"),
        pytest.param("default login d password q\nmachine h login u password p", id="default before it"),
    ],
)
def test_one_odd_word_does_not_close_the_rest(text: str) -> None:
    assert logins(text) == [("h", "u", "p")]


@pytest.mark.parametrize(
    ("written", "read"),
    [(r"p\q", r"p\q"), ("#p", "#p"), ("p#q", "p#q"), (r'"p \"q\""', 'p "q"'), ('"login"', "login"), ('p"q', 'p"q')],
)
def test_a_password_is_what_curl_reads(written: str, read: str) -> None:
    assert logins(f"machine h login u password {written}\n") == [("h", "u", read)]


def test_octets_that_are_no_text_close_nothing() -> None:
    assert logins(b"machine a login \xe9 password p\nmachine h login u password p")[1] == ("h", "u", "p")


def test_each_account_of_a_host_is_there() -> None:
    text = "machine h login one password p1\nmachine h login two password p2"
    assert logins(text) == [("h", "one", "p1"), ("h", "two", "p2")]


@pytest.mark.parametrize(
    "text",
    [
        "machine a login machine h password p", "machine a login password p", "machine login u password p",
        "machine a login u password machine h", "machine a what login u", "machine",
    ],
)  # fmt: skip
def test_a_keyword_is_never_a_value(text: str) -> None:
    assert [each for each in logins(text) if each[2] not in ("", "p") or each[1] in KEYWORDS] == []
    assert ("a", "machine", "p") not in logins(text)


@given(
    st.lists(
        st.sampled_from([*sorted(KEYWORDS), "a.example", "b.example", "u1", "p1", "odd", "\n", "\n\n", '"x"', "#"])
    )
)
def test_no_host_gets_what_stands_behind_another(words: list[str]) -> None:
    """Over shuffled words: what an entry gives stands between its machine and the next machine or default."""
    for each in read_netrc(" ".join(words).encode()):
        if each.odd:
            continue
        assert each.machine not in KEYWORDS
        places = [at for at, word in enumerate(words[:-1]) if (word, _next(words, at)) == ("machine", each.machine)]
        spans = [words[at : _end(words, at + 1)] for at in places]
        texts = [[word.strip('"') for word in span] for span in spans]
        assert any(
            (not each.login or each.login in text) and (not each.password or each.password in text) for text in texts
        )


def _next(words: list[str], at: int) -> str:
    return next((word.strip('"') for word in words[at + 1 :] if word.strip()), "")


def _end(words: list[str], at: int) -> int:
    return next((at + n for n, word in enumerate(words[at:]) if word in ("machine", "default")), len(words))
