"""Begins and ends runs, and finds out why one fails."""

from __future__ import annotations

from enum import Enum
from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from tilewright.hdl.engine.answers import FAULT, Cause
from tilewright.hdl.engine.records import TOKENS
from tilewright.hdl.engine.tokens import SEQUENCERS
from tilewright.hdl.structure import Block, named

QUIET = 4
"""Cycles in which nothing is under way before a run is over."""


class State(Enum):
    """DRAIN: a run has failed, and the bus has to come to rest; FLUSH: all but the bus is reset."""

    IDLE = 0
    RUN = 1
    DRAIN = 2
    FLUSH = 3


class Supervisor(Block):
    """A run lasts from ``start`` until the program has been read and everything is at rest, or until something fails.

    The first fault ends the run: no further instruction starts (``stop``), what is under way on the bus comes to its
    end, and everything else is reset (``flush``, also after a run that ends well). ``ended`` tells the end in one
    cycle, with ``fault``. Without ``progress`` for ``watchdog`` cycles the run is stuck; ``detail`` then has a bit
    for each of: load, compute, store sequencer lacks a token; read, write under way on the bus. Where the bus does
    not come to rest in as many cycles again, the end is told, but ``busy`` stays and no run starts before it does.

    Members
    -------
    start, give_up, watchdog: of the registers; busy, ended, fault: for them
    f_valid, f for each f of ``sources``: a fault happens now
    over: the program has been read; quiet: no sequencer has anything to do; reading, writing: the bus has
    progress: anything has moved
    s_missing, for each sequencer s: see `Tokens`; s_missed: the same, as it was when the run failed
    stop, flush: see above; running: a run is under way and has not failed
    """

    def __init__(self, sources: tuple[str, ...]) -> None:
        self.sources = sources
        members: dict[str, Any] = {"start": In(1), "give_up": In(1), "watchdog": In(32)}
        members |= {"busy": Out(1), "ended": Out(1), "fault": Out(FAULT)}
        for name in sources:
            members |= {f"{name}_valid": In(1), name: In(FAULT)}
        members |= {"over": In(1), "quiet": In(1), "reading": In(1), "writing": In(1), "progress": In(1)}
        members |= {f"{name}_missing": In(TOKENS) for name in SEQUENCERS}
        members |= {f"{name}_missed": Out(TOKENS) for name in SEQUENCERS}
        super().__init__("supervisor", members | {"stop": Out(1), "flush": Out(1), "running": Out(1)})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        state = Signal(State, name="state")
        fault = Signal(FAULT, name="first_fault")
        at_rest = named(m, ~self.reading & ~self.writing, "at_rest")
        calm = Signal(range(QUIET + 1))
        resting = named(m, Mux(state == State.RUN, self.over & self.quiet & at_rest, at_rest), "resting")
        m.d.sync += calm.eq(Mux(~resting, 0, Mux(calm == QUIET, QUIET, calm + 1)))
        rested = named(m, resting & (calm == QUIET), "rested")
        silent = Signal(32)
        stuck = named(m, (silent == self.watchdog) & (self.watchdog != 0), "stuck")
        told = Signal()

        found, found_valid = self._first_fault(m, stuck)
        m.d.comb += [
            self.busy.eq(state != State.IDLE),
            self.running.eq(state == State.RUN),
            self.stop.eq(state != State.RUN),
            self.flush.eq(state == State.FLUSH),
            self.fault.eq(fault),
        ]
        m.d.sync += silent.eq(Mux(self.progress | stuck | self.start, 0, silent + 1))
        with m.Switch(state):
            with m.Case(State.IDLE):
                with m.If(self.start):
                    m.d.sync += [state.eq(State.RUN), Value.cast(fault).eq(0), told.eq(0), calm.eq(0)]
            with m.Case(State.RUN):
                with m.If(found_valid):
                    m.d.sync += [state.eq(State.DRAIN), fault.eq(found), calm.eq(0)]
                with m.Elif(rested):
                    m.d.sync += state.eq(State.FLUSH)
            with m.Case(State.DRAIN):
                with m.If(rested):
                    m.d.sync += state.eq(State.FLUSH)
                with m.Elif(stuck & ~told):
                    m.d.comb += self.ended.eq(1)
                    m.d.sync += told.eq(1)
            with m.Case(State.FLUSH):
                m.d.comb += self.ended.eq(~told)
                m.d.sync += state.eq(State.IDLE)
        for name in SEQUENCERS:
            missed = Signal(TOKENS, name=f"{name}_lacked")
            with m.If(state == State.RUN):
                m.d.sync += missed.eq(getattr(self, f"{name}_missing"))
            m.d.comb += getattr(self, f"{name}_missed").eq(missed)
        return m

    def _first_fault(self, m: Module, stuck: Value) -> tuple[Value, Value]:
        """The fault of this cycle that counts, and whether there is one."""
        found, valid = Signal(FAULT, name="found"), Signal(name="found_valid")
        waits = Cat(getattr(self, f"{name}_missing").any() for name in SEQUENCERS)
        with m.If(stuck):
            m.d.comb += [found.cause.eq(Cause.STUCK), found.detail.eq(Cat(waits, self.reading, self.writing))]
            m.d.comb += valid.eq(1)
        with m.If(self.give_up):
            m.d.comb += [found.cause.eq(Cause.ABORTED), found.detail.eq(0), valid.eq(1)]
        for name in reversed(self.sources):
            with m.If(getattr(self, f"{name}_valid")):
                m.d.comb += [found.eq(getattr(self, name)), valid.eq(1)]
        return found, valid
