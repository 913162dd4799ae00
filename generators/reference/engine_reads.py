"""The read channel of an engine: instructions and loads share it, burst by burst."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from tilewright.generators.reference.engine_bursts import Burst, Step
from tilewright.generators.reference.engine_walks import CREDIT, LONG_AGO, NEVER, SEND, Transfer, Walks

SHARE = 1  # from a beat on the bus to its reader
CUT = 1  # from there to its first cut
PLACE = 2  # from a cut to where it becomes a part of a word, which is at the core's port a cycle later
WAY_IN = SHARE + CUT + PLACE + 1
HELD = 2  # beats that wait before the cutter, and beats before these that wait on their way there
FETCH_EACH = 2  # from one request for an instruction to the next
SHARED = 2  # from a burst's last beat at the reader to the request that waited for it, whoever asks
KNOWN = 8  # cycles ahead in which no command can use C that has not begun
PADDED = 1  # from what is not in memory, given, to the cutter
CHECK = 6  # from the command of a port of the core to its first word


class ReadChannel:
    """Deals with requests in the order in which they are on the bus."""

    def __init__(self, latency: int, outstanding: int, fetch_beats: int) -> None:
        self.latency, self.fetch_beats = latency, fetch_beats
        self.walks = Walks(outstanding)
        self.asked = self.fetch = self.taken = LONG_AGO  # last request, last one for an instruction, last beat
        self.passed: deque[int] = deque([LONG_AGO] * HELD, maxlen=HELD)  # when beats came to their readers
        self.gone: deque[int] = deque([LONG_AGO] * HELD, maxlen=HELD)  # when beats were cut
        self.cut = LONG_AGO
        self.cutting: tuple[Iterator[int], Transfer] | None = None  # the burst of which a word is held up
        self.held: int | None = None  # until then
        self.now = 0
        self.placed: deque[int] = deque([LONG_AGO] * 2, maxlen=2)  # when cuts became parts of words
        self.fetches: deque[int] = deque()  # when instructions are asked for
        self.fetched: list[int] = []  # when their last beats come
        self.owners: deque[int] = deque([LONG_AGO] * (2 * outstanding))  # when either reader may ask for more
        self.coming: deque[tuple[int, Transfer | None, Burst | None]] = deque()

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
        if self.held is not None:
            return self.held
        if not self.coming:
            return NEVER
        first, _, burst = self.coming[0]
        return first if burst is not None and not burst.beats else max(first, self.taken + 1)

    def arrive(self, first: int) -> Transfer | None:
        """A burst comes, or goes on; the load where that was its last one: its end is known then."""
        if self.cutting is not None:
            return self._goes_on(first, *self.cutting)
        _, load, burst = self.coming.popleft()
        if load is None or burst is None:
            for _ in range(self.fetch_beats):
                self.taken = max(self.taken + 1, first, self.passed[0] + 1)
                self.passed.append(max(self.taken + SHARE, self.passed[-1] + 1))
            self.owners.append(self.passed[-1] + SHARED)
            self.fetched.append(self.passed[-1] - SHARE)
            return None
        if burst.even and burst.beats > 2 * HELD and load.region is None and load.last_word != LONG_AGO:
            self._evenly(first, burst, load)
            return self._came(load)
        self.cutting = self._cut(first, burst, load), load
        return self._goes_on(first, *self.cutting)

    def _goes_on(self, now: int, cuts: Iterator[int], load: Transfer) -> Transfer | None:
        """Cuts a burst up to a word that the array holds up: commands that begin meanwhile may do so for longer."""
        self.now, self.held = now, None
        self.held = next(cuts, None)
        if self.held is not None:
            return None
        self.cutting = None
        return self._came(load)

    def _came(self, load: Transfer) -> Transfer | None:
        """A burst has been cut."""
        if load.bursts[load.arrived].beats:
            self.walks.credits.append(self.passed[-1] + CREDIT)
            self.owners.append(self.passed[-1] + SHARED)
        self.walks.advance()
        load.arrived += 1
        if load.arrived < len(load.bursts):
            return None
        load.port.answer(load)
        return load

    def _evenly(self, first: int, burst: Burst, load: Transfer) -> None:
        """A burst of which a beat a cycle is cut, at most, to a port that takes words."""
        passed, gone, port, count = self.passed, self.gone, load.port, burst.beats
        start = max(self.taken + 1, first, passed[0] + 1)
        reached = max(start + SHARE, passed[-1] + 1, gone[0] + 1)
        last = max(reached + CUT, self.cut + 1, self.placed[0], self.placed[1] - 1) + count - 1
        last_passed = max(reached + count - 1, last - HELD + 1)
        self.taken = max(start + count - 1, last_passed - HELD + 1)
        self.cut = last
        for number, step in enumerate(burst.steps):
            if step & Step.RUN:
                self.walks.ended.append(last - count + 1 + number)
        gone.extend((last - 1, last))
        passed.extend((last_passed - 1, last_passed))
        self.placed.extend((last + PLACE - 1, last + PLACE))
        if burst.words:
            after = next(n for n, step in enumerate(reversed(burst.steps)) if step & Step.GIVES)
            word = max(port.words[-1] + burst.words, last - after + PLACE + 1)
            port.words.extend((word - 1, word))
            load.last_word = word

    def _cut(self, first: int, burst: Burst, load: Transfer) -> Iterator[int]:
        """A burst step by step. Two cuts wait for the packer, and two words behind it for the core."""
        port, words, passed, placed = load.port, load.port.words, self.passed, self.placed
        assert load.commanded is not None
        opens = load.commanded + port.check
        fresh = True
        for step in burst.steps:
            goes = max(self.cut + 1, placed[0])
            if not step & Step.FILLS:
                if fresh:
                    self.taken = max(self.taken + 1, first, passed[0] + 1)
                    passed.append(max(self.taken + SHARE, passed[1] + 1, self.gone[0] + 1))
                goes = max(goes, passed[1] + CUT)
                fresh = bool(step & Step.ENDS)
                if fresh:
                    self.gone.append(goes)
            self.cut = goes
            if step & Step.RUN:
                self.walks.ended.append(goes)
            place = max(goes + PLACE, placed[1] + 1)
            if step & Step.GIVES:
                place = max(place, words[0] + 1, port.flushed + 1)
                yield from self._word(load, max(place + 1, opens))
                if step & Step.SPILLS:
                    port.flushed = max(place + 1, words[0] + 1)
                    yield from self._word(load, max(port.flushed + 1, opens))
            placed.append(place)

    def _word(self, load: Transfer, cycle: int) -> Iterator[int]:
        """A word to the core, from a cycle on; there it is written a cycle later, or when the array lets it."""
        words = load.port.words
        came = max(cycle, words[-1] + 1)
        load.last_word = came = came if load.region is None else max(came, load.last_word + 1)
        if load.region is not None and came > self.now + KNOWN:
            yield came - KNOWN
        while load.region is not None and (written := load.region.free(came + 1) - 1) != load.last_word:
            load.last_word = written
            if written > self.now:
                yield written
        words.append(came)
