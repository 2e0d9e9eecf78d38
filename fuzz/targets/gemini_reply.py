"""Gemini servers: links are the same however a page comes; whatever a server says, only errors of the tree come out."""

from __future__ import annotations

from anyurl.schemes.gemini.parts import check, read
from anyurl.schemes.gemini.wire import messages
from anyurl.schemes.gemini.wire.gemtext import GemtextReader
from anyurl.url import URL
from fuzz import kit


def fuzz(data: bytes) -> None:
    """What a server says; the same octets as a request, and as the path of a URL."""
    kit.whole_and_in_pieces(data, _read)
    reply, _ = kit.outcome(lambda: messages.read_reply(data.partition(b"\r\n")[0]))
    if reply is not None:
        messages.read_media_type(reply.meta)
    sent, _ = kit.outcome(lambda: messages.encode_request(data))
    kit.same(sent is None or (sent.count(b"\n"), len(sent) <= 1026) == (1, True), True, "more than a line is sent")
    url, _ = kit.outcome(lambda: URL("gemini://h/" + data.decode("latin-1")))
    if url is not None:
        parts, _ = kit.outcome(lambda: read(url), quoted=url.masked)
        kit.outcome(lambda: check(url), quoted=url.masked)
        if parts is not None:
            kit.same(read(URL.build(scheme="gemini", host="h", parts=parts)), parts, "the parts")


def _read(pieces: list[bytes]) -> list[object]:
    reader = GemtextReader()
    return [link for piece in pieces for link in reader.feed(piece)] + [*reader.finish()]
