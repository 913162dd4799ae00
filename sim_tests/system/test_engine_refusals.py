"""Programs that no engine may run: each ends as failed, names cause and instruction, and the next one works."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from tilewright.generators.config.engine import engine_config
from tilewright.generators.program.encode import encode
from tilewright.generators.program.instruction import Instruction
from tilewright.hdl.engine.answers import Cause
from tilewright.hdl.engine.records import Opcode, Target
from tilewright.hdl.numeric.window import LARGEST_POINT
from tilewright.hdl.systolic.records import Status
from tilewright.sim_tests.system.engine_designs import EngineDesign, gate_engines
from tilewright.sim_tests.system.engine_probe import PROGRAM, Probe

END = Instruction(Opcode.END, {})


@dataclass(frozen=True)
class Spoilt:
    """Fields of the last instruction of a kind, and what comes of them."""

    opcode: Opcode
    fields: dict[str, int]
    cause: Cause
    status: Status
    select: dict[str, int]


def _gemm(status: Status, **fields: int) -> Spoilt:
    return Spoilt(Opcode.GEMM, fields, Cause.GEMM_REFUSED, status, {})


def _load(target: Target, **fields: int) -> Spoilt:
    return Spoilt(Opcode.LOAD, fields, Cause.LOAD_REFUSED, Status.OUT_OF_RANGE, {"target": target})


CASES = {
    "bad dataflow": _gemm(Status.BAD_DATAFLOW, dataflow=3),
    "dataflow of another core": _gemm(Status.BAD_DATAFLOW, dataflow=1),
    "bad start": _gemm(Status.BAD_START, start=3),
    "a out of range": _gemm(Status.A_OUT_OF_RANGE, a_base=65535),
    "a out of range by one": _gemm(Status.A_OUT_OF_RANGE, a_base=94),
    "b out of range": _gemm(Status.B_OUT_OF_RANGE, b_base=65535),
    "c out of range": _gemm(Status.C_OUT_OF_RANGE, c_base=64),
    "c out of range by one": _gemm(Status.C_OUT_OF_RANGE, c_base=62),
    "bias out of range": _gemm(Status.BIAS_OUT_OF_RANGE, start=1, bias_base=64),
    "bias in c": _gemm(Status.BIAS_IN_C, start=1, c_base=10, bias_base=11),
    "load of a beyond its scratchpad": _load(Target.A, base=96),
    "load of a beyond its scratchpad by one": _load(Target.A, base=94),
    "load of b beyond its scratchpad": _load(Target.B, base=65535),
    "load of c beyond its scratchpad": _load(Target.C, base=64),
    "store from beyond the scratchpad": Spoilt(
        Opcode.STORE, {"base": 62}, Cause.STORE_REFUSED, Status.OUT_OF_RANGE, {}
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_the_core_refuses(name: str) -> None:
    case = CASES[name]
    with Probe(gate_engines()["ws_4x4"]) as probe:
        at = probe.known.places(case.opcode, **case.select)[-1]
        found = probe.run(probe.known.with_fields(at, **case.fields))
        assert (found.busy, found.done, found.failed) == (False, False, True)
        assert (found.cause, Status(found.detail), found.tag) == (case.cause, case.status, at)
        probe.only_c_changed()
        probe.works()


def _of_channels(rows: int, cols: int) -> list[Instruction]:
    """A program that loads so many channels."""
    return _of_row(Target.CHANNELS, rows, cols)


def _of_table(rows: int, cols: int) -> list[Instruction]:
    """A program that loads so many entries of the table."""
    return _of_row(Target.TABLE, rows, cols)


def _of_row(target: Target, rows: int, cols: int) -> list[Instruction]:
    tensor = {"line": 300, "tap_x_count": 1, "out_x_count": 9, "out_y_count": 1, "x_size": 1, "y_size": 1}
    load = {"target": int(target), "slot": 3, "rows": rows, "cols": cols}
    return [Instruction(Opcode.LOAD_TENSOR, {"slot": 3, **tensor}), Instruction(Opcode.LOAD, load, tag=9), END]


@pytest.mark.parametrize(
    ("rows", "cols", "status"), [(1, 257, Status.OUT_OF_RANGE), (2, 4, Status.LENGTH), (2, 129, Status.LENGTH)]
)
def test_load_of_what_is_no_table(rows: int, cols: int, status: Status) -> None:
    with Probe(gate_engines()["ws_4x4"]) as probe:
        assert probe.run(_of_table(1, 256)).done
        found = probe.run(_of_table(rows, cols))
        assert (found.cause, Status(found.detail), found.tag) == (Cause.LOAD_REFUSED, status, 9)
        probe.works()


def test_load_of_more_channels_than_there_is_room_for() -> None:
    with Probe(gate_engines()["ws_4x4"]) as probe:
        assert probe.run(_of_channels(1, 32)).done
        found = probe.run(_of_channels(1, 33))
        assert (found.cause, found.detail, found.tag) == (Cause.LOAD_REFUSED, Status.OUT_OF_RANGE, 9)
        probe.works()


@pytest.mark.parametrize("cols", [1, 2, 5, 32])
def test_load_of_channels_in_several_rows(cols: int) -> None:
    """LENGTH: channels end with their row. No load into a scratchpad can have it: the core and what feeds it count by
    the same rows and columns of the instruction, whatever the tensor is."""
    with Probe(gate_engines()["ws_4x4"]) as probe:
        found = probe.run(_of_channels(2, cols))
        assert (found.cause, Status(found.detail), found.tag) == (Cause.LOAD_REFUSED, Status.LENGTH, 9)
        probe.works()


@pytest.mark.long
@pytest.mark.parametrize("point", [-32768, -LARGEST_POINT - 1, LARGEST_POINT + 1, 32767])
def test_bad_point(point: int) -> None:
    """Only a core whose accumulators are windows has points; none of the gate's engines is of that kind."""
    fields = {"a": "bf16", "acc": "fx48", "rows": 2, "cols": 2, "a_words": 64, "b_words": 64, "c_words": 64}
    design = EngineDesign("fx48", engine_config({"module_name": "engine_fx48", **fields}))
    with Probe(design) as probe:
        at = probe.known.places(Opcode.GEMM)[2]
        found = probe.run(probe.known.with_fields(at, point=point))
        assert (found.cause, Status(found.detail), found.tag) == (Cause.GEMM_REFUSED, Status.BAD_POINT, at)
        probe.only_c_changed()
        probe.works()


