"""The report for a person: HTML that says what was found, and in which nothing of others is anything but text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from anyurl.batch.check import CheckState, Finding, Mention
from anyurl.batch.check.outcome import OUTCOMES
from anyurl.batch.check.page import COLOURS, MAX_HOSTS, MAX_PLACES, TITLES, WIDTH, page
from anyurl.url import URL
from anyurl.values import Provenance
from tests.batch.check.test_junit import filled

TAGS = {
    "html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "svg", "rect", "text", "ul", "li", "i", "span",
    "table", "thead", "tr", "th", "tbody", "td", "a",
}  # fmt: skip
"""All that it is made of."""


class Reader(HTMLParser):
    """The tags, and the text of each cell."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)
        if tag == "td":
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.cells and self.tags[-1] in ("td", "a"):
            self.cells[-1] += data


def read(state: CheckState, title: str = "docs") -> tuple[Reader, str]:
    text = "".join(page(state, title=title, when="2026-11-22"))
    reader = Reader()
    reader.feed(text)
    reader.close()
    return reader, text


def test_what_it_says() -> None:
    state = filled()
    reader, text = read(state, "<script>docs")
    assert "Links of &lt;script&gt;docs</h1>" in text
    assert 'aria-label="2 ok, 1 redirected, 2 broken, 1 timed-out, 1 deferred"' in text
    assert re.findall(r"<h2>(.*?)</h2>", text) == ["Broken", "Timed out", "Redirected", "Deferred"]
    cells = [cell.strip() for cell in reader.cells]
    rows = [cells[at : at + 3] for at in range(0, len(cells), 3)]
    page_row = ["3:7", "http://h.example/page?a&b", "The page has nothing that is called #part."]
    assert page_row in rows
    assert [row[1] for row in rows[:5]] == [
        "http://h.example/gone?a&b", "http://h.example/known?a&b", "http://h.example/gone?a&b",
        "http://h.example/known?a&b", "http://h.example/page?a&b",
    ]  # fmt: skip
    assert rows[0][2].startswith("<![CDATA[ ]]> & ")
    files = re.findall(r'<th colspan="3">(.*?)</th>', text)
    assert files[:3] == ["gone&lt;\\xff&gt;.md", "known&lt;\\xff&gt;.md", "other.md"]
    assert set(reader.tags) <= TAGS
    state.close()


def test_nothing_is_loaded_and_nothing_runs_that_is_clicked() -> None:
    state = filled()
    number = state.add(URL("javascript:alert(1)"), Provenance("document"), 0)
    state.record([(number, 0, Finding("not-checkable", message="No."))], 1001.0)
    _, text = read(state)
    assert not re.search(r"\b(?:src|url|import|on\w+)\s*[=(]", text)
    links = re.findall(r'href="(.*?)"', text)
    assert "http://h.example/page?a&amp;b#part" in links
    assert all(link.startswith("http://h.example/") for link in links)
    assert "default-src 'none'" in text
    state.close()


def test_where_most_of_the_faults_are() -> None:
    state = CheckState(None, "w", resume=False, now=1000.0)
    for host, count in (("a.example", 1), ("b.example", 3), ("x" * 60 + ".example", 2)):
        for path in range(count):
            number = state.add(URL(f"http://{host}/{path}"), Provenance("document"), 0)
            state.record([(number, 0, Finding("broken", message="No."))], 1001.0)
    _, text = read(state)
    assert re.findall(r'<li><i [^>]*></i>([^<]*)<span class="few">([^<]*)<', text) == [("broken 6 ", "100.0%")]
    assert re.findall(r'text-anchor="end">([^<]*)<', text) == ["b.example", "x" * 35 + "...", "a.example"]
    drawing = text[text.index("<h2>Where it is broken</h2>") : text.index("<h2>Broken</h2>")]
    assert drawing == (
        "<h2>Where it is broken</h2>\n"
        f'<div class="wide"><svg viewBox="0 0 {WIDTH} 78" role="img" '
        f'aria-label="b.example 3, {"x" * 60}.example 2, a.example 1">\n'
        + "".join(
            f'<text x="262" y="{17 + 26 * row}" text-anchor="end">{name}</text>'
            f'<rect x="270" y="{3 + 26 * row}" width="{width:.1f}" height="19" fill="{COLOURS["broken"]}"/>'
            f'<text x="{276 + width:.1f}" y="{17 + 26 * row}">{count}</text>\n'
            for row, (name, count) in enumerate([("b.example", 3), ("x" * 35 + "...", 2), ("a.example", 1)])
            for width in ((WIDTH - 330) * count / 3,)
        )
        + "</svg></div>\n"
    )
    state.close()


def test_the_bar_has_a_part_for_each_outcome_and_its_legend() -> None:
    state = filled()
    _, text = read(state)
    counts = {"ok": 2, "redirected": 1, "broken": 2, "timed-out": 1, "deferred": 1}
    bar = re.findall(r'<rect x="([\d.]+)" y="4" width="([\d.]+)" height="26" fill="([^"]+)"><title>(.*?)</title>', text)
    assert [(float(width), fill, title) for _, width, fill, title in bar] == [
        (round(WIDTH * count / 7, 2), COLOURS[name], f"{name}: {count}") for name, count in counts.items()
    ]
    assert [float(place) for place, *_ in bar] == [
        round(sum([*counts.values()][:row]) / 7 * WIDTH, 2) for row in range(len(counts))
    ]
    assert re.findall(r'<li><i style="background:([^"]+)"></i>([^<]*)<span class="few">([^<]*)</span></li>', text) == [
        (COLOURS[name], f"{name.replace('-', ' ')} {count} ", f"{count / 7:.1%}") for name, count in counts.items()
    ]
    state.close()


def test_many_places_are_cut_and_counted() -> None:
    state = CheckState(None, "w", resume=False, now=1000.0)
    number = state.add(URL("http://h/"), Provenance("document"), 0)
    for line in range(1, 50):
        state.place(number, Mention("a.md", line, 1))
    state.record([(number, 0, Finding("broken", message="No."))], 1001.0)
    reader, text = read(state)
    assert len(reader.cells) == 3 * MAX_PLACES
    assert f"<p>... and {49 - MAX_PLACES} more places of the same links.</p>" in text
    state.close()


def test_all_is_well_and_nothing_at_all() -> None:
    state = CheckState(None, "w", resume=False, now=1000.0)
    _, text = read(state)
    assert "<p>All is well.</p>" in text
    assert "0 different URLs" in text
    state.close()


def test_each_outcome_has_its_colour_and_title() -> None:
    assert set(COLOURS) == set(OUTCOMES)
    assert set(TITLES) == set(OUTCOMES) - {"ok"}


def test_the_hosts_with_the_most_faults_are_counted_among_many() -> None:
    """Only where there are a hundred times as many as are shown are those with few faults forgotten."""
    state = CheckState(None, "w", resume=False, now=1000.0)
    few = [f"h{number}.example" for number in range(60 * MAX_HOSTS)]
    for place, host in enumerate([*few, "worst.example", *few, "worst.example", "worst.example"]):
        number = state.add(URL(f"http://{host}/{place}"), Provenance("document"), 0)
        state.record([(number, 0, Finding("broken", message="It is gone."))], 1001.0)
    assert "worst.example 3" in "".join(page(state, title="docs", when="2026-11-22"))
