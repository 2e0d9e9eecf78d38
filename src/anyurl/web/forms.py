"""Forms for the person: a letter, an article, an upload, the answers to a server's questions, a login.

Rule: nothing is sent unless the user has seen it exactly as it will be sent and consented: the first form collects it,
a second one shows it, and exactly that is sent. In between it is stored here, and it is sent only once.
"""

from __future__ import annotations

from collections.abc import Mapping
from email.message import EmailMessage
from email.policy import SMTP
from typing import TYPE_CHECKING, Literal

from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse, Response

from anyurl.client.dry_run import dry_run
from anyurl.dialogue import Options, Secret
from anyurl.errors import AnyURLError, AuthRequiredError, LocalProtocolError, SecretNeededError, escape
from anyurl.schemes.mailto.parts import MailtoParts
from anyurl.url import URL
from anyurl.url.syntax import FTP, NEWS
from anyurl.values import Provenance, Value
from anyurl.web.documents import plain
from anyurl.web.listing import ADDITIONS
from anyurl.web.tokens import TokenStore
from anyurl.web.viewer import Wire, following

if TYPE_CHECKING:
    from starlette.requests import Request

    from anyurl.client.form import Form
    from anyurl.web.browse import Browse
    from anyurl.web.pages import PageWriter
    from anyurl.web.viewer import Viewer

MAX_PENDING = 20
"""Messages that were shown and not sent yet; the oldest are dropped, and must be written again."""

HIDDEN = "***"


class Pending(Value):
    """Something that was shown and awaits consent.

    Attributes:
        url: The URL that it is sent to; for a letter, a mailto URL with its header fields and text.
        origin: Who named that URL.
        verb: The verb that sends it; ``get`` for answers.
        title: The question to the person.
        there: The recipient, for display.
        shown: The content to be sent, for display.
        data: The article, or the octets of the file.
        answers: The answers to the questions of a form.
    """

    url: URL
    origin: Provenance
    verb: Literal["append", "put", "get"]
    title: str
    there: str
    shown: str
    data: bytes = b""
    answers: tuple[str, ...] = ()


class Forms:
    """The forms of one gateway: their content is sent in the user's name.

    Args:
        client: The client that fetches the forms of servers.
        sender: The client that sends, after the person has consented.
        pages: Writes the pages.
        browse: Shows the responses and the errors.
    """

    def __init__(self, client: Viewer, sender: Viewer, pages: PageWriter, browse: Browse) -> None:
        self._client = client
        self._sender = sender
        self._pages = pages
        self._browse = browse
        self._pending: TokenStore[Pending] = TokenStore(MAX_PENDING)

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
        return self._ask(Pending(url, origin, "append", "Send this letter?", named.masked, shown))

    async def answer(self, request: Request, fields: Mapping[str, str]) -> Response:
        """Show the answers to a form as they would be sent."""
        try:
            url, origin = self._pages.links.read(fields)
            async with await self._client.open(url, came_from=origin) as resource:
                form = resource.form
            if form is None:
                raise LocalProtocolError(f"{url.masked} is no longer a form.")
            answers = answers_of(form, fields)
            hidden = [
                HIDDEN if question.is_secret else answer for question, answer in zip(form.asked, answers, strict=True)
            ]
            lines = list(dry_run(url, "get", Options(answers=hidden), came_from=origin))
        except AnyURLError as error:
            return self._browse.failure(error, "")
        told = [line for line in lines if line[:1] in "> c"]
        return self._ask(
            Pending(url, origin, "get", "Send these answers?", url.masked, "\n".join(told), answers=answers)
        )

    async def compose(self, request: Request) -> Response:
        """The form for an article, or for a file."""
        try:
            url, origin = self._pages.links.read(dict(request.query_params))
            name = writable(url)
            if name == "post":
                self._client.policy.judge_delivery(url, origin).check()
        except AnyURLError as error:
            return self._browse.failure(error, "")
        return self._pages.page(
            name, ADDITIONS[name], address=url.masked, there=escape(url.masked),
            crumbs=self._pages.crumbs(url, origin), hidden=self._pages.links.fields(url, origin),
            identity=self._client.identity or "",
        )  # fmt: skip

    async def post(self, request: Request, fields: Mapping[str, str]) -> Response:
        """Show an article as it would be posted."""
        try:
            url, origin = self._pages.links.read(fields)
            self._client.policy.judge_delivery(url, origin).check()
            data = article(url, fields.get("from", ""), fields.get("subject", ""), fields.get("body", ""))
        except AnyURLError as error:
            return self._browse.failure(error, "")
        shown = plain(data.decode("utf-8", "replace"))
        return self._ask(Pending(url, origin, "append", "Post this article?", url.masked, shown, data))

    async def upload(self, request: Request, fields: Mapping[str, str]) -> Response:
        """Show where a file would be put, and that it would replace a file of that name."""
        form = await request.form()  # parsed already
        file = form.get("file")
        try:
            folder, origin = self._pages.links.read(fields)
            if writable(folder) != "upload" or not isinstance(file, UploadFile):
                raise LocalProtocolError("This form sends no file to a directory.")
            name = fields.get("name", "").strip() or (file.filename or "").replace("\\", "/").rpartition("/")[2]
            if "/" in name:
                raise LocalProtocolError("The name of a file has no slash.")
            url, data = folder / name, await file.read()
            self._client.policy.judge_url(url, origin).check()
            self._client.policy.judge_content(url, origin).check()
        except AnyURLError as error:
            return self._browse.failure(error, "")
        shown = f"{escape(name)}: {len(data):,} octets, replacing any file of that name."
        return self._ask(Pending(url, origin, "put", "Put this file there?", url.masked, shown, data))

    def _ask(self, pending: Pending) -> Response:
        return self._pages.page(
            "question", pending.title, address=pending.there, pending=self._pending.keep(pending), shown=pending.shown,
            there=escape(pending.there),
        )  # fmt: skip

    async def send(self, request: Request, fields: Mapping[str, str]) -> Response:
        """Send the shown content: the user has consented."""
        pending = self._pending.take(fields.get("pending", ""))
        if pending is None:
            return self._browse.failure(
                LocalProtocolError("This was sent already, or it is too old: nothing was sent now."), ""
            )
        wire = Wire()
        url, origin = pending.url, pending.origin
        try:
            with following(wire):
                if pending.verb != "get":
                    send = self._sender.append if pending.verb == "append" else self._sender.put
                    sent = await send(url, pending.data, came_from=origin)
                    reply = escape(str(sent.attributes.get("reply", "")))
                    notes = [escape(note) for note in sent.notes]
                    crumbs = self._pages.crumbs(url, origin)
                    return self._pages.page("sent", "Sent", address=url.masked, crumbs=crumbs, reply=reply, notes=notes)
                resource = await self._sender.open(url, answers=pending.answers, came_from=origin)
        except (AuthRequiredError, SecretNeededError) as error:  # the server accepted nothing
            return self._browse.failure(error, url.masked, "", url, origin, self._pending.keep(pending))
        except AnyURLError as error:
            return self._browse.failure(error, url.masked)
        return await self._browse.shown(resource, origin, {}, wire, once=True)

    async def login(self, request: Request, fields: Mapping[str, str]) -> Response:
        """Remember a login for this run; then open the URL that needs it, or ask again about the upload that waited for
        it."""
        user, password = fields.get("user", ""), fields.get("password", "")
        try:
            url, origin = self._pages.links.read(fields)
            if origin.own and url.host and url.scheme == "gemini":
                self._client.keep_login(url.host, url.path or "/", Secret(password))
            elif origin.own and user and url.host:
                if url.scheme in NEWS:  # whose URLs have no user (RFC 5538)
                    self._client.keep_login(url.host, "news password", Secret(password, user))
                else:
                    url = url.replace(user=user, password=password)
                    self._client.keep_secret(url)
        except AnyURLError as error:
            return self._browse.failure(error, "")
        pending = self._pending.take(fields.get("pending", ""))
        if pending is not None:
            return self._ask(pending)
        return RedirectResponse(self._pages.links.to("view", url, origin), 303)


