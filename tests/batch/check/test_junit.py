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


def test_each_url_is_a_case() -> None:
    state = filled()
    suites = ElementTree.fromstring("".join(junit(state, {"http://h.example/known?a&b"})))
    (suite,) = suites
    for element in (suites, suite):
        assert {name: element.get(name) for name in ("tests", "failures", "skipped")} == {
            "tests": "7", "failures": "3", "skipped": "2",
        }  # fmt: skip
    cases = {case.get("name", "").removeprefix("http://h.example/").partition("?")[0]: case for case in suite}
    assert {name: [child.tag for child in case] for name, case in cases.items()} == {
        "ok": [], "moved": [], "gone": ["failure"], "slow": ["failure"], "later": ["skipped"], "page": ["failure"],
        "known": ["skipped"],
    }  # fmt: skip
    gone = cases["gone"]
    assert (gone.get("file"), gone.get("line"), gone.get("classname")) == ("gone<\\xff>.md", "3", "broken")
    assert gone[0].get("message") == '<![CDATA[ ]]> & "quoted" \\x1b[2J \\ufffe'
    assert gone[0].text == "gone<\\xff>.md:3:7, other.md:1:1"
    assert cases["page"][0].text == "page<\\xff>.md:3:7"  # the other place names no part
    state.close()


def test_a_page_that_lacks_what_is_known_to_be_lacking_is_skipped() -> None:
    state = filled()
    known = {"http://h.example/page?a&b", "http://h.example/ok?a&b"}
    (suite,) = ElementTree.fromstring("".join(junit(state, known)))
    cases = {case.get("name", "").removeprefix("http://h.example/").partition("?")[0]: case for case in suite}
    assert [child.tag for child in cases["page"]] == ["skipped"]
    assert [child.tag for child in cases["ok"]] == []
    state.close()


def test_nothing_to_report() -> None:
    state = CheckState(None, "w", resume=False, now=1000.0)
    assert ElementTree.fromstring("".join(junit(state))).get("tests") == "0"
    state.close()


def test_no_mark_of_xml_is_left() -> None:
    assert quoted("<a b=\"c\" d='e'>&\0") == "&lt;a b=&quot;c&quot; d='e'&gt;&amp;\\x00"
