"""Every code of every format of at most 16 bits against ml_dtypes, and fp16 against numpy."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tilewright.hdl.numeric import FLOAT_FORMATS, FloatFormat, convert, decode
from tilewright.sim_tests.hdl.numeric.compare import assert_codes

TYPES: dict[str, np.dtype[Any]] = {
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "fp16": np.dtype(np.float16),
    "fp32": np.dtype(np.float32),
    "fp8_e4m3": np.dtype(ml_dtypes.float8_e4m3fn),
    "fp8_e5m2": np.dtype(ml_dtypes.float8_e5m2),
}
NARROW = [fmt for fmt in FLOAT_FORMATS.values() if fmt.width <= 16]


def every(fmt: FloatFormat) -> np.ndarray[Any, Any]:
    return np.arange(1 << fmt.width).astype(fmt.dtype)


@pytest.mark.parametrize("fmt", NARROW, ids=str)
def test_values_of_every_code(fmt: FloatFormat) -> None:
    with np.errstate(invalid="ignore"):  # signalling NaNs
        want = every(fmt).view(TYPES[fmt.name]).astype(np.float64)
    got = decode(every(fmt), fmt)
    assert np.array_equal(got, want, equal_nan=True)
    assert np.array_equal(np.signbit(got[~np.isnan(got)]), np.signbit(want[~np.isnan(want)]))


@pytest.mark.parametrize("target", FLOAT_FORMATS.values(), ids=str)
@pytest.mark.parametrize("source", NARROW, ids=str)
def test_conversion_of_every_code(source: FloatFormat, target: FloatFormat) -> None:
    with np.errstate(all="ignore"):
        values = every(source).view(TYPES[source.name]).astype(np.float32)
        want = values.astype(TYPES[target.name]).view(target.dtype)
        held = np.clip(values, -target.largest, target.largest).astype(TYPES[target.name]).view(target.dtype)
    assert_codes(target.name, convert(every(source), source, target), want, every(source))
    assert_codes(target.name, convert(every(source), source, target, "saturate"), held, every(source))