def test_every_status_is_provoked() -> None:
    """EMPTY is no fault (sizes of 0, below); the others have tests of their own here."""
    told = {case.status for case in CASES.values()} | {Status.IN_USE, Status.LENGTH, Status.BAD_POINT}
    assert told == set(Status) - {Status.OK, Status.EMPTY}


def test_what_is_still_in_use_cannot_be_stored() -> None:
    """The second command, on whose C the store lays its hands, takes many cycles after the first has ended."""
    with Probe(gate_engines()["ws_4x4"]) as probe:
        size = {"m": 1, "n": 1, "k": 1}
        program = [
            Instruction(Opcode.GEMM, {**size}, gives=1),
            Instruction(Opcode.GEMM, {"m": 60, "n": 4, "k": 4, "region": 1}),
            Instruction(Opcode.STORE, {"rows": 1, "cols": 1, "region": 1}, waits=1, tag=5),
            END,
        ]
        found = probe.run(program)
        assert (found.cause, Status(found.detail), found.tag) == (Cause.STORE_REFUSED, Status.IN_USE, 5)
        probe.works()


@pytest.mark.parametrize("opcode", [7, 128, 255])
def test_illegal_opcode(opcode: int) -> None:
    with Probe(gate_engines()["ws_4x4"]) as probe:
        at = len(probe.known.instructions) // 2
        raw = probe.known.program.copy()
        raw[64 * at] = opcode
        found = probe.run(raw)
        assert (found.failed, found.cause, found.tag) == (True, Cause.ILLEGAL_INSTRUCTION, at)
        probe.only_c_changed()
        probe.works()


