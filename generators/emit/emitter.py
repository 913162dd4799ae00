"""Emits every distinct block once, as a named module, and instances of it wherever it is used."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from amaranth.back import rtlil
from amaranth.hdl import ClockSignal, Elaboratable, Instance, ResetSignal, Shape, Value
from amaranth.lib.wiring import In

from tilewright.generators.emit import primitive, regular, rom  # noqa: F401 -- those add to what regular writes
from tilewright.generators.emit.module import Port, VerilogModule
from tilewright.generators.emit.netlist import Netlist, fields, read
from tilewright.generators.emit.symbols import enums
from tilewright.generators.emit.writer import Writer
from tilewright.generators.emit.yosys import cleaned
from tilewright.hdl.structure import Block

COMMENT = 117
"""Characters of a line of comment."""


@dataclass(frozen=True)
class Emitted:
    """A block that has a module: its name, its ports as emitted, a comment on it, its text, the cell it is around.

    Clock and reset come first, and only where it has any; then the ports as the signature lists them.
    """

    module: str
    ports: tuple[Port, ...]
    about: str
    rtlil: str | None
    text: str | None
    cell: str = ""

    @property
    def outputs(self) -> frozenset[str]:
        """Names of the output ports."""
        return frozenset(port.name for port in self.ports if port.direction == "output")

    def has(self, port: str) -> bool:
        """Whether the module has a port of this name."""
        return any(p.name == port for p in self.ports)


class Emitter:
    """The platform that elaborates blocks by name (see `tilewright.hdl.structure.place`).

    ``prefix`` starts every module name, so that two designs link into one.
    """

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self._emitted: dict[str, Emitted] = {}
        self._signatures: dict[str, object] = {}

    def module_name(self, block: Block) -> str:
        """Name of the module that ``block`` becomes."""
        return f"{self.prefix}_{block.name}" if block.name else self.prefix

    def instance(self, block: Block, reset: Value | None = None) -> Elaboratable:
        """An instance of ``block``'s module connected to ``block``'s own port signals; ``reset`` resets it, too."""
        emitted = self.emit(block)
        connections: dict[str, Any] = {}
        if emitted.has("clk"):
            connections["i_clk"] = ClockSignal()
        if emitted.has("rst"):
            connections["i_rst"] = ResetSignal() if reset is None else ResetSignal() | reset
        for path, member, value in block.signature.flatten(block):
            name = "__".join(map(str, path))
            if emitted.has(name):
                connections[f"{'i' if member.flow is In else 'o'}_{name}"] = Value.cast(value)
        return Instance(emitted.module, **connections)

    def emit(self, block: Block) -> Emitted:
        """Emits ``block`` unless a block of its name has been emitted."""
        shape = {path: (m.flow, Shape.cast(m.shape)) for path, m, _ in block.signature.flatten(block)}
        if block.name not in self._emitted:
            self._signatures[block.name] = (type(block), shape)
            self._emitted[block.name] = self._build(block)
        elif self._signatures[block.name] != (type(block), shape):
            raise ValueError(f"two different blocks are called {block.name!r}")
        return self._emitted[block.name]

    def _build(self, block: Block) -> Emitted:
        name = self.module_name(block)
        text = regular.write(block, name, self.emit)
        if text is not None:
            return Emitted(name, text.ports, _about(block), None, text.text, text.cell)
        il = rtlil.convert(block, name=name, platform=self, emit_src=False)
        found = {port.name: port for port in Port.from_rtlil(il, name)}
        order = ("clk", "rst", *("__".join(map(str, path)) for path, _, _ in block.signature.flatten(block)))
        ports = tuple(found.pop(port) for port in order if port in found)
        if found:
            raise ValueError(f"{name} has ports that its signature does not tell: {', '.join(found)}")
        return Emitted(name, ports, _about(block), il, None)

    @property
    def emitted(self) -> Iterable[Emitted]:
        """Everything emitted so far, leaves first."""
        return self._emitted.values()

    def netlists(self) -> dict[str, Netlist]:
        """What Amaranth elaborated, by module, ready to be written: ports in the order of the signatures."""
        rtlils = [e.rtlil for e in self._emitted.values() if e.rtlil is not None]
        order = {e.module: [port.name for port in e.ports] for e in self._emitted.values()}
        found = read(cleaned("\n".join(rtlils))) if rtlils else ()
        return {netlist.name: netlist.arranged(order) for netlist in found}

    def modules(self) -> list[VerilogModule]:
        """All modules, leaves first."""
        netlists = self.netlists()
        outputs = {e.module: e.outputs for e in self._emitted.values()}
        found = []
        for e in self._emitted.values():
            text = e.text or ""
            if e.rtlil is not None:
                names, values = fields(e.rtlil, e.module), enums(e.rtlil, e.module)
                text = Writer(netlists[e.module], outputs, names, values).module().text
            found.append(VerilogModule(e.module, e.ports, e.about + text, e.cell))
        return found


def _about(block: Block) -> str:
    """What ``block`` is, as a comment: how its documentation begins."""
    words = (inspect.getdoc(type(block)) or "").split("\n\n")[0].replace("`", "")
    return "".join(f"// {line}\n" for line in textwrap.wrap(words, COMMENT, break_on_hyphens=False))
