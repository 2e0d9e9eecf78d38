"""Form: what an electronic form asks, and the answers in the order in which they are sent (RFC 1738 3.4.5, 3.4.9).

Rule: it sends nothing. `fill` gives the answers that ``client.get(url, answers=...)`` takes; the guard is asked there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Required, TypedDict

from anyurl.errors import LocalProtocolError


class Question:
    """One question of a form.

    Attributes:
        kind: ``Ask`` a line; ``AskP`` a password; ``AskL`` a text of many lines; ``Choose`` one of the choices;
            ``Select`` yes (``1``) or no (``0``); ``Note`` is no question, it only tells.
        prompt: What is asked. From the server: hostile.
        default: The answer that it proposes.
        choices: To choose from; empty where anything will do.
    """

    __slots__ = ("kind", "prompt", "default", "choices")

    def __init__(self, kind: str, prompt: str, default: str = "", choices: Sequence[str] = ()) -> None:
        self.kind: str = kind
        self.prompt: str = prompt
        self.default: str = default
        self.choices: tuple[str, ...] = tuple(choices)

    @property
    def wants_answer(self) -> bool:
        """Whether it is a question at all."""
        return self.kind != "Note"

    @property
    def is_secret(self) -> bool:
        """Whether the answer must not be shown while it is typed."""
        return self.kind == "AskP"

    def __repr__(self) -> str:
        return f"Question({self.kind!r}, {self.prompt!r})"


class Asked(TypedDict, total=False):
    """A question as it stands among the attributes of a resource; see `Question`."""

    kind: Required[str]
    prompt: Required[str]
    default: str
    choices: Sequence[str]


class Form:
    """What a resource of kind ``form`` asks.

    Attributes:
        questions: In order, notes included.
    """

    __slots__ = ("questions",)

    def __init__(self, questions: Sequence[Asked]) -> None:
        self.questions: tuple[Question, ...] = tuple(Question(**question) for question in questions)

    @property
    def asked(self) -> tuple[Question, ...]:
        """The questions that want an answer, in order."""
        return tuple(question for question in self.questions if question.wants_answer)

    def fill(self, answers: Mapping[str, str]) -> tuple[str, ...]:
        """The answers in order: by prompt; a question that is left out is answered with its default.

        Raises:
            LocalProtocolError: A prompt is not one of the form's.

        >>> form = Form([{"kind": "Ask", "prompt": "Name"}, {"kind": "Ask", "prompt": "Town", "default": "Ulm"}])
        >>> form.fill({"Name": "Ada"})
        ('Ada', 'Ulm')
        """
        prompts = [question.prompt for question in self.asked]
        unknown = [prompt for prompt in answers if prompt not in prompts]
        if unknown:
            raise LocalProtocolError(
                f"The form does not ask {unknown[0]!r}; it asks {', '.join(map(repr, prompts)) or 'nothing'}"
            )
        return tuple(answers.get(question.prompt, question.default) for question in self.asked)

    def __repr__(self) -> str:
        return f"Form({list(self.asked)!r})"
