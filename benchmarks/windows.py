"""area on ECP5 of processing elements that accumulate in windows, and of what is at their foot, mapped by Yosys"""

from __future__ import annotations

import sys
from typing import Any

from amaranth.hdl import Const, Module, signed, unsigned
from amaranth.lib.wiring import In, Out

from tilewright.generators.emit.emitter import Emitter
from tilewright.generators.report.area import Resources
from tilewright.generators.report.figures import Figure
from tilewright.generators.report.synthesis import Job, synthesise
from tilewright.hdl.arith import FromWindow, Requantise, WindowTally, window_accumulate, window_dot
from tilewright.hdl.arith.window_product import POINT_BITS
from tilewright.hdl.numeric import FloatFormat, FxFormat, IntFormat
from tilewright.hdl.pe.held import HeldOperand
from tilewright.hdl.structure import Block, data_register
from tilewright.sim_tests.benchmarks.record import record

PIPELINE = 2
"""Registers between the operands and the accumulating add, where nothing else is said."""
MOST = {"PE, bf16 into fx48": 340}
"""Goals of LUT4 + 2 CCU2C."""
WINDOWS = {"bf16": 48, "fp16": 48, "fp8_e4m3": 32}


class WindowElement(Block):
    """A weight-stationary processing element: ``sum_out`` is ``sum_in`` and the products of ``x`` and what it holds."""

    def __init__(self, fmt: str, width: int, pipeline: int, vector: int = 1) -> None:
        self.format, self.window = FloatFormat.parse(fmt), FxFormat(width)
        self.pipeline, self.vector = pipeline, vector
        code, total = unsigned(self.format.width * vector), unsigned(width + 3)
        members = {"x_in": In(code), "x_out": Out(code), "y_in": In(code), "y_out": Out(code)}
        members |= {"swap": In(1), "shift": In(1), "done": In(1), "point": In(signed(POINT_BITS))}
        members |= {"sum_in": In(total), "sum_out": Out(total)}
        super().__init__(f"element_{fmt}_{self.window}_v{vector}_p{pipeline}", members)

    def elaborate(self, platform: Any) -> Module:
        """The logic."""
        m = Module()
        fmt, width = self.format, self.window.width
        held = HeldOperand(m, self.y_in, shift=self.shift, done=self.done, swap=self.swap)
        m.d.comb += [self.x_out.eq(data_register(m, self.x_in, "x")), self.y_out.eq(held.next)]
        step = window_dot(
            m,
            self.x_out,
            held.active.value,
            fmt,
            fmt,
            self.vector,
            self.pipeline,
            Const(-1, self.vector),
            self.point,
            width,
        )
        total = window_accumulate(m, self.sum_in, step, width)
        m.d.comb += self.sum_out.eq(data_register(m, total.as_value(), "sum"))
        return m


def units() -> dict[str, Block]:
    """What is mapped, by the names of its figures."""
    found: dict[str, Block] = {
        f"PE, {fmt} into fx{width}": WindowElement(fmt, width, PIPELINE) for fmt, width in WINDOWS.items()
    }
    for pipeline in (0, 1, 3):
        found[f"PE, bf16 into fx48, pipeline {pipeline}"] = WindowElement("bf16", 48, pipeline)
    found["PE, bf16 into fx48, vector 4"] = WindowElement("bf16", 48, PIPELINE, 4)
    found["fx48 to fp32"] = FromWindow(FxFormat(48), FloatFormat.parse("fp32"), latency=3)
    found["requantiser, 33 bits to int8"] = Requantise(33, IntFormat(8))
    found["flags of 16 columns counted"] = WindowTally(16)
    return found


def main() -> int:
    """Each is mapped alone."""
    blocks = units()
    figures = []
    for of, mapped in zip(blocks, synthesise([_job(block) for block in blocks.values()]), strict=True):
        used = Resources.of(mapped.cells)
        figures.append(Figure(of, "LUT4-eq", used.lut4_eq, "", most=MOST.get(of)))
        for what, value in (("LUT4", used.lut4), ("CCU2C", used.ccu2c), ("FF", used.ff), ("DSP", used.dsp)):
            figures.append(Figure(of, what, value, ""))
    return record("windows", "Processing elements with windowed sums, on ECP5", figures, simulated=False)


def _job(block: Block) -> Job:
    emitter = Emitter("bench")
    emitter.emit(block)
    sources = {module.name: module.text for module in emitter.modules()}
    return Job(emitter.module_name(block), sources, "ecp5")


if __name__ == "__main__":
    sys.exit(main())
