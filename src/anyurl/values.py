"""The bases of all records, Provenance: who named a URL, and PeerText: what a peer wrote.

Rule: this is the base, which imports nothing of the library. A record does nothing, and a value never changes; only
`anyurl.guard.hops` decides by a provenance.
"""

from __future__ import annotations

import sys
from abc import ABCMeta
from collections.abc import Callable, Mapping
from enum import IntEnum
from operator import attrgetter
from sys import modules
from types import FunctionType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Concatenate,
    Final,
    Literal,
    ParamSpec,
    Protocol,
    TypeVar,
    dataclass_transform,
    get_args,
)

if TYPE_CHECKING:
    P = ParamSpec("P")
    S = TypeVar("S")
    V = TypeVar("V")

__all__ = ["CONFIGURATION", "STRANGER", "USER", "Provenance", "Scope", "Value", "Who"]

Who = Literal["user", "configuration", "document", "listing", "search", "redirect", "reply"]
"""Who named a URL.

- ``user``, ``configuration``: the person or program that uses the library, itself or in its settings.
- ``document``, ``listing``, ``search``: fetched content. The caller chose the URL from it.
- ``redirect``, ``reply``: a server, in the middle of a transfer. The caller did not choose.
"""

_OWN = ("user", "configuration")
_UNASKED = ("redirect", "reply")


class RecordType(type):
    """Make a class of the fields that it annotates: slots, a constructor, and ``__match_args__``.

    Fields after ``_: KW_ONLY`` are passed by name alone, as in `dataclasses`. With ``init=False`` a class keeps the
    constructor of its first base class.
    """

    def __new__(
        cls, name: str, bases: tuple[type, ...], space: dict[str, Any], kw_only: bool = False, init: bool = True
    ) -> Any:
        hints = _annotations(space)
        named = list(hints) if kw_only else list(hints)[list(hints).index("_") + 1 :] if "_" in hints else []
        hints.pop("_", None)
        own = tuple(field for field, kind in hints.items() if "ClassVar" not in str(kind))
        defaults = {field: space.pop(field) for field in own if field in space}
        inherited = getattr(bases[0], "__match_args__", ()) if bases else ()
        space.setdefault("__match_args__", (*inherited, *(field for field in own if field[0] != "_")))
        space["_names"] = space["__match_args__"]
        space["__slots__"] = own if bases else ("__weakref__",)
        made: Any = super().__new__(cls, name, bases, space)
        if init and "__init__" not in space and (own or not bases or "__post_init__" in space):
            made._defaults = {**getattr(made, "_defaults", {}), **defaults}
            made._named = (*getattr(made, "_named", ()), *named)
            _begin(made)
        return made


def _annotations(space: dict[str, Any]) -> dict[str, Any]:
    """What the body of a class annotates. Since Python 3.14 a function of the body makes it (PEP 649)."""
    made: dict[str, Any] = space.get("__annotations__", {})
    if sys.version_info >= (3, 14) and any(name.startswith("__annotate_") for name in space):
        import annotationlib

        function = annotationlib.get_annotate_from_class_namespace(space)
        if function is not None:
            made = annotationlib.call_annotate_function(function, annotationlib.Format.STRING)
    return made


class AbstractValueType(RecordType, ABCMeta):
    """The same of a base class with methods that each of its classes has to bring."""


def _begin(made: Any) -> None:
    # The constructor is made at its first use: compiling the unused ones would slow down every start.
    def begin(self: Any, *values: Any, **fields: Any) -> None:
        complete()
        made.__init__(self, *values, **fields)

    def complete() -> None:
        made.__init__ = _constructor(made)

    vars(begin)["complete"] = complete  # for `SourceSignature`
    made.__init__ = begin


