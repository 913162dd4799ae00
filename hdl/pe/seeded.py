"""Processing elements that keep their sum and start it from a given value: `saturate` in output-stationary steps."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal

from tilewright.hdl.pe.element import Element
from tilewright.hdl.pe.held import HeldChain, HeldOperand
from tilewright.hdl.pe.operands import Operands
from tilewright.hdl.pe.output import drain_step
from tilewright.hdl.structure import Registered, data_register


class SeededOutputElement(Element):
    """`OutputElement` whose sum starts from a seed: ``start`` takes it instead of the sum so far.

    Seeds come down a chain of their own (see `HeldChain`; ``seed_shift``, ``seed_done``), so that the next tile's are
    there before this tile ends and a tile still takes ``max(K, rows)`` cycles. ``start`` and ``capture`` come
    ``pipeline`` cycles after the operands they belong to, ``capture`` ``add_latency - 1`` cycles more. Where the add
    takes ``L`` cycles, the element serves ``L`` tiles by turns, whose sums are all in its registers.
    """

    row_controls = ("start", "capture")
    column_controls = ("drain", "seed_shift", "seed_done")
    has_seeds = True

    def __init__(self, operands: Operands) -> None:
        self.late = operands.add_latency - 1
        super().__init__("output_seeded", operands)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        o = self.operands
        m.d.comb += [
            self.x_out.eq(data_register(m, self.x_in, "x")),
            self.y_out.eq(data_register(m, self.y_in, "y")),
        ]
        m.d.sync += [getattr(self, f"{c}_out").eq(getattr(self, f"{c}_in")) for c in self.row_controls]
        kept = Signal(o.sum_shape, reset_less=True)
        term = self.term(m, platform, Registered(self.y_out, self.y_in))
        total = o.add(m, seeded_start(m, self, kept), term)
        m.d.sync += kept.eq(total)
        drain_step(m, self, total)
        return m


class SeededFlexibleElement(Element):
    """`FlexibleElement` whose output-stationary sums start from a seed, as in `SeededOutputElement`."""

    row_controls = ("swap", "pass_sum", "start", "capture")
    column_controls = ("shift", "done", "drain", "seed_shift", "seed_done")
    has_seeds = True

    def __init__(self, operands: Operands) -> None:
        super().__init__("flexible_seeded", operands)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        o = self.operands
        held = HeldOperand(m, self.y_in, shift=self.shift, done=self.done, swap=self.swap_in)
        m.d.comb += [self.x_out.eq(data_register(m, self.x_in, "x")), self.y_out.eq(held.next)]
        m.d.sync += [getattr(self, f"{c}_out").eq(getattr(self, f"{c}_in")) for c in self.row_controls]
        kept = Signal(o.sum_shape, reset_less=True)
        origin = seeded_start(m, self, kept)
        term = self.term(m, platform, held.active)
        total = o.add_selected(m, platform, self.pass_sum_out, self.sum_in, origin, term)
        m.d.sync += kept.eq(total)
        drain_step(m, self, total)
        return m


def seeded_start(m: Module, element: Element, kept: Signal) -> Signal:
    """What this step adds to: the seed that has come down the chain on ``start``, else the sum ``kept`` so far."""
    chain = HeldChain(
        m, element.seed_in, shift=element.seed_shift, done=element.seed_done, swap=element.start_out, name="seed"
    )
    origin = Signal(element.operands.sum_shape, name="origin")
    m.d.comb += [element.seed_out.eq(chain.next), origin.eq(Mux(element.start_out, chain.next, kept))]
    return origin
