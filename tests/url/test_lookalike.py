"""Hosts that may be taken for others (UTS 39)."""

from __future__ import annotations

import subprocess
import sys

from anyurl import URL, diagnose
from anyurl.guard.warnings import cautions
from anyurl.url.lookalike import find_lookalike
from tests.rows import each_row

MIXED = "one label mixes scripts: "
LIKE = "each non-ASCII letter of a label looks like an ASCII letter"


@each_row(
    ("host", "reason"),
    [
        ("p\u0430ypal.com", MIXED + "Cyrillic and Latin"),
        ("\u03c4\u03bfm.gr", MIXED + "Greek and Latin"),
        ("www.p\u0430ypal.com", MIXED + "Cyrillic and Latin"),
        ("p\u0430ypal.xn--p1ai", MIXED + "Cyrillic and Latin"),
        ("\u0430\u0440\u0440\u04cf\u0435.com", LIKE),  # apple, all of it Cyrillic
        ("\u0261oogle.com", LIKE),  # a letter of Latin that is not g
        ("\u0441\u043e\u0441\u043e.\u0440\u0444", None),  # Cyrillic below a Cyrillic domain
        ("b\u00fccher.de", None),  # an accent tells
        ("stra\u00dfe.de", None),
        ("\u043f\u0440\u0430\u0432\u0434\u0430.com", None),  # some of its letters look like no other
        ("\u30c6\u30b9\u30c8\u6771\u4eac.jp", None),  # Katakana and Han are written together
        ("\u4e2d\u6587abc.cn", None),
        ("\ud55c\uad6dabc.kr", None),
        ("google.com", None),
        ("10.0.0.1", None),
        ("xn--a", None),
        ("xn--\u007f", None),
    ],
)
def test_a_host(host: str, reason: str | None) -> None:
    shown = host if host.isascii() else URL(f"http://{host}/").host
    assert find_lookalike(shown or "") == reason


def test_it_is_remarked_where_the_host_stands() -> None:
    text = "http://u@p\u0430ypal.com:80/x"
    (remark,) = [one for one in diagnose(text) if one.code == "look-alike"]
    assert (remark.severity, text[slice(*remark.span)]) == ("remark", "p\u0430ypal.com")
    assert [one.code for one in cautions(URL(text))] == ["look-alike"]
    assert "look-alike" not in [one.code for one in diagnose("http://b\u00fccher.de/")]


def test_without_the_tables_nothing_is_remarked() -> None:
    program = (
        "import sys; sys.modules['confusable_homoglyphs'] = None\n"
        "from anyurl.url.lookalike import find_lookalike\n"
        "print(find_lookalike('xn--pypal-4ve.com'))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "None\n"
    assert find_lookalike("xn--pypal-4ve.com") is not None
