"""Floating-point arithmetic as blocks of its own, and the one build that its tests share."""

from __future__ import annotations

from functools import cache
from typing import Any

from amaranth.hdl import Module, unsigned
from amaranth.lib.wiring import In, Out

from tilewright.hdl.arith import float_accumulate, float_dot
from tilewright.hdl.numeric import FloatFormat
from tilewright.hdl.structure import Block
from tilewright.sim_tests.drivers.side_by_side import Bench


class Mac(Block):
    """``total`` is ``start`` + the dot product of ``x`` and ``w``; ``start`` enters ``pipeline`` cycles later."""

    def __init__(self, x: str, w: str, vector: int, pipeline: int, stages: int) -> None:
        self.x_format, self.w_format = FloatFormat.parse(x), FloatFormat.parse(w)
        self.vector, self.pipeline, self.stages = vector, pipeline, stages
        members = {
            "x": In(unsigned(vector * self.x_format.width)),
            "w": In(unsigned(vector * self.w_format.width)),
            "present": In(unsigned(vector)),
            "start": In(unsigned(32)),
            "total": Out(unsigned(32)),
        }
        super().__init__(f"mac_{x}_{w}_v{vector}_p{pipeline}_s{stages}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        term = float_dot(m, self.x, self.w, self.x_format, self.w_format, self.vector, self.pipeline, self.present)
        m.d.comb += self.total.eq(float_accumulate(m, self.start, term, self.stages))
        return m


MACS = {
    mac.name: mac
    for mac in (
        Mac("bf16", "bf16", 1, 0, 0),
        Mac("fp16", "fp16", 1, 1, 1),
        Mac("fp8_e4m3", "fp8_e4m3", 1, 2, 2),
        Mac("fp8_e5m2", "fp8_e5m2", 1, 3, 3),
        Mac("fp8_e4m3", "fp8_e5m2", 1, 0, 4),
        Mac("fp8_e5m2", "fp8_e4m3", 1, 1, 5),
        Mac("bf16", "fp8_e4m3", 1, 0, 7),
        Mac("fp32", "fp32", 1, 0, 0),
        Mac("bf16", "bf16", 2, 1, 0),
        Mac("fp16", "fp8_e5m2", 4, 2, 1),
    )
}


@cache
def bench() -> Bench:
    """The build."""
    return Bench("float_bench", dict(MACS))
