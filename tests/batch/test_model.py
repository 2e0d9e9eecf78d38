"""The model on the page about scale: each number of its table is that of the model that it describes."""

from __future__ import annotations

import re
from functools import cache

from tests.architecture.source import ROOT

DAY = 86_400
BUDGET = 50_000
POWERS = {"thousand": 10**3, "million": 10**6}

NEAR = 0.07
"""The numbers are written with one or two digits."""


@cache
def harmonic(hosts: float, exponent: float = 1.0) -> float:
    """The sum of 1 / n ** exponent for n up to `hosts`; beyond a thousand by its integral."""
    first = 1000
    few = sum(n**-exponent for n in range(1, first + 1))
    low, high = first + 0.5, hosts + 0.5
    steps = 5_000
    growth = (high / low) ** (1 / steps)
    return few + sum((low * growth ** (n + 0.5)) ** (1 - exponent) * (growth - 1) for n in range(steps))


def days(urls: float, hosts: float, budget: float, *, rate: float = 2000, exponent: float = 1.0) -> float:
    """One request a second to each host, `rate` in all; the hosts take turns until the biggest has had its last."""
    biggest = urls / harmonic(hosts, exponent)
    last = min(biggest, budget)
    seconds, turn, growth = 0.0, 1.0, 1.002
    while turn < last:
        left = min(hosts, (biggest / turn) ** (1 / exponent))
        seconds += max(1.0, left / rate) * (min(turn * growth, last) - turn)
        turn *= growth
    return seconds / DAY


def deferred(urls: float, hosts: float, budget: float) -> float:
    """The part of the URLs beyond the budget of their hosts."""
    biggest = urls / harmonic(hosts)
    above = int(biggest / budget)
    return (biggest * sum(1 / n for n in range(1, above + 1)) - budget * above) / urls


def number(text: str) -> float:
    """As people write it: 3 x 10^4, 92,000, 6.6 million."""
    text = text.replace(",", "")
    if power := re.fullmatch(r"(?:([\d.]+) x )?10\^(\d+)", text):
        return float(power[1] or 1) * 10.0 ** int(power[2])
    value, _, unit = text.partition(" ")
    return float(value) * POWERS.get(unit, 1)


def is_near(shown: float, found: float) -> bool:
    return abs(shown - found) <= NEAR * found


def test_each_number_of_the_table_is_that_of_the_model() -> None:
    text = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| (10\^\d) \| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([\d.]+)(?: days)?; (\d+) % \|$", text, re.MULTILINE
    )
    assert len(rows) == 4
    wrong = []
    for row in rows:
        urls, hosts, biggest, whole, bounded, part = (number(each.removesuffix(" days")) for each in row)
        found = urls / harmonic(hosts), days(urls, hosts, urls), days(urls, hosts, BUDGET)
        if (
            not all(map(is_near, (biggest, whole, bounded), found))
            or abs(part - 100 * deferred(urls, hosts, BUDGET)) > 1
        ):
            wrong.append((row, found, deferred(urls, hosts, BUDGET)))
    assert wrong == []
    (other,) = re.findall(r"with 0\.9 it is (\d+) days at 10\^9", text)
    (slow,) = re.findall(r"at 10\^9 it takes (\d+) days with 200 requests a second", text)
    assert is_near(float(other), days(1e9, 1.5e7, 1e9, exponent=0.9))
    assert is_near(float(slow), days(1e9, 1.5e7, BUDGET, rate=200))
