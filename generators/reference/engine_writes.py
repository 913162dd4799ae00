"""The write channel of an engine: what comes out of C goes to memory, row by row."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from tilewright.generators.reference.engine_bursts import Burst, Bursts, Step
from tilewright.generators.reference.engine_reads import CHECK
from tilewright.generators.reference.engine_regions import Region
from tilewright.generators.reference.engine_walks import GIVE, HELD_SPANS, LONG_AGO, NEVER, SEND, SPAN_GIVEN, WALK
from tilewright.generators.reference.engine_way_in import KNOWN

ASK = GIVE + SEND  # from the walk of an order to its first request on the bus
RAW = 4  # from a word out of C to the bus
CREDIT = 3  # from a response to the request that waited for it
RUN = 2  # from the first cut that a run allows to its request
CUT = 1  # from a word on its way to its first cut
PACK = 2  # from a cut that fills a beat to the place from where it goes to the bus
HELD = 2  # words that wait before they are cut, and beats before the bus
DATA = 1  # from a request to its data
RELEASED = 2  # from a word at the head of C's queue to its way
READ_AGAIN = 3  # from the last word out of C to the next command for it
QUEUED = 1  # from a word of C to the head of its queue, besides the latency of its memory


@dataclass
class Store:
    """A store on its way.

    ``begins``: when it had its tokens; ``way``: cycles from C to the bus.
    """

    bursts: Bursts
    index: int
    begins: int
    way: int
    region: Region
    commanded: int | None = None
    word: int = 0
    asks: int = 0
    at: int = 0


class WriteChannel:
    """Follows stores to their responses, a burst at a time.

    ``finishing``: words on the way that finishes them, besides those that wait behind it.
    """

    def __init__(self, latency: int, outstanding: int, read_latency: int, check: int, finishing: int) -> None:
        self.latency, self.check = latency, check
        self.queued = read_latency + QUEUED  # from the read of a word to the head of the queue
        places = 1 << (read_latency + 2).bit_length()
        self.out: deque[int] = deque([LONG_AGO] * places, maxlen=places)  # when words left the queue
        self.asked = self.answered = LONG_AGO  # last request, last response
        self.credits: deque[int] = deque([LONG_AGO] * outstanding, maxlen=outstanding)
        self.ready = LONG_AGO  # when all runs of the last span had come
        self.spans: deque[int] = deque([LONG_AGO] * (HELD_SPANS + 1), maxlen=HELD_SPANS + 1)  # when they were asked for
        self.cut = LONG_AGO
        self.words: deque[int] = deque([LONG_AGO] * HELD, maxlen=HELD)  # when the last cuts of words were made
        self.finished: deque[int] = deque([LONG_AGO] * finishing, maxlen=finishing)  # when words came to be cut
        self.placed: deque[int] = deque([LONG_AGO] * HELD, maxlen=HELD)  # when cuts came to their beats
        self.given = LONG_AGO  # when the last beat was full
        self.beats: deque[int] = deque([LONG_AGO] * HELD, maxlen=HELD)  # when they were on the bus
        self.stores: deque[Store] = deque()
        self.going: Iterator[int] | None = None  # the burst of which words are read
        self.held: int | None = None  # when to go on with it
        self.until = LONG_AGO  # until then no command begins
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

    def next(self) -> int:
        """When the next words are read."""
        if self.held is not None:
            return self.held
        return self.stores[0].word if self.stores else NEVER

    def step(self, until: int) -> tuple[Store, int] | None:
        """The words of the next burst, or some of them: those of which is known when they are read, as no command
        begins ``until`` then. The store and when it ends, where they are its last."""
        self.until = until
        store = self.stores[0]
        self.going = self.going or self._burst(store)
        self.held = next(self.going, None)
        if self.held is not None:
            return None
        self.going = None
        self.answered = max(self.answered + 1, self.beats[-1] + self.latency)
        self.credits.append(self.answered)
        store.at += 1
        if store.at < len(store.bursts):
            return None
        self.read_out = self.passed + READ_AGAIN
        self.stores.popleft()
        if self.stores:
            self._start()
        return store, self.answered

    def _burst(self, store: Store) -> Iterator[int]:
        """The next burst of a store; when to go on."""
        if store.at == 0:
            while store.region.free(store.word) > self.until + KNOWN:
                yield store.region.free(store.word) - KNOWN
            head = store.region.free(store.word) + self.queued
            ordered = max(head + 1, self.passed + 2, self.walk + 1)
            self.walk = max(ordered + WALK, self.walk + self.walk_runs)
            self.walk_runs = sum(each.runs for each in store.bursts if each.ends)
            store.asks = self.walk + ASK
            self.released = ordered + 1
        burst = store.bursts[store.at]
        if store.at == 0 or store.bursts[store.at - 1].ends:
            # All runs of a span come to its place, one a cycle; there is room for so many spans.
            first = max(store.asks, self.spans[0] + SPAN_GIVEN + 1, self.ready + 1)
            self.ready = first + burst.runs - 1
            self.cut = max(self.cut, first - RUN - 1)
        self.asked = max(self.ready, self.asked + 1, self.credits[0] + CREDIT)
        if burst.ends:
            self.spans.append(self.asked)
            store.asks += burst.runs
        yield from self._send(store, burst)

    def _send(self, store: Store, burst: Burst) -> Iterator[int]:
        """A burst's words out of C, and its beats to the bus."""
        sends = self.asked + DATA
        for step in burst.steps:
            came = 0
            if step & Step.BEGINS:
                while (read := store.region.free(store.word)) > self.until + KNOWN:
                    yield read - KNOWN
                came = self._word(store, read) + CUT
            if step & Step.CUTS:
                self.cut = max(self.cut + 1, came, self.placed[0])
                packed = max(self.cut + PACK, self.placed[1] + 1)
                if step & Step.ENDS:
                    self.words.append(self.cut)
            else:
                packed = self.placed[1] + 1
            if step & Step.GIVES:
                packed = max(packed, self.beats[0] + 1, self.given + 1)
                self.beats.append(max(self.beats[1] + 1, packed + 1, sends))
                self.given = packed
                sends += 1
            if step & Step.CUTS:
                self.placed.append(packed)

    def _word(self, store: Store, read: int) -> int:
        """When the next word out of C, ``read`` then, waits to be cut."""
        out = max(read + self.queued, self.released)
        if store.way == RAW:
            out = came = max(out, self.words[0] + 1)
        else:
            out = max(out, self.finished[0] + 1)
            came = max(out + store.way - RAW, self.words[0] + 1)
            self.finished.append(came)
        self.out.append(out)
        store.word = max(read + 1, self.out[0] + 1)
        self.released, self.passed = out + 1, out
        return came
