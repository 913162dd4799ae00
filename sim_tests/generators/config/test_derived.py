"""Widths and scratchpad geometry against first principles."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tilewright.generators.config.derived import (
    Scratchpad,
    column_sum_bits,
    nearest_accumulator,
    next_power_of_two,
    product_bits,
    scratchpads,
    vector_sum_bits,
)
from tilewright.hdl.numeric import IntFormat
from tilewright.hdl.systolic.parameters import CoreParameters

FORMATS = [IntFormat(width, signed) for width in (2, 3, 8) for signed in (True, False)]


@pytest.mark.parametrize(("a", "b"), list(itertools.product(FORMATS, FORMATS)), ids=str)
@pytest.mark.parametrize("terms", [1, 2, 16])
def test_the_narrowest_width_of_a_sum(a: IntFormat, b: IntFormat, terms: int) -> None:
    extremes = [terms * x * y for x in (a.min, a.max) for y in (b.min, b.max)]
    bits = vector_sum_bits(a, b, terms)
    fits = IntFormat(bits)
    assert all(fits.min <= value <= fits.max for value in extremes)
    tight = IntFormat(bits - 1)
    assert not all(tight.min <= value <= tight.max for value in extremes)


def test_products_of_unsigned_operands_need_a_sign_bit() -> None:
    assert product_bits(IntFormat(8, signed=False), IntFormat(8, signed=False)) == 17
    assert product_bits(IntFormat(8), IntFormat(8)) == 16


def test_column_sums_are_as_narrow_as_one_fold_allows() -> None:
    int8, int32, int18 = IntFormat(8), IntFormat(32), IntFormat(18)
    assert column_sum_bits(int8, int8, int32, 8, 1, saturate=False) == 19
    assert column_sum_bits(int8, int8, int32, 8, 4, saturate=False) == 21
    assert column_sum_bits(int8, int8, int18, 8, 1, saturate=False) == 18
    assert column_sum_bits(int8, int8, int32, 8, 1, saturate=True) == 32


def test_nearest_accumulator_and_power_of_two() -> None:
    assert [str(nearest_accumulator(bits)) for bits in (4, 8, 33, 70)] == ["int8", "int8", "int33", "int64"]
    assert [next_power_of_two(n) for n in (1, 2, 3, 5, 12, 16, 17, 256)] == [1, 2, 4, 8, 16, 16, 32, 256]


def memories(**changes: Any) -> tuple[Scratchpad, Scratchpad, Scratchpad]:
    fields = {"rows": 12, "cols": 5, "vector": 1, "max_m": 20, "max_n": 30, "max_k": 50}
    formats = {"a": IntFormat(8), "b": IntFormat(6), "acc": IntFormat(24)}
    found = scratchpads(**(fields | formats | changes))
    return found.a, found.b, found.c


def test_weight_stationary_memories_are_wide_words() -> None:
    assert memories(dataflow="ws") == (
        Scratchpad(lanes=12, banks=1, words=20 * 5, element_bits=8),
        Scratchpad(lanes=5, banks=1, words=50 * 6, element_bits=6),
        Scratchpad(lanes=5, banks=1, words=21 * 6, element_bits=24, regions=2),
    )


def test_output_stationary_reads_a_both_ways() -> None:
    assert memories(dataflow="os") == (
        Scratchpad(lanes=16, banks=16, words=20 * 4, element_bits=8),
        Scratchpad(lanes=5, banks=1, words=50 * 6, element_bits=6),
        Scratchpad(lanes=5, banks=1, words=21 * 6, element_bits=24, regions=2),
    )


def test_input_stationary_reads_all_three_both_ways() -> None:
    assert memories(dataflow="is") == (
        Scratchpad(lanes=8, banks=8, words=20 * 7, element_bits=8),
        Scratchpad(lanes=16, banks=16, words=50 * 2, element_bits=6),
        Scratchpad(lanes=8, banks=8, words=21 * 4, element_bits=24, regions=2),
    )


def test_any_dataflow_banks_operands_for_the_longer_side() -> None:
    assert memories(dataflow="any") == (
        Scratchpad(lanes=16, banks=16, words=20 * 4, element_bits=8),
        Scratchpad(lanes=16, banks=16, words=50 * 2, element_bits=6),
        Scratchpad(lanes=8, banks=8, words=21 * 4, element_bits=24, regions=2),
    )


def test_vectors_group_k() -> None:
    a, b, c = memories(dataflow="ws", vector=4)
    assert a == Scratchpad(lanes=12, banks=1, words=20 * 2, element_bits=32)  # 13 groups of K in two words of 12
    assert b == Scratchpad(lanes=5, banks=1, words=13 * 6, element_bits=24)
    assert c == memories(dataflow="ws")[2]


def test_explicit_depths_stand_in() -> None:
    a, b, c = memories(dataflow="os", a_words=7, b_words=9, c_words=11)
    assert (a.words, b.words, c.words) == (7, 9, 11)


def test_storage_counts_banks_and_regions() -> None:
    a, _, c = memories(dataflow="is")
    assert (a.word_bits, a.bits) == (8, 8 * 140 * 8)
    assert c.bits == 8 * 84 * 24 * 2
    wide = memories(dataflow="ws")[0]
    assert (wide.word_bits, wide.bits) == (96, 96 * 100)


@pytest.mark.parametrize("dataflow", ["ws", "os", "is", "any"])
@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (12, 5), (5, 12), (16, 16), (3, 256)])
@pytest.mark.parametrize("vector", [1, 4])
def test_the_core_is_built_with_this_geometry(dataflow: Any, rows: int, cols: int, vector: int) -> None:
    a, b, c = memories(dataflow=dataflow, rows=rows, cols=cols, vector=vector)
    core = CoreParameters(
        rows=rows,
        cols=cols,
        dataflow=dataflow,
        a=IntFormat(8),
        b=IntFormat(6),
        acc=IntFormat(24),
        overflow="wrap",
        pipeline=1,
        vector=vector,
        a_words=a.words,
        b_words=b.words,
        c_words=c.words,
    )
    for pad, built in ((a, core.a_memory), (b, core.b_memory), (c, core.c_memory)):
        assert (pad.lanes, pad.banks, pad.words) == (built.lanes, built.lanes if built.banked else 1, built.words)
        assert pad.element_bits == built.element_width
