"""Prospero messages: what was read is written again, and no link leads to where it should not."""

from __future__ import annotations

from collections.abc import Sequence

from anyurl.schemes.prospero.answers import DirectoryReply
from anyurl.schemes.prospero.items import Facts, entry
from anyurl.schemes.prospero.wire.messages import ReplyLine, ReplyLineReader, read_reply, read_request, write_message
from anyurl.url import syntax
from fuzz import kit


def fuzz(data: bytes) -> None:
    """One reply, or one request."""
    kit.whole_and_in_pieces(data, _read)
    for read in (read_reply, read_request):
        lines, _ = kit.outcome(lambda read=read: read(data))  # type: ignore[misc]
        if lines is not None:
            kit.same(read(write_message(lines)), lines, "it is not the same when it is written and read again")
    _check_entries(data)


def _read(pieces: Sequence[bytes]) -> list[ReplyLine]:
    reader = ReplyLineReader()
    return [line for piece in pieces for line in reader.feed(piece)] + reader.finish()


def _check_entries(data: bytes) -> None:
    answer, _ = kit.outcome(lambda: _sorted(data))
    if answer is None:
        return
    for found in answer.links:
        for of_match in (False, True):
            url = entry(found, of_match=of_match).url
            if url is None:
                continue
            if url.scheme == "file":
                raise kit.Finding(f"a server names a file of this machine: {url!r}")
            if found.link.target in (b"EXTERNAL", b"SYMBOLIC", b"NULL") and url.host is None:
                raise kit.Finding(f"a link without a host: {url!r}")
            if syntax.row(url.scheme).module is None and url.scheme not in ("tn3270", "nfs"):
                raise kit.Finding(f"a scheme that nobody speaks: {url!r}")
    Facts(answer.attributes, b"h(1525)", b"x").plain()


def _sorted(data: bytes) -> DirectoryReply:
    answer = DirectoryReply()
    answer.feed(read_reply(data))
    return answer
