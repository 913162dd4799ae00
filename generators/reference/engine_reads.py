"""The read channel of an engine: instructions and loads share it, burst by burst."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from tilewright.generators.reference.engine_bursts import Burst, Bursts
from tilewright.generators.reference.engine_regions import Region

LONG_AGO = -(1 << 30)
NEVER = 1 << 60
WALK = 3  # from an order to the walk of its runs
ASK = 8  # from there to the first request on the bus
WALKED = 0  # from a request on the bus to the next walk, where runs had to wait
HELD_RUNS = 8  # that wait between the walk and the bus
WAY_IN = 5  # from a beat on the bus to the core's port
CREDIT = 4  # from a burst's last beat to the request that waited for it
SHARED = 3  # likewise, of all bursts under way
HELD_BEATS = 2  # of the bus that wait before they are cut, and words that wait behind
HELD_WORDS = 4
CHECK = 6  # from the command of a port of the core to its first word


@dataclass
class Port:
    """A port of the core that loads matrices: one at a time. ``check``, ``written``: its cycles before and after."""

    check: int
    written: int
    free: int = LONG_AGO


@dataclass
class Transfer:
    """A load on its way. Cycles, None while they are not known.

    Attributes:
        bursts: what it is moved in.
        port: where it goes.
        begins: when it had its tokens.
        ordered: when its order has been taken; walked: when its runs begin to be walked.
        commanded: when the port has its command; ends: when it answers.
        at, arrived: bursts that have been asked for, that have come.
        region: of C, where the array's writes go first.
    """

    bursts: Bursts
    port: Port
    gives: int
    begins: int
    region: Region | None = None
    runs: int = 0
    ordered: int | None = None
    walked: int | None = None
    commanded: int | None = None
    ends: int | None = None
    at: int = 0
    arrived: int = 0
    last_word: int = LONG_AGO


class ReadChannel:
    """Deals with requests in the order in which they are on the bus."""

    def __init__(self, latency: int, outstanding: int, fetch_beats: int) -> None:
        self.latency, self.fetch_beats = latency, fetch_beats
        self.asked = self.taken = self.moved = LONG_AGO  # last request, last beat; last word at the core
        self.loads: deque[Transfer] = deque()
        self.before: Transfer | None = None  # the load whose walk began last
        self.fetches: deque[int] = deque()  # when instructions are asked for
        self.fetched: list[int] = []  # when their last beats come
        self.waiting: deque[int] = deque([LONG_AGO] * outstanding)  # when further bursts may be asked for
        self.owners: deque[int] = deque([LONG_AGO] * (2 * outstanding))  # when either reader may ask for more
        self.coming: deque[tuple[int, Transfer | None, Burst | None]] = deque()
        self.words: deque[int] = deque([LONG_AGO] * 16, maxlen=16)  # when the last beats of loads were words
        self.requests: deque[int] = deque([LONG_AGO] * HELD_RUNS, maxlen=HELD_RUNS)  # last requests of loads

    def add(self, load: Transfer) -> None:
        """A load that has begun."""
        load.runs = sum(burst.run for burst in load.bursts)
        self.loads.append(load)
        self._walk()

    def _walk(self) -> None:
        """Orders are taken, and walks begin, as soon as those before are on their way."""
        for load in self.loads:
            if load.walked is not None:
                continue
            before = self.before
            if before is None:
                load.ordered = load.begins + 1
                load.walked = load.ordered + WALK
            else:
                assert before.walked is not None
                load.ordered = max(load.begins + 1, before.walked + 1)
                left = len(before.bursts) - before.at
                if left > HELD_RUNS - 1:
                    return
                room = self.requests[left] + WALKED
                load.walked = max(load.ordered + WALK, before.walked + before.runs, room)
            self.before = load

    def next(self) -> tuple[int, bool]:
        """(when the next request is on the bus, whether it is a load's)."""
        if not self.owners:
            return NEVER, False
        soonest = max(self.asked + 1, self.owners[0])
        fetch = max(self.fetches[0], soonest) if self.fetches else NEVER
        if self.loads and (walked := self.loads[0].walked) is not None:
            load = self.loads[0]
            credit = self.waiting[0] if self.waiting else NEVER
            asks = max(walked + ASK + load.at, soonest, credit)
            if asks < fetch:
                return asks, True
        return fetch, False

    def request(self, asks: int, of_load: bool) -> None:
        """The next request is on the bus."""
        self.asked = asks
        self.owners.popleft()
        if not of_load:
            self.fetches.popleft()
            self.coming.append((asks + self.latency, None, None))
            return
        load = self.loads[0]
        self.coming.append((asks + self.latency, load, load.bursts[load.at]))
        self.waiting.popleft()
        self.requests.append(asks)
        load.at += 1
        if load.at == len(load.bursts):
            self.loads.popleft()
        if self.loads and self.loads[-1].walked is None:
            self._walk()

    def arrival(self) -> int:
        """When the first beat of the next burst comes."""
        return max(self.coming[0][0], self.taken + 1) if self.coming else NEVER

    def arrive(self, first: int) -> Transfer | None:
        """A burst comes; the load where that was its last one: its end is known then."""
        _, load, burst = self.coming.popleft()
        if load is None or burst is None:
            self.taken = first + self.fetch_beats - 1
            self.owners.append(self.taken + SHARED)
            self.fetched.append(self.taken)
            return None
        beats, paced, late, words, *_ = burst
        port = load.port
        if load.commanded is None:
            load.commanded = max(load.begins + 2, port.free)
        last = first + beats - 1
        moved = max(self.moved + paced, first + WAY_IN + paced - 1, last + WAY_IN + late)
        if load.last_word == LONG_AGO:
            moved = max(moved, load.commanded + port.check + paced - 1)
        if load.region is not None:
            word = max(self.moved, moved - paced) + 1
            for _ in range(words):
                word = load.region.free(word + 1)
            moved = max(moved, word - 1)
        # A beat waits on the bus until those before it have room.
        each = paced / beats
        held = HELD_BEATS + -(-HELD_WORDS // max(1, round(each)))
        room = moved - round(held * each) if held < beats else self.words[beats - held - 1]
        self.taken = max(last, room + 1)
        self.waiting.append(self.taken + CREDIT)
        self.owners.append(self.taken + SHARED)
        self.moved = moved
        for beat in range(max(0, beats - 16), beats):
            self.words.append(moved - round((beats - 1 - beat) * each))
        if words:
            load.last_word = moved
        load.arrived += 1
        if load.arrived < len(load.bursts):
            return None
        load.ends = load.last_word + port.written
        port.free = load.ends + 1
        return load
