"""Hosts that look like a number or have no label, asked through a URL (RFC 1034 3.1, RFC 3986 3.2.2 and 7.4)."""

from __future__ import annotations

import re
import socket

from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import URLSyntaxError
from anyurl.url import URL
from tests.rows import each_row


def fault(host: str) -> str | None:
    try:
        URL(f"http://{host}/")
    except URLSyntaxError as error:
        return error.diagnostics[0].code
    return None


NUMERIC = "numeric-host"

HOSTS = [
    ("127.0.0.1", None), ("0.0.0.0", None), ("255.255.255.255", None), ("1.2.3.4", None), ("10.20.30.40", None),
    ("h", None), ("h1", None), ("1h", None), ("1.h", None), ("h.1h", None), ("0xg", None), ("h.0xg", None), ("x0",
     None),
    ("a0x1", None), ("09a", None), ("f", None), ("abc.def", None), ("h.", None), ("a.b.", None), ("-1", None),
    ("2130706433", NUMERIC), ("0x7f.1", NUMERIC), ("127.1", NUMERIC), ("0177.0.0.1", NUMERIC), ("0", NUMERIC),
    ("0x", NUMERIC), ("0X7F", NUMERIC), ("0xabcdefABCDEF", NUMERIC), ("h.0x", NUMERIC), ("h.1", NUMERIC),
    ("256.0.0.1", NUMERIC), ("1.2.3.256", NUMERIC), ("1.2.3.1000", NUMERIC), ("1.2.3.04", NUMERIC),
     ("1.2.3.00", NUMERIC),
    ("1.2.3", NUMERIC), ("1.2.3.4.5", NUMERIC), ("1..2.3", NUMERIC), (".1.2.3", NUMERIC), ("1.2.3.4.", NUMERIC),
    ("127.1.", NUMERIC), ("1.", NUMERIC), ("a.1.", NUMERIC), ("a.2.3.4", NUMERIC), ("1.2.3.4.5.6", NUMERIC),
    ("9", NUMERIC), ("h.9", NUMERIC), ("1.2.3.0x4", NUMERIC),
    (".", "empty-label"), ("..", "empty-label"), ("a..", "empty-label"), ("1..", "empty-label"),
]  # fmt: skip


@each_row(("host", "code"), HOSTS, ids=[row[0] for row in HOSTS])
def test_a_host_that_looks_like_a_number(host: str, code: str | None) -> None:
    assert fault(host) == code
    assert fault(f"u@{host}:80"[2:]) == code, "wherever it ends"


def read(host: str) -> str | None:
    """The rule of the docstrings, naively."""
    if re.search(r"(^|\.)\.$", host):
        return "empty-label"
    last = host.removesuffix(".").rpartition(".")[2]
    if not re.fullmatch(r"\d+|0[xX][0-9a-fA-F]*", last):
        return None
    group = r"(0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])"
    return None if re.fullmatch(rf"{group}\.{group}\.{group}\.{group}", host) else NUMERIC


@given(st.text("0123456789.xXafg", min_size=1, max_size=12))
def test_it_is_as_the_rule_says(host: str) -> None:
    assert fault(host) == read(host)


@given(st.integers(0, 2**32 - 1), st.sampled_from(["{}", "{:#x}", "0{:o}"]))
def test_no_number_reaches_an_address_but_in_four_plain_decimals(number: int, form: str) -> None:
    """What `inet_aton` reads."""
    assert socket.inet_aton(form.format(number)) == number.to_bytes(4, "big")
    assert fault(form.format(number)) == NUMERIC
    assert fault(socket.inet_ntoa(number.to_bytes(4, "big"))) is None
