"""An archivist's journey, as docs/tutorial-archive.md tells it: three places in one package, interrupted twice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from anyurl import Client, Policy
from anyurl.cli.commands.mirror import Tally
from anyurl.errors import AnyURLError
from anyurl.saving.mirrored import Mirrored
from anyurl.url import URL
from anyurl.world import World
from anyurl.world.tree import tree
from tests.cli.runner import run

pytest.importorskip("warcio", reason="warcio is not installed")

from anyurl.world.replay import Replay

PLACES = ("ftp", "gopher", "http")

LINK = re.compile(rb'<a href="([^"]+)"')


def followed(address: str) -> dict[str, bytes]:
    """Every document that links lead a browser to from the start page, by its address."""
    found: dict[str, bytes] = {}
    start = URL(address)
    waiting = [start]
    with Client(Policy.open()) as client:
        while waiting:
            url = waiting.pop()
            if str(url) in found:
                continue
            try:
                with client.get(url) as resource:
                    found[str(url)] = resource.read()
                    is_page = resource.content_type == "text/html"
            except AnyURLError:  # a link to what nobody archived
                continue
            if is_page:
                links = (url.join(link.decode()) for link in LINK.findall(found[str(url)]))
                waiting += [link for link in links if link.origin == start.origin]
    return found


def test_three_places_interrupted_and_shown_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add = Tally.add

    def interrupted(tally: Tally, each: Mirrored) -> None:
        add(tally, each)
        if tally.event().get("saved", 0) >= 2:
            raise KeyboardInterrupt

    with World(PLACES) as world:
        roots = {scheme: str(world.roots[scheme]) for scheme in PLACES}
        for scheme, root in roots.items():
            line = ["mirror", root, str(tmp_path / scheme), "--wacz", str(tmp_path / "all.wacz")]
            for _ in range(2):
                with monkeypatch.context() as patch:
                    patch.setattr(Tally, "add", interrupted)
                    first = run(*line)
                assert first.exit_code == 130
                assert "the same command continues the mirror" in first.stderr.replace("\n", " ")
            assert run(*line).exit_code == 0
    for scheme in PLACES:
        copied = {path.read_bytes() for path in (tmp_path / scheme).rglob("*") if path.is_file()}
        assert set(tree().values()) <= copied
    with Replay(tmp_path / "all.wacz") as replay:
        shown = followed(str(replay.url))
    for scheme, root in roots.items():
        there = [octets for address, octets in shown.items() if address.startswith(f"{replay.url}{root}")]
        assert all(octets in there for octets in tree().values()), scheme
