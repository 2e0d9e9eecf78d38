"""The client's side of ARDP, on a clock that is an argument."""

from __future__ import annotations

import pytest

from anyurl.errors import (
    AnyURLError,
    LimitError,
    LocalProtocolError,
    RemoteProtocolError,
    ReplyError,
    TransferTimeout,
    Truncated,
)
from anyurl.schemes.prospero.wire.ardp import LONGEST_WAIT, MAX_AHEAD, MAX_DATAGRAM, Call
from anyurl.schemes.prospero.wire.ardp_packet import RESET, Packet, decode, encode
from tests.rows import each_row
from tests.schemes.prospero.wire.prospero_transcripts import Datagram, conversations, message

CID = 0x6F06
REQUEST = b"VERSION 5\nSTATUS\n"


def call(request: bytes = REQUEST, **given: float) -> Call:
    """A call that has just sent its request."""
    made = Call(CID, request, 0.0, who="h:1525", **given)  # type: ignore[arg-type]
    made.due(0.0)
    return made


def reply(number: int, total: int | None = 0, data: bytes = b"", cid: int = CID, **more: int) -> bytes:
    """A packet of the server's reply."""
    return encode(Packet(cid, number, total, **more, payload=data))  # type: ignore[arg-type]


ACK = 0x80


def control(**given: object) -> bytes:
    """A control packet of the server."""
    packet = Packet(CID, 0, 0, 0, 0, 0, 0)
    for name, value in given.items():
        setattr(packet, name, value)
    return encode(packet)


RESETTING = control(option=RESET)
"""The server has nothing of the request."""


# --- the transcripts --------------------------------------------------------------------------------------------------

REPLAYED = [
    "real-vls-multicomp",  # one packet each way
    "real-vls-big",  # 41 packets, two windows
    "real-vls-wait",  # wait and queue status, an acknowledged last packet
    "real-client-partial",  # the total is said in the second packet
    "real-client-wait",
    "real-archie-exact",
    "real-als-paper",
    "loss-request",
    "loss-single-reply",
    "loss-middle",
    "loss-ack",
    "hdr-window2-ack",
    "get-object-info",
    "multi-command",
    "ardp-multipacket-request",
    "ardp-wait-queue-status",
    "gopher-gateway",
]


@each_row("name", REPLAYED)
def test_the_reply_of_a_transcript(name: str) -> None:
    """Our client stands in the client's place: what it is told becomes the same message."""
    for cid, its in conversations(name):
        answered = [each for each in its if not each.to_server and not each.dropped]
        if not answered or not cid:
            continue
        request = message(each for each in its if each.to_server)
        ours = Call(cid, request, its[0].at)
        pieces = []
        for each in answered:
            ours.due(each.at)
            ours.feed(each.data, each.at)
            pieces.append(ours.take())
        assert ours.done
        assert b"".join(pieces) == message(iter(answered))


REAL = ["real-vls-multicomp", "real-vls-big", "real-vls-wait", "real-client-wait", "real-archie-exact", "loss-ack"]


@pytest.mark.parametrize("name", REAL)
def test_what_the_original_client_sent_is_what_ours_sends(name: str) -> None:
    """The request and the acknowledgements, octet for octet; repeats come sooner than the original's 4 seconds."""
    for cid, its in conversations(name):
        ours = Call(cid, message(each for each in its if each.to_server), its[0].at)
        sent = ours.due(its[0].at)
        for each in its:
            if not each.to_server and not each.dropped:
                ours.feed(each.data, each.at)
                sent += ours.due(each.at)
        assert unique(sent) == unique(each.data for each in its if each.to_server)


def unique(datagrams: object) -> list[bytes]:
    return list(dict.fromkeys(datagrams))  # type: ignore[call-overload]


def test_the_original_client_repeats_and_so_do_we() -> None:
    """Silence: it asked at 0, 4, 12 and 28 seconds and gave up at 60; the interval of ours is capped at its first."""
    _, its = next(conversations("real-client-timeout"))
    ours = Call(its[0].cid, message(iter(its)), 0.0)
    times = []
    while True:
        now = ours.next_at
        try:
            sent = ours.due(now)
        except TransferTimeout as error:
            assert (now, error.clock) == (60.0, "idle")
            break
        assert sent == [its[0].data]
        times.append(now)
    assert times == [0, 1, 3, *range(7, 60, 4)]
    assert [round(each.at) for each in its] == [0, 4, 12, 28]


