"""The fused accumulating add of floats."""

from __future__ import annotations

from amaranth.hdl import Module, Value

from tilewright.hdl.arith.float_cuts import Cuts
from tilewright.hdl.arith.float_round import float_round
from tilewright.hdl.arith.float_sum import float_sum
from tilewright.hdl.arith.unpacked import Unpacked, unpack
from tilewright.hdl.numeric import FP32


def float_accumulate(m: Module, start: Value, term: Unpacked, stages: int) -> Value:
    """The fp32 code of ``start`` (a code of fp32) plus ``term``, rounded once to nearest even, ``stages`` cycles later.

    Subnormal numbers, signed zeros, infinities and NaN are IEEE 754's; products beyond the range of fp32 are added as
    exactly as all others. Where ``term`` is not present the result is ``start``, bit for bit. One addition a cycle;
    the registers (at least 0) have no reset and stand where they balance. Raises ValueError for negative ``stages``.
    """
    cuts = Cuts(m, stages)
    addend = unpack(m, start, FP32, "start", normalise=False)
    return float_round(m, float_sum(m, term, addend, FP32, cuts, skip=True), FP32, cuts)
