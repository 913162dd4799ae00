"""Programs for several cores, checked by the interpreter."""

from __future__ import annotations

import numpy as np

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.encode import encode
from tilewright.generators.program.gemm import gemm_program
from tilewright.generators.program.instruction import Instruction
from tilewright.generators.program.interleave import many_program
from tilewright.generators.program.joined import Part
from tilewright.generators.program.pieces import piece_of
from tilewright.generators.program.sharing import Sharing
from tilewright.generators.reference.engine import ReferenceEngine
from tilewright.sim_tests.generators.program.engines import SMALL
from tilewright.sim_tests.generators.program.problems import Problem, put, take


def with_cores(cores: int, base: EngineConfig = SMALL) -> EngineConfig:
    """The same engine with so many cores."""
    return EngineConfig.model_validate(base.model_dump() | {"cores": cores})


def section(problem: Problem, sharing: Sharing) -> list[list[Part]]:
    """What each core does of a problem."""
    found = []
    for own in sharing.shares:
        products = [(piece_of(problem.product, share.piece), share.plan.tiling) for _, share in own]
        found.append([Part(gemm_program(p, tiling, problem.config), after_stores=False) for p, tiling in products])
    return found


def check(problem: Problem, sharing: Sharing, seeds: int = 3) -> list[Instruction]:
    """Runs the program in order and in random orders; nothing but the whole result may have changed."""
    program = many_program([section(problem, sharing)], problem.config)
    memory = problem.memory.copy()
    ReferenceEngine(problem.config, memory).check(encode(program), range(seeds))
    c, fmt = problem.product.c, problem.config.acc if problem.product.finish is None else problem.config.result
    np.testing.assert_array_equal(take(memory, c, fmt), problem.expected)
    untouched = problem.memory.copy()
    put(untouched, c, problem.expected)
    np.testing.assert_array_equal(memory, untouched)
    return program
