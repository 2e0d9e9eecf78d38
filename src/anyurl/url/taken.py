"""What entrances take, checked: a wrong value is told at once, by its name, and not where something breaks for it.

Rule: it is the annotation in the signature that says what is taken; each room adds those that only it has.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeAlias, TypeVar, cast

from anyurl.url.url import URL
from anyurl.values import Provenance, Value

Function = TypeVar("Function", bound=Callable[..., Any])

T = TypeVar("T")

Taken: TypeAlias = "Mapping[str, tuple[Callable[[Any], bool], str]]"
"""For each annotation: whether it takes this, and what it takes."""


def is_number(given: object) -> bool:
    """Whether this is a number, which True is not."""
    return isinstance(given, int | float) and not isinstance(given, bool)


def holds_several(given: object) -> bool:
    """Whether this can be gone through, and is no text."""
    return isinstance(given, Iterable) and not isinstance(given, str | bytes)


_IS_TEXT = (lambda given: isinstance(given, str), "a str")

TAKEN: Taken = {
    "bool": (lambda given: given is True or given is False, "True or False"),
    "str": _IS_TEXT,
    "GrammarName": _IS_TEXT,
    "Layout": _IS_TEXT,
    "int": (lambda given: isinstance(given, int) and not isinstance(given, bool), "an int"),
    "float": (is_number, "a number"),
    "bytes": (lambda given: isinstance(given, bytes), "bytes"),
    "URL": (lambda given: isinstance(given, URL), "a URL"),
    "Provenance": (lambda given: isinstance(given, Provenance), "a Provenance"),
    "Iterable[str]": (holds_several, "a list of str"),
    "Collection[str]": (holds_several, "a list of str"),
    "Iterable[tuple[str, str]]": (holds_several, "a list of pairs of str"),
    "str | os.PathLike[str]": (lambda given: isinstance(given, str | os.PathLike), "a str or a Path"),
    "Path": (lambda given: isinstance(given, str | bytes | os.PathLike), "a str or a Path"),
    "Callable[[], float]": (callable, "a function"),
}


def check_value(name: str, value: object, annotation: str, taken: Taken = TAKEN) -> None:
    """Raises TypeError for a value that an argument with this annotation does not take."""
    plain = annotation.removesuffix(" | None")
    if value is None and plain != annotation:
        return
    takes, words = taken[plain]
    if not takes(value):
        raise TypeError(f"{name} is {words}, not {named(value)}")


def check_fields(value: Value) -> None:
    """Raises TypeError for a value of which a field is not what its class says."""
    for name, annotation in type(value).__annotations__.items():
        check_value(name, getattr(value, name), annotation)


def several_of(values: Iterable[T], name: str, kind: type[T]) -> list[T]:
    """These, of which each must be of that kind. Raises TypeError for what is not."""
    found = list(values) if holds_several(values) else [values]
    if not holds_several(values) or not all(isinstance(each, kind) for each in found):
        raise TypeError(f"{name} is a list of {kind.__name__}, not {named(values)}")
    return cast("list[T]", found)


def named(value: object) -> str:
    """The type of a value, and of what is in it."""
    kind = type(value).__name__
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return f"{kind} of {', '.join(sorted({type(each).__name__ for each in value})) or 'nothing'}"
    return kind


def checked(function: Function) -> Function:
    """Decorate what callers call: a value that an annotation of `TAKEN` does not take is a TypeError."""
    annotations: dict[str, str] = {
        name: kind for name, kind in function.__annotations__.items()
        if name != "return" and kind.removesuffix(" | None") in TAKEN
    }  # fmt: skip
    takes = {name: TAKEN[kind.removesuffix(" | None")][0] for name, kind in annotations.items()}
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]

    @wraps(function)
    def check(*values: Any, **given: Any) -> Any:
        for name, value in (*zip(names, values, strict=False), *given.items()):
            if name in takes and not takes[name](value):
                check_value(name, value, annotations[name])
        return function(*values, **given)

    return cast("Function", check)
