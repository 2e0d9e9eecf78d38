"""What a mailto URL is without a server: a draft, and a description; no network is asked."""

from __future__ import annotations

import email
import email.policy
from typing import Any

import pytest

from anyurl.dialogue import Describe, Emit, Note, Options
from anyurl.errors import RefusedError, URLSyntaxError
from anyurl.schemes.mailto import verbs
from anyurl.schemes.mailto.delivery import append
from anyurl.schemes.mailto.verbs import SCHEMES, fake_server, get, stat
from anyurl.schemes.mailto.wire.server import MailServer
from anyurl.url import URL
from tests.schemes.steps import Played


def draft(text: str, **options: Any) -> tuple[Played, Any]:
    played = Played(get(URL(text), Options(**options)))
    return played, email.message_from_bytes(played.content, policy=email.policy.default)


@pytest.mark.parametrize(
    ("text", "to", "subject", "body"),
    [
        ("mailto:chris@example.com", "chris@example.com", None, []),
        # The examples of RFC 6068 6.1 and 2.
        ("mailto:infobot@example.com?subject=current-issue", "infobot@example.com", "current-issue", []),
        ("mailto:infobot@example.com?body=send%20current-issue", "infobot@example.com", None, ["send current-issue"]),
        ("mailto:?to=joe@example.com", "joe@example.com", None, []),
        ("mailto:gorby%25kremvax@example.com", "gorby%kremvax@example.com", None, []),
        ("mailto:a@example.com?body=one%0D%0Atwo", "a@example.com", None, ["one", "two"]),
    ],
)
def test_a_draft(text: str, to: str, subject: str | None, body: list[str]) -> None:
    played, message = draft(text)
    assert played.error is None
    assert (message["To"], message["Subject"], message.get_content().split("\r\n")[:-1]) == (to, subject, body)
    [described] = played.of(Describe)
    assert (described.kind, described.type, described.size) == ("mailbox", "message/rfc822", len(played.content))
    assert played.links == []


def test_a_draft_names_its_sender() -> None:
    assert draft("mailto:a@example.com", mail_from="me@example.org")[1]["From"] == "me@example.org"


def test_an_international_draft() -> None:
    """RFC 6532 3.7."""
    played, _ = draft("mailto:%C3%BC@example.com")
    assert played.of(Describe)[0].type == "message/global"


def test_what_is_left_out_is_remarked_first() -> None:
    text = "mailto:a@example.com?bcc=b@example.com&x-evil=1"
    for verb in (get, stat):
        played = Played(verb(URL(text), Options()))
        kinds = [type(ask) for ask in played.asks]
        assert kinds.index(Describe) == kinds.count(Note) >= 1
        assert "x-evil" in " ".join(played.notes).lower()


def test_a_description_has_no_content() -> None:
    played = Played(stat(URL("mailto:a@example.com?subject=hello"), Options()))
    [described] = played.of(Describe)
    assert (described.kind, described.type, described.size) == ("mailbox", None, None)
    assert described.attributes == draft("mailto:a@example.com?subject=hello")[0].of(Describe)[0].attributes
    assert described.attributes["subject"] == "hello"
    assert played.of(Emit) == []


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("mailto:a@example.com?subject=x%0D%0ABcc:%20b@example.com", RefusedError),
        ("mailto:nobody", URLSyntaxError),
    ],
)
def test_what_is_no_message(text: str, error: type[Exception]) -> None:
    for verb in (get, stat):
        with pytest.raises(error):
            raise Played(verb(URL(text), Options())).error or AssertionError(text)


def test_the_scheme() -> None:
    [scheme] = SCHEMES
    assert (scheme.name, scheme.verbs) == ("mailto", {"get": get, "stat": stat, "append": append})
    assert (scheme.read, scheme.check) == (verbs.read, verbs.check)
    assert scheme.fake_server is fake_server
    assert isinstance(fake_server(URL("mailto:a@example.com"), Options()), MailServer)