def _constructor(made: Any) -> Any:
    known = {f"_{name}": value for name, value in made._defaults.items()}
    steps = [f"self.{name} = {name}" for name in made.__match_args__]
    if made.__setattr__ is not object.__setattr__:  # immutable
        known |= {f"_set_{name}": getattr(made, name).__set__ for name in made.__match_args__}
        steps = [f"_set_{name}(self, {name})" for name in made.__match_args__]
    steps += ["self.__post_init__()"] if hasattr(made, "__post_init__") else []
    takes = {name: f"{name}=_{name}" if name in made._defaults else name for name in made.__match_args__}
    keywords = [takes.pop(name) for name in made._named]
    arguments = ", ".join(["self", *takes.values(), *(["*"] if keywords else []), *keywords])
    body = f"def __init__({arguments}): {'; '.join(steps) or 'pass'}"
    space: dict[str, Any] = {}
    exec(f"def make({', '.join(known)}):\n {body}\n return __init__", vars(modules[made.__module__]), space)
    constructor = space["make"](**known)
    constructor.__qualname__ = f"{made.__qualname__}.__init__"
    hints = {
        name: kind for home in reversed(made.__mro__) for name, kind in getattr(home, "__annotations__", {}).items()
    }
    constructor.__annotations__ = {name: kind for name, kind in hints.items() if name in made.__match_args__}
    return constructor


class SourceSignature:
    """``__signature__`` of a class whose constructor is compiled or made of its fields, for `inspect.signature`.

    C keeps no signature of a constructor: it is read from the source, which is installed with the compiled module.
    """

    def __get__(self, _instance: object, owner: Any) -> object:
        from inspect import signature

        getattr(owner.__init__, "complete", lambda: None)()
        constructor: Any = owner.__init__
        if not isinstance(constructor, FunctionType):
            constructor = next(filter(None, map(_constructor_in_source, owner.__mro__[:-1])), None)
        if constructor is None:
            raise AttributeError("__signature__")
        whole = signature(constructor)
        return whole.replace(parameters=list(whole.parameters.values())[1:], return_annotation=whole.empty)


def _constructor_in_source(kind: type) -> Any:
    """A function with the arguments of the constructor that the source of a class defines; None if it defines none."""
    import ast
    from pathlib import Path

    module = modules[kind.__module__]
    path = Path(getattr(module, "__file__", None) or "")
    try:
        tree = ast.parse(path.with_name(path.name.partition(".")[0] + ".py").read_text("utf-8"))
    except (OSError, ValueError):  # no source: in a zip file, in a program of PyInstaller, at a prompt
        return None
    for node in tree.body:
        for function in node.body if isinstance(node, ast.ClassDef) and node.name == kind.__name__ else ():
            if isinstance(function, ast.FunctionDef) and function.name == "__init__":
                function.body, function.returns, function.decorator_list = [ast.Pass()], None, []
                tree.body = [*ast.parse("from __future__ import annotations").body, function]
                namespace = dict(vars(module))  # where the defaults are found
                exec(compile(ast.fix_missing_locations(tree), path, "exec"), namespace)
                return namespace["__init__"]
    return None


@dataclass_transform()
class Struct(metaclass=RecordType):
    """A mutable record, made of the fields that its class annotates; two with the same fields differ.

    The constructor takes the fields in their order; a field's assigned value is its default.
    """

    __signature__: ClassVar[SourceSignature] = SourceSignature()


@dataclass_transform(frozen_default=True)
class Value(metaclass=RecordType):
    """An immutable value, made of the fields that its class annotates: compared, hashed, copied and shown by them.

    The constructor takes the fields in their order, or with ``kw_only=True`` by name alone; a field's assigned value is
    its default. ``__post_init__`` checks them. A class whose arguments are not its fields has its own ``__init__``,
    which calls `_set`; a slot that is not a field begins with ``_``, or is left out of ``__match_args__``.
    """

    _names: ClassVar[tuple[str, ...]] = ()
    __signature__: ClassVar[SourceSignature] = SourceSignature()

    def _set(self, **fields: Any) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable: make another one")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable: make another one")

    def _fields(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._names}

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self is other or all(getattr(self, name) == getattr(other, name) for name in self._names)

    def __hash__(self) -> int:
        return hash((type(self), *[getattr(self, name) for name in self._names]))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._fields().items())})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self._fields())


def _rebuild(kind: Any, fields: dict[str, Any]) -> Any:
    return kind(**fields)


def as_made_by(
    _constructor: Callable[Concatenate[S, P], None],
) -> Callable[[Callable[..., V]], Callable[Concatenate[S, P], V]]:
    """Decorate a method that takes any of the constructor's arguments, all of which have defaults."""
    return lambda method: method


