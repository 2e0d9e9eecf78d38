"""A form with files, as the standard library's reader of mail understands it."""

from __future__ import annotations

import email
import email.policy
import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyurl.client.multipart import Multipart
from anyurl.errors import LocalProtocolError


def drain(form: Multipart, at_most: int) -> bytes:
    taken = b""
    while piece := form.read(at_most):
        assert len(piece) <= at_most
        taken += piece
    return taken


def parts(form: Multipart, data: bytes) -> list[tuple[str, str | None, str, bytes]]:
    head = f"Content-Type: {form.type}\r\n\r\n".encode()
    message = email.message_from_bytes(head + data, policy=email.policy.HTTP)
    found = []
    for part in message.iter_parts():
        disposition = part["content-disposition"].params
        content = part.get_payload(decode=True)
        found.append((disposition["name"], disposition.get("filename"), part.get_content_type(), content))
    return found


@pytest.mark.parametrize("at_most", [1, 7, 100_000])
def test_fields_and_files(at_most: int, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_bytes(b"<p>")
    opened = (tmp_path / "page.html").open("rb")
    form = Multipart(
        [("a", "b c"), ("a", "ü")],
        {"octets": b"\0\r\n--x", "named": ("x.csv", io.BytesIO(b"1,2")), "typed": ("y", b"z", "text/rtf"),
         "opened": opened, "packed": ("x.tar.gz", b"p"), "unknown": ("x.unheard", b"u"), "bare": ("x", b"b")},
    )  # fmt: skip
    data = drain(form, at_most)
    assert form.size == len(data)
    assert parts(form, data) == [
        ("a", None, "text/plain", b"b c"),
        ("a", None, "text/plain", "ü".encode()),
        ("octets", "file", "application/octet-stream", b"\0\r\n--x"),
        ("named", "x.csv", "text/csv", b"1,2"),
        ("typed", "y", "text/rtf", b"z"),
        ("opened", "page.html", "text/html", b"<p>"),
        ("packed", "x.tar.gz", "application/octet-stream", b"p"),  # a tar only when it is unpacked
        ("unknown", "x.unheard", "application/octet-stream", b"u"),
        ("bare", "x", "application/octet-stream", b"b"),
    ]
    assert form.can_rewind
    form.rewind()
    assert drain(form, at_most) == data
    opened.close()


def test_a_file_that_can_be_read_only_once() -> None:
    def pieces() -> Iterator[bytes]:
        yield b"1"
        yield b"2"

    form = Multipart([], [("f", ("x", pieces()))])
    assert form.size is None
    assert not form.can_rewind
    assert parts(form, drain(form, 3))[0][3] == b"12"


def test_a_name_begins_no_line_of_its_own() -> None:
    form = Multipart([('a"\r\nX: y', "v")], {"f": ('n"\r\n\r\n\0', b"")})
    head = drain(form, 1000)
    assert b'name="a%22%0D%0AX: y"' in head
    assert b'filename="n%22%0D%0A%0D%0A%00"' in head
    with pytest.raises(LocalProtocolError):
        Multipart([], {"f": ("n", b"", "text/plain\r\nX: y")})
