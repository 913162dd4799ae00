"""Products in the multipliers of ECP5."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Const, Module, Signal, Value, signed, unsigned
from amaranth.lib.wiring import In, Out

from tilewright.hdl.arith.targets.factors import Factors, number
from tilewright.hdl.numeric import IntFormat, dot_bits
from tilewright.hdl.structure import Primitive, data_register, pipeline, place
from tilewright.hdl.structure.primitive import CLOCK, Pin, word_pins

FACTOR_BITS, PRODUCT_BITS = 18, 36
_SPARE = {"CE2": 1, "CE3": 1, "RST0": 0, "RST1": 0, "RST2": 0, "RST3": 0, "SOURCEA": 0, "SOURCEB": 0}
"""Pins that nothing here uses: enables on, resets off, factors from the fabric and not from a neighbour."""


class Ecp5Multiplier(Primitive):
    """MULT18X18D with its operand registers in use: ``p = a * b``, ``1 + registers`` cycles later; one a cycle.

    Factors are what the operand registers of the processing element take, so those registers are inside. The first of
    ``registers`` (0..2) is the one at the output, the second the one in the middle of the multiplier. None is reset.

    Members
    -------
    a, b: numbers of ``a_format``, ``b_format``, 18 bits at most
    enable_a, enable_b: whether the operand register takes its factor, 1 bit each
    p: as wide as every product needs, signed
    """

    def __init__(self, a_format: IntFormat, b_format: IntFormat, registers: int) -> None:
        if max(a_format.width, b_format.width) > FACTOR_BITS:
            raise ValueError(f"factors must have at most {FACTOR_BITS} bits, got {a_format} and {b_format}")
        if not 0 <= registers <= 2:
            raise ValueError(f"registers must be 0..2, got {registers}")
        self.a_format, self.b_format, self.registers = a_format, b_format, registers
        members = {"a": In(unsigned(a_format.width)), "enable_a": In(1)}
        self.width = dot_bits(a_format, b_format, 1)
        members |= {"b": In(unsigned(b_format.width)), "enable_b": In(1), "p": Out(signed(self.width))}
        clocks = {"INPUTA": True, "INPUTB": True, "PIPELINE": registers > 1, "OUTPUT": registers > 0}
        parameters: dict[str, str | Const] = {f"REG_{of}_CLK": "CLK0" if on else "NONE" for of, on in clocks.items()}
        parameters |= {f"REG_{of}_CE": enable for of, enable in zip(clocks, ("CE0", "CE1", "CE2", "CE2"), strict=True)}
        pins: dict[str, Pin] = {"CLK0": CLOCK, "CE0": ("enable_a", 0), "CE1": ("enable_b", 0), **_SPARE}
        for side, fmt in (("A", a_format), ("B", b_format)):
            pins |= {f"SIGNED{side}": int(fmt.signed)}
            sign = (side.lower(), fmt.width - 1) if fmt.signed else 0
            pins |= word_pins(side, side.lower(), fmt.width, FACTOR_BITS, sign)
        pins |= word_pins("P", "p", self.width, PRODUCT_BITS, None)
        name = f"mult18x18d_{a_format}_{b_format}_r{registers}"
        super().__init__(name, members, cell="MULT18X18D", parameters=parameters, pins=pins)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        a = data_register(m, self.a, "a_in", enable=self.enable_a)
        b = data_register(m, self.b, "b_in", enable=self.enable_b)
        product = Signal(signed(self.width))
        m.d.comb += product.eq(number(a, self.a_format) * number(b, self.b_format))
        m.d.comb += self.p.eq(pipeline(m, product, self.registers, "product"))
        return m


def ecp5_products(m: Module, platform: Any, factors: Factors, registers: int) -> list[Value]:
    """See `products`: one MULT18X18D each, which holds all registers, those of the operands too."""
    found: list[Value] = []
    for name, x, w in factors.pairs():
        cell = Ecp5Multiplier(factors.x_format, factors.w_format, registers)
        m.submodules[name] = place(platform, cell)
        m.d.comb += [cell.a.eq(x.source), cell.enable_a.eq(x.enable), cell.b.eq(w.source), cell.enable_b.eq(w.enable)]
        found.append(cell.p)
    return found
