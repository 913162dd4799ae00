"""What went wrong elsewhere goes right here: reported cases of floats and requantisation, on the RTL."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tilewright.generators.reference.records import Dataflow
from tilewright.hdl.numeric import FP8_E4M3, FP32, IntFormat, encode, wrap
from tilewright.sim_tests.hdl.arith import float_blocks, float_results, unit_bench, window_blocks
from tilewright.sim_tests.hdl.numeric.exact import value
from tilewright.sim_tests.hdl.numeric.test_field_cases import field_cases
from tilewright.sim_tests.system.designs import gate_designs
from tilewright.sim_tests.system.float_cases import Case, Codes, Kind
from tilewright.sim_tests.system.float_runs import run_cases

ALL = ("ws", "os", "is")
ONE = 0x3F80  # 1 in bf16


def on_rtl(dataflow: str, a: Codes, b: Codes, kind: Kind = "zero", start: int = 0) -> Codes:
    """``start + a @ b`` in fp32 by a core of bf16."""
    shape = {"zero": (1, 1), "bias": (1, b.shape[1]), "accumulate": (a.shape[0], b.shape[1])}[kind]
    design = gate_designs()["any_3x4_bf16"]
    case = Case(("bf16", "bf16"), a, b, kind, np.full(shape, start))
    return run_cases(design, design.build(), [case], Dataflow[dataflow.upper()])[0]


def casts(codes: list[int], label: str) -> list[int]:
    """``codes`` of fp32 by the unit that converts them to ``label``."""
    group = float_blocks.CASTS[FP32]
    latency = group.units[label].latency
    return [int(code) for code in float_results.results(group.name, {"code": codes}, {label: latency})[label]]


@pytest.mark.parametrize("dataflow", ALL)
def test_gemmini_401_bf16_product_is_accumulated_in_fp32(dataflow: str) -> None:
    case = field_cases()["gemmini-401"]
    assert (case["kind"], case["in_dtype"], case["acc"]) == ("gemm_float", "bf16", "fp32")
    a = np.full((case["M"], case["K"]), int(case["a_all"], 16))
    b = np.full((case["K"], case["N"]), int(case["b_all"], 16))
    got = on_rtl(dataflow, a, b)
    assert got.shape == (case["M"], case["N"])
    assert np.all(got == int(case["expect_fp32_all"], 16))


def test_gemmini_401_narrowed_to_bf16_is_the_nearest_and_not_the_sum_cut_off() -> None:
    case = field_cases()["gemmini-401"]
    total = int(case["expect_fp32_all"], 16)
    # The report has 40b6, the sum without its lower half. The contract is nearest even, and that is 40b7.
    assert int(case["reported_bf16_all"], 16) == total >> 16 == 0x40B6
    (got,) = casts([total], "bf16_ieee")
    assert got == int(case["expect_bf16_all"], 16) == 0x40B7
    exact = value("fp32", total)
    assert abs(value("bf16", got) - exact) < abs(value("bf16", 0x40B6) - exact)


def test_openlibm_160_fused_multiply_add_rounds_once() -> None:
    case = field_cases()["openlibm-160"]
    label = next(name for name in float_blocks.SINGLES if name.startswith("fma_fp32_fp32_fp32_fp32_"))
    operands = {name: [int(case[name], 16)] for name in "abc"}
    latencies = {"result": float_blocks.SINGLES[label].latency}
    (got,) = float_results.results(label, operands, latencies)["result"]
    assert got == int(case["expect"], 16) != int(case["wrong"], 16)


@pytest.mark.parametrize("kind", ["bias", "accumulate"])
@pytest.mark.parametrize("dataflow", ALL)
def test_pto_isa_280_the_start_value_enters_before_the_first_product(dataflow: str, kind: Kind) -> None:
    case = field_cases()["pto-isa-280"]
    got = on_rtl(dataflow, np.full((1, 2), ONE), np.full((2, 1), ONE), kind, int(encode(2.0**24, FP32)))
    assert got.item() == int(case["expect_seed_first"], 16) != int(case["expect_add_last"], 16)


def test_ml_dtypes_400_both_conventions_of_e4m3fn_overflow() -> None:
    case = field_cases()["ml_dtypes-400"]
    codes = encode([float(number) for number in case["inputs"]], FP32).tolist()
    ieee, saturated = ([int(code, 16) for code in case[name]] for name in ("expect_nonsat", "expect_sat"))
    nan = FP8_E4M3.nan_bits  # the sign of NaN is free there, and none here
    assert casts(codes, "fp8_e4m3_ieee") == [nan if code & 0x7F == 0x7F else code for code in ieee]
    assert casts(codes, "fp8_e4m3_saturate") == saturated


def requantised(label: str, acc: list[int], multiplier: int, shift: int) -> list[int]:
    """``acc`` by the requantiser ``label``."""
    block = window_blocks.REQUANTISERS[label]
    assert block.out == IntFormat(8)
    count = len(acc) + block.latency
    inputs = {"acc": [*acc, *[0] * block.latency], "multiplier": [multiplier] * count, "shift": [shift] * count}
    codes = unit_bench.bench().wiggle(label, inputs)["result"][block.latency :]
    return [int(number) for number in wrap(codes, block.out)]


@pytest.mark.parametrize("label", ["even_int8", "away_int8", "twice_int8"])
def test_ort_3442_all_values_of_int8_come_out(label: str) -> None:
    case = field_cases()["ort-3442"]
    assert requantised(label, case["values"], 1 << 30, 30) == case["expect"]


@pytest.mark.parametrize(
    ("label", "wanted"),
    [
        ("even_int8", "expect_single_rounding"),
        ("away_int8", "expect_single_rounding"),
        ("twice_int8", "expect_double_rounding"),
    ],
)
def test_tf_25087_one_rounding_and_two(label: str, wanted: str) -> None:
    case = field_cases()["tf-25087"]
    x, multiplier, shift = case["x"], case["multiplier"], case["right_shift"]
    assert float(Fraction(x * multiplier, 1 << shift)) == case["exact"]
    assert requantised(label, [x], multiplier, shift) == [case[wanted]]
