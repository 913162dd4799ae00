"""The exact dot product of two short vectors of integers: what one processing element multiplies."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Signal, Value, signed

from tilewright.hdl.arith.targets import Factors, Target, products
from tilewright.hdl.numeric import dot_bits
from tilewright.hdl.structure import pipeline as registers


def dot(
    m: Module, factors: Factors, pipeline: int, width: int = 0, *, target: Target = "generic", platform: Any = None
) -> Value:
    """Sum of the products of ``factors``, exact, ``pipeline`` cycles after they are in their registers.

    The first register follows the multipliers, the second the adder tree, the third the multipliers again (the two
    registers that DSP blocks absorb). Registers have no reset. ``width`` bits hold every result (0: what the formats
    need). One dot product a cycle.
    """
    terms = products(m, platform, target, factors, before_sum(pipeline))
    return summed(m, terms, pipeline, width or dot_bits(factors.x_format, factors.w_format, factors.vector))


def summed(m: Module, terms: list[Value], pipeline: int, width: int) -> Value:
    """Sum of a power of two of products that have `before_sum` of the ``pipeline`` registers behind them already."""
    while len(terms) > 1:
        terms = [terms[i] + terms[i + 1] for i in range(0, len(terms), 2)]
    result = Signal(signed(width), name="dot")
    m.d.comb += result.eq(terms[0])
    return registers(m, result, pipeline // 2, "dot")


def before_sum(pipeline: int) -> int:
    """How many of ``pipeline`` registers are between multipliers and adder tree."""
    return pipeline - pipeline // 2