@pytest.mark.parametrize("target", [2, 3])
def test_store_of_no_known_form(target: int) -> None:
    with Probe(gate_engines()["ws_4x4"]) as probe:
        at = probe.known.places(Opcode.STORE)[1]
        found = probe.run(probe.known.with_fields(at, target=target))
        assert (found.failed, found.cause, found.tag) == (True, Cause.ILLEGAL_INSTRUCTION, at)
        probe.only_c_changed()
        probe.works()


@pytest.mark.parametrize(
    ("target", "rows", "cols"),
    [(Target.A, 5, 4), (Target.A, 4, 17), (Target.B, 5, 4), (Target.B, 1, 17), (Target.C, 1, 1)],
)
def test_load_of_what_cannot_be_turned(target: Target, rows: int, cols: int) -> None:
    """The transposer takes 4 x 16 values at once, of A and B."""
    with Probe(gate_engines()["ws_4x4"]) as probe:
        at = probe.known.places(Opcode.LOAD)[2]
        fields = {"target": int(target), "rows": rows, "cols": cols, "turned": 1, "base": 0}
        found = probe.run(probe.known.with_fields(at, **fields))
        assert (found.failed, found.cause, found.tag) == (True, Cause.ILLEGAL_INSTRUCTION, at)
        probe.works()


@pytest.mark.parametrize("target", [Target.CHANNELS, Target.RESIDUAL, Target.TABLE, 6, 7])
def test_load_of_what_the_engine_does_not_have(target: int) -> None:
    with Probe(gate_engines()["any_3x5"]) as probe:
        at = probe.known.places(Opcode.LOAD)[2]
        found = probe.run(probe.known.with_fields(at, target=int(target)))
        assert (found.failed, found.cause, found.tag) == (True, Cause.ILLEGAL_INSTRUCTION, at)
        probe.works()


def _nothing(waits: int = 0, gives: int = 0, tag: int = 0) -> Instruction:
    return Instruction(Opcode.LOAD, {"rows": 0, "cols": 3}, waits, gives, tag)


def test_a_deadlock_is_told_with_the_tokens_that_are_missing() -> None:
    with Probe(gate_engines()["ws_4x4"]) as probe:
        size = {"m": 1, "n": 1, "k": 1}
        program = [
            _nothing(waits=1 << 3),
            Instruction(Opcode.GEMM, size, waits=1 << 15 | 1 << 0),
            Instruction(Opcode.STORE, {"rows": 1, "cols": 1}, waits=1 << 7),
            END,
        ]
        found = probe.run(program, watchdog=300)
        assert (found.failed, found.cause) == (True, Cause.STUCK)
        assert found.detail == 0b00111, "all three lack tokens, nothing is under way on the bus"
        assert found.missing == (1 << 3, 1 << 15 | 1, 1 << 7)
        probe.works()


def test_only_what_is_missing_is_told() -> None:
    with Probe(gate_engines()["ws_4x4"]) as probe:
        found = probe.run([_nothing(gives=0b01), _nothing(waits=0b11), END], watchdog=300)
        assert (found.cause, found.detail, found.missing) == (Cause.STUCK, 0b001, (0b10, 0, 0))
        probe.works()


@pytest.mark.parametrize("token", [0, 15])
def test_one_token_too_many(token: int) -> None:
    """A counter holds 63; they are gone when the run has ended."""
    with Probe(gate_engines()["ws_4x4"]) as probe:
        full = [_nothing(gives=1 << token)] * 63
        assert probe.run([*full, END]).done
        assert probe.run([_nothing(waits=1 << token), END], watchdog=300).cause == Cause.STUCK
        assert probe.run([*full, *[_nothing(waits=1 << token)] * 63, END]).done
        found = probe.run([*full, _nothing(gives=1 << token), END])
        assert (found.failed, found.cause) == (True, Cause.TOO_MANY_TOKENS)
        probe.works()


