"""What a peer wrote gets into a message as a `PeerText` only: no f-string of a scheme interpolates it any other way."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyurl.errors import RemoteProtocolError, ReplyError, sample
from anyurl.values import SAMPLE_LIMIT, PeerText, without_quotations
from tests.architecture.source import SRC as HOME
from tests.architecture.source import modules, nodes_of
from tests.rows import each_row

PLACES = [*sorted((HOME / "schemes").rglob("*.py")), *sorted((HOME / "net" / "http").glob("*.py"))]

UNQUOTED = {"escape", "decoded", "text_of", "trimmed", "decode", "masked_text"}
"""Functions that make a text of a peer's octets, or of a part of a URL of the user's."""

OWN = {
    "file/verbs.py": {"segment", "path"},
    "mailto/delivery.py": {"type"},
    "mailto/draft.py": {"name"},
    "mailto/wire/address.py": {
        "rest[:1]", "bad",
        ("text if len(text) <= MAX_SHOWN_CHARACTERS else text[:MAX_SHOWN_CHARACTERS] + '...'"),
    },
    "mailto/wire/message.py": {"'ascii'"},
    "dict/verbs.py": {"database"},
    "prospero/verbs.py": {"'latin-1'"},
    "dict/session.py": {"self._user"},
    "news/session.py": {"user or secret.user"},
    "news/wire/server.py": {"", "'utf-8'"},
    "telnet/verbs.py": {"url.user"},
    "kit/scheme.py": {"text_of(name)", "error.text"},
    "wais/search.py": {"document.fragment"},
    "wais/verbs.py": {"view", "wtype"},
}  # fmt: skip
"""By file what need not be quoted: a part of the URL, what the caller has given, a word of a closed list, Base64, what
a server of ours replies."""


def interpolations(path: Path) -> Iterator[tuple[str, str, int]]:
    """The calls within f-strings: the function, its first argument, the line."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FormattedValue) and isinstance(node.value, ast.Call):
            call = node.value
            name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
            yield name, ast.unparse(call.args[0]) if call.args else "", node.lineno


@pytest.mark.promise("words")
@each_row("path", PLACES, ids=lambda path: path.relative_to(HOME).as_posix())
def test_no_text_of_a_scheme_has_a_peers_words_unquoted(path: Path) -> None:
    own = OWN.get(path.relative_to(HOME / "schemes").as_posix(), set()) if "schemes" in path.parts else set()
    found = [(name, what, line) for name, what, line in interpolations(path) if name in UNQUOTED and what not in own]
    assert not found, f"{path}: {found}; PeerText quotes what a peer wrote"


MARKS = {"'", '"', "`", "“", "”"}


def quotations_in_quotes(tree: ast.Module) -> list[str]:
    """The interpolated quotations beside which the text has quotation marks of its own."""
    names = {
        target.id
        for node in nodes_of(tree)
        if isinstance(node, ast.Assign) and is_quotation(node.value, set())
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return [
        ast.unparse(value)
        for node in nodes_of(tree)
        if isinstance(node, ast.JoinedStr)
        for before, value, after in zip([None, *node.values], node.values, [*node.values[1:], None], strict=False)
        if isinstance(value, ast.FormattedValue) and is_quotation(value.value, names)
        if text_of(before)[-1:] in MARKS or text_of(after)[:1] in MARKS
    ]


def is_quotation(node: ast.expr, names: set[str]) -> bool:
    """Whether an expression makes a `PeerText`, or is a name that was given one."""
    if isinstance(node, ast.Name):
        return node.id in names
    return isinstance(node, ast.Call) and ast.unparse(node.func) in {"PeerText", "sample"}


def text_of(node: ast.expr | None) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else ""


@pytest.mark.promise("words")
def test_no_quotation_stands_in_other_quotation_marks() -> None:
    assert [f"{module.path}: {found}" for module in modules() for found in quotations_in_quotes(module.tree)] == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("""f"the field '{PeerText(x)}' has none\"""", 1), ("""s = sample(x)\nf"the field '{s}' has none\"""", 1),
        ("""f'the host "{sample(x)}" here\'""", 1), ("""f'the host “{sample(x)}” here\'""", 1),
        ("""f"the field {sample(x)} has none\"""", 0), ("""f"the field '{name}' has {sample(x)}\"""", 0),
    ],
)  # fmt: skip
def test_which_quotations_are_found_in_others(source: str, found: int) -> None:
    assert len(quotations_in_quotes(ast.parse(source))) == found


def test_the_table_of_what_is_our_own_has_no_spare_row() -> None:
    for file, texts in OWN.items():
        there = {what for name, what, _ in interpolations(HOME / "schemes" / file) if name in UNQUOTED}
        assert texts <= there, f"{file}: {texts - there}"


@pytest.mark.promise("words")
@pytest.mark.parametrize(
    "way", [str, format, "{}".format, "%s".__mod__, lambda text: f"{text}", lambda text: f"{text!s}"]
)
def test_whatever_makes_a_text_of_it_quotes_it(way: object) -> None:
    told = way(PeerText(b"a\x1b \xe2\x80\x9cb\xe2\x80\x9d " + b"x" * SAMPLE_LIMIT))  # type: ignore[operator]
    assert told == "“a\\x1b \\u201cb\\u201d " + "x" * (SAMPLE_LIMIT - 11) + "...”"
    assert without_quotations(f"h says {told}", []) == "h says [1]"


@pytest.mark.promise("words")
def test_it_is_no_text_by_itself() -> None:
    said = PeerText("x")
    assert not isinstance(said, str)
    with pytest.raises(TypeError):
        "a" + said  # type: ignore[operator]
    with pytest.raises(TypeError):
        "".join([said])  # type: ignore[list-item]
    assert (said, hash(said), bool(PeerText("")), repr(said)) == ("x", hash("x"), False, "PeerText('x')")
    assert (RemoteProtocolError("x", sample=sample(b"a\xe2")).sample, ReplyError("x", text=said).text) == (
        "a\\xe2",
        "x",
    )
