from __future__ import annotations

import pytest

from anyurl.errors import LocalProtocolError, RemoteProtocolError
from anyurl.schemes.gemini.wire.messages import encode_request, read_media_type, read_reply


def test_a_request_is_a_url_and_its_end() -> None:
    assert encode_request(b"gemini://h/") == b"gemini://h/\r\n"
    assert len(encode_request(b"gemini://h/" + b"a" * 1013)) == 1026


def test_what_is_none_is_never_sent() -> None:
    for url in (
        b"gemini://h/" + b"a" * 1014,
        b"gemini://h/\r\nx",
        b"gemini://h/\n",
        b"gemini://h/ x",
        *(b"gemini://h/%c" % octet for octet in range(256) if not 32 < octet < 127),
    ):
        with pytest.raises(LocalProtocolError):
            encode_request(url)
    for octet in range(33, 127):
        assert encode_request(b"gemini://h/%c" % octet) == b"gemini://h/%c\r\n" % octet


def test_the_line_of_a_reply() -> None:
    for line, status, meta in (
        (b"20 text/gemini", 20, "text/gemini"), (b"20 ", 20, ""), (b"20", 20, ""), (b"51 Gone \xc3\xbc ", 51, "Gone ü"),
        (b"69 x", 69, "x"), (b"10 \xff", 10, "\ufffd"),
    ):  # fmt: skip
        reply = read_reply(line)
        assert (reply.status, reply.meta) == (status, meta)


def test_a_tab_of_the_first_drafts_is_a_space() -> None:
    reply = read_reply(b"20\ttext/plain")
    assert (reply.status, reply.meta) == (20, "text/plain")


def test_what_is_no_reply() -> None:
    for line in (b"", b"2", b"2 text/gemini", b"200 OK", b"20;text/plain", b"09 x", b"70 x", b"2x y", b"HTTP/1.1 400"):
        with pytest.raises(RemoteProtocolError):
            read_reply(line)


@pytest.mark.parametrize(
    ("meta", "type", "fields"),
    [
        ("", "text/gemini", {"charset": "utf-8"}), ("Text/Plain", "text/plain", {}),
        ("; charset=cp437", "text/gemini", {"charset": "cp437"}),
        ('text/gemini; LANG=de-CH,fr ;charset="ISO-8859-1"', "text/gemini",
         {"lang": "de-CH,fr", "charset": "ISO-8859-1"}),
        ("text/plain; charset=a; charset=b; x", "text/plain", {"charset": "a"}),
        (r'text/plain; note="a;b\"c"; lang=de', "text/plain", {"note": 'a;b"c', "lang": "de"}),
    ],
)  # fmt: skip
def test_media_types(meta: str, type: str, fields: dict[str, str]) -> None:
    assert read_media_type(meta) == (type, fields)
