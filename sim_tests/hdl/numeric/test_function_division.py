"""Division against exact fractions and against float64, whose quotients of short significands round the same."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.hdl.numeric import BF16, FP8_E4M3, FP8_E5M2, FP16, FloatFormat, decode, encode
from tilewright.hdl.numeric.functions import divide
from tilewright.sim_tests.hdl.numeric.compare import assert_codes

FRACTIONS = np.arange(128)


def wanted(a: NDArray[np.int64], b: NDArray[np.int64], fmt: FloatFormat) -> NDArray[np.unsignedinteger]:
    """By float64: with at most 11 bits in each, no quotient is nearer to a tie than its last place."""
    with np.errstate(all="ignore"):
        return encode(decode(a, fmt) / decode(b, fmt), fmt)


def test_every_pair_of_significands_at_every_edge_of_the_exponents() -> None:
    a, b = (part.ravel() for part in np.meshgrid(FRACTIONS, FRACTIONS, indexing="ij"))
    edges = [(127, 127), (1, 127), (1, 128), (2, 134), (1, 135), (0, 127), (0, 0), (127, 0), (0, 133), (254, 127)]
    for left, right in [*edges, (254, 126), (254, 0), (200, 74), (201, 74), (127, 253), (127, 254), (1, 254)]:
        for sign in (0, 1 << 15):
            x, y = sign | left << 7 | a, right << 7 | b
            assert_codes("bf16", divide(x, y), wanted(x, y, BF16), x, y)


def test_every_quotient_of_a_short_format() -> None:
    a, b = (part.ravel() for part in np.meshgrid(np.arange(256), np.arange(256), indexing="ij"))
    assert_codes("fp8_e5m2", divide(a, b, FP8_E5M2), wanted(a, b, FP8_E5M2), a, b)


@pytest.mark.parametrize("fmt", [BF16, FP16], ids=str)
def test_random_pairs(fmt: FloatFormat) -> None:
    a, b = np.random.default_rng(fmt.fraction_bits).integers(0, 1 << 16, (2, 300_000))
    assert_codes(str(fmt), divide(a, b, fmt), wanted(a, b, fmt), a, b)


def test_quotients_are_nearest_as_fractions_say() -> None:
    codes = np.arange(BF16.largest_bits + 1)
    values = [*map(Fraction, decode(codes, BF16).tolist()), Fraction(2) ** 128]  # infinity is the next power of two
    pairs = np.random.default_rng(9).integers(1, BF16.largest_bits, (3_000, 2))
    for (a, b), code in zip(pairs.tolist(), divide(pairs[:, 0], pairs[:, 1]).tolist(), strict=True):
        real = values[a] / values[b]
        if code < len(codes):
            assert 2 * real <= values[code] + values[code + 1]
        if code > 0:
            assert 2 * real >= values[code - 1] + values[code]


def test_special_quotients() -> None:
    inf, nan = math.inf, math.nan
    cases = [
        (0.0, 0.0, nan), (inf, -inf, nan), (nan, 1.0, nan), (1.0, nan, nan), (nan, 0.0, nan), (inf, nan, nan),
        (1.0, 0.0, inf), (1.0, -0.0, -inf), (-1.0, 0.0, -inf), (inf, 0.0, inf), (-inf, -3.0, inf), (inf, -0.0, -inf),
        (0.0, -5.0, -0.0), (-0.0, -5.0, 0.0), (0.0, inf, 0.0), (7.0, -inf, -0.0), (-0.0, inf, -0.0), (6.0, 3.0, 2.0),
    ]  # fmt: skip
    a, b, quotients = (encode(np.array(values), BF16) for values in zip(*cases, strict=True))
    assert_codes("bf16", divide(a, b), quotients, a, b)


def test_shapes_go_together() -> None:
    assert divide([0x3F80, 0x4000], [[0x3F80], [0x4000]]).tolist() == [[0x3F80, 0x4000], [0x3F00, 0x3F80]]
    assert divide(0x4000, 0x3F80).dtype == np.uint16


@pytest.mark.parametrize(
    ("a", "b", "fmt", "sentence"),
    [
        (0x10000, 0, BF16, "codes of bf16 must be 0..65535, got 65536; nearest legal value is 65535"),
        (0, -1, FP16, "codes of fp16 must be 0..65535, got -1; nearest legal value is 0"),
        (0, 0, FP8_E4M3, "format of a division must have infinities, got fp8_e4m3"),
    ],
)
def test_what_is_not_legal_is_refused(a: int, b: int, fmt: FloatFormat, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        divide(a, b, fmt)
    assert str(caught.value) == sentence
