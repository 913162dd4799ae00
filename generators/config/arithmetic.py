"""Which formats of operands and accumulators go together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.generators.config import derived
from tilewright.generators.config.errors import Refusal
from tilewright.hdl.numeric import FP32, FloatFormat, FxFormat, IntFormat, common_format, product_width
from tilewright.hdl.numeric.window_code import LARGEST_CODED

if TYPE_CHECKING:
    from tilewright.generators.config.systolic import SystolicConfig

FLOAT_OPERANDS = ("bf16", "fp16", "fp8_e4m3", "fp8_e5m2")
FLOAT_ACCUMULATOR = str(FP32)
WINDOWS = (7, LARGEST_CODED)
"""Bits of windows: from the narrowest that holds a product of any two operands on."""


def is_float(operand: object) -> bool:
    """Whether ``operand``, a format or its name, is a float that operands may be."""
    return isinstance(operand, str | FloatFormat) and str(operand) in FLOAT_OPERANDS


def check_arithmetic(config: SystolicConfig) -> None:
    """Raises Refusal where operands, accumulators and overflow policy do not go together."""
    a, b, acc = config.a, config.b, config.acc
    if isinstance(a, FloatFormat) != isinstance(b, FloatFormat):
        kind = "a float" if isinstance(a, FloatFormat) else "an integer"
        raise Refusal("b", f"be {kind} format beside a = {a}, got {b}", a)
    if config.add_latency > 1 and not isinstance(acc, FloatFormat):
        raise Refusal("add_latency", f"be 1 for accumulators {acc}, got {config.add_latency}", 1)
    if config.add_latency > 1 and config.dataflow == "any":
        raise Refusal("add_latency", f"be 1 where the dataflow is chosen by command, got {config.add_latency}", 1)
    if isinstance(a, FloatFormat) and isinstance(b, FloatFormat):
        _check_floats(config, a, b)
        if config.target != "generic":
            raise Refusal("target", f"be generic for operands {a} and {b}, got {config.target!r}", "generic")
    elif isinstance(acc, IntFormat):
        assert isinstance(a, IntFormat) and isinstance(b, IntFormat)
        _check_integers(config, a, b, acc)
        if config.target == "ice40" and max(a.width, b.width) > 8:
            raise Refusal("target", f"be generic for operands {a} and {b}, got {config.target!r}", "generic")
    else:
        assert isinstance(a, IntFormat) and isinstance(b, IntFormat)
        needed = derived.vector_sum_bits(a, b, config.max_k)
        raise Refusal(
            "acc", f"be int<N> for operands {a} and {b}, got {acc}", derived.nearest_accumulator(max(32, needed))
        )


def _check_floats(config: SystolicConfig, a: FloatFormat, b: FloatFormat) -> None:
    acc, factors, x, y = config.acc, f"{a} and {b}", a, b
    if config.dataflow == "any" and a != b:
        x = y = common_format(a, b)
        factors += f" as {x}, which holds both and is what elements of all dataflows multiply"
    least = product_width(x, y)
    if isinstance(acc, IntFormat):
        raise Refusal("acc", f"be {FLOAT_ACCUMULATOR} or fx<N> for operands {a} and {b}, got {acc}", FLOAT_ACCUMULATOR)
    if isinstance(acc, FxFormat) and acc.width < least:
        raise Refusal(
            "acc", f"hold one product of {factors}; that takes a window of {least} bits, got {acc}", f"fx{least}"
        )
    if config.overflow is not None:
        raise Refusal("overflow", f"be left out for accumulators {acc}, got {config.overflow!r}", "none at all")


def _check_integers(config: SystolicConfig, a: IntFormat, b: IntFormat, acc: IntFormat) -> None:
    step = derived.vector_sum_bits(a, b, config.vector)
    needed = derived.vector_sum_bits(a, b, config.max_k) if config.overflow is None else step
    nearest = derived.nearest_accumulator(max(step, needed))
    if acc.width < step:
        kind = "product" if config.vector == 1 else f"dot product of {config.vector}"
        raise Refusal("acc", f"hold one {kind} of {a} and {b}, which takes {step} bits, got {acc}", nearest)
    safe = config.safe_k
    if config.overflow is None and safe is not None and safe < config.max_k:
        raise Refusal(
            "acc",
            f"hold max_k = {config.max_k} products of {a} and {b} when no overflow is chosen, "
            f"got {acc}, which is safe up to K = {safe}",
            nearest,
        )
