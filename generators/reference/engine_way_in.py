"""From the beats of loads on the bus to the words that the core has of them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from tilewright.generators.reference.engine_bursts import Burst, Step
from tilewright.generators.reference.engine_walks import CREDIT, LONG_AGO, NEVER, Transfer, Walks

SHARE = 1  # from a beat on the bus to its reader
CUT = 1  # from there to its first cut
PLACE = 2  # from a cut to where it becomes a part of a word, which is at the core's port a cycle later
HELD = 2  # beats that wait before the cutter, and beats before these that wait on their way there
PLACES = 2  # cuts that wait to become parts of words, and words behind them that wait for the core's port
SHARED = 2  # from a burst's last beat at the reader to the request that waited for it, whoever asks
KNOWN = 8  # cycles ahead in which no command can use C that has not begun


@dataclass
class _Cutting:
    """A burst on its way, and its next step that is to be placed; nothing of it is cut before cycle ``soonest``."""

    burst: Burst
    load: Transfer
    soonest: int
    at: int = 0


class Way:
    """Follows bursts in their order, step by step.

    Whoever loads into C has to wait while the array writes there, which is told cycle by cycle: ``held`` is when to go
    on. What waits meanwhile is as long as the way is in hardware, and what comes behind it waits on the bus.

    Attributes:
        taken: last beat on the bus; passed: when the last beats came to their readers.
        owners: where to tell when requests may follow.
    """

    def __init__(self, walks: Walks, owners: deque[int]) -> None:
        self.walks, self.owners = walks, owners
        self.taken = LONG_AGO
        self.passed: deque[int] = deque([LONG_AGO] * HELD, maxlen=HELD)
        self.held = NEVER
        self._gone: deque[int] = deque([LONG_AGO] * HELD, maxlen=HELD)  # when beats were cut
        self._cut = LONG_AGO
        self._placed: deque[int] = deque([LONG_AGO] * PLACES, maxlen=PLACES)  # when cuts became parts of words
        self._bursts: deque[_Cutting] = deque()
        self._entering: deque[tuple[int, int]] = deque()  # bursts of which beats are on the bus: from when on, how many
        self._reached: deque[int] = deque()  # when beats came that have not been cut
        self._beat: int | None = None  # likewise of the beat of which a part has been
        self._cuts: deque[int] = deque()  # cuts that have no place yet
        self._words: deque[tuple[int, Transfer]] = deque()  # words for C that have not been written: from when on

    def full(self) -> bool:
        """Whether beats wait on the bus."""
        return bool(self._entering)

    def fetch(self, first: int, beats: int) -> int:
        """Beats for somebody else pass, from cycle ``first`` on; when the last one is on the bus."""
        for _ in range(beats):
            self.taken = max(self.taken + 1, first, self.passed[0] + 1)
            self.passed.append(max(self.taken + SHARE, self.passed[-1] + 1))
        self.owners.append(self.passed[-1] + SHARED)
        return self.passed[-1] - SHARE

    def add(self, first: int, burst: Burst, load: Transfer) -> list[Transfer]:
        """A burst comes, from cycle ``first`` on; loads that it completes."""
        even = burst.even and burst.beats > 2 * HELD and load.region is None and load.last_word != LONG_AGO
        if even and not self._bursts:
            self._evenly(first, burst, load)
            self._all_passed()
            return self._came(load)
        self._bursts.append(_Cutting(burst, load, LONG_AGO if burst.beats else first))
        if burst.beats:
            self._entering.append((first, burst.beats))
        return self._go()

    def go_on(self, now: int) -> list[Transfer]:
        """What was held until ``now``; loads that it completes."""
        done: list[Transfer] = []
        while self._words and self._written(now):
            _, load = self._words.popleft()
            done += self._complete(load)
            if self._words:
                self._to_port()
        if not self._words:
            self.held = NEVER
        return done + self._go()

    def _go(self) -> list[Transfer]:
        """Goes on as far as can be told."""
        done: list[Transfer] = []
        while self._bursts:
            each = self._bursts[0]
            if not self._place(each):
                self._look_ahead()
                break
            self._bursts.popleft()
            done += self._came(each.load)
        return done

    def _came(self, load: Transfer) -> list[Transfer]:
        """A burst has been cut, and its words are on their way."""
        self.walks.advance()
        load.arrived += 1
        return self._complete(load)

    def _complete(self, load: Transfer) -> list[Transfer]:
        """Answers a load of which all has been written."""
        if load.arrived < len(load.bursts) or any(other is load for _, other in self._words):
            return []
        load.port.answer(load)
        return [load]

    def _place(self, each: _Cutting) -> bool:
        """Steps become parts of words; whether all of the burst have."""
        load, steps, placed, cuts = each.load, each.burst.steps, self._placed, self._cuts
        port, unknown = load.port, 0
        for at in range(each.at, len(steps)):
            step = steps[at]
            goes = cuts.popleft() if cuts else self._reach(step, each.soonest, 0)
            if step & Step.GIVES:
                unknown = self._unknown(load)
                if unknown + ((step & Step.SPILLS) > 0) >= len(port.words):
                    cuts.appendleft(goes)
                    each.at = at
                    return False
            place = max(goes + PLACE, placed[1] + 1)
            if step & Step.GIVES:
                place = max(place, port.words[unknown] + 1, port.flushed + 1)
                self._word(load, place + 1)
                if step & Step.SPILLS:
                    port.flushed = max(place + 1, port.words[self._unknown(load)] + 1)
                    self._word(load, port.flushed + 1)
            placed.append(place)
        return True

    def _unknown(self, load: Transfer) -> int:
        """Words that have been made, of which it is not known when they come to the port of ``load``."""
        return len(self._words) - 1 if load.region is not None and self._words else 0

    def _reach(self, step: int, soonest: int, ahead: int) -> int:
        """When a step is cut; ``ahead``: cuts before it that have no place yet, besides the one before it."""
        goes = max(self._cut + 1, self._placed[ahead], soonest)
        if not step & Step.FILLS:
            if self._beat is None:
                self._beat = self._reached.popleft() if self._reached else self._pass()
            goes = max(goes, self._beat + CUT)
            if step & Step.ENDS:
                self._beat = None
                self._gone.append(goes)
        if step & Step.RUN:
            self.walks.ended.append(goes)
        self._cut = goes
        return goes

    def _pass(self) -> int:
        """When the next beat comes to its reader."""
        first, left = self._entering.popleft()
        self.taken = max(self.taken + 1, first, self.passed[0] + 1)
        waiting = len(self._reached) + (self._beat is not None)
        came = max(self.taken + SHARE, self.passed[1] + 1, self._gone[waiting] + 1)
        self.passed.append(came)
        if left > 1:
            self._entering.appendleft((first, left - 1))
        else:
            self._all_passed()
        return came

    def _look_ahead(self) -> None:
        """One cut more, behind the one that waits for its place, and beats that wait to be cut."""
        if len(self._cuts) < PLACES:
            each, at = self._bursts[0], self._bursts[0].at + 1
            if at == len(each.burst.steps) and len(self._bursts) > 1:
                each, at = self._bursts[1], 0
            if at < len(each.burst.steps):
                self._cuts.append(self._reach(each.burst.steps[at], each.soonest, 1))
        while self._entering and len(self._reached) + (self._beat is not None) < HELD:
            self._reached.append(self._pass())
        self.walks.advance()

    def _all_passed(self) -> None:
        """The last beat of a burst is at its reader."""
        self.walks.credits.append(self.passed[-1] + CREDIT)
        self.owners.append(self.passed[-1] + SHARED)

    def _word(self, load: Transfer, cycle: int) -> None:
        """A word for the core, from a cycle on."""
        if load.region is not None:
            self._words.append((cycle, load))
            if len(self._words) == 1:
                self._to_port()
            return
        assert load.commanded is not None
        port = load.port
        load.last_word = max(cycle + port.way, load.commanded + port.check, port.words[-1] + 1)
        port.words.append(load.last_word)

    def _to_port(self) -> None:
        """The first word for C comes to its port."""
        cycle, load = self._words[0]
        assert load.commanded is not None
        load.last_word = max(cycle, load.commanded + load.port.check, load.port.words[-1] + 1, load.last_word + 1)
        load.port.words.append(load.last_word)
        self.held = load.last_word - KNOWN

    def _written(self, now: int) -> bool:
        """Whether the first word for C is known to be written, a cycle after it came, or when the array lets it."""
        _, load = self._words[0]
        assert load.region is not None
        if self.held > now:
            return False
        while (written := load.region.free(load.last_word + 1) - 1) != load.last_word:
            load.last_word = written
            if written > now:
                self.held = written
                return False
        return True

    def _evenly(self, first: int, burst: Burst, load: Transfer) -> None:
        """A burst of which a beat a cycle is cut, at most, to a port that takes words."""
        passed, gone, port, count = self.passed, self._gone, load.port, burst.beats
        start = max(self.taken + 1, first, passed[0] + 1)
        reached = max(start + SHARE, passed[-1] + 1, gone[0] + 1)
        last = max(reached + CUT, self._cut + 1, self._placed[0], self._placed[1] - 1) + count - 1
        last_passed = max(reached + count - 1, last - HELD + 1)
        self.taken = max(start + count - 1, last_passed - HELD + 1)
        self._cut = last
        for number, step in enumerate(burst.steps):
            if step & Step.RUN:
                self.walks.ended.append(last - count + 1 + number)
        gone.extend((last - 1, last))
        passed.extend((last_passed - 1, last_passed))
        self._placed.extend((last + PLACE - 1, last + PLACE))
        if burst.words:
            after = next(n for n, step in enumerate(reversed(burst.steps)) if step & Step.GIVES)
            word = max(port.words[-1] + burst.words, last - after + PLACE + 1 + port.way)
            port.words.extend(range(word - len(port.words) + 1, word + 1))
            load.last_word = word
