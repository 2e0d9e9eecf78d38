"""A folder by gemini: pages of folders, files, one certificate that is kept, and nothing that is not shared."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from anyurl import Client, Policy
from anyurl.errors import NotFoundError
from anyurl.files.shared import SharedFolder
from anyurl.url.cut import percent_encode
from anyurl.world.certificate import self_signed
from anyurl.world.shared_gemini import GeminiFolder
from tests.peers.ftp_servers import HOST
from tests.world.shared_tree import BINARY, OUTSIDE, PATHS_OUT, TEXT, make


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make(tmp_path)


@pytest.fixture
def top(root: Path) -> Iterator[str]:
    pytest.importorskip("cryptography", reason="a certificate is made by cryptography")
    certificate = b"".join(self_signed("a test"))
    with closing(SharedFolder(str(root))) as folder:
        with closing(GeminiFolder(folder, certificate=certificate)) as server:
            yield f"gemini://{HOST}:{server.port}/"


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(Policy.open()) as client:
        yield client


def test_files_and_pages_of_folders(client: Client, top: str, root: Path) -> None:
    assert client.get(top + "notes.txt").read() == TEXT
    with client.get(top + "data") as resource:
        assert (resource.content_type, resource.read()) == ("application/octet-stream", BINARY)
    assert [entry.name for entry in client.list(top).entries()] == ["sub/", "data", "notes.txt"]
    (below,) = client.list(top + "sub").entries()
    assert client.get(below).read() == "Gr\u00fc\u00dfe\n".encode()
    (root / "index.gmi").write_text("# Mine\n")
    with client.get(top) as page:
        assert (page.content_type, page.read()) == ("text/gemini", b"# Mine\n")


@pytest.mark.parametrize("path", PATHS_OUT)
def test_what_is_not_shared_is_not_there(client: Client, top: str, path: str) -> None:
    url = top + percent_encode(path.encode(), b"").replace("%2F", "/")
    try:
        found = client.get(url).read()
    except NotFoundError:
        return
    assert OUTSIDE not in found
    assert path in ("sub/", "./notes.txt", "sub/../notes.txt")  # a URL itself resolves dots
