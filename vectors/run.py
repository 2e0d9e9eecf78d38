"""Hold a reader of URLs against the vectors: replace `read`, then ``python run.py rfc1738.jsonl``. MIT-0."""

import json
import sys
from urllib.parse import urlsplit


def read(text):
    """The components of a text as written, None for what is not there; raise ValueError if it is no URL.

    This one is urllib's, which has no way to tell an empty query or fragment from none.
    """
    found = urlsplit(text)
    port, host = found.port, found.hostname
    return {
        "scheme": found.scheme, "user": found.username, "password": found.password, "host": host, "port": port,
        "path": found.path, "query": found.query or None, "fragment": found.fragment or None,
    }  # fmt: skip


def run(name, read):
    """Yield each vector with what the reader makes of it: components, or None where it refuses."""
    with open(name, encoding="utf-8") as lines:
        next(lines)  # the head: version, grammar, count
        for vector in map(json.loads, lines):
            try:
                yield vector, read(vector["text"])
            except ValueError:
                yield vector, None


if __name__ == "__main__":
    differ = [(vector, said) for vector, said in run(sys.argv[1], read) if said != vector["components"]]
    for vector, said in differ:
        print(f"{vector['text']!r}: {said}, not {vector['components']} ({vector['clause']})")
    sys.exit(bool(differ))
