"""Form: the questions of an electronic form, and its answers in sending order (RFC 1738 3.4.5, 3.4.9).

Rule: nothing is sent here. `fill` returns the answers for ``client.get(url, answers=...)``, which asks the guard.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Required, TypedDict

from anyurl.errors import LocalProtocolError
from anyurl.schemes.gopher.wire.plus import Question as Question
from anyurl.url.arguments import holds_several, named
from anyurl.values import Value


class Asked(TypedDict, total=False):
    """A question as it appears in the attributes of a resource; see `Question`."""

    kind: Required[str]
    prompt: Required[str]
    default: str
    choices: Sequence[str]


class Form(Value):
    """The questions of a resource of kind ``form``.

    Attributes:
        questions: In order, notes included.
    """

    questions: tuple[Question, ...]

    def __init__(self, questions: Sequence[Asked | Question]) -> None:
        """Raises TypeError for anything but questions."""
        if not holds_several(questions) or not all(isinstance(each, Question | Mapping) for each in questions):
            raise TypeError(f"questions is a list of Question or dict, not {named(questions)}")
        self._set(questions=tuple(each if isinstance(each, Question) else _read(each) for each in questions))

    @property
    def asked(self) -> tuple[Question, ...]:
        """The questions that need an answer, in order."""
        return tuple(question for question in self.questions if question.wants_answer)

    def fill(self, answers: Mapping[str, str]) -> tuple[str, ...]:
        """Put answers, given by prompt, in order; questions that are left out get their default.

        Raises:
            LocalProtocolError: The form has no such prompt.

        >>> form = Form([{"kind": "Ask", "prompt": "Name"}, {"kind": "Ask", "prompt": "Town", "default": "Ulm"}])
        >>> form.fill({"Name": "Ada"})
        ('Ada', 'Ulm')
        """
        prompts = [question.prompt for question in self.asked]
        unknown = [prompt for prompt in answers if prompt not in prompts]
        if unknown:
            raise LocalProtocolError(
                f"The form does not ask {unknown[0]!r}; it asks {', '.join(map(repr, prompts)) or 'nothing'}."
            )
        return tuple(answers.get(question.prompt, question.default) for question in self.asked)


def _read(asked: Asked) -> Question:
    return Question(asked["kind"], asked["prompt"], asked.get("default", ""), tuple(asked.get("choices", ())))
