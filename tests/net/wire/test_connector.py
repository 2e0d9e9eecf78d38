"""The connector: every address is judged, and exactly an approved one is connected to."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from typing import Any

import pytest

from anyurl import URL, Client, Policy
from anyurl.dialogue import Connect, ConnectData, Describe, Dialogue, Emit, Keep, Note, Receive, Send
from anyurl.errors import AnyURLError, ConnectError, LimitError, LocalProtocolError, RefusedError
from anyurl.net.loop.handlers import handlers
from anyurl.net.loop.provenance import Parties
from anyurl.net.loop.scheduler import Scheduler
from anyurl.net.wire.resolver import CACHE_ENTRIES
from anyurl.testing import SmallNetwork
from anyurl.values import Scope
from tests.net.connecting import OTHER, PRIVATE, PUBLIC, echo, run, talk
from tests.rows import each_row
from tests.servers import PATIENCE, Connection, Part, Server, answers, reply


@pytest.fixture
def scheduler() -> Any:
    scheduler = Scheduler(Policy.open(), handlers)
    yield scheduler
    scheduler.close()


def test_tcp(scheduler: Scheduler) -> None:
    with Server(echo) as server:
        assert run(scheduler, talk("127.0.0.1", server.port)) == b"ping"


def test_small_writes_go_out_at_once_and_urgent_octets_stay_in_their_place(scheduler: Scheduler) -> None:
    """A command would wait for the acknowledgement of the last one; the Synch of RFC 854 would lose an octet."""
    with Server(echo) as server:
        sock, _ = scheduler.connector.network.begin((server.host, server.port))
        assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_OOBINLINE)
        assert not sock.getblocking()
        sock.close()


def test_udp_takes_answers_of_that_host_only(scheduler: Scheduler) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
        peer.bind(("127.0.0.1", 0))
        peer.settimeout(5)

        def serve() -> None:
            data, client = peer.recvfrom(100)
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
                stranger.bind(("127.0.0.2", 0))
                stranger.sendto(b"from somebody else", client)
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other_port:
                other_port.bind(("127.0.0.1", 0))
                other_port.sendto(data, client)  # the same host from another port: Prospero servers do so

        thread = threading.Thread(target=serve)
        thread.start()
        assert run(scheduler, talk("127.0.0.1", peer.getsockname()[1], transport="udp")) == b"ping"
        thread.join()


@each_row(
    ("addresses", "allowed"),
    [
        ([PUBLIC], True),
        ([PUBLIC, OTHER], True),
        ([PRIVATE], False),
        ([PUBLIC, PRIVATE], False),
        ([PRIVATE, PUBLIC], False),
        (["127.0.0.1"], False),
        (["::ffff:10.0.0.1"], False),
        (["64:ff9b::7f00:1"], False),
        (["169.254.169.254"], False),
        (["0.0.0.0"], False),
    ],
)
@each_row("scheme", ["http", "ftp", "x-test"])
def test_every_address_of_a_name_is_judged(addresses: list[str], allowed: bool, scheme: str) -> None:
    network = SmallNetwork({"name.test": addresses})
    policy = Policy.untrusted().replace(allow_schemes=("http", "ftp", "x-test"), allow_ports=(4000,))
    scheduler = Scheduler(policy, handlers, network=network)
    dialogue = talk("name.test", 4000)
    error = ConnectError if allowed else RefusedError  # nobody listens in the small network: it got as far as that
    try:
        if scheme == "x-test":
            with pytest.raises(error):
                run(scheduler, dialogue, "x-test://name.test:4000/")
        else:
            with Client(policy, network=network) as client, pytest.raises(error):
                client.open(f"{scheme}://name.test:4000/x")
    finally:
        scheduler.close()
    assert bool(network.connected) == allowed


def test_a_name_that_changes_its_address_is_judged_again() -> None:
    network = SmallNetwork({"name.test": [[PUBLIC], ["127.0.0.1"]]})
    for error in (ConnectError, RefusedError):
        with Client(Policy.untrusted(), network=network) as client, pytest.raises(error):
            client.open("ftp://name.test/")
    assert network.connected == [(PUBLIC, 21)]


def test_what_was_checked_is_what_is_connected_to() -> None:
    """A name that answers another address to a second question: nobody asks a second question."""
    with Server(answers(reply(b"good"))) as server:
        network = SmallNetwork({"name.test": [[PUBLIC], ["127.0.0.1"]]}, {(PUBLIC, 80): (server.host, server.port)})
        with Client(Policy.untrusted(), network=network) as client:
            assert client.open("http://name.test/").read() == b"good"
    assert network.looked_up == ["name.test"]
    assert network.connected == [(PUBLIC, 80)]


def test_a_data_connection_goes_beside_its_control_connection(scheduler: Scheduler) -> None:
    def dialogue() -> Dialogue:
        control = yield from Connect("127.0.0.1", one.port)
        data = yield from ConnectData(control, two.port)
        assert data.peer == ("127.0.0.1", two.port)
        yield from Send(data, b"ping")
        yield from Emit((yield from Receive(data)))
        return None

    with Server(echo) as one, Server(echo) as two:
        assert run(scheduler, dialogue) == b"ping"


@pytest.mark.parametrize("port", [0, 22, 25, 80, 1023, 6379, 65536])
def test_a_data_connection_goes_to_no_other_service(scheduler: Scheduler, port: int) -> None:
    def dialogue() -> Dialogue:
        control = yield from Connect("127.0.0.1", server.port)
        yield from ConnectData(control, port)
        return None

    with Server(echo) as server, pytest.raises(RefusedError):
        run(scheduler, dialogue)
    assert len(server.received) == 1


def test_a_peer_can_not_send_a_dialogue_inward() -> None:
    """An endpoint that is not the URL's own was named by the peer: a public one may not name a private one."""

    def dialogue() -> Dialogue:
        yield from Connect("name.test", 4000)
        yield from Connect("127.0.0.1", 4001)
        return None

    with Server(echo) as server:
        network = SmallNetwork({"name.test": [PUBLIC]}, {(PUBLIC, 4000): (server.host, server.port)})
        scheduler = Scheduler(Policy.default().replace(allow_ports=(4000, 4001)), handlers, network=network)
        with pytest.raises(RefusedError):
            run(scheduler, dialogue, "x-test://name.test:4000/")
        scheduler.close()
    assert network.connected == [(PUBLIC, 4000)]


