"""Codes of sums in windows."""

import numpy as np
import pytest

from tilewright.hdl.numeric import FxFormat, WindowSum, pack_window, unpack_window


def test_where_the_flags_are() -> None:
    no, yes = np.array([False]), np.array([True])
    minus_one = np.array([-1])
    fmt = FxFormat(8)
    assert pack_window(WindowSum(minus_one, no, no, no), fmt).tolist() == [0xFF]
    assert pack_window(WindowSum(minus_one, no, no, yes), fmt).tolist() == [0x1FF]  # invalid
    assert pack_window(WindowSum(minus_one, yes, no, no), fmt).tolist() == [0x2FF]  # overflow
    assert pack_window(WindowSum(minus_one, no, yes, no), fmt).tolist() == [0x4FF]  # underflow


@pytest.mark.parametrize("width", [2, 9, 60])
def test_every_code_is_that_of_its_sum(width: int) -> None:
    fmt, rng = FxFormat(width), np.random.default_rng(width)
    codes = np.concatenate([[0, (1 << (width + 3)) - 1, 1 << (width - 1)], rng.integers(0, 1 << (width + 3), 500)])
    total = unpack_window(codes, fmt)
    assert (total.integers >= fmt.min).all() and (total.integers <= fmt.max).all()
    np.testing.assert_array_equal(pack_window(total, fmt), codes)


def test_what_is_no_code_is_refused() -> None:
    with pytest.raises(ValueError, match=r"codes of fx8 must be 0\.\.2047, got 2048"):
        unpack_window([2048], FxFormat(8))
