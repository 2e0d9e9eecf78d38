"""The grammars by name, and how what makes another URL of one is told by which grammar to read it.

Rule: a URL is read once. What is made of it is read by the grammar that read it, through the one function that stands
here, or is an error; nothing below the URL knows its class. ``current`` is `URL` itself; the package registers the
others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from anyurl.errors import UnsupportedError

if TYPE_CHECKING:
    from typing import Protocol, TypeVar

    class Locator(Protocol):
        """What the modules of this room see of a URL."""

        @property
        def grammar(self) -> str: ...
        @property
        def scheme(self) -> str: ...
        @property
        def authority(self) -> str | None: ...
        @property
        def raw_user(self) -> str | None: ...
        @property
        def raw_password(self) -> str | None: ...
        @property
        def user(self) -> str | None: ...
        @property
        def password(self) -> str | None: ...
        @property
        def raw_host(self) -> str | None: ...
        @property
        def host(self) -> str | None: ...
        @property
        def explicit_port(self) -> int | None: ...
        @property
        def port(self) -> int | None: ...
        @property
        def path(self) -> str: ...
        @property
        def query(self) -> str | None: ...
        @property
        def fragment(self) -> str | None: ...
        @property
        def parts(self) -> Any: ...

    L = TypeVar("L", bound=Locator)
    """The class of a URL, which these modules are not to know."""


NAMES = ("current", "rfc1738", "rfc1738-draft07", "browser")
"""All there are; a URL carries the place of its own in this row as a number."""

DOCUMENTS = NAMES[1:3]
"""Those that are a document's to the letter."""


_USER = b"!$&'()*+,;="
_PATH = b"!$&'()*+,;=:@/"
SAFE = {
    "user": _USER, "password": _USER + b":", "path": _PATH, "rest": _PATH + b"?", "query": _PATH + b"?",
    "fragment": _PATH + b"?",
}  # fmt: skip
"""What stands for itself in a component (RFC 3986 3); ``rest`` is a path that may hold a ``?``."""


def safe_today(scheme: str, component: str) -> bytes:
    """`Grammar.safe` of ``current``."""
    return SAFE[component]


class Grammar:
    """One way to read a URL.

    Attributes:
        read: A text, or octets, as a URL of this grammar; it raises URLSyntaxError.
        safe: By scheme and component, the octets that stand for themselves beside the unreserved ones, ``%`` aside; a
            component is a name of `SAFE`.
        resolve: A reference against a base of this grammar, where that differs from RFC 3986 5.
    """

    __slots__ = ("read", "safe", "resolve")

    def __init__(
        self,
        read: Callable[[str | bytes], Any],
        safe: Callable[[str, str], bytes] = safe_today,
        resolve: Callable[[str, str], Any] | None = None,
    ) -> None:
        self.read: Callable[[str | bytes], Any] = read
        self.safe: Callable[[str, str], bytes] = safe
        self.resolve: Callable[[str, str], Any] | None = resolve


GRAMMARS: dict[str, Grammar] = {}
"""By name; `anyurl` brings all of `NAMES`."""


def find_grammar(name: str) -> Grammar:
    """The grammar of that name.

    Raises:
        UnsupportedError: There is none.
    """
    if not isinstance(name, str):
        raise TypeError(f"a grammar is named by a str, not {type(name).__name__}")
    found = GRAMMARS.get(name)
    if found is None:
        raise unknown_grammar(name, tuple(GRAMMARS))
    return found


def unknown_grammar(grammar: str, known: tuple[str, ...]) -> UnsupportedError:
    """The error for an unknown grammar. Raises TypeError for what names none."""
    if not isinstance(grammar, str):
        raise TypeError(f"a grammar is named by a str, not {type(grammar).__name__}")
    return UnsupportedError(f"There is no grammar {grammar!r} here; there are {', '.join(known)}.")
