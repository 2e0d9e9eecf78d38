"""Hosts that look like others: labels with several scripts, and labels in which every letter looks like ASCII.

Rule: this is a remark, never a refusal, since most such names are honest. The scripts and look-alikes are those of
Unicode (UTS 39) in the package of the extra `lookalikes`; without it there are no remarks.
"""

from __future__ import annotations

import unicodedata

_TOGETHER = (
    frozenset({"LATIN", "HAN", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "HAN", "BOPOMOFO"}),
    frozenset({"LATIN", "HAN", "HANGUL"}),
)
"""Scripts that may be combined in one label (UTS 39 5.2, highly restrictive)."""

_ANY = frozenset({"COMMON", "INHERITED"})


def find_lookalike(host: str) -> str | None:
    """Why a host may be mistaken for another one, as half a sentence; None if there is no reason.

    Args:
        host: In its ASCII form.
    """
    if "xn--" not in host.lower():  # an address, or pure ASCII: 0 and O are distinguished by case
        return None
    labels = host.lower().removesuffix(".").split(".")
    # Under a top-level domain in another script, a name in that script alone is expected
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
        return "each non-ASCII letter of a label looks like an ASCII letter"
    return None


def _is_like_ascii(char: str) -> bool:
    """Whether Unicode lists a letter or digit of ASCII that looks like it; one with an accent does not."""
    from confusable_homoglyphs import confusables

    if unicodedata.decomposition(char):
        return False
    found = confusables.is_confusable(char, greedy=True) or []
    glyphs = [other["c"] for one in found for other in one["homoglyphs"]]
    return any(len(glyph) == 1 and glyph.isascii() and glyph.isalnum() for glyph in glyphs)
