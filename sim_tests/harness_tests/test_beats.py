"""Packing against Python's own big integers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.sim_tests.harness import InterfaceError, pack, unpack


def slowly(rows: list[list[int]], width: int, offset: int, words: int) -> list[list[int]]:
    beats = []
    for row in rows:
        beat = sum((value % 2**width) << (offset + width * lane) for lane, value in enumerate(row))
        beats.append([(beat >> 32 * word) % 2**32 for word in range(words)])
    return beats


@given(st.data(), st.integers(1, 64), st.booleans(), st.integers(1, 9), st.integers(0, 5), st.integers(0, 70))
def test_pack_and_unpack(data: st.DataObject, width: int, signed: bool, lanes: int, count: int, offset: int) -> None:
    low, high = (-(2 ** (width - 1)), 2 ** (width - 1) - 1) if signed else (0, 2**width - 1)
    row = st.lists(st.integers(low, high), min_size=lanes, max_size=lanes)
    rows = data.draw(st.lists(row, min_size=count, max_size=count))
    values = np.array(rows, dtype=np.int64 if signed else np.uint64).reshape(count, lanes)
    bits = offset + width * lanes + 3
    beats = pack(values, width, bits, offset=offset)
    assert beats.dtype == np.uint32
    assert beats.tolist() == slowly(rows, width, offset, (bits + 31) // 32)
    back = unpack(beats, width, lanes, signed=signed, offset=offset)
    assert back.dtype == (np.int64 if signed else np.uint64)
    assert back.tolist() == rows


@pytest.mark.parametrize("width", [7, 8])
def test_long_streams_in_pieces(width: int) -> None:
    values = np.random.default_rng(1).integers(-64, 64, size=(70_000, 40))
    assert np.array_equal(unpack(pack(values, width), width, 40, signed=True), values)


def test_fields_are_added_to_given_beats() -> None:
    beats = pack([[1, -2, 3]], 5, 40)
    assert pack([[0x5A]], 8, 40, offset=16, out=beats) is beats
    assert beats.tolist() == [[1 | 30 << 5 | 3 << 10 | 0x5A << 16, 0]]
    assert pack(np.array([True, False]), 1).tolist() == [[1], [0]]


@pytest.mark.parametrize(
    ("values", "width", "bits", "message"),
    [
        ([[8]], 3, None, "elements 8..8 do not fit in 3 bits"),
        ([[-5]], 3, None, "elements -5..-5 do not fit in 3 bits"),
        ([[-1, 4]], 3, None, "elements -1..4 do not fit in 3 bits, signed or unsigned"),
        ([[1.5]], 3, None, "elements must be integers, got float64"),
        ([[[1]]], 3, None, r"elements must have the shape \(beats, elements per beat\), got \(1, 1, 1\)"),
        ([[1]], 65, None, "element width must be 1..64 bits, got 65; nearest is 64"),
        ([[1, 1]], 8, 15, "2 elements of 8 bits at bit 0 need 16 bits, the beat has 15"),
    ],
)
def test_what_does_not_fit_is_refused(values, width, bits, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InterfaceError, match=message):
        pack(np.array(values), width, bits)


def test_unpack_refuses_what_is_not_there() -> None:
    with pytest.raises(InterfaceError, match="5 elements of 8 bits at bit 0 need 40 bits"):
        unpack(pack([[1]], 8), 8, 5, signed=True)
    with pytest.raises(InterfaceError, match=r"element width must be 1..64 bits, got 0; nearest is 1"):
        unpack(pack([[1]], 8), 0, 5, signed=True)
