"""file: the world's tree in a temporary folder (RFC 1738 3.10)."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from anyurl.url import URL
from anyurl.url.cut import encode_text
from anyurl.world.tree import SAFE, write_tree


class FileServer:
    """A folder that is removed when the server is closed.

    Attributes:
        folder: Where the tree is.
    """

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="anyurl-")).resolve()
        write_tree(self.folder)

    @property
    def root(self) -> URL:
        """The folder's own URL."""
        return URL(f"file://{encode_text(self.folder.as_posix(), SAFE + b'/')}/")

    @property
    def urls(self) -> dict[str, URL]:
        """The URL that the demo gets."""
        return {"file": URL(f"{self.root}motd.txt")}

    def close(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)


def start(port: int = 0) -> FileServer:
    """Write the tree and serve it as files; no port is used."""
    return FileServer()