def letter(url: URL, subject: str, body: str) -> URL:
    """A mailto URL with another subject and body.

    Raises:
        LocalProtocolError: It is not a mailto URL.
    """
    parts = url.parts
    if not isinstance(parts, MailtoParts):
        raise LocalProtocolError(f"{url.masked} names no mailbox: a mailto URL would.")
    kept = [(name, value) for name, value in parts.headers if name.lower() not in ("subject", "body")]
    text = body.replace("\r\n", "\n").replace("\n", "\r\n")  # RFC 6068 5: line ends are %0D%0A
    given = [(name, value) for name, value in (("subject", subject.strip()), ("body", text)) if value]
    return url.replace(parts=MailtoParts(parts.addresses, [*kept, *given]))


def writable(url: URL) -> Literal["post", "upload"]:
    """The form for adding something at a URL.

    Raises:
        LocalProtocolError: Nothing can be added there.
    """
    if url.scheme in NEWS and group_of(url):
        return "post"
    if url.scheme in FTP:
        return "upload"
    raise LocalProtocolError(f"{url.masked} names no newsgroup and no directory that a file could be put into.")


def group_of(url: URL) -> str:
    """The newsgroup of a URL; empty if it names none."""
    return getattr(url.parts, "group", None) or ""


def article(url: URL, sender: str, subject: str, body: str) -> bytes:
    """An article for the group of a URL (RFC 5536 3.1); the server adds its date and identifier.

    Raises:
        LocalProtocolError: The URL names no group, or a field is empty or has more than one line.
    """
    if writable(url) != "post":
        raise LocalProtocolError(f"{url.masked} names no newsgroup.")
    message = EmailMessage(policy=SMTP)
    for name, value in (("From", sender), ("Newsgroups", group_of(url)), ("Subject", subject)):
        if not value.strip():
            raise LocalProtocolError(f"The article has no {name}, which every article must have (RFC 5536 3.1).")
        try:
            message[name] = value.strip()
        except ValueError:
            raise LocalProtocolError(f"The {name} of an article is one line.") from None
    message.set_content(body.replace("\r\n", "\n"), cte="8bit")
    return message.as_bytes()


def answers_of(form: Form, fields: Mapping[str, str]) -> tuple[str, ...]:
    """The answers in the order of the questions; an unticked box is a no (``0``)."""
    answers = []
    for number, question in enumerate(form.asked):
        given = fields.get(f"a{number}", "0" if question.kind == "Select" else "")
        answers.append(given.replace("\r\n", "\n").removesuffix("\n"))
    return tuple(answers)
