"""Turns sequencer steps into the controls of the array, each at the time when its operands are there."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from tilewright.hdl.structure import Block, Delay, place
from tilewright.hdl.systolic.parameters import CoreParameters


class Controls(Block):
    """Controls of a core's array from the steps of its streamer and loader.

    A step of cycle *u* meets the array in cycle ``u + operand_offset`` (``x`` of output-stationary steps one later
    where the element is flexible: see `FlexibleElement`).

    Members
    -------
    active, first, last, output_stationary: the streamer's
    load_active, load_last, load_output_stationary: the loader's
    <controls of the element>: for the array
    word: the sums of a word leave the array ``word_latency`` cycles later
    seed: a word that sums start from enters the array ``seed_latency`` cycles later (only where sums start inside it)
    late: this step's ``x`` is one cycle later (flexible, output-stationary)
    """

    def __init__(self, parameters: CoreParameters) -> None:
        p = self.parameters = parameters
        self.element = p.element
        members: dict[str, Any] = {p: In(1) for p in ("active", "first", "last", "output_stationary")}
        members |= {"load_active": In(1), "load_last": In(1), "load_output_stationary": In(1)}
        members |= {c: Out(1) for c in (*self.element.row_controls, *self.element.column_controls)}
        super().__init__("controls", members | {"word": Out(1), "late": Out(1), "seed": Out(1)})

    @property
    def word_latency(self) -> int:
        """Cycles from ``word`` to the word at the foot of the array."""
        p = self.parameters
        return p.operand_offset - 1 + p.rows * self.element.hop + p.cols + p.pipeline + self.element.late

    @property
    def seed_latency(self) -> int:
        """Cycles from ``seed`` to the word's entry into the array: when the first row adds."""
        return self.parameters.operand_offset + self.parameters.pipeline

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        p = self.parameters
        flexible = p.dataflow == "any"
        step = Cat(self.active, self.first, self.last, self.output_stationary)
        prompt = Signal(4)
        delayed = Signal(4)
        m.d.sync += [prompt.eq(step), delayed.eq(prompt)]
        active, first, last, out = (Signal(name=f"step_{n}") for n in ("active", "first", "last", "os"))
        if flexible:
            m.d.comb += self.late.eq(delayed[0] & delayed[3])
            chosen = Mux(self.late, delayed, Mux(prompt[3], 0, prompt))
        else:
            chosen = prompt
        m.d.comb += Cat(active, first, last, out).eq(chosen)

        ends = active & last
        late_controls = {
            "pass_sum": active & ~out,
            # An idle step clears, so that nothing that passes between commands stays in a sum.
            "clear": ~active | ~out | last,
            "capture": active & (~out | last),
            "start": active & out & first,
        }
        delay = p.operand_offset - 1
        if "swap" in self.element.row_controls:
            self._after(m, platform, "swap", active & (out | first), delay)
        late = self.element.late
        for name, value in late_controls.items():
            if name in self.element.row_controls:
                self._after(m, platform, name, value, delay + p.pipeline + (late if name == "capture" else 0))
        if "drain" in self.element.column_controls:
            self._after(m, platform, "drain", ends & out, delay + p.rows + p.pipeline + 1 + late)
        if "shift" in self.element.column_controls:
            self._shift(m, platform, flexible)
        if "load" in self.element.row_controls:
            loading = Signal()
            m.d.sync += loading.eq(self.load_active & ~self.load_last)
            self._after(m, platform, "load", self.load_active & ~loading, p.operand_offset)
        if p.seeded:
            self._seeds(m, platform, active & ~out, flexible)
        m.d.comb += self.word.eq(self._words(m, active, ends, out))
        return m

    def _after(self, m: Module, platform: Any, name: str, value: Any, cycles: int) -> None:
        """Drives the control ``name`` with ``value`` of ``cycles`` cycles ago."""
        delay = Delay(1, cycles, reset=True)
        m.submodules[f"delay_{name}"] = place(platform, delay)
        m.d.comb += [delay.d.eq(value), getattr(self, name).eq(delay.q)]

    def _shift(self, m: Module, platform: Any, flexible: bool) -> None:
        """The chain shifts while a tile is loaded, and always while it carries output-stationary operands."""
        loads = self.load_active & ~self.load_output_stationary
        shift = loads
        if flexible:
            carries = Signal()
            m.d.sync += carries.eq((carries & ~loads) | (self.active & self.output_stationary))
            shift = shift | carries | (self.active & self.output_stationary)
        self._after(m, platform, "shift", shift, self.parameters.operand_offset)
        self._after(m, platform, "done", loads & self.load_last, self.parameters.operand_offset)

    def _seeds(self, m: Module, platform: Any, stationary: Any, flexible: bool) -> None:
        """Seeds come with every stationary step, and ahead of an output-stationary tile when its seeds are loaded."""
        loads = Signal(2, name="seed_loads_0")
        m.d.sync += loads.eq(Cat(self.load_active, self.load_last) & self.load_output_stationary.replicate(2))
        if flexible:
            later = Signal(2, name="seed_loads_1")
            m.d.sync += later.eq(loads)
            loads = later
        m.d.comb += self.seed.eq(stationary | loads[0])
        if self.element.has_seeds:
            self._after(m, platform, "seed_shift", loads[0], self.seed_latency)
            self._after(m, platform, "seed_done", loads[0] & loads[1], self.seed_latency)

    def _words(self, m: Module, active: Signal, ends: Any, out: Signal) -> Any:
        """One step a word: every stationary step, and ``rows`` steps from the end of an output-stationary tile on."""
        rows = self.parameters.rows
        left = Signal(range(rows))
        burst = ends & out
        m.d.sync += left.eq(Mux(burst, rows - 1, Mux(left == 0, 0, left - 1)))
        return (active & ~out) | burst | (left != 0)
