"""Sums of a term and one of two words in the carry chains of ECP5."""

from __future__ import annotations

from itertools import product
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, unsigned
from amaranth.lib.wiring import In, Out

from tilewright.hdl.structure import Primitive, Repeat, place
from tilewright.hdl.structure.primitive import Pin, word_pins

PAIR = 2
_TABLE = sum((a ^ (c if b else d)) << (a | b << 1 | c << 2 | d << 3) for a, b, c, d in product((0, 1), repeat=4))
"""Whether a bit propagates its carry, by the pins A to D."""


class Ecp5AdderPair(Primitive):
    """CCU2C: two bits of ``term + (selected if select else otherwise)`` and of its carry; combinational.

    The tables of a carry chain have four inputs, of which a sum takes two: the selection costs nothing. A bit whose
    table is 0 has a term equal to what is added, which is then its carry. The cell takes that from the lowest quarter
    of the table, of ``A`` and ``B`` alone; with the term at ``A`` and the selection at ``B`` that quarter is ``A``.
    """

    def __init__(self) -> None:
        words = {"term": "A", "selected": "C", "otherwise": "D", "total": "S"}
        members = {word: In(unsigned(PAIR)) for word in words} | {"total": Out(unsigned(PAIR))}
        members |= {"select": In(1), "carry_in": In(1), "carry_out": Out(1)}
        pins: dict[str, Pin] = {"CIN": ("carry_in", 0), "COUT": ("carry_out", 0)}
        pins |= {f"B{bit}": ("select", 0) for bit in range(PAIR)}
        for word, prefix in words.items():
            pins |= word_pins(prefix, word, PAIR)
        parameters: dict[str, str | Const] = {f"INIT{bit}": Const(_TABLE, 16) for bit in range(PAIR)}
        parameters |= {f"INJECT1_{bit}": "NO" for bit in range(PAIR)}
        super().__init__("ccu2c_select", members, cell="CCU2C", parameters=parameters, pins=pins)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        added = Mux(self.select, self.selected, self.otherwise)
        m.d.comb += Cat(self.total, self.carry_out).eq(self.term + added + self.carry_in)
        return m


def ecp5_add_selected(m: Module, platform: Any, select: Value, selected: Value, otherwise: Value, term: Value) -> Value:
    """See `add_selected`."""
    count = -(-len(otherwise) // PAIR)
    adder = Repeat(
        f"adder_select_{count * PAIR}",
        Ecp5AdderPair(),
        count,
        label="pair",
        chain={"carry_in": "carry_out"},
        shared=("select",),
        drop=("carry_out",),
    )
    m.submodules.adder = place(platform, adder)
    m.d.comb += adder.select.eq(select)
    for port, word in (("term", term), ("selected", selected), ("otherwise", otherwise)):
        m.d.comb += getattr(adder, port).eq(word)
    total = Signal(otherwise.shape(), name="total")
    m.d.comb += total.eq(adder.total)
    return total