def test_a_repeat_says_what_has_arrived() -> None:
    """`loss-request`, `loss-middle`: the request again while the server may lack it, else only the acknowledgement."""
    ours = call()
    assert ours.due(0.9) == []
    assert ours.due(1.0) == [encode(Packet(CID, 1, 1, 0, payload=REQUEST))]
    ours.feed(reply(1, 0, b"a"), 1.5)  # this server does not say that it has the request
    assert ours.due(2.5) == [encode(Packet(CID, 1, 1, 1, payload=REQUEST))]
    ours.feed(reply(2, 3, b"b", received_through=1), 3.0)
    assert ours.due(4.0) == [encode(Packet(CID, 0, 0, 2))]
    assert ours.due(6.0) == [encode(Packet(CID, 0, 0, 2))]
    assert ours.due(10.0) == [encode(Packet(CID, 0, 0, 2))]
    assert ours.next_at == 14.0


# --- the request ------------------------------------------------------------------------------------------------------


def test_a_long_request_is_cut_and_only_what_is_missing_is_repeated() -> None:
    request = b"x" * 3000
    ours = Call(CID, request, 0.0)
    first = [decode(each) for each in ours.due(0.0)]
    assert [(each.number, each.total, len(each.payload)) for each in first] == [(1, 3, 1250), (2, 3, 1250), (3, 3, 500)]
    ours.feed(control(received_through=2), 0.5)
    assert ours.due(0.6) == []
    assert [decode(each).number for each in ours.due(1.5)] == [3]
    ours.feed(control(received_through=0, option=2), 1.6)  # it has lost them: reset
    assert [decode(each).number for each in ours.due(3.6)] == [1, 2, 3]
    ours.feed(control(received_through=9), 3.7)  # no such packet: not believed
    assert [decode(each).number for each in ours.due(7.6)] == [1, 2, 3]


def test_a_request_that_is_too_long() -> None:
    Call(CID, b"x" * 80_000, 0.0)
    with pytest.raises(LocalProtocolError, match="80,001 octets does not fit into 64 packets"):
        Call(CID, b"x" * 80_001, 0.0)


def test_a_cancellation() -> None:
    _, its = next(conversations("real-client-cancel"))
    assert Call(its[0].cid, REQUEST, 0.0).cancellation() == its[-1].data


# --- the reply --------------------------------------------------------------------------------------------------------


@each_row(
    ("packets", "text"),
    [
        ([encode(Packet(CID, payload=b"all"))], b"all"),  # header of 3: packet 1 of 1
        ([reply(1, 1, b"all")], b"all"),
        ([reply(1, None, b"a"), reply(2, 2, b"b")], b"ab"),  # header of 5: the total is not known
        ([reply(1, 0, b"a"), reply(2, 0, b"b"), reply(3, 3, b"c")], b"abc"),
        ([reply(3, 3, b"c"), reply(1, 0, b"a"), reply(2, 0, b"b")], b"abc"),  # out of order
        ([reply(1, 0, b"a"), reply(1, 0, b"A"), reply(2, 2, b"b")], b"ab"),  # the first of two counts
        ([reply(1, 2, b"a"), control(received_through=1), reply(2, 2, b"b")], b"ab"),
        ([reply(1, 0, b"a"), reply(1, 1, b"a")], b"a"),  # what is sent again may be the first to tell the total
        ([reply(1, 0, b"a"), control(total=1)], b"a"),  # and so may a packet that carries nothing
        ([control(total=2), reply(1, 0, b"a"), reply(2, 0, b"b")], b"ab"),
        ([reply(1, 2, b"a"), control(total=7), reply(2, 2, b"b")], b"ab"),  # the packets of the reply know better
        ([reply(1, 3, b"a"), reply(2, 3, b"x", received_through=1, wait=0, flags=0x40), reply(3, 3, b"c")], b"ac"),
        ([reply(1, 2, b"a\0"), reply(2, 2, b"b\0")], b"ab"),  # releases 5.0 to 5.2 end pieces so
        ([reply(1, 2, b"a\0"), reply(2, 2, b"b\n")], b"a\0b\n"),  # others don't: it is an octet of a file
        ([reply(1, 3, b"a"), reply(2, 3, b"b\0"), reply(3, 3, b"c\n")], b"ab\0c\n"),
        ([reply(1, 3, b"\0\0"), reply(2, 3, b"\0\0"), reply(3, 3, b"\n")], b"\0" * 4 + b"\n"),
        ([reply(1, 1, b"a\n\0")], b"a\n"),
        ([encode(Packet(CID))], b""),  # an empty reply
    ],
)
def test_a_reply(packets: list[bytes], text: bytes) -> None:
    ours = call()
    for datagram in packets:
        assert not ours.done
        ours.feed(datagram, 0.1)
    assert (ours.done, ours.take(), ours.take()) == (True, text, b"")
    ours.feed(reply(1, 1, b"more"), 0.2)
    assert (ours.take(), ours.due(100.0)) == (b"", [])


