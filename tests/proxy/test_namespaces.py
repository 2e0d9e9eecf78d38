"""A network of its own: what a process has in it, that no privilege is needed, and why a kernel refuses it."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys

import pytest

from anyurl.proxy.namespaces import REFUSALS, can_confine

INSIDE = """
import json, os, socket
from anyurl.proxy import namespaces

def way_to(address):
    with socket.socket() as sock:
        return sock.connect_ex((address, 9))

namespaces.leave_network()
print(json.dumps({
    "interfaces": [line.split(":")[0].strip() for line in open("/proc/net/dev").read().splitlines()[2:]],
    "user": [int(word) for word in open("/proc/self/uid_map").read().split()],
    "group": [int(word) for word in open("/proc/self/gid_map").read().split()],
    "own": way_to("127.0.0.1"), "far": way_to("192.0.2.1"),
}))
"""


@pytest.mark.needs("namespace")
def test_a_process_that_has_left_the_network_has_its_own_loopback_and_nothing_else() -> None:
    done = subprocess.run([sys.executable, "-c", INSIDE], capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    assert told["interfaces"] == ["lo"]
    assert told["user"] == [os.getuid(), os.getuid(), 1]
    assert told["group"] == [os.getgid(), os.getgid(), 1]
    assert told["own"] == errno.ECONNREFUSED  # it is up, and nothing listens
    assert told["far"] == errno.ENETUNREACH


@pytest.mark.needs("namespace")
def test_a_kernel_that_makes_no_more_of_them_says_so() -> None:
    words = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"'
    done = subprocess.run(
        ["unshare", "-Ur", "sh", "-c", words, "sh", sys.executable, "-m", "anyurl", "proxy", "--confine", "--", "true"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (9, "")
    assert done.stderr == (
        "anyurl: The kernel refuses the namespaces of --confine: it makes no more of them "
        "(user.max_user_namespaces). Nothing was run.\n"
    )


def test_it_is_a_thing_of_linux() -> None:
    assert can_confine() == (sys.platform == "linux")


@pytest.mark.parametrize("number", [errno.EPERM, errno.EACCES, errno.ENOSPC, errno.EUSERS, errno.EINVAL, errno.ENOSYS])
def test_each_refusal_of_a_kernel_has_words(number: int) -> None:
    assert REFUSALS[number].startswith("it ")
