"""Stand-ins for the names of `cython` that the kernel uses, without Cython and for type checkers.

The names do nothing: a kernel module that runs uncompiled is plain Python. Annotations are never evaluated, so the
types here are only names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, final

T = TypeVar("T")

__all__ = [
    "NULL",
    "Py_ssize_t",
    "address",
    "annotation_typing",
    "bint",
    "boundscheck",
    "cast",
    "cclass",
    "cfunc",
    "compiled",
    "declare",
    "exceptval",
    "final",
    "inline",
    "int",
    "longlong",
    "locals",
    "no_gc",
    "nogil",
    "p_const_uchar",
    "p_int",
    "p_longlong",
    "p_short",
    "p_uchar",
    "size_t",
    "uchar",
    "void",
]

compiled = False
NULL: Any = None

_int: TypeAlias = int
int: TypeAlias = _int
longlong: TypeAlias = _int
uchar: TypeAlias = _int
bint: TypeAlias = bool
void: TypeAlias = None
Py_ssize_t: TypeAlias = _int
p_int: TypeAlias = list[_int]
p_longlong: TypeAlias = list[_int]
p_short: TypeAlias = list[_int]
p_uchar: TypeAlias = bytearray
p_const_uchar: TypeAlias = bytes
size_t: TypeAlias = _int


def cfunc(function: T) -> T:
    """Mark a C function, which only compiled code can call."""
    return function


def cast(type_: Any, value: Any) -> Any:
    """Return the value, which Cython converts to another C type."""
    return value


def cclass(type_: T) -> T:
    """Mark a class as an extension type."""
    return type_


def no_gc(type_: T) -> T:
    """Mark an extension type that can't be part of a reference cycle."""
    return type_


def inline(function: T) -> T:
    """Mark a C function that the compiler may inline."""
    return function


class _Nogil:
    """Marks a function that runs without the interpreter's lock, or a block that releases it."""

    def __call__(self, function: T) -> T:
        return function

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


nogil = _Nogil()


def address(value: Any) -> Any:
    """The address of a C variable."""
    return value


def exceptval(value: Any = None, *, check: bool = True) -> Callable[[T], T]:
    """How a C function signals that it raised."""
    return lambda function: function


def annotation_typing(flag: bool) -> Callable[[T], T]:
    """Whether the annotations of arguments are enforced."""
    return lambda function: function


def boundscheck(flag: bool) -> Callable[[T], T]:
    """Whether an index is checked."""
    return lambda function: function


def locals(**types: Any) -> Callable[[T], T]:
    """The types of a function's variables."""
    return lambda function: function


def declare(type_: Any, value: T) -> T:
    """Declare a C variable with its initial value."""
    return value
