"""Random products of floats: shapes around the array, operands with whatever floats have that numbers have not."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tilewright.sim_tests.system.float_oracle import FIELDS, float_product, parts, values

Codes = NDArray[np.int64]
Kind = Literal["zero", "bias", "accumulate"]
Cuts = tuple[int, ...]

STARTS: tuple[Kind, ...] = ("zero", "bias", "accumulate")
WINDOW = 48  # bits of the windows
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
SPECIAL = 0.4  # the part of the products with operands that are not just numbers
KINDS = ("nan", "infinity", "subnormal", "zeros", "huge", "tiny", "everything")


@dataclass(frozen=True)
class Case:
    """One product ``C + A B``.

    Attributes:
        formats: names of those of ``a`` and ``b``.
        a, b: codes, M x K and K x N.
        kind: from where the sums start: 0, a row ``start`` (1 x N) or a matrix ``start`` (M x N).
        start: codes of the accumulator that are added to; 1 x 1 for ``kind`` zero.
        cuts: the k at which another command goes on with the sums.
    """

    formats: tuple[str, str]
    a: Codes
    b: Codes
    kind: Kind
    start: Codes
    cuts: Cuts = ()

    @property
    def shape(self) -> tuple[int, int, int]:
        """M, N, K."""
        return self.a.shape[0], self.b.shape[1], self.a.shape[1]

    def expected(self, vector: int) -> Codes:
        """What it is in fp32, by the oracle."""
        total = self.start
        for low, high in pieces(self.shape[2], self.cuts):
            total = float_product(self.formats, self.a[:, low:high], self.b[low:high], total, vector)
        return total

    def is_special(self) -> bool:
        """Whether it has NaN, infinity, a subnormal number, -0, or a product beyond the range of fp32."""
        found = [(self.formats[0], self.a), (self.formats[1], self.b), ("fp32", self.start)]
        for name, codes in found:
            p = parts(name, codes)
            subnormal = (p.significand >> FIELDS[name][1] == 0) & ((p.significand > 0) | (p.sign < 0))
            if (p.nan | p.infinite | subnormal).any():
                return True
        return bool((self._largest(0) * self._largest(1)).max() >= 2.0**128)

    def _largest(self, side: int) -> NDArray[np.float64]:
        """The largest magnitudes of the factors, by k."""
        codes = self.a if side == 0 else self.b.T
        return np.asarray(np.abs(values(self.formats[side], codes)).max(axis=0))


def pieces(extent: int, cuts: Cuts) -> list[tuple[int, int]]:
    """The parts (from, to) of ``extent`` between ``cuts``."""
    edges = [0, *cuts, extent]
    return list(itertools.pairwise(edges))


def random_cuts(rng: np.random.Generator, extent: int, most: int) -> Cuts:
    """Up to ``most`` places within ``extent``, ascending."""
    count = min(extent - 1, int(rng.integers(0, most, endpoint=True)))
    return tuple(sorted(int(place) for place in rng.choice(np.arange(1, extent), count, replace=False)))


def random_case(
    rng: np.random.Generator,
    formats: tuple[str, str],
    unit: int,
    widest: int,
    deepest: int,
    special: bool,
    kind: Kind | None = None,
) -> Case:
    """A product into fp32 with extents around multiples of ``unit``, M and N up to ``widest``, K to ``deepest``."""
    m, n = (random_extent(rng, unit, widest) for _ in range(2))
    k = random_extent(rng, unit, deepest)
    kind = kind or STARTS[int(rng.integers(3))]
    what = str(rng.choice(KINDS)) if special else "numbers"
    a, b = random_codes(rng, formats[0], (m, k), what), random_codes(rng, formats[1], (k, n), what)
    if what in ("nan", "infinity") and rng.random() < 0.5:
        b = random_codes(rng, formats[1], (k, n), "numbers")
    start = random_codes(rng, "fp32", _start_shape(kind, m, n), what if rng.random() < 0.7 else "numbers")
    cuts = random_cuts(rng, k, 3) if rng.random() < 0.3 else ()
    return Case(formats, a, b, kind, start * (kind != "zero"), cuts)


def window_case(rng: np.random.Generator, point: int, unit: int, widest: int, deepest: int) -> Case:
    """A product of bf16 numbers 2**-3..2**3 in size into a window of ``WINDOW`` bits; extents as in `random_case`.

    NaNs, infinities and zeros are among them now and then.

    Up to 512 products come to less than 2**15, as does what they start from: at a ``point`` up to 30 nothing overflows.
    From 20 on no product has bits below the window.
    """
    m, n, k = (random_extent(rng, unit, largest) for largest in (widest, widest, deepest))
    what = str(rng.choice(("nan", "infinity", "zeros"))) if rng.random() < SPECIAL else "numbers"
    a, b = (random_codes(rng, "bf16", shape, what, near=True) for shape in ((m, k), (k, n)))
    kind: Kind = STARTS[int(rng.integers(3))]
    largest = 1 << (15 + point)
    start = rng.integers(-largest, largest, _start_shape(kind, m, n)) * (kind != "zero")
    return Case(("bf16", "bf16"), a, b, kind, start & ((1 << WINDOW) - 1))


def turned(rng: np.random.Generator, case: Case) -> Case:
    """``case`` with its k in another order, and cut elsewhere."""
    order = rng.permutation(case.shape[2])
    return replace(case, a=case.a[:, order], b=case.b[order], cuts=random_cuts(rng, case.shape[2], 3))


def random_extent(rng: np.random.Generator, unit: int, largest: int) -> int:
    """1..``largest``: a multiple of ``unit`` and one beside it, a prime, or anything."""
    choice = rng.integers(3)
    if choice == 0:
        extent = unit * int(rng.integers(1, max(2, largest // unit + 1))) + int(rng.integers(-1, 2))
    elif choice == 1:
        extent = int(rng.choice(PRIMES))
    else:
        extent = int(rng.integers(1, largest + 1))
    return min(max(extent, 1), largest)


def random_codes(
    rng: np.random.Generator, name: str, shape: tuple[int, int], what: str, *, near: bool = False
) -> Codes:
    """Codes of ``name``: 2**-3..2**3 in size or, unless ``near``, of any, and what ``KINDS`` says."""
    exponent_bits, fraction_bits, infinities = FIELDS[name]
    ones = (1 << exponent_bits) - 1
    bias, highest = ones >> 1, ones - infinities
    if what == "huge":
        fields = rng.integers(max(1, highest - 2), highest + 1, shape)
    elif what == "tiny":
        fields = rng.integers(0, bias // 2 + 2, shape)
    elif not near and rng.random() < 0.3:
        fields = rng.integers(0 if what == "everything" else 1, highest + 1, shape)
    else:
        fields = rng.integers(max(1, bias - 3), bias + 3, shape)
    codes = fields << fraction_bits | rng.integers(0, 1 << fraction_bits, shape)
    if not infinities:  # the one NaN must not come by chance
        codes = np.where(codes == (1 << (exponent_bits + fraction_bits)) - 1, codes - 1, codes)
    if what in ("subnormal", "everything"):
        codes = _sprinkled(rng, codes, rng.integers(1, 1 << fraction_bits, shape), 0.3)
    if what in ("zeros", "everything"):
        codes = _sprinkled(rng, codes, np.zeros(shape, dtype=np.int64), 0.4)
        codes = np.where(rng.random((shape[0], 1)) < 0.4, 0, codes)
    top = ones << fraction_bits
    if what in ("nan", "everything"):
        nan = top | rng.integers(1, 1 << fraction_bits, shape) if infinities else top | (1 << fraction_bits) - 1
        codes = _sprinkled(rng, codes, nan, 0.7 / max(shape))
    if what in ("infinity", "everything") and infinities:
        codes = _sprinkled(rng, codes, np.full(shape, top), 0.7 / max(shape))
    return codes | rng.integers(0, 2, shape) << (exponent_bits + fraction_bits)


def _sprinkled(rng: np.random.Generator, codes: Codes, others: Codes | int, part: float) -> Codes:
    return np.where(rng.random(codes.shape) < part, others, codes)


def _start_shape(kind: Kind, m: int, n: int) -> tuple[int, int]:
    return {"zero": (1, 1), "bias": (1, n), "accumulate": (m, n)}[kind]
