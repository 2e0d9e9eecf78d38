"""The servers of the schemes, which anyone on this machine may speak to: whatever is said, they answer or close."""

from __future__ import annotations

import random

import pytest

from anyurl import URL
from anyurl.dialogue import Options
from anyurl.schemes import registry
from anyurl.schemes.gopher.wire.server import GopherServer
from anyurl.schemes.kit.server import WireServer
from anyurl.schemes.news.wire.server import NewsServer, Shelf
from anyurl.world import news
from anyurl.world.gopher import Burrow
from tests.schemes.test_complete import CONTRACTS

WORDS = {
    "dict": "DEFINE MATCH SHOW AUTH HELP CLIENT STATUS OPTION MIME DB STRAT INFO SERVER exact prefix re ! . \" ' \\",
    "gemini": "gemini://h/ gemini:// : ? # [ ] %",
    "gopher": "0/motd.txt 0/x 7/search 1 +1 + ! $ ? +-1 +VIEWS text/plain . 2",
    "mailto": "EHLO HELO NOOP RSET MAIL RCPT DATA AUTH LOGIN PLAIN STARTTLS FROM:<a@b> TO:<a@b> SIZE=9 . <>",
    "news": "GROUP world.notes LIST ACTIVE NEWSGROUPS OVERVIEW.FMT LISTGROUP ARTICLE HEAD BODY STAT NEXT LAST OVER HDR "
    "NEWNEWS NEWGROUPS POST AUTHINFO USER PASS COMPRESS DEFLATE MODE DATE HELP CAPABILITIES - 1 1- -1 19941201 000000 "
    "940020 * [ ! <a@b> : Newsgroups:world.notes From:a Subject:b Message-ID:<a@b> Date:x . \u00b2",
    "prospero": "\x01 \x01VERSION \x03ab \x03abDIRECTORY \x03acLIST \x03adGET-OBJECT-INFO \x09ab\0\x01\0\x02\0\0 5 "
    "ASCII x.txt VERSION LIST ATTRIBUTES COMPONENTS FILTER SELECT AUTHENTICATE PARAMETER GET MOTD ' (x * x/y #ALL",
    "telnet": "list find show terminal help bye x",
    "wais": "0000000100z2wais        0",
}
"""What each server knows: commands, and what makes its patterns and numbers fail."""

BETWEEN = (b" ", b"\t", b"\r\n", b"\n", b"\r", b"", b" \r\n", b"\x00", b"\xff", b"\xff\xfa\x18\x00")

MESSAGES = 3000
"""Enough for most pairs of words with each octet between them."""


def servers(name: str) -> list[WireServer]:
    """That for ``--explain``, and that of the world where its documents are others."""
    make = registry.find_scheme(name).fake_server
    assert make is not None
    ideal = make(URL(CONTRACTS[name].urls[0]), Options())
    assert isinstance(ideal, WireServer)
    if name == "news":
        return [ideal, NewsServer(Shelf(news.GROUPS, news.articles()))]
    if name == "gopher":
        burrow = Burrow(70)
        return [ideal, GopherServer(burrow.find, burrow.sign, "h", 70)]
    return [ideal]


@pytest.mark.parametrize("name", WORDS)
def test_whatever_is_said_a_server_answers_or_closes(name: str) -> None:
    chance = random.Random(1738)
    words = [word.encode() for word in WORDS[name].split()]
    for server in servers(name):
        for link in range(MESSAGES):
            said = b"".join(chance.choice(words) + chance.choice(BETWEEN) for _ in range(chance.randint(1, 8)))
            server.connected(link)
            cut = chance.randint(0, len(said))
            for piece in (said[:cut], said[cut:], b""):
                server.received(link, piece)
            assert not server.is_open(link), said
