"""What curl, wget, Lynx and HTTPie make of the texts of ``typed.jsonl``: each is given the text and a proxy to ask.

``unshare -rnm sh -c 'ip link set lo up; exec python -m tests.grammar.typed_peers HTTPIE'`` writes the columns. There
is no network in that world; its hosts file names every host of the table, since Lynx takes what has no address for a
file. HTTPie tells its URL itself (``--offline``); HTTPIE is its program. A column is null where nothing was asked for.
"""

from __future__ import annotations

import ast
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

TYPED = Path(__file__).parent.parent / "data" / "grammar" / "typed.jsonl"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nx"


class Proxy:
    """Notes the first line of each request, and answers it with a letter."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            peer, _ = self._listener.accept()
            with peer:
                peer.settimeout(3)
                try:
                    line = peer.recv(65_536).split(b"\r\n")[0].decode("latin-1")
                    self.lines.append(line)
                    if not line.startswith("CONNECT"):
                        peer.sendall(ANSWER)
                except OSError:
                    pass

    def asked(self) -> str | None:
        """The URL that was asked for."""
        for line in self.lines:
            method, _, rest = line.partition(" ")
            target = rest.rpartition(" ")[0]
            if target:
                return f"https://{target.removesuffix(':443')}" if method == "CONNECT" else target
        return None


def ask(proxy: Proxy, folder: str, command: list[str]) -> str | None:
    """What a program asks the proxy for; ``a file`` when it has read something without it."""
    proxy.lines.clear()
    names = [f"{scheme}_proxy" for scheme in ("http", "https", "ftp", "gopher", "news", "all")]
    env = {"PATH": os.environ["PATH"], "HOME": folder, "LC_ALL": "C.UTF-8", "TERM": "dumb", "no_proxy": ""}
    try:
        done = subprocess.run(
            command, env=env | dict.fromkeys(names, proxy.url), cwd=folder, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=8,
        )  # fmt: skip
    except (subprocess.TimeoutExpired, ValueError):
        return proxy.asked()
    is_read = done.returncode == 0 and not done.stderr.strip()
    return proxy.asked() or ("a file" if is_read and command[0] != "wget" else None)


def ask_httpie(program: str, text: str) -> str | None:
    """The URL that HTTPie would ask for."""
    command = [program, "--offline", "--ignore-stdin", "--print=H", "--debug", "--", text]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)
    told = re.search(r"'url': (?:b)?('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")", done.stderr)
    return None if done.returncode or told is None else str(ast.literal_eval(told[1]))


def main(httpie: str) -> None:
    """Write the columns."""
    rows = [json.loads(line) for line in TYPED.read_text("utf-8").splitlines()]
    names = {name.lower() for row in rows for name in re.findall(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+", row["text"])}
    names |= {
        host[1]
        for row in rows
        if (host := re.match(r"[a-z]+://(?:[^/@]*@)?([a-z][a-z0-9-]*)(?:[:/]|$)", row["url"] or ""))
    }
    proxy = Proxy()
    with tempfile.TemporaryDirectory() as folder:
        hosts = Path(folder, "hosts")
        hosts.write_text("".join(f"127.0.0.1 {name}\n" for name in ("localhost", *sorted(names))))
        subprocess.run(["mount", "--bind", hosts, "/etc/hosts"], check=True)
        for row in rows:
            text = row["text"]
            curl = ["curl", "-q", "-sS", "-g", "--noproxy", "", "-x", proxy.url, "--max-time", "5", "--", text]
            wget = ["wget", "-q", "--no-config", "-t", "1", "-T", "5", "--no-hsts", "-O", "/dev/null", "--", text]
            row["curl"], row["wget"] = ask(proxy, folder, curl), ask(proxy, folder, wget)
            row["lynx"] = ask(proxy, folder, ["lynx", "-dump", "-nolist", "-connect_timeout=4", text])
            row["httpie"] = ask_httpie(httpie, text)
        subprocess.run(["umount", "/etc/hosts"], check=True)
    TYPED.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
