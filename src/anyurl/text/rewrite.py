"""URLs written back into the text that they were found in, through the escapes of its formats.

Rule: the written text reads as the intended URL, or it is not written: each format decodes its own output, and a whole
text is searched again. Everything else stays as it is, octet for octet; a URL replaced by itself changes nothing.
Optional escapes are written as in the original: ``\\/`` in JSON, ``&`` in HTML.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from anyurl.text.entities import unescape
from anyurl.text.fold import HYPHEN
from anyurl.text.kinds import WITHOUT_URL
from anyurl.url import URL

Undo: TypeAlias = Callable[[str], str]
Write: TypeAlias = Callable[[str, str], str]
"""Writes a text as it was done in another one of the same format."""

_SOFT = re.compile(r"=[ \t]*\r?\n")
_OCTET = re.compile(r"=([0-9A-Fa-f]{2})")
_JSON = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))")
_BACKSLASH = re.compile(r"\\(.)", re.DOTALL)
_SEAM = re.compile(r'"[ \t]*\r?\n[ \t]*(?:#[~|][ \t]*)?"')
_MARKUP = re.compile(r"<[^>]*>\s*(?=<)|<[^>]*>")
_LOOK = re.compile(r"\x1b\[[0-9;:]*m")
_ROOM = re.compile(r"\\[&:%/,|^)!]")
"""Escapes of roff that write nothing: where a line may break, and where a mark begins no request."""
_CODED = re.compile(r"\\u00([2-7][0-9A-Fa-f])")
_ENTITY = re.compile(r"&(?=#|[A-Za-z][A-Za-z0-9]*;)")
_IN_MARKDOWN = frozenset("\\`*_{}[]()<>#+-.!|~&")
_WIDTH = 72
"""Letters of a line of quoted-printable, which has at most 76 (RFC 2045 6.7)."""


def _unquoted(form: str) -> str:
    return _OCTET.sub(lambda match: chr(int(match[1], 16)), _SOFT.sub("", form))


def _quoted(text: str, form: str) -> str:
    """Quoted-printable; long ones are folded if the other one was."""
    text = text.replace("=", "=3D")
    fold = _SOFT.search(form)
    if fold is None:
        return text
    lines = re.findall(rf"(?:=[0-9A-F]{{2}}|[^=]){{1,{_WIDTH - 2}}}", text)
    return fold[0].join(lines)


def _of_json(form: str) -> str:
    return _JSON.sub(lambda match: chr(int(match[1], 16)) if match[1] else match[2], form)


def _json(text: str, form: str) -> str:
    """A string of JSON: a slash, and optional escapes, as in the original."""
    coded = {chr(int(match[1], 16)): match[0] for match in _JSON.finditer(form) if match[1]}
    made = text.replace("\\", "\\\\").replace('"', '\\"')
    made = "".join(coded.get(char, char) for char in made)
    return made.replace("/", "\\/") if "\\/" in form else made


def _references(text: str, form: str) -> str:
    """HTML and XML: an ampersand is a reference, unless the other text has a bare one."""
    is_bare = "&" in form and unescape(form) == form
    made = _ENTITY.sub("&amp;", text) if is_bare else text.replace("&", "&amp;")
    return made.replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;").replace("'", "&#39;")


def _of_backslash(form: str) -> str:
    return _BACKSLASH.sub(r"\1", form)


def _backslash(text: str, form: str) -> str:
    """Formats that escape by a backslash: the same characters as in the original."""
    escaped = {match[1] for match in _BACKSLASH.finditer(form)}
    return "".join(f"\\{char}" if char in escaped else char for char in text)


def _of_markdown(form: str) -> str:
    return unescape(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", form))


def _markdown(text: str, form: str) -> str:
    """Markdown: unbalanced brackets are escaped."""
    escaped = {match[1] for match in _BACKSLASH.finditer(form)} & _IN_MARKDOWN
    depth = 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if depth < 0:
            break
    escaped |= {"(", ")"} if depth else set()
    text = _references(text, form) if "&amp;" in form else _ENTITY.sub("&amp;", text)
    return "".join(f"\\{char}" if char in escaped else char for char in text)


def _rst(text: str, form: str) -> str:
    made = _backslash(text, form)
    return f"{made[:-1]}\\_" if made.endswith("_") and not made.endswith("\\_") else made


def _of_text(form: str) -> str:
    form = _CODED.sub(lambda match: chr(int(match[1], 16)), form)
    return form.replace("\\/", "/").replace("\\:", ":", 1)


def _text(text: str, form: str) -> str:
    """Running text, which may contain JSON and Java's properties."""
    if "\\/" in form:
        text = text.replace("/", "\\/")
    return text.replace(":", "\\:", 1) if "\\:" in form else text


