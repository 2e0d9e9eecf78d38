"""A URL into which a server wrote a password: it masks it, and so does what is made from it."""

from __future__ import annotations

import copy
import pickle

import pytest

from anyurl import URL, LocalProtocolError
from anyurl.url.echoes import MAX_SECRETS, echoing, number_of
from anyurl.url.stored import is_echo, to_stored
from tests.hop.test_echo_outputs import FORMS, PASSWORD, PLACES, shown

pytestmark = pytest.mark.promise("hop")


@pytest.fixture
def number() -> int:
    """That of the password; the secrets of later tests may have taken its place."""
    return number_of([PASSWORD.encode()])


@pytest.mark.parametrize("place", ["query", "path", "last segment", "fragment"])
@pytest.mark.parametrize("form", FORMS)
def test_whatever_is_made_of_the_url_masks_it_too(place: str, form: str, number: int) -> None:
    url = echoing(URL(f"http://h{PLACES[place].format(FORMS[form])}"), number)
    assert is_echo(url)
    made = [url, URL(url), copy.copy(url), pickle.loads(pickle.dumps(url)), url.normalize(), url.without_fragment()]
    made += [url.replace(host="g"), url.join("next"), url.join("?b"), url.join("#c"), url / "x"]
    made += [url.with_query(f"b={FORMS[form]}"), url.join(f"/{FORMS[form]}")]
    assert [shown(f"{each!r} {each.masked} {each.display} {each.name}") for each in made] == [[]] * len(made)
    for each in made:
        with pytest.raises(LocalProtocolError, match="is not stored"):
            to_stored(each)


@pytest.mark.parametrize("text", ["http://h/pa55/w0rd", "http://h/?q=pa55+w0rd", "http://h/cGE1NQ/"])
def test_what_has_not_the_password_is_left_as_it_is(text: str, number: int) -> None:
    url = URL(text)
    assert echoing(url, number) is url
    assert not is_echo(url)


def test_a_secret_that_stands_in_many_words_is_left() -> None:
    url = URL("http://h/abc/abcd")
    assert echoing(url, number_of([b"abc", b"no such word"])) is url


def test_of_a_url_with_a_forgotten_secret_only_the_scheme_is_shown() -> None:
    first = echoing(URL("http://h/first secret".replace(" ", "%20")), number_of([b"first secret"]))
    assert first.masked == "http://h/***"
    for number in range(MAX_SECRETS):
        number_of([b"secret %d" % number])
    assert (first.masked, pickle.loads(pickle.dumps(first)).masked) == ("http:***", "http:***")
