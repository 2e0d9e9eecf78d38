"""Set-Cookie fields as browsers read them (RFC 6265bis 5.1.1 and 5.6)."""

from __future__ import annotations

from typing import Any

from anyurl.schemes.http.wire.cookies import SetCookie, cookie_date, read_set_cookie
from tests.rows import each_row


def cookie(name: str, value: str, **more: Any) -> SetCookie:
    plain = {
        "domain": "", "path": None, "secure": False, "http_only": False, "same_site": None, "expires": None,
        "max_age": None,
    }  # fmt: skip
    return SetCookie(name, value, **(plain | more))


@each_row(
    ("text", "said"),
    [
        ("a=b", cookie("a", "b")),
        ("  a \t=\t b  ;  Secure ", cookie("a", "b", secure=True)),
        ("a=b=c", cookie("a", "b=c")),
        ("a=", cookie("a", "")),
        ("=b", cookie("", "b")),
        ("b", cookie("", "b")),
        ('a="b; c"', cookie("a", '"b')),  # a quoted value is no quoted string
        ("a=b,c=d", cookie("a", "b,c=d")),  # one field is one cookie, whatever RFC 2109 said
        ("a=b; HttpOnly; SameSite=STRICT", cookie("a", "b", http_only=True, same_site="strict")),
        ("a=b; samesite=lax", cookie("a", "b", same_site="lax")),
        ("a=b; SameSite=None; secure", cookie("a", "b", same_site="none", secure=True)),
        ("a=b; SameSite=Whatever", cookie("a", "b")),
        ("a=b; Domain=.Example.COM", cookie("a", "b", domain="example.com")),
        ("a=b; Domain=", cookie("a", "b")),
        ("a=b; Domain=a.example; Domain=b.example", cookie("a", "b", domain="b.example")),
        ("a=b; Path=/x; path=/y", cookie("a", "b", path="/y")),
        ("a=b; Path=x", cookie("a", "b")),
        ("a=b; Max-Age=10; Max-Age=ten", cookie("a", "b", max_age=10)),
        ("a=b; Max-Age=-1", cookie("a", "b", max_age=-1)),
        ("a=b; Max-Age=", cookie("a", "b")),
        ("a=b; Max-Age=99999999999999999999", cookie("a", "b", max_age=999_999_999_999)),
        ("a=b; Expires=Wed, 09 Jun 2021 10:18:14 GMT", cookie("a", "b", expires=1_623_233_894.0)),
        ("a=b; Expires=soon", cookie("a", "b")),
        ("a=b; Unknown=x; ; =; Secure=no", cookie("a", "b", secure=True)),
        ("ü=ß", cookie("ü", "ß")),
        ("a=b\tc", cookie("a", "b\tc")),
        (f"a=b; Path=/{'x' * 1024}", cookie("a", "b")),
        (f"a={'x' * 4095}", cookie("a", "x" * 4095)),
    ],
)
def test_what_is_read(text: str, said: SetCookie) -> None:
    assert read_set_cookie(text) == said


@each_row("text", ["", " ", "=", ";a=b", "a=b\x00c", "a\x7f=b", "a=b\x0bc", "a=\r", f"a={'x' * 4096}"])
def test_what_is_ignored(text: str) -> None:
    assert read_set_cookie(text) is None


def test_a_value_is_in_no_representation() -> None:
    assert "s3cr3t" not in repr(read_set_cookie("a=s3cr3t"))


@each_row(
    ("text", "seconds"),
    [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777.0),
        ("Sun Nov  6 08:49:37 1994", 784_111_777.0),
        ("06 Nov 94 8:49:37", 784_111_777.0),
        ("8:49:37 Nov 6 1994", 784_111_777.0),
        ("nov 6th 1994 08:49:37pm", 784_111_777.0),
        ("Thu,01-Jan-69 00:00:00 GMT", 3_124_224_000.0),
        ("01 Jan 1601 00:00:00", -11_644_473_600.0),
        ("01 Jan 1600 00:00:00", None),
        ("30 Feb 2020 00:00:00", None),
        ("06 Nov 1994 24:00:00", None),
        ("06 Nov 1994 00:00:60", None),
        ("06 Nov 1994", None),
        ("06 Nov 08:49:37", None),
        ("Nov 1994 08:49:37", None),
        ("١٢ Nov 1994 08:49:37", None),
        ("", None),
    ],
)
def test_dates(text: str, seconds: float | None) -> None:
    assert cookie_date(text) == seconds
