"""Cells of devices with every pin that their models have, beside what they do in plain integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from amaranth.hdl import Const, unsigned
from amaranth.lib.wiring import In, Out

from tilewright.hdl.structure import Primitive
from tilewright.hdl.structure.primitive import CLOCK, Pin, word_pins

REGISTERS = ("INPUTA", "INPUTB", "PIPELINE", "OUTPUT")


@dataclass(frozen=True)
class Use:
    """Of a register: the numbers of its enable and its reset."""

    enable: int
    reset: int


class Cell(Primitive):
    """A cell, and what it does."""

    def run(self, given: Mapping[str, Sequence[int]]) -> list[int]:
        """What the output is in each cycle."""
        raise NotImplementedError


class CarryPair(Cell):
    """CCU2C with the tables that are told; ``out`` is both bits of the sum and the carry."""

    def __init__(self, name: str, tables: tuple[int, int], cut: tuple[bool, bool]) -> None:
        self.tables, self.cut = tables, cut
        parameters: dict[str, str | Const] = {f"INIT{bit}": Const(table, 16) for bit, table in enumerate(tables)}
        parameters |= {f"INJECT1_{bit}": "YES" if here else "NO" for bit, here in enumerate(cut)}
        pins: dict[str, Pin] = {"CIN": ("carry_in", 0), "COUT": ("out", 2)}
        for bit in range(2):
            pins |= {f"{pin}{bit}": ("tables_in", place + 4 * bit) for place, pin in enumerate("ABCD")}
            pins[f"S{bit}"] = ("out", bit)
        members = {"tables_in": In(unsigned(8)), "carry_in": In(1), "out": Out(unsigned(3))}
        super().__init__(name, members, cell="CCU2C", parameters=parameters, pins=pins)

    def run(self, given: Mapping[str, Sequence[int]]) -> list[int]:
        """See `Cell`."""
        found = []
        for inputs, carry in zip(given["tables_in"], given["carry_in"], strict=True):
            out = 0
            for bit, (table, cut) in enumerate(zip(self.tables, self.cut, strict=True)):
                place = inputs >> 4 * bit & 15
                propagates, generates = table >> place & 1, table >> (place & 3) & 1
                out |= (propagates ^ (carry and not cut)) << bit
                if not propagates:
                    carry = int(generates and not cut)
            found.append(out | carry << 2)
        return found


class WholeMultiplier(Cell):
    """MULT18X18D with the registers that are told; ``out`` is the product."""

    def __init__(self, name: str, used: Mapping[str, Use]) -> None:
        self.used = dict(used)
        parameters: dict[str, str | Const] = {}
        for register, use in used.items():
            values = {"CLK": "CLK0", "CE": f"CE{use.enable}", "RST": f"RST{use.reset}"}
            parameters |= {f"REG_{register}_{part}": value for part, value in values.items()}
        words = {"a": ("A", 18), "b": ("B", 18), "enables": ("CE", 4), "resets": ("RST", 4), "out": ("P", 36)}
        pins: dict[str, Pin] = {"CLK0": CLOCK, "SOURCEA": 0, "SOURCEB": 0, "SIGNEDA": ("sign_a", 0)}
        pins |= {"SIGNEDB": ("sign_b", 0)}
        for port, (prefix, width) in words.items():
            pins |= word_pins(prefix, port, width)
        members = {port: In(unsigned(width)) for port, (_, width) in words.items() if port != "out"}
        members |= {"sign_a": In(1), "sign_b": In(1), "out": Out(unsigned(36))}
        super().__init__(name, members, cell="MULT18X18D", parameters=parameters, pins=pins)

    def run(self, given: Mapping[str, Sequence[int]]) -> list[int]:
        """See `Cell`; registers start from 0."""
        held = dict.fromkeys(REGISTERS, 0)
        found = []
        for cycle in range(len(given["a"])):
            now = {port: values[cycle] for port, values in given.items()}
            a = held["INPUTA"] if "INPUTA" in self.used else now["a"]
            b = held["INPUTB"] if "INPUTB" in self.used else now["b"]
            product = _number(a, now["sign_a"]) * _number(b, now["sign_b"]) % (1 << 36)
            middle = held["PIPELINE"] if "PIPELINE" in self.used else product
            found.append(held["OUTPUT"] if "OUTPUT" in self.used else middle)
            taken = {"INPUTA": now["a"], "INPUTB": now["b"], "PIPELINE": product, "OUTPUT": middle}
            for register, use in self.used.items():
                if now["resets"] >> use.reset & 1:
                    held[register] = 0
                elif now["enables"] >> use.enable & 1:
                    held[register] = taken[register]
        return found


def _number(bits: int, sign: int) -> int:
    return bits - (1 << 18) if sign and bits >> 17 else bits


MULTIPLIERS = {
    "mult_bare": WholeMultiplier("mult_bare", {}),
    "mult_inputs": WholeMultiplier("mult_inputs", {"INPUTA": Use(0, 1), "INPUTB": Use(3, 2)}),
    "mult_output": WholeMultiplier("mult_output", {"OUTPUT": Use(2, 3)}),
    "mult_middle": WholeMultiplier("mult_middle", {"PIPELINE": Use(1, 0)}),
    "mult_all": WholeMultiplier("mult_all", {name: Use(at, 3 - at) for at, name in enumerate(REGISTERS)}),
}
CARRIES = {
    "carry_add": CarryPair("carry_add", (0x96AA, 0x96AA), (False, False)),
    "carry_select": CarryPair("carry_select", (0x596A, 0x596A), (False, False)),
    "carry_any": CarryPair("carry_any", (0x3B5E, 0xC2D9), (False, False)),
    "carry_cut": CarryPair("carry_cut", (0xA5C6, 0x7E19), (True, False)),
    "carry_cut_above": CarryPair("carry_cut_above", (0x6D38, 0x1FB4), (False, True)),
}
CELLS: dict[str, Cell] = {**MULTIPLIERS, **CARRIES}
