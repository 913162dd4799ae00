"""A processing element beside its specification, for a solver: `ok` says that they agree in this cycle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from amaranth.back import rtlil
from amaranth.hdl import Module, Mux, Signal, Value, signed
from amaranth.lib.wiring import In, Out

from tilewright.generators.emit.yosys import run
from tilewright.hdl.pe import Element
from tilewright.hdl.structure import Block, pipeline
from tilewright.sim_tests.hdl.pe.model import integers


class Miter(Block):
    """``ok``: ``sum_out`` is what the specification makes of earlier inputs and of the sum one cycle before.

    Operands of a stationary element come through its chain, a new one in every cycle. A sum that an element keeps is
    captured in every cycle. So one step from any state shows one product of any operands on any sum.
    ``wrong`` adds 1 to the specification when both operands are at their lowest value: a fault to be found.
    """

    def __init__(self, element: Element, *, wrong: bool = False) -> None:
        self.element, self.wrong = element, wrong
        o = element.operands
        self.inputs = {"x": In(o.x.width), "y": In(o.y.width), "sum": In(signed(o.sum_width))}
        self.inputs |= {control: In(1) for control in ("pass_sum", "clear") if control in element.row_controls}
        super().__init__("miter", self.inputs | {"ok": Out(1)})

    @property
    def settled(self) -> int:
        """Cycles until what is compared depends on inputs, not on the state at the start."""
        return self.element.operands.pipeline + 5

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        e, o = self.element, integers(self.element)
        m.submodules.element = e
        controls = set(e.row_controls)
        holds, keeps = "swap" in controls, "capture" in controls
        m.d.comb += [e.x_in.eq(self.x), e.y_in.eq(self.y), e.sum_in.eq(self.sum)]
        # Constant: the chain moves, and every sum is seen.
        for control in controls & {"swap", "capture"}:
            m.d.comb += getattr(e, f"{control}_in").eq(1)
        if holds:
            m.d.comb += e.shift.eq(1)
        for control in controls & {"pass_sum", "clear"}:
            m.d.comb += getattr(e, f"{control}_in").eq(getattr(self, control))

        def earlier(value: Value, cycles: int, name: str) -> Value:
            return pipeline(m, value, cycles, f"{name}_then")

        # The sum appears one cycle after the accumulating add, that `pipeline` cycles after the operand registers.
        late = o.pipeline + 2
        x = earlier(self.x, late, "x")
        # A stationary operand passes one register more: it is shifted in, then swapped in.
        y = earlier(self.y, late + holds, "y")
        product = Signal(signed(64))
        m.d.comb += product.eq(
            (x.as_signed() if o.x.signed else x) * (y.as_signed() if o.y.signed else y)
            + (self._both_lowest(x, y) if self.wrong else 0)
        )
        start: Value = earlier(self.sum, 1, "sum").as_signed()
        if keeps:
            before = earlier(e.sum_out, 1, "sum_out").as_signed()
            kept = Mux(earlier(self.clear, 3, "clear"), 0, before)
            start = Mux(earlier(self.pass_sum, 2, "pass_sum"), start, kept) if "pass_sum" in controls else kept
        exact = Signal(signed(65))
        m.d.comb += exact.eq(start + product)
        half = 1 << o.sum_width - 1
        if o.overflow == "saturate":
            wanted: Value = Mux(exact >= half, half - 1, Mux(exact < -half, -half, exact))
        else:
            wanted = exact
        m.d.comb += self.ok.eq(e.sum_out.as_unsigned() == wanted[: o.sum_width])
        return m

    def _both_lowest(self, x: Value, y: Value) -> Value:
        o = integers(self.element)
        return (x.as_unsigned() == o.x.min % (1 << o.x.width)) & (y.as_unsigned() == o.y.min % (1 << o.y.width))


def proven(miter: Miter, folder: Path) -> bool:
    """Whether a solver proves ``ok`` for all inputs and all states at the start."""
    source, report = folder / "miter.il", folder / "report"
    source.write_text(rtlil.convert(miter, name="miter", emit_src=False))
    run(
        [
            f"read_rtlil {source}",
            *("proc", "flatten", "setattr -unset init w:*", "opt -full"),
            f"tee -q -o {report} sat -seq {miter.settled} -prove-skip {miter.settled - 1} -set rst 0 -prove ok 1 miter",
        ]
    )
    text = report.read_text()
    verdicts = {"SUCCESS!": True, "FAIL!": False}
    found = [verdict for word, verdict in verdicts.items() if word in text]
    if len(found) != 1:
        raise RuntimeError(f"the solver gave no verdict: {text[-500:]}")
    return found[0]
