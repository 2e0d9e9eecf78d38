"""news and nntp: a few groups on a news server (RFC 3977; RFC 1738 3.6 and 3.7).

Rule: the articles are the same on every machine. Anyone may read; posting requires a login as `tree.USER`, and articles
stay until the server is closed.
"""

from __future__ import annotations

import base64
import time

from anyurl.schemes.news.wire.server import NewsServer, Shelf
from anyurl.world.listener import SchemeListener
from anyurl.world.tree import GREETINGS, NOTES, PASSWORD, USER, picture

GROUPS = {
    "world.announce": ("n", "What is new in the world"),
    "world.notes": ("y", "Notes about locators"),
    "world.pictures": ("y", "Pictures of waves"),
}

CAPABILITIES = (
    "VERSION 2", "IMPLEMENTATION anyurl world", "READER", "POST", "OVER MSGID", "HDR", "NEWNEWS", "AUTHINFO USER",
    "LIST ACTIVE NEWSGROUPS OVERVIEW.FMT", "COMPRESS DEFLATE",
)  # fmt: skip

FIRST = "welcome@world.example"
"""The identifier of the article that the demo gets."""


def _article(group: str, subject: str, identifier: str, body: str, *more: str, date: str = "00") -> bytes:
    fields = (
        "Path: world.example!not-for-mail", "From: Nobody <nobody@world.example>", f"Newsgroups: {group}",
        f"Subject: {subject}", f"Date: Tue, 20 Dec 1994 {date}:00:00 GMT", f"Message-ID: <{identifier}>", *more,
    )  # fmt: skip
    return ("\n".join(fields) + "\n\n" + body).replace("\n", "\r\n").encode()


def articles() -> list[bytes]:
    """The articles that every news server of the world starts with."""
    text = "Content-Type: text/plain; charset=utf-8"
    encoded = base64.encodebytes(picture()).decode()
    mixed = (
        f"--wave\n{text}\n\nA picture of waves.\n"
        f'--wave\nContent-Type: image/png; name="picture.png"\nContent-Transfer-Encoding: base64\n\n{encoded}--wave--\n'
    )
    return [
        _article("world.announce", "Welcome to the world", FIRST, "This is a small world.\n.\nIt has news.\n"),
        _article("world.notes", "Notes", "notes@world.example", NOTES),
        _article(
            "world.notes", "Re: =?utf-8?q?Gr=C3=BC=C3=9Fe?=", "greetings@world.example", GREETINGS, text,
            "References: <notes@world.example>", date="01",
        ),
        _article(
            "world.pictures", "Waves", "waves@world.example", mixed, 'Content-Type: multipart/mixed; boundary="wave"'
        ),
    ]  # fmt: skip


def start(port: int = 0) -> SchemeListener:
    """Serve the articles. At a port of the system's choice, if 0; raises OSError if it is taken."""
    server = NewsServer(
        Shelf(GROUPS, articles()), time.time, host="world.example", greeting="200 anyurl world, posting allowed",
        capabilities=CAPABILITIES, login=(USER, PASSWORD),
    )  # fmt: skip
    # An article by its identifier, and one by its number.
    urls = {"news": f"news://{{}}/{FIRST}", "nntp": "nntp://{}/world.notes/1"}
    return SchemeListener(lambda _port: server, "news", port, "news://{}/", urls)
