"""Where the fields of instructions lie, from the records that the RTL is made from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from amaranth.hdl import Shape
from amaranth.lib import data

from tilewright.hdl.engine.records import BOX, FINISH, GEMM, HEAD, INSTRUCTION_BITS, TENSOR, Opcode

INSTRUCTION_BYTES = INSTRUCTION_BITS // 8

LAYOUTS: dict[Opcode, data.StructLayout] = {
    Opcode.END: data.StructLayout({"head": HEAD}),
    Opcode.LOAD_TENSOR: TENSOR,
    Opcode.LOAD: BOX,
    Opcode.GEMM: GEMM,
    Opcode.FINISH: FINISH,
    Opcode.STORE_TENSOR: TENSOR,
    Opcode.STORE: BOX,
    Opcode.BARRIER: data.StructLayout({"head": HEAD}),
}
HEAD_FIELDS = ("opcode", "tag", "waits", "gives", "core", "reserved")


@dataclass(frozen=True)
class Field:
    """Bits ``offset .. offset + width - 1`` of an instruction, two's complement where ``signed``."""

    offset: int
    width: int
    signed: bool

    @property
    def low(self) -> int:
        """Smallest value."""
        return -(1 << (self.width - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        """Largest value."""
        return (1 << (self.width - self.signed)) - 1


@cache
def fields(opcode: Opcode) -> dict[str, Field]:
    """All fields of an instruction, those of its head first; a GEMM's are those of the core's command.

    A command has a ``tag`` and ``reserved`` bits of its own, called ``command_tag`` and ``command_reserved``.
    """
    return _flat(LAYOUTS[opcode], 0, inside=False)


def _flat(layout: data.StructLayout, start: int, *, inside: bool) -> dict[str, Field]:
    found: dict[str, Field] = {}
    for name, field in layout:
        at = start + field.offset
        if isinstance(field.shape, data.StructLayout):
            found |= _flat(field.shape, at, inside=name == "command")
        else:
            shape = Shape.cast(field.shape)
            key = f"command_{name}" if inside and name in HEAD_FIELDS else name
            found[key] = Field(at, shape.width, shape.signed)
    return found
