"""Capture: the data of one dialogue, and the records made from it (ISO 28500:2017 6).

Rule: an http response becomes one record, unchanged; a line protocol becomes a record of the conversation, and one of
the content. A content is stored once: where the conversation is the content and a line or two, these are in the
metadata. All of them have the same URL, without secrets.
"""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from anyurl.dialogue import Channel, Describe, Follow, Options, Verb
from anyurl.errors import AnyURLError, escape
from anyurl.guard import hops
from anyurl.guard.policy import Policy
from anyurl.url import URL
from anyurl.url.masking import mask
from anyurl.url.syntax import WEB
from anyurl.values import Provenance
from anyurl.warc.block import Record, RecordBlock
from anyurl.warc.contents import Original
from anyurl.warc.exchange import WebExchange
from anyurl.warc.file import WarcFile, now
from anyurl.warc.known_secrets import KnownSecrets
from anyurl.warc.page import ListingPage

FIELDS = "application/warc-fields"
PROTOCOLS = {"ftps": "ftp", "gophers": "gopher", "news": "nntp", "nntps": "nntp", "snews": "nntp", "file": ""}
"""The values of WARC-Protocol (the proposal, iipc/warc-specifications#42) of schemes that share a protocol, or have
none; the others use their own name."""

JUDGED = 4
"""Pieces of a text that are read to see whether it is UTF-8: one MiB, in some milliseconds."""

REVISIT = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"


class Capture:
    """The data of one dialogue.

    Args:
        file: The archive.
        url: The URL of the dialogue.
        policy: The policy that judged it.
        came_from: Who named the URL.
        history: The URLs that led to it, the first one first.
        user_agent: The client's User-Agent.
        secrets: Those of the whole chain of redirects; secrets that the dialogue sends are added. Attack: a server
            echoes a password in the URL that it redirects to.
    """

    def __init__(
        self,
        file: WarcFile,
        url: URL,
        verb: Verb,
        options: Options,
        policy: Policy,
        came_from: Provenance,
        history: Sequence[URL],
        user_agent: str,
        secrets: KnownSecrets,
    ) -> None:
        self._file = file
        self._url = url
        self._verb = verb
        self._policy = policy
        self._came_from = came_from
        self._history = history
        self._user_agent = user_agent
        self._keeps_cookies = options.jar is not None
        self._secrets = secrets
        self._date = now()
        self._exchanges: list[WebExchange] = []
        self._exchange: WebExchange | None = None
        self._channels: dict[int, tuple[Channel, bool]] = {}
        self._peer = ""
        self._sent, self._received = RecordBlock(), RecordBlock(self._secrets)
        self._content, self._data = RecordBlock(self._secrets), RecordBlock(self._secrets)
        self._page: ListingPage | None = None
        self._described: Describe | None = None
        self._around: tuple[bytes, bytes] | None = None
        """What the peer said before and after the content, if the conversation has no record of its own."""
        self._is_session = False
        self._is_web = url.scheme in WEB
        self._cut = ""

    def _release(self) -> None:
        """Release all buffers."""
        for block in (self._sent, self._received, self._content, self._data):
            block.close()
        for exchange in self._exchanges:
            if exchange.body is not None:
                exchange.body.close()
        if self._page is not None:
            self._page.close()

    def _target(self, url: URL) -> str:
        """The target URI of a record, without secrets that a server has written into it."""
        return self._secrets.field(target_of(url))

    def _record(
        self,
        kind: str,
        date: str,
        type: str | None,
        fields: Sequence[tuple[str, str]] = (),
        head: bytes = b"",
        body: RecordBlock | None = None,
        *,
        cut: str = "",
        concurrent: Record | None = None,
    ) -> Record:
        given = [("WARC-Target-URI", self._target(self._url)), ("WARC-Warcinfo-ID", self._file.information.id), *fields]
        if self._peer:
            given.append(("WARC-IP-Address", self._peer))
        if cut:
            given.append(("WARC-Truncated", cut))
        if concurrent is not None:
            given.append(("WARC-Concurrent-To", concurrent.id))
        if self._secrets.replaced:
            given.append(("Anyurl-Replaced", ", ".join(self._secrets.replaced)))
        return Record(kind, date, type, given, head, body)

    def _records(self, originals: list[tuple[str, Original]]) -> Iterator[Record | None]:
        """The records of the data; None where other tasks may run."""
        for exchange in self._exchanges:
            exchange.end()
            assert exchange.body is not None
            fields = [("WARC-Protocol", exchange.protocol)]
            kind = "application/http; msgtype=response"
            answer = self._content_record(
                "response", exchange.date, kind, exchange.body, originals, fields, exchange.head, exchange.cut
            )
            yield answer
            yield self._record(
                "request", exchange.date, "application/http; msgtype=request", fields, exchange.request,
                concurrent=answer,
            )  # fmt: skip
        if not self._is_web:
            yield from self._wire_records(originals)

    def _wire_records(self, originals: list[tuple[str, Original]]) -> Iterator[Record | None]:
        for block in (self._received, self._content, self._data):
            block.end()
        kind, answer, date, by = f"application/x-{self._url.scheme}", None, self._date, self._protocols()
        self._around = yield from self._received.around(self._content)
        if self._received.size and self._around is None:
            answer = self._record("response", date, f"{kind}; msgtype=response", by, body=self._received, cut=self._cut)
            yield answer
        content = self._wire_content(originals, answer)
        if self._sent.size:
            yield self._record(
                "request", date, f"{kind}; msgtype=request", by, body=self._sent, concurrent=answer or content
            )
        if content is not None:
            yield content
        if self._page is not None:
            fields = [] if answer is None else [("WARC-Refers-To", answer.id)]
            yield self._record(
                "conversion", date, "text/html; charset=utf-8", fields, body=self._page.end(), cut=self._cut
            )

    def _wire_content(self, originals: list[tuple[str, Original]], answer: Record | None) -> Record | None:
        """The record of the content of a line protocol, if it has one."""
        type = None if self._described is None else self._described.type
        charset = None if self._described is None else self._described.attributes.get("charset")
        content = self._content
        if not content.size and self._data.size:
            content, type, charset = self._data, "text/plain", None  # a listing in the server's form
        if content.size or (self._described is not None and self._described.kind == "document"):
            shown = with_charset(one_type(type), charset, content.pieces())
            return self._content_record(
                "resource", self._date, self._secrets.field(shown), content, originals, self._protocols(),
                cut=self._cut, concurrent=answer,
            )  # fmt: skip
        return None

    def _protocols(self) -> list[tuple[str, str]]:
        """The fields of the protocol, and of TLS below it."""
        scheme = self._url.scheme
        tls = sorted({channel.tls for channel, is_wire in self._channels.values() if is_wire and channel.tls})
        return [("WARC-Protocol", name) for name in (PROTOCOLS.get(scheme, scheme), *tls) if name]

    def _content_record(
        self,
        kind: str,
        date: str,
        type: str,
        body: RecordBlock,
        originals: list[tuple[str, Original]],
        fields: Sequence[tuple[str, str]] = (),
        head: bytes = b"",
        cut: str = "",
        concurrent: Record | None = None,
    ) -> Record:
        """The record of a content; if the file already has that content, a record that refers to it."""
        fields = [*fields, ("WARC-Payload-Digest", body.digest)]
        known = self._file.original(body.digest) if body.size and not cut else None
        if known is None:
            made = self._record(kind, date, type, fields, head, body, cut=cut, concurrent=concurrent)
            if body.size and not cut:
                originals.append((body.digest, (made.id, self._target(self._url), date)))
            return made
        fields += [("WARC-Profile", REVISIT), ("WARC-Refers-To", known[0])]
        fields += [("WARC-Refers-To-Target-URI", known[1]), ("WARC-Refers-To-Date", known[2])]
        return self._record("revisit", date, type, fields, head, concurrent=concurrent)

    def _metadata(self, first: str, error: AnyURLError | None, follow: Follow | None) -> Record:
        """The metadata record: the decisions of the policy, and who named the URL."""
        verdict = self._policy.judge_url(self._url, self._came_from)
        before, after = (each.decode("utf-8", "surrogateescape") for each in self._around or (b"", b""))
        lines = [
            ("via", " ".join(target_of(url) for url in self._history)),
            ("verb", self._verb),
            ("named-by", hops.place(self._came_from).removeprefix("the ")),
            ("policy", self._policy.name),
            ("verdict", f"{verdict.code}: {verdict.message}"),
            ("kind", "" if self._described is None else self._described.kind),
            ("answer", before),
            ("answer-end", after),
            ("leads-to", "" if follow is None else f"{target_of(follow.url)} ({follow.reason})"),
            ("error", "" if error is None else f"{type(error).__name__}: {error}"),
            ("replaced", ", ".join(self._secrets.replaced)),
        ]
        said = [f"{name}: {escape(self._secrets.field(value))}\r\n" for name, value in lines if value]
        record = self._record("metadata", self._date, FIELDS, head="".join(said).encode("utf-8", "replace"))
        record.fields = [*record.fields, ("WARC-Concurrent-To", first)]
        return record


