"""The write channel of an engine: what comes out of C goes to memory, row by row."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from tilewright.generators.reference.engine_bursts import Bursts
from tilewright.generators.reference.engine_reads import ASK, CHECK, LONG_AGO, NEVER, WALK
from tilewright.generators.reference.engine_regions import Region

RAW = 4  # from a word out of C to the bus
CREDIT = 3  # from a response to the request that waited for it
HELD_RAW = 6  # words between C and the bus
HELD_FINISHED = 14
DATA = 1  # from a request to its data
RELEASED = 2  # from a word at the head of C's queue to its way
READ_AGAIN = 3  # from the last word out of C to the next command for it
QUEUED = 1  # from a word of C to the head of its queue, besides the latency of its memory


@dataclass
class Store:
    """A store on its way.

    ``begins``: when it had its tokens; ``way``: cycles from C to the bus; ``panels``: words a row.
    """

    bursts: Bursts
    index: int
    begins: int
    way: int
    panels: int
    region: Region
    commanded: int | None = None
    word: int = 0
    asks: int = 0
    rest: int = 0
    at: int = 0


class WriteChannel:
    """Follows stores to their responses, a burst at a time."""

    def __init__(self, latency: int, outstanding: int, read_latency: int, check: int) -> None:
        self.latency, self.check = latency, check
        self.queued = read_latency + QUEUED  # from the read of a word to the head of the queue
        self.asked = self.sent = self.answered = LONG_AGO  # last request, last beat of data, last response
        self.credits: deque[int] = deque([LONG_AGO] * outstanding, maxlen=outstanding)
        self.words: deque[float] = deque([LONG_AGO] * HELD_FINISHED, maxlen=HELD_FINISHED)  # when words were on the bus
        self.stores: deque[Store] = deque()
        self.read_out = self.passed = self.walk = self.walk_runs = LONG_AGO

    def add(self, store: Store) -> None:
        """A store that has begun."""
        self.stores.append(store)
        if len(self.stores) == 1:
            self._start()

    def _start(self) -> None:
        """The read port takes the command of the first store."""
        store = self.stores[0]
        store.commanded = max(store.begins + 1, self.read_out)
        store.word = store.commanded + CHECK + self.check
        store.rest = store.panels

    def next(self) -> int:
        """When the next words are read."""
        return self.stores[0].word if self.stores else NEVER

    def step(self) -> tuple[Store, int] | None:
        """The words of the next burst; the store and when it ends, where they are its last."""
        store = self.stores[0]
        if store.at == 0:
            head = store.region.free(store.word) + self.queued
            ordered = max(head + 1, self.passed + 2, self.walk + 1)
            self.walk = max(ordered + WALK, self.walk + self.walk_runs)
            self.walk_runs = sum(burst.run for burst in store.bursts)
            store.asks = self.walk + ASK
            self.released = ordered + 1
        beats, paced, _, words, run, spill = store.bursts[store.at]
        self.asked = max(store.asks, self.asked + 1, self.credits[0] + CREDIT)
        store.asks += 1
        # The words of a burst; those of a row's last burst to its end.
        count = store.rest if run else min(words, store.rest)
        store.rest = store.panels if run else store.rest - count
        held = HELD_RAW if store.way == RAW else HELD_FINISHED
        each, sent, out = paced / max(count, 1), float(self.sent), None
        for number in range(1, count + 1):
            read = store.region.free(store.word)
            out = max(read + self.queued + RELEASED, self.released, int(self.words[-held]) + 1)
            sent = max(sent + each, out + store.way + max(each, 1) - 1, self.asked + DATA + number * each - 1)
            store.word = max(read + 1, out - self.queued - RELEASED - 2)
            self.released = out + 1
            self.words.append(sent)
        self.sent = max(self.sent + paced, self.asked + DATA + beats - 1, round(sent))
        if out is not None:
            self.sent = max(self.sent, out + store.way + spill)
            self.passed = out
            self.words[-1] = max(self.words[-1], self.sent)
        self.answered = max(self.answered + 1, max(self.sent, self.asked) + self.latency)
        self.credits.append(self.answered)
        store.at += 1
        if store.at < len(store.bursts):
            return None
        self.read_out = self.passed + READ_AGAIN
        self.stores.popleft()
        if self.stores:
            self._start()
        return store, self.answered
