"""A telnet server that nobody here wrote: Debian's inetutils-telnetd, run as inetd does.

Rule: it listens on loopback, for one test; its processes are ended by their id. What is not installed skips the test.
"""

from __future__ import annotations

from tests.peers.ftp_servers import Spawning, program

SHELL = "/bin/sh -i"
"""What it runs instead of /bin/login, which asks for the password of a user of this machine."""


class Telnetd(Spawning):
    """inetutils-telnetd: it opens a terminal of its own, negotiates for it, and runs a login program on it.

    Args:
        login: That program.
    """

    def __init__(self, login: str = SHELL) -> None:
        super().__init__([program("telnetd"), "-h", "-E", login])
