"""The dot product of two short vectors of floats: what one processing element multiplies."""

from __future__ import annotations

from dataclasses import replace

from amaranth.hdl import Module, Mux, Signal, Value

from tilewright.hdl.arith.float_cuts import Cuts
from tilewright.hdl.arith.float_product import float_product
from tilewright.hdl.arith.float_round import float_round
from tilewright.hdl.arith.float_sum import float_sum
from tilewright.hdl.arith.packed import check_step, element
from tilewright.hdl.arith.unpacked import Unpacked, exponent_signal, unpack
from tilewright.hdl.numeric import FP32, FloatFormat
from tilewright.hdl.structure import named
from tilewright.hdl.structure import pipeline as registers


def float_dot(
    m: Module,
    x: Value,
    w: Value,
    x_format: FloatFormat,
    w_format: FloatFormat,
    vector: int,
    pipeline: int,
    present: Value,
    node_stages: int = 0,
) -> Unpacked:
    """Sum of ``vector`` products of packed elements of ``x`` and ``w``; one a cycle.

    Latency: ``pipeline + node_stages * log2(vector)`` cycles.

    Element ``i`` of a packed operand is bits ``[i*width, (i+1)*width)``; where bit ``i`` of ``present`` is 0 it takes
    no part. ``vector`` 1: the exact product. Above (a power of two): exact products meet in a balanced tree, (0, 1),
    (2, 3) and so on; each node rounds its sum once to fp32, a node of one passes it on as it is, a node of none is not
    present. NaN, 0 times infinity and infinities of both signs make a NaN.

    The first of ``pipeline`` registers follows the multipliers, the second the tree, the third the multipliers again,
    as in ``dot``; ``node_stages`` are in each node, where they balance. They have no reset. Raises ValueError where
    ``vector`` is no power of two, or ``pipeline`` or ``node_stages`` negative.
    """
    check_step(vector, pipeline)
    terms = []
    for index in range(vector):
        suffix = f"_{index}" if vector > 1 else ""
        left = unpack(m, element(x, x_format.width, index), x_format, f"x{suffix}")
        right = unpack(m, element(w, w_format.width, index), w_format, f"w{suffix}")
        product = float_product(m, replace(left, present=present[index]), right, f"product{suffix}")
        terms.append(_registered(m, product, pipeline - pipeline // 2, f"product{suffix}"))
    while len(terms) > 1:
        terms = [_node(m, terms[i], terms[i + 1], node_stages) for i in range(0, len(terms), 2)]
    return _registered(m, terms[0], pipeline // 2, "dot")


def _registered(m: Module, number: Unpacked, cycles: int, name: str) -> Unpacked:
    return number.map(lambda value, field: registers(m, value, cycles, f"{name}_{field}"))


def _node(m: Module, left: Unpacked, right: Unpacked, stages: int) -> Unpacked:
    """The fp32 sum of two numbers, the one that is present, or nothing; ``stages`` cycles later."""
    cuts = Cuts(m, stages)
    code = float_round(m, float_sum(m, left, right, FP32, cuts), FP32, cuts)
    total = unpack(m, named(m, code, "node"), FP32, "node", normalise=False)
    left, right = _registered(m, left, stages, "left"), _registered(m, right, stages, "right")
    width = max(len(number.significand) for number in (left, right, total))
    both = named(m, left.present & right.present, "both")
    low, high = min(left.low, right.low, total.low), max(left.high, right.high, total.high)
    total, left, right = total.widened(width), left.widened(width), right.widened(width)
    left, right = left.rebased(m, total.bias, "left_exponent"), right.rebased(m, total.bias, "right_exponent")
    chosen = total.map(
        lambda value, field: Mux(both, value, Mux(left.present, getattr(left, field), getattr(right, field)))
    )
    exponent = exponent_signal(low + total.bias, high + total.bias, "node_exponent")
    significand = Signal(width, name="node_significand")
    m.d.comb += [exponent.eq(chosen.exponent), significand.eq(chosen.significand)]
    return replace(
        chosen,
        exponent=exponent,
        significand=significand,
        present=named(m, left.present | right.present, "node_present"),
        low=low,
        high=high,
        slack=max(left.slack, right.slack, total.slack),
    )
