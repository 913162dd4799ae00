"""From the orders of loads to the bursts that are given to the bus."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from tilewright.generators.reference.engine_bursts import Burst, Bursts
from tilewright.generators.reference.engine_regions import Region
from tilewright.generators.reference.engine_spans import MOST_RUNS

LONG_AGO = -(1 << 30)
NEVER = 1 << 60
WALK = 3  # from an order to the walk of its runs
GIVE = 7  # from there to where its first burst is given
SEND = 2  # from there to the bus
HELD_RUNS = 6  # that wait on their way from the walk, and spans that wait behind these to be given
HELD_SPANS = 2
GIVEN = 2  # bursts that have been given and wait for the bus
GIVEN_WALKED = 2  # from where a burst is given to the next walk, when runs had to wait
CREDIT = 1  # from a burst's last beat at the reader to where one is given that waited for it
RUN_AHEAD = 2  # runs that are known, besides those in the queue before the cutter
RUN_GIVEN = 4  # from the end of a run to where a burst is given that waited for it
RUN_WALKED = 7, 3  # likewise: runs ahead, and cycles to the next walk
HELD_WORDS = 2  # that wait for the core's port, and cuts that wait behind them


@dataclass
class Port:
    """A port of the core that loads matrices: one at a time. ``check``, ``written``: its cycles before and after.

    ``words``: when the last ones came; ``flushed``: when what was left over of a cut was one; ``loads``: those that it
    has not answered.
    """

    check: int
    written: int
    free: int = LONG_AGO
    words: deque[int] = field(default_factory=lambda: deque([LONG_AGO] * HELD_WORDS, maxlen=HELD_WORDS))
    flushed: int = LONG_AGO
    loads: deque[Transfer] = field(default_factory=deque)

    def add(self, load: Transfer) -> None:
        """Another load: it is told to the port when those before have been answered."""
        self.loads.append(load)
        if len(self.loads) == 1:
            load.commanded = max(load.begins + 2, self.free)

    def answer(self, load: Transfer) -> None:
        """The load is complete."""
        load.ends = load.last_word + self.written
        self.free = load.ends + 1
        self.loads.popleft()
        if self.loads:
            self.loads[0].commanded = max(self.loads[0].begins + 2, self.free)


@dataclass
class Transfer:
    """A load on its way. Cycles, None while they are not known.

    Attributes:
        bursts: what it is moved in.
        port: where it goes.
        begins: when it had its tokens.
        region: of C, where the array's writes go first.
        runs, spans: of all; spans that have not been given; first: number of the first run; known: runs given.
        ordered: when its order has been taken; walked: when its runs begin to be walked.
        commanded: when the port has its command; ends: when it answers.
        at, arrived: bursts that have been given, that have come.
    """

    bursts: Bursts
    port: Port
    gives: int
    begins: int
    region: Region | None = None
    runs: int = 0
    spans: int = 0
    first: int = 0
    known: int = 0
    ordered: int | None = None
    walked: int | None = None
    commanded: int | None = None
    ends: int | None = None
    at: int = 0
    arrived: int = 0
    last_word: int = LONG_AGO


class Walks:
    """Walks the runs of loads; gives bursts, each when there is a credit for it.

    Attributes:
        given: bursts that wait for the bus, with when they were given.
        credits: when further ones may be given.
        ended: when runs had been cut.
    """

    def __init__(self, outstanding: int) -> None:
        self.places = max(2 * MOST_RUNS, 4 * outstanding)  # of runs before the data side
        self.loads: deque[Transfer] = deque()
        self.before: Transfer | None = None  # the load whose walk began last
        self.given: deque[tuple[Transfer, Burst, int]] = deque()
        self.credits: deque[int] = deque([LONG_AGO] * outstanding)
        self.ended: list[int] = []
        self.total = 0  # runs of all walks that have begun
        self.tail: deque[int] = deque([0] * HELD_RUNS, maxlen=HELD_RUNS)  # last runs walked: 1 for those that end spans
        most = HELD_RUNS + HELD_SPANS + 1
        self.spans: deque[int] = deque([LONG_AGO] * most, maxlen=most)  # when the last spans were given
        self.last = LONG_AGO  # when the last burst was
        self.sent: deque[int] = deque([LONG_AGO] * GIVEN, maxlen=GIVEN)  # when bursts were on the bus

    def add(self, load: Transfer) -> None:
        """A load that has begun."""
        load.runs = sum(burst.runs for burst in load.bursts if burst.ends) + load.bursts[-1].behind
        load.spans = sum(burst.ends for burst in load.bursts)
        self.loads.append(load)
        load.port.add(load)
        self.advance()

    def send(self, cycle: int) -> tuple[Transfer, Burst]:
        """The first burst that was given is on the bus."""
        load, burst, _ = self.given.popleft()
        self.sent.append(cycle)
        self.advance()
        return load, burst

    def advance(self) -> None:
        """Walks and gives whatever can be told."""
        self._walk()
        while self._give():
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
                left, held = self._left(before), HELD_SPANS + sum(self.tail)
                if left > held:
                    return
                room = self.spans[left - held - 1] + GIVEN_WALKED
                room = max(room, self._place(self.total - 1, *RUN_WALKED))
                if room == NEVER:
                    return
                load.walked = max(load.ordered + WALK, before.walked + before.runs, room)
            self.before = load
            load.first = self.total
            self.total += load.runs
            for burst in load.bursts[-HELD_RUNS:]:
                if burst.ends:
                    self.tail.extend((*(0,) * min(burst.runs - 1, HELD_RUNS), 1))
                self.tail.extend((0,) * min(burst.behind, HELD_RUNS))

    def _place(self, run: int, ahead: int, cycles: int) -> int:
        """When there is a place for a run before the data side; NEVER while that is not known."""
        before = run - self.places - ahead
        if before < 0:
            return LONG_AGO
        return self.ended[before] + cycles if before < len(self.ended) else NEVER

    def _left(self, last: Transfer) -> int:
        """Spans that have not been given, up to those of ``last``."""
        total = 0
        for load in self.loads:
            total += load.spans
            if load is last:
                return total
        return 0

    def _give(self) -> bool:
        """Gives a burst, if it can be told when."""
        if not self.loads or len(self.given) == GIVEN:
            return False
        load = self.loads[0]
        if load.walked is None:
            return False
        burst = load.bursts[load.at]
        if burst.beats and not self.credits:
            return False
        runs = load.known + burst.runs - 1
        # What is not in memory makes room for itself.
        place = self._place(load.first + (runs if burst.beats else load.known), RUN_AHEAD, RUN_GIVEN)
        if place == NEVER:
            return False
        free = self.sent[len(self.given)]
        credit = self.credits.popleft() if burst.beats else LONG_AGO
        self.last = max(load.walked + GIVE + runs, self.last + 1, credit, place, free)
        self.given.append((load, burst, self.last))
        if burst.ends:
            self.spans.append(self.last)
            load.spans -= 1
            load.known += burst.runs
        load.at += 1
        if load.at == len(load.bursts):
            self.loads.popleft()
        return True
