"""Hosts that look like others: labels of several scripts, and labels whose every letter looks like one of ASCII.

Rule: a remark, never a refusal, for most such names are honest. The scripts and the look-alikes are those of Unicode
(UTS 39), as the package of the extra `lookalikes` has them; without it nothing is remarked.
"""

from __future__ import annotations

import unicodedata

_TOGETHER = (
    frozenset({"LATIN", "HAN", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "HAN", "BOPOMOFO"}),
    frozenset({"LATIN", "HAN", "HANGUL"}),
)
"""Scripts that one label may have side by side (UTS 39 5.2, highly restrictive)."""

_ANY = frozenset({"COMMON", "INHERITED"})


def find_lookalike(host: str) -> str | None:
    """Why a host may be taken for another one, as half a sentence; None when nothing says so.

    Args:
        host: In its ASCII form.
    """
    if "xn--" not in host.lower():  # an address, or all of it in ASCII: 0 and O are told apart by their case
        return None
    labels = host.lower().removesuffix(".").split(".")
    # Below a domain of another script a name of that script alone is what one expects
    is_foreign = not labels[-1].startswith("xn--")
    for label in labels:
        reason = _reason(_decoded(label), is_foreign) if label.startswith("xn--") else None
        if reason is not None:
            return reason
    return None


def _decoded(label: str) -> str:
    try:
        return label[4:].encode("ascii").decode("punycode")
    except UnicodeError:
        return ""


def _reason(label: str, is_foreign: bool) -> str | None:
    try:
        from confusable_homoglyphs import categories
    except ImportError:
        return None
    scripts = frozenset(map(categories.alias, label)) - _ANY
    if len(scripts) > 1 and not any(scripts <= together for together in _TOGETHER):
        return f"one label mixes scripts: {' and '.join(sorted(script.title() for script in scripts))}"
    foreign = [char for char in label if not char.isascii()]
    if len(scripts) > 1 or not (foreign and is_foreign):
        return None
    if "LATIN" not in scripts and any(char.isascii() and char.isalpha() for char in label):
        return None
    if all(_is_like_ascii(char) for char in foreign):
        return "each letter of a label that is not of ASCII looks like one that is"
    return None


def _is_like_ascii(char: str) -> bool:
    """Whether Unicode lists a letter or digit of ASCII that looks like it; one with an accent does not."""
    from confusable_homoglyphs import confusables

    if unicodedata.decomposition(char):
        return False
    found = confusables.is_confusable(char, greedy=True) or []
    glyphs = [other["c"] for one in found for other in one["homoglyphs"]]
    return any(len(glyph) == 1 and glyph.isascii() and glyph.isalnum() for glyph in glyphs)
