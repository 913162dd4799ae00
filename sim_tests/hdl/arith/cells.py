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


class WholeMultiplier(Primitive):
    """MULT18X18D with the registers that are told."""

    def __init__(self, name: str, used: Mapping[str, Use]) -> None:
        self.used = dict(used)
        parameters: dict[str, str | Const] = {}
        for register, use in used.items():
            values = {"CLK": "CLK0", "CE": f"CE{use.enable}", "RST": f"RST{use.reset}"}
            parameters |= {f"REG_{register}_{part}": value for part, value in values.items()}
        words = {"a": ("A", 18), "b": ("B", 18), "enables": ("CE", 4), "resets": ("RST", 4), "p": ("P", 36)}
        pins: dict[str, Pin] = {"CLK0": CLOCK, "SOURCEA": 0, "SOURCEB": 0, "SIGNEDA": ("sign_a", 0)}
        pins |= {"SIGNEDB": ("sign_b", 0)}
        for port, (prefix, width) in words.items():
            pins |= word_pins(prefix, port, width)
        members = {port: In(unsigned(width)) for port, (_, width) in words.items() if port != "p"}
        members |= {"sign_a": In(1), "sign_b": In(1), "p": Out(unsigned(36))}
        super().__init__(name, members, cell="MULT18X18D", parameters=parameters, pins=pins)

    def run(self, given: Mapping[str, Sequence[int]]) -> list[int]:
        """What ``p`` is in each cycle; registers start from 0."""
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


CELLS = {
    "mult_bare": WholeMultiplier("mult_bare", {}),
    "mult_inputs": WholeMultiplier("mult_inputs", {"INPUTA": Use(0, 1), "INPUTB": Use(3, 2)}),
    "mult_output": WholeMultiplier("mult_output", {"OUTPUT": Use(2, 3)}),
    "mult_middle": WholeMultiplier("mult_middle", {"PIPELINE": Use(1, 0)}),
    "mult_all": WholeMultiplier("mult_all", {name: Use(at, 3 - at) for at, name in enumerate(REGISTERS)}),
}
