"""From the orders of loads to the bursts that are given to the bus."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import islice

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
SPAN_GIVEN = 2  # from where a burst is given to one whose span had to wait for it, besides a cycle for each of its runs
CREDIT = 1  # from a burst's last beat at the reader to where one is given that waited for it
RUN_AHEAD = 2  # runs that are known, besides those in the queue before the cutter
RUN_GIVEN = 4  # from the end of a run to where a burst is given that waited for it
RUN_WALKED = 7, 3  # likewise: runs ahead, and cycles to the next walk
PORTS = 6  # that may answer in the same cycle
HELD_WORDS = 2  # that wait for the core's port, and cuts that wait behind them


@dataclass
class Port:
    """A port of the core that loads matrices: one at a time. ``check``, ``written``: its cycles before and after;
    ``answered``: when the last answers of all ports were taken, one a cycle; ``way``: cycles from a word to the port;
    ``waiting``: words that wait on that way.

    ``words``: when the last ones came; ``flushed``: when what was left over of a cut was one; ``loads``: those that it
    has not answered.
    """

    check: int
    written: int
    answered: deque[int]
    way: int = 0
    waiting: int = 0
    free: int = LONG_AGO
    words: deque[int] = field(init=False)
    flushed: int = LONG_AGO
    loads: deque[Transfer] = field(default_factory=deque)

    def __post_init__(self) -> None:
        places = HELD_WORDS + self.waiting
        self.words = deque([LONG_AGO] * places, maxlen=places)

    def add(self, load: Transfer) -> None:
        """Another load: it is told to the port when those before have been answered."""
        self.loads.append(load)
        if len(self.loads) == 1:
            load.commanded = max(load.begins + 2, self.free)

    def answer(self, load: Transfer) -> None:
        """The load is complete."""
        load.ends = load.last_word + self.written
        while load.ends in self.answered:
            load.ends += 1
        self.answered.append(load.ends)
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
        starts: cycles that it takes to find where its walk starts, besides `WALK`.
        runs, spans: of all; spans that have not been given; first: number of the first run; known: runs given;
            joined: runs of spans that are given.
        ordered: when its order has been taken; walked: when its runs begin to be walked; late: by how much that walk
            has been held up.
        commanded: when the port has its command; ends: when it answers.
        at, arrived: bursts that have been given, that have come.
    """

    bursts: Bursts
    port: Port
    gives: int
    begins: int
    region: Region | None = None
    starts: int = 0
    runs: int = 0
    spans: int = 0
    first: int = 0
    known: int = 0
    joined: int = 0
    ordered: int | None = None
    walked: int | None = None
    late: int = 0
    commanded: int | None = None
    ends: int | None = None
    at: int = 0
    arrived: int = 0
    last_word: int = LONG_AGO

    @property
    def ends_walk(self) -> int:
        """When its walk has come to its end."""
        assert self.walked is not None
        return self.walked + self.runs + self.late


