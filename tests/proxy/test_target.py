"""What a client asks for and shows: one place, one token, and no password in the log."""

from __future__ import annotations

import pytest

from anyurl.proxy.answers import Problem
from anyurl.proxy.target import origin_form, token_of, tunnel_place
from anyurl.url.masking import mask
from tests.rows import each_row


def test_the_place_of_a_tunnel() -> None:
    url = tunnel_place("[::1]:8443")
    assert (url.host, url.port) == ("::1", 8443)
    assert tunnel_place("host.dom:0").port == 0  # what ports may be is the role's to say


@each_row(
    "target",
    [
        "",
        "h",
        "h:",
        ":1",
        "h:1/",
        "h:1/x",
        "h:1?",
        "h:1?x",
        "h:1/?x",
        "h:1#x",
        "h:1/#x",
        "u@h:1",
        "h:65536",
        "h:1:2",
        "h :1",
    ],
)
def test_what_is_no_place(target: str) -> None:
    with pytest.raises(Problem):
        tunnel_place(target)


@each_row(
    ("shown", "token"),
    [
        (b"Bearer  abc ", b"abc"),
        (b"bearer abc", b"abc"),
        (b"Basic dTphYmM=", b"abc"),
        (b"BASIC dTphOmI=", b"a:b"),  # RFC 7617 2: the first colon ends the user
        (b"Basic YWJj", b""),
        (b"Basic %", None),
        (b"Digest abc", None),
        (b"", None),
    ],
)
def test_the_token(shown: bytes, token: bytes | None) -> None:
    assert token_of(shown) == token


@pytest.mark.parametrize("target", ["http://u:secret@h/", "u:secret@h:443", "ftp://u:secret@h\\x/"])
def test_no_password_is_shown(target: str) -> None:
    assert "secret" not in mask(target)


@pytest.mark.parametrize(
    ("target", "form"),
    [
        ("http://h", "/"), ("http://h?a", "/?a"), ("HTTP://u@h:1/a//b?c://d/#e", "/a//b?c://d/"), ("http://h#e", "/"),
        ("http://h/?http://i/", "/?http://i/"), ("http://h//i/", "//i/"),
    ],
)  # fmt: skip
def test_the_origin_form_is_what_stands_behind_the_authority(target: str, form: str) -> None:
    assert origin_form(target) == form
