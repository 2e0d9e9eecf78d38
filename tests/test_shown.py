"""How values are shown: at a prompt, in a log, in a notebook. Nothing shows where it lies in memory, nor a secret."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module

import pytest

from anyurl import URL, Client, Policy, explain, find
from anyurl.dialogue import Channel, Entry, FakeServer, Options, Request, Response, Send
from anyurl.world import World
from tests.architecture.test_public_types import REFERENCE
from tests.rows import each_row

OTHERS = {FakeServer: "a protocol: its objects are those of a scheme's author"}
HOSTILE = '"><script>alert(1)</script>\u202e\x1b[2J'


def classes() -> Iterator[tuple[str, type]]:
    for module in REFERENCE.PUBLIC:
        for name in REFERENCE.public_names(import_module(module)):
            value = getattr(import_module(module), name)
            if isinstance(value, type):
                yield f"{module}.{name}", value


def test_no_object_shows_where_it_lies_in_memory() -> None:
    """Whatever is made of a public class has a ``repr`` of its own: ``<Client object at 0x7f...>`` says nothing."""
    bare = {name: value for name, value in classes() if value.__repr__ is object.__repr__}
    assert {value for value in bare.values() if value not in OTHERS} == set()
    assert set(OTHERS) <= set(bare.values())


def test_what_is_no_value_shows_what_tells_it_from_others() -> None:
    with Client(Policy.untrusted()) as client:
        assert repr(client) == "<Client policy='untrusted'>"
    assert repr(Client.__new__(Client)) == "<Client>"  # not made yet, in a traceback
    channel = Channel(("192.0.2.1", 21))
    assert repr(Send(channel, b"QUIT\r\n")) == r"Send(channel=<Channel peer=('192.0.2.1', 21)>, data=<6 octets>)"
    assert repr(Request("GET", URL("http://h/"), "/")).startswith("Request(method='GET', url=URL('http://h/'), ")
    assert repr(Response(200, "2", (), channel)) == "<Response 200 2>"
    assert repr(Options(words="x", answers=("joe", "pw-1"))) == "Options(words='x', answers=<2>)"
    with World(["gopher"]) as world:
        assert repr(world) == f"<World roots={world.roots!r}>"


def hostile() -> Iterator[object]:
    """Values with texts that somebody else wrote."""
    entry = Entry(HOSTILE, URL("http://u:secret@h/%22%3E"), title=HOSTILE, kind="document")
    yield from (entry, Entry(HOSTILE, None, size=1000))
    yield from (URL("http://u:secret@h/?'&<a>".replace("<a>", "")), URL("javascript:alert(1)"))
    yield from find(f"see http://u:secret@h/x {HOSTILE} and <a href='javascript:alert(1)'>", format="html")
    yield from find('<a href="http://u:secret@h/{x}">', templates=True, format="html")
    yield from find("see http://u:secret@h:99999/", malformed=True)
    yield Policy.untrusted().check(HOSTILE)
    yield explain(f"http://u:secret@h/{HOSTILE}")


@each_row("value", list(hostile()), ids=lambda value: type(value).__name__)
def test_a_notebook_gets_no_markup_no_script_and_no_secret(value: object) -> None:
    html: str = value._repr_html_()  # type: ignore[attr-defined]
    assert "<script" not in html
    assert "secret" not in html
    assert "\u202e" not in html
    assert "\x1b" not in html
    tags = set(re.findall(r"<(/?\w+)", html))
    assert tags <= {one + tag for one in ("", "/") for tag in ("a", "code", "small", "table", "tr", "th", "td")}
    assert re.findall(r'href="(?!https?://)', html) == []


def test_a_notebook_shows_what_a_value_is() -> None:
    link = '<a href="http://h/a?b&amp;c" rel="noopener noreferrer" target="_blank"><code>http://h/a?b&amp;c</code></a>'
    assert URL("http://h/a?b&c")._repr_html_() == link
    assert URL("gopher://h/")._repr_html_() == "<code>gopher://h/</code>"  # no browser follows it
    (found,) = find("see http://h/a")
    assert found._repr_html_().endswith(" <small>line 1, column 5, bare</small>")
    assert (
        "<tr><th>refused</th><td><code>10.0.0.1</code></td></tr>"
        in Policy.untrusted().check("http://10.0.0.1/")._repr_html_()
    )
    assert "<tr><th>browser</th><td><code>h</code></td></tr>" in explain("http://h/a")._repr_html_()


def test_a_listing_is_a_table_of_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    with World(["ftp"]) as world, Client() as client:
        listing = client.list(world.roots["ftp"])
        assert "<tr><th>kind</th><td><code>listing</code></td></tr>" in listing._repr_html_()
        frame = pandas.DataFrame(entry.as_dict() for entry in listing.entries())
    assert list(frame.columns) == ["name", "url", "kind", "size", "modified", "title", "type", "score"]
    assert list(frame["name"]) == ["index.html", "motd.txt", "pub"]


def test_the_row_of_an_entry_has_no_password() -> None:
    assert Entry("a", URL("ftp://u:secret@h/a")).as_dict()["url"] == "ftp://u:***@h/a"
