"""Dictionary servers: words are read as they were quoted; whatever a server says, only errors of the tree come out."""

from __future__ import annotations

from collections.abc import Sequence

from anyurl.schemes.dict.parts import check, read
from anyurl.schemes.dict.session import ListingLines
from anyurl.schemes.dict.wire import commands
from anyurl.schemes.kit.blocks import BlockReader
from anyurl.url import URL
from fuzz import kit


def fuzz(data: bytes) -> None:
    """What a server says; the same octets as its words, and as the path of a URL."""
    kit.whole_and_in_pieces(data, read_all)
    kit.outcome(lambda: ListingLines().feed(data))
    commands.read_banner(data)
    words = commands.split_words(data)
    kit.same(len(words) <= commands.MAX_WORDS + 1, True, "there are too many words")
    line, _ = kit.outcome(lambda: commands.quoted_word(data))
    if line is not None:
        kit.same(commands.split_words(line), [data], "the word is read in another way")
        sent, _ = kit.outcome(lambda: commands.encode_command("DEFINE", b"*", line))
        kit.same(sent is None or sent.count(b"\n") == 1, True, "more than a line is sent")
    url, _ = kit.outcome(lambda: URL("dict://h/" + data.decode("latin-1")))
    if url is not None:
        parts, _ = kit.outcome(lambda: read(url), quoted=url.masked)
        kit.outcome(lambda: check(url), quoted=url.masked)
        if parts is not None:
            kit.same(read(URL.build(scheme="dict", host="h", parts=parts)), parts, "the parts")


def read_all(pieces: Sequence[bytes]) -> list[object]:
    """Each reply, and each block behind one; last what of a block is there."""
    reader = BlockReader(commands.REPLIES)
    found: list[object] = []
    text = b""
    for piece in pieces:
        reader.feed(piece)
        while True:
            if not reader.ended:
                text += reader.block()
                if not reader.ended:
                    break
                found.append(text)
                text = b""
            reply = reader.next_reply()
            if reply is None:
                break
            found.append((reply.code, reply.lines))
            if reply.code in (commands.DEFINITION, commands.MATCHES):
                reader.begin_block(reply)
    return [*found, text]
