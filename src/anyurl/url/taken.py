"""Type checks for the arguments of public functions, which report a wrong value immediately and by name.

Rule: the annotation in the signature determines the check; each package adds the annotations that only it uses.
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

Taken: TypeAlias = Mapping[str, tuple[Callable[[Any], bool], str]]
"""For each annotation: a check of a value, and a description of the allowed values."""


def is_number(given: object) -> bool:
    """Whether this is a number; a bool is not."""
    return isinstance(given, int | float) and not isinstance(given, bool)


def holds_several(given: object) -> bool:
    """Whether this is an iterable other than str or bytes."""
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
    "Reader": (lambda given: given in ("arguments", "options", "keys"), "arguments, options or keys"),
    "Callable[[], float]": (callable, "a function"),
    "Callable[[Decision], object]": (callable, "a function"),
    "Change": (callable, "a function"),
    "Progress": (callable, "a function"),
    "Saveable": (lambda given: hasattr(given, "iter_bytes"), "a resource"),
}


def check_value(name: str, value: object, annotation: str, taken: Taken = TAKEN) -> None:
    """Raises TypeError for a value that does not fit the annotation of its argument."""
    plain = annotation.removesuffix(" | None")
    if value is None and plain != annotation:
        return
    takes, words = taken[plain]
    if not takes(value):
        raise TypeError(f"{name} is {words}, not {named(value)}")


def check_fields(value: Value) -> None:
    """Raises TypeError if a field does not fit its annotation in the class."""
    for name, annotation in type(value).__annotations__.items():
        check_value(name, getattr(value, name), annotation)


def several_of(values: Iterable[T], name: str, kind: type[T]) -> list[T]:
    """A list of the values. Raises TypeError if one is of another type."""
    found = list(values) if holds_several(values) else [values]
    if not holds_several(values) or not all(isinstance(each, kind) for each in found):
        raise TypeError(f"{name} is a list of {kind.__name__}, not {named(values)}")
    return cast("list[T]", found)


def named(value: object) -> str:
    """The name of the type of a value, and of its items."""
    kind = type(value).__name__
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return f"{kind} of {', '.join(sorted({type(each).__name__ for each in value})) or 'nothing'}"
    return kind


def checked(function: Function) -> Function:
    """Decorate a public function: arguments that do not fit an annotation in `TAKEN` raise TypeError."""
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
