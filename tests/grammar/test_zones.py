import pytest

import anyurl
from anyurl.errors import URLSyntaxError
from anyurl.grammar.zones import take_zone
from tests.rows import each_row


@each_row(
    ("text", "url", "zone"),
    [
        ("http://[fe80::1%eth0]/a%20b", "http://[fe80::1]/a%20b", "eth0"),
        ("ftp://bob@[fe80::1%eth0.1]:2121/x", "ftp://bob@[fe80::1]:2121/x", "eth0.1"),
        ("gopher://[FE80::1%3]/", "gopher://[FE80::1]/", "3"),
        ("http://[fe80::1%25eth0]/", "http://[fe80::1]/", "eth0"),  # RFC 6874
        ("http://[fe80::1%25]/", "http://[fe80::1]/", "25"),
        ("[fe80::1%wlan-0]:8080/x", "http://[fe80::1]:8080/x", "wlan-0"),
        ("fe80::1%en0", "http://[fe80::1]", "en0"),
        ("  http://[fe80::1%lo]/ ", "http://[fe80::1]/", "lo"),
        ("<http://[fe80::1%lo]/>", "http://[fe80::1]/", "lo"),
    ],
)
def test_a_zone_is_taken_out_of_what_a_person_types(text: str, url: str, zone: str) -> None:
    meant = anyurl.guess(text)
    assert (str(meant.url), meant.zone) == (url, zone)
    assert meant.how.startswith(f"{zone} is an interface of this machine, which a URL can't name")


@each_row(
    ("text", "reason"),
    [
        ("http://[fe80::1%251]/", "RFC 6874's 1, or the interface 251"),
        ("http://[2001:db8::1%eth0]/", "it means the same by every interface"),
        ("http://[::ffff:127.0.0.1%eth0]/", "the same, and filters trip over it"),
        ("http://[fe80::1%]/", "no zone"),
        ("http://[fe80::1%a%b]/", "readers end the address in different places"),
        ("http://[fe80::1%a]evil.example/", "two hosts"),
        ("http://[fe80::1%a@evil.example]/", "two hosts"),
        ("http://[fe80::1%a/b]/", "two hosts"),
        ("http://[fe80::1%\x1b]/", "a control character"),
        ("http://a@b@[fe80::1%lo]/", "two logins"),
        ("http://bob:word@[fe80::1%lo]/", "no password goes out upon a guess"),
    ],
    ids=lambda value: value,
)
def test_anything_else_with_a_zone_is_no_url(text: str, reason: str) -> None:
    with pytest.raises(URLSyntaxError):
        anyurl.guess(text)


@pytest.mark.parametrize(
    "text", ["http://h/[fe80::1%lo]", "http://h/?a=fe80::1%lo", "fe80::1", "http://[fe80::1]/", ""]
)
def test_a_text_without_one_stays_as_it_is(text: str) -> None:
    assert take_zone(text) == (text, "")


@pytest.mark.parametrize("grammar", ["current", "rfc1738", "rfc1738-draft07", "browser"])
def test_no_grammar_takes_one_in_a_url(grammar: str) -> None:
    """What a program or a stranger wrote: RFC 9844 has no zone in a URL."""
    for text in ("http://[fe80::1%eth0]/", "http://[fe80::1%25eth0]/"):
        with pytest.raises(URLSyntaxError):
            anyurl.parse(text, grammar)
        with pytest.raises(URLSyntaxError):
            anyurl.fix(text)
