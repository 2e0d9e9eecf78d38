"""Handling the replies of Prospero servers: following directories, and merging unions.

Rule: a directory server may refer to other servers: to the new place of an object, the rest of a path, or the
directories of a union. Each is queried once, their number is limited, and loops are cut (RFC 1738 section 6: an
endpoint that a server names is judged like any foreign one).
"""

from __future__ import annotations

from collections.abc import Sequence

from anyurl.dialogue import GiveWay, Note, Steps
from anyurl.errors import (
    AccessError,
    LimitError,
    Meaning,
    PeerText,
    RefusedError,
    RemoteProtocolError,
    ReplyError,
    TransferError,
    UnsupportedError,
    sample,
)
from anyurl.schemes.kit.lines import portions
from anyurl.schemes.kit.meanings import CLASSES
from anyurl.schemes.kit.scheme import decoded
from anyurl.schemes.kit.unparsed import UnparsedLines
from anyurl.schemes.prospero.exchange import Courier, Route
from anyurl.schemes.prospero.items import UNION, FoundLink, place_of
from anyurl.schemes.prospero.methods import Location
from anyurl.schemes.prospero.wire.messages import (
    Attribute,
    Complaint,
    Forwarded,
    Line,
    Link,
    Names,
    ReplyLine,
    ReplyLineReader,
    Text,
    list_request,
)

MAX_LINKS = 100_000
"""In one reply: where the guard stops every listing."""

MAX_ATTRIBUTES = 200_000
"""In one reply. An archie hit has 4, an object of a file system 8: room for 25,000 of those, in some 100 MB."""

MAX_ATTRIBUTES_OF_ONE = 1_000
"""Limit for one link, or for the requested object: they are read together, in one step."""

MAX_NOTES = 20
"""Most warnings reported for one reply: few are read, and a server may send a million."""

MAX_DEPTH = 20
"""Unions of unions, or steps of a path from server to server: as often as the original client lets it be forwarded."""

MAX_DIRECTORIES = 24
"""That one listing is put together from. Below the guard's 32 connections: each may be on a server of its own."""

FORWARDING_POINTER = b"FORWARDING-POINTER"

_REFUSALS: dict[bytes, Meaning] = {
    b"NOT-FOUND": "not-found",
    b"NOT-A-DIRECTORY": "not-found",
    b"NOT-AUTHORIZED": "denied",
    b"AUTHENTICATION-REQUIRED": "login",
    b"AUTHENTICATION-DATA": "login",
}

_MEANINGS = {
    b"NOT-FOUND": "it has no such object",
    b"NOT-A-DIRECTORY": "that is not a directory",
    b"NOT-AUTHORIZED": "it does not allow that",
    b"AUTHENTICATION-REQUIRED": "it requires authentication",
    b"TOO-MANY": "there are too many",
    b"SERVER-FAILED": "something failed there",
    b"UNIMPLEMENTED": "it does not know how",
}


