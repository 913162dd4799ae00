"""Which results are close enough: for each operand an interval that rounds to one of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilewright.hdl.numeric.codes import decode, encode
from tilewright.hdl.numeric.floating import FloatFormat
from tilewright.hdl.numeric.functions.lookup import Lookup

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_FAR = float(1 << 52)  # integers up to here are exact in float64, and nothing interpolated comes near


@dataclass(frozen=True)
class Target:
    """Magnitudes from ``low`` to ``high`` round to a code of ``out`` that is within the error allowed.

    ``with_low`` and ``with_high`` tell whether the ends, where two codes meet, round to it as well.
    """

    low: Floats
    high: Floats
    with_low: NDArray[np.bool_]
    with_high: NDArray[np.bool_]

    @classmethod
    def of(cls, values: Floats, out: FloatFormat, error: float) -> Target:
        """That of real results ``values``, each to be met within ``error`` units in its last place.

        The nearest code will do, and its neighbour on the other side of the value where no more than ``error`` of the
        distance between the two is missing. These are the rounding intervals of Lim, Aanjaneya, Gustafson and
        Nagarakatte, "An Approach to Generate Correctly Rounded Math Libraries for New Floating Point Variants"
        (POPL 2021), widened by what ``error`` exceeds a half by.
        """
        magnitude = np.abs(values)
        nearest = encode(magnitude, out).astype(np.int64)
        below, here, above = (_value(np.maximum(nearest + step, 0), out) for step in (-1, 0, 1))
        first = nearest - ((nearest > 0) & (magnitude - below <= error * (here - below)))
        last = nearest + ((nearest <= out.largest_bits) & (above - magnitude <= error * (above - here)))
        low = np.where(first == 0, -np.inf, (_value(np.maximum(first - 1, 0), out) + _value(first, out)) / 2)
        high = np.where(last > out.largest_bits, np.inf, (_value(last, out) + _value(last + 1, out)) / 2)
        return cls(low, high, first % 2 == 0, last % 2 == 0)

    def at(self, members: Integers) -> Target:
        """That of some operands."""
        return Target(self.low[members], self.high[members], self.with_low[members], self.with_high[members])

    def between(self, places: Integers | int) -> tuple[Integers, Integers]:
        """First and last integer that will do, in units of ``2**places``."""
        scale = np.ldexp(1.0, np.clip(-np.asarray(places), -1000, 1000).astype(np.intc))
        with np.errstate(over="ignore"):
            low, high = (np.clip(end * scale, -_FAR, _FAR) for end in (self.low, self.high))
        first = np.ceil(low) + (~self.with_low & (np.ceil(low) == low))
        last = np.floor(high) - (~self.with_high & (np.floor(high) == high))
        return first.astype(np.int64), last.astype(np.int64)

    def interpolated(self, lookup: Lookup) -> tuple[Integers, Integers]:
        """First and last integer that may be interpolated for each operand of ``lookup``."""
        first, last = (end - lookup.addend for end in self.between(lookup.places))
        factor = np.where(lookup.factor == 0, 1, np.abs(lookup.factor))
        first, last = np.where(lookup.factor < 0, -last, first), np.where(lookup.factor < 0, -first, last)
        return np.maximum(-(-first // factor), lookup.least), last // factor


def _value(codes: Integers, out: FloatFormat) -> Floats:
    """Value of codes not below 0; beyond the largest that of the next power of two, where rounding overflows."""
    finite = decode(np.minimum(codes, out.largest_bits), out)
    return np.where(codes > out.largest_bits, 2.0 ** (out.emax + 1), finite)
