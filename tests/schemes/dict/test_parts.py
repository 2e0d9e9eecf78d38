from __future__ import annotations

from typing import Any

import pytest

from anyurl import DictParts
from anyurl.errors import RefusedError, URLSyntaxError
from anyurl.schemes.dict.parts import check, read
from anyurl.url import URL
from tests.rows import each_row


@each_row(
    ("path", "parts", "written"),
    [
        # The examples of RFC 2229 5.2.
        ("d:shortcake:", DictParts("shortcake"), "d:shortcake"),
        ("d:shortcake:*", DictParts("shortcake", "*"), None),
        ("d:shortcake:wordnet:", DictParts("shortcake", "wordnet"), "d:shortcake:wordnet"),
        ("d:shortcake:wordnet:1", DictParts("shortcake", "wordnet", None, 1), None),
        ("d:abcdefgh", DictParts("abcdefgh", "!"), None),
        ("d:sun", DictParts("sun"), None),
        ("d:sun::1", DictParts("sun", "!", None, 1), None),
        ("m:sun", DictParts("sun", "!", "."), None),
        ("m:sun::soundex", DictParts("sun", "!", "soundex"), None),
        ("m:sun:wordnet::1", DictParts("sun", "wordnet", ".", 1), None),
        ("m:sun::soundex:1", DictParts("sun", "!", "soundex", 1), None),
        ("m:sun:::1", DictParts("sun", "!", ".", 1), None),
        # What it leaves open: the server itself, and a dictionary.
        ("", DictParts(), None),
        ("d::wordnet", DictParts("", "wordnet"), None),
        ("m::wordnet:prefix", DictParts("", "wordnet", "prefix"), None),
        ("d:", DictParts("", "!"), None),
        # An encoded colon is a character of the word, and so is a question mark.
        ("d:a%3Ab?c", DictParts("a:b?c"), None),
        ("d:%C3%BCber%20all%FF", DictParts("über all\udcff"), None),
    ],
)
def test_what_a_url_asks(path: str, parts: DictParts, written: str | None) -> None:
    url = URL(f"dict://dict.example/{path}")
    assert DictParts.of(url) == parts
    assert parts.url_path() == (path if written is None else written)


@each_row(
    ("path", "message"),
    [
        # What curl sends as a command: dict://h/show:db, and worse.
        ("show:db", "a dict URL asks for d:WORD:DATABASE:N"), ("CONFIG:SET:dir:/tmp", "a dict URL asks for"),
        ("d", "a dict URL asks for"), ("D:x", "a dict URL asks for"), ("d:a:b:1:2", "a dict URL asks for"),
        ("m:a:b:c:1:2", "a dict URL asks for"), ("d:x:y:z", "an index has 1 to 9 digits"),
        ("d:x:y:%D9%A1", "an index has 1 to 9 digits"), ("d:x:y:1234567890", "an index has 1 to 9 digits"),
        ("d:x:y:0", "an index counts the definitions"), ("d::y:1", "an index counts the definitions"),
        ("d:x:a%20b", "the name of a database can't"), ("m:x:y:a%22", "the name of a strategy can't"),
    ],
)  # fmt: skip
def test_what_is_no_question_is_an_error(path: str, message: str) -> None:
    with pytest.raises(URLSyntaxError, match=message) as caught:
        read(URL(f"dict://h/{path}"))
    assert caught.value.diagnostics[0].section == "RFC 2229 5"


@each_row("octet", [*range(32), 127])
def test_control_characters_never_leave(octet: int) -> None:
    for text in (f"dict://h/d:a%{octet:02X}b", f"dict://h/d:a:b%{octet:02X}", f"dict://u%{octet:02X}@h/d:a"):
        with pytest.raises((RefusedError, URLSyntaxError)):
            check(URL(text))


def test_a_login_is_that_of_the_protocol() -> None:
    check(URL("dict://user;AUTH@h/d:a"))
    check(URL("dict://user;@h/d:a"))
    with pytest.raises(RefusedError, match="asks for a login by another mechanism than AUTH"):
        check(URL("dict://user;KERBEROS_V4@h/d:a"))


@pytest.mark.parametrize("arguments", [(5,), (b"x",), ("x", b"db"), ("x", "db", 5), ("x", "db", None, "1")])
def test_texts_and_numbers_are_not_taken_for_each_other(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError):
        DictParts(*arguments)
