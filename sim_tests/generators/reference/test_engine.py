"""The engine's model finds what programs do wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tilewright.generators.program.encode import encode
from tilewright.generators.program.gemm import gemm_program
from tilewright.generators.program.instruction import Instruction, Token
from tilewright.generators.program.tiling import Tiling
from tilewright.generators.reference.engine import ReferenceEngine
from tilewright.generators.reference.engine_machine import Deadlock, EngineError
from tilewright.hdl.engine.records import Activation, Opcode
from tilewright.sim_tests.generators.program.engines import SMALL
from tilewright.sim_tests.generators.program.problems import Problem, problem

TILING = Tiling("ws", "mn", 3, 4, 4, 2, 1, a_stages=2, b_stages=2, c_places=2)
A_STAYS = Tiling("ws", "nm", 3, 4, 4, a_resident=True, a_stages=12, b_stages=2, c_places=2)
BOTH_STAY = Tiling("ws", "nm", 3, 4, 4, 1, 1, 1, True, True, a_stages=12, b_stages=9, c_places=2)
# Loads end in their order, so a token of one operand may stand for another's where both are loaded: not in these.
NEEDS = {
    Token.B_FREE: A_STAYS,
    Token.B_FULL: A_STAYS,
    Token.START_FREE: BOTH_STAY,
    Token.START_FULL: BOTH_STAY,
}


def case() -> Problem:
    return problem(SMALL, 12, 12, 12, start="bias", finish=True)


def run(change: Callable[[list[Instruction]], list[Instruction]], tiling: Tiling = TILING, seeds: int = 12) -> None:
    what = case()
    program = change(gemm_program(what.product, tiling, SMALL))
    ReferenceEngine(SMALL, what.memory).check(encode(program), range(seeds))


@pytest.mark.parametrize("tiling", [TILING, A_STAYS, BOTH_STAY])
def test_the_program_itself_is_right(tiling: Tiling) -> None:
    run(lambda program: program, tiling)


@pytest.mark.parametrize("token", [token for token in Token if token <= Token.START_FULL])
def test_without_any_one_token_there_is_a_race(token: Token) -> None:
    """Each token of the programs is needed: where nobody waits for it, some order reads the wrong words."""
    keep = 0xFFFF ^ (1 << token)

    def without(program: list[Instruction]) -> list[Instruction]:
        return [i._replace(waits=i.waits & keep, gives=i.gives & keep) for i in program]

    with pytest.raises(EngineError, match=r"^(race: instruction|instruction \d+ \(\w+\) reads words that were never)"):
        run(without, NEEDS.get(token, TILING))


def test_a_deadlock_tells_who_waits() -> None:
    def swapped(program: list[Instruction]) -> list[Instruction]:
        first = next(at for at, i in enumerate(program) if i.opcode == Opcode.GEMM)
        program[first] = program[first]._replace(waits=program[first].waits | 1 << 15)
        return program

    what = case()
    program = encode(swapped(gemm_program(what.product, TILING, SMALL)))
    engine = ReferenceEngine(SMALL, what.memory)
    with pytest.raises(
        Deadlock,
        match=r"^the order of the program .* the compute sequencer's instruction \d+ \(GEMM\) waits for token 15$",
    ):
        engine.run(program)


def test_a_token_too_many() -> None:
    with pytest.raises(EngineError, match=r"^tokens must be taken before the program ends, but token 9 is left$"):
        run(lambda program: [program[0]._replace(gives=1 << 9), *program[1:]])
    with pytest.raises(EngineError, match=r"^instruction 63 \(FINISH\) gives token 9, of which there are 63 already$"):
        run(lambda program: [program[0]._replace(gives=1 << 9)] * 64 + program)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("base", 60, r"instruction \d+ \(LOAD\) is refused by the core: OUT_OF_RANGE"),
        ("rows", 0, r"instruction \d+ \(LOAD\) is refused by the core: EMPTY"),
        ("slot", 3, r"instruction \d+ \(LOAD\) moves a matrix of tensor 3, which no instruction has described"),
        ("address", 1 << 30, r"instruction \d+ \(LOAD\) reaches byte 0x[0-9a-f]+, the memory has 0x[0-9a-f]+"),
        ("target", 3, r"instruction \d+ \(LOAD\) loads more channels than the 0 that there is room for"),
        ("target", 5, r"instruction \d+ \(LOAD\) loads entry \d+ of the table, this engine has 0"),
        ("target", 6, r"instruction \d+ \(LOAD\) loads to target 6, which no engine has"),
        ("target", 4, r"instruction \d+ \(LOAD\) loads a matrix to be added, which this engine cannot do"),
    ],
)
def test_loads_that_cannot_be(field: str, value: int, message: str) -> None:
    def changed(program: list[Instruction]) -> list[Instruction]:
        at = next(at for at, i in enumerate(program) if i.opcode == Opcode.LOAD)
        program[at] = program[at]._replace(fields={**program[at].fields, field: value})
        return program

    with pytest.raises(EngineError, match=f"^{message}$"):
        run(changed)


def test_finished_results_need_a_finish() -> None:
    with pytest.raises(EngineError, match=r"stores finished results, but no FINISH before it says how to finish them$"):
        run(lambda program: program[1:])


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("zero_b", r"needs \d+ row sums from 0 on, the engine has 0"),
        ("pool_width", "pools results, which this engine cannot do"),
        ("add", "adds a matrix to results, which this engine cannot do"),
        ("activation", "looks results up in a table, which this engine does not have"),
    ],
)
def test_what_the_engine_cannot_do_is_refused(field: str, message: str) -> None:
    def changed(program: list[Instruction]) -> list[Instruction]:
        value = int(Activation.TABLE) if field == "activation" else 1
        return [program[0]._replace(fields={**program[0].fields, field: value}), *program[1:]]

    with pytest.raises(EngineError, match=rf"^instruction \d+ \(STORE\) {message}$"):
        run(changed)
