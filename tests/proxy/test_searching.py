"""Searches through the gateway: the form of an index and ISINDEX, as lynx and curl send them."""

from __future__ import annotations

import html
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from anyurl import URL
from anyurl.proxy.gateway import FIELD, asked, form_of
from anyurl.world import World
from tests.proxy.running import running
from tests.rows import each_row

ASKED = [
    ("gopher://h/7idx%09?two+words", "gopher://h/7idx", "two words"),
    (f"gopher://h/7idx%09?{FIELD}=a%2Bb%26c%C3%A9", "gopher://h/7idx", "a+b&cé"),
    ("gopher://h/7cgi?x=1%09?a", "gopher://h/7cgi?x=1", "a"),
    ("prospero://h/ARCHIE;?x.tar", "prospero://h/ARCHIE", "x.tar"),
    (f"wais://h/db?{FIELD}=red+blue", "wais://h/db", "red blue"),
    (f"dict://h/d:?{FIELD}=word", "dict://h/d:", "word"),
]
NOT_ASKED = [
    "gopher://h/7idx", "gopher://h/7idx?x", "gopher://h/7idx%09words", "gopher://h/7idx%09%09+?", "wais://h/db?two+words",
    "prospero://h/a?b", "prospero://h/a;b=c?d", "ftp://h/a",
]  # fmt: skip


@pytest.mark.parametrize(("text", "index", "words"), ASKED)
def test_what_a_form_and_isindex_ask(text: str, index: str, words: str) -> None:
    assert asked(URL(text)) == (URL(index), words)


@each_row("text", NOT_ASKED)
def test_what_rfc_1738_lets_somebody_write_is_no_search_of_a_form(text: str) -> None:
    assert asked(URL(text)) == (URL(text), None)


@pytest.mark.parametrize("text", ["gopher://h/7a%22%3E?x&y", "wais://h/db", "prospero://h/ARCHIE", "dict://h/d:"])
def test_a_form_leads_to_its_own_index(text: str) -> None:
    shown = form_of(URL(text))
    actions = [html.unescape(action) for action in re.findall(r'action="([^"]*)"', shown)]
    assert actions
    assert ("<isindex " in shown) is not text.startswith("dict")
    for action in actions:
        assert asked(URL(f"{action}?{FIELD}=a+b")) == (URL(text), "a b")
    assert form_of(URL("ftp://h/a")) == ""


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World() as world:
        yield world


def lynx(url: str, port: int, keys: Sequence[str], folder: Path) -> None:
    """Somebody at lynx who types these keys, and then leaves."""
    script = folder / "keys"
    script.write_text("".join(f"key {key}\n" for key in (*keys, "q", "y")), encoding="utf-8")
    place = {f"{scheme}_proxy": f"http://127.0.0.1:{port}/" for scheme in ("gopher", "wais")}
    place |= {"TERM": "xterm", "LC_ALL": "C.UTF-8", "HOME": str(folder)}
    subprocess.run(
        ["lynx", "-nopause", f"-cmd_script={script}", url], env=place, capture_output=True, timeout=60, check=True
    )


@pytest.mark.clause("4-8")
@pytest.mark.needs("lynx")
def test_lynx_searches_wais_by_the_form(world: World, tmp_path: Path) -> None:
    with running() as proxy:
        url = str(world.roots["wais"])
        lynx(url, proxy.port, [*"the", "Down Arrow", "^J"], tmp_path)
        assert [line["url"] for line in proxy.wait(2)][:2] == [url, f"{url}?{FIELD}=the"]
        status, _, body = proxy.get(f"{url}?{FIELD}=the", minor=0)
    assert status == 200
    assert b"<tr>" in body


@pytest.mark.needs("lynx")
def test_lynx_searches_an_index_of_gopher_by_isindex(world: World, tmp_path: Path) -> None:
    with running() as proxy:
        url = f"gopher://{world.roots['gopher'].authority}/77/search"
        lynx(url, proxy.port, [*"the", "^J"], tmp_path)
        assert [line["url"] for line in proxy.wait(2)][:2] == [url, f"{url}%09?the"]
        status, _, body = proxy.get(f"{url}%09?the", minor=0)
    assert (status, body.count(b"<tr>")) == (200, len(list_of(world, "the")))
    assert body.count(b"<tr>") > 1


def list_of(world: World, words: str) -> list[str]:
    import anyurl

    with anyurl.Client(anyurl.Policy.open()) as client:
        url = f"gopher://{world.roots['gopher'].authority}/77/search"
        return [entry.name for entry in client.search(url, words).entries()]


@pytest.mark.needs("curl")
def test_curl_searches_archie_as_the_form_says(world: World) -> None:
    """Today's curl knows no prospero: it asks its proxy for it."""
    archie = f"prospero://{world.roots['prospero'].authority}/ARCHIE"
    with running() as proxy:
        page = proxy.get(archie, minor=0)[2].decode()
        (action,) = set(re.findall(r'<form action="([^"]*)"', page))
        done = subprocess.run(
            ["curl", "-sS", "-m", "20", "-x", f"http://127.0.0.1:{proxy.port}", "--request-target",
             f"{html.unescape(action)}?{FIELD}=README", "http://unused.invalid/"],
            capture_output=True, timeout=60, check=True,
        )  # fmt: skip
    assert b"<tr>" in done.stdout
    assert b'href="' in done.stdout
