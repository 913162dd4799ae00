"""Errors of the elementary functions, from a sweep of all operands; sizes of their tables; latencies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tilewright.hdl.arith.functions import Divider, FunctionUnit, LeakyRelu, Rectifier, Relu, Relu6, function_unit
from tilewright.hdl.numeric import BF16, decode, encode
from tilewright.hdl.numeric.functions import FUNCTIONS, divide, elementary, leaky_relu, relu, relu6
from tilewright.hdl.numeric.functions.values import quietly

Floats = NDArray[np.float64]

SLOPE = 3
"""Of the leaky relu that is reported: x/8 below 0."""


@dataclass(frozen=True)
class FunctionReport:
    """A function of bf16 with results in bf16.

    Args:
        name: what it is called.
        formula: what it computes.
        entries: segments of its table, 0 without one.
        entry_bits: bits of a segment.
        operands: how many were tried.
        error: the largest, in units in the last place of the binade of the real result.
        worst: the operand, or the two, where it occurs first.
        not_nearest: results that are not the number nearest to the real one.
        latency: cycles from operand to result; one result a cycle.
    """

    name: str
    formula: str
    entries: int
    entry_bits: int
    operands: int
    error: float
    worst: tuple[float, ...]
    not_nearest: int
    latency: int

    @property
    def cells(self) -> tuple[str, ...]:
        """What a table shows under ``HEADINGS``."""
        return (
            self.name,
            f"{self.entries} x {self.entry_bits}" if self.entries else "-",
            f"{self.error:.4f}",
            " / ".join(f"{operand:.5g}" for operand in self.worst),
            f"{self.not_nearest:,}",
            f"{self.operands:,}",
            str(self.latency),
        )


HEADINGS = (
    "function",
    "segments x bits",
    "largest error",
    "at",
    "not nearest",
    "operands tried",
    "cycles of latency",
)


@cache
def function_units() -> dict[str, FunctionUnit | Divider | Rectifier]:
    """The units of all functions that are reported, by name: those with tables, division, rectifiers."""
    units = {name: function_unit(name) for name in FUNCTIONS}
    return {**units, "divide": Divider(), "relu": Relu(), "relu6": Relu6(), "leaky relu": LeakyRelu(SLOPE)}


def function_reports() -> list[FunctionReport]:
    """What is measured of all ``function_units``."""
    return [*(_elementary(name) for name in FUNCTIONS), _division(), *_rectifiers()]


def _elementary(name: str) -> FunctionReport:
    function, unit = FUNCTIONS[name], elementary(name)
    codes = np.arange(1 << BF16.width)
    codes = codes[function.fixed(codes, BF16) < 0]
    real = quietly(function.value, decode(codes, BF16))
    return _report(name, function.formula, unit.evaluate(codes), real, (codes,), len(unit.table), unit.word_bits)


def _division() -> FunctionReport:
    """All pairs of significands, with quotients in the middle of the range and among subnormal numbers."""
    one = BF16.bias << BF16.fraction_bits
    fractions = np.arange(1 << BF16.fraction_bits)
    a, b = (part.ravel() for part in np.meshgrid(fractions, fractions, indexing="ij"))
    pairs = [(one | a, one | b), (1 << BF16.fraction_bits | a, one + (3 << BF16.fraction_bits) | b), (a, one | b)]
    left, right = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
    real = decode(left, BF16) / decode(right, BF16)
    return _report("divide", "a / b", divide(left, right), real, (left, right))


def _rectifiers() -> list[FunctionReport]:
    codes = np.arange(1 << BF16.width)
    codes = codes[np.isfinite(decode(codes, BF16))]
    x = decode(codes, BF16)
    return [
        _report("relu", "max(x, 0)", relu(codes), np.maximum(x, 0), (codes,)),
        _report("relu6", "min(max(x, 0), 6)", relu6(codes), np.clip(x, 0, 6), (codes,)),
        _report(
            "leaky relu",
            f"x, below 0 x 2^-{SLOPE}",
            leaky_relu(codes, SLOPE),
            np.maximum(x, x / 2**SLOPE),
            (codes,),
        ),
    ]


def _report(
    name: str,
    formula: str,
    results: NDArray[np.unsignedinteger],
    real: Floats,
    operands: tuple[NDArray[np.int64], ...],
    entries: int = 0,
    entry_bits: int = 0,
) -> FunctionReport:
    beyond = 2.0 ** (BF16.emax + 1)  # what infinity stands for where the real result rounds to it
    got = decode(results, BF16)
    got, real = np.where(np.isinf(got), np.copysign(beyond, got), got), np.clip(real, -beyond, beyond)
    binade = np.clip(np.frexp(real)[1] - 1, BF16.emin, BF16.emax)
    errors = np.abs(got - real) / np.ldexp(np.ones_like(real), binade - BF16.fraction_bits)
    nearest = decode(encode(real, BF16), BF16)
    nearest = np.where(np.isinf(nearest), np.copysign(beyond, nearest), nearest)
    worst = int(np.argmax(errors))
    where = tuple(float(decode(codes[worst], BF16)) for codes in operands)
    wrong = int(np.count_nonzero(got != nearest))
    latency = function_units()[name].latency
    return FunctionReport(
        name, formula, entries, entry_bits, len(real), round(float(errors[worst]), 4), where, wrong, latency
    )
