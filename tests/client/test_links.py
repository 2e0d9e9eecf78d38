"""Saving where links and devices stand, as root and as somebody else: nothing outside of the named file changes.

In a mount namespace of its own: the links lead to a file, a folder and a device that are nobody else's.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.cli.runner import CLEAN

NOBODY = 65534

MOUNTED = """
mount -t tmpfs tmpfs /mnt && mkdir /mnt/outside /mnt/here && chmod 1777 /mnt/here /mnt/outside
printf kept > /mnt/outside/file
ln -s /mnt/outside/file /mnt/here/to-file; ln -s /mnt/outside/new /mnt/here/dangling
ln -s /mnt/outside /mnt/here/to-folder; ln /mnt/outside/file /mnt/here/hard
mknod /mnt/here/null c 1 3; chmod 666 /mnt/here/null; ln -s /mnt/here/null /mnt/here/device
exec "$@"
"""

PROGRAM = """
import json, os, sys
from anyurl import Client
from anyurl.saving.save import save
from anyurl.errors import LocalFileError
user = int(sys.argv[1])
client = Client()
save(client.get("file:///etc/hostname"), "/mnt/first")  # what is loaded late, nobody else may read
if user:
    os.setgroups([]), os.setgid(user), os.setuid(user)
found = {}
for name in (*sorted(os.listdir("/mnt/here")), "new"):
    path = "/mnt/here/" + name
    for force in (False, True):
        try:
            save(client.get("file:///etc/hostname"), path, force=force)
            said = "saved"
        except LocalFileError:
            said = "refused"
        kind = "link" if os.path.islink(path) else "file" if os.path.isfile(path) else "other"
        found.setdefault(name, []).append(said + " " + kind)
outside = {name: open("/mnt/outside/" + name).read() for name in os.listdir("/mnt/outside")}
print(json.dumps([found, outside, sorted(os.listdir("/mnt/here"))]))
"""

DEVICES = {"device": ["saved link", "saved link"], "null": ["saved other", "saved other"]}
"""They are written to, and stay what they are."""

FOUND = {
    0: {name: ["refused file" if name == "hard" else "refused link", "saved file"]
        for name in ("dangling", "hard", "to-file", "to-folder")},
    # The folder is sticky: what is root's there stays.
    NOBODY: {name: ["refused file" if name == "hard" else "refused link"] * 2
             for name in ("dangling", "hard", "to-file", "to-folder")},
}  # fmt: skip


@pytest.mark.needs("root", "mounts", "mknod")
@pytest.mark.parametrize("user", [0, NOBODY])
def test_nothing_outside_of_the_named_file_changes(user: int) -> None:
    line = ["unshare", "-m", "sh", "-c", MOUNTED, "sh", sys.executable, "-c", PROGRAM, str(user)]
    done = subprocess.run(line, env=CLEAN, capture_output=True, text=True, timeout=60, check=True)
    found, outside, names = json.loads(done.stdout)
    assert outside == {"file": "kept"}
    assert found == {**FOUND[user], **DEVICES, "new": ["saved file", "saved file"]}
    assert names == ["dangling", "device", "hard", "new", "null", "to-file", "to-folder"]
