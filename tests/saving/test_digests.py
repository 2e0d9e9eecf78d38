"""Checksums as people and servers write them."""

from __future__ import annotations

import base64
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.saving.digests import read_checksum, told_digests
from tests.rows import each_row

SUM = hashlib.sha256(b"hello").digest()
CODED = base64.b64encode(SUM).decode()


@pytest.mark.parametrize("text", [f"sha256:{SUM.hex()}", f"SHA-256:{SUM.hex().upper()}", f"sha256-{CODED}"])
def test_a_checksum_is_read(text: str) -> None:
    assert read_checksum(text) == ("sha256", SUM)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("Repr-Digest", f"sha-256=:{CODED}:"), ("repr-digest", f"unixsum=:AA==:, sha-256=:{CODED}:"),
        ("Digest", f"SHA-256={CODED}"), ("Digest", f"adler32=03da0195,SHA-256={CODED}"),
    ],
)  # fmt: skip
def test_a_digest_of_a_server_is_read(field: str, value: str) -> None:
    assert told_digests([("a", "b"), (field, value)]) == (("sha256", SUM),)


@each_row("value", ["sha-256=:AAAA:", "sha-256=:%%:", "sha-999=:AAAA:", "unixsum=1", "", ",,", "=", "sha-256"])
def test_a_digest_that_is_not_understood_is_not_compared(value: str) -> None:
    assert told_digests([("repr-digest", value), ("content-digest", f"sha-256=:{CODED}:")]) == ()


@given(st.text(max_size=60))
def test_whatever_is_written_is_a_checksum_or_a_value_error(text: str) -> None:
    told_digests([("repr-digest", text)])
    try:
        read_checksum(text)
    except ValueError as error:
        assert "a checksum" in str(error)
