"""Login: who the caller is at a server of the web, and Authorization: what one request is sent with.

Rule: values only. What goes out unasked is what the caller says should; the rest waits for a challenge (RFC 9110 11).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any, Literal

from anyurl.dialogue.secret import Secret
from anyurl.values import Value

LoginKind = Literal["any", "basic", "digest", "bearer"]


class ProtectionSpace:
    """What a server has asked of a login with a challenge that can be answered again (RFC 7616 3.3 and 3.6).

    Threads may share it: each answer has a count of its own.
    """

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: tuple[Any, Iterator[int]] | None = None

    def keep(self, challenge: Any, first: int = 2) -> None:
        """A challenge that can be answered again.

        Args:
            first: Which answer to it the next one is: the first was accepted, unless the server has just named it.
        """
        self._known = challenge, count(first)

    def forget(self) -> None:
        """The server wants another one."""
        self._known = None

    def next(self) -> tuple[Any, int] | None:
        """The challenge, and which answer to it the next one is; None before there is one."""
        known = self._known
        return None if known is None else (known[0], next(known[1]))


class Login(Value):
    """A login for an origin: ``Client(auth={"https://api.example.org": Login.bearer("...")})``.

    ``Login(user, password)`` waits until the server asks, and answers with Digest or, if there is none, Basic.

    Attributes:
        kind: ``any``, ``basic``, ``digest`` or ``bearer``.
        user: Who it is; empty for a bearer.
        secret: The password or the token; None for a password that netrc has, or a person.
    """

    kind: LoginKind
    user: str
    secret: Secret | None
    _space: ProtectionSpace

    def __init__(self, user: str, password: str | Secret | None = None, *, kind: LoginKind = "any") -> None:
        """Raises TypeError for what is no text."""
        given: tuple[object, ...] = user, kind, password
        for value in given[:2] if isinstance(given[2], str | Secret | None) else given[2:]:
            if not isinstance(value, str):
                raise TypeError(f"a login is made of str (a Secret for the password), not {type(value).__name__}")
        secret = Secret(password) if isinstance(password, str) else password
        self._set(kind=kind, user=user, secret=secret, _space=ProtectionSpace())

    @property
    def space(self) -> ProtectionSpace:
        """What the server asks of it."""
        return self._space

    @classmethod
    def basic(cls, user: str, password: str | Secret | None = None) -> Login:
        """A login that goes out at once, as Basic (RFC 7617)."""
        return cls(user, password, kind="basic")

    @classmethod
    def digest(cls, user: str, password: str | Secret | None = None) -> Login:
        """A login that answers a Digest challenge and no other (RFC 7616): the password never leaves this machine."""
        return cls(user, password, kind="digest")

    @classmethod
    def bearer(cls, token: str | Secret) -> Login:
        """A token that goes out at once (RFC 6750)."""
        if token is None:
            raise TypeError("a bearer's token is a str or a Secret")
        return cls("", token, kind="bearer")

    def revealed(self) -> Login:
        """The same with the secret as it is now: one that is kept elsewhere (a file) is read here."""
        if self.secret is None:
            return self
        login = Login(self.user, Secret(self.secret.reveal()), kind=self.kind)
        login._set(_space=self._space)
        return login


class Authorization(Value):
    """The value of ``Authorization:``.

    Attributes:
        scheme: ``Basic``, ``Digest`` or ``Bearer``.
        credentials: What follows it.
        login: Whose it is, password included: connections are shared among requests of the same login only.
    """

    scheme: str
    credentials: Secret
    login: Secret
