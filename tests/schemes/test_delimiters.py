"""What ends a line or a field of a protocol, in a component of a URL: refused before anything is opened."""

from __future__ import annotations

import pytest

from anyurl import URL, Client, Policy
from anyurl.dialogue import Options
from anyurl.errors import AuthRequiredError, RefusedError, URLSyntaxError
from anyurl.schemes import registry
from tests.rows import each_row
from tests.servers import Connection, Server, reply

pytestmark = pytest.mark.promise("delimiters")

LINES = b"\r\n\0"
"""What ends a line, and what cuts a text short in C."""

DELIMITERS = {
    **dict.fromkeys(("ftp", "ftps", "gopher", "gophers", "mailto", "news", "snews", "nntp", "nntps", "telnet"), LINES),
    "dict": bytes((*range(32), 127)),
    "prospero": b"\0",
    "file": b"\0/",
}
"""By scheme. Prospero quotes the other octets, and those of wais have their length before them."""

ESCAPED = ("http", "https", "gemini", "data")
"""What stands in their URLs is sent as it is written there, or not at all."""

PLACES = (
    "{scheme}://u{octet}v@h/a", "{scheme}://u:p{octet}q@h/a", "{scheme}://h/a{octet}b", "{scheme}://h/1a{octet}b/c",
    "{scheme}://h/a;type={octet}", "{scheme}:///a{octet}b", "{scheme}:a{octet}b", "{scheme}:a@b.c?subject={octet}",
)  # fmt: skip


def test_the_table_has_every_scheme() -> None:
    assert {*DELIMITERS, *ESCAPED, "wais"} == set(registry.spoken())


@each_row("scheme", DELIMITERS)
def test_no_verb_begins_with_a_url_that_holds_one(scheme: str) -> None:
    for octet in DELIMITERS[scheme]:
        refused = 0
        for place in PLACES:
            text = place.format(scheme=scheme, octet=f"%{octet:02X}")
            try:
                url = URL(text)
            except URLSyntaxError:  # the scheme has no such component
                continue
            for verb in registry.find_scheme(scheme).verbs:
                with pytest.raises((RefusedError, URLSyntaxError)):
                    registry.verb(url, verb)(url, Options())
                refused += 1
        assert refused, (scheme, octet)


def test_the_web_gets_what_is_written_and_a_login_with_a_line_in_it_nowhere() -> None:
    def part(connection: Connection) -> None:
        while connection.head():
            connection.send(reply(b"", 'WWW-Authenticate: Basic realm="x"', status="401 Unauthorized"))

    with Server(part) as server, Client(Policy.open()) as client:
        for login in ("u%0D%0AX:y", "u:p%0D%0AX:y", "%00:p", "u:%0A"):
            with pytest.raises(RefusedError):
                client.get(f"http://{login}@{server.authority}/")
        assert not server.received
        with pytest.raises(AuthRequiredError):
            client.get(f"http://{server.authority}/a%0D%0AX:%20y%00?b%0Ac")
    (head,) = b"".join(server.received).split(b"\r\n\r\n")[:-1]
    assert head.startswith(b"GET /a%0D%0AX:%20y%00?b%0Ac HTTP/1.1\r\n")
    assert b"\r\nX" not in head
    assert b"\0" not in head
