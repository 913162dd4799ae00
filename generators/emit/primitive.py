"""Cells of devices as instances with named parameters and pins."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from itertools import count, groupby

from amaranth.hdl import Const

from tilewright.generators.emit.comment import WIDTH
from tilewright.generators.emit.module import head
from tilewright.generators.emit.regular import Emit, RegularText, ports_of, write
from tilewright.hdl.structure import Primitive
from tilewright.hdl.structure.primitive import Pin


@write.register
def _primitive(block: Primitive, name: str, emit: Emit) -> RegularText:
    ports = ports_of(block, clock=block.clocked, reset=False)
    single = {port.name for port in ports if port.width == 1}
    spare = count()

    def at(pin: Pin) -> str:
        if pin is None:
            return f"unused[{next(spare)}]"
        if isinstance(pin, tuple):
            return pin[0] if pin[0] in single or pin[1] is None else f"{pin[0]}[{pin[1]}]"
        if isinstance(pin, Const):
            return _value(pin)
        return f"1'b{pin}" if isinstance(pin, int) else pin

    parameters = _listed(f".{key}({_value(value)})" for key, value in block.parameters.items())
    words = groupby(block.pins.items(), lambda entry: isinstance(entry[1], tuple) and entry[1][0] not in single)
    pins = ",\n".join(_listed(f".{pin}({at(where)})" for pin, where in group) for _, group in words)
    unused = f"  wire [{next(spare) - 1}:0] unused;\n" if any(pin is None for pin in block.pins.values()) else ""
    body = f"{unused}  {block.cell} #(\n{parameters}\n  ) unit (\n{pins}\n  );\n"
    return RegularText(ports, head(name, ports) + body + "endmodule\n", block.cell)


def _value(value: str | Const) -> str:
    return f'"{value}"' if isinstance(value, str) else f"{len(value)}'h{value.value:0{-(-len(value) // 4)}x}"


def _listed(entries: Iterable[str]) -> str:
    """Several to a line."""
    wrapped = textwrap.wrap(", ".join(entries), WIDTH - 4, break_on_hyphens=False)
    return textwrap.indent("\n".join(wrapped), "    ")
