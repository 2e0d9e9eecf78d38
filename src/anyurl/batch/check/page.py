"""Page: the report of a check as one self-contained HTML file: a chart of the counts, and a list of the problems.

Rule: the page loads nothing by itself and runs no script; texts of servers and documents appear only as escaped text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from anyurl.batch.check.junit import quoted
from anyurl.batch.check.outcome import FAULTS, OUTCOMES, Outcome
from anyurl.batch.check.state import CheckState
from anyurl.batch.check.told import Told, told
from anyurl.url import URL

COLOURS = {
    "ok": "#2e7d4f", "redirected": "#2f6fb3", "broken": "#c0392b", "timed-out": "#d9822b", "refused": "#7d5ba6",
    "deferred": "#b59f1c", "not-checkable": "#7a8288",
}  # fmt: skip
"""The colour of each outcome; all are visible on white and on black (WCAG 1.4.11: 3 to 1)."""

SHOWN: tuple[Outcome, ...] = ("broken", "timed-out", "redirected", "refused", "deferred", "not-checkable")
"""The outcomes that are listed, in this order; URLs that are ok are only counted."""

TITLES: dict[str, str] = {
    "broken": "Broken", "timed-out": "Timed out", "redirected": "Redirected", "refused": "Refused by the policy",
    "deferred": "Deferred", "not-checkable": "Not checkable",
}  # fmt: skip

MAX_PLACES = 10
"""Places shown of one URL: a link in a footer is on every page."""

MAX_HOSTS = 10
"""In the chart of hosts."""

FOLLOWED = frozenset(("http", "https", "ftp", "file"))
"""Schemes of links that can be clicked; the effect of others is unknown, and ``javascript:`` runs."""

WIDTH = 720
"""Units of the charts."""

_STYLE = """
:root { color-scheme: light dark; --line: #8884; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
svg { width: 100%; height: auto; display: block; } svg text { fill: currentColor; font: 13px system-ui, sans-serif; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .35rem .6rem;
border-bottom: 1px solid var(--line); } td { overflow-wrap: anywhere; } th { font-weight: 600; }
td:first-child { width: 6rem; } td:last-child { width: 45%; } tbody th { padding-top: 1rem; }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; list-style: none; padding: 0; }
.legend i { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin-right: .4em; }
.few { opacity: .75; }
@media (max-width: 40rem) { .wide { overflow-x: auto; } .wide svg { width: 38rem; }
th, td { padding: .35rem .25rem; } td:first-child { width: 3.6rem; } td:last-child { width: auto; } }
"""


def page(state: CheckState, *, title: str, when: str, known: Collection[str] = ()) -> Iterator[str]:
    """The report of a check, in pieces.

    Args:
        title: The subject of the check.
        when: The time of it.
        known: URLs that are known to be broken: their faults are marked.
    """
    counts = state.counts()
    total = sum(counts.values())
    yield '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="generator" content="anyurl check">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    yield f"<title>Links: {quoted(title)}</title><style>{_STYLE}</style></head><body>\n"
    yield f"<h1>Links of {quoted(title)}</h1>\n<p>{total:,} different URLs, checked by anyurl on {quoted(when)}.</p>\n"
    yield from _bar(counts, total)
    yield from _hosts(state)
    for outcome in SHOWN:
        yield from _table(state, outcome, known)
    if not any(counts[outcome] for outcome in SHOWN) and not state.count_lacking():
        yield "<p>All is well.</p>\n"
    yield "</body></html>\n"


def _bar(counts: dict[str, int], total: int) -> Iterator[str]:
    said = ", ".join(f"{counts[name]:,} {name}" for name in OUTCOMES if counts[name])
    yield f'<svg viewBox="0 0 {WIDTH} 34" role="img" aria-label="{quoted(said)}">\n'
    place = 0.0
    for name in OUTCOMES:
        if counts[name]:
            width = counts[name] / total * WIDTH
            # Every outcome that occurs is visible, even one in a million.
            yield f'<rect x="{place:.2f}" y="4" width="{max(width, 2):.2f}" height="26" fill="{COLOURS[name]}">'
            yield f"<title>{name}: {counts[name]:,}</title></rect>\n"
            place += width
    yield '</svg>\n<ul class="legend">'
    for name in OUTCOMES:
        if counts[name]:
            share = f"{counts[name] / total:.1%}"
            yield f'<li><i style="background:{COLOURS[name]}"></i>{name.replace("-", " ")} {counts[name]:,} '
            yield f'<span class="few">{share}</span></li>'
    yield "</ul>\n"


def _hosts(state: CheckState) -> Iterator[str]:
    """The hosts with the most faults."""
    found: Counter[str] = Counter()
    for _, url, _ in state.results(FAULTS):
        found[url.host or url.scheme] += 1
        if len(found) > 100 * MAX_HOSTS:  # bounds memory: hosts with few faults are dropped
            found = Counter(dict(found.most_common(50 * MAX_HOSTS)))
    if len(found) < 2:
        return
    most = found.most_common(MAX_HOSTS)
    height = 26 * len(most)
    yield '<h2>Where it is broken</h2>\n<div class="wide">'
    said = ", ".join(f"{host} {count:,}" for host, count in most)
    yield f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{quoted(said)}">\n'
    for row, (host, count) in enumerate(most):
        width = count / most[0][1] * (WIDTH - 330)
        name = host if len(host) <= 36 else f"{host[:35]}..."
        yield f'<text x="262" y="{row * 26 + 17}" text-anchor="end">{quoted(name)}</text>'
        yield f'<rect x="270" y="{row * 26 + 3}" width="{max(width, 2):.1f}" height="19" fill="{COLOURS["broken"]}"/>'
        yield f'<text x="{276 + width:.1f}" y="{row * 26 + 17}">{count:,}</text>\n'
    yield "</svg></div>\n"


def _table(state: CheckState, outcome: Outcome, known: Collection[str]) -> Iterator[str]:
    """The places with one outcome, by file."""
    file, left, is_empty = None, 0, True
    for each in told(state, (outcome,)):
        if each.outcome != outcome:
            continue  # a missing fragment, which is broken
        if is_empty:
            yield f"<h2>{TITLES[outcome]}</h2>\n<table><thead><tr><th>Where</th><th>Link</th><th>Why</th></tr></thead>"
            yield "<tbody>\n"
            is_empty = False
        if each.rank > MAX_PLACES:
            left += 1
            continue
        place = each.place
        if place.file != file:
            file = place.file
            yield f'<tr><th colspan="3">{quoted(file or "the command line")}</th></tr>\n'
        where = f"{place.line}:{place.column}" if place.line else ""
        is_known = each.is_fault and each.is_known(known)
        row, mark = (' class="few"', "Known: ") if is_known else ("", "")
        yield f"<tr{row}><td>{where}</td><td>{_link(each)}</td><td>{mark}{quoted(each.reason)}</td></tr>\n"
    if not is_empty:
        yield "</tbody></table>\n"
    if left:
        yield f"<p>... and {left:,} more places of the same links.</p>\n"


def _link(each: Told) -> str:
    """A link as it is written; one that can be clicked if a browser follows its scheme, and nothing runs."""
    url, shown = each.link.masked, quoted(each.written)
    if each.link.scheme not in FOLLOWED or not isinstance(each.link, URL):
        return shown
    part = "" if each.place.fragment is None else f"#{each.place.fragment}"
    return f'<a rel="noreferrer" href="{quoted(url + part)}">{shown}</a>'
