"""Python codecs for charset names from peers and texts.

Rule: names from outside are looked up only here. Python has codecs that are not charsets: for octets (hex, zlib), for
names and literals (punycode, idna, unicode_escape), and UTF-7, which hides markup.
"""

from __future__ import annotations

import codecs

from anyurl._typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Final

_NO_CHARSETS: Final = frozenset(
    {"idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"}
)
"""Text codecs that are not charsets. Attack: punycode and idna take time quadratic in the length of the text."""

_LABELS: Final = {
    "iso-8859-8-i": "iso8859-8", "unicode-1-1-utf-8": "utf-8", "windows-949": "cp949", "x-cp1250": "cp1250",
    "x-cp1251": "cp1251", "x-cp1252": "cp1252", "x-euc-jp": "euc-jp", "x-gbk": "gb18030", "x-sjis": "cp932",
    "x-x-big5": "big5hkscs",
}  # fmt: skip
"""Names that servers use and Python does not know (Encoding Standard 4.2)."""

_MEANT: Final = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "tis-620": "cp874", "gb2312": "gb18030",
    "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949",
}  # fmt: skip
"""Charsets of HTML pages that declare one of these names, which are supersets of them (Encoding Standard 4.2)."""


def codec_of(charset: str, *, html: bool = False) -> str:
    """Python's name for a charset.

    Args:
        html: The name is from an HTML page and has the meaning that browsers give it.

    Raises:
        LookupError: It is unknown, or not a charset.
    """
    if not charset.isascii() or "\0" in charset:
        raise LookupError(f"{charset!a} is not a charset")
    found = codecs.lookup(_LABELS.get(charset.lower(), charset))
    if not getattr(found, "_is_text_encoding", True) or found.name.replace("_", "-") in _NO_CHARSETS:
        raise LookupError(f"{charset} is not a charset")
    return _MEANT.get(found.name, found.name) if html else found.name
