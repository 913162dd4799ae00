"""The model's own table of instructions against the records that the RTL is made from."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.generators.program.encode import encode
from tilewright.generators.program.instruction import Instruction
from tilewright.generators.program.layout import fields
from tilewright.generators.reference.engine_records import Into, Op, bit_fields, read_program
from tilewright.hdl.engine.records import TOKENS, Opcode, Target


@pytest.mark.parametrize("op", list(Op))
def test_tables_agree(op: Op) -> None:
    want = [(name, f.offset, f.width, f.signed) for name, f in fields(Opcode(int(op))).items()]
    assert bit_fields(op) == want


def test_enumerations_agree() -> None:
    assert {op.name: op.value for op in Op} == {op.name: op.value for op in Opcode}
    assert {target.name: target.value for target in Into} == {target.name: target.value for target in Target}
    assert TOKENS == 16


def test_programs_are_read_up_to_their_end() -> None:
    box = {"rows": 3, "address": (1 << 64) - 5, "x_row": -7}
    program = [Instruction(Opcode.STORE, box, waits=5, gives=0x8000), Instruction(Opcode.END, {})]
    found = read_program(encode([*program, Instruction(Opcode.LOAD, {})]))
    assert [(entry.number, entry.op) for entry in found] == [(0, Op.STORE), (1, Op.END)]
    assert (found[0].waits, found[0].gives) == (5, 0x8000)
    assert {name: found[0].fields[name] for name in box} == box


def test_refusals() -> None:
    with pytest.raises(ValueError, match=r"^instruction 0 has no opcode 0..7, but 9$"):
        read_program(np.full(64, 9, dtype=np.uint8))
    with pytest.raises(ValueError, match=r"^a program must have an END$"):
        read_program(encode([Instruction(Opcode.LOAD, {})]))
