"""WarcRecorder: sits between a dialogue and the scheduler, and records the transfer in a WARC file.

Rule: line protocols are recorded as sent, http as text, and the content as a record of its own. Content that the caller
sends, sessions and secrets (`anyurl.warc.known_secrets`) are not recorded. The records are written when the dialogue
ends, even if it is dropped. It is not an `anyurl.dialogue.interceptors.Interceptor`, since it has asks of its own: it
reads the rest of a body, and gives way to other tasks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from anyurl.dialogue import (
    RECEIVE_AT_MOST,
    Ask,
    AskSecret,
    Channel,
    Connect,
    ConnectData,
    Describe,
    Dialogue,
    Emit,
    Follow,
    GiveWay,
    Note,
    Options,
    Receive,
    Relay,
    Request,
    Response,
    Send,
    Steps,
    Verb,
    Wait,
)
from anyurl.errors import (
    AnyURLError,
    ConnectionLost,
    LimitError,
    LocalFileError,
    RefusedError,
    ReplyError,
    TransferTimeout,
    Truncated,
)
from anyurl.guard import hops
from anyurl.url import URL
from anyurl.values import Provenance
from anyurl.warc.block import spool
from anyurl.warc.capture import Capture
from anyurl.warc.contents import Original
from anyurl.warc.exchange import WebExchange
from anyurl.warc.file import now
from anyurl.warc.known_secrets import KnownSecrets
from anyurl.warc.page import ListingPage

if TYPE_CHECKING:
    from anyurl.net.loop.scheduler import Scheduler

MOST_UNASKED = 1024 * 1024
"""Octets that are recorded of a body that the dialogue does not read (of an error or a redirect)."""

RECORDED = ("get", "list", "search")
"""The verbs whose dialogues are recorded, which fetch a resource: uploads belong to the caller, and a request for
attributes only would look like an empty resource."""


class WarcRecorder(Capture):
    """Records one dialogue."""

    def over(self, dialogue: Dialogue) -> Dialogue:
        """The same dialogue, recorded."""
        try:
            self._file.check_failed()
            for text in self._file.said():
                yield from Note(text)
            try:
                follow = yield from self._watched(dialogue)
            except AnyURLError as error:
                yield from self._write(error, None)
                raise
            except BaseException:  # the dialogue is dropped: it can't give way to other tasks any more
                self._write_now()
                raise
            yield from self._write(None, follow)
            return follow
        finally:
            dialogue.close()
            self._release()

    # --- messages ----------------------------------------------------------------------------------------------------

    def _watched(self, dialogue: Dialogue) -> Dialogue:
        answer: Any = None
        error: AnyURLError | None = None
        while True:
            try:
                ask = dialogue.send(answer) if error is None else dialogue.throw(error)
            except StopIteration as end:
                yield from self._read_rest()
                follow: Follow | None = end.value
                return follow
            except AnyURLError as refusal:
                if isinstance(refusal, ReplyError):
                    yield from self._read_rest()
                elif self._exchange is not None:
                    self._exchange.stop(_cut(refusal))
                raise
            answer = error = None
            try:
                if isinstance(ask, Relay):
                    answer = yield from self._relay(ask)
                else:
                    if isinstance(ask, Request):
                        yield from self._read_rest()
                    self._asked(ask)
                    answer = yield from ask
                    self._answered(ask, answer)
            except AnyURLError as problem:
                error = problem

    def _asked(self, ask: Ask[Any]) -> None:
        if isinstance(ask, Connect):
            self._secrets.know(ask.secret)
        elif isinstance(ask, Send):
            if self._is_wire(ask.channel):
                self._sent.write(self._secrets.sent(ask.data))
        elif isinstance(ask, Describe):
            self._described = ask
        elif isinstance(ask, Wait):
            self._is_session = True
        elif isinstance(ask, Emit):
            self._emitted(ask.content)
        elif isinstance(ask, Note) and ask.unproved:
            self._cut = "unspecified"
            if self._exchange is not None:
                self._exchange.cut = self._cut
        elif isinstance(ask, Request):
            self._exchange = None
            if ask.method == "GET" and not ask.upload:
                self._exchange = WebExchange(
                    ask, now(), self._secrets, self._user_agent, keeps_cookies=self._keeps_cookies
                )

    def _emitted(self, content: Any) -> None:
        if self._is_web:
            return  # made from a body that is recorded
        if isinstance(content, bytes):
            self._content.write(content)
        else:
            self._page = self._page or ListingPage(self._target(self._url), self._secrets)
            self._page.add(content)

    def _answered(self, ask: Ask[Any], answer: Any) -> None:
        if isinstance(ask, Receive):
            self._came(ask.channel, answer)
        elif isinstance(ask, Connect | ConnectData):
            self._channels[id(answer)] = answer, isinstance(ask, Connect)
            if answer.peer is not None and not self._peer:
                self._peer = answer.peer[0]
        elif isinstance(ask, AskSecret):
            self._secrets.know(answer)
        elif isinstance(ask, Request):
            self._respond(answer)

    def _respond(self, response: Response) -> None:
        if response.body.peer is not None:
            self._peer = response.body.peer[0]
        if self._exchange is not None:
            self._exchange.answered(response)
            self._exchanges.append(self._exchange)

    def _came(self, channel: Channel, data: bytes) -> None:
        exchange = self._exchange
        if exchange is not None and exchange.response is not None and channel is exchange.response.body:
            if not exchange.is_over:
                exchange.take(data)
        elif self._is_wire(channel):
            self._received.write(data)
        elif id(channel) in self._channels:
            self._data.write(data)

    def _is_wire(self, channel: Channel) -> bool:
        """Whether a channel is a control connection, and not a file or a data connection."""
        return self._channels.get(id(channel), (None, False))[1]

    def _relay(self, ask: Relay) -> Steps[int]:
        """Relay and record the content."""
        received, limit = 0, ask.limit
        is_data = id(ask.channel) in self._channels and not self._is_wire(ask.channel)
        while limit is None or received < limit:
            most = RECEIVE_AT_MOST if limit is None else min(RECEIVE_AT_MOST, limit - received)
            data = yield from Receive(ask.channel, most)
            if not is_data:  # data connections are recorded as content
                self._came(ask.channel, data)
            if not data:
                break
            received += len(data)
            if not self._is_web:
                self._content.write(data)
            yield from Emit(data)
        return received

    def _read_rest(self) -> Steps[None]:
        """Read and record the rest of a body, since the page of an error belongs into the archive as well."""
        exchange = self._exchange
        if exchange is None or exchange.response is None or exchange.is_over:
            return
        left = MOST_UNASKED
        try:
            while left > 0:
                data = yield from Receive(exchange.response.body)
                exchange.take(data)
                if not data:
                    return
                left -= len(data)
            exchange.stop("length")
        except AnyURLError as error:
            exchange.stop(_cut(error))

    # --- records -----------------------------------------------------------------------------------------------------

    def _write(self, error: AnyURLError | None, follow: Follow | None) -> Steps[None]:
        steps = self._stored(error, follow)
        try:
            for _ in steps:
                yield from GiveWay()
        except GeneratorExit:
            self._finish(steps)
            raise

    def _write_now(self) -> None:
        self._cut = "unspecified"
        if self._exchange is not None:
            self._exchange.stop(self._cut)
        self._finish(self._stored(None, None))

    def _finish(self, steps: Iterator[None]) -> None:
        """Run all steps at once, without giving way; an error is remembered in the file."""
        try:
            for _ in steps:
                pass
        except LocalFileError as error:
            self._file.fail(error)

    def _stored(self, error: AnyURLError | None, follow: Follow | None) -> Iterator[None]:
        """Write all records, in steps. Raises LocalFileError."""
        if self._is_session:
            return
        if error is not None:
            self._cut = _cut(error)
        originals: list[tuple[str, Original]] = []
        with spool() as file:
            first = ""
            for record in self._records(originals):
                if record is None:
                    yield
                    continue
                first = first or record.id
                yield from record.write(file)
            if first:
                yield from self._metadata(first, error, follow).write(file)
                self._file.append(file, originals)


def recorder_for(
    url: URL,
    verb: Verb,
    options: Options,
    scheduler: Scheduler,
    came_from: Provenance,
    history: Sequence[URL],
    secrets: KnownSecrets,
) -> WarcRecorder | None:
    """The recorder of a dialogue with this URL; None if the verb is not recorded, or it sends answers to a form."""
    if verb not in RECORDED or options.answers or hops.is_form(url):
        return None
    return WarcRecorder(
        options.archive, url, verb, options, scheduler.policy, came_from, history, scheduler.user_agent, secrets
    )


def _cut(error: AnyURLError) -> str:
    """The reason why a body is incomplete, as a word of ISO 28500 5.13."""
    if isinstance(error, LimitError):
        return "length"
    if isinstance(error, TransferTimeout):
        return "time"
    if isinstance(error, Truncated | ConnectionLost):
        return "disconnect"
    return "" if isinstance(error, RefusedError) else "unspecified"
