from __future__ import annotations

import pytest

from anyurl.errors import RefusedError, URLSyntaxError
from anyurl.schemes.mailto.parts import read, remarks
from anyurl.schemes.mailto.verbs import MailtoParts, check
from anyurl.url import URL
from tests.rows import each_row


@each_row(
    ("url", "parts"),
    [
        pytest.param("mailto:a@b.c", MailtoParts(["a@b.c"]), id="RFC 1738 3.5"),
        pytest.param("mailto:a%25b@c.d", MailtoParts(["a%b@c.d"]), id="RFC 1738 3.5: the percent sign is encoded"),
        pytest.param("mailto:a@b,c@d", MailtoParts(["a@b", "c@d"]), id="RFC 6068 2: several"),
        pytest.param("mailto:%22a%2Cb%22@c", MailtoParts(['"a,b"@c']), id="an encoded comma is part of an address"),
        pytest.param("mailto:?to=a@b", MailtoParts((), [("to", "a@b")]), id="no address before the fields"),
        pytest.param(
            "mailto:a@b?subject=x%20y&body=1%0D%0A2",
            MailtoParts(["a@b"], [("subject", "x y"), ("body", "1\r\n2")]),
            id="RFC 6068 5: line ends of the body are CR LF",
        ),
        pytest.param("mailto:a@b?x=1=2", MailtoParts(["a@b"], [("x", "1=2")]), id="the first = delimits"),
        pytest.param("mailto:a@b?x=1+2", MailtoParts(["a@b"], [("x", "1+2")]), id="RFC 6068 5: + is a plus"),
        pytest.param("mailto:a@b?x=", MailtoParts(["a@b"], [("x", "")]), id="an empty value"),
        pytest.param("mailto:a@b?", MailtoParts(["a@b"]), id="no field"),
        pytest.param("mailto:", MailtoParts(), id="RFC 6068 2: both halves are optional"),
        pytest.param(
            "mailto:a@b?x=%E9", MailtoParts(["a@b"], [("x", "\udce9")]), id="what is not UTF-8 survives in a field"
        ),
        pytest.param(
            "mailto:gorby%25kremvax@example.com", MailtoParts(["gorby%kremvax@example.com"]), id="RFC 6068 6.1"
        ),
        pytest.param(
            "mailto:unlikely%3Faddress@example.com", MailtoParts(["unlikely?address@example.com"]), id="RFC 6068 6.1 ?"
        ),
        pytest.param("mailto:Mike%26family@example.org", MailtoParts(["Mike&family@example.org"]), id="RFC 6068 6.1 &"),
        pytest.param("mailto:%22not%40me%22@example.org", MailtoParts(['"not@me"@example.org']), id="RFC 6068 6.2 @"),
        pytest.param(
            "mailto:%22oh%5C%5Cno%22@example.org", MailtoParts(['"oh\\\\no"@example.org']), id="RFC 6068 6.2 backslash"
        ),
        pytest.param(
            "mailto:%22%5C%5C%5C%22it's%5C%20ugly%5C%5C%5C%22%22@example.org",
            MailtoParts(['"\\\\\\"it\'s\\ ugly\\\\\\""@example.org']),
            id="RFC 6068 6.2: all of it",
        ),
        pytest.param(
            "mailto:user@example.org?subject=caf%C3%A9&body=caf%C3%A9",
            MailtoParts(["user@example.org"], [("subject", "café"), ("body", "café")]),
            id="RFC 6068 6.3: UTF-8",
        ),
        pytest.param(
            "mailto:user@%E7%B4%8D%E8%B1%86.example.org?subject=Test&body=NATTO",
            MailtoParts(["user@納豆.example.org"], [("subject", "Test"), ("body", "NATTO")]),
            id="RFC 6068 6.3: an international domain",
        ),
        pytest.param("mailto:%C3%BC@b", MailtoParts(["ü@b"]), id="RFC 6068 2: an international local part"),
    ],
)
def test_reads(url: str, parts: MailtoParts) -> None:
    assert URL(url).parts == parts


