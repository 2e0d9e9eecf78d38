"""What a silent server answers to half a handshake, and what is learnt from it."""

from __future__ import annotations

import pytest

from anyurl.errors import AnyURLError, ConnectionLost, LimitError, RefusedError, TransferTimeout
from anyurl.schemes.kit.line_session import speaks_tls
from tests.rows import each_row
from tests.schemes.kit.test_line_session import ALERT, HALF_A_HELLO, HANDSHAKE, Drive


@pytest.mark.parametrize("answer", [ALERT, HANDSHAKE, ALERT[:2]])
def test_an_alert_or_a_handshake_is_tls(answer: bytes) -> None:
    drive = Drive(speaks_tls("h", 2121), [answer])
    assert (drive.result, drive.log, drive.waits) == (True, ["fresh", HALF_A_HELLO, "Close"], [2.0])


@each_row(
    "answer",
    [
        b"",
        b"\x15",
        b"220 hello\r\n",
        b"HTTP/1.1 400 Bad Request\r\n",
        TransferTimeout("silent", clock="idle"),
        ConnectionLost("gone"),
        LimitError("enough", limit="connections"),
        RefusedError("not there"),
    ],
)
def test_anything_else_is_not_and_no_error(answer: bytes | AnyURLError) -> None:
    drive = Drive(speaks_tls("h", 2121), [answer])
    assert (drive.result, drive.error) == (False, None)
