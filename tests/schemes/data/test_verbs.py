from __future__ import annotations

import pytest

from anyurl import Client, Policy
from anyurl.client.dry_run import dry_run
from anyurl.dialogue import Describe, Emit, Options
from anyurl.errors import LimitError, RefusedError, UnsupportedError, URLSyntaxError
from anyurl.schemes.data.verbs import get, stat
from anyurl.testing import rehearse
from anyurl.url import URL
from anyurl.values import Provenance, Scope
from tests.rows import each_row


def test_a_document_comes_and_nothing_is_asked_for() -> None:
    told, content = rehearse(get(URL("data:text/plain;charset=UTF-8;a=b,hi%FF"), Options()), [None, None]).asks
    assert isinstance(told, Describe)
    assert (told.kind, told.type, told.size, told.name) == ("document", "text/plain", 3, "data.txt")
    assert told.attributes == {"charset": "utf-8", "parameters": {"a": "b"}}
    assert isinstance(content, Emit)
    assert content.content == b"hi\xff"


def test_its_attributes_are_known_without_it() -> None:
    (told,) = rehearse(stat(URL("data:image/png;base64,iVBORw0KGgo="), Options()), [None]).asks
    assert isinstance(told, Describe)
    assert (told.type, told.size, told.name, told.attributes) == ("image/png", 8, "data.png", {})


def test_a_dry_run_says_that_nothing_happens() -> None:
    assert list(dry_run(URL("data:,x"), "get")) == []


def test_a_client_reads_it() -> None:
    with Client() as client:
        with client.get("data:text/plain;charset=iso-8859-7,%be") as resource:
            assert (resource.text(), resource.charset, resource.size) == ("Ύ", "iso-8859-7", 1)
        assert client.stat("data:,hello").size == 5
        with client.get("data:;base64,aGk") as resource:
            assert (resource.read(), resource.name) == (b"hi", "data.txt")


def test_the_limit_holds_for_what_needs_no_network() -> None:
    with Client(max_bytes=4) as client, pytest.raises(LimitError, match="More than 4 octets were received"):
        client.get("data:,hello").read()


def test_there_is_nothing_to_list_and_nowhere_to_put() -> None:
    with Client() as client:
        with pytest.raises(UnsupportedError, match="data has no 'list'; it has get, stat"):
            client.list("data:,x")
        with pytest.raises(UnsupportedError, match="data has no 'put'"):
            client.put("data:,x", b"y")


def test_a_fault_is_told_of_the_whole_url() -> None:
    with Client() as client, pytest.raises(URLSyntaxError) as caught:
        client.get("data:text/plain;base64,a*b#c")
    assert caught.value.text == "data:text/plain;base64,a*b"
    assert caught.value.diagnostics[0].span == (23, 26)


@each_row("who", ["redirect", "reply"])
@each_row("scheme", ["ftp", "gopher", "http", "prospero", "nntp", "data"])
def test_no_server_leads_on_to_a_document_of_its_own_making(who: str, scheme: str) -> None:
    origin = Provenance(who, scope=Scope.PUBLIC, scheme=scheme, host="h.example")  # type: ignore[arg-type]
    for policy in (Policy.default(), Policy.open(), Policy.untrusted().replace(allow_schemes=None)):
        verdict = policy.check("data:text/html,%3Cscript%3E", origin)
        assert (verdict.allowed, verdict.code) == (False, "data-hop")
    with Client() as client, pytest.raises(RefusedError, match="may not lead to data:,x: its document could be"):
        client.get("data:,x", came_from=origin)


def test_strangers_have_to_be_let_in() -> None:
    assert Policy.untrusted().check("data:,x").code == "scheme-not-allowed"
    assert Policy(allow_schemes=["https"]).check("data:,x").code == "scheme-not-allowed"
    assert Policy(deny_schemes=["data"]).check("data:,x").code == "scheme-denied"


def test_what_stands_in_it_was_named_by_a_stranger() -> None:
    """A page that is its own address leads neither to files nor to private addresses, as the person may."""
    with Client() as client, client.get("data:text/html,x") as page:
        for url in ("file:///etc/passwd", "http://127.0.0.1:9/", "http://169.254.169.254/"):
            with pytest.raises(RefusedError):
                client.get(url, came_from=page)
