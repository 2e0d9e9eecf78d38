"""An installation without what anyurl depends on does what it can, and says in a sentence what it can't."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from anyurl import MissingExtraError
from anyurl.cli import exits
from anyurl.cli.terminal import palette
from anyurl.grammar import GRAMMARS, explain
from tests.cli.runner import run
from tests.cli.test_screens import screen


@pytest.fixture
def without_rich(forget: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "rich"]:
        monkeypatch.delitem(sys.modules, name)
    forget("anyurl.cli.terminal.tables")
    monkeypatch.setitem(sys.modules, "rich", None)
    monkeypatch.setattr(palette, "has_rich", lambda: False)


@pytest.mark.usefixtures("without_rich")
def test_a_terminal_gets_its_tables_and_its_contents_without_rich(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("folder")
    (folder / "one").write_text("octets")
    assert screen(80, "schemes")[0].split() == ["scheme", "reference", "summary"]
    listed = screen(80, "ls", f"file://{folder}/")
    assert listed[0].split() == ["#", "kind", "size", "modified", "(UTC)", "name"]
    assert [line.split()[-1] for line in listed[1:2]] == ["one"]
    assert screen(80, "get", f"file://{folder}/one") == ["octets"]


def test_what_no_browser_is_there_to_read_is_left_out_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ada_url", None)
    found = explain("http://h/")
    assert [reading.grammar for reading in found.readings] == [name for name in GRAMMARS if name != "browser"]
    told = run("explain", "http://h/")
    assert told.exit_code == exits.OK
    assert told.stderr == "anyurl: The reading of browsers is not shown: that needs the extra `browser`.\n"
    assert "current, rfc1738, rfc1738-draft07: http://h/" in told.stdout


def test_the_help_needs_click_and_says_so(forget: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    forget("anyurl.cli.app")
    runner = run  # click's own runner has loaded it already: what the command imports is hidden from it
    monkeypatch.setitem(sys.modules, "click", None)
    told = runner("--help")
    assert told.exit_code == exits.CANNOT
    assert told.stderr == "anyurl: This needs click: in a clone of anyurl, pip install '.[cli]'.\n"


def test_http_needs_pycurl_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from anyurl.net.http import libcurl

    monkeypatch.setitem(sys.modules, "pycurl", None)
    monkeypatch.setattr("importlib.machinery.PathFinder.find_spec", lambda *_: None)
    with pytest.raises(MissingExtraError) as caught:
        libcurl._load()
    assert caught.value.extra == "http"
    assert str(caught.value) == (
        "http and https URLs need the extra `http`: in a clone of anyurl, pip install '.[http]'."
    )
