"""Floating-point formats: their fields, ranges and special codes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class FloatFormat:
    """A binary format of a sign, a biased exponent and a fraction, with subnormals and signed zeros, as in IEEE 754.

    With ``infinities`` the highest exponent is that of infinities and NaNs. Without, it is one of numbers, and only
    the code of all ones behind the sign is NaN (OCP e4m3fn). ``str(format)`` is its name.

    Args:
        name: what configurations call it.
        exponent_bits: 2..8.
        fraction_bits: 1..23, the hidden bit not counted.
        infinities: whether there are any.
    """

    name: str
    exponent_bits: int
    fraction_bits: int
    infinities: bool = True

    def __post_init__(self) -> None:
        # Up to here every product of two values is exact in float64, and so is its error when something is added.
        for field, bits, low, high in (
            ("exponent_bits", self.exponent_bits, 2, 8),
            ("fraction_bits", self.fraction_bits, 1, 23),
        ):
            if not low <= bits <= high:
                nearest = min(max(bits, low), high)
                raise ValueError(f"{field} must be {low}..{high}, got {bits}; nearest legal value is {nearest}")

    @classmethod
    def parse(cls, name: str) -> FloatFormat:
        """The format called ``name``: a key of ``FLOAT_FORMATS``. Raises ValueError for any other name."""
        if name not in FLOAT_FORMATS:
            raise ValueError(f"format must be one of {', '.join(FLOAT_FORMATS)}, got {name!r}")
        return FLOAT_FORMATS[name]

    @property
    def width(self) -> int:
        """Bits of a code."""
        return 1 + self.exponent_bits + self.fraction_bits

    @property
    def bias(self) -> int:
        """What the exponent field of a normal number exceeds its exponent by."""
        return (1 << (self.exponent_bits - 1)) - 1

    @property
    def emin(self) -> int:
        """Exponent of the smallest normal number, and of all subnormal ones."""
        return 1 - self.bias

    @property
    def emax(self) -> int:
        """Exponent of the largest number."""
        return self.bias if self.infinities else self.bias + 1

    @property
    def last_place(self) -> int:
        """Exponent of the smallest subnormal number, of which every number is a multiple."""
        return self.emin - self.fraction_bits

    @property
    def largest(self) -> float:
        """The largest finite value."""
        below_two = 1 if self.infinities else 2  # in last places: a fraction of all ones is NaN without infinities
        return (2.0 - below_two * 2.0**-self.fraction_bits) * 2.0**self.emax

    @property
    def smallest_normal(self) -> float:
        """The smallest positive value with a hidden bit."""
        return 2.0**self.emin

    @property
    def smallest_subnormal(self) -> float:
        """The smallest positive value."""
        return 2.0**self.last_place

    @property
    def largest_bits(self) -> int:
        """Code of the largest finite value."""
        return self._highest_exponent - 1 if self.infinities else self.sign_bit - 2

    @property
    def infinity_bits(self) -> int | None:
        """Code of plus infinity; None in a format without."""
        return self._highest_exponent if self.infinities else None

    @property
    def nan_bits(self) -> int:
        """Code of the one NaN that comes out: quiet, positive, without payload."""
        return self._highest_exponent | 1 << (self.fraction_bits - 1) if self.infinities else self.sign_bit - 1

    @property
    def sign_bit(self) -> int:
        """The code's highest bit alone, which is minus zero."""
        return 1 << (self.width - 1)

    @property
    def dtype(self) -> np.dtype[np.unsignedinteger]:
        """Type of the arrays that hold codes."""
        return np.min_scalar_type((1 << self.width) - 1)

    @property
    def _highest_exponent(self) -> int:
        """An exponent field of ones, in its place."""
        return self.sign_bit - (1 << self.fraction_bits)

    def __str__(self) -> str:
        return self.name


BF16 = FloatFormat("bf16", 8, 7)
FP16 = FloatFormat("fp16", 5, 10)
FP32 = FloatFormat("fp32", 8, 23)
FP8_E4M3 = FloatFormat("fp8_e4m3", 4, 3, infinities=False)
FP8_E5M2 = FloatFormat("fp8_e5m2", 5, 2)
FLOAT_FORMATS = {fmt.name: fmt for fmt in (BF16, FP16, FP32, FP8_E4M3, FP8_E5M2)}
"""All formats by their names."""


def common_format(a: FloatFormat, b: FloatFormat) -> FloatFormat:
    """``a`` where both are the same, else the narrowest format with infinities that holds every value of both."""
    if a == b:
        return a
    # Without infinities the highest exponent is one of numbers, which takes a bit more where there are infinities.
    exponent_bits = max(fmt.exponent_bits + (not fmt.infinities) for fmt in (a, b))
    fraction_bits = max(a.fraction_bits, b.fraction_bits)
    for fmt in FLOAT_FORMATS.values():
        if fmt.infinities and (fmt.exponent_bits, fmt.fraction_bits) == (exponent_bits, fraction_bits):
            return fmt
    return FloatFormat(f"e{exponent_bits}m{fraction_bits}", exponent_bits, fraction_bits)
