"""The read channel of an engine: instructions and loads share it, burst by burst."""

from __future__ import annotations

from collections import deque

from tilewright.generators.reference.engine_bursts import Burst
from tilewright.generators.reference.engine_walks import LONG_AGO, NEVER, SEND, Transfer, Walks
from tilewright.generators.reference.engine_way_in import CUT, PLACE, SHARE, Way

WAY_IN = SHARE + CUT + PLACE + 1
FETCH_EACH = 2  # from one request for an instruction to the next
PADDED = 1  # from what is not in memory, given, to the cutter
CHECK = 6  # from the command of a port of the core to its first word


class ReadChannel:
    """Deals with requests in the order in which they are on the bus.

    ``fetch_beats``: beats of an instruction, ``fetch_bursts``: what it is asked for in.
    """

    def __init__(self, latency: int, outstanding: int, fetch_beats: int, fetch_bursts: int) -> None:
        self.latency, self.fetch_beats, self.fetch_bursts = latency, fetch_beats, fetch_bursts
        self.walks = Walks(outstanding)
        self.asked = self.fetch = LONG_AGO  # last request, last one for an instruction
        self.fetches: deque[int] = deque()  # when bursts of instructions are asked for
        self.fetched: list[int] = []  # when the last beats of instructions come
        self.parts = 0  # bursts of the next one that have come
        self.owners: deque[int] = deque([LONG_AGO] * (2 * outstanding))  # when either reader may ask for more
        self.coming: deque[tuple[int, Transfer | None, Burst | None]] = deque()
        self.way = Way(self.walks, self.owners)

    def fetch_from(self, cycle: int) -> int:
        """The next instruction is asked for, from a cycle on; when its last burst is."""
        self.fetches.extend(cycle + FETCH_EACH * burst for burst in range(self.fetch_bursts))
        return self.fetches[-1]

    def next(self) -> tuple[int, bool]:
        """(when the next request is on the bus, whether it is a load's)."""
        if self.walks.given and not self.walks.given[0][1].beats:
            return self.walks.given[0][2], True  # it asks for nothing
        if not self.owners:
            return NEVER, False
        soonest = max(self.asked + 1, self.owners[0])
        fetch = max(self.fetches[0], soonest, self.fetch + FETCH_EACH) if self.fetches else NEVER
        load = max(self.walks.given[0][2] + SEND, soonest) if self.walks.given else NEVER
        return (load, True) if load < fetch else (fetch, False)

    def request(self, asks: int, of_load: bool) -> None:
        """The next request is on the bus."""
        if of_load and not self.walks.given[0][1].beats:
            self.coming.append((asks + PADDED, *self.walks.send(asks)))
            return
        self.asked = asks
        self.owners.popleft()
        if of_load:
            self.coming.append((asks + self.latency, *self.walks.send(asks)))
        else:
            self.fetches.popleft()
            self.fetch = asks
            self.coming.append((asks + self.latency, None, None))

    def arrival(self) -> int:
        """When the first beat of the next burst comes, or a word may be written that the array has held up."""
        return min(self.way.held, self._comes())

    def _comes(self) -> int:
        if not self.coming or self.way.full():
            return NEVER
        first, _, burst = self.coming[0]
        return first if burst is not None and not burst.beats else max(first, self.way.taken + 1)

    def arrive(self, now: int) -> list[Transfer]:
        """A burst comes, or goes on; loads of which it was the last one: their ends are known then."""
        if self.way.held <= self._comes():
            return self.way.go_on(now)
        _, load, burst = self.coming.popleft()
        if load is not None and burst is not None:
            return self.way.add(now, burst, load)
        last = self.way.fetch(now, self.fetch_beats // self.fetch_bursts)
        self.parts = (self.parts + 1) % self.fetch_bursts
        if self.parts == 0:
            self.fetched.append(last)
        return []
