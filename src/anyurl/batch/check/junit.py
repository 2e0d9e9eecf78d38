"""JUnit: the results of a check as XML for build servers.

Rule: each URL is a test case with its first place; a fault names all places.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from anyurl.batch.check.outcome import FAULTS, GOOD, OUTCOMES
from anyurl.batch.check.state import CheckState
from anyurl.errors import escape


def junit(state: CheckState, known: Collection[str] = ()) -> Iterator[str]:
    """The report of a check, in pieces.

    Args:
        known: URLs that are known to be broken: they are skipped.
    """
    total = sum(state.counts().values())
    lacking = {number for number, url in state.lacking() if str(url) not in known}
    faults = len(lacking | {number for number, url, _ in state.results(FAULTS) if str(url) not in known})
    skipped = sum(1 for _ in state.results(set(OUTCOMES) - FAULTS - GOOD)) + _count_known(state, known)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<testsuites name="anyurl check" tests="{total}" failures="{faults}" skipped="{skipped}">\n'
    yield f'<testsuite name="URLs" tests="{total}" failures="{faults}" skipped="{skipped}">\n'
    for number, url, finding in state.results():
        missing = state.missing(number)
        places = state.places(number)
        first = places[0] if places else None
        named = [each for each in places if each.file and (not missing or each.fragment in missing)]
        where = ", ".join(f"{each.file}:{each.line}:{each.column}" for each in named)
        yield f'<testcase classname="{quoted(finding.outcome)}" name="{quoted(url.masked)}"'
        yield f' file="{quoted(first.file)}" line="{first.line}"' if first is not None and first.file else ""
        if str(url) in known and (missing or finding.outcome in FAULTS):
            yield f'><skipped message="{quoted(f"known to be broken: {finding.message}")}"/></testcase>\n'
        elif missing:
            text = f"The page has nothing that is called #{', #'.join(sorted(missing))}."
            yield f'><failure type="broken" message="{quoted(text)}">{quoted(where)}</failure></testcase>\n'
        elif finding.outcome in FAULTS:
            yield f'><failure type="{finding.outcome}" message="{quoted(finding.message)}">{quoted(where)}</failure>'
            yield "</testcase>\n"
        elif finding.outcome in GOOD:
            yield "/>\n"
        else:
            yield f'><skipped message="{quoted(f"{finding.outcome}: {finding.message}")}"/></testcase>\n'
    yield "</testsuite>\n</testsuites>\n"


def _count_known(state: CheckState, known: Collection[str]) -> int:
    broken = {number for number, url, _ in state.results(FAULTS) if str(url) in known}
    return len(broken | {number for number, url in state.lacking() if str(url) in known})


def quoted(text: str) -> str:
    """A text escaped for XML and HTML, without control characters, which XML can't represent (XML 1.0 2.2)."""
    return escape(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
