"""Source descriptions: those of a real server, and what is none."""

from __future__ import annotations

import pytest

from anyurl.errors import AnyURLError, LimitError, RemoteProtocolError
from anyurl.schemes.wais.wire.source import MAX_SOURCE_BYTES, SourceDescription, read_source
from tests.rows import each_row

REAL = b"""

(:source
   :version  3
   :ip-address "127.0.0.1"
   :ip-name "vm"
   :tcp-port 210
   :database-name "demo"
   :cost 0.00
   :cost-unit :free
   :maintainer "root@vm"
   :keyword-list (
                  lantern
                  "two words"
                 )
   :description "Server created with freeWAIS-sf 2.2.8.

The files of type filename (\\"one line\\") were:
   /srv/x
"
)
"""


def test_a_real_one() -> None:
    source = read_source(REAL)
    assert (source.host, source.port, source.database) == (b"vm", 210, b"demo")
    assert (source.text("cost-unit"), source.text("maintainer")) == (b":free", b"root@vm")
    assert source.words("keyword-list") == [b"lantern", b"two words"]
    assert source.text("description") == (
        b'Server created with freeWAIS-sf 2.2.8.\n\nThe files of type filename ("one line") were:\n   /srv/x\n'
    )
    assert source.text("keyword-list") is None
    assert source.words("nothing") == []


@each_row(
    ("data", "fields"),
    [
        pytest.param(b"(:source)", {}, id="nothing in it"),
        pytest.param(b"(:SOURCE :A 1)", {"a": b"1"}, id="capitals"),
        pytest.param(b"x (:source :a 1) y", {"a": b"1"}, id="something around it"),
        pytest.param(b"(:source :a 1 :a 2)", {"a": b"1"}, id="the first of two"),
        pytest.param(b"(:source 1 :a 2)", {"a": b"2"}, id="a value of no key"),
        pytest.param(b'(:source :a "(:b) \\\\")', {"a": b"(:b) \\"}, id="a string holds anything"),
        pytest.param(b"(:source :a (1 (2 3)) )", {"a": [b"1", b"2", b"3"]}, id="a list in a list"),
        pytest.param(b"(:source :a :b :c 1)", {"a": b":b", "c": b"1"}, id="a word that begins with a colon"),
        pytest.param(b"(:source :a b\xe9)", {"a": b"b\xe9"}, id="octets"),
        pytest.param(b"(:source\f:a\t1\r\n)", {"a": b"1"}, id="space of all sorts"),
    ],
)
def test_what_is_read(data: bytes, fields: dict[str, bytes | list[bytes]]) -> None:
    assert read_source(data).fields == fields


@each_row(
    ("data", "kind"),
    [
        (b"", RemoteProtocolError),
        (b"(:document :a 1)", RemoteProtocolError),
        (b"(:source :a 1", RemoteProtocolError),
        (b'(:source :a "1)', RemoteProtocolError),
        (b'(:source :a "1\\', RemoteProtocolError),
        (b"(:source :a (1", RemoteProtocolError),
        (b"(:source :a " + b"(" * 9, LimitError),
        (b"(:source :a " + b"(" * 50_000, LimitError),
        (b"(:source :a " + b"x" * MAX_SOURCE_BYTES + b")", LimitError),
    ],
)
def test_what_is_none(data: bytes, kind: type[AnyURLError]) -> None:
    with pytest.raises(kind):
        read_source(data)


@pytest.mark.parametrize(("port", "number"), [(b"210", 210), (b"", None), (b"x", None), (b"123456", None)])
def test_ports(port: bytes, number: int | None) -> None:
    assert SourceDescription({"tcp-port": port}).port == number
    assert SourceDescription({"tcp-port": [port]}).port is None


def test_the_address_where_there_is_no_name() -> None:
    assert SourceDescription({"ip-name": b"", "ip-address": b"192.0.2.1"}).host == b"192.0.2.1"
    assert SourceDescription({}).host is None
