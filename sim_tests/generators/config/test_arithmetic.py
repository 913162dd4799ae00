"""Which formats go together."""

import pytest

from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.systolic import systolic_config


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
        ({"a": "bf16", "add_latency": 7}, "add_latency must be a whole number 1..6, got 7; nearest legal value is 6"),
    ],
)
def test_what_does_not_go_together_is_refused(fields: dict[str, object], sentence: str) -> None:
    with pytest.raises(ConfigError) as refused:
        systolic_config(fields)
    assert str(refused.value) == sentence