def test_pieces_are_handed_out_as_soon_as_they_are_in_order() -> None:
    ours = call()
    ours.feed(reply(2, 0, b"b"), 0.1)
    assert ours.take() == b""
    ours.feed(reply(1, 0, b"a"), 0.1)
    assert ours.take() == b"ab"


def test_a_nul_behind_what_was_handed_out_is_an_octet_of_it() -> None:
    """Only a first piece is held back: what servers of the releases 5.0 to 5.2 append stands behind that one, too."""
    ours = call()
    ours.feed(reply(1, 0, b"a"), 0.1)
    assert ours.take() == b"a"
    ours.feed(reply(2, 0, b"b\0"), 0.2)
    assert ours.take() == b"b\0"
    ours.feed(reply(3, 3, b"c\n"), 0.3)
    assert (ours.take(), ours.done) == (b"c\n", True)


def test_whoever_asks_for_it_is_acknowledged_once() -> None:
    ours = call()
    for _ in range(3):
        ours.feed(reply(1, 0, b"a", received_through=1, wait=0, flags=ACK), 0.1)
    assert ours.due(0.1) == [encode(Packet(CID, 0, 0, 1))]
    assert ours.due(0.2) == []
    ours.feed(reply(2, 2, b"b", received_through=1, wait=0, flags=ACK), 0.3)
    assert (ours.done, ours.due(0.3)) == (True, [encode(Packet(CID, 0, 0, 2))])  # before the reply is handed on


def test_what_is_too_far_ahead_is_not_kept() -> None:
    ours = call()
    ours.feed(reply(MAX_AHEAD + 1, 0, b"x"), 0.1)
    for number in range(1, MAX_AHEAD + 1):
        ours.feed(reply(number, 0, b"."), 0.1)
    assert ours.take() == b"." * MAX_AHEAD


# --- what changes nothing ---------------------------------------------------------------------------------------------

NOTHING = [
    b"",
    encode(Packet(payload=b"no connection")),
    encode(Packet(0, 1, 1, payload=b"connection zero")),
    reply(1, 1, b"another connection", cid=CID + 1),
    reply(1, 1, b"please acknowledge", cid=CID + 1, received_through=1, wait=0, flags=ACK),
    control(cid=CID + 1, option=1),
    control(cid=CID + 1, option=4, endpoint=("10.0.0.7", 22)),
    control(cid=CID + 1, wait=65535),
    reply(1, 1, b"x" * MAX_DATAGRAM),  # too large
    b"HTTP/1.0 400 Bad Request\r\n",
    b"\x81" + bytes(30),
    b"\x00",
    b"\x1f",
]


@each_row("datagram", NOTHING)
def test_what_is_not_ours_changes_nothing_and_is_answered_by_nothing(datagram: bytes) -> None:
    plain, bothered = call(), call()
    for _ in range(100):
        bothered.feed(datagram, 0.5)
        assert bothered.due(0.5) == []
    assert (bothered.next_at, bothered.take(), bothered.moved, bothered.queue) == (plain.next_at, b"", None, None)
    bothered.feed(reply(1, 1, b"all"), 0.6)
    assert (bothered.done, bothered.take()) == (True, b"all")


def test_nothing_that_comes_in_makes_more_go_out() -> None:
    """No amplification: an answer is 9 octets, and only a packet of ours of at least 12 draws one."""
    ours = call(b"x" * 5000)
    for flags in range(256):
        for option in (0, 2, 3, 5, 6, 7, 9, 253, 254, 255):
            datagram = encode(Packet(CID, 0, 0, 0, 0, flags, option))
            ours.feed(datagram, 0.1)
            sent = ours.due(0.1)
            assert len(b"".join(sent)) <= len(datagram)
            assert sent == [] or flags & ACK


