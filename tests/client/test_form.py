"""Forms: questions in, answers out, in order."""

from __future__ import annotations

import pytest

from anyurl.client.form import Form
from anyurl.errors import LocalProtocolError

QUESTIONS = [
    {"kind": "Note", "prompt": "Hello", "default": "", "choices": []},
    {"kind": "Ask", "prompt": "Name", "default": "Ada", "choices": []},
    {"kind": "AskP", "prompt": "Word", "default": "", "choices": []},
    {"kind": "Choose", "prompt": "Size", "default": "s", "choices": ["s", "l"]},
]


def test_the_questions_that_want_an_answer() -> None:
    form = Form(QUESTIONS)
    assert [question.prompt for question in form.asked] == ["Name", "Word", "Size"]
    assert [question.is_secret for question in form.asked] == [False, True, False]
    assert Form(form.questions) == form


@pytest.mark.parametrize(
    ("answers", "filled"),
    [
        ({}, ("Ada", "", "s")),
        ({"Word": "x"}, ("Ada", "x", "s")),
        ({"Size": "l", "Name": "Grace"}, ("Grace", "", "l")),
    ],
)
def test_fill(answers: dict[str, str], filled: tuple[str, ...]) -> None:
    assert Form(QUESTIONS).fill(answers) == filled


def test_what_is_not_asked_is_not_answered() -> None:
    with pytest.raises(LocalProtocolError, match="does not ask 'Hello'; it asks 'Name', 'Word', 'Size'"):
        Form(QUESTIONS).fill({"Hello": "x"})
    with pytest.raises(LocalProtocolError, match="it asks nothing"):
        Form([]).fill({"Name": "x"})
