"""Which formats go together."""

from typing import Any

import pytest

from tilewright.generators.config.systolic import systolic_config
from tilewright.sim_tests.generators.config.refusal import refusal


def test_a_float_operand_brings_the_other_one_and_fp32() -> None:
    for given in ({"a": "bf16"}, {"b": "bf16"}):
        config = systolic_config(given)
        assert (str(config.a), str(config.b), str(config.acc)) == ("bf16", "bf16", "fp32")
        assert config.seeded and config.safe_k is None and config.integers is None
    mixed = systolic_config({"a": "fp8_e4m3", "b": "bf16", "acc": "fx40"})
    assert (str(mixed.a), str(mixed.b), str(mixed.acc)) == ("fp8_e4m3", "bf16", "fx40")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"a": "bf16", "b": "int8"}, "b must be a float format beside a = bf16, got int8; nearest legal value is bf16"),
        (
            {"a": "bf16", "acc": "int32"},
            "acc must be fp32 or fx<N> for operands bf16 and bf16, got int32; nearest legal value is fp32",
        ),
        (
            {"acc": "fp32"},
            "acc must be int<N> for operands int8 and int8, got fp32; nearest legal value is int32",
        ),
        (
            {"a": "fp16", "acc": "fx12"},
            "acc must hold one product of fp16 and fp16; that takes a window of 23 bits, got fx12; "
            "nearest legal value is fx23",
        ),
        (
            {"a": "bf16", "overflow": "saturate"},
            "overflow must be left out for accumulators fp32, got 'saturate'; nearest legal value is none at all",
        ),
        ({"add_latency": 2}, "add_latency must be 1 for accumulators int32, got 2; nearest legal value is 1"),
        (
            {"a": "bf16", "acc": "fx48", "add_latency": 3},
            "add_latency must be 1 for accumulators fx48, got 3; nearest legal value is 1",
        ),
        (
            {"a": "bf16", "dataflow": "any", "add_latency": 2},
            "add_latency must be 1 where the dataflow is chosen by command, got 2; nearest legal value is 1",
        ),
        (
            {"a": "bf16", "target": "ecp5"},
            "target must be generic for operands bf16 and bf16, got 'ecp5'; nearest legal value is generic",
        ),
        ({"a": "bf16", "add_latency": 7}, "add_latency must be a whole number 1..6, got 7; nearest legal value is 6"),
    ],
)
def test_what_does_not_go_together_is_refused(fields: dict[str, Any], sentence: str) -> None:
    assert refusal(**fields) == sentence


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        (
            {"acc": "int15"},
            "acc must hold one product of int8 and int8, which takes 16 bits, got int15; nearest legal value is int16",
        ),
        (
            {"acc": "int16", "a": "uint8", "b": "uint8"},
            "acc must hold one product of uint8 and uint8, which takes 17 bits, got int16; "
            "nearest legal value is int17",
        ),
        (
            {"acc": "int18", "vector": 8},
            "acc must hold one dot product of 8 of int8 and int8, which takes 19 bits, got int18; "
            "nearest legal value is int19",
        ),
    ],
)
@pytest.mark.parametrize("overflow", [None, "wrap", "saturate"])
def test_an_accumulator_holds_one_vector_product(fields: dict[str, Any], sentence: str, overflow: str | None) -> None:
    rule, nearest = sentence.rsplit(" ", 1)
    told, offered = refusal(**fields, overflow=overflow).rsplit(" ", 1)
    assert told == rule
    assert offered == nearest or overflow is None  # which takes a wider one, for max_k products
    assert str(systolic_config({**fields, "overflow": overflow, "acc": offered}).acc) == offered


@pytest.mark.parametrize("dataflow", ["ws", "os", "is"])
def test_a_window_holds_one_product(dataflow: str) -> None:
    fields = {"a": "fp8_e4m3", "b": "fp8_e5m2", "dataflow": dataflow}
    assert refusal(**fields, acc="fx7") == (
        "acc must hold one product of fp8_e4m3 and fp8_e5m2; that takes a window of 8 bits, got fx7; "
        "nearest legal value is fx8"
    )
    assert str(systolic_config({**fields, "acc": "fx8"}).acc) == "fx8"


def test_a_window_of_all_dataflows_holds_one_product_of_the_format_of_both() -> None:
    fields = {"a": "fp8_e4m3", "b": "fp8_e5m2", "dataflow": "any"}
    assert refusal(**fields, acc="fx8") == (
        "acc must hold one product of fp8_e4m3 and fp8_e5m2 as e5m3, which holds both and is what elements of all "
        "dataflows multiply; that takes a window of 9 bits, got fx8; nearest legal value is fx9"
    )
    assert str(systolic_config({**fields, "acc": "fx9"}).acc) == "fx9"
    assert str(systolic_config({"a": "fp8_e5m2", "dataflow": "any", "acc": "fx7"}).acc) == "fx7"


def test_without_overflow_policy_an_accumulator_holds_max_k_products() -> None:
    # int22 ends at 2 ** 21 - 1, and each (-128) * (-128) adds 2 ** 14: 127 of them fit, 128 are one too much
    assert systolic_config({"acc": "int22", "max_k": 127}).safe_k == 127
    assert refusal(acc="int22", max_k=128) == (
        "acc must hold max_k = 128 products of int8 and int8 when no overflow is chosen, got int22, "
        "which is safe up to K = 127; nearest legal value is int23"
    )
    assert systolic_config({"acc": "int23", "max_k": 128}).overflow is None
    for overflow in ("wrap", "saturate"):
        assert systolic_config({"acc": "int22", "max_k": 128, "overflow": overflow}).safe_k == 127
