"""Float formats against what the specifications print."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.hdl.numeric import (
    BF16,
    FLOAT_FORMATS,
    FP8_E4M3,
    FP8_E5M2,
    FP16,
    FP32,
    FloatFormat,
    common_format,
    convert,
    decode,
)

# Width, bias, exponents, largest, smallest normal and subnormal, codes of NaN and infinity.
PRINTED = [
    (BF16, 16, 127, -126, 127, 3.3895313892515355e38, 2.0**-126, 2.0**-133, 0x7FC0, 0x7F80),
    (FP16, 16, 15, -14, 15, 65504.0, 2.0**-14, 2.0**-24, 0x7E00, 0x7C00),
    (FP32, 32, 127, -126, 127, 3.4028234663852886e38, 2.0**-126, 2.0**-149, 0x7FC00000, 0x7F800000),
    (FP8_E4M3, 8, 7, -6, 8, 448.0, 2.0**-6, 2.0**-9, 0x7F, None),
    (FP8_E5M2, 8, 15, -14, 15, 57344.0, 2.0**-14, 2.0**-16, 0x7E, 0x7C),
]


@pytest.mark.parametrize("row", PRINTED, ids=lambda row: str(row[0]))
def test_printed_figures(row: tuple[FloatFormat, object]) -> None:
    fmt, *printed = row
    assert printed == [
        fmt.width,
        fmt.bias,
        fmt.emin,
        fmt.emax,
        fmt.largest,
        fmt.smallest_normal,
        fmt.smallest_subnormal,
        fmt.nan_bits,
        fmt.infinity_bits,
    ]
    assert fmt.dtype.itemsize * 8 == fmt.width
    assert decode(fmt.largest_bits, fmt) == fmt.largest
    assert decode(1, fmt) == fmt.smallest_subnormal == 2.0**fmt.last_place
    assert str(decode(fmt.sign_bit, fmt)) == "-0.0"


def test_names() -> None:
    assert list(FLOAT_FORMATS) == ["bf16", "fp16", "fp32", "fp8_e4m3", "fp8_e5m2"]
    for name, fmt in FLOAT_FORMATS.items():
        assert FloatFormat.parse(name) is fmt
        assert str(fmt) == name


@pytest.mark.parametrize("name", ["", "bf8", "BF16", "fp64", "fp8", "int8", "bf16\n"])
def test_names_of_nothing(name: str) -> None:
    with pytest.raises(ValueError, match=r"^format must be one of bf16, fp16, fp32, fp8_e4m3, fp8_e5m2, got "):
        FloatFormat.parse(name)


@pytest.mark.parametrize(
    ("exponent", "fraction", "sentence"),
    [
        (9, 7, "exponent_bits must be 2..8, got 9; nearest legal value is 8"),
        (1, 7, "exponent_bits must be 2..8, got 1; nearest legal value is 2"),
        (8, 24, "fraction_bits must be 1..23, got 24; nearest legal value is 23"),
        (8, 0, "fraction_bits must be 1..23, got 0; nearest legal value is 1"),
    ],
)
def test_fields_that_are_too_wide_or_too_narrow(exponent: int, fraction: int, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        FloatFormat("other", exponent, fraction)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("a", FLOAT_FORMATS.values(), ids=str)
@pytest.mark.parametrize("b", FLOAT_FORMATS.values(), ids=str)
def test_a_common_format_holds_the_values_of_both(a: FloatFormat, b: FloatFormat) -> None:
    common = common_format(a, b)
    assert common == common_format(b, a)
    for fmt in (a, b):
        if fmt.width <= 16:
            codes = np.arange(1 << fmt.width)
            back = convert(convert(codes, fmt, common), common, fmt)
            nan = np.isnan(decode(codes, fmt))
            np.testing.assert_array_equal(np.where(nan, fmt.nan_bits, codes), back)
