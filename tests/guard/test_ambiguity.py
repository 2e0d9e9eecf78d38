"""Hosts that two programs read differently, and users made to look like hosts: each is told, and nothing else is."""

from __future__ import annotations

import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.guard.addresses import forms
from anyurl.guard.ambiguity import MAX_LABEL, MAX_NAME, is_disguised, is_unclear
from anyurl.guard.policy import Policy
from tests.rows import each_row


def unclear(host: str) -> bool:
    return is_unclear(host, forms(host))


LABEL = "a" * MAX_LABEL
LONGEST = ".".join([LABEL, LABEL, LABEL, "a" * 61])

HOSTS = [
    ("example.org", False, "a name"),
    ("a", False, "one letter"),
    ("localhost", False, "one label"),
    ("_dmarc.example.org", False, "no host, but the same name to everybody"),
    ("a-b.example", False, "a hyphen"),
    ("1a.example", False, "a digit first, not in the last label"),
    ("1.2.example", False, "numbers before a name"),
    ("deadbeef", False, "hexadecimal digits without 0x"),
    ("0xg", False, "no number: g is no digit"),
    ("a.0xg", False, "no number"),
    ("x.3com", False, "the last label begins with a digit behind a name (the whole is no number)"),
    ("3com", False, "one label that begins with a digit"),
    ("127.0.0.1", False, "a plain address"),
    ("::1", False, "a plain address"),
    ("fe80::1", False, "a plain address"),
    # RFC 3986 7.4 and WHATWG's "ends in a number"
    ("2130706433", True, "127.0.0.1 to getaddrinfo"),
    ("127.1", True, "127.0.0.1 to getaddrinfo"),
    ("0177.0.0.1", True, "octal to some"),
    ("0x7f.1", True, "127.0.0.1 to getaddrinfo"),
    ("0x7f000001", True, "127.0.0.1 to getaddrinfo"),
    ("0x", True, "0.0.0.0 to browsers"),
    ("example.0x", True, "an error to browsers, a name to others"),
    ("example.0xff", True, "an error to browsers, a name to others"),
    ("example.1", True, "an error to browsers, a name to others"),
    ("1.2.3.4.5", True, "no address, and an error to browsers"),
    ("256.256.256.256", True, "no address"),
    ("127.0.0.1e0", True, "127.0.0.1 to who stops where the number does"),
    ("127.1x", True, "127.0.0.1 to who stops where the number does"),
    # RFC 1035 2.3.4
    (LONGEST, False, "253 characters"),
    (LONGEST + "a", True, "254 characters"),
    (f"{LABEL}.example", False, "a label of 63"),
    (f"{LABEL}a.example", True, "a label of 64"),
    (f"example.{LABEL}a", True, "a last label of 64"),
    # empty labels
    ("", True, "no host"),
    (".", True, "the root"),
    (".a", True, "an empty first label"),
    ("a..b", True, "an empty label"),
    # other scripts, and their A-labels (RFC 5890 2.3.2.1)
    ("bücher.example", True, "not ASCII"),
    ("example.\u0663", True, "an Arabic digit"),
    ("xn--bcher-kva.example", False, "bücher"),
    ("www.xn--bcher-kva", False, "bücher as the last label"),
    ("axn--b.example", False, "not at the start of a label: no prefix"),
    ("xn--.example", True, "no text"),
    ("xn--a-.example", True, "ASCII alone needs no A-label"),
    ("xn--a.example", True, "no Punycode"),
    ("xn--bcher-kvA.example", True, "the decoder of some reads another case otherwise"),
    ("xn--bcher-kva.xn--a", True, "the second is none"),
    ("xn--" + "Bücher".encode("punycode").decode(), True, "a capital, which IDNA folds"),
    ("xn--" + "a\u2024b".encode("punycode").decode(), True, "a dot in disguise, which NFKC makes one"),
    ("xn--" + "a\u202eb".encode("punycode").decode(), True, "a direction mark"),
    ("xn--" + "نامه\u200cای".encode("punycode").decode(), False, "RFC 5892 A.1: a joiner in Persian"),
    ("xn--" + "क्\u200dष".encode("punycode").decode(), False, "RFC 5892 A.2: a joiner in Hindi"),
    ("xn--" + "a\u200bb".encode("punycode").decode(), True, "no joiner: a space of no width"),
]  # fmt: skip


@pytest.mark.promise("ambiguous-syntax")
@each_row(("host", "expected", "why"), HOSTS, ids=[f"{row[0][:30]!a} {row[2]}" for row in HOSTS])
def test_a_host_that_programs_read_differently(host: str, expected: bool, why: str) -> None:
    assert unclear(host) is expected, why


@pytest.mark.promise("ambiguous-syntax")
@each_row("char", ' \t\r\n\0\x7f:%[]@/\\?#<>"^`{|}')
@each_row("host", ["{}a.example", "a{}b.example", "a.example{}"])
def test_a_delimiter_is_in_no_host(host: str, char: str) -> None:
    assert unclear(host.format(char))


@each_row("char", "-_~!$&'()*+,;=")
def test_what_delimits_nothing_is_read_alike(char: str) -> None:
    assert not unclear(f"a{char}b.example")


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("fe80::1%eth0", False),
        ("169.254.0.1", False),
        ("2001:db8::1%eth0", True),
        ("::1%lo", True),
        ("::ffff:127.0.0.1%eth0", True),
    ],
)
def test_a_zone_selects_a_link_and_is_noise_elsewhere(host: str, expected: bool) -> None:
    """RFC 4007 11."""
    assert unclear(host) is expected


