"""One instruction as plain values, and the names of tokens."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

from tilewright.hdl.engine.records import Opcode


class Instruction(NamedTuple):
    """An instruction; fields that are not named are 0.

    Attributes:
        opcode: what it does.
        fields: of its layout, head apart (`tilewright.generators.program.layout.fields`).
        waits, gives: sets of tokens, token t as bit t.
        tag: for whoever reads traces.
        core: that carries it out.
    """

    opcode: Opcode
    fields: Mapping[str, int]
    waits: int = 0
    gives: int = 0
    tag: int = 0
    core: int = 0


class Token(IntEnum):
    """What the tokens of programs for matrix products count. FULL and SUMMED: ready to be read; FREE: to be written.

    ``START`` is the bias row or the old C of a tile. COMPUTED and STORED stand between products of one program: all
    commands of the one before have ended, all its stores. All counters are 0 again when a program has ended.
    """

    A_FREE = 0
    A_FULL = 1
    B_FREE = 2
    B_FULL = 3
    C_FREE = 4
    C_SUMMED = 5
    START_FREE = 6
    START_FULL = 7
    CHANNELS_FULL = 8
    COMPUTED = 9
    STORED = 10
    SUMS_FREE = 11
    TABLE_FULL = 12


def bits(*tokens: int) -> int:
    """The set of ``tokens``."""
    total = 0
    for token in tokens:
        total |= 1 << token
    return total
