"""What is checked is what is fetched: where anyurl and another reader both accept an http URL, they read the same host.

The exceptions are in ``tests/data/net/differences.json``, each with its reason; one that has gone fails as well.
"""

from __future__ import annotations

import json

import pytest

from anyurl.url import URL

pytest.importorskip("urllib3", reason="urllib3, one of the readers that are compared, is not installed")

from tests.net import differential
from tests.net.differential import Comparison, compare

DIFFERENCES = json.loads((differential.DATA / "net" / "differences.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def corpora() -> dict[str, Comparison]:
    return compare(differential.inputs())


@pytest.fixture(scope="module")
def generated() -> dict[str, Comparison]:
    return compare(differential.generated())


def test_libcurl_reads_the_same_host_on_every_input(corpora: dict[str, Comparison]) -> None:
    libcurl = corpora["libcurl"]
    assert libcurl.both > 900
    assert libcurl.differences == []


def test_what_libcurl_refuses_is_never_given_to_it(corpora: dict[str, Comparison]) -> None:
    """It gets what `str(URL)` writes; the wheel has no IDNA, and an address of a later version is nobody's."""
    given = [text for text in corpora["libcurl"].refused if text == str(URL(text))]
    assert [text for text in given if not (URL(text).raw_host or "").lower().startswith("[v")] == []


@pytest.mark.parametrize("reader", ["urllib.parse", "ada", "urllib3"])
def test_where_others_differ_is_listed_with_the_reason(corpora: dict[str, Comparison], reader: str) -> None:
    comparison = corpora[reader]
    listed = {text: reason for reason, texts in DIFFERENCES["rows"].get(reader, {}).items() for text in texts}
    assert comparison.both > 900
    assert set(comparison.differences) - set(listed) == set()
    # A later version of a reader may refuse what an earlier one read otherwise.
    assert set(listed) - set(comparison.differences) <= set(comparison.refused)
    assert set(listed.values()) <= set(DIFFERENCES["reasons"])


@pytest.mark.parametrize("reader", differential.READERS)
def test_no_change_of_the_corpora_makes_a_difference_that_has_another_reason(
    generated: dict[str, Comparison], reader: str
) -> None:
    comparison = generated[reader]
    assert comparison.both > 2000
    assert [text for text in comparison.differences if not (reader == "urllib.parse" and not text.isascii())] == []
