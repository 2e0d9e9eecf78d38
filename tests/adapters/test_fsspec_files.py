"""Files of the file system of fsspec: their errors, and what is read of them by whom."""

from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from anyurl.adapters.fsspec import AnyURLFileSystem
from anyurl.adapters.fsspec_files import FsspecRefusedError, RangedFile, errors_of_files
from anyurl.errors import AnyURLError, LimitError, NotFoundError, RefusedError, TransferTimeout
from anyurl.guard.policy import Policy
from anyurl.world import World


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (RefusedError("no"), FsspecRefusedError),
        (NotFoundError("no", code=404), FileNotFoundError),
        (TransferTimeout("no", clock="idle"), TimeoutError),
        (LimitError("no", limit="max_read"), OSError),
    ],
)
def test_what_is_raised_is_an_error_of_files(raised: AnyURLError, kind: type[OSError]) -> None:
    with pytest.raises(kind, match="no") as caught, errors_of_files("x"):
        raise raised
    assert isinstance(caught.value, OSError)
    assert caught.value is raised or caught.value.__cause__ is raised


def test_a_file_is_read_from_any_place_by_any_thread() -> None:
    with World(["http"]) as world:
        system = AnyURLFileSystem(policy=Policy.default())
        whole = system.cat_file(str(world.urls["http"]))
        file = system.open(str(world.urls["http"]))
        assert isinstance(file, io.BufferedReader)
        assert isinstance(file.raw, RangedFile)

        def part(place: int) -> Any:
            with ThreadPoolExecutor(1) as thread:
                return thread.submit(lambda: (file.seek(place), file.read(3))).result()

        assert [part(place) for place in (9000, 0)] == [(place, whole[place : place + 3]) for place in (9000, 0)]
        assert (file.seek(0, 2), file.read(), file.seek(-1, 1), file.read()) == (
            len(whole),
            b"",
            len(whole) - 1,
            whole[-1:],
        )
        for offset, whence in ((-1, 0), (0, -1), (0, 3)):
            with pytest.raises(ValueError):
                file.raw.seek(offset, whence)
        file.close()
        assert file.closed
        system.close()
