"""Secret: a password or other credential that only `Secret.reveal` shows."""

from __future__ import annotations

from typing import NoReturn, Self, TypeAlias

from anyurl.url.arguments import checked


class Secret:
    """A password or other credential; only `reveal` shows it.

    Attributes:
        user: The user that it belongs to, if the prompt also asked for the user name; else ``""``.
    """

    __slots__ = ("_text", "user", "__weakref__")

    @checked
    def __init__(self, text: str, user: str = "") -> None:
        self._text = text
        self.user: str = user

    def reveal(self) -> str:
        """The password itself."""
        return self._text

    def __repr__(self) -> str:
        return "Secret(***)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _known: object) -> Self:
        return self  # in memory, as the settings that hold it: nothing is written down

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Secret is not pickled: it would be written down in plain text")


Field: TypeAlias = tuple[str, str | Secret]
"""A header field of a request: its name, and its value, which is a `Secret` for a credential."""
