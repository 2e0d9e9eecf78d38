"""An interruption may come while an object is made: garbage that was never whole says nothing when it goes."""

from __future__ import annotations

import pytest

from anyurl.client.aio import AsyncResource
from anyurl.client.resource import Resource
from anyurl.files.channel import FileChannel
from anyurl.net.http.route import OwnedSocket


@pytest.mark.parametrize("kind", [AsyncResource, FileChannel, OwnedSocket, Resource])
def test_what_was_never_made_goes_quietly(kind: type) -> None:
    kind.__new__(kind).__del__()
