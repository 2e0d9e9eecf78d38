"""A web archive of the world, shown by pywb: what was got in each scheme comes back from there, octet for octet.

Run by `.ci/full` as a program, with the folder of the programs of an environment that has pywb; it has too many
dependencies, of its own versions, for that of the tests. Exits with what went wrong.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from anyurl import Client
from anyurl.errors import AnyURLError
from anyurl.world import World
from tests.servers import free_port

SCHEMES = ("http", "gopher", "wais", "prospero", "news", "nntp", "ftp")

SECONDS = 60.0
"""For pywb to start."""


def wait_for(port: int) -> None:
    """Raises OSError when nothing listens there in time."""
    end = time.monotonic() + SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


def main(programs: Path) -> str | None:
    """What is wrong, if anything is."""
    faults: list[str] = []
    with TemporaryDirectory() as folder:
        path = Path(folder, "a.warc.gz")
        got: dict[str, bytes] = {}
        with World(SCHEMES) as world, Client(warc=path, **world.settings) as client:
            for url in (*world.urls.values(), *world.urls.values()):  # once more: as revisits
                got[str(url)] = client.get(url).read()
            roots = {str(root): root for scheme, root in world.roots.items() if scheme not in ("http", "wais")}
            pages: dict[str, list[object]] = {}
            pages |= {
                url: [each.url for each in client.list(root).entries() if each.url] for url, root in roots.items()
            }
        for words in (["init", "visit"], ["add", "visit", str(path)]):
            subprocess.run([programs / "wb-manager", *words], cwd=folder, check=True, capture_output=True)
        port = free_port()
        command = [programs / "wayback", "-b", "127.0.0.1", "-p", str(port)]
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as pywb:
            try:
                wait_for(port)
                with Client() as client:
                    faults = check(client, f"http://127.0.0.1:{port}/visit/id_/", got, pages)
            finally:
                pywb.terminate()
    return "\n".join(faults) or None


def check(client: Client, place: str, got: dict[str, bytes], pages: dict[str, list[object]]) -> list[str]:
    """What is shown otherwise than it was got."""
    faults = []
    for url, wanted in (*got.items(), *pages.items()):
        try:
            shown = client.get(place + url).read()
        except AnyURLError as error:
            faults.append(f"{url}: {error}")
            continue
        same = shown == wanted if isinstance(wanted, bytes) else shown.count(b"<a href=") == len(wanted)
        faults += [] if same else [f"{url}: {shown[:200]!r}"]
    return faults


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
