from __future__ import annotations

from typing import Any

import pytest

from anyurl.client.dry_run import dry_run
from anyurl.dialogue import (
    Ask,
    Channel,
    Command,
    Connect,
    Describe,
    Emit,
    Keys,
    Note,
    Options,
    Ready,
    Send,
    Terminal,
)
from anyurl.errors import ConnectionLost, RefusedError, Truncated, URLSyntaxError
from anyurl.schemes.telnet.verbs import TelnetParts, check, fake_server, get, stat
from anyurl.testing import DryRun, rehearse
from anyurl.url import URL


@pytest.mark.parametrize("url", ["telnet://h", "telnet://h/", "telnet://u:p@h:2323/"])
def test_a_telnet_url_ends_with_its_host(url: str) -> None:
    assert URL(url).parts == TelnetParts()
    assert URL(url).parts.url_path() == ""
    check(URL(url))


@pytest.mark.parametrize("url", ["telnet://h/x", "telnet://h//", "telnet://h/?x"])
def test_nothing_follows_the_host(url: str) -> None:
    with pytest.raises(URLSyntaxError, match="a telnet URL ends with its host: nothing but one '/' may follow"):
        URL(url).parts  # noqa: B018


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("telnet://u%0D%0Arm@h", "The user of telnet://u%0D%0Arm@h holds CR (%0D)"),
        ("telnet://u:p%0Aq@h", "The password of telnet://u:***@h holds LF (%0A)"),
        ("telnet://h/%00", "The url path of telnet://h/%00 holds NUL (%00)"),
    ],
)
def test_line_ends_would_be_typed_and_are_refused(url: str, message: str) -> None:
    with pytest.raises(RefusedError) as caught:
        check(URL(url))
    assert str(caught.value).startswith(message)


def events(*answers: Any, url: str = "telnet://h:2323/", options: Options | None = None) -> list[str]:
    """What the dialogue asks for, in words, when it is answered so."""
    script = rehearse(get(URL(url), options or Options()), answers)
    return [told(ask) for ask in script.asks]


def told(ask: Ask[Any]) -> str:
    if isinstance(ask, Connect):
        return f"connect {ask.host} {ask.port} {ask.session}"
    if isinstance(ask, Send):
        return f"send {ask.data!r}"
    if isinstance(ask, Emit):
        return f"emit {ask.content!r}"
    return type(ask).__name__.lower()


CHANNEL = Channel(("192.0.2.1", 2323))


def test_nothing_is_connected_to_before_the_content_is_wanted() -> None:
    assert events() == ["describe"]
    assert events(None) == ["describe", "connect h 2323 None"]


def test_both_sides_are_passed_on_until_the_service_ends() -> None:
    assert events(
        None, CHANNEL,
        Ready(b"\xff\xfb\x01\xff\xfd\x27login: "), None, None,
        Ready(None, [b"joe\n", Keys(b"x")]), None, None,
        Ready(None, [Command("break"), Terminal("vt100", 132, 24)]), None,
        Ready(b""),
    ) == [
        "describe", "connect h 2323 None",
        "wait", "emit b'login: '", "send " + repr(b"\xff\xfd\x01\xff\xfc'"),
        "wait", r"send b'joe\r\n'", "send b'x'",
        "wait", r"send b'\xff\xf3'",
        "wait",
    ]  # fmt: skip


def test_what_is_typed_is_shown_while_the_service_does_not_echo() -> None:
    assert events(None, CHANNEL, Ready(None, [Keys(b"ls\r")]), None, None, Ready(b"")) == [
        "describe", "connect h 2323 None", "wait", r"emit b'ls\r\n'", r"send b'ls\r\n'", "wait",
    ]  # fmt: skip


def test_a_client_begins_only_at_the_port_of_telnet() -> None:
    begun = r"send b'\xff\xfd\x03\xff\xfb\x18\xff\xfb\x1f'"
    assert events(None, CHANNEL, None, Ready(b""), url="telnet://h/")[2:] == [begun, "wait"]
    assert events(None, CHANNEL, None, Ready(b""), url="telnet://h:23/")[2:] == [begun, "wait"]


def test_the_terminal_is_the_callers() -> None:
    options = Options(terminal=Terminal("xterm", 100, 30))
    asked = b"\xff\xfd\x18\xff\xfa\x18\x01\xff\xf0\xff\xfd\x1f"
    assert events(None, CHANNEL, Ready(asked), None, Ready(b""), options=options)[3] == (
        r"send b'\xff\xfb\x18\xff\xfa\x18\x00XTERM\xff\xf0\xff\xfb\x1f\xff\xfa\x1f\x00d\x00\x1e\xff\xf0'"
    )


def test_a_connection_that_breaks_is_lost_and_not_cut_short() -> None:
    with pytest.raises(ConnectionLost, match="The session is over"):
        events(None, CHANNEL, Truncated("The connection broke after 5 octets.", received=5))


@pytest.mark.promise("terminals")
@pytest.mark.clause("3.8-4", "3.8-5")
@pytest.mark.parametrize("verb", [get, stat])
def test_the_login_is_advice_and_never_sent(verb: Any) -> None:
    """RFC 1738 3.8: clients merely advise the user of the suggested username and password."""
    url = URL("telnet://joe:pw-in-url@h/")
    script = rehearse(verb(url, Options()), [None] * 3)
    notes = [ask.text for ask in script.asks if isinstance(ask, Note)]
    assert notes == [
        "the URL advises the user 'joe'; it is yours to type",
        "the URL also advises a password, which is not shown; `anyurl parse --reveal URL` shows it",
    ]
    (described,) = [ask for ask in script.asks if isinstance(ask, Describe)]
    assert (described.kind, described.attributes) == (
        "service", {"protocol": "telnet", "user_advised": "joe", "password_advised": True},
    )  # fmt: skip
    assert "pw-in-url" not in "\n".join(dry_run(url, verb.__name__))
    assert b"joe" not in b"".join(DryRun(get(url, Options()), fake_server(url, Options())).run().sent.values())


def test_a_user_can_not_reach_the_terminal() -> None:
    script = rehearse(stat(URL("telnet://%1B%5B31m@h/"), Options()), [None])
    assert script.asks[0].text.startswith(r"the URL advises the user '\\x1b[31m'")  # type: ignore[attr-defined]


def test_an_ideal_service_greets_and_ends() -> None:
    url = URL("telnet://h/")
    done = DryRun(get(url, Options()), fake_server(url, Options())).run()
    assert done.emitted == [b"An ideal service.\r\n"]
