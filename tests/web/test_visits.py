"""What one sitting has seen."""

from __future__ import annotations

from anyurl.web.viewer import Wire
from anyurl.web.visits import MAX_VISITS, MAX_WIRES, Visits


def test_the_newest_is_first_and_the_oldest_is_forgotten() -> None:
    visits = Visits()
    for number in range(MAX_VISITS + 2):
        visits.add(f"t{number}", f"/{number}", f"u{number}")
    visits.add("again", "/again", "u5")
    latest = visits.latest()
    assert (len(latest), latest[0].title, latest[1].title, latest[-1].title) == (
        MAX_VISITS, "again", f"t{MAX_VISITS + 1}", "t2",
    )  # fmt: skip


def test_what_was_said_is_kept_for_the_last_pages() -> None:
    visits = Visits()
    wires = [Wire() for _ in range(MAX_WIRES + 1)]
    names = [visits.keep(wire) for wire in wires]
    assert visits.wire(names[0]) is None
    assert [visits.wire(name) for name in names[1:]] == wires[1:]
    assert visits.wire("guessed") is None
