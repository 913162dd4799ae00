"""Which tilings are legal, and the words that their pieces take."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tilewright.generators.program.tiling import Places, Tiling, objections
from tilewright.sim_tests.generators.program.engines import SMALL, WIDE
from tilewright.sim_tests.generators.program.problems import problem

GOOD = Tiling("ws", "mn", 6, 8, 8, 2, 1, a_stages=4, b_stages=3, c_places=4)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"tile_m": 0}, "tile_m must be at least 1, got 0"),
        ({"a_chunks": 0}, "a_chunks must be at least 1, got 0"),
        ({"dataflow": "is"}, "dataflow must be ws, got is"),
        ({"a_stages": 6}, "a_stages must be at least 1 and at most 5, got 6"),
        ({"b_stages": 4}, "b_stages must be at least 1 and at most 3, got 4"),
        ({"c_places": 1}, "c_places must be at least 2 and at most 6, got 1"),
        ({"c_places": 7}, "c_places must be at least 2 and at most 6, got 7"),
        ({"a_resident": True}, "a_stages must be at least 6 and at most 5, got 4"),
        (
            {"a_chunks": 2, "tile_k": 6, "a_stages": 2},
            "tile_k must be a multiple of 4, got 6; nearest legal value is 8",
        ),
    ],
)
def test_objections(change: dict[str, Any], sentence: str) -> None:
    product = problem(SMALL, 12, 8, 20, start="bias").product
    assert objections(GOOD, product, SMALL) == []
    assert objections(replace(GOOD, **change), product, SMALL) == [sentence]


def test_words_are_those_of_the_layout() -> None:
    """3 x 5 core with vectors of 2: eight lanes of A, B and C."""
    places = Places(WIDE)
    tiling = Tiling("os", "mn", 7, 9, 18, a_chunks=1)
    assert places.a_words(tiling) == 7 * 2  # nine vectors in two panels
    assert places.b_words(tiling) == 9 * 2
    assert (places.c_words(tiling, bias=False), places.c_words(tiling, bias=True)) == (14, 16)
    assert places.a_offset(5, 16) == 5
    assert places.stages(replace(tiling, tile_k=16), bias=True) == (40 // 7, 48 // 16, 30 // 16 * 2)


def test_elements_kept() -> None:
    product = problem(SMALL, 20, 24, 32).product
    tiling = Tiling("ws", "mn", 5, 4, 8, 2, 3)
    assert tiling.elements_kept(product) == (1, 3)
    assert replace(tiling, across_m=1).elements_kept(product) == (1, 1)
    assert replace(tiling, a_chunks=2).elements_kept(product) == (2, 3)
    both = replace(tiling, a_resident=True, b_resident=True)
    assert both.elements_kept(product) == (2 * 4, 6 * 4)
    assert replace(both, order="nm").elements_kept(product) == (4 * 4, 3 * 4)
    assert both.passes(product) == (1, 1)
    assert tiling.passes(product) == (2, 2)
