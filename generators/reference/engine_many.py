"""When the instructions of a program for several cores begin and end: each core by itself, on a port of its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.reference.engine_cycles import EngineCycles
from tilewright.generators.reference.engine_machine import QUEUE_DEPTH
from tilewright.generators.reference.engine_queue import Moment
from tilewright.generators.reference.engine_reads import FETCH_EACH
from tilewright.generators.reference.engine_records import Entry, Op
from tilewright.generators.reference.engine_run import FETCH_AGAIN, FETCH_FIRST, PROGRAM_END, Run
from tilewright.generators.reference.engine_walks import LONG_AGO, NEVER

DEALT = 1  # from an instruction's arrival to its core
BARRIER_END = 9  # from the end of all to the next instruction's arrival


class ManyCycles:
    """The model of events for engines of any number of cores.

    Cores hold each other up in three ways only: instructions come one after the other through the port of core 0, a
    full queue holds up those of all cores, and a BARRIER waits for all. All are counted, full queues of core 0 only:
    programs are put together so that those of other cores do not fill up.

    Args:
        config, latency: as of `EngineCycles`.
    """

    def __init__(self, config: EngineConfig, latency: int = 60) -> None:
        self.config, self.latency = config, latency
        self.model = EngineCycles(config, latency)

    def cycles(self, program: Iterable[Entry]) -> int:
        """Cycles from the write of the start bit to the interrupt."""
        return max(moment.ends for moment in self.run(program)) + PROGRAM_END

    def run(self, program: Iterable[Entry]) -> list[Moment]:
        """When each instruction begins and ends, up to the END, in the order of the program."""
        if self.config.cores == 1:
            return self.model.run(program)
        found: list[Moment] = []
        start, section, dealt = 0, list[Entry](), 0
        for entry in program:
            if entry.op not in (Op.END, Op.BARRIER):
                section.append(entry)
                continue
            own = self._section(section, first=dealt == 0)
            found += [replace(each, begins=each.begins + start, ends=each.ends + start) for each in own]
            latest = max((moment.ends for moment in found), default=start)
            found.append(Moment(entry.number, latest, latest))
            start, section, dealt = latest + BARRIER_END, [], dealt + len(section) + 1
            if entry.op == Op.END:
                break
        return found

    def _section(self, section: Sequence[Entry], *, first: bool) -> list[Moment]:
        """Instructions between two barriers; the first of a program have to come from memory."""
        dealer = _DealerRun(self.model, section, first=first)
        moments = {moment.index: moment for moment in dealer.moments()}
        for core in range(1, self.config.cores):
            own = [(entry, at) for entry, at in zip(section, dealer.dealt_at, strict=True) if entry.core == core]
            run = _WorkerRun(self.model, [entry for entry, _ in own], [at for _, at in own])
            moments |= {moment.index: moment for moment in run.moments()}
        return [moments[entry.number] for entry in section]


class _DealerRun(Run):
    """Core 0, through whose port the list comes; what is not for it only passes. ``dealt_at``: when each is dealt."""

    def __init__(self, model: EngineCycles, section: Sequence[Entry], *, first: bool) -> None:
        super().__init__(model, section)
        self.dealt_at: list[int] = []
        depth = QUEUE_DEPTH << (model.config.cores - 1).bit_length()
        for _ in range(depth - QUEUE_DEPTH):
            self._request(0)
        self.reads.owners.extend([LONG_AGO] * (2 * max(0, depth - model.config.outstanding)))
        if not first:  # they have come while all waited for the barrier
            reads = self.reads
            early = FETCH_FIRST + model.latency + depth * max(FETCH_EACH * reads.fetch_bursts, reads.fetch_beats)
            reads.fetches = deque(at - early for at in reads.fetches)

    def _came(self) -> int:
        came = super()._came()
        return came if came == NEVER else came + DEALT

    def _deals(self) -> int:
        came = self._came()
        if came == NEVER or self.program[self.dealt].core == 0:
            return super()._deals()
        return max(came, self.dispatched + 1)

    def _deal(self, now: int) -> None:
        self.dealt_at.append(now)
        if self.program[self.dealt].core == 0:
            super()._deal(now)
            return
        self.dispatched = now
        self._request(now + FETCH_AGAIN)
        self.dealt += 1


class _WorkerRun(Run):
    """Another core: it fetches nothing, and gets its instructions when they are dealt."""

    def __init__(self, model: EngineCycles, program: Sequence[Entry], dealt_at: Sequence[int]) -> None:
        self._dealt_at = dealt_at
        super().__init__(model, program)

    def _request(self, room: int) -> None:
        pass

    def _came(self) -> int:
        return self._dealt_at[self.dealt] if self.dealt < len(self._dealt_at) else NEVER
