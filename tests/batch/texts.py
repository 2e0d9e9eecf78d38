"""Texts that are, or nearly are, URLs: what the tests of columns compare with `URL`."""

from __future__ import annotations

import random

from tests.architecture.source import ROOT

SAMPLE = (ROOT / "bench/data/urls.txt").read_text(encoding="utf-8").split()
WRITTEN = [
    "ftp://myname@host.dom/%2Fetc/motd;type=a", "HTTP://Host.DOM/A", "http://u:p%41@h:8/x", "http://u%ff:p@h/",
    "mailto:a@b.dom?subject=x", "news:comp.lang.c", "nntp://h/g/1", "file:///etc/motd", "file:/x", "urn:isbn:1",
    "gopher://h:70/1sel%09q", "wais://h/db?words", "prospero://h/x;a=b", "telnet://u@h:23/", "http://[::1]:80/",
    "http://[::g]/", "http://[fe80::1%25eth0]/", "http://h\u00e9.dom/\u00fc", "http://127.1/", "http://0x7f.1/x",
    "http://1.0x", "http://a.0x/", "http://h./", "http://h../", "http://a..b/", "http://h?q#f?g#", "http://h#a#b",
    "x:", "a:b", ":", "", "//h/p", "/p", "http:///p", "http://@h/", "http://:@h/", "http://h:/", "http://h:65536/",
    "https://h/%zz", "https://h/%4", "https://h/a/../b", "http://h/?", "http://h/#", "ws://h/", "doi:10.1/x y",
    "http://h\\x", "http://h/\x7f", "http://h\t/", "http://h/\x00",
]  # fmt: skip
ALPHABET = "abxXYZ019/:?#[]@!$&'()*+,;=%-._~ \\\"<>^`{|}\t\n\0\u00e9\u00df\u3002"
PIECES = ("//", "://", "%", "..", "/.", "[::1]", "@", "0x7f", "127.1", ":80", "a" * 40, "%41", "HTTP", ".0x")
LONG = (70, 32_700, 32_760, 65_500, 65_536)
"""Around the lengths at which the cut does something else."""


def changed(chance: random.Random, text: str) -> str:
    """The text with some of its characters changed."""
    chars = list(text)
    for _ in range(chance.randrange(1, 4)):
        place = chance.randrange(len(chars) + 1)
        kind = chance.random()
        if kind < 0.4:
            chars[place:place] = [chance.choice(ALPHABET)]
        elif kind < 0.7:
            chars[place : place + 1] = [chance.choice(ALPHABET)]
        elif kind < 0.9:
            del chars[place : place + chance.randrange(1, 5)]
        else:
            chars[place:place] = chance.choice(PIECES)
    return "".join(chars)


def rows(seed: int, count: int) -> list[str | None]:
    """So many rows: one in fifty null, seven in ten changed, a few very long."""
    chance = random.Random(seed)
    made: list[str | None] = []
    for _ in range(count):
        text = chance.choice(SAMPLE if chance.random() < 0.6 else WRITTEN)
        if chance.random() < 0.7:
            text = changed(chance, text)
        if chance.random() < 0.002:
            text += "a" * chance.choice(LONG)
        made.append(None if chance.random() < 0.02 else text)
    return made
