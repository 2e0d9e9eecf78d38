"""What entrances take, checked: a wrong value is told at once, by its name, and not where something breaks for it.

Rule: it is the annotation in the signature that says what is taken; each room adds those that only it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeAlias, TypeVar

from anyurl.url import URL
from anyurl.values import Provenance

Class = TypeVar("Class", bound=type)

Taken: TypeAlias = "Mapping[str, tuple[Callable[[Any], bool], str]]"
"""For each annotation: whether it takes this, and what it takes."""


def is_number(given: object) -> bool:
    """Whether this is a number, which True is not."""
    return isinstance(given, int | float) and not isinstance(given, bool)


def holds_several(given: object) -> bool:
    """Whether this can be gone through, and is no text."""
    return isinstance(given, Iterable) and not isinstance(given, str | bytes)


TAKEN: Taken = {
    "bool": (lambda given: given is True or given is False, "True or False"),
    "str": (lambda given: isinstance(given, str), "a str"),
    "int": (lambda given: isinstance(given, int) and not isinstance(given, bool), "an int"),
    "float": (is_number, "a number"),
    "URL": (lambda given: isinstance(given, URL), "a URL"),
    "Provenance": (lambda given: isinstance(given, Provenance), "a Provenance"),
}


def check_value(name: str, value: object, annotation: str, taken: Taken = TAKEN) -> None:
    """Raises TypeError for a value that an argument with this annotation does not take."""
    plain = annotation.removesuffix(" | None")
    if value is None and plain != annotation:
        return
    takes, words = taken[plain]
    if not takes(value):
        raise TypeError(f"{name} is {words}, not {named(value)}")


def named(value: object) -> str:
    """The type of a value, and of what is in it."""
    kind = type(value).__name__
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return f"{kind} of {', '.join(sorted({type(each).__name__ for each in value})) or 'nothing'}"
    return kind


def with_checked_questions(policy: Class) -> Class:
    """Decorate a policy: what a question (``judge_...``) does not take is a TypeError, for an answer on it is none."""
    for name, method in list(vars(policy).items()):
        if name.startswith("judge_"):
            setattr(policy, name, _checked(method))
    return policy


_EXACTLY: Mapping[str, type] = {
    "bool": bool, "str": str, "int": int, "float": float, "URL": URL, "Provenance": Provenance,
}  # fmt: skip
"""What needs no call to be taken: every request asks a dozen questions."""


def _checked(method: Callable[..., Any]) -> Callable[..., Any]:
    annotations = {name: kind for name, kind in method.__annotations__.items() if name != "return"}
    exactly = {name: _EXACTLY[kind.removesuffix(" | None")] for name, kind in annotations.items()}

    @wraps(method)
    def judge(self: Any, *values: object, **given: object) -> Any:
        for name, value in (*zip(annotations, values, strict=False), *given.items()):
            # Of others Python's own words are good enough.
            if name in annotations and type(value) is not exactly[name]:
                check_value(name, value, annotations[name])
        return method(self, *values, **given)

    return judge
