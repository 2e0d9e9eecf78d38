"""What one search does with each text that it meets: which reader, which finder, and where what is found stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from anyurl.text.finder import Finder
from anyurl.text.found import Found
from anyurl.text.readers.registry import AUTO, find_reader, tell
from anyurl.text.source import Doses, Octets
from anyurl.text.stages import DecodingStage, Places, Stage, TextStage
from anyurl.url import URL
from anyurl.values import Provenance, Value


class TextSearch(Value, kw_only=True):
    """What is looked for, and how."""

    schemes: frozenset[str] | None
    emails: bool
    www: bool
    base: URL | None
    parse: Callable[[str], URL] | None
    origin: Provenance

    def run(self, octets: Octets, format: str, name: str, member: str = "") -> Iterator[Found]:
        """TextSearch one text."""
        octets.begin()
        if format == AUTO:
            format = tell(name, octets.head())
        reader = find_reader(format)
        if reader is not None and reader.decode is not None:
            yield from self._decode(octets, format, member)
            return
        finder = self._finder(octets.errors, octets.encoding, octets.skipped)
        look = finder.read if reader is None or reader.look is None else reader.look(finder, self.base)
        doses = Doses(octets)
        for piece in doses:  # what the finder tells is told as it is
            if finder.accept(piece, False):
                look()
                found = finder.taken()
                doses.weigh(len(found))
                yield from found
        finder.accept(b"", True)
        look()
        yield from finder.taken()

    def _finder(self, errors: str, encoding: str | None = None, skipped: int = 0) -> Finder:
        finder = Finder(self.schemes, self.emails, self.www, errors, encoding, skipped, self.parse)
        finder.origin = self.origin
        return finder

    def _decode(self, octets: Octets, format: str, member: str) -> Iterator[Found]:
        """What is found in decoded text is told with its place in the source."""
        places = Places(octets.encoding, octets.errors, octets.skipped)
        stage = self.stage(format, octets.errors)
        doses = Doses(octets)
        for piece in doses:
            places.add(piece)
            some = stage.feed(piece, False)
            doses.weigh(len(some))
            for found in some:
                yield places.of(found, member)
            places.keep(stage.least(0))
        for found in stage.feed(b"", True):
            yield places.of(found, member)

    def stage(self, format: str, errors: str) -> Stage:
        """What finds the URLs of one text as its octets come, which are UTF-8; their places count from its start."""
        reader = find_reader(format)
        if reader is not None and reader.decode is not None:
            return DecodingStage(reader.decode(), reader.then, lambda inner: self.stage(inner, errors))
        finder = self._finder(errors)
        return TextStage(
            finder, finder.read if reader is None or reader.look is None else reader.look(finder, self.base)
        )
