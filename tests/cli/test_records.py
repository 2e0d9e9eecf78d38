"""What ``--json`` writes: nothing that JSON has no word for, no password, no time that is none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from anyurl import errors
from anyurl.cli import records
from anyurl.client.resource import Hop
from anyurl.url import URL
from tests.rows import each_row


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, None),
        (0, "1970-01-01T00:00:00Z"),
        (787881600.9, "1994-12-20T00:00:00Z"),
        (-1, "1969-12-31T23:59:59Z"),
        (1e300, None),  # a server may say any number
        (float("nan"), None),
        (float("inf"), None),
    ],
)
def test_timestamp(seconds: float | None, text: str | None) -> None:
    assert records.timestamp(seconds) == text


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (b"\xffx", "\udcffx"),
        ((1, None, True, 1.5, "a"), [1, None, True, 1.5, "a"]),
        ({"a": {"b": (URL("ftp://u:pw@h/"),)}}, {"a": {"b": ["ftp://u:***@h/"]}}),
        (Hop(URL("http://u:pw@h/"), "301", True), {"url": "http://u:***@h/", "reason": "301", "permanent": True}),
        ({1: frozenset({2})}, {"1": [2]}),
        (complex(1, 2), "(1+2j)"),
    ],
)
def test_plain(value: Any, plain: Any) -> None:
    assert records.plain(value) == plain
    json.dumps(records.plain(value))


@each_row(
    ("error", "expected"),
    [
        (errors.NotFoundError("none", code=404), ("NotFoundError", "none", "s", "reply", 404, None)),
        (errors.DeniedError("no"), ("DeniedError", "no", "s", "reply", None, None)),
        (errors.ConnectError("refused", stage="tls"), ("ConnectError", "refused", "s", "tls", None, None)),
        (errors.RefusedError("no"), ("RefusedError", "no", "s", None, "refused", None)),
        (errors.RefusedError("no", code="octets"), ("RefusedError", "no", "s", None, "octets", None)),
        (errors.LocalFileError("full\x1b"), ("LocalFileError", "full\\x1b", "s", None, None, None)),
        (
            errors.UnknownSchemeError("no", fix="http://u:pw@h/"),
            ("UnknownSchemeError", "no", "s", None, None, "http://u:***@h/"),
        ),
        (KeyError("s3cret"), ("KeyError", "a fault of anyurl itself", "s", None, None, None)),
    ],
)
def test_error_record(error: Exception, expected: tuple[Any, ...]) -> None:
    record = records.error_record(error, "s")
    assert list(record) == ["error", "message", "url", "stage", "code", "fix"]
    assert tuple(record.values()) == expected


def test_the_url_of_an_error_is_its_own_where_it_has_one() -> None:
    error = errors.ConnectError("refused")
    error.url = "http://elsewhere/"
    assert records.error_record(error, "http://here/")["url"] == "http://elsewhere/"
    fault = errors.Diagnostic("space", "error", (16, 17), "URI", "RFC 3986 2", "a space")
    error2 = errors.URLSyntaxError("ftp://u:s3cret@h ", (fault,))
    assert records.error_record(error2, None)["url"] == "ftp://u:***@h "
