"""What targets and runners share: finding targets and their seeds, mutations without atheris, and properties.

Rule: a target is ``fuzz/targets/NAME.py`` with ``fuzz(data: bytes) -> None``; its seeds are the files of
``fuzz/corpus/NAME``. It returns when all is well. Whatever comes out of it is a finding.
"""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from anyurl.errors import AnyURLError

FOLDER = Path(__file__).parent
Target = Callable[[bytes], None]
T = TypeVar("T")


class Finding(AssertionError):
    """A property does not hold."""


# --- targets and seeds -----------------------------------------------------------------------------------------------


def names() -> list[str]:
    """The targets there are."""
    return sorted(path.stem for path in (FOLDER / "targets").glob("*.py") if path.stem != "__init__")


def load(name: str) -> Target:
    """The function of a target."""
    target: Target = importlib.import_module(f"fuzz.targets.{name}").fuzz
    return target


def seeds(name: str) -> list[bytes]:
    """The seeds of a target, by file name."""
    return [path.read_bytes() for path in sorted((FOLDER / "corpus" / name).glob("*")) if path.is_file()]


# --- mutations -------------------------------------------------------------------------------------------------------

_WORDS = (
    b"\r\n", b"\n", b"\r", b"\0", b"\t", b" ", b".", b"..", b".\r\n", b"/", b"//", b"%", b"%00", b"%0d%0a", b"%2F",
    b"%ff", b":", b"@", b"[", b"]", b"[::1]", b"#", b"?", b"\\", b"-1", b"0", b"127.1", b"65536", b"4294967296",
    b"99999999999999999999", b"\xff", b"\xff\xfa", b"\xc3\xa9", b"\xe2\x80\xae", b"\x1b]0;", b"<", b">", b"http://",
    b"ftp://", b'"', b"'", b"=", b"&", b";", b",", b"+", b"A" * 300,
)  # fmt: skip


def mutations(stock: list[bytes], count: int, seed: int = 1738) -> Iterator[bytes]:
    """So many inputs made from a stock of seeds, the same on each run: cut, spliced, repeated, sown with delimiters."""
    chance = random.Random(seed)
    stock = stock or [b""]
    for _ in range(count):
        data = bytearray(chance.choice(stock))
        for _ in range(chance.choice((1, 1, 2, 4, 8))):
            _mutate(data, stock, chance)
        yield bytes(data[:65_536])


def _mutate(data: bytearray, stock: list[bytes], chance: random.Random) -> None:
    start = chance.randrange(len(data) + 1)
    end = min(len(data), start + chance.choice((0, 1, 1, 2, 4, 16, 64)))
    way = chance.randrange(6)
    if way == 0:
        data[start:start] = chance.choice(_WORDS)
    elif way == 1:
        data[start:end] = chance.choice(_WORDS)
    elif way == 2:
        del data[start:end]
    elif way == 3:
        data[end:end] = data[start:end] * chance.choice((1, 2, 20))
    elif way == 4 and start < len(data):
        data[start] = chance.randrange(256)
    else:
        other = chance.choice(stock)
        cut = chance.randrange(len(other) + 1)
        data[start:] = other[cut : cut + 4096]


# --- properties ------------------------------------------------------------------------------------------------------


def outcome(action: Callable[[], T], *, quoted: str = "") -> tuple[T | None, type[AnyURLError] | None]:
    """What an action gives, or the class of its error; an error that is not of the tree goes on, and is a finding.

    Args:
        quoted: The user's own text, which a message may repeat whole.
    """
    try:
        return action(), None
    except AnyURLError as error:
        _check_message(error, quoted)
        return None, type(error)


def _check_message(error: AnyURLError, quoted: str) -> None:
    text = str(error).replace(quoted, "") if quoted else str(error)
    if not text.isprintable():
        raise Finding(f"the message holds characters that a terminal would obey: {text!r}")
    if len(text) > 2000:
        raise Finding(f"the message has {len(text)} characters: {text[:200]!r}")


def same(one: Any, other: Any, what: str) -> None:
    """Raise a `Finding` that shows both, if they differ."""
    if one != other:
        raise Finding(f"{what}: {one!r} is not {other!r}")


def whole_and_in_pieces(data: bytes, read: Callable[[list[bytes]], T]) -> T | None:
    """Read octets whole, octet by octet and cut in two: all give the same, or all fail in the same way.

    Args:
        data: Not too long: 4,096 octets are read at the most.
        read: Feeds a new parser the pieces in order, and returns what can be compared.

    Returns:
        What was read, or None when it failed.
    """
    data = data[:4096]
    half = len(data) // 2
    first = outcome(lambda: read([data]))
    for pieces in ([data[i : i + 1] for i in range(len(data))], [data[:half], data[half:]]):
        same(outcome(lambda pieces=pieces: read(pieces)), first, "cut into other pieces, it is read in another way")  # type: ignore[misc]
    return first[0]


# --- the kernel that is not compiled ---------------------------------------------------------------------------------


class _SourceOnly(PathFinder):
    """Finds anyurl's modules as Python sources, although they were compiled."""

    folder: Path

    @classmethod
    def find_spec(cls, fullname: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if fullname.partition(".")[0] != "anyurl":
            return None
        place = cls.folder.joinpath(*fullname.split("."))
        for file in (place / "__init__.py", place.with_suffix(".py")):
            if file.is_file():
                parents = [str(place)] if file.stem == "__init__" else None
                loader = SourceFileLoader(fullname, str(file))
                return spec_from_file_location(fullname, file, loader=loader, submodule_search_locations=parents)
        return None


class Pure:
    """A second copy of anyurl, with the kernel as plain Python; ``with`` it, imports are of that copy.

    The copy must be entered for each call: what it imports at the first use would be the compiled modules otherwise,
    and two copies of one class are strangers to each other.
    """

    def __init__(self) -> None:
        self._modules: dict[str, ModuleType] = {}

    def __enter__(self) -> None:
        self._swap()
        # Behind atheris's finder, which instruments what later ones find; before that of what is compiled.
        place = sys.meta_path.index(PathFinder)  # type: ignore[arg-type]
        sys.meta_path.insert(place, _SourceOnly)  # type: ignore[arg-type]

    def __exit__(self, *error: object) -> None:
        sys.meta_path.remove(_SourceOnly)  # type: ignore[arg-type]
        self._swap()

    def _swap(self) -> None:
        ours = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == "anyurl"}
        sys.modules.update(self._modules)
        self._modules = ours


def pure() -> Pure | None:
    """The copy, still empty; None when the kernel is not compiled anyway."""
    import anyurl
    from anyurl.url.cut import COMPILED

    if not COMPILED:
        return None
    _SourceOnly.folder = Path(anyurl.__file__).parent.parent
    return Pure()
