"""What a policy's questions take; each of them is tried in `tests/test_entrances.py`."""

from __future__ import annotations

from typing import Any

import pytest

from anyurl import URL, Policy


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ((None,), "url is a URL, not NoneType"),
        ((URL("http://h/"), None), "came_from is a Provenance, not NoneType"),
    ],
)
def test_the_sentence_names_the_argument_and_what_it_takes(values: tuple[Any, ...], words: str) -> None:
    with pytest.raises(TypeError) as caught:
        Policy.default().judge_url(*values)
    assert str(caught.value) == words


def test_a_question_keeps_its_name_and_its_help() -> None:
    assert Policy.judge_url.__name__ == "judge_url"
    assert "nothing is opened" in (Policy.judge_url.__doc__ or "")
    assert Policy.default().judge_endpoint("gopher", "h", port=None).allowed
