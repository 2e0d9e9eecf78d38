"""Checksums of saved content: the caller's, and those from the server (RFC 9530, and RFC 3230 before it).

Rule: a file whose checksum is wrong gets no name. An unknown digest is not compared; a server's digest counts only for
octets that are saved as they were sent.
"""

from __future__ import annotations

import binascii
import hashlib
import os
import re
from collections.abc import Iterable

ALGORITHMS = ("sha256", "sha512", "sha384", "sha224", "sha1", "md5", "blake2b", "blake2s", "sha3_256", "sha3_512")
"""Those of `hashlib` that a checksum may name."""

_TOLD = {"sha-256": "sha256", "sha-512": "sha512", "sha": "sha1", "md5": "md5"}
"""Algorithms of the fields; RFC 9530 5 has deprecated all but the first two, which a later one never overrules."""

_MEMBER = re.compile(r"(?i)\A[ \t]*([a-z0-9-]+)[ \t]*=[ \t]*:?([A-Za-z0-9+/]+={0,2}):?[ \t]*\Z")

CHUNK = 1024 * 1024

Digests = tuple[tuple[str, bytes], ...]


def read_checksum(text: str) -> tuple[str, bytes]:
    """A checksum as ``sha256:HEX``, or as ``sha256-BASE64`` (Subresource Integrity).

    Raises:
        ValueError: The text is not a checksum.
    """
    name, colon, digits = text.partition(":")
    coded = not colon
    if coded:
        name, _, digits = text.partition("-")
    name = name.strip().lower().replace("-", "")
    if name not in ALGORITHMS:
        raise ValueError(f"a checksum is ALGORITHM:HEX with one of {', '.join(ALGORITHMS)}")
    try:
        found = binascii.a2b_base64(digits) if coded else bytes.fromhex(digits)
    except ValueError:
        found = b""
    size = hashlib.new(name, usedforsecurity=False).digest_size
    if len(found) != size:
        raise ValueError(f"a checksum by {name} has {2 * size} hexadecimal digits")
    return name, found


def told_digests(fields: Iterable[tuple[str, str]]) -> Digests:
    """The digests of the whole content that the header fields of a response tell."""
    found: dict[str, bytes] = {}
    for field, value in fields:
        if field.lower() not in ("repr-digest", "digest"):
            continue
        for member in value.split(","):
            match = _MEMBER.match(member)
            name = None if match is None else _TOLD.get(match[1].lower())
            if match is None or name is None:
                continue
            try:
                digest = binascii.a2b_base64(match[2])
            except ValueError:
                continue
            if len(digest) == hashlib.new(name, usedforsecurity=False).digest_size:
                found.setdefault(name, digest)
    return tuple(found.items())


def wrong_one(fd: int, digests: Digests) -> tuple[str, bytes, bytes] | None:
    """The first digest that a file does not match: its name, the expected value, and the actual one. Or None."""
    hashes = {name: hashlib.new(name, usedforsecurity=False) for name, _ in digests}
    at = 0
    while piece := os.pread(fd, CHUNK, at):
        for each in hashes.values():
            each.update(piece)
        at += len(piece)
    pairs = ((name, wanted, hashes[name].digest()) for name, wanted in digests)
    return next(((name, wanted, found) for name, wanted, found in pairs if wanted != found), None)
