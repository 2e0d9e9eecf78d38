"""mailto: a drop for mail (RFC 5321): it accepts messages for two mailboxes, keeps them, and forwards nothing.

Rule: the drop is on loopback; its domain exists nowhere.
"""

from __future__ import annotations

from anyurl.schemes.mailto.wire.server import MailServer, StoredMail
from anyurl.world.listener import HOST, SchemeListener

DOMAIN = "world.example"
MAILBOXES = ("guest", "postmaster")
MAX_MESSAGE = 1024 * 1024


class MailDrop(SchemeListener):
    """A mail server that keeps its messages in memory."""

    def __init__(self, port: int = 0) -> None:
        self._mail = MailServer(
            DOMAIN, MAILBOXES, greeting="ESMTP the mail drop of a small world", max_message=MAX_MESSAGE
        )
        # Its message is in the URL.
        visit = f"mailto:guest@{DOMAIN}?subject=A%20visit&body=I%20was%20here."
        super().__init__(lambda _port: self._mail, "mail", port, f"mailto:guest@{DOMAIN}", {"mailto": visit})

    @property
    def kept(self) -> list[StoredMail]:
        """The messages, oldest first."""
        return self._mail.kept

    @property
    def settings(self) -> dict[str, str]:
        """The settings with which a client delivers here."""
        return {"mail_server": f"{HOST}:{self.port}", "mail_from": f"visitor@{DOMAIN}"}


def start(port: int = 0) -> MailDrop:
    """Wait for mail. At a port of the system's choice, if 0; raises OSError if it is taken."""
    return MailDrop(port)
