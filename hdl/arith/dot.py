"""The exact dot product of two short vectors of integers: what one processing element multiplies."""

from __future__ import annotations

from amaranth.hdl import Module, Signal, Value, signed

from tilewright.hdl.arith.packed import element
from tilewright.hdl.numeric import IntFormat, dot_bits
from tilewright.hdl.structure import pipeline as registers


def dot(
    m: Module, x: Value, w: Value, x_format: IntFormat, w_format: IntFormat, vector: int, pipeline: int, width: int = 0
) -> Value:
    """Sum of ``vector`` products of packed elements of ``x`` and ``w``, exact, ``pipeline`` cycles later.

    Element ``i`` of a packed operand is bits ``[i*width, (i+1)*width)``. The first register follows the multipliers,
    the second the adder tree, the third the multipliers again (the two registers that DSP blocks absorb).
    Registers have no reset. ``width`` bits hold every result (0: what the formats need). One dot product a cycle.
    """

    terms: list[Value] = []
    for index in range(vector):
        product = Signal(signed(dot_bits(x_format, w_format, 1)), name=f"product_{index}" if vector > 1 else "product")
        m.d.comb += product.eq(_element(x, x_format, index) * _element(w, w_format, index))
        terms.append(registers(m, product, pipeline - pipeline // 2, product.name))
    while len(terms) > 1:
        terms = [terms[i] + terms[i + 1] for i in range(0, len(terms), 2)]
    result = Signal(signed(width or dot_bits(x_format, w_format, vector)), name="dot")
    m.d.comb += result.eq(terms[0])
    return registers(m, result, pipeline // 2, "dot")


def _element(packed: Value, fmt: IntFormat, index: int) -> Value:
    bits = element(packed, fmt.width, index)
    return bits.as_signed() if fmt.signed else bits
