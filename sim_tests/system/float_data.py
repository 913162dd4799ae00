"""Random codes of floats and windows where arithmetic breaks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilewright.hdl.numeric import FloatFormat, FxFormat
from tilewright.hdl.numeric.window_code import FLAG_BITS

Codes = NDArray[np.int64]

NEAR = 3  # binades around 1 whose sums neither absorb nor lose much


def random_floats(rng: np.random.Generator, fmt: FloatFormat, shape: tuple[int, int]) -> Codes:
    """Codes around 1; all finite ones; a few that round, cancel, overflow and vanish; these with NaN and infinities."""
    kind = rng.choice(("near", "finite", "hard", "special", "any"), p=(0.4, 0.2, 0.2, 0.1, 0.1))
    if kind == "any":
        return rng.integers(0, 1 << fmt.width, shape)
    if kind == "finite":
        return rng.integers(0, fmt.largest_bits, shape, endpoint=True) | _signs(rng, fmt, shape)
    if kind == "hard":
        return rng.choice(np.array(hard_codes(fmt)), shape) | _signs(rng, fmt, shape)
    codes = plain_floats(rng, fmt, shape)
    if kind == "special":
        infinity_or_nan = rng.integers(fmt.largest_bits + 1, fmt.sign_bit, shape) | _signs(rng, fmt, shape)
        codes = np.where(rng.random(shape) < 1 / max(2, *shape), infinity_or_nan, codes)
    return codes


def plain_floats(rng: np.random.Generator, fmt: FloatFormat, shape: tuple[int, int]) -> Codes:
    """Codes within a few binades of 1, of both signs, with all their fraction bits."""
    fields = rng.integers(max(1, fmt.bias - NEAR), fmt.bias + NEAR, shape)
    return fields << fmt.fraction_bits | rng.integers(0, 1 << fmt.fraction_bits, shape) | _signs(rng, fmt, shape)


def hard_codes(fmt: FloatFormat) -> list[int]:
    """Positive codes at the edges: zero, subnormal and normal ends, around 1, the largest."""
    one, smallest_normal = fmt.bias << fmt.fraction_bits, 1 << fmt.fraction_bits
    return [0, 1, smallest_normal - 1, smallest_normal, one - 1, one, one + 1, fmt.largest_bits - 1, fmt.largest_bits]


def random_windows(rng: np.random.Generator, fmt: FxFormat, shape: tuple[int, int]) -> Codes:
    """Codes of sums: small, of any size, or at the ends of the window; now and then with flags."""
    bits = int(rng.choice((fmt.width // 2, fmt.width - 2, fmt.width)))
    codes = rng.integers(-(1 << (bits - 1)), 1 << (bits - 1), shape)
    if rng.random() < 0.2:
        codes = rng.choice(np.array((fmt.min, fmt.max, 0, -1)), shape)
    flags = rng.integers(0, 1 << FLAG_BITS, shape) * (rng.random(shape) < 0.05)
    return codes & ((1 << fmt.width) - 1) | flags << fmt.width


def _signs(rng: np.random.Generator, fmt: FloatFormat, shape: tuple[int, int]) -> Codes:
    return rng.integers(0, 2, shape) * fmt.sign_bit
