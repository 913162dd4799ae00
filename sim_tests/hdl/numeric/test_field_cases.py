"""What went wrong elsewhere goes right here: reported cases of floats and requantisation, ``field-cases.json``."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from tilewright.hdl.numeric import (
    BF16,
    FP8_E4M3,
    FP32,
    FloatFormat,
    IntFormat,
    convert,
    encode,
    float_chain,
    fused_multiply_add,
    requantise,
)
from tilewright.hdl.numeric.requantise import Rounding
from tilewright.sim_tests.hdl.numeric.exact import value

INT8 = IntFormat(8)


@cache
def field_cases() -> dict[str, dict[str, Any]]:
    """All cases by their ids; each names its source and the symptom."""
    file = resources.files("tilewright.sim_tests.hdl.numeric").joinpath("field-cases.json")
    return {case["id"]: case for case in json.loads(file.read_text())}


def test_gemmini_401_bf16_product_is_accumulated_in_fp32() -> None:
    case = field_cases()["gemmini-401"]
    fmt = FloatFormat.parse(case["in_dtype"])
    a = np.full((case["M"], case["K"]), int(case["a_all"], 16))
    b = np.full((case["K"], case["N"]), int(case["b_all"], 16))
    got = float_chain(a, b, (fmt, fmt))
    assert got.shape == (case["M"], case["N"])
    assert np.all(got == int(case["expect_fp32_all"], 16))
    narrow = int(case["expect_bf16_all"], 16)
    assert np.all(convert(got, FP32, BF16) == narrow)
    # The report's own figure is the sum cut off, which is farther away than the nearest.
    cut = int(case["reported_bf16_all"], 16)
    assert np.all(got >> 16 == cut)
    total = value("fp32", int(got[0, 0]))
    assert abs(value("bf16", narrow) - total) < abs(value("bf16", cut) - total)


def test_openlibm_160_fused_multiply_add_rounds_once() -> None:
    case = field_cases()["openlibm-160"]
    a, b, c = (int(case[name], 16) for name in "abc")
    assert fused_multiply_add(a, b, c, (FP32, FP32, FP32)) == int(case["expect"], 16) != int(case["wrong"], 16)


def test_pto_isa_280_the_start_value_enters_before_the_first_product() -> None:
    case = field_cases()["pto-isa-280"]
    start, one = encode(2.0**24, FP32), int(encode(1.0, BF16))
    got = float_chain([[one, one]], [[one], [one]], (BF16, BF16), start)
    assert got == int(case["expect_seed_first"], 16) != int(case["expect_add_last"], 16)


def test_ml_dtypes_400_both_conventions_of_e4m3fn_overflow() -> None:
    case = field_cases()["ml_dtypes-400"]
    inputs = [float(number) for number in case["inputs"]]
    ieee, saturated = ([int(code, 16) for code in case[name]] for name in ("expect_nonsat", "expect_sat"))
    nan = [code & 0x7F == 0x7F for code in ieee]  # the sign of NaN is free there, and none here
    assert encode(inputs, FP8_E4M3).tolist() == np.where(nan, FP8_E4M3.nan_bits, ieee).tolist()
    assert encode(inputs, FP8_E4M3, "saturate").tolist() == saturated


def test_ort_3442_all_values_of_int8_come_out() -> None:
    case = field_cases()["ort-3442"]
    for rounding in ("half_even", "half_away", "double_rounding"):
        assert requantise(case["values"], 1 << 30, 30, 0, INT8, rounding).tolist() == case["expect"]


def test_tf_25087_one_rounding_and_two() -> None:
    case = field_cases()["tf-25087"]
    x, multiplier, shift = case["x"], case["multiplier"], case["right_shift"]
    assert float(Fraction(x * multiplier, 1 << shift)) == case["exact"]
    single: tuple[Rounding, ...] = ("half_even", "half_away")
    for rounding in single:
        assert requantise(x, multiplier, shift, 0, INT8, rounding) == case["expect_single_rounding"]
    assert requantise(x, multiplier, shift, 0, INT8, "double_rounding") == case["expect_double_rounding"]
