"""Verilog modules as text with a known head: ports in order, ANSI style."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

_RTLIL_PORT = re.compile(r"^  wire (?:width (\d+) )?(input|output) \d+\s+(signed )?\\(\S+)$", re.M)


@dataclass(frozen=True)
class Port:
    """A port: ``direction`` is ``input`` or ``output``; ``width`` in bits."""

    name: str
    direction: str
    width: int
    signed: bool = False

    @classmethod
    def from_rtlil(cls, text: str, module: str) -> Iterator[Port]:
        """Ports of ``module`` in RTLIL ``text``."""
        start = text.index(f"module \\{module}\n")
        body = text[start : text.index("\nend\n", start)]
        for match in _RTLIL_PORT.finditer(body):
            yield cls(match[4], match[2], int(match[1] or 1), bool(match[3]))

    def declare(self, *, register: bool = False) -> str:
        """The port's declaration in a module head: plain bits, so that no expression depends on a declared sign."""
        kind = f"{self.direction:6} {'reg ' if register else 'wire'}"
        extent = f" [{self.width - 1}:0]" if self.width > 1 else ""
        return f"{kind}{extent} {self.name}"


@dataclass(frozen=True)
class VerilogModule:
    """One module: its name, ports, and complete text; ``cell`` is the cell of a device around which it is, if any."""

    name: str
    ports: tuple[Port, ...]
    text: str
    cell: str = ""


def head(name: str, ports: Sequence[Port], registers: Collection[str] = ()) -> str:
    """Module head with one port a line, in the order of ``ports``; those in ``registers`` are registers."""
    lines = [f"  {port.declare(register=port.name in registers)}" for port in ports]
    return f"module {name} (\n" + ",\n".join(lines) + "\n);\n"
