"""Matrices that are turned or pass, of all sizes, in turn, with and without stalls."""

from __future__ import annotations

import numpy as np
import pytest
from amaranth.hdl import Const
from numpy.typing import NDArray

from tilewright.hdl.engine.records import TURN_ORDER
from tilewright.hdl.engine.transposer import Transposer
from tilewright.sim_tests.hdl.engine.finish_runs import beats
from tilewright.sim_tests.hdl.engine.streams import send, simulate, take

Codes = NDArray[np.int64]
BLOCKS = [(4, 8, 16), (3, 5, 7), (1, 4, 3), (2, 16, 2)]


def run(block: Transposer, matrices: list[tuple[Codes, bool]], idle: float = 0, stall: float = 0) -> list[int]:
    """Compares all beats; the cycles in which they came."""
    values, width = block.values, block.width
    orders = [TURN_ORDER.const({"rows": m.shape[0], "cols": m.shape[1], "turns": turns}) for m, turns in matrices]
    given = [beat for m, _ in matrices for beat in beats(m, values, width)]
    wanted = [beat for m, turns in matrices for beat in beats(m.T if turns else m, values, width)]
    found: list[tuple[int, int]] = []
    processes = [
        send(block.order, [int(Const.cast(order).value) for order in orders], idle=idle / 2, seed=1),
        send(block.i, [beat.packed(values, width) for beat in given], idle=idle, seed=2),
        take(block.o, found, stall=stall, seed=3),
    ]
    simulate(block, processes, lambda: len(found) >= len(wanted), limit=20000)
    assert len(found) == len(wanted)
    for (_, got), beat in zip(found, wanted, strict=True):
        bits = int(got.as_bits()) if hasattr(got, "as_bits") else int(got)
        mask = beat.mask(values, width)
        assert bits & mask == beat.packed(values, width) & mask
    return [cycle for cycle, _ in found]


@pytest.mark.parametrize(("idle", "stall"), [(0, 0), (0.5, 0), (0, 0.6), (0.3, 0.3)])
@pytest.mark.parametrize("shape", BLOCKS)
def test_turned_or_not(shape: tuple[int, int, int], idle: float, stall: float) -> None:
    block, rng = Transposer(*shape), np.random.default_rng(1)
    matrices = []
    for index in range(40):
        turns = bool(index % 3)
        rows = int(rng.integers(1, (block.values if turns else 9) + 1))
        cols = int(rng.integers(1, (block.most if turns else 20) + 1))
        matrices.append((rng.integers(0, 1 << block.width, (rows, cols)), turns))
    matrices += [(np.ones((block.values, block.most), np.int64), True)] * 3
    run(block, matrices, idle, stall)


def test_a_beat_a_cycle_in_blocks_that_follow_each_other() -> None:
    block = Transposer(4, 8, 16)
    rng = np.random.default_rng(2)
    cycles = run(block, [(rng.integers(0, 256, (4, 16)), True) for _ in range(12)])
    assert np.diff(cycles).max() <= 2 and cycles[-1] - cycles[0] <= 12 * 16 + 12


@pytest.mark.parametrize("field", ["values", "width", "most"])
def test_what_is_refused(field: str) -> None:
    with pytest.raises(ValueError, match=f"{field} must be at least 1, got 0"):
        Transposer(**{"values": 2, "width": 2, "most": 2, field: 0})
