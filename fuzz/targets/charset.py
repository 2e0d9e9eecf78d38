"""Texts in the charset that they name: cut anywhere, the same, and nothing is raised, whatever the octets are."""

from __future__ import annotations

from anyurl.text import find
from anyurl.text.page import PageLinks
from anyurl.url import URL
from anyurl.url.charsets import ESCAPE, decoder_of
from fuzz import kit

_CODECS = (
    "iso2022_jp", "iso2022_kr", "iso2022_jp_2004", "hz", "utf-16", "utf-32", "utf-8-sig", "shift_jis", "gb18030",
    "cp424",
)  # fmt: skip
_PAGE = URL("http://base.example/a/b")


def fuzz(data: bytes) -> None:
    """The first octet chooses the charset, the rest is the text."""
    codec, data = _CODECS[data[0] % len(_CODECS) if data else 0], data[1:1025]
    kit.whole_and_in_pieces(data, lambda pieces: _decoded(pieces, codec, "replace").encode("utf-8"))
    if not codec.startswith("utf-"):
        kit.whole_and_in_pieces(data, lambda pieces: _decoded(pieces, codec, ESCAPE))
    kit.whole_and_in_pieces(data, lambda pieces: [one.raw for one in find(pieces, encoding=codec)])
    kit.whole_and_in_pieces(data, lambda pieces: _links(pieces, codec))
    mail = f"A: =?{codec}?q?".encode() + data[:40] + f"?=\nContent-Type: text/plain; charset={codec}\n\n".encode()
    kit.whole_and_in_pieces(mail + data, lambda pieces: [str(one.url) for one in find(pieces, format="mail")])


def _decoded(pieces: list[bytes], codec: str, errors: str) -> str:
    decoder = decoder_of(codec, errors)
    return "".join(map(decoder.decode, pieces)) + decoder.decode(b"", True)


def _links(pieces: list[bytes], codec: str) -> list[str]:
    reader = PageLinks(_PAGE, charset=codec)
    found = [one for piece in pieces for one in reader.accept(piece)]
    return [str(one.url) for one in (*found, *reader.finish())]
