"""Floats: exact products, into accumulators that are windows of fixed-point numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Module, Shape, Value, signed, unsigned

from tilewright.hdl.arith.window_accumulate import window_accumulate
from tilewright.hdl.arith.window_dot import window_dot
from tilewright.hdl.arith.window_place import WindowTerm
from tilewright.hdl.arith.window_product import POINT_BITS
from tilewright.hdl.numeric import FxFormat, code_format
from tilewright.hdl.pe.float_operands import FloatWords
from tilewright.hdl.structure import Registered

POINT = signed(POINT_BITS)


@dataclass(frozen=True)
class WindowOperands(FloatWords):
    """Floats; sums are codes of ``window``: an integer and its flags. See `window_dot` and `window_accumulate`.

    The constant ``point`` is the window's binary point; it changes only while the array is empty.

    Parameters
    ----------
    window: FxFormat
    """

    window: FxFormat

    @property
    def sum_shape(self) -> Shape:
        return unsigned(code_format(self.window).width)

    @property
    def constants(self) -> Mapping[str, Shape]:
        return {"point": POINT}

    def term(self, m: Module, platform: Any, x: Registered, y: Registered, ports: Mapping[str, Value]) -> WindowTerm:
        values, exists = self.parted(x.value)
        formats, point = (self.x, self.y), ports["point"]
        return window_dot(m, values, y.value, *formats, self.vector, self.pipeline, exists, point, self.window.width)

    def add(self, m: Module, start: Value, term: WindowTerm) -> Value:
        return window_accumulate(m, start, term, self.window.width).as_value()

    def __str__(self) -> str:
        return f"{self.formats}_{self.window}_p{self.pipeline}"
