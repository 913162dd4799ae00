"""Arithmetic as blocks of its own."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, signed, unsigned
from amaranth.lib.wiring import In, Out

from tilewright.hdl.arith import Overflow, accumulate, dot
from tilewright.hdl.arith.targets import Factors, Target
from tilewright.hdl.numeric import IntFormat, dot_bits
from tilewright.hdl.structure import Block, Registered, data_register


class Dot(Block):
    """``result`` is the dot product of ``x`` and ``w``, which have operand registers."""

    def __init__(self, x: str, w: str, vector: int, pipeline: int, target: Target = "generic") -> None:
        self.x_format, self.w_format = IntFormat.parse(x), IntFormat.parse(w)
        self.vector, self.pipeline, self.target = vector, pipeline, target
        self.width = dot_bits(self.x_format, self.w_format, vector)
        members = {
            "x": In(unsigned(vector * self.x_format.width)),
            "w": In(unsigned(vector * self.w_format.width)),
            "result": Out(signed(self.width)),
        }
        super().__init__(f"dot_{x}_{w}_v{vector}_p{pipeline}_{target}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        x, w = (Registered(data_register(m, word, "operand"), word) for word in (self.x, self.w))
        factors = Factors(x, w, self.x_format, self.w_format, self.vector)
        product = dot(m, factors, self.pipeline, target=self.target, platform=platform)
        m.d.comb += self.result.eq(product)
        return m


class Accumulate(Block):
    """``total`` is ``start`` + ``term``."""

    def __init__(self, width: int, term_width: int, overflow: Overflow) -> None:
        self.width, self.term_width, self.overflow = width, term_width, overflow
        members = {"start": In(signed(width)), "term": In(signed(term_width)), "total": Out(signed(width))}
        super().__init__(f"accumulate_{width}_{term_width}_{overflow}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.d.comb += self.total.eq(accumulate(m, self.start, self.term, self.width, self.overflow))
        return m


DOTS = {
    "dot_int8_p0": Dot("int8", "int8", 1, 0),
    "dot_int4_uint4_p1": Dot("int4", "uint4", 1, 1),
    "dot_int2_v2_p2": Dot("int2", "int2", 2, 2),
    "dot_uint3_int5_v4_p3": Dot("uint3", "int5", 4, 3),
    "dot_uint16_v2_p3": Dot("uint16", "uint16", 2, 3),
    "dot_int16_uint16_v8_p2": Dot("int16", "uint16", 8, 2),
    "dot_int2_uint2_v16_p1": Dot("int2", "uint2", 16, 1),
    "dot_uint4_int4_p0_ecp5": Dot("uint4", "int4", 1, 0, "ecp5"),
    "dot_int5_p2_ecp5": Dot("int5", "int5", 1, 2, "ecp5"),
    "dot_int16_v2_p3_ecp5": Dot("int16", "int16", 2, 3, "ecp5"),
    "dot_uint16_v4_p1_ecp5": Dot("uint16", "uint16", 4, 1, "ecp5"),
    "dot_uint8_p2_ice40": Dot("uint8", "uint8", 1, 2, "ice40"),
    "dot_int8_v2_p0_ice40": Dot("int8", "int8", 2, 0, "ice40"),
    "dot_int5_uint3_v4_p3_ice40": Dot("int5", "uint3", 4, 3, "ice40"),
}
ACCUMULATORS = {
    f"{overflow}_{width}_{term}": Accumulate(width, term, overflow)
    for overflow in ("wrap", "saturate")
    for width, term in ((6, 6), (6, 4), (8, 3), (33, 33), (64, 17))
}
