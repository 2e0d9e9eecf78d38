"""The page of an error: its heading and its HTTP status.

Rule: the heading says briefly what happened; the reason and the remedy are the error's own sentence.
"""

from __future__ import annotations

import re

from anyurl.errors import (
    AnyURLError,
    AuthRequiredError,
    ConnectError,
    LimitError,
    LocalFileError,
    LocalProtocolError,
    NotFoundError,
    PolicyError,
    ReplyError,
    SchemeError,
    SecretNeededError,
    UnknownSchemeError,
    URLSyntaxError,
)


def heading(error: AnyURLError) -> str:
    """The heading of the page of an error."""
    for kind, heading in _HEADINGS.items():
        if isinstance(error, kind):
            return heading
    return "The transfer failed"


_HEADINGS: dict[type[AnyURLError], str] = {
    URLSyntaxError: "This is not a URL", UnknownSchemeError: "This scheme is not known",
    SchemeError: "This scheme can't do that", NotFoundError: "Not found",
    AuthRequiredError: "A login is needed", SecretNeededError: "A login is needed", LimitError: "A limit was reached",
    PolicyError: "Refused", LocalFileError: "This file can't be read", LocalProtocolError: "This can't be done",
    ConnectError: "No connection", ReplyError: "The server said no",
}  # fmt: skip


def below_heading(sentence: str, title: str) -> str:
    """A sentence without a beginning that repeats the heading."""
    rest = sentence.removeprefix(f"{title}: ")
    return sentence if rest == sentence else rest[:1].upper() + rest[1:]


def without_advice(sentence: str) -> str:
    """A sentence without advice about terminals, netrc or the URL: the form below it asks for the login."""
    return _ADVICE.sub(".", sentence)


_ADVICE = re.compile(
    "(?:; write the user into the URL|; no password was given: an entry for"
    "|, and neither netrc nor a terminal can give).*"
)


def status_of(error: AnyURLError) -> int:
    """The HTTP status of the page of an error."""
    for kind, status in _STATUSES.items():
        if isinstance(error, kind):
            return status
    return 502


_STATUSES: dict[type[AnyURLError], int] = {
    URLSyntaxError: 400, LocalProtocolError: 400, SchemeError: 501, PolicyError: 403, NotFoundError: 404,
}  # fmt: skip
