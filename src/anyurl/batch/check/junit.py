"""JUnit: the results of a check as XML for build servers.

Rule: each place of a fault is a test case in the class of its file; each other URL is one, at its first place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from anyurl.batch.check.outcome import GOOD, OUTCOMES
from anyurl.batch.check.state import CheckState
from anyurl.batch.check.told import Told, told
from anyurl.errors import escape


def junit(state: CheckState, known: Collection[str] = (), fail_on: Collection[str] = ()) -> Iterator[str]:
    """The report of a check, in pieces.

    Args:
        known: URLs that are known to be broken: they are skipped.
        fail_on: Outcomes that count as faults, too.
    """
    kinds = Counter(_kind(each, known, fail_on) for each in _cases(state, fail_on))
    counts = f'tests="{kinds.total()}" failures="{kinds["failure"]}" skipped="{kinds["skipped"]}"'
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<testsuites name="anyurl check" {counts}>\n<testsuite name="URLs" {counts}>\n'
    for each in _cases(state, fail_on):
        place, kind = each.place, _kind(each, known, fail_on)
        name = f"{each.written} (line {place.line})" if each.fails(fail_on) and place.line else each.link.masked
        yield f'<testcase classname="{quoted(place.file or "command line")}" name="{quoted(name)}"'
        yield f' file="{quoted(place.file)}" line="{place.line}"' if place.file else ""
        if not kind:
            yield "/>\n"
            continue
        reason = each.reason or each.outcome
        if kind == "skipped":
            message = f"known to be broken: {reason}" if each.fails(fail_on) else reason
            yield f'><skipped message="{quoted(message)}"/></testcase>\n'
        else:
            text = f"{place.where}: {each.outcome}: {each.link.masked}: {reason}"
            yield f'><failure type="{each.outcome}" message="{quoted(reason)}">{quoted(text)}</failure></testcase>\n'
    yield "</testsuite>\n</testsuites>\n"


def _cases(state: CheckState, fail_on: Collection[str]) -> Iterator[Told]:
    """Each place of a fault, and the first place of each other URL."""
    return (each for each in told(state, OUTCOMES) if each.fails(fail_on) or each.rank == 1)


def _kind(case: Told, known: Collection[str], fail_on: Collection[str]) -> str:
    """The category of a place for a build server: ``failure``, ``skipped``, or empty if all is well."""
    if case.fails(fail_on):
        return "skipped" if case.is_known(known) else "failure"
    return "" if case.outcome in GOOD else "skipped"


def quoted(text: str) -> str:
    """A text escaped for XML and HTML, without control characters, which XML can't represent (XML 1.0 2.2)."""
    return escape(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
