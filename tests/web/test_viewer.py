"""The client of the pages tells each page its own wire, and keeps passwords to itself."""

from __future__ import annotations

import asyncio

import pytest

from anyurl.url import URL
from anyurl.web.viewer import MAX_LINES, MAX_SECRETS, Viewer, Wire, following
from anyurl.world import World


def test_each_page_has_its_own_wire(world: World) -> None:
    async def look(viewer: Viewer, text: str) -> list[str]:
        wire = Wire()
        with following(wire):
            resource = await viewer.open(text)
        async with resource:
            await resource.read()
        return wire.lines

    async def main() -> list[list[str]]:
        viewer = Viewer()
        async with viewer:
            root = world.roots["gopher"]
            both = await asyncio.gather(look(viewer, f"{root}00/motd.txt"), look(viewer, f"{root}00/pub/notes.txt"))
            async with await viewer.open(f"{root}00/motd.txt") as resource:
                await resource.read()
            return list(both)

    for lines, name in zip(asyncio.run(main()), ("motd.txt", "pub/notes.txt"), strict=True):
        assert [line for line in lines if line.startswith("> ")] == [f"> 0/{name}"]


def test_a_wire_has_an_end() -> None:
    wire = Wire()
    for number in range(MAX_LINES + 3):
        wire.add(str(number))
    assert (len(wire.lines), wire.more) == (MAX_LINES, 3)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [(("h", "joe"), "s3cret"), (("h", "ann"), None), (("other", "joe"), None), (("h", ""), None)],
)
def test_a_password_is_for_its_host_and_user(asked: tuple[str, str], expected: str | None) -> None:
    viewer = Viewer()
    viewer.keep_secret(URL("ftp://joe:s3cret@H/x"))
    viewer.keep_secret(URL("ftp://joe@other/x"))
    found = viewer.known_secret(*asked, "password")
    assert (None if found is None else found.reveal()) == expected


def test_the_oldest_passwords_are_forgotten() -> None:
    viewer = Viewer()
    for number in range(MAX_SECRETS + 1):
        viewer.keep_secret(URL(f"ftp://joe:s3cret@h{number}/"))
    assert viewer.known_secret("h0", "joe", "password") is None
    assert viewer.known_secret(f"h{MAX_SECRETS}", "joe", "password") is not None
