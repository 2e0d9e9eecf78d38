"""What the policy is asked about, checked by the signatures of its questions: an answer on something else is none."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from anyurl.url import URL
from anyurl.values import Provenance

Class = TypeVar("Class", bound=type)

_TAKEN: dict[str, tuple[type, str]] = {
    "URL": (URL, "a URL"), "Provenance": (Provenance, "a Provenance"), "str": (str, "a str"), "int": (int, "an int"),
}  # fmt: skip


def with_checked_questions(policy: Class) -> Class:
    """Decorate a policy: what a question (``judge_...``) does not take is a TypeError that says what it does."""
    for name, method in list(vars(policy).items()):
        if name.startswith("judge_"):
            setattr(policy, name, _checked(method))
    return policy


def _checked(method: Callable[..., Any]) -> Callable[..., Any]:
    annotations = {name: kind for name, kind in method.__annotations__.items() if name != "return"}

    @wraps(method)
    def judge(self: Any, *values: object, **given: object) -> Any:
        for name, value in (*zip(annotations, values, strict=False), *given.items()):
            _check(name, value, annotations.get(name))
        return method(self, *values, **given)

    return judge


def _check(name: str, value: object, annotation: str | None) -> None:
    if annotation is None:  # Python's own words are good enough
        return
    kind, words = _TAKEN[annotation.removesuffix(" | None")]
    if value is None and annotation.endswith(" | None"):
        return
    if not isinstance(value, kind) or value is True or value is False:
        raise TypeError(f"{name} is {words}, not {type(value).__name__}")
