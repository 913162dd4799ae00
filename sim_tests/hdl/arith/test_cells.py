"""Models of cells of devices against plain arithmetic, every pin at random."""

import numpy as np
import pytest

from tilewright.sim_tests.hdl.arith.cells import CARRIES, MULTIPLIERS
from tilewright.sim_tests.hdl.datapath_bench import bench

CYCLES = 2000
EXTREMES = (0, 1, (1 << 17) - 1, 1 << 17, (1 << 18) - 1)


def factors(rng: np.random.Generator) -> list[int]:
    """Half of them at a limit of signed or unsigned numbers."""
    anything, limits = rng.integers(0, 1 << 18, CYCLES), rng.choice(EXTREMES, CYCLES)
    return [int(value) for value in np.where(rng.random(CYCLES) < 0.5, anything, limits)]


@pytest.mark.parametrize("label", MULTIPLIERS)
def test_products_registers_enables_and_resets(label: str) -> None:
    rng = np.random.default_rng(len(label))
    given = {"a": factors(rng), "b": factors(rng)}
    for port in ("sign_a", "sign_b"):
        given[port] = rng.integers(0, 2, CYCLES).tolist()
    for port, often in (("enables", 0.7), ("resets", 0.1)):
        bits = rng.random((CYCLES, 4)) < often
        given[port] = (bits @ [1, 2, 4, 8]).tolist()
    wanted = MULTIPLIERS[label].run(given)
    assert bench().wiggle(label, given)["out"] == wanted
    assert len(set(wanted)) > CYCLES // 10


@pytest.mark.parametrize("label", CARRIES)
def test_every_input_of_a_carry_pair(label: str) -> None:
    given = {"tables_in": [place >> 1 for place in range(512)], "carry_in": [place & 1 for place in range(512)]}
    wanted = CARRIES[label].run(given)
    assert bench().wiggle(label, given)["out"] == wanted
    assert len(set(wanted)) >= 6
