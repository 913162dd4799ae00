"""Instructions to bytes and back."""

from __future__ import annotations

import time

import numpy as np
import pytest

from tilewright.generators.program.encode import decode, encode
from tilewright.generators.program.instruction import Instruction
from tilewright.generators.program.layout import HEAD_FIELDS, LAYOUTS, fields
from tilewright.hdl.engine.records import Opcode


def random_instruction(random: np.random.Generator, opcode: Opcode) -> Instruction:
    """All fields random, extremes among them."""
    values = {}
    for name, field in fields(opcode).items():
        if name not in HEAD_FIELDS and name != "command_reserved":
            low, high = field.low, field.high
            inside = low + int(random.integers(0, 1 << 62)) % (high - low + 1)
            values[name] = (low, high, inside, inside)[int(random.integers(4))]
    return Instruction(opcode, values, *(int(random.integers(1 << bits)) for bits in (16, 16, 8)))


def test_there_and_back() -> None:
    random = np.random.default_rng(3)
    program = [random_instruction(random, opcode) for opcode in Opcode for _ in range(20)]
    program = [program[at] for at in random.permutation(len(program))]
    assert decode(encode(program)) == program


@pytest.mark.parametrize("opcode", list(Opcode))
def test_every_bit_stands_where_amaranth_puts_it(opcode: Opcode) -> None:
    """One field at a time, against the constants of the records themselves."""
    layout = LAYOUTS[opcode]
    for name, field in fields(opcode).items():
        if name in HEAD_FIELDS or name.startswith("command_"):
            continue
        value = field.low or (field.high if field.width > 8 else 1)  # enumerations have few values
        packed = encode([Instruction(opcode, {name: value}, waits=0x8001, gives=0x4002, tag=0xA5)])
        head = {"opcode": opcode, "waits": 0x8001, "gives": 0x4002, "tag": 0xA5}
        body = {"command": {name: value}} if opcode == Opcode.GEMM else {name: value}
        want = layout.const({"head": head, **body})
        assert int.from_bytes(packed.tobytes(), "little") == want.as_value().value


def test_twenty_thousand_in_a_moment() -> None:
    random = np.random.default_rng(3)
    some = [random_instruction(random, opcode) for opcode in (Opcode.LOAD, Opcode.GEMM, Opcode.STORE)]
    begun = time.process_time()
    assert encode(some * 6667).shape == (20_001, 64)
    assert time.process_time() - begun < 1.0


def test_refusals() -> None:
    with pytest.raises(ValueError, match=r"^rows of LOAD must be 0..65535, got 65536; nearest legal value is 65535$"):
        encode([Instruction(Opcode.LOAD, {"rows": 65_536})])
    with pytest.raises(
        ValueError, match=r"^point of GEMM must be -32768..32767, got -32769; nearest legal value is -32768$"
    ):
        encode([Instruction(Opcode.GEMM, {"point": -32_769})])
    with pytest.raises(ValueError, match=r"^STORE must have fields of its layout only, got rowz$"):
        encode([Instruction(Opcode.STORE, {"rowz": 1})])
    with pytest.raises(ValueError, match=r"^a program must be a multiple of 64 bytes, got 65$"):
        decode(np.zeros(65, dtype=np.uint8))
    with pytest.raises(ValueError, match=r"^an opcode must be one of 0..7, got 9$"):
        decode(np.full(64, 9, dtype=np.uint8))
