"""Products in the multipliers of ECP5."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Const, Module, Signal, Value, signed, unsigned
from amaranth.lib.wiring import In, Member, Out

from tilewright.hdl.arith.targets.factors import Factors, number
from tilewright.hdl.numeric import IntFormat, dot_bits
from tilewright.hdl.structure import Primitive, data_register, pipeline, place
from tilewright.hdl.structure.primitive import CLOCK, UNUSED, Pin, word_pins

FACTOR_BITS, PRODUCT_BITS = 18, 36
_CONTROLS: dict[str, Pin] = {"CLK0": CLOCK, "CE0": 1, "RST0": 0, "SOURCEA": 0, "SOURCEB": 0}
"""Registers take their values, are not reset; factors come from the fabric and not from a neighbour."""
_OPEN = ("CE1", "CE2", "CE3", "RST1", "RST2", "RST3")


class Ecp5Multiplier(Primitive):
    """MULT18X18D with its operand registers in use: ``p = a * b``, ``1 + registers`` cycles later; one a cycle.

    Factors are what the operand registers of the processing element take, so those registers are inside. The first of
    ``registers`` (0..2) is the one at the output, the second the one in the middle of the multiplier. None is reset.

    Where an operand register does not take its factor in every cycle it has an enable. Four multipliers of the device
    share four enables and four resets, and constants are routed to them, so no more of those are used than needed.

    Members
    -------
    a, b: numbers of ``a_format``, ``b_format``, 18 bits at most
    enable_a, enable_b: where ``enables`` (of a, of b) say so, whether the register takes its factor, 1 bit
    p: as wide as every product needs, signed
    """

    def __init__(
        self, a_format: IntFormat, b_format: IntFormat, registers: int, enables: tuple[bool, bool] = (False, False)
    ) -> None:
        if max(a_format.width, b_format.width) > FACTOR_BITS:
            raise ValueError(f"factors must have at most {FACTOR_BITS} bits, got {a_format} and {b_format}")
        if not 0 <= registers <= 2:
            raise ValueError(f"registers must be 0..2, got {registers}")
        self.a_format, self.b_format, self.registers, self.enables = a_format, b_format, registers, enables
        self.width = dot_bits(a_format, b_format, 1)
        clocks = {"INPUTA": True, "INPUTB": True, "PIPELINE": registers > 1, "OUTPUT": registers > 0}
        parameters: dict[str, str | Const] = {f"REG_{of}_CLK": "CLK0" if on else "NONE" for of, on in clocks.items()}
        members, pins = dict[str, Member](), _CONTROLS | dict.fromkeys(_OPEN)
        name = f"mult18x18d_{a_format}_{b_format}_r{registers}"
        for port, fmt, enabled, enable in (("a", a_format, enables[0], "CE1"), ("b", b_format, enables[1], "CE2")):
            side, sign = port.upper(), (port, fmt.width - 1) if fmt.signed else 0
            members[port] = In(unsigned(fmt.width))
            pins |= {f"SIGNED{side}": int(fmt.signed)}
            pins |= {f"{side}{bit}": sign for bit in range(FACTOR_BITS)} | word_pins(side, port, fmt.width)
            if enabled:
                members[f"enable_{port}"] = In(1)
                parameters[f"REG_INPUT{side}_CE"] = enable
                pins[enable] = (f"enable_{port}", 0)
                name += f"_e{port}"
        members["p"] = Out(signed(self.width))
        pins |= word_pins("P", "p", self.width) | word_pins("P", UNUSED, PRODUCT_BITS - self.width, self.width)
        super().__init__(name, members, cell="MULT18X18D", parameters=parameters, pins=pins)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        a = data_register(m, self.a, "a_in", enable=self.enable_a if self.enables[0] else 1)
        b = data_register(m, self.b, "b_in", enable=self.enable_b if self.enables[1] else 1)
        product = Signal(signed(self.width))
        m.d.comb += product.eq(number(a, self.a_format) * number(b, self.b_format))
        m.d.comb += self.p.eq(pipeline(m, product, self.registers, "product"))
        return m


def ecp5_products(m: Module, platform: Any, factors: Factors, registers: int) -> list[Value]:
    """See `products`: one MULT18X18D each, which holds all registers, those of the operands too."""
    found: list[Value] = []
    for name, x, w in factors.pairs():
        cell = Ecp5Multiplier(
            factors.x_format, factors.w_format, registers, (x.enable is not None, w.enable is not None)
        )
        m.submodules[name] = place(platform, cell)
        m.d.comb += [cell.a.eq(x.source), cell.b.eq(w.source)]
        if x.enable is not None:
            m.d.comb += cell.enable_a.eq(x.enable)
        if w.enable is not None:
            m.d.comb += cell.enable_b.eq(w.enable)
        found.append(cell.p)
    return found
