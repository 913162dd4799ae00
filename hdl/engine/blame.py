"""Finds out which of several cores a run fails by."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from tilewright.hdl.engine.answers import FAULT
from tilewright.hdl.engine.records import CORE_BITS, CORES, TOKENS
from tilewright.hdl.engine.tokens import SEQUENCERS
from tilewright.hdl.structure import Block, named


class Blame(Block):
    """What the supervisor sees of several cores: the first fault, and what the core lacks by which all hangs.

    That is the first core, by number, with a sequencer that lacks a token, else the first with something under way on
    its bus, else core 0.

    Members
    -------
    fault_valid_n, fault_n, s_missing_n for each sequencer s, reading_n, writing_n: those of core n
    other_valid, other_core: a fault that is not a core's happens now, and goes before theirs; the core it is told of
    running: a run is under way and has not failed
    fault_valid, fault: the fault of the first core that has one now
    s_missing: what the core lacks that hangs; reading, writing: any core's bus has something under way
    core: the core that the last run has failed by, as it was when it did
    """

    def __init__(self, cores: int) -> None:
        if not 2 <= cores <= CORES:
            raise ValueError(f"cores must be 2..{CORES}, got {cores}")
        self.cores = cores
        members: dict[str, Any] = {}
        for core in range(cores):
            members |= {f"fault_valid_{core}": In(1), f"fault_{core}": In(FAULT)}
            members |= {f"{name}_missing_{core}": In(TOKENS) for name in SEQUENCERS}
            members |= {f"reading_{core}": In(1), f"writing_{core}": In(1)}
        members |= {"other_valid": In(1), "other_core": In(CORE_BITS), "running": In(1)}
        members |= {"fault_valid": Out(1), "fault": Out(FAULT), "reading": Out(1), "writing": Out(1)}
        members |= {f"{name}_missing": Out(TOKENS) for name in SEQUENCERS}
        super().__init__(f"blame_{cores}", members | {"core": Out(CORE_BITS)})

    def _each(self, name: str) -> list[Any]:
        return [getattr(self, f"{name}_{core}") for core in range(self.cores)]

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        lacks = [Cat(getattr(self, f"{s}_missing_{core}") for s in SEQUENCERS).any() for core in range(self.cores)]
        moves = [r | w for r, w in zip(self._each("reading"), self._each("writing"), strict=True)]
        failing = _first(m, self._each("fault_valid"), "failing")
        hangs = named(m, Mux(Cat(lacks).any(), _first(m, lacks, "lacking"), _first(m, moves, "moving")), "hangs")
        m.d.comb += [
            self.fault_valid.eq(Cat(self._each("fault_valid")).any()),
            self.fault.eq(Array(self._each("fault"))[failing]),
            self.reading.eq(Cat(self._each("reading")).any()),
            self.writing.eq(Cat(self._each("writing")).any()),
        ]
        for name in SEQUENCERS:
            m.d.comb += getattr(self, f"{name}_missing").eq(Array(self._each(f"{name}_missing"))[hangs])
        core = Mux(self.other_valid, self.other_core, Mux(self.fault_valid, failing, hangs))
        last = Signal(CORE_BITS, name="last_core")
        with m.If(self.running):
            m.d.sync += last.eq(core)
        m.d.comb += self.core.eq(last)
        return m


def _first(m: Module, flags: list[Any], name: str) -> Value:
    """The number of the first flag that is set; 0 where none is."""
    found = Signal(CORE_BITS, name=name)
    for number, flag in reversed(list(enumerate(flags))):
        with m.If(flag):
            m.d.comb += found.eq(number)
    return found
