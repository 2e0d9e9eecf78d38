"""Files inside articles: yEnc (draft 1.3) and uuencode (POSIX.1-2017), found in a body and decoded.

Rule: decoded line by line, in linear time, and never to more octets than the input: neither coding compresses. A
damaged file is returned with a description of the fault; its name must be checked by `safe_name`.
"""

from __future__ import annotations

import binascii
import re
import zlib
from collections.abc import Iterator, Sequence

from anyurl.values import Value

MAX_FILES = 1_000
"""Files in one article: posts have one, digests some dozens."""

MAX_DIGITS = 32
"""Digits of a checksum; it has eight, and some programs write sixteen."""

# Matches begin at the start of a word only: trying each of its letters would be quadratic.
_YENC_FIELD = re.compile(rb"(?<!\w)(\w+)=(\S+)")
_UU_BEGIN = re.compile(rb"begin(-base64)? ([0-7]{3,4}) (\S.{0,999})\Z")
_SHIFT = bytes((octet - 42) % 256 for octet in range(256))
_ESCAPED = re.compile(rb"=(.)", re.DOTALL)


class EncodedFile(Value):
    """One file in a body.

    Attributes:
        name: As the sender wrote it. Hostile.
        coding: ``yenc``, ``uuencode`` or ``base64``.
        data: Its octets.
        part: The number of this part of a multi-part file, or None for a whole file.
        total: The number of parts, or None if unknown.
        begin: The offset of the part's first octet in the whole file.
        size: Octets of the whole file according to the sender, or None.
        fault: Its fault, or None.
    """

    name: bytes
    coding: str
    data: bytes
    part: int | None = None
    total: int | None = None
    begin: int = 0
    size: int | None = None
    fault: str | None = None

    def __repr__(self) -> str:
        return f"EncodedFile({self.name!r}, {self.coding!r}, {len(self.data)} octets, fault={self.fault!r})"


def find_files(body: bytes) -> Iterator[EncodedFile]:
    """The files of a body, in order; at most `MAX_FILES`."""
    lines = body.replace(b"\r\n", b"\n").split(b"\n")
    at = count = 0
    while at < len(lines) and count < MAX_FILES:
        line = lines[at]
        if line.startswith(b"=ybegin "):
            found, at = _read_yenc(lines, at)
        elif line.startswith(b"begin") and (begin := _UU_BEGIN.match(line)) is not None:
            found, at = _read_uu(lines, at, begin)
        else:
            at += 1
            continue
        if found is not None:
            count += 1
            yield found


def _fields(line: bytes) -> dict[bytes, bytes]:
    """The fields of a yEnc line; ``name=`` is the last one and extends to the end of the line (draft 1.2)."""
    head, mark, name = line.partition(b" name=")
    fields: dict[bytes, bytes] = {found[1]: found[2] for found in _YENC_FIELD.finditer(head)}
    if mark:
        fields[b"name"] = name.strip()
    return fields


def _number(fields: dict[bytes, bytes], name: bytes) -> int | None:
    value = fields.get(name, b"")
    return int(value) if value.isdigit() and len(value) <= 19 else None


def _read_yenc(lines: Sequence[bytes], at: int) -> tuple[EncodedFile | None, int]:
    head = _fields(lines[at])
    if b"name" not in head or b"size" not in head:
        return None, at + 1
    at += 1
    part: dict[bytes, bytes] = {}
    if at < len(lines) and lines[at].startswith(b"=ypart "):
        part = _fields(lines[at])
        at += 1
    end = at
    while end < len(lines) and not lines[end].startswith(b"=yend"):
        end += 1
    data = decode_yenc(b"".join(lines[at:end]))
    tail = _fields(lines[end]) if end < len(lines) else {}
    begin = _number(part, b"begin")
    return EncodedFile(
        head[b"name"], "yenc", data, part=_number(head, b"part"), total=_number(head, b"total"),
        begin=max(0, begin - 1) if begin is not None else 0, size=_number(head, b"size"),
        fault=_yenc_fault(head, tail, data) if end < len(lines) else "its end is missing",
    ), min(end + 1, len(lines))  # fmt: skip


def _yenc_fault(head: dict[bytes, bytes], tail: dict[bytes, bytes], data: bytes) -> str | None:
    size = _number(tail, b"size")
    if size is None and b"part" not in head:
        size = _number(head, b"size")
    if size is not None and size != len(data):
        return f"{len(data):,} octets came out of the {size:,} that it should have"
    sum_ = tail.get(b"pcrc32" if b"part" in head else b"crc32", b"")
    try:
        # Some programs write the sum as a number of 64 bits with a sign: its last 32 bits are the sum.
        expected = int(sum_[:MAX_DIGITS], 16) & 0xFFFFFFFF if sum_ else None
    except ValueError:
        return "its checksum is not a number"
    if expected is not None and expected != zlib.crc32(data):
        return "its checksum is wrong"
    return None


def decode_yenc(data: bytes) -> bytes:
    """Decode joined yEnc lines: octets are shifted by 42; critical ones follow a ``=`` and are shifted by 64 more."""
    plain = _ESCAPED.sub(lambda found: bytes(((found[1][0] - 64) % 256,)), data)
    return plain.removesuffix(b"=").translate(_SHIFT) if data.endswith(b"=") else plain.translate(_SHIFT)


def _read_uu(lines: Sequence[bytes], at: int, begin: re.Match[bytes]) -> tuple[EncodedFile | None, int]:
    base64 = begin[1] is not None
    end_mark = b"====" if base64 else b"end"
    out: list[bytes] = []
    fault: str | None = "its end is missing"
    start, at = at, at + 1
    came = size = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        came += len(line) + 1
        if line.rstrip() == end_mark:
            fault = None
            break
        try:
            piece = binascii.a2b_base64(line) if base64 else _uu_line(line)
        except ValueError:
            if not out:
                return None, start + 1  # a sentence that begins with "begin 644", not a file
            fault = "a line of it is not uuencoded"
            break
        size += len(piece)
        if size > came:
            # Attack: empty lines that claim 63 octets would grow thirtyfold; real files lose few trailing spaces.
            fault = "its lines are cut"
            break
        out.append(piece)
    return EncodedFile(begin[3].strip(), "base64" if base64 else "uuencode", b"".join(out), fault=fault), at


def _uu_line(line: bytes) -> bytes:
    """Decode one line, whose first octet is the decoded length. Some encoders pad lines, some drop trailing spaces."""
    if not line.strip(b" \t`"):
        return b""
    count = (line[0] - 32) & 63
    needed = (count + 2) // 3 * 4
    if any(not 32 <= octet <= 96 for octet in line) or len(line[1 + needed :].strip()) > 2 or (count and len(line) < 2):
        raise ValueError("not uuencoded")
    return binascii.a2b_uu(line[:1] + line[1 : needed + 1].ljust(needed))
