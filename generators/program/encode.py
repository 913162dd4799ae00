"""Instructions to bytes and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilewright.generators.program.instruction import Instruction
from tilewright.generators.program.layout import HEAD_FIELDS, INSTRUCTION_BYTES, Field, fields
from tilewright.hdl.engine.records import Opcode

_WORDS = INSTRUCTION_BYTES // 8


def encode(instructions: Sequence[Instruction]) -> NDArray[np.uint8]:
    """The bytes of a program, ``(instructions, 64)``; bit 0 of an instruction is bit 0 of its first byte.

    All instructions of an opcode are packed at once: 20,000 instructions take about 0.1 s.

    Raises ValueError for a field that the instruction does not have, or a value that the field does not hold.
    """
    words = np.zeros((len(instructions), _WORDS), dtype=np.uint64)
    opcodes = np.fromiter((i.opcode for i in instructions), dtype=np.int64, count=len(instructions))
    for opcode in Opcode:
        rows: list[int] = np.flatnonzero(opcodes == opcode).tolist()
        if rows:
            words[rows] = _pack(opcode, [instructions[row] for row in rows])
    return words.astype("<u8").view(np.uint8).reshape(-1, INSTRUCTION_BYTES)


def decode(program: ArrayLike) -> list[Instruction]:
    """The instructions of a program's bytes; fields that are 0 are named too. Reserved bits are left out.

    Raises ValueError where the number of bytes is not a multiple of 64, or an opcode is unknown.
    """
    data = np.ascontiguousarray(program, dtype=np.uint8).reshape(-1)
    if len(data) % INSTRUCTION_BYTES:
        raise ValueError(f"a program must be a multiple of {INSTRUCTION_BYTES} bytes, got {len(data)}")
    words = data.view("<u8").astype(np.uint64).reshape(-1, _WORDS)
    opcodes = (words[:, 0] & np.uint64(0xFF)).tolist()
    unknown = sorted(set(opcodes) - set(Opcode))
    if unknown:
        raise ValueError(f"an opcode must be one of 0..{max(Opcode)}, got {unknown[0]}")
    found: list[Instruction | None] = [None] * len(words)
    for opcode in Opcode:
        rows = [row for row, code in enumerate(opcodes) if code == opcode]
        columns = {name: _take(words[rows], field).tolist() for name, field in fields(opcode).items()}
        names = [name for name in columns if name not in HEAD_FIELDS and name != "command_reserved"]
        for index, row in enumerate(rows):
            values = {name: columns[name][index] for name in names}
            head = (columns[name][index] for name in ("waits", "gives", "tag", "core"))
            found[row] = Instruction(opcode, values, *head)
    return [instruction for instruction in found if instruction is not None]


def _pack(opcode: Opcode, group: list[Instruction]) -> NDArray[np.uint64]:
    """The words of instructions of one opcode."""
    layout = fields(opcode)
    names: set[str] = set().union(*(i.fields for i in group))
    if not names <= layout.keys() - set(HEAD_FIELDS):
        raise ValueError(f"{opcode.name} must have fields of its layout only, got {min(names - layout.keys())}")
    columns: dict[str, list[int]] = {name: [i.fields.get(name, 0) for i in group] for name in sorted(names)}
    columns["opcode"] = [int(opcode)] * len(group)
    for head in ("tag", "waits", "gives", "core"):
        columns[head] = [getattr(i, head) for i in group]
    words = np.zeros((len(group), _WORDS), dtype=np.uint64)
    for name, column in columns.items():
        field = layout[name]
        low, high = min(column), max(column)
        if low < field.low or high > field.high:
            wrong = low if low < field.low else high
            nearest = min(max(wrong, field.low), field.high)
            raise ValueError(
                f"{name} of {opcode.name} must be {field.low}..{field.high}, got {wrong}; "
                f"nearest legal value is {nearest}"
            )
        _put(words, field, np.array(column, dtype=np.int64 if low < 0 else np.uint64).astype(np.uint64))
    return words


def _put(words: NDArray[np.uint64], field: Field, values: NDArray[np.uint64]) -> None:
    """Sets a field that is 0."""
    word, shift = divmod(field.offset, 64)
    values = values & np.uint64((1 << field.width) - 1)
    words[:, word] |= values << np.uint64(shift)
    if shift + field.width > 64:
        words[:, word + 1] |= values >> np.uint64(64 - shift)


def _take(words: NDArray[np.uint64], field: Field) -> NDArray[np.int64] | NDArray[np.uint64]:
    """The values of a field."""
    word, shift = divmod(field.offset, 64)
    values = words[:, word] >> np.uint64(shift)
    if shift + field.width > 64:
        values |= words[:, word + 1] << np.uint64(64 - shift)
    values &= np.uint64((1 << field.width) - 1)
    if not field.signed:
        return values
    sign = np.int64(1 << (field.width - 1))
    return (values.astype(np.int64) ^ sign) - sign
