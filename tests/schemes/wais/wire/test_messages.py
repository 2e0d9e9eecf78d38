"""The messages of WAIS: those that real programs exchanged, octet for octet and field by field; limits and faults."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from anyurl.errors import AnyURLError, LimitError, LocalProtocolError, RemoteProtocolError, Truncated
from anyurl.schemes.wais.wire import fields as tags
from anyurl.schemes.wais.wire.fields import Fields, read_fields, read_num, write_fields
from anyurl.schemes.wais.wire.messages import (
    MAX_MESSAGE_BYTES,
    SEARCH,
    SEARCH_RESPONSE,
    Apdu,
    MessageHeader,
    MessageReader,
    WaisMessage,
    armour,
    read_apdu,
    read_message,
    unarmour,
)
from anyurl.schemes.wais.wire.records import Diagnosis, read_records, write_records
from anyurl.testing import ProtocolContract
from tests import wais_transcripts
from tests.rows import each_row
from tests.wais_transcripts import transcript

LEFT_OVER = {
    "78-truncated-request": (40, "its first request is half a message: the client closes after it"),
    "94-trailing-bytes": (2, "two octets that belong to no message stand behind its request"),
}
"""Streams that do not end with a whole message: how many octets are left."""

NOT_CANONICAL = {"68-bad-length": "its first request has letters where the length should be; servers read 0"}
"""Streams that are not written back octet for octet."""


@each_row("name", wais_transcripts.names())
def test_what_is_read_is_written_back_octet_for_octet(name: str) -> None:
    for direction, data in wais_transcripts.streams(name):
        reader = MessageReader(lenient=True)
        written = b"".join(message.octets() for message in reader.feed(data))
        left, _ = LEFT_OVER.get(name, (0, "")) if direction == "c2s" else (0, "")
        assert reader.pending == left
        assert (written == data[: len(data) - left]) is not (name in NOT_CANONICAL and direction == "c2s")


@each_row("name", wais_transcripts.names())
def test_every_apdu_is_written_back_octet_for_octet(name: str) -> None:
    for _, data in wais_transcripts.streams(name):
        for message in MessageReader(lenient=True).feed(data):
            apdu = read_message(message)
            if apdu is None:
                assert message.body == b""
                continue
            assert apdu.octets() == message.body
            block = apdu.block(tags.USER_INFORMATION)
            if apdu.pdu == SEARCH_RESPONSE:
                assert block is not None
                assert write_records(read_records(block)) == block


def test_every_frame_means_what_another_program_says() -> None:
    told = 0
    for name, number, _, data, decoded in wais_transcripts.frames():
        if decoded is None:
            continue
        (message,) = MessageReader(lenient=True).feed(data)
        header = message.header
        names = ("type", "version", "server", "compression", "encoding", "checksum")
        assert [decoded[field].encode() for field in names] == [getattr(header, field) for field in names], name
        if header.encoding != b"h":
            assert int(decoded["length"]) == len(message.body), name
        apdu = read_message(message)
        if "apdu" in decoded:
            assert apdu is not None
            _compare_apdu(apdu, decoded["apdu"], f"{name} {number}")
            told += 1
    assert told == 298


_HEADS = {
    "SmallSetUpperBound": (0, 3), "LargeSetLowerBound": (3, 6), "MediumSetPresentNumber": (6, 9),
    "ReplaceIndicator": (9, 10), "Result": (0, 1), "SearchStatus": (0, 1), "ResultCount": (1, 4),
    "NumberOfRecordsReturned": (4, 7), "NextResultSetPosition": (7, 10),
}  # fmt: skip
_ID_FIELDS = {
    "original_server": 1, "original_database": 2, "original_local_id": 3, "distributor_server": 4,
    "distributor_database": 5, "distributor_local_id": 6, "copyright": 7,
}  # fmt: skip


def _compare_apdu(apdu: Apdu, told: dict[str, Any], where: str) -> None:
    assert apdu.pdu == told["pdu"], where
    for name, (start, end) in _HEADS.items():
        if name in told:
            assert int.from_bytes(apdu.head[start:end], "big") == told[name], (where, name)
    _compare_fields(apdu.fields, told.get("fields", []), where)
    _compare_fields(apdu.blocks, told.get("info", []), where)


def _compare_fields(fields: Fields, told: Sequence[Sequence[Any]], where: str) -> None:
    numbers = [int(re.search(r"\((\d+)\)", name)[1]) if "(" in name else _ID_FIELDS[name] for name, _ in told]  # type: ignore[index]
    assert [tag for tag, _ in fields] == numbers, where
    for (tag, value), (_, meaning) in zip(fields, told, strict=True):
        _compare_value(tag, value, meaning, where)


def _compare_value(tag: int, value: bytes, meaning: Any, where: str) -> None:
    if isinstance(meaning, int):
        assert read_num(value) == meaning, where
    elif isinstance(meaning, str) and meaning.startswith("bits:"):
        assert f"{int.from_bytes(value, 'big'):0{8 * len(value)}b}" == meaning[5:], where
    elif isinstance(meaning, str):
        assert value.decode("latin-1") == meaning or value.decode("utf-8", "replace") == meaning, where
    elif isinstance(meaning, dict):
        assert len(value) == meaning["bytes"], where
        assert value.decode("latin-1").startswith(meaning.get("head", "")), where
    elif tag == tags.TYPE_BLOCK:
        assert [type.decode() for _, type in read_fields(value)] == meaning, where
    elif tag == tags.USER_INFORMATION and any(name == "Diagnostic(28)" for name, _ in meaning):
        _compare_records(value, meaning, where)
    else:
        _compare_fields(read_fields(value), meaning, where)


def _compare_records(value: bytes, meaning: list[list[Any]], where: str) -> None:
    records = read_records(value)
    assert len(records) == len(meaning), where
    for record, (name, told) in zip(records, meaning, strict=True):
        if isinstance(record, Diagnosis):
            assert (record.code, record.text.decode(), record.surrogate) == (
                told["code"], told["addinfo"], told["surrogate"],
            ), where  # fmt: skip
        else:
            ((tag, content),) = read_fields(record.octets())
            _compare_value(tag, content, told, f"{where} {name}")


class TestMessages(ProtocolContract):
    cases = (
        (WaisMessage(b"\x00\x01\x14").octets(), b"00"),
        (WaisMessage(b"").octets() * 2, b"0000000001z"),
        (WaisMessage(b"\x00\x02\x14x", MessageHeader(encoding=b"h")).octets(), b" "),
        (bytes.fromhex(transcript("01-init-search-hits")["frames"][3]["hex"]), b"00000"),
    )

    def read(self, pieces: Sequence[bytes]) -> list[WaisMessage]:
        reader = MessageReader()
        return [message for piece in pieces for message in reader.feed(piece)]


@each_row("size", range(8))
def test_armour_is_taken_off(size: int) -> None:
    data = bytes(range(249, 249 + size)) if size < 7 else bytes(range(256))
    text = armour(data)
    assert text.endswith(b"\r")
    assert all(0x30 <= octet <= 0x70 for octet in text[:-1])
    assert unarmour(text) == data


def test_armour_is_that_of_freewais() -> None:
    frames = transcript("82-encoding-h")["frames"]
    (request,) = MessageReader().feed(bytes.fromhex(frames[0]["hex"]))
    (reply,) = MessageReader().feed(bytes.fromhex(frames[1]["hex"]))
    plain = wais_transcripts.answers()[request.body]
    assert reply.body.replace(b"/tmp/", b"/srv/") == plain[25:]  # another copy of the same server


@pytest.mark.parametrize("text", [b"012\r", b"01 2\r", b"\xff\xff\xff\xff", b"0123\n"])
def test_what_is_no_armour(text: bytes) -> None:
    with pytest.raises(RemoteProtocolError, match="outside its alphabet"):
        unarmour(text)


@pytest.mark.parametrize(
    ("data", "kind", "message"),
    [
        pytest.param(b"220 mail ESMTP\r\n", RemoteProtocolError, "begins with its length", id="a mail server"),
        pytest.param(b"HTTP/1.0 400 Bad\r\n\r\n", RemoteProtocolError, "begins with its length", id="a web server"),
        pytest.param(b"\x00\x01\x02", RemoteProtocolError, "begins with its length", id="octets"),
        pytest.param(b"00000000-1z2wais      0  ", RemoteProtocolError, "begins with", id="a negative length"),
        pytest.param(b"9999999999z2wais      0   ", LimitError, "9,999,999,999 octets", id="an oversized length"),
        pytest.param(b"%010dz2wais      0   " % (MAX_MESSAGE_BYTES + 1), LimitError, "are read", id="one too many"),
    ],
)
def test_what_is_no_message(data: bytes, kind: type[AnyURLError], message: str) -> None:
    with pytest.raises(kind, match=message):
        MessageReader().feed(data)


def test_a_length_may_be_padded_with_spaces() -> None:
    (message,) = MessageReader().feed(b"         3z2wais        0\0\1\x14")
    assert message.body == b"\0\1\x14"


@pytest.mark.parametrize(
    ("data", "received", "expected"),
    [(b"00000", 5, None), (b"0000000004z2wais        0\0\2", 27, 29)],
)
def test_a_message_that_is_cut(data: bytes, received: int, expected: int | None) -> None:
    reader = MessageReader()
    assert reader.feed(data) == []
    with pytest.raises(Truncated) as caught:
        reader.finish()
    assert (caught.value.received, caught.value.expected) == (received, expected)
    assert str(caught.value).startswith(f"The connection was closed after {received}")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        pytest.param(b"\0", "claims", id="half a length"),
        pytest.param(b"\0\0\x16", "claims 0 octets", id="an APDU without a type"),
        pytest.param(b"\0\x09\x16", "claims 9 octets, and the message has 1", id="longer than the message"),
        pytest.param(b"\0\x03\x16\0\0", "A WAIS Search is truncated in its first fields.", id="a cut head"),
        pytest.param(b"\0\x04\x14\x03\x05x", "Field 3 of a WAIS message claims 5 octets", id="a field leads out"),
        pytest.param(b"\0\x01\x14\x63\x01x!", "1 octets follow the end", id="something behind the block"),
    ],
)
def test_a_body_whose_lengths_lie(body: bytes, message: str) -> None:
    with pytest.raises(RemoteProtocolError, match=message):
        read_apdu(body)


def test_an_apdu_that_its_length_cannot_count_is_not_sent() -> None:
    longest = Apdu(SEARCH, bytes(10), ((18, b"d" * 65_520),))
    assert longest.octets()[:2] == b"\xff\xff"
    with pytest.raises(LocalProtocolError, match="A WAIS Search of 65,536 octets can't be sent: up to 65,535 can"):
        Apdu(SEARCH, bytes(10), ((18, b"d" * 65_521),)).octets()


def test_an_unknown_apdu_is_kept_as_it_is() -> None:
    body = b"\0\x03\x63ab\x63\x01x"
    apdu = read_apdu(body)
    assert (apdu.pdu, apdu.head, apdu.blocks) == (99, b"ab", ((99, b"x"),))
    assert apdu.octets() == body


def test_an_empty_message_has_no_apdu() -> None:
    assert read_message(WaisMessage(b"")) is None


def test_values_compare_and_show_themselves() -> None:
    apdu = Apdu(SEARCH, b"h", ((2, b"x"),))
    assert apdu == Apdu(SEARCH, b"h", ((2, b"x"),))
    assert write_fields(apdu.fields) == b"\x02\x01x"
