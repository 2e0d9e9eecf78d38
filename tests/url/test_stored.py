import pytest

from anyurl.errors import UnsupportedError
from anyurl.grammar import parse
from anyurl.url import URL
from anyurl.url.stored import from_stored, to_stored

TWO_HOSTS = "https://127.0.0.1?@allowed.example/a"


@pytest.mark.parametrize(
    ("grammar", "host", "stored"),
    [
        ("current", "127.0.0.1", TWO_HOSTS),
        ("rfc1738", "allowed.example", f"rfc1738 {TWO_HOSTS}"),
        ("rfc1738-draft07", "allowed.example", f"rfc1738-draft07 {TWO_HOSTS}"),
        ("browser", "127.0.0.1", "browser https://127.0.0.1/?@allowed.example/a"),
    ],
)
def test_what_is_written_down_is_read_by_its_grammar(grammar: str, host: str, stored: str) -> None:
    url = parse(TWO_HOSTS, grammar)  # type: ignore[arg-type]
    assert to_stored(url) == stored
    again = from_stored(stored)
    assert (again, again.grammar, again.host) == (url, grammar, host)


def test_a_space_of_a_browsers_url_is_its_own() -> None:
    url = parse("view:a b", "browser")
    assert from_stored(to_stored(url)) == url


def test_a_grammar_that_is_none_is_an_error() -> None:
    with pytest.raises(UnsupportedError):
        from_stored("rfc9999 http://a/")
    assert from_stored("http://a/") == URL("http://a/")