class DirectoryReply:
    """The lines of one reply, sorted.

    Attributes:
        attributes: Of the requested object.
        links: Of the requested directory, each with its attributes.
        unresolved: The names that are left over, or nothing.
        forwarded: The new place of a moved object, or None; a request for all attributes gets it as one of them.
        complaint: The request that the server refuses, or None.
        none_found: The server sent NONE-FOUND: for an object, that it exists and has no attributes.
        empty: The reply holds nothing that Prospero defines.
        odd: The lines that Prospero does not know.
        route: The route to the server that replied, or None before that.
        broken: Why the reply is incomplete, although links arrived; or None.
    """

    __slots__ = (
        "attributes", "links", "unresolved", "forwarded", "complaint", "none_found", "empty", "broken",
        "notes", "odd", "route", "_count",
    )  # fmt: skip

    def __init__(self) -> None:
        self.attributes: list[Attribute] = []
        self.links: list[FoundLink] = []
        self.unresolved: tuple[bytes, ...] = ()
        self.forwarded: Link | None = None
        self.complaint: Complaint | None = None
        self.none_found = False
        self.empty = True
        self.broken: TransferError | None = None
        self.notes: list[str] = []
        self.odd = UnparsedLines()
        self.route: Route | None = None
        self._count = 0

    def feed(self, lines: Sequence[ReplyLine]) -> None:
        """Sort these lines in.

        Raises:
            LimitError: More than `MAX_LINKS` links, `MAX_ATTRIBUTES` attributes, or `MAX_ATTRIBUTES_OF_ONE` of one.
            RemoteProtocolError: The server speaks another version.
        """
        for line in lines:
            self.empty = self.empty and isinstance(line, Text)
            if isinstance(line, Link):
                self.links.append(FoundLink(line))
                if len(self.links) > MAX_LINKS:
                    raise LimitError(f"More than {MAX_LINKS:,} links: the limit allows no more.", limit="MAX_LINKS")
            elif isinstance(line, Attribute):
                self._add_attribute(line)
            elif isinstance(line, Forwarded):
                self.forwarded = line.place
            elif isinstance(line, Complaint):
                self._complain(line)
            elif isinstance(line, Text):
                self.odd.add(line.raw[:120])
            else:
                self._add_line(line)

    def _add_attribute(self, attribute: Attribute) -> None:
        self._count += 1
        if self._count > MAX_ATTRIBUTES:
            raise LimitError(
                f"More than {MAX_ATTRIBUTES:,} attributes: the limit allows no more.", limit="MAX_ATTRIBUTES"
            )
        if attribute.name == FORWARDING_POINTER and not self.links and isinstance(attribute.value, Link):
            self.forwarded = self.forwarded or attribute.value
        attributes = self.links[-1].attributes if self.links else self.attributes
        if len(attributes) >= MAX_ATTRIBUTES_OF_ONE:
            what = f"More than {MAX_ATTRIBUTES_OF_ONE:,} attributes of one object"
            raise LimitError(f"{what}: the limit allows no more.", limit="MAX_ATTRIBUTES_OF_ONE")
        attributes.append(attribute)

    def _complain(self, complaint: Complaint) -> None:
        if complaint.word == b"WARNING":
            text = decoded(complaint.text or complaint.code)
            self._remark(f"the server warns: {PeerText(text)}")
        elif self.complaint is None:
            self.complaint = complaint

    def _add_line(self, line: Line) -> None:
        if line.word == b"UNRESOLVED":
            # Older servers write the rest of the path as one token with slashes, newer ones as one token a name.
            self.unresolved = tuple(
                name for token in line.tokens for name in (token.names if isinstance(token, Names) else (token,))
            )
        elif line.word == b"NONE-FOUND":
            self.none_found = True
        elif line.word == b"VERSION-NOT-SUPPORTED":
            said = sample(b" ".join(line.octets()))
            raise RemoteProtocolError(f"The server does not speak version 5 of Prospero ({said}).", sample=said)

    def _remark(self, text: str) -> None:
        if len(self.notes) < MAX_NOTES:
            self.notes.append(text)


def ask(courier: Courier, place: Location, request: bytes) -> Steps[DirectoryReply]:
    """Send a request to the server of a place.

    Raises:
        AnyURLError: There is no (whole, readable) answer.
    """
    reply = yield from courier.ask(place.host, place.port, request, named_by=place.named_by)
    reader, answer = ReplyLineReader(), DirectoryReply()
    try:
        while piece := (yield from reply.receive()):
            for portion in portions(piece):
                answer.feed(reader.feed(portion))
                yield from GiveWay()
        answer.feed(reader.finish())
    except TransferError as error:
        if not answer.links:
            raise
        answer.broken = error  # show the partial result, then the error
    answer.route = reply.route
    if answer.empty:
        said = sample(answer.odd.lines[0]) if answer.odd.count else "nothing at all"
        raise RemoteProtocolError(f"{place.host} answers without a line of Prospero, not even NONE-FOUND: {said}")
    for text in answer.notes:
        yield from Note(text)
    if answer.odd.count:
        yield from Note(answer.odd.remark("the reply"))
    return answer


def complaint_error(place: Location, complaint: Complaint) -> ReplyError:
    """The error for a server's no."""
    said, name = PeerText(decoded(complaint.text)), PeerText(complaint.code)
    meaning = _MEANINGS.get(complaint.code, "the request is refused" if name else "it does not understand the request")
    words = ", ".join(str(word) for word in (name, said) if word)
    refusal = _REFUSALS.get(complaint.code, "other")
    message = f"{place.host} refuses {PeerText(place.hsoname)}: {meaning} ({words or 'ERROR'})."
    return CLASSES[refusal](message, text=said or name, meaning=refusal)


