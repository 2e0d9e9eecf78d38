"""JUnit: XML that a parser reads, whatever servers and documents wrote."""

from __future__ import annotations

from xml.etree import ElementTree

from anyurl.batch.check import CheckState, Finding, Mention
from anyurl.batch.check.junit import junit, quoted
from anyurl.batch.check.outcome import OK
from anyurl.url import URL
from anyurl.values import Provenance

NASTY = '<![CDATA[ ]]> & "quoted" \x1b[2J \ufffe'

FINDINGS = {
    "ok": OK,
    "moved": Finding("redirected", 301, None, "It has moved.", "http://there/", True),
    "gone": Finding("broken", 404, "NotFoundError", NASTY),
    "slow": Finding("timed-out", message="Too long."),
    "later": Finding("deferred", message="Not now."),
    "page": OK,
    "known": Finding("broken", message="No."),
}


def filled() -> CheckState:
    """A state with a URL of each kind."""
    state = CheckState(None, "w", resume=False, now=1000.0)
    for name, finding in FINDINGS.items():
        number = state.add(URL(f"http://h.example/{name}?a&b"), Provenance("document"), 0)
        state.place(number, Mention(f"{name}<\udcff>.md", 3, 7, "part"))
        state.place(number, Mention("other.md", 1, 1))
        state.record([(number, 0, finding)], 1001.0)
        if name == "page":
            state.miss(number, ["part"])
    return state


def test_each_place_of_a_fault_is_a_case_and_each_other_url() -> None:
    state = filled()
    suites = ElementTree.fromstring("".join(junit(state, {"http://h.example/known?a&b"})))
    (suite,) = suites
    for element in (suites, suite):
        assert {name: element.get(name) for name in ("tests", "failures", "skipped")} == {
            "tests": "11", "failures": "5", "skipped": "3",
        }  # fmt: skip
    assert [len(suite), len(suite.findall("*/failure")), len(suite.findall("*/skipped"))] == [11, 5, 3]
    cases: dict[str, list[ElementTree.Element]] = {}
    for case in suite:
        cases.setdefault(case.get("name", "").removeprefix("http://h.example/").partition("?")[0], []).append(case)
    assert {name: [child.tag for case in found for child in case] for name, found in cases.items()} == {
        "ok": [], "moved": [], "gone": ["failure"] * 2, "slow": ["failure"] * 2, "later": ["skipped"],
        "page": ["failure"], "known": ["skipped"] * 2,
    }  # fmt: skip
    gone, other = cases["gone"]
    assert (gone.get("file"), gone.get("line"), gone.get("classname")) == ("gone<\\xff>.md", "3", "gone<\\xff>.md")
    assert gone[0].get("message") == '<![CDATA[ ]]> & "quoted" \\x1b[2J \\ufffe'
    assert (gone[0].text or "").startswith("gone<\\xff>.md:3:7: broken: http://h.example/gone?a&b: ")
    assert other.get("file") == "other.md"
    assert [case.get("file") for case in cases["page"] if len(case)] == ["page<\\xff>.md"]  # the other names no part
    state.close()


def test_a_page_that_lacks_what_is_known_to_be_lacking_is_skipped() -> None:
    for known in ("http://h.example/page?a&b", "http://h.example/page?a&b#part"):
        state = filled()
        (suite,) = ElementTree.fromstring("".join(junit(state, {known, "http://h.example/ok?a&b"})))
        tags = [child.tag for case in suite if "/page" in case.get("name", "") for child in case]
        assert tags == ["skipped"]
        assert [child for case in suite if "/ok" in case.get("name", "") for child in case] == []
        state.close()


def test_nothing_to_report() -> None:
    state = CheckState(None, "w", resume=False, now=1000.0)
    assert ElementTree.fromstring("".join(junit(state))).get("tests") == "0"
    state.close()


def test_no_mark_of_xml_is_left() -> None:
    assert quoted("<a b=\"c\" d='e'>&\0") == "&lt;a b=&quot;c&quot; d='e'&gt;&amp;\\x00"
