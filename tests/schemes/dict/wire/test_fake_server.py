from __future__ import annotations

from anyurl.schemes.dict.wire.fake_server import FakeDictServer
from anyurl.testing import three_ways


def test_it_answers_every_line_however_it_comes() -> None:
    asked = b'CLIENT "x"\r\nDEFINE * "a b"\r\nMATCH db . "c"\r\nSHOW DB\r\nFROBNICATE\r\nQUIT\r\n'
    answers = set()
    for pieces in three_ways(asked):
        server = FakeDictServer()
        assert server.connected(1).startswith(b"220 ")
        answers.add(b"".join(server.received(1, piece) for piece in pieces))
    (answer,) = answers
    assert [line[:3] for line in answer.split(b"\r\n") if line[:3].isdigit()] == [
        b"250", b"150", b"151", b"250", b"152", b"250", b"110", b"250", b"500", b"221",
    ]  # fmt: skip
    assert b'151 "a b" ideal ' in answer
    assert b'db "c"\r\n' in answer