def target_of(url: URL) -> str:
    """The target URI of records: without fragment and password, and for http without the user."""
    bare = url if url.fragment is None else url.without_fragment()
    if bare.raw_user is not None:
        bare = bare.replace(user=None if bare.scheme in WEB else bare.user, password=None)
    return mask(str(bare))


def one_type(type: str | None) -> str:
    """A media type as the value of a field; application/octet-stream if it is missing, not ASCII or not printable."""
    return type if type and type.isascii() and type.isprintable() else "application/octet-stream"


def with_charset(type: str, charset: object, pieces: Iterable[bytes]) -> str:
    """The type of a text, with the charset that the server named.

    If it named none, as in ftp and gopher, UTF-8 is seen in the octets: a browser that is told nothing shows a text as
    windows-1252. HTML is left alone, for a page can name its own.
    """
    if not type.startswith("text/") or "charset=" in type.lower():
        return type
    if charset is None and type != "text/html" and _is_beyond_ascii(pieces):
        charset = "utf-8"
    named = isinstance(charset, str) and re.fullmatch(r"[\w.:-]{1,40}", charset, re.ASCII)
    return f"{type}; charset={charset}" if named else type


def _is_beyond_ascii(pieces: Iterable[bytes]) -> bool:
    """Whether octets, of which the last may be missing, are UTF-8 and not ASCII."""
    decode = getincrementaldecoder("utf-8")().decode
    found = False
    try:
        for piece in islice(pieces, JUDGED):
            found = not decode(piece).isascii() or found
    except UnicodeDecodeError:
        return False
    return found
