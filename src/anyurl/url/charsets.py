"""The charset that a peer or a text names, as a codec of Python's.

Rule: a name that comes from elsewhere is looked up here and nowhere else. Python knows codecs that are no charset:
of octets (hex, zlib), of names and literals (punycode, idna, unicode_escape), and UTF-7, which hides markup.
"""

from __future__ import annotations

import codecs
from typing import Final

_NO_CHARSETS: Final = frozenset(
    {"idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"}
)
"""Text codecs that are no charset. Attack: punycode and idna take time that grows with the square of the text."""

_LABELS: Final = {
    "iso-8859-8-i": "iso8859-8", "unicode-1-1-utf-8": "utf-8", "windows-949": "cp949", "x-cp1250": "cp1250",
    "x-cp1251": "cp1251", "x-cp1252": "cp1252", "x-euc-jp": "euc-jp", "x-gbk": "gb18030", "x-sjis": "cp932",
    "x-x-big5": "big5hkscs",
}  # fmt: skip
"""Names that servers write and Python does not know (Encoding Standard 4.2)."""

_MEANT: Final = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "tis-620": "cp874", "gb2312": "gb18030",
    "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949",
}  # fmt: skip
"""What a page of HTML is written in that declares one of these: what holds them (Encoding Standard 4.2)."""


def codec_of(charset: str, *, html: bool = False) -> str:
    """Python's name for a charset.

    Args:
        html: A page of HTML names it, and means what browsers read by that name.

    Raises:
        LookupError: It is not known, or is no charset of a text.
    """
    if not charset.isascii() or "\0" in charset:
        raise LookupError(f"{charset!a} is not a charset")
    found = codecs.lookup(_LABELS.get(charset.lower(), charset))
    if not getattr(found, "_is_text_encoding", True) or found.name.replace("_", "-") in _NO_CHARSETS:
        raise LookupError(f"{charset} is not a charset")
    return _MEANT.get(found.name, found.name) if html else found.name
