"""The model of events of several cores: each by itself, the program through one port."""

from __future__ import annotations

import pytest

from tilewright.generators.config.engine import engine_config
from tilewright.generators.program.gemm import gemm_program
from tilewright.generators.program.instruction import Instruction
from tilewright.generators.program.plan import entries
from tilewright.generators.program.tiling import Tiling
from tilewright.generators.reference.engine_cycles import EngineCycles
from tilewright.generators.reference.engine_many import ManyCycles
from tilewright.generators.reference.engine_records import Op
from tilewright.hdl.engine.records import Opcode
from tilewright.sim_tests.generators.program.core_cases import with_cores
from tilewright.sim_tests.generators.program.engines import SMALL
from tilewright.sim_tests.generators.program.problems import problem

TILING = Tiling("ws", "mn", 8, 8, 8)


def known() -> list[Instruction]:
    return gemm_program(problem(SMALL, 24, 16, 16).product, TILING, SMALL)


def test_one_core_is_the_model_of_one_core() -> None:
    program = entries(known())
    assert ManyCycles(SMALL, 50).run(program) == EngineCycles(SMALL, 50).run(program)
    assert ManyCycles(SMALL, 50).cycles(program) == EngineCycles(SMALL, 50).cycles(program)


@pytest.mark.parametrize("core", [0, 1])
def test_a_core_alone_takes_as_long_as_one_core(core: int) -> None:
    program = entries([i._replace(core=core) for i in known()])
    alone = EngineCycles(SMALL, 50).cycles(program)
    found = ManyCycles(with_cores(2), 50).cycles(program)
    assert abs(found / alone - 1) < 0.03


def test_two_cores_take_little_longer_than_one() -> None:
    alone = EngineCycles(SMALL, 50).cycles(entries(known()))
    both = [i._replace(core=core) for i in known()[:-1] for core in (0, 1)]
    found = ManyCycles(with_cores(2), 50).run(entries([*both, Instruction(Opcode.END, {})]))
    assert [moment.index for moment in found] == list(range(len(both) + 1))
    assert alone <= max(moment.ends for moment in found) + 20 < 1.4 * alone


def test_nothing_begins_before_the_barrier_is_passed() -> None:
    program = [*(i._replace(core=1) for i in known()[:-1]), Instruction(Opcode.BARRIER, {}), *known()]
    found = ManyCycles(with_cores(2), 50).run(entries(program))
    place = next(at for at, entry in enumerate(entries(program)) if entry.op == Op.BARRIER)
    assert found[place].begins == max(moment.ends for moment in found[:place])
    assert min(moment.begins for moment in found[place + 1 :]) > found[place].ends
    empty = ManyCycles(with_cores(2), 50).run(entries([Instruction(Opcode.BARRIER, {}), Instruction(Opcode.END, {})]))
    assert [moment.index for moment in empty] == [0, 1]


def test_a_narrow_bus_makes_dealing_dear() -> None:
    """64 bytes an instruction through a port of 32 bits hold up cores whose commands are short."""
    narrow = engine_config(with_cores(4).model_dump() | {"bus_bits": 32})
    program = gemm_program(problem(SMALL, 24, 16, 8).product, Tiling("ws", "mn", 4, 4, 8), narrow)[:-1]
    four = [i._replace(core=core) for i in program for core in range(4)]
    cycles = ManyCycles(narrow, 50).cycles(entries([*four, Instruction(Opcode.END, {})]))
    assert cycles > 16 * len(four)
