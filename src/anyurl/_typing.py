"""The names of `typing` that annotations need, without `typing`: loading it is a tenth of the start of the command.

Rule: type checkers see `typing` itself. At run time no annotation is ever evaluated, and each name stands for something
that does nothing. Whatever does something (`NamedTuple`, `TypedDict`) comes from `typing`, where no start needs it; so
does `Final`, which type checkers know under no other name.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import IO as IO
    from typing import Any as Any
    from typing import BinaryIO as BinaryIO
    from typing import ClassVar as ClassVar
    from typing import Generic as Generic
    from typing import Literal as Literal
    from typing import NoReturn as NoReturn
    from typing import Protocol as Protocol
    from typing import TypeAlias as TypeAlias
    from typing import TypeVar as TypeVar
    from typing import Unpack as Unpack
    from typing import cast as cast
    from typing import dataclass_transform as dataclass_transform
    from typing import final as final
    from typing import get_args as get_args
else:
    Any = BinaryIO = ClassVar = IO = NoReturn = TypeAlias = object

    class Generic:
        """A base that adds nothing; it and its classes may be subscripted, which changes nothing either."""

        __slots__ = ()

        def __class_getitem__(cls, _kinds):
            return cls

    class _Values:
        """``Literal["a", "b"]`` keeps its values for `get_args`."""

        __class_getitem__ = classmethod(type(list[int]))

    Protocol = Generic
    Literal = Unpack = _Values

    def TypeVar(_name, *_constraints, **_bound):
        return object

    def cast(_kind, value):
        return value

    def final(made):
        return made

    def dataclass_transform(**_features):
        return final

    def get_args(kind):
        return kind.__args__
