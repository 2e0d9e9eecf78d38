"""The transfer mode of a file: octets, or text whose line ends are converted (RFC 1738 3.2.3, RFC 959 3.1.1).

Rule: octets by default, so that a file put and fetched again is unchanged, sizes are exact, and transfers can be
resumed. Text only if the URL says so (``;type=a``), if the user does, or if the server's files are records, not streams
of octets (SYST): the octets of such a text file are unusable on other systems.
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
"""A pattern for systems whose files are records or words of 36 bits: the system names of RFC 959's SYST, and names that
real servers reply with."""


def choose_mode(control: Control, parts: FtpParts, options: Options) -> Steps[str]:
    """``a`` or ``i``; emits a note if text is chosen although the URL does not ask for it."""
    if parts.typecode is not None:
        return parts.typecode
    if guess_mode(parts.name) == "i":
        return "i"
    if options.ftp_text:
        yield from Note("by its suffix the file is a text: line ends are converted on the way (RFC 1738 3.2.3)")
        return "a"
    system = yield from control.ask_system()
    if re.search(_RECORDS, system, re.IGNORECASE) is None:  # compiled only if needed: it takes some milliseconds
        return "i"
    yield from Note(
        f"files of {control.host} are records ({system}), and by its suffix this is a text: it is transferred as "
        "one; ;type=i gets the octets"
    )
    return "a"
