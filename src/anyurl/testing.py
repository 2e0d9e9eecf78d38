"""Test support for built-in and third-party schemes and protocols: rehearsals, two contract suites, a small network.

Rule: the real code is tested. A rehearsal runs the same dialogue as a client; the small network is the real connector
with other addresses for its names; nothing is mocked, and nothing leaves this machine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from anyurl.client.dry_run import DryRun
from anyurl.dialogue import Ask, Dialogue, Emit, Follow, Options, Verb
from anyurl.errors import AnyURLError, ConnectError, ConnectionLost, RefusedError, TransferTimeout
from anyurl.net.wire.connector import Network
from anyurl.schemes.kit.scheme import Scheme
from anyurl.url import URL
from anyurl.url.syntax import row
from anyurl.values import shown

__all__ = ["ProtocolContract", "DryRun", "SchemeContract", "SmallNetwork", "rehearse", "three_ways"]

MAX_ASKS = 500
"""Asks of one dialogue with a fake server: the longest built-in one has some forty."""

MAX_RETRIES = 50
"""Times that a dialogue may try another way if everything fails."""


class Script:
    """The result of `rehearse`.

    Attributes:
        asks: Every ask, in order.
        emitted: Everything emitted, in order.
        follow: The redirect with which the dialogue ended, or None.
    """

    def __repr__(self) -> str:
        return shown(self, "asks")

    def __init__(self) -> None:
        self.asks: list[Ask[Any]] = []
        self.emitted: list[Any] = []
        self.follow: Follow | None = None


def rehearse(dialogue: Dialogue, answers: Iterable[Any]) -> Script:
    """Run a dialogue with a list of answers; an exception in the list is raised at its ask.

    Args:
        dialogue: The dialogue to run.
        answers: One for each ask, in order. If there are more asks than answers, the dialogue is closed.

    Raises:
        AnyURLError: The dialogue ended with this error.
    """
    script = Script()
    rest = iter(answers)
    answer: Any = None
    while True:
        try:
            ask = dialogue.throw(answer) if isinstance(answer, BaseException) else dialogue.send(answer)
        except StopIteration as stop:
            script.follow = stop.value
            return script
        script.asks.append(ask)
        if isinstance(ask, Emit):
            script.emitted.append(ask.content)
        try:
            answer = next(rest)
        except StopIteration:
            dialogue.close()
            return script


def three_ways(data: bytes, trailing: bytes = b"") -> Iterator[list[bytes]]:
    """Yield the octets whole, byte by byte, and, if given, with trailing octets in the same piece."""
    yield [data]
    yield [data[i : i + 1] for i in range(len(data))]
    if trailing:
        yield [data + trailing]


class SmallNetwork(Network):
    """A network of a few names and servers, for the real connector: ``Client(network=SmallNetwork(...))``.

    Args:
        names: The addresses of each host name; a list of lists answers one look-up after the other (rebinding).
        servers: The real endpoint of each endpoint: ``{("93.184.216.34", 80): ("127.0.0.1", port)}``.

    Attributes:
        looked_up: The names that were looked up, in order.
        connected: The requested endpoints of the connections, in order.
    """

    def __repr__(self) -> str:
        return shown(
            self,
        )

    def __init__(
        self, names: Mapping[str, Sequence[Any]], servers: Mapping[tuple[str, int], tuple[str, int]] | None = None
    ) -> None:
        self._names = {name: list(answer) for name, answer in names.items()}
        self._servers = dict(servers or {})
        self.looked_up: list[str] = []
        self.connected: list[tuple[str, int]] = []
        super().__init__(self._answer, self._translate)

    def _answer(self, host: str) -> Sequence[str]:
        self.looked_up.append(host)
        answer = self._names.get(host)
        if not answer:
            raise ConnectError(f"The host name {host!r} has no address here.", stage="look-up")
        if isinstance(answer[0], str):
            return answer
        first: Sequence[str] = answer[0] if len(answer) == 1 else answer.pop(0)
        return first

    def socket_to(self, endpoint: tuple[str, int], transport: Any) -> Any:
        """As `Network.socket_to`, with a record in `connected`."""
        self.connected.append(endpoint)
        return super().socket_to(endpoint, transport)

    def _translate(self, endpoint: tuple[str, int]) -> tuple[str, int]:
        # Endpoints without a server lead to a port where nothing listens, so that no connection leaves this machine.
        return self._servers.get(endpoint, ("127.0.0.1", 1))


class SchemeContract:
    """The contract of every scheme; a test class inherits it and names the scheme::

        class TestFtp(SchemeContract):
            scheme = ftp.SCHEMES[0]
            urls = ("ftp://h/etc/motd", "ftp://u:pw@h/a/")

    Attributes:
        scheme: The scheme.
        urls: URLs of it that the tests follow.
        options: The options for following them.
        FAILURES: The errors thrown into a dialogue at each of its asks.
    """

    def __repr__(self) -> str:
        return shown(
            self,
        )

    scheme: ClassVar[Scheme]
    urls: ClassVar[tuple[str, ...]]
    options: ClassVar[Options] = Options()

    FAILURES: ClassVar[tuple[AnyURLError, ...]] = (
        RefusedError("Refused for the test.", code="refused"),
        ConnectError("Not connected, for the test."),
        ConnectionLost("Lost for the test."),
        TransferTimeout("Too late, for the test.", clock="idle"),
    )

    def _dialogues(self) -> Iterator[tuple[URL, Verb, Callable[[], Dialogue]]]:
        for text in self.urls:
            url = URL(text)
            for verb, begin in self.scheme.verbs.items():
                yield url, verb, lambda url=url, begin=begin: begin(url, self.options)  # type: ignore[misc]

    def _rehearse(self, url: URL, dialogue: Dialogue) -> DryRun:
        peer = None if self.scheme.fake_server is None else self.scheme.fake_server(url, self.options)
        return DryRun(dialogue, peer).run()

    def test_parts_are_written_as_they_were_read(self) -> None:
        """The parts of a URL do not change if a URL is built from them and read again."""
        for text in self.urls:
            url = URL(text)
            built = URL.build(
                scheme=url.scheme, user=url.user, password=url.password, host=url.host, port=url.explicit_port,
                parts=url.parts,
            )  # fmt: skip
            assert built.parts == url.parts, f"{text}: {url.parts} was written as {built}, which is {built.parts}"

    def test_every_dialogue_ends_with_an_ideal_peer(self) -> None:
        """Every verb ends, with or without an error of the tree."""
        for url, verb, begin in self._dialogues():
            try:
                self._rehearse(url, begin())
            except AnyURLError as error:  # the verb may not support this URL
                assert str(error), (url, verb)

    def test_whatever_is_thrown_in_only_errors_of_the_tree_come_out(self) -> None:
        """Each ask in turn is refused, loses its connection, and times out."""
        for url, _verb, begin in self._dialogues():
            for failure in self.FAILURES:
                at = 1
                while self._fails_at(url, begin(), at, failure):
                    at += 1
                    assert at < MAX_ASKS, f"{url}: the dialogue does not end"

    def _advance(self, url: URL, dialogue: Dialogue, count: int) -> bool:
        """Run to the ask of that number; returns False if the dialogue ends before."""
        peer = None if self.scheme.fake_server is None else self.scheme.fake_server(url, self.options)
        rehearsal = DryRun(dialogue, peer)
        try:
            ask = next(dialogue)
            for _ in range(count - 1):
                ask = dialogue.send(rehearsal.answer(ask))
        except (StopIteration, AnyURLError):
            return False
        return True

    def _fails_at(self, url: URL, dialogue: Dialogue, at: int, failure: AnyURLError) -> bool:
        """Raise `failure` at the ask of that number and all later ones; returns False if there is no such ask."""
        if not self._advance(url, dialogue, at):
            return False
        try:
            for _ in range(MAX_RETRIES):  # it may retry in another way, but not forever
                dialogue.throw(failure)
        except (StopIteration, AnyURLError):
            return True
        raise AssertionError(f"{url}: it never gives up")

    def test_it_can_be_dropped_at_every_ask(self) -> None:
        """A dialogue that is closed at an ask makes no further asks."""
        for url, _verb, begin in self._dialogues():
            for at in range(1, MAX_ASKS):
                dialogue = begin()
                if not self._advance(url, dialogue, at):
                    break
                dialogue.close()

    def test_forbidden_octets_are_refused_before_anything_is_asked(self) -> None:
        """RFC 1738 section 6: delimiters of the protocol are never sent."""
        from anyurl.schemes import registry

        for octet in row(self.scheme.name).forbidden:
            url = URL(f"{self.urls[0]}%{octet:02X}x")
            for verb in self.scheme.verbs:
                try:
                    next(registry.verb(url, verb)(url, self.options))
                except AnyURLError:
                    continue
                raise AssertionError(f"{url} was accepted by {verb}")


class ProtocolContract(ABC):
    """The contract of every codec: the same values whole, byte by byte, and with trailing octets.

    A test class inherits it, names its cases and says how octets become values::

        class TestReplies(ProtocolContract):
            cases = ((b"220 hello\\r\\n", b"331"), ...)       # octets, and what may follow them

            def read(self, pieces):
                reader = ReplyReader()
                return [reply for piece in pieces for reply in reader.feed(piece)]

    Attributes:
        cases: Octets, and what may follow them, for each case.
    """

    def __repr__(self) -> str:
        return shown(
            self,
        )

    cases: ClassVar[tuple[tuple[bytes, bytes], ...]]

    @abstractmethod
    def read(self, pieces: Sequence[bytes]) -> Any:
        """The complete values in these octets; octets after the last one are ignored."""

    def test_the_pieces_do_not_matter(self) -> None:
        """The values are the same for the octets whole, byte by byte, and with trailing octets."""
        for data, trailing in self.cases:
            whole, *others = [self.read(pieces) for pieces in three_ways(data, trailing)]
            for other in others:
                assert other == whole, data
