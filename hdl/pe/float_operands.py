"""Floats: words in which what does not exist is marked, and exact products into fp32 that round once a step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Cat, Module, Shape, Value, unsigned

from tilewright.hdl.arith import Unpacked, float_accumulate, float_dot
from tilewright.hdl.numeric import FP32, FloatFormat
from tilewright.hdl.pe.operands import Operands
from tilewright.hdl.structure import Registered


@dataclass(frozen=True)
class FloatWords(Operands):
    """Floats whose sums are formed in order.

    What does not exist takes no part, which is not the same as 0 (0 times infinity, -0 + +0). A word of ``x`` therefore
    ends with a bit for each of its elements: it exists. Words of ``y`` have none.
    """

    x: FloatFormat
    y: FloatFormat

    @property
    def x_width(self) -> int:
        return self.vector * (self.x.width + 1)

    @property
    def wraps(self) -> bool:
        return False

    @property
    def masks_y(self) -> bool:
        return False

    def x_words(self, values: Value, exists: Value) -> Value:
        bits, v = self.vector * self.x.width, self.vector
        lanes = range(len(exists) // v)
        return Cat(Cat(values[lane * bits : (lane + 1) * bits], exists[lane * v : (lane + 1) * v]) for lane in lanes)

    def y_words(self, values: Value, exists: Value) -> Value:
        return values

    def parted(self, x: Value) -> tuple[Value, Value]:
        """Codes of a word of ``x``, and which of them exist."""
        bits = self.vector * self.x.width
        return x[:bits], x[bits:]

    @property
    def formats(self) -> str:
        """Formats of the operands, in names."""
        return f"{self.x}_{self.y}{f'_v{self.vector}' if self.vector > 1 else ''}"


@dataclass(frozen=True)
class FloatOperands(FloatWords):
    """Floats; sums are codes of fp32. See `float_dot` and `float_accumulate`.

    Parameters
    ----------
    latency: int
        Cycles from one sum of a chain to the next, at least 1.
    """

    latency: int = 1

    @property
    def add_latency(self) -> int:
        return self.latency

    @property
    def sum_shape(self) -> Shape:
        return unsigned(FP32.width)

    def term(self, m: Module, platform: Any, x: Registered, y: Registered, ports: Mapping[str, Value]) -> Unpacked:
        values, exists = self.parted(x.value)
        return float_dot(m, values, y.value, self.x, self.y, self.vector, self.pipeline, exists)

    def add(self, m: Module, start: Value, term: Unpacked) -> Value:
        return float_accumulate(m, start, term, self.latency - 1)

    def __str__(self) -> str:
        latency = f"_l{self.latency}" if self.latency > 1 else ""
        return f"{self.formats}_{FP32}_p{self.pipeline}{latency}"