def test_one_token_is_taken_by_one() -> None:
    """Load and compute sequencer wait for a token of which the store gives one: the load, named first, gets it."""
    with Probe(gate_engines()["ws_4x4"]) as probe:
        giver = Instruction(Opcode.STORE, {"rows": 1, "cols": 1, "address": probe.known.c.address}, gives=1)
        tensor = Instruction(Opcode.STORE_TENSOR, probe.known.c.description())
        command = Instruction(Opcode.GEMM, {"m": 0}, waits=1)
        found = probe.run([_nothing(waits=1), command, tensor, giver, END], watchdog=300)
        assert (found.cause, found.detail, found.missing) == (Cause.STUCK, 0b010, (0, 1, 0))
        assert probe.run([_nothing(waits=1), command, tensor, giver, giver, END], watchdog=300).done
        probe.works()


@pytest.mark.parametrize("target", [Target.A, Target.B, Target.C])
def test_tokens_of_sizes_of_zero_do_not_hide_those_of_others(target: Target) -> None:
    """What ends at once meets the ends of what takes time in every cycle in which it can: no token is lost."""
    with Probe(gate_engines()["ws_4x4"]) as probe:
        known = probe.known
        load = known.instructions[known.places(Opcode.LOAD, target=target)[0]]
        store = known.instructions[known.places(Opcode.STORE)[0]]
        tensors = [i for i in known.instructions if i.opcode in (Opcode.LOAD_TENSOR, Opcode.STORE_TENSOR)]
        for number in range(1, 21):
            nothing = [_nothing(gives=0b100)] * number
            stores = [Instruction(Opcode.STORE, {"cols": 0}, gives=0b1000)] * number
            mixed = [load._replace(waits=0, gives=1), *nothing, store._replace(waits=0, gives=2), *stores]
            taken = [_nothing(waits=0b1101)] + [_nothing(waits=0b1100)] * (number - 1)
            program = [*tensors, *mixed, *taken, _nothing(waits=0b10), END]
            found = probe.run(program, watchdog=1000)
            assert found.done, found
        probe.works()


ZERO_SIZES = {
    "load of no rows": (Opcode.LOAD, {"rows": 0, "cols": 5}),
    "load of no columns": (Opcode.LOAD, {"rows": 5, "cols": 0}),
    "load of c of no rows": (Opcode.LOAD, {"target": 2, "rows": 0, "cols": 5}),
    "command of no rows": (Opcode.GEMM, {"m": 0, "n": 1, "k": 1}),
    "command of no columns": (Opcode.GEMM, {"m": 1, "n": 0, "k": 1}),
    "command of no products": (Opcode.GEMM, {"m": 1, "n": 1, "k": 0}),
    "store of no rows": (Opcode.STORE, {"rows": 0, "cols": 5}),
    "store of no columns": (Opcode.STORE, {"rows": 5, "cols": 0}),
    "store of nothing, finished": (Opcode.STORE, {"target": 1, "rows": 0, "cols": 0}),
}


@pytest.mark.parametrize("name", ZERO_SIZES)
def test_sizes_of_zero_do_nothing_and_give_tokens(name: str) -> None:
    opcode, fields = ZERO_SIZES[name]
    with Probe(gate_engines()["ws_4x4"]) as probe:
        empty = Instruction(opcode, fields, gives=0b10)
        for program in ([empty, _nothing(waits=0b10), END], [*[empty] * 20, *[_nothing(waits=0b10)] * 20, END]):
            before = probe.session.memory.copy()
            found = probe.run(program, watchdog=1000)
            assert found.done and found.cause == Cause.NONE
            raw = encode(program).ravel()
            before[PROGRAM : PROGRAM + len(raw)] = raw
            np.testing.assert_array_equal(probe.session.memory, before)
        probe.works()
