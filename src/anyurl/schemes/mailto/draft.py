"""The message that a mailto URL describes: the safe header fields of RFC 6068, and the body.

Rule: a URL may set recipients, subject and text; never the sender, the route or an attachment. Anything else is left
out, with a note. Display names are left out, too: they are only the page's claim about who the recipient is.
"""

from __future__ import annotations

from collections.abc import Sequence

from anyurl.errors import LocalProtocolError, escape
from anyurl.schemes.kit.scheme import octets
from anyurl.schemes.mailto.parts import MailtoParts
from anyurl.schemes.mailto.wire.address import Address, read_address, reason, split_list
from anyurl.schemes.mailto.wire.message import address_field, clean_text, ids_field, text_field, write_draft

SAFE_FIELDS = frozenset({"to", "cc", "subject", "keywords", "in-reply-to", "references", "body"})
"""RFC 6068 4 takes subject, keywords and body for safe and useful; 3 forbids originator, trace and MIME fields; 6 has
To, Cc and In-Reply-To in its examples. With References it is what mutt's ``mailto_allow`` lets in."""

MAX_RECIPIENTS = 100
"""Addresses of one message: as many as every mail server has to take (RFC 5321 4.5.3.1.8)."""

MAX_NOTES = 20
"""Limit of notes about one URL: a URL of 64 KiB has room for 16,000 fields that are left out."""


class Draft:
    """A message that a mailto URL describes.

    Attributes:
        to: The recipients, without duplicates.
        cc: The recipients of copies, without duplicates.
        texts: ``subject`` and ``keywords``, as far as the URL has them.
        ids: ``in-reply-to`` and ``references``.
        body: The text, as it was written.
        notes: Omissions and corrections, a sentence each.
        left_out: The names of the fields that were left out, in lower case.
    """

    __slots__ = ("to", "cc", "texts", "ids", "body", "notes", "left_out")

    def __init__(self) -> None:
        self.to: list[Address] = []
        self.cc: list[Address] = []
        self.texts: dict[str, str] = {}
        self.ids: dict[str, str] = {}
        self.body = ""
        self.notes: list[str] = []
        self.left_out: list[str] = []

    @property
    def recipients(self) -> list[Address]:
        """All recipients, without duplicates."""
        return list(dict.fromkeys([*self.to, *self.cc]))

    @property
    def is_international(self) -> bool:
        """Whether an address of the header needs UTF-8 there (RFC 6532)."""
        return any(address.is_international for address in self.recipients)

    def fields(self, sender: Address | None) -> list[str]:
        """The header, as far as the URL and the sender make it."""
        lines = [] if sender is None else [address_field("From", [sender])]
        lines += [address_field(name, addresses) for name, addresses in (("To", self.to), ("Cc", self.cc)) if addresses]
        lines += [text_field(name.capitalize(), value) for name, value in self.texts.items()]
        named = (("In-Reply-To", "in-reply-to"), ("References", "references"))
        found = (ids_field(name, self.ids[key]) for name, key in named if key in self.ids)
        return [*lines, *(line for line in found if line is not None)]

    def write(self, sender: Address | None, more: Sequence[str] = (), *, type: str = "text/plain") -> bytes:
        """The draft as message/rfc822, with CR LF.

        Args:
            more: Further fields, in front.
            type: Of the body.
        """
        return write_draft([*more, *self.fields(sender)], self.body, type)

    def preview(self, sender: Address) -> str:
        """The message for a person, nothing in it encoded."""
        texts = {"From": str(sender), "To": _joined(self.to), "Cc": _joined(self.cc), **self.texts, **self.ids}
        # Attack: a subject with a vertical tab or a line separator would show a line that looks like another field.
        lines = [f"{name[:1].upper()}{name[1:]}: {clean_text(value)}" for name, value in texts.items() if value]
        return "\n".join([*lines, "", self.body])

    def facts(self) -> dict[str, object]:
        """Its content, as JSON values."""
        facts: dict[str, object] = {
            "to": [str(address) for address in self.to],
            "cc": [str(address) for address in self.cc],
            **self.texts,
            **self.ids,
        }
        if self.left_out:
            facts["left_out"] = self.left_out
        return facts


def _joined(addresses: Sequence[Address]) -> str:
    return ", ".join(map(str, addresses))


def read_draft(parts: MailtoParts) -> Draft:
    """The message that the parts of a URL describe; nothing is an error but too many recipients.

    Raises:
        LocalProtocolError: There are more recipients than a mail server has to take.
    """
    draft = Draft()
    draft.to += map(read_address, parts.addresses)
    seen: set[str] = set()
    for name, value in parts.headers:
        _take_field(draft, name.lower(), value, again=name.lower() in seen)
        seen.add(name.lower())
    draft.to, draft.cc = list(dict.fromkeys(draft.to)), list(dict.fromkeys(draft.cc))
    more = len(draft.notes) - MAX_NOTES
    if more > 0:
        draft.notes[MAX_NOTES:] = [f"so it was with {more:,} more parts of the URL"]
    if len(draft.recipients) > MAX_RECIPIENTS:
        raise LocalProtocolError(
            f"The URL names {len(draft.recipients)} recipients; one message may have {MAX_RECIPIENTS}."
        )
    return draft


def _take_field(draft: Draft, name: str, value: str, *, again: bool) -> None:
    if name not in SAFE_FIELDS:
        draft.left_out.append(name)
        draft.notes.append(f"the header field '{escape(name)}' was left out: a URL may not set it (RFC 6068 3 and 4)")
        return
    if name in ("to", "cc"):
        _take_addresses(draft, name, value)
        return
    if again:
        draft.notes.append(f"the URL has {name!r} more than once: the first one counts")
        return
    text = _as_text(draft, name, value)
    if name == "body":
        draft.body = text
    elif name in ("in-reply-to", "references"):
        if ids_field(name, text) is None:
            draft.notes.append(f"the header field '{name}' was left out: its value is not a message identifier")
        else:
            draft.ids[name] = text
    else:
        draft.texts[name] = text


def _take_addresses(draft: Draft, name: str, value: str) -> None:
    for text in split_list(value):
        try:
            address = read_address(text)
        except LocalProtocolError as error:
            draft.notes.append(f"an address of '{name}' was left out: {reason(error)}")
        else:
            (draft.to if name == "to" else draft.cc).append(address)


def _as_text(draft: Draft, name: str, value: str) -> str:
    data = octets(value)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:  # pages older than RFC 6068, which has UTF-8 only
        draft.notes.append(f"the value of '{name}' is not UTF-8: it was read as Latin-1")
        return data.decode("latin-1")
