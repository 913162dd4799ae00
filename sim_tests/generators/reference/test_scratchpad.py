"""The layout contract, element by element."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.generators.config.derived import Scratchpad, lanes, matrix_words
from tilewright.generators.reference.scratchpad import Origin, ScratchpadModel, Span


def model(lanes: int, *, banked: bool, words: int = 60) -> ScratchpadModel:
    return ScratchpadModel(Scratchpad(lanes, lanes if banked else 1, words, 8))


@pytest.mark.parametrize(("size", "banked"), [(4, True), (4, False), (3, False), (1, True), (1, False)])
def test_places_follow_the_contract(size: int, banked: bool) -> None:
    memory = model(size, banked=banked)
    words, places = memory.places(5, 7, 2)
    for i in range(5):
        for j in range(7):
            assert words[i, j] == 2 + j // size * 5 + i
            assert places[i, j] == ((i + j) % size if banked else j % size)


@given(st.integers(0, 3), st.integers(1, 7), st.integers(1, 9), st.integers(0, 5))
def test_banks_of_rows_and_columns_differ(log: int, rows: int, cols: int, base: int) -> None:
    memory = model(1 << log, banked=True, words=100)
    _, banks = memory.places(rows, cols, base)
    width = 1 << log
    for line in (*banks, *banks.T):
        for at in range(len(line) - width + 1):
            assert len(set(line[at : at + width])) == width


@given(st.sampled_from(["ws", "os", "is", "any"]), st.integers(1, 9), st.integers(1, 9), st.data())
def test_span_is_exactly_the_words_of_the_elements(dataflow: str, rows: int, cols: int, data: st.DataObject) -> None:
    for width, banked in lanes(dataflow, rows, cols).values():
        memory = model(width, banked=banked, words=1000)
        x, y, base = (data.draw(st.integers(1, 20)) for _ in range(3))
        words, places = memory.places(x, y, base)
        span = memory.span(x, y, base)
        assert (words.min(), words.max() + 1) == (span.low, span.high)
        assert span.high - span.low == matrix_words(x, y, width)
        assert len({(int(w), int(p)) for w, p in zip(words.flat, places.flat, strict=True)}) == x * y


def test_what_is_stored_is_found_and_nothing_else_is_touched() -> None:
    memory = model(4, banked=True, words=12)
    assert not memory.origin.any()
    matrix = np.arange(15).reshape(3, 5, 1)
    memory.store(matrix, Origin.LOADED, 1)
    values, origin = memory.matrix(3, 5, 1)
    assert (values == matrix).all()
    assert (origin == Origin.LOADED).all()
    assert np.count_nonzero(memory.origin) == 15


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [((0, 4), (4, 8), False), ((0, 5), (4, 8), True), ((4, 8), (0, 5), True), ((0, 9), (3, 4), True)],
)
def test_spans_overlap_when_they_share_a_word(first: tuple[int, int], second: tuple[int, int], shared: bool) -> None:
    assert Span(*first).overlaps(Span(*second)) == shared


def test_the_last_word_fits_and_one_more_does_not() -> None:
    memory = model(4, banked=False, words=10)
    assert memory.fits(memory.span(5, 8, 0))
    assert not memory.fits(memory.span(5, 8, 1))
    assert not memory.fits(memory.span(5, 9, 0))
