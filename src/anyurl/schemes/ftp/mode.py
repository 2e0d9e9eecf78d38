"""How a file is transferred: as its octets, or as text whose line ends are converted (RFC 1738 3.2.3, RFC 959 3.1.1).

Rule: octets, so that what is put is what is got, what a size says is what comes, and a transfer can go on in the
middle. Text only where the URL says so (``;type=a``), where the user does, or where the server's files are no streams
of octets (SYST): there its octets are records, and nobody else could read them.
"""

from __future__ import annotations

import re

from anyurl.dialogue import Note, Options, Steps
from anyurl.schemes.ftp.parts import FtpParts, guess_mode
from anyurl.schemes.ftp.session import Control

_RECORDS = (
    r"\b(?:MVS|Z/?OS|OS/390|VM(?:/\w+)?|CMS|VMS|OPENVMS|OS/400|AS/400|I5/OS|VSE|BS2000|TOPS-?\d\d|TENEX|ITS|MULTICS"
    r"|TANDEM|NONSTOP|GUARDIAN|GCOS\d?|RSX\S*|PRIMOS|UNISYS\S*|OS1100|OS2200|MCP)\b"
)
"""Systems whose files are records or words of 36 bits, as a pattern: the names of RFC 959's SYST, and what such servers
answer."""


def choose_mode(control: Control, parts: FtpParts, options: Options) -> Steps[str]:
    """``a`` or ``i``; said in a remark where the URL does not say it and text it is."""
    if parts.typecode is not None:
        return parts.typecode
    if guess_mode(parts.name) == "i":
        return "i"
    if options.ftp_text:
        yield from Note("by its suffix the file is a text: line ends are converted on the way (RFC 1738 3.2.3)")
        return "a"
    system = yield from control.ask_system()
    if re.search(_RECORDS, system, re.IGNORECASE) is None:  # read only where it is needed: it takes some milliseconds
        return "i"
    yield from Note(
        f"files of {control.host} are records ({system}), and by its suffix this is a text: it is transferred as "
        "one; ;type=i gets the octets"
    )
    return "a"
