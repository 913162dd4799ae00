"""Rectifiers against numpy, at every operand of formats of 16 bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tilewright.hdl.numeric import BF16, FP8_E4M3, FP16, FloatFormat, decode, encode
from tilewright.hdl.numeric.functions import leaky_relu, relu, relu6
from tilewright.sim_tests.hdl.numeric.compare import assert_codes

EVERY = np.arange(1 << 16)
FORMATS = pytest.mark.parametrize("fmt", [BF16, FP16], ids=str)


@FORMATS
def test_relu(fmt: FloatFormat) -> None:
    x = decode(EVERY, fmt)
    assert_codes(str(fmt), relu(EVERY, fmt), encode(np.where(x > 0, x, np.where(np.isnan(x), x, 0.0)), fmt), EVERY)
    assert relu(fmt.sign_bit, fmt) == 0, "minus zero too"


@FORMATS
def test_relu6(fmt: FloatFormat) -> None:
    x = decode(EVERY, fmt)
    clamped = np.where(np.isnan(x), x, np.where(x > 0, np.minimum(x, 6.0), 0.0))
    assert_codes(str(fmt), relu6(EVERY, fmt), encode(clamped, fmt), EVERY)


@FORMATS
@pytest.mark.parametrize("slope", [1, 2, 7])
def test_leaky_relu(fmt: FloatFormat, slope: int) -> None:
    x = decode(EVERY, fmt)
    scaled = np.where(np.signbit(x), x * 2.0**-slope, x)
    assert_codes(str(fmt), leaky_relu(EVERY, slope, fmt), encode(scaled, fmt), EVERY)
    assert leaky_relu(fmt.sign_bit, slope, fmt) == fmt.sign_bit
    assert leaky_relu(fmt.sign_bit | 1, slope, fmt) == fmt.sign_bit, "half of the smallest number is a tie"


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: leaky_relu(0, 0), "slope must be 1..7, got 0; nearest legal value is 1"),
        (lambda: leaky_relu(0, 11, FP16), "slope must be 1..10, got 11; nearest legal value is 10"),
        (lambda: relu(0, FP8_E4M3), "format of a rectifier must have infinities, got fp8_e4m3"),
        (lambda: relu6(0, FP8_E4M3), "format of a rectifier must have infinities, got fp8_e4m3"),
        (lambda: leaky_relu(0, 1, FP8_E4M3), "format of a rectifier must have infinities, got fp8_e4m3"),
        (lambda: relu([1 << 16]), "codes of bf16 must be 0..65535, got 65536; nearest legal value is 65535"),
        (lambda: leaky_relu([1 << 16], 1), "codes of bf16 must be 0..65535, got 65536; nearest legal value is 65535"),
    ],
)
def test_what_is_not_legal_is_refused(make: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        make()
    assert str(caught.value) == sentence
