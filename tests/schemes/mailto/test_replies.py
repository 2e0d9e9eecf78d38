"""What mail servers say, word for word, and what it means."""

from __future__ import annotations

from anyurl.errors import Meaning
from anyurl.schemes.kit.meanings import row_of
from anyurl.schemes.mailto.session import LOGIN, TABLE, TRY_LATER
from tests.rows import each_row

SAID: list[tuple[str, str, Meaning]] = [
    # mail: Postfix, Exim, Sendmail, Exchange, postgrey, Gmail
    ("530 5.7.0 Must issue a STARTTLS command first", "clear", "tls"),
    ("530 5.7.0 Authentication Required.", "", "login"),
    ("538 5.7.11 Encryption required for requested authentication mechanism", "clear login", "tls"),
    ("535 5.7.8 Error: authentication failed", "login", "login"),
    ("454 4.7.0 Temporary authentication failure", "login", "busy"),
    ("421 4.7.0 mx Error: too many connections from 192.0.2.1", "login", "connections"),
    ("421 4.3.2 Too many concurrent SMTP connections; please try again later.", "login", "connections"),
    ("450 4.2.0 <x@y>: Recipient address rejected: Greylisted, see http://postgrey", "", "greylisted"),
    ("451 4.7.1 Greylisting in action, please come back later", "", "greylisted"),
    ("421 4.7.0 mx Error: too many errors", "", "busy"),
    ("452 4.5.3 Error: too many recipients", "", "connections"),
    ("452 4.3.1 Insufficient system storage", "", "quota"),
    ("552 5.2.2 <x@y>: user over quota", "", "quota"),
    ("550 5.2.2 Mailbox full", "", "quota"),
    ("550 5.1.1 <x@y>: Recipient address rejected: User unknown", "", "not-found"),
    ("550 Unrouteable address", "", "not-found"),
    ("550 Spam", "message", "denied"),
    ("550 relay not permitted", "", "denied"),  # exim
    ("550 Administrative prohibition", "", "denied"),  # exim
    ("550 Sender verify failed", "", "denied"),  # exim
    ("550 JunkMail rejected - h is in an RBL", "", "denied"),
    ("553 sorry, that domain isn't allowed to be relayed thru this MTA (#5.7.1)", "", "denied"),  # qmail
    ("550 <x@y>: no such user here, access denied", "", "not-found"),
    ("550 Unknown user; blocked", "", "not-found"),
    ("551 user not local; please try <x@z>", "", "not-found"),
    ("550 5.7.1 Relaying denied", "", "denied"),
    ("554 5.7.1 <x@y>: Relay access denied", "", "denied"),
    ("451 4.3.0 Temporary lookup failure", "", "busy"),
    ("502 5.5.1 Not implemented", "", "other"),
]


@each_row(("said", "where", "meaning"), SAID, ids=[f"{row[0][:40]}-{row[1]}" for row in SAID])
def test_what_it_means(said: str, where: str, meaning: Meaning) -> None:
    assert row_of(TABLE, int(said[:3]), said[4:], where.split()).meaning == meaning


@each_row(
    ("said", "where", "advice"),
    [
        ("530 5.7.0 Must issue a STARTTLS command first", "clear", "The server takes mail only over TLS."),
        ("530 5.7.0 Authentication Required.", "", LOGIN),
        ("535 5.7.8 Error: authentication failed", "login", ""),
        ("451 4.7.1 Greylisting in action, please come back later", "", "Send it again in a few minutes."),
        ("421 4.7.0 too many connections", "", "Fewer at a time, or later, may succeed."),
        ("552 5.2.2 <x@y>: user over quota", "", "There is no room for it there, or it is too large."),
        ("550 5.2.2 Mailbox full", "", "There is no room for it there."),
        ("451 4.3.0 Temporary lookup failure", "", TRY_LATER),
        ("454 4.7.0 Temporary authentication failure", "login", TRY_LATER),
        ("550 5.7.1 Relaying denied", "", ""),
    ],
)
def test_what_a_person_can_do(said: str, where: str, advice: str) -> None:
    assert row_of(TABLE, int(said[:3]), said[4:], where.split()).advice == advice


def test_the_enhanced_code_decides_before_the_words_and_those_before_the_digits() -> None:
    def meaning(code: int, text: str, *where: str) -> str:
        return row_of(TABLE, code, text, where).meaning

    assert meaning(550, "5.1.1 relay denied") == "not-found"  # RFC 3463 3.2: the address
    assert meaning(550, "5.0.0 relay denied") == "not-found"
    assert meaning(550, "5.7.1 unknown user") == "denied"  # RFC 3463 3.8: security, or policy
    assert meaning(550, "5.4.6 loop") == "other"  # RFC 3463 3.5: the route; not the mailbox
    assert meaning(550, "relay not permitted, user unknown") == "not-found"
    assert [meaning(code, "no") for code in (550, 551, 553)] == ["not-found"] * 3
    assert [meaning(code, "no", "message") for code in (550, 551, 553, 554)] == [
        "denied", "not-found", "not-found", "denied",
    ]  # fmt: skip
    assert [meaning(code, "no") for code in (523, 538, 530, 534, 535)] == [*["tls"] * 2, *["login"] * 3]
    assert [meaning(code, "mailbox is full") for code in (422, 450, 522, 550, 554)] == ["quota"] * 5
    assert [meaning(code, "graylisted") for code in (421, 450, 451, 452, 454)] == ["greylisted"] * 5
    assert meaning(550, "graylisted") != "greylisted"  # never again is never
    assert [meaning(code, "x") for code in (500, 501, 555, 354)] == ["other"] * 4
