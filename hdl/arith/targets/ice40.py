"""Products in the multipliers of iCE40 UltraPlus, two in each."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Signal, Value, signed, unsigned
from amaranth.lib.wiring import In, Out

from tilewright.hdl.arith.targets.factors import Factors
from tilewright.hdl.numeric import IntFormat, dot_bits
from tilewright.hdl.structure import Primitive, data_register, pipeline, place
from tilewright.hdl.structure.primitive import CLOCK, Pin

FACTOR_BITS, PRODUCT_BITS = 8, 16
_SPARE = (
    *("AHOLD", "BHOLD", "CHOLD", "DHOLD", "IRSTTOP", "IRSTBOT", "ORSTTOP", "ORSTBOT", "OLOADTOP", "OLOADBOT"),
    *("ADDSUBTOP", "ADDSUBBOT", "OHOLDTOP", "OHOLDBOT", "CI", "ACCUMCI", "SIGNEXTIN"),
)
"""Pins of what is not used: accumulators, registers of the operands, resets."""


class Ice40Multiplier(Primitive):
    """SB_MAC16 as two multipliers of 8 bits: ``p = a * b`` in each half; one a cycle.

    ``a`` is what goes into the operand register of a processing element, which is inside; ``p`` comes ``1 + registers``
    cycles (0 or 1) after it and ``registers`` after ``b``. Registers are not reset.

    Yosys' ``synth_ice40 -dsp`` would change the cell: it must not be told to infer multipliers.

    Members
    -------
    a, b: two numbers of 8 bits side by side, signed or not
    p: two products of 16 bits side by side
    """

    def __init__(self, a_signed: bool, b_signed: bool, registers: int) -> None:
        if registers not in (0, 1):
            raise ValueError(f"registers must be 0 or 1, got {registers}")
        self.a_signed, self.b_signed, self.registers = a_signed, b_signed, registers
        members = {"a": In(unsigned(2 * FACTOR_BITS)), "b": In(unsigned(2 * FACTOR_BITS))}
        signs = "_".join("signed" if each else "unsigned" for each in (a_signed, b_signed))
        flags = {"MODE_8x8": 1, "A_SIGNED": a_signed, "B_SIGNED": b_signed}
        flags |= {"A_REG": 1} | {f"{half}_8x8_MULT_REG": registers for half in ("TOP", "BOT")}
        parameters: dict[str, str | Const] = {name: Const(int(value), 1) for name, value in flags.items()}
        parameters |= {f"{half}OUTPUT_SELECT": Const(2, 2) for half in ("TOP", "BOT")}
        pins: dict[str, Pin] = {"A": ("a", None), "B": ("b", None), "O": ("p", None), "CLK": CLOCK, "CE": 1}
        pins |= dict.fromkeys(_SPARE, 0) | {"C": Const(0, 16), "D": Const(0, 16)}
        super().__init__(
            f"mac16_two_{signs}_r{registers}",
            members | {"p": Out(unsigned(2 * PRODUCT_BITS))},
            cell="SB_MAC16",
            parameters=parameters,
            pins=pins,
        )

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        halves = []
        factors = data_register(m, self.a, "a_q")
        for half in range(2):
            a, b = (word[half * FACTOR_BITS : (half + 1) * FACTOR_BITS] for word in (factors, self.b))
            product = Signal(signed(PRODUCT_BITS), name=f"product_{half}")
            m.d.comb += product.eq((a.as_signed() if self.a_signed else a) * (b.as_signed() if self.b_signed else b))
            halves.append(pipeline(m, product, self.registers, f"product_{half}"))
        m.d.comb += self.p.eq(Cat(halves))
        return m


def ice40_products(m: Module, platform: Any, factors: Factors, registers: int) -> list[Value]:
    """See `products`: one SB_MAC16 for two of them, with the register of ``x`` and the first behind each inside.

    That of ``w`` stays outside: it takes its value when it has to, and the two of a cell have to at different times.
    """
    pairs = list(factors.pairs())
    found: list[Value] = []
    for first in range(0, len(pairs), 2):
        chosen = pairs[first : first + 2]
        xs, ws = [x.source for _, x, _ in chosen], [w.value for _, _, w in chosen]
        name = chosen[0][0] if len(chosen) == 1 else f"products_{first}"
        found += _two_products(m, platform, xs, ws, factors.x_format, factors.w_format, registers, name)
    return found


def _two_products(
    m: Module,
    platform: Any,
    xs: list[Value],
    ws: list[Value],
    x_format: IntFormat,
    w_format: IntFormat,
    registers: int,
    name: str,
) -> list[Value]:
    """Products of up to two pairs of numbers in one SB_MAC16: of ``xs`` that go into their registers, and ``ws``."""
    cell = Ice40Multiplier(x_format.signed, w_format.signed, min(registers, 1))
    m.submodules[name] = place(platform, cell)
    m.d.comb += [cell.a.eq(_bytes(xs, x_format)), cell.b.eq(_bytes(ws, w_format))]
    width, found = dot_bits(x_format, w_format, 1), []
    for half in range(len(xs)):
        product = Signal(signed(width), name=f"{name}_{half}" if len(xs) > 1 else name)
        bits = cell.p[half * PRODUCT_BITS : (half + 1) * PRODUCT_BITS]
        # Only the product of two unsigned numbers needs a bit more to be a signed one.
        m.d.comb += product.eq(bits.as_signed() if x_format.signed or w_format.signed else bits)
        found.append(pipeline(m, product, registers - cell.registers, product.name))
    return found


def _bytes(numbers: list[Value], fmt: IntFormat) -> Value:
    """Numbers of ``fmt`` as bytes side by side."""
    return Cat(Cat(bits, _beyond(bits, fmt).replicate(FACTOR_BITS - fmt.width)) for bits in numbers)


def _beyond(bits: Value, fmt: IntFormat) -> Value:
    return bits[-1] if fmt.signed else Const(0, 1)
