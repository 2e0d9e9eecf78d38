"""URLs disabled against accidental opening, as in reports of attacks: ``hxxp://evil[.]com/a``.

Rule: `find` with ``refang`` restores the result; the scheme and the host are made unusable, and nothing else is
touched, but for the colon of another URL in it: ``hxxps://web[.]archive[.]org/web/2010/http[:]//evil.com``.
"""

from __future__ import annotations

from anyurl.url import URL
from anyurl.url.arguments import checked

_SCHEMES = {"http": "hxxp", "https": "hxxps", "ftp": "fxp", "ftps": "fxps"}
"""The usual spellings; the colon of any other scheme goes into brackets."""


@checked
def defang(url: URL | str) -> str:
    """A URL written so that no program makes a link of it; ``find(text, refang=True)`` restores it.

    The password is shown as it is: for others, `URL.masked` of the URL is defanged.

    Raises:
        URLSyntaxError: The text is not a URL.

    >>> defang("https://evil.example/login?a=b.c")
    'hxxps://evil[.]example/login?a=b.c'
    """
    given = url if isinstance(url, URL) else URL(url)
    return defanged(str(given))


def defanged(text: str) -> str:
    """The same for the text of a URL, in which something may be masked."""
    scheme, _, rest = text.partition(":")
    slashes, name = ("//", rest[2:]) if rest.startswith("//") else ("", "")
    if not slashes:
        return f"{scheme}[:]{rest.replace('://', '[:]//')}"
    end = min((place for mark in "/?#" if (place := name.find(mark)) >= 0), default=len(name))
    host = name[:end].replace(".", "[.]")
    made = _SCHEMES.get(scheme.lower())
    # A name of one label could be a piece of a longer one, and fxp a scheme: the mark says that they are not.
    colon = ":" if made is not None and ("[" in host or (made[0] == "h" and end < len(name))) else "[:]"
    return f"{made or scheme}{colon}//{host}{name[end:].replace('://', '[:]//')}"
