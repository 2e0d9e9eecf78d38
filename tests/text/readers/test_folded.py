"""Calendars, visiting cards and Java's properties."""

from __future__ import annotations

import pytest

from anyurl.text import find
from tests.text.readers.contract import Contract


class TestIcal(Contract):
    format = "ical"
    samples = [
        (
            b"BEGIN:VEVENT\r\nDESCRIPTION:Join https://h.dom/aaaaaaaaaa\r\n bbbbb\\, or\\nhttp://i.dom/\\\r\n nBye\r\nURL:ftp://j/\r\n",
            [
                ("https://h.dom/aaaaaaaaaabbbbb", "https://h.dom/aaaaaaaaaa\r\n bbbbb", "bare"),
                ("http://i.dom/", "http://i.dom/", "bare"), ("ftp://j/", "ftp://j/", "URL:"),
            ],
        ),
        (
            b"item1.URL;type=pref:http\\://h.dom/a\nTEL;VALUE=uri:tel:+1-5\n\t55\nNOTE:http://i/\\;\n",
            [
                ("http://h.dom/a", "http\\://h.dom/a", "bare"), ("tel:+1-555", "tel:+1-5\n\t55", "bare"),
                ("http://i/", "http://i/", "bare"),
            ],
        ),
        (b"URL:http://h/\xc3\r\n \xa9\n", [("http://h/%C3%A9", "http://h/\udcc3\r\n \udca9", "URL:")]),
        (b"URL:http://h/a\n\n http://i/", [("http://h/a", "http://h/a", "URL:"), ("http://i/", "http://i/", "bare")]),
        (b"URL:http://h/a\\", [("http://h/a", "http://h/a", "URL:")]),
    ]  # fmt: skip
    pieces = (b"\r\n ", b"\n\t", b"\r", b"\n", b"\\", b"\\n", b"\\,", b":", b";", b" ", b"\\\n ")
    hostile = (b"a\n ", b"\\", b"\n", b"\r")


class TestProperties(Contract):
    format = "properties"
    samples = [
        (
            b"distributionUrl=https\\://h.dom/a-8.0.zip?b\\=c\\#d\nx=http\\://i.dom/\\u00e9\\u0026\\\n   e\\\\f\n",
            [
                ("https://h.dom/a-8.0.zip?b=c#d", "https\\://h.dom/a-8.0.zip?b\\=c\\#d", "bare"),
                ("http://i.dom/%C3%A9&e", "http\\://i.dom/\\u00e9\\u0026\\\n   e", "bare"),
            ],
        ),
        (
            b"a=see http://h/\\n\\thttp://i/\\ b\\u12",
            [("http://h/", "http://h/", "bare"), ("http://i/", "http://i/", "bare")],
        ),
    ]
    pieces = (b"\\:", b"\\=", b"\\u0026", b"\\u00e9", b"\\ud83d", b"\\ude00", b"\\\n  ", b"\\", b"\n", b"=", b"#")
    hostile = (b"\\", b"\\\n ", b"\\u00e9", b"\\:")


@pytest.mark.parametrize(
    ("name", "text", "url"),
    [
        ("a.ics", "URL:http://h/a\n b", "http://h/ab"), ("a.VCF", "URL:http://h/a\n b", "http://h/ab"),
        ("", "BEGIN:VCALENDAR\r\nURL:http://h/a\r\n b", "http://h/ab"), ("", "begin:vcard\nURL:http://h/a\n b", "http://h/ab"),
        ("gradle-wrapper.properties", "u=http\\://h/?a\\=b", "http://h/?a=b"), ("", "BEGIN:VCARDS\nhttp://h/a\n b", "http://h/a"),
    ],
)  # fmt: skip
def test_they_are_known_by_name_or_by_their_first_line(name: str, text: str, url: str) -> None:
    assert [str(found) for found in find(text, format="auto", name=name)] == [url]


def test_an_invitation_in_a_mail_is_a_calendar() -> None:
    mail = (
        b"Subject: x\nContent-Type: text/calendar; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
        b"BEGIN:VCALENDAR\r\nURL:http://h.dom/a=\r\nb?c=3D1\r\n d\r\n"
    )
    assert [str(found) for found in find(mail, format="mail")] == ["http://h.dom/ab?c=1d"]
