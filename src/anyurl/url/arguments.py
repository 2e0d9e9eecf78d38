"""Type checks for the arguments of public functions, which report a wrong value immediately and by name.

Rule: the annotation in the signature determines the check.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeAlias, TypeVar, cast

from anyurl.url.url import URL
from anyurl.values import Provenance, RecordType, Value

Function = TypeVar("Function", bound=Callable[..., Any])

T = TypeVar("T")


def is_number(given: object) -> bool:
    """Whether this is a number; a bool is not."""
    return isinstance(given, int | float) and not isinstance(given, bool)


def holds_several(given: object) -> bool:
    """Whether this is an iterable other than str or bytes."""
    return isinstance(given, Iterable) and not isinstance(given, str | bytes)


def _are_texts(given: object) -> bool:
    return holds_several(given) and (not isinstance(given, Sequence) or all(isinstance(each, str) for each in given))


def _is_table(given: object) -> bool:
    return isinstance(given, Mapping) and all(isinstance(part, str) for pair in given.items() for part in pair)


def _is_jar(given: object) -> bool:
    return given is True or given is False or (hasattr(given, "store") and hasattr(given, "header"))


_TEXT = (lambda given: isinstance(given, str), "a str")
_PATH = (lambda given: isinstance(given, str | os.PathLike), "a str or a Path")
_FUNCTION = (callable, "a function")

Check: TypeAlias = tuple[Callable[[Any], bool], str]
"""A check of a value, and a description of the allowed values."""

CHECKS: Mapping[str, Check] = {
    "bool": (lambda given: given is True or given is False, "True or False"),
    "str": _TEXT,
    "GrammarName": _TEXT,
    "Layout": _TEXT,
    "Verb": (_TEXT[0], "a str: get, list, search, stat, put or append"),
    "WaisForm": (lambda given: given in ("libwww", "rfc"), "the str 'libwww' or 'rfc'"),
    "Reader": (lambda given: given in ("arguments", "options", "keys"), "arguments, options or keys"),
    "int": (lambda given: isinstance(given, int) and not isinstance(given, bool), "an int"),
    "float": (is_number, "a number"),
    "bytes": (lambda given: isinstance(given, bytes), "bytes"),
    "Iterable[str]": (_are_texts, "a list of str"),
    "Collection[str]": (_are_texts, "a list of str"),
    "Sequence[str]": (lambda given: isinstance(given, Sequence) and _are_texts(given), "a list of str"),
    "Iterable[tuple[str, str]]": (holds_several, "a list of pairs of str"),
    "Mapping[str, str]": (_is_table, "a dict of str to str"),
    "str | Mapping[str, str]": (
        lambda given: isinstance(given, str) or _is_table(given),
        "a str, or a dict of str to str",
    ),
    "str | os.PathLike[str]": _PATH,
    "Path": (lambda given: isinstance(given, str | bytes | os.PathLike), "a str or a Path"),
    "AskForConsent": _FUNCTION,
    "AskForSecret": _FUNCTION,
    "Change": _FUNCTION,
    "Progress": _FUNCTION,
    "Saveable": (lambda given: hasattr(given, "iter_bytes"), "a resource"),
    "CookieJar | bool": (_is_jar, "True, False or a CookieJar"),
    "Network": (lambda given: hasattr(given, "socket_to"), "a Network"),
    "Rests": (
        lambda given: hasattr(given, "rest") and hasattr(given, "keep"),
        "an object with the methods rest and keep",
    ),
}
"""The annotations that name no class."""

_EXACTLY: Mapping[str, type] = {
    "bool": bool, "str": str, "int": int, "float": float, "URL": URL, "Provenance": Provenance,
}  # fmt: skip
"""Types that are accepted at once: each request asks the policy a dozen questions."""


def check_of(annotation: str, known: Mapping[str, Any]) -> Check | None:
    """The check for an annotation without ``| None``; None if it allows anything.

    Args:
        known: The classes that it may name.
    """
    kind: Any = known.get(annotation)
    if annotation in CHECKS:
        return CHECKS[annotation]
    if annotation.startswith("Callable["):
        return _FUNCTION
    if type(kind) in (type, RecordType):  # no protocol, no TypedDict
        return (lambda given: isinstance(given, kind)), f"{'an' if annotation[0] in 'AEIO' else 'a'} {annotation}"
    return None


def check_value(name: str, value: object, annotation: str, known: Mapping[str, Any] = _EXACTLY) -> None:
    """Raises TypeError for a value that does not fit the annotation of its argument.

    Args:
        known: The classes that the annotation may name.
    """
    plain = annotation.removesuffix(" | None")
    if value is None and plain != annotation:
        return
    check = check_of(plain, known)
    if check is not None and not check[0](value):
        raise TypeError(f"{name} is {check[1]}, not {named(value)}")


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
    """Decorate a public function or a method: arguments that do not fit their annotation raise TypeError."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    hints: dict[str, str] = {name: kind for name, kind in function.__annotations__.items() if name != "return"}
    after = int(names[:1] == ("self",))
    exactly = tuple(_EXACTLY.get(hints.get(name, "").removesuffix(" | None")) for name in names[after:])

    @wraps(function)
    def check(*values: Any, **given: Any) -> Any:
        if given or (*map(type, values[after:]),) != exactly:
            for name, value in (*zip(names, values, strict=False), *given.items()):
                if name in hints:
                    check_value(name, value, hints[name], function.__globals__)
        return function(*values, **given)

    return cast("Function", check)
