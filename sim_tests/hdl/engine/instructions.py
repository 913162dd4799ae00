"""Instructions as integers, by field."""

from __future__ import annotations

from typing import Any

from amaranth.lib import data

from tilewright.hdl.engine.records import BOX, FINISH, GEMM, HEAD, TENSOR, Opcode

_LAYOUTS = {
    Opcode.END: data.StructLayout({"head": HEAD}),
    Opcode.LOAD_TENSOR: TENSOR,
    Opcode.STORE_TENSOR: TENSOR,
    Opcode.LOAD: BOX,
    Opcode.STORE: BOX,
    Opcode.GEMM: GEMM,
    Opcode.FINISH: FINISH,
    Opcode.BARRIER: data.StructLayout({"head": HEAD}),
}


def instruction(opcode: Opcode, *, tag: int = 0, waits: int = 0, gives: int = 0, core: int = 0, **fields: Any) -> int:
    """The bits of an instruction; fields that are not named are 0."""
    head = {"opcode": opcode, "tag": tag, "waits": waits, "gives": gives, "core": core}
    return int(_LAYOUTS[opcode].const({"head": head, **fields}).as_bits())
