"""Programs of several cores in one list."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tilewright.generators.program.encode import decode, encode
from tilewright.generators.program.gemm import gemm_program
from tilewright.generators.program.instruction import Instruction
from tilewright.generators.program.interleave import interleaved, many_program
from tilewright.generators.program.joined import Part
from tilewright.generators.program.pieces import Piece, piece_of
from tilewright.generators.program.plan import entries
from tilewright.generators.program.product import Product
from tilewright.generators.program.sharing import Sharer
from tilewright.generators.program.tensor import Matrix
from tilewright.generators.program.tiling import Tiling
from tilewright.generators.reference.engine import ReferenceEngine
from tilewright.generators.reference.engine_cycles import EngineCycles
from tilewright.generators.reference.engine_machine import QUEUE_DEPTH, SEQUENCERS, EngineError
from tilewright.generators.reference.engine_many import ManyCycles
from tilewright.generators.reference.engine_records import Op
from tilewright.hdl.engine.records import Opcode
from tilewright.sim_tests.generators.program.core_cases import section, with_cores
from tilewright.sim_tests.generators.program.problems import problem, put, random_codes, take

THREE = with_cores(3)
SHORT = Tiling("ws", "mn", 2, 4, 4)
LONG = Tiling("ws", "mn", 8, 4, 4)


def test_each_core_keeps_its_order() -> None:
    case = problem(THREE, 20, 12, 8)
    programs = [gemm_program(case.product, tiling, THREE)[:-1] for tiling in (SHORT, LONG, SHORT)]
    found = interleaved(programs, THREE)
    assert len(found) == sum(map(len, programs))
    for core, program in enumerate(programs):
        assert [i._replace(core=0) for i in found if i.core == core] == program


def test_no_queue_is_full_of_what_begins_later() -> None:
    """What stands before an instruction of another core and begins after it has room in its queues."""
    case = problem(THREE, 40, 4, 16)
    programs = [gemm_program(case.product, tiling, THREE)[:-1] for tiling in (SHORT, LONG)]
    found = interleaved([*programs, []], THREE)
    begins: dict[tuple[int, int], int] = {}
    for core, program in enumerate(programs):
        moments = EngineCycles(THREE, 80).run(entries(program))
        begins |= {(core, at): moment.begins for at, moment in enumerate(moments)}
    numbers = {0: 0, 1: 0}
    before: list[tuple[int, str, int]] = []
    deepest = 0
    for instruction in found:
        core = instruction.core
        at = begins[core, numbers[core]]
        for sequencer in ("load", "compute", "store"):
            waiting = [b for other, name, b in before if other != core and name == sequencer and b > at]
            deepest = max(deepest, len(waiting))
        before.append((core, SEQUENCERS[Op(int(instruction.opcode))], at))
        numbers[core] += 1
    assert 0 < deepest <= QUEUE_DEPTH


def test_the_core_survives_encoding() -> None:
    program = [Instruction(Opcode.END, {}, core=core, tag=core + 1) for core in range(16)]
    assert [(i.core, i.tag) for i in decode(encode(program))] == [(core, core + 1) for core in range(16)]
    with pytest.raises(ValueError, match=r"^core of END must be 0..15, got 16; nearest legal value is 15$"):
        encode([Instruction(Opcode.END, {}, core=16)])


def chain() -> tuple[list[Product], np.ndarray, np.ndarray]:
    """Two products, the second of the first one's results; the memory before; what it makes."""
    rng = np.random.default_rng(4)
    config = THREE
    m, k, n, o = 10, 6, 8, 5
    memory = rng.integers(0, 256, 4096, dtype=np.uint8)
    a, b, d = Matrix(0, m, k, 1), Matrix(512, k, n, 1), Matrix(1024, n, o, 1)
    c, e = Matrix(1536, m, n, 4), Matrix(2560, m, o, 4)
    left, right, third = (random_codes(rng, config.a, shape) for shape in ((m, k), (k, n), (n, o)))
    for view, values in ((a, left), (b, right), (d, third)):
        put(memory, view, values)
    first = Product(a, b, c)
    # The low bytes of C, as integers of one byte each four bytes apart, are the next A.
    low = np.asarray((left @ right) & 0xFF, dtype=np.int64)
    again = Matrix(1536, m, n * 4, 1, n * 4)
    spread = np.zeros((n * 4, o), dtype=np.int64)
    spread[::4] = third
    wide = Matrix(3072, n * 4, o, 1)
    put(memory, wide, spread)
    second = Product(again, wide, e)
    signed = np.where(low > 127, low - 256, low)
    return [first, second], memory, signed @ third


def test_a_section_finds_what_the_one_before_has_stored_and_nothing_else_does() -> None:
    products, memory, expected = chain()
    sections = []
    for product in products:
        sharing = Sharer(THREE).share([product])
        assert all(sharing.shares[core] for core in range(1, 3))
        parts = [[piece_of(product, share.piece) for _, share in own] for own in sharing.shares]
        tilings = [[share.plan.tiling for _, share in own] for own in sharing.shares]
        sections.append(
            [
                [Part(gemm_program(p, t, THREE), after_stores=False) for p, t in zip(*both, strict=True)]
                for both in zip(parts, tilings, strict=True)
            ]
        )
    program = many_program(sections, THREE)
    assert [i.opcode for i in program].count(Opcode.BARRIER) == 1
    found = memory.copy()
    ReferenceEngine(THREE, found).check(encode(program), range(8))
    np.testing.assert_array_equal(take(found, products[1].c, THREE.acc), expected)
    without = [i for i in program if i.opcode != Opcode.BARRIER]
    with pytest.raises(EngineError, match="race: "):
        ReferenceEngine(THREE, memory.copy()).check(encode(without), range(20))


def test_cycles_are_those_of_the_longest_core_and_of_every_section() -> None:
    case = problem(THREE, 30, 12, 12)
    sharing = Sharer(THREE).share([case.product])
    parts = section(case, sharing)
    model = ManyCycles(THREE, 80)
    once = model.cycles(entries(many_program([parts], THREE)))
    assert sharing.cycles * 0.9 < once < sharing.cycles * 1.35
    twice = many_program([parts, parts], THREE)
    moments = model.run(entries(twice))
    assert [moment.index for moment in moments] == list(range(len(twice)))
    barrier = next(at for at, i in enumerate(twice) if i.opcode == Opcode.BARRIER)
    end = max(moment.ends for moment in moments[:barrier])
    assert moments[barrier].begins == end < min(moment.begins for moment in moments[barrier + 1 :])
    assert 1.6 * once < model.cycles(entries(twice)) < 2.1 * once


def test_an_instruction_for_a_core_that_does_not_exist_is_found() -> None:
    case = problem(THREE, 4, 4, 4)
    program = [i._replace(core=3) for i in gemm_program(piece_of(case.product, Piece(0, 0, 4, 4)), LONG, THREE)]
    message = "instruction 0 (STORE_TENSOR) of core 3 is for a core that the engine does not have"
    with pytest.raises(EngineError, match=f"^{re.escape(message)}$"):
        ReferenceEngine(THREE, case.memory).run(encode(program))