@pytest.mark.promise("ambiguous-syntax")
@given(st.integers(0, 2**32 - 1), st.sampled_from(["{}", "0x{:x}", "0{:o}"]))
def test_any_number_that_the_system_takes_for_an_address_is_unclear(number: int, form: str) -> None:
    """What `inet_aton` reads is an address to some; the plain spelling alone is one to all."""
    host = form.format(number)
    assert socket.inet_aton(host) == number.to_bytes(4, "big")
    assert unclear(host)
    plain = socket.inet_ntoa(number.to_bytes(4, "big"))
    assert not unclear(plain)
    for group in range(1, 4):  # fewer than four numbers
        head, tail = plain.split(".")[:group], plain.split(".")[group:]
        assert unclear(".".join([*head, hex(int("".join(f"{int(one):02x}" for one in tail) or "0", 16))]))


@given(st.lists(st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=MAX_LABEL), min_size=1, max_size=3))
def test_names_of_letters_are_clear(labels: list[str]) -> None:
    assert not unclear(".".join(labels))


@given(st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), min_size=1, max_size=9))
def test_what_idna_writes_of_a_name_is_clear(name: str) -> None:
    label = name.encode("punycode").decode()
    assert not unclear(f"xn--{label}.example")
    assert unclear(f"{name}.example")


USERS = [
    ("", False, "none"),
    ("alice", False, "a name"),
    ("alice%40example.org", False, "an address of mail, which many services use"),
    ("alice:word", False, "ASCII: the caller has cut at the colon"),
    ("a%20b", False, "an escape that delimits nothing"),
    ("jürgen", False, "a letter of another script"),
    ("127.0.0.1/", True, "a slash ends a host"),
    ("127.0.0.1\\", True, "a backslash ends one to browsers"),
    ("a?", True, "a question mark ends one"),
    ("a#", True, "a number sign ends one"),
    ("127.0.0.1%2F", True, "encoded twice"),
    ("127.0.0.1%2f", True, "encoded twice"),
    ("127.0.0.1%5C", True, "encoded twice"),
    ("127.0.0.1%5c", True, "encoded twice"),
    ("a%3Fb", True, "encoded twice"),
    ("a%3fb", True, "encoded twice"),
    ("a%23b", True, "encoded twice"),
    ("a%3f", True, "at the end"),
    ("good.example\u2044", True, "looks like a slash"),
    ("good.example\u2215", True, "looks like a slash"),
    ("good.example\u29f8", True, "looks like a slash"),
    ("good.example\u2024x", True, "looks like a dot"),
    ("good.example\u2216x", True, "looks like a backslash"),
    ("good.example\u29f5x", True, "looks like a backslash"),
    ("good.example\u29f9x", True, "looks like a backslash"),
    ("good\uff0f", True, "NFKC makes it a slash"),
    ("good\uff3c", True, "NFKC makes it a backslash"),
    ("good\uff1f", True, "NFKC makes it a question mark"),
    ("good\uff03", True, "NFKC makes it a number sign"),
    ("good\uff20evil", True, "NFKC makes it an @"),
    ("good\uff1a80", True, "NFKC makes it a colon"),
    ("é\uff052f", True, "NFKC makes it an escape"),
]


@each_row(("user", "expected", "why"), USERS, ids=[row[2] for row in USERS])
def test_a_user_that_is_made_to_look_like_a_host(user: str, expected: bool, why: str) -> None:
    assert is_disguised(user) is expected, why


def test_the_limits_are_those_of_the_names_of_the_dns() -> None:
    """RFC 1035 2.3.4: 255 octets, of which the first length and the root's are no characters."""
    assert (MAX_NAME, MAX_LABEL) == (255 - 2, 63)


# --- in a whole URL --------------------------------------------------------------------------------------------------

CONNECTING = ("http", "https", "ftp", "gopher", "telnet", "news", "nntp", "wais", "prospero", "dict", "gemini")
PLACES = (
    "{}http://h/", "ht{}tp://h/", "http:{}//h/", "http:/{}/h/", "http://{}h/", "http://h{}/", "http://u{}@h/",
    "http://u:p{}@h/", "http://h:8{}0/", "http://h/a{}b", "http://h/{}", "http://h/?a{}b", "http://h/#a{}b", "ftp://h/a{}b",
    "gopher://h/0a{}b", "mailto:a{}b@c.d", "news:a{}b", "data:,a{}b", "telnet://h{}", "file:///a{}b", "wais://h/a{}b",
)  # fmt: skip


@pytest.mark.promise("ambiguous-syntax")
@each_row("place", PLACES)
def test_what_some_programs_leave_out_or_turn_round_stands_in_no_url(place: str) -> None:
    for char in ("\\", " ", *map(chr, range(32)), "\x7f"):
        verdict = Policy.open().check(place.format(char))
        assert (verdict.allowed, verdict.code) == (False, "no-url"), repr(char)


@pytest.mark.promise("ambiguous-syntax")
@each_row(
    "authority",
    ["h%61", "%6c", "a%2Eb", "127.1", "2130706433", "0x7f.1", "0x7f000001", "0177.0.0.1", "01.2.3.4", "1.2.3.4.5", "0",
     "127.0.0.1e0", "1.2.3.256", "a.0x1", "h:65536", "h:99999999999999999999", "h:-1", "h:+80", "h:8_0",
     "h:\u0668\u0660"],
)  # fmt: skip
def test_a_host_and_a_port_have_one_reading_whatever_the_policy(authority: str) -> None:
    for scheme in CONNECTING:
        assert Policy.open().check(f"{scheme}://{authority}/").code in ("no-url", "host-unclear"), scheme
