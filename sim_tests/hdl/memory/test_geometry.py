from math import ceil, log2

import pytest

from tilewright.hdl.memory import Geometry


@pytest.mark.parametrize("lanes", [1, 2, 4, 8, 16, 32, 64, 128, 256])
def test_latencies(lanes: int) -> None:
    stages = ceil(log2(lanes) / 2)
    banked, wide = (Geometry(words=64, lanes=lanes, banked=banked, width=8) for banked in (True, False))
    assert (banked.read_latency, banked.write_latency) == (2 + stages, max(1, stages))
    assert (wide.read_latency, wide.write_latency) == (1, 0)


def test_sizes() -> None:
    g = Geometry(words=100, lanes=12, banked=False, width=5, slots=4)
    assert (g.element_width, g.word_width, g.address_bits, g.lane_bits) == (20, 240, 7, 4)
    assert [g.panels(columns) for columns in (0, 1, 12, 13, 24, 25)] == [0, 1, 1, 2, 2, 3]
    assert Geometry(words=1, lanes=1, banked=True, width=1).address_bits == 1
    assert Geometry(words=65536, lanes=1, banked=True, width=1).address_bits == 16


@pytest.mark.parametrize("words", [-1, 0, 65537])
def test_words(words: int) -> None:
    with pytest.raises(ValueError, match=rf"^scratchpad must have 1..65536 words, got {words}$"):
        Geometry(words=words, lanes=1, banked=False, width=8)


@pytest.mark.parametrize("lanes", [3, 6, 12])
def test_banks(lanes: int) -> None:
    with pytest.raises(ValueError, match=rf"^banks must be a power of two, got {lanes}$"):
        Geometry(words=4, lanes=lanes, banked=True, width=8)