def test_a_reply_that_comes_after_a_stranger_counts() -> None:
    ours = call()
    ours.feed(b"220 smtp ready\r\n", 0.1)
    ours.due(1.0)
    ours.feed(encode(Packet(CID, payload=b"all")), 1.1)
    assert ours.take() == b"all"


def test_a_host_that_echoes_the_request_answers_nothing() -> None:
    ours = call(patience=5.0)
    for now in range(5):
        for datagram in ours.due(float(now)):
            ours.feed(datagram, now + 0.1)
    assert (ours.take(), ours.done) == (b"", False)
    with pytest.raises(RemoteProtocolError, match="does not speak ARDP"):
        ours.due(5.0)


def test_a_peer_that_never_speaks_ardp_is_a_stranger_when_its_time_is_over() -> None:
    ours = call(patience=5.0)
    for now in range(5):
        ours.feed(b"220 smtp\x1b ready\r\n", now + 0.1)
        ours.due(float(now))
    with pytest.raises(RemoteProtocolError, match=r"h:1525 does not speak ARDP version 0.*220 smtp\\x1b ready"):
        ours.due(5.0)


def test_junk_changes_nothing_whatever_it_is_and_however_much() -> None:
    """Whoever forges the server's address knows neither the connection nor what was asked."""
    junk = [b"x", b"\0", encode(Packet(CID + 1, payload=b"forged")), encode(Packet(CID + 1, 0, 0, 0, 9)), b"y" * 60_000]
    ours, left_alone = call(), call()
    for step in range(590):
        now = step / 10
        ours.feed(junk[step % len(junk)], now)
        assert ours.due(now) == left_alone.due(now)
        assert ours.next_at == left_alone.next_at
    ours.feed(reply(1, 1, b"all"), 59.0)
    assert (ours.take(), ours.done) == (b"all", True)


# --- clocks -----------------------------------------------------------------------------------------------------------


def test_a_wait_holds_the_repeats_back_and_the_deadline_off() -> None:
    ours = call()
    ours.feed(control(wait=180), 0.5)
    assert ours.next_at == 180.5
    assert ours.due(100.0) == []
    assert ours.due(180.5) != []
    assert ours.next_at == 181.5
    ours.feed(control(wait=2), 182.0)  # never sooner than 4 seconds
    assert ours.next_at == 186.0
    ours.feed(reply(1, 0, b"a", received_through=1, wait=0), 183.0)  # it is over: our own clock
    assert ours.next_at == 184.0


def test_an_acknowledgement_takes_no_wait_back() -> None:
    """A header that ends before the wait says nothing of it."""
    ours = call()
    ours.feed(control(wait=180), 0.5)
    ours.feed(encode(Packet(CID, 0, 0, 1)), 1.0)
    assert ours.next_at == 180.5
    assert ours.due(180.5) == [encode(Packet(CID, 0, 0, 0))]  # it has the request: no more than that we are here
    ours.feed(reply(1, 1, b"a"), 200.0)
    assert ours.done


def test_a_wait_without_end_has_one() -> None:
    ours = call()
    end = LONGEST_WAIT + 60.0
    for now in range(30, int(end), 30):
        ours.feed(control(wait=65535), now)
        assert ours.due(now) == []
    with pytest.raises(TransferTimeout):
        ours.due(end)


@pytest.mark.parametrize(
    "says",
    [
        [control(wait=1), control(wait=0)],  # a wait that is taken back is none the less one
        [control(wait=65535), control(wait=0)],
        [RESETTING, encode(Packet(CID, 0, 0, 1))],  # "I have nothing", "I have it"
        [encode(Packet(CID, 0, 0, 1))],
        [reply(2, 3, b"b")],  # the same piece again, ahead of one that never comes
        [control(wait=0), control(wait=1), RESETTING, encode(Packet(CID, 0, 0, 1))],
    ],
)
def test_nothing_but_progress_renews_the_clock(says: list[bytes]) -> None:
    ours = call()
    gave_up = None
    for now in range(3 * int(LONGEST_WAIT)):
        ours.feed(says[now % len(says)], now)
        try:
            ours.due(now)
        except (TransferTimeout, Truncated):
            gave_up = now
            break
    assert gave_up is not None
    assert gave_up <= LONGEST_WAIT + 60 + len(says)  # in the first round there may be progress


