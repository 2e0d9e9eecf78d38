"""What a disk may hold after a power cut, from what `record.c` wrote down.

The model: octets are on the disk for certain after an fsync of their file, names after an fsync of their folder. Of
what was done since, the octets of one file survive up to some point (file systems write a file's length after its
octets), and of the changes to names any may survive, each on its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

Inode = int


class Change(NamedTuple):
    """One line of the record.

    Attributes:
        verb: ``new``, ``create``, ``write``, ``cut``, ``move``, ``remove`` or ``fsync``.
        inode: The file or folder that an fsync makes it last by.
    """

    verb: str
    inode: Inode
    rest: tuple[str, ...]


class Disk:
    """Names and octets.

    Attributes:
        names: By folder and name, the inode that is there.
        octets: By inode.
    """

    def __init__(self, names: dict[tuple[Inode, str], Inode], octets: dict[Inode, bytes]) -> None:
        self.names = dict(names)
        self.octets = dict(octets)

    def read(self, folder: Inode, name: str) -> bytes | None:
        """The content that a name leads to."""
        inode = self.names.get((folder, name))
        return None if inode is None else self.octets.get(inode, b"")

    def apply(self, change: Change) -> None:
        """Do what was done."""
        match change:
            case Change("new", inode, _):
                self.octets[inode] = b""
            case Change("create", folder, (name, inode)):
                self.names[folder, name] = int(inode)
            case Change("remove", folder, (name,)):
                self.names.pop((folder, name), None)
            case Change("move", folder, (name, source, old, inode)):
                self.names.pop((int(source), old), None)
                self.names[folder, name] = int(inode)
            case Change("write", inode, (offset, data)):
                old_octets, at, new = self.octets.get(inode, b""), int(offset), bytes.fromhex(data)
                self.octets[inode] = old_octets[:at].ljust(at, b"\0") + new + old_octets[at + len(new) :]
            case Change("cut", inode, (size,)):
                self.octets[inode] = self.octets.get(inode, b"")[: int(size)]


def parse(record: str) -> list[Change]:
    """The changes of a record, in order."""
    changes = []
    for line in record.splitlines():
        verb, *words = line.split(" ")
        if verb == "move":
            source, old, folder, name, inode = words
            changes.append(Change("move", int(folder), (name, source, old, inode)))
        else:
            changes.append(Change(verb, int(words[0]), tuple(words[1:])))
    return changes


def after_power_cuts(before: Disk, changes: list[Change]) -> Iterator[tuple[int, Disk]]:
    """Every state that the disk may be in, with the number of changes that had been made when the power was cut."""
    for made in range(len(changes) + 1):
        sure, open_names, open_octets = _sorted(changes[:made])
        for survivors in _survivors(open_names, open_octets):
            disk = Disk(before.names, before.octets)
            for index, change in enumerate(changes[:made]):
                if index in sure or index in survivors:
                    disk.apply(change)
            yield made, disk


def _sorted(changes: list[Change]) -> tuple[set[int], list[int], dict[Inode, list[int]]]:
    """What is on the disk for certain, and of the rest the changes of names and, by file, those of octets."""
    sure: set[int] = set()
    names: list[int] = []
    octets: dict[Inode, list[int]] = {}
    for index, change in enumerate(changes):
        if change.verb == "new":
            sure.add(index)
        elif change.verb == "fsync":
            sure.update(each for each in names if changes[each].inode == change.inode)
            sure.update(octets.pop(change.inode, ()))
            names = [each for each in names if each not in sure]
        elif change.verb in ("write", "cut"):
            octets.setdefault(change.inode, []).append(index)
        else:
            names.append(index)
    return sure, names, octets


def _survivors(names: list[int], octets: dict[Inode, list[int]]) -> Iterator[set[int]]:
    for chosen in product((False, True), repeat=len(names)):
        kept = {index for index, yes in zip(names, chosen, strict=True) if yes}
        for ends in product(*(range(len(each) + 1) for each in octets.values())):
            yield kept.union(*(each[:end] for each, end in zip(octets.values(), ends, strict=True)))
