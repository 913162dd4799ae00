"""The step of one processing element that accumulates in a window: a few exact products."""

from __future__ import annotations

from functools import partial

from amaranth.hdl import Module, Value

from tilewright.hdl.arith.packed import check_step, element
from tilewright.hdl.arith.window_accumulate import window_step
from tilewright.hdl.arith.window_place import WindowTerm, window_place
from tilewright.hdl.arith.window_product import window_product
from tilewright.hdl.numeric import FloatFormat, FxFormat
from tilewright.hdl.numeric.window import check_width
from tilewright.hdl.structure import pipeline as pipelined


def window_dot(
    m: Module,
    x: Value,
    w: Value,
    x_format: FloatFormat,
    w_format: FloatFormat,
    vector: int,
    pipeline: int,
    present: Value,
    point: Value,
    width: int,
) -> WindowTerm:
    """Sum of ``vector`` products of packed elements of ``x`` and ``w`` in a window, ``pipeline`` cycles later.

    Element ``i`` of a packed operand is bits ``[i*width, (i+1)*width)``; where bit ``i`` of ``present`` is 0 it adds
    nothing and sets no flag. Each product is rounded to the window alone, their sum is exact. One step a cycle.

    The first register is inside the shifters. Of one product, the second follows the multiplier, and so do all others;
    of several, the second follows their sum, the others the multipliers. They have no reset.

    Args:
        m: where the logic goes.
        x, w: packed codes.
        x_format, w_format: theirs.
        vector: products a step, a power of two.
        pipeline: registers.
        present: ``vector`` bits.
        point: signed, -512..512, the binary point of the window for this step.
        width: bits of the window, at least ``numeric.product_width``.

    Raises:
        ValueError: ``vector`` is no power of two, ``pipeline`` is negative, or the window does not hold one product.
    """
    check_step(vector, pipeline)
    check_width(FxFormat(width), x_format, w_format)
    inside = min(pipeline, 1)
    behind_sum = int(vector > 1 and pipeline > 1)
    behind_product = pipeline - inside - behind_sum
    terms = []
    for index in range(vector):
        suffix = f"_{index}" if vector > 1 else ""
        codes = element(x, x_format.width, index), element(w, w_format.width, index)
        product = window_product(m, *codes, x_format, w_format, present[index], point, f"product{suffix}")
        product = product.map(partial(_later, m, behind_product, f"product{suffix}"))
        terms.append(window_place(m, product, width, f"term{suffix}", cycles=inside))
    step = window_step(m, terms)
    return step.map(partial(_later, m, behind_sum, "step"))


def _later(m: Module, cycles: int, name: str, value: Value, field: str) -> Value:
    return pipelined(m, value, cycles, f"{name}_{field}")