def shown(self: object, *names: str) -> str:
    """The ``repr`` of an object that is not a value: ``<Client policy='default'>``.

    Args:
        names: Attributes, or dotted paths of some: ``policy.name`` is shown as ``policy``. Attributes that do not exist
            yet are left out.
    """
    facts = [type(self).__name__]
    for name in names:
        *above, last = name.strip("_").split(".")
        try:
            facts.append(f"{above[-1] if above and last == 'name' else last}={attrgetter(name)(self)!r}")
        except AttributeError:
            continue
    return f"<{' '.join(facts)}>"


class Scope(IntEnum):
    """How far an address is from the public Internet: larger means less public."""

    PUBLIC = 0
    """Globally reachable."""
    PRIVATE = 1
    """Reachable inside one network only: private use, shared, documentation, benchmarking ..."""
    LINK = 2
    """On this link only, or a cloud's metadata service, which hands out the machine's own credentials."""
    LOCAL = 3
    """This very machine."""
    NEVER = 4
    """No host that a client could mean: unspecified, multicast, broadcast, reserved, or not an address at all."""


class Provenance(Value):
    """The origin of a URL: what named it, and where.

    Attributes:
        who: See `Who`.
        scope: How public the peer's address was; `Scope.PUBLIC` if unknown. None for the user's own URLs.
        scheme: Of the URL that the peer was reached by, or None.
        host: Its host, or None.
        port: Its port, or None.
        user: Its user name, if the user gave it for that place; a login is sent back only there. None otherwise.
        tls: Whether TLS was on that hop.
        kept: Only the user's own URLs led to that place, so the user's stored logins may be used there.
        own: The URL is the user's own.
        unasked: A server named it in the middle of a transfer; the caller did not choose it.
        key: The cache key for answers that depend on the provenance: all of the fields above. None for the user's own,
            so that the most frequent key is cheap.
    """

    who: Who
    scope: Scope | None
    scheme: str | None
    host: str | None
    port: int | None
    user: str | None
    tls: bool
    kept: bool
    own: bool
    unasked: bool
    key: tuple[object, ...] | None

    __match_args__ = ("who", "scope", "scheme", "host", "port", "user", "tls", "kept")

    def __init__(
        self,
        who: Who,
        *,
        scope: Scope | None = None,
        scheme: str | None = None,
        host: str | None = None,
        port: int | None = None,
        user: str | None = None,
        tls: bool = False,
        kept: bool = False,
    ) -> None:
        """Raises ValueError for a `who` that does not exist, and for the user with a place of origin."""
        place = (scheme, host, port, user, tls, kept)
        given = (
            ("who", who, str),
            ("scheme", scheme, str),
            ("host", host, str),
            ("port", port, int),
            ("user", user, str),
        )
        for name, value, kind in (*given, ("scope", scope, Scope), ("tls", tls, bool), ("kept", kept, bool)):
            if value is not None and not isinstance(value, kind):
                raise TypeError(f"{name} is a {kind.__name__}, not {type(value).__name__}")
        own = who in _OWN
        if who not in get_args(Who):
            raise ValueError(f"{who!r} is not one of {', '.join(get_args(Who))}")
        if own and (scope is not None or any(place)):
            raise ValueError(f"a URL of the {who}'s own has no source")
        if not own and scope in (None, Scope.NEVER):  # an unknown peer has no claim to any inner place
            scope = Scope.PUBLIC
        self._set(
            who=who, scope=scope, scheme=scheme, host=host, port=port, user=user, tls=tls, kept=kept, own=own,
            unasked=who in _UNASKED, key=None if own else (who, scope, *place),
        )  # fmt: skip

    def __hash__(self) -> int:
        return hash(self.key)

    def lowered(self, by: Provenance) -> Provenance:
        """The less trusted of two: `by` can reduce trust, and never add any.

        Of two strangers the result has the more public scope, TLS if either had it, and the place only where both agree
        on it.
        """
        if by.own:
            return self
        if self.own:
            return by
        assert self.scope is not None
        assert by.scope is not None
        same = (self.scheme, self.host, self.port) == (by.scheme, by.host, by.port)
        return Provenance(
            self.who if self.unasked else by.who,
            scope=min(self.scope, by.scope),
            scheme=by.scheme if same else None,
            host=by.host if same else None,
            port=by.port if same else None,
            user=by.user if same and self.user == by.user else None,
            tls=self.tls or by.tls,
            kept=same and self.kept and by.kept,
        )

    def as_dict(self) -> dict[str, object]:
        """The fields as JSON has them; the scope by its name in lower case."""
        fields = self._fields()
        fields["scope"] = None if self.scope is None else self.scope.name.lower()
        return fields

    @classmethod
    def from_dict(cls, fields: Mapping[str, object]) -> Provenance:
        """Restores the result of `as_dict`.

        Raises:
            ValueError: It is not a provenance record.
        """
        known: dict[str, Any] = {name: fields.get(name) for name in cls._names}
        known["tls"], known["kept"] = bool(known["tls"]), bool(known["kept"])
        scope, port = known["scope"], known["port"]
        try:
            known["scope"] = None if scope is None else Scope[str(scope).upper()]
        except KeyError:
            raise ValueError(f"{scope!r} is not the scope of an address") from None
        texts = all(known[name] is None or isinstance(known[name], str) for name in ("scheme", "host", "user"))
        if not texts or not isinstance(known["who"], str) or (port is not None and type(port) is not int):
            raise ValueError("this is not a provenance record")
        return cls(**known)


