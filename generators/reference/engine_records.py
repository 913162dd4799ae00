"""Instructions of the engine as plain values, read from the bytes of a program."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

INSTRUCTION_BYTES = 64
TOKENS = 16


class Op(IntEnum):
    """What an instruction does."""

    END = 0
    LOAD_TENSOR = 1
    LOAD = 2
    GEMM = 3
    FINISH = 4
    STORE_TENSOR = 5
    STORE = 6
    BARRIER = 7


class Into(IntEnum):
    """Where a load puts its matrix."""

    A = 0
    B = 1
    C = 2
    CHANNELS = 3
    RESIDUAL = 4
    TABLE = 5


HEAD = "opcode:8 tag:8 waits:16 gives:16 core:4 reserved:12"
_TENSOR = (
    "slot:8 line:32 tap_x_count:8 tap_x_stride:-32 tap_y_stride:-32 out_x_count:16 out_y_count:16 out_x_stride:-32 "
    "out_y_stride:-32 batch_stride:-32 x_first:-16 x_out_step:8 x_tap_step:8 x_size:16 y_first:-16 y_out_step:8 "
    "y_tap_step:8 y_size:16 fill:16"
)
_BOX = (
    "target:3 region:1 slot:4 base:16 rows:16 cols:16 address:64 line_start:32 tap_x_start:8 out_x_start:16 "
    "out_y_start:16 out_x_offset:-32 tap_x_offset:-32 tap_y_offset:-32 x_row:-16 x_column:-16 y_row:-16 y_column:-16 "
    "sum_base:16 sum_add:4 turned:4 stored_rows:16"
)
_GEMM = (
    "m:16 n:16 k:16 a_base:16 b_base:16 c_base:16 bias_base:16 dataflow:2 start:2 region:1 command_reserved:3 "
    "command_tag:8 point:-16"
)
_FINISH = (
    "mode:8 activation:8 shift:8 sum_shift:8 multiplier:32 zero_point:-24 low:-24 high:-24 zero_b:-24 row_base:16 "
    "channel_base:16 point:-16 pool_width:16 add:8 left_multiplier:32 right_multiplier:32 sum_multiplier:32 "
    "right_zero:-24 sum_zero:-24 sum_low:-24 sum_high:-24"
)

BODIES = {
    Op.END: "",
    Op.LOAD_TENSOR: _TENSOR,
    Op.LOAD: _BOX,
    Op.GEMM: _GEMM,
    Op.FINISH: _FINISH,
    Op.STORE_TENSOR: _TENSOR,
    Op.STORE: _BOX,
    Op.BARRIER: "",
}
"""Fields after the head, from bit 64 on, each ``name:bits``; a minus stands for two's complement."""


class Entry(NamedTuple):
    """An instruction and its place in the program."""

    number: int
    op: Op
    waits: int
    gives: int
    fields: Mapping[str, int]
    core: int = 0

    def __str__(self) -> str:
        core = f" of core {self.core}" if self.core else ""
        return f"instruction {self.number} ({self.op.name}){core}"


def bit_fields(op: Op) -> list[tuple[str, int, int, bool]]:
    """(name, first bit, bits, signed) of all fields of an instruction."""
    found, at = [], 0
    for item in f"{HEAD} {BODIES[op]}".split():
        name, text = item.split(":")
        width = int(text)
        found.append((name, at, abs(width), width < 0))
        at += abs(width)
    return found


def read_program(program: ArrayLike, *, whole: bool = True) -> list[Entry]:
    """The instructions of ``program``, 64 bytes each, up to the first END.

    Raises ValueError for an unknown opcode, and where it must be ``whole`` for a program without END.
    """
    data = np.ascontiguousarray(program, dtype=np.uint8).reshape(-1, INSTRUCTION_BYTES)
    layouts = {op: bit_fields(op) for op in Op}
    entries = []
    for index, row in enumerate(data):
        bits = int.from_bytes(row.tobytes(), "little")
        if bits & 0xFF not in set(Op):
            raise ValueError(f"instruction {index} has no opcode 0..{max(Op)}, but {bits & 0xFF}")
        op = Op(bits & 0xFF)
        values = {}
        for name, at, width, signed in layouts[op]:
            value = bits >> at & ((1 << width) - 1)
            values[name] = value - (1 << width) if signed and value >> (width - 1) else value
        entries.append(Entry(index, op, values["waits"], values["gives"], values, values["core"]))
        if op == Op.END:
            return entries
    if whole:
        raise ValueError("a program must have an END")
    return entries
