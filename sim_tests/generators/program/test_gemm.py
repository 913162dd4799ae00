"""Programs of products, run by the reference engine in random orders of the sequencers."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.generators.program.candidates import candidates
from tilewright.generators.program.gemm import gemm_program
from tilewright.generators.program.tiling import Tiling
from tilewright.generators.program.traffic import traffic
from tilewright.hdl.engine.records import Opcode
from tilewright.hdl.numeric import IntFormat
from tilewright.sim_tests.generators.program.engines import ENGINES, SMALL
from tilewright.sim_tests.generators.program.problems import Start, problem

STARTS: tuple[Start, ...] = ("zero", "bias", "old")


@pytest.mark.parametrize("engine", ENGINES)
def test_random_shapes_and_tilings(engine: str) -> None:
    """Edges around the array's and the lanes' sizes, primes; a random tiling of those that the planner knows.

    What is moved is what the formula says.
    """
    config, random = ENGINES[engine], np.random.default_rng(7)
    edges = (1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 17, 23)
    finishes = isinstance(config.acc, IntFormat)
    for number in range(18):
        m, n, k = (int(size) for size in random.choice(edges, size=3))
        case = problem(config, m, n, k, start=STARTS[number % 3], finish=finishes and number % 2 == 0, seed=number)
        tilings = list(candidates(case.product, config))
        tiling = tilings[int(random.integers(len(tilings)))]
        moved, formula = case.check(tiling, seeds=2), traffic(case.product, tiling, config)
        for operand in ("a", "b", "start", "c"):
            assert getattr(moved, operand) == getattr(formula, operand).beats * config.bus_bits // 8
        assert (moved.tensors, moved.program) == (formula.tensor_bytes, formula.program_bytes)


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("order", ["mn", "nm"])
@pytest.mark.parametrize("a_resident", [False, True])
@pytest.mark.parametrize("b_resident", [False, True])
def test_every_kind_of_residency(start: Start, order: str, a_resident: bool, b_resident: bool) -> None:
    case = problem(SMALL, 9, 11, 10, start=start)
    tiling = Tiling("ws", "mn" if order == "mn" else "nm", 3, 4, 4, 2, 2, 1, a_resident, b_resident, 2, 3, 4)
    a, b = tiling.elements_kept(case.product)
    case.check(Tiling("ws", tiling.order, 3, 4, 4, 2, 2, 1, a_resident, b_resident, max(2, a), max(3, b), 4), seeds=3)


@pytest.mark.parametrize("stages", range(1, 9))
def test_every_number_of_stages(stages: int) -> None:
    case = problem(SMALL, 6, 9, 30, start="bias", finish=True)
    case.check(Tiling("ws", "mn", 3, 4, 4, a_stages=stages, b_stages=stages, c_places=1 + stages % 4), seeds=3)


def test_deep_elements_of_a() -> None:
    case = problem(SMALL, 5, 21, 39)
    case.check(Tiling("ws", "mn", 2, 8, 4, 2, 2, a_chunks=3, a_stages=3, b_stages=4, c_places=4))


def test_loads_stand_close_before_their_commands() -> None:
    """Eight instructions fit in a queue: commands must not be out of sight behind loads."""
    case = problem(SMALL, 23, 23, 23, start="bias")
    for tiling in list(candidates(case.product, SMALL))[::7]:
        ahead = 0
        for instruction in gemm_program(case.product, tiling, SMALL):
            ahead += instruction.opcode == Opcode.LOAD
            if instruction.opcode == Opcode.GEMM:
                ahead -= bin(instruction.waits & 0b10001010).count("1")
            assert ahead <= 8
        assert ahead == 0


def test_illegal_tilings_are_refused() -> None:
    case = problem(SMALL, 9, 9, 9)
    with pytest.raises(ValueError, match=r"^a_stages must be at least 1 and at most 15, got 16$"):
        gemm_program(case.product, Tiling("ws", "mn", 4, 4, 4, a_stages=16), SMALL)
