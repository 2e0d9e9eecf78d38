"""Gemtext: the references of link lines."""

from __future__ import annotations

import pytest

from anyurl.text import find
from tests.text.readers.contract import Contract


class TestGemtext(Contract):
    format = "gemtext"
    samples = [
        (
            b"# A page\r\n=> http://h/a\r\n=>http://h/b What\tit is: http://i/.\n=> \t http://h/c\\d\n",
            [
                ("http://h/a", "http://h/a", "gemtext"),
                ("http://h/b", "http://h/b", "gemtext"),
                ("http://i/", "http://i/", "bare"),
                ("http://h/c%5Cd", "http://h/c\\d", "gemtext"),
            ],
        ),
        (  # what does not begin its line is text, and so is what stands between the accents
            b" => http://h/(a\n* http://h/b,\n```\n=> http://h/(c\n``` x\n=> http://h/(d",
            [
                ("http://h/", "http://h/", "bare"),
                ("http://h/b", "http://h/b", "bare"),
                ("http://h/", "http://h/", "bare"),
                ("http://h/(d", "http://h/(d", "gemtext"),
            ],
        ),
        (b"=>\n=> \n=", []),
    ]
    pieces = (b"=> ", b"=>", b"\n", b"\r\n", b"```", b"\n```\n", b"\t", b"<", b">", b"<URL:", b"# ", b" ", b"\n=> ")
    hostile = (b"http://h/", b"=> http://h/\n", b"=> ", b"```\n", b"\n", b"=>", b"<\n=> a", b"```=> a")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("=> a/b\n=> ../c d\n=> /e?f#g\n", ["gemini://h/x/a/b", "gemini://h/c", "gemini://h/e?f#g"]),
        ("```\n=> a\n```\n=> b", ["gemini://h/x/b"]),
    ],
)
def test_relative_references(text: str, expected: list[str]) -> None:
    assert [str(one) for one in find(text, format="gemtext", base="gemini://h/x/y")] == expected


def test_by_its_name_and_type() -> None:
    from anyurl.text.readers.registry import of_type, tell

    assert (tell("index.gmi", b""), of_type("text/gemini")) == ("gemtext", "gemtext")
