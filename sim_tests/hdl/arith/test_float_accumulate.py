"""Multiply-accumulate of floats, bit by bit."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
import pytest
from amaranth.hdl import Fragment, Module, Signal
from numpy.typing import ArrayLike, NDArray

from tilewright.hdl.arith import float_accumulate, unpack
from tilewright.hdl.numeric import BF16, FP32, FloatFormat, encode, fused_multiply_add
from tilewright.sim_tests.hdl.arith.float_blocks import MACS, Mac
from tilewright.sim_tests.hdl.arith.float_results import results
from tilewright.sim_tests.hdl.numeric import exact
from tilewright.sim_tests.hdl.numeric.compare import assert_codes
from tilewright.sim_tests.hdl.numeric.hard import hard_cases

SINGLE = [label for label, mac in MACS.items() if mac.vector == 1]


def totals(mac: Mac, x: ArrayLike, w: ArrayLike, start: ArrayLike, present: ArrayLike) -> NDArray[np.uint64]:
    begin = np.concatenate([np.zeros(mac.before, dtype=np.int64), np.asarray(start)])
    inputs = {"x": x, "w": w, "start": begin, "present": present}
    count = np.size(x)
    return results(mac.name, inputs, {"total": mac.before + mac.stages})["total"][:count]


def right(mac: Mac, *codes: ArrayLike) -> list[int]:
    """What exact rationals say of x * w + start."""
    columns = (exact.values(fmt.name, part).tolist() for fmt, part in zip((*mac.formats, FP32), codes, strict=True))
    return [exact.fused("fp32", x, w, start) for x, w, start in zip(*columns, strict=True)]


@pytest.mark.parametrize("label", SINGLE)
def test_hard_cases_and_absent_ones_among_them(label: str) -> None:
    mac = MACS[label]
    (a, _, c), (_, b, other) = (hard_cases(fmt.name, 20_000) for fmt in mac.formats)
    c[::2] = other[::2]
    present = np.arange(a.size) % 16 != 5
    got = totals(mac, a, b, c, present)
    want = fused_multiply_add(a, b, c, (*mac.formats, FP32))
    assert_codes("fp32", got[present], want[present], a[present], b[present], c[present])
    assert np.array_equal(got[~present], c[~present])


def special(fmt: FloatFormat) -> NDArray[np.int64]:
    """Zero, the ends of subnormal and of normal numbers, one, infinity, NaN of both signs, quiet and not."""
    one = fmt.bias << fmt.fraction_bits
    least_normal = 1 << fmt.fraction_bits
    codes = [0, 1, 2, least_normal - 1, least_normal, least_normal + 1, one, one + 1, fmt.largest_bits - 1]
    codes += [fmt.largest_bits, fmt.largest_bits + 1, fmt.nan_bits, fmt.sign_bit - 1]
    return np.array([code | sign for code in codes for sign in (0, fmt.sign_bit)])


@pytest.mark.parametrize("label", SINGLE)
def test_all_triples_of_special_codes(label: str) -> None:
    mac = MACS[label]
    columns = (special(fmt) for fmt in (*mac.formats, FP32))
    a, b, c = (axis.ravel() for axis in np.meshgrid(*columns, indexing="ij"))
    assert_codes("fp32", totals(mac, a, b, c, np.ones(a.size, dtype=int)), right(mac, a, b, c), a, b, c)
    assert np.array_equal(totals(mac, a, b, c, np.zeros(a.size, dtype=int)), c)


def cases(rows: Iterable[tuple[float, float, float]]) -> list[NDArray[np.int64]]:
    """Rows of a, b, c, with all signs."""
    signed = [(a * s, b, c * t) for a, b, c in rows for s, t in itertools.product((1, -1), repeat=2)]
    a, b, c = np.array(signed).T
    return [encode(part, fmt).astype(np.int64) for part, fmt in ((a, BF16), (b, BF16), (c, FP32))]


DIRECTED = {
    # c far above the product and far below, across the point where only "not all zero" is left of the lower one.
    "alignment": [(1.5, 1.0, 2.0**e * m) for e in range(-40, 41) for m in (1.0, 1.5, 2 - 2.0**-23, 1 + 2.0**-23)],
    "far": [(2.0**i, 2.0**j, 2.0**k) for i in (-133, 0, 127) for j in (-133, 0, 127) for k in (-149, -126, 0, 127)],
    # The product is half of c's last place, or that and a bit far below.
    "ties": [
        (1.0, 2.0**-24 * m, c) for m in (1.0, 1 + 2.0**-7, 2 - 2.0**-7, 0.5) for c in (1.0, 1 + 2.0**-23, 2 - 2.0**-23)
    ],
    "sticky": [((1 + 2.0**-7) * 2.0**-12, (1 + 2.0**-7) * 2.0**e, 1.0) for e in range(-40, 8)],
    # What remains after cancellation begins anywhere down to the last bit.
    "cancellation": [
        (1 + i * 2.0**-7, 1.0, 1 + i * 2.0**-7 + j * 2.0**-23) for i in range(128) for j in (-2, -1, 0, 1, 2)
    ],
    "borrow": [(2.0**-e, 1 + 2.0**-7, 1.0) for e in range(50)],
    "subnormal": [
        (2.0**-100, 2.0**e * m, 2.0**-149 * k) for e in range(-52, -24) for m in (1, 1.5) for k in (0, 1, 3, 2**23)
    ],
    "underflow": [(2.0**i * 1.5, 2.0**j, 0.0) for i in range(-80, -60) for j in range(-80, -60)],
    "subnormal operands": [
        (2.0**-133 * i, 2.0**j, 2.0**k) for i in (1, 3, 127) for j in (-16, 0, 127) for k in (-149, -140, -126, -6)
    ],
    # The product is beyond fp32's range, the sum is not.
    "beyond": [
        (2.0**i, 2.0**j * m, -(2.0**127) * n)
        for i in (64, 65)
        for j in (63, 64)
        for m in (1, 1.5)
        for n in (1, 1.5, 2 - 2.0**-23)
    ],
    "overflow": [((2 - 2.0**-7) * 2.0**127, 2.0**e, (2 - 2.0**-23) * 2.0**127) for e in range(-40, 2)],
}


@pytest.mark.parametrize("name", DIRECTED)
@pytest.mark.parametrize(
    "label", [label for label, mac in MACS.items() if mac.formats == (BF16, BF16) and mac.vector == 1]
)
def test_directed(name: str, label: str) -> None:
    a, b, c = cases(DIRECTED[name])
    mac = MACS[label]
    assert_codes("fp32", totals(mac, a, b, c, np.ones(a.size, dtype=int)), right(mac, a, b, c), a, b, c)


def test_stages_0_to_5_and_more_are_built() -> None:
    assert {MACS[label].stages for label in SINGLE} >= {0, 1, 2, 3, 4, 5, 6, 7, 8}


def test_negative_stages_are_refused() -> None:
    m = Module()
    with pytest.raises(ValueError, match=r"^stages must be at least 0, got -1; nearest legal value is 0$"):
        float_accumulate(m, Signal(32), unpack(m, Signal(16), BF16, "term"), -1)
    Fragment.get(m, None)  # else Amaranth finds it unused
