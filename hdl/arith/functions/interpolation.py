"""A straight line from a table: two cycles."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Signal, Value, unsigned

from tilewright.hdl.arith.functions.rom import Rom
from tilewright.hdl.numeric.functions import Elementary
from tilewright.hdl.structure import data_register, named, place

LATENCY = 2
"""Cycles of ``interpolate``."""


def interpolate(
    m: Module, platform: Any, unit: Elementary, name: str, index: Value, offset: Value
) -> tuple[Value, Value]:
    """What the table of ``unit`` has at ``offset`` of segment ``index``, ``LATENCY`` cycles later, one a cycle.

    The first register follows the table, so that a block RAM absorbs it, the second the multiplication and addition.
    ``name`` is that of the table's module.

    Returns:
        The value, unsigned, with ``point`` fraction bits and two more; and what else the segment has above constant
        and slope (its exponent), a cycle earlier.
    """
    table, width = unit.table, unit.reduction.point + 2
    rom = Rom(name, unit.words, unit.word_bits)
    m.submodules.table = place(platform, rom)
    m.d.comb += rom.address.eq(index)
    word = data_register(m, rom.word, "segment")
    offset = data_register(m, offset, "offset")
    constant, rest = word[: table.constant_bits], word[table.constant_bits :]
    slope, rest = rest[: table.slope_bits], rest[table.slope_bits :]
    value = Signal(unsigned(width), name="value")
    base = constant << table.drop
    if len(slope) and len(offset):
        product = named(m, (slope.as_signed() if table.signed_slopes else slope) * offset, "product")
        m.d.comb += value.eq(base + product)
    else:  # one operand a segment
        m.d.comb += value.eq(base)
    return data_register(m, value, "interpolated"), rest
