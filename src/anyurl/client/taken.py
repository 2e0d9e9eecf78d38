"""Type checks for the arguments of public functions, which report a wrong value immediately and by name.

Rule: the annotation in the signature determines the check. Arguments with an annotation that is not listed here are not
checked.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from anyurl.client.options import OPTIONS, check_counts
from anyurl.dialogue import Login, Resume
from anyurl.guard.policy import Policy
from anyurl.url import taken as url
from anyurl.url.taken import Taken


def _are_texts(given: object) -> bool:
    return isinstance(given, Sequence) and not isinstance(given, str | bytes) and all(isinstance(v, str) for v in given)


def _is_table(given: object) -> bool:
    return isinstance(given, Mapping) and all(isinstance(part, str) for pair in given.items() for part in pair)


def _is_jar(given: object) -> bool:
    return given is True or given is False or (hasattr(given, "store") and hasattr(given, "header"))


def _is_network(given: object) -> bool:
    return hasattr(given, "socket_to")


TAKEN: Taken = {
    **url.TAKEN,
    "Verb": (lambda given: isinstance(given, str), "a str: get, list, search, stat, put or append"),
    "WaisForm": (lambda given: given in ("libwww", "rfc"), "the str 'libwww' or 'rfc'"),
    "Sequence[str]": (_are_texts, "a list of str"),
    "Iterable[str]": (_are_texts, "a list of str"),
    "str | Mapping[str, str]": (
        lambda given: isinstance(given, str) or _is_table(given),
        "a str, or a dict of str to str",
    ),
    "Mapping[str, str]": (_is_table, "a dict of str to str"),
    "Mapping[str, Login]": (
        lambda given: isinstance(given, Mapping) and all(isinstance(login, Login) for login in given.values()),
        "a dict of origins to a Login each",
    ),
    "Resume": (lambda given: isinstance(given, Resume), "a Resume"),
    "Policy": (lambda given: isinstance(given, Policy), "a Policy"),
    "AskForConsent": (callable, "a function"),
    "AskForSecret": (callable, "a function"),
    "Callable[[str], None]": (callable, "a function"),
    "str | os.PathLike[str]": (lambda given: isinstance(given, str | os.PathLike), "a str or a Path"),
    "CookieJar | bool": (_is_jar, "True, False or a CookieJar"),
    "Network": (_is_network, "a Network"),
}

ARGUMENTS = {
    "verb": "Verb", "resume": "Resume | None", "words": "str", "upload_type": "str | None", "view": "str | None",
    "folder": "str | os.PathLike[str]", "include": "Sequence[str]", "exclude": "Sequence[str]", "depth": "int | None",
    "dry_run": "bool", "force": "bool", "requisites": "bool", "answers": "Sequence[str]", "limit": "int | None",
    "match": "str | None",
    "mtime": "float | None", "go_on": "bool",
    **{option.name: option.type for option in OPTIONS},
}  # fmt: skip
"""The annotations of the arguments of calls and clients, by name."""


def check(**given: object) -> None:
    """Raises TypeError for a value of the wrong type."""
    for name, value in given.items():
        url.check_value(name, value, ARGUMENTS[name], TAKEN)


def check_options(**given: object) -> None:
    """Raises TypeError for an option of a client of the wrong type, ValueError for a count that is too small."""
    check(**given)
    check_counts(**given)
