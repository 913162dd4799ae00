"""Who has written what an instruction reads: the same in every order of the sequencers, or there is a race."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.reference.engine_machine import EngineError
from tilewright.generators.reference.engine_records import Entry

Where = tuple[str, NDArray[np.int64]]
"""A memory and words (or bytes) of it, in any shape."""

_NOBODY = -1


class Versions:
    """Remembers, for every word of every memory, the instruction that has written it last.

    A sequential run notes the writers of all that is read; later runs must find the same. So a word that is read
    before it is loaded, or overwritten while it is needed, is found in whichever order it happens.
    """

    def __init__(self) -> None:
        self._expected: dict[tuple[int, int], NDArray[np.int64]] = {}
        self._begin()

    def _begin(self) -> None:
        self._writers: dict[str, NDArray[np.int64]] = {}
        self._reads: dict[int, int] = {}

    def begin(self, *, sequential: bool) -> None:
        """A run begins."""
        self._sequential = sequential
        self._begin()
        if sequential:
            self._expected = {}

    def reads(self, entry: Entry, where: Where) -> None:
        """Raises EngineError where a word has another writer than in the sequential run, which must come first."""
        number = self._reads.get(entry.number, 0)
        self._reads[entry.number] = number + 1
        found = self._of(where)[where[1].reshape(-1)].copy()
        if self._sequential:
            self._expected[entry.number, number] = found
            return
        wanted = self._expected[entry.number, number]
        wrong = np.flatnonzero(found != wanted)
        if len(wrong):
            place = int(where[1].reshape(-1)[wrong[0]])
            have, should = (_told(int(writers[wrong[0]])) for writers in (found, wanted))
            raise EngineError(f"race: {entry} reads {where[0]}[{place}] as {have} left it, not as {should} does")

    def writes(self, entry: Entry, where: Where) -> None:
        """Notes the writer."""
        self._of(where)[where[1].reshape(-1)] = entry.number

    def _of(self, where: Where) -> NDArray[np.int64]:
        """The writers of a memory, which grows with what is touched."""
        name, places = where
        size = int(places.max(initial=0)) + 1
        writers = self._writers.get(name, np.empty(0, dtype=np.int64))
        if len(writers) < size:
            more = np.full(max(size, 2 * len(writers)) - len(writers), _NOBODY, dtype=np.int64)
            writers = self._writers[name] = np.concatenate([writers, more])
        return writers


class OwnVersions:
    """What a core sees of them: its memories are its own, but for ``memory``, which all share."""

    def __init__(self, versions: Versions, core: int) -> None:
        self._versions, self._core = versions, core

    def reads(self, entry: Entry, where: Where) -> None:
        """See `Versions`."""
        self._versions.reads(entry, self._named(where))

    def writes(self, entry: Entry, where: Where) -> None:
        """See `Versions`."""
        self._versions.writes(entry, self._named(where))

    def _named(self, where: Where) -> Where:
        name, places = where
        return (name if name == "memory" or not self._core else f"{name} of core {self._core}", places)


def _told(writer: int) -> str:
    return "nobody" if writer == _NOBODY else f"instruction {writer}"
