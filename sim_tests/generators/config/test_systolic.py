"""What a configuration accepts, and the sentence for each thing that it refuses."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.systolic import SystolicConfig, systolic_config
from tilewright.hdl.numeric import IntFormat
from tilewright.sim_tests.generators.config.refusal import refusal

OPERANDS = "int2..int16, uint2..uint16, bf16, fp16, fp8_e4m3 or fp8_e5m2"


def whole(field: str, high: int, value: str, nearest: int, low: int = 1) -> str:
    return f"{field} must be a whole number {low}..{high}, got {value}; nearest legal value is {nearest}"


@pytest.mark.parametrize("field", ["rows", "cols"])
@pytest.mark.parametrize(
    ("value", "told", "nearest"),
    [
        (0, "0", 1),
        (-3, "-3", 1),
        (1.5, "1.5", 2),
        (16.0, "16.0", 16),
        (257, "257", 256),
        pytest.param(10**5000, "a number of thousands of digits", 256, id="huge"),
        (float("inf"), "inf", 256),
        (float("nan"), "nan", 1),
        ("abc", "'abc'", 1),
        ("12", "'12'", 12),
        (True, "True", 1),
        (None, "None", 1),
        ([4], "[4]", 1),
    ],
)
def test_sizes_are_whole_numbers_to_256(field: str, value: object, told: str, nearest: int) -> None:
    assert refusal(**{field: value}) == whole(field, 256, told, nearest)
    assert getattr(systolic_config({field: nearest}), field) == nearest


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"pipeline": 4}, whole("pipeline", 3, "4", 3, low=0)),
        ({"pipeline": -1}, whole("pipeline", 3, "-1", 0, low=0)),
        ({"max_m": 0}, whole("max_m", 65_535, "0", 1)),
        ({"max_n": 70_000}, whole("max_n", 65_535, "70000", 4_080)),  # C with a bias row
        ({"max_n": 70_000, "product": "array"}, whole("max_n", 65_535, "70000", 65_535)),
        ({"max_k": 65_536}, whole("max_k", 65_535, "65536", 4_096)),  # B
        ({"max_k": 65_536, "a": "int16", "b": "int16"}, whole("max_k", 65_535, "65536", 1)),  # acc
        ({"a_words": 0}, whole("a_words", 65_536, "0", 1)),
        ({"b_words": 65_537}, whole("b_words", 65_536, "65537", 65_536)),
        ({"c_words": 2.5}, whole("c_words", 65_536, "2.5", 2)),
        (
            {"memory_limit_bits": 0},
            "memory_limit_bits must be a whole number 1..1099511627776 bits, got 0; nearest legal value is 5259264",
        ),
        ({"vector": 3}, "vector must be one of 1, 2, 4, 8, 16, got 3; nearest legal value is 2"),
        ({"vector": 64}, "vector must be one of 1, 2, 4, 8, 16, got 64; nearest legal value is 16"),
        ({"vector": True}, "vector must be one of 1, 2, 4, 8, 16, got True; nearest legal value is 1"),
        ({"vector": 2.0}, "vector must be one of 1, 2, 4, 8, 16, got 2.0; nearest legal value is 2"),
        ({"product": "cores"}, "product must be one of core, array, got 'cores'; nearest legal value is core"),
        ({"dataflow": "wss"}, "dataflow must be one of ws, os, is, any, got 'wss'; nearest legal value is ws"),
        (
            {"overflow": "saturated"},
            "overflow must be one of wrap, saturate, got 'saturated'; nearest legal value is saturate",
        ),
        ({"a": "int17"}, f"a must be {OPERANDS}, got 'int17'; nearest legal value is int16"),
        ({"a": "uint1"}, f"a must be {OPERANDS}, got 'uint1'; nearest legal value is uint2"),
        ({"b": "float16"}, f"b must be {OPERANDS}, got 'float16'; nearest legal value is fp16"),
        ({"b": 8}, f"b must be {OPERANDS}, got 8; nearest legal value is int8"),
        ({"acc": "uint32"}, "acc must be int8..int64, fp32 or fx7..fx60, got 'uint32'; nearest legal value is int32"),
        ({"acc": "int65"}, "acc must be int8..int64, fp32 or fx7..fx60, got 'int65'; nearest legal value is int64"),
        ({"acc": "int7"}, "acc must be int8..int64, fp32 or fx7..fx60, got 'int7'; nearest legal value is int24"),
        (
            {"acc": "int7", "a": "int2", "b": "int2", "max_k": 3},
            "acc must be int8..int64, fp32 or fx7..fx60, got 'int7'; nearest legal value is int8",
        ),
        (
            {"b": "int32", "a": "int16"},
            f"b must be {OPERANDS}, got 'int32'; nearest legal value is int8",
        ),
        ({"rows": 300, "cols": 256, "vector": 4}, whole("rows", 256, "300", 64)),
        (
            {"vector": 3, "rows": 256, "cols": 256},
            "vector must be one of 1, 2, 4, 8, 16, got 3; nearest legal value is 1",
        ),
        ({"rowz": 4}, "configuration field 'rowz' does not exist; nearest is 'rows'"),
        ({"max-k": 4}, "configuration field 'max-k' does not exist; nearest is 'max_k'"),
    ],
)
def test_refused_values(fields: dict[str, Any], sentence: str) -> None:
    assert refusal(**fields) == sentence


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("module", "module_"),
        ("logic", "logic_"),
        ("TOP", "TOP_"),
        ("std", "std_"),
        ("tilewright_bench", "tilewright_bench_"),
        ("8x8", "_8x8"),
        ("a b", "a_b"),
        ("", "tilewright_gemm"),
        ("x" * 65, "x" * 63),
        ("\\esc", "_esc"),
        ("naïve", "na_ve"),
        ("top\n", "top_"),
    ],
)
def test_module_names_that_verilog_would_not_take(name: str, nearest: str) -> None:
    told = refusal(module_name=name)
    rule = "a Verilog identifier of at most 64 characters that is no keyword and none of TOP, std, tilewright_bench"
    assert told.startswith(f"module_name must be {rule}, got ")
    assert told.endswith(f"; nearest legal value is {nearest}")
    assert systolic_config({"module_name": nearest}).module_name == nearest


LARGE = {"rows": 255, "cols": 200, "max_m": 5000, "max_k": 3000, "acc": "int24", "overflow": "wrap"}
WRONG = [0, 1 << 45, "?", "int1", "uint70"]


@pytest.mark.parametrize("others", [{}, {"rows": 1, "cols": 1}, LARGE, {"acc": "int20", "max_k": 30}], ids=range(4))
@pytest.mark.parametrize("field", sorted(SystolicConfig.model_fields.keys() - {"module_name"}))
@pytest.mark.parametrize("value", WRONG)
def test_what_is_offered_is_legal_beside_all_other_fields(field: str, value: object, others: dict[str, Any]) -> None:
    if (field, value) == ("pipeline", 0):
        return
    told = refusal(**{**others, field: value})
    assert told.startswith(f"{field} must be ")
    offered = told.rsplit(" ", 1)[1]
    assert systolic_config({**others, field: int(offered) if offered.isdecimal() else offered})


def test_what_is_offered_for_several_fields_is_legal_together() -> None:
    told = refusal(acc="int7", rows=300, max_k=70_000).splitlines()
    offered = {line.split()[0]: line.rsplit(" ", 1)[1] for line in told}
    assert offered.keys() == {"acc", "rows", "max_k"}
    assert systolic_config({name: int(value) if value.isdecimal() else value for name, value in offered.items()})


def test_a_model_is_refused_in_the_same_words() -> None:
    with pytest.raises(ConfigError) as caught:
        SystolicConfig(rows=0, colz=3)  # type: ignore[call-arg]
    told = refusal(rows=0, colz=3)
    assert str(caught.value) == told and len(told.splitlines()) == 2


def test_two_wrong_fields_make_two_sentences() -> None:
    assert refusal(rows=0, cols=300).splitlines() == [whole("rows", 256, "0", 1), whole("cols", 256, "300", 256)]


def test_the_largest_array_is_65536_multipliers() -> None:
    assert systolic_config({"rows": 256, "cols": 256}).rows == 256
    assert refusal(rows=128, cols=100, vector=16) == (
        "vector must keep rows x cols x vector within 65536, got 16, which makes 204800; nearest legal value is 4"
    )
    assert systolic_config({"rows": 128, "cols": 100, "vector": 4}).vector == 4


def test_scratchpads_keep_within_the_stated_memory() -> None:
    bits = systolic_config({}).scratchpads.bits
    assert systolic_config({"memory_limit_bits": bits}).scratchpads.bits == bits
    assert refusal(memory_limit_bits=bits - 1) == (
        f"memory_limit_bits must cover the scratchpads, which take {bits} bits, got {bits - 1}; "
        f"nearest legal value is {bits}"
    )
    assert systolic_config({"memory_limit_bits": 1, "product": "array"}).product == "array"


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        (
            {"max_m": 1024, "max_k": 257},
            "max_m must keep A within 65536 words of 4 elements, got 1024, which takes 66560; "
            "nearest legal value is 1008",
        ),
        (
            {"max_m": 9, "max_n": 1024, "max_k": 600, "vector": 2},
            "max_k must keep B within 65536 words of 4 elements, got 600, which takes 76800; "
            "nearest legal value is 512",
        ),
        (
            {"max_m": 256, "max_n": 1024},
            "max_m must keep C with a bias row within 65536 words of 4 elements, got 256, which takes 65792; "
            "nearest legal value is 255",
        ),
        (
            {"cols": 1, "max_m": 1, "max_n": 65_535, "max_k": 1},
            "max_n must keep C with a bias row within 65536 words of 1 elements, got 65535, which takes 131070; "
            "nearest legal value is 32768",
        ),
    ],
)
def test_scratchpads_keep_within_the_address(fields: dict[str, Any], sentence: str) -> None:
    small = {"rows": 4, "cols": 4}
    assert refusal(**(small | fields)) == sentence
    field, nearest = sentence.split(" ", 1)[0], int(sentence.rsplit(" ", 1)[1])
    assert systolic_config({**small, **fields, field: nearest})
    with pytest.raises(ConfigError):
        systolic_config({**small, **fields, field: nearest + 1})


def test_explicit_words_stand_in_for_extents() -> None:
    config = systolic_config({"rows": 4, "cols": 4, "max_m": 1024, "max_k": 257, "a_words": 100, "c_words": 65_536})
    assert (config.scratchpads.a.words, config.scratchpads.c.words) == (100, 65_536)


@pytest.mark.parametrize("dataflow", ["ws", "os", "is", "any"])
@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 256), (256, 1), (2, 3)])
def test_every_size_is_legal_by_itself(dataflow: str, rows: int, cols: int) -> None:
    config = systolic_config({"dataflow": dataflow, "rows": rows, "cols": cols})
    assert config.max_n == config.max_k == 256
    assert systolic_config(config.model_dump(mode="json")) == config


def test_a_configuration_is_frozen_and_reads_back() -> None:
    config = SystolicConfig.model_validate({"a": "uint4", "b": "int6", "rows": 3, "overflow": "wrap"})
    assert config.a == IntFormat(4, signed=False)
    assert SystolicConfig.model_validate_json(config.model_dump_json()) == config
    assert hash(config) == hash(SystolicConfig.model_validate(config.model_dump()))
    with pytest.raises(ValidationError):
        config.rows = 4  # type: ignore[misc]


class Spiteful:
    """An object of a user's that answers nothing."""

    def __repr__(self) -> str:
        raise ZeroDivisionError

    def __eq__(self, other: object) -> bool:
        raise ZeroDivisionError

    __hash__ = None  # type: ignore[assignment]


