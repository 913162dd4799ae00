"""The fields of an operand, by which functions are reduced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tilewright.hdl.numeric.functions.function import OPERAND

Integers = NDArray[np.int64]

FRACTION = OPERAND.fraction_bits


@dataclass(frozen=True)
class Operand:
    """``significand * 2**(exponent - FRACTION)``, negated where ``negative``."""

    negative: NDArray[np.bool_]
    exponent: Integers
    significand: Integers

    @classmethod
    def of(cls, bits: Integers) -> Self:
        """The fields of finite codes; a subnormal number has the lowest exponent and no hidden bit."""
        magnitude = bits & (OPERAND.sign_bit - 1)
        field = magnitude >> FRACTION
        hidden = (field > 0).astype(np.int64) << FRACTION
        fraction = magnitude & ((1 << FRACTION) - 1)
        return cls(bits >= OPERAND.sign_bit, np.maximum(field, 1) - OPERAND.bias, fraction | hidden)

    def normal(self) -> Operand:
        """The same with the leading bit in its place, whatever the exponent; 0 reads as a power of two."""
        shift = FRACTION + 1 - np.frexp(np.maximum(self.significand, 1).astype(np.float64))[1].astype(np.int64)
        return Operand(self.negative, self.exponent - shift, np.maximum(self.significand, 1) << shift)

    @property
    def fraction(self) -> Integers:
        """The significand without its hidden bit."""
        return self.significand & ((1 << FRACTION) - 1)
