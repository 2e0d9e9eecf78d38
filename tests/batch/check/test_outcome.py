"""Outcomes: what each error, and each redirection, says of a URL."""

from __future__ import annotations

import errno
import socket
from typing import Any

import pytest

from anyurl import Client, errors
from anyurl.batch.check.outcome import MAX_MESSAGE, OK, OUTCOMES, Finding, finding_of, finding_on, statuses
from anyurl.client.mapper import Result
from anyurl.client.resource import Hop
from anyurl.files.channel import local_error
from anyurl.guard.hops import GATEWAY
from anyurl.url import URL
from tests.rows import each_row

LATER = errors.UnavailableError("Not now.", code=429)


@each_row(
    ("error", "outcome"),
    [
        (errors.NotFoundError("No.", code=404), "broken"),
        (errors.DeniedError("No.", code=403), "broken"),  # a reader is not let in either
        (errors.ReplyError("No.", code=500), "broken"),
        (errors.ReplyError("A directory.", code=550, meaning="directory"), "ok"),  # it is there
        (errors.AuthRequiredError("A login.", code=401), "not-checkable"),  # what is behind it, nobody knows
        (errors.SecretNeededError("A password."), "not-checkable"),
        (LATER, "deferred"),
        (errors.TransferTimeout("Too long."), "timed-out"),
        (errors.ConnectError("No."), "broken"),
        (errors.ConnectError("Unknown.", stage="look-up", errno=socket.EAI_NONAME), "broken"),
        (errors.ConnectError("Offline.", stage="look-up", errno=socket.EAI_AGAIN), "timed-out"),
        (errors.ConnectError("They failed.", stage="look-up", errno=socket.EAI_FAIL), "timed-out"),
        (errors.ConnectError("Out of memory.", stage="look-up", errno=socket.EAI_MEMORY), "not-checkable"),
        (errors.ConnectError("Its own.", stage="look-up"), "broken"),
        (errors.ConnectError("Refused.", errno=errno.ECONNREFUSED), "broken"),
        (errors.ConnectError("No host.", errno=errno.EHOSTUNREACH), "broken"),
        (errors.ConnectError("Offline.", errno=errno.ENETUNREACH), "not-checkable"),  # this machine has no way there
        (errors.ConnectionLost("Gone."), "broken"),
        (errors.RemoteProtocolError("Nonsense."), "broken"),
        (local_error(FileNotFoundError(errno.ENOENT, ""), "Looking at /x"), "broken"),
        (local_error(OSError(errno.EMFILE, ""), "Looking at /x"), "not-checkable"),  # ours, not the file's
        (errors.LocalFileError("Can't read certificates."), "not-checkable"),
        (errors.LimitError("A circle.", limit="redirects"), "broken"),
        (errors.LimitError("A cookie is wanted.", limit="cookies"), "not-checkable"),
        (errors.LimitError("Too long.", limit="max_bytes"), "not-checkable"),  # ours, not the server's
        (errors.RefusedError("No."), "refused"),
        (errors.UnknownSchemeError("What?"), "not-checkable"),
        (errors.UnsupportedError("Not that."), "not-checkable"),
        (errors.MissingExtraError("Not here."), "not-checkable"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_an_error_says(error: errors.AnyURLError, outcome: str) -> None:
    finding = finding_on(error)
    assert finding.outcome == outcome
    assert finding.outcome in OUTCOMES
    assert finding.error == type(error).__name__
    assert finding.message == str(error)


@pytest.mark.parametrize("kind", [errors.TransferTimeout, errors.UnavailableError])
def test_what_was_never_begun_is_deferred(kind: Any) -> None:
    error = kind("It waited for its turn.")
    error.begun = False
    assert finding_on(error).outcome == "deferred"
    assert finding_on(error, (0, 429)).outcome == "deferred"


@pytest.mark.parametrize(
    ("url", "outcome"),
    [
        ("data:image/svg+xml;utf8,%3Csvg/%3E", "ok"),  # what every theme of the web has; a browser leaves utf8 out
        ("data:image/svg+xml;%20utf8,%20%3Csvg%3E", "ok"),
        ("data:image/svg+xml;charset=utf-8,x", "ok"),
        ("data:image/png;base64,!!", "broken"),
        ("data:no-comma", "broken"),
    ],
)
def test_a_data_url_that_every_browser_shows_is_no_fault(url: str, outcome: str) -> None:
    with Client() as client:
        found = next(iter(client.map([url], verb="stat")))
    assert finding_of(found).outcome == outcome


def test_a_status_that_is_accepted_is_no_fault() -> None:
    error = errors.DeniedError("No.", code=403)
    assert finding_on(error, (403,)) == OK
    assert finding_on(error, (404,)).outcome == "broken"
    assert finding_on(error).status == 403


def test_what_is_wrong_with_a_url_is_a_sentence_too() -> None:
    with pytest.raises(errors.URLSyntaxError) as caught:
        URL("http://host.dom:65561/")
    assert str(caught.value).startswith("a port is ")
    assert finding_on(caught.value).message == "A port is at most 65535 (RFC 9293 3.1, at character 17)."


def test_a_message_is_escaped_and_cut() -> None:
    message = finding_on(errors.NotFoundError("\x1b[2J" + "x" * 2 * MAX_MESSAGE)).message
    assert message.startswith("\\x1b[2Jxxx")
    assert len(message) == MAX_MESSAGE + 3


class Arrived:
    """What a resource says of the way to it."""

    def __init__(self, *hops: Hop) -> None:
        self.history = hops
        self.base = URL("http://u:secret@there.example/")


FOR_EVER, FOR_NOW = Hop(URL("http://a/"), "301", True), Hop(URL("http://b/"), "302", False)
LED = Hop(URL("doi:10.1/x"), GATEWAY, False)


@pytest.mark.parametrize(
    ("hops", "permanent"),
    [((FOR_EVER,), True), ((FOR_EVER, FOR_NOW), False), ((FOR_NOW,), False), ((LED, FOR_EVER), True)],
    ids=("for ever", "one for now", "for now", "behind a gateway"),
)
def test_a_redirection_tells_where_to(hops: tuple[Hop, ...], permanent: bool) -> None:
    result = Result("x", Arrived(*hops), None)
    finding = finding_of(result)
    assert finding.outcome == "redirected"
    assert (finding.target, finding.permanent) == ("http://u:***@there.example/", permanent)
    assert finding.status == (302 if hops[0] is FOR_NOW else 301)


def test_a_gateway_is_no_redirection() -> None:
    assert finding_of(Result("x", Arrived(LED), None)) == OK
    assert finding_of(Result("x", Arrived(), None)) == Finding("ok")
    assert finding_of(Result("x", None, LATER)).outcome == "deferred"


@each_row(
    ("text", "found"),
    [
        ("403", range(403, 404)), ("200-299", range(200, 300)), ("1-999", range(1, 1000)), ("", None), ("0", None),
        ("299-200", None), ("1000", None), ("4xx", None), ("200-", None), ("-200", None), ("200-299-300", None),
    ],
)  # fmt: skip
def test_statuses_and_ranges_of_them(text: str, found: range | None) -> None:
    assert statuses(text) == found
