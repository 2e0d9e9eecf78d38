"""Type checks for the ``judge_...`` methods of a policy: no verdict is given on a value of another type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

from anyurl.url import URL
from anyurl.url.taken import check_value
from anyurl.values import Provenance

Class = TypeVar("Class", bound=type)


def with_checked_questions(policy: Class) -> Class:
    """Decorate a policy class: its ``judge_...`` methods raise TypeError for arguments of another type."""
    for name, method in list(vars(policy).items()):
        if name.startswith("judge_"):
            setattr(policy, name, _checked(method))
    return policy


_EXACTLY: Mapping[str, type] = {
    "bool": bool, "str": str, "int": int, "float": float, "URL": URL, "Provenance": Provenance,
}  # fmt: skip
"""Types that are accepted without a call of `check_value`: each request asks a dozen questions."""


def _checked(method: Callable[..., Any]) -> Callable[..., Any]:
    annotations = {name: kind for name, kind in method.__annotations__.items() if name != "return"}
    exactly = {name: _EXACTLY[kind.removesuffix(" | None")] for name, kind in annotations.items()}
    kinds = tuple(exactly.values())

    @wraps(method)
    def judge(self: Any, *values: object, **given: object) -> Any:
        if not given and (*map(type, values),) == kinds:  # nearly always
            return method(self, *values)
        for name, value in (*zip(annotations, values, strict=False), *given.items()):
            # unknown arguments get Python's own error
            if name in annotations and type(value) is not exactly[name]:
                check_value(name, value, annotations[name])
        return method(self, *values, **given)

    return judge