@pytest.mark.parametrize(
    ("parts", "path"),
    [
        (MailtoParts(["a@b", '"x,y"@z']), "a@b,%22x%2Cy%22@z"),
        (MailtoParts(["a%b/c?d@e"]), "a%25b%2Fc%3Fd@e"),
        (MailtoParts(["a&b=c@[192.0.2.1]"]), "a%26b%3Dc@%5B192.0.2.1%5D"),
        (MailtoParts(["ü@bücher.example"]), "%C3%BC@b%C3%BCcher.example"),
        (MailtoParts(["a@b"], [("subject", "x y&z=1+1")]), "a@b?subject=x%20y%26z%3D1%2B1"),
    ],
)
def test_writes(parts: MailtoParts, path: str) -> None:
    assert parts.url_path() == path


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mailto:a", "an address is local-part@domain; 'a' has no '@'"),
        (
            "mailto:a%20b@c",
            "an address is local-part@domain; 'a b@c' has ' ' before its '@', which needs a quoted local part",
        ),
        ("mailto:%E9@b", "the address '\\xe9@b' is not UTF-8, as percent-encoded text in an address must be"),
        ("mailto:a@b,c", "an address is local-part@domain; 'c' has no '@'"),
        (
            "mailto:a@b.example&subject=x",
            "the domain of “a@b.example&subject=x” has an '&': the first header field follows a '?'",
        ),
        ("mailto:a@b?=x", "a header field of a mailto URL needs a name before the '='"),
    ],
)
def test_says_what_is_wrong(url: str, message: str) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        URL(url).parts  # noqa: B018
    assert caught.value.diagnostics[0].message == message


def test_a_bad_address_has_a_code_and_a_rule() -> None:
    with pytest.raises(URLSyntaxError) as caught:
        URL("mailto:a@b,c").parts  # noqa: B018
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.rule, diagnostic.section) == ("bad-address", "addr-spec", "RFC 6068 2")


def test_recipients_are_collected_from_both_places() -> None:
    assert URL("mailto:a@b?to=c@d,%20e@f&cc=g@h&TO=i@j").parts.recipients == ("a@b", "c@d", "e@f", "i@j")


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mailto:a@b%0D%0ABcc:x@y", "The address of mailto:a@b%0D%0ABcc:x@y holds CR (%0D)"),
        ("mailto:a@b?subject=x%0ABcc:%20y", "The header value of mailto:a@b?subject=x%0ABcc:%20y holds LF (%0A)"),
        ("mailto:a@b?x%0D%0A=y", "The header name of mailto:a@b?x%0D%0A=y holds CR (%0D)"),
        ("mailto:a@b?body%0A=y", "The header name of mailto:a@b?body%0A=y holds LF (%0A)"),
    ],
)
def test_line_ends_outside_the_body_are_refused(url: str, message: str) -> None:
    with pytest.raises(RefusedError) as caught:
        check(URL(url))
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("url", ["mailto:a@b", "mailto:a@b?BODY=x%0D%0Ay&subject=z"])
def test_the_body_may_have_lines(url: str) -> None:
    check(URL(url))


AS_WRITTEN = [
    ("a@b,%20c@d", ["a@b", "c@d"]),
    ("a@b,", ["a@b"]),
    (",a@b,,c@d,", ["a@b", "c@d"]),
    ("a@b;c@d", ["a@b", "c@d"]),
    ("%3Cj@b%3E", ["j@b"]),
    ("Joe%20%3Cj@b%3E,c@d", ["j@b", "c@d"]),
    ("%22Doe,%20J%22%20%3Cj@b%3E", ["j@b"]),
    ("%22Doe%2C%20J%22%20%3Cj@b%3E", ["j@b"]),
    ("%22a%2Cb;c%22@d", ['"a,b;c"@d']),
    ("a@%5B192.0.2.1%5D,c@d", ["a@[192.0.2.1]", "c@d"]),
]
"""As mail programs write them, and take them."""


@each_row(("text", "addresses"), AS_WRITTEN)
def test_one_reader_reads_the_path_and_the_field(text: str, addresses: list[str]) -> None:
    assert read(URL(f"mailto:{text}")).recipients == tuple(addresses)
    assert read(URL(f"mailto:?to={text}")).recipients == tuple(addresses)
    assert read(URL(f"mailto:{text}?subject=x")).headers == (("subject", "x"),)


@pytest.mark.parametrize(
    ("query", "headers", "said"),
    [
        ("subject=x&", (("subject", "x"),), 0),
        ("&subject=x", (("subject", "x"),), 0),
        ("&&", (), 0),
        ("subject", (), 1),
        ("subject=50%25&%20more", (("subject", "50%"),), 1),
    ],
)
def test_fields_that_are_none_are_left_out_and_told(query: str, headers: tuple[object, ...], said: int) -> None:
    url = URL(f"mailto:a@b?{query}")
    assert (read(url).headers, len(remarks(url))) == (headers, said)


def test_names_that_are_left_out_are_told() -> None:
    assert "names next to the addresses are left out" in remarks(URL("mailto:Joe%20%3Cj@b%3E"))[0]
    assert remarks(URL("mailto:j@b,c@d")) == []
