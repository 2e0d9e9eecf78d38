"""The scheduler: what it learns of the errors that transfers end with, and what it makes for it."""

from __future__ import annotations

import pytest

from anyurl import Client
from anyurl.errors import AnyURLError
from tests.servers import Server, answers, reply, unheard


@pytest.mark.parametrize(
    ("status", "learned"),
    [("200 OK", False), ("404 Not Found", False), ("401 Unauthorized", False), ("503 Service Unavailable", True)],
)
def test_manners_are_made_for_who_refuses_and_for_nobody_else(status: str, learned: bool) -> None:
    with Server(answers(reply(b"x", status=status))) as server, Client(retries=0) as client:
        try:
            client.get(f"http://{server.authority}/").read()
        except AnyURLError as error:
            assert status[:3] != "200", error
        assert (client._scheduler().manners is not None) == learned


def test_who_is_not_there_has_refused() -> None:
    with unheard() as port, Client(retries=0) as client:
        for scheme in ("http", "gopher"):
            with pytest.raises(ConnectionError):
                client.get(f"{scheme}://127.0.0.1:{port}/").read()
        assert client._scheduler().manners is not None