class Fetched(Protocol):
    """Something that was fetched: a resource."""

    @property
    def content_origin(self) -> Provenance:
        """The provenance of the URLs in its content."""
        ...


def origin_of(given: object) -> Provenance:
    """The provenance of the URLs in what was fetched.

    Raises:
        TypeError: Nothing was.
    """
    origin = given if isinstance(given, Provenance) else getattr(given, "content_origin", None)
    if isinstance(origin, Provenance):
        return origin
    raise TypeError(f"came_from must be a resource or a Provenance, not {type(given).__name__}")


USER: Final = Provenance("user")
"""The caller's own: typed, or written into a program. One constant, so that it costs nothing."""

CONFIGURATION: Final = Provenance("configuration")
"""From the user's settings: a news or mail server, a gateway."""

STRANGER: Final = Provenance("document")
"""A text of unknown origin."""


SAMPLE_LIMIT = 200
"""Octets of a peer's data that a message may quote: enough to recognise a protocol, too few to flood a log."""


def escape(text: str) -> str:
    """Text in which no control, bidirectional or surrogate character is left: each is written as an escape.

    Text from a peer or a URL is shown only through this (a terminal obeys ESC, a log breaks at LF, and U+202E reverses
    a file name).
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else _escape_char(c) for c in text)


def _escape_char(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # an octet that was not UTF-8, kept by surrogateescape
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


class PeerText:
    """Text from a peer. In a message it is always a quotation: escaped, bounded, and in “quotation marks”.

    It equals its text. It is not a `str`, so it cannot be concatenated: interpolation quotes it. Nothing else in a
    message has these marks, and no quotation contains them: `without_quotations` relies on it.

    Attributes:
        text: Its first ``SAMPLE_LIMIT`` octets, escaped; "..." is added where there are more.

    Args:
        said: As the peer sent it.
    """

    __slots__ = ("text",)

    def __init__(self, said: bytes | str) -> None:
        data = said if isinstance(said, bytes) else said.encode("utf-8", "surrogateescape")
        self.text: str = escape(data[:SAMPLE_LIMIT].decode("utf-8", "surrogateescape"))
        self.text += "..." * (len(data) > SAMPLE_LIMIT)

    def __str__(self) -> str:
        return f"“{self.text.replace('“', _OPENING).replace('”', _CLOSING)}”"

    def __repr__(self) -> str:
        return f"PeerText({self.text!r})"

    def __bool__(self) -> bool:
        return bool(self.text)

    def __eq__(self, other: object) -> bool:
        return self.text == (other.text if isinstance(other, PeerText) else other)

    def __hash__(self) -> int:
        return hash(self.text)


_OPENING, _CLOSING = "\\u201c", "\\u201d"


def plain(text: str | PeerText) -> str:
    """The text itself, escaped and without quotation marks: for a field, never for a message."""
    return text.text if isinstance(text, PeerText) else text


def without_quotations(message: str, told: list[str]) -> str:
    """The message with each quotation of a peer replaced by its number in `told`, in brackets.

    Args:
        told: The quotations of earlier messages; those of this one are added.
    """
    import re

    def number(found: re.Match[str]) -> str:
        if found[1] not in told:
            told.append(found[1])
        return f"[{told.index(found[1]) + 1}]"

    return re.sub("“([^”]*)”", number, message)
