"""wais over real connections: a document of any size in constant memory, and one connection for many requests."""

from __future__ import annotations

import contextlib
import hashlib
import subprocess
import sys

from anyurl import Client, Policy
from anyurl.schemes.kit.scheme import text_of
from anyurl.schemes.wais.parts import WaisParts
from anyurl.testing import SmallNetwork
from anyurl.world import tree
from anyurl.world.wais import WaisListener, start
from anyurl.world.wais_index import Database, Document

SIZE = 24 * 1024 * 1024
GROWTH = 8 * 1024
"""KiB: what a few pieces of 100,000 octets and the buffers of a connection need, and far below the document."""

PROGRAM = """
import hashlib, re, sys
from anyurl import Client

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])

with Client() as client:
    for url in sys.argv[1:]:  # the first one is short: it loads what is needed
        digest, size = hashlib.sha256(), 0
        before = peak()
        with client.get(url) as resource:
            for piece in resource.iter_bytes():
                digest.update(piece)
                size += len(piece)
        print(size, peak() - before, digest.hexdigest())
"""


def test_a_long_document_takes_no_more_memory_than_a_short_one() -> None:
    block = bytes(range(251)) * 4
    long = (block * (SIZE // len(block) + 1))[:SIZE]
    documents = [Document("short", "short", {"GIF": block}), Document("long", "long", {"GIF": long})]
    database = Database("db", "h:210", documents)
    with contextlib.closing(WaisListener([database])) as server:
        ids = [text_of(database.document_id(document)) for document in documents]
        urls = [
            server.root.replace(parts=WaisParts("db", None, "GIF", ids[0], len(block))),
            server.root.replace(parts=WaisParts("db", None, "GIF", ids[1], SIZE)),
            server.root.replace(parts=WaisParts("db", None, "GIF", ids[1])),  # of a length that nobody tells
        ]
        ended = subprocess.run(
            [sys.executable, "-c", PROGRAM, *map(str, urls)], capture_output=True, text=True, timeout=60, check=False
        )
    assert ended.stderr == ""
    digest = hashlib.sha256(long).hexdigest()
    told = [line.split() for line in ended.stdout.splitlines()]
    assert [(size, seen) for size, _, seen in told[1:]] == [(str(SIZE), digest)] * 2
    assert all(int(growth) < GROWTH for _, growth, _ in told[1:]), told


def test_one_connection_serves_all_that_is_asked_of_a_server() -> None:
    with contextlib.closing(start()) as server:
        network = SmallNetwork({"wais.test": ["93.184.216.34"]}, {("93.184.216.34", 210): ("127.0.0.1", server.port)})
        with Client(Policy.open(), network=network) as client:
            with client.search("wais://wais.test/world", "locator") as found:
                urls = [entry.url for entry in found.entries() if entry.url is not None]
            texts = []
            for url in urls * 3:
                with client.get(url) as resource:
                    texts.append(resource.read())
            assert client.stat(urls[0]).attributes["lines"] == 5
    assert texts == [tree.NOTES.encode()] * 3
    assert network.connected == [("93.184.216.34", 210)]
