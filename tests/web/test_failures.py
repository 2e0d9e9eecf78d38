"""What the page of an error is called, and its status."""

from __future__ import annotations

import pytest

from anyurl import errors
from anyurl.web.failures import heading, status_of


@pytest.mark.parametrize(
    ("error", "title", "status"),
    [
        (errors.RefusedError("Refused: x."), "Refused", 403),
        (errors.LimitError("x"), "A limit was reached", 403),  # also a PolicyError
        (errors.NotFoundError("x"), "Not found", 404),  # also a ReplyError
        (errors.UnknownSchemeError("x"), "This scheme is not known", 501),
        (errors.Truncated("x"), "The transfer failed", 502),
    ],
)
def test_what_an_error_is_called(error: errors.AnyURLError, title: str, status: int) -> None:
    assert (heading(error), status_of(error)) == (title, status)
