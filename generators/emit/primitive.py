"""Cells of devices as instances with named parameters and pins."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from itertools import groupby

from amaranth.hdl import Const

from tilewright.generators.emit.comment import WIDTH
from tilewright.generators.emit.module import head
from tilewright.generators.emit.regular import Emit, RegularText, ports_of, write
from tilewright.hdl.structure import Primitive
from tilewright.hdl.structure.primitive import UNUSED, Pin


@write.register
def _primitive(block: Primitive, name: str, emit: Emit) -> RegularText:
    ports = ports_of(block, clock=block.clocked, reset=False)
    single = {port.name for port in ports if port.width == 1}
    spare = sum(isinstance(pin, tuple) and pin[0] == UNUSED for pin in block.pins.values())

    def word(pin: Pin) -> str:
        return pin[0] if isinstance(pin, tuple) and pin[0] not in single else ""

    parameters = _listed(f".{key}({_value(value)})" for key, value in block.parameters.items())
    groups = groupby(block.pins.items(), lambda entry: word(entry[1]))
    pins = ",\n".join(_listed(f".{pin}({_at(at, word(at))})" for pin, at in group) for _, group in groups)
    body = f"  {block.cell} #(\n{parameters}\n  ) unit (\n{pins}\n  );\n"
    if spare:
        body = f"  wire [{spare - 1}:0] {UNUSED};\n{body}"
    return RegularText(ports, head(name, ports) + body + "endmodule\n", block.cell)


def _at(pin: Pin, word: str) -> str:
    if isinstance(pin, tuple):
        return f"{word}[{pin[1]}]" if word and pin[1] is not None else pin[0]
    if isinstance(pin, Const):
        return _value(pin)
    if isinstance(pin, str):
        return pin
    return "1'bx" if pin is None else f"1'b{pin}"  # nextpnr takes z for a wire, and x for nothing


def _value(value: str | Const) -> str:
    return f'"{value}"' if isinstance(value, str) else f"{len(value)}'h{value.value:0{-(-len(value) // 4)}x}"


def _listed(entries: Iterable[str]) -> str:
    """Several to a line."""
    wrapped = textwrap.wrap(", ".join(entries), WIDTH - 4, break_on_hyphens=False)
    return textwrap.indent("\n".join(wrapped), "    ")