class Walks:
    """Walks the runs of loads; gives bursts, each when there is a credit for it.

    Attributes:
        given: bursts that wait for the bus, with when they were given.
        credits: when further ones may be given.
        ended: when runs had been cut.
        answered: when loads ended.
    """

    def __init__(self, outstanding: int) -> None:
        self.places = max(2 * MOST_RUNS, 4 * outstanding)  # of runs before the data side
        self.loads: deque[Transfer] = deque()
        self.orders: deque[Transfer] = deque()  # those whose walk has not begun
        self.before: Transfer | None = None  # the load whose walk began last
        self.given: deque[tuple[Transfer, Burst, int]] = deque()
        self.wait = 0  # those of them that have beats
        self.credits: deque[int] = deque([LONG_AGO] * outstanding)
        self.ended: list[int] = []
        self.answered: deque[int] = deque(maxlen=PORTS)
        self.total = 0  # runs of all walks that have begun
        self.tail: deque[int] = deque([0] * HELD_RUNS, maxlen=HELD_RUNS)  # last runs walked: 1 for those that end spans
        most = HELD_RUNS + HELD_SPANS + 1
        self.spans: deque[int] = deque([LONG_AGO] * most, maxlen=most)  # when the last spans were given
        self.ready = LONG_AGO  # when all runs of the span that is given had come
        self.last = LONG_AGO  # when the last burst was given
        self.sent: deque[int] = deque([LONG_AGO] * GIVEN, maxlen=GIVEN)  # when bursts were on the bus

    def add(self, load: Transfer) -> None:
        """A load that has begun."""
        load.runs = sum(burst.runs for burst in load.bursts if burst.ends) + load.bursts[-1].behind
        load.spans = sum(burst.ends and burst.beats > 0 for burst in load.bursts)
        self.loads.append(load)
        self.orders.append(load)
        load.port.add(load)
        self.advance()

    def send(self, cycle: int) -> tuple[Transfer, Burst]:
        """The first burst that was given is on the bus."""
        load, burst, _ = self.given.popleft()
        if burst.beats:
            self.wait -= 1
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
        while self.orders:
            load, before = self.orders[0], self.before
            if before is None:
                load.ordered = load.begins + 1
                load.walked = load.ordered + WALK + load.starts
            else:
                soonest = self._soonest(load, before)
                left, held = self._left(before), HELD_SPANS + sum(self.tail)
                if left > held:
                    return
                room = self.spans[left - held - 1] + GIVEN_WALKED
                room = max(room, self._place(self.total - 1, *RUN_WALKED))
                if room == NEVER:
                    return
                load.walked = max(soonest, room)
            self.before = self.orders.popleft()
            load.first = self.total
            self.total += load.runs
            for burst in load.bursts[-HELD_RUNS:]:
                if burst.ends:
                    self.tail.extend((*(0,) * min(burst.runs - 1, HELD_RUNS), int(burst.beats > 0)))
                self.tail.extend((0,) * min(burst.behind, HELD_RUNS))

    def _held_up(self, load: Transfer, late: int) -> None:
        """A walk has been held up while it had more runs than wait on their way: so are those behind it."""
        load.late = max(load.late, late)
        for following in islice(self.loads, 1, None):
            if following.walked is None:
                return
            walked = self._soonest(following, load)
            if walked <= following.walked:
                return
            following.walked = walked
            load = following

    @staticmethod
    def _soonest(load: Transfer, before: Transfer) -> int:
        """Takes the order of a load; when its walk may begin."""
        assert before.walked is not None
        load.ordered = max(load.begins + 1, before.walked + 1)
        return max(load.ordered + WALK + load.starts, before.ends_walk)

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
        """Gives a burst, if it can be told when; what is not in memory goes by."""
        if not self.loads or self.loads[0].walked is None:
            return False
        load = self.loads[0]
        burst = load.bursts[load.at]
        if burst.beats and (self.wait == GIVEN or not self.credits):
            return False
        runs = load.known + burst.runs - 1
        # What is not in memory makes room for itself.
        place = self._place(load.first + (runs if burst.beats else load.known), RUN_AHEAD, RUN_GIVEN)
        if place == NEVER:
            return False
        if load.known + burst.runs > load.joined:
            self._join(load, burst)
        if burst.beats:
            self.last = max(self.ready, self.last + 1, self.credits.popleft(), place, self.sent[self.wait])
            self.wait += 1
        self.given.append((load, burst, self.last if burst.beats else max(self.ready, place)))
        if burst.ends:
            load.known += burst.runs
            if burst.beats:
                self.spans.append(self.last)
                load.spans -= 1
        load.at += 1
        if load.at == len(load.bursts):
            self.loads.popleft()
        return True

    def _join(self, load: Transfer, burst: Burst) -> None:
        """All runs of a span come to its place, one a cycle; there is room for so many spans."""
        room = self.spans[-HELD_SPANS - 1] + SPAN_GIVEN if burst.beats else LONG_AGO
        load.joined = load.known + burst.runs
        assert load.walked is not None
        walked = load.walked + GIVE + load.joined - 1
        self.ready = max(walked, max(room, self.ready) + burst.runs)
        if load.runs - load.joined >= HELD_RUNS:
            self._held_up(load, self.ready - walked)
