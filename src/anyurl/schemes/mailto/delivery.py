"""Delivery of a message to a mailbox: ``append`` of mailto (RFC 1738 2: update; RFC 6068 7, RFC 6409).

Rule: nothing is connected to before the message is complete, every address is deliverable, and the policy and the user
have agreed to it as shown. The envelope is taken from the URL, whatever the message itself says.
"""

from __future__ import annotations

from anyurl.dialogue import Consent, Describe, Dialogue, Note, Now, Options, Random, Steps, Take
from anyurl.errors import LimitError, LocalFileError, LocalProtocolError, RefusedError, UnsupportedError, escape
from anyurl.guard.verdict import option
from anyurl.schemes.mailto.draft import Draft, read_draft
from anyurl.schemes.mailto.parts import check
from anyurl.schemes.mailto.session import MailSession, Outcome
from anyurl.schemes.mailto.wire import smtp
from anyurl.schemes.mailto.wire.address import Address, check_deliverable, read_address, reason
from anyurl.schemes.mailto.wire.message import Message, address_field, date_field
from anyurl.url import URL
from anyurl.url.endpoint import SUBMISSION_PORT, Endpoint, read_endpoint

MAX_MESSAGE_BYTES = 32 * 1024 * 1024
"""Octets of one message: large mail services accept 25 MB, Postfix 10 MB by default."""

MAX_SHOWN_CHARACTERS = 64 * 1024
"""Characters of a message shown when the user is asked for consent: more is not readable in a terminal."""

_WHOLE = frozenset({"message/rfc822", "message/global"})


def append(url: URL, options: Options) -> Dialogue:
    """Deliver the caller's source to the mailboxes of the URL.

    A text becomes the body of a message with the header from the URL; if it is empty, the body is that of the URL. A
    message/rfc822 is sent as it is, except that blind copies are removed and missing mandatory fields are added.

    Asks: the caller's source; Consent; one connection to the configured mail server.

    Raises:
        UnsupportedError: No mail server or sender is configured, the URL has no recipient, or the source is not text.
        RefusedError: The policy or the user refuses, or an address is not deliverable.
        ReplyError: The server refuses.
    """
    draft = read_draft(check(url))
    server, sender = _server(options), _sender(options)
    for note in draft.notes:
        yield from Note(note)
    _check_recipients(url, draft, sender)
    message, shown = yield from _write(draft, sender, options)
    utf8 = sender.is_international or any(a.is_international for a in draft.recipients) or not message.head.isascii()
    data = smtp.network_lines(message.encode())
    smtp.check_lines(data)
    yield from Consent("delivery", _question(server, sender, draft, shown))
    session = MailSession(server, options.patience)
    eight_bit = not message.body.isascii() or utf8
    delivery = session.deliver(sender, draft.recipients, data, eight_bit=eight_bit, utf8=utf8)
    yield from session.converse(_end(session, delivery, len(data)))
    return None


# --- configuration ---------------------------------------------------------------------------------------------------


def sender_of(options: Options) -> Address | None:
    """The configured sender address, if there is one. Raises LocalProtocolError if it is invalid."""
    if options.mail_from is None:
        return None
    try:
        return read_address(options.mail_from)
    except LocalProtocolError as error:
        raise LocalProtocolError(f"The sender is not a mail address: {reason(error)}.") from None


def _server(options: Options) -> Endpoint:
    if options.mail_server is None:
        raise UnsupportedError(
            f"No mail server is configured: {option('mail-server', options.reader)} names it.",
            scheme="mailto",
            verb="append",
        )
    return read_endpoint(options.mail_server, SUBMISSION_PORT, "mail server")


def _sender(options: Options) -> Address:
    sender = sender_of(options)
    if sender is None:
        raise UnsupportedError(
            f"No sender is configured: {option('mail-from', options.reader)} sets it.",
            scheme="mailto",
            verb="append",
        )
    return sender


def _check_recipients(url: URL, draft: Draft, sender: Address) -> None:
    if not draft.recipients:
        raise UnsupportedError(f"{url.masked} names no recipient.", scheme="mailto", verb="append")
    for address in (sender, *draft.recipients):
        try:
            check_deliverable(address)
        except LocalProtocolError as error:
            raise RefusedError(
                f"No mail is delivered to such an address: {reason(error)}.", code="octets", subject="mailto"
            ) from None


# --- the message -----------------------------------------------------------------------------------------------------


def _write(draft: Draft, sender: Address, options: Options) -> Steps[tuple[Message, str]]:
    """The message, and how it is shown to a person."""
    type = (options.upload_type or "text/plain").partition(";")[0].strip().lower()
    if type not in _WHOLE and not type.startswith("text/"):
        raise UnsupportedError(
            f"{escape(type)} can't be sent as mail: a text (UTF-8) or a message (.eml) can.",
            scheme="mailto",
            verb="append",
        )
    data = yield from _take_all()
    now = yield from Now()
    identifier = (yield from Random(16)).hex()
    date, message_id = date_field(now), f"Message-ID: <{identifier}@{sender.ascii_domain}>"
    if type in _WHOLE:
        message = Message(data)
        for name in message.left_out:
            yield from Note(f"the field {name!r} of the message was left out: it is never sent")
        lacking = (("From", address_field("From", [sender])), ("Date", date), ("Message-ID", message_id))
        message.fields[:0] = [f"{field}\r\n".encode() for name, field in lacking if not message.has(name)]
        return message, message.encode().decode("utf-8", "replace")
    if not data:
        type = "text/plain"  # the URL's own body
    else:
        if draft.body:
            yield from Note("the body in the URL was left out: the file is the body")
        draft.body = _as_text(data)
    return Message(draft.write(sender, [date, message_id], type=type)), draft.preview(sender)


def _take_all() -> Steps[bytes]:
    pieces: list[bytes] = []
    size = 0
    while piece := (yield from Take()):
        size += len(piece)
        if size > MAX_MESSAGE_BYTES:
            raise LimitError(
                f"The message has more than {MAX_MESSAGE_BYTES:,} octets: the limit allows no more.",
                limit="MAX_MESSAGE_BYTES",
            )
        pieces += (piece,)
    return b"".join(pieces)


def _as_text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise LocalFileError(
            f"The text to be sent is not UTF-8 (octet {error.start:,}). To send a message unchanged, use an .eml file."
        ) from None


def _question(server: Endpoint, sender: Address, draft: Draft, shown: str) -> str:
    to = ", ".join(map(str, draft.recipients))
    shown = shown.replace("\r\n", "\n").replace("\r", "\n")
    more = len(shown) - MAX_SHOWN_CHARACTERS
    text = shown if more <= 0 else f"{shown[:MAX_SHOWN_CHARACTERS]}\n[{more:,} characters more]"
    return f"{text.rstrip()}\n\nSend this from {sender} to {to}, through {server.host} port {server.port}?"


def _end(session: MailSession, delivery: Steps[Outcome], size: int) -> Steps[None]:
    outcome = yield from delivery
    yield from session.say_goodbye()
    for address, reply in outcome.refused.items():
        yield from Note(f"{session.host} refuses mail to {address}: {reply}")
    facts = {
        "server": f"{session.host}:{session.port}",
        "reply": outcome.reply.said.text,
        "delivered": [str(address) for address in outcome.delivered],
        "refused": {str(address): reply.said.text for address, reply in outcome.refused.items()},
    }
    yield from Describe("mailbox", type="message/rfc822", size=size, attributes=facts)