def test_one_dialogue_opens_so_many_connections_and_no_more(scheduler: Scheduler) -> None:
    made = 0

    def dialogue() -> Dialogue:
        nonlocal made
        while True:
            yield from Connect("127.0.0.1", server.port)
            made += 1

    with Server(echo) as server:
        with pytest.raises(LimitError) as caught:
            run(scheduler, dialogue)
        assert caught.value.limit == "connections"
    assert made == scheduler.policy.limits.connections


def test_a_closed_channel_is_no_channel(scheduler: Scheduler) -> None:
    from anyurl.dialogue import Close

    def dialogue() -> Dialogue:
        channel = yield from Connect("127.0.0.1", server.port)
        yield from Close(channel)
        yield from Send(channel, b"x")
        return None

    with Server(echo) as server, pytest.raises(LocalProtocolError):
        run(scheduler, dialogue)


# --- kept connections ----------------------------------------------------------------------------------------------


def keeping(port: int, session: str = "s", *, secret: Any = None, fresh: bool = False) -> Callable[[], Dialogue]:
    def dialogue() -> Dialogue:
        channel = yield from Connect("127.0.0.1", port, session=session, secret=secret, fresh=fresh)
        yield from Describe("document")
        yield from Send(channel, b"ping")
        yield from Receive(channel)
        yield from Emit(repr(channel.kept).encode())
        yield from Keep(channel, session, ("state", 1))
        return None

    return dialogue


def test_a_kept_connection_is_used_again_with_its_state(scheduler: Scheduler) -> None:
    with Server(echo) as server:
        assert run(scheduler, keeping(server.port)) == b"None"
        assert run(scheduler, keeping(server.port)) == b"('state', 1)"
        assert run(scheduler, keeping(server.port, fresh=True)) == b"None"
    assert len(server.received) == 2


