"""Several products in one program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tilewright.generators.program.instruction import Instruction, Token, bits
from tilewright.hdl.engine.records import Opcode, Target

_LOADS = (Opcode.LOAD_TENSOR, Opcode.LOAD)


@dataclass(frozen=True)
class Part:
    """The program of a product, and whether it needs what the one before it has stored."""

    program: Sequence[Instruction]
    after_stores: bool = True


def joined(parts: Sequence[Part]) -> list[Instruction]:
    """One program that does ``parts`` one after the other.

    Scratchpads are used anew by each: its loads wait for the last command of the part before, its commands, and its
    loads of C, for that part's last store. So the head of one part, its loads, runs beside the tail of the one
    before; where it needs what that has stored, or replaces a table or row sums, which are in use until then, its
    loads wait for the last store as well.
    """
    found: list[Instruction] = []
    sums = False
    for number, part in enumerate(parts):
        found += _part(part, first=number == 0, last=number == len(parts) - 1, sums=sums)
        sums = any(instruction.fields.get("zero_b", 0) for instruction in part.program)
    return [*found, Instruction(Opcode.END, {})]


def _part(part: Part, *, first: bool, last: bool, sums: bool) -> Iterator[Instruction]:
    """``sums``: the part before needs those of its rows until its last store."""
    body = [instruction for instruction in part.program if instruction.opcode != Opcode.END]
    where = {opcode: [at for at, i in enumerate(body) if i.opcode == opcode] for opcode in (Opcode.GEMM, Opcode.STORE)}
    loads = [at for at, instruction in enumerate(body) if instruction.opcode in _LOADS]
    waits: dict[int, list[Token]] = {}
    gives: dict[int, list[Token]] = {}
    if not first:
        tables = any(i.gives & bits(Token.CHANNELS_FULL, Token.TABLE_FULL) for i in body if i.opcode == Opcode.LOAD)
        late = part.after_stores or sums or tables
        waits.setdefault(loads[0], []).append(Token.COMPUTED)
        into_c = [at for at in loads if body[at].fields.get("target") == Target.C]
        waits.setdefault(loads[0] if late else [*into_c, where[Opcode.GEMM][0]][0], []).append(Token.STORED)
    if not last:
        gives.setdefault(where[Opcode.GEMM][-1], []).append(Token.COMPUTED)
        gives.setdefault(where[Opcode.STORE][-1], []).append(Token.STORED)
    for at, instruction in enumerate(body):
        more_waits, more_gives = bits(*waits.get(at, ())), bits(*gives.get(at, ()))
        yield instruction._replace(waits=instruction.waits | more_waits, gives=instruction.gives | more_gives)