def _office(text: str, form: str) -> str:
    """The parts of office documents: elements within the replaced text stay, and are empty."""
    return _references(text, _MARKUP.sub("", form)) + "".join(_MARKUP.findall(form))


def _log(text: str, form: str) -> str:
    return text + "".join(_LOOK.findall(form))


def _same(text: str, _form: str) -> str:
    return text


_WRITTEN: dict[str, tuple[Undo, Write]] = {
    "csv": (lambda form: form.replace('""', '"'), lambda text, _: text.replace('"', '""')),
    "har": (_of_json, _json),
    "html": (unescape, _references),
    "ical": (_of_backslash, _backslash),
    "json": (_of_json, _json),
    "jsonl": (_of_json, _json),
    "latex": (_of_backslash, _backslash),
    "log": (lambda form: _LOOK.sub("", form), _log),
    "man": (lambda form: _of_backslash(_ROOM.sub("", form)), lambda text, form: _backslash(text, _ROOM.sub("", form))),
    "markdown": (_of_markdown, _markdown),
    "notebook": (_of_json, _json),
    "office": (lambda form: unescape(_MARKUP.sub("", form)), _office),
    "po": (lambda form: _of_json(_SEAM.sub("", form)), _same),
    "properties": (_of_backslash, _backslash),
    "quoted-printable": (_unquoted, _quoted),
    "rst": (_of_backslash, _rst),
    "text": (_of_text, _text),
    "xml": (unescape, _references),
}
"""How text is read and written in each format."""


def rewritten(raw: str, told: str, new: URL | str, kind: str, context: str, format: str) -> str:
    """The text that replaces a found URL by another one; see `Found.replace`.

    Args:
        raw: The text found.
        told: The URL that it is.
        new: The other one.
        kind: Its kind.
        context: Its context.
        format: The formats around it, outermost first.
    """
    if not isinstance(new, str | URL):
        raise TypeError(f"a URL is replaced by a str or a URL, not {type(new).__name__}")
    text = str(URL(new) if isinstance(new, str) else new)
    if kind not in WITHOUT_URL and text == told:
        return raw
    names = format.split("/")
    if (
        "base64" in names
        or (names[0] == "har" and _of_json(raw)[:4].lower() != told[:4].lower())
        or (context == "mail-header" and "=?" in raw)
    ):
        raise ValueError("a URL in base64, or in an encoded word of a header, is not replaced")
    if f"{HYPHEN.decode()}\n" in raw and context not in ("angle", "URL:", "markdown", "restructuredtext"):
        raise ValueError("a URL that a hyphen breaks at a line end is not replaced, for it may end there")
    if context in ("html-attribute", "html-text", "css") and names[-1] not in ("html", "xml", "office"):
        names.append("html")
    if context == "angle" and names[-1] == "markdown":  # CommonMark 6.5: a backslash stands for itself
        names[-1] = ""
    if kind == "email":
        text = text.removeprefix("mailto:")
    ways = [_WRITTEN.get(name, (str, _same)) for name in names]
    made = text
    for (_, write), form in zip(reversed(ways), reversed(_read(raw, ways)[:-1]), strict=True):
        made = write(made, form)
    if _read(made, ways)[-1] != text:
        raise ValueError(f"{text} can't be written in {format}")
    return made


def _read(form: str, ways: Sequence[tuple[Undo, Write]]) -> list[str]:
    """A text as each format reads it, the outermost first: unchanged, ..., fully decoded."""
    forms = [form]
    for undo, _ in ways:
        forms.append(undo(forms[-1]))
    return forms