def test_what_nothing_proves_keeps_no_connection(scheduler: Scheduler) -> None:
    def doubting() -> Dialogue:
        yield from keeping(server.port)()
        yield from Note("perhaps", unproved=True)
        return None

    with Server(echo) as server:
        for _ in range(2):
            assert run(scheduler, doubting) == b"None"
    assert len(server.received) == 2


def test_who_is_given_a_kept_connection_has_met_its_peer(scheduler: Scheduler) -> None:
    with Server(echo) as server:
        for _ in range(2):
            task = scheduler.start(Parties(URL("x-test://h/")), keeping(server.port))
            while task.pull() is not None:
                pass
            assert (task.parties.peer_scope, task.parties.last_address) == (Scope.LOCAL, "127.0.0.1")
    assert len(server.received) == 1


def test_a_kept_connection_is_not_shared_between_sessions_and_logins(scheduler: Scheduler) -> None:
    from anyurl.dialogue import Secret

    with Server(echo) as server:
        for _ in range(2):
            run(scheduler, keeping(server.port, "one"))
            run(scheduler, keeping(server.port, "two"))
            run(scheduler, keeping(server.port, "one", secret=Secret("a")))
            run(scheduler, keeping(server.port, "one", secret=Secret("b")))
        assert len(server.received) == 4


@pytest.mark.parametrize(
    "act",
    [lambda connection: connection.send(b"unasked"), lambda connection: connection.sock.shutdown(socket.SHUT_WR)],
    ids=["spoke", "left"],
)
def test_a_kept_connection_whose_peer_spoke_or_left_is_dropped(scheduler: Scheduler, act: Part) -> None:
    kept, done = threading.Event(), threading.Event()

    def part(connection: Connection) -> None:
        connection.send(connection.sock.recv(100))
        kept.wait(PATIENCE)
        act(connection)
        done.set()
        connection.wait_for_close()

    with Server(part) as server:
        assert run(scheduler, keeping(server.port)) == b"None"
        kept.set()
        assert done.wait(PATIENCE)
        assert run(scheduler, keeping(server.port)) == b"None"
        assert len(server.received) == 2


def test_a_dialogue_that_failed_keeps_nothing(scheduler: Scheduler) -> None:
    def dialogue() -> Dialogue:
        channel = yield from Connect("127.0.0.1", server.port, session="s")
        yield from Keep(channel, "s", None)
        raise LocalProtocolError("after all")

    with Server(echo) as server:
        with pytest.raises(AnyURLError):
            run(scheduler, dialogue)
        assert run(scheduler, keeping(server.port)) == b"None"
        assert len(server.received) == 2


@pytest.mark.parametrize(
    ("harmless", "refused", "code"),
    [
        ("http://joe:x@name.test/", "http://joe:1%2F@name.test/", "user-disguised"),
        ("gopher://name.test/1", "gopher://name.test/0s%09%09+%091%0D%0A+-1%0D%0Aa%0D%0A.%0D%0A", "form"),
        ("http://v1.name.test/", "http://[v1.name.test]/", "host-unclear"),
    ],
)
def test_what_was_allowed_before_vouches_for_nothing_else(harmless: str, refused: str, code: str) -> None:
    """A verdict is remembered for what it was said of, and for no URL that only looks the same from afar."""
    network = SmallNetwork({"name.test": [PUBLIC], "v1.name.test": [PUBLIC]})
    with Client(Policy.untrusted(), network=network) as client:
        with pytest.raises(ConnectError):
            client.open(harmless)
        connected = len(network.connected)
        with pytest.raises(RefusedError) as caught:
            client.open(refused)
    assert (caught.value.verdict.code, len(network.connected)) == (code, connected)


def test_that_a_kept_connection_may_be_used_is_remembered_for_a_bounded_while(scheduler: Scheduler) -> None:
    connector = scheduler.connector
    assert not connector.was_judged(("ftp", "h", 0))
    for number in range(CACHE_ENTRIES + 1):
        connector.remember(("ftp", "h", number))
    assert connector.was_judged(("ftp", "h", CACHE_ENTRIES))
    assert not connector.was_judged(("ftp", "h", 0))
