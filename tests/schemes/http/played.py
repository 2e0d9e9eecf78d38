"""A dialogue of http, played from a list of answers."""

from __future__ import annotations

from typing import Any

from anyurl.dialogue import (
    Ask,
    AskSecret,
    Channel,
    Describe,
    Dialogue,
    Follow,
    Note,
    Options,
    Random,
    Relay,
    Request,
    Response,
    Rewind,
    Secret,
)
from anyurl.errors import AnyURLError
from anyurl.schemes.http.verbs import get
from anyurl.url import URL


class Play:
    """A dialogue played to its end: every ask that was made, and how it ended.

    Requests are answered from the list, one by one; a `Relay` by the number of octets of the response's body; a
    question for a password by `secret` (of `user`); whether the source can be read again by `rewinds`.
    """

    def __init__(
        self,
        dialogue: Dialogue,
        *answers: Response,
        octets: int = 0,
        secret: str | None = None,
        user: str = "",
        rewinds: bool = True,
    ) -> None:
        left = list(answers)
        self.asks: list[Ask[Any]] = []
        self.ended: Follow | AnyURLError | None = None
        answer: Any = None
        try:
            while True:
                ask = dialogue.send(answer)
                self.asks.append(ask)
                answer = None
                if isinstance(ask, Request):
                    answer = left.pop(0)
                elif isinstance(ask, Relay):
                    answer = octets
                elif isinstance(ask, AskSecret):
                    answer = None if secret is None else Secret(secret, user)
                elif isinstance(ask, Rewind):
                    answer = rewinds
                elif isinstance(ask, Random):
                    answer = bytes(ask.count)
        except StopIteration as end:
            self.ended = end.value
        except AnyURLError as error:
            self.ended = error
        assert left == []

    def of(self, kind: type[Any]) -> list[Any]:
        return [ask for ask in self.asks if type(ask) is kind]

    @property
    def names(self) -> list[str]:
        return [type(ask).__name__ for ask in self.asks]

    @property
    def request(self) -> Request:
        return self.of(Request)[0]  # type: ignore[no-any-return]

    @property
    def description(self) -> Describe:
        return self.of(Describe)[0]  # type: ignore[no-any-return]

    @property
    def notes(self) -> list[str]:
        return [remark.text for remark in self.of(Note)]

    @property
    def follow(self) -> Follow:
        assert isinstance(self.ended, Follow), self.ended
        return self.ended

    @property
    def error(self) -> AnyURLError:
        assert isinstance(self.ended, AnyURLError), self.ended
        return self.ended


def answer(status: int, *headers: tuple[str, str], version: str = "1.1") -> Response:
    return Response(status, version, headers, Channel())


def play(url: str, *answers: Response, verb: Any = get, options: Options | None = None, **how: Any) -> Play:
    return Play(verb(URL(url), options or Options()), *answers, **how)