class Walk:
    """One listing that may lead over several directories and servers.

    Args:
        courier: Carries the requests.

    Attributes:
        broken: Why one of the replies was incomplete, or None; its links are among the others.
    """

    __slots__ = ("broken", "_courier", "_seen")

    def __init__(self, courier: Courier) -> None:
        self.broken: TransferError | None = None
        self._courier = courier
        self._seen: set[tuple[object, ...]] = set()

    def visit(self, place: Location, names: Sequence[bytes] = (), depth: int = 0) -> Steps[list[FoundLink]]:
        """The links of a directory, or those that a path of names leads to, from wherever they are.

        Raises:
            ReplyError: The first directory is refused.
            LimitError: It is deeper than `MAX_DEPTH`, or more than `MAX_DIRECTORIES`.
        """
        answer = yield from self._ask(place, names, depth)
        if answer is None:
            return []
        if answer.forwarded is not None:
            there = place_of(answer.forwarded, answer.route)
            if there is None:
                raise RemoteProtocolError(f"{place.host} forwards to a host that has no name.")
            return (yield from self.visit(there, names, depth + 1))
        if answer.complaint is not None and not answer.links:
            raise complaint_error(place, answer.complaint)
        if answer.complaint is not None:
            yield from Note(f"the listing broke off: {complaint_error(place, answer.complaint)}")
        return (yield from self.resolve(place, answer, names, depth))

    def start(self, place: Location) -> None:
        """This directory was queried already."""
        self._seen.add((place.key, ()))

    def _ask(self, place: Location, names: Sequence[bytes], depth: int) -> Steps[DirectoryReply | None]:
        key = (place.key, tuple(names))
        if key in self._seen:
            yield from Note(f"{PeerText(place.hsoname)} at {place.host} leads back to itself: left out")
            return None
        self._seen.add(key)
        if depth > MAX_DEPTH:
            raise LimitError(
                f"The directory forwards more than {MAX_DEPTH} times: the limit allows no more.", limit="MAX_DEPTH"
            )
        if len(self._seen) > MAX_DIRECTORIES:
            raise LimitError(
                f"The listing comes from more than {MAX_DIRECTORIES} directories: the limit allows no more.",
                limit="MAX_DIRECTORIES",
            )
        request = list_request(place.hsoname, place.version, names, place.selects)
        answer = yield from ask(self._courier, place, request)
        self.broken = self.broken or answer.broken
        return answer

    def resolve(
        self, place: Location, answer: DirectoryReply, names: Sequence[bytes] = (), depth: int = 0
    ) -> Steps[list[FoundLink]]:
        """The links of a reply, with those that replace its unions and its unresolved paths."""
        left = answer.unresolved if names else ()  # without names there is nothing that could be left over
        ordinary = [found for found in answer.links if found.link.type != UNION]
        if left:
            if len(left) >= len(names) or tuple(names[-len(left) :]) != left:
                raise RemoteProtocolError(f"{place.host} leaves names unresolved that were not in the request.")
            if ordinary:
                return (yield from self._lead_on(answer, ordinary, left, depth))
        # A union's names are looked up in each of its directories: the last one reached, and the rest of the path.
        wanted = tuple(names[-1 - len(left) :]) if names else ()
        out: list[FoundLink] = []
        for found in answer.links:
            if found.link.type != UNION:
                out.append(found)
            else:
                out += yield from self._splice(answer, found, wanted, depth)
        return out

    def _splice(
        self, answer: DirectoryReply, found: FoundLink, names: Sequence[bytes], depth: int
    ) -> Steps[list[FoundLink]]:
        """The content of one directory of a union; the link itself if it cannot be fetched, so that the others are
        still shown."""
        place = place_of(found.link, answer.route)
        if place is None:
            return [found]
        yield from _tell_filter(found)
        try:
            return (yield from self.visit(place, names, depth + 1))
        except (AccessError, RefusedError) as error:
            yield from Note(f"a part of the union is left out: {error}")
            return [] if names else [found]

    def _lead_on(
        self, answer: DirectoryReply, links: Sequence[FoundLink], left: Sequence[bytes], depth: int
    ) -> Steps[list[FoundLink]]:
        """Look up the rest of the path through each of the matching links: names may repeat."""
        out: list[FoundLink] = []
        failures: list[AccessError | RefusedError | UnsupportedError] = []
        for found in links:
            try:
                out += yield from self._go_on(answer, found, left, depth)
            except (AccessError, RefusedError, UnsupportedError) as error:
                failures.append(error)
        if len(failures) == len(links):
            raise failures[0]
        for failure in failures:
            yield from Note(f"left out: {str(failure).removesuffix('.')}")
        return out

    def _go_on(
        self, answer: DirectoryReply, found: FoundLink, left: Sequence[bytes], depth: int
    ) -> Steps[list[FoundLink]]:
        place = place_of(found.link, answer.route)
        if place is None:
            name, target = PeerText(found.link.name), PeerText(found.link.target)
            raise UnsupportedError(
                f"The path leads through {name}, a link to something {target}, and can't be followed there.",
                scheme="prospero",
                verb="search",
            )
        yield from _tell_filter(found)
        return (yield from self.visit(place, left, depth + 1))


def _tell_filter(found: FoundLink) -> Steps[None]:
    """A filter selects among the links of a link's target; it is not applied, so more are shown."""
    if any(each.name == b"FILTER" and not each.depth for each in found.attributes):
        yield from Note(f"the link {PeerText(found.link.name)} has a filter, which is not applied")
