"""Column M: mailto (RFC 6068). The matrix has no server for it: `test_mail.py` has what a hostile mail server does."""

from __future__ import annotations

from typing import Any

from anyurl import Policy
from tests.evil.cell import Cell, Column
from tests.evil.outcomes import DENY, OK
from tests.evil.rig import EVIL, Got, Rig

PORT = 25
MAIL = {"mail_server": f"{EVIL}:{PORT}", "mail_from": "me@good.test"}
"""What the client of a cell is told."""

COLUMN = Column(
    "M", "mailto", good=None, path="", content=b"",
    policy=Policy.untrusted().replace(allow_delivery=True),
)  # fmt: skip


def _both(url: str) -> Any:
    """A draft and a delivery, and nobody hears of it."""

    def run(rig: Rig) -> Got:
        server = rig.serve([], port=PORT)
        words = {rig.fetch(url).word, (got := rig.fetch(url, "append", source=b"x")).word}
        assert words == {DENY}
        assert server.hits == 0
        assert rig.network.looked_up == []
        return got

    return run


def _only_delivery(url: str) -> Any:
    def run(rig: Rig) -> Got:
        server = rig.serve([], port=PORT)
        assert rig.fetch(url).word == OK
        got = rig.fetch(url, "append", source=b"x")
        assert server.hits == 0
        return got

    return run


OCTETS = ("%0D%0A", "%0A", "%0D", "%00")

UNSAFE = "bcc=x@y&from=x@y&sender=x@y&apparently-to=x@y&resent-to=x@y&attach=/etc/passwd&content-type=text/html&date=x"

COLUMN.add(
    *(Cell(f"G10 address {octets}", DENY, run=_both(f"mailto:a@b{octets}RSET"), rig=MAIL) for octets in OCTETS),
    *(Cell(f"G10 value {octets}", DENY, run=_both(f"mailto:a@b?cc=c@d{octets}Bcc:e"), rig=MAIL) for octets in OCTETS),
    *(Cell(f"G10 name {octets}", DENY, run=_both(f"mailto:a@b?x{octets}Bcc=c@d"), rig=MAIL) for octets in OCTETS),
    Cell("G10 quoted", DENY, run=_both("mailto:%22a%0D%0Ab%22@c"), rig=MAIL),
    Cell("G16 unsafe", OK, url=f"mailto:a@b?{UNSAFE}", rig=MAIL,
         holds=lambda got: b"x@y" not in got.data and got.notes.count("left out") == 8),
    Cell("G16 safe", OK, url="mailto:a@b?cc=c@d&subject=x&body=y%0D%0Az", rig=MAIL,
         holds=lambda got: got.data.endswith(b"\r\n\r\ny\r\nz\r\n")),
    Cell("G16 option", DENY, run=_only_delivery("mailto:-oQ/tmp@b"), rig=MAIL),
    Cell("G16 option in quotes", DENY, run=_only_delivery("mailto:%22-oQ/tmp%22@b"), rig=MAIL),
    Cell("G16 option in cc", DENY, run=_only_delivery("mailto:a@b?cc=-f@b"), rig=MAIL),
    Cell("G16 stranger", DENY, run=_only_delivery("mailto:a@b.test"), rig={**MAIL, "policy": Policy.untrusted()}),
)  # fmt: skip
