"""What a person fills in: a letter, the answers to a server's questions, a login.

Rule: nothing is sent that the person has not seen as it will be sent, and said yes to: the first form asks what, a
second one shows it, and what is sent then is what was shown. Between the two it stays here, and is sent once.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from starlette.responses import RedirectResponse, Response

from anyurl.access.dry_run import dry_run
from anyurl.dialogue import Options
from anyurl.errors import AnyURLError, LocalProtocolError, escape
from anyurl.schemes.mailto.parts import MailtoParts
from anyurl.url import URL
from anyurl.values import Provenance, Value
from anyurl.web.documents import plain
from anyurl.web.viewer import Wire, following

if TYPE_CHECKING:
    from starlette.requests import Request

    from anyurl.access.form import Form
    from anyurl.web.browse import Browse
    from anyurl.web.pages import PageWriter
    from anyurl.web.viewer import Viewer

MAX_PENDING = 20
"""Messages that were shown and not sent yet; older ones have to be written again."""

HIDDEN = "***"


class Pending(Value):
    """What was shown, and waits for a yes.

    Attributes:
        url: Where it goes; of a letter, with all that it says.
        origin: Who named that place.
        answers: To the questions of a form; None for a letter.
    """

    url: URL
    origin: Provenance
    answers: tuple[str, ...] | None


class Forms:
    """What is sent in the person's name.

    Args:
        client: Asks.
        sender: Sends: the person has said yes.
        pages: Writes.
        browse: Shows what comes back.
    """

    def __init__(self, client: Viewer, sender: Viewer, pages: PageWriter, browse: Browse) -> None:
        self._client = client
        self._sender = sender
        self._pages = pages
        self._browse = browse
        self._pending: OrderedDict[str, Pending] = OrderedDict()

    async def mail(self, request: Request, fields: Mapping[str, str]) -> Response:
        """Show a letter as it would be sent."""
        try:
            named, origin = self._pages.links.read(fields)
            url = letter(named, fields.get("subject", ""), fields.get("body", ""))
            self._client.policy.judge_delivery(url, origin).check()
            async with await self._client.open(url, came_from=origin) as draft:
                shown = plain(draft.decode(await draft.read()))
        except AnyURLError as error:
            return self._browse.failure(error, "")
        return self._question(Pending(url, origin, None), "Send this letter?", shown, named)

    async def answer(self, request: Request, fields: Mapping[str, str]) -> Response:
        """Show the answers to a form as they would be sent."""
        try:
            url, origin = self._pages.links.read(fields)
            async with await self._client.open(url, came_from=origin) as resource:
                form = resource.form
            if form is None:
                raise LocalProtocolError(f"{url.masked} is no form any more.")
            answers = answers_of(form, fields)
            hidden = [
                HIDDEN if question.is_secret else answer for question, answer in zip(form.asked, answers, strict=True)
            ]
            lines = list(dry_run(url, "get", Options(answers=hidden), came_from=origin))
        except AnyURLError as error:
            return self._browse.failure(error, "")
        told = [line for line in lines if line[:1] in "> c"]
        return self._question(Pending(url, origin, answers), "Send these answers?", "\n".join(told), url)

    def _question(self, pending: Pending, title: str, shown: str, there: URL) -> Response:
        name = secrets.token_urlsafe(12)
        self._pending[name] = pending
        while len(self._pending) > MAX_PENDING:
            self._pending.popitem(last=False)
        return self._pages.page(
            "question", title, address=there.masked, pending=name, shown=shown, there=escape(there.masked)
        )

    async def send(self, request: Request, fields: Mapping[str, str]) -> Response:
        """Send what was shown, now that the person has said yes."""
        pending = self._pending.pop(fields.get("pending", ""), None)
        if pending is None:
            return self._browse.failure(
                LocalProtocolError("This was sent already, or it is too old: nothing was sent now."), ""
            )
        wire = Wire()
        url, origin = pending.url, pending.origin
        try:
            with following(wire):
                if pending.answers is None:
                    sent = await self._sender.append(url, b"", came_from=origin)
                    reply = escape(str(sent.attributes.get("reply", "")))
                    notes = [escape(note) for note in sent.notes]
                    return self._pages.page("sent", "It is sent", address="", reply=reply, notes=notes)
                resource = await self._sender.open(url, answers=pending.answers, came_from=origin)
        except AnyURLError as error:
            return self._browse.failure(error, url.masked)
        return await self._browse.shown(resource, origin, {}, wire, once=True)

    async def login(self, request: Request, fields: Mapping[str, str]) -> Response:
        """Remember a login for this sitting, and go where it is wanted."""
        user, password = fields.get("user", ""), fields.get("password", "")
        try:
            url, origin = self._pages.links.read(fields)
            if origin.own and user and url.host:
                url = url.replace(user=user, password=password)
                self._client.keep_secret(url)
        except AnyURLError as error:
            return self._browse.failure(error, "")
        return RedirectResponse(self._pages.links.to("view", url, origin), 303)


def letter(url: URL, subject: str, body: str) -> URL:
    """The mailbox of a URL with another subject and text.

    Raises:
        LocalProtocolError: It names no mailbox.
    """
    parts = url.parts
    if not isinstance(parts, MailtoParts):
        raise LocalProtocolError(f"{url.masked} names no mailbox: a mailto URL would.")
    kept = [(name, value) for name, value in parts.headers if name.lower() not in ("subject", "body")]
    text = body.replace("\r\n", "\n").replace("\n", "\r\n")  # RFC 6068 5: line ends are %0D%0A
    given = [(name, value) for name, value in (("subject", subject.strip()), ("body", text)) if value]
    return url.replace(parts=MailtoParts(parts.addresses, [*kept, *given]))


def answers_of(form: Form, fields: Mapping[str, str]) -> tuple[str, ...]:
    """The answers in the order of the questions; a box that is not ticked is a no."""
    answers = []
    for number, question in enumerate(form.asked):
        given = fields.get(f"a{number}", "0" if question.kind == "Select" else "")
        answers.append(given.replace("\r\n", "\n").removesuffix("\n"))
    return tuple(answers)
