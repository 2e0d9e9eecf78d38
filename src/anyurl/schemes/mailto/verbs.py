"""mailto: mailboxes, and messages to them (RFC 6068, RFC 1738 3.5).

Rule: a mailto URL designates no data object but a destination for mail. ``get`` shows the draft of a message and sends
nothing; ``append`` delivers one through the mail server that the user configured, with the consent of the policy and
the user. `parts` is the syntax, `draft` what a URL may set, `delivery` the sending.
"""

from __future__ import annotations

from anyurl.dialogue import Describe, Dialogue, Emit, FakeServer, Note, Options, Steps
from anyurl.schemes.kit.scheme import Scheme
from anyurl.schemes.mailto.delivery import append, sender_of
from anyurl.schemes.mailto.draft import MAX_NOTES, Draft, read_draft
from anyurl.schemes.mailto.parts import MailtoParts, check, read, remarks
from anyurl.url import URL

__all__ = ["SCHEMES", "MailtoParts", "append", "check", "get", "fake_server", "read", "stat"]


def get(url: URL, options: Options) -> Dialogue:
    """The draft of a message to the mailbox, as message/rfc822; nothing is sent.

    Asks: nothing of the network.

    Raises:
        RefusedError: A header field holds a line end.
        URLSyntaxError: An address is invalid.
    """
    draft = yield from _read(url)
    data = draft.write(sender_of(options))
    type = "message/global" if draft.is_international else "message/rfc822"  # RFC 6532 3.7
    yield from Describe("mailbox", type=type, size=len(data), attributes=draft.facts())
    yield from Emit(data)
    return None


def stat(url: URL, options: Options) -> Dialogue:
    """The message that the URL describes: recipients, subject, and the parts that were left out."""
    draft = yield from _read(url)
    yield from Describe("mailbox", attributes=draft.facts())
    return None


def _read(url: URL) -> Steps[Draft]:
    draft = read_draft(check(url))
    for note in (*remarks(url)[:MAX_NOTES], *draft.notes):
        yield from Note(note)
    return draft


def fake_server(_url: URL, _options: Options) -> FakeServer:
    """An ideal mail server: every mailbox exists, and every login is accepted."""
    from anyurl.schemes.mailto.wire.server import SECURE, MailServer

    return MailServer(extensions=SECURE)


SCHEMES = (
    Scheme(
        "mailto",
        reference="RFC 6068",
        summary="The mailbox of a person or a service: a draft of a message to it, or its delivery.",
        read=read,
        verbs={"get": get, "stat": stat, "append": append},
        fake_server=fake_server,
        description="a mailto URL names mailboxes (RFC 5322 addr-specs), to which mail can be sent; it designates no "
        "data object (RFC 1738 3.5)",
        check=check,
    ),
)
