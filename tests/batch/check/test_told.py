"""Told: what is a fault at a place, what is known of it, and in which order places come."""

from __future__ import annotations

from anyurl.batch.check import CheckState, Finding, Mention
from anyurl.batch.check.outcome import OK
from anyurl.batch.check.told import Told, told
from anyurl.url import URL
from anyurl.values import USER

PAGE = URL("http://h/p")


def test_a_missing_fragment_is_a_fault_of_a_good_page() -> None:
    place = Mention("a.md", 1, 1, "x", "p#x")
    there, missing = Told(1, PAGE, OK, place), Told(1, PAGE, OK, place, is_missing=True)
    assert (there.is_fault, there.outcome, there.reason, there.written) == (False, "ok", "", "p#x")
    assert (missing.is_fault, missing.outcome) == (True, "broken")
    assert "#x" in missing.reason
    assert Told(1, PAGE, OK, Mention("")).written == "http://h/p"
    assert [missing.is_known(known) for known in ((), ("http://h/p",), ("http://h/p#x",), ("http://h/p#y",))] == [
        False, True, True, False,
    ]  # fmt: skip


def test_places_come_by_file_and_line_and_each_fault_is_counted_by_itself() -> None:
    state = CheckState(None, "w", resume=False, now=1.0)
    numbers = {name: state.add(URL(f"http://h/{name}"), USER, 2) for name in ("page", "gone", "good")}
    for file, line in (("b.md", 2), ("a.md", 9), ("a.md", 10), ("b.md", 1)):
        for name, number in numbers.items():
            state.place(number, Mention(file, line, len(name), "x" if line > 1 else "y"))
    state.record([(numbers["page"], 2, OK), (numbers["good"], 2, OK)], 2.0)
    state.record([(numbers["gone"], 2, Finding("broken", message="No."))], 2.0)
    state.miss(numbers["page"], ["x"])
    rows = list(told(state))
    assert [(row.place.file, row.place.line) for row in rows] == [
        ("a.md", 9), ("a.md", 9), ("a.md", 10), ("a.md", 10), ("b.md", 1), ("b.md", 2), ("b.md", 2),
    ]  # fmt: skip
    assert [(row.rank, row.count) for row in rows if row.is_missing] == [(1, 3), (2, 3), (3, 3)]
    assert [(row.rank, row.count) for row in rows if not row.is_missing] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert sum(each.is_fault for each in told(state)) == 7
    assert all(each.is_known({"http://h/gone", "http://h/page#x"}) for each in told(state) if each.is_fault)
    state.close()
