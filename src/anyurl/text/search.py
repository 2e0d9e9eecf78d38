"""TextSearch: a search in one text after another, with the reader and the finder for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

from anyurl.errors import LimitError, URLSyntaxError
from anyurl.text.finder import Finder
from anyurl.text.found import Found, moved
from anyurl.text.kinds import Kinds
from anyurl.text.limits import Budget
from anyurl.text.readers.registry import AUTO, Reader, find_reader, tell, unpacked_name
from anyurl.text.source import PIECE, Doses, Octets
from anyurl.text.stages import DecodingStage, Places, Stage, TextStage
from anyurl.url import URL
from anyurl.url.cut import percent_encode
from anyurl.url.masking import mask
from anyurl.values import Provenance, Value

_SAFE_IN_NAME = b"!$&'()*+,;=:@/-._~"
"""Characters of a member's name that a URL may hold unencoded."""


class TextSearch(Value):
    """The options of a search."""

    schemes: frozenset[str] | None
    kinds: Kinds
    base: URL | None
    parse: Callable[[str], URL] | None
    origin: Provenance
    encoding: str = "utf-8"

    def run(
        self,
        octets: Octets,
        format: str,
        name: str,
        member: str = "",
        budget: Budget | None = None,
        depth: tuple[int, int] = (0, 0),
    ) -> Iterator[Found]:
        """Search one text.

        Args:
            octets: The text.
            format: Its format, or AUTO.
            name: Its name, for AUTO.
            member: Its path in an archive.
            budget: The remaining budget of unpacking.
            depth: The number of archives, and of compressed files, around it.

        Raises:
            LimitError: The limits of unpacking are exceeded.
            OSError: An archive or a compressed file is damaged.
        """
        # A generator that delegates to another one is resumed for each URL
        return chain.from_iterable(self._run(octets, format, name, member, budget, depth))

    def _run(
        self, octets: Octets, format: str, name: str, member: str, budget: Budget | None, depth: tuple[int, int]
    ) -> Iterator[list[Found]]:
        """Yield the URLs, step by step."""
        octets.begin()
        told = tell(name, octets.head(), octets.is_text) if format == AUTO else format
        reader = find_reader(told)
        if reader is not None and reader.unpack is not None:
            yield from self._unpack(reader, octets, name, member, budget or Budget(), depth)
            return
        if member and octets.is_binary():
            return
        if reader is not None and reader.decode is not None:
            yield from self._decode(octets, told, member)
            return
        if member:
            for some in self._look(octets, reader):
                yield [
                    moved(one, one.raw, one.span[0], one.octet_span, one.line, one.column, one.context, member)
                    for one in some
                ]
            return
        yield from self._look(octets, reader)

    def _look(self, octets: Octets, reader: Reader | None) -> Iterator[list[Found]]:
        """Search with a reader that reads the buffer of the finder, whose places are those of the source."""
        finder = self._finder(octets.errors, octets.encoding, octets.skipped)
        finder.format = "text" if reader is None else reader.name
        if reader is None or reader.look is None:
            yield from self._step(octets, finder)
            return
        look = reader.look(finder, self.base)
        doses = Doses(octets)
        for piece in doses:
            if finder.accept(piece, False):
                look()
                found = finder.taken()
                doses.weigh(len(found))
                yield found
        finder.accept(b"", True)
        look()
        yield finder.taken()

    def _step(self, octets: Octets, finder: Finder) -> Iterator[list[Found]]:
        """Search running text, in small steps of the finder."""
        text = octets.ascii_text
        if text is None:
            for piece in octets:
                if finder.accept(piece, False):
                    yield from _steps(finder)
            finder.accept(b"", True)
        else:
            end = len(text)
            for start in range(0, end, PIECE):
                if finder.accept_text(text, start, min(start + PIECE, end), False):
                    yield from _steps(finder)
            finder.accept_text(text, end, end, True)
        yield from _steps(finder)

    def _unpack(
        self, reader: Reader, octets: Octets, name: str, member: str, budget: Budget, depth: tuple[int, int]
    ) -> Iterator[list[Found]]:
        """Search the members of an archive, or a compressed file."""
        archives, streams = depth
        for inner, file in reader.unpack(octets.file(), budget) if reader.unpack is not None else ():
            base = self.base
            if reader.located:
                base, inner = _place(inner)
            if inner:
                within = (archives + 1, streams)
                path = f"{member}!{inner}" if member else inner
            else:  # compressed: its content has its name
                within = (archives, streams + 1)
                path, inner = member, unpacked_name(name, reader)
            if max(within) > budget.nesting:
                raise LimitError(f"Archives are nested too deep, at {path or name or 'the top'}.", limit="MAX_NESTING")
            search = self
            if base is not None and path != member:
                search = self._at(base) if reader.located else self._in(base, inner)
            format = getattr(file, "format", "") or AUTO
            yield from search._run(Octets(file, self.encoding), format, inner, path, budget, within)

    def _at(self, base: URL) -> TextSearch:
        """The same with another base."""
        return TextSearch(self.schemes, self.kinds, base, self.parse, self.origin, self.encoding)

    def _in(self, archive: URL, member: str) -> TextSearch:
        """The same for a member of an archive: links lead to other members, with URLs as those of ``jar:``."""
        name = percent_encode(member.encode("utf-8", "surrogateescape"), _SAFE_IN_NAME)
        try:
            base = URL(f"{archive.replace(query=None, fragment=None)}!/{name}")
        except URLSyntaxError:  # too long
            return self
        return self._at(base)

    def _finder(self, errors: str, encoding: str | None = None, skipped: int = 0) -> Finder:
        finder = Finder(self.schemes, self.kinds, errors, encoding, skipped, self.parse)
        finder.origin = self.origin
        return finder

    def _decode(self, octets: Octets, format: str, member: str) -> Iterator[list[Found]]:
        """Search decoded text, and report URLs with their places in the source."""
        places = Places(octets.encoding, octets.errors, octets.skipped)
        stage = self.stage(format, octets.errors)
        doses = Doses(octets)
        for piece in doses:
            places.add(piece)
            some = stage.feed(piece, False)
            doses.weigh(len(some))
            yield [places.of(one, member) for one in some]
            places.keep(stage.least(0))
        yield [places.of(one, member) for one in stage.feed(b"", True)]

    def stage(self, format: str, errors: str, within: str = "") -> Stage:
        """The stage that finds the URLs of one text in UTF-8 as it arrives; places count from its start.

        Args:
            format: The format, and after a semicolon the transfer encoding that a decoder has undone.
            within: The formats around the text, outermost first.
        """
        name, _, coding = format.partition(";")
        reader = find_reader(name)
        formats = "/".join(filter(None, (within, coding, name)))
        if reader is not None and reader.decode is not None:
            return DecodingStage(reader.decode(), reader.then, lambda inner: self.stage(inner, errors, formats))
        finder = self._finder(errors)
        finder.format = formats
        return TextStage(
            finder, finder.read if reader is None or reader.look is None else reader.look(finder, self.base)
        )


def _place(url: str) -> tuple[URL | None, str]:
    """The base of a content that came from a URL, and its name, which shows no password."""
    try:
        base = URL(url)
    except URLSyntaxError:
        return None, mask(url)
    return base, base.masked


def _steps(finder: Finder) -> Iterator[list[Found]]:
    """Yield the URLs in the buffer of a finder."""
    goes_on = True
    while goes_on:
        goes_on = finder.step()
        yield finder.taken()