def test_a_reset_is_obeyed_each_time_and_is_no_progress() -> None:
    ours = call(b"a" * 3_000)
    whole = len(call(b"a" * 3_000)._request())
    assert whole > 1
    ours.feed(encode(Packet(CID, 0, 0, whole)), 1.0)
    assert ours._request() == []
    ours.feed(RESETTING, 2.0)
    assert len(ours._request()) == whole


def test_the_same_piece_ahead_of_others_counts_once() -> None:
    ours = call(max_bytes=30)
    for now in range(5):
        ours.feed(reply(2, 3, b"b" * 10), float(now))
    ours.feed(reply(1, 3, b"a" * 10), 5.0)
    assert ours.take() == b"a" * 10 + b"b" * 10


def test_pieces_without_octets_are_no_progress() -> None:
    ours = call()
    for now in range(0, 60, 10):
        ours.feed(reply(1 + now // 10, 0, b""), now)
        ours.due(now)
    with pytest.raises(TransferTimeout):
        ours.due(60.0)


def test_the_place_in_the_queue_is_told() -> None:
    ours = call()
    ours.feed(control(wait=900, option=254, queue=(1, 7)), 0.1)
    assert ours.queue == (1, 7)


def test_progress_begins_the_clocks_anew_and_silence_after_it_is_a_cut() -> None:
    ours = call()
    ours.feed(reply(1, 3, b"abc"), 50.0)
    ours.due(109.0)
    with pytest.raises(Truncated, match=r"fell silent after packet 1 of 3 of its reply: 60 seconds") as caught:
        ours.due(110.0)
    assert caught.value.received == 3


def test_the_patience_is_the_callers() -> None:
    ours = call(patience=2.5)
    assert ours.due(1.0)
    assert ours.next_at == 2.5
    with pytest.raises(TransferTimeout, match=r"h:1525 did not answer within 2.5 seconds, asked 2 times"):
        ours.due(2.5)


# --- refusals, redirections, nonsense ---------------------------------------------------------------------------------


def test_a_redirection() -> None:
    ours = call()
    ours.feed(control(option=4, endpoint=("127.0.0.1", 15250)), 0.5)
    assert ours.moved == ("127.0.0.1", 15250)
    ours.begin_again(0.6)
    assert repr(ours.moved) == "None"
    assert ours.due(0.6) == [encode(Packet(CID, 1, 1, 0, payload=REQUEST))]
    ours.feed(encode(Packet(CID, payload=b"all")), 0.7)
    assert ours.take() == b"all"


@pytest.mark.parametrize(
    ("packets", "kind", "words"),
    [
        ([control(option=1)], ReplyError, "h:1525 refuses the connection"),
        ([control(option=8, rest=b"\x01\x02")], RemoteProtocolError, "does not accept ARDP version 0; it speaks: 1, 2"),
        ([reply(1, 2, b"a"), control(option=4, endpoint=("1.2.3.4", 5))], RemoteProtocolError, "redirects in the mid"),
        ([reply(2, 1, b"a")], RemoteProtocolError, "sends packet 2 of a reply of 1 packets"),
        ([reply(1, 2, b"a"), reply(2, 3, b"b")], RemoteProtocolError, "a reply of 3 packets, after one of 2"),
        ([reply(5, 0, b"a"), reply(1, 4, b"b")], RemoteProtocolError, "sends packet 5 of a reply of 4 packets"),
        ([reply(1, 0, b"x" * 600), reply(2, 0, b"x" * 600)], LimitError, "more than 1,000 octets in one reply"),
    ],
)
def test_what_ends_a_call(packets: list[bytes], kind: type[AnyURLError], words: str) -> None:
    ours = Call(CID, REQUEST, 0.0, who="h:1525", max_bytes=1000)
    ours.due(0.0)
    for datagram in packets[:-1]:
        ours.feed(datagram, 0.1)
    with pytest.raises(kind, match=words):
        ours.feed(packets[-1], 0.2)


def test_the_transcripts_of_refusal_and_timeout_end_as_they_did() -> None:
    _, its = next(conversations("real-client-refuse"))
    ours = Call(its[0].cid, message(each for each in its if each.to_server), 0.0)
    complaint_error: Datagram = its[-1]
    with pytest.raises(ReplyError):
        ours.feed(complaint_error.data, 0.1)