def deep() -> list[Any]:
    nested: list[Any] = []
    for _ in range(10_000):
        nested = [nested]
    return nested


ABSURD = {
    "infinite": float("inf"),
    "no number": float("nan"),
    "huge": 10**400,
    "of thousands of digits": -(10**5000),
    "digits": "9" * 5000,
    "long": "wsos" * 250_000,
    "date": date(1979, 5, 27),
    "deep": deep(),
    "half a character": "\ud800",
    "lines": "a\nb",
    "complex": 1j,
    "table": {"a": 1},
    "spiteful": Spiteful(),
}


@pytest.mark.parametrize("field", SystolicConfig.model_fields)
@pytest.mark.parametrize("value", ABSURD.values(), ids=ABSURD)
def test_absurd_values_are_refused_in_one_short_sentence(field: str, value: object) -> None:
    sentence = refusal(**{field: value})
    assert sentence.startswith(f"{field} must be ")
    assert len(sentence) < 300


def test_names_of_fields_that_are_none_are_refused() -> None:
    assert refusal(**{"row\ns": 1}) == r"configuration field 'row\ns' does not exist; nearest is 'rows'"
    with pytest.raises(ConfigError, match=r"^configuration field 1 does not exist; nearest is "):
        systolic_config({1: 2})  # type: ignore[dict-item]


ANYTHING = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.integers(), max_size=2)


@given(st.dictionaries(st.sampled_from(sorted(SystolicConfig.model_fields)) | st.text(), ANYTHING, max_size=4))
def test_anything_is_built_or_refused_in_words(fields: dict[str, Any]) -> None:
    try:
        systolic_config(fields)
    except ConfigError as error:
        assert str(error)
