"""area on ECP5 of processing elements that accumulate floats in fp32, and of float units, mapped by Yosys"""

from __future__ import annotations

import sys
from typing import Any

from amaranth.hdl import Module, unsigned
from amaranth.lib.wiring import In, Out

from tilewright.generators.emit.emitter import Emitter
from tilewright.generators.report.area import Resources
from tilewright.generators.report.figures import Figure
from tilewright.generators.report.synthesis import Job, synthesise
from tilewright.hdl.arith import (
    FloatAdd,
    FloatCast,
    FloatMultiply,
    FloatToInteger,
    FusedMultiplyAdd,
    IntegerToFloat,
    float_accumulate,
    float_dot,
)
from tilewright.hdl.numeric import BF16, FP8_E4M3, FP8_E5M2, FP16, FP32, FloatFormat, IntFormat
from tilewright.hdl.pe.held import HeldOperand
from tilewright.hdl.structure import Block, data_register
from tilewright.sim_tests.benchmarks.record import record

DEVICES = ("ecp5", "ecp5 without wide LUTs")
STAGES = 4
"""Registers in the adder, where nothing else is said."""
MOST = {f"PE, bf16, stages {stages}": 700 for stages in range(6)}
"""Goals of LUT4 + 2 CCU2C without wide LUTs."""


class FloatElement(Block):
    """A weight-stationary processing element: ``sum_out`` is ``sum_in`` and the products of ``x`` and what it holds.

    ``stages`` registers are in the adder, ``pipeline`` ones before it; the sum has one more behind.
    """

    def __init__(self, x: FloatFormat, y: FloatFormat, vector: int, pipeline: int, stages: int) -> None:
        self.x, self.y = x, y
        self.vector, self.pipeline, self.stages = vector, pipeline, stages
        across, down = unsigned(x.width * vector), unsigned(y.width * vector)
        members = {"x_in": In(across), "x_out": Out(across), "y_in": In(down), "y_out": Out(down)}
        members |= {"swap": In(1), "shift": In(1), "done": In(1), "present": In(vector)}
        members |= {"sum_in": In(unsigned(32)), "sum_out": Out(unsigned(32))}
        super().__init__(f"element_{x}_{y}_v{vector}_p{pipeline}_s{stages}", members)

    def elaborate(self, platform: Any) -> Module:
        """The logic."""
        m = Module()
        held = HeldOperand(m, self.y_in, shift=self.shift, done=self.done, swap=self.swap)
        across = data_register(m, self.x_in, "x")
        present = data_register(m, self.present, "present")
        m.d.comb += [self.x_out.eq(across), self.y_out.eq(held.next)]
        term = float_dot(m, across, held.active, self.x, self.y, self.vector, self.pipeline, present)
        m.d.comb += self.sum_out.eq(data_register(m, float_accumulate(m, self.sum_in, term, self.stages), "sum"))
        return m


def units() -> dict[str, Block]:
    """What is mapped, by the names of its figures."""
    found: dict[str, Block] = {
        f"PE, bf16, stages {stages}": FloatElement(BF16, BF16, 1, 1, stages) for stages in range(6)
    }
    for x, y in ((FP16, FP16), (FP8_E4M3, FP8_E4M3), (FP8_E5M2, FP8_E5M2), (BF16, FP8_E4M3)):
        found[f"PE, {x} x {y}, stages {STAGES}"] = FloatElement(x, y, 1, 1, STAGES)
    found[f"PE, bf16, stages {STAGES}, vector 4"] = FloatElement(BF16, BF16, 4, 2, STAGES)
    for unit in (
        FloatMultiply(BF16, BF16, BF16),
        FloatAdd(FP32, FP32, FP32),
        FusedMultiplyAdd(FP16, FP16, FP16, FP16),
        FusedMultiplyAdd(FP32, FP32, FP32, FP32),
        FloatCast(FP32, BF16),
        FloatCast(FP32, FP16),
        FloatCast(FP32, FP8_E4M3, overflow="saturate"),
        FloatToInteger(FP32, IntFormat(8)),
        IntegerToFloat(IntFormat(32), FP32),
    ):
        found[unit.name] = unit
    return found


def main() -> int:
    """Each is mapped alone, as for reports of area, and without LUTs of more than four inputs: smaller and slower."""
    blocks = units()
    jobs = [job(block, device) for block in blocks.values() for device in DEVICES]
    used = [Resources.of(mapped.cells) for mapped in synthesise(jobs)]
    figures = []
    for of, usual, small in zip(blocks, used[::2], used[1::2], strict=True):
        figures.append(Figure(of, "LUT4-eq", usual.lut4_eq, ""))
        figures.append(Figure(of, "LUT4-eq without wide LUTs", small.lut4_eq, "", most=MOST.get(of)))
        for what, value in (("CCU2C", small.ccu2c), ("FF", small.ff), ("DSP", small.dsp)):
            figures.append(Figure(of, what, value, ""))
    return record(
        "units", "Float units and processing elements that accumulate in fp32, on ECP5", figures, simulated=False
    )


def job(block: Block, device: str) -> Job:
    """How ``block`` is mapped to ``device``."""
    emitter = Emitter("unit")
    emitter.emit(block)
    return Job(emitter.module_name(block), {module.name: module.text for module in emitter.modules()}, device)


if __name__ == "__main__":
    sys.exit(main())
