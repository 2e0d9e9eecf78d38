"""Logs: colours, links of terminals, letters struck twice."""

from __future__ import annotations

from tests.text.readers.contract import Contract


class TestLog(Contract):
    format = "log"
    samples = [
        (b"\x1b[4mhttp://x.org/\x1b[1ma\x1b[0m b", [("http://x.org/a", "http://x.org/\x1b[1ma", "bare")]),
        (
            b"\x1b[01;31m\x1b[Khttp\x1b[m\x1b[K://h/ \x1b[2Jhttp://i/\x1b[5;1Hx",
            [("http://h/", "http\x1b[m\x1b[K://h/", "bare"), ("http://i/", "http://i/", "bare")],
        ),
        (
            b"\x1b]8;id=1;http://o.org/a;b\x1b\\text\x1b]8;;\x1b\\ http://h/",
            [("http://o.org/a;b", "http://o.org/a;b", "terminal-link"), ("http://h/", "http://h/", "bare")],
        ),
        (
            b"\x1b]8;;http://o.org/\x07http://t/\x1b]8;;\x07\x1b]0;http://title/\x07",
            [("http://o.org/", "http://o.org/", "terminal-link"), ("http://t/", "http://t/", "bare")],
        ),
        (
            b"h\x08ht\x08tt\x08tp\x08p:\x08:/\x08//\x08/h\x08h _\x08x",
            [("http://h", "ht\x08tt\x08tp\x08p:\x08:/\x08//\x08/h\x08h", "bare")],
        ),
        (
            "h\x08ht\x08tt\x08tp\x08p:\x08:/\x08//\x08/h\x08h/\x08/\u00e9\x08\u00e9\u2010\x08\u2010a\x08a".encode(),
            [("http://h/%C3%A9-a", "*", "bare")],
        ),
        (b"\x1b\x08\x08\xc3\xa9\x08http://h/\x1b", [("http://h/", "http://h/", "bare")]),
    ]
    pieces = (
        b"\x1b[1m",
        b"\x1b[K",
        b"\x1b[2J",
        b"\x1b]8;;",
        b"\x1b\\",
        b"\x07",
        b"\x08",
        b"\x1b",
        b"[",
        b"m",
        b"\n",
        b"\x1bP",
        b"a\x08a",
        b"\xc3\xa9\x08",
        b"\x1b(",
    )
    hostile = (b"\x1b[", b"\x1b]8;;", b"\x1bP", b"\x08", b"a\x08", b"\x1b[1mhttp://h/")
