"""A trial in a network namespace of its own: molly-brown listens on every address that there is. Run by test_gemini.py.

Args: a folder with its configuration (``molly.conf``), and the port.
"""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time

from anyurl import Client, Policy
from anyurl.errors import ReplyError


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")


def main(folder: str, port: str) -> None:
    """Say what each question was answered with, a line each."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    server = subprocess.Popen(["molly-brown", "-c", f"{folder}/molly.conf"])
    try:
        for _ in range(500):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", int(port)), 1):
                break
            time.sleep(0.01)
        root = f"gemini://localhost:{port}/"
        with Client(Policy.open(), pins=f"{folder}/pins") as client:
            with client.get(root) as page:
                say("get", page.type, page.attributes.get("lang"), page.text().strip())
            say("list", *(entry.url for entry in client.list(root).entries()))
            say("stat", client.stat(f"{root}picture.png").type)
            with client.get(f"{root}old") as moved:
                say("redirect", moved.url, moved.history[0].reason)
            for path in ("nothing", "members/page.gmi"):
                try:
                    client.get(root + path)
                except ReplyError as error:
                    say(path, type(error).__name__, error.code)
        for name in ("mine", "other"):
            with Client(Policy.open(), pins=f"{folder}/pins", cert=f"{folder}/{name}.pem") as client:
                try:
                    say(name, client.get(f"{root}members/page.gmi").text().strip())
                except ReplyError as error:
                    say(name, type(error).__name__, error.code)
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
