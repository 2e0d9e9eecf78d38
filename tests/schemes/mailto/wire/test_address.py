"""addr-specs: RFC 6068 2 and 6, RFC 5322 3.4.1, RFC 6532; and what a mail server is never told (FAULTS row G16)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import LocalProtocolError
from anyurl.schemes.mailto.wire.address import (
    MAX_SHOWN_CHARACTERS,
    Address,
    check_deliverable,
    read_address,
    split_list,
)
from tests.rows import each_row

GOOD = [
    ("chris@example.com", ("chris", "example.com"), "chris", "RFC 6068 6.1"),
    ("gorby%kremvax@example.com", ("gorby%kremvax", "example.com"), "gorby%kremvax", "RFC 6068 6.1: a percent sign"),
    ("unlikely?address@example.com", ("unlikely?address", "example.com"), "unlikely?address", "a question mark"),
    ("Mike&family@example.org", ("Mike&family", "example.org"), "Mike&family", "an ampersand"),
    ('"not@me"@example.org', ('"not@me"', "example.org"), "not@me", "RFC 6068 6.2: a quoted @"),
    ('"oh\\\\no"@example.org', ('"oh\\\\no"', "example.org"), "oh\\no", "RFC 6068 6.2: a quoted backslash"),
    (
        '"\\\\\\"it\'s\\ ugly\\\\\\""@example.org',
        ('"\\\\\\"it\'s\\ ugly\\\\\\""', "example.org"),
        '\\"it\'s ugly\\"',
        "RFC 6068 6.2: all of it together",
    ),
    ("user@natto.xn--wgv71a.example", ("user", "natto.xn--wgv71a.example"), "user", "an A-label"),
    ("user@日本.example", ("user", "日本.example"), "user", "RFC 6068 6.3: an international domain"),
    ("用户@example.org", ("用户", "example.org"), "用户", "RFC 6532: an international local part"),
    ('"ü,ü"@example.org', ('"ü,ü"', "example.org"), "ü,ü", "the same in quotes"),
    ("a@[192.0.2.1]", ("a", "[192.0.2.1]"), "a", "a literal"),
    ("a@[IPv6:2001:db8::1]", ("a", "[IPv6:2001:db8::1]"), "a", "an IPv6 literal"),
    ("a@localhost", ("a", "localhost"), "a", "one label is a domain"),
    ("!#$%&'*+-/=?^_`{|}~@b", ("!#$%&'*+-/=?^_`{|}~", "b"), "!#$%&'*+-/=?^_`{|}~", "RFC 5322 3.2.3: all of atext"),
    ('""@b', ('""', "b"), "", "an empty quoted string is one"),
]


@each_row(("text", "parts", "name"), [row[:3] for row in GOOD], ids=[row[3] for row in GOOD])
def test_an_address_is_read(text: str, parts: tuple[str, str], name: str) -> None:
    address = read_address(text)
    assert (address.local, address.domain, address.name) == (*parts, name)


BAD = [
    ("a", "has no '@'", "no domain"),
    ("", "has no '@'", "nothing"),
    ("@b", "is empty, or has a misplaced dot", "no local part"),
    ("a@", "an empty label", "an empty domain"),
    (".a@b", "a misplaced dot", "RFC 5322 3.2.3: a dot-atom begins with an atom"),
    ("a.@b", "a misplaced dot", "and ends with one"),
    ("a..b@c", "a misplaced dot", "and no atom is empty"),
    ("a@b..c", "an empty label", "nor a label"),
    ("a@b.", "an empty label", "RFC 5321 4.1.2: no final dot"),
    ("a b@c", "has ' ' before its '@'", "RFC 6068 2: no white space"),
    ("a (c)@b", "has ' ' before its '@'", "no comments"),
    ("a(c)@b", "has '(' before its '@'", "no comments"),
    ("a@b (c)", "holds ' '", "no comments"),
    ('"a b"@c', "holds a character that is not allowed there", "no white space in quotes"),
    ('"a', "is not closed", "a quote that does not end"),
    ('"a\\', "holds a character that is not allowed there", "a backslash with nothing behind it"),
    ('"a"b@c', "has 'b' before its '@'", "an obsolete local part: quoted and unquoted words"),
    ('"a"."b"@c', "has '.' before its '@'", "obs-local-part is not for mailto URLs"),
    ("a@b@c", "holds '@'", "two of them"),
    ("a,b@c", "has ',' before its '@'", "a list"),
    ("Joe <a@b>", "has ' ' before its '@'", "a display name"),
    ("a@[1.2.3.4", "is not a bracketed address", "a bracket that does not end"),
    ("a@[]", "is not a bracketed address", "an empty literal"),
    ("a@[a[b]", "is not a bracketed address", "a bracket inside"),
    ("a@b\r\nDATA", "holds '\\x0d'", "a line end"),
    ("a\n@b", "has '\\x0a' before its '@'", "a line end in the local part"),
    ('"a\nb"@c', "holds a character that is not allowed there", "a line end in quotes"),
    ('"a\\\nb"@c', "holds a character that is not allowed there", "a line end behind a backslash"),
    ('"a\0"@c', "holds a character that is not allowed there", "NUL"),
    ("a\x7f@b", "has '\\x7f' before its '@'", "DEL"),
    ("a\x9b@b", "has '\\x9b' before its '@'", "a C1 control, which terminals obey"),
    ("a\u202e@b", "has '\\u202e' before its '@'", "what turns the direction"),
    ("a\udce9@b", "is not UTF-8", "Latin-1"),
    ("a@b\ud800", "is not UTF-8", "half a character"),
    ("a@／.example", "not an internationalised name", "a fullwidth solidus turns into a delimiter"),
    ("a@xn--ü.example", "not an internationalised name", "an A-label is ASCII"),
]


@each_row(("text", "why"), [row[:2] for row in BAD], ids=[row[2] for row in BAD])
def test_what_is_no_address_says_why(text: str, why: str) -> None:
    with pytest.raises(LocalProtocolError) as caught:
        read_address(text)
    assert why in str(caught.value)
    assert str(caught.value).isprintable()


UNDELIVERABLE = [
    ("-f@b", "begins with '-'", "FAULTS G16: an option of sendmail"),
    ('"-f"@b', "begins with '-'", "quotes don't protect a program"),
    ('"\\-f"@b', "begins with '-'", "nor does a backslash"),
    (f"{'a' * 65}@b", "too long", "RFC 5321 4.5.3.1.1"),
    (f"{'ü' * 33}@b", "too long", "octets count, not characters"),
    (f"a@{'b.' * 127}bb", "too long", "RFC 5321 4.5.3.1.2"),
    ('"a\\\tb"@c', "holds a tab", "RFC 5321 4.1.2: quoted-pairSMTP is 32 to 126"),
    ("a@b!c", "neither a host name nor an address", "RFC 5322 has it, SMTP has not"),
    ("a@-b", "neither a host name nor an address", "a label begins with a letter or digit"),
    (f"a@{'b' * 64}", "neither a host name nor an address", "RFC 1035: 63 octets of a label"),
    ("a@[x]", "neither a host name nor an address", "no address"),
    ("a@[300.0.0.1]", "neither a host name nor an address", "no IPv4 address"),
    ("a@[IPv6:x]", "neither a host name nor an address", "no IPv6 address"),
]


@each_row(("text", "why"), [row[:2] for row in UNDELIVERABLE], ids=[row[2] for row in UNDELIVERABLE])
def test_where_no_mail_goes(text: str, why: str) -> None:
    address = read_address(text)
    with pytest.raises(LocalProtocolError) as caught:
        check_deliverable(address)
    assert why in str(caught.value)


@each_row("text", [row[0] for row in GOOD if row[0] != '""@b'])
def test_all_others_are_delivered_to(text: str) -> None:
    check_deliverable(read_address(text))


def test_a_long_one_is_not_shown_whole() -> None:
    with pytest.raises(LocalProtocolError) as caught:
        read_address("a" * 1000)
    assert str(caught.value) == f"An address is local-part@domain; '{'a' * MAX_SHOWN_CHARACTERS}...' has no '@'."


def test_a_domain_has_an_ascii_form_and_a_local_part_has_none() -> None:
    address = read_address("用户@BÜCHER.example")
    assert str(address) == "用户@xn--bcher-kva.example"
    assert address.is_international
    assert not read_address("a@bücher.example").is_international


def test_an_address_is_a_value() -> None:
    assert read_address("a@b") == Address("a", "b")
    assert len({read_address("a@b"), Address("a", "b")}) == 1
    assert repr(Address("a", "b")) == "Address(local='a', domain='b')"


@each_row(
    ("value", "texts"),
    [
        ("a@b", ["a@b"]),
        ("a@b, c@d", ["a@b", "c@d"]),
        (" a@b ,, ", ["a@b"]),
        ('"x, y" <a@b>, c@d', ["a@b", "c@d"]),  # a comma in a display name
        ('"x,\\",y"@b,c@d', ['"x,\\",y"@b', "c@d"]),  # a comma and a quote in a local part
        ("Your Bank <evil@example.org>", ["evil@example.org"]),  # who somebody is, is not the page's to say
        ("", []),
        ("<>", []),
    ],
)
def test_a_list_is_taken_apart(value: str, texts: list[str]) -> None:
    assert list(split_list(value)) == texts


@given(st.text(max_size=30) | st.text('ab"\\@.[]ü -', max_size=12))
def test_what_is_read_can_be_written_and_read_again(text: str) -> None:
    try:
        address = read_address(text)
    except LocalProtocolError:
        return
    assert read_address(f"{address.local}@{address.domain}") == address
    assert not {"\r", "\n", "\0", ">"} & set(str(address)) or ">" in address.local
