"""The percent codec: what is encoded is decoded again; decoding never grows; both kernels answer alike."""

from __future__ import annotations

from anyurl.url.cut import decode_text, encode_text, percent_decode, percent_encode
from fuzz import kit

_pure = kit.pure()


def fuzz(data: bytes) -> None:
    """The first octet is how many of the next are safe."""
    count, data = (data[0] % 32 if data else 0), data[1:]
    safe, data = data[:count].replace(b"%", b""), data[count:]
    encoded = percent_encode(data, safe)
    kit.same(percent_decode(encoded), data, "encoded and decoded")
    kit.same(encoded.isascii(), True, "encoded is ASCII")
    text = data.decode("utf-8", "surrogateescape")
    decoded = percent_decode(text)
    kit.same(len(decoded) <= len(data), True, "decoding grows nothing")
    kit.same(decode_text(encode_text(text)), text, "text encoded and decoded")
    kit.same(percent_encode(percent_decode(encoded), safe), encoded, "the form is canonical")
    if _pure is not None:
        with _pure:
            from anyurl.url.cut import percent_decode as decode_in_pure
            from anyurl.url.cut import percent_encode as encode_in_pure
        kit.same(decode_in_pure(text), decoded, "the kernels decode differently")
        kit.same(encode_in_pure(data, safe), encoded, "the kernels encode differently")
