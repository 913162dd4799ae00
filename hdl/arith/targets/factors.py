"""What a step of a processing element multiplies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from amaranth.hdl import Value

from tilewright.hdl.numeric import IntFormat, dot_bits
from tilewright.hdl.structure import Registered


@dataclass(frozen=True)
class Factors:
    """Two words of ``vector`` elements each, in their operand registers.

    Element ``i`` of a word is bits ``[i*width, (i+1)*width)``.
    """

    x: Registered
    w: Registered
    x_format: IntFormat
    w_format: IntFormat
    vector: int

    @property
    def product_bits(self) -> int:
        """Bits of a signed number that holds every product."""
        return dot_bits(self.x_format, self.w_format, 1)

    def pairs(self) -> Iterator[tuple[str, Registered, Registered]]:
        """The elements that are multiplied, and what to call their product."""
        xs, ws = self.x_format.width, self.w_format.width
        for index in range(self.vector):
            name = f"product_{index}" if self.vector > 1 else "product"
            yield name, self.x.part(index * xs, xs), self.w.part(index * ws, ws)


def number(bits: Value, fmt: IntFormat) -> Value:
    """``bits`` as a number of ``fmt``."""
    return bits.as_signed() if fmt.signed else bits
