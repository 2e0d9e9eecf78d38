"""The drawings: columns under the right characters, no password, nothing that a terminal or a browser obeys."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from anyurl.grammar import draw_svg, draw_text, explain
from tests.grammar.strings import texts

SVG = "{http://www.w3.org/2000/svg}"

DRAWN = {
    "ftp://me:secret@host.dom/%2Fetc/motd;type=a": """\
ftp://me:***@host.dom/%2Fetc/motd;type=a
─┬─   ┬─ ─┬─ ───┬──── ─────┬─────      ┬
 │    │   │     │          │           └ typecode
 │    │   │     │          └ path
 │    │   │     └ host
 │    │   └ password
 │    └ user
 └ scheme""",
    "http://u:p@h/\x1b[2J": """\
http://u:***@h/\\x1b[2J
─┬──   ──┬── ┬ ───┬───
 │       │   │    └ path
 │       │   └ host
 │       └ userinfo
 └ scheme""",
    "https://例え.example/東": """\
https://例え.example/東
──┬──   ─────┬───────┬─
  │          │       └ path
  │          └ host
  └ scheme""",
    "": "",
}


@pytest.mark.parametrize("text", DRAWN)
def test_the_lines(text: str) -> None:
    assert "\n".join(draw_text(explain(text))) == DRAWN[text]


def test_a_password_is_shown_when_it_is_asked_for() -> None:
    assert draw_text(explain("ftp://me:secret@h/"), reveal=True)[0] == "ftp://me:secret@h/"
    assert "secret" in "".join(
        ElementTree.fromstring(draw_svg(explain("ftp://me:secret@h/"), reveal=True)).itertext()
    ).replace("\n", "")
    assert "secret" not in "".join(ElementTree.fromstring(draw_svg(explain("ftp://me:secret@h/"))).itertext()).replace(
        "\n", ""
    )


def test_the_picture_is_one_document_with_every_piece() -> None:
    explanation = explain('ftp://host.dom/a<b&"c;type=i')
    root = ElementTree.fromstring(draw_svg(explanation))
    assert root.tag == f"{SVG}svg"
    labels = [node.text for node in root.iter(f"{SVG}text") if node.text is not None and len(node.text) > 1]
    assert labels == ["scheme", "host", "path", "typecode"]
    written = "".join(node.text or "" for node in root.iter(f"{SVG}text") if len(node.text or "") == 1)
    assert written == 'ftp://host.dom/a<b&"c;type=i'
    assert "href" not in draw_svg(explanation)


def test_a_picture_is_as_wide_as_what_it_shows() -> None:
    root = ElementTree.fromstring(draw_svg(explain("http://h/" + "a" * 90)))
    assert int(root.attrib["width"]) == 40 + 10 * 99
    longest = max(float(node.attrib["x"]) for node in root.iter(f"{SVG}text"))
    assert longest < int(root.attrib["width"])


def test_a_picture_has_colours_for_white_and_for_black() -> None:
    root = ElementTree.fromstring(draw_svg(explain("http://me@h:8080/a?b#c")))
    style = next(root.iter(f"{SVG}style")).text or ""
    on_white, on_black = style.split("@media (prefers-color-scheme: dark)")
    used = {node.attrib["class"] for node in root.iter() if "class" in node.attrib}
    assert {"card", "mark", "scheme", "user", "host", "port", "path", "query", "fragment"} == used
    for name in used:
        assert re.search(rf"\.{name} {{ fill: #\w{{6}} }}", on_white)
        assert re.search(rf"\.{name} {{ fill: #\w{{6}} }}", on_black)


def test_whatever_is_generated_is_drawn() -> None:
    for text in texts(11, 300):
        explanation = explain(text)
        lines = draw_text(explanation)
        assert all(line.isprintable() for line in lines)
        assert len(lines) == (len(explanation.pieces) + 2 if explanation.pieces else 1)
        ElementTree.fromstring(draw_svg(explanation))


def test_a_long_text_is_cut() -> None:
    assert len(draw_text(explain("http://h/" + "a" * 60_000))[0]) <= 2000
