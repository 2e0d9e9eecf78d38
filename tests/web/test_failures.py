"""What the page of an error is called, and its status."""

from __future__ import annotations

import pytest

from anyurl import errors
from anyurl.web.browse import below_heading, heading, status_of, without_advice


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


def test_a_sentence_does_not_say_again_what_its_heading_says() -> None:
    assert below_heading("Refused: port 1 is no port.", "Refused") == "Port 1 is no port."
    assert below_heading("h answered 404: no.", "Not found") == "h answered 404: no."


@pytest.mark.parametrize(
    ("advice", "said"),
    [
        ("The server answered 401 for http://h/: it wants a login; write the user into the URL: user@host; or .netrc.",
         "The server answered 401 for http://h/: it wants a login."),
        ("h asks for the password of 'joe', and neither netrc nor a terminal can give it.",
         "h asks for the password of 'joe'."),
        ("h answered 401: it wants a login; no password was given: an entry for h in .netrc, or the prompt.",
         "h answered 401: it wants a login."),
        ("h answered 401: user and password are not accepted.", "h answered 401: user and password are not accepted."),
    ],
)  # fmt: skip
def test_a_form_needs_no_advice_for_a_terminal(advice: str, said: str) -> None:
    assert without_advice(advice) == said
