"""Operands of a fused multiply-add where it goes wrong, as codes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilewright.sim_tests.hdl.numeric.exact import FACTS, values

Codes = NDArray[np.int64]
_FP32_FRACTION = 23


def _fp32(numbers: NDArray[np.float64]) -> Codes:
    with np.errstate(over="ignore", under="ignore"):
        return numbers.astype(np.float32).view(np.uint32).astype(np.int64)


def _any(rng: np.random.Generator, name: str, count: int) -> Codes:
    return rng.integers(0, 1 << FACTS[name].width, count)


def _nearby(rng: np.random.Generator, codes: Codes, width: int) -> Codes:
    """Up to two codes away."""
    return (codes + rng.integers(-2, 3, codes.size)) & ((1 << width) - 1)


def _product(name: str, a: Codes, b: Codes) -> NDArray[np.float64]:
    with np.errstate(invalid="ignore"):
        product = values(name, a) * values(name, b)
    return np.where(np.isfinite(product), product, 1.0)


def _powers(rng: np.random.Generator, name: str, count: int, normal: bool = False) -> Codes:
    """Powers of two, from the smallest subnormal one or only the normal ones."""
    facts = FACTS[name]
    fraction = facts.digits - 1
    codes = [field << fraction for field in range(2, 1 << (facts.width - facts.digits))]
    codes += [] if normal else [1 << place for place in range(fraction + 1)]
    return rng.choice(np.array(codes, dtype=np.int64), count)


def _signed(rng: np.random.Generator, codes: Codes, width: int) -> Codes:
    return codes | rng.integers(0, 2, codes.size) << (width - 1)


def _conjugates(rng: np.random.Generator, name: str, count: int) -> tuple[Codes, Codes]:
    """2**i * (1 + 2**-k) and 2**j * (1 - 2**-k): all bits of the product but the first lie from its 2k-th on."""
    fraction = FACTS[name].digits - 1
    step = 1 << (fraction - rng.integers(1, fraction + 1, count))
    return _powers(rng, name, count, True) + step, _powers(rng, name, count, True) - 2 * step


def _around(rng: np.random.Generator, product: NDArray[np.float64]) -> Codes:
    """Addends that lie 22..50 places above the product's leading bit or below it, with fractions that make ties."""
    with np.errstate(divide="ignore"):
        exponents = np.where(product == 0, -149, np.frexp(product)[1] - 1)
    field = exponents + rng.choice((23, 24, 25, -24, -25, 22, -23, 48, 50, 0, 1, -1), product.size) + 127
    fraction = rng.choice((0, 1, 2, 3, (1 << 23) - 1, (1 << 23) - 2, 1 << 22), product.size)
    return np.asarray((np.clip(field, 0, 254) << _FP32_FRACTION) | fraction, dtype=np.int64)


def hard_cases(name: str, count: int) -> tuple[Codes, Codes, Codes]:
    """``count`` times a, b of format ``name`` and c of fp32; the same on every call.

    Sixths: any codes; cancellation to the last bits; ties; almost ties; subnormal addends; the edge of overflow.
    """
    rng = np.random.default_rng([ord(letter) for letter in name])
    width, part = FACTS[name].width, count // 6
    sixth = [slice(index * part, (index + 1) * part if index < 5 else count) for index in range(6)]
    a, b, c = (_any(rng, fmt, count) for fmt in (name, name, "fp32"))
    c[sixth[1]] = _nearby(rng, _fp32(-_product(name, a[sixth[1]], b[sixth[1]])), 32)
    a[sixth[2]], b[sixth[2]] = _powers(rng, name, part), _powers(rng, name, part)
    a[sixth[3]], b[sixth[3]] = _conjugates(rng, name, part)
    for tied in sixth[2:4]:
        c[tied] = _signed(rng, _around(rng, _product(name, a[tied], b[tied])), 32)
        a[tied] = _signed(rng, a[tied], width)
    for edge, codes in (
        (sixth[4], rng.integers(0, 1 << 24, count)),
        (sixth[5], 0x7F7FFFFF - rng.integers(0, 3, count)),
    ):
        c[edge] = _signed(rng, codes[edge], 32)
        a[edge] = _nearby(rng, _signed(rng, _powers(rng, name, count)[edge], width), width)
    return a, b, c
