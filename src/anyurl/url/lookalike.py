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

_LETTERS = frozenset("ßæœøłđðþħ")
"""Latin letters of alphabets that no other letter with an accent stands for."""


def human_host(host: str) -> str:
    """The human-readable host if it cannot be mistaken for another one; else its ASCII form.

    All its labels are in one script, with those that are written together; its Latin letters are those of ASCII, also
    with accents; and it leads back to its ASCII form (UTS 39 5.2, RFC 5891 4.4).

    Args:
        host: In its ASCII form and in lower case.

    >>> human_host("xn--mnchen-3ya.de"), human_host("xn--80ak6aa92e.com"), human_host("xn--d1acpjx3f.xn--p1ai")
    ('münchen.de', 'xn--80ak6aa92e.com', 'яндекс.рф')
    """
    from anyurl.url.host import to_ascii

    labels = [_decoded(label) if label.startswith("xn--") else label for label in host.split(".")]
    human = ".".join(labels)
    letters = {char for char in human if char.isalpha() or not char.isascii()}
    scripts = frozenset(unicodedata.name(char, "UNNAMED").split(" ")[0].partition("-")[0] for char in letters)
    scripts = frozenset("HAN" if script == "CJK" else script for script in scripts)
    is_one = len(scripts) == 1 or any(scripts <= together for together in _TOGETHER)
    is_plain = all(char.isascii() or char in _LETTERS or _has_accent(char) for char in letters if _is_latin(char))
    return human if is_one and is_plain and human.isprintable() and to_ascii(human) == host else host


def _is_latin(char: str) -> bool:
    return unicodedata.name(char, "").startswith("LATIN ")


def _has_accent(char: str) -> bool:
    return unicodedata.normalize("NFD", char)[0].isascii()


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
