"""What is known of one host: on the manners' own rig."""

from __future__ import annotations

from anyurl import URL
from anyurl.errors import ConnectionLost
from anyurl.net.loop.turns import MAX_DOUBTED, Host
from anyurl.values import Scope
from tests.net.loop.test_manners import Rig


def test_what_is_refused_again_while_others_are_served_does_not_make_the_host_slower() -> None:
    rig = Rig(per_host=8)
    tasks = [rig.start(f"http://h/{number}")[0] for number in range(8)]
    tasks[1].parties.meet("192.0.2.1", Scope.PUBLIC)
    assert rig.end(tasks[0], ConnectionLost("closed"))
    limit = rig.limit()
    rig.clock.turn(1)
    rig.end(tasks[1])
    again = rig.start("http://h/0", patient=False)[0]
    assert rig.end(again, ConnectionLost("closed"))  # it may be tried once more
    assert rig.limit() == limit
    once_more = rig.start("http://h/0", patient=False)[0]
    assert rig.end(once_more, ConnectionLost("closed"))  # nobody was served in between
    assert limit is not None
    assert (rig.limit() or 0) < limit


def test_a_url_is_doubted_when_it_is_refused_again_and_for_that_once() -> None:
    host = Host(None)
    urls = [URL(f"http://h/{number}") for number in range(MAX_DOUBTED + 1)]
    assert [host.doubts(urls[0]) for _ in range(3)] == [False, True, False]
    host.refusals = 0  # somebody was served
    assert host.doubts(urls[0])
    host.refusals = 0
    assert not any(map(host.doubts, urls[1:]))  # more than are known
    assert not host.doubts(urls[0])
